//! Permutation puzzles as models.

use halma_engine::key::Key;
use halma_record::record::Repeats;
use halma_rules::puzzle::Permutations;

use super::permutation_coding::{PermutationCoding, Scratch, key_bytes};
use super::{AnyModel, Model, ModelKey, Worker};

/// The model of a permutation puzzle; `None` where its states are too many to number.
pub(super) fn model(puzzle: &Permutations) -> Option<AnyModel> {
    match key_bytes(puzzle).ok()? {
        8 => of_key::<u64>(puzzle),
        16 => of_key::<u128>(puzzle),
        _ => of_key::<halma_engine::key::U256>(puzzle),
    }
}

fn of_key<K: ModelKey>(puzzle: &Permutations) -> Option<AnyModel> {
    Some(K::any(Box::new(PermutationCoding::<K>::new(puzzle).ok()?)))
}

impl<K: Key> Model<K> for PermutationCoding<K> {
    fn starts(&self) -> Vec<K> {
        vec![self.start()]
    }

    fn worker(&self) -> Box<dyn Worker<K> + '_> {
        Box::new(PermutationWorker { coding: self, scratch: self.scratch() })
    }

    fn repeats(&self) -> Repeats {
        if self.is_closed() { Repeats::Previous } else { Repeats::All }
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn goals(&self) -> Option<Vec<K>> {
        Some(vec![self.goal()])
    }

    fn has_inverse(&self) -> bool {
        true
    }

    fn picture(&self, state: K) -> String {
        PermutationCoding::picture(self, state)
    }

    fn written(&self, before: K, after: K) -> String {
        self.move_name(before, after).unwrap_or("?").into()
    }
}

/// What one thread asks by.
struct PermutationWorker<'a, K> {
    coding: &'a PermutationCoding<K>,
    scratch: Scratch<K>,
}

impl<K: Key> Worker<K> for PermutationWorker<'_, K> {
    fn after(&mut self, state: K, out: &mut Vec<K>) {
        self.coding.successors(&mut self.scratch, state, out);
    }

    fn before(&mut self, state: K, out: &mut Vec<K>) {
        self.coding.predecessors(&mut self.scratch, state, out);
    }

    fn is_goal(&mut self, state: K) -> bool {
        state == self.coding.goal()
    }

    fn is_state(&mut self, state: K) -> bool {
        self.coding.is_state(&mut self.scratch, state)
    }
}
