//! What a search tells on standard error while it goes on: a line for each length and each level.

use std::io::Write;

use crate::report::grouped;
use crate::solve::{LevelFigures, Progress};

/// Plain lines on standard error.
#[derive(Clone, Copy, Debug)]
pub struct Lines;

impl Lines {
    /// A line; who closed standard error does not want it.
    fn line(text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

impl Progress for Lines {
    fn length(&self, length: u32) {
        Self::line(&format!("length {length}"));
    }

    fn level(&self, figures: &LevelFigures) {
        Self::line(&level_line(figures));
    }

    fn note(&self, text: &str) {
        Self::line(&format!("  {text}"));
    }
}

fn level_line(figures: &LevelFigures) -> String {
    let tally = &figures.tally;
    let rate = if figures.seconds > 0.0 { tally.generated as f64 / figures.seconds } else { 0.0 };
    format!(
        "  level {:>2} {:<9} {:>15} states  {:>17} generated  {:>6.1} s  {:>5.1} M/s  {}",
        figures.depth,
        format!("{:?}", figures.side).to_lowercase(),
        grouped(tally.states),
        grouped(tally.generated),
        figures.seconds,
        rate / 1e6,
        bytesize::ByteSize(figures.bytes),
    )
}
