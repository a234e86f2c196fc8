//! Mirrors of blocks: maps of the board that take every block of the start to the place of one of the goal.
//!
//! A map that keeps the grid, and with it what touches what, takes a push to a push; each can be undone.

use std::collections::{BTreeMap, BTreeSet};

use halma_record::record::SymmetryRecord;

use super::{BlockMap, Blocks, shape_of};
use crate::permutation;
use crate::puzzle_record::grid::{DIRECTIONS, Step};
use crate::puzzle_record::model::{Model, State};

impl Blocks {
    /// The mirror that a record names, if it is one.
    pub(super) fn checked_mirror(&self, symmetries: &SymmetryRecord) -> Result<Option<BlockMap>, String> {
        let SymmetryRecord { fixing, mirror, letters } = symmetries;
        let Some(cells) = mirror else {
            return match letters.is_empty() {
                true => Ok(None),
                false => Err("symmetries.letters, and there is no mirror".into()),
            };
        };
        let directions: Vec<Step> = DIRECTIONS[..4].iter().map(|(_, step)| *step).collect();
        if !self.grid.linear_maps(&directions).contains(cells) {
            return Err("symmetries.mirror does not keep the board".into());
        }
        let map = (cells.clone(), self.exchanged(letters)?);
        for (class, block) in self.blocks(&self.starts[0])? {
            let image = &self.classes[usize::from(map.1[usize::from(class)])];
            if shape_of(&self.grid, &permutation::image(cells, &block)) != image.shape {
                return Err(
                    "symmetries.mirror: the image of a block has another shape than the block that it becomes".into()
                );
            }
        }
        let goals = self.goal_states().ok_or("symmetries.mirror: the goal does not name every cell of each block")?;
        let image = self.image(&self.blocks(&self.starts[0])?, &map);
        if goals.into_iter().collect::<BTreeSet<State>>() != BTreeSet::from([image]) {
            return Err("symmetries.mirror: the image of the start is not the state of the goal".into());
        }
        let mut back = vec![0u8; cells.len()];
        (0..=u8::MAX).zip(cells).for_each(|(cell, &image)| back[usize::from(image)] = cell);
        let through = |map: &Vec<u8>| -> Vec<u8> {
            back.iter().map(|&cell| cells[usize::from(map[usize::from(cell)])]).collect()
        };
        match fixing.iter().all(|map| fixing.contains(&through(map))) {
            true => Ok(Some(map)),
            false => Err("symmetries.mirror: it does not take classes to classes".into()),
        }
    }

    /// What becomes of each class, where these letters become others.
    fn exchanged(&self, letters: &BTreeMap<String, String>) -> Result<Vec<u8>, String> {
        let class = |text: &String| {
            let found = self.classes.iter().position(|class| text.chars().eq([class.letter]));
            found.ok_or_else(|| format!("symmetries.letters: `{text}` is no block of the puzzle"))
        };
        let mut images: Vec<u8> = (0..self.classes.len()).map(|class| class as u8).collect();
        for (from, to) in letters {
            images[class(from)?] = class(to)? as u8;
        }
        let different: BTreeSet<u8> = images.iter().copied().collect();
        match different.len() == images.len() {
            true => Ok(images),
            false => Err("symmetries.letters: two blocks become one".into()),
        }
    }
}
