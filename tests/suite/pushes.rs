//! Free rules: Sokoban counted in pushes, against published numbers and a search written for Sokoban alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use halma_check::Options;
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Repeats, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, RunError, run};
use proptest::prelude::*;

fn check(record: &Record) -> Result<halma_check::Report, halma_check::Rejection> {
    let options = Options { sample: None, budget: 50_000_000, memory: None, progress: &|_| {} };
    halma_check::record_holds(record, Path::new(""), &options)
}

/// The answer to a job, which the verifier accepts in full.
fn answer(job: &Job, question: Question) -> Record {
    let mut job = job.clone();
    job.output.dir = None;
    let record = run(&job, question, &(), &CancellationToken::after(None)).unwrap();
    let report = check(&record);
    assert!(report.as_ref().is_ok_and(|report| report.unchecked.is_empty()), "{report:?}");
    record
}

fn config(name: &str) -> Job {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/puzzles").join(name).with_extension("toml");
    Job::read(&file).unwrap()
}

/// A room with these goals, by rules.
fn room(map: &str, goals: &[String]) -> Job {
    let at: Vec<String> = goals.iter().map(|goal| format!("{goal} = \"$\"")).collect();
    let text = format!(
        "[problem]\nkind = \"rules\"\nboard = \"\"\"\n{map}\n\"\"\"\ngoal = {{ at = {{ {} }} }}\n\
         rules = [\"@ $ . -> . @ $\", {{ rule = \"@ . -> . @\", free = true }}]\n",
        at.join(", ")
    );
    Job::parse("room.toml".as_ref(), &text).unwrap()
}

type Cell = (usize, usize);
type State = (Cell, BTreeSet<Cell>);

/// Sokoban on its own: levels of pushes until the goal is met or nothing is new, with the number of ways to each state; and how many
/// shortest solutions there are.
fn by_pushes(map: &str, goals: &BTreeSet<Cell>) -> (Vec<usize>, Option<u64>) {
    let letter: BTreeMap<Cell, char> =
        (0..).zip(map.lines()).flat_map(|(y, row)| (0..).zip(row.chars()).map(move |(x, c)| ((x, y), c))).collect();
    let with = |wanted: char| letter.iter().filter(move |(_, c)| **c == wanted).map(|(&cell, _)| cell);
    let is_floor = |cell: Cell| letter.get(&cell).is_some_and(|&c| c != '#');
    let around = |(x, y): Cell| {
        let steps = [(1, 0), (usize::MAX, 0), (0, 1), (0, usize::MAX)];
        steps.map(|(dx, dy)| ((x.wrapping_add(dx), y.wrapping_add(dy)), (dx, dy)))
    };
    let start: State = (with('@').next().unwrap(), with('$').collect());
    let (mut level, mut sizes) = (BTreeMap::from([(start, 1u64)]), Vec::new());
    let mut seen: BTreeSet<State> = level.keys().cloned().collect();
    while !level.is_empty() {
        sizes.push(level.len());
        // All goals have a box; there may be more boxes.
        let ends: Vec<u64> = level.iter().filter(|((_, b), _)| goals.is_subset(b)).map(|(_, &ways)| ways).collect();
        if !ends.is_empty() {
            return (sizes, Some(ends.iter().sum()));
        }
        let mut next: BTreeMap<State, u64> = BTreeMap::new();
        for ((man, boxes), ways) in level {
            let (mut reached, mut open) = (BTreeSet::from([man]), vec![man]);
            while let Some(here) = open.pop() {
                let free =
                    around(here).map(|(cell, _)| cell).into_iter().filter(|c| is_floor(*c) && !boxes.contains(c));
                open.extend(free.filter(|&cell| reached.insert(cell)));
            }
            for &here in &reached {
                for (pushed, (dx, dy)) in around(here) {
                    let to = (pushed.0.wrapping_add(dx), pushed.1.wrapping_add(dy));
                    if boxes.contains(&pushed) && is_floor(to) && !boxes.contains(&to) {
                        let mut boxes = boxes.clone();
                        boxes.remove(&pushed);
                        boxes.insert(to);
                        *next.entry((pushed, boxes)).or_default() += ways;
                    }
                }
            }
        }
        next.retain(|state, _| !seen.contains(state));
        seen.extend(next.keys().cloned());
        level = next;
    }
    (sizes, None)
}

fn sizes(record: &Record) -> Vec<usize> {
    record.runs.iter().flat_map(|run| &run.levels).map(|level| level.states as usize).collect()
}

#[test]
fn published_numbers_of_pushes_are_found_and_all_fewer_refuted() {
    for (name, pushes) in [("sokoban-microban-1", 8), ("sokoban-microban-2", 3), ("sokoban-rosetta", 14)] {
        let record = answer(&config(name), Question::Solve);
        assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(pushes)), "{name}");
        assert_eq!(record.repeats, Some(Repeats::All), "{name}");
    }
}

#[test]
fn levels_and_numbers_of_solutions_are_those_of_a_search_for_sokoban_alone() {
    let map = "######\n#..###\n#..###\n#$@..#\n#..$.#\n#..###\n######";
    let (levels, solutions) = by_pushes(map, &BTreeSet::from([(2, 1), (1, 3)]));
    let record = answer(&config("sokoban-microban-1"), Question::Count);
    assert_eq!(sizes(&record), levels);
    assert_eq!(record.counts.unwrap().sequences.to_string(), solutions.unwrap().to_string());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn rooms_are_solved_as_by_a_search_for_sokoban_alone(
        letters in Just("@$$#........".chars().collect::<Vec<char>>()).prop_shuffle(),
        goals in proptest::collection::btree_set((0usize..4, 0usize..3), 1..=2),
    ) {
        let rows: Vec<String> = letters.chunks(4).map(|row| row.iter().collect()).collect();
        let map = rows.join("\n");
        prop_assume!(goals.iter().all(|&(x, y)| letters[4 * y + x] != '#'));
        let names: Vec<String> = goals.iter().map(|&(x, y)| format!("{}{}", (b'a' + x as u8) as char, y + 1)).collect();
        let mut job = room(&map, &names);
        job.search.symmetry = false;
        let record = answer(&job, Question::Solve);
        let (levels, solutions) = by_pushes(&map, &goals);
        prop_assert_eq!(record.length.map(|length| length as usize), solutions.map(|_| levels.len() - 1));
        let mut found = sizes(&record);
        found.retain(|&states| states > 0);
        prop_assert_eq!(found, levels);
        // Symmetries change no length.
        job.search.symmetry = true;
        prop_assert_eq!(answer(&job, Question::Solve).length, record.length);
    }
}

/// To walk there is a part of a move that is not made.
#[test]
fn a_goal_that_only_walking_reaches_is_not_reached() {
    let job = |at: &str| {
        let text = format!(
            "[problem]\nkind = \"rules\"\nboard = \"..@.$.\"\ngoal = {{ at = {{ {at} = \"@\" }} }}\n\
             rules = [\"@ $ . -> . @ $\", {{ rule = \"@ . -> . @\", free = true }}]\n"
        );
        Job::parse("walk.toml".as_ref(), &text).unwrap()
    };
    for (at, length) in [("c1", Some(0)), ("e1", Some(1)), ("d1", None), ("a1", None)] {
        let record = answer(&job(at), Question::Solve);
        assert_eq!((record.length, record.exhausted), (length, length.is_none()), "{at}");
    }
}

/// Either side walks for nothing before it takes.
#[test]
fn sides_that_take_turns_may_have_free_rules() {
    let text = r#"
        [problem]
        kind = "rules"
        board = "A..\n.#.\n..B"
        rules = [
            { rule = "A . -> . A", turn = 1, free = true, directions = ["right", "down"] },
            { rule = "A . -> a A", turn = 1, directions = ["down", "left"] },
            { rule = "B . -> . B", turn = 2, free = true },
            { rule = "B a -> . B", turn = 2 },
        ]
        goal = { count = { a = 0 } }
    "#;
    let job = Job::parse("sides.toml".as_ref(), text).unwrap();
    let levels = answer(&job, Question::Levels { depth: 9 });
    assert!(sizes(&levels).len() > 3, "{:?}", sizes(&levels));
}

#[test]
fn who_counts_walking_or_not_is_found_out() {
    let record = answer(&config("sokoban-microban-2"), Question::Solve);
    let mut forged = record.clone();
    let halma_rules::job::ProblemSpec::Puzzle(spec) = &mut forged.problem else { panic!("a puzzle") };
    let rules = spec.table.get_mut("rules").and_then(|rules| rules.as_array_mut()).unwrap();
    assert!(rules[1].as_object_mut().unwrap().remove("free").is_some());
    assert!(check(&forged).is_err());
    assert!(check(&record).is_ok());
}

#[test]
fn free_rules_that_make_no_sense_are_refused() {
    let job = |rules: &str, search: &str| {
        let text =
            format!("[problem]\nkind = \"rules\"\nboard = \"@.$.\"\ngoal = \"???$\"\nrules = [{rules}]\n{search}");
        Job::parse("a.toml".as_ref(), &text)
    };
    let walk = "{ rule = \"@ . -> . @\", free = true }";
    for (rules, message) in [
        (walk.to_string(), "a.toml:5:9: all rules are free, so that no move counts: at least one must not be"),
        (
            format!("\"@ $ . -> . @ $\", {}", walk.replace("free", "chain = true, free")),
            "a.toml:5:37: a free rule neither chains nor repeats: it is applied as often as one likes",
        ),
        (format!("\"@ $ . -> . @ $\", {}", walk.replace("free = true", "free = 1")), "a.toml:5:"),
    ] {
        let fault = job(&rules, "").map(|job| job.spec).unwrap_err().to_string();
        assert!(fault.starts_with(message), "{fault}");
    }
    let pushes = format!("\"@ $ . -> . @ $\", {walk}");
    let bounded = job(&pushes, "[search]\npruning = \"projection\"\n").unwrap();
    let error = run(&bounded, Question::Solve, &(), &CancellationToken::after(None)).unwrap_err();
    assert!(matches!(error, RunError::ProjectionOfFree), "{error}");
}
