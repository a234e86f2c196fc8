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
use halma_rules::moves::word::Word;

use super::chains::{Chain, Chains, Men, Quarters};
use super::{GameBound, Position, goal, one_by_one};

/// The bound.
pub struct LookAhead<const W: usize> {
    base: Cells<W>,
    /// Cells outside the base from which a step leads into it.
    beside: Cells<W>,
    neighbours: Vec<Cells<W>>,
    /// By the cell jumped from: (over, landing).
    from: Vec<Vec<(u8, u8)>>,
    boards: Boards,
}

/// Quarter boards in the fewest words that hold them.
enum Boards {
    Small(Chains<u64, 2>),
    Medium(Chains<u64, 4>),
    Large(Chains<u128, 4>),
    /// Moves are judged one by one.
    None,
}

/// A position with the loser to move, on quarter boards.
struct Scene<'a, const W: usize, Q, const N: usize> {
    bound: &'a LookAhead<W>,
    chains: &'a Chains<Q, N>,
    /// The winner's men outside the base.
    outside: Cells<W>,
    movers: Quarters<Q, N>,
    base: Quarters<Q, N>,
}

/// Where a man who is missing could help: beside both a cell that the winner's men can reach and one from which the base
/// can be reached.
struct Around<Q, const N: usize> {
    from_men: Quarters<Q, N>,
    from_base: Quarters<Q, N>,
    /// Occupied cells on which a chain from either end would land.
    blocked: Quarters<Q, N>,
}

impl<const W: usize> LookAhead<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let lattice = &game.lattice;
        let base: Cells<W> = goal(game, winner);
        let mut from = vec![Vec::new(); lattice.len()];
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps(over) {
                from[usize::from(a)].push((over as u8, b));
                from[usize::from(b)].push((over as u8, a));
            }
        }
        let neighbours = |c| lattice.neighbours(c).iter().map(|&n| usize::from(n)).collect::<Cells<W>>();
        let neighbours: Vec<Cells<W>> = (0..lattice.len()).map(neighbours).collect();
        let beside = (0..lattice.len()).filter(|&c| !base.contains(c) && !(neighbours[c] & base).is_empty()).collect();
        let boards = Chains::new(lattice).map(Boards::Small);
        let boards = boards.or_else(|| Chains::new(lattice).map(Boards::Medium));
        let boards = boards.or_else(|| Chains::new(lattice).map(Boards::Large)).unwrap_or(Boards::None);
        Self { base, beside, neighbours, from, boards }
    }

    /// The empty cells of the base into which one of `men` can step.
    fn steps(&self, men: Cells<W>, occupied: Cells<W>) -> Cells<W> {
        let (mut into, ready) = (Cells::EMPTY, men & self.beside);
        ready.for_each(|cell| into = self.neighbours[cell] & self.base & !occupied | into);
        into
    }

    /// Whether one of `men` has a way into the base.
    fn has_way(&self, men: Cells<W>, occupied: Cells<W>) -> bool {
        let (mut reached, mut rest) = (Cells::EMPTY, men);
        while !rest.is_empty() {
            let mut next = Cells::EMPTY;
            rest.for_each(|cell| {
                let jumps = self.from[cell].iter().filter(|&&(over, _)| occupied.contains(over.into()));
                jumps.for_each(|&(_, landing)| next.add(landing.into()));
            });
            rest = next & !reached & !occupied;
            reached |= rest;
        }
        !((reached | self.steps(men, occupied)) & self.base).is_empty()
    }

    /// [`GameBound::filter`], with the loser to move and the winner without slack.
    fn keep_ways_in<Q: Word, const N: usize>(
        &self,
        chains: &Chains<Q, N>,
        position: &Position<W>,
        men: &[u8],
        reach: &mut [Cells<W>],
    ) {
        let outside = position.winner & !self.base;
        let occupied = position.winner | position.loser;
        let steps = self.steps(outside, occupied);
        // One man cannot stand in two ways.
        if steps.len() > 1 {
            return;
        }
        let scene = Scene { bound: self, chains, outside, movers: chains.of(outside), base: chains.of(self.base) };
        let now = chains.men(occupied);
        let standing = scene.chain(steps, &now);
        let around = if standing.is_none() { Some(scene.around(&now)) } else { None };
        for (&man, reach) in men.iter().zip(reach) {
            if reach.is_empty() {
                continue;
            }
            let man = usize::from(man);
            let opens = |around: &Around<Q, N>| self.base.contains(man) || chains.contains(&around.blocked, man);
            let doubtful = match (&standing, &around) {
                (Some(chain), _) if !chain.over.contains(man) => *reach & chain.landings,
                // Lifting the man leaves all as it was, but for the ways that he was part of.
                (None, Some(around)) if !opens(around) => {
                    scene.keep_beside(around, reach);
                    *reach
                }
                _ => {
                    let lifted = chains.without(now, man);
                    match scene.chain(self.steps(outside, lifted.all), &lifted) {
                        Some(chain) => *reach & chain.landings,
                        None => {
                            scene.keep_beside(&scene.around(&lifted), reach);
                            *reach
                        }
                    }
                }
            };
            if !doubtful.is_empty() {
                let lifted = chains.without(now, man);
                doubtful.for_each(|to| {
                    if !scene.has_way(&chains.with(lifted, to)) {
                        reach.remove(to);
                    }
                });
            }
        }
    }
}

impl<const W: usize, Q: Word, const N: usize> Scene<'_, W, Q, N> {
    /// The empty cells of the base.
    #[inline(always)]
    fn ends(&self, men: &Men<W, Q, N>) -> Quarters<Q, N> {
        std::array::from_fn(|word| self.base[word] & !men.occupied[word])
    }

    /// Whether one of the winner's men has a way into the base.
    #[inline(always)]
    fn has_way(&self, men: &Men<W, Q, N>) -> bool {
        !self.bound.steps(self.outside, men.all).is_empty() || self.chains.leads(&self.movers, &self.ends(men), men)
    }

    /// A way into the base: one of these steps, or jumps.
    #[inline(always)]
    fn chain(&self, steps: Cells<W>, men: &Men<W, Q, N>) -> Option<Chain<W>> {
        match steps.lowest() {
            Some(cell) => Some(Chain { landings: Cells::of(cell), over: Cells::EMPTY }),
            None => self.chains.chain(&self.movers, &self.ends(men), men),
        }
    }

    #[inline(always)]
    fn around(&self, men: &Men<W, Q, N>) -> Around<Q, N> {
        let (from_men, beside_men) = self.chains.closure(&self.movers, men);
        let (from_base, beside_base) = self.chains.closure(&self.ends(men), men);
        Around { from_men, from_base, blocked: std::array::from_fn(|word| beside_men[word] | beside_base[word]) }
    }

    /// Removes from `reach` the cells on which a man is no help.
    #[inline(always)]
    fn keep_beside(&self, Around { from_men, from_base, .. }: &Around<Q, N>, reach: &mut Cells<W>) {
        reach.for_each(|to| {
            if !self.chains.is_beside(to, from_men, from_base) {
                reach.remove(to);
            }
        });
    }
}

impl<const W: usize> GameBound<W> for LookAhead<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let outside = position.winner & !self.base;
        if !position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return true;
        }
        self.has_way(outside, position.winner | position.loser)
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let outside = position.winner & !self.base;
        if position.winner_to_move() || outside.is_empty() || position.slack(self.base) > 0 {
            return;
        }
        match &self.boards {
            Boards::Small(chains) => self.keep_ways_in(chains, position, men, reach),
            Boards::Medium(chains) => self.keep_ways_in(chains, position, men, reach),
            Boards::Large(chains) => self.keep_ways_in(chains, position, men, reach),
            Boards::None => one_by_one(self, position, men, reach),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_positions::{GAMES, moves, position};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6000))]
        /// Quarter boards in narrow words and in wide ones, and where no words hold them.
        #[test]
        fn moves_are_judged_together_as_one_by_one(
            number in 0..GAMES.len(),
            cells in proptest::collection::vec(any::<u16>(), 40),
            without: bool,
        ) {
            let (game, Position { winner, loser, .. }) = position(number, Side::Red, &cells, 0);
            let mut bound = LookAhead::<4>::new(&game, Side::Red);
            prop_assert!(!matches!(bound.boards, Boards::None));
            if without {
                bound.boards = Boards::None;
            }
            // The loser moves, and each move of the winner has to enter.
            let position = Position { winner, loser, remaining: 2 * (winner & !bound.base).len() as u32 };
            prop_assume!(position.remaining > 0);
            let (men, mut expected) = moves(&game, &position);
            let mut reach = expected.clone();
            bound.filter(&position, &men, &mut reach);
            one_by_one(&bound, &position, &men, &mut expected);
            prop_assert_eq!(reach, expected);
        }
    }
}
