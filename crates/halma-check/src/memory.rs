//! The memory budget of the verifier.
//!
//! No answer depends on it. Smaller batches find the same, and the report names what did not fit, and how much it would
//! take.

use std::sync::atomic::{AtomicU64, Ordering};

const MIB: u64 = 1 << 20;
/// Memory that is not divided here: the program's pages, the record, indices of level files.
const PROGRAM: u64 = 40 * MIB;
/// Each thread: its stack, blocks of level files, the successors that it makes.
const THREAD: u64 = 6 * MIB;
/// About the successors of an eighth of a block.
const PIECE: u64 = 4 * MIB;
/// Bytes for each byte of a record's file; the cells' names take most, while their list grows.
const BYTE_OF_RECORD: u64 = 24;
/// Bytes for each histogram: tables for both ends and for middles, and the lists from which they are made.
const HISTOGRAM: u64 = 12;
/// Bytes for each walk of a count: three times its state and number, and room for sorting.
const PATH: u64 = 200;

/// Bytes of whole states that are held without a budget.
const MOST_OF_STATES: u64 = 4 << 30;

/// The most states that are held without a budget.
pub(super) const MOST_STATES: u64 = 40_000_000;

/// One for the process, which concurrent checks have to share anyway.
static BUDGET: AtomicU64 = AtomicU64::new(u64::MAX);

/// The least budget for so many threads, in bytes.
#[must_use]
pub fn least(threads: usize) -> u64 {
    PROGRAM + THREAD * threads as u64
}

/// The memory of a record with a file of that size.
#[must_use]
pub fn of_record(size: u64) -> u64 {
    // Small ones are included in the program.
    size.saturating_sub(1 << 18).saturating_mul(BYTE_OF_RECORD)
}

/// Limits checks of a record with a file of that size to `bytes` from now on.
pub(super) fn keep_to(bytes: Option<u64>, size: u64) {
    let bytes = bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(of_record(size)));
    BUDGET.store(bytes, Ordering::Relaxed);
}

/// The rest of the budget, if there is one.
fn free() -> u64 {
    match BUDGET.load(Ordering::Relaxed) {
        u64::MAX => u64::MAX,
        budget => budget.saturating_sub(least(rayon::current_num_threads())) + PIECE,
    }
}

/// How many items of `bytes` bytes fit a part of the free memory, at least one and at most `most`.
fn part(of: u64, bytes: u64, most: u64) -> u64 {
    (free() / of / bytes).clamp(1, most)
}

/// How many keys of so many bytes are sorted at a time, at most `most`; they are held three times.
pub(super) fn batch(bytes: usize, most: usize) -> usize {
    part(8, 3 * bytes as u64, most as u64) as usize
}

/// How many pieces of a level are expanded at a time.
pub(super) fn pieces(most: usize) -> usize {
    part(4, PIECE, most as u64) as usize
}

/// How many keys of so many bytes derived levels may have, at most `most`; the last level is held twice while it grows.
pub(super) fn states(bytes: usize, most: u64) -> u64 {
    part(2, 3 * bytes as u64, most)
}

/// How many states of so many entries are held with what leads to them, which takes `beside` more bytes: at most `most`, and without a
/// budget at most [`MOST_OF_STATES`].
pub(super) fn whole_states(entries: usize, beside: usize, most: u64) -> u64 {
    states(entries + beside, most).min(MOST_OF_STATES / (entries + beside) as u64)
}

/// Whether derived levels of so many keys fit, of which the `largest` is held twice while it grows; otherwise what they
/// take, in words. Without a budget [`MOST_STATES`] may be held, for which any machine has room.
pub(super) fn fit_levels(held: u64, largest: u64, bytes: usize) -> Result<(), String> {
    let needed = largest.saturating_mul(2).saturating_add(held).saturating_mul(2 * bytes as u64);
    match free() {
        u64::MAX if held <= MOST_STATES => Ok(()),
        u64::MAX => Err(format!("are more than {MOST_STATES} without --memory; they take {}", at_least(needed))),
        free if needed <= free => Ok(()),
        _ => Err(format!("take {}", at_least(needed))),
    }
}

/// Why counting ends that holds `most` states: with more memory it may hold up to `limit`.
pub(super) fn too_many_states(most: u64, limit: u64) -> String {
    match most < limit {
        true => format!("more than {most} states, which fit this memory; --memory may give more, for at most {limit}"),
        false => format!("more than {most} states"),
    }
}

/// Whether there is a budget.
pub(super) fn is_limited() -> bool {
    BUDGET.load(Ordering::Relaxed) != u64::MAX
}

/// How many items of `bytes` bytes are held together, at most `most`.
pub(super) fn items(bytes: usize, most: usize) -> usize {
    part(2, bytes as u64, most as u64) as usize
}

/// How many histograms a problem may have, at most `most`.
pub(super) fn histograms(most: u64) -> u64 {
    part(2, HISTOGRAM, most)
}

/// How many paths are counted at a time, at most `most`.
pub(super) fn paths(most: usize) -> usize {
    part(2, PATH, most as u64) as usize
}

/// How many paths are extended at a time, at most `most`; each has a hundred successors or more.
pub(super) fn paths_at_once(most: usize) -> usize {
    part(8, 8 << 10, most as u64) as usize
}

/// Whether tables of so many bytes fit; otherwise their size, in words.
pub(super) fn fit(what: &str, bytes: u64) -> Result<(), String> {
    // Small ones are included in the program.
    let bytes = bytes.saturating_sub(16 * MIB);
    if bytes <= free() / 8 { Ok(()) } else { Err(format!("{what} take {}", at_least(8 * bytes))) }
}

/// The size of so many histograms, in words.
pub(super) fn of_histograms(count: u64) -> String {
    at_least(count.saturating_mul(2 * HISTOGRAM))
}

fn at_least(bytes: u64) -> String {
    let bytes = bytes.saturating_add(least(rayon::current_num_threads()));
    format!("at least {} MiB of memory", bytes.div_ceil(MIB))
}
