//! Hall: an admissible bound by Hall's condition (1935): without slack the ladders must grow as fast as men enter.
//!
//! At σ = 0 every winner's move enters and fills no rung below the front. Before the winner's k-th entry the loser has
//! made f moves, k - 1 of them or k according to whose turn it is, and each filled at most one rung. Let cost(y) be
//! the number of rungs that man y still misses, on lines of one direction. With e + o = f of the fills on rungs of the
//! even and of the odd men at most
//!
//! ```text
//! max over e + o = f of #{even men: cost <= e} + #{odd men: cost <= o}
//! ```
//!
//! men can have entered, and that must be k at least, for every k up to s: Hall's condition, since of two men of one
//! parity the higher one's rungs are among the lower one's.
//!
//! Under 8 moves a jump along the long diagonal goes from c to c + 4 over c + 2, one along a column or row from c to
//! c + 2 over c + 1. Then cost(y) is the length of a shortest path over lines whose edges, forward and backward, weigh 1
//! where their rung is missing; an edge has one rung and a rung one edge of each parity, so no fill is counted twice.
//! Even and odd men may share fills, so the condition is only #{men: cost <= f} >= k. A man within a step of the front costs 0.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::lines::{Lines, MAX_LINES, View, ViewBound};
use super::{GameBound, MOST_SLACK_PAID, Position, goal};

/// The bound.
pub struct Hall<const W: usize> {
    base: Cells<W>,
    lines: Vec<Lines<W>>,
}

/// More rungs than any man can miss.
const COSTS: usize = MAX_LINES / 2 + 1;

/// Men of each parity by the fills that they wait for.
type Waiting = [[u32; COSTS]; 2];

/// The lines of one direction, as this bound looks at them.
pub(super) struct HallOnLines<'a, const W: usize>(pub(super) &'a Lines<W>);

impl<const W: usize> Hall<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let lines = Lines::all(game, winner).into_iter().filter(|lines| lines.stride <= 2).collect();
        Self { base: goal(game, winner), lines }
    }
}

/// Missing rungs by line, where a step changes the line by two.
fn costs_of_wide_steps<const W: usize>(lines: &Lines<W>, occupied: u32) -> [u32; MAX_LINES] {
    let mut cost = [COSTS as u32 - 1; MAX_LINES];
    for (line, cost) in cost.iter_mut().enumerate() {
        if line + 2 >= lines.front {
            *cost = 0;
        }
    }
    let missing = |rung: usize| u32::from(rung < lines.front && occupied >> rung & 1 == 0);
    loop {
        let before = cost;
        for line in (0..lines.front).rev() {
            for by in [1, 2] {
                if line + 2 * by < MAX_LINES {
                    cost[line] = cost[line].min(cost[line + 2 * by] + missing(line + by));
                }
                if line >= 2 * by {
                    cost[line] = cost[line].min(cost[line - 2 * by] + missing(line - by));
                }
            }
        }
        if cost == before {
            return cost;
        }
    }
}

fn waiting<const W: usize>(lines: &Lines<W>, view: &View) -> Waiting {
    let mut waiting = [[0; COSTS]; 2];
    let wide = (lines.stride == 2).then(|| costs_of_wide_steps(lines, view.occupied));
    let mut rest = view.lines;
    while rest != 0 {
        let line = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        let (parity, cost) = match wide {
            Some(cost) => (0, cost[line]),
            None if line >= lines.front => (line % 2, 0),
            None => (line % 2, (lines.rungs(line) & !view.occupied).count_ones()),
        };
        waiting[parity][cost as usize] += u32::from(view.outside[line]);
    }
    waiting
}

/// Men of a parity that are compared at a time.
const LANES: usize = 32;

/// Men whose costs are written at a time.
const AT_ONCE: usize = 4;

/// The costs of the men of either parity, ascending.
struct SortedCosts {
    /// After the last man the greatest number.
    costs: [[u8; LANES + AT_ONCE]; 2],
    men: [usize; 2],
}

/// The costs where a step changes the line by one: the higher a man of one parity, the fewer rungs he misses.
#[inline]
fn sorted_costs<const W: usize>(lines: &Lines<W>, view: &View) -> SortedCosts {
    let mut sorted = SortedCosts { costs: [[u8::MAX; LANES + AT_ONCE]; 2], men: [0; 2] };
    let mut rest = view.lines;
    while rest != 0 {
        let line = rest.ilog2() as usize;
        rest ^= 1 << line;
        let cost = (lines.rungs(line) & !view.occupied).count_ones() as u8;
        let (costs, first) = (&mut sorted.costs[line % 2], sorted.men[line % 2]);
        let end = first + usize::from(view.outside[line]);
        // Most lines have few men; what is too much is written over.
        for at in (first..end).step_by(AT_ONCE) {
            costs[at % LANES..at % LANES + AT_ONCE].fill(cost);
        }
        sorted.men[line % 2] = end;
    }
    for (costs, &men) in sorted.costs.iter_mut().zip(&sorted.men) {
        costs[men % LANES..men % LANES + AT_ONCE].fill(u8::MAX);
    }
    sorted
}

/// Hall's condition, for fewer than `L` men. The e cheapest even men and the o cheapest odd men can be the first e + o
/// to enter after as many fills as the dearest of each need together. `least[k]` is the fewest fills over all
/// e + o = k. `L2` is twice `L`.
#[inline]
fn in_time<const L: usize, const L2: usize>(sorted: &SortedCosts, men: usize, first: usize) -> bool {
    let SortedCosts { costs: [even, odd], men: [evens, _] } = sorted;
    let mut least = [u8::MAX; L];
    // The costs of odd men, with that of no man before them.
    let mut padded = [u8::MAX; L2];
    padded[L] = 0;
    padded[L + 1..].copy_from_slice(&odd[..L - 1]);
    for e in 0..=*evens {
        let cost = if e == 0 { 0 } else { even[e - 1] };
        let odd = &padded[L - e..][..L];
        for (least, &odd) in least.iter_mut().zip(odd) {
            *least = (*least).min(odd.saturating_add(cost));
        }
    }
    (1..=men).all(|k| usize::from(least[k]) < k + first)
}

/// The same for men in any number, and for even and odd men who share fills, by counting those who can enter.
fn in_time_by_counting(mut enterable: Waiting, men: u32, first: u32) -> bool {
    if enterable[0][0] + enterable[1][0] == men {
        return true;
    }
    for by_cost in &mut enterable {
        for cost in 1..COSTS {
            by_cost[cost] += by_cost[cost - 1];
        }
    }
    // So many fills serve all men of either parity.
    let enough = 2 * (COSTS - 1);
    for k in 1..=men {
        let fills = ((k - 1 + first) as usize).min(enough);
        let served = |parity: usize, fills: usize| enterable[parity][fills.min(COSTS - 1)];
        let most = (0..=fills).map(|e| served(0, e) + served(1, fills - e)).max();
        if most < Some(k) {
            return false;
        }
        if most == Some(men) || fills == enough {
            break;
        }
    }
    true
}

impl<const W: usize> ViewBound for HallOnLines<'_, W> {
    fn admits(&self, view: &View) -> bool {
        if view.slack != 0 {
            return view.slack > 0;
        }
        let men = view.winner_moves() as usize;
        let first = usize::from(!view.winner_to_move());
        // The loser fills so many before the first entry, and nobody waits for more.
        if self.0.stride == 1 && self.0.missing_rungs(view.lines, view.occupied) <= first as u32 {
            return true;
        }
        if self.0.stride == 1 && men < 16 {
            in_time::<16, 32>(&sorted_costs(self.0, view), men, first)
        } else if self.0.stride == 1 && men < LANES {
            in_time::<LANES, { 2 * LANES }>(&sorted_costs(self.0, view), men, first)
        } else {
            in_time_by_counting(waiting(self.0, view), men as u32, first as u32)
        }
    }

    fn passes(&self, view: &View) -> bool {
        view.slack > 0
    }
}

impl<const W: usize> GameBound<W> for Hall<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        self.lines.iter().all(|lines| HallOnLines(lines).admits(&lines.view(self.base, position)))
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        if position.slack(self.base) > MOST_SLACK_PAID {
            return;
        }
        for lines in &self.lines {
            lines.filter(self.base, position, men, reach, &HallOnLines(lines));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::lattice::Rule;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]
        #[test]
        fn sorted_costs_decide_as_counting_does(
            direction in 0..3usize,
            occupied: u32,
            dense: bool,
            places in proptest::collection::vec(0..32usize, 1..LANES),
            few in proptest::option::of([0..32usize, 0..32usize, 0..32usize]),
            first in 0..2usize,
        ) {
            // Many men on few lines miss many rungs.
            let occupied = if dense { occupied } else { 0 };
            let game = Game::named("16x16", Rule::Six, "triangle-4").unwrap();
            let lines = &Lines::<4>::all(&game, Side::Blue)[direction];
            let mut view =
                View { occupied, lines: 0, outside: [0; MAX_LINES], inside: 0, slack: 0, remaining: 2 * places.len() as u32 };
            for &line in &places {
                let line = few.map_or(line, |few| few[line % 3]) % lines.cells.len();
                view.lines |= 1 << line;
                view.occupied |= 1 << line;
                view.outside[line] += 1;
            }
            let (men, sorted) = (places.len(), sorted_costs(lines, &view));
            let counted = in_time_by_counting(waiting(lines, &view), men as u32, first as u32);
            prop_assert_eq!(in_time::<LANES, { 2 * LANES }>(&sorted, men, first), counted);
            view.remaining = (2 * men - 1 + first) as u32;
            prop_assert_eq!(HallOnLines(lines).admits(&view), counted);
            if men < 16 {
                prop_assert_eq!(in_time::<16, 32>(&sorted, men, first), counted);
            }
        }

        #[test]
        fn counting_decides_for_any_number_of_men_as_every_number_of_entries_by_itself(
            costs in proptest::collection::vec((0..2usize, 0..COSTS), 1..60),
            many in 0..40u32,
            first in 0..2u32,
        ) {
            let mut waiting: Waiting = [[0; COSTS]; 2];
            costs.iter().for_each(|&(parity, cost)| waiting[parity][cost] += 1);
            let (parity, cost) = costs[0];
            waiting[parity][cost] += many;
            let men = costs.len() as u32 + many;
            let served = |parity: usize, fills: usize| waiting[parity].iter().take(fills + 1).sum::<u32>();
            let plain = (1..=men).all(|k| {
                let fills = (k - 1 + first) as usize;
                (0..=fills).any(|e| served(0, e) + served(1, fills - e) >= k)
            });
            prop_assert_eq!(in_time_by_counting(waiting, men, first), plain);
        }
    }
}
