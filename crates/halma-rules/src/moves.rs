//! Move generation: the fast bit-parallel generator for the search, and the plain one that it is compared with.
//!
//! A chain of jumps stays on cells of one type (Section 2.1 of the paper) and passes over men of the other types, so
//! the moving man never obstructs himself. If a word holds all cells of a type, all men jump at once (`quarters.rs`).
//! On larger boards the men of one type share the connected components of empty cells (`components.rs`).

mod components;
pub mod quarter_numbering;
pub mod quarter_sets;
mod quarters;
pub mod word;

pub use components::ComponentScratch;

use multiversion::multiversion;

use crate::cells::Cells;
use crate::lattice::Lattice;
use components::Pairs;
use quarters::QuarterBoards;

/// The fast move generator of one lattice.
#[derive(Clone, Debug)]
pub struct Mover<const W: usize> {
    neighbours: Vec<Cells<W>>,
    jumps_only: bool,
    jumps: Jumps<W>,
}

/// How jumps are generated: on quarter boards if a word holds one, otherwise by connected components.
#[derive(Clone, Debug)]
enum Jumps<const W: usize> {
    Small(QuarterBoards<W, u32>),
    Large(QuarterBoards<W, u64>),
    Components(Pairs),
}

impl<const W: usize> Mover<W> {
    /// The tables for a lattice of at most `Cells::<W>::CAPACITY` cells.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Self {
        let neighbours = |c| lattice.neighbours(c).iter().map(|&n| usize::from(n)).collect();
        let small = QuarterBoards::new(lattice).map(Jumps::Small);
        let jumps = small
            .or_else(|| QuarterBoards::new(lattice).map(Jumps::Large))
            .unwrap_or_else(|| Jumps::Components(Pairs::new(lattice)));
        Self { neighbours: (0..lattice.len()).map(neighbours).collect(), jumps_only, jumps }
    }

    /// Writes to `reach[i]` the cells that the man on `men[i]` can reach in one move; `occupied` is the set of `men`.
    /// If `reach` is shorter, only the first men move. Returns how many cells all sets have together.
    #[inline]
    pub fn reach(
        &self,
        men: &[u8],
        occupied: Cells<W>,
        scratch: &mut ComponentScratch<W>,
        reach: &mut [Cells<W>],
    ) -> u64 {
        all_reach(self, men, occupied, scratch, reach)
    }
}

/// [`Mover::reach`], compiled for several instruction sets; the processor decides which one runs.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn all_reach<const W: usize>(
    mover: &Mover<W>,
    men: &[u8],
    occupied: Cells<W>,
    scratch: &mut ComponentScratch<W>,
    reach: &mut [Cells<W>],
) -> u64 {
    for (&cell, reach) in men.iter().zip(reach.iter_mut()) {
        *reach = if mover.jumps_only { Cells::EMPTY } else { mover.neighbours[usize::from(cell)] & !occupied };
    }
    match &mover.jumps {
        Jumps::Small(quarters) => quarters.jumps(men, reach),
        Jumps::Large(quarters) => quarters.jumps(men, reach),
        Jumps::Components(pairs) => pairs.jumps(men, scratch, reach),
    }
    reach.iter().map(|reach| reach.len() as u64).sum()
}

/// The plain move generator: the cells that the man on `from` can reach in one move, ascending.
#[must_use]
pub fn destinations(lattice: &Lattice, occupied: &[bool], from: usize, jumps_only: bool) -> Vec<usize> {
    let board = &lattice.board;
    let free = |x, y| board.at(x, y).filter(|&c| c == from || !occupied[c]);
    let man = |x, y| board.at(x, y).is_some_and(|c| c != from && occupied[c]);
    let mut reached = vec![false; lattice.len()];
    let mut jumped_to = vec![from];
    while let Some(cell) = jumped_to.pop() {
        let (x, y) = board.xy(cell);
        for (dx, dy) in lattice.rule.directions() {
            if let Some(landing) = free(x + 2 * dx, y + 2 * dy)
                && man(x + dx, y + dy)
                && !reached[landing]
            {
                reached[landing] = true;
                jumped_to.push(landing);
            }
        }
    }
    if !jumps_only {
        let (x, y) = board.xy(from);
        for cell in lattice.rule.directions().filter_map(|(dx, dy)| free(x + dx, y + dy)) {
            reached[cell] = true;
        }
    }
    (0..lattice.len()).filter(|&c| reached[c] && c != from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::lattice::Rule;
    use crate::moves::quarter_sets::QuarterBoards;
    use proptest::prelude::*;

    fn check<const W: usize>(board: Board, rule: Rule, jumps_only: bool, men: &[u8]) {
        let lattice = Lattice::new(board, rule);
        let mut men: Vec<u8> = men.iter().map(|&m| (usize::from(m) % lattice.len()) as u8).collect();
        men.sort_unstable();
        men.dedup();
        let occupied: Cells<W> = men.iter().map(|&m| usize::from(m)).collect();
        let flags: Vec<bool> = (0..lattice.len()).map(|c| occupied.contains(c)).collect();
        let mover = Mover::<W>::new(&lattice, jumps_only);
        let (mut scratch, mut reach) = (ComponentScratch::default(), vec![Cells::EMPTY; men.len()]);
        for _ in 0..2 {
            let made = mover.reach(&men, occupied, &mut scratch, &mut reach);
            for (man, reach) in men.iter().zip(&reach) {
                let expected = destinations(&lattice, &flags, usize::from(*man), jumps_only);
                assert_eq!(reach.iter().collect::<Vec<_>>(), expected, "man on {man} of {men:?}");
            }
            assert_eq!(made, reach.iter().map(|cells| cells.iter().count() as u64).sum::<u64>());
            let mut some = vec![Cells::EMPTY; men.len() / 2];
            mover.reach(&men, occupied, &mut scratch, &mut some);
            assert_eq!(some, reach[..men.len() / 2]);
        }
    }

    /// As many men as cells, but for a few: their numbers fill a byte.
    #[test]
    fn boards_that_are_full_or_nearly_so_have_the_obvious_moves() {
        for free in 0..4 {
            let men: Vec<u8> = (free..=255).collect();
            check::<4>(Board::named("16x16").unwrap(), Rule::Eight, false, &men);
        }
    }

    /// Sets of one man each, moved over all others.
    fn check_sets<Q: word::Word>(lattice: &Lattice, jumps_only: bool, men: &[u8]) {
        let Some(boards) = QuarterBoards::<Q>::new(lattice, jumps_only) else { return };
        let occupied: Vec<bool> = (0..lattice.len()).map(|c| men.contains(&(c as u8))).collect();
        let army = boards.of((0..lattice.len()).filter(|&c| occupied[c]));
        for man in (0..lattice.len()).filter(|&c| occupied[c]) {
            let alone = boards.of([man]);
            let reach = boards.reach(&alone, &boards.lower_ends(&army), &army.but(&alone));
            let expected = boards.of(destinations(lattice, &occupied, man, jumps_only));
            assert!(reach == expected, "man on {man} of {men:?}");
        }
    }

    proptest! {
        /// Narrow boards, too, where jumps along two axes go the same number of bits on.
        #[test]
        fn quarter_boards_agree_with_the_obvious_generator(
            men in proptest::collection::vec(any::<u8>(), 1..20),
            rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
            jumps_only: bool,
            width in 1..8usize,
            holes in proptest::collection::vec(proptest::bool::weighted(0.2), 40),
        ) {
            let drawn: Vec<String> =
                holes.chunks_exact(width).map(|r| r.iter().map(|&h| if h { '#' } else { '.' }).collect()).collect();
            let map = format!("{}\n{}\n", ".".repeat(width), drawn.join("\n"));
            let lattice = Lattice::new(Board::from_map(&map).unwrap().0, rule);
            let men: Vec<u8> = men.iter().map(|&m| (usize::from(m) % lattice.len()) as u8).collect();
            check_sets::<u32>(&lattice, jumps_only, &men);
            check_sets::<u128>(&lattice, jumps_only, &men);
        }

        #[test]
        fn the_fast_generator_agrees_with_the_obvious_one(
            men in proptest::collection::vec(any::<u8>(), 1..40),
            rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
            jumps_only: bool,
            holes in proptest::collection::vec(any::<bool>(), 60),
        ) {
            let drawn: Vec<String> =
                holes.chunks(10).map(|r| r.iter().map(|&h| if h { '#' } else { '.' }).collect()).collect();
            let map = format!("..........\n{}\n", drawn.join("\n"));
            check::<2>(Board::from_map(&map).unwrap().0, rule, jumps_only, &men);
            check::<1>(Board::named("checkers-32").unwrap(), rule, jumps_only, &men);
            for (columns, rows) in [(64, 1), (32, 2), (2, 32), (1, 20)] {
                let narrow = format!("{}\n", ".".repeat(columns)).repeat(rows);
                check::<1>(Board::from_map(&narrow).unwrap().0, rule, jumps_only, &men);
            }
            check::<2>(Board::named("star-121").unwrap(), rule, jumps_only, &men);
            check::<4>(Board::named("16x16").unwrap(), rule, jumps_only, &men);
        }
    }
}
