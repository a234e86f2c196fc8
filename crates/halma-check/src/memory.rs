//! The memory budget of the verifier.
//!
//! No answer depends on it. Smaller batches find the same, and the report names what did not fit, and how much it would
//! take.

use std::sync::atomic::{AtomicU64, Ordering};

const MIB: u64 = 1 << 20;
/// What the program takes beside what is shared out here: its pages, the record, indices of level files.
const PROGRAM: u64 = 40 * MIB;
/// What each thread takes: its stack, blocks of level files, the successors that it makes.
const THREAD: u64 = 6 * MIB;
/// Successors of an eighth of a block, about.
const PIECE: u64 = 4 * MIB;
/// Bytes for each byte of a record's file: the shortest cells' names take most, while a list of them grows.
const BYTE_OF_RECORD: u64 = 24;
/// Bytes for each histogram: tables for both ends and for middles, and the lists that they are made from.
const HISTOGRAM: u64 = 12;
/// Bytes for each walk in a count: three times its state and number, and room to sort some.
const WALK: u64 = 200;

/// One for the process: checks beside each other would have to share it anyway.
static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);

/// The least budget that will do for so many threads, in bytes.
#[must_use]
pub fn least(threads: usize) -> u64 {
    PROGRAM + THREAD * threads as u64
}

/// What a record in a file of that size takes.
#[must_use]
pub fn of_record(size: u64) -> u64 {
    // The small ones are a part of the program.
    size.saturating_sub(1 << 18).saturating_mul(BYTE_OF_RECORD)
}

/// Keeps checks of a record in a file of that size to `bytes` from now on.
pub(super) fn keep_to(bytes: Option<u64>, size: u64) {
    let bytes = bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(of_record(size)));
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// What the budget leaves, as far as there is one.
fn free() -> u64 {
    match BUDGET.load(Ordering::Relaxed) {
        u64::MAX => u64::MAX,
        budget => budget.saturating_sub(least(rayon::current_num_threads())) + PIECE,
    }
}

/// How many things of `bytes` bytes fit a part of what is free, at most `most` and at least one.
fn part(of: u64, bytes: u64, most: u64) -> u64 {
    (free() / of / bytes).clamp(1, most)
}

/// Keys of so many bytes that are sorted at once, at most `most`: they stand there three times.
pub(super) fn batch(bytes: usize, most: usize) -> usize {
    part(8, 3 * bytes as u64, most as u64) as usize
}

/// Pieces of a level that are expanded at once.
pub(super) fn pieces(most: usize) -> usize {
    part(4, PIECE, most as u64) as usize
}

/// Keys of so many bytes on derived levels, at most `most`: the last one stands there twice while it grows.
pub(super) fn states(bytes: usize, most: u64) -> u64 {
    part(2, 3 * bytes as u64, most)
}

/// Histograms of one problem, at most `most`.
pub(super) fn histograms(most: u64) -> u64 {
    part(2, HISTOGRAM, most)
}

/// Walks that are counted at a time, at most `most`.
pub(super) fn walks(most: usize) -> usize {
    part(2, WALK, most as u64) as usize
}

/// Walks whose next moves are made at a time, at most `most`: each has a hundred or more.
pub(super) fn walks_at_once(most: usize) -> usize {
    part(8, 8 << 10, most as u64) as usize
}

/// Whether tables of so many bytes fit; else what they take, in words.
pub(super) fn fit(what: &str, bytes: u64) -> Result<(), String> {
    // Small ones are a part of the program.
    let bytes = bytes.saturating_sub(16 * MIB);
    if bytes <= free() / 8 { Ok(()) } else { Err(format!("{what} take {}", at_least(8 * bytes))) }
}

/// What a number of keys of so many bytes takes, in words.
pub(super) fn needed(states: u64, bytes: usize) -> String {
    at_least(states.saturating_mul(6 * bytes as u64))
}

/// The same of histograms.
pub(super) fn of_histograms(count: u64) -> String {
    at_least(count.saturating_mul(2 * HISTOGRAM))
}

fn at_least(bytes: u64) -> String {
    let bytes = bytes.saturating_add(least(rayon::current_num_threads()));
    format!("at least {} MiB of memory", bytes.div_ceil(MIB))
}
