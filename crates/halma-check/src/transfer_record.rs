//! Checks the levels of each length of a transfer, derived again or read from their files. Each pruning has a plan,
//! which walks all sides of a length and reports to [`Evidence`].

mod counts;
mod leading;
mod shared_levels;

use std::path::Path;
use std::sync::Arc;

use halma_record::job::Pruning;
use halma_record::record::{Asked, LengthRecord, LevelRecord, Record, Side, Verdict};
use halma_record::words::counted;

use super::databases::Databases;
use super::evidence::{Claim, Evidence, LowerBound, Refuted, middle};
use super::histograms::Histograms;
use super::impossible;
use super::level_walk::{Mode, Sampled, Walk};
use super::problem::Problem;
use super::rejection::{Rejection, RejectionKind, or_none};
use super::sides::{Levels, Walked, split};
use super::transfer_bounds::Bound;
use super::transfer_model::TransferModel;
use super::{Options, Report};
use counts::Counter;

/// The size of an army's key, in bytes.
const KEY: usize = size_of::<u128>();

/// The technique of a pruning, and so the sides of its levels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    /// Without bounds: levels serve all lengths.
    Shared,
    /// Half of a bidirectional search, which the mirror completes.
    Half,
    /// To the middles of palindromes, by the distance to their histograms.
    Palindromes,
    /// Leading levels to a middle that leads, following and trailing levels.
    Leading,
    /// Bidirectional search, from both ends.
    TwoEnded,
    /// Without refutations and without levels.
    Nothing,
}

/// The check of one record's lengths.
pub(super) struct TransferCheck<'a> {
    pub record: &'a Record,
    pub problem: &'a Problem,
    folder: &'a Path,
    options: &'a Options<'a>,
    databases: Option<Arc<Databases>>,
    budget: u64,
    pub evidence: Evidence,
    pub report: Report,
}

impl<'a> TransferCheck<'a> {
    pub fn new(
        record: &'a Record,
        problem: &'a Problem,
        folder: &'a Path,
        options: &'a Options<'a>,
    ) -> Result<Self, Rejection> {
        let (budget, evidence, report) = (options.budget, Evidence::of(record, options)?, Report::default());
        Ok(Self { record, problem, folder, options, databases: None, budget, evidence, report })
    }

    fn plan(&self) -> Result<Plan, Rejection> {
        let mirror = self.problem.model.mirror.is_some();
        let palindromic = self.record.palindromic;
        Ok(match (&self.record.pruning, mirror) {
            (by_trial, _) if by_trial.is_by_trial() => {
                return RejectionKind::Problem.reject(format!("pruning {by_trial} names no cap"));
            }
            _ if palindromic && !mirror => return RejectionKind::Problem.reject("palindromic, without a mirror"),
            (learns, _) if palindromic && learns.learning().is_some() => {
                return RejectionKind::Problem.reject("palindromic, beside a beam search that learns");
            }
            (Pruning::None, true) if palindromic => Plan::Half,
            (Pruning::None | Pruning::Truncate { .. }, true) => Plan::Shared,
            (Pruning::Leading { .. }, true) if palindromic => Plan::Palindromes,
            (Pruning::Leading { .. }, true) => Plan::Leading,
            (Pruning::Theorem1 | Pruning::Pattern { .. } | Pruning::Mcc { .. } | Pruning::Narrowed { .. }, true) => {
                Plan::Half
            }
            (Pruning::None | Pruning::Theorem1 | Pruning::Pattern { .. } | Pruning::Leading { .. }, false) => {
                Plan::TwoEnded
            }
            (Pruning::Mcc { .. } | Pruning::Narrowed { .. } | Pruning::Truncate { .. }, false) => Plan::Nothing,
            (other @ (Pruning::Game(_) | Pruning::Beam { .. } | Pruning::Projection(_) | Pruning::Bound), _) => {
                return RejectionKind::Problem.reject(format!("pruning {other} is none of transfers"));
            }
        })
    }

    fn uses_databases(&self) -> bool {
        matches!(self.record.pruning, Pruning::Pattern { .. } | Pruning::Leading { .. } | Pruning::Narrowed { .. })
    }

    /// Derives the databases, if the pruning uses them and the record describes them.
    fn make_databases(&mut self, plan: Plan) -> Result<(), Rejection> {
        let Some(partition) = self.record.partition.as_ref() else { return Ok(()) };
        if !self.uses_databases() {
            return RejectionKind::Problem.reject("partition: this pruning has none");
        }
        let Problem { model, start, target } = self.problem;
        if start == target {
            // The target is the start; nothing is bounded.
            return Ok(());
        }
        let histograms = match Histograms::new(&model.board, &partition.class_of, target, model.jumps_only) {
            Ok(histograms) => histograms,
            Err(why) => {
                self.report.unchecked.push(format!("pattern database: {why}"));
                return Ok(());
            }
        };
        // Distances are needed up to the longest length, or up to its half if two halves meet; a count needs all.
        let longest = self.record.runs.iter().map(|entry| entry.up_to.unwrap_or(entry.length)).max();
        let longest = longest.max(self.record.lower_bound);
        let reach = match (self.record.lower_bound.and(longest), plan) {
            (Some(longest), Plan::Leading | Plan::Palindromes) if self.record.counts.is_none() => longest.div_ceil(2),
            (Some(longest), _) => longest,
            (None, _) => u32::MAX,
        };
        self.report.checked.push(format!("{} histograms: distances derived again", histograms.count()));
        let databases = Databases::new(self.problem, partition, histograms, reach)?;
        self.databases = Some(Arc::new(databases.of(&self.record.pruning, model)));
        Ok(())
    }

    /// Checks the lower bound and all lengths, and whether the verdict follows.
    pub fn all(mut self) -> Result<Report, Rejection> {
        let record = self.record;
        if record.question == Asked::Levels {
            record
                .runs
                .iter()
                .try_for_each(|entry| self.levels(entry).map_err(|fault| fault.at_length(entry.length)))?;
            return Ok(self.report);
        }
        let plan = self.plan()?;
        self.make_databases(plan)?;
        self.lower_bound()?;
        match plan {
            Plan::Leading => self.groups()?,
            Plan::Shared => self.shared()?,
            Plan::Half | Plan::Palindromes | Plan::TwoEnded | Plan::Nothing => {
                for entry in &record.runs {
                    self.alone(entry, plan).map_err(|fault| fault.in_length(entry.length))?;
                }
            }
        }
        std::mem::take(&mut self.evidence).accept(record, &mut self.report)?;
        self.count()?;
        Ok(self.report)
    }

    /// Checks the numbers of solutions, if the record has them.
    fn count(&mut self) -> Result<(), Rejection> {
        let Some((counts, length)) = self.record.counts.as_ref().zip(self.record.length) else { return Ok(()) };
        let Problem { model, target, .. } = self.problem;
        let bounds = match &self.databases {
            Some(databases) => [databases.to_target(length)],
            None => [Bound::theorem_1(&model.board, target, length)],
        };
        let asked = (length, self.record.palindromic);
        let mut counter = Counter::new(self.problem, &bounds, asked, &mut self.budget, self.options.progress);
        let confirmed = counter.confirm(counts);
        self.report.count((counts, length), Some(self.problem.whole_fixing().len()), confirmed)
    }

    /// Checks that no length below the bound has a solution.
    fn lower_bound(&mut self) -> Result<(), Rejection> {
        let between = self.databases.as_ref().map(|d| d.between);
        let shown =
            impossible::check_impossible(self.record, self.problem).map_err(Rejection::of(RejectionKind::Bound))?;
        let mut bound = LowerBound::of_transfer(self.problem, between).closed(shown.as_ref());
        if let (true, Some(_), Some(databases)) = (self.record.palindromic, &self.problem.model.mirror, &self.databases)
            && self.record.lower_bound.is_none()
        {
            // All distances were derived, so no reachable histogram is missing.
            bound = bound.of_palindromes(databases);
        }
        // If the target is the start, nothing was derived.
        let missing = self.uses_databases() && self.databases.is_none() && self.problem.start != self.problem.target;
        let claim = bound.check_claim(self.record);
        if missing && claim.is_err() {
            let what = match self.record.lower_bound {
                Some(said) => format!("lower bound {said}"),
                None => "that no length is possible".into(),
            };
            self.evidence.note_bound_unchecked(format!("{what}: {}", self.without_tables()));
            return Ok(());
        }
        claim?;
        match (self.record.lower_bound, bound.least()) {
            // There is no answer that a bound would support.
            (None, Some(_)) => {}
            (None, None) if self.record.verdict == Verdict::Incomplete => {}
            (_, None) => self.report.checked.push(
                "no length at all is possible, by types, by cells that no move leads out of, or by histograms".into(),
            ),
            (Some(said), Some(derived)) => {
                let how = format!("no solution below length {said}, by a bound derived again: {derived}");
                self.report.checked.push(how);
            }
        }
        self.evidence.set_lower_bound(bound);
        Ok(())
    }

    /// Why there are no pattern databases.
    fn without_tables(&self) -> &'static str {
        match self.record.partition.is_some() {
            true => "the pattern databases of its partition were not derived",
            false => "the record does not name its partition",
        }
    }

    /// How to check the levels of a length; `None` if it has none, or if they are too large or their bounds cannot be
    /// derived, which is noted.
    pub fn mode(&mut self, entry: &LengthRecord) -> Option<Mode<'a>> {
        self.mode_holding(entry, entry.largest_level)
    }

    /// The same, with so many states held if levels are derived again.
    pub fn mode_holding(&mut self, entry: &LengthRecord, held: u64) -> Option<Mode<'a>> {
        if entry.levels.is_empty() {
            return None;
        }
        let in_files = entry.levels.iter().all(|level| level.depth == 0 || level.file.is_some());
        let held = if in_files { entry.largest_level } else { held };
        let length = entry.length;
        if self.uses_databases() && self.databases.is_none() {
            self.evidence
                .note_unchecked(length, format!("length {length}: levels, without bounds: {}", self.without_tables()));
            return None;
        }
        match Mode::of(entry, self.folder, self.options, &mut self.budget, (held, KEY)) {
            Ok(mode) => {
                (self.options.progress)(&format!("length {length}: {}", counted(entry.levels.len(), "level")));
                self.report.sampled |= mode.is_sampled();
                Some(mode)
            }
            Err(too_much) => {
                self.evidence.note_unchecked(length, too_much);
                None
            }
        }
    }

    /// Reports how a length's levels were checked.
    pub fn report(&mut self, entry: &LengthRecord, how: &str) {
        let verdict = entry.verdict.name();
        self.report.checked.push(format!("length {}, {verdict}: {how}", entry.length));
    }

    /// Reports how a length's levels were walked.
    pub fn report_walk(&mut self, entry: &LengthRecord, mode: Mode, sampled: Sampled) {
        self.report(entry, &format!("{} {}", counted(entry.levels.len(), "level"), mode.describe(sampled)));
    }

    /// Begins a walk at one end with the first of these levels.
    pub fn begin(&self, levels: Levels<'a>, backward: bool) -> Result<Walk<'a, TransferModel>, Rejection> {
        let Problem { model, start, target, .. } = self.problem;
        let (from, to) = if backward { (target, start) } else { (start, target) };
        let first = levels.first();
        let first = first.ok_or_else(|| RejectionKind::Levels.because("a side has no levels"))?;
        let key = |army: &[u8]| model.key(army, &mut Vec::new());
        Walk::begin(model, key(from), Some(key(to)), first)
    }

    /// The record's claim about a length.
    pub fn claim(&self, length: u32) -> Claim {
        Claim::of(self.record, length)
    }

    pub fn databases(&self) -> Result<&Arc<Databases>, Rejection> {
        let missing = || RejectionKind::Bound.because("the record does not name its partition");
        self.databases.as_ref().ok_or_else(missing)
    }

    /// The distances to the middles of solutions of that length.
    pub fn to_middles(&self, length: u32, palindromic: bool) -> Result<Arc<Vec<u8>>, Rejection> {
        self.databases()?.to_middles(length, palindromic)
    }

    /// The bounds of a search from the start that do not change from level to level.
    fn bounds(&self, entry: &LengthRecord, plan: Plan) -> Result<Vec<Bound>, Rejection> {
        let Problem { model, target, .. } = self.problem;
        let length = entry.length;
        let mut bounds = match &self.record.pruning {
            Pruning::Theorem1 => vec![Bound::theorem_1(&model.board, target, length)],
            Pruning::Leading { .. } if plan == Plan::Palindromes => {
                vec![self.databases()?.before_middles(&self.to_middles(length, true)?, length / 2)]
            }
            Pruning::Pattern { .. } | Pruning::Narrowed { .. } | Pruning::Leading { .. } => {
                vec![self.databases()?.to_target(length)]
            }
            &Pruning::Mcc { c, .. } => {
                let c = entry.c.or(c);
                let c = c.ok_or_else(|| RejectionKind::Figures.because("a run of mcc without its C"))?;
                let missing = || RejectionKind::Problem.because("the record does not name the centroid");
                let centroid = model.centroid.as_ref().ok_or_else(missing)?;
                vec![Bound::centroid(&model.board, centroid, length - length / 2, c)]
            }
            _ => Vec::new(),
        };
        if let Some(mirror) = model.mirror.as_ref().filter(|_| self.record.palindromic) {
            bounds.push(Bound::palindrome(mirror, model.men, length));
        }
        Ok(bounds)
    }

    /// Checks the levels of the question `levels`, which has no goal.
    fn levels(&mut self, entry: &'a LengthRecord) -> Result<(), Rejection> {
        let last = entry.length;
        let [forward] = split(entry, [Walked { side: Side::Forward, first: 0, last }])?;
        let ends_early = entry.verdict == Verdict::Levels && forward.last().is_none_or(|level| level.depth != last);
        if ends_early {
            return RejectionKind::Levels.reject(format!("levels up to {last} were asked for, and they end early"));
        }
        let held = entry.largest_level;
        match Mode::of(entry, self.folder, self.options, &mut self.budget, (held, KEY)) {
            Err(too_much) => self.report.unchecked.push(too_much),
            Ok(mode) if !forward.is_empty() => {
                let mut walk = self.begin(forward, false)?;
                forward[1..].iter().try_for_each(|level| walk.step(level, &[], mode))?;
                self.report.sampled |= mode.is_sampled();
                self.report_walk(entry, mode, walk.sampled);
            }
            Ok(_) => {}
        }
        Ok(())
    }

    /// Checks a length that has all of its levels itself.
    fn alone(&mut self, entry: &'a LengthRecord, plan: Plan) -> Result<(), Rejection> {
        let (length, palindromic) = (entry.length, self.record.palindromic);
        let side = if plan == Plan::Palindromes { Side::Leading } else { Side::Forward };
        let last = if plan == Plan::TwoEnded { length } else { middle(length, palindromic) };
        let ahead = Walked { side, first: 0, last };
        let (forward, backward): (_, Levels) = match plan {
            Plan::TwoEnded => {
                let [forward, backward] = split(entry, [ahead, Walked { side: Side::Backward, first: 0, last }])?;
                (forward, backward)
            }
            Plan::Nothing => {
                let [] = split(entry, [])?;
                (&[], &[])
            }
            _ => {
                let [forward] = split(entry, [ahead])?;
                (forward, &[])
            }
        };
        if matches!(self.record.pruning, Pruning::Mcc { c: None, .. })
            && entry.verdict == Verdict::Incomplete
            && !entry.levels.is_empty()
        {
            let why = format!("length {length}: levels of a search that was stopped, under a C that nobody knows");
            self.evidence.note_unchecked(length, why);
            return Ok(());
        }
        let Some(mode) = self.mode(entry) else { return Ok(()) };
        let (refuted, sampled) = match plan {
            Plan::TwoEnded => self.two_ended(entry, [forward, backward], mode)?,
            _ => self.half(entry, plan, forward, mode)?,
        };
        self.evidence.add_refutation(refuted);
        self.report_walk(entry, mode, sampled);
        Ok(())
    }

    fn half(
        &mut self,
        entry: &LengthRecord,
        plan: Plan,
        levels: Levels<'a>,
        mode: Mode,
    ) -> Result<(Option<Refuted>, Sampled), Rejection> {
        let (length, palindromic) = (entry.length, self.record.palindromic);
        if entry.c.is_some_and(|c| c < 0) {
            let why = format!("C = {}: below 0 the constraint refutes nothing, and makes no levels", or_none(entry.c));
            return RejectionKind::Figures.reject(why);
        }
        let mut walk = self.begin(levels, false)?;
        let mut bounds = self.bounds(entry, plan)?;
        let fixed = bounds.len();
        for level in &levels[1..] {
            bounds.truncate(fixed);
            if matches!(self.record.pruning, Pruning::Narrowed { .. }) {
                let left = length - walk.depth();
                bounds.push(self.databases()?.toward_images(&[(&walk, left)], walk.depth() + 1)?);
            }
            walk.step(level, &bounds, mode)?;
        }
        let consistent = Self::is_consistent(entry, levels);
        if entry.c.is_some() && consistent != entry.self_consistent {
            let why = format!("self_consistent: {}, derived {consistent}", entry.self_consistent);
            return RejectionKind::Figures.reject(why);
        }
        self.evidence.note_if_exhausted(&walk, palindromic);
        let refuted = match entry.verdict {
            Verdict::None if consistent => Refuted::by_middle(self.claim(length), &walk, palindromic)?,
            _ => None,
        };
        Ok((refuted, walk.sampled))
    }

    /// Whether no army on level N of a length under `mcc` has a centroid beyond its C.
    fn is_consistent(entry: &LengthRecord, levels: Levels) -> bool {
        let half = levels.iter().find(|level| level.depth == entry.length / 2);
        let reached = half.and_then(|level: &LevelRecord| level.centroid_max);
        entry.c.zip(reached).is_none_or(|(c, reached)| reached <= c)
    }

    fn two_ended(
        &mut self,
        entry: &LengthRecord,
        sides: [Levels<'a>; 2],
        mode: Mode,
    ) -> Result<(Option<Refuted>, Sampled), Rejection> {
        let walk = |levels: Levels<'a>, backward: bool| -> Result<Walk<'a, TransferModel>, Rejection> {
            let Problem { model, start, .. } = self.problem;
            let bounds = match &self.record.pruning {
                Pruning::Theorem1 if backward => vec![Bound::theorem_1(&model.board, start, entry.length)],
                Pruning::Pattern { .. } | Pruning::Leading { .. } if backward => {
                    vec![self.databases()?.to_start(entry.length)]
                }
                _ => self.bounds(entry, Plan::TwoEnded)?,
            };
            let mut walk = self.begin(levels, backward)?;
            levels[1..].iter().try_for_each(|level| walk.step(level, &bounds, mode))?;
            Ok(walk)
        };
        let (ahead, behind) = (walk(sides[0], false)?, walk(sides[1], true)?);
        self.evidence.note_if_exhausted(&ahead, false);
        self.evidence.note_if_exhausted(&behind, false);
        let refuted = match entry.verdict {
            Verdict::None => Refuted::by_meeting(self.claim(entry.length), &ahead, &behind)?,
            _ => None,
        };
        let sampled = ahead.sampled + behind.sampled;
        Ok((refuted, sampled))
    }
}
