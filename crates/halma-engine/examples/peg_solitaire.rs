//! A puzzle of one's own on the engine: peg solitaire on the cross of 33 holes, from the empty centre.
//!
//! `cargo run --release -p halma-engine --example peg_solitaire` prints how many positions there are after each number of
//! jumps, up to the board's eight symmetries: 1, 1, 2, 8, 39, 171, ... (<https://oeis.org/A112737>), 23,475,688 in all. With
//! a number behind it, only so many levels.

use std::time::Instant;

use halma_engine::puzzle::{Puzzle, check_contract};
use halma_engine::search::{CancellationToken, Expander, levels};

/// Pegs jump over pegs along rows and columns, and those jumped over are taken off. The 33 holes are bits, row by row.
pub struct PegSolitaire {
    start: u64,
    /// Where a peg is, what it jumps over, where it lands: one bit each.
    jumps: Vec<[u64; 3]>,
    /// The board's eight symmetries: where each hole goes.
    images: Vec<Vec<usize>>,
}

/// A map of rows and columns.
type Map = fn(i32, i32) -> (i32, i32);

impl PegSolitaire {
    /// On the cross of 33 holes, all full but the centre.
    pub fn cross() -> Self {
        let places = (0..7).flat_map(|row: i32| (0..7).map(move |column: i32| (row, column)));
        let holes: Vec<(i32, i32)> =
            places.filter(|(row, column)| (2..5).contains(row) || (2..5).contains(column)).collect();
        let at = |place: (i32, i32)| holes.iter().position(|&hole| hole == place);
        let jump = |(row, column): (i32, i32), (down, right): (i32, i32)| {
            let places = [(row, column), (row + down, column + right), (row + 2 * down, column + 2 * right)];
            let [from, over, to] = places.map(at);
            Some([1 << from?, 1 << over?, 1 << to?])
        };
        let directions = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let jumps =
            holes.iter().flat_map(|&hole| directions.map(|direction| jump(hole, direction))).flatten().collect();
        let maps: [Map; 8] = [
            |r, c| (r, c),
            |r, c| (r, 6 - c),
            |r, c| (6 - r, c),
            |r, c| (6 - r, 6 - c),
            |r, c| (c, r),
            |r, c| (c, 6 - r),
            |r, c| (6 - c, r),
            |r, c| (6 - c, 6 - r),
        ];
        let image = |map: &Map| holes.iter().filter_map(|&(r, c)| at(map(r, c))).collect();
        Self { start: ((1 << 33) - 1) & !(1 << 16), jumps, images: maps.iter().map(image).collect() }
    }

    /// The least of a position's eight images is its key: one bit a peg, nothing hashed.
    fn key(&self, pegs: u64) -> u64 {
        let image = |to: &Vec<usize>| (0..33).fold(0, |image, hole| image | (pegs >> hole & 1) << to[hole]);
        self.images.iter().map(image).min().unwrap_or(pegs)
    }
}

impl Puzzle for PegSolitaire {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        vec![self.start]
    }

    fn successors(&self, (): &mut (), pegs: u64, _depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let jumps = self.jumps.iter().filter(|[from, over, to]| pegs & (from | over | to) == from | over);
        jumps.map(|[from, over, to]| emit(self.key(pegs & !from & !over | to))).count() as u64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let last = std::env::args().nth(1).map_or(Ok(usize::MAX), |n| n.parse())?;
    let (puzzle, begun) = (PegSolitaire::cross(), Instant::now());
    check_contract(&puzzle, 4)?;
    let threads = std::thread::available_parallelism()?.get();
    let (expander, cancel) = (Expander::new(threads, None)?, CancellationToken::after(None));
    let mut total = 0;
    for (jumps, level) in levels(&puzzle, &expander, &cancel).take(last).enumerate() {
        let level = level?;
        total += level.states;
        println!("{jumps:>2} {:>9}", level.states);
    }
    println!("{total} positions");
    let memory = halma_engine::budget::peak_memory() >> 20;
    eprintln!("{:.1} s on {threads} threads, {memory} MiB", begun.elapsed().as_secs_f64());
    Ok(())
}
