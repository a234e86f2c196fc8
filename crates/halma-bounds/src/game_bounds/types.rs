//! Types: an admissible bound by parity: men that must change their type must step, and few steps enter the base.
//!
//! Only steps change the type of a man (Section 2.1 of the paper). At the end the winner's men of each type are as many as
//! the goal's cells of that type, so at least E = sum over types of max(0, men - cells) men change theirs. Let a be the number
//! of the winner's men that stand outside the base and beside it. Then E - a <= σ.
//!
//! *Proof.* A man that changes his type makes a step. If he makes one that does not enter, that costs slack. If not, he
//! steps into the base from a cell beside it: either he stands there now, and is one of the a, or he came there by a
//! move that did not enter, and that costs slack. Different men make different moves.
//!
//! Under the 4-move rule no single step turns type 0 into 3 or 1 into 2. Let the surplus be E + F steps away from the
//! wanted counts. If v men end two steps from their type and u men one, then u + 2v >= E + F; each of the v costs slack
//! even beside the base, since only one of his steps can be the entering one. So the slack needed is at least the least of
//! v + max(0, E + F - 2v - a) over v <= F (more than F men do not make it less).

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::lattice::Rule;

use super::{GameBound, MOST_SLACK_PAID, Position, beside, goal};

/// The bound.
pub struct Types<const W: usize> {
    base: Cells<W>,
    /// Cells outside the base that have a neighbour in it.
    beside: Cells<W>,
    /// Cells that are neither.
    elsewhere: Cells<W>,
    /// By cell: its type, and 0 in the base, 1 beside it, 2 elsewhere.
    kinds: Vec<(u8, u8)>,
    /// The cells of each type.
    of_type: [Cells<W>; 4],
    /// How many of the base's cells have each type.
    wanted: [i32; 4],
    /// Whether a step changes only one of column and row.
    straight: bool,
}

impl<const W: usize> Types<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let base: Cells<W> = goal(game, winner);
        let lattice = &game.lattice;
        let beside = beside(game, base);
        let of_type = [0, 1, 2, 3].map(|t| (0..lattice.len()).filter(|&c| lattice.board.type_of(c) == t).collect());
        let kind = |c: usize| {
            let place = if base.contains(c) { 0 } else { 2 - u8::from(beside.contains(c)) };
            (lattice.board.type_of(c) as u8, place)
        };
        let kinds: Vec<(u8, u8)> = (0..lattice.len()).map(kind).collect();
        Self {
            base,
            beside,
            elsewhere: (0..lattice.len()).filter(|&c| kinds[c].1 == 2).collect(),
            kinds,
            of_type,
            wanted: of_type.map(|cells: Cells<W>| (cells & base).len() as i32),
            straight: lattice.rule == Rule::Four,
        }
    }

    fn counts(&self, army: Cells<W>) -> [i32; 4] {
        self.of_type.map(|cells| (cells & army).len() as i32)
    }

    /// The slack that the type counts need when `beside` men could step in at once.
    fn needed(&self, counts: [i32; 4], beside: i32) -> i32 {
        let surplus: [i32; 4] = std::array::from_fn(|t| counts[t] - self.wanted[t]);
        let excess = surplus.iter().map(|s| s.max(&0)).sum::<i32>();
        let double = if self.straight {
            // Steps lead from types 0 and 3 to 1 and 2 and back.
            let pair = |a: usize, b: usize, sign: i32| (sign * surplus[a]).max(0) + (sign * surplus[b]).max(0);
            (pair(0, 3, 1) - pair(1, 2, -1)).max(0) + (pair(1, 2, 1) - pair(0, 3, -1)).max(0)
        } else {
            0
        };
        if double == 0 {
            return (excess - beside).max(0);
        }
        (0..=double).map(|v| v + (excess + double - 2 * v - beside).max(0)).min().unwrap_or(0)
    }
}

/// How many men too many there are by type.
struct Tally {
    surplus: [i32; 4],
    excess: i32,
}

impl Tally {
    fn new(surplus: [i32; 4]) -> Self {
        Self { surplus, excess: surplus.iter().map(|s| s.max(&0)).sum() }
    }

    /// E after a man has changed his type.
    #[inline]
    fn excess(&self, old: usize, new: usize) -> i32 {
        let change = i32::from(self.surplus[new] >= 0) - i32::from(self.surplus[old] > 0);
        self.excess + if old == new { 0 } else { change }
    }
}

impl<const W: usize> GameBound<W> for Types<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let beside = (position.winner & self.beside).len() as i32;
        self.needed(self.counts(position.winner), beside) <= position.slack(self.base)
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let counts = self.counts(position.winner);
        let beside = (position.winner & self.beside).len() as i32;
        let slack = position.slack(self.base);
        if !position.winner_to_move() {
            if self.needed(counts, beside) > slack {
                reach.fill(Cells::EMPTY);
            }
            return;
        }
        // One man changes what is needed by at most two steps.
        if self.needed(counts, 0) + 2 <= slack - MOST_SLACK_PAID {
            return;
        }
        let places = [self.base, self.beside, self.elsewhere];
        let tally = Tally::new(std::array::from_fn(|t| counts[t] - self.wanted[t]));
        for (&man, reach) in men.iter().zip(reach) {
            if reach.is_empty() {
                continue;
            }
            let (old, from) = self.kinds[usize::from(man)];
            // The move takes one of the winner's moves, and one man in or out.
            let slack = slack - 1 - i32::from(from == 0);
            let beside = beside - i32::from(from == 1);
            let mut kept = Cells::EMPTY;
            for (to, &place) in places.iter().enumerate() {
                let (slack, beside) = (slack + i32::from(to == 0), beside + i32::from(to == 1));
                let here = *reach & place;
                if here.is_empty() || slack < 0 {
                    continue;
                }
                for (new, &cells) in self.of_type.iter().enumerate() {
                    let fits = if self.straight {
                        let mut counts = counts;
                        counts[usize::from(old)] -= 1;
                        counts[new] += 1;
                        self.needed(counts, beside) <= slack
                    } else {
                        tally.excess(old.into(), new) - beside <= slack
                    };
                    if fits {
                        kept |= here & cells;
                    }
                }
            }
            *reach = kept;
        }
    }
}
