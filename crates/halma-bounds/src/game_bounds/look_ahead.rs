//! Look-ahead of one move, an admissible bound: without slack the winner, if to move, must have a move that enters.
//!
//! *Proof.* At σ = 0 a move that does not enter leaves fewer winner's moves than men outside. The bound is judged after
//! the loser's move, so that a position without a continuation is not stored.
//!
//! All the loser's moves of a position are judged together. Lift the loser's man from p. If the winner then has a chain
//! into the base, one is remembered, and only a landing on one of its cells can spoil it. If there is none, a new chain
//! must jump over the man in his new place: the first time from a cell that the winner's men can reach, the last time
//! to a cell from which the base can be reached. So the place is beside both. A lifted man only takes jumps away, unless
//! he blocked a landing or stood on a cell of the base. So the first set lies within that of the position before the
//! move, unless p blocked one of its landings. The second set lies within that of the position before the move, unless p
//! blocked one of its landings or is in the base. Cases that remain open are searched one by one.

use std::cell::OnceCell;

use multiversion::multiversion;

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::moves::word::Word;

use super::chains::{Chain, Chains, Closure, Men, QuarterSet};
use super::{GameBound, Position, beside, goal, one_by_one};

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

/// Quarter boards in the fewest words that hold them, and the base on them.
enum Boards {
    Small(Chains<u64, 2>, QuarterSet<u64, 2>),
    Medium(Chains<u64, 4>, QuarterSet<u64, 4>),
    Large(Chains<u128, 4>, QuarterSet<u128, 4>),
    /// Moves are judged one by one.
    None,
}

/// A position with the loser to move, on quarter boards.
struct Scene<'a, const W: usize, Q, const N: usize> {
    bound: &'a LookAhead<W>,
    chains: &'a Chains<Q, N>,
    /// The winner's men outside the base.
    outside: Cells<W>,
    movers: QuarterSet<Q, N>,
    base: &'a QuarterSet<Q, N>,
}

impl<const W: usize> LookAhead<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let lattice = &game.lattice;
        let base: Cells<W> = goal(game, winner);
        let mut from = vec![Vec::new(); lattice.len()];
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps_over(over) {
                from[usize::from(a)].push((over as u8, b));
                from[usize::from(b)].push((over as u8, a));
            }
        }
        let neighbours = |c| lattice.neighbours(c).iter().map(|&n| usize::from(n)).collect::<Cells<W>>();
        let neighbours: Vec<Cells<W>> = (0..lattice.len()).map(neighbours).collect();
        let small = || Chains::new(lattice).map(|chains| Boards::Small(chains.clone(), chains.of(base)));
        let medium = || Chains::new(lattice).map(|chains| Boards::Medium(chains.clone(), chains.of(base)));
        let large = || Chains::new(lattice).map(|chains| Boards::Large(chains.clone(), chains.of(base)));
        let boards = small().or_else(medium).or_else(large).unwrap_or(Boards::None);
        Self { base, beside: beside(game, base), neighbours, from, boards }
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
}

/// [`GameBound::filter`], with the loser to move and the winner without slack.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn keep_ways_in<const W: usize, Q: Word, const N: usize>(
    bound: &LookAhead<W>,
    (chains, base): (&Chains<Q, N>, &QuarterSet<Q, N>),
    position: &Position<W>,
    men: &[u8],
    reach: &mut [Cells<W>],
) {
    let outside = position.winner & !bound.base;
    let occupied = position.winner | position.loser;
    let steps = bound.steps(outside, occupied);
    // One man cannot stand in two ways.
    if steps.len() > 1 {
        return;
    }
    let scene = Scene { bound, chains, outside, movers: chains.of(outside), base };
    let now = chains.men(occupied);
    let standing = scene.chain(steps, &now);
    // What the winner's men reach; made when it is first asked for.
    let from_men = OnceCell::new();
    let from_men = || from_men.get_or_init(|| chains.closure(&scene.movers, &now));
    for (&man, reach) in men.iter().zip(reach) {
        if reach.is_empty() {
            continue;
        }
        let man = usize::from(man);
        let blocks = |closure: &Closure<Q, N>| chains.contains(&closure.blocked, man);
        let doubtful = match &standing {
            Ok(chain) if !chain.over.contains(man) => *reach & chain.landings,
            // With the man lifted there is still no way, and both sets lie within those of the position.
            Err(from_base) if !bound.base.contains(man) && !blocks(from_base) && !blocks(from_men()) => {
                scene.keep_beside(from_men(), from_base, reach);
                *reach
            }
            _ => {
                let lifted = chains.without(&now, man);
                match scene.chain(bound.steps(outside, lifted.all), &lifted) {
                    Ok(chain) => *reach & chain.landings,
                    Err(from_base) if !blocks(from_men()) => {
                        scene.keep_beside(from_men(), &from_base, reach);
                        *reach
                    }
                    Err(from_base) => {
                        scene.keep_beside(&chains.closure(&scene.movers, &lifted), &from_base, reach);
                        *reach
                    }
                }
            }
        };
        if !doubtful.is_empty() {
            let lifted = chains.without(&now, man);
            doubtful.for_each(|to| {
                if !scene.has_way(&chains.with(&lifted, to)) {
                    reach.remove(to);
                }
            });
        }
    }
}

impl<const W: usize, Q: Word, const N: usize> Scene<'_, W, Q, N> {
    /// The empty cells of the base.
    #[inline(always)]
    fn ends(&self, men: &Men<W, Q, N>) -> QuarterSet<Q, N> {
        std::array::from_fn(|word| self.base[word] & !men.occupied()[word])
    }

    /// Whether one of the winner's men has a way into the base.
    #[inline(always)]
    fn has_way(&self, men: &Men<W, Q, N>) -> bool {
        !self.bound.steps(self.outside, men.all).is_empty() || self.chains.leads(&self.movers, &self.ends(men), men)
    }

    /// A way into the base: one of these steps, or jumps.
    #[inline(always)]
    fn chain(&self, steps: Cells<W>, men: &Men<W, Q, N>) -> Result<Chain<W>, Closure<Q, N>> {
        match steps.lowest() {
            Some(cell) => Ok(Chain { landings: Cells::of(cell), over: Cells::EMPTY }),
            None => self.chains.chain(&self.movers, &self.ends(men), men),
        }
    }

    /// Removes from `reach` the cells on which a man is no help.
    #[inline(always)]
    fn keep_beside(&self, from_men: &Closure<Q, N>, from_base: &Closure<Q, N>, reach: &mut Cells<W>) {
        reach.for_each(|to| {
            if !self.chains.is_beside(to, &from_men.reached, &from_base.reached) {
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
            Boards::Small(chains, base) => keep_ways_in(self, (chains, base), position, men, reach),
            Boards::Medium(chains, base) => keep_ways_in(self, (chains, base), position, men, reach),
            Boards::Large(chains, base) => keep_ways_in(self, (chains, base), position, men, reach),
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
