//! A set that is most often small: what a move has visited on its way.

use std::collections::HashSet;
use std::hash::Hash;

/// So many are looked through one by one.
const FEW: usize = 32;

/// What has been visited, each once.
#[derive(Debug)]
pub(super) struct Visited<T> {
    few: Vec<T>,
    /// Where they are not few: all of them.
    many: HashSet<T>,
}

impl<T> Default for Visited<T> {
    fn default() -> Self {
        Self { few: Vec::new(), many: HashSet::new() }
    }
}

impl<T: Copy + Eq + Hash> Visited<T> {
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.few.is_empty()
    }

    /// Whether it is new here.
    pub(super) fn insert(&mut self, item: T) -> bool {
        if self.few.len() < FEW {
            let new = !self.few.contains(&item);
            if new {
                self.few.push(item);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(&self.few);
        }
        self.many.insert(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_new_once_whether_few_or_many() {
        let mut visited = Visited::default();
        for _ in 0..2 {
            assert!(visited.is_empty());
            for item in 0..3 * FEW {
                assert!(visited.insert(item), "{item}");
                assert!((0..=item).all(|before| !visited.insert(before)), "{item}");
            }
            visited.clear();
        }
    }
}
