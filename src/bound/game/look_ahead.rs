//! Look ahead: without slack the winner, to move, must have a move that enters.
//!
//! *Proof.* At σ = 0 a move that does not enter leaves fewer winner's moves than men outside. The bound is judged after
//! the loser's move, so that a position without a future is not stored.
//!
//! To judge all the loser's moves of a position: with the man on p lifted, let F be the cells that the winner's
//! outside men can jump to. If F holds an empty cell of the base, one chain to it is remembered, and only a loser's man who
//! lands on that chain can spoil it. If it does not, the man must land where a jump over him connects: beside F, and beside
//! the cells from which the base can be reached. What remains doubtful is searched for itself.

use super::{GameBound, Position, goal};
use crate::cells::Cells;
use crate::game::{Game, Side};

/// The bound.
pub struct LookAhead<const W: usize> {
    base: Cells<W>,
    neighbours: Vec<Cells<W>>,
    /// By the cell jumped from: (over, landing).
    from: Vec<Vec<(u8, u8)>>,
    /// By the cell jumped over.
    pairs: Vec<Vec<(u8, u8)>>,
}

/// A way into the base: the man's landings, and the men that the jumps go over.
struct Chain<const W: usize> {
    landings: Cells<W>,
    over: Cells<W>,
}

impl<const W: usize> LookAhead<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let lattice = &game.lattice;
        let pairs: Vec<Vec<(u8, u8)>> = (0..lattice.len()).map(|c| lattice.jumps(c).to_vec()).collect();
        let mut from = vec![Vec::new(); lattice.len()];
        for (over, pairs) in pairs.iter().enumerate() {
            for &(a, b) in pairs {
                from[usize::from(a)].push((over as u8, b));
                from[usize::from(b)].push((over as u8, a));
            }
        }
        let neighbours = |c| lattice.neighbours(c).iter().map(|&n| usize::from(n)).collect();
        Self { base: goal(game, winner), neighbours: (0..lattice.len()).map(neighbours).collect(), from, pairs }
    }

    /// The empty cells to which chains lead from `sources`.
    fn closure(&self, sources: Cells<W>, occupied: Cells<W>) -> Cells<W> {
        let mut reached = Cells::EMPTY;
        let mut rest = sources;
        while !rest.is_empty() {
            let mut next = Cells::EMPTY;
            rest.for_each(|cell| {
                for &(over, landing) in &self.from[cell] {
                    if occupied.contains(over.into()) && !occupied.contains(landing.into()) {
                        next.add(landing.into());
                    }
                }
            });
            rest = next & !reached;
            reached |= next;
        }
        reached
    }

    /// A way for one of `men` into the base, if there is one.
    fn way_in(&self, men: Cells<W>, occupied: Cells<W>) -> Option<Chain<W>> {
        let open = self.base & !occupied;
        if open.is_empty() {
            return None;
        }
        let mut step = Cells::EMPTY;
        open.for_each(|c| {
            if !(self.neighbours[c] & men).is_empty() {
                step = Cells::of(c);
            }
        });
        if !step.is_empty() {
            return Some(Chain { landings: step, over: Cells::EMPTY });
        }
        // From the base outward: the predecessor of a cell is the next one on the way in.
        let (mut queue, mut head, mut tail) = ([(0u8, 0u8, 0u8); 256], 0, 0);
        let mut seen = open;
        open.for_each(|c| {
            queue[tail] = (c as u8, u8::MAX, u8::MAX);
            tail += 1;
        });
        while head < tail {
            let (cell, ..) = queue[head];
            for &(over, landing) in &self.from[usize::from(cell)] {
                let landing = usize::from(landing);
                if !occupied.contains(over.into()) {
                    continue;
                }
                if men.contains(landing) {
                    let mut chain = Chain { landings: Cells::EMPTY, over: Cells::of(over.into()) };
                    let mut at = head;
                    loop {
                        let (cell, over, next) = queue[at];
                        chain.landings.add(cell.into());
                        if over == next && over == u8::MAX {
                            return Some(chain);
                        }
                        chain.over.add(over.into());
                        at = next.into();
                    }
                }
                if !occupied.contains(landing) && !seen.contains(landing) {
                    seen.add(landing);
                    queue[tail] = (landing as u8, over, head as u8);
                    tail += 1;
                }
            }
            head += 1;
        }
        None
    }

    /// Cells from which a man lets a jump end on one of `ends`, the other end being in `starts`.
    fn connects(&self, cell: usize, starts: Cells<W>, ends: Cells<W>) -> bool {
        self.pairs[cell].iter().any(|&(a, b)| {
            let (a, b) = (usize::from(a), usize::from(b));
            starts.contains(a) && ends.contains(b) || starts.contains(b) && ends.contains(a)
        })
    }
}

impl<const W: usize> GameBound<W> for LookAhead<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let outside = position.winner & !self.base;
        if !position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return true;
        }
        self.way_in(outside, position.winner | position.loser).is_some()
    }

    fn restrict(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let outside = position.winner & !self.base;
        if position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return;
        }
        let occupied = position.winner | position.loser;
        let standing = self.way_in(outside, occupied);
        for (&man, reach) in men.iter().zip(reach) {
            if reach.is_empty() {
                continue;
            }
            let man = usize::from(man);
            let lifted = occupied.without(man);
            let way = match &standing {
                Some(chain) if !chain.over.contains(man) => Some(chain.landings),
                _ => self.way_in(outside, lifted).map(|chain| chain.landings),
            };
            let mut kept = Cells::EMPTY;
            match way {
                Some(landings) => {
                    kept = *reach & !landings;
                    (*reach & landings).for_each(|to| {
                        if self.way_in(outside, lifted.with(to)).is_some() {
                            kept.add(to);
                        }
                    });
                }
                None => {
                    let starts = self.closure(outside, lifted) | outside;
                    let open = self.base & !lifted;
                    let ends = self.closure(open, lifted) | open;
                    reach.for_each(|to| {
                        let touches = |cells| self.connects(to, cells, !lifted);
                        if self.connects(to, starts, ends)
                            || touches(starts) && touches(ends) && self.way_in(outside, lifted.with(to)).is_some()
                        {
                            kept.add(to);
                        }
                    });
                }
            }
            *reach = kept;
        }
    }
}
