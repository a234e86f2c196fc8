//! The job that a record answers, written anew: whoever runs it asks the same question.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use halma_puzzles::own;
use halma_puzzles::with_model;
use halma_record::record::{Asked, Record, Side};
use halma_rules::job::{self, ArmiesSpec, Army, Job, ProblemSpec, PuzzleSpec};

/// The job as a file.
///
/// Ends with a line break.
pub(super) fn text(record: &Record) -> String {
    let mut search = format!("pruning = \"{}\"\n", record.pruning);
    if record.palindromic {
        search += "palindromic = true\n";
    }
    if let Some(most) = record.max_length.filter(|_| record.question != Asked::Prove) {
        let _ = writeln!(search, "max-length = {most}");
    }
    if did_without_symmetry(record) {
        search += "symmetry = false\n";
    }
    format!("{}\n[search]\n{search}", problem(record))
}

/// Whether the problem has symmetries that the search did without. A record that has no `symmetries` does not say.
fn did_without_symmetry(record: &Record) -> bool {
    let Some(used) = record.symmetries.as_ref().filter(|used| used.fixing.len() <= 1) else { return false };
    match &record.problem {
        ProblemSpec::Puzzle(_) if used.mirror.is_some() => false,
        // So a puzzle in Rust says it, whose symmetries are no maps of cells.
        ProblemSpec::Puzzle(_) if used.fixing.is_empty() => true,
        ProblemSpec::Puzzle(puzzle) => {
            let [fix, mirror] = has_symmetries(puzzle).unwrap_or_default();
            // With the mirror there are no levels from the goal; not every question uses it.
            fix || mirror && record.runs.iter().flat_map(|run| &run.levels).any(|level| level.side == Side::Backward)
        }
        armies => {
            let transfer = job::transfer_of(armies).map(|transfer| transfer.symmetries().fixing);
            let fixing = transfer.or_else(|_| job::game_of(armies).map(|game| game.symmetries()));
            fixing.is_ok_and(|fixing| fixing.len() > 1)
        }
    }
}

/// Whether symmetries fix the puzzle's start and goal, and whether it has a mirror.
fn has_symmetries(puzzle: &PuzzleSpec) -> Option<[bool; 2]> {
    let any = own::open(&job::compiled(puzzle).ok()?.compiled, true)?;
    Some(with_model!(any, model => [model.order() > 1, model.mirror().is_some()]))
}

/// The job's table `[problem]`.
pub(super) fn problem(record: &Record) -> String {
    match &record.problem {
        ProblemSpec::Armies(armies) => of_armies(armies),
        ProblemSpec::Puzzle(puzzle) => {
            // What an edited record may hold, such as a null, has no form in a job file.
            toml::to_string_pretty(&BTreeMap::from([("problem", puzzle)]))
                .unwrap_or_else(|error| format!("# The record's problem cannot be written as a job: {error}\n"))
        }
    }
}

fn of_armies(armies: &ArmiesSpec) -> String {
    let mut text = format!("[problem]\nkind = \"{}\"\n", armies.kind);
    if let Some(title) = &armies.title {
        let _ = writeln!(text, "title = {}", toml::Value::from(title.as_str()));
    }
    match &armies.map {
        Some(map) => {
            let _ = writeln!(text, "board = \"\"\"\n{}\n\"\"\"", map.trim_matches('\n'));
        }
        None => {
            let _ = writeln!(text, "board = \"{}\"", armies.board);
        }
    }
    let _ = writeln!(text, "moves = {}", armies.moves.number());
    if armies.jumps_only {
        text += "jumps-only = true\n";
    }
    let list =
        |cells: &[String]| format!("[{}]", cells.iter().map(|c| format!("\"{c}\"")).collect::<Vec<_>>().join(", "));
    let army = match &armies.army {
        Army::Named(name) => format!("army = \"{name}\"\n"),
        Army::Cells(cells) => format!("army = {}\n", list(cells)),
    };
    let target = format!("target = {}\n", list(&armies.target));
    // No more is said than is needed: a map may have the men on it, and the target may be the army's mirror image.
    let [none, both] = [String::new(), format!("{army}{target}")];
    let shorter = [none, army, target].into_iter().find(|said| {
        Job::parse(Path::new("job.toml"), &format!("{text}{said}")).is_ok_and(|job| same(&job.spec, armies))
    });
    text + &shorter.unwrap_or(both)
}

/// Whether both are on the same cells.
fn same(spec: &ProblemSpec, armies: &ArmiesSpec) -> bool {
    let ends = |armies: &ArmiesSpec| (armies.start.clone(), armies.target.clone());
    spec.armies().is_some_and(|spec| ends(spec) == ends(armies))
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;

    use super::*;
    use crate::{Question, run};

    /// Levels of classes are others than those of all positions.
    #[test]
    fn a_search_without_symmetry_is_asked_for_where_there_are_symmetries() {
        let mirrored = "kind = \"rules\"\nboard = \"AA...\"\nrules = [\"A . -> . A\"]\ngoal = \"...AA\"\n";
        let row = "kind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let square = "kind = \"transfer\"\nboard = \"S..\\n...\\n..T\"\nmoves = 4\n";
        let game = square.replace("transfer", "game");
        let pegs = "kind = \"rules\"\nboard = \"PP.PP.PP\"\nrules = [\"P P . -> . . P\", \"P . -> . P\"]\ngoal = { count = { P = 5 } }\n";
        // Nothing tells whether there was anything to do without.
        let lame = "kind = \"rules\"\nboard = \"AB.\"\nrules = [\"* . -> . *\"]\ngoal = { at = { c1 = \"B\" } }\n";
        for (problem, can_tell) in
            [(square, true), (&game, true), (pegs, true), (mirrored, true), (row, false), (lame, false)]
        {
            for symmetry in [true, false] {
                let job = format!("[problem]\n{problem}[search]\nsymmetry = {symmetry}\n");
                let job = Job::parse(Path::new("a.toml"), &job).unwrap();
                let record = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
                let text = text(&record);
                assert_eq!(text.contains("symmetry = false"), !symmetry && can_tell, "{text}");
                let again = Job::parse(Path::new("b.toml"), &text).unwrap();
                let again = run(&again, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
                let levels = |record: &Record| {
                    let all = record.runs.iter().flat_map(|run| &run.levels);
                    all.map(|level| (level.side, level.states, level.digest)).collect::<Vec<_>>()
                };
                assert_eq!(levels(&again), levels(&record), "{text}");
                let untold = Record { symmetries: None, ..record };
                assert!(!super::text(&untold).contains("symmetry"));
            }
        }
    }

    /// A map may have no men on it, as those that the studio draws.
    #[test]
    fn the_army_is_said_where_the_map_does_not_have_it() {
        for (board, armies) in [
            ("....\n....\n", "army = [\"a1\", \"b1\"]\n"),
            ("....\n....\n", "army = [\"a1\", \"b1\"]\ntarget = [\"c1\", \"d2\"]\n"),
            ("SS..\n....\n", "target = [\"c1\", \"d2\"]\n"),
            ("SS..\n..TT\n", ""),
        ] {
            let asked = format!("[problem]\nkind = \"transfer\"\nboard = \"\"\"\n{board}\"\"\"\nmoves = 4\n{armies}");
            let job = Job::parse(Path::new("a.toml"), &asked).unwrap();
            let written = of_armies(job.spec.armies().unwrap());
            assert_eq!(
                Job::parse(Path::new("b.toml"), &written).unwrap().spec.armies().map(|a| (&a.start, &a.target)),
                job.spec.armies().map(|a| (&a.start, &a.target)),
                "{written}"
            );
            assert!(written.ends_with(armies), "{written}");
        }
    }

    #[test]
    fn the_job_of_every_record_states_its_problem_and_its_search() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        let (mut seen, mut without) = (0, Vec::new());
        for below in ["table-3", "open", "counts", "puzzles", "levels"] {
            for entry in std::fs::read_dir(folder.join(below)).unwrap() {
                let file = entry.unwrap().path();
                // Other results are JSON, too; a record that no longer parses must not pass for one of them.
                if file.extension().is_none_or(|e| e != "json") {
                    continue;
                }
                let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
                if json.get("verdict").is_none() {
                    continue;
                }
                let record = Record::read(&file).unwrap_or_else(|e| panic!("{e}"));
                let text = text(&record);
                let job = Job::parse(&file, &text).unwrap_or_else(|e| panic!("{}: {e}\n{text}", file.display()));
                assert_eq!(job.spec, record.problem, "{}\n{text}", file.display());
                assert_eq!(job.search.pruning, record.pruning, "{}", file.display());
                assert_eq!(job.search.palindromic, record.palindromic, "{}", file.display());
                seen += 1;
                if !job.search.symmetry {
                    without.push(file.file_name().unwrap().to_string_lossy().into_owned());
                }
            }
        }
        assert!(seen > 60, "{seen}");
        // Its job counts all positions.
        assert_eq!(without, ["klotski-positions-levels.json"]);
    }
}
