//! The job that a record answers, written anew: whoever runs it asks the same question.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use halma_record::record::{Asked, Record};
use halma_rules::job::{ArmiesSpec, Army, Job, ProblemSpec};

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
    format!("{}\n[search]\n{search}", problem(record))
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
    use super::*;

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
        let mut seen = 0;
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
            }
        }
        assert!(seen > 60, "{seen}");
    }
}
