//! Collects which lengths have been refuted, and decides whether the record's claims follow: the one place where a
//! refutation is accepted.
//!
//! Only the functions below make a [`Refuted`], each from a walk whose levels it inspects itself; a record's file
//! cannot state one. [`Evidence::accept`] requires one for every length that counts as refuted, and that neither the lower
//! bound covers nor the record on which this one builds: that record is checked first. Levels that were too large to
//! check are noted, and the report names them.

use std::collections::BTreeMap;

use halma_record::record::{Asked, Record, Verdict};

use super::board::Board;
use super::common_states::first_common;
use super::databases::Databases;
use super::earlier_record::EarlierRecord;
use super::impossible::Shown;
use super::level_step::StateSpace;
use super::level_walk::Walk;
use super::problem::Problem;
use super::rejection::{Rejection, RejectionKind};
use super::transfer_bounds::theorem_1_of;
use super::transfer_model::TransferModel;
use super::{Options, Report};

/// The error for a record that claims without reason that all states were seen.
const NOT_ALL_SEEN: &str =
    "it says that every state was seen, but some were pruned, or there are more, or the goal is among them";

/// The claim that no solution has `length` moves, given that none has fewer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    length: u32,
    /// The first shorter length that the record leaves open, if any: it may have a solution.
    open: Option<u32>,
}

impl Claim {
    /// The claim of a record about a length, given its claims about shorter ones.
    pub fn of(record: &Record, length: u32) -> Self {
        let open = record.runs.iter().find(|run| run.verdict != Verdict::None && run.length < length);
        Self { length, open: open.map(|run| run.length) }
    }

    /// If a walk reached the goal, there is a solution of this length or of a shorter one; an error unless a shorter
    /// one is open.
    fn reaches_goal<S: StateSpace>(self, walk: &Walk<S>) -> Result<(), Rejection> {
        let Self { length, open } = self;
        match walk.met() {
            Some((depth, end)) if *depth == length || *depth < open.unwrap_or(length) => {
                let side = walk.side();
                let why = format!("verdict none, but {} on {} level {depth}: {end}", S::END, side.name());
                Err(RejectionKind::Verdict.because(why).at_length(length).at_level(side, *depth).at_state(end))
            }
            _ => Ok(()),
        }
    }
}

/// Evidence that no solution has this many moves, given that none has fewer.
#[derive(Debug)]
pub(super) struct Refuted {
    length: u32,
}

impl Refuted {
    /// The last level of the walk is empty, and is not beyond the end of a solution of this length. (Levels of
    /// palindromes may contain the target, which other walks reach.)
    pub fn by_empty_level<S: StateSpace>(length: u32, walk: &Walk<S>) -> Option<Self> {
        (walk.depth() <= length && walk.current().len() == 0).then_some(Self { length })
    }

    /// The walk reaches the middle and does not meet its mirror image there; or one of its levels is empty.
    pub fn by_middle(claim: Claim, walk: &Walk<TransferModel>, palindromic: bool) -> Result<Option<Self>, Rejection> {
        let length = claim.length;
        if !palindromic {
            claim.reaches_goal(walk)?;
        }
        if let Some(refuted) = Self::by_empty_level(length, walk) {
            return Ok(Some(refuted));
        }
        if walk.depth() != middle(length, palindromic) {
            return Ok(None);
        }
        let (model, odd) = (walk.states, !length.is_multiple_of(2));
        let met = if palindromic {
            model.own_image(walk.current(), odd)?
        } else {
            // For 2N + 1 moves level N + 1 meets the mirror image of level N.
            let Some(other) = walk.before_last(usize::from(odd)) else { return Ok(None) };
            model.meeting(walk.current(), other)?
        };
        does_not_meet(model, met, length)?;
        Ok(Some(Self { length }))
    }

    /// The levels from both ends have as many moves together as the length, and no common state; or one is empty. Valid
    /// if moves are reversible, and if the walk `behind` begins with all goal states.
    pub fn by_meeting<S: StateSpace>(
        claim: Claim,
        ahead: &Walk<S>,
        behind: &Walk<S>,
    ) -> Result<Option<Self>, Rejection> {
        let length = claim.length;
        claim.reaches_goal(ahead)?;
        claim.reaches_goal(behind)?;
        let empty = Self::by_empty_level(length, ahead).or(Self::by_empty_level(length, behind));
        if empty.is_some() || u64::from(ahead.depth()) + u64::from(behind.depth()) != u64::from(length) {
            return Ok(empty);
        }
        let (small, large) = match (ahead.current(), behind.current()) {
            (a, b) if a.len() <= b.len() => (a, b),
            (a, b) => (b, a),
        };
        match first_common(small, large, |key, _| Ok(Some(key)))? {
            None => Ok(Some(Self { length })),
            Some(key) => Err(both_have(length, ahead, ahead.states.show(key))),
        }
    }

    /// The walk reaches the middle and does not meet the images of the levels from the goal; or one of its levels is
    /// empty. Valid under a mirror of states, which maps the starts to the goal and reverses moves.
    pub fn by_image<S: StateSpace>(
        claim: Claim,
        walk: &Walk<S>,
        image: impl Fn(S::Key) -> Result<S::Key, String> + Sync,
    ) -> Result<Option<Self>, Rejection> {
        let length = claim.length;
        claim.reaches_goal(walk)?;
        if let Some(refuted) = Self::by_empty_level(length, walk) {
            return Ok(Some(refuted));
        }
        // For 2N + 1 moves level N + 1 meets the image of level N.
        let Some(other) = walk.before_last(usize::from(!length.is_multiple_of(2))) else { return Ok(None) };
        if walk.depth() != middle(length, false) {
            return Ok(None);
        }
        let image = |key, _: &mut Vec<u8>| image(key).map(Some).map_err(Rejection::of(RejectionKind::State));
        match first_common(other, walk.current(), image)? {
            None => Ok(Some(Self { length })),
            Some(key) => Err(both_have(length, walk, walk.states.show(key))),
        }
    }

    /// The walk reaches the last level of such a solution or game, and no goal is on it; or one of its levels is empty.
    pub fn by_goal<S: StateSpace>(claim: Claim, walk: &Walk<S>) -> Result<Option<Self>, Rejection> {
        let length = claim.length;
        claim.reaches_goal(walk)?;
        let whole = (walk.depth() >= length).then_some(Self { length });
        Ok(whole.or(Self::by_empty_level(length, walk)))
    }

    /// The following levels, `ahead`, end at the level where the mirror images of the trailing levels, `behind`,
    /// complete the length, and have no state in common with these; or one is empty.
    pub fn by_trailing(
        claim: Claim,
        ahead: &Walk<TransferModel>,
        behind: &Walk<TransferModel>,
    ) -> Result<Option<Self>, Rejection> {
        let length = claim.length;
        claim.reaches_goal(ahead)?;
        let Some(missing) = length.checked_sub(ahead.depth()) else { return Ok(None) };
        if Self::by_empty_level(missing, behind).is_some() {
            return Ok(Some(Self { length }));
        }
        if behind.depth() != missing {
            return Ok(None);
        }
        does_not_meet(ahead.states, ahead.states.meeting(behind.current(), ahead.current())?, length)?;
        Ok(Some(Self { length }))
    }
}

/// The level on which solutions of that length meet; for palindromes N, for 2N and for 2N + 1 moves.
pub(super) fn middle(length: u32, palindromic: bool) -> u32 {
    if palindromic { length / 2 } else { length.div_ceil(2) }
}

/// The error for a state on the last level of `ahead` that the other side has, too.
fn both_have<S: StateSpace>(length: u32, ahead: &Walk<S>, state: String) -> Rejection {
    let why = format!("verdict none, but both sides have {state}");
    RejectionKind::Verdict.because(why).at_length(length).at_level(ahead.side(), ahead.depth()).at_state(state)
}

/// An error if the level meets the mirror image of another, in this state.
pub(super) fn does_not_meet(model: &TransferModel, met: Option<u128>, length: u32) -> Result<(), Rejection> {
    let Some(key) = met else { return Ok(()) };
    let names = model.board.names(&model.army(key).unwrap_or_default());
    let why = format!("verdict none, but the middle meets its mirror image: {names}");
    Err(RejectionKind::Verdict.because(why).at_length(length).at_state(names))
}

/// The lower bound, derived again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LowerBound {
    /// No solution has fewer moves; `None` if there is no solution at all.
    least: Option<u32>,
}

impl LowerBound {
    /// For a transfer: Theorem 1, types, and the abstract distance if it was derived ([`u32::MAX`] if the target is
    /// unreachable).
    pub fn of_transfer(Problem { model, start, target }: &Problem, between: Option<u32>) -> Self {
        let changes_types = model.jumps_only && model.board.types(start) != model.board.types(target);
        if changes_types || between == Some(u32::MAX) {
            return Self { least: None };
        }
        let theorem = theorem_1_of(&model.board, start, target);
        Self { least: Some(theorem.max(between.unwrap_or(0)).max(u32::from(start != target))) }
    }

    /// For a game, equation (7): the armies must come near first, and then the men of both enter one by one.
    pub fn of_game(board: &Board, [blue, red]: [&[u8]; 2]) -> Self {
        let distance = board.steps_to(blue);
        let apart = red.iter().filter_map(|&c| distance[usize::from(c)]).min().unwrap_or(0);
        Self { least: Some(apart.saturating_sub(2) + (2 * blue.len() as u32).saturating_sub(1)) }
    }

    /// For a puzzle from a file: the least bound of its starts; `None` if no solution is possible.
    pub fn of_puzzle(least: Option<u32>) -> Self {
        Self { least }
    }

    /// The same, with a proof that some men cannot reach their cells, if there is one.
    pub fn closed(self, shown: Option<&Shown>) -> Self {
        if shown.is_some() { Self { least: None } } else { self }
    }

    /// The same for palindromes: there are none if no histogram can be the middle of one.
    pub fn of_palindromes(self, databases: &Databases) -> Self {
        if databases.reflect_nowhere() { Self { least: None } } else { self }
    }

    /// Checks that the record claims no more. A record without a bound claims that no length is possible, unless it has
    /// levels alone, or no answer.
    pub fn check_claim(self, record: &Record) -> Result<(), Rejection> {
        let claims_nothing = record.question == Asked::Levels || record.verdict == Verdict::Incomplete;
        match (record.lower_bound, self.least) {
            (None, Some(derived)) if !claims_nothing => RejectionKind::Bound.reject(format!(
                "lower_bound is missing, so the record claims that no length is possible; the derived bound is \
                 {derived}"
            )),
            (Some(said), Some(derived)) if said > derived => {
                RejectionKind::Bound.reject(format!("lower_bound {said}, derived {derived}"))
            }
            _ => Ok(()),
        }
    }

    /// The least number of moves, if there may be a solution.
    pub fn least(self) -> Option<u32> {
        self.least
    }
}

/// What has been shown about the lengths of a record.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    refuted: BTreeMap<u32, Refuted>,
    /// Lengths that were too large to check, and why.
    unchecked: BTreeMap<u32, String>,
    /// Why the lower bound was not derived again, if it was not.
    no_bound: Option<String>,
    bound: Option<LowerBound>,
    earlier: Option<EarlierRecord>,
    seen_all: bool,
}

impl Evidence {
    /// Begins with what the record shows on which `record` builds. That one is checked here.
    pub fn of(record: &Record, options: &Options) -> Result<Self, Rejection> {
        Ok(Self { earlier: EarlierRecord::of(record, options)?, ..Self::default() })
    }

    /// Enters a refutation.
    pub fn add_refutation(&mut self, refuted: Option<Refuted>) {
        self.refuted.extend(refuted.map(|refuted| (refuted.length, refuted)));
    }

    /// Whether a length has been refuted.
    pub fn has(&self, length: u32) -> bool {
        self.refuted.contains_key(&length)
    }

    /// Notes that the levels of a length were not checked.
    pub fn note_unchecked(&mut self, length: u32, why: impl Into<String>) {
        self.unchecked.entry(length).or_insert(why.into());
    }

    /// Enters the bound.
    pub fn set_lower_bound(&mut self, bound: LowerBound) {
        self.bound = Some(bound);
    }

    /// Notes that the bound could not be derived again.
    pub fn note_bound_unchecked(&mut self, why: impl Into<String>) {
        self.no_bound = Some(why.into());
    }

    /// Whether [`Self::note_bound_unchecked`] was called.
    pub fn is_bound_unchecked(&self) -> bool {
        self.no_bound.is_some()
    }

    /// Enters a finished walk. If its last level is empty and nothing was pruned, it has seen all reachable states; the
    /// goal must not be among them. (Palindromes are met in their middles.)
    pub fn note_if_exhausted<S: StateSpace>(&mut self, walk: &Walk<S>, palindromic: bool) {
        self.seen_all |= walk.is_unpruned() && walk.current().len() == 0 && (palindromic || walk.met().is_none());
    }

    /// The same if every pruned state was shown to be one from which the goal cannot be reached: the levels have all
    /// other states.
    pub fn note_if_only_lost_pruned<S: StateSpace>(&mut self, walk: &Walk<S>) {
        self.seen_all |= walk.current().len() == 0 && walk.met().is_none();
    }

    /// Whether everything that the record counts as refuted was refuted. What was not checked goes into the report.
    pub fn accept(self, record: &Record, report: &mut Report) -> Result<(), Rejection> {
        let claimed = record.runs.iter().filter(|run| run.verdict == Verdict::None).map(|run| run.length);
        for length in claimed {
            if !self.refuted.contains_key(&length) && !self.unchecked.contains_key(&length) {
                let why = "verdict none, but its levels end early, or no leading levels serve it: none is empty, and none \
                           is the last";
                return Err(RejectionKind::Verdict.because(why).in_length(length));
            }
        }
        // The lengths that no bound covers, from the first on.
        let (first, nothing_left) = match (self.bound, &self.no_bound) {
            (Some(bound), _) => (bound.least.unwrap_or(u32::MAX), bound.least.is_none()),
            (None, Some(_)) => (record.lower_bound.unwrap_or(u32::MAX), record.lower_bound.is_none()),
            (None, None) => (0, false),
        };
        let first = self.earlier.as_ref().map_or(first, |earlier| first.max(earlier.refuted_up_to().saturating_add(1)));
        let looked_at = |length: &u32| self.refuted.contains_key(length) || self.unchecked.contains_key(length);
        if let Some(last) = record.refuted_up_to
            && let Some(length) = (first..=last).find(|length| !looked_at(length))
        {
            let why = format!("refuted_up_to is {last}, but nothing refutes {length} moves");
            return Err(RejectionKind::Verdict.because(why).at_length(length));
        }
        let last_unchecked = record.runs.last().is_some_and(|run| self.unchecked.contains_key(&run.length));
        if record.exhausted && record.verdict == Verdict::None && !(self.seen_all || nothing_left || last_unchecked) {
            return RejectionKind::Verdict.reject(NOT_ALL_SEEN);
        }
        if let Some(earlier) = self.earlier {
            earlier.enter(report);
        }
        report.unchecked.extend(self.no_bound);
        report.unchecked.extend(self.unchecked.into_values());
        report.unchecked.dedup();
        Ok(())
    }
}
