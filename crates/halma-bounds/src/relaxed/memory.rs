//! A transposition table for the look-ahead from one state: nodes from which nothing leads on.

use halma_rules::moves::word::Word;

use super::{MovesLeft, Node};

#[derive(Clone, Copy)]
struct Failed<Q> {
    position: Node<Q>,
    /// The moves left with which it failed.
    left: u32,
    /// Which look-ahead entered it.
    generation: u32,
}

/// The most bytes of a table. The look-ahead from one state may meet millions of nodes; what is forgotten is looked at again.
const MOST_BYTES: usize = 8 << 20;

/// Failed nodes, compared in full.
pub(super) struct Memory<Q> {
    slots: Vec<Failed<Q>>,
    held: usize,
    /// The number of the look-ahead under way; entries of others count as empty.
    generation: u32,
}

impl<Q: Word> Default for Memory<Q> {
    fn default() -> Self {
        let empty = Failed { position: Node::default(), left: 0, generation: 0 };
        Self { slots: vec![empty; 1 << 8], held: 0, generation: 1 }
    }
}

impl<Q: Word> Memory<Q> {
    /// Begins another look-ahead.
    pub(super) fn forget(&mut self) {
        self.held = 0;
        self.generation = self.generation.checked_add(1).unwrap_or_else(|| {
            self.slots.iter_mut().for_each(|slot| slot.generation = 0);
            1
        });
    }

    #[inline(always)]
    fn slot(&self, position: &Node<Q>) -> usize {
        let Node { rank, unmoved, maybe } = position;
        let mixed = maybe.mixed(unmoved.mixed(u64::from(*rank)));
        let (mask, mut slot) = (self.slots.len() - 1, (mixed >> 40) as usize);
        loop {
            slot &= mask;
            let failed = &self.slots[slot];
            if failed.generation != self.generation || failed.position == *position {
                return slot;
            }
            slot += 1;
        }
    }

    /// Whether the node is known to fail with so many moves left. If the look-ahead tries all moves left, failing with
    /// more moves implies failing with fewer. If it tries only some of them, only a failure with the same number left
    /// counts.
    #[inline]
    pub(super) fn has_failed(&self, position: &Node<Q>, left: MovesLeft) -> bool {
        if self.held == 0 {
            return false;
        }
        let failed = &self.slots[self.slot(position)];
        let known = failed.left == left.all || failed.left > left.all && left.looked_at == left.all;
        failed.generation == self.generation && known
    }

    /// Enters a failed node.
    pub(super) fn fail(&mut self, position: &Node<Q>, left: MovesLeft) {
        let slot = self.slot(position);
        let new = self.slots[slot].generation != self.generation;
        self.slots[slot] = Failed { position: *position, left: left.all, generation: self.generation };
        self.held += usize::from(new);
        if 2 * self.held <= self.slots.len() {
            return;
        }
        if 2 * self.slots.len() * size_of::<Failed<Q>>() > MOST_BYTES {
            self.forget();
        } else {
            let old = std::mem::take(&mut self.slots);
            let empty = Failed { position: Node::default(), left: 0, generation: 0 };
            self.slots = vec![empty; 2 * old.len()];
            for failed in old.into_iter().filter(|f| f.generation == self.generation) {
                let slot = self.slot(&failed.position);
                self.slots[slot] = failed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stays_within_its_bytes_and_knows_only_what_has_failed() {
        let mut memory = Memory::<u64>::default();
        let node = |rank: u32| Node { rank, ..Node::default() };
        let left = MovesLeft { all: 5, looked_at: 3 };
        for rank in (0..400_000).step_by(2) {
            memory.fail(&node(rank), left);
            assert!(!memory.has_failed(&node(rank + 1), left));
        }
        assert!(memory.slots.len() * size_of::<Failed<u64>>() <= MOST_BYTES);
        let known = (0..400_000).filter(|&rank| memory.has_failed(&node(rank), left)).count();
        assert!(memory.held > 0 && known == memory.held, "{known} known, {} held", memory.held);
    }
}
