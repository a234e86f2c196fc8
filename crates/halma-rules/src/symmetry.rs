//! Symmetries: the automorphisms of a board under a rule, and those of a problem: K, which maps start and target to
//! themselves, and the mirror ρ, which exchanges them.

use std::collections::{BTreeMap, HashSet};

use halma_record::record::SymmetryRecord;

use crate::board::Board;
use crate::cells::Cells;
use crate::lattice::Lattice;

/// A symmetry of a board: a permutation of its cells that maps steps to steps and jumps to jumps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Cell `i` goes to `cells[i]`.
    pub cells: Vec<u8>,
    /// Whether it is a reflection rather than a rotation.
    pub reflection: bool,
}

impl Symmetry {
    /// First `other`, then this one.
    fn after(&self, other: &Self) -> Vec<u8> {
        other.cells.iter().map(|&c| self.cells[c as usize]).collect()
    }

    /// Whether it is its own inverse.
    fn is_involution(&self) -> bool {
        self.after(self).iter().enumerate().all(|(i, &c)| i == c as usize)
    }

    fn commutes(&self, other: &Self) -> bool {
        self.after(other) == other.after(self)
    }

    /// The image of a set of cells.
    #[must_use]
    pub fn apply<const W: usize>(&self, cells: Cells<W>) -> Cells<W> {
        cells.mapped(&self.cells)
    }
}

/// The symmetries of one problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetries {
    /// K: the identity first, then every other symmetry that maps start and target (as sets) to themselves.
    pub fixing: Vec<Symmetry>,
    /// ρ: a symmetry of order two that exchanges start and target and commutes with K; a reflection if there is a
    /// choice.
    pub mirror: Option<Symmetry>,
}

/// All symmetries of the lattice, the identity first. On a board of one line several linear maps are one map of the cells, which is
/// there once.
#[must_use]
pub(crate) fn automorphisms(lattice: &Lattice) -> Vec<Symmetry> {
    let mut found = linear_maps(&lattice.board, &lattice.rule.directions().collect::<Vec<_>>());
    found.sort_by_key(|s| s.cells.iter().enumerate().any(|(i, &c)| i != c as usize));
    let mut seen = HashSet::new();
    found.retain(|s| seen.insert(s.cells.clone()));
    found
}

/// The linear maps of the plane that keep a set of directions, each with the one translation that may map the board to
/// itself. Two maps may do the same to the cells: of a board one cell wide, a reflection and the identity.
#[must_use]
pub(crate) fn linear_maps(board: &Board, directions: &[(i32, i32)]) -> Vec<Symmetry> {
    let corner = |places: &[(i32, i32)]| {
        let least = |values: &mut dyn Iterator<Item = i32>| values.min().unwrap_or(0);
        (least(&mut places.iter().map(|p| p.0)), least(&mut places.iter().map(|p| p.1)))
    };
    let places: Vec<(i32, i32)> = (0..board.len()).map(|cell| board.xy(cell)).collect();
    let to = corner(&places);
    let mut found = Vec::new();
    for code in 0..81 {
        let [a, b, c, d] = [code / 27, code / 9 % 3, code / 3 % 3, code % 3].map(|v| v - 1);
        let determinant: i32 = a * d - b * c;
        let linear = |(x, y): (i32, i32)| (a * x + b * y, c * x + d * y);
        if determinant.abs() != 1 || !directions.iter().all(|&v| directions.contains(&linear(v))) {
            continue;
        }
        let images: Vec<(i32, i32)> = places.iter().map(|&place| linear(place)).collect();
        let from = corner(&images);
        let shifted = images.iter().map(|&(x, y)| board.at(x - from.0 + to.0, y - from.1 + to.1));
        if let Some(cells) = shifted.map(|c| c.map(|c| c as u8)).collect() {
            found.push(Symmetry { cells, reflection: determinant < 0 });
        }
    }
    found
}

impl Symmetries {
    /// K and ρ of the problem that takes the men on `start` to `target`.
    #[must_use]
    pub fn of(lattice: &Lattice, start: &[usize], target: &[usize]) -> Self {
        let set = |cells: &[usize]| cells.iter().copied().collect::<Cells<4>>();
        let (start, target) = (set(start), set(target));
        let all = automorphisms(lattice);
        let takes = |s: &&Symmetry, from, to| s.apply(from) == to;
        let fixing: Vec<Symmetry> =
            all.iter().filter(|s| takes(s, start, start) && takes(s, target, target)).cloned().collect();
        let mut swaps: Vec<&Symmetry> = all
            .iter()
            .filter(|s| takes(s, start, target) && takes(s, target, start))
            .filter(|s| s.is_involution() && fixing.iter().all(|k| k.commutes(s)))
            .collect();
        swaps.sort_by_key(|s| !s.reflection);
        let mirror = swaps.first().map(|s| (*s).clone());
        Self { fixing, mirror }
    }

    /// The same without K: every state stands for itself.
    #[must_use]
    pub fn without_fixing(mut self) -> Self {
        self.fixing.truncate(1);
        self
    }
}

impl From<&Symmetries> for SymmetryRecord {
    fn from(symmetries: &Symmetries) -> Self {
        Self {
            fixing: symmetries.fixing.iter().map(|s| s.cells.clone()).collect(),
            mirror: symmetries.mirror.as_ref().map(|s| s.cells.clone()),
            letters: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::army;
    use crate::lattice::Rule;

    fn lattice(board: &str, rule: Rule) -> Lattice {
        Lattice::new(Board::named(board).unwrap(), rule)
    }

    #[test]
    fn automorphisms_keep_steps_and_jumps() {
        let expected = [("9x9", [8, 4, 8]), ("16x16", [8, 4, 8]), ("checkers-32", [4, 2, 4]), ("star-121", [4, 12, 4])];
        for (board, counts) in expected {
            for (rule, count) in [Rule::Four, Rule::Six, Rule::Eight].into_iter().zip(counts) {
                let lattice = lattice(board, rule);
                let all = automorphisms(&lattice);
                assert_eq!(all.len(), count, "{board} {rule:?}");
                for s in &all {
                    for cell in 0..lattice.len() {
                        let mut expected: Vec<u8> =
                            lattice.neighbours(cell).iter().map(|&n| s.cells[n as usize]).collect();
                        let mut found = lattice.neighbours(s.cells[cell] as usize).to_vec();
                        expected.sort_unstable();
                        found.sort_unstable();
                        assert_eq!(expected, found);
                    }
                }
            }
        }
    }

    #[test]
    fn the_triangle_has_one_of_each_and_the_checkers_army_only_the_half_turn() {
        for rule in [Rule::Four, Rule::Six, Rule::Eight] {
            let lattice = lattice("9x9", rule);
            let start = army::named("triangle-4", &lattice.board).unwrap().unwrap();
            let target: Vec<usize> = start.iter().map(|c| 80 - c).collect();
            let found = Symmetries::of(&lattice, &start, &target);
            assert_eq!(found.fixing.len(), 2);
            assert!(found.mirror.unwrap().reflection);
        }
        let lattice = lattice("checkers-32", Rule::Four);
        let start = army::named("checkers-12", &lattice.board).unwrap().unwrap();
        let target: Vec<usize> = start.iter().map(|c| 31 - c).collect();
        let found = Symmetries::of(&lattice, &start, &target);
        assert_eq!(found.fixing.len(), 1);
        assert!(!found.mirror.unwrap().reflection);
    }

    #[test]
    fn a_lopsided_army_has_neither() {
        let lattice = lattice("9x9", Rule::Six);
        let found = Symmetries::of(&lattice, &[0, 1, 2, 9], &[80, 79, 62, 61]);
        assert_eq!((found.fixing.len(), found.mirror), (1, None));
    }

    #[test]
    fn holes_around_a_board_leave_it_its_symmetries() {
        let board = Board::from_map("#####\n#...#\n#...#\n#...#\n#####\n").unwrap().0;
        assert_eq!(automorphisms(&Lattice::new(board, Rule::Four)).len(), 8);
    }

    #[test]
    fn on_a_line_a_map_of_the_cells_is_there_once() {
        let lattice = Lattice::new(Board::from_map("........\n").unwrap().0, Rule::Six);
        assert_eq!(automorphisms(&lattice).len(), 2);
        let found = Symmetries::of(&lattice, &[0, 1], &[6, 7]);
        assert_eq!((found.fixing.len(), found.mirror.map(|mirror| mirror.cells[0])), (1, Some(7)));
    }

    #[test]
    fn what_fixes_only_the_start_is_not_in_k() {
        let lattice = lattice("9x9", Rule::Eight);
        assert_eq!(Symmetries::of(&lattice, &[0], &[80]).fixing.len(), 2);
        assert_eq!(Symmetries::of(&lattice, &[0], &[79]).fixing.len(), 1);
        assert_eq!(Symmetries::of(&lattice, &[79], &[0]).fixing.len(), 1);
    }

    /// Only quarter turns exchange two pairs of men a knight's move from the centre, and they are of order four.
    #[test]
    fn a_quarter_turn_is_no_mirror() {
        let lattice = lattice("9x9", Rule::Four);
        let pair = |x: usize, y: usize| [9 * (4 + y) + 4 + x, 9 * (4 - y) + 4 - x];
        let turned = [9 * 5 + 2, 9 * 3 + 6];
        let found = Symmetries::of(&lattice, &pair(1, 2), &turned);
        assert_eq!((found.fixing.len(), found.mirror), (2, None));
    }
}
