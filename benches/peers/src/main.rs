//! The same level search by halma and by what people would use instead, one process each, side by side.
//!
//! ```text
//! cargo run --release --manifest-path benches/peers/Cargo.toml -- [--depth N] [--runs N] [--out FILE]
//! ```
//!
//! The work is problem 2 of the paper, 10 men on 9x9 under 6-move rules, unpruned, levels 0 to N (7 unless said). All
//! peers are given halma's own move generator and its 8-byte ranks as states, so that the table compares searches, not
//! generators; K counts mirror images as one for all of them. Each search runs in a process of its own, in turns, so
//! that a busy machine is busy for all alike. CPU time and peak memory are what the process took beyond what it had
//! when the search began. Medians of the runs; ratios are to halma with one thread.

mod search;
mod textbook;

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use halma_engine::budget::{Measurements, Meter};
use serde::{Deserialize, Serialize};

/// What one search took.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    /// States found.
    states: u64,
    /// Successors generated, where the tool tells.
    successors: Option<u64>,
    cpu_seconds: f64,
    seconds: f64,
    peak_bytes: u64,
}

/// States and successors of levels 0 to N, by N, from the design page's table and halma's record.
const EXPECTED: [(u32, u64); 4] = [(5, 43_655), (6, 254_490), (7, 1_308_801), (8, 5_992_830)];

type Fault = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.first().map(String::as_str) {
        Some("one") => one(&arguments[1..]),
        _ => table(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("peers: {fault}");
            ExitCode::FAILURE
        }
    }
}

/// One search in this process; the result goes to stdout.
fn one(arguments: &[String]) -> Result<(), Fault> {
    let [name, depth] = arguments else { return Err("usage: peers one NAME DEPTH".into()) };
    let search = search::ALL.iter().find(|s| s.0 == name).ok_or("no such search")?.1;
    let puzzle = search::puzzle()?;
    let depth = depth.parse()?;
    let (memory, meter) = (halma_engine::budget::memory(), Meter::start(Measurements::default()));
    let (states, successors) = search(&puzzle, depth)?;
    let Measurements { seconds, cpu_seconds, peak_memory_bytes, .. } = meter.measurements(0);
    let run = Run { states, successors, cpu_seconds, seconds, peak_bytes: peak_memory_bytes.saturating_sub(memory) };
    println!("{}", serde_json::to_string(&run)?);
    // Tools that hold millions of states take their time to let go of them.
    std::process::exit(0)
}

/// All searches, in turns; the table goes to stdout, or to the file.
fn table(arguments: &[String]) -> Result<(), Fault> {
    let (mut depth, mut runs, mut out) = (7u32, 5usize, None);
    for pair in arguments.chunks(2) {
        match pair {
            [option, value] if option == "--depth" => depth = value.parse()?,
            [option, value] if option == "--runs" => runs = value.parse()?,
            [option, value] if option == "--out" => out = Some(value),
            _ => return Err("usage: peers [--depth N] [--runs N] [--out FILE]".into()),
        }
    }
    let mut results: Vec<Vec<Run>> = vec![Vec::new(); search::ALL.len()];
    for round in 0..runs {
        for ((name, _), results) in search::ALL.iter().zip(&mut results) {
            eprintln!("round {}: {name}", round + 1);
            let output = Command::new(std::env::current_exe()?).args(["one", name, &depth.to_string()]).output()?;
            if !output.status.success() {
                return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
            }
            results.push(serde_json::from_slice(&output.stdout)?);
        }
    }
    let text = written(depth, runs, &results);
    match out {
        Some(file) => std::fs::write(file, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

fn median(runs: &[Run], figure: impl Fn(&Run) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn written(depth: u32, runs: usize, results: &[Vec<Run>]) -> String {
    // All are given the same generator, so all make as many successors for the same states.
    let successors = results.iter().flatten().find_map(|r| r.successors).unwrap_or(0);
    let right = EXPECTED.iter().find(|e| e.0 == depth).map_or(results[0][0].states, |e| e.1);
    let rate = |runs: &[Run]| median(runs, |r| r.states as f64 / r.cpu_seconds);
    let bytes = |runs: &[Run]| median(runs, |r| r.peak_bytes as f64 / r.states as f64);
    let (rate_1, bytes_1) = (rate(&results[0]), bytes(&results[0]));
    let mut text = format!(
        "# Beside other tools\n\n10 men on 9x9, 6-move, unpruned, levels 0 to {depth}: {right} states, {successors} successors. \
         Medians of {runs} runs, one\nprocess each, in turns, on {} with {} threads. Written by\n\n```\ncargo run --release \
         --manifest-path benches/peers/Cargo.toml -- --depth {depth} --runs {runs} --out FILE\n```\n\n",
        halma_engine::budget::processor().unwrap_or_else(|| "an unknown processor".into()),
        std::thread::available_parallelism().map_or(1, Into::into),
    );
    text.push_str("| search | states/CPU s | halma is faster | successors/CPU s | seconds | peak bytes/state | halma is smaller | states |\n");
    text.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n");
    for ((name, _), runs) in search::ALL.iter().zip(results) {
        let wrong: Vec<i64> =
            runs.iter().map(|r| r.states as i64 - right as i64).filter(|&difference| difference != 0).collect();
        let verdict = match wrong.is_empty() {
            true => "right".into(),
            false => format!("**wrong** in {} of {}: {wrong:?}", wrong.len(), runs.len()),
        };
        let (rate, bytes) = (rate(runs), bytes(runs));
        let made = median(runs, |r| r.successors.unwrap_or(successors) as f64 / r.cpu_seconds);
        let _ = writeln!(
            text,
            "| {name} | {:.2} M | {:.1} x | {:.1} M | {:.2} | {bytes:.1} | {:.1} x | {verdict} |",
            rate / 1e6,
            rate_1 / rate,
            made / 1e6,
            median(runs, |r| r.seconds),
            bytes / bytes_1,
        );
    }
    let of = |name: &str| search::ALL.iter().zip(results).find(|(s, _)| s.0 == name).map(|(_, runs)| runs);
    if let Some((ours, theirs)) = of(search::FRUGAL).zip(of(search::STATERIGHT)) {
        let (smaller, faster) = (bytes(theirs) / bytes(ours), rate(ours) / rate(theirs));
        let _ = writeln!(
            text,
            "\nWithin 42 MiB, the least that its command line takes, halma takes {smaller:.1} times fewer bytes a state than stateright, and is {faster:.1} times faster."
        );
    }
    text
}
