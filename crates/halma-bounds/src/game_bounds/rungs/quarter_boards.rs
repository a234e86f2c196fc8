//! Shortest paths into the base, counted in empty cells jumped over, from all cells at once: a bit-parallel
//! breadth-first search on quarter boards.
//!
//! A jump keeps the parity of column and row. The cells of one type make a board of half as many columns and rows,
//! which fits one word and on which a jump is one step. All operations run on the four words side by side.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::lattice::Rule;
use halma_rules::moves::quarter_numbering::QuarterNumbering;

use crate::game_bounds::{beside, goal};

/// Cells by type: bit `columns * (y / 2) + x / 2` of the word of type `x % 2 + 2 * (y % 2)`.
pub(super) type QuarterSet = [u64; 4];

/// Costs from here on are not distinguished; a man without any way has this cost, too.
pub(super) const FAR: usize = 15;

/// The jumps along one axis.
#[derive(Clone, Debug)]
struct Axis {
    /// How many bits the upper end of a jump lies above the lower one.
    shift: u32,
    /// The lower ends of all jumps of the board.
    jumps: QuarterSet,
    /// The difference, as bits of its number, between a type and the type of the cells between.
    flip: usize,
    /// By type: how many bits above the lower end the cell between lies, on its own quarter.
    between: [u32; 4],
}

/// A board and a base to reach.
#[derive(Clone, Debug)]
pub(super) struct QuarterBoards {
    homes: Vec<(u8, u8)>,
    axes: Vec<Axis>,
    base: QuarterSet,
    /// Cells outside the base from which a step leads into it.
    beside: QuarterSet,
    /// By type: the group of cells over which a man of the type never jumps.
    group: [usize; 4],
}

/// The cells from which the base can be reached, by the number of empty cells on the way.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Cells with so many empty cells or fewer.
    reached: [QuarterSet; FAR],
    /// How many men of each group have so many or fewer.
    men: [[u8; 4]; FAR],
    /// How many of them can step in, and how many there are.
    beside: [u8; 4],
    all: [u8; 4],
    len: usize,
}

impl QuarterBoards {
    /// For games that `winner` wins; `None` where a quarter does not fit a word.
    pub(super) fn new(game: &Game, winner: Side) -> Option<Self> {
        let lattice = &game.lattice;
        let board = &lattice.board;
        let places: Vec<(i32, i32)> = (0..lattice.len()).map(|cell| board.xy(cell)).collect();
        let columns = QuarterNumbering::new(board).columns();
        let rows = places.iter().map(|(_, y)| y / 2 + 1).max()?;
        if columns * rows > u64::BITS as i32 {
            return None;
        }
        let bit = |(x, y): (i32, i32)| columns * y.div_euclid(2) + x.div_euclid(2);
        let kind = |(x, y): (i32, i32)| (x.rem_euclid(2) + 2 * y.rem_euclid(2)) as usize;
        let homes: Vec<(u8, u8)> = places.iter().map(|&at| (kind(at) as u8, bit(at) as u8)).collect();
        let axes = lattice.rule.axes().iter().map(|&(dx, dy)| {
            // Upward in bits.
            let (dx, dy) = if columns * dy + dx < 0 { (-dx, -dy) } else { (dx, dy) };
            let mut axis = Axis {
                shift: (columns * dy + dx) as u32,
                jumps: [0; 4],
                flip: (dx & 1 | (dy & 1) << 1) as usize,
                between: [0; 4],
            };
            for &(x, y) in &places {
                let lower = (x, y);
                let there = board.at(x + dx, y + dy).is_some() || lattice.rule == Rule::Eight;
                if there && board.at(x + 2 * dx, y + 2 * dy).is_some() {
                    axis.jumps[kind(lower)] |= 1 << bit(lower);
                    let above = bit((x + dx, y + dy)) - bit(lower);
                    axis.between[kind(lower)] = above.rem_euclid(u64::BITS as i32) as u32;
                }
            }
            axis
        });
        let axes = axes.filter(|axis: &Axis| axis.jumps != [0; 4]).collect();
        let goal: Cells<4> = goal(game, winner);
        let group = if lattice.rule == Rule::Four { [0, 1, 1, 0] } else { [0, 1, 2, 3] };
        let mut boards = Self { homes, axes, base: [0; 4], beside: [0; 4], group };
        boards.base = boards.of(goal);
        boards.beside = boards.of(beside(game, goal));
        Some(boards)
    }

    pub(super) fn of<const W: usize>(&self, cells: Cells<W>) -> QuarterSet {
        let mut set = [0; 4];
        cells.for_each(|cell| self.flip(&mut set, cell));
        set
    }

    #[inline]
    pub(super) fn flip(&self, set: &mut QuarterSet, cell: usize) {
        let (kind, bit) = self.homes[cell];
        set[usize::from(kind & 3)] ^= 1 << bit;
    }

    #[inline]
    pub(super) fn contains(&self, set: &QuarterSet, cell: usize) -> bool {
        let (kind, bit) = self.homes[cell];
        set[usize::from(kind & 3)] >> bit & 1 != 0
    }

    /// How many groups of cells there are.
    pub(super) fn groups(&self) -> usize {
        self.group[3].max(self.group[2]) + 1
    }

    /// The group of a cell.
    pub(super) fn group_of(&self, cell: usize) -> usize {
        self.group[usize::from(self.homes[cell].0 & 3)]
    }

    /// The lower ends of the jumps over `occupied` cells, axis by axis.
    #[inline]
    fn open(&self, axis: &Axis, occupied: &QuarterSet) -> QuarterSet {
        std::array::from_fn(|kind| axis.jumps[kind] & occupied[kind ^ axis.flip].rotate_right(axis.between[kind]))
    }

    /// The levels of the ways over `occupied` cells, among which the base counts, and the numbers of `men` on them.
    #[inline]
    pub(super) fn levels(&self, occupied: &QuarterSet, men: &QuarterSet) -> Levels {
        let occupied: QuarterSet = std::array::from_fn(|kind| occupied[kind] | self.base[kind]);
        let mut open = [[0; 4]; 4];
        for (open, axis) in open.iter_mut().zip(&self.axes) {
            *open = self.open(axis, &occupied);
        }
        let near: QuarterSet = std::array::from_fn(|kind| men[kind] & self.beside[kind]);
        let (beside, all) = (self.count(&near), self.count(men));
        let mut levels = Levels { reached: [[0; 4]; FAR], men: [[0; 4]; FAR], beside, all, len: 0 };
        let mut reached = self.base;
        loop {
            self.close(&mut reached, &open);
            let within: QuarterSet = std::array::from_fn(|kind| men[kind] & (reached[kind] | self.beside[kind]));
            levels.reached[levels.len] = reached;
            levels.men[levels.len] = self.count(&within);
            levels.len += 1;
            if within == *men || levels.len == FAR {
                return levels;
            }
            let before = reached;
            for axis in &self.axes {
                spread(&mut reached, &before, axis.shift, &axis.jumps);
            }
            if reached == before {
                return levels;
            }
        }
    }

    #[inline]
    fn close(&self, reached: &mut QuarterSet, open: &[QuarterSet; 4]) {
        loop {
            let before = *reached;
            for (axis, open) in self.axes.iter().zip(open) {
                let now = *reached;
                spread(reached, &now, axis.shift, open);
            }
            if *reached == before {
                return;
            }
        }
    }

    #[inline]
    fn count(&self, men: &QuarterSet) -> [u8; 4] {
        let mut count = [0; 4];
        for (men, &group) in men.iter().zip(&self.group) {
            count[group & 3] += men.count_ones() as u8;
        }
        count
    }

    /// The empty cells whose filling would shorten some way.
    pub(super) fn helpful(&self, levels: &Levels) -> QuarterSet {
        let mut helpful = [0; 4];
        for axis in &self.axes {
            let mut steep = [0; 4];
            for reached in &levels.reached[..levels.len] {
                for kind in 0..4 {
                    steep[kind] |= (reached[kind] ^ reached[kind] >> axis.shift) & axis.jumps[kind];
                }
            }
            for kind in 0..4 {
                helpful[kind ^ axis.flip] |= steep[kind].rotate_left(axis.between[kind]);
            }
        }
        helpful
    }
}

/// Adds the other ends of the jumps with these lower ends that begin in `from`.
#[inline]
fn spread(reached: &mut QuarterSet, from: &QuarterSet, shift: u32, lower: &QuarterSet) {
    for kind in 0..4 {
        reached[kind] |= (from[kind] & lower[kind]) << shift | from[kind] >> shift & lower[kind];
    }
}

impl Levels {
    /// How many men of a group pass at most so many empty cells; if `empty` is negative, how many can step in.
    #[inline]
    pub(super) fn count(&self, group: usize, empty: i32) -> i32 {
        let men = match usize::try_from(empty) {
            Ok(FAR..) => &self.all,
            Ok(empty) => &self.men[empty.min(self.len - 1)],
            Err(_) => &self.beside,
        };
        men[group & 3].into()
    }

    /// The sum of the men's costs.
    pub(super) fn sum(&self) -> u32 {
        let above =
            |cost: usize| (0..4).map(move |group| u32::from(self.all[group]) - self.count(group, cost as i32) as u32);
        (0..FAR).flat_map(above).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::board::Board;
    use halma_rules::lattice::Lattice;
    use proptest::prelude::*;

    /// The fewest of the empty cells, by trying all sets of them, that let jumps lead from `man` into the base, where any cell
    /// may be landed on.
    fn fewest(game: &Game, base: Cells<1>, occupied: Cells<1>, man: usize) -> Option<u32> {
        let lattice = &game.lattice;
        let leads = |rungs: Cells<1>| {
            let (mut seen, mut rest) = (Cells::<1>::of(man), vec![man]);
            while let Some(from) = rest.pop() {
                for over in rungs.iter() {
                    for &(a, b) in lattice.jumps_over(over) {
                        for (a, b) in [(a, b), (b, a)] {
                            if usize::from(a) == from && !seen.contains(b.into()) {
                                seen.add(b.into());
                                rest.push(b.into());
                            }
                        }
                    }
                }
            }
            !(seen & base).is_empty()
        };
        let empty: Vec<usize> = (0..lattice.len()).filter(|&c| !(occupied | base).contains(c)).collect();
        let sets = 0..1u32 << empty.len();
        let chosen = |set: u32| empty.iter().enumerate().filter(move |(i, _)| set >> i & 1 != 0).map(|(_, &c)| c);
        sets.filter(|&set| leads(occupied | base | chosen(set).collect())).map(u32::count_ones).min()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        /// Under every rule, and beside places without a cell, where both diagonals of a square may be the only ways.
        #[test]
        fn costs_are_the_fewest_cells_that_must_be_filled(
            rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight), Just(Rule::Eight)],
            draws in proptest::collection::vec(0..12u8, 16),
            wide: bool,
            holes: bool,
        ) {
            let rows: Vec<String> = draws[..15].chunks(if wide { 5 } else { 3 }).map(|row| {
                row.iter().map(|&d| if d < 3 && holes { '#' } else { '.' }).collect::<String>()
            }).collect();
            let mut map = rows.join("\n");
            map.replace_range(..1, ".");
            map.replace_range(map.len() - 1.., ".");
            prop_assume!(map.matches('.').count() >= 4);
            let (board, _) = Board::from_map(&map).unwrap();
            let lattice = Lattice::new(board, rule);
            let (blue, red) = (vec![0], vec![lattice.len() - 1]);
            let game = Game { lattice, blue, red };
            let boards = QuarterBoards::new(&game, Side::Blue).unwrap();
            let base = Cells::<1>::of(game.lattice.len() - 1);
            let occupied: Cells<1> = (0..game.lattice.len()).filter(|&c| draws[c % 16] % 3 == 2 && !base.contains(c)).collect();
            prop_assume!(game.lattice.len() - occupied.len() < 11);
            for man in (0..game.lattice.len()).filter(|&c| !base.contains(c)) {
                let men = boards.of(Cells::<1>::of(man));
                let told = boards.levels(&boards.of(occupied.with(man)), &men).sum() as usize;
                let can_step = game.lattice.neighbours(man).iter().any(|&n| base.contains(n.into()));
                let truth = if can_step { Some(0) } else { fewest(&game, base, occupied.with(man), man) };
                let truth = truth.map_or(FAR, |cost| cost as usize);
                prop_assert!(told <= truth, "{man}: {told} > {truth} on\n{map}");
                prop_assert!(told == truth || holes && rule == Rule::Eight, "{man}: {told} < {truth} on\n{map}");
            }
        }
    }
}
