//! Shortest games: exact lengths, one after another, each found or refuted.
//!
//! For a length L the question is whether a game of exactly L moves exists, given that there is no shorter one. Levels
//! are made from the start under bounds for L; a state on level L in which the winner has filled the goal is the end
//! of a game. Because no shorter game exists, a state that an earlier level with the same side to move holds may be dropped: a
//! game through it would be shorter by their distance. (A position of two armies need not be reached from the levels next to
//! its own, since nobody may undo his move at once: so all levels of one parity are compared.)
//!
//! When a level has grown past [`PROBE_AT`] states, a narrow truncated search goes ahead from it once. It proves nothing, but
//! where games exist it finds one long before the levels are complete.

pub mod beam;
pub mod count;
mod walk;

use std::time::Instant;

use super::{LevelFigures, Progress, Side};
use crate::bound::game::Bounds;
use crate::game::Game;
use crate::moves;
use crate::puzzle::Puzzle;
use crate::puzzle::game::pair::PairKey;
use crate::puzzle::game::{Armies, GamePuzzle, TooLarge};
use crate::search::{Expander, Stop, Stopped};
use crate::store::Level;
use crate::symmetry::Symmetry;
use beam::Beam;

/// The size of a level from which a truncated search looks ahead.
pub const PROBE_AT: u64 = 200_000;

/// The truncated search that looks ahead.
const PROBE: Beam = Beam { keep: 2_000, seed: 0 };

/// The answer of an attempt at one length.
#[derive(Debug)]
pub enum Answer<const W: usize> {
    /// A game: the armies from the start to the end.
    Found(Vec<Armies<W>>),
    /// There is none of this length, if there is none shorter.
    Refuted,
    /// There is none of this length or any greater one: every state that can be reached was seen.
    Exhausted,
    /// Nothing was found, and nothing proved, for this reason.
    Unproved(String),
    /// The search was stopped.
    Stopped(Stopped),
}

/// What came of one length.
#[derive(Debug)]
pub struct Attempt<const W: usize> {
    /// The length.
    pub length: u32,
    /// What came of it.
    pub answer: Answer<W>,
    /// The levels searched.
    pub levels: Vec<LevelFigures>,
    /// Seconds taken.
    pub seconds: f64,
}

/// A search for the shortest games.
pub struct GameSearch<'a> {
    game: &'a Game,
    bounds: Bounds,
    beam: Option<Beam>,
    symmetry: bool,
    expander: &'a Expander,
    stop: &'a Stop,
    progress: &'a dyn Progress,
}

/// Levels with their figures.
struct Levels<K> {
    levels: Vec<Level<K>>,
    figures: Vec<LevelFigures>,
}

impl<'a> GameSearch<'a> {
    /// A search under `bounds`; where `beam` is given, every level is truncated and nothing is refuted. `symmetry` says
    /// whether states that K exchanges count as one.
    #[must_use]
    pub fn new(
        game: &'a Game,
        bounds: Bounds,
        beam: Option<Beam>,
        symmetry: bool,
        (expander, stop, progress): (&'a Expander, &'a Stop, &'a dyn Progress),
    ) -> Self {
        Self { game, bounds, beam, symmetry, expander, stop, progress }
    }

    /// K, the identity alone where symmetry is not used.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let mut all = self.game.symmetries();
        all.truncate(if self.symmetry { all.len() } else { 1 });
        all
    }

    fn puzzle<const W: usize, K: PairKey>(&self, length: u32, bounds: &Bounds) -> Result<GamePuzzle<W, K>, TooLarge> {
        GamePuzzle::new(self.game, length, bounds, &self.symmetries())
    }

    /// A length that no game falls below: bound (7) of the paper.
    #[must_use]
    pub fn lower_bound(&self) -> u32 {
        self.game.theorem_1()
    }

    /// Decides whether a game of exactly `length` moves exists, given that there is none shorter.
    ///
    /// # Errors
    /// Where the game is too large for `W` and `K`.
    pub fn attempt<const W: usize, K: PairKey>(&self, length: u32) -> Result<Attempt<W>, TooLarge> {
        let begun = Instant::now();
        let puzzle = self.puzzle::<W, K>(length, &self.bounds)?;
        self.progress.length(length);
        let mut made = self.open(&puzzle);
        let answer = self.search(&puzzle, &mut made).unwrap_or_else(Answer::Stopped);
        if let Answer::Found(game) = &answer
            && let Err(fault) = self.check(&puzzle, game)
        {
            // A search that is wrong about what it found is wrong about what it refuted, too.
            unreachable!("the game found is none: {fault}");
        }
        Ok(Attempt { length, answer, levels: made.figures, seconds: begun.elapsed().as_secs_f64() })
    }

    /// Level sets without a goal: levels 0 to `depth`, unpruned, and what stopped them if they are fewer.
    ///
    /// # Errors
    /// Where the game is too large for `W` and `K`.
    pub fn levels<const W: usize, K: PairKey>(
        &self,
        depth: u32,
    ) -> Result<(Vec<LevelFigures>, Result<(), Stopped>), TooLarge> {
        // Without bounds the length only says how far to go.
        let puzzle = self.puzzle::<W, K>(depth, &Bounds::none())?;
        let mut made = self.open(&puzzle);
        let result = (0..depth).try_for_each(|_| self.grow(&puzzle, &mut made));
        Ok((made.figures, result))
    }

    fn search<const W: usize, K: PairKey>(
        &self,
        puzzle: &GamePuzzle<W, K>,
        made: &mut Levels<K>,
    ) -> Result<Answer<W>, Stopped> {
        if let Some(beam) = &self.beam {
            return self.truncated(puzzle, beam, made);
        }
        let mut probed = false;
        for _ in 0..puzzle.length() {
            self.grow(puzzle, made)?;
            let last = &made.levels[made.levels.len() - 1];
            if last.is_empty() {
                let all_seen = made.figures.iter().all(|f| f.tally.pruned == 0);
                return Ok(if all_seen { Answer::Exhausted } else { Answer::Refuted });
            }
            if !probed && last.len() >= PROBE_AT {
                probed = true;
                let begun = Instant::now();
                let mut ahead = Levels { levels: made.levels.clone(), figures: Vec::new() };
                let silent = GameSearch { bounds: self.bounds.clone(), progress: &(), ..*self };
                let answer = silent.truncated(puzzle, &PROBE, &mut ahead)?;
                let found = matches!(answer, Answer::Found(_));
                let what = if found { "found a game" } else { "found none, which proves nothing" };
                self.progress.note(&format!("looked ahead: {what}, {:.1} s", begun.elapsed().as_secs_f64()));
                if found {
                    return Ok(answer);
                }
            }
        }
        Ok(self.ending(puzzle, &made.levels).map_or(Answer::Refuted, Answer::Found))
    }

    /// Level 0.
    fn open<const W: usize, K: PairKey>(&self, puzzle: &GamePuzzle<W, K>) -> Levels<K> {
        let begun = Instant::now();
        let first = self.expander.level_of(puzzle, puzzle.start());
        let mut made = Levels { levels: Vec::new(), figures: Vec::new() };
        let figures = LevelFigures {
            depth: 0,
            side: Side::Forward,
            tally: first.tally,
            bytes: first.level.bytes(),
            seconds: begun.elapsed().as_secs_f64(),
        };
        self.progress.level(&figures);
        made.figures.push(figures);
        made.levels.push(first.level);
        made
    }

    /// Appends the next level.
    fn grow<const W: usize, K: PairKey>(&self, puzzle: &GamePuzzle<W, K>, made: &mut Levels<K>) -> Result<(), Stopped> {
        let begun = Instant::now();
        let depth = made.levels.len() - 1;
        // The levels with the same side to move as the new one.
        let earlier: Vec<&Level<K>> = made.levels[..depth].iter().rev().step_by(2).collect();
        let next = self.expander.expand(puzzle, depth as u32, &made.levels[depth], &earlier, self.stop)?;
        let figures = LevelFigures {
            depth: depth as u32 + 1,
            side: Side::Forward,
            tally: next.tally,
            bytes: next.level.bytes(),
            seconds: begun.elapsed().as_secs_f64(),
        };
        self.progress.level(&figures);
        made.figures.push(figures);
        made.levels.push(next.level);
        Ok(())
    }

    /// Whether the armies play a game of that length by the slow generator, nobody winning before the end.
    fn check<const W: usize, K: PairKey>(&self, puzzle: &GamePuzzle<W, K>, game: &[Armies<W>]) -> Result<(), String> {
        if game.len() != puzzle.length() as usize + 1 || game.first() != Some(&puzzle.bases()) {
            return Err("it does not start at the start, or has another length".into());
        }
        for (depth, pair) in game.windows(2).enumerate() {
            if puzzle.won(pair[0]).is_some() {
                return Err(format!("it is over after {depth} moves"));
            }
            let side = depth % 2;
            let (gone, come) = (pair[0][side] & !pair[1][side], pair[1][side] & !pair[0][side]);
            let men = pair[0][0] | pair[0][1];
            let occupied: Vec<bool> = (0..self.game.lattice.len()).map(|c| men.contains(c)).collect();
            let legal = pair[0][1 - side] == pair[1][1 - side]
                && gone.len() == 1
                && come.len() == 1
                && gone
                    .iter()
                    .zip(come.iter())
                    .all(|(from, to)| moves::destinations(&self.game.lattice, &occupied, from, false).contains(&to));
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
