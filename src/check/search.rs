//! The levels of each run, searched again or read from their files, and whether they end as the run's verdict says.

use std::path::Path;
use std::sync::Arc;

use super::counts::Counter;
use super::cuts::{Cut, theorem_1_of};
use super::databases::Databases;
use super::ground::Ground;
use super::histograms::Histograms;
use super::impossible;
use super::leading::{self, Lead};
use super::statement::Problem;
use super::walk::{Mode, Walk};
use super::{Options, Report};
use crate::job::Pruning;
use crate::record::{LevelRecord, Record, RunRecord, Side, Verdict};

/// Why a record that claims to have seen every state does not hold.
pub(super) const NOT_ALL_SEEN: &str =
    "it says that every state was seen, but some were cut, or there are more, or the goal is among them";

/// How a pruning searches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Without bounds; levels serve all lengths.
    Shared,
    /// To the middle, which the mirror completes.
    Half,
    /// To a leading middle, and on.
    Leading,
    /// From both ends.
    TwoEnded,
    /// In a way that refutes nothing.
    Nothing,
}

/// The checks of one record's runs.
pub(super) struct Searches<'a> {
    pub record: &'a Record,
    pub problem: &'a Problem,
    folder: &'a Path,
    options: &'a Options<'a>,
    databases: Option<Arc<Databases>>,
    shared: Option<Walk<'a, Ground>>,
    pub lead: Option<Lead<'a>>,
    budget: u64,
    pub report: Report,
}

impl<'a> Searches<'a> {
    pub fn new(record: &'a Record, problem: &'a Problem, folder: &'a Path, options: &'a Options<'a>) -> Self {
        let budget = options.budget;
        Self {
            record,
            problem,
            folder,
            options,
            databases: None,
            shared: None,
            lead: None,
            budget,
            report: Report::default(),
        }
    }

    fn plan(&self) -> Plan {
        let mirror = self.problem.ground.mirror.is_some();
        match (&self.record.pruning, mirror) {
            (Pruning::None, true) if self.record.palindromic => Plan::Half,
            (Pruning::None | Pruning::Truncate { .. }, true) => Plan::Shared,
            (Pruning::Leading { .. }, true) => Plan::Leading,
            (Pruning::Theorem1 | Pruning::Pattern { .. } | Pruning::Mcc { .. } | Pruning::Narrowed { .. }, true) => {
                Plan::Half
            }
            (Pruning::None | Pruning::Theorem1 | Pruning::Pattern { .. } | Pruning::Leading { .. }, false) => {
                Plan::TwoEnded
            }
            _ => Plan::Nothing,
        }
    }

    fn uses_databases(&self) -> bool {
        matches!(self.record.pruning, Pruning::Pattern { .. } | Pruning::Leading { .. } | Pruning::Narrowed { .. })
    }

    /// Derives the databases, where the pruning uses them and the record says how.
    fn make_databases(&mut self) -> Result<(), String> {
        let Some(partition) = self.record.partition.as_ref().filter(|_| self.uses_databases()) else { return Ok(()) };
        let Problem { ground, target, .. } = self.problem;
        let histograms = match Histograms::new(&ground.board, &partition.class_of, target, ground.jumps_only) {
            Ok(histograms) => histograms,
            Err(why) => {
                self.report.unchecked.push(format!("pattern database: {why}"));
                return Ok(());
            }
        };
        // Nobody asks for distances beyond the longest length, nor beyond its half where two halves meet, but for a count.
        let longest = self.record.runs.iter().map(|run| run.up_to.unwrap_or(run.length)).max();
        let longest = longest.max(self.record.lower_bound);
        let reach = match (self.record.lower_bound.and(longest), self.plan()) {
            (Some(longest), Plan::Leading) if self.record.counts.is_none() => longest.div_ceil(2),
            (Some(longest), _) => longest,
            (None, _) => u32::MAX,
        };
        self.report.checked.push(format!("{} histograms: distances derived again", histograms.count()));
        self.databases = Some(Arc::new(Databases::new(self.problem, partition, histograms, reach)?));
        Ok(())
    }

    /// Checks the lower bound and all runs.
    pub fn all(&mut self) -> Result<(), String> {
        self.make_databases()?;
        self.lower_bound()?;
        let record = self.record;
        for run in &record.runs {
            self.run(run).map_err(|reason| format!("length {}: {reason}", run.length))?;
        }
        if let Some(lead) = &mut self.lead {
            // A solution may end a search before the last of them is needed.
            lead.advance(u32::MAX)?;
        }
        self.count()
    }

    /// The numbers of solutions, where the record has them.
    fn count(&mut self) -> Result<(), String> {
        let Some((counts, length)) = self.record.counts.as_ref().zip(self.record.length) else { return Ok(()) };
        let Problem { ground, target, .. } = self.problem;
        let cuts = match &self.databases {
            Some(databases) => [databases.to_target(length)],
            None => [Cut::theorem_1(&ground.board, target, length)],
        };
        let asked = (length, self.record.palindromic);
        let mut counter = Counter::new(self.problem, &cuts, asked, &mut self.budget, self.options.progress);
        let confirmed = counter.confirm(counts);
        self.report.count(counts, confirmed)
    }

    /// No length below the bound has a solution.
    fn lower_bound(&mut self) -> Result<(), String> {
        let Problem { ground, start, target, .. } = self.problem;
        if self.record.question == crate::record::Asked::Levels {
            return Ok(());
        }
        let types = !ground.jumps_only || self.problem.types(start) == self.problem.types(target);
        let between = self.databases.as_ref().map(|d| d.between);
        let shown = impossible::is_shown(self.record, self.problem)?;
        let Some(said) = self.record.lower_bound else {
            let middleless = |d: &Arc<Databases>| self.record.palindromic && d.reflect_nowhere();
            if types
                && between != Some(u32::MAX)
                && !shown
                && !(ground.mirror.is_some() && self.databases.as_ref().is_some_and(middleless))
            {
                return Err(
                    "it says that no bound leaves any length, but neither types nor histograms show that".into()
                );
            }
            self.report.checked.push(
                "no length at all is possible, by types, by cells that no move leads out of, or by histograms".into(),
            );
            return Ok(());
        };
        let theorem = theorem_1_of(&ground.board, start, target);
        let derived = theorem.max(between.unwrap_or(0)).max(u32::from(start != target));
        if said > derived {
            if self.uses_databases() && self.databases.is_none() {
                self.report.unchecked.push(format!("lower bound {said}: the record does not name its partition"));
                return Ok(());
            }
            return Err(format!("lower_bound {said}, derived {derived}"));
        }
        self.report.checked.push(format!("no solution below length {said}, by a bound derived again: {derived}"));
        Ok(())
    }

    /// Checks one run.
    fn run(&mut self, run: &'a RunRecord) -> Result<(), String> {
        if run.length == 0 || run.levels.is_empty() && run.verdict != Verdict::None {
            return Ok(());
        }
        let levels_only = self.record.question == crate::record::Asked::Levels;
        let plan = if levels_only { Plan::Shared } else { self.plan() };
        if plan == Plan::Nothing {
            return match run.verdict {
                Verdict::None => Err("verdict none of a pruning that refutes nothing here".into()),
                _ => Ok(()),
            };
        }
        if run.verdict == Verdict::None {
            self.reaches_far_enough(run, plan)?;
        }
        let (folder, held) = (self.folder, run.largest_level);
        let mode = match Mode::of(run, folder, self.options, &mut self.budget, held) {
            Ok(mode) => mode,
            Err(too_much) => {
                self.report.unchecked.push(too_much);
                (self.shared, self.lead) = (None, None);
                return Ok(());
            }
        };
        if self.uses_databases() && self.databases.is_none() && !levels_only {
            self.report
                .unchecked
                .push(format!("length {}: levels, without a partition to derive bounds from", run.length));
            return Ok(());
        }
        (self.options.progress)(&format!("length {}: {} levels", run.length, run.levels.len()));
        let sampled = match plan {
            Plan::Shared => self.shared(run, mode, levels_only)?,
            Plan::Half => self.half(run, mode)?,
            Plan::Leading if self.record.palindromic => self.palindromes(run, mode)?,
            Plan::Leading => self.leading(run, mode)?,
            Plan::TwoEnded | Plan::Nothing => self.two_ended(run, mode)?,
        };
        let Some(sampled) = sampled else { return Ok(()) };
        self.report.sampled |= matches!(mode, Mode::Sample(..));
        let verdict = format!("{:?}", run.verdict).to_lowercase();
        let how = match run.levels.len() {
            0 if plan == Plan::Leading => "by levels of shorter lengths".into(),
            levels => format!("{levels} levels {}", mode.told(sampled)),
        };
        self.report.checked.push(format!("length {}, {verdict}: {how}", run.length));
        Ok(())
    }

    /// A refutation needs levels as far as the middle, or one that is empty.
    fn reaches_far_enough(&self, run: &RunRecord, plan: Plan) -> Result<(), String> {
        let died = run.levels.last().is_some_and(|l| l.states == 0);
        let last = |side: Side| run.levels.iter().rev().find(|l| l.side == side).map(|l| (l.depth, l.states));
        let (length, half) = (run.length, run.length / 2);
        let middle = self.middle(length);
        let enough = match plan {
            // Levels of earlier runs count, too: the walk itself tells.
            Plan::Shared | Plan::Nothing => true,
            Plan::Half => died || last(Side::Forward).is_some_and(|(depth, _)| depth == middle),
            Plan::Leading if self.record.palindromic => {
                died || last(Side::Leading).is_some_and(|(depth, _)| depth == half)
            }
            Plan::Leading => leading::reaches_far_enough(&self.record.runs, run),
            Plan::TwoEnded => match (last(Side::Forward), last(Side::Backward)) {
                (Some((a, forward)), Some((b, backward))) => a + b == length || forward == 0 || backward == 0,
                _ => false,
            },
        };
        if enough {
            Ok(())
        } else {
            Err("verdict none, but its levels end early: no level is empty and none is the last".into())
        }
    }

    pub fn begin(&self, levels: &[&LevelRecord], backward: bool) -> Result<Walk<'a, Ground>, String> {
        let Problem { ground, start, target, .. } = self.problem;
        let (from, to) = if backward { (target, start) } else { (start, target) };
        let first = levels.first().ok_or("a side has no levels")?;
        let key = |army: &[u8]| ground.key(army, &mut Vec::new());
        Walk::begin(ground, key(from), Some(key(to)), first)
    }

    pub fn databases(&self) -> Result<&Arc<Databases>, String> {
        self.databases.as_ref().ok_or_else(|| "the record does not name its partition".into())
    }

    /// The cuts of a search from the start that do not change from level to level.
    fn cuts(&self, run: &RunRecord) -> Result<Vec<Cut>, String> {
        let Problem { ground, target, .. } = self.problem;
        let length = run.length;
        let mut cuts = match &self.record.pruning {
            Pruning::Theorem1 => vec![Cut::theorem_1(&ground.board, target, length)],
            Pruning::Pattern { .. } | Pruning::Narrowed { .. } => {
                let databases = self.databases()?;
                vec![databases.to_target(length)]
            }
            Pruning::Mcc { .. } => {
                let c = run.c.ok_or("a run of mcc without its C")?;
                let centroid = ground.centroid.as_ref().ok_or("the record does not name the centroid")?;
                vec![Cut::centroid(&ground.board, centroid, length - length / 2, c)]
            }
            _ => Vec::new(),
        };
        if let Some(mirror) = ground.mirror.as_ref().filter(|_| self.record.palindromic) {
            cuts.push(Cut::palindrome(mirror, ground.men, length));
        }
        Ok(cuts)
    }

    /// Where everything is said to have been seen: nothing was cut, and the other end was not among it.
    fn exhausted(&self, run: &RunRecord, walk: &Walk<Ground>) -> Result<(), String> {
        let last = self.record.runs.last().is_some_and(|r| std::ptr::eq(r, run));
        if !self.record.exhausted || !last {
            return Ok(());
        }
        // What reaches the goal need not be a palindrome.
        let met_goal = walk.met_goal && !self.record.palindromic;
        if met_goal || walk.current().len() > 0 || run.levels.iter().any(|l| l.pruned > 0) {
            return Err(NOT_ALL_SEEN.into());
        }
        Ok(())
    }

    fn shared(&mut self, run: &'a RunRecord, mode: Mode, levels_only: bool) -> Result<Option<(u64, u64)>, String> {
        let levels: Vec<&LevelRecord> = run.levels.iter().collect();
        let keep = match self.record.pruning {
            Pruning::Truncate { keep, .. } if !levels_only => keep as u64,
            _ => u64::MAX,
        };
        let mut rest = &levels[..];
        let mut walk = match self.shared.take() {
            Some(walk) => walk,
            None if levels.first().is_some_and(|l| l.depth == 0) => {
                rest = &levels[1..];
                self.begin(&levels, false)?
            }
            // A truncated level has come before; whoever then claims nothing needs no check.
            None if keep < u64::MAX => return Self::truncated(run),
            None => {
                self.report.unchecked.push(format!("length {}: levels before it were not checked", run.length));
                return Ok(None);
            }
        };
        for level in rest {
            if walk.current().len() > keep {
                return Self::truncated(run);
            }
            walk.step(level, &[], mode)?;
        }
        let (length, middle) = (run.length, self.middle(run.length));
        if run.verdict == Verdict::None {
            let died = walk.current().len() == 0 && walk.depth < middle;
            if !died && walk.depth != middle {
                return Err(format!("verdict none, but its levels end with level {}", walk.depth));
            }
            if !died {
                self.does_not_meet(&walk, length)?;
            }
        }
        if !levels_only {
            self.exhausted(run, &walk)?;
        } else if run.verdict == Verdict::Levels && walk.depth != length && walk.current().len() > 0 {
            return Err(format!("levels up to {length} were asked for, and end with level {}", walk.depth));
        }
        let sampled = walk.sampled;
        self.shared = Some(walk);
        Ok(Some(sampled))
    }

    fn truncated(run: &RunRecord) -> Result<Option<(u64, u64)>, String> {
        match run.verdict {
            Verdict::None => Err("verdict none of a search that truncated a level".into()),
            _ => Ok(None),
        }
    }

    /// The level on which solutions of that length are met: of palindromes, N of 2N and of 2N + 1 moves.
    fn middle(&self, length: u32) -> u32 {
        if self.record.palindromic { length / 2 } else { length.div_ceil(2) }
    }

    /// No state was met in the middle, as the verdict says.
    pub fn is_none(&self, met: Option<u128>) -> Result<(), String> {
        let Some(key) = met else { return Ok(()) };
        let men = self.problem.ground.army(key).unwrap_or_default();
        let names = self.problem.ground.board.names(&men);
        Err(format!("verdict none, but the middle meets its mirror image: {names}"))
    }

    /// The walk, which ends with the middle, does not meet its mirror image there.
    fn does_not_meet(&self, walk: &Walk<Ground>, length: u32) -> Result<(), String> {
        let (ground, odd) = (&self.problem.ground, !length.is_multiple_of(2));
        let met = match (self.record.palindromic, odd) {
            (true, _) => ground.own_image(walk.current(), odd)?,
            (false, false) => ground.meeting(walk.current(), Some(walk.current()))?,
            (false, true) => ground.meeting(walk.current(), walk.before_last(1))?,
        };
        self.is_none(met)
    }

    fn half(&mut self, run: &RunRecord, mode: Mode) -> Result<Option<(u64, u64)>, String> {
        let levels = levels(run, Side::Forward);
        let mut walk = self.begin(&levels, false)?;
        let (length, half) = (run.length, run.length / 2);
        let mut cuts = self.cuts(run)?;
        let fixed = cuts.len();
        for level in &levels[1..] {
            cuts.truncate(fixed);
            if matches!(self.record.pruning, Pruning::Narrowed { .. }) {
                cuts.push(self.databases()?.toward_images(&[(&walk, length - walk.depth)], walk.depth + 1)?);
            }
            walk.step(level, &cuts, mode)?;
        }
        if let Pruning::Mcc { .. } = self.record.pruning {
            let reached = levels.iter().find(|l| l.depth == half).and_then(|l| l.centroid_max);
            let consistent = reached.is_none_or(|r| Some(r) <= run.c);
            if run.verdict == Verdict::None && run.c.is_some_and(|c| c < 0) {
                return Err(format!("verdict none with C = {:?}: below 0 the constraint refutes nothing", run.c));
            }
            if consistent != run.self_consistent {
                return Err(format!("self_consistent with C = {:?} and centroid {reached:?} at the middle", run.c));
            }
        }
        if run.verdict == Verdict::None && walk.current().len() > 0 {
            self.does_not_meet(&walk, length)?;
        }
        self.exhausted(run, &walk)?;
        Ok(Some(walk.sampled))
    }

    /// Levels to the middles of palindromes, by the distance to their histograms.
    fn palindromes(&mut self, run: &'a RunRecord, mode: Mode) -> Result<Option<(u64, u64)>, String> {
        let leading = levels(run, Side::Leading);
        let mut walk = self.begin(&leading, false)?;
        let mut cuts = vec![self.databases()?.to_middles(run.length, true)?];
        if let Some(mirror) = &self.problem.ground.mirror {
            cuts.push(Cut::palindrome(mirror, self.problem.ground.men, run.length));
        }
        for level in &leading[1..] {
            walk.step(level, &cuts, mode)?;
        }
        if run.verdict == Verdict::None && walk.depth == run.length / 2 {
            self.does_not_meet(&walk, run.length)?;
        }
        self.exhausted(run, &walk)?;
        Ok(Some(walk.sampled))
    }

    fn two_ended(&mut self, run: &RunRecord, mode: Mode) -> Result<Option<(u64, u64)>, String> {
        let Problem { ground, start, .. } = self.problem;
        let mut walks = Vec::new();
        for (side, backward) in [(Side::Forward, false), (Side::Backward, true)] {
            let cuts = match (&self.record.pruning, backward) {
                (Pruning::Theorem1, true) => vec![Cut::theorem_1(&ground.board, start, run.length)],
                (Pruning::Pattern { .. } | Pruning::Leading { .. }, _) => {
                    let databases = self.databases()?;
                    vec![if backward { databases.to_start(run.length) } else { databases.to_target(run.length) }]
                }
                _ => self.cuts(run)?,
            };
            let levels = levels(run, side);
            let mut walk = self.begin(&levels, backward)?;
            for level in &levels[1..] {
                walk.step(level, &cuts, mode)?;
            }
            walks.push(walk);
        }
        let [ahead, behind] = &walks[..] else { return Err("two sides".into()) };
        if run.verdict == Verdict::None {
            let (small, large) = if ahead.current().len() <= behind.current().len() {
                (ahead.current(), behind.current())
            } else {
                (behind.current(), ahead.current())
            };
            if let Some(key) = ground.common(small, large, |key, _| Ok(Some(key)))? {
                let men = ground.army(key)?;
                return Err(format!("verdict none, but both sides have {}", ground.board.names(&men)));
            }
        }
        let ended = walks.iter().find(|walk| walk.current().len() == 0).unwrap_or(ahead);
        self.exhausted(run, ended)?;
        Ok(Some((walks.iter().map(|w| w.sampled.0).sum(), walks.iter().map(|w| w.sampled.1).sum())))
    }
}

/// The levels of one side of a run.
pub(super) fn levels(run: &RunRecord, side: Side) -> Vec<&LevelRecord> {
    run.levels.iter().filter(|l| l.side == side).collect()
}
