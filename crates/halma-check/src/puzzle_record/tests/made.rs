//! Records made by a plain search over the interpreted puzzle.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use halma_record::job::pruning::Abstraction;
use halma_record::job::{Pruning, PuzzleSpec};
use halma_record::record::{Asked, Digest, LengthRecord, LevelRecord, PROGRAM, Record, Side, SymmetryRecord, Verdict};
use serde_json::json;

use super::super::code::Code;
use super::super::graph::Graph;
use super::super::model::{Model, State};
use super::super::{holds, model};
use crate::keys::{PUBLISHED, mix};
use crate::{Options, Rejection, Report};

pub fn spec(kind: &str, table: serde_json::Value) -> PuzzleSpec {
    let serde_json::Value::Object(table) = table else { panic!("no table") };
    PuzzleSpec { kind: kind.into(), title: None, table }
}

/// A record without an answer, under these symmetries; its problem is any, and nobody looks at it.
pub fn blank(question: Asked, fixing: Option<Vec<Vec<u8>>>) -> Record {
    let record = json!({
        "format": 1,
        "program": PROGRAM,
        "problem": halma("..."),
        "question": "levels",
        "verdict": "levels",
        "pruning": "none",
        "runs": [],
        "digest_key": format!("{:032x}", PUBLISHED[0]),
        "second_digest_key": format!("{:032x}", PUBLISHED[1]),
        "seconds": 0.0,
        "cpu_seconds": 0.0,
        "peak_memory_bytes": 0,
        "disk_bytes_written": 0,
        "threads": 1,
    });
    let symmetries = fixing.map(SymmetryRecord::fixing);
    let repeats = Some(halma_record::record::Repeats::All);
    Record { question, symmetries, repeats, ..serde_json::from_value(record).unwrap() }
}

/// A transfer on a board without men, as records state it.
pub fn halma(map: &str) -> serde_json::Value {
    json!({ "kind": "transfer", "board": "map", "map": map, "moves": 4, "army": [], "men": 0,
        "jumps_only": false, "start": [], "target": [] })
}

pub fn run(length: u32, verdict: Verdict, levels: Vec<LevelRecord>) -> LengthRecord {
    LengthRecord {
        generated: levels.iter().map(|level| level.generated).sum(),
        largest_level: levels.iter().map(|level| level.states).max().unwrap_or(0),
        levels,
        ..LengthRecord::blank(length, verdict)
    }
}

/// The identity of a board of so many cells.
pub fn identity(cells: usize) -> Vec<Vec<u8>> {
    vec![(0..cells).map(|cell| cell as u8).collect()]
}

/// A plain breadth-first search: levels of keys with what a record says of each, until one is empty or `last` is reached.
pub fn search(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, last: u32, side: Side) -> Vec<(Vec<u128>, LevelRecord)> {
    let model = model(spec, &blank(Asked::Levels, fixing)).unwrap();
    let code = Code::<u128>::new(model.parts()).unwrap();
    let graph = Graph::new(&*model, &code, false);
    let from = if side == Side::Backward { model.goal_states().unwrap() } else { model.starts().to_vec() };
    let mut level: Vec<u128> = from.iter().map(|state| graph.key(state)).collect();
    level.sort();
    level.dedup();
    let mut seen: BTreeSet<u128> = level.iter().copied().collect();
    let mut found = vec![(level.clone(), said(0, side, &level, 0, 0))];
    for depth in 1..=last {
        let (mut generated, mut reached) = (0, BTreeSet::new());
        for &key in &level {
            let moves = model.moves(&graph.state(key).unwrap()).unwrap();
            generated += moves.len() as u64;
            reached.extend(moves.iter().map(|state| graph.key(state)));
        }
        let all = reached.len();
        level = reached.into_iter().filter(|key| !seen.contains(key)).collect();
        seen.extend(level.iter().copied());
        found.push((level.clone(), said(depth, side, &level, generated, (all - level.len()) as u64)));
        if level.is_empty() {
            break;
        }
    }
    found
}

/// What a record says of a level.
pub fn said(depth: u32, side: Side, keys: &[u128], generated: u64, old: u64) -> LevelRecord {
    let digest = |at: usize| Digest(keys.iter().fold(0, |sum: u128, &key| sum.wrapping_add(mix(PUBLISHED[at], key))));
    let states = keys.len() as u64;
    LevelRecord {
        depth,
        side,
        states,
        generated,
        pruned: 0,
        duplicates: if depth == 0 { 0 } else { generated - old - states },
        old,
        centroid_max: None,
        digest: digest(0),
        second_digest: Some(digest(1)),
        file: None,
        seconds: None,
        bytes: None,
    }
}

/// How many states each level has, without the empty one.
pub fn sizes(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, last: u32) -> Vec<u64> {
    let levels = search(spec, fixing, last, Side::Forward);
    levels.iter().map(|(_, level)| level.states).filter(|&states| states > 0).collect()
}

/// The record of levels up to `last`.
pub fn levels(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, last: u32) -> Record {
    let mut levels: Vec<LevelRecord> =
        search(spec, fixing.clone(), last, Side::Forward).into_iter().map(|(_, level)| level).collect();
    let exhausted = levels.pop_if(|level| level.states == 0).is_some();
    let length = levels.len() as u32 - 1;
    let runs = vec![run(length, Verdict::Levels, levels)];
    Record { depth: Some(last), exhausted, runs, ..blank(Asked::Levels, fixing) }
}

/// The shortest solution's texts, found by trying all moves.
fn solution(model: &dyn Model, length: u32, texts: &dyn Fn(&State, &State) -> String) -> Vec<String> {
    fn go(
        model: &dyn Model,
        state: &State,
        left: u32,
        way: &mut Vec<State>,
        dead: &mut BTreeSet<(u32, State)>,
    ) -> bool {
        way.push(state.clone());
        if left == 0 && model.is_goal(state) {
            return true;
        }
        if left > 0 && !dead.contains(&(left, state.clone())) {
            for next in model.moves(state).unwrap() {
                if go(model, &next, left - 1, way, dead) {
                    return true;
                }
            }
        }
        dead.insert((left, state.clone()));
        way.pop();
        false
    }
    let mut way = Vec::new();
    assert!(model.starts().iter().any(|start| go(model, start, length, &mut way, &mut BTreeSet::new())));
    way.windows(2).map(|pair| texts(&pair[0], &pair[1])).collect()
}

/// The texts of moves, from how states are shown.
fn changes(model: &dyn Model, before: &State, after: &State) -> String {
    let rows = |state: &State| -> Vec<Vec<char>> {
        let shown = model.show(state);
        let map = shown.split(',').next().unwrap_or_default().to_string();
        map.split('/').map(|row| row.chars().collect()).collect()
    };
    let (before, after) = (rows(before), rows(after));
    let mut found = Vec::new();
    for (y, (old, new)) in before.iter().zip(&after).enumerate() {
        for (x, (old, new)) in old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new) {
            found.push(format!("{}{}:{old}{new}", char::from(b'a' + x as u8), y + 1));
        }
    }
    found.join(" ")
}

/// The record of the shortest solution, which has so many moves, searched from the start.
pub fn solved(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, length: u32) -> Record {
    let levels = search(spec, fixing.clone(), length, Side::Forward);
    let verdict = |depth: u32| if depth == length { Verdict::Solution } else { Verdict::None };
    let runs = levels.into_iter().map(|(_, level)| run(level.depth, verdict(level.depth), vec![level])).collect();
    answered(spec, fixing, length, runs)
}

/// The same from both sides.
pub fn met(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, length: u32) -> Record {
    let [mut ahead, mut behind] = [Side::Forward, Side::Backward]
        .map(|side| search(spec, fixing.clone(), length, side).into_iter().map(|(_, level)| level));
    let runs = (0..=length).map(|l| {
        let next = match l {
            0 => [ahead.next(), behind.next()],
            _ if l % 3 == 0 => [None, behind.next()],
            _ => [ahead.next(), None],
        };
        let verdict = if l == length { Verdict::Solution } else { Verdict::None };
        run(l, verdict, next.into_iter().flatten().collect())
    });
    let runs = runs.collect();
    answered(spec, fixing, length, runs)
}

fn answered(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, length: u32, runs: Vec<LengthRecord>) -> Record {
    let blank = blank(Asked::Solve, fixing);
    let model = model(spec, &blank).unwrap();
    let solution = match spec.kind.as_str() {
        "permutation" => Some(words(&*model, spec, &model.starts()[0], length).unwrap()),
        _ => Some(solution(&*model, length, &|before, after| changes(&*model, before, after))),
    };
    let refuted_up_to = length.checked_sub(1);
    let (length, lower_bound) = (Some(length), Some(0));
    Record { verdict: Verdict::Optimal, length, refuted_up_to, lower_bound, solution, runs, ..blank }
}

pub fn check(spec: &PuzzleSpec, record: &Record) -> Result<Report, Rejection> {
    check_in(spec, record, (Path::new(""), None))
}

/// The same of a record whose level files lie in a folder, or of a sample of their states.
pub fn check_in(
    spec: &PuzzleSpec,
    record: &Record,
    (folder, sample): (&Path, Option<u64>),
) -> Result<Report, Rejection> {
    holds(spec, record, folder, &Options { sample, budget: 10_000_000, memory: None, progress: &|_| {} })
}

/// Checked, and nothing left out.
pub fn passes(spec: &PuzzleSpec, record: &Record) {
    let report = check(spec, record).unwrap();
    assert_eq!((report.unchecked, report.sampled), (Vec::<String>::new(), false));
}

/// All eight symmetries of a square board of that side, cell by cell.
pub fn square(side: usize, is_cell: impl Fn(usize, usize) -> bool) -> Vec<Vec<u8>> {
    let places: Vec<(usize, usize)> =
        (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).filter(|&(x, y)| is_cell(x, y)).collect();
    let turn = |(x, y): (usize, usize)| (side - 1 - y, x);
    let flip = |(x, y): (usize, usize)| (side - 1 - x, y);
    let mut maps = Vec::new();
    for code in 0..8 {
        let image = |mut place| {
            for _ in 0..code % 4 {
                place = turn(place);
            }
            if code >= 4 { flip(place) } else { place }
        };
        maps.push(places.iter().map(|&p| places.iter().position(|&q| q == image(p)).unwrap() as u8).collect());
    }
    maps
}

pub fn peg_solitaire() -> PuzzleSpec {
    let board = "##PPP##\n##PPP##\nPPPPPPP\nPPP.PPP\nPPPPPPP\n##PPP##\n##PPP##\n";
    spec("rules", json!({ "board": board, "rules": ["P P . -> . . P"], "goal": { "count": { "P": 1 }, "at": "d4" } }))
}

pub fn cross() -> Vec<Vec<u8>> {
    square(7, |x, y| (2..5).contains(&x) || (2..5).contains(&y))
}

/// The distances of states, by key, under abstractions of these names.
pub fn bound<'a>(graph: &'a Graph<'a, u128>, named: &[Abstraction]) -> impl Fn(u128) -> Option<u32> + 'a + use<'a> {
    let fewer: Vec<_> =
        named.iter().map(|one| graph.model.with_fewer_letters(&one.0).unwrap_or_else(|_| panic!("{one}"))).collect();
    move |key: u128| {
        let state = graph.state(key).unwrap();
        fewer.iter().try_fold(0, |h, distance| Some(distance(&state)?.max(h)))
    }
}

pub fn abstractions(named: &[&str]) -> Vec<Abstraction> {
    named.iter().map(|one| Abstraction::try_from(one.to_string()).unwrap()).collect()
}

/// The record of the shortest solution under distances in puzzles with fewer letters or pieces; of a puzzle without one the record
/// that says so.
pub fn bounded(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>, named: &[&str], length: Option<u32>) -> Record {
    let blank = blank(Asked::Solve, fixing);
    let model = model(spec, &blank).unwrap();
    let code = Code::<u128>::new(model.parts()).unwrap();
    let graph = Graph::new(&*model, &code, false);
    let named = abstractions(named);
    let distance = bound(&graph, &named);
    let start = graph.key(&model.starts()[0]);
    let least = distance(start).unwrap();
    let mut runs = Vec::new();
    for moves in least..=length.unwrap_or(99) {
        let (mut level, mut seen) = (vec![start], BTreeSet::from([start]));
        let mut levels = vec![said(0, Side::Forward, &level, 0, 0)];
        let mut for_length = false;
        for depth in 1..=moves {
            let after = |&key: &u128| model.moves(&graph.state(key).unwrap()).unwrap();
            let reached: Vec<u128> = level.iter().flat_map(after).map(|state| graph.key(&state)).collect();
            let is_near = |key: &u128| distance(*key).is_some_and(|h| h <= moves - depth);
            for_length |= reached.iter().any(|key| !is_near(key) && distance(*key).is_some());
            let near: BTreeSet<u128> = reached.iter().copied().filter(is_near).collect();
            let cut = reached.iter().filter(|key| !near.contains(key)).count() as u64;
            let all = near.len();
            level = near.into_iter().filter(|key| !seen.contains(key)).collect();
            seen.extend(level.iter().copied());
            let mut record = said(depth, Side::Forward, &level, reached.len() as u64, (all - level.len()) as u64);
            (record.pruned, record.duplicates) = (cut, record.duplicates - cut);
            levels.push(record);
            if level.is_empty() {
                break;
            }
        }
        runs.push(run(moves, if length == Some(moves) { Verdict::Solution } else { Verdict::None }, levels));
        if length.is_none() && level.is_empty() && !for_length {
            break;
        }
    }
    let (lower_bound, pruning, projections) = (Some(least), Pruning::Projection(named.clone()), named);
    match length {
        Some(length) => {
            let answered = answered(spec, blank.symmetries.map(|s| s.fixing), length, runs);
            Record { pruning, projections, lower_bound, ..answered }
        }
        None => {
            let refuted_up_to = runs.last().map(|run| run.length);
            let (verdict, exhausted) = (Verdict::None, true);
            Record { verdict, exhausted, refuted_up_to, pruning, projections, lower_bound, runs, ..blank }
        }
    }
}

/// The words of a solution of a permutation of so many moves, found by trying all moves of the file.
fn words(model: &dyn Model, spec: &PuzzleSpec, state: &State, left: u32) -> Option<Vec<String>> {
    if left == 0 {
        return model.is_goal(state).then(Vec::new);
    }
    let names = spec.table["definition"].as_str().unwrap().lines().filter_map(|line| line.strip_prefix("Move "));
    for name in names.flat_map(|name| {
        (2..12).map(move |power| format!("{name}{power}")).chain([name.to_string(), format!("{name}'")])
    }) {
        let Ok(next) = model.play(state, &name) else { continue };
        if let Some(rest) = words(model, spec, &next, left - 1) {
            return Some([vec![name], rest].concat());
        }
    }
    None
}

/// A state, its distance to the goal, and where moves lead.
pub type Reached = (State, Option<u32>, Vec<State>);

/// All states that can be reached: by brute force.
pub fn brute(spec: &PuzzleSpec, fixing: Option<Vec<Vec<u8>>>) -> (Box<dyn Model>, Vec<Reached>) {
    let model = model(spec, &blank(Asked::Solve, fixing)).unwrap();
    let mut moves: BTreeMap<State, BTreeSet<State>> = BTreeMap::new();
    let mut open = model.starts().to_vec();
    while let Some(state) = open.pop() {
        if let Entry::Vacant(entry) = moves.entry(state) {
            let after = model.moves(entry.key()).unwrap();
            open.extend(after.iter().cloned());
            entry.insert(after);
        }
    }
    let mut distance: BTreeMap<State, u32> =
        moves.keys().filter(|state| model.is_goal(state)).map(|state| (state.clone(), 0)).collect();
    loop {
        let known = |after: &BTreeSet<State>| after.iter().filter_map(|next| distance.get(next)).min().copied();
        let new: Vec<(State, u32)> = moves
            .iter()
            .filter(|(state, _)| !distance.contains_key(*state))
            .filter_map(|(state, after)| Some((state.clone(), known(after)? + 1)))
            .collect();
        // Only the nearest: the others may have nearer ways.
        let Some(nearest) = new.iter().map(|(_, moves)| *moves).min() else { break };
        distance.extend(new.into_iter().filter(|(_, moves)| *moves == nearest));
    }
    let all = moves.into_iter().map(|(state, after)| {
        let exact = distance.get(&state).copied();
        (state, exact, after.into_iter().collect())
    });
    (model, all.collect())
}
