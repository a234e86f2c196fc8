//! The levels of a record of a puzzle, and what they show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use halma_record::record::{Asked, LengthRecord, LevelRecord, Record, Side, Verdict};
use halma_record::words::counted;

use super::code::Arithmetic;
use super::graph::{Bounds, Graph};
use super::model::{Distance, Model, State};
use super::{solution_count, without_bound};
use crate::evidence::{Claim, Evidence, LowerBound, Refuted};
use crate::level_walk::{Mode, Sampled, Walk};
use crate::memory::{self, MOST_STATES};
use crate::rejection::{Rejection, RejectionKind, Trouble, or_none};
use crate::sides::{Walked, split, states};
use crate::{Options, Report};

use std::sync::Arc;

/// The checks of one record.
pub struct PuzzleCheck<'a, N> {
    pub record: &'a Record,
    pub folder: &'a Path,
    pub options: &'a Options<'a>,
    pub ahead: &'a Graph<'a, N>,
    pub behind: &'a Graph<'a, N>,
    /// The puzzle under the symmetries up to which solutions are counted.
    pub counted: &'a dyn Model,
    /// The bound that prunes, where one does: then each length has levels of its own. An error says why it was not derived.
    pub distance: Result<Option<Arc<Distance>>, String>,
    /// Whether a bound of the puzzle's own prunes, which nobody derives again.
    pub own_bound: bool,
    pub budget: u64,
    pub evidence: Evidence,
    pub report: Report,
}

/// Walks that serve all lengths, as far as they have come.
struct Shared<'a, N: Arithmetic> {
    ahead: Option<Walk<'a, Graph<'a, N>>>,
    behind: Option<Walk<'a, Graph<'a, N>>>,
    /// States on their levels.
    held: u64,
    /// Whether a level was too large to look at.
    unchecked: bool,
}

impl<'a, N: Arithmetic> PuzzleCheck<'a, N> {
    /// Checks the levels of all runs, and what follows from them.
    pub fn all(mut self) -> Result<Report, Rejection> {
        let record = self.record;
        if record.question == Asked::Levels {
            record.runs.iter().try_for_each(|run| self.levels(run).map_err(|fault| fault.at_length(run.length)))?;
            return Ok(self.report);
        }
        if !self.model().has_goal() {
            return RejectionKind::Problem.reject("a puzzle without a goal has levels only");
        }
        if !self.own_bound {
            self.lower_bound()?;
        }
        self.solutions().map_err(|why| {
            let rejection = Rejection::of(RejectionKind::Solution)(why);
            record.length.into_iter().fold(rejection, Rejection::at_length)
        })?;
        if self.own_bound {
            let (budget, evidence) = (&mut self.budget, &mut self.evidence);
            without_bound::derive(self.ahead, record, budget, evidence, &mut self.report)?;
            std::mem::take(&mut self.evidence).accept(record, &mut self.report)?;
            return Ok(self.report);
        }
        let mut shared = Shared { ahead: None, behind: None, held: 0, unchecked: false };
        // A count has levels of its own.
        let counts = record.question == Asked::Count && record.length.is_some() && record.runs.len() > 1;
        let searched = record.runs.len() - usize::from(counts);
        for (number, run) in record.runs.iter().enumerate() {
            let done = match &self.distance {
                Err(why) => {
                    let why = format!("length {}: {why}", run.length);
                    self.evidence.note_unchecked(run.length, why);
                    Ok(())
                }
                Ok(None) if number < searched => self.share(run, &mut shared),
                Ok(distance) => self.alone(run, distance.clone()),
            };
            done.map_err(|fault| fault.in_length(run.length))?;
        }
        std::mem::take(&mut self.evidence).accept(record, &mut self.report)?;
        if let Some((counts, length)) = record.counts.as_ref().zip(record.length) {
            let models = [self.model(), self.counted];
            let confirmed = solution_count::confirm(models, counts, length, &mut self.budget);
            let named = counts.symmetries.as_ref().or(record.symmetries.as_ref().map(|used| &used.fixing));
            // A puzzle in Rust has none that could be named.
            let order = named.map(Vec::len).filter(|&order| order > 0);
            self.report.count((counts, length), order, confirmed)?;
        }
        Ok(self.report)
    }

    fn model(&self) -> &'a dyn Model {
        self.ahead.model
    }

    /// No length below the bound has a solution.
    fn lower_bound(&mut self) -> Result<(), Rejection> {
        let bound = match &self.distance {
            Ok(bound) => bound,
            Err(why) => {
                self.evidence.note_bound_unchecked(format!("lower bound {}: {why}", or_none(self.record.lower_bound)));
                return Ok(());
            }
        };
        let distance = |start: &State| match bound {
            Some(distance) => self.ahead.state(self.ahead.key(start)).map(|state| distance(&state)),
            None => Ok(Some(0)),
        };
        let distances = self.model().starts().iter().map(distance).collect::<Result<Vec<_>, String>>();
        let distances = distances.map_err(Rejection::of(RejectionKind::Problem))?;
        let least = distances.into_iter().flatten().min();
        let bound = LowerBound::of_puzzle(least);
        bound.check_claim(self.record)?;
        match (self.record.lower_bound, least) {
            // There is no answer that a bound would support.
            (None, Some(_)) => {}
            (None, None) if self.record.verdict == Verdict::Incomplete => {}
            (_, None) => self.report.checked.push("no length at all is possible, by the bound derived again".into()),
            (Some(0), Some(_)) => {}
            (Some(said), Some(derived)) => {
                let how = format!("no solution below length {said}, by a bound derived again: {derived}");
                self.report.checked.push(how);
            }
        }
        self.evidence.set_lower_bound(bound);
        Ok(())
    }

    /// Plays the solution, from each of the starts from which it can be played; returns the states on each way to the goal.
    fn replay(&self, solution: &[String]) -> Result<BTreeSet<Vec<State>>, Trouble> {
        let moves = solution.len();
        if self.record.length.is_none_or(|length| length as usize != moves) {
            return Err(
                format!("solution: {} for length {}", counted(moves, "move"), or_none(self.record.length)).into()
            );
        }
        let starts: BTreeSet<&State> = self.model().starts().iter().collect();
        let entries = starts.first().map_or(0, |start| start.len());
        let most = memory::whole_states(entries, size_of::<State>(), MOST_STATES) as usize;
        if starts.len().saturating_mul(moves + 1) > most {
            let starts = counted(starts.len(), "start");
            let why = format!("a solution of {} from {starts}: more states than are held", counted(moves, "move"));
            return Err(Trouble::TooMany(why));
        }
        let mut ways: Vec<Vec<State>> = starts.into_iter().map(|start| vec![start.clone()]).collect();
        for (number, text) in (1..).zip(solution) {
            let mut fault = None;
            ways.retain_mut(|way| {
                let played = way.last().map(|state| self.model().play(state, text));
                let played = played.and_then(|played| played.map_err(|why| fault = Some(why)).ok());
                played.map(|state| way.push(state)).is_some()
            });
            if let Some(fault) = fault.filter(|fault| ways.is_empty() || matches!(fault, Trouble::TooMany(_))) {
                return Err(fault.prefixed(&format!("solution, move {number} ({text})")));
            }
        }
        ways.retain(|way| way.last().is_some_and(|state| self.model().is_goal(state)));
        match ways.is_empty() {
            true => Err("solution: it does not end in the goal".into()),
            false => Ok(ways.into_iter().collect()),
        }
    }

    /// The solutions: each plays, and no two are the same states in other words.
    fn solutions(&mut self) -> Result<(), Trouble> {
        let Record { solution, more_solutions: more, .. } = self.record;
        let Some(solution) = solution else {
            return if more.is_empty() { Ok(()) } else { Err("more_solutions, without a first one".into()) };
        };
        let mut all = self.replay(solution)?;
        self.report.checked.push(format!("the solution plays, {}", counted(solution.len(), "move")));
        for solution in more {
            let ways = self.replay(solution).map_err(|fault| fault.prefixed("more_solutions"))?;
            if !ways.is_disjoint(&all) {
                return Err("more_solutions: two of them are alike".into());
            }
            all.extend(ways);
        }
        if !more.is_empty() {
            self.report.checked.push(format!("{} more solutions play", more.len()));
        }
        Ok(())
    }

    /// How to look at the levels of a run, with so many states held; an error says what is too much.
    fn mode(&mut self, run: &LengthRecord, held: u64) -> Result<Mode<'a>, String> {
        let mode = Mode::of(run, self.folder, self.options, &mut self.budget, (held, size_of::<N>()))?;
        let sampled = mode.is_sampled();
        if sampled && !self.model().can_be_undone() {
            return Err(format!("length {}: moves that cannot be undone, so that no sample will do", run.length));
        }
        (self.options.progress)(&format!("length {}: {}", run.length, counted(run.levels.len(), "level")));
        self.report.sampled |= sampled;
        Ok(mode)
    }

    fn report_walk(&mut self, run: &LengthRecord, mode: Option<Mode>, sampled: Sampled) {
        let verdict = run.verdict.name();
        let how = match mode {
            Some(mode) => format!("{} {}", counted(run.levels.len(), "level"), mode.describe(sampled)),
            None => "by levels of shorter lengths".into(),
        };
        self.report.checked.push(format!("length {}, {verdict}: {how}", run.length));
    }

    /// Level 0 of a side: all starts, or all states that satisfy the goal.
    fn begin(&self, side: Side, stated: &LevelRecord) -> Result<Walk<'a, Graph<'a, N>>, Rejection> {
        let model = self.model();
        let fault = |why: &str| RejectionKind::Levels.because(why).at_level(side, stated.depth);
        let (graph, first) = match side {
            Side::Backward if model.leaves_open_what_is_undone() => {
                let why = "backward levels, and whether moves can be undone is too much for this verifier to find out";
                return Err(RejectionKind::TooLarge.because(why).at_level(side, stated.depth));
            }
            Side::Backward if !model.can_be_undone() => {
                return Err(fault("backward levels, and it was not shown that moves can be undone"));
            }
            Side::Backward => {
                let listed = model.goal_states();
                (self.behind, listed.ok_or_else(|| fault("backward levels of a goal that lists no states"))?)
            }
            _ => (self.ahead, model.starts().to_vec()),
        };
        Walk::begin_with(graph, first.iter().map(|state| graph.key(state)).collect(), None, stated)
    }

    /// The next level of a side.
    fn on(&self, walk: &mut Option<Walk<'a, Graph<'a, N>>>, level: &LevelRecord, mode: Mode) -> Result<(), Rejection> {
        match walk {
            Some(walk) => walk.step(level, &Bounds::none(), mode),
            None => {
                *walk = Some(self.begin(level.side, level)?);
                Ok(())
            }
        }
    }

    /// The next levels of both sides.
    fn grow(&self, shared: &mut Shared<'a, N>, levels: [&[LevelRecord]; 2], mode: Mode) -> Result<(), Rejection> {
        let [forward, backward] = levels;
        forward.iter().try_for_each(|level| self.on(&mut shared.ahead, level, mode))?;
        backward.iter().try_for_each(|level| self.on(&mut shared.behind, level, mode))
    }

    /// A run whose levels go on from those of the runs before.
    fn share(&mut self, run: &LengthRecord, shared: &mut Shared<'a, N>) -> Result<(), Rejection> {
        let length = run.length;
        // One more of either side; the first of both.
        let next = |walk: &Option<Walk<'a, Graph<'a, N>>>| walk.as_ref().map_or(Some(0), |w| w.depth().checked_add(1));
        if shared.unchecked {
            if run.verdict == Verdict::None || !run.levels.is_empty() {
                self.evidence.note_unchecked(length, format!("length {length}: levels before it were not checked"));
            }
            return Ok(());
        }
        let walked = |side, walk| {
            let first = next(walk).ok_or_else(|| RejectionKind::Levels.because("a level too deep"))?;
            Ok::<_, Rejection>(Walked { side, first, last: first })
        };
        let sides = [walked(Side::Forward, &shared.ahead)?, walked(Side::Backward, &shared.behind)?];
        let mirrored = self.ahead.has_mirror();
        let levels = match mirrored {
            true => [split(run, [sides[0]])?[0], &[]],
            false => split(run, sides)?,
        };
        // Under a mirror the levels of a shorter length may serve this one as they are.
        let has_none = levels.concat().is_empty();
        if has_none && !mirrored {
            return Ok(());
        }
        shared.held = shared.held.saturating_add(states(&run.levels));
        let mode = if has_none { Ok(None) } else { self.mode(run, shared.held).map(Some) };
        let mode = match mode {
            Ok(mode) => mode,
            Err(too_much) => {
                shared.unchecked = true;
                self.evidence.note_unchecked(length, too_much);
                return Ok(());
            }
        };
        mode.map_or(Ok(()), |mode| self.grow(shared, levels, mode))?;
        let Some(ahead) = &shared.ahead else {
            return RejectionKind::Levels.reject("there are no forward levels");
        };
        if run.verdict == Verdict::None {
            let claim = Claim::of(self.record, length);
            self.evidence.add_refutation(match &shared.behind {
                _ if mirrored => Refuted::by_image(claim, ahead, |key| self.ahead.mirrored(key))?,
                Some(behind) => Refuted::by_meeting(claim, ahead, behind)?,
                None => Refuted::by_goal(claim, ahead)?,
            });
        }
        let mut sampled = Sampled::default();
        for walk in [Some(ahead), shared.behind.as_ref()].into_iter().flatten() {
            self.evidence.note_if_exhausted(walk, false);
            sampled = sampled + walk.sampled;
        }
        self.report_walk(run, mode, sampled);
        Ok(())
    }

    /// A run with all its levels.
    fn alone(&mut self, run: &LengthRecord, distance: Option<Arc<Distance>>) -> Result<(), Rejection> {
        let length = run.length;
        let [forward] = split(run, [Walked { side: Side::Forward, first: 0, last: length }])?;
        let Some((first, others)) = forward.split_first() else { return Ok(()) };
        let held = states(forward);
        let mode = match self.mode(run, held) {
            // A sample does not show that all was seen where something may have been pruned, whatever the figures say.
            Ok(mode) if self.record.exhausted && distance.is_some() => mode.whole(),
            Ok(mode) => mode,
            Err(too_much) => {
                self.evidence.note_unchecked(length, too_much);
                return Ok(());
            }
        };
        let bounds = Bounds::of(length, distance);
        let mut walk = self.begin(Side::Forward, first)?;
        others.iter().try_for_each(|level| walk.step(level, &bounds, mode))?;
        if run.verdict == Verdict::None {
            self.evidence.add_refutation(Refuted::by_goal(Claim::of(self.record, length), &walk)?);
        }
        self.evidence.note_if_exhausted(&walk, false);
        if !mode.is_sampled() && bounds.pruned_only_lost_states() {
            self.evidence.note_if_only_lost_pruned(&walk);
        }
        self.report_walk(run, Some(mode), walk.sampled);
        Ok(())
    }

    /// The positions that the record shows as the farthest are on the last level, as many as it shows.
    fn farthest(&self, walk: &Walk<'a, Graph<'a, N>>) -> Result<(), Rejection> {
        // Positions of a puzzle in Rust may look alike: each has to be another one.
        let mut shown: BTreeMap<&String, usize> = BTreeMap::new();
        self.record.farthest.iter().for_each(|position| *shown.entry(position).or_default() += 1);
        let mut keys = Vec::new();
        for block in 0..walk.current().blocks() {
            if shown.is_empty() {
                break;
            }
            walk.current().read(block, &mut keys)?;
            for &key in &keys {
                let state = self.ahead.state(key).map_err(Rejection::of(RejectionKind::State))?;
                let picture = self.model().picture(&state);
                if let Some(left) = shown.get_mut(&picture) {
                    *left -= 1;
                    shown.retain(|_, left| *left > 0);
                }
            }
        }
        match shown.first_key_value() {
            None => Ok(()),
            Some((&other, _)) => {
                let why = format!("farthest: {other:?} is not on the last level, or is shown too often");
                let fault = RejectionKind::Verdict.because(why);
                Err(fault.at_level(walk.side(), walk.depth()).at_state(other))
            }
        }
    }

    /// Checks the levels of the question `levels`, which has no goal.
    fn levels(&mut self, run: &LengthRecord) -> Result<(), Rejection> {
        let last = run.length;
        let [forward] = split(run, [Walked { side: Side::Forward, first: 0, last }])?;
        if run.verdict == Verdict::Levels && forward.last().is_none_or(|level| level.depth != last) {
            return RejectionKind::Levels.reject(format!("levels up to {last}, and they end early"));
        }
        let Some((first, others)) = forward.split_first() else { return Ok(()) };
        let held = states(forward);
        let mode = match self.mode(run, held) {
            Ok(mode) => mode,
            Err(too_much) => {
                self.report.unchecked.push(too_much);
                return Ok(());
            }
        };
        let mut walk = self.begin(Side::Forward, first)?;
        others.iter().try_for_each(|level| walk.step(level, &Bounds::none(), mode))?;
        if self.record.exhausted {
            walk.ends(forward.last().unwrap_or(first), &Bounds::none())?;
            self.report.checked.push(format!("exhausted: all that level {last} leads to is on a level"));
            self.farthest(&walk)?;
        }
        self.report_walk(run, Some(mode), walk.sampled);
        Ok(())
    }
}
