//! The same puzzle with fewer letters (an abstraction; Culberson and Schaeffer 1998): groups of letters become one, and all
//! others `.`. Its distances to the goal never exceed those of the puzzle.
//!
//! A place of a rule matches what can be one of its letters, and a man who can have moved has. A goal is reached where it can
//! be. What goes on until it is blocked may end anywhere: what blocks it may not be seen.

use std::collections::HashMap;
use std::sync::Arc;

use halma_record::job::puzzle_tables::Until;

use super::super::model::{Distance, Model, State};
use super::{Letters, Rules};
use crate::memory;
use crate::path_counts::Trouble;

/// The most states with fewer letters.
const MOST: u64 = 4_000_000;

/// About how many bytes a state takes beside its entries, with what leads to it.
const BESIDE: usize = 200;

/// The puzzle in which each of these groups is one letter.
fn with_fewer(rules: &Rules, groups: &[String]) -> Result<Rules, String> {
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
    let blocked = fewer.rules.iter_mut().filter(|rule| rule.until == Until::Blocked);
    blocked.for_each(|rule| rule.until = Until::Any);
    fewer.starts = rules.starts.iter().map(|start| image(rules, &has, start)).collect();
    fewer.has = has;
    Ok(fewer)
}

/// What becomes of a state.
fn image(rules: &Rules, has: &[u8], state: &[u8]) -> State {
    let (turn, letters) = rules.parted(state);
    turn.iter().copied().chain(letters.iter().map(|&letter| has[usize::from(letter)])).collect()
}

/// The distance to the nearest goal from all states that can be reached with fewer letters.
pub fn distances(rules: &Rules, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
    let fewer = with_fewer(rules, groups)?;
    let most = memory::states(rules.grid.len() + BESIDE, MOST) as usize;
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let (mut states, mut parents): (Vec<State>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut number_of = |state: State, states: &mut Vec<State>, parents: &mut Vec<Vec<usize>>| {
        *numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            parents.push(Vec::new());
            states.len() - 1
        })
    };
    for start in fewer.starts.clone() {
        number_of(start, &mut states, &mut parents);
    }
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        for after in fewer.moves(&state)? {
            let to = number_of(after, &mut states, &mut parents);
            parents[to].push(next);
        }
        if states.len() > most {
            return Err(Trouble::TooMany(format!("more than {most} states with fewer letters")));
        }
        next += 1;
    }
    let mut distance: Vec<Option<u32>> = states.iter().map(|state| fewer.is_goal(state).then_some(0)).collect();
    let mut level: Vec<usize> = (0..states.len()).filter(|&number| distance[number].is_some()).collect();
    for moves in 1.. {
        let before: Vec<usize> = level.iter().flat_map(|&number| parents[number].iter().copied()).collect();
        level = before.into_iter().filter(|&number| distance[number].is_none()).collect();
        level.sort_unstable();
        level.dedup();
        if level.is_empty() {
            break;
        }
        level.iter().for_each(|&number| distance[number] = Some(moves));
    }
    // What no way from the starts leads to is on no level, and nothing is said of it.
    let rules = rules.clone();
    let of = move |state: &[u8]| numbers.get(&image(&rules, &fewer.has, state)).map_or(Some(0), |&n| distance[n]);
    Ok(Arc::new(of))
}
