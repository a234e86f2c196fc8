//! A puzzle of one's own on the engine: peg solitaire on the cross of 33 holes, from the empty centre.
//!
//! `cargo run --release --example peg_solitaire` prints how many positions there are after each number of jumps, up
//! to the board's eight symmetries: 1, 1, 2, 8, 39, 171, ... (<https://oeis.org/A112737>), 23,475,688 in all. With a
//! number behind it, only so many levels.

use std::time::Instant;

use halma::board::Board;
use halma::cells::Cells;
use halma::lattice::{Lattice, Rule};
use halma::puzzle::{Puzzle, check_contract};
use halma::search::{Expander, Stop, levels};
use halma::symmetry::{Symmetry, automorphisms};

const CROSS: &str = "\
##...##
##...##
.......
...S...
.......
##...##
##...##";

/// Pegs jump over pegs along rows and columns, and those jumped over are taken off.
pub struct PegSolitaire {
    symmetries: Vec<Symmetry>,
    /// Holes in a row: where a peg is, what it jumps over, where it lands.
    jumps: Vec<[usize; 3]>,
    start: Cells<1>,
}

impl PegSolitaire {
    /// On the cross of 33 holes.
    pub fn from_the_centre() -> Self {
        let (board, marks) = Board::from_map(CROSS).expect("a board");
        let start = (0..board.len()).filter(|hole| !marks.start.contains(hole)).collect();
        let lattice = Lattice::new(board, Rule::Four);
        let mut jumps = Vec::new();
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps(over) {
                let (a, b) = (usize::from(a), usize::from(b));
                jumps.extend([[a, over, b], [b, over, a]]);
            }
        }
        Self { symmetries: automorphisms(&lattice), jumps, start }
    }

    /// The least of a position's images is its key: one bit a peg, nothing hashed.
    fn key(&self, pegs: Cells<1>) -> u64 {
        self.symmetries.iter().map(|s| s.apply(pegs).words()[0]).min().unwrap_or_default()
    }
}

impl Puzzle for PegSolitaire {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        vec![self.key(self.start)]
    }

    fn successors(&self, (): &mut (), key: u64, _depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let pegs = Cells::from_words([key]);
        let mut count = 0;
        for &[from, over, to] in &self.jumps {
            if pegs.contains(from) && pegs.contains(over) && !pegs.contains(to) {
                emit(self.key(pegs.without(from).without(over).with(to)));
                count += 1;
            }
        }
        count
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let last = std::env::args().nth(1).map_or(Ok(usize::MAX), |n| n.parse())?;
    let (puzzle, begun) = (PegSolitaire::from_the_centre(), Instant::now());
    check_contract(&puzzle, 4)?;
    let threads = std::thread::available_parallelism()?.get();
    let (expander, stop) = (Expander::new(threads, None)?, Stop::after(None));
    let mut total = 0;
    for (jumps, level) in levels(&puzzle, &expander, &stop).take(last).enumerate() {
        let level = level?;
        total += level.states;
        println!("{jumps:>2} {:>9}", level.states);
    }
    println!("{total} positions");
    let memory = halma::budget::peak_memory() >> 20;
    eprintln!("{:.1} s on {threads} threads, {memory} MiB", begun.elapsed().as_secs_f64());
    Ok(())
}
