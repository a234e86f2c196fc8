//! Selection of the best states of a level, for beam search (Lowerre, *The Harpy speech recognition system*, 1976). The
//! level is scored in batches, so that a level larger than memory is never held as a whole.

use halma_engine::budget::plan::MemoryPlan;
use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::search::{Expander, Stopped};
use halma_engine::store::{BLOCK, Level, StoreError};

/// The most blocks of a level that each thread scores at a time.
const BATCH: usize = 64;

/// The `keep` best states of a level, over all processes. `scored` gives the entries of a block: scores, of which less is better, what
/// decides between equal ones, and states; it may leave out some.
pub(super) fn best_states<K: Key>(
    level: &Level<K>,
    keep: usize,
    expander: &Expander,
    scored: impl Fn(usize) -> Result<Vec<(i64, u128, K)>, StoreError> + Sync,
) -> Result<Level<K>, Stopped> {
    let here = expander.install(|| best_of(level, keep, expander.memory_plan(), &scored))?;
    let exchange = expander.exchange();
    let best = Level::of(exchange.select_least(here, keep)?);
    let whole = exchange.all_gather(best.len())?.into_iter().sum();
    Ok(best.of_whole(whole))
}

/// Entries of a level, in any order, that include the `keep` least ones, and no more than there is room for: who calls cuts them.
fn best_of<K: Key>(
    level: &Level<K>,
    keep: usize,
    plan: &MemoryPlan,
    scored: impl Fn(usize) -> Result<Vec<(i64, u128, K)>, StoreError> + Sync,
) -> Result<Vec<(i64, u128, K)>, StoreError> {
    let (room, entry) = (plan.measure_room(), size_of::<(i64, u128, K)>() as u64);
    // Scored entries are held twice, in parts and together.
    let batch = room.batch(2 * BLOCK as u64 * entry, BATCH) * rayon::current_num_threads();
    // The selection runs seldom, so that most entries are not compared again and again.
    let most = keep.saturating_add(keep.min(room.batch(entry, keep.max(1)) * rayon::current_num_threads()));
    let mut best =
        Vec::with_capacity(usize::try_from(level.len()).unwrap_or(usize::MAX).min(most.saturating_add(BLOCK)));
    for first in (0..level.blocks()).step_by(batch) {
        let blocks = batch.min(level.blocks() - first);
        for entries in parallel::map(blocks, || (), |(), block| scored(first + block))? {
            best.extend(entries);
            if best.len() > most {
                best.select_nth_unstable(keep);
                best.truncate(keep);
            }
        }
    }
    Ok(best)
}
