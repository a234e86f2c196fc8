//! The leading half: half of a bidirectional search, then a forward search from the middle states that survive it.
//!
//! Of a solution and its mirrored reversal one is at least half way at the middle, measured by any function that the
//! mirror negates, such as the centroid. So it suffices to look for solutions that lead in this sense. Pattern
//! databases guide both parts (Culberson and Schaeffer, *Pattern databases*, 1998). Unlike in
//! bidirectional heuristic search, the goals of the first half are all states with a centroid of at least 0, not a frontier,
//! and one first half decides several lengths.
//!
//! The leading levels, 0 to N, hold only states that can still reach a middle that leads. The following levels, N + 1
//! and on, lead from those middles to the target.
//!
//! One leading half serves several lengths. Let F(L) be the leading levels for L moves. Let l < L, and let a solution
//! of l moves have a state on level i <= l / 2 and a middle that is eligible for l. Then F(L) has that state on level
//! i, too: it is nearer to the middle than N - i, and the middle (for odd l perhaps the state after it, which leads by
//! more) is eligible for L. So F(L) refutes every length up to L, each by the following levels from its own middles,
//! on level l / 2 of F(L).

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;

use halma_bounds::Bound;
use halma_bounds::abstraction::Table;
use halma_bounds::database::Middles;
use halma_bounds::leading_moves::LeadingMoves;
use halma_bounds::middle::FromMiddles;
use halma_engine::key::Key;
use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_rules::cells::Cells;
use halma_rules::problem;

use super::Solution;
use super::palindrome_probe::PalindromeProbe;
use super::reversals::{Met, Reversals};
use super::setup::Setup;
use super::trailing::{MeetingPoint, Trailing, made_by};
use crate::solve::level_sequence::LevelSequence;
use crate::solve::{Answer, Attempt, LevelFigures, Side, exhausted};

/// The following levels of the lengths that share a middle level.
struct SecondHalf<K> {
    lengths: RangeInclusive<u32>,
    ahead: LevelSequence<K>,
    /// Whether they end before the target, at a large level, to be met by trailing levels.
    open: bool,
    seconds: f64,
}

impl<K: Key> SecondHalf<K> {
    /// From the leading levels for `top` moves, whose labels begin with `stem`.
    ///
    /// Its levels depend on these and on its lengths, and a later process may
    /// decide these lengths by the leading levels for another number of moves. So their labels name both.
    fn new(lengths: RangeInclusive<u32>, top: u32, mut stem: String) -> Self {
        let last = *lengths.end();
        if last < top {
            stem.push_str(&format!("-for-{last}"));
        }
        let ahead = LevelSequence::new(stem, Side::Following);
        Self { lengths, ahead, open: false, seconds: 0.0 }
    }

    fn meeting(&self) -> MeetingPoint<'_, K> {
        MeetingPoint { lengths: self.lengths.clone(), ahead: &self.ahead }
    }
}

/// Where leading levels lead.
enum Led<const W: usize> {
    /// To the middles, by this table.
    ToMiddles(Arc<Table>),
    /// To a palindrome, which a probe has found on the way.
    Found(Solution<W>),
}

/// Which lengths a search probes for palindromes. If a solution is known, a slightly shorter one is not found as easily.
#[derive(Clone, Copy)]
pub(super) enum Probes {
    /// All: no solution is known.
    All,
    /// The first.
    First,
    /// None: the search is short.
    Never,
}

/// The search by leading halves.
pub(super) struct Leading<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
    /// Which lengths to probe for palindromes.
    pub(super) probes: Probes,
    /// The shortest solution found so far that is longer than a length still to be decided.
    pub(super) longer: Option<Solution<W>>,
}

impl<const W: usize, K: Key> Leading<'_, W, K> {
    /// Keeps a solution that is longer than a length still to be decided, unless a shorter one is kept.
    fn keep(&mut self, found: Solution<W>) {
        if self.longer.as_ref().is_none_or(|longer| found.length <= longer.length) {
            self.longer = Some(found);
        }
    }

    /// Decides `lengths` one after another by one leading half, until one has a solution. Returns attempts for the
    /// first one or more of them, without gaps. The lengths that are left remain to be decided. The first attempt alone
    /// has the leading levels among its own. Of two lengths with the same middle level only the first has the following
    /// levels.
    pub(super) fn decide(&mut self, lengths: RangeInclusive<u32>) -> Vec<Attempt<Cells<W>>> {
        let (first, mut top) = lengths.into_inner();
        let begun = Instant::now();
        let (leading, led) = loop {
            let mut leading = LevelSequence::new(self.setup.stem(top), Side::Leading);
            let probed = match self.probes {
                Probes::All => Some(first..=top),
                Probes::First => Some(first..=first),
                Probes::Never => None,
            };
            let to_middles = self.setup.extend_databases(top).and_then(|()| self.to_middles(top));
            let led = to_middles.and_then(|to_middles| {
                let found = self.lead(top, &to_middles, probed, &mut leading)?;
                Ok(found.map_or(Led::ToMiddles(to_middles), Led::Found))
            });
            match led {
                // The shorter lengths remain to be decided.
                Ok(Led::Found(found)) if found.length > first => {
                    top = found.length - 1;
                    self.keep(found);
                }
                led => break (leading, led),
            }
        };
        let seconds = begun.elapsed().as_secs_f64();
        let mut attempts = match led {
            Ok(Led::Found(found)) => vec![Attempt::of(first, Answer::Found(found.walk), Instant::now())],
            Ok(Led::ToMiddles(table)) => self.follow_all(first..=top, &leading, table).attempts(top, &leading.figures),
            Err(stopped) => vec![Attempt::of(first, Answer::Stopped(stopped), Instant::now())],
        };
        let leads = &mut attempts[0];
        leads.up_to = (top > first).then_some(top);
        leads.seconds += seconds;
        leads.levels.splice(..0, leading.figures);
        attempts
    }

    /// The following levels from all middle levels of these lengths, until one has a solution.
    fn follow_all(
        &mut self,
        lengths: RangeInclusive<u32>,
        leading: &LevelSequence<K>,
        to_middles: Arc<Table>,
    ) -> Followed<W, K> {
        let (first, top) = lengths.into_inner();
        // A look-ahead may have pruned a mirrored reversal from the leading levels.
        let setup = self.setup;
        let reversals = setup.problem.pruning.look_ahead().is_none().then_some(Reversals {
            setup,
            top,
            levels: &leading.levels,
            to_middles,
        });
        let (mut halves, mut found) = (Vec::new(), Ok(None));
        for middle in first / 2..=top / 2 {
            let begun = Instant::now();
            let mut half = SecondHalf::new(first.max(2 * middle)..=top.min(2 * middle + 1), top, setup.stem(top));
            found = self.through_middles(top, leading, reversals.as_ref(), &mut half);
            half.seconds = begun.elapsed().as_secs_f64();
            halves.push(half);
            if !matches!(found, Ok(None)) {
                break;
            }
        }
        let covered = reversals.is_some();
        // Trailing levels have a pattern database of their own.
        drop(reversals);
        let begun = Instant::now();
        let mut behind = Vec::new();
        if found.is_ok() {
            match self.meet_all(top, &mut halves, &mut behind) {
                Ok(None) => {}
                shorter_or_stopped => found = shorter_or_stopped,
            }
        }
        Followed { halves, found, covered, behind, behind_seconds: begun.elapsed().as_secs_f64() }
    }

    /// Meets all open second halves by trailing levels, which serve all of them and go into `behind`. If a solution is
    /// found, only the halves up to its length stay, and the levels are those for these.
    fn meet_all(
        &mut self,
        top: u32,
        halves: &mut Vec<SecondHalf<K>>,
        behind: &mut Vec<LevelFigures>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        loop {
            let open: Vec<_> = halves.iter().filter(|half| half.open).map(SecondHalf::meeting).collect();
            let Some(last) = open.last().map(|meeting| *meeting.lengths.start()) else { return Ok(None) };
            // What they are to meet is a part of their labels, because they depend on all of it.
            let met: String = open.iter().map(MeetingPoint::name).collect();
            let mut trailing = LevelSequence::new(format!("{}-trailing{met}", self.setup.stem(top)), Side::Trailing);
            let met = Trailing { setup: self.setup }.decide(&open, &mut trailing);
            *behind = trailing.figures;
            match met? {
                Some(found) if found.length < last => {
                    halves.retain(|half| *half.lengths.start() <= found.length);
                    self.keep(found);
                }
                met => return Ok(met),
            }
        }
    }

    /// The shortest solution among the lengths of `half` that the following levels from their middle level reach,
    /// without trailing levels.
    fn through_middles(
        &mut self,
        top: u32,
        leading: &LevelSequence<K>,
        reversals: Option<&Reversals<'_, W, K>>,
        half: &mut SecondHalf<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let setup = self.setup;
        let (first, last) = half.lengths.clone().into_inner();
        let middle = first as usize / 2;
        if leading.levels.get(middle).is_none_or(|level| level.whole() == 0) {
            return Ok(None);
        }
        half.ahead.branch(leading, middle);
        let mut met = match reversals.filter(|_| !setup.problem.palindromic) {
            Some(reversals) => reversals.meet(first..=last, &half.ahead)?,
            None => None,
        };
        // The middles include those of all palindromic solutions, which are quick to test. If all are covered, their
        // mirror images would have been met.
        let palindrome = match met {
            Some(Met::Nothing { some_uncovered: false, .. }) => None,
            _ => self.palindrome_at(first..=last, &leading.levels[..=middle])?,
        };
        if setup.problem.palindromic || palindrome.as_ref().is_some_and(|found| found.length == first) {
            return Ok(palindrome);
        }
        if let Some(found) = &palindrome {
            // The shorter length remains to be refuted.
            *half = SecondHalf::new(first..=first, top, setup.stem(top));
            met = None;
            self.keep(found.clone());
        }
        let found = self.follow_until_shortest(top, leading, reversals, met, half)?;
        if found.as_ref().is_some_and(|found| found.length == first) {
            return Ok(found);
        }
        if let Some(reached) = self.reaches_target(half)? {
            return Ok(Some(reached));
        }
        half.open = !half.ahead.is_dead() && !half.ahead.has(*half.lengths.end());
        Ok(palindrome.or(found))
    }

    /// The shortest palindrome of these lengths with its middle on the last of `levels`.
    fn palindrome_at(&self, lengths: RangeInclusive<u32>, levels: &[Level<K>]) -> Result<Option<Solution<W>>, Stopped> {
        for length in lengths {
            if let Answer::Found(walk) = self.setup.meet_own_image(length, levels)? {
                return Ok(Some(Solution { length, walk }));
            }
        }
        Ok(None)
    }

    /// Grows the following levels of `half`. If they find a solution of its second length, `half` becomes that of its
    /// first length alone, and they grow anew. Returns a solution of the first length, or else one of the second.
    fn follow_until_shortest(
        &mut self,
        top: u32,
        leading: &LevelSequence<K>,
        reversals: Option<&Reversals<'_, W, K>>,
        mut met: Option<Met<W>>,
        half: &mut SecondHalf<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let first = *half.lengths.start();
        let mut longer = None;
        loop {
            let last = *half.lengths.end();
            half.ahead.branch(leading, first as usize / 2);
            match self.follow(first..=last, last < top, reversals, met.take(), &mut half.ahead)? {
                Some(found) if found.length > first => {
                    // The shorter length remains to be refuted.
                    *half = SecondHalf::new(first..=first, top, self.setup.stem(top));
                    self.keep(found.clone());
                    longer = longer.or(Some(found));
                }
                Some(found) => return Ok(Some(found)),
                None => return Ok(longer),
            }
        }
    }

    /// The shortest solution among the lengths of `half` of which the following levels have the target.
    fn reaches_target(&self, half: &SecondHalf<K>) -> Result<Option<Solution<W>>, Stopped> {
        let (setup, ahead) = (self.setup, &half.ahead);
        let target = setup.tables.states.canonical(problem::set(&setup.problem.transfer.target));
        for length in half.lengths.clone() {
            let Some(level) = ahead.levels.get(length as usize) else { continue };
            let here = level.contains(target)?;
            if setup.engine.expander.exchange().any(here)? {
                let walk = setup.armies(&setup.trace(&ahead.levels[..=length as usize], target)?)?;
                return Ok(Some(Solution { length, walk }));
            }
        }
        Ok(None)
    }

    /// D_M: the distances to the middles for `length` moves.
    pub(super) fn to_middles(&self, length: u32) -> Result<Arc<Table>, Stopped> {
        let setup = self.setup;
        let middles = if setup.problem.palindromic { Middles::Palindromic } else { Middles::Leading };
        let to_middles = || setup.databases().to_middles(length, middles, setup.work_context());
        Ok(Arc::new(setup.engine.expander.install(to_middles)?))
    }

    /// Grows the leading levels for `length` up to its middle, or until one is empty. From the first large one it
    /// probes for a palindromic solution of one of the `probed` lengths, and ends if it finds one.
    pub(super) fn lead(
        &self,
        length: u32,
        to_middles: &Arc<Table>,
        probed: Option<RangeInclusive<u32>>,
        leading: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (setup, engine, half) = (self.setup, self.setup.engine, length / 2);
        let bounds = setup.with_palindrome(vec![setup.pattern(to_middles, half)], length);
        let puzzle = setup.puzzle(bounds.clone()).filtered(setup.filter(to_middles, half, 0));
        let probe = PalindromeProbe { setup, bounds: &bounds };
        engine.open(&puzzle, leading);
        while !leading.has(half) && !leading.is_dead() {
            if let Some(lengths) = probed.clone().filter(|_| probe.is_worth_it(&leading.figures)) {
                for length in lengths {
                    if let Some(walk) = probe.probe(length, leading)? {
                        return Ok(Some(Solution { length, walk }));
                    }
                }
            }
            engine.grow(&puzzle, leading)?;
        }
        Ok(None)
    }

    /// Grows the following levels, up to the target unless one is empty or trailing levels are the better way. The last
    /// level of `ahead` has the middles of solutions of `lengths` moves, and other states if `has_other_states` is set.
    /// `lengths` is one length, or an even one and the next. `met` is what that level has met of `reversals`, if it was
    /// asked already.
    pub(super) fn follow(
        &self,
        lengths: RangeInclusive<u32>,
        has_other_states: bool,
        reversals: Option<&Reversals<'_, W, K>>,
        mut met: Option<Met<W>>,
        ahead: &mut LevelSequence<K>,
    ) -> Result<Option<Solution<W>>, Stopped> {
        let (setup, engine, length) = (self.setup, self.setup.engine, *lengths.end());
        let databases = setup.databases();
        let to_target = &databases.to_target;
        let (bound, filter) = (setup.pattern(to_target, length), setup.filter(to_target, length, 0));
        ahead.side = Side::Following;
        ahead.stem.push_str(made_by(&lengths));
        if reversals.is_some() {
            // Earlier programs expanded all states.
            ahead.stem.push_str("-covered");
        }
        let mut from_middles: Vec<Arc<dyn Bound<W>>> = Vec::new();
        if has_other_states {
            from_middles.push(Arc::new(FromMiddles::new(databases, length)));
        }
        #[cfg(any(test, feature = "testing"))]
        let lengths = match engine.expander.fault {
            Some(crate::fault::Fault::OddMovesOnly) => length..=length,
            _ => lengths,
        };
        if let Some(moves) = LeadingMoves::new(&databases.abstraction, lengths.clone()) {
            from_middles.push(Arc::new(moves));
        }
        // Few states are not covered, if any are.
        let outgrown =
            |ahead: &LevelSequence<K>| reversals.is_none() && Trailing { setup }.is_better_than(ahead, length / 2);
        while !ahead.has(length) && !ahead.is_dead() && !outgrown(ahead) {
            if met.is_none()
                && let Some(reversals) = reversals
            {
                met = reversals.meet(lengths.clone(), ahead)?;
            }
            let mut is_covered = false;
            match met.take() {
                Some(Met::Solution(found)) => return Ok(Some(found)),
                Some(Met::Nothing { bound, some_uncovered }) => {
                    from_middles.push(Arc::new(bound));
                    is_covered = !some_uncovered;
                }
                None => {}
            }
            from_middles.push(Arc::clone(&bound));
            let puzzle = setup.puzzle(std::mem::take(&mut from_middles)).filtered(filter.clone());
            if is_covered { engine.grow_empty(&puzzle, ahead)? } else { engine.grow(&puzzle, ahead)? }
        }
        Ok(None)
    }
}

/// The results of the second halves.
struct Followed<const W: usize, K> {
    halves: Vec<SecondHalf<K>>,
    found: Result<Option<Solution<W>>, Stopped>,
    /// Whether they leave out what the leading levels would have met.
    covered: bool,
    /// The trailing levels that met them.
    behind: Vec<LevelFigures>,
    behind_seconds: f64,
}

impl<const W: usize, K: Key> Followed<W, K> {
    /// An attempt for each length of the halves, up to the first that found a solution or was not finished; `top` is the
    /// last length that the `leading` levels serve. The first length of a half has its levels. The trailing levels go to
    /// the last of the halves that they met.
    fn attempts(self, top: u32, leading: &[LevelFigures]) -> Vec<Attempt<Cells<W>>> {
        let Self { halves, found, covered, mut behind, behind_seconds } = self;
        let undecided = halves.iter().find(|half| half.open).or(halves.last()).map(|half| *half.lengths.start());
        let end = match &found {
            Ok(Some(found)) => found.length,
            Ok(None) => top,
            Err(_) => undecided.unwrap_or(top),
        };
        let mut answer_at_end = match found {
            Ok(found) => found.map(|found| Answer::Found(found.walk)),
            Err(stopped) => Some(Answer::Stopped(stopped)),
        };
        let meant = |half: &SecondHalf<K>| *half.lengths.start() <= end;
        let met = halves.iter().rposition(|half| half.open && meant(half));
        if met != halves.iter().rposition(|half| half.open) {
            // They were not finished, and the record does not say what they were derived from.
            behind.clear();
        }
        let mut attempts = Vec::new();
        for (number, mut half) in halves.into_iter().enumerate().take_while(|(_, half)| meant(half)) {
            let (start, last) = half.lengths.into_inner();
            let mut levels = half.ahead.figures.split_off(half.ahead.figures.len().min(start as usize / 2 + 1));
            if met == Some(number) {
                levels.append(&mut behind);
                half.seconds += behind_seconds;
            }
            let place = attempts.len();
            // Only the greatest length can say this, because only there every state that leads is followed, and only if none
            // is covered.
            let seen = (levels.is_empty() || !covered) && exhausted(&[leading, &levels].concat());
            // Not up to `last`: if the odd length has a solution that is known already, the half was made for the even
            // length alone.
            for length in start..=end.min(start / 2 * 2 + 1) {
                let answer = match answer_at_end.take_if(|_| length == end) {
                    Some(answer) => answer,
                    None if length == top && seen => Answer::Exhausted,
                    None => Answer::Refuted,
                };
                attempts.push(Attempt { seconds: 0.0, ..Attempt::of(length, answer, Instant::now()) });
            }
            let own = &mut attempts[place];
            own.covered = covered;
            (own.levels, own.seconds, own.shared_with) = (levels, half.seconds, (last > start).then_some(last));
        }
        attempts
    }
}
