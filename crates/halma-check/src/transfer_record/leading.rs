//! Checks the leading half of one length or several, and the following and trailing levels of each.
//!
//! The lengths of a record come in groups. The first of a group has the leading levels, for all lengths up to its
//! `up_to`; the others have the following levels from their own middles. Following levels that end before the target
//! are open until trailing levels meet them; these are with the last length that they meet. A length whose levels stay
//! open has no evidence.
//!
//! Entries that are *covered* leave out what the leading levels would have met. So all of their levels that leave
//! something out are met by the leading levels, whose states are held until then.

use std::collections::BTreeMap;
use std::sync::Arc;

use halma_record::record::{LengthRecord, Side, Verdict};

use super::TransferCheck;
use crate::evidence::{Refuted, does_not_meet};
use crate::level_file::Level;
use crate::level_walk::{Mode, Sampled, Walk};
use crate::rejection::{Rejection, RejectionKind};
use crate::sides::{Levels, Walked, split};
use crate::transfer_bounds::Bound;
use crate::transfer_model::TransferModel;

/// The leading levels of a group of lengths.
struct Lead<'a> {
    /// The greatest length that they serve.
    top: u32,
    levels: Levels<'a>,
    /// As far as they have been walked; `None` if they were too large.
    led: Option<Led<'a>>,
    /// How many states the leading levels have that meet following levels.
    held: u64,
    /// The second halves from each middle so far.
    halves: Vec<SecondHalf<'a>>,
}

/// A walk over leading levels.
struct Led<'a> {
    walk: Walk<'a, TransferModel>,
    bounds: [Bound; 1],
    mode: Mode<'a>,
    /// The distances to the middles.
    to_middles: Arc<Vec<u8>>,
    /// The levels that meet following levels, by depth, as far as they have been walked: those in `meeting`.
    held: BTreeMap<u32, Arc<Level<u128>>>,
    meeting: Vec<u32>,
}

impl Led<'_> {
    /// Holds the last level if it is to meet following levels.
    fn hold(&mut self) {
        if self.meeting.contains(&self.walk.depth()) {
            self.held.insert(self.walk.depth(), self.walk.shared());
        }
    }

    /// The level at this depth, if it was to be held; `None` if an earlier one is empty.
    fn held(&self, depth: u32) -> Result<Option<&Level<u128>>, Rejection> {
        match self.held.get(&depth) {
            Some(level) => Ok(Some(level)),
            None if self.walk.current().len() == 0 && self.walk.depth() < depth => Ok(None),
            None => Err(RejectionKind::Levels.because(format!("covered, and leading level {depth} is not there"))),
        }
    }
}

/// Whether one of these entries says that there is no solution of this length.
fn is_refuted(runs: &[LengthRecord], length: u32) -> bool {
    runs.iter().any(|run| run.length == length && run.verdict == Verdict::None)
}

/// How near to a middle the mirror images of covered states are, on a following level at this depth of lengths up to `last`, where
/// leading levels serve lengths up to `top`; `None` where no state is covered.
fn rest_of_covered(top: u32, last: u32, depth: u32) -> Option<u32> {
    depth.saturating_add(top / 2).checked_sub(last)
}

/// The leading levels that meet covered levels of lengths up to `top` that are said to be refuted: a solution of l moves
/// that passes level m has its mirror image on level l - m.
fn meeting(runs: &[LengthRecord], top: u32) -> Vec<u32> {
    let mut depths = Vec::new();
    for entry in runs.iter().filter(|entry| entry.covered) {
        let (first, last) = (entry.length, entry.shared_with.unwrap_or(entry.length));
        if last < first || last / 2 != first / 2 || last > top {
            // Of another group, or refused where it is served.
            continue;
        }
        let lengths: Vec<u32> = (first..=last).filter(|&length| is_refuted(runs, length)).collect();
        let following = entry.levels.iter().filter(|level| level.side == Side::Following);
        // The levels that were expanded are those before.
        for depth in following.filter_map(|level| level.depth.checked_sub(1)) {
            if rest_of_covered(top, last, depth).is_some() {
                depths.extend(lengths.iter().filter_map(|length| length.checked_sub(depth)));
            }
        }
    }
    depths.sort_unstable();
    depths.dedup();
    depths
}

/// The following levels of the lengths that share a middle.
struct SecondHalf<'a> {
    /// The lengths.
    first: u32,
    last: u32,
    /// `None` if they were too large.
    walk: Option<Walk<'a, TransferModel>>,
    /// Whether they wait for trailing levels that meet them.
    open: bool,
}

/// The following, leading and trailing sides of a length: from which levels to which.
fn sides(entry: &LengthRecord, top: u32) -> [Walked; 3] {
    let (middle, last) = (entry.length / 2, entry.shared_with.unwrap_or(entry.length));
    [
        Walked { side: Side::Leading, first: 0, last: top / 2 },
        Walked { side: Side::Following, first: middle + 1, last },
        Walked { side: Side::Trailing, first: 0, last: top },
    ]
}

impl<'a> TransferCheck<'a> {
    /// Checks all lengths, group by group.
    pub(super) fn groups(&mut self) -> Result<(), Rejection> {
        let mut lead: Option<Lead> = None;
        for entry in &self.record.runs {
            let context = |fault: Rejection| fault.in_length(entry.length);
            let leads = entry.levels.iter().any(|level| level.side == Side::Leading);
            if leads && let Some(before) = lead.take() {
                self.finish(before).map_err(context)?;
            }
            let served = leads || lead.as_ref().is_some_and(|lead| entry.length <= lead.top);
            if !served {
                let alone =
                    entry.up_to.is_none() && entry.shared_with.is_none() || entry.verdict == Verdict::Incomplete;
                if !entry.levels.is_empty() || !alone {
                    let why = "it has no leading levels, or no leading levels serve it";
                    return Err(context(RejectionKind::Levels.because(why)));
                }
                // Found by beam search, or not begun.
                continue;
            }
            let next = match lead.take() {
                Some(lead) => self.go_on(entry, lead),
                None => self.lead_on(entry),
            };
            lead = Some(next.map_err(context)?);
        }
        lead.map_or(Ok(()), |lead| self.finish(lead))
    }

    /// Begins a group with its leading levels.
    fn lead_on(&mut self, entry: &'a LengthRecord) -> Result<Lead<'a>, Rejection> {
        let top = entry.up_to.unwrap_or(entry.length);
        if entry.up_to.is_some_and(|up_to| up_to <= entry.length) {
            return RejectionKind::Levels.reject(format!("up_to {top}: that is no greater length"));
        }
        let [levels, ..] = split(entry, sides(entry, top))?;
        let served = self.record.runs.partition_point(|run| run.length < entry.length);
        let meeting = meeting(&self.record.runs[served..], top);
        let held = levels.iter().filter(|level| meeting.contains(&level.depth)).map(|level| level.states);
        let held = held.fold(0, u64::saturating_add);
        let mode = self.mode_holding(entry, held.saturating_add(entry.largest_level));
        let led = match mode {
            Some(mode) => {
                let to_middles = self.to_middles(top, false)?;
                let bounds = [self.databases()?.before_middles(&to_middles, top / 2)];
                let walk = self.begin(levels, false)?;
                let mut led = Led { walk, bounds, mode, to_middles, held: BTreeMap::new(), meeting };
                led.hold();
                Some(led)
            }
            None => None,
        };
        self.serve(entry, Lead { top, levels, led, held, halves: Vec::new() }, mode)
    }

    /// Adds another length to the group.
    fn go_on(&mut self, entry: &'a LengthRecord, lead: Lead<'a>) -> Result<Lead<'a>, Rejection> {
        if entry.up_to.is_some() {
            return RejectionKind::Levels.reject("up_to without leading levels");
        }
        let mode = self.mode_holding(entry, lead.held.saturating_add(entry.largest_level));
        self.serve(entry, lead, mode)
    }

    /// Checks the following levels from the middle of a length, and the trailing levels that meet them.
    fn serve(
        &mut self,
        entry: &'a LengthRecord,
        mut lead: Lead<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<Lead<'a>, Rejection> {
        let (length, none) = (entry.length, entry.verdict == Verdict::None);
        if let Some(half) = lead.halves.last().filter(|half| half.first < length && half.first / 2 == length / 2) {
            // The previous length has the following levels from this middle, if they were made for this length.
            if !entry.levels.is_empty() || entry.shared_with.is_some() {
                let why = format!("it has levels that follow from the middle of {} moves", half.first);
                return RejectionKind::Levels.reject(why);
            }
            if half.last >= length && none {
                self.follows(length, half)?;
                self.report(entry, "by levels of shorter lengths");
            }
            return Ok(lead);
        }
        let last = entry.shared_with.unwrap_or(length);
        if last > lead.top || last / 2 != length / 2 || last < length || entry.shared_with == Some(length) {
            let why = format!("shared_with {last}, which has another middle or no leading levels");
            return RejectionKind::Levels.reject(why);
        }
        let [_, following, trailing] = split(entry, sides(entry, lead.top))?;
        let half = self.follow(entry, &mut lead, following, mode)?;
        if none {
            self.follows(length, &half)?;
        }
        let mut sampled = half.walk.as_ref().map(|walk| walk.sampled);
        lead.halves.push(half);
        if !trailing.is_empty() {
            let met = self.meet(&mut lead, trailing, mode)?;
            sampled = sampled.zip(met).map(|(ahead, behind)| ahead + behind);
        }
        match (sampled, mode) {
            (Some(sampled), Some(mode)) => self.report_walk(entry, mode, sampled),
            (Some(_), None) => self.report(entry, "by levels of shorter lengths"),
            (None, _) => {}
        }
        Ok(lead)
    }

    /// Walks the leading levels up to the middle of a length, and the following levels from there.
    fn follow(
        &mut self,
        entry: &'a LengthRecord,
        lead: &mut Lead<'a>,
        following: Levels<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<SecondHalf<'a>, Rejection> {
        let (first, last) = (entry.length, entry.shared_with.unwrap_or(entry.length));
        let middle = first / 2;
        self.advance(lead, middle)?;
        let half = |walk, open| SecondHalf { first, last, walk, open };
        let (Some(Led { walk, .. }), true) = (&lead.led, following.is_empty() || mode.is_some()) else {
            return Ok(half(None, !following.is_empty()));
        };
        if following.is_empty() {
            // Nothing follows if that level or an earlier one is empty; otherwise there is no evidence.
            return Ok(half(Some(walk.branch(Side::Leading)), false));
        }
        if walk.depth() != middle {
            let why = format!("following levels begin after leading level {}", walk.depth());
            return Err(RejectionKind::Levels.because(why).at_level(Side::Leading, walk.depth()));
        }
        let mut walk = walk.branch(Side::Following);
        if entry.covered {
            // Of an odd length the mirror image of the middle is one level on.
            self.advance(lead, middle + 1)?;
        }
        let databases = self.databases()?;
        let mut bounds = vec![databases.to_target(last)];
        if last < lead.top {
            // The level's other states are no middles of these lengths, and their successors are not made.
            bounds.push(databases.after_middles(last));
            walk.leave_some();
        }
        if entry.leading_moves {
            if last.is_multiple_of(2) {
                // A solution of that length leads by its one middle, whatever move follows.
                return RejectionKind::Levels.reject(format!("leading_moves, for {last} moves"));
            }
            bounds.push(databases.leading_moves(first < last));
        }
        for level in following {
            let mode = mode.ok_or_else(|| RejectionKind::Levels.because("levels that nobody looks at"))?;
            if let (true, Some(led)) = (entry.covered, &lead.led)
                && let Some(rest) = rest_of_covered(lead.top, last, walk.depth())
            {
                self.meet_reversals(&walk, led, (first, last))?;
                bounds.push(databases.uncovered(&led.to_middles, rest));
                walk.leave_some();
            }
            walk.step(level, &bounds, mode)?;
            // `after_middles` and `leading_moves` hold for the first following level alone. `uncovered` is made anew for
            // each level.
            bounds.truncate(1);
        }
        self.evidence.note_if_exhausted(&walk, false);
        let open = walk.current().len() > 0 && walk.depth() < last;
        Ok(half(Some(walk), open))
    }

    /// Shows of these lengths, if they are said to be refuted, that no solution passes a state of the last level whose
    /// mirror image is on a leading level.
    fn meet_reversals(
        &self,
        walk: &Walk<'a, TransferModel>,
        led: &Led<'a>,
        (first, last): (u32, u32),
    ) -> Result<(), Rejection> {
        for length in first..=last {
            let depth = length.checked_sub(walk.depth()).filter(|_| is_refuted(&self.record.runs, length));
            let Some(depth) = depth else { continue };
            if let Some(level) = led.held(depth)? {
                does_not_meet(walk.states, walk.states.meeting(walk.current(), level)?, length)?;
            }
        }
        Ok(())
    }

    /// Walks the leading levels up to `depth`, or to the last one.
    fn advance(&mut self, lead: &mut Lead<'a>, depth: u32) -> Result<(), Rejection> {
        let Some(led) = &mut lead.led else { return Ok(()) };
        let done = led.walk.depth();
        for level in lead.levels.iter().filter(|level| level.depth > done && level.depth <= depth) {
            led.walk.step(level, &led.bounds, led.mode)?;
            led.hold();
        }
        self.evidence.note_if_exhausted(&led.walk, false);
        Ok(())
    }

    /// Enters what the following levels show about a length that they serve.
    fn follows(&mut self, length: u32, half: &SecondHalf) -> Result<(), Rejection> {
        match &half.walk {
            Some(walk) => self.evidence.add_refutation(Refuted::by_goal(self.claim(length), walk)?),
            None => {
                let first = half.first;
                self.evidence
                    .note_unchecked(length, format!("length {length}: the levels of length {first} were not checked"));
            }
        }
        Ok(())
    }

    /// Trailing levels meet all open second halves: B_i, the mirrored reversal of a solution of l moves whose A_m is on
    /// the last following level m, has B_(l - m) = ρ(A_m). Returns how many states were sampled, if they were walked.
    fn meet(
        &mut self,
        lead: &mut Lead<'a>,
        trailing: Levels<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<Option<Sampled>, Rejection> {
        let open: Vec<&mut SecondHalf> = lead.halves.iter_mut().filter(|half| half.open).collect();
        let (mut ends, mut lengths) = (Vec::new(), Vec::new());
        for half in open {
            // Trailing levels that have met a second half do not meet it again.
            half.open = false;
            lengths.extend(half.first..=half.last);
            ends.push(half.walk.as_ref().map(|walk| (walk, half.first, half.last)));
        }
        let (Some(ends), Some(mode)) = (ends.into_iter().collect::<Option<Vec<_>>>(), mode) else {
            for length in lengths {
                let why = format!("length {length}: trailing levels, without all that they come to meet");
                self.evidence.note_unchecked(length, why);
            }
            return Ok(None);
        };
        let by_then: Vec<_> = ends.iter().map(|(walk, _, last)| (*walk, last - walk.depth())).collect();
        let bounds = [self.databases()?.toward_images(&by_then, 0)?];
        let mut behind = self.begin(trailing, false)?;
        let mut rest = trailing[1..].iter();
        loop {
            for &(ahead, first, last) in &ends {
                for length in first..=last {
                    if is_refuted(&self.record.runs, length) && !self.evidence.has(length) {
                        self.evidence.add_refutation(Refuted::by_trailing(self.claim(length), ahead, &behind)?);
                    }
                }
            }
            let Some(level) = rest.next() else { break };
            behind.step(level, &bounds, mode)?;
        }
        self.evidence.note_if_exhausted(&behind, false);
        Ok(Some(behind.sampled))
    }

    /// Walks the rest of the leading levels: a solution may end the search before the last of them is needed.
    fn finish(&mut self, mut lead: Lead<'a>) -> Result<(), Rejection> {
        self.advance(&mut lead, u32::MAX)
    }
}
