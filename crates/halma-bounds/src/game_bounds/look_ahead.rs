//! Look-ahead of one move, an admissible bound: without slack the winner, if to move, must have a move that enters.
//!
//! *Proof.* At σ = 0 a move that does not enter leaves fewer winner's moves than men outside. The bound is judged after
//! the loser's move, so that a position without a continuation is not stored.
//!
//! All the loser's moves of a position are judged together. Lift the loser's man from p. If the winner then has a chain
//! into the base, one is remembered, and only a landing on one of its cells can spoil it. If there is none, a new chain
//! must jump over the man in his new place: the first time from a cell that the winner's men can reach, the last time
//! to a cell from which the base can be reached. So the place is beside both. These two sets of cells are those of the
//! position before the move, unless p is in the base or blocks one of their landings. Cases that remain open are
//! searched one by one.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::{GameBound, Position, goal};

/// The bound.
pub struct LookAhead<const W: usize> {
    base: Cells<W>,
    neighbours: Vec<Cells<W>>,
    /// By the cell jumped from: (over, landing).
    from: Vec<Vec<(u8, u8)>>,
}

/// Where a man who is missing could help.
struct Around<const W: usize> {
    /// Cells beside both a cell that the winner's men can reach and a cell from which the base can be reached.
    both: Cells<W>,
    /// Occupied cells on which a chain from either end would land.
    blocked: Cells<W>,
}

/// A chain into the base: the man's landings, and the men jumped over.
struct Chain<const W: usize> {
    landings: Cells<W>,
    over: Cells<W>,
}

impl<const W: usize> LookAhead<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let lattice = &game.lattice;
        let mut from = vec![Vec::new(); lattice.len()];
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps(over) {
                from[usize::from(a)].push((over as u8, b));
                from[usize::from(b)].push((over as u8, a));
            }
        }
        let neighbours = |c| lattice.neighbours(c).iter().map(|&n| usize::from(n)).collect();
        Self { base: goal(game, winner), neighbours: (0..lattice.len()).map(neighbours).collect(), from }
    }

    /// The cells that chains from `sources` reach: empty ones, and occupied ones that block a landing.
    fn closure(&self, sources: Cells<W>, occupied: Cells<W>) -> (Cells<W>, Cells<W>) {
        let mut reached = Cells::EMPTY;
        let mut rest = sources;
        while !rest.is_empty() {
            let mut next = Cells::EMPTY;
            rest.for_each(|cell| {
                for &(over, landing) in &self.from[cell] {
                    if occupied.contains(over.into()) {
                        next.add(landing.into());
                    }
                }
            });
            rest = next & !reached & !occupied;
            reached |= next;
        }
        (reached & !occupied, reached & occupied)
    }

    /// The cells over which a jump could start from one of `ends`.
    fn beside(&self, ends: Cells<W>) -> Cells<W> {
        let mut beside = Cells::EMPTY;
        ends.for_each(|cell| self.from[cell].iter().for_each(|&(over, _)| beside.add(over.into())));
        beside
    }

    fn around(&self, men: Cells<W>, occupied: Cells<W>) -> Around<W> {
        let open = self.base & !occupied;
        let ((starts, from_men), (ends, from_base)) = (self.closure(men, occupied), self.closure(open, occupied));
        let both = self.beside(starts | men) & self.beside(ends | open);
        Around { both, blocked: from_men | from_base }
    }

    /// A chain for one of `men` into the base, if there is one.
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
        // Search from the base outward: the predecessor of a cell is the next one on the way in.
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
}

impl<const W: usize> GameBound<W> for LookAhead<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let outside = position.winner & !self.base;
        if !position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return true;
        }
        self.way_in(outside, position.winner | position.loser).is_some()
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let outside = position.winner & !self.base;
        if position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return;
        }
        let occupied = position.winner | position.loser;
        let standing = self.way_in(outside, occupied);
        let mut around = None;
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
                    let around = around.get_or_insert_with(|| self.around(outside, occupied));
                    let mut candidates = around.both;
                    if (self.base | around.blocked).contains(man) {
                        // Lifting the man opens a cell that matters.
                        candidates = self.around(outside, lifted).both;
                    }
                    (*reach & candidates).for_each(|to| {
                        if self.way_in(outside, lifted.with(to)).is_some() {
                            kept.add(to);
                        }
                    });
                }
            }
            *reach = kept;
        }
    }
}
