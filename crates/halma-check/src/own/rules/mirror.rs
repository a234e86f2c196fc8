//! Mirrors: a map of cells and letters that takes the starts to the goal, and every move, turned round, to a move.
//!
//! Nothing is looked for: what the record names is tried, on each application of each rule to letters.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::{Model, State};
use super::{Rules, effects};

/// A map of cells and letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    /// By cell: where it goes.
    pub cells: Vec<u8>,
    /// By letter: what it becomes.
    pub letters: Vec<u8>,
}

/// Whether each number below `count` is there once.
fn is_permutation(map: &[u8], count: usize) -> bool {
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

impl Rules {
    /// The map that the record names, if it is a mirror.
    pub(super) fn mirror(&self, cells: &[u8], exchanged: &BTreeMap<String, String>) -> Result<Mirror, String> {
        let letter = |text: &String| {
            let found = self.alphabet.iter().position(|letter| text.chars().eq([*letter]));
            found.ok_or_else(|| format!("symmetries.letters: `{text}` is no letter of the puzzle"))
        };
        let mut letters: Vec<u8> = (0..self.alphabet.len()).map(|value| value as u8).collect();
        for (from, to) in exchanged {
            letters[letter(from)?] = letter(to)? as u8;
        }
        if !is_permutation(cells, self.grid.len()) || !is_permutation(&letters, self.alphabet.len()) {
            return Err(
                "symmetries.mirror: two cells or two letters go to one, or there are others than the puzzle's".into()
            );
        }
        let mirror = Mirror { cells: cells.to_vec(), letters };
        let goals = self.goal_states().ok_or("symmetries.mirror: the goal does not list its states")?;
        let images: BTreeSet<State> = self.starts.iter().map(|start| mirror.image(start)).collect();
        if images != goals.into_iter().collect() {
            return Err("symmetries.mirror: the images of the starts are not the states of the goal".into());
        }
        if !effects::turns_round(self, Some(&mirror)) {
            return Err(
                "symmetries.mirror: it was not shown that the image of every move, turned round, is a move".into()
            );
        }
        let mut back = vec![0u8; cells.len()];
        (0..).zip(cells).for_each(|(cell, &image)| back[usize::from(image)] = cell);
        let through = |map: &Vec<u8>| -> Vec<u8> {
            back.iter().map(|&cell| cells[usize::from(map[usize::from(cell)])]).collect()
        };
        match self.fixing.iter().all(|map| self.fixing.contains(&through(map))) {
            true => Ok(mirror),
            false => Err("symmetries.mirror: it does not take classes to classes".into()),
        }
    }
}
