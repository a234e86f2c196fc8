//! Mirrors: maps of cells and letters that take the starts to the goal, and every move, turned round, to a move.

use std::collections::BTreeSet;

/// A map of cells and letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// By cell: where it goes.
    pub cells: Vec<u8>,
    /// By letter: what it becomes.
    pub letters: Vec<u8>,
}

/// Whether each number below `count` is there once.
pub fn is_permutation(map: &[u8], count: usize) -> bool {
    let images: BTreeSet<u8> = map.iter().copied().collect();
    map.len() == count && images.len() == count && images.last().is_none_or(|&last| usize::from(last) < count)
}

impl Mirror {
    /// The image of letters on cells.
    pub fn image(&self, letters: &[u8]) -> Vec<u8> {
        let mut image = letters.to_vec();
        for (&cell, &letter) in self.cells.iter().zip(letters) {
            image[usize::from(cell)] = self.letters[usize::from(letter)];
        }
        image
    }
}
