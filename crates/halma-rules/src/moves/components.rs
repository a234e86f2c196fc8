//! Jumps of all men by connected components of empty cells, for boards of any size.
//!
//! All men of one type move in the same components: each man connects, on each axis, the pair of cells on his two
//! sides, and the empty pairs are the edges. A man reaches the components at the other ends of the pairs that contain
//! his own cell.

use crate::cells::Cells;
use crate::lattice::Lattice;

/// The scratch space of [`Mover::reach`](super::Mover::reach) on large boards; empty between calls.
#[derive(Clone, Debug)]
pub struct ComponentScratch<const W: usize> {
    /// By cell: one more than the number of the man on it, or 0.
    man: [u16; 256],
    /// By cell: one more than the number of its component, or 0.
    component: [u8; 256],
    components: Vec<Cells<W>>,
    /// Men and the cell that one jump takes them to.
    landings: Vec<(u16, u8)>,
}

impl<const W: usize> Default for ComponentScratch<W> {
    fn default() -> Self {
        Self { man: [0; 256], component: [0; 256], components: Vec::new(), landings: Vec::new() }
    }
}

/// The pairs of cells that men let jumps connect.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    /// Those of a man on cell `c`: `pairs[starts[c]..starts[c + 1]]`.
    pairs: Vec<(u8, u8)>,
    starts: Vec<u16>,
}

impl Pairs {
    /// The pairs of a lattice.
    pub(super) fn new(lattice: &Lattice) -> Self {
        let (mut pairs, mut starts) = (Vec::new(), vec![0]);
        for cell in 0..lattice.len() {
            pairs.extend_from_slice(lattice.jumps_over(cell));
            starts.push(pairs.len() as u16);
        }
        Self { pairs, starts }
    }

    /// Adds to `reach` where each of `men`, who are all that stand on the board, can go by jumps.
    pub(super) fn jumps<const W: usize>(&self, men: &[u8], scratch: &mut ComponentScratch<W>, reach: &mut [Cells<W>]) {
        let ComponentScratch { man, component, components, landings } = scratch;
        for (i, &cell) in (1u16..).zip(men) {
            man[usize::from(cell)] = i;
        }
        for &cell in men {
            let cell = usize::from(cell);
            for &(a, b) in &self.pairs[usize::from(self.starts[cell])..usize::from(self.starts[cell + 1])] {
                match (man[usize::from(a)], man[usize::from(b)]) {
                    (0, 0) => join(component, components, a, b),
                    (i, 0) => landings.push((i - 1, b)),
                    (0, i) => landings.push((i - 1, a)),
                    _ => {}
                }
            }
        }
        for (i, cell) in landings.drain(..) {
            // Of the last men nobody may have asked.
            let Some(reach) = reach.get_mut(usize::from(i)) else { continue };
            match component[usize::from(cell)] {
                0 => reach.add(usize::from(cell)),
                p => *reach |= components[usize::from(p) - 1],
            }
        }
        for &cell in men {
            man[usize::from(cell)] = 0;
        }
        for cells in components.drain(..) {
            cells.for_each(|c| component[c] = 0);
        }
    }
}

/// Puts the empty cells `a` and `b` into one component.
#[inline(always)]
fn join<const W: usize>(component: &mut [u8; 256], components: &mut Vec<Cells<W>>, a: u8, b: u8) {
    let (a, b) = (usize::from(a), usize::from(b));
    match (component[a], component[b]) {
        (0, 0) => {
            components.push(Cells::of(a).with(b));
            (component[a], component[b]) = (components.len() as u8, components.len() as u8);
        }
        (p, 0) => {
            components[usize::from(p) - 1].add(b);
            component[b] = p;
        }
        (0, p) => {
            components[usize::from(p) - 1].add(a);
            component[a] = p;
        }
        (p, q) if p != q => {
            let gone = std::mem::take(&mut components[usize::from(q) - 1]);
            gone.for_each(|c| component[c] = p);
            components[usize::from(p) - 1] |= gone;
        }
        _ => {}
    }
}
