//! Path counts: the number of paths of so many moves to each state, one move after another. A path may visit a state
//! twice.

use rayon::prelude::*;

use halma_record::record::Count;

use super::memory;
use super::number::Number;
use super::rejection::Trouble;
use crate::parallel;

/// States by key, ascending, each with the number of paths that lead to it.
pub(super) type PathCounts<N> = Vec<(N, u128)>;

pub(super) fn too_large() -> Trouble {
    Trouble::TooMany("the numbers do not fit 128 bits".into())
}

/// States whose successors are made at a time.
const PART: usize = 1 << 17;

/// Successors that are collected before they are merged.
const MOST_PENDING: usize = 8 << 20;

/// The most states after a move: three times as many, and their sums beside them, take up to 2 GB with keys of 128 bits.
const MOST_STATES: usize = 10_000_000;

/// The paths of one more move. `expand` makes the successors of some states, each with the number of paths to the
/// state, and the number of successors that it looked at, which count against the budget.
pub(super) fn step<N: Number>(
    paths: &PathCounts<N>,
    budget: &mut u64,
    expand: impl Fn(&[(N, u128)]) -> Result<(PathCounts<N>, u64), String> + Sync,
) -> Result<PathCounts<N>, Trouble> {
    let (mut next, mut pending): (PathCounts<N>, PathCounts<N>) = (Vec::new(), Vec::new());
    let (pending_at, most) = (memory::paths(MOST_PENDING), memory::paths(MOST_STATES));
    let mut parts = paths.chunks(memory::paths_at_once(PART)).peekable();
    while let Some(part) = parts.next() {
        // A piece is merged by itself first: it fits in the cache, and the successors of neighbours are often the same.
        let merged = |piece: &[(N, u128)]| {
            let (mut made, generated) = expand(piece)?;
            made.sort_unstable();
            Ok::<_, Trouble>((summed(made)?, generated))
        };
        let made = parallel::map_chunks(part, 1 << 10, merged)?;
        let generated: u64 = made.iter().map(|m| m.1).sum();
        *budget = budget
            .checked_sub(generated)
            .ok_or_else(|| Trouble::TooMany("more successors would have to be made than the budget allows".into()))?;
        pending.extend(made.into_iter().flat_map(|m| m.0));
        // Merged seldom, so that states are not moved again and again.
        if parts.peek().is_none() || pending.len() > next.len().max(pending_at) {
            next.append(&mut pending);
            next.par_sort_unstable();
            next = summed(next)?;
        }
        if next.len() > most {
            return Err(Trouble::TooMany(format!("more than {most} states at a time")));
        }
    }
    Ok(next)
}

/// Adds up the counts of equal states; the list must be ascending.
fn summed<N: Number>(paths: PathCounts<N>) -> Result<PathCounts<N>, Trouble> {
    let mut sums: PathCounts<N> = Vec::new();
    for (key, count) in paths {
        match sums.last_mut().filter(|last| last.0 == key) {
            Some(last) => last.1 = last.1.checked_add(count).ok_or_else(too_large)?,
            None => sums.push((key, count)),
        }
    }
    Ok(sums)
}

/// The number of paths that lead to a state.
pub(super) fn count_of<N: Number>(paths: &PathCounts<N>, key: N) -> u128 {
    paths.binary_search_by_key(&key, |w| w.0).map_or(0, |at| paths[at].1)
}

/// The sum of some numbers.
pub(super) fn total(mut numbers: impl Iterator<Item = u128>) -> Result<u128, Trouble> {
    numbers.try_fold(0u128, |sum, number| sum.checked_add(number)).ok_or_else(too_large)
}

/// Whether numbers are those of the record, each by its field there.
pub(super) fn compare(numbers: &[(&str, Option<u128>, Option<&Count>)]) -> Result<(), Trouble> {
    for (name, derived, stated) in numbers {
        // Older records do not have all of them.
        let Some(stated) = stated else { continue };
        let derived = derived.map_or("none".to_string(), |number| number.to_string());
        if derived != stated.to_string() {
            return Err(Trouble::Wrong(format!("counts.{name} is {stated}, counted again {derived}")));
        }
    }
    Ok(())
}
