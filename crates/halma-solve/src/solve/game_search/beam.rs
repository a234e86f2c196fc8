//! Beam search for games (Lowerre 1976): each level keeps only its best states. It finds games and proves nothing.
//!
//! The score of a position is a weighted sum; less is better. By weight:
//! - the winner's men outside the goal;
//! - the loser's men that are still in the goal;
//! - the men that must change their type and so must step;
//! - where `rungs` is one of the bounds, the rungs in the plane that each man outside still misses ([`Rungs`]); else, and on boards
//!   too large for that, those that the lowest even and the lowest odd man miss, on each direction of lines ([`Lines::rungs`]);
//! - for each man outside the steps to the goal that are left after his best single move.
//!
//! Ties are broken by a hash of the key and the seed: the same seed keeps the same states, for any number of threads.

use halma_bounds::game_bounds::lines::Lines;
use halma_bounds::game_bounds::rungs::Rungs;
use halma_bounds::game_bounds::{Name, Position};
use halma_engine::search::{Stopped, digest};
use halma_engine::store::Level;
use halma_puzzles::game_puzzle::pair::PairKey;
use halma_puzzles::game_puzzle::{Armies, GamePuzzle};
use halma_rules::cells::Cells;
use halma_rules::moves::ComponentScratch;
use halma_rules::problem::set;

use super::{Answer, GameSearch, Side, exhausted, no_solution};
use crate::solve::best_states::best_states;
use crate::solve::level_sequence::{LevelSequence, Recurs};

/// The width of a beam search, and its seed for ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// States kept on each level.
    pub keep: usize,
    /// The seed.
    pub seed: u64,
}

/// The weights of the parts of the score.
const OUTSIDE: i64 = 16;
const DISTANCE: i64 = 1;
const RUNG: i64 = 1;
const LINE_RUNG: i64 = 3;
const TYPE: i64 = 6;
const IN_THE_WAY: i64 = 12;

/// The score of positions for one winner.
struct Score<const W: usize> {
    base: Cells<W>,
    /// Steps to the goal, by cell.
    distance: Vec<u8>,
    rungs: Option<Rungs<W>>,
    lines: Vec<Lines<W>>,
    of_type: [Cells<W>; 4],
}

impl<const W: usize, K: PairKey> GameSearch<'_, W, K> {
    /// A beam search that continues from the last of these levels.
    pub(super) fn truncated(
        &self,
        puzzle: &GamePuzzle<W, K>,
        beam: Beam,
        sequence: &mut LevelSequence<K>,
    ) -> Result<Answer<Armies<W>>, Stopped> {
        let score = self.score(puzzle);
        let mut complete = true;
        sequence.cut = true;
        while !sequence.has(puzzle.length()) && !sequence.is_dead() {
            let last = sequence.levels.len() - 1;
            if sequence.last().whole() > beam.keep as u64 {
                // Not by `Engine::select`, which counts what is left out as pruned: `exhausted` asks whether a *bound*
                // pruned anything.
                sequence.levels[last] = self.best(puzzle, &score, beam, sequence.last())?;
                complete = false;
            }
            self.engine.grow(puzzle, sequence)?;
        }
        let arrived = sequence.has(puzzle.length());
        let game = if arrived { self.ending(puzzle, &sequence.levels)? } else { None };
        Ok(match game {
            Some(game) => Answer::Found(game),
            None if complete => no_solution(&sequence.figures),
            None => Answer::Unproved(format!("no game among the {} best states of each level", beam.keep)),
        })
    }

    /// A beam search from the start. If it dies out, and no bound pruned anything for either winner, greater lengths
    /// would make the same levels again.
    pub(super) fn beam(
        &self,
        puzzle: &GamePuzzle<W, K>,
        beam: Beam,
        sequence: &mut LevelSequence<K>,
    ) -> Result<Answer<Armies<W>>, Stopped> {
        let answer = self.truncated(puzzle, beam, sequence)?;
        let (Answer::Unproved(reason), true) = (&answer, exhausted(&sequence.figures)) else { return Ok(answer) };
        let next = self.puzzle(puzzle.length() + 1);
        let mut next_levels =
            LevelSequence::new(String::new(), Side::Forward).compared(Recurs::AfterEvenlyMany).hidden();
        self.engine.open(&next, &mut next_levels);
        let other = self.truncated(&next, beam, &mut next_levels)?;
        let found = matches!(other, Answer::Found(_));
        let given_up = || Answer::GivenUp(format!("{reason}, and greater lengths have no others"));
        Ok(if exhausted(&next_levels.figures) && !found { given_up() } else { answer })
    }

    fn score(&self, puzzle: &GamePuzzle<W, K>) -> Score<W> {
        let lattice = &self.game.lattice;
        let goal = self.game.base(puzzle.winner().other());
        let of_type = [0, 1, 2, 3].map(|t| (0..lattice.len()).filter(|&c| lattice.board.type_of(c) == t).collect());
        Score {
            base: set(goal),
            distance: lattice.distances(goal),
            rungs: self.bounds.names().contains(&Name::Rungs).then(|| Rungs::new(self.game, puzzle.winner())),
            lines: Lines::all(self.game, puzzle.winner()),
            of_type,
        }
    }

    fn best(
        &self,
        puzzle: &GamePuzzle<W, K>,
        score: &Score<W>,
        beam: Beam,
        level: &Level<K>,
    ) -> Result<Level<K>, Stopped> {
        let scored = |block| {
            let (mut keys, mut scratch) = (Vec::new(), Scoring::new(self.game.blue.len()));
            level.read_block(block, &mut keys)?;
            let tie = |key: K| digest::mix_under([beam.seed, !beam.seed], key);
            Ok(keys.into_iter().map(|key| (score.of(puzzle, key, &mut scratch), tie(key), key)).collect())
        };
        best_states(level, beam.keep, self.engine.expander, scored)
    }
}

/// Scratch space for scoring.
struct Scoring<const W: usize> {
    cells: [Vec<u8>; 2],
    men: Vec<u8>,
    reach: Vec<Cells<W>>,
    pieces: ComponentScratch<W>,
}

impl<const W: usize> Scoring<W> {
    fn new(men: usize) -> Self {
        let (cells, reach) = ([vec![0; men], vec![0; men]], vec![Cells::EMPTY; 2 * men]);
        Self { cells, men: Vec::new(), reach, pieces: ComponentScratch::default() }
    }
}

impl<const W: usize> Score<W> {
    fn of<K: PairKey>(&self, puzzle: &GamePuzzle<W, K>, key: K, scratch: &mut Scoring<W>) -> i64 {
        let Scoring { cells, men, reach, pieces } = scratch;
        let (armies, _) = puzzle.armies_into(key, cells);
        let (winner, loser) = puzzle.sides(armies);
        let outside = winner & !self.base;
        men.clear();
        men.extend(outside.iter().chain(((winner & self.base) | loser).iter()).map(|c| c as u8));
        let reach = &mut reach[..outside.len()];
        puzzle.mover().reach(men, winner | loser, pieces, reach);
        let left = |(&man, reach): (&u8, &Cells<W>)| {
            let here = self.distance[usize::from(man)];
            i64::from(reach.iter().map(|c| self.distance[c]).fold(here, u8::min))
        };
        let distance: i64 = men.iter().zip(&*reach).map(left).sum();
        let position = Position { winner, loser, remaining: 0 };
        let rungs = match self.rungs.as_ref().and_then(|rungs| rungs.missing(&position)) {
            Some(missing) => RUNG * i64::from(missing),
            None => LINE_RUNG * self.lines.iter().map(|lines| missing(lines, outside, winner | loser)).sum::<i64>(),
        };
        let excess = |cells: &Cells<W>| ((winner & *cells).len() as i64 - (self.base & *cells).len() as i64).max(0);
        OUTSIDE * outside.len() as i64
            + DISTANCE * distance
            + rungs
            + TYPE * self.of_type.iter().map(excess).sum::<i64>()
            + IN_THE_WAY * (loser & self.base).len() as i64
    }
}

/// Rungs that the lowest even and the lowest odd man lack.
fn missing<const W: usize>(lines: &Lines<W>, outside: Cells<W>, men: Cells<W>) -> i64 {
    let of = |cells: Cells<W>| cells.iter().fold(0, |set, cell| set | 1 << lines.line(cell));
    i64::from(lines.missing_rungs(of(outside), of(men)))
}
