//! Half of a bidirectional search, and a forward search from the middle positions that survive it.
//!
//! Of a solution and its mirrored reversal one is at least half way at the middle, measured by any function that the
//! mirror negates; so it is enough to look for those. Pattern databases guide both parts (Culberson and Schaeffer,
//! *Pattern databases*, 1998). It departs from bidirectional heuristic search in that the goals of the first half are a
//! half space, not a frontier, and that one first half decides several lengths.
//!
//!
//! Levels 0 to N hold only what can still come to a middle that is at least half way; some shortest solution has one,
//! or its mirrored reversal has. From those middles, levels N + 1 on follow to the target.
//!
//! One leading half serves several lengths. Let F(L) be the leading levels for L moves. A state that some solution of l
//! < L moves has on level i <= l / 2 is on F(L), too, where the solution's middle is admissible for l: it is nearer to
//! that middle than N - i, and the middle (for odd l perhaps the state after it, which then leads by more) is
//! admissible for L. So F(L) refutes every length up to L, each by what follows from its own middles on level l / 2 of
//! F(L).

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

use halma_bounds::database::Middles;
use halma_bounds::middle::FromMiddles;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_puzzles::transfer::TransferPuzzle;
use halma_rules::cells::Cells;
use halma_rules::job::Pruning;
use halma_rules::problem;

use super::trailing::MeetingPoint;
use super::{Answer, Attempt, LevelFigures, LevelSequence, Side, Solution, TransferSearch, exhausted};

/// What follows from the middle level of lengths that have it in common.
struct SecondHalf<K> {
    lengths: RangeInclusive<u32>,
    ahead: LevelSequence<K>,
    /// Whether it ends before the target, large, to be met from behind.
    open: bool,
    seconds: f64,
}

impl<K: Key> SecondHalf<K> {
    fn new(lengths: RangeInclusive<u32>) -> Self {
        let ahead = LevelSequence::new(format!("L{}", lengths.end()), Side::Following);
        Self { lengths, ahead, open: false, seconds: 0.0 }
    }

    fn meeting(&self) -> MeetingPoint<'_, K> {
        MeetingPoint { lengths: self.lengths.clone(), ahead: &self.ahead }
    }
}

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
            let mut trail = LevelSequence::new(format!("L{top}"), Side::Leading);
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
        let (mut ways, mut found) = (Vec::new(), Ok(None));
        for middle in first / 2..=top / 2 {
            begun = Instant::now();
            let mut way = SecondHalf::new(first.max(2 * middle)..=top.min(2 * middle + 1));
            found = self.through_middles(top, &trail, &mut way);
            way.seconds = begun.elapsed().as_secs_f64();
            ways.push(way);
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        begun = Instant::now();
        let mut behind = Vec::new();
        if found.is_ok() {
            match self.meet_all(&mut ways, &mut behind) {
                Ok(None) => {}
                shorter_or_stopped => found = shorter_or_stopped,
            }
        }
        let behind = (behind, begun.elapsed().as_secs_f64());
        self.report(ways, found, behind, (top, &trail), attempts);
    }

    /// Meets all open ways from behind, by levels that serve all of them and go into `behind`. Where a solution is found,
    /// only the ways as far as that one stay, and the levels are those for these.
    fn meet_all(
        &self,
        ways: &mut Vec<SecondHalf<K>>,
        behind: &mut Vec<LevelFigures>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        loop {
            let open: Vec<_> = ways.iter().filter(|way| way.open).map(SecondHalf::meeting).collect();
            let Some((first, last)) = open.first().zip(open.last()) else { return Ok(None) };
            let stem = format!("L{}-{}-trailing", first.lengths.start(), last.lengths.end());
            let (mut trail, last) = (LevelSequence::new(stem, Side::Trailing), *last.lengths.start());
            let met = self.trail_behind(&open, &mut trail);
            *behind = trail.figures;
            match met? {
                Some((length, _)) if length < last => ways.retain(|way| *way.lengths.start() <= length),
                met => return Ok(met),
            }
        }
    }

    /// Enters an attempt for each length of `ways`, as far as something was `found` or not finished. The levels that came
    /// to meet them stand with the last of the ways that they met.
    fn report(
        &self,
        ways: Vec<SecondHalf<K>>,
        found: Result<Option<Solution<W>>, Stopped>,
        (mut behind, behind_seconds): (Vec<LevelFigures>, f64),
        (top, trail): (u32, &LevelSequence<K>),
        attempts: &mut Vec<Attempt<Cells<W>>>,
    ) {
        let undecided = ways.iter().find(|way| way.open).or(ways.last()).map(|way| *way.lengths.start());
        let end = match &found {
            Ok(Some((length, _))) => *length,
            Ok(None) => top,
            Err(_) => undecided.unwrap_or(top),
        };
        let mut last = match found {
            Ok(found) => found.map(|(_, walk)| Answer::Found(walk)),
            Err(stopped) => Some(Answer::Stopped(stopped)),
        };
        let meant = |way: &SecondHalf<K>| *way.lengths.start() <= end;
        let met = ways.iter().rposition(|way| way.open && meant(way));
        if met != ways.iter().rposition(|way| way.open) {
            // They were not finished, and nobody could derive them from what is told of the ways.
            behind.clear();
        }
        for (number, mut way) in ways.into_iter().enumerate().take_while(|(_, way)| meant(way)) {
            let (a, b) = way.lengths.into_inner();
            let mut levels = way.ahead.figures.split_off(way.ahead.figures.len().min(a as usize / 2 + 1));
            if met == Some(number) {
                levels.append(&mut behind);
                way.seconds += behind_seconds;
            }
            // Asked of the greatest length alone, where everything that leads is followed.
            let seen = exhausted(&[&trail.figures[..], &levels].concat());
            for length in a..=end.min(a / 2 * 2 + 1) {
                let answer = match last.take_if(|_| length == end) {
                    Some(answer) => answer,
                    None if length == top && seen => Answer::Exhausted,
                    None => Answer::Refuted,
                };
                let seconds = std::mem::take(&mut way.seconds);
                match attempts.first_mut().filter(|attempt| attempt.length == length) {
                    Some(first) => {
                        first.answer = answer;
                        first.seconds += seconds;
                    }
                    None => attempts.push(Attempt { seconds, ..Attempt::of(length, answer, Instant::now()) }),
                }
                if length == a
                    && let Some(own) = attempts.last_mut()
                {
                    own.levels.append(&mut levels);
                    own.shared_with = (b > a).then_some(b);
                }
            }
        }
    }

    /// The shortest solution that what follows from the middle level of the leading levels `trail` has, among the lengths
    /// of `way`, before anything comes to meet it.
    fn through_middles(
        &self,
        top: u32,
        trail: &LevelSequence<K>,
        way: &mut SecondHalf<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (first, last) = way.lengths.clone().into_inner();
        let middle = first as usize / 2;
        if trail.levels.get(middle).is_none_or(|level| level.whole() == 0) {
            return Ok(None);
        }
        // The middles hold those of all palindromic solutions, which are quick to tell.
        let mut own = None;
        for length in first..=last {
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
            *way = SecondHalf::new(first..=first);
        }
        let SecondHalf { lengths, ahead, open, .. } = way;
        let last = *lengths.end();
        ahead.branch(trail, middle);
        self.follow(last, last < top, ahead)?;
        let target = self.tables.canonical(problem::set(&self.problem.target));
        for length in lengths.clone() {
            let Some(level) = ahead.levels.get(length as usize) else { continue };
            let here = level.contains(target)?;
            if self.expander.exchange().any(here)? {
                let walk = self.armies(&self.trace(&ahead.levels[..=length as usize], target)?)?;
                return Ok(Some((length, walk)));
            }
        }
        *open = !ahead.is_dead() && ahead.levels.len() <= last as usize;
        Ok(own)
    }

    /// Grows the leading levels for the last of `lengths` as far as its middle, or until one is empty. Where asked to, it
    /// looks ahead from the first large one for the shortest of them, and ends where it finds a solution.
    pub(super) fn lead(
        &self,
        lengths: RangeInclusive<u32>,
        looking: bool,
        trail: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (databases, first, length) = (self.databases(), *lengths.start(), *lengths.end());
        let half = length / 2;
        let middles = if self.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = Arc::new(self.expander.install(|| databases.to_middles(length, middles, self.context()))?);
        let bounds = self.with_palindrome(vec![self.pattern(&to_middles, half)], length);
        let puzzle = TransferPuzzle::new(&self.tables, &self.problem.start, bounds.clone());
        let puzzle = puzzle.sifted(self.filter(&to_middles, half, 0));
        self.open(&puzzle, trail);
        while trail.levels.len() <= half as usize && !trail.is_dead() {
            if looking && self.worth_a_look(trail) {
                // Where a solution has been foreseen, one a little shorter is not as easily found.
                let looked_for = if self.upper_bound.is_blind() { lengths.clone() } else { first..=first };
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
    pub(super) fn follow(&self, length: u32, among: bool, trail: &mut LevelSequence<K>) -> Result<(), Stopped> {
        let start = &self.problem.start;
        let to_target = &self.databases().to_target;
        let (bound, filter) = (self.pattern(to_target, length), self.filter(to_target, length, 0));
        trail.side = Side::Following;
        if among {
            let middles = Arc::new(FromMiddles::new(self.databases(), length));
            let puzzle = TransferPuzzle::new(&self.tables, start, vec![middles, Arc::clone(&bound)]);
            self.grow(&puzzle.sifted(filter.clone()), trail)?;
        }
        let puzzle = TransferPuzzle::new(&self.tables, start, vec![bound]).sifted(filter);
        while trail.levels.len() <= length as usize && !trail.is_dead() && !self.outgrown(trail, length / 2) {
            self.grow(&puzzle, trail)?;
        }
        Ok(())
    }
}
