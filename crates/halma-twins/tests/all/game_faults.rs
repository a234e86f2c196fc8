//! Searches for games that are broken on purpose are caught, and sound ones hold under every bound.

use halma_check::{Options, record_holds};
use halma_engine::fault::{self, Fault};
use halma_engine::search::CancellationToken;
use halma_record::record::{Count, Counts, Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{self, Question};

/// Three men a side in two corners, won in 11 moves under 4 and 6 directions, in 9 under 8.
const CORNERS: &str = "board = '''\nSS...\nS....\n.....\n....T\n...TT\n'''";

fn job(problem: &str, pruning: &str) -> Job {
    let text = format!("[problem]\nkind = 'game'\n{problem}\n[search]\npruning = '{pruning}'\n[limits]\nthreads = 2\n");
    Job::parse("job.toml".as_ref(), &text).unwrap()
}

fn asked(job: &Job, question: Question, fault: Option<Fault>) -> Record {
    fault::with(fault, || run::run(job, question, &(), &CancellationToken::after(None)).unwrap())
}

/// What check says, having looked at everything.
fn checked(record: &Record, job: &Job, sample: Option<u64>) -> Result<Vec<String>, String> {
    let folder = job.output.dir.clone().unwrap_or_default();
    let options = Options { sample, budget: u64::MAX, memory: None, progress: &|_| () };
    let report = record_holds(record, &folder, &options).map_err(|why| why.to_string())?;
    assert_eq!(report.unchecked, Vec::<String>::new());
    Ok(report.checked)
}

/// Games of at most so many moves refuted by a sound search and by a broken one, levels derived again and kept: the broken
/// one is refused with these words.
fn caught(problem: &str, pruning: &str, max_length: u32, fault: Fault, reasons: [&str; 2]) {
    let mut job = job(problem, pruning);
    let folder = tempfile::tempdir().unwrap();
    for (kept, reason) in [false, true].into_iter().zip(reasons) {
        for (name, fault) in [("sound", None), ("broken", Some(fault))] {
            job.output.dir = kept.then(|| folder.path().join(name));
            job.output.keep_levels = kept;
            let record = asked(&job, Question::Prove { max_length }, fault);
            let result = checked(&record, &job, None);
            if fault.is_none() {
                assert!(result.is_ok(), "{pruning}: {result:?}");
            } else {
                assert_eq!(record.verdict, Verdict::None, "the broken search refutes");
                let said = result.expect_err("a broken search passes");
                assert!(said.contains(reason), "{pruning}, kept {kept}: {said}");
            }
        }
    }
}

#[test]
fn a_search_for_games_that_loses_states_is_caught() {
    let corners = format!("{CORNERS}\nmoves = 6");
    caught(&corners, "count", 10, Fault::DropOneIn(1000), ["derived", "not closed: from"]);
    caught(&corners, "all", 10, Fault::DropOneIn(50), ["derived", "not closed: from"]);
    caught(&corners, "none", 9, Fault::LoseShard, ["derived", "not closed: from"]);
}

#[test]
fn bounds_of_games_that_cut_too_much_are_caught() {
    // The bounds refute the game of 11 moves, too: only check knows that they should not have cut.
    let corners = format!("{CORNERS}\nmoves = 6");
    for bounds in ["all", "count", "count+contact", "vacate+packing", "count+hall"] {
        caught(&corners, bounds, 11, Fault::BoundOffByOne, ["derived", "not closed: from"]);
    }
}

#[test]
fn a_search_for_games_that_stops_a_level_early_is_caught() {
    caught(&format!("{CORNERS}\nmoves = 4"), "all", 10, Fault::StopEarly, ["its levels end early"; 2]);
}

#[test]
fn no_game_after_no_room_is_left_is_caught() {
    let mut job = job(&format!("{CORNERS}\nmoves = 4"), "count");
    let folder = tempfile::tempdir().unwrap();
    job.output.dir = Some(folder.path().into());
    job.output.keep_levels = true;
    job.limits.disk = Some(2_000);
    let record = asked(&job, Question::Prove { max_length: 10 }, Some(Fault::NoneWhenStopped));
    assert_eq!(record.verdict, Verdict::None);
    let last = record.runs.last().and_then(|run| run.levels.last()).unwrap();
    assert!(last.depth < 10 && last.file.is_none(), "the last level found no room: {last:?}");
    let said = checked(&record, &job, None).unwrap_err();
    assert!(said.contains("its levels end early"), "{said}");
}

#[test]
fn a_game_that_is_said_not_to_be_there_and_is_on_the_last_level_is_found() {
    let job = job(&format!("{CORNERS}\nmoves = 6"), "all");
    let mut record = asked(&job, Question::Prove { max_length: 11 }, None);
    assert_eq!((record.verdict, record.length), (Verdict::Solution, Some(11)));
    record.runs.last_mut().unwrap().verdict = Verdict::None;
    (record.verdict, record.length, record.solution, record.refuted_up_to) = (Verdict::None, None, None, Some(11));
    let said = checked(&record, &job, None).unwrap_err();
    assert!(said.contains("length 11: verdict none, but a game ends on forward level 11: "), "{said}");
}

#[test]
fn records_of_games_hold_under_every_bound_and_every_rule() {
    let walled = "board = '''\nSS..\nS...\n.#..\n...T\n..TT\n'''";
    let names = ["none", "theorem-1", "all", "beam(30,1)", "beam(100000,1)", "all-but-count", "all-but-look-ahead"];
    let single = halma_bounds::game_bounds::Name::ALL.map(|name| name.as_str());
    for (problem, rules) in [(CORNERS, [4, 6, 8]), (walled, [4, 6, 8])] {
        for moves in rules {
            for pruning in names.into_iter().chain(single) {
                let job = job(&format!("{problem}\nmoves = {moves}"), pruning);
                let record = asked(&job, Question::Prove { max_length: 9 }, None);
                let said = checked(&record, &job, None);
                assert!(said.is_ok(), "{moves}, {pruning}, {:?}: {said:?}", record.verdict);
            }
        }
        let job = job(&format!("{problem}\nmoves = 6"), "all");
        let levels = asked(&job, Question::Levels { depth: 5 }, None);
        assert_eq!((levels.verdict, checked(&levels, &job, None).map(|_| ())), (Verdict::Levels, Ok(())));
    }
}

/// Keys of 256 bits, in memory and in files; and keys that a larger board's files keep in more bytes than they need.
#[test]
fn games_on_boards_of_more_than_128_cells_hold() {
    let (armies, prove, levels) =
        (["'halma-19'", "['a1', 'b1']"], Question::Prove { max_length: 46 }, Question::Levels { depth: 3 });
    for (army, question) in armies.into_iter().zip([prove, levels]) {
        let folder = tempfile::tempdir().unwrap();
        let mut job = job(&format!("board = '16x16'\nmoves = 8\narmy = {army}"), "all");
        for (kept, how) in [(false, "derived again"), (true, "closed under moves")] {
            job.output.dir = kept.then(|| folder.path().into());
            job.output.keep_levels = kept;
            let record = asked(&job, question, None);
            let said = checked(&record, &job, None).unwrap();
            assert!(said.last().unwrap().ends_with(how), "{said:?}");
            if kept {
                let said = checked(&record, &job, Some(20)).unwrap();
                assert!(said.last().unwrap().contains("states expanded"), "{said:?}");
            }
        }
    }
}

/// Each position of a shortest game is on its level: no bound cuts it, and it is not old.
#[test]
fn a_shortest_game_lies_on_the_levels_that_found_it() {
    let job = job(&format!("{CORNERS}\nmoves = 8"), "all");
    let record = asked(&job, Question::Solve, None);
    assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(9)));
    let said = checked(&record, &job, None).unwrap();
    assert!(said.iter().any(|line| line.starts_with("length 9, solution: 10 levels")), "{said:?}");
}

/// Whatever part of K the search used, games are counted as check counts them, and another number is refused.
#[test]
fn games_are_counted_again_and_other_numbers_refused() {
    let lopsided = "board = '''\nSS..\nS...\n.#..\n...T\n..TT\n'''\nmoves = 8";
    let mut classes = 0;
    for (problem, order) in
        [(format!("{CORNERS}\nmoves = 8"), 2), (format!("{CORNERS}\nmoves = 6"), 2), (lopsided.into(), 1)]
    {
        let mut numbers = None;
        for (pruning, symmetry) in [("all", true), ("all", false), ("theorem-1", true), ("count", false)] {
            let mut job = job(&problem, pruning);
            job.search.symmetry = symmetry;
            let mut record = asked(&job, Question::Count, None);
            assert_eq!(record.verdict, Verdict::Counted);
            let fixing = &record.symmetries.as_ref().unwrap().fixing;
            assert_eq!(fixing.len(), if symmetry { order } else { 1 });
            let options = Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };
            let report = record_holds(&record, "".as_ref(), &options).unwrap();
            assert_eq!(report.unchecked, Vec::<String>::new());
            let counts = record.counts.clone().unwrap();
            let (all, up_to_symmetry) = (&counts.sequences, &counts.up_to_symmetry);
            let said = format!(
                "how many there are: counted again, {all}, {up_to_symmetry} up to symmetry under K of order {order}"
            );
            assert_eq!(report.checked.last(), Some(&said));
            // Two runs of as many moves: the one that found a game, and the one that counted.
            let found = format!("length {}, solution: ", record.length.unwrap());
            assert_eq!(report.checked.iter().filter(|line| line.starts_with(&found)).count(), 2);
            assert_eq!(numbers.get_or_insert(counts.clone()), &counts, "{problem} {pruning} {symmetry}");
            classes += usize::from(counts.sequences != counts.up_to_symmetry);
            let edits: [fn(&mut Counts) -> &mut Count; 4] = [
                |c| &mut c.sequences,
                |c| &mut c.up_to_symmetry,
                |c| c.final_positions.as_mut().unwrap(),
                |c| c.final_up_to_symmetry.as_mut().unwrap(),
            ];
            for edit in edits {
                let mut edited = counts.clone();
                let number = edit(&mut edited);
                *number = Count::from(number.to_string().parse::<u128>().unwrap() + 1);
                record.counts = Some(edited);
                let why = record_holds(&record, "".as_ref(), &options).unwrap_err().to_string();
                assert!(why.starts_with("counts."), "{why}");
            }
        }
    }
    assert_eq!(classes, 8);
}

/// Where there is no room to count again, check says so and does not accept the numbers.
#[test]
fn a_count_of_games_beyond_the_budget_is_named_among_what_was_not_looked_at() {
    let job = job(&format!("{CORNERS}\nmoves = 8"), "all");
    let record = asked(&job, Question::Count, None);
    let spent = record.runs.iter().map(|run| run.generated).sum();
    let options = Options { sample: None, budget: spent, memory: None, progress: &|_| () };
    let report = record_holds(&record, "".as_ref(), &options).unwrap();
    assert_eq!(report.unchecked.len(), 1);
    assert!(report.unchecked[0].starts_with("how many there are: more successors"), "{:?}", report.unchecked);
}
