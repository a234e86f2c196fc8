//! Distances in a puzzle with fewer letters or pieces (an abstraction; Culberson and Schaeffer 1998): exact ones, from all states
//! that can be reached there. They never exceed those of the puzzle.

use std::collections::{BTreeSet, HashMap};

use super::model::State;
use crate::memory;
use crate::rejection::Trouble;

/// The most states with fewer letters.
const MOST: u64 = 1 << 22;

/// About how many bytes a state takes beside its entries, with what leads to it.
const BESIDE: usize = 200;

/// Greater distances count as this one.
const FARTHEST: u32 = 254;

/// By state: the distance to the nearest goal; `None` where no way leads to one.
pub struct Distances(HashMap<State, Option<u32>>);

impl Distances {
    /// The distance of a state; 0 where it was not reached from the starts.
    pub fn of(&self, state: &[u8]) -> Option<u32> {
        self.0.get(state).copied().unwrap_or(Some(0))
    }

    /// Those of all states that moves lead to from the starts.
    pub fn from(
        starts: &[State],
        moves: impl Fn(&[u8]) -> Result<BTreeSet<State>, Trouble>,
        is_goal: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, Trouble> {
        let most = memory::whole_states(starts.first().map_or(0, Vec::len), BESIDE, MOST) as usize;
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let (mut states, mut parents): (Vec<State>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        let mut number_of = |state: State, states: &mut Vec<State>, parents: &mut Vec<Vec<usize>>| {
            *numbers.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                parents.push(Vec::new());
                states.len() - 1
            })
        };
        for start in starts {
            number_of(start.clone(), &mut states, &mut parents);
        }
        let (mut next, mut moved) = (0, 0);
        while let Some(state) = states.get(next).cloned() {
            for after in moves(&state)? {
                let to = number_of(after, &mut states, &mut parents);
                parents[to].push(next);
                moved += 1;
            }
            if states.len() + moved * size_of::<usize>() / BESIDE > most {
                return Err(Trouble::TooMany(format!("more than {most} states with fewer letters or pieces")));
            }
            next += 1;
        }
        let mut distance: Vec<Option<u32>> = states.iter().map(|state| is_goal(state).then_some(0)).collect();
        let mut level: Vec<usize> = (0..states.len()).filter(|&number| distance[number].is_some()).collect();
        for moves in 1u32.. {
            let before: Vec<usize> = level.iter().flat_map(|&number| parents[number].iter().copied()).collect();
            level = before.into_iter().filter(|&number| distance[number].is_none()).collect();
            level.sort_unstable();
            level.dedup();
            if level.is_empty() {
                break;
            }
            level.iter().for_each(|&number| distance[number] = Some(moves.min(FARTHEST)));
        }
        Ok(Self(states.into_iter().zip(distance).collect()))
    }
}
