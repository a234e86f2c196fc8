//! halma as a library, without a job file: a problem, its shortest solution, the boards, the record.
//!
//! `cargo run --release --no-default-features --example library`

use halma::{Replay, Rule, Solver, Transfer, sentence};

const MAP: &str = "
SS....
SS....
..##..
..##..
....TT
....TT
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let problem = Transfer::drawn(MAP, Rule::Eight)?;
    let record = Solver::new(problem).threads(2).memory(256 << 20).solve()?;
    println!("{}", sentence(&record));
    for run in &record.runs {
        println!("{:>3} moves: {:?}, {} successors", run.length, run.verdict, run.generated);
    }
    // The solution is played move by move.
    let replay = Replay::from_record("library".as_ref(), &record)?;
    println!("\n{}{}", replay.draw(), replay.summary());
    print!("{}", record.to_json()?);
    Ok(())
}
