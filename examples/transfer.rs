//! Plain use of the library: a board drawn by hand, its shortest solution, the refutation, the boards.
//!
//! `cargo run --release --example transfer`

use halma::job::Job;
use halma::replay::Replay;
use halma::run::{self, Question};
use halma::search::Stop;

const JOB: &str = r#"
[problem]
kind = "transfer"
moves = 8
board = """
SS....
SS....
..##..
..##..
....TT
....TT
"""
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let job = Job::parse("hole.toml".as_ref(), JOB)?;
    let record = run::run(&job, Question::Solve, &(), &Stop::after(None))?;
    println!("{}", halma::report::sentence(&record));
    for run in &record.runs {
        println!("{:>3} moves: {:?}, {} successors", run.length, run.verdict, run.generated);
    }
    // Code that shares nothing with the search plays the solution.
    let replay = Replay::from_record(&job.file, &record)?;
    println!("\n{}{}", replay.draw(), replay.summary());
    Ok(())
}
