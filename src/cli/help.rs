//! Further help texts: examples, and the commands grouped by purpose.

use clap::Command;

#[cfg(feature = "studio")]
pub(super) const STUDIO: &str = "\
The page is served on 127.0.0.1, to this machine alone; who has the address that
is printed, with its token, can search here. Searches run one after another,
whether the page is open or not. Ctrl-C ends them, and leaves folders that
`halma resume` goes on with.

Examples:
  halma studio --open                      an empty board, in the browser
  halma studio peg.toml --folder peg-runs  a puzzle from a file
  halma studio --threads 1 --memory 2GiB   beside other work
  ssh -L 4256:127.0.0.1:4256 host          then `halma studio` there";
pub(super) const NEW: &str = "Examples:
  halma new corner.toml --board 5x5 --men 4   from one corner to the other
  halma new star.toml --board star-121 --army point-3
  halma new mine.toml --drawing board.txt     'S' start, 'T' target, '#' hole
  halma new tiles.toml --kind rules           also blocks, permutation
  halma new - --board triangle:6 --men 3 | halma solve -";
pub(super) const SOLVE: &str = "Examples:
  halma solve job.toml --output-dir runs/job   if stopped: halma resume runs/job
  halma solve job.toml --moves 8 --time 10min  other rules, ten minutes at most
  halma solve job.toml --json --progress json | jq .length";
pub(super) const PROVE: &str = "Examples:
  halma prove job.toml --max-length 26; echo $?  10 there is one, 20 none
  halma prove job.toml --max-length 26 --keep-levels --output-dir runs/26";
pub(super) const LEVELS: &str = "Examples:
  halma levels job.toml --depth 6
  halma levels tiles.toml --to-the-end --json | jq .runs[0].levels[].states";
pub(super) const COUNT: &str = "Example:
  halma count job.toml --output-dir runs/count";
pub(super) const RESUME: &str = "Example:
  halma resume runs/job --time 8h";
pub(super) const BATCH: &str = "Example:
  halma batch configs/table-3 --output-dir night  again: goes on";
pub(super) const STATUS: &str = "Example:
  halma status runs/job";
pub(super) const REPLAY: &str = "Examples:
  halma replay runs/job                              boards as text
  halma replay runs/job --svg --columns 8 --coordinates -o sheet.svg
  halma replay runs/job --tikz --at 12 -o 12.tex     for \\input in a paper
  halma replay runs/job --html -o solution.html";
pub(super) const DESCRIBE: &str = "Example:
  halma describe job.toml --probe 1min";
pub(super) const REPORT: &str = "Examples:
  halma report runs/job -o job.html  one page, which fetches nothing
  halma report results -o site       a page for each problem, and an index
  halma report results -o all.html   one page of all";
#[cfg(feature = "cluster")]
pub(super) const CLUSTER_KEY: &str = "Example:
  halma cluster-key -o key && scp key other:";
pub(super) const SCHEMA: &str = "Example:
  halma schema > job.schema.json  for `#:schema` on top of a job";
pub(super) const MAN: &str = "Example:
  halma man --output-dir ~/.local/share/man/man1";
pub(super) const COMPLETIONS: &str = "Example:
  halma completions bash > ~/.local/share/bash-completion/completions/halma";
pub(super) const CHECK: &str = "Examples:
  halma check runs/job
  halma check runs/job --sample 10000  of kept levels a part only";
pub(super) const CERTIFY: &str = "Example:
  halma certify runs/job -o job.cert && scripts/verify-certificate job.cert";
pub(super) const EXPORT: &str = "Example:
  halma export job.toml --format pddl --output-dir pddl";
pub(super) const ROW: &str = "Example:
  halma row shift 3 4 --solve";
pub(super) const COMPARE: &str = "Example:
  halma compare job.toml --prunings theorem-1,mcc,leading";

/// The commands by use, each in a few words.
const GROUPS: [(&str, &[(&str, &str)]); 6] = [
    (
        "Begin",
        &[
            ("new", "Write a job to begin with"),
            ("describe", "What is known of a job before it is solved"),
            ("studio", "A page to design puzzles on, and to search them"),
            ("schema", "The JSON Schema of job files, for editors"),
        ],
    ),
    (
        "Search",
        &[
            ("solve", "The shortest solution, every shorter length refuted"),
            ("prove", "Whether there is a solution of at most so many moves"),
            ("count", "How many shortest solutions there are"),
            ("levels", "The level sets as they are, without a goal"),
            ("compare", "The same question under several prunings"),
            ("row", "Puzzles on one row of places"),
        ],
    ),
    (
        "Long runs",
        &[
            ("batch", "A queue of jobs: what is done is skipped"),
            ("resume", "Go on with an interrupted run"),
            ("status", "How far a run or a batch is"),
            ("cluster-key", "A key for searches in several processes"),
        ],
    ),
    (
        "Believe it",
        &[
            ("replay", "Check a solution move by move, and draw it"),
            ("check", "Verify a record by code that shares nothing with the search"),
            ("certify", "A refutation as a certificate for other verifiers"),
            ("export", "The same puzzle for planners and other tools"),
        ],
    ),
    ("Show it", &[("report", "A page of runs for a browser, or a site of them")]),
    ("Install", &[("completions", "What lets a shell complete commands"), ("man", "The man pages")]),
];

/// The same program, whose help has its commands by use.
#[must_use]
pub fn grouped(command: Command) -> Command {
    let has = |name: &str| command.get_subcommands().any(|c| c.get_name() == name);
    let mut text = String::new();
    for (group, members) in GROUPS {
        text += &format!("{group}:\n");
        for (name, about) in members.iter().filter(|(name, _)| has(name)) {
            text += &format!("  {name:<13}{about}\n");
        }
    }
    // The width of a terminal that nobody has made larger.
    command.term_width(80).help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{text}\nOptions:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_a_group_and_has_an_example() {
        for command in crate::cli::Cli::command().get_subcommands() {
            let name = command.get_name();
            assert!(GROUPS.iter().any(|(_, members)| members.iter().any(|(member, _)| *member == name)), "{name}");
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("halma {name}")), "{name}: {help}");
            assert!(help.lines().all(|line| line.chars().count() <= 80), "{name}");
        }
    }
}
