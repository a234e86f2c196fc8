//! Checks records of games: the lower bound, the levels of every length, and the game that was found.

pub(crate) mod bounds;
mod counts;
mod ladders;
mod look;
mod packing;
mod position;
mod rungs;

use std::path::Path;
use std::sync::Arc;

use halma_record::job::Pruning;
use halma_record::job::game_bounds::{self, Name};
use halma_record::record::{Asked, LengthRecord, Record, Side, Verdict};
use halma_record::words::counted;

use super::board::Board;
use super::evidence::{Claim, Evidence, LowerBound, Refuted};
use super::impossible;
use super::level_step::StateSpace;
use super::level_walk::{Mode, Walk};
use super::memory;
use super::moves::{Set, play};
use super::number::{Number, Wide};
use super::problem::Problem;
use super::rejection::{Rejection, RejectionKind, or_none};
use super::sides::{Walked, split, states};
use super::{Options, Report};
use bounds::{Bounds, Rules};
use counts::Counter;
use position::{Position, Table};

/// The bounds that a record's levels are under, and the size of the largest level that is not truncated.
fn bounds(record: &Record) -> Result<(game_bounds::Bounds, u64), Rejection> {
    let pruning = if record.question == Asked::Levels { &Pruning::None } else { &record.pruning };
    let keep = match *pruning {
        Pruning::Beam { keep, .. } => keep as u64,
        _ => u64::MAX,
    };
    let none = || RejectionKind::Problem.because(format!("pruning {pruning} is none of games"));
    Ok((pruning.of_games().ok_or_else(none)?, keep))
}

/// Checks a game's record, whose level files are in `folder`.
pub(super) fn holds(record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    let problem = Problem::of(record).map_err(Rejection::of(RejectionKind::Problem))?;
    let (board, bases) = (&problem.model.board, problem.ends());
    if problem.model.jumps_only || bases[0].iter().any(|cell| bases[1].contains(cell)) {
        return RejectionKind::Problem.reject("a game: men step, too, and the bases are apart");
    }
    if record.palindromic || record.centroid.is_some() || record.partition.is_some() {
        return RejectionKind::Problem.reject("palindromic, centroid and partition are none of a game's");
    }
    let mut report = Report::default();
    let [blue, red] = bases.map(|base| board.names(base));
    let (men, cells) = (bases[0].len(), board.len());
    let rule = board.directions.len();
    let sides = format!("blue on {blue}, red on {red}");
    report.checked.push(format!("{men} men a side on {cells} cells, {rule} directions: {sides}"));
    report.checked.push(problem.drawn(record));
    let order = problem.model.fixing.len();
    report.checked.push(format!("K of order {order}: automorphisms that fix both bases"));
    report.checked.push("every successor is accounted for, and the verdict follows from the runs".into());
    let mut evidence = Evidence::of(record, options)?;
    evidence.set_lower_bound(lower_bound(record, &problem, &mut report)?);
    let game = record.solution.as_ref().map(|solution| replay(board, bases, solution)).transpose();
    let game = game.map_err(|why| RejectionKind::Solution.of_length(record.length, why))?;
    if let Some(game) = &game {
        let moves = game.len() - 1;
        if record.length != Some(moves as u32) {
            let why = format!("solution: {} for length {}", counted(moves, "move"), or_none(record.length));
            return Err(RejectionKind::Solution.of_length(record.length, why));
        }
        let winner = ["red", "blue"][moves % 2];
        report.checked.push(format!("the game plays, {}, {winner} wins", counted(moves, "move")));
    }
    let (game, model) = (game.unwrap_or_default(), &problem.model);
    let (chosen, keep) = bounds(record)?;
    let common = Common { problem: &problem, record, game, folder, options, chosen, keep };
    if let Some(table) = Table::<u128>::new(model, bases) {
        GameCheck { table: &table, common, built: [None, None], evidence, report }.all()
    } else {
        let table = Table::<Wide>::new(model, bases);
        let table = table.ok_or_else(|| RejectionKind::Problem.because("the positions are too many to number"))?;
        GameCheck { table: &table, common, built: [None, None], evidence, report }.all()
    }
}

/// Derives the lower bound, which the record's must not exceed.
fn lower_bound(record: &Record, problem: &Problem, report: &mut Report) -> Result<LowerBound, Rejection> {
    let shown = impossible::check_impossible(record, problem).map_err(Rejection::of(RejectionKind::Bound))?;
    let bound = LowerBound::of_game(&problem.model.board, problem.ends()).closed(shown.as_ref());
    bound.check_claim(record)?;
    match (record.lower_bound, bound.least()) {
        // There is no answer that a bound would support.
        (None, Some(_)) => {}
        (None, None) if record.question == Asked::Levels || record.verdict == Verdict::Incomplete => {}
        (_, None) => {
            report.checked.push("no game at all is possible, by cells that no move leads out of".into());
        }
        (Some(said), Some(derived)) => {
            let how = format!("no game below length {said}, by equation (7) derived again: {derived}");
            report.checked.push(how);
        }
    }
    Ok(bound)
}

/// The facts that are known before any level.
struct Common<'a> {
    problem: &'a Problem,
    record: &'a Record,
    /// The positions of the solution.
    game: Vec<Position>,
    folder: &'a Path,
    options: &'a Options<'a>,
    /// The bounds, and the size of the largest level that is not truncated.
    chosen: game_bounds::Bounds,
    keep: u64,
}

/// The check of one record's lengths.
struct GameCheck<'a, N> {
    table: &'a Table<'a, N>,
    common: Common<'a>,
    /// The bounds for games that blue wins and for games that red wins; they serve all lengths.
    built: [Option<Arc<Bounds>>; 2],
    evidence: Evidence,
    report: Report,
}

impl<N: Number> GameCheck<'_, N> {
    fn all(mut self) -> Result<Report, Rejection> {
        let Common { record, options, .. } = self.common;
        let mut budget = options.budget;
        for entry in &record.runs {
            self.entry(entry, &mut budget).map_err(|fault| fault.in_length(entry.length))?;
        }
        if record.question != Asked::Levels {
            std::mem::take(&mut self.evidence).accept(record, &mut self.report)?;
        }
        self.count(&mut budget)?;
        Ok(self.report)
    }

    /// Checks the numbers of games, if the record has them.
    fn count(&mut self, budget: &mut u64) -> Result<(), Rejection> {
        let Common { problem, record, options, .. } = self.common;
        let Some((counts, length)) = record.counts.as_ref().zip(record.length) else { return Ok(()) };
        if let Err(too_much) = self.tables() {
            self.report.unchecked.push(format!("how many there are: {too_much}"));
            return Ok(());
        }
        let bounds = self.bounds(length)?;
        let progress = options.progress;
        let mut counter = Counter { problem, table: self.table, bounds: &bounds, length, budget, progress };
        let confirmed = counter.confirm(counts);
        self.report.count((counts, length), Some(problem.whole_fixing().len()), confirmed)
    }

    /// Whether the tables of the bounds fit the budget.
    fn tables(&self) -> Result<(), String> {
        let Common { problem, chosen, .. } = &self.common;
        let packing = chosen.names().contains(&Name::Packing);
        // The tables of one side are made after those of the other.
        let bytes = problem.ends().map(packing::bytes).into_iter().max();
        memory::fit("the tables of its bounds", bytes.filter(|_| packing).unwrap_or(0))
    }

    /// The bounds for games of this length.
    fn bounds(&mut self, length: u32) -> Result<Arc<Bounds>, Rejection> {
        // Blue makes the first move and every second one after it.
        let winner = usize::from(length.is_multiple_of(2));
        let Common { problem, chosen, .. } = &self.common;
        let built = match &self.built[winner] {
            Some(built) => Arc::clone(built),
            None => Arc::new(Bounds::new(self.table.board(), problem.ends(), winner, chosen.names())),
        };
        self.built[winner] = Some(Arc::clone(&built));
        Ok(built)
    }

    /// Walks all levels of a length, and enters what they show.
    fn entry(&mut self, entry: &LengthRecord, budget: &mut u64) -> Result<(), Rejection> {
        let length = entry.length;
        let Common { problem, record, folder, options, keep, .. } = self.common;
        let [forward] = split(entry, [Walked { side: Side::Forward, first: 0, last: length }])?;
        let asked_levels = record.question == Asked::Levels;
        if entry.verdict == Verdict::Levels && forward.last().is_none_or(|level| level.depth != length) {
            return RejectionKind::Levels.reject(format!("levels up to {length} were asked for, and they end early"));
        }
        let Some(first) = forward.first() else { return Ok(()) };
        let held = states(forward);
        let mode = self.tables().and_then(|()| Mode::of(entry, folder, options, budget, (held, size_of::<N>())));
        let mode = match mode {
            Ok(mode) => mode,
            Err(too_much) if asked_levels => {
                self.report.unchecked.push(too_much);
                return Ok(());
            }
            Err(too_much) => {
                self.evidence.note_unchecked(length, too_much);
                return Ok(());
            }
        };
        let bounds = self.bounds(length)?;
        let rules = Rules { length: if asked_levels { u32::MAX } else { length }, bounds };
        (options.progress)(&format!("length {length}: {}", counted(forward.len(), "level")));
        let start = self.table.key(&Position::first(problem.ends()));
        let mut walk = Walk::begin(self.table, start, None, first)?;
        let verdict = entry.verdict.name();
        for level in &forward[1..] {
            if walk.current().len() > keep {
                let how = format!("its levels were truncated; those after level {} were not looked at", walk.depth());
                self.report.checked.push(format!("length {length}, {verdict}: {how}"));
                return Ok(());
            }
            walk.step(level, &rules, mode)?;
            if !asked_levels {
                self.check_no_earlier_win(entry, &walk)?;
                self.check_solution_is_on_level(entry, &walk)?;
            }
        }
        if entry.verdict == Verdict::None {
            self.evidence.add_refutation(Refuted::by_goal(Claim::of(record, length), &walk)?);
        }
        self.evidence.note_if_exhausted(&walk, false);
        self.report.sampled |= mode.is_sampled();
        let (levels, how) = (counted(forward.len(), "level"), mode.describe(walk.sampled));
        self.report.checked.push(format!("length {length}, {verdict}: {levels} {how}"));
        Ok(())
    }

    /// Checks that no game ends before the last level, if the record says that no game is shorter.
    fn check_no_earlier_win(&self, entry: &LengthRecord, walk: &Walk<Table<N>>) -> Result<(), Rejection> {
        let shortest = matches!(self.common.record.verdict, Verdict::Optimal | Verdict::Counted);
        match walk.met() {
            Some((depth, ended)) if shortest && *depth < entry.length => {
                let verdict = entry.verdict.name();
                let why = format!("verdict {verdict}, but a game ends on level {depth}: {ended}");
                Err(RejectionKind::Verdict.because(why).at_level(walk.side(), *depth).at_state(ended))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the position of the game that was found is on this level, if that game is a shortest one: no bound
    /// may prune it, and it cannot be old.
    fn check_solution_is_on_level(&self, entry: &LengthRecord, walk: &Walk<Table<N>>) -> Result<(), Rejection> {
        let Common { record, game, .. } = &self.common;
        let shortest = matches!(record.verdict, Verdict::Optimal | Verdict::Counted);
        let Some(position) = game.get(walk.depth() as usize).filter(|_| shortest && entry.verdict == Verdict::Solution)
        else {
            return Ok(());
        };
        match walk.current().without(&[self.table.key(position)], None)?.is_empty() {
            true => Ok(()),
            false => {
                let (why, depth) = (format!("the game that was found is not on level {}", walk.depth()), walk.depth());
                let state = self.table.show(self.table.key(position));
                Err(RejectionKind::Solution.because(why).at_level(walk.side(), depth).at_state(state))
            }
        }
    }
}

/// Replays a game; returns its positions if one side wins with the last move and not before.
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
