//! Iterative deepening on the length of a game. Each length is searched breadth-first under admissible bounds
//! (*breadth-first heuristic search*, Zhou and Hansen 2006).
//!
//! For a length L the question is whether a game of exactly L moves exists, given that there is no shorter one. Levels
//! are made from the start under the bounds for L; a state on level L in which the winner has filled the goal ends a
//! game. Because no shorter game exists, a state may be dropped if an earlier level with the same side to move has it:
//! a game through it could be shortened. (The two armies alternate, and a player cannot undo his own move at once, so a
//! state may recur on any later level of the same parity. All these levels are compared.)
//!
//! When a level exceeds [`PROBE_AT`] states, and again whenever one is [`PROBE_AGAIN`] times as large, a beam search
//! goes ahead from a part of it. It proves nothing, but if games exist it often finds one long before the levels are
//! complete.

pub mod beam;
pub(crate) mod game_count;
mod game_trace;

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use halma_bounds::game_bounds::{Bounds, GameBound, build};
use halma_engine::search::Stopped;
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_puzzles::game_puzzle::{Armies, GamePuzzle, TooLarge};
use halma_rules::game::{self, Game};
use halma_rules::moves;
use halma_rules::symmetry::Symmetry;

use super::deepening::LengthSearch;
use super::engine::Engine;
use super::length_labels::stem_of_length;
use super::level_sequence::{LevelSequence, Recurs};
use super::{Answer, Attempt, LevelFigures, Side, checked, exhausted, no_solution};
use beam::Beam;

/// The size of a level from which a beam search goes ahead.
const PROBE_AT: u64 = 200_000;

/// How much larger a level must be than the last one from which a beam search went ahead.
const PROBE_AGAIN: u64 = 16;

/// The part of such a level from which it starts: one in so many states. The first one of a length is narrow, because most
/// lengths have no game. Where there is one, it often finds it.
const FIRST_PROBE_PART: u64 = 1600;

/// The same for later ones.
const PROBE_PART: u64 = 50;

/// The most states that it keeps. (With 40,000 it does not find the 36 moves of the 15 men.)
const PROBE_MOST: u64 = 200_000;

/// A search for the shortest games.
pub struct GameSearch<'a, const W: usize, K: PairKey> {
    game: &'a Game,
    bounds: Bounds,
    beam: Option<Beam>,
    fixing: Vec<Symmetry>,
    /// The bounds for games that blue wins and for games that red wins; they serve all lengths.
    built: [OnceLock<Vec<Arc<dyn GameBound<W>>>>; 2],
    /// The game without bounds.
    free: GamePuzzle<W, K>,
    engine: Engine<'a>,
}

impl<'a, const W: usize, K: PairKey> GameSearch<'a, W, K> {
    /// A search under `bounds`. If `beam` is given, every level is truncated and nothing is refuted. `symmetry` says
    /// whether a state stands for all its images under K.
    ///
    /// # Errors
    /// Where the game is too large for `W` and `K`.
    pub fn new(
        game: &'a Game,
        bounds: Bounds,
        beam: Option<Beam>,
        symmetry: bool,
        engine: Engine<'a>,
    ) -> Result<Self, TooLarge> {
        let mut fixing = game.symmetries();
        fixing.truncate(if symmetry { fixing.len() } else { 1 });
        let free = GamePuzzle::new(game, u32::MAX, Vec::new(), &fixing)?;
        let built = [OnceLock::new(), OnceLock::new()];
        Ok(Self { game, bounds, beam, fixing, built, free, engine })
    }

    /// K; the identity alone if symmetry is not used.
    #[must_use]
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.fixing
    }

    /// Decides whether a game of exactly `length` moves exists, given that there is none shorter.
    fn attempt(&self, length: u32) -> Attempt<Armies<W>> {
        let begun = Instant::now();
        self.engine.progress.length(length);
        let puzzle = self.puzzle(length);
        let mut sequence = self.sequence(&puzzle, stem_of_length(length));
        let answer = self.search(&puzzle, &mut sequence).unwrap_or_else(Answer::Stopped);
        let answer = checked(self.engine, answer, |game| self.check(&puzzle, game));
        Attempt { levels: sequence.figures, ..Attempt::of(length, answer, begun) }
    }

    /// The unpruned levels 0 to `depth`, without a goal, and what stopped them if they are fewer. If `depth` is
    /// `MAX_LENGTH`, the levels end with the first empty one (`levels --to-the-end`).
    pub fn levels(&self, depth: u32) -> (Vec<LevelFigures>, Result<(), Stopped>) {
        let sequence = LevelSequence::new("levels".into(), Side::Forward).compared(Recurs::AfterEvenlyMany);
        self.engine.levels(&self.free, depth, sequence)
    }

    /// The games of `length` moves under the bounds.
    fn puzzle(&self, length: u32) -> GamePuzzle<W, K> {
        let winner = game::Side::winner(length);
        let made = || self.engine.expander.install(|| build(&self.bounds, self.game, winner));
        let bounds = self.built[usize::from(winner == game::Side::Red)].get_or_init(made);
        #[cfg(any(test, feature = "testing"))]
        let bounds = &crate::fault::bounds(self.engine.expander.fault, bounds);
        self.free.of_length(length, bounds.clone())
    }

    /// Level 0 of `puzzle`.
    fn sequence(&self, puzzle: &GamePuzzle<W, K>, stem: String) -> LevelSequence<K> {
        let mut sequence = LevelSequence::new(stem, Side::Forward).compared(Recurs::AfterEvenlyMany);
        self.engine.open(puzzle, &mut sequence);
        sequence
    }

    fn search(&self, puzzle: &GamePuzzle<W, K>, sequence: &mut LevelSequence<K>) -> Result<Answer<Armies<W>>, Stopped> {
        if let Some(beam) = self.beam {
            return self.beam(puzzle, beam, sequence);
        }
        let (mut probe_at, mut part) = (PROBE_AT, FIRST_PROBE_PART);
        let last = puzzle.length();
        #[cfg(any(test, feature = "testing"))]
        let last = if self.engine.expander.fault == Some(crate::fault::Fault::StopEarly) { last / 2 } else { last };
        for _ in 0..last {
            self.engine.grow(puzzle, sequence)?;
            let states = sequence.last().whole();
            if states == 0 {
                return Ok(no_solution(&sequence.figures));
            }
            if states >= probe_at {
                probe_at = PROBE_AGAIN * states;
                if let Some(game) = self.probe(puzzle, sequence, part)? {
                    return Ok(Answer::Found(game));
                }
                part = PROBE_PART;
            }
        }
        Ok(self.ending(puzzle, &sequence.levels)?.map_or(Answer::Refuted, Answer::Found))
    }

    /// A game found by a beam search from one in `part` states of the last of these levels, if any.
    fn probe(
        &self,
        puzzle: &GamePuzzle<W, K>,
        sequence: &LevelSequence<K>,
        part: u64,
    ) -> Result<Option<Vec<Armies<W>>>, Stopped> {
        let begun = Instant::now();
        let beam = Beam { keep: (sequence.last().whole() / part).min(PROBE_MOST) as usize, seed: 0 };
        let ahead = LevelSequence::new(String::new(), Side::Forward).compared(Recurs::AfterEvenlyMany).hidden();
        let mut ahead = ahead.with_levels(&sequence.levels);
        let answer = self.truncated(puzzle, beam, &mut ahead)?;
        let game = match answer {
            Answer::Found(game) => Some(game),
            _ => None,
        };
        let what = if game.is_some() { "found a game" } else { "found none, which proves nothing" };
        let seconds = begun.elapsed().as_secs_f64();
        self.engine.progress.note(&format!("probed with a beam of {} states: {what}, {seconds:.1} s", beam.keep));
        Ok(game)
    }

    /// Replays the game by the slow move generator: it must have that length, and end with the first position that is
    /// won.
    fn check(&self, puzzle: &GamePuzzle<W, K>, game: &[Armies<W>]) -> Result<(), String> {
        if game.len() != puzzle.length() as usize + 1 || game.first() != Some(&puzzle.bases()) {
            return Err("it does not start at the start, or has another length".into());
        }
        for (depth, pair) in game.windows(2).enumerate() {
            if puzzle.won(pair[0]).is_some() {
                return Err(format!("it is over after {depth} moves"));
            }
            let side = depth % 2;
            let men = pair[0][0] | pair[0][1];
            let occupied: Vec<bool> = (0..self.game.lattice.len()).map(|c| men.contains(c)).collect();
            let legal = pair[0][1 - side] == pair[1][1 - side]
                && pair[0][side].moved(pair[1][side]).is_some_and(|(from, to)| {
                    moves::destinations(&self.game.lattice, &occupied, from, false).contains(&to)
                });
            if !legal {
                return Err(format!("move {} is illegal", depth + 1));
            }
        }
        match puzzle.won(game[game.len() - 1]) {
            Some(side) if side == puzzle.winner() => Ok(()),
            _ => Err("nobody wins it".into()),
        }
    }
}

impl<const W: usize, K: PairKey> LengthSearch for GameSearch<'_, W, K> {
    type State = Armies<W>;

    /// Bound (7) of the paper.
    fn lower_bound(&self) -> Result<Option<u32>, Stopped> {
        Ok(self.game.closed().is_none().then(|| self.game.theorem_1()))
    }

    fn attempts(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<Armies<W>>> {
        vec![self.attempt(*lengths.start())]
    }
}
