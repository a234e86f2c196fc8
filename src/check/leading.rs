//! The leading half of one length or of several, and what follows from the middles of each.

use super::cuts::Cut;
use super::ground::Ground;
use super::search::{NOT_ALL_SEEN, Searches, levels};
use super::walk::{Mode, Walk};
use crate::record::{LevelRecord, RunRecord, Side, Verdict};

/// The leading levels that serve lengths up to `top`, walked as far as the lengths so far ask.
pub(super) struct Lead<'a> {
    top: u32,
    walk: Walk<'a, Ground>,
    cuts: Vec<Cut>,
    mode: Mode<'a>,
    rest: std::vec::IntoIter<&'a LevelRecord>,
    /// What contradicts that there is none of the next length, which has its middle on the same level as the last one.
    against_next: Option<String>,
    /// Following levels that nothing has met yet.
    open: Vec<Open<'a>>,
}

/// What follows from the middle of lengths that have it in common, as far as it goes.
struct Open<'a> {
    /// The lengths.
    first: u32,
    last: u32,
    walk: Walk<'a, Ground>,
}

impl Lead<'_> {
    /// Goes on as far as level `depth`, or to the last one there is.
    pub fn advance(&mut self, depth: u32) -> Result<(), String> {
        while self.walk.depth < depth
            && let Some(level) = self.rest.next()
        {
            self.walk.step(level, &self.cuts, self.mode)?;
        }
        Ok(())
    }
}

/// The runs up to this one. A count has a second one for the length found.
fn so_far<'a>(runs: &'a [RunRecord], run: &RunRecord) -> &'a [RunRecord] {
    let at = runs.iter().position(|r| std::ptr::eq(r, run));
    &runs[..at.map_or(0, |at| at + 1)]
}

/// The run whose leading levels serve this one, and the greatest length that they serve.
pub(super) fn leader<'a>(runs: &'a [RunRecord], run: &RunRecord) -> Option<(&'a RunRecord, u32)> {
    let leader = so_far(runs, run).iter().rev().find(|r| r.levels.iter().any(|l| l.side == Side::Leading))?;
    Some((leader, leader.up_to.unwrap_or(leader.length))).filter(|&(_, top)| run.length <= top)
}

/// The run whose levels follow from the middle of this one's length: itself, or the one before where that says so.
fn holder<'a>(runs: &'a [RunRecord], run: &'a RunRecord) -> &'a RunRecord {
    let before = so_far(runs, run).iter().rev().nth(1);
    before.filter(|r| r.shared_with == Some(run.length) && r.length < run.length).unwrap_or(run)
}

/// Whether a refutation has all the levels that it needs: as far as the target, or one that is empty, or one that levels
/// from the other end meet.
pub(super) fn reaches_far_enough(runs: &[RunRecord], run: &RunRecord) -> bool {
    let Some((leader, _)) = leader(runs, run) else { return false };
    let holder = holder(runs, run);
    let last_length = holder.shared_with.unwrap_or(holder.length);
    let died = |level: Option<&LevelRecord>| level.is_some_and(|l| l.states == 0);
    let dead = leader.levels.iter().any(|l| l.side == Side::Leading && l.states == 0 && l.depth <= run.length / 2);
    // Levels that came to meet several are with the last of these.
    let at = runs.iter().position(|r| std::ptr::eq(r, holder)).unwrap_or(runs.len());
    let same = |r: &&RunRecord| self::leader(runs, r).is_some_and(|(other, _)| std::ptr::eq(other, leader));
    let trailing = runs[at..].iter().take_while(same).find_map(|r| r.levels.iter().rfind(|l| l.side == Side::Trailing));
    let following = holder.levels.iter().rfind(|l| l.side == Side::Following);
    dead || died(following)
        || match (following, trailing) {
            (Some(following), Some(trailing)) => {
                died(Some(trailing)) || following.depth + trailing.depth >= last_length
            }
            (Some(following), None) => following.depth == last_length,
            (None, _) => false,
        }
}

impl<'a> Searches<'a> {
    pub(super) fn leading(&mut self, run: &'a RunRecord, mode: Mode<'a>) -> Result<Option<(u64, u64)>, String> {
        let length = run.length;
        let mut lead = match self.lead.take() {
            Some(lead) if length <= lead.top && !run.levels.iter().any(|l| l.side == Side::Leading) => lead,
            _ => match self.lead_on(run, mode)? {
                Some(lead) => lead,
                None => return Ok(None),
            },
        };
        let sampled = self.follow(run, mode, &mut lead)?;
        if length == lead.top {
            lead.advance(u32::MAX)?;
        }
        let last = self.record.runs.last().is_some_and(|r| std::ptr::eq(r, run));
        if last && self.record.exhausted {
            self.seen_all(run, &lead)?;
        }
        self.lead = Some(lead);
        Ok(Some(sampled))
    }

    /// Begins with the run's leading levels.
    fn lead_on(&mut self, run: &'a RunRecord, mode: Mode<'a>) -> Result<Option<Lead<'a>>, String> {
        let length = run.length;
        let Some((leader, top)) = leader(&self.record.runs, run) else {
            return Err("no leading levels serve it".into());
        };
        if !std::ptr::eq(leader, run) {
            let from = leader.length;
            self.report
                .unchecked
                .push(format!("length {length}: the leading levels of length {from} were not checked"));
            return Ok(None);
        }
        let leading = levels(run, Side::Leading);
        let walk = self.begin(&leading, false)?;
        let cuts = vec![self.databases()?.to_middles(top, false)?];
        let mut rest = leading.into_iter();
        rest.next();
        Ok(Some(Lead { top, walk, cuts, mode, rest, against_next: None, open: Vec::new() }))
    }

    /// The levels that follow from the middles of one length, and of the next where that has them on the same level.
    fn follow(&self, run: &'a RunRecord, mode: Mode, lead: &mut Lead<'a>) -> Result<(u64, u64), String> {
        let (length, middle) = (run.length, run.length / 2);
        let none = run.verdict == Verdict::None;
        let (following, trailing) = (levels(run, Side::Following), levels(run, Side::Trailing));
        if !std::ptr::eq(holder(&self.record.runs, run), run) {
            if !following.is_empty() || !trailing.is_empty() {
                return Err(format!("it has levels that follow from the middle of {} moves", length - 1));
            }
            return match lead.against_next.take() {
                Some(why) if none => Err(why),
                _ => Ok((0, 0)),
            };
        }
        let last = run.shared_with.unwrap_or(length);
        if last > lead.top || last / 2 != middle || last < length {
            return Err(format!("shared_with {last}, which has another middle or no leading levels"));
        }
        lead.against_next = None;
        lead.advance(middle)?;
        if lead.walk.depth != middle || lead.walk.current().len() == 0 {
            return match following.first() {
                Some(_) => Err(format!("following levels begin after level {}", lead.walk.depth)),
                None => Ok(lead.walk.sampled),
            };
        }
        let databases = self.databases()?;
        let mut walk = lead.walk.branch("following");
        let mut cuts = vec![databases.to_target(last)];
        if last < lead.top {
            cuts.push(databases.after_middles(last));
        }
        // Lengths that a solution was seen for.
        let mut against = Vec::new();
        for level in &following {
            let met = walk.met_goal;
            walk.step(level, &cuts, mode)?;
            cuts.truncate(1);
            if walk.met_goal && !met {
                against.push((walk.depth, format!("verdict none, but following level {} has the target", walk.depth)));
            }
        }
        let mut sampled = walk.sampled;
        if walk.depth < last && walk.current().len() > 0 {
            lead.open.push(Open { first: length, last, walk });
        }
        if !trailing.is_empty() {
            // B_i, the mirrored reversal of a solution of l moves whose A_m is on the last following level m, has
            // B_(l - m) = ρ(A_m).
            let open = std::mem::take(&mut lead.open);
            let ends: Vec<_> = open.iter().map(|o| (&o.walk, o.last - o.walk.depth)).collect();
            let cuts = [databases.toward_images(&ends, 0)?];
            let mut behind = self.begin(&trailing, false)?;
            for level in &trailing[1..] {
                behind.step(level, &cuts, mode)?;
                for Open { first, last, walk } in &open {
                    let l = behind.depth + walk.depth;
                    if (*first..=*last).contains(&l)
                        && let Err(why) =
                            self.is_none(self.problem.ground.meeting(behind.current(), Some(walk.current()))?)
                    {
                        against.push((l, why));
                    }
                }
            }
            sampled = (sampled.0 + behind.sampled.0, sampled.1 + behind.sampled.1);
        }
        if let Some((l, why)) = against.iter().find(|(l, _)| *l < length) {
            return Err(format!("against {l} moves: {why}"));
        }
        let found = |within: u32| against.iter().find(|(l, _)| *l <= within).map(|(_, why)| why.clone());
        lead.against_next = found(last);
        match found(length).filter(|_| none) {
            Some(why) => Err(why),
            None => Ok(sampled),
        }
    }

    /// Nothing was cut, all levels were walked, and the target is not among them.
    fn seen_all(&self, run: &RunRecord, lead: &Lead) -> Result<(), String> {
        let uncut = |levels: &[&LevelRecord]| levels.iter().all(|l| l.pruned == 0);
        let leader = leader(&self.record.runs, run).map_or(run, |(leader, _)| leader);
        let leading = levels(leader, Side::Leading);
        let died = |levels: &[&LevelRecord]| levels.last().is_some_and(|l| l.states == 0);
        // What follows from the middles of the greatest length follows from all that lead.
        let own = holder(&self.record.runs, run);
        let whole = own.shared_with.unwrap_or(own.length) == lead.top;
        let levels: Vec<&LevelRecord> = own.levels.iter().collect();
        let all = died(&leading) || whole && died(&levels) && uncut(&levels);
        if lead.walk.met_goal || !uncut(&leading) || !all {
            return Err(NOT_ALL_SEEN.into());
        }
        Ok(())
    }
}
