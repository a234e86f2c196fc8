//! Permutation puzzles as models.

use std::collections::BTreeMap;

use halma_engine::key::Key;
use halma_record::record::Repeats;
use halma_rules::puzzle::Permutations;
use halma_rules::puzzle::permutation::Renaming;

use super::permutation_coding::{PermutationCoding, Scratch, key_bytes};
use super::{AnyModel, Model, ModelKey, Worker};

/// A permutation puzzle, with the new names that are its mirror.
struct Permuted<K> {
    coding: PermutationCoding<K>,
    renaming: Option<Renaming>,
    /// The names as records write them.
    names: BTreeMap<String, String>,
}

/// The model of a permutation puzzle, with its mirror or without; `None` where its states are too many to number.
pub(super) fn model(puzzle: &Permutations, symmetry: bool) -> Option<AnyModel> {
    match key_bytes(puzzle).ok()? {
        8 => of_key::<u64>(puzzle, symmetry),
        16 => of_key::<u128>(puzzle, symmetry),
        _ => of_key::<halma_engine::key::U256>(puzzle, symmetry),
    }
}

fn of_key<K: ModelKey>(puzzle: &Permutations, symmetry: bool) -> Option<AnyModel> {
    let renaming = if symmetry { puzzle.renaming() } else { None };
    let names = renaming.as_ref().map(|renaming| puzzle.renamed(renaming)).unwrap_or_default();
    Some(K::any(Box::new(Permuted { coding: PermutationCoding::<K>::new(puzzle).ok()?, renaming, names })))
}

impl<K: Key> Model<K> for Permuted<K> {
    fn starts(&self) -> Vec<K> {
        vec![self.coding.start()]
    }

    fn worker(&self) -> Box<dyn Worker<K> + '_> {
        Box::new(PermutationWorker { model: self, scratch: self.coding.scratch() })
    }

    fn repeats(&self) -> Repeats {
        if self.coding.has_inverse_moves() { Repeats::Previous } else { Repeats::All }
    }

    /// Positions stay where they are.
    fn mirror(&self) -> Option<(Vec<u8>, BTreeMap<String, String>)> {
        self.renaming.as_ref().map(|_| (Vec::new(), self.names.clone()))
    }

    fn has_goal(&self) -> bool {
        true
    }

    fn goals(&self) -> Option<Vec<K>> {
        Some(vec![self.coding.goal()])
    }

    fn has_inverse(&self) -> bool {
        true
    }

    fn picture(&self, state: K) -> String {
        self.coding.picture(state)
    }

    fn written(&self, before: K, after: K) -> String {
        self.coding.move_name(before, after).unwrap_or("?").into()
    }
}

/// What one thread asks by.
struct PermutationWorker<'a, K> {
    model: &'a Permuted<K>,
    scratch: Scratch<K>,
}

impl<K: Key> Worker<K> for PermutationWorker<'_, K> {
    fn after(&mut self, state: K, out: &mut Vec<K>) {
        self.model.coding.states_after(&mut self.scratch, state, out);
    }

    fn before(&mut self, state: K, out: &mut Vec<K>) -> bool {
        self.model.coding.states_before(&mut self.scratch, state, out);
        true
    }

    fn mirrored(&mut self, state: K) -> K {
        let coding = &self.model.coding;
        self.model.renaming.as_ref().map_or(state, |names| coding.renamed(&mut self.scratch, state, names))
    }

    fn is_goal(&mut self, state: K) -> bool {
        state == self.model.coding.goal()
    }

    fn is_state(&mut self, state: K) -> bool {
        self.model.coding.is_state(&mut self.scratch, state)
    }
}
