//! Blocks with some of them gone: a group of blocks, all of one shape, is one class; the others have left the board.

use std::sync::Arc;

use super::super::abstract_distances::Distances;
use super::super::model::{Distance, Model, State};
use super::{Blocks, Class};
use crate::rejection::Trouble;

/// What becomes of each class: a group's number, or the number of groups where it is gone.
fn becomes(blocks: &Blocks, groups: &[String]) -> Result<Vec<u8>, String> {
    let mut becomes = vec![groups.len() as u8; blocks.classes.len()];
    for (number, group) in groups.iter().enumerate() {
        let mut shape = None;
        for letter in group.chars() {
            let class = blocks.classes.iter().position(|class| class.letter == letter);
            let class = class.ok_or_else(|| format!("projections: `{letter}` is no block"))?;
            let own = &blocks.classes[class].shape;
            if *shape.get_or_insert(own) != own {
                return Err(format!("projections: the blocks of `{group}` have different shapes"));
            }
            if std::mem::replace(&mut becomes[class], number as u8) != groups.len() as u8 {
                return Err(format!("projections: `{letter}` comes twice"));
            }
        }
        if shape.is_none() {
            return Err("projections: a group without blocks".into());
        }
    }
    Ok(becomes)
}

/// What becomes of a state.
fn image(becomes: &[u8], groups: usize, state: &[u8]) -> State {
    state.iter().map(|&class| becomes.get(usize::from(class)).map_or(groups as u8, |&group| group)).collect()
}

/// The puzzle in which each group is one class.
fn with_fewer(blocks: &Blocks, becomes: &[u8], groups: usize) -> Blocks {
    let members = |group: usize| {
        let of_group = move |&(_, &to): &(&Class, &u8)| usize::from(to) == group;
        blocks.classes.iter().zip(becomes).filter(of_group).map(|(class, _)| class)
    };
    let class = |group: usize| {
        let first = members(group).next()?;
        Some(Class { count: members(group).map(|class| class.count).sum(), ..first.clone() })
    };
    // A cell on which a block must stand that is gone is a cell on which none of the others may.
    let kept = |class: &u8| becomes.get(usize::from(*class)).copied().filter(|&group| usize::from(group) < groups);
    let goals = blocks.goals.iter();
    let goals = goals.map(|goal| goal.iter().map(|(&cell, class)| (cell, class.as_ref().and_then(kept))).collect());
    Blocks {
        grid: Arc::clone(&blocks.grid),
        classes: (0..groups).filter_map(class).collect(),
        metric: blocks.metric,
        starts: blocks.starts.iter().map(|start| image(becomes, groups, start)).collect(),
        goals: goals.collect(),
        fixing: Vec::new(),
        mirror: None,
    }
}

/// The distance to the nearest goal from all states that can be reached with fewer blocks.
pub fn distances(blocks: &Blocks, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
    let (becomes, groups) = (becomes(blocks, groups)?, groups.len());
    let fewer = with_fewer(blocks, &becomes, groups);
    let all = Distances::from(&fewer.starts, |state| fewer.moves(state), |state| fewer.is_goal(state))?;
    Ok(Arc::new(move |state: &[u8]| all.of(&image(&becomes, groups, state))))
}
