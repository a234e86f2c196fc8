//! Rules with fewer letters: groups of letters become one, and all others `.`.
//!
//! A rule applies where its cells may have the letters, and a goal holds where it may. Counts of merged letters, turns, and what blocks
//! a repetition are dropped.

use std::sync::Arc;

use halma_record::job::puzzle_tables::Until;

use super::super::abstract_distances::Distances;
use super::super::model::{Distance, Model, State};
use super::{Letters, Rules};
use crate::rejection::Trouble;

/// The puzzle in which each of these groups is one letter.
fn with_fewer(rules: &Rules, groups: &[String]) -> Result<Rules, String> {
    if rules.has_free() {
        // A free move may end in one that is not seen.
        return Err("projections: a puzzle with free moves has none".into());
    }
    let mut has: Vec<u8> = vec![groups.len() as u8; rules.alphabet.len()];
    for (number, group) in groups.iter().enumerate() {
        for letter in group.chars() {
            let value = rules.alphabet.iter().position(|&known| known == letter && letter != '.');
            let value = value.ok_or_else(|| format!("projections: `{letter}` is no letter of the puzzle"))?;
            if std::mem::replace(&mut has[value], number as u8) != groups.len() as u8 {
                return Err(format!("projections: `{letter}` comes twice"));
            }
        }
    }
    let members = |number: usize| {
        let values = (0..has.len()).filter(|&value| usize::from(has[value]) == number);
        values.map(|value| 1 << value).sum::<Letters>()
    };
    let mut fewer = rules.clone();
    fewer.stands_for = (0..=groups.len()).map(members).collect();
    fewer.alphabet = groups.iter().filter_map(|group| group.chars().next()).chain(['.']).collect();
    // A number of cells is only known of letters none of which is one with others.
    for goal in &mut fewer.goals {
        goal.counts.retain(|(set, _)| fewer.stands_for.iter().all(|one| one & set == 0 || one & !set == 0));
    }
    let blocked = fewer.rules.iter_mut().filter(|rule| rule.until == Until::Blocked);
    blocked.for_each(|rule| rule.until = Until::Any);
    fewer.turns = false;
    fewer.rules.iter_mut().for_each(|rule| rule.turn = 0);
    fewer.starts = rules.starts.iter().map(|start| image(rules, &has, start)).collect();
    fewer.has = has;
    Ok(fewer)
}

/// What becomes of a state: its letters, without whose turn it is.
fn image(rules: &Rules, has: &[u8], state: &[u8]) -> State {
    rules.parted(state).1.iter().map(|&letter| has[usize::from(letter)]).collect()
}

/// The distance to the nearest goal from all states that can be reached with fewer letters.
pub fn distances(rules: &Rules, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
    let fewer = with_fewer(rules, groups)?;
    let all = Distances::from(&fewer.starts, |state| fewer.moves(state), |state| fewer.is_goal(state))?;
    let rules = rules.clone();
    Ok(Arc::new(move |state: &[u8]| all.of(&image(&rules, &fewer.has, state))))
}
