//! Records of games: the lower bound, the levels of every length, and the game that was found.

#[cfg(test)]
mod agree;
mod bounds;
#[cfg(test)]
mod broken;
mod counts;
mod ladders;
mod packing;
mod position;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::board::Board;
use super::file::Level;
use super::impossible;
use super::moves::{Set, play};
use super::number::{Number, Wide};
use super::statement::Problem;
use super::walk::{Mode, Walk};
use super::{Options, Report};
use crate::job::Pruning;
use crate::record::{Asked, Record, RunRecord, Verdict};
use bounds::{Bounds, Rules};
use counts::Counter;
use position::{Position, Table};

/// All bounds, as beams and `pruning = "all"` use them.
const ALL: [&str; 9] =
    ["count", "vacate", "contact", "packing", "types", "diagonal-gaps", "two-ladders", "hall", "look-ahead"];

/// What holds of a game's record, whose level files lie below `folder`.
pub(super) fn holds(record: &Record, folder: &Path, options: &Options) -> Result<Report, String> {
    let problem = Problem::of(record)?;
    let (board, bases) = (&problem.ground.board, problem.ends());
    let mut report = Report::default();
    let [blue, red] = bases.map(|base| board.names(base));
    let (men, cells) = (record.problem.men, board.len());
    report.checked.push(format!("{men} men a side on {cells} cells: blue on {blue}, red on {red}"));
    let order = problem.ground.fixing.len();
    report.checked.push(format!("K of order {order}: automorphisms that fix both bases"));
    report.checked.push("every successor is accounted for, and the verdict follows from the runs".into());
    if let Some(said) = record.lower_bound {
        // Equation (7): somebody must come near first, and then both armies' men enter one by one.
        let distance = board.steps_to(bases[0]);
        let apart = bases[1].iter().filter_map(|&c| distance[usize::from(c)]).min().unwrap_or(0);
        let derived = apart.saturating_sub(2) + (2 * men as u32).saturating_sub(1);
        if said > derived {
            return Err(format!("lower_bound {said}, derived {derived}"));
        }
        report.checked.push(format!("no game below length {said}, by equation (7) derived again: {derived}"));
    }
    match impossible::is_shown(record, &problem)? {
        true => report.checked.push("no game at all is possible, by cells that no move leads out of".into()),
        false if record.lower_bound.is_none() && record.question != Asked::Levels => {
            return Err("it says that no bound leaves any length, and names nothing that shows it".into());
        }
        false => {}
    }
    let game = record.solution.as_ref().map(|solution| replay(board, bases, solution)).transpose()?;
    if let Some(game) = &game {
        let moves = game.len() - 1;
        if record.length != Some(moves as u32) {
            return Err(format!("solution: {moves} moves for length {:?}", record.length));
        }
        let winner = ["red", "blue"][moves % 2];
        report.checked.push(format!("the game plays, {moves} moves, {winner} wins"));
    }
    let game = game.unwrap_or_default();
    let ground = &problem.ground;
    if let Some(table) = Table::<u128>::new(ground, bases) {
        Levels { table: &table, problem: &problem, record, game, folder, options, built: [None, None], report }.all()
    } else {
        let table = Table::<Wide>::new(ground, bases).ok_or("the positions are too many to number")?;
        Levels { table: &table, problem: &problem, record, game, folder, options, built: [None, None], report }.all()
    }
}

/// The levels of one record's runs.
struct Levels<'a, N> {
    table: &'a Table<'a, N>,
    problem: &'a Problem,
    record: &'a Record,
    /// The positions of the game that was found.
    game: Vec<Position>,
    folder: &'a Path,
    options: &'a Options<'a>,
    /// Bounds of games that blue and that red wins; they serve all lengths.
    built: [Option<Arc<Bounds>>; 2],
    report: Report,
}

impl<N: Number> Levels<'_, N> {
    fn all(mut self) -> Result<Report, String> {
        let mut budget = self.options.budget;
        for run in &self.record.runs {
            self.run(run, &mut budget).map_err(|reason| format!("length {}: {reason}", run.length))?;
        }
        self.count(&mut budget)?;
        Ok(self.report)
    }

    /// The numbers of games, where the record has them.
    fn count(&mut self, budget: &mut u64) -> Result<(), String> {
        let Some((counts, length)) = self.record.counts.as_ref().zip(self.record.length) else { return Ok(()) };
        let (bounds, _) = self.bounds(length)?;
        let Self { problem, table, options, .. } = *self;
        let mut counter = Counter { problem, table, bounds: &bounds, length, budget, progress: options.progress };
        let confirmed = counter.confirm(counts);
        self.report.count(counts, confirmed)
    }

    /// The bounds of games of this length, and the largest level that is not truncated.
    fn bounds(&mut self, length: u32) -> Result<(Arc<Bounds>, u64), String> {
        let (names, keep) = match &self.record.pruning {
            _ if self.record.question == Asked::Levels => (Vec::new(), u64::MAX),
            Pruning::None => (Vec::new(), u64::MAX),
            Pruning::Theorem1 => (vec!["count", "contact"], u64::MAX),
            Pruning::Game(bounds) => (bounds.names().iter().map(|n| n.as_str()).collect(), u64::MAX),
            Pruning::Beam { keep, .. } => (ALL.to_vec(), *keep as u64),
            other => return Err(format!("pruning {other} is none of games")),
        };
        // Blue makes the first move and every second one after it.
        let winner = usize::from(length.is_multiple_of(2));
        let built = match &self.built[winner] {
            Some(built) => Arc::clone(built),
            None => Arc::new(Bounds::new(self.table.board(), self.problem.ends(), winner, &names)?),
        };
        self.built[winner] = Some(Arc::clone(&built));
        Ok((built, keep))
    }

    fn run(&mut self, run: &RunRecord, budget: &mut u64) -> Result<(), String> {
        let Some(first) = run.levels.first() else {
            return if run.verdict == Verdict::None { Err("verdict none without levels".into()) } else { Ok(()) };
        };
        let asked_levels = self.record.question == Asked::Levels;
        let last = &run.levels[run.levels.len() - 1];
        let ends = last.states == 0 || last.depth == run.length;
        if !ends && matches!(run.verdict, Verdict::None | Verdict::Levels) {
            return Err(format!(
                "verdict {:?}, but its levels end early: none is empty, and the last is level {}",
                run.verdict, last.depth
            )
            .to_lowercase());
        }
        let held = run.levels.iter().map(|l| l.states).sum();
        let mode = match Mode::of(run, self.folder, self.options, budget, held) {
            Ok(mode) => mode,
            Err(too_much) => {
                self.report.unchecked.push(too_much);
                return Ok(());
            }
        };
        let (bounds, keep) = self.bounds(run.length)?;
        let rules = Rules { length: if asked_levels { u32::MAX } else { run.length }, bounds };
        (self.options.progress)(&format!("length {}: {} levels", run.length, run.levels.len()));
        let start = self.table.key(&Position::first(self.problem.ends()));
        let mut walk = Walk::begin(self.table, start, None, first)?;
        for level in &run.levels[1..] {
            if walk.current().len() > keep {
                return match run.verdict {
                    Verdict::None => Err("verdict none of a search that truncated a level".into()),
                    _ => Ok(()),
                };
            }
            walk.step(level, &rules, mode)?;
            if !asked_levels {
                self.nobody_has_won(run, &walk)?;
                self.is_on_the_way(run, &walk)?;
            }
        }
        let seen = walk.current().len() == 0 && run.levels.iter().all(|l| l.pruned == 0);
        if self.record.exhausted && self.record.runs.last().is_some_and(|r| std::ptr::eq(r, run)) && !seen {
            return Err("it says that every position was seen, but some were cut, or there are more".into());
        }
        self.report.sampled |= matches!(mode, Mode::Sample(..));
        let verdict = format!("{:?}", run.verdict).to_lowercase();
        let (levels, how) = (run.levels.len(), mode.told(walk.sampled));
        self.report.checked.push(format!("length {}, {verdict}: {levels} levels {how}", run.length));
        Ok(())
    }

    /// A position in which somebody has won ends a game, so it must not be on a level of a length that is said to have none, or
    /// before the end where shorter games are said not to exist.
    fn nobody_has_won(&self, run: &RunRecord, walk: &Walk<Table<N>>) -> Result<(), String> {
        let claims = run.verdict == Verdict::None
            || walk.depth < run.length && matches!(self.record.verdict, Verdict::Optimal | Verdict::Counted);
        if !claims {
            return Ok(());
        }
        let level = walk.current();
        let over = |block: usize| -> Result<Option<N>, String> {
            let mut keys = Vec::new();
            level.read(block, &mut keys)?;
            let over = |key: N| self.table.is_over(key).map(|over| over.then_some(key)).transpose();
            keys.into_iter().find_map(over).transpose()
        };
        let found = (0..level.blocks()).into_par_iter().find_map_first(|block| over(block).transpose()).transpose()?;
        found.map_or(Ok(()), |key| {
            let ended = super::walk::States::show(self.table, key);
            Err(format!("verdict {:?}, but a game ends on level {}: {ended}", run.verdict, walk.depth).to_lowercase())
        })
    }

    /// Of a shortest game no bound may cut any position, and none is old: each is on its level.
    fn is_on_the_way(&self, run: &RunRecord, walk: &Walk<Table<N>>) -> Result<(), String> {
        let shortest = matches!(self.record.verdict, Verdict::Optimal | Verdict::Counted);
        let Some(position) =
            self.game.get(walk.depth as usize).filter(|_| shortest && run.verdict == Verdict::Solution)
        else {
            return Ok(());
        };
        let level: &Level<N> = walk.current();
        match level.without(&[self.table.key(position)], None)?.is_empty() {
            true => Ok(()),
            false => Err(format!("the game that was found is not on level {}", walk.depth)),
        }
    }
}

/// Plays a game: its positions, if somebody wins with the last move and not before.
fn replay(board: &Board, bases: [&[u8]; 2], solution: &[String]) -> Result<Vec<Position>, String> {
    let goals = [Set::of(bases[1]), Set::of(bases[0])];
    let mut positions = vec![Position::first(bases)];
    let won = |armies: &[Vec<u8>; 2]| (0..2).find(|&side| Set::of(&armies[side]) == goals[side]);
    for (number, written) in solution.iter().enumerate() {
        let fault = |fault: String| format!("solution, move {} ({written}): {fault}", number + 1);
        let Position { mut armies, turn } = positions[number].clone();
        if won(&armies).is_some() {
            return Err(fault("the game is over before it".into()));
        }
        let (from, to) = play(board, Set::of(&armies.concat()), written, false).map_err(fault)?;
        let man = armies[turn].iter_mut().find(|cell| **cell == from);
        *man.ok_or_else(|| fault(format!("{} is the other side's", board.name(from))))? = to;
        positions.push(Position { armies, turn: 1 - turn });
    }
    match won(&positions[solution.len()].armies) {
        Some(side) if side != solution.len() % 2 => Ok(positions),
        _ => Err("solution: nobody wins with its last move".into()),
    }
}
