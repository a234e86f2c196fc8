//! How many shortest solutions there are: sums over sequences of states, level by level, without classes.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use halma_record::record::Counts;

use super::model::{Model, State};
use crate::memory;
use crate::rejection::Trouble;

/// The most states that are held.
const MOST_STATES: u64 = 2_000_000;

/// About how many bytes a state takes beside its entries.
const BESIDE: usize = 150;

/// Whether the record's numbers are right, of the puzzle under the symmetries of its search and under those that count. Up to symmetry
/// they follow from Burnside's lemma: each symmetry keeps the sequences all of whose states it keeps.
pub fn confirm(
    [searched, model]: [&dyn Model; 2],
    stated: &Counts,
    length: u32,
    budget: &mut u64,
) -> Result<(), Trouble> {
    let others = [
        &stated.up_to_reversal,
        &stated.palindromic,
        &stated.palindromic_up_to_symmetry,
        &stated.final_positions,
        &stated.final_up_to_symmetry,
    ];
    if others.iter().any(|number| number.is_some()) {
        return Err(Trouble::Wrong("counts: numbers that no puzzle from a file has".into()));
    }
    if let Some(stated) = &stated.positions {
        let found = positions(searched, length, budget)?;
        if *stated != found {
            let listed = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
            let (said, found) = (listed(stated), listed(&found));
            return Err(Trouble::Wrong(format!("counts: positions {said}, counted {found}")));
        }
    }
    let symmetries = model.starts().first().map_or(0, |start| model.images(start).len());
    let mut kept = Vec::new();
    for symmetry in 0..symmetries {
        kept.push(sequences(model, symmetry, length, budget)?);
    }
    let all = kept.first().cloned().unwrap_or_default();
    let classes = kept.iter().sum::<BigUint>() / BigUint::from(symmetries.max(1));
    for (name, said, found) in
        [("sequences", &stated.sequences, all), ("up_to_symmetry", &stated.up_to_symmetry, classes)]
    {
        if said.to_string() != found.to_string() {
            return Err(Trouble::Wrong(format!("counts: {name} {said}, counted {found}")));
        }
    }
    Ok(())
}

/// Takes successors from the budget.
fn spend(budget: &mut u64, successors: u64) -> Result<(), Trouble> {
    let left = budget.checked_sub(successors);
    *budget = left.ok_or_else(|| Trouble::TooMany("more successors than allowed".into()))?;
    Ok(())
}

/// By move, how many classes of states lie on a shortest solution.
fn positions(model: &dyn Model, length: u32, budget: &mut u64) -> Result<Vec<u64>, Trouble> {
    let mut levels: Vec<BTreeSet<State>> = vec![model.starts().iter().cloned().collect()];
    let mut seen = levels[0].clone();
    let entries = model.starts().first().map_or(0, Vec::len);
    let most = memory::whole_states(entries, BESIDE, MOST_STATES) / 2;
    for depth in 0..length as usize {
        let mut next = BTreeSet::new();
        for state in &levels[depth] {
            let moves = model.moves(state)?;
            spend(budget, 2 * moves.len() as u64)?;
            next.extend(moves.into_iter().filter(|after| !seen.contains(after)));
            if (seen.len() + next.len()) as u64 > most {
                return Err(Trouble::TooMany(memory::too_many_states(most, MOST_STATES / 2)));
            }
        }
        seen.extend(next.iter().cloned());
        levels.push(next);
    }
    let mut on: BTreeSet<State> = levels.pop().unwrap_or_default();
    on.retain(|state| model.is_goal(state));
    let classes = |on: &BTreeSet<State>| {
        let least: BTreeSet<Option<State>> = on.iter().map(|state| model.images(state).into_iter().min()).collect();
        least.len() as u64
    };
    let mut found = vec![classes(&on)];
    for level in levels.into_iter().rev() {
        let mut before = BTreeSet::new();
        for state in level {
            if model.moves(&state)?.iter().any(|after| on.contains(after)) {
                before.insert(state);
            }
        }
        found.push(classes(&before));
        on = before;
    }
    found.reverse();
    Ok(found)
}

/// How many sequences lead in so many moves to the goal, and in no fewer, if one counts states only that a symmetry keeps.
fn sequences(model: &dyn Model, symmetry: usize, length: u32, budget: &mut u64) -> Result<BigUint, Trouble> {
    // The first is the identity, whatever a puzzle in Rust says stands for a state.
    let is_kept =
        |state: &State| symmetry == 0 || model.images(state).get(symmetry).is_some_and(|image| image == state);
    let mut level: BTreeMap<State, BigUint> =
        model.starts().iter().filter(|start| is_kept(start)).map(|start| (start.clone(), 1u8.into())).collect();
    let mut seen: BTreeSet<State> = level.keys().cloned().collect();
    let entries = model.starts().first().map_or(0, Vec::len);
    let most = memory::whole_states(entries, BESIDE, MOST_STATES);
    for _ in 0..length {
        let mut next: BTreeMap<State, BigUint> = BTreeMap::new();
        for (state, ways) in &level {
            let moves = model.moves(state)?;
            spend(budget, moves.len() as u64)?;
            // What is on a level before is on no shortest solution.
            for after in moves.into_iter().filter(|after| !seen.contains(after) && is_kept(after)) {
                *next.entry(after).or_default() += ways;
            }
            if (seen.len() + next.len()) as u64 > most {
                return Err(Trouble::TooMany(memory::too_many_states(most, MOST_STATES)));
            }
        }
        seen.extend(next.keys().cloned());
        level = next;
    }
    Ok(level.into_iter().filter(|(state, _)| model.is_goal(state)).map(|(_, ways)| ways).sum())
}
