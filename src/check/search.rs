//! The levels of each run, searched again or read from their files, and whether they end as the run's verdict says.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::counts::{Counter, Trouble};
use super::cuts::{Cut, theorem_1_of};
use super::ground::Ground;
use super::histograms::{Histograms, NEVER};
use super::statement::Problem;
use super::walk::{Mode, Walk};
use super::{Options, Report};
use crate::job::Pruning;
use crate::record::{LevelRecord, Record, RunRecord, Side, Verdict};

/// Distances over histograms.
struct Databases {
    histograms: Arc<Histograms>,
    values: Vec<i32>,
    to_target: Arc<Vec<u8>>,
    from_start: Arc<Vec<u8>>,
    /// From start to target; [`u32::MAX`] where no way leads there.
    between: u32,
}

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
    record: &'a Record,
    problem: &'a Problem,
    folder: &'a Path,
    options: &'a Options<'a>,
    databases: Option<Databases>,
    shared: Option<Walk<'a, Ground>>,
    budget: u64,
    pub report: Report,
}

impl<'a> Searches<'a> {
    pub fn new(record: &'a Record, problem: &'a Problem, folder: &'a Path, options: &'a Options<'a>) -> Self {
        let budget = options.budget;
        Self { record, problem, folder, options, databases: None, shared: None, budget, report: Report::default() }
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
        let Problem { ground, start, target, .. } = self.problem;
        let histograms = match Histograms::new(&ground.board, &partition.class_of, target, ground.jumps_only) {
            Ok(histograms) => Arc::new(histograms),
            Err(why) => {
                self.report.unchecked.push(format!("pattern database: {why}"));
                return Ok(());
            }
        };
        // Nobody asks for distances beyond the longest length, nor beyond its half where two halves meet, but for a count.
        let longest = self.record.runs.iter().map(|run| run.length).max().max(self.record.lower_bound);
        let reach = match (self.record.lower_bound.and(longest), self.plan()) {
            (Some(longest), Plan::Leading) if self.record.counts.is_none() => longest.div_ceil(2),
            (Some(longest), _) => longest,
            (None, _) => u32::MAX,
        };
        // Nothing leads from groups of other sizes to these.
        let table = |army: &[u8]| -> Result<Arc<Vec<u8>>, String> {
            let sources: Vec<u64> = histograms.number(army).into_iter().collect();
            Ok(Arc::new(histograms.distances(&sources, reach, |_, _| true)?))
        };
        let (to_target, from_start) = (table(target)?, table(start)?);
        self.report.checked.push(format!("{} histograms: distances derived again", histograms.count()));
        // A shortest way has a histogram in its middle, which both tables have; where there is none it is longer than that.
        let near = |(&a, &b): (&u8, &u8)| (a != NEVER && b != NEVER).then(|| u32::from(a) + u32::from(b));
        let between = to_target.par_iter().zip(&*from_start).filter_map(near).min();
        let between = between.unwrap_or(reach.saturating_mul(2).saturating_add(1));
        let values = partition.values.clone();
        self.databases = Some(Databases { histograms, values, to_target, from_start, between });
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
        self.count()
    }

    /// The numbers of solutions, where the record has them.
    fn count(&mut self) -> Result<(), String> {
        let Some((counts, length)) = self.record.counts.as_ref().zip(self.record.length) else { return Ok(()) };
        let Problem { ground, target, .. } = self.problem;
        let cuts = match &self.databases {
            Some(databases) => [Cut::pattern(&databases.histograms, &databases.to_target, length)],
            None => [Cut::theorem_1(&ground.board, target, length)],
        };
        let asked = (length, self.record.palindromic);
        let mut counter = Counter::new(self.problem, &cuts, asked, &mut self.budget, self.options.progress);
        match counter.confirm(counts) {
            Ok(unsaid) => {
                self.report.checked.push(format!("how many there are: counted again, {}", counts.sequences));
                self.report.unchecked.extend(unsaid.map(|why| format!("how many there are: {why}")));
            }
            Err(Trouble::TooMany(why)) => self.report.unchecked.push(format!("how many there are: {why}")),
            Err(Trouble::Wrong(why)) => return Err(why),
        }
        Ok(())
    }

    /// No length below the bound has a solution.
    fn lower_bound(&mut self) -> Result<(), String> {
        let Problem { ground, start, target, .. } = self.problem;
        if self.record.question == crate::record::Asked::Levels {
            return Ok(());
        }
        let types = !ground.jumps_only || self.problem.types(start) == self.problem.types(target);
        let between = self.databases.as_ref().map(|d| d.between);
        let Some(said) = self.record.lower_bound else {
            if types && between != Some(u32::MAX) {
                return Err(
                    "it says that no bound leaves any length, but neither types nor histograms show that".into()
                );
            }
            self.report.checked.push("no length at all is possible, by types or histograms".into());
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
                self.shared = None;
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
            Plan::Leading => self.leading(run, mode)?,
            Plan::TwoEnded | Plan::Nothing => self.two_ended(run, mode)?,
        };
        let Some(sampled) = sampled else { return Ok(()) };
        self.report.sampled |= matches!(mode, Mode::Sample(..));
        let verdict = format!("{:?}", run.verdict).to_lowercase();
        let levels = run.levels.len();
        self.report.checked.push(format!("length {}, {verdict}: {levels} levels {}", run.length, mode.told(sampled)));
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
            Plan::Leading => {
                let following = last(Side::Following);
                died || match last(Side::Trailing) {
                    Some((depth, _)) => following.is_some_and(|(m, _)| depth + m == length),
                    None if self.record.palindromic => last(Side::Leading).is_some_and(|(depth, _)| depth == half),
                    None => following.is_some_and(|(depth, _)| depth == length),
                }
            }
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

    fn levels(run: &RunRecord, side: Side) -> Vec<&LevelRecord> {
        run.levels.iter().filter(|l| l.side == side).collect()
    }

    fn begin(&self, levels: &[&LevelRecord], backward: bool) -> Result<Walk<'a, Ground>, String> {
        let Problem { ground, start, target, .. } = self.problem;
        let (from, to) = if backward { (target, start) } else { (start, target) };
        let first = levels.first().ok_or("a side has no levels")?;
        let key = |army: &[u8]| ground.key(army, &mut Vec::new());
        Walk::begin(ground, key(from), Some(key(to)), first)
    }

    fn databases(&self) -> Result<&Databases, String> {
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
                vec![Cut::pattern(&databases.histograms, &databases.to_target, length)]
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

    /// Distances to the mirror images of the histograms of the walk's last level, for states that must be there by level
    /// `by_then` and are made on level `from` or later.
    fn toward_images(&self, walk: &Walk<Ground>, by_then: u32, from: u32) -> Result<Cut, String> {
        let Databases { histograms, from_start, .. } = self.databases()?;
        let ground = &self.problem.ground;
        let mirror = ground.mirror.as_ref().ok_or("there is no mirror")?;
        let images = |block: usize| -> Result<Vec<u64>, String> {
            let mut keys = Vec::new();
            walk.current().read(block, &mut keys)?;
            // A state stands for all its images under K, which may have other histograms.
            let mut ranks = Vec::new();
            for &key in &keys {
                let men: Vec<u8> = ground.army(key)?.iter().map(|&c| mirror[usize::from(c)]).collect();
                for k in &ground.fixing {
                    let image: Vec<u8> = men.iter().map(|&c| k[usize::from(c)]).collect();
                    ranks.push(histograms.rank(&histograms.of(&image)));
                }
            }
            ranks.sort_unstable();
            ranks.dedup();
            Ok(ranks)
        };
        let mut sources =
            (0..walk.current().blocks()).into_par_iter().map(images).collect::<Result<Vec<_>, _>>()?.concat();
        sources.par_sort_unstable();
        sources.dedup();
        // Whoever stands there has come from the start, one abstract move after another.
        let keep = |rank: u64, d: u32| u32::from(from_start[rank as usize]) + d <= by_then;
        let table = histograms.distances(&sources, by_then.saturating_sub(from), keep)?;
        Ok(Cut::pattern(histograms, &Arc::new(table), by_then))
    }

    /// Where everything is said to have been seen: nothing was cut, and the other end was not among it.
    fn exhausted(&self, run: &RunRecord, walk: &Walk<Ground>) -> Result<(), String> {
        let last = self.record.runs.last().is_some_and(|r| std::ptr::eq(r, run));
        if !self.record.exhausted || !last {
            return Ok(());
        }
        if walk.met_goal || walk.current().len() > 0 || run.levels.iter().any(|l| l.pruned > 0) {
            return Err(
                "it says that every state was seen, but some were cut, or there are more, or the goal is among them"
                    .into(),
            );
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
    fn is_none(&self, met: Option<u128>) -> Result<(), String> {
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
        let levels = Self::levels(run, Side::Forward);
        let mut walk = self.begin(&levels, false)?;
        let (length, half) = (run.length, run.length / 2);
        let mut cuts = self.cuts(run)?;
        let fixed = cuts.len();
        for level in &levels[1..] {
            cuts.truncate(fixed);
            if matches!(self.record.pruning, Pruning::Narrowed { .. }) {
                cuts.push(self.toward_images(&walk, length - walk.depth, walk.depth + 1)?);
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

    /// Distances to the middles of the leading half, or of palindromes.
    fn to_middles(&self, length: u32) -> Result<Vec<u8>, String> {
        let Databases { histograms, values, to_target, from_start, .. } = self.databases()?;
        let half = length / 2;
        let odd = !length.is_multiple_of(2);
        let within = |table: &[u8], rank: u64, moves: u32| {
            let distance = table[rank as usize];
            distance != NEVER && u32::from(distance) <= moves
        };
        let value = |histogram: &[u8]| -> i32 { histogram.iter().zip(values).map(|(&n, v)| i32::from(n) * v).sum() };
        let mut image_of = vec![0usize; histograms.classes()];
        if let Some(mirror) = &self.problem.ground.mirror {
            for (cell, &class) in histograms.class_of.iter().enumerate() {
                image_of[usize::from(class)] = usize::from(histograms.class_of[usize::from(mirror[cell])]);
            }
        }
        let sources = histograms.all(|rank, histogram| {
            if !within(to_target, rank, length - half) || !within(from_start, rank, half) {
                return false;
            }
            histograms.unrank(rank, histogram);
            if self.record.palindromic {
                let differ: u32 =
                    (0..histogram.len()).map(|c| u32::from(histogram[c].abs_diff(histogram[image_of[c]]))).sum();
                return differ <= if odd { 2 } else { 0 };
            }
            let here = value(histogram);
            let mut there = here;
            if odd && here < 0 {
                histograms.around(histogram, |next, _| there = there.max(value(next)));
            }
            // 2N: c at the middle is at least 0. 2N + 1: the sum of both middles is, where the second is one move on.
            if odd { here + there.max(here) >= 0 } else { here >= 0 }
        });
        // Only histograms with D_S + D_M <= N stand on the way from the start to a middle.
        let keep = |rank: u64, d: u32| u32::from(from_start[rank as usize]) + d <= half;
        histograms.distances(&sources, half, keep)
    }

    fn leading(&mut self, run: &RunRecord, mode: Mode) -> Result<Option<(u64, u64)>, String> {
        let (length, half) = (run.length, run.length / 2);
        let levels = Self::levels(run, Side::Leading);
        let mut walk = self.begin(&levels, false)?;
        let databases = self.databases()?;
        let to_middles = Arc::new(self.to_middles(length)?);
        let mut cuts = vec![Cut::pattern(&databases.histograms, &to_middles, half)];
        if let Some(mirror) = self.problem.ground.mirror.as_ref().filter(|_| self.record.palindromic) {
            cuts.push(Cut::palindrome(mirror, self.problem.ground.men, length));
        }
        for level in &levels[1..] {
            walk.step(level, &cuts, mode)?;
        }
        let mut sampled = walk.sampled;
        if self.record.palindromic {
            if run.verdict == Verdict::None && walk.depth == half {
                self.does_not_meet(&walk, length)?;
            }
            self.exhausted(run, &walk)?;
            return Ok(Some(sampled));
        }
        let following = Self::levels(run, Side::Following);
        if !following.is_empty() && walk.depth != half {
            return Err(format!("following levels begin after level {}", walk.depth));
        }
        walk.rename("following");
        let cuts = [Cut::pattern(&databases.histograms, &databases.to_target, length)];
        for level in &following {
            walk.step(level, &cuts, mode)?;
        }
        sampled = (sampled.0.max(walk.sampled.0), sampled.1.max(walk.sampled.1));
        let trailing = Self::levels(run, Side::Trailing);
        if trailing.is_empty() {
            if run.verdict == Verdict::None && walk.depth == length && walk.met_goal {
                return Err("verdict none, but the last following level has the target".into());
            }
            self.exhausted(run, &walk)?;
            return Ok(Some(sampled));
        }
        // B_i, the mirrored reversal of a solution whose A_m is on the last following level m, has B_(length - m) = ρ(A_m).
        let meeting_at = length - walk.depth;
        let cuts = [self.toward_images(&walk, meeting_at, 0)?];
        let mut behind = self.begin(&trailing, false)?;
        for level in &trailing[1..] {
            behind.step(level, &cuts, mode)?;
        }
        if run.verdict == Verdict::None && behind.depth == meeting_at {
            self.is_none(self.problem.ground.meeting(behind.current(), Some(walk.current()))?)?;
        }
        sampled = (sampled.0 + behind.sampled.0, sampled.1 + behind.sampled.1);
        Ok(Some(sampled))
    }

    fn two_ended(&mut self, run: &RunRecord, mode: Mode) -> Result<Option<(u64, u64)>, String> {
        let Problem { ground, start, .. } = self.problem;
        let mut walks = Vec::new();
        for (side, backward) in [(Side::Forward, false), (Side::Backward, true)] {
            let cuts = match (&self.record.pruning, backward) {
                (Pruning::Theorem1, true) => vec![Cut::theorem_1(&ground.board, start, run.length)],
                (Pruning::Pattern { .. } | Pruning::Leading { .. }, _) => {
                    let databases = self.databases()?;
                    let table = if backward { &databases.from_start } else { &databases.to_target };
                    vec![Cut::pattern(&databases.histograms, table, run.length)]
                }
                _ => self.cuts(run)?,
            };
            let levels = Self::levels(run, side);
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
