//! The relaxed look-ahead, from its definition in docs/proof.md (lemma 14a), by plain sets of cells.
//!
//! A node has a histogram, the cells of the men who have not moved, and cells where moved men may be. A relaxed move
//! takes a man from his class to another, or within it. The table must then still leave enough moves, and the class
//! must have a cell that the man can really reach: over men who have not moved, or over cells where a moved one may be.
//! Class by class, any man of the class may be the one who moves, and he may be on any cell where one of them may be.

use std::collections::HashSet;
use std::sync::Arc;

use halma_record::job::LookAhead as Kind;

use super::board::Board;
use super::histograms::{Histograms, NEVER};
use super::moves::Set;

/// The most places of a quarter board for which there is a look-ahead.
const MOST_PLACES: i32 = 128;

/// The part that all look-aheads of one record share.
#[derive(Debug)]
pub(super) struct Ahead {
    steps: Vec<Vec<u8>>,
    jumps: Vec<Vec<(u8, u8)>>,
    pub histograms: Arc<Histograms>,
    how: Kind,
}

impl Ahead {
    /// `None` if the board has too many places.
    pub fn new(board: &Board, jumps_only: bool, histograms: &Arc<Histograms>, how: Kind) -> Option<Self> {
        let columns = board.places.iter().map(|(x, _)| x / 2 + 1).max()?;
        let last = board.places.iter().map(|(x, y)| columns * (y / 2) + x / 2).max()?;
        let steps = if jumps_only { vec![Vec::new(); board.len()] } else { board.steps.clone() };
        let (jumps, histograms) = (board.jumps.clone(), Arc::clone(histograms));
        (last < MOST_PLACES).then_some(Self { steps, jumps, histograms, how })
    }

    /// How many of the moves left are tried.
    fn looked_at(&self, left: u32) -> Option<u32> {
        match self.how {
            _ if left == 0 => None,
            Kind::ManByMan(depths) if left <= depths.full.into() => Some(left),
            Kind::ManByMan(depths) => {
                // One fewer for every further move left.
                let (full, least) = (u32::from(depths.full), u32::from(depths.least));
                (2 * full).checked_sub(left).filter(|&looked_at| looked_at > 0 && looked_at >= least)
            }
            Kind::ClassByClass(most) => Some(left.min(most.into())),
        }
    }

    /// Where a man from one of `from` can go, these cells excluded: over `rungs`, landing outside `blocked`.
    fn reach(&self, from: &Set, rungs: impl Fn(u8) -> bool, blocked: &Set) -> Vec<u8> {
        let mut seen = *from;
        let mut see = |cell: u8| {
            let new = !blocked.has(cell) && !seen.has(cell);
            if new {
                seen.flip(cell);
            }
            new
        };
        let mut stood: Vec<u8> = from.cells().collect();
        let (starts, mut at) = (stood.len(), 0);
        while let Some(&here) = stood.get(at) {
            at += 1;
            for &(over, land) in &self.jumps[usize::from(here)] {
                if rungs(over) && see(land) {
                    stood.push(land);
                }
            }
        }
        let mut found = stood.split_off(starts);
        // A step is the whole move, so it is not continued.
        for from in stood {
            found.extend(self.steps[usize::from(from)].iter().copied().filter(|&to| see(to)));
        }
        found
    }
}

/// The look-ahead for walks that reach a histogram within `near` of the table's goal by level `limit`.
#[derive(Clone, Debug)]
pub(super) struct LookAhead {
    pub all: Arc<Ahead>,
    pub table: Arc<Vec<u8>>,
    pub limit: u32,
    pub near: u32,
}

/// A node of the look-ahead; it begins with the number of its histogram.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    rank: u64,
    unmoved: Set,
    maybe: Set,
}

/// Nodes with so many moves left from which nothing leads on.
type Failed = HashSet<(Position, u32)>;

impl LookAhead {
    /// Whether the look-ahead applies to states of that level.
    pub fn applies(&self, depth: u32) -> bool {
        self.all.looked_at(self.left(depth)).is_some()
    }

    fn left(&self, depth: u32) -> u32 {
        self.limit.saturating_sub(self.near).saturating_sub(depth)
    }

    /// Whether an army may stay on level `depth`.
    pub fn stays(&self, men: &[u8], depth: u32) -> bool {
        let left = self.left(depth);
        let Some(looked_at) = self.all.looked_at(left) else { return true };
        let mut histogram = self.all.histograms.of(men);
        // An unreachable army does not stay.
        let Some(rank) = self.all.histograms.number_of(&histogram) else { return false };
        let maybe = match self.all.how {
            Kind::ManByMan(_) => Set::default(),
            Kind::ClassByClass(_) => Set::of(men),
        };
        let position = Position { rank, unmoved: Set::of(men), maybe };
        self.leads_on(position, &mut histogram, left, looked_at, &mut Failed::new())
    }

    /// Whether the table allows the goal within `moves` from the histogram of that number.
    pub fn within(&self, rank: u64, moves: u32) -> bool {
        let distance = self.table[rank as usize];
        distance != NEVER && u32::from(distance) <= moves + self.near
    }

    /// Whether so many relaxed moves are possible, or fewer that reach the goal.
    fn leads_on(
        &self,
        position: Position,
        histogram: &mut [u8],
        left: u32,
        looked_at: u32,
        failed: &mut Failed,
    ) -> bool {
        if self.within(position.rank, 0) || looked_at == 0 {
            return true;
        }
        if failed.contains(&(position, left)) {
            return false;
        }
        let mut choices = Vec::new();
        let before = histogram.to_vec();
        self.all.histograms.around(histogram, |after, rank| {
            let class = |differs: fn(&u8, &u8) -> bool| before.iter().zip(after).position(|(b, a)| differs(b, a));
            if let (true, Some(from), Some(to)) =
                (self.within(rank, left - 1), class(|b, a| b > a), class(|b, a| b < a))
            {
                choices.push((from, to, rank));
            }
        });
        if self.within(position.rank, left - 1) {
            let held = (0..before.len()).filter(|&class| before[class] > 0);
            choices.extend(held.map(|class| (class, class, position.rank)));
        }
        for class in 0..before.len() {
            let own: Vec<_> = choices.iter().filter(|(from, ..)| *from == class).collect();
            if own.is_empty() {
                continue;
            }
            let movers = match self.all.how {
                Kind::ManByMan(_) => self.movers(&position, class, before[class]),
                Kind::ClassByClass(_) => vec![self.any_of_class(&position, class, before[class])],
            };
            for (after, reach) in movers {
                for &&(_, to, rank) in &own {
                    let landings: Vec<u8> = reach.iter().copied().filter(|&c| self.class(c) == to).collect();
                    if landings.is_empty() && !(to == class && after.within) {
                        continue;
                    }
                    let mut next = Position { rank, ..if to == class { after.staying } else { after.leaving } };
                    for &cell in &landings {
                        if !next.maybe.has(cell) {
                            next.maybe.flip(cell);
                        }
                    }
                    histogram[class] -= 1;
                    histogram[to] += 1;
                    let leads_on = self.leads_on(next, histogram, left - 1, looked_at - 1, failed);
                    histogram[to] -= 1;
                    histogram[class] += 1;
                    if leads_on {
                        return true;
                    }
                }
            }
        }
        failed.insert((position, left));
        false
    }

    fn class(&self, cell: u8) -> usize {
        usize::from(self.all.histograms.class_of[usize::from(cell)])
    }

    /// Any man of a class of `men` men: the node without the cells of those who have not moved, and where he can go from
    /// all cells where men of the class may be.
    fn any_of_class(&self, position: &Position, class: usize, men: u8) -> (Mover, Vec<u8>) {
        let own = |set: Set| set.cells().filter(|&c| self.class(c) == class).collect::<Vec<u8>>();
        let (still, all) = (own(position.unmoved), own(position.maybe));
        let mut staying = *position;
        still.iter().for_each(|&man| staying.unmoved.flip(man));
        let mut leaving = staying;
        if men == 1 {
            all.iter().for_each(|&cell| leaving.maybe.flip(cell));
        }
        let reach = self.all.reach(&Set::of(&all), |cell| position.maybe.has(cell), &staying.unmoved);
        (Mover { staying, leaving, within: !still.is_empty() && still.len() < all.len() }, reach)
    }

    /// The men of a class of `men` men who can move: the node without the man, and where he can go.
    fn movers(&self, position: &Position, class: usize, men: u8) -> Vec<(Mover, Vec<u8>)> {
        let own = |set: Set| set.cells().filter(|&c| self.class(c) == class).collect::<Vec<u8>>();
        let (still, gone) = (own(position.unmoved), own(position.maybe));
        let mut movers = Vec::new();
        for &man in &still {
            let mut after = *position;
            after.unmoved.flip(man);
            let rungs = |cell: u8| after.unmoved.has(cell) || after.maybe.has(cell);
            let reach = self.all.reach(&Set::of(&[man]), rungs, &after.unmoved);
            movers.push((Mover { staying: after, leaving: after, within: false }, reach));
        }
        if usize::from(men) > still.len() {
            let rungs = |cell: u8| position.unmoved.has(cell) || position.maybe.has(cell);
            let reach = self.all.reach(&Set::of(&gone), rungs, &position.unmoved);
            let mut leaving = *position;
            if usize::from(men) == still.len() + 1 {
                // He is the last moved man of his class, and leaves it.
                gone.iter().for_each(|&cell| leaving.maybe.flip(cell));
            }
            movers.push((Mover { staying: *position, leaving, within: false }, reach));
        }
        movers
    }
}

/// A node without the moving man: one if he stays in his class, one if he leaves it.
struct Mover {
    staying: Position,
    leaving: Position,
    /// Whether he may go from a cell of his class to another one where a man of it may be.
    within: bool,
}
