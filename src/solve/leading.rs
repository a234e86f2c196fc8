//! The leading half and the following one (design: pattern databases guide both, nothing is guessed).
//!
//! Levels 0 to N hold only what can still come to a middle that is at least half way; some shortest solution has one,
//! or its mirrored reversal has. From those middles, levels N + 1 on follow to the target.
//!
//! One leading half serves several lengths. Let F(L) be the leading levels for L moves. A state that some solution of
//! l < L moves has on level i <= l / 2 is on F(L), too, where the solution's middle is admissible for l: it is nearer to
//! that middle than N - i, and the middle (for odd l perhaps the state after it, which then leads by more) is admissible
//! for L. So F(L) refutes every length up to L, each by what follows from its own middles on level l / 2 of F(L).

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

use super::{Answer, Attempt, Side, Trail, TransferSearch, exhausted};
use crate::bound::database::Middles;
use crate::bound::middle::FromMiddles;
use crate::cells::Cells;
use crate::job::Pruning;
use crate::key::Key;
use crate::problem;
use crate::puzzle::transfer::TransferPuzzle;
use crate::search::Stopped;

/// What follows from a middle level toward solutions of up to so many moves, and what comes to meet it.
struct Way<K> {
    length: u32,
    ahead: Trail<K>,
    behind: Trail<K>,
}

impl<K: Key> Way<K> {
    fn new(length: u32) -> Self {
        let ahead = Trail::new(format!("L{length}"), Side::Following);
        Self { length, ahead, behind: Trail::new(format!("L{length}-trailing"), Side::Trailing) }
    }
}

/// A solution and its length.
pub(super) type Solution<const W: usize> = (u32, Vec<Cells<W>>);

impl<const W: usize, K: Key> TransferSearch<'_, W, K> {
    /// Whether halves lead.
    pub(super) fn leads(&self) -> bool {
        matches!(self.pruning, Pruning::Leading { .. }) && self.symmetries.mirror.is_some()
    }

    /// Whether one search can decide several lengths.
    pub(super) fn decides_several(&self) -> bool {
        self.leads() && !self.palindromic
    }

    /// Decides `lengths` one after another by one leading half, until one has a solution; what came of each goes into
    /// `attempts`. Only the first has the leading levels among its own, and of two lengths with the same middle level
    /// only the first has what follows from there.
    pub(super) fn leading(&self, lengths: RangeInclusive<u32>, attempts: &mut Vec<Attempt<Cells<W>>>) {
        let (first, mut top) = lengths.into_inner();
        let mut begun = Instant::now();
        let trail = loop {
            let mut trail = Trail::new(format!("L{top}"), Side::Leading);
            let led = self.extend_databases(top).and_then(|()| self.lead(first..=top, true, &mut trail));
            match led {
                Ok(Some((length, _))) if length > first => top = length - 1,
                led => {
                    let up_to = (top > first).then_some(top);
                    let answer = match led {
                        Ok(Some((_, walk))) => Answer::Found(walk),
                        Ok(None) => Answer::Refuted,
                        Err(stopped) => Answer::Stopped(stopped),
                    };
                    let refuted = matches!(answer, Answer::Refuted);
                    let levels = trail.figures.clone();
                    attempts.push(Attempt { up_to, levels, ..Attempt::of(first, answer, begun) });
                    if !refuted {
                        return;
                    }
                    break trail;
                }
            }
        };
        begun = Instant::now();
        for middle in first / 2..=top / 2 {
            let (a, b) = (first.max(2 * middle), top.min(2 * middle + 1));
            let mut way = Way::new(b);
            let mut found = self.through_middles(a..=b, top, &trail, &mut way).transpose();
            let mut levels = way.ahead.figures.split_off(way.ahead.figures.len().min(middle as usize + 1));
            levels.append(&mut way.behind.figures);
            // Asked of the greatest length alone, where everything that leads is followed.
            let seen = exhausted(&[&trail.figures[..], &levels].concat());
            for length in a..=b {
                let answer = match found.take_if(|f| f.as_ref().map_or(true, |&(shortest, _)| shortest == length)) {
                    Some(Ok((_, walk))) => Answer::Found(walk),
                    Some(Err(stopped)) => Answer::Stopped(stopped),
                    None if length == top && seen => Answer::Exhausted,
                    None => Answer::Refuted,
                };
                let ends = !matches!(answer, Answer::Refuted);
                let attempt = Attempt::of(length, answer, std::mem::replace(&mut begun, Instant::now()));
                if length > first {
                    attempts.push(attempt);
                } else {
                    attempts[0].answer = attempt.answer;
                    attempts[0].seconds += attempt.seconds;
                }
                if length == a
                    && let Some(own) = attempts.last_mut()
                {
                    own.levels.append(&mut levels);
                    own.shared_with = (way.length > a).then_some(way.length);
                }
                if ends {
                    return;
                }
            }
        }
    }

    /// The shortest solution of one of `lengths`, which have their middle on the same level: that of the leading levels
    /// `trail` for up to `top` moves.
    fn through_middles(
        &self,
        lengths: RangeInclusive<u32>,
        top: u32,
        trail: &Trail<K>,
        way: &mut Way<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (first, last) = (*lengths.start(), *lengths.end());
        let middle = last as usize / 2;
        if trail.levels.get(middle).is_none_or(|level| level.whole() == 0) {
            return Ok(None);
        }
        // The middles hold those of all palindromic solutions, which are quick to tell.
        let mut own = None;
        for length in lengths.clone() {
            if own.is_none()
                && let Answer::Found(walk) = self.meet_own_image(length, &trail.levels[..=middle])?
            {
                own = Some((length, walk));
            }
        }
        if self.palindromic || own.as_ref().is_some_and(|&(length, _)| length == first) {
            return Ok(own);
        }
        if own.is_some() {
            // It remains to refute the length before.
            *way = Way::new(first);
        }
        let Way { length: last, ahead, behind } = way;
        let (last, lengths) = (*last, first..=*last);
        ahead.branch(trail, middle);
        self.follow(last, last < top, ahead)?;
        let target = self.ground.canonical(problem::set(&self.problem.target));
        for length in lengths.clone() {
            let Some(level) = ahead.levels.get(length as usize) else { continue };
            let here = level.contains(target)?;
            if self.expander.exchange().any(here)? {
                let walk = self.armies(&self.trace(&ahead.levels[..=length as usize], target)?);
                return Ok(Some((length, walk)));
            }
        }
        if !ahead.is_dead() && ahead.levels.len() <= last as usize {
            return Ok(self.trail_behind(lengths, ahead, behind)?.or(own));
        }
        Ok(own)
    }

    /// Grows the leading levels for the last of `lengths` as far as its middle, or until one is empty. Where asked to, it
    /// looks ahead from the first large one for the shortest of them, and ends where it finds a solution.
    pub(super) fn lead(
        &self,
        lengths: RangeInclusive<u32>,
        looking: bool,
        trail: &mut Trail<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (databases, first, length) = (self.databases(), *lengths.start(), *lengths.end());
        let half = length / 2;
        let middles = if self.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = Arc::new(self.expander.install(|| databases.to_middles(length, middles, self.crew()))?);
        let bounds = self.with_palindrome(vec![self.pattern(&to_middles, half)], length);
        let puzzle = TransferPuzzle::new(&self.ground, &self.problem.start, bounds.clone());
        self.open(&puzzle, trail);
        while trail.levels.len() <= half as usize && !trail.is_dead() {
            if looking && self.worth_a_look(trail) {
                // Where a solution has been foreseen, one a little shorter is not as easily found.
                let looked_for = if self.foresight.is_blind() { lengths.clone() } else { first..=first };
                for length in looked_for {
                    if let Some(walk) = self.look_ahead(length, &bounds, trail)? {
                        return Ok(Some((length, walk)));
                    }
                }
            }
            self.grow(&puzzle, trail)?;
        }
        Ok(None)
    }

    /// Grows levels from the middles on, to the target unless one is empty or they are outgrown by a trailing half. The
    /// last of `trail` has the middles of solutions of `length` moves; `among` other
    /// states, where it says so.
    pub(super) fn follow(&self, length: u32, among: bool, trail: &mut Trail<K>) -> Result<(), Stopped> {
        let start = &self.problem.start;
        let bound = self.pattern(&self.databases().to_target, length);
        trail.side = Side::Following;
        if among {
            let middles = Arc::new(FromMiddles::new(self.databases(), length));
            self.grow(&TransferPuzzle::new(&self.ground, start, vec![middles, Arc::clone(&bound)]), trail)?;
        }
        let puzzle = TransferPuzzle::new(&self.ground, start, vec![bound]);
        while trail.levels.len() <= length as usize && !trail.is_dead() && !self.outgrown(trail, length / 2) {
            self.grow(&puzzle, trail)?;
        }
        Ok(())
    }
}
