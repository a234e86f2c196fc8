use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// The 2x2x2 cube with one corner fixed, by position: URF, UFL, ULB, UBR, DFR, DLF, DRB.
const BY_POSITION: &str = "\
Name 2x2x2
Set CORNERS 7 3   # the eighth does not move
StartState
CORNERS
0 1 2 3 4 5 6
0 0 0 0 0 0 0
End

MoveTransformation U
CORNERS
3 0 1 2 4 5 6
0 0 0 0 0 0 0
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

/// The same, with turns where the pieces come from.
const BY_PIECE: &str = "\
# A comment
Set CORNERS 7 3
Solved
CORNERS
1 2 3 4 5 6 7
End
Move U
CORNERS
4 1 2 3 5 6 7
End
Move R
CORNERS
5 2 3 1 7 6 4
1 0 0 2 2 0 1
End
Move F
CORNERS
2 6 3 4 1 5 7
2 1 0 0 1 2 0
End
";

fn table(definition: &str, scramble: &str, quarter: bool) -> PermutationTable {
    let scramble = (!scramble.is_empty()).then(|| scramble.into());
    PermutationTable { definition: definition.into(), scramble, quarter }
}

fn puzzle(definition: &str) -> Permutations {
    compile(&table(definition, "", false)).unwrap()
}

fn names(puzzle: &Permutations) -> Vec<&str> {
    puzzle.moves.iter().map(|m| m.name.as_str()).collect()
}

#[test]
fn powers_count_as_moves_unless_quarter_is_set() {
    let cube = puzzle(BY_POSITION);
    assert_eq!(cube.name.as_deref(), Some("2x2x2"));
    assert_eq!(names(&cube), ["U", "U2", "U'", "R", "R2", "R'", "F", "F2", "F'"]);
    assert!(cube.has_inverse_moves);
    let quarter = compile(&table(BY_POSITION, "", true)).unwrap();
    assert_eq!(names(&quarter), ["U", "U'", "R", "R'", "F", "F'"]);
    assert!(quarter.has_inverse_moves);
}

#[test]
fn the_two_kinds_of_moves_say_the_same_in_two_ways() {
    let (one, other) = (puzzle(BY_POSITION), puzzle(BY_PIECE));
    assert_eq!(one.moves, other.moves);
    assert_eq!(one.goal, other.goal);
    assert_eq!(other.name, None);
}

#[test]
fn moves_of_other_orders_are_named_as_twsearch_names_them() {
    let one = |n: usize| {
        let turned: Vec<String> = (0..n).map(|i| ((i + 1) % n + 1).to_string()).collect();
        puzzle(&format!("Set A {n} 1\nSolved\nEnd\nMove T\nA\n{}\nEnd", turned.join(" ")))
    };
    assert_eq!(names(&one(2)), ["T"]);
    assert_eq!(names(&one(3)), ["T", "T'"]);
    assert_eq!(names(&one(5)), ["T", "T2", "T2'", "T'"]);
    assert_eq!(names(&one(6)), ["T", "T2", "T3", "T2'", "T'"]);
}

#[test]
fn a_power_that_the_file_names_comes_under_that_name() {
    let with_half =
        format!("{BY_PIECE}Move Half\nCORNERS\n3 4 1 2 5 6 7\nEnd\nMove Turn\nCORNERS\n4 1 2 3 5 6 7\nEnd\n");
    let cube = puzzle(&with_half);
    assert_eq!(names(&cube), ["U", "U'", "R", "R2", "R'", "F", "F2", "F'", "Half"]);
    let clash = format!("{BY_PIECE}Move R2\nCORNERS\n2 1 3 4 5 6 7\nEnd\n");
    assert!(compile(&table(&clash, "", false)).unwrap_err().message.contains("would be called R2"));
}

/// Scrambles that the group's theory knows: sexy moves six times, and commutators.
#[test]
fn a_scramble_leads_from_the_solved_state_to_the_start() {
    let start = |scramble: &str| compile(&table(BY_POSITION, scramble, true)).unwrap().start;
    let solved = start("");
    assert_eq!(start(&"R U R' U' ".repeat(6)), solved);
    assert_ne!(start(&"R U R' U' ".repeat(3)), solved);
    assert_eq!(start(&"R U ".repeat(15)), solved, "the order of RU on corners");
    assert_eq!(start("U2, R3\nF2'"), start("U U R' F F"));
    assert_eq!(start("U400000001"), start("U"));
    assert_eq!(start("U")[0].pieces[..4], [3, 0, 1, 2]);
}

#[test]
fn the_names_of_moves_may_end_in_digits_where_no_power_has_two_names() {
    let compiled = |moves: &[(&str, &str)], scramble: &str| {
        let moves: String = moves.iter().map(|(name, to)| format!("Move {name}\nC\n{to}\nEnd\n")).collect();
        let positions = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25";
        compile(&table(&format!("Set C 25 1\nSolved\nC\n{positions}\nEnd\n{moves}"), scramble, false))
    };
    let cycle = "2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 1";
    let five = "2 3 4 5 1 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25";
    let one = compiled(&[("A1", five)], "A12 A1' A1'").unwrap();
    assert_eq!(one.start, one.goal);
    assert_eq!(one.moves.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["A1", "A12", "A12'", "A1'"]);
    assert!(compiled(&[("A", five), ("A1", cycle)], "A12").is_ok());
    let fault = compiled(&[("A", cycle), ("A1", five)], "").unwrap_err();
    assert!(fault.message.contains("a power of A would be called A10, but that is a power of A1"), "{}", fault.message);
}

#[test]
fn sequences_and_aliases_are_names_in_scrambles() {
    let text = format!("{BY_PIECE}MoveAlias Up U\nMoveSequence Sexy R Up R' U'\nSwizzleSet A B\n");
    let start = |scramble| compile(&table(&text, scramble, false)).unwrap();
    assert_eq!(start("Sexy").start, start("R U R' U'").start);
    assert_eq!(names(&start("")), names(&puzzle(BY_PIECE)), "no moves of their own");
    let endless = format!("{BY_PIECE}MoveAlias A B\nMoveAlias B A\n");
    assert!(compile(&table(&endless, "A", false)).is_err());
}

#[test]
fn turns_of_the_whole_puzzle_are_no_moves() {
    let text = "Set A 3 1\nSolved\nEnd\nMove T\nA\n2 1 3\nEnd\nMove UFv\nA\n2 3 1\nEnd\nMove x\nA\n1 3 2\nEnd\n";
    let turned = puzzle(text);
    assert_eq!((names(&turned), turned.rotations.len()), (vec!["T"], 2));
    for scramble in ["x", "x2", "UFv"] {
        let fault = compile(&table(text, scramble, false)).unwrap_err();
        assert!(fault.message.contains("turns the whole puzzle"), "{fault:?}");
    }
    let alone = text.replace("Move T", "Move z'");
    assert!(compile(&table(&alone, "", false)).unwrap_err().message.contains("turns of the whole puzzle"));
}

#[test]
fn equal_numbers_are_equal_pieces_and_a_question_mark_does_not_count() {
    let text = "Set A 5 3\nSolved\nA\n7 1 7 2 1\n0 ? 1 2 ?\nEnd\nMove T\nA\n2 3 4 5 1\n1 1 1 1 1\nEnd\n";
    let found = compile(&table(text, "T", false)).unwrap();
    let piece = |number, count, oriented| Piece { number, count, oriented };
    assert_eq!(found.sets[0].pieces, [piece(1, 2, false), piece(2, 1, true), piece(7, 2, true)]);
    assert_eq!(found.goal[0], SetArrangement { pieces: vec![2, 0, 2, 1, 0], orientations: vec![0, 0, 1, 2, 0] });
    assert_eq!(found.start[0], SetArrangement { pieces: vec![0, 2, 1, 0, 2], orientations: vec![0, 2, 0, 0, 1] });
}

#[test]
fn a_set_without_lines_is_as_it_was() {
    let text = "Set A 3 1\nSet B 2 2\nSolved\nA\n1 1 2\nEnd\nMove T\nB\n2 1\nEnd\n";
    let found = puzzle(text);
    assert_eq!(found.sets[1].pieces.len(), 2, "all of them different");
    assert!(found.moves[0].sets[0].is_identity());
}

#[test]
fn moves_with_all_powers_are_closed_under_inversion() {
    for quarter in [false, true] {
        for text in [BY_PIECE, BY_POSITION] {
            let cube = compile(&table(text, "", quarter)).unwrap();
            let all: BTreeSet<&Transformation> = cube.moves.iter().map(|m| &m.sets).collect();
            assert!(cube.moves.iter().all(|m| all.contains(&cube.inverse(&m.sets))));
            assert_eq!(all.len(), cube.moves.len());
        }
    }
}

#[test]
fn a_faulty_file_is_refused_with_its_line_and_bytes() {
    let check = |text: &str, bytes: Option<&str>, says: &str| {
        let fault = compile(&table(text, "", false)).unwrap_err();
        assert_eq!(fault.range.clone().map(|r| &text[r]), bytes, "{fault:?}");
        assert!(fault.message.contains(says), "{fault:?}");
    };
    let start = "Set A 3 2\nSolved\nA\n1 2 3\nEnd\n";
    check("", None, "no set");
    check("Set A 3 2", None, "no solved state");
    check(start, None, "no moves");
    check("Set A 3", Some("Set A 3"), "line 1: expected `Set NAME COUNT ORIENTATIONS`");
    check("\n# A\nSet A 0 1", Some("0"), "line 3: found \"0\", expected a number from 1 to 255");
    check("Set A 3 128", Some("128"), "1 to 127");
    check("Set A 3 1\nSet A 3 1", Some("A"), "second time");
    check("Set A 3 1\nSolved\nB\n1 2 3\nEnd", Some("B"), "line 3: there is no set \"B\"");
    check("Set A 3 1\nSolved\nA\n1 2\nEnd", Some("1 2"), "2 numbers");
    check("Set A 3 1\nSolved\n1 2 3\nEnd", Some("1 2 3"), "without the name");
    check("Set A 3 1\nSolved\nA\n1 2 ?\nEnd", Some("?"), "line 4");
    check("Set A 3 1\nSolved\nA\n1 2 3", Some("Solved"), "no End");
    check("Set A 3 2\nSolved\nA\n1 2 1\n0 0 ?\nEnd", Some("?"), "some have");
    check("Set A 3 2\nSolved\nA\n1 2 1\n0 0 2\nEnd", Some("2"), "from 0 to 1");
    check(&format!("{start}Solved\nEnd\n"), Some("Solved"), "second time");
    check(&format!("{start}Set B 1 1"), Some("Set B 1 1"), "before");
    check(&format!("{start}Move T\nA\n1 1 2\nEnd"), Some("1"), "no permutation");
    check(&format!("{start}Move T\nA\n0 1 2\nEnd"), Some("0"), "from 1 to 3");
    check(&format!("{start}MoveTransformation T\nA\n1 2 3\nEnd"), Some("3"), "from 0 to 2");
    check(&format!("{start}Move T\nA\n1 2 3\n0 0 0\n0 0 0\nEnd"), Some("0 0 0"), "third line");
    check(&format!("{start}Move T\nEnd"), Some("Move T"), "changes nothing");
    check(&format!("{start}Move T\nA\n2 1 3\nEnd\nMove T\nA\n1 3 2\nEnd"), Some("Move T"), "second time");
    check(&format!("{start}Illegal A 1 2"), Some("Illegal A 1 2"), "not supported");
    check(&format!("{start}Twist T"), Some("Twist T"), "found \"Twist\"");
    let fault = compile(&table(BY_PIECE, "U Q2 R", false)).unwrap_err();
    assert_eq!((fault.path, fault.range), (vec![crate::puzzle::Part::Key("scramble".into())], Some(2..4)));
}

#[test]
fn a_move_of_high_order_is_refused_unless_quarter_is_set() {
    // Cycles of 5, 7, 9, 11 and 13.
    let mut from = Vec::new();
    for length in [5, 7, 9, 11, 13] {
        let base = from.len();
        from.extend((0..length).map(|i| (base + (i + 1) % length + 1).to_string()));
    }
    let text = format!("Set A {} 1\nSolved\nEnd\nMove T\nA\n{}\nEnd", from.len(), from.join(" "));
    assert!(compile(&table(&text, "", false)).unwrap_err().message.contains("quarter"));
    assert_eq!(names(&compile(&table(&text, "", true)).unwrap()), ["T", "T'"]);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(words in proptest::collection::vec(0..14usize, 0..40), scramble in "[UT'2x ]{0,6}") {
        const WORDS: [&str; 14] = [
            "Set A 3 2\n", "Solved\n", "Move T\n", "MoveTransformation U\n", "A\n", "1 2 3\n", "2 3 1\n", "0 1 1\n",
            "? ? ?\n", "End\n", "Set B 1 1\n", "2 0 1\n", "MoveAlias U T\n", "B\n1\n",
        ];
        let text: String = words.into_iter().map(|w| WORDS[w]).collect();
        let _ = compile(&table(&text, &scramble, false));
    }

    #[test]
    fn a_move_and_its_inverse_change_nothing(scramble in proptest::collection::vec(0..9usize, 0..30), last in 0..9usize) {
        let cube = puzzle(BY_POSITION);
        let scrambled = scramble.iter().fold(cube.goal.clone(), |now, &m| cube.after(&now, &cube.moves[m].sets));
        let after = cube.after(&scrambled, &cube.moves[last].sets);
        prop_assert_ne!(&after, &scrambled);
        prop_assert_eq!(cube.after(&after, &cube.inverse(&cube.moves[last].sets)), scrambled);
    }
}

#[test]
fn new_names_make_the_start_the_solved_state() {
    let scrambled = |definition: &str, scramble: &str| compile(&table(definition, scramble, false)).unwrap();
    let names = |puzzle: &Permutations| puzzle.renaming().map(|renaming| puzzle.renamed(&renaming));
    let to = |pairs: &[(&str, &str)]| Some(pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect());
    assert_eq!(names(&scrambled(BY_PIECE, "U2 U2")), to(&[]));
    let half = [("1", "3"), ("2", "4"), ("3", "1"), ("4", "2")];
    let half = half.map(|(a, b)| (format!("CORNERS {a}"), format!("CORNERS {b}")));
    assert_eq!(names(&scrambled(BY_PIECE, "U2")), Some(half.into_iter().collect()));
    // Where the piece of a position has come from, and how it was turned on the way.
    let turned = names(&scrambled(BY_POSITION, "R")).unwrap();
    assert_eq!(turned["CORNERS 4"], "CORNERS 0 +1");
    assert_eq!(turned.len(), 4);
    // Two equal pieces cannot have different names, and one that is turned cannot have the name of one that never is.
    let alike = "Set A 4 1\nSolved\nA\n1 1 2 2\nEnd\nMove T\nA\n2 3 4 1\nEnd\n";
    assert_eq!(names(&scrambled(alike, "T")), None);
    assert_eq!(names(&scrambled(alike, "T2")), to(&[("A 1", "A 2"), ("A 2", "A 1")]));
    let turns = "Set A 2 2\nSolved\nA\n1 2\n0 ?\nEnd\nMove T\nA\n2 1\n1 0\nEnd\n";
    assert_eq!(names(&scrambled(turns, "T")), None);
}

proptest! {
    /// Whatever the scramble: renaming is the same before and after a move.
    #[test]
    fn moves_commute_with_new_names(
        scramble in proptest::collection::vec(proptest::sample::select(&["U", "R", "F", "U2", "R'"][..]), 0..12),
        steps in proptest::collection::vec(0..9usize, 0..12),
    ) {
        let puzzle = compile(&table(BY_POSITION, &scramble.join(" "), false)).unwrap();
        let Renaming(sets) = puzzle.renaming().unwrap();
        let image = |state: &Arrangement| -> Arrangement {
            let renamed = |at: usize| {
                let new = sets[0][usize::from(state[0].pieces[at])];
                (new.piece, (state[0].orientations[at] + new.turn) % 3)
            };
            let (pieces, orientations) = (0..7).map(renamed).unzip();
            vec![SetArrangement { pieces, orientations }]
        };
        let mut state = puzzle.start.clone();
        let mut other = puzzle.goal.clone();
        for step in steps {
            prop_assert_eq!(image(&state), other.clone());
            let step = &puzzle.moves[step].sets;
            (state, other) = (puzzle.after(&state, step), puzzle.after(&other, step));
        }
        prop_assert_eq!(image(&state), other);
    }
}
