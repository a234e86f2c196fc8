//! The leading half of one length or of several, and what follows from the middles of each.
//!
//! Runs come in groups: the first has the leading levels, for all lengths up to its `up_to`; the others have what follows from
//! their own middles. Levels that follow and end before the target are open until trailing levels come to meet them, which
//! stand with the last run that they meet. A length whose levels stay open has no evidence.

use halma_record::record::{LengthRecord, Side, Verdict};

use super::evidence::Refuted;
use super::level_walk::{Mode, Walk};
use super::rejection::{Rejection, RejectionKind};
use super::search::Searches;
use super::sides::{Levels, Walked, split};
use super::transfer_bounds::Cut;
use super::transfer_model::TransferModel;

/// The leading levels of a group.
struct Lead<'a> {
    /// The greatest length that they serve.
    top: u32,
    levels: Levels<'a>,
    /// As far as they were walked; nothing where they were too large.
    led: Option<Led<'a>>,
    /// What follows from each middle so far.
    ways: Vec<SecondHalf<'a>>,
}

/// A walk over leading levels.
struct Led<'a> {
    walk: Walk<'a, TransferModel>,
    cuts: [Cut; 1],
    mode: Mode<'a>,
}

/// What follows from the middle of lengths that have it in common, as far as it goes.
struct SecondHalf<'a> {
    /// The lengths.
    first: u32,
    last: u32,
    /// Nothing where it was too large.
    walk: Option<Walk<'a, TransferModel>>,
    /// Whether it waits for levels that come to meet it.
    open: bool,
}

/// The sides of a run that follows, and of one that leads: from which levels to which.
fn sides(run: &LengthRecord, top: u32) -> [Walked; 3] {
    let (middle, last) = (run.length / 2, run.shared_with.unwrap_or(run.length));
    [
        Walked { side: Side::Leading, first: 0, last: top / 2 },
        Walked { side: Side::Following, first: middle + 1, last },
        Walked { side: Side::Trailing, first: 0, last: top },
    ]
}

impl<'a> Searches<'a> {
    /// All runs, group by group.
    pub(super) fn groups(&mut self) -> Result<(), Rejection> {
        let mut lead: Option<Lead> = None;
        for run in &self.record.runs {
            let context = |fault: Rejection| fault.in_length(run.length);
            let leads = run.levels.iter().any(|level| level.side == Side::Leading);
            if leads && let Some(before) = lead.take() {
                self.finish(before).map_err(context)?;
            }
            let served = leads || lead.as_ref().is_some_and(|lead| run.length <= lead.top);
            if !served {
                let alone = run.up_to.is_none() && run.shared_with.is_none() || run.verdict == Verdict::Incomplete;
                if !run.levels.is_empty() || !alone {
                    let why = "it has no leading levels, or no leading levels serve it";
                    return Err(context(RejectionKind::Levels.because(why)));
                }
                // Found by a truncated search, or not begun.
                continue;
            }
            let next = match lead.take() {
                Some(lead) => self.go_on(run, lead),
                None => self.lead_on(run),
            };
            lead = Some(next.map_err(context)?);
        }
        lead.map_or(Ok(()), |lead| self.finish(lead))
    }

    /// Begins with a run's leading levels.
    fn lead_on(&mut self, run: &'a LengthRecord) -> Result<Lead<'a>, Rejection> {
        let top = run.up_to.unwrap_or(run.length);
        if run.up_to.is_some_and(|up_to| up_to <= run.length) {
            return RejectionKind::Levels.reject(format!("up_to {top}: that is no greater length"));
        }
        let [levels, ..] = split(run, sides(run, top))?;
        let mode = self.mode(run);
        let led = match mode {
            Some(mode) => {
                let cuts = [self.to_middles(top, false)?];
                Some(Led { walk: self.begin(levels, false)?, cuts, mode })
            }
            None => None,
        };
        self.serve(run, Lead { top, levels, led, ways: Vec::new() }, mode)
    }

    /// Another run of the same group.
    fn go_on(&mut self, run: &'a LengthRecord, lead: Lead<'a>) -> Result<Lead<'a>, Rejection> {
        if run.up_to.is_some() {
            return RejectionKind::Levels.reject("up_to without leading levels");
        }
        let mode = self.mode(run);
        self.serve(run, lead, mode)
    }

    /// What follows from the middle of a run's length, and what comes to meet that.
    fn serve(
        &mut self,
        run: &'a LengthRecord,
        mut lead: Lead<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<Lead<'a>, Rejection> {
        let (length, none) = (run.length, run.verdict == Verdict::None);
        if let Some(way) = lead.ways.last().filter(|way| way.first < length && way.first / 2 == length / 2) {
            // The run before has what follows from this middle, if anybody followed it for this length.
            if !run.levels.is_empty() || run.shared_with.is_some() {
                let why = format!("it has levels that follow from the middle of {} moves", way.first);
                return RejectionKind::Levels.reject(why);
            }
            if way.last >= length && none {
                self.follows(length, way)?;
                self.tell(run, "by levels of shorter lengths");
            }
            return Ok(lead);
        }
        let last = run.shared_with.unwrap_or(length);
        if last > lead.top || last / 2 != length / 2 || last < length || run.shared_with == Some(length) {
            let why = format!("shared_with {last}, which has another middle or no leading levels");
            return RejectionKind::Levels.reject(why);
        }
        let [_, following, trailing] = split(run, sides(run, lead.top))?;
        let way = self.follow(run, &mut lead, following, mode)?;
        if none {
            self.follows(length, &way)?;
        }
        let mut sampled = way.walk.as_ref().map(|walk| walk.sampled);
        lead.ways.push(way);
        if !trailing.is_empty() {
            let met = self.meet(&mut lead, trailing, mode)?;
            sampled = sampled.zip(met).map(|(ahead, behind)| (ahead.0 + behind.0, ahead.1 + behind.1));
        }
        match (sampled, mode) {
            (Some(sampled), Some(mode)) => self.told(run, mode, sampled),
            (Some(_), None) => self.tell(run, "by levels of shorter lengths"),
            (None, _) => {}
        }
        Ok(lead)
    }

    /// Walks the leading levels to the middle of a run, and what follows from there.
    fn follow(
        &mut self,
        run: &'a LengthRecord,
        lead: &mut Lead<'a>,
        following: Levels<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<SecondHalf<'a>, Rejection> {
        let (first, last) = (run.length, run.shared_with.unwrap_or(run.length));
        let middle = first / 2;
        self.advance(lead, middle)?;
        let way = |walk, open| SecondHalf { first, last, walk, open };
        let (Some(Led { walk, .. }), true) = (&lead.led, following.is_empty() || mode.is_some()) else {
            return Ok(way(None, !following.is_empty()));
        };
        if following.is_empty() {
            // Nothing does where that level is empty, or an earlier one; else there is no evidence.
            return Ok(way(Some(walk.branch(Side::Leading)), false));
        }
        if walk.depth() != middle {
            let why = format!("following levels begin after leading level {}", walk.depth());
            return Err(RejectionKind::Levels.because(why).at_level(Side::Leading, walk.depth()));
        }
        let mut walk = walk.branch(Side::Following);
        let databases = self.databases()?;
        let mut cuts = vec![databases.to_target(last)];
        if last < lead.top {
            // Other states of the level are no middles of these lengths: nothing is said of what they lead to.
            cuts.push(databases.after_middles(last));
            walk.leave_some();
        }
        for level in following {
            let mode = mode.ok_or_else(|| RejectionKind::Levels.because("levels that nobody looks at"))?;
            walk.step(level, &cuts, mode)?;
            cuts.truncate(1);
        }
        self.evidence.saw(&walk, false);
        let open = walk.current().len() > 0 && walk.depth() < last;
        Ok(way(Some(walk), open))
    }

    /// Goes on with the leading levels as far as `depth`, or to the last one there is.
    fn advance(&mut self, lead: &mut Lead<'a>, depth: u32) -> Result<(), Rejection> {
        let Some(Led { walk, cuts, mode }) = &mut lead.led else { return Ok(()) };
        let done = walk.depth();
        for level in lead.levels.iter().filter(|level| level.depth > done && level.depth <= depth) {
            walk.step(level, cuts, *mode)?;
        }
        self.evidence.saw(walk, false);
        Ok(())
    }

    /// Enters what the following levels show of a length, given that they serve it.
    fn follows(&mut self, length: u32, way: &SecondHalf) -> Result<(), Rejection> {
        match &way.walk {
            Some(walk) => self.evidence.refutes(Refuted::by_goal(self.claim(length), walk)?),
            None => {
                let first = way.first;
                self.evidence.leave(length, format!("length {length}: the levels of length {first} were not checked"));
            }
        }
        Ok(())
    }

    /// Levels from the other end come to meet all that is open: B_i, the mirrored reversal of a solution of l moves whose A_m is
    /// on the last following level m, has B_(l - m) = ρ(A_m). Gives back how many states were sampled, if they were walked.
    fn meet(
        &mut self,
        lead: &mut Lead<'a>,
        trailing: Levels<'a>,
        mode: Option<Mode<'a>>,
    ) -> Result<Option<(u64, u64)>, Rejection> {
        let open: Vec<&mut SecondHalf> = lead.ways.iter_mut().filter(|way| way.open).collect();
        let (mut ends, mut lengths) = (Vec::new(), Vec::new());
        for way in open {
            // What one search has met no other one does.
            way.open = false;
            lengths.extend(way.first..=way.last);
            ends.push(way.walk.as_ref().map(|walk| (walk, way.first, way.last)));
        }
        let (Some(ends), Some(mode)) = (ends.into_iter().collect::<Option<Vec<_>>>(), mode) else {
            for length in lengths {
                let why = format!("length {length}: trailing levels, without all that they come to meet");
                self.evidence.leave(length, why);
            }
            return Ok(None);
        };
        let by_then: Vec<_> = ends.iter().map(|(walk, _, last)| (*walk, last - walk.depth())).collect();
        let cuts = [self.databases()?.toward_images(&by_then, 0)?];
        let mut behind = self.begin(trailing, false)?;
        let mut rest = trailing[1..].iter();
        loop {
            for &(ahead, first, last) in &ends {
                for length in first..=last {
                    let none = |run: &LengthRecord| run.length == length && run.verdict == Verdict::None;
                    if self.record.runs.iter().any(none) && !self.evidence.has(length) {
                        self.evidence.refutes(Refuted::by_trailing(self.claim(length), ahead, &behind)?);
                    }
                }
            }
            let Some(level) = rest.next() else { break };
            behind.step(level, &cuts, mode)?;
        }
        self.evidence.saw(&behind, false);
        Ok(Some(behind.sampled))
    }

    /// The rest of the leading levels: a solution may end a search before the last of them is needed.
    fn finish(&mut self, mut lead: Lead<'a>) -> Result<(), Rejection> {
        self.advance(&mut lead, u32::MAX)
    }
}
