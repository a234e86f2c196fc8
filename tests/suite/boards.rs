//! Boards beyond the paper's: lopsided armies, the star, two words of cells, maps in pieces. Lengths are those of
//! `scripts/referee.py shortest`, which shares nothing with the search.

use std::path::Path;

use crate::program::{self, job_folder};
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Side, Verdict};
use halma_rules::job::{Job, Overrides, Pruning};
use halma_solve::run::{self, Question};

/// A job on a named board.
fn named(board: &str, moves: u8, army: &[&str], target: &[&str]) -> String {
    format!(
        "[problem]\nkind = \"transfer\"\nboard = \"{board}\"\nmoves = {moves}\narmy = {army:?}\ntarget = {target:?}\n"
    )
}

/// A job on a map, rows split by `/`.
fn drawn(map: &str, moves: u8) -> String {
    let rows = map.replace('/', "\n");
    format!("[problem]\nkind = \"transfer\"\nmoves = {moves}\nboard = \"\"\"\n{rows}\n\"\"\"\n")
}

fn solve(job: &str, pruning: &str) -> Record {
    let overrides = Overrides {
        pruning: Some(pruning.parse::<Pruning>().expect("a pruning")),
        threads: Some(2),
        ..Overrides::default()
    };
    let job = Job::parse(Path::new("a.toml"), job).and_then(|job| job.with(&overrides));
    let job = job.unwrap_or_else(|fault| panic!("{fault}"));
    run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap_or_else(|e| panic!("{e}"))
}

/// Solves under each of the prunings; the last record.
fn takes(length: u32, job: &str, prunings: &[&str]) -> Record {
    let check = |pruning: &&str| {
        let record = solve(job, pruning);
        let said = (record.verdict, record.length, record.refuted_up_to);
        assert_eq!(said, (Verdict::Optimal, Some(length), Some(length - 1)), "{}: {job}", record.pruning);
        record
    };
    let mut records: Vec<Record> = prunings.iter().map(check).collect();
    records.pop().expect("a pruning")
}

/// Exit status and standard output of `halma` with the job in a file.
fn halma(job: &str, args: &[&str]) -> (i32, String, String) {
    let folder = job_folder(job);
    let answer = program::halma(&folder, &[&[args[0], "job.toml"], &args[1..]].concat());
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "nothing but the job is there");
    answer
}

#[test]
fn an_army_without_any_symmetry_is_searched_from_both_ends() {
    for (length, army, target) in [
        (22, &["a1", "c1", "a2"][..], &["i9", "h8", "i6"][..]),
        (17, &["a1", "c1", "a2", "b3"], &["i9", "h8", "i6", "g9"]),
    ] {
        let job = named("9x9", 6, army, target);
        let record = takes(length, &job, &["theorem-1", "pattern", "leading"]);
        let symmetries = record.symmetries.expect("symmetries");
        assert_eq!((symmetries.fixing.len(), symmetries.mirror), (1, None));
        let sides = |side| record.runs.last().expect("runs").levels.iter().any(|l| l.side == side);
        assert!(sides(Side::Forward) && sides(Side::Backward));
    }
}

#[test]
fn men_cross_the_star_from_point_to_point() {
    let start = ["e5", "f5", "e6"];
    takes(18, &named("star-121", 6, &start, &["e17", "e16", "f16"]), &["theorem-1", "leading", "narrowed"]);
    takes(23, &named("star-121", 6, &start, &["m13", "m12", "l13"]), &["theorem-1", "leading", "narrowed"]);
}

#[test]
fn a_board_of_four_words_is_crossed() {
    let (army, target) = (["a1", "b1"], ["p16", "p15"]);
    takes(16, &named("16x16", 8, &army, &target), &["none", "theorem-1", "pattern", "leading"]);
    let (army, target) = (["a1", "b1", "a2"], ["p16", "p15", "o16"]);
    takes(23, &named("16x16", 8, &army, &target), &["leading", "pattern"]);
}

#[test]
fn each_component_of_a_map_keeps_its_men() {
    let reachable = drawn("S..#.S./..T#T.S/...#..T", 6);
    for pruning in ["none", "theorem-1", "pattern", "leading"] {
        takes(5, &reachable, &[pruning]);
    }
}

#[test]
fn a_target_in_the_other_component_is_refuted_once_and_for_all() {
    let apart = drawn("SS.#.../..T#T..", 6);
    for pruning in ["none", "theorem-1", "pattern", "leading"] {
        let record = solve(&apart, pruning);
        let said = (record.verdict, record.exhausted, record.length);
        assert_eq!(said, (Verdict::None, true, None), "{pruning}");
        let (status, out, _) = halma(&apart, &["solve", "--quiet", "--pruning", pruning]);
        assert_eq!(status, 0, "{pruning}: {out}");
        assert!(out.contains("There is no solution of any length"), "{pruning}: {out}");
        let (status, out, _) = halma(&apart, &["prove", "--quiet", "--max-length", "9", "--pruning", pruning]);
        assert_eq!(status, 20, "{pruning}: {out}");
    }
}

#[test]
fn jumps_that_cannot_reach_the_target_are_refuted_though_the_types_agree() {
    // From tests/shortest.txt: every position that jumps lead to was seen, and the target is none of them.
    let job = drawn("SS./.../TT.", 4).replace("moves = 4", "moves = 4\njumps-only = true");
    for pruning in ["none", "theorem-1", "pattern", "leading"] {
        let record = solve(&job, pruning);
        assert_eq!((record.verdict, record.exhausted, record.length), (Verdict::None, true, None), "{pruning}");
        let (status, out, err) = halma(&job, &["prove", "--quiet", "--max-length", "40", "--pruning", pruning]);
        assert_eq!((status, err.as_str()), (20, ""), "{pruning}: {out}");
    }
}

#[test]
fn a_target_that_type_counts_make_impossible_under_jumps_has_no_solution_and_that_is_an_answer() {
    let steps_too = drawn("S.../...T", 4);
    takes(4, &steps_too, &["none", "leading"]);
    let jumps = steps_too.replace("moves = 4", "moves = 4\njumps-only = true");
    let proof = "There is no solution of any length: jumps keep a man's type, and the start has (1, 0, 0, 0) men of types \
                 0 to 3, the target (0, 0, 0, 1).\n";
    for (args, expected) in
        [(&["solve", "-q"][..], 0), (&["prove", "--max-length", "3", "-q"], 20), (&["count", "-q"], 0)]
    {
        let (status, out, err) = halma(&jumps, args);
        assert_eq!((status, err.as_str()), (expected, ""), "{args:?}: {out}");
        assert!(out.contains(proof), "{args:?}: {out}");
    }
    let (status, out, err) = halma(&jumps, &["solve", "-q", "--moves", "8"]);
    assert!((status, err.as_str()) == (0, "") && out.contains(proof), "{out}{err}");
    let (status, out, err) = halma(&jumps, &["compare", "--prunings", "none,leading,pattern", "-q"]);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let (status, out, _) = halma(&jumps, &["levels", "--depth", "2", "-q"]);
    assert_eq!(status, 0, "{out}");
    let (status, out, _) = halma(&jumps, &["describe"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("none of any length: jumps keep a man's type"), "{out}");
}
