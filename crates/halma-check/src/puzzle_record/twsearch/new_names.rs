//! New names for pieces, under which the start is the solved state.
//!
//! A move says where the piece of each position comes from, and what is added to its orientation, whatever piece it is: so it does
//! the same to states with other names for their pieces, and with orientations counted from elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use super::{Permutations, Set};
use crate::puzzle_record::model::State;

/// Of a set: what each piece becomes, and what is added to its orientation.
pub type NewNames = Vec<(u8, u8)>;

impl Permutations {
    /// The new names of all pieces, set by set; an error says why there are none.
    pub fn derived_names(&self) -> Result<Vec<NewNames>, String> {
        let (mut start, mut solved) = (&self.start[0][..], &self.solved[..]);
        let mut all = Vec::new();
        for set in &self.sets {
            let (own, image);
            (own, start) = start.split_at(set.entries());
            (image, solved) = solved.split_at(set.entries());
            all.push(set.new_names(own, image).ok_or_else(|| {
                format!(
                    "symmetries.mirror: set {}: no new names of its pieces make the start the solved state",
                    set.name
                )
            })?);
        }
        Ok(all)
    }

    /// The new names as a record writes them, without those that are the old ones.
    pub fn written_names(&self, names: &[NewNames]) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (set, names) in self.sets.iter().zip(names) {
            for (old, &(new, turn)) in set.names.iter().zip(names) {
                let added = if turn == 0 { String::new() } else { format!(" +{turn}") };
                let (old, new) = (format!("{} {old}", set.name), set.names[usize::from(new)]);
                let new = format!("{} {new}{added}", set.name);
                if old != new {
                    all.insert(old, new);
                }
            }
        }
        all
    }

    /// A state under new names.
    pub fn under(&self, names: &[NewNames], state: &[u8]) -> State {
        let (mut image, mut rest) = (Vec::new(), state);
        for (set, names) in self.sets.iter().zip(names) {
            let (own, others) = rest.split_at(set.entries());
            rest = others;
            let (pieces, orientations) = own.split_at(set.size);
            image.extend(pieces.iter().map(|&piece| names[usize::from(piece)].0));
            let turned = |(&piece, &orientation): (&u8, &u8)| {
                let sum = u16::from(orientation) + u16::from(names[usize::from(piece)].1);
                (sum % u16::from(set.base)) as u8
            };
            image.extend(pieces.iter().zip(orientations).map(turned));
        }
        image
    }
}

impl Set {
    /// What the pieces of `own` must become so that it is `image`: equal ones alike, different ones differently.
    fn new_names(&self, own: &[u8], image: &[u8]) -> Option<NewNames> {
        let mut names: BTreeMap<u8, (u8, u8)> = BTreeMap::new();
        for position in 0..self.size {
            let (old, new) = (own[position], image[position]);
            let turn = match (own.get(self.size + position), image.get(self.size + position)) {
                (Some(&from), Some(&to)) => {
                    (u16::from(self.base) + u16::from(to) - u16::from(from)) % u16::from(self.base)
                }
                _ => 0,
            };
            let new = (new, turn as u8);
            if *names.entry(old).or_insert(new) != new
                || self.counts[usize::from(old)] != self.counts[usize::from(new.0)]
            {
                return None;
            }
        }
        let different: BTreeSet<u8> = names.values().map(|&(new, _)| new).collect();
        // Every piece stands somewhere.
        let all = names.len() == self.counts.len() && different.len() == names.len();
        all.then(|| names.into_values().collect())
    }
}
