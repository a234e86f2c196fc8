//! Abstractions chosen by trial: all candidates whose tables are small are made, and those are taken, one after another, that
//! raise the mean bound on random walks from the starts most.

use std::collections::HashSet;

use halma_engine::draws::Draws;
use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Stopped};
use halma_record::job::pruning::Abstraction;
use halma_rules::cells::Cells;
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::{Letters, has_letter};

use super::abstraction::{Projected, project};
use super::table::{Table, sum_up};
use crate::own::coding;
use crate::own::{Model, grounded};
use crate::with_model;

/// The most states of a table.
pub(super) const MOST_CANDIDATE_STATES: u64 = 1 << 22;
/// A table has at most this part of the puzzle's states: one that has nearly all of them is the search itself.
pub(super) const PART: u128 = 8;
/// The most states of all tables that are tried.
pub(super) const ALL_STATES: u64 = 1 << 25;
/// A puzzle is searched first as far as this. One that ends there is searched in less time than many tables take to make.
const FEW_STATES: usize = 1 << 18;
/// The tables of such a puzzle have at most so many states for each of its own, and at least [`LEAST_STATES`] in all.
const TABLE_STATES: u64 = 16;
const LEAST_STATES: u64 = 1 << 16;
/// The most letters of which every partition is a candidate.
const FEW: usize = 6;
/// The most abstractions that are taken.
const MOST_TAKEN: usize = 4;
/// Random walks from each start, of so many steps, from so many starts.
const WALKS: (usize, usize, usize) = (32, 48, 4);
/// What no way to a goal counts as, in moves.
pub(super) const NO_WAY: u64 = 255;

/// A candidate, with the number of its states.
struct Candidate {
    abstraction: Abstraction,
    projected: Projected,
    states: u64,
}

/// The abstractions that are of use, with their tables; none where all are not.
///
/// # Errors
/// What stopped their making.
pub(super) fn choose(task: &GroundedTask, cancel: &CancellationToken) -> Result<Vec<(Abstraction, Table)>, Stopped> {
    let sample = sample(task);
    let made = |Candidate { abstraction, projected, .. }| {
        let table = Table::of(&projected, cancel)?;
        let bounds = bounds(task, &table, &sample);
        Ok((abstraction, table, bounds))
    };
    let own = grounded::model(task, true).map(|any| with_model!(any, model => reachable(&*model, cancel)));
    let own = own.transpose()?.flatten();
    let most = own.map_or(ALL_STATES, |own| (own * TABLE_STATES).clamp(LEAST_STATES, ALL_STATES));
    Ok(best(tried(task, most).into_iter().map(made).collect::<Result<_, Stopped>>()?))
}

/// How many states can be reached, up to symmetry; `None` where they are not few.
fn reachable<K: Key>(model: &dyn Model<K>, cancel: &CancellationToken) -> Result<Option<u64>, Stopped> {
    let mut worker = model.worker();
    let mut open: Vec<K> = model.starts().into_iter().map(|start| worker.canonical(start)).collect();
    let (mut seen, mut after): (HashSet<K>, Vec<K>) = (open.iter().copied().collect(), Vec::new());
    while let Some(state) = open.pop() {
        cancel.check()?;
        worker.canonical_successors(state, &mut after);
        open.extend(after.drain(..).filter(|&state| seen.insert(state)));
        if seen.len() > FEW_STATES {
            return Ok(None);
        }
    }
    Ok(Some(seen.len() as u64))
}

/// The most states that each table has that [`choose`] makes.
pub(super) fn sizes(task: &GroundedTask) -> Vec<u64> {
    tried(task, ALL_STATES).iter().map(|candidate| candidate.states).collect()
}

/// The candidates whose tables are made, with at most so many states together.
fn tried(task: &GroundedTask, most: u64) -> Vec<Candidate> {
    if task.ends_without_man() {
        return Vec::new();
    }
    let mut tried = candidates(task);
    keep_few(&mut tried, most, |candidate| candidate.states);
    tried
}

/// Keeps as many as have at most so many states together.
pub(super) fn keep_few<T>(candidates: &mut Vec<T>, most: u64, states: impl Fn(&T) -> u64) {
    let mut left = most;
    candidates.retain(|candidate| {
        let rest = left.checked_sub(states(candidate));
        left = rest.unwrap_or(left);
        rest.is_some()
    });
}

/// Of some tables with their bounds of the same states those that raise the mean most, one after another.
pub(super) fn best<T>(mut tables: Vec<(Abstraction, T, Vec<u64>)>) -> Vec<(Abstraction, T)> {
    let states = tables.first().map_or(0, |(_, _, bounds)| bounds.len());
    let (mut best, mut taken) = (vec![0; states], Vec::new());
    while taken.len() < MOST_TAKEN {
        let sum = best.iter().sum::<u64>();
        let with = |bounds: &[u64]| best.iter().zip(bounds).map(|(&a, &b)| a.max(b)).sum::<u64>();
        // Of equal ones the first: `max_by_key` takes the last.
        let next = (0..tables.len()).rev().max_by_key(|&at| with(&tables[at].2));
        let Some((at, new)) = next.map(|at| (at, with(&tables[at].2))) else { break };
        // A bound of one move says no more than that the goal is not reached, and a gain of a hundredth costs more than it saves.
        if new <= states as u64 || (new - sum) * 100 <= sum {
            break;
        }
        let (abstraction, table, bounds) = tables.swap_remove(at);
        best.iter_mut().zip(bounds).for_each(|(best, bound)| *best = (*best).max(bound));
        tables.sort_by(|a, b| a.0.0.cmp(&b.0.0));
        taken.push((abstraction, table));
    }
    taken
}

/// The bounds of some states.
fn bounds(task: &GroundedTask, table: &Table, sample: &[Vec<u8>]) -> Vec<u64> {
    let mut sets: Vec<Cells<4>> = vec![Cells::EMPTY; task.letters.len()];
    let one = |state: &Vec<u8>| {
        sum_up(state, &mut sets);
        u64::from(table.distance(state, &sets)).min(NO_WAY)
    };
    sample.iter().map(one).collect()
}

/// States on random walks by single steps; the seed is fixed, so the same puzzle has the same ones.
fn sample(task: &GroundedTask) -> Vec<Vec<u8>> {
    walks(&task.starts, |state, below| {
        let applies: Vec<_> = task.steps.iter().filter(|step| step.applies(state)).collect();
        (!applies.is_empty()).then(|| applies[below(applies.len())].apply(state))
    })
}

/// States on random walks from some of the starts, where `step` goes on by a choice among so many.
pub(super) fn walks<S: Clone>(starts: &[S], step: impl Fn(&S, &mut dyn FnMut(usize) -> usize) -> Option<S>) -> Vec<S> {
    let (walks, steps, most) = WALKS;
    let mut draws = Draws::new(0);
    // Not `Draws::below`: records name what was chosen by these samples.
    let mut below = |n: usize| (draws.draw() % n as u64) as usize;
    let mut sample = Vec::new();
    for start in starts.iter().take(most) {
        for _ in 0..walks {
            let mut state = start.clone();
            for _ in 0..steps {
                let Some(next) = step(&state, &mut below) else { break };
                state = next;
                sample.push(state.clone());
            }
        }
    }
    sample
}

/// What is tried: of few letters all ways to merge them with each other or with `.`, of many those of [`of_many`]. What another
/// candidate refines has no greater distances, and is left out.
fn candidates(task: &GroundedTask) -> Vec<Candidate> {
    // Signs of the notation itself cannot be named in it: they become `.`.
    let nameable = |&letter: &usize| Abstraction::try_from(task.letters[letter].to_string()).is_ok();
    let letters: Vec<usize> = (0..task.ranked).filter(nameable).collect();
    let all = if letters.len() <= FEW { partitions(&letters) } else { of_many(task, &letters) };
    let mut found: Vec<Candidate> = all.iter().filter_map(|groups| candidate(task, groups)).collect();
    found.sort_by(|a, b| b.states.cmp(&a.states).then_with(|| a.abstraction.0.cmp(&b.abstraction.0)));
    found.dedup_by(|a, b| a.abstraction == b.abstraction);
    let mut finest: Vec<Candidate> = Vec::new();
    for candidate in found {
        if !finest.iter().any(|finer| refines(&finer.projected.becomes, &candidate.projected.becomes)) {
            finest.push(candidate);
        }
    }
    finest
}

/// The candidate with these groups; `None` where its table is too large, or blocks differ in shape.
fn candidate(task: &GroundedTask, groups: &[Vec<usize>]) -> Option<Candidate> {
    let text = |group: &Vec<usize>| group.iter().map(|&letter| task.letters[letter]).collect::<String>();
    let abstraction = Abstraction(groups.iter().map(text).collect());
    let projected = project(task, &abstraction).ok()?;
    let states = coding::numbers(&projected.task).filter(|numbers| numbers.high == 0)?.low;
    let whole = coding::numbers(task).filter(|numbers| numbers.high == 0).map_or(u128::MAX, |numbers| numbers.low);
    (states <= u128::from(MOST_CANDIDATE_STATES).min(whole / PART)).then_some(Candidate {
        abstraction,
        projected,
        states: states as u64,
    })
}

/// Whether letters that one map merges are merged by the other one, too.
fn refines(finer: &[u8], coarser: &[u8]) -> bool {
    let apart = |a: usize, b: usize| finer[a] == finer[b] && coarser[a] != coarser[b];
    !(0..finer.len()).any(|a| (0..a).any(|b| apart(a, b)))
}

/// All ways to part letters into groups, with or without some of them.
fn partitions(letters: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for &letter in letters {
        let with = |groups: Vec<Vec<usize>>| {
            let mut ways = vec![groups.clone()];
            for group in 0..=groups.len() {
                let mut way = groups.clone();
                way.resize(groups.len().max(group + 1), Vec::new());
                way[group].push(letter);
                ways.push(way);
            }
            ways
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all.retain(|groups| !groups.is_empty());
    all
}

/// Letters in some orders, cut into runs that are as long as tables allow: each run is kept apart, the others become one letter or
/// `.`. Blocks that a goal names are kept in all of them, for nothing else would bring the goal about.
fn of_many(task: &GroundedTask, letters: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let in_goals = goal_letters(task);
    let base: Vec<usize> = match task.bodies.is_empty() {
        true => Vec::new(),
        false => letters.iter().copied().filter(|&letter| has_letter(in_goals, letter)).collect(),
    };
    let mut found = Vec::new();
    for order in orders(task, letters) {
        for merged in [true, false] {
            let groups = |run: &[usize]| {
                let kept: Vec<usize> = base.iter().chain(run).copied().collect();
                let others: Vec<usize> = letters.iter().copied().filter(|letter| !kept.contains(letter)).collect();
                let rest = (merged && !others.is_empty()).then_some(others);
                kept.into_iter().map(|letter| vec![letter]).chain(rest).collect::<Vec<_>>()
            };
            let mut run: Vec<usize> = Vec::new();
            for &letter in order.iter().filter(|letter| !base.contains(letter)) {
                let longer: Vec<usize> = run.iter().copied().chain([letter]).collect();
                if candidate(task, &groups(&longer)).is_some() {
                    run = longer;
                } else {
                    found.push(groups(&run));
                    run = vec![letter];
                }
            }
            found.push(groups(&run));
        }
    }
    found.retain(|groups| !groups.is_empty());
    found
}

/// The letters that goals ask for, and not just any.
fn goal_letters(task: &GroundedTask) -> Letters {
    let of_cells = task.goals.iter().flat_map(|goal| goal.cells.iter().map(|&(_, set)| set));
    of_cells
        .chain(task.goals.iter().flat_map(|goal| goal.counts.iter().map(|&(set, _)| set)))
        .fold(0, |all, set| all | set)
}

/// Orders of the letters: by number, and by where the first goal has them, row by row and column by column.
fn orders(task: &GroundedTask, letters: &[usize]) -> Vec<Vec<usize>> {
    let place = |letter: usize| {
        let cells = task.goals.first().map_or(&[][..], |goal| &goal.cells);
        let cell = cells.iter().find(|&&(_, set)| set == 1 << letter).map(|&(cell, _)| usize::from(cell))?;
        Some(task.board.xy(cell))
    };
    let mut by_row = letters.to_vec();
    by_row.sort_by_key(|&letter| place(letter).map(|(x, y)| (y, x)));
    let mut by_column = letters.to_vec();
    by_column.sort_by_key(|&letter| place(letter));
    let mut orders = vec![letters.to_vec(), by_row, by_column];
    orders.sort();
    orders.dedup();
    orders
}
