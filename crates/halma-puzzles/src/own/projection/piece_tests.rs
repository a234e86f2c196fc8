use std::collections::HashMap;

use halma_record::job::puzzle_tables::PermutationTable;
use halma_rules::puzzle::permutation;

use super::*;

const FAR: u32 = u32::MAX;

/// The 2x2x2 cube with one corner fixed.
const CUBE: &str = "\
Set CORNERS 7 3
Solved
CORNERS
1 2 3 4 5 6 7
End
MoveTransformation U
CORNERS
3 0 1 2 4 5 6
End
MoveTransformation R
CORNERS
4 1 2 0 6 5 3
2 0 0 1 1 0 2
End
MoveTransformation F
CORNERS
1 5 2 3 0 4 6
1 2 0 0 2 1 0
End
";

/// Equal pieces, several sets, and orientations of which some do not count.
const MIXED: &str = "\
Set A 4 3
Set B 4 1
Set C 3 2
Solved
A
5 2 9 5
0 1 ? 2
B
1 1 2 2
C
1 2 2
0 1 1
End
Move T
A
2 3 4 1
0 1 2 0
B
4 1 2 3
C
1 3 2
1 1 0
End
Move S
A
1 3 2 4
1 1 1 0
C
3 1 2
End
";

fn puzzle(definition: &str, scramble: &str) -> Permutations {
    let scramble = (!scramble.is_empty()).then(|| scramble.to_string());
    permutation::compile(&PermutationTable { definition: definition.into(), scramble, quarter: false }).unwrap()
}

fn pancakes(n: usize, scramble: &str) -> Permutations {
    let row = |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("Set STACK {n} 1\nSolved\nSTACK\n{}\nEnd\n", row((1..=n).collect()));
    for turned in 2..=n {
        text += &format!("Move F{turned}\nSTACK\n{}\nEnd\n", row((1..=turned).rev().chain(turned + 1..=n).collect()));
    }
    puzzle(&text, scramble)
}

fn named(texts: &[&str]) -> Vec<Abstraction> {
    texts.iter().map(|text| Abstraction::try_from(text.to_string()).unwrap()).collect()
}

fn made(puzzle: &Permutations, texts: &[&str]) -> Projections<u64> {
    let cancel = CancellationToken::after(None);
    Projections::new(&Compiled::Permutations(puzzle.clone()), &named(texts), &cancel).unwrap()
}

/// The bounds of all states that lead to the solved one, with their distances: they are admissible and consistent.
fn holds(puzzle: &Permutations, bound: &Projections<u64>) -> Vec<(u32, u32)> {
    let coding = PermutationCoding::<u64>::new(puzzle).unwrap();
    let (mut scratch, mut distances, mut level) = (coding.scratch(), HashMap::new(), vec![coding.goal()]);
    distances.insert(coding.goal(), 0u32);
    let mut out = Vec::new();
    for moves in 1.. {
        let mut next = Vec::new();
        for &state in &level {
            out.clear();
            coding.states_before(&mut scratch, state, &mut out);
            next.extend(out.iter().copied().filter(|&before| {
                let known = distances.len();
                distances.entry(before).or_insert(moves);
                distances.len() > known
            }));
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    let mut evaluate = bound.evaluator();
    let mut all = Vec::new();
    for (&state, &exact) in &distances {
        let h = evaluate(state);
        assert!(h <= exact, "{}: bound {h}, distance {exact}", coding.picture(state));
        out.clear();
        coding.states_after(&mut scratch, state, &mut out);
        assert!(out.iter().all(|&next| h <= evaluate(next).saturating_add(1)), "{}", coding.picture(state));
        all.push((h, exact));
    }
    all
}

fn mean(all: &[(u32, u32)]) -> f64 {
    all.iter().map(|&(h, _)| f64::from(h)).sum::<f64>() / all.len() as f64
}

#[test]
fn pancakes_made_alike_bound_the_flips_of_all_stacks() {
    let puzzle = pancakes(7, "");
    let largest = holds(&puzzle, &made(&puzzle, &["STACK 5 6 7"]));
    let smallest = holds(&puzzle, &made(&puzzle, &["STACK 1 2 3"]));
    let merged = holds(&puzzle, &made(&puzzle, &["STACK 5=6 7"]));
    assert_eq!(largest.len(), 5040);
    assert!(mean(&largest) > mean(&smallest) && mean(&largest) > mean(&merged) && mean(&merged) > 1.0);
    // Where nothing is made alike, or the rest is one piece, the bound is the distance.
    for all in ["STACK 1 2 3 4 5 6 7", "STACK 2 3 4 5 6 7"] {
        assert!(holds(&puzzle, &made(&puzzle, &[all])).iter().all(|&(h, exact)| h == exact), "{all}");
    }
    let both = holds(&puzzle, &made(&puzzle, &["STACK 5 6 7", "STACK 1 2 3 4"]));
    assert!(mean(&both) > mean(&largest));
}

#[test]
fn corners_without_their_places_or_their_turns_bound_the_small_cube() {
    let puzzle = puzzle(CUBE, "");
    let all = "CORNERS 1 2 3 4 5 6 7";
    let sizes = |text: &str| pieces::project(&puzzle, &named(&[text])[0]).unwrap().states;
    assert_eq!(sizes(all), 5040 * 2187);
    assert_eq!(sizes("CORNERS 1? 2? 3? 4? 5? 6? 7?"), 5040);
    assert_eq!(sizes("CORNERS 1=2=3=4=5=6=7"), 2187);
    assert_eq!(sizes("CORNERS 1 2 3"), 7 * 6 * 5 * 27);
    assert_eq!(sizes("CORNERS 1 2? 3=4=5"), 7 * 6 * 10 * 81);
    let coding = PermutationCoding::<u64>::new(&puzzle).unwrap();
    let (mut scratch, mut out) = (coding.scratch(), Vec::new());
    let texts = ["CORNERS 1? 2? 3? 4? 5? 6? 7?", "CORNERS 1=2=3=4=5=6=7", "CORNERS 1 2 3", "CORNERS 4 5? 6=7"];
    let bounds = texts.map(|text| made(&puzzle, &[text]));
    let mut evaluate: Vec<_> = bounds.iter().map(|bound| bound.evaluator()).collect();
    // Levels from the solved state: no bound is more than the level, and the first moves are seen by each.
    let (mut level, mut before) = (vec![coding.goal()], Vec::new());
    for depth in 0..6u32 {
        for h in &mut evaluate {
            let values: Vec<u32> = level.iter().map(|&state| h(state)).collect();
            assert!(values.iter().all(|&h| h <= depth) && (depth > 2 || values.contains(&depth)));
        }
        out.clear();
        level.iter().for_each(|&state| coding.states_after(&mut scratch, state, &mut out));
        out.sort_unstable();
        out.dedup();
        out.retain(|state| !level.contains(state) && !before.contains(state));
        before = std::mem::replace(&mut level, out.clone());
    }
}

#[test]
fn several_sets_with_pieces_alike_and_orientations_that_do_not_count() {
    let puzzle = puzzle(MIXED, "");
    let all = "A 2 5 9/B 1 2/C 1 2";
    let exact = holds(&puzzle, &made(&puzzle, &[all]));
    assert!(exact.len() > 1000 && exact.iter().all(|&(h, exact)| h == exact), "{}", exact.len());
    for text in ["A 5", "A 2 5", "A 5? 2", "A 2=5", "A 2=9", "A 9/B 1", "C 1/B 2/A 2", "B 1/C 1 2"] {
        let part = holds(&puzzle, &made(&puzzle, &[text]));
        assert!(mean(&part) < mean(&exact) && part.iter().any(|&(h, _)| h > 1), "{text}");
    }
}

#[test]
fn states_of_pieces_are_numbered_without_gaps() {
    for (definition, text) in [(CUBE, "CORNERS 3 1?"), (MIXED, "A 2=5/C 1/B 2"), (CUBE, "CORNERS 1=4 2=3? 5")] {
        let fewer = pieces::project(&puzzle(definition, ""), &named(&[text])[0]).unwrap();
        let mut space = pieces::NumberingScratch::default();
        for number in 0..fewer.states {
            let mut rest = number;
            let mut again = 0;
            for set in fewer.sets.iter().rev() {
                let mut state = vec![(0, 0); set.positions()];
                let part = set.read(&mut rest, &mut state, &mut space);
                assert_eq!(set.number(state.into_iter(), &mut space), part);
                again += part;
            }
            assert_eq!((again, rest), (number, 0), "{text}");
        }
    }
}

#[test]
fn the_choice_by_trial_finds_pieces_that_are_of_use() {
    for (puzzle, least) in [(pancakes(7, "F5 F3 F7 F4"), 3.0), (puzzle(MIXED, "T S T"), 2.0)] {
        let cancel = CancellationToken::after(None);
        let bound = Projections::chosen(&Compiled::Permutations(puzzle.clone()), &cancel).unwrap();
        let mean = mean(&holds(&puzzle, &bound));
        assert!(mean > least, "{:?}: {mean}", bound.abstractions());
    }
}

#[test]
fn what_is_no_part_of_a_permutation_is_refused() {
    let compiled = Compiled::Permutations(puzzle(MIXED, ""));
    let error = |text: &str| check(&compiled, &named(&[text])).unwrap_err().to_string();
    assert_eq!(error("D 1"), "projection(D 1): `D` is no set of the puzzle; allowed are A, B, C");
    assert_eq!(error("A 1"), "projection(A 1): A has no piece 1; allowed are 2, 5, 9");
    assert!(error("1/2").starts_with("projection(1/2): `1`: there is no piece"), "{}", error("1/2"));
    let large = check(&Compiled::Permutations(pancakes(13, "")), &named(&["STACK 1 2 3 4 5 6 7 8 9 10 11 12"]));
    let message = "the table would have 6227020800 states; allowed are 268435456: keep fewer letters or pieces apart";
    assert!(large.unwrap_err().to_string().ends_with(message));
}

#[test]
fn what_cannot_be_reached_is_as_far_as_can_be() {
    // The third piece stays where it is.
    let puzzle = puzzle("Set A 3 1\nSolved\nA\n1 2 3\nEnd\nMove S\nA\n2 1 3\nEnd\n", "S");
    let mut turned = puzzle.start.clone();
    turned[0].pieces = vec![2, 0, 1];
    let coding = PermutationCoding::<u64>::new(&puzzle).unwrap();
    for (text, there, here) in [("A 3", FAR, 0), ("A 1", 1, 1), ("A 1=2=3", 0, 0), ("A 1 2", FAR, 1)] {
        let bound = made(&puzzle, &[text]);
        let mut h = bound.evaluator();
        assert_eq!([h(coding.rank(&turned)), h(coding.start())], [there, here], "{text}");
    }
}

#[test]
fn a_request_to_stop_ends_the_making_of_tables() {
    let puzzle = Compiled::Permutations(pancakes(10, "F10 F3"));
    let cancel = CancellationToken::after(None);
    cancel.request();
    let stopped = |made: Result<Projections<u64>, Unmade>| matches!(made, Err(Unmade::Stopped(Stopped::Interrupted)));
    assert!(stopped(Projections::new(&puzzle, &named(&["STACK 1 2 3"]), &cancel)));
    assert!(stopped(Projections::chosen(&puzzle, &cancel)));
}

#[test]
fn tables_that_fill_the_list_and_tables_that_do_not_have_the_same_distances() {
    // A line of states: each distance has one; a star: all but one have the same.
    let cancel = CancellationToken::after(None);
    let goal = |mark: &(dyn Fn(u64) + Sync)| {
        mark(0);
        Ok(())
    };
    let line = |_: &mut (), state: u64, found: &mut dyn FnMut(u64)| found((state + 1).min(599));
    let distances = distances::fill(600, goal, &cancel, || (), line).unwrap();
    assert!(distances.iter().enumerate().all(|(state, &d)| usize::from(d) == state.min(254)));
    let star = |_: &mut (), state: u64, found: &mut dyn FnMut(u64)| (0..599).filter(|_| state < 2).for_each(found);
    let distances = distances::fill(600, goal, &cancel, || (), star).unwrap();
    assert_eq!((distances[0], distances[1], distances[598], distances[599]), (0, 1, 1, u8::MAX));
    // Many states beyond the greatest distance, which are looked for in the table.
    let far = |_: &mut (), state: u64, found: &mut dyn FnMut(u64)| match state {
        0..260 => found(state + 1),
        260 => (261..19_999).for_each(found),
        261 => found(19_999),
        _ => {}
    };
    let distances = distances::fill(20_000, goal, &cancel, || (), far).unwrap();
    assert!(distances.iter().enumerate().all(|(state, &d)| usize::from(d) == state.min(254)));
}
