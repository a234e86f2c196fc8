//! Windows: what stands on a cell and on those around it, at a distance of one step or of two. What a window shows is one of
//! at most 512 patterns. Windows of one step show jumps, and windows of two steps show ladders.

use halma_engine::draws::Draws;
use halma_rules::cells::Cells;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::symmetry::Symmetry;

/// The distances between neighbouring cells of a window, in steps.
const STRIDES: [i32; 2] = [1, 2];
/// The most cells of a window.
const WINDOW: usize = 9;
pub(super) const PATTERNS: usize = 1 << WINDOW;

/// All windows whose middle is on the board.
pub(super) struct Windows {
    /// By cell: the windows that show it, each with the bit of its place there.
    of: Vec<Vec<(u16, u16)>>,
    /// For cells a and b, at a times the number of cells plus b: whether a window shows both.
    together: Vec<bool>,
    /// By window: its class. Windows of the same stride whose middles have the same centroid are one class.
    class: Vec<u16>,
    /// What the symmetries of K do, the identity first.
    images: Vec<Image>,
}

/// A symmetry of the problem, as windows show it.
struct Image {
    cells: Vec<u8>,
    windows: Vec<u16>,
    patterns: Vec<u16>,
}

impl Windows {
    pub(super) fn new(lattice: &Lattice, centroid: &[i32], fixing: &[Symmetry]) -> Self {
        let (board, cells) = (&lattice.board, lattice.len());
        let places = places(lattice.rule);
        let middles = || (0..).zip(STRIDES).flat_map(|(number, stride)| (0..cells).map(move |c| (number, stride, c)));
        let mut of = vec![Vec::new(); cells];
        for (number, stride, middle) in middles() {
            let (x, y) = board.xy(middle);
            for (place, (dx, dy)) in places.iter().enumerate() {
                if let Some(cell) = board.at(x + stride * dx, y + stride * dy) {
                    of[cell].push(((number * cells + middle) as u16, 1 << place));
                }
            }
        }
        let shown_by = |cell: usize, window: u16| of[cell].iter().any(|&(w, _)| w == window);
        let both = |a: usize, b: usize| of[a].iter().any(|&(window, _)| shown_by(b, window));
        let together = (0..cells).flat_map(|a| (0..cells).map(move |b| (a, b))).map(|(a, b)| both(a, b)).collect();
        let (least, most) = (centroid.iter().min().unwrap_or(&0), centroid.iter().max().unwrap_or(&0));
        let class = |number: usize, middle: usize| number as i32 * (most - least + 1) + centroid[middle] - least;
        let image = |symmetry: &Symmetry| Image {
            cells: symmetry.cells.clone(),
            windows: middles().map(|(number, _, c)| (number * cells) as u16 + u16::from(symmetry.cells[c])).collect(),
            patterns: patterns_after(symmetry, lattice, &places),
        };
        Self {
            together,
            of,
            class: middles().map(|(number, _, middle)| class(number, middle) as u16).collect(),
            images: fixing.iter().map(image).collect(),
        }
    }

    /// How many cells the board has.
    pub(super) fn cells(&self) -> usize {
        self.of.len()
    }

    /// How many windows there are.
    pub(super) fn len(&self) -> usize {
        self.class.len()
    }

    /// How many classes of them there are.
    pub(super) fn classes(&self) -> usize {
        self.class.iter().max().map_or(0, |&most| usize::from(most) + 1)
    }

    pub(super) fn class(&self, window: usize) -> usize {
        usize::from(self.class[window])
    }

    /// The windows that show a cell, each with the bit of its place there.
    pub(super) fn of(&self, cell: u8) -> &[(u16, u16)] {
        &self.of[usize::from(cell)]
    }

    /// Whether a window shows both cells.
    pub(super) fn are_together(&self, a: u8, b: u8) -> bool {
        self.together[usize::from(a) * self.of.len() + usize::from(b)]
    }

    /// One of the army's images under K.
    pub(super) fn image_of<const W: usize>(&self, army: Cells<W>, draws: &mut Draws) -> Cells<W> {
        army.mapped(&self.images[draws.below(self.images.len())].cells)
    }

    /// What a window and its pattern are in all images under K.
    pub(super) fn images(&self, window: usize, pattern: usize) -> impl ExactSizeIterator<Item = (usize, usize)> {
        self.images.iter().map(move |i| (i.windows[window].into(), i.patterns[pattern].into()))
    }
}

/// The cells of a window of one step, beside its middle. Every symmetry of the rule keeps the set of them.
fn places(rule: Rule) -> Vec<(i32, i32)> {
    match rule {
        Rule::Six => [(0, 0)].into_iter().chain(rule.directions()).collect(),
        Rule::Four | Rule::Eight => (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))).collect(),
    }
}

/// Where a symmetry takes the cells of a pattern. Places that no window has stay where they are.
fn patterns_after(symmetry: &Symmetry, lattice: &Lattice, places: &[(i32, i32)]) -> Vec<u16> {
    let board = &lattice.board;
    let after = |place: usize| {
        let (dx, dy) = places[place];
        let moved = |(stride, middle): (i32, usize)| {
            let (x, y) = board.xy(middle);
            let cell = board.at(x + stride * dx, y + stride * dy)?;
            let [(ax, ay), (bx, by)] = [middle, cell].map(|c| board.xy(symmetry.cells[c].into()));
            places.iter().position(|&(dx, dy)| (stride * dx, stride * dy) == (bx - ax, by - ay))
        };
        STRIDES.iter().flat_map(|&stride| (0..lattice.len()).map(move |middle| (stride, middle))).find_map(moved)
    };
    let after: Vec<usize> = (0..places.len()).map(|place| after(place).unwrap_or(place)).collect();
    let moved = |pattern: usize| (0..after.len()).filter(|p| pattern >> p & 1 == 1).map(|p| 1 << after[p]).sum();
    (0..PATTERNS).map(moved).collect()
}

#[cfg(test)]
mod tests {
    use halma_rules::problem::Transfer;

    use super::*;

    /// The pattern of each window.
    fn shown(windows: &Windows, army: Cells<4>) -> Vec<usize> {
        let mut patterns = vec![0; windows.len()];
        for cell in army.iter() {
            for &(window, bit) in windows.of(cell as u8) {
                patterns[usize::from(window)] |= usize::from(bit);
            }
        }
        patterns
    }

    #[test]
    fn windows_of_an_image_are_the_images_of_windows() {
        let problems =
            [("9x9", Rule::Eight, "triangle-4"), ("9x9", Rule::Six, "triangle-4"), ("8x8", Rule::Four, "square-3")];
        let mut several = 0;
        for (board, rule, army) in problems {
            let transfer = Transfer::named(board, rule, army).unwrap();
            let symmetries = transfer.symmetries();
            let centroid = halma_rules::centroid::of_cells(&transfer, &symmetries);
            let windows = Windows::new(&transfer.lattice, &centroid, &symmetries.fixing);
            let mut draws = Draws::new(3);
            for _ in 0..100 {
                let army: Cells<4> = (0..12).map(|_| draws.below(transfer.lattice.len())).collect();
                let patterns = shown(&windows, army);
                for (number, symmetry) in symmetries.fixing.iter().enumerate() {
                    let of_image = shown(&windows, symmetry.apply(army));
                    for (window, &pattern) in patterns.iter().enumerate() {
                        let (image, expected) = windows.images(window, pattern).nth(number).unwrap();
                        assert_eq!(of_image[image], expected);
                        assert_eq!(windows.class(image), windows.class(window));
                    }
                    several += number;
                }
            }
        }
        assert!(several > 0, "problems with symmetries were tried");
    }
}
