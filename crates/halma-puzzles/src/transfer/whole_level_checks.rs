//! What levels that are made as a whole have to be, for the tests of both kinds of batches.

use std::collections::BTreeSet;
use std::sync::Arc;

use halma_engine::batch::{Expanded, WholeLevel};
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::store::layout::Layout;

/// A level of these states, which may repeat and be in any order.
pub fn lay_out<K: Key>(whole: &dyn WholeLevel<K>, keys: &[K]) -> Arc<dyn Layout<K>> {
    let mut workers = [whole.worker(), whole.worker()];
    keys.chunks(7).enumerate().for_each(|(number, keys)| workers[number % 2].add(keys));
    whole.level((0..whole.parts()).map(|part| workers[part % 2].new_states(part, &[], None).states).collect())
}

/// The keys of a level, none of which may come twice.
fn keys_of<K: Key>(layout: &dyn Layout<K>) -> BTreeSet<K> {
    let mut all = Vec::new();
    (0..layout.parts()).for_each(|part| layout.keys(part, &mut all));
    let different: BTreeSet<K> = all.iter().copied().collect();
    assert_eq!(all.len(), different.len());
    different
}

/// Compares the level after that of `keys`, made as a whole by so many threads, with these successors, some of which are old.
pub fn check<P: Puzzle>(
    puzzle: &P,
    whole: &dyn WholeLevel<P::Key>,
    keys: &[P::Key],
    threads: usize,
    (expected, successors): (Expanded, &BTreeSet<P::Key>),
) {
    // Some states are on both levels before.
    let earlier: Vec<P::Key> = successors.iter().copied().step_by(3).chain(keys.iter().copied().step_by(2)).collect();
    let old: BTreeSet<P::Key> = earlier.iter().chain(keys).copied().collect();
    let before = [lay_out(whole, keys), lay_out(whole, &earlier)];
    assert_eq!(keys_of(&*before[0]), keys.iter().copied().collect());
    assert!(before.iter().all(|layout| whole.takes(&**layout)));
    let mut workers: Vec<_> = (0..threads).map(|_| whole.worker()).collect();
    let mut made = Expanded::default();
    for part in 0..before[0].parts() {
        made.add(workers[part % threads].expand(&*before[0], part, usize::MAX));
    }
    assert_eq!(made, expected);
    assert!(expected.emitted == 0 || workers.iter().any(|worker| worker.bytes() > 0));
    let (mut parts, mut told, mut len, mut all_old, mut largest) = (Vec::new(), BTreeSet::new(), 0, 0, None);
    let before = before.each_ref().map(|layout| &**layout);
    for part in 0..whole.parts() {
        let mut tell = |keys: &[P::Key]| assert!(keys.iter().all(|&key| told.insert(key)));
        let new = workers[part / 2 % threads].new_states(part, &before, Some(&mut tell));
        (len, all_old, largest) = (len + new.len, all_old + new.old, largest.max(new.measure_max));
        parts.push(new.states);
    }
    let new: BTreeSet<P::Key> = successors.difference(&old).copied().collect();
    let mut scratch = puzzle.scratch();
    assert_eq!(largest, new.iter().filter_map(|&key| puzzle.measure(&mut scratch, key)).max());
    assert_eq!((len, all_old), (new.len() as u64, successors.intersection(&old).count() as u64));
    let level = whole.level(parts);
    assert!(successors.iter().chain(&old).all(|&key| level.has(key) == new.contains(&key)));
    assert_eq!((keys_of(&*level), told), (new.clone(), new));
    // Nothing is left of it.
    assert!(keys_of(&*lay_out(whole, &[])).is_empty());
}
