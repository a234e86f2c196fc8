use halma::army;
use halma::board::Board;
use halma::lattice::{Lattice, Rule};
use halma::problem::{self, Transfer};
use halma::puzzle::transfer::{Ground, TransferPuzzle};
use halma::search::{Expander, Stop};
use std::sync::Arc;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let depth: usize = a[1].parse().unwrap();
    let threads: usize = a[2].parse().unwrap();
    let lattice = Lattice::new(Board::named("9x9").unwrap(), Rule::Six);
    let start = army::named("triangle-4", &lattice.board).unwrap().unwrap();
    let target = problem::mirrored(&lattice, &start).unwrap();
    let problem = Transfer { lattice, start, target, jumps_only: false };
    let centroid = (0..81).map(|c| problem.lattice.board.xy(c)).map(|(x, y)| x + y - 8).collect();
    let ground = Arc::new(Ground::<2, u64>::new(&problem, &problem.symmetries().fixing, centroid).unwrap());
    let puzzle = TransferPuzzle::new(&ground, &problem.start, vec![]);
    let expander = Expander::new(threads).unwrap();
    let stop = Stop::after(None);
    let t0 = Instant::now();
    let first = expander.level_of(&puzzle, halma::puzzle::Puzzle::start(&puzzle));
    let mut levels = vec![first.level];
    let mut gen_ = 0;
    for d in 0..depth {
        let t = Instant::now();
        let earlier: Vec<_> = levels[..d].iter().rev().take(1).collect();
        let next = expander.expand(&puzzle, d as u32, &levels[d], &earlier, &stop).unwrap();
        gen_ += next.tally.generated;
        println!(
            "{} {:?} {:.3}s {:.1} M succ/s  {:.2} B/state",
            d + 1,
            next.tally,
            t.elapsed().as_secs_f64(),
            next.tally.generated as f64 / t.elapsed().as_secs_f64() / 1e6,
            next.level.bytes() as f64 / next.level.len() as f64
        );
        levels.push(next.level);
    }
    println!("total {:.3}s {:.1} M/s", t0.elapsed().as_secs_f64(), gen_ as f64 / t0.elapsed().as_secs_f64() / 1e6);
}
