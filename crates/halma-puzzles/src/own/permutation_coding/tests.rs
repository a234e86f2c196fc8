use std::collections::HashSet;

use halma_record::job::puzzle_tables::PermutationTable;
use halma_rules::puzzle::permutation;
use proptest::prelude::*;

use super::*;

/// The 2x2x2 cube with one corner fixed: URF, UFL, ULB, UBR, DFR, DLF, DRB.
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
Set A 6 3
Set B 4 1
Set C 5 2
Solved
A
5 2 2 9 5 5
0 0 1 ? 2 0
B
1 1 2 2
C
1 1 1 1 1
0 1 0 0 0
End
Move T
A
2 3 4 1 6 5
0 1 2 0 1 0
B
4 1 2 3
C
1 2 3 4 5
1 1 0 0 1
End
Move S
A
1 3 2 4 6 5
C
5 4 3 1 2
End
";

fn compile(definition: &str, quarter: bool) -> Permutations {
    permutation::compile(&PermutationTable { definition: definition.into(), scramble: None, quarter }).unwrap()
}

/// How many states lie on each level.
fn levels(puzzle: &Permutations, most: usize) -> Vec<usize> {
    levels_as::<u64>(puzzle, most)
}

fn levels_as<K: Key>(puzzle: &Permutations, most: usize) -> Vec<usize> {
    let coding = PermutationCoding::<K>::new(puzzle).unwrap();
    let mut scratch = coding.scratch();
    let mut level = vec![coding.start()];
    let mut seen: HashSet<K> = level.iter().copied().collect();
    let (mut sizes, mut out) = (Vec::new(), Vec::new());
    while !level.is_empty() && sizes.len() < most {
        sizes.push(level.len());
        let mut next = Vec::new();
        for key in level {
            out.clear();
            coding.states_after(&mut scratch, key, &mut out);
            next.extend(out.iter().copied().filter(|&k| seen.insert(k)));
        }
        level = next;
    }
    sizes
}

fn all_permutations(puzzle: &Permutations) -> u64 {
    PermutationCoding::<u64>::new(puzzle).unwrap().count()
}

#[test]
fn the_2x2x2_cube_has_its_known_levels() {
    let cube = compile(CUBE, false);
    assert_eq!(levels(&cube, 7), [1, 9, 54, 321, 1847, 9992, 50_136]);
    assert_eq!(levels(&compile(CUBE, true), 7), [1, 6, 27, 120, 534, 2256, 8969]);
    assert_eq!(all_permutations(&cube), 3 * 3_674_160, "a corner alone cannot be turned");
}

/// Corners as the table of what moves make of them, edges ranked anew.
#[test]
fn the_3x3x3_cube_has_its_known_levels() {
    let cube = compile(include_str!("3x3x3.tws"), false);
    assert_eq!(count(&cube).to_string(), "519024039293878272000", "twelve times the cube's states");
    assert_eq!((cube.moves.len(), key_bytes(&cube)), (18, Ok(16)));
    assert_eq!(levels_as::<u128>(&cube, 5), [1, 18, 243, 3240, 43_239]);
    assert_eq!(levels_as::<U256>(&cube, 4), [1, 18, 243, 3240]);
    let quarter = compile(include_str!("3x3x3.tws"), true);
    assert_eq!(levels_as::<u128>(&quarter, 5), [1, 12, 114, 1068, 10_011]);
}

#[test]
#[ignore = "some seconds"]
fn the_2x2x2_cube_has_3_674_160_states() {
    let sizes = [1, 9, 54, 321, 1847, 9992, 50_136, 227_536, 870_072, 1_887_748, 623_800, 2644];
    assert_eq!(levels(&compile(CUBE, false), 99), sizes);
}

/// Pancakes: a stack of n, of which the upper ones are turned over.
#[test]
fn stacks_of_pancakes_have_their_known_levels() {
    let stack = |n: usize| {
        let numbers = |all: &mut dyn Iterator<Item = usize>| all.map(|i| i.to_string()).collect::<Vec<_>>().join(" ");
        let flips = (2..=n).map(|f| format!("Move F{f}\nP\n{}\nEnd\n", numbers(&mut (1..=f).rev().chain(f + 1..=n))));
        levels(&compile(&format!("Set P {n} 1\nSolved\nEnd\n{}", flips.collect::<String>()), false), 99)
    };
    // OEIS A092113.
    assert_eq!(stack(5), [1, 4, 12, 35, 48, 20]);
    assert_eq!(stack(6), [1, 5, 20, 79, 199, 281, 133, 2]);
    assert_eq!(stack(7), [1, 6, 30, 149, 543, 1357, 1903, 1016, 35]);
}

/// Every state of Lights Out on 3 x 3 cells has one set of presses.
#[test]
fn lights_out_has_as_many_states_on_a_level_as_sets_of_presses() {
    let press = |cell: i32| {
        let (x, y) = (cell % 3, cell / 3);
        let lit = (0..9).map(|c| i32::from((c % 3 - x).abs() + (c / 3 - y).abs() <= 1).to_string());
        format!("Move P{cell}\nL\n1 2 3 4 5 6 7 8 9\n{}\nEnd\n", lit.collect::<Vec<_>>().join(" "))
    };
    let text: String = (0..9).map(press).collect();
    let puzzle = compile(&format!("Set L 9 2\nSolved\nL\n1 1 1 1 1 1 1 1 1\nEnd\n{text}"), false);
    assert_eq!(levels(&puzzle, 99), [1, 9, 36, 84, 126, 126, 84, 36, 9, 1]);
    let coding = PermutationCoding::<u64>::new(&puzzle).unwrap();
    assert_eq!(coding.count(), 512);
    assert_eq!(coding.move_name(0, 0b000_001_011), Some("P0"), "position 0 is the lowest digit");
    assert_eq!(coding.picture(0b11), "L 1 1 1 1 1 1 1 1 1 | 1 1 0 0 0 0 0 0 0");
}

/// The numbering of the reference, by its words.
#[test]
fn a_state_has_the_number_that_the_reference_gives_it() {
    let puzzle = compile(MIXED, false);
    let coding = PermutationCoding::<u64>::new(&puzzle).unwrap();
    let sets = [(60u64, 729u64), (6, 1), (1, 32)];
    assert_eq!(coding.count(), sets.iter().map(|(p, o)| p * o).product::<u64>());
    // A: the pieces 2 on 1 and 2: C(1,1) + C(2,2) of 15; the pieces 5 on 0, 4, 5, which are 0, 2, 3 of those left: C(0,1) +
    // C(2,2) + C(3,3) of 4; the 9 needs none. Orientations 0 0 1 - 2 0.
    let a = 2 + 15 * (2 + 4 * (9 + 2 * 81));
    // B: the pieces 1 on 0 and 1.
    let b = 0;
    // C: orientations 0 1 0 0 0.
    assert_eq!(coding.goal(), a + 60 * 729 * (b + 6 * 2));
    assert_eq!(coding.picture(coding.goal()), "A 5 2 2 9 5 5 | 0 0 1 ? 2 0\nB 1 1 2 2\nC 1 1 1 1 1 | 0 1 0 0 0");
    let cube = PermutationCoding::<u64>::new(&compile(CUBE, false)).unwrap();
    // Piece 1 on 1, 2 on 2, 3 on 3, 4 on 0; then all that are left in order.
    let after_u = 1 + 7 * (1 + 6);
    assert_eq!((cube.goal(), cube.start()), (0, 0));
    assert_eq!(cube.move_name(0, after_u), Some("U"));
    assert_eq!(cube.move_name(0, 0), None);
}

#[test]
fn orientations_that_do_not_count_are_zero_in_every_state() {
    let coding = PermutationCoding::<u64>::new(&compile(MIXED, false)).unwrap();
    let mut scratch = coding.scratch();
    assert!(coding.is_state(&mut scratch, coding.goal()));
    // The piece 9 stands on position 3.
    let turned = coding.goal() + 60 * 27;
    assert!(!coding.is_state(&mut scratch, turned));
    assert!(!coding.is_state(&mut scratch, coding.count()));
    let free = "Set A 3 3\nSolved\nA\n1 2 3\n? ? ?\nEnd\nMove T\nA\n2 3 1\n1 2 0\nEnd\nMove S\nA\n1 2 3\n1 1 1\nEnd\n";
    let free = compile(free, false);
    assert_eq!((all_permutations(&free), levels(&free, 9)), (6, vec![1, 2]), "no digits, and S does nothing");
}

#[test]
fn the_narrowest_key_is_taken() {
    let set = |n| {
        let moved: Vec<String> = (0..n).map(|i| ((i + 1) % n + 1).to_string()).collect();
        compile(&format!("Set A {n} 1\nSolved\nEnd\nMove T\nA\n{}\nEnd", moved.join(" ")), true)
    };
    assert_eq!([20, 21, 34, 35, 57].map(|n| key_bytes(&set(n))), [Ok(8), Ok(16), Ok(16), Ok(32), Ok(32)]);
    let bits = count(&set(58)).bits();
    assert_eq!(key_bytes(&set(58)), Err(TooManyStates { bits }));
    assert!(PermutationCoding::<u64>::new(&set(21)).is_err());
    assert!(PermutationCoding::<U256>::new(&set(58)).is_err());
    assert!(TooManyStates { bits }.to_string().contains("2^260"), "{bits}");
}

/// A pseudo-random key below `count`.
fn some_key<K: Key>(coding: &PermutationCoding<K>, puzzle: &Permutations, steps: &[usize]) -> K {
    let walk = steps
        .iter()
        .fold(puzzle.goal.clone(), |now, step| puzzle.after(&now, &puzzle.moves[step % puzzle.moves.len()].sets));
    coding.rank(&walk)
}

/// The fast successors against the arrangements of the rules.
fn check<K: Key>(definition: &str, quarter: bool, steps: &[usize]) -> Result<(), TestCaseError> {
    let puzzle = compile(definition, quarter);
    let coding = PermutationCoding::<K>::new(&puzzle).unwrap();
    let mut scratch = coding.scratch();
    let key = some_key(&coding, &puzzle, steps);
    let arrangement = coding.unrank(key);
    prop_assert_eq!(coding.rank(&arrangement), key);
    prop_assert!(coding.is_state(&mut scratch, key));
    let (mut after, mut before) = (vec![key; 2], Vec::new());
    coding.states_after(&mut scratch, key, &mut after);
    let mut expected: Vec<K> = puzzle.moves.iter().map(|m| coding.rank(&puzzle.after(&arrangement, &m.sets))).collect();
    expected.retain(|&k| k != key);
    expected.sort_unstable();
    expected.dedup();
    prop_assert_eq!(&after[..2], [key; 2], "what was there stays");
    prop_assert_eq!(&after[2..], &expected);
    for &next in &expected {
        before.clear();
        prop_assert!(next < coding.count());
        coding.states_before(&mut scratch, next, &mut before);
        prop_assert!(before.contains(&key));
        prop_assert!(coding.move_name(key, next).is_some());
    }
    Ok(())
}

proptest! {
    // Each case compiles its puzzles anew.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn successors_are_those_of_the_rules(steps in proptest::collection::vec(0..100usize, 0..20), quarter: bool) {
        check::<u64>(CUBE, quarter, &steps)?;
        check::<u64>(MIXED, quarter, &steps)?;
        check::<U256>(MIXED, quarter, &steps)?;
        // More than 64 positions, in three words.
        let wide = |extra: &dyn Fn(usize) -> usize| (0..150).map(|i| extra(i).to_string()).collect::<Vec<_>>().join(" ");
        let solved = wide(&|i| 1 + usize::from([3, 64, 140, 149].contains(&i)) + 2 * usize::from(i == 70));
        let wide = format!("Set W 150 1\nSolved\nW\n{solved}\nEnd\nMove T\nW\n{}\nEnd\nMove S\nW\n{}\nEnd\n",
            wide(&|i| (i + 1) % 150 + 1), wide(&|i| 150 - i));
        check::<u64>(&wide, true, &steps)?;
        check::<u128>(&wide, true, &steps)?;
    }

    #[test]
    fn every_number_is_one_arrangement(number in 0u64..4_000_000_000) {
        for text in [CUBE, MIXED] {
            let puzzle = compile(text, false);
            let coding = PermutationCoding::<u64>::new(&puzzle).unwrap();
            let key = number % coding.count();
            prop_assert_eq!(coding.rank(&coding.unrank(key)), key);
            let wide = PermutationCoding::<U256>::new(&puzzle).unwrap();
            prop_assert_eq!(wide.unrank(U256 { high: 0, low: key.into() }), coding.unrank(key));
        }
    }
}
