//! A puzzle of one's own on the engine: peg solitaire on the cross of 33 holes, from the empty centre.
//!
//! `cargo run --release -p halma-engine --example peg_solitaire` prints how many positions there are after each number of
//! jumps, up to the board's eight symmetries: 1, 1, 2, 8, 39, 171, ... (<https://oeis.org/A112737>), 23,475,688 in all. With
//! a number behind it, only so many levels.

use std::time::Instant;

use halma_engine::puzzle::{Puzzle, check_contract};
use halma_engine::search::{CancellationToken, Expander, levels};

/// Pegs jump over pegs along rows and columns, and those jumped over are taken off. Holes are bits `7 * row + column`.
pub struct PegSolitaire {
    holes: u64,
    /// Where a peg is, what it jumps over, where it lands: one bit each.
    jumps: Vec<[u64; 3]>,
}

impl PegSolitaire {
    /// On the cross of 33 holes.
    pub fn cross() -> Self {
        let is_hole = |row: i32, column: i32| (2..5).contains(&row) || (2..5).contains(&column);
        let at = |row: i32, column: i32| {
            let on = (0..7).contains(&row) && (0..7).contains(&column) && is_hole(row, column);
            on.then(|| 1 << (7 * row + column))
        };
        let places = || (0..7).flat_map(|row| (0..7).map(move |column| (row, column)));
        let holes = places().filter_map(|(row, column)| at(row, column)).sum();
        let directions = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let jump = |(row, column), (down, right)| {
            Some([at(row, column)?, at(row + down, column + right)?, at(row + 2 * down, column + 2 * right)?])
        };
        let jumps = places().flat_map(|place| directions.map(|direction| jump(place, direction))).flatten().collect();
        Self { holes, jumps }
    }

    /// The least of a position's eight images is its key: one bit a peg, nothing hashed.
    fn key(pegs: u64) -> u64 {
        let mapped = |pegs: u64, image: fn(u32, u32) -> u32| -> u64 {
            (0..49).filter(|bit| pegs >> bit & 1 == 1).map(|bit| 1 << image(bit / 7, bit % 7)).sum()
        };
        let turned = |pegs| mapped(pegs, |row, column| 7 * column + 6 - row);
        let flipped = |pegs| mapped(pegs, |row, column| 7 * row + 6 - column);
        let turns = std::iter::successors(Some(pegs), |&pegs| Some(turned(pegs))).take(4);
        turns.map(|pegs| pegs.min(flipped(pegs))).min().unwrap_or(pegs)
    }
}

impl Puzzle for PegSolitaire {
    type Key = u64;
    type Scratch = ();

    fn scratch(&self) {}

    fn start(&self) -> Vec<u64> {
        vec![self.holes & !(1 << 24)]
    }

    fn successors(&self, (): &mut (), pegs: u64, _depth: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let jumps = self.jumps.iter().filter(|[from, over, to]| pegs & (from | over | to) == from | over);
        jumps.map(|[from, over, to]| emit(Self::key(pegs & !from & !over | to))).count() as u64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let last = std::env::args().nth(1).map_or(Ok(usize::MAX), |n| n.parse())?;
    let (puzzle, begun) = (PegSolitaire::cross(), Instant::now());
    check_contract(&puzzle, 4)?;
    let threads = std::thread::available_parallelism()?.get();
    let (expander, stop) = (Expander::new(threads, None)?, CancellationToken::after(None));
    let mut total = 0;
    for (jumps, level) in levels(&puzzle, &expander, &stop).take(last).enumerate() {
        let level = level?;
        total += level.states;
        println!("{jumps:>2} {:>9}", level.states);
    }
    println!("{total} positions");
    let memory = halma_engine::budget::peak_memory() >> 20;
    eprintln!("{:.1} s on {threads} threads, {memory} MiB", begun.elapsed().as_secs_f64());
    Ok(())
}
