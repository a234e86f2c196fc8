//! Progress for programs: one JSON object a line on standard error, and nothing else.

use std::io::{self, Write};

use serde_json::{Value, json};

use halma_engine::search::Watch;
use halma_record::record::Record;
use halma_solve::solve::{LevelFigures, Progress};

/// Writes events as they happen.
pub struct Events;

/// Writes an event; standard error may be closed.
fn tell(event: &Value) {
    let _ = writeln!(io::stderr(), "{event}");
}

/// A message.
pub fn note(text: &str) {
    tell(&json!({ "event": "note", "text": text }));
}

/// The answer, with the field names of records.
pub fn done(record: &Record, exit: u8) {
    let Record { verdict, length, refuted_up_to, reason, seconds, .. } = record;
    tell(&json!({
        "event": "done", "exit": exit, "verdict": verdict, "length": length, "refuted_up_to": refuted_up_to,
        "reason": reason, "seconds": seconds,
    }));
}

/// The end of several searches.
pub fn ended(exit: u8) {
    tell(&json!({ "event": "done", "exit": exit }));
}

/// The command failed.
pub fn failed(message: &str, exit: u8) {
    tell(&json!({ "event": "done", "exit": exit, "error": message }));
}

impl Watch for Events {}

impl Progress for Events {
    fn length(&self, length: u32) {
        tell(&json!({ "event": "length", "length": length }));
    }

    fn level(&self, figures: &LevelFigures) {
        let LevelFigures { depth, side, tally, bytes, seconds, .. } = figures;
        tell(&json!({
            "event": "level", "depth": depth, "side": side.name(), "states": tally.states, "generated": tally.generated,
            "pruned": tally.pruned, "duplicates": tally.duplicates, "old": tally.old, "bytes": bytes, "seconds": seconds,
        }));
    }

    fn note(&self, text: &str) {
        note(text);
    }
}
