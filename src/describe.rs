//! `halma describe`: what is known of a job before it is solved: board, men, symmetries, bounds, likely cost.

use std::fmt::Write;

use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_puzzles::own::{self, Model, Repeats};
use halma_puzzles::rank;
use halma_puzzles::with_model;
use halma_record::record::{Record, Verdict};
use halma_record::words::counted;
use halma_rules::centroid;
use halma_rules::game::Game;
use halma_rules::job::{Job, Problem, ProblemSpec, Puzzle};
use halma_rules::lattice::Lattice;
use halma_rules::problem::{Transfer, set};

use crate::estimate::{Estimate, estimates, rough};
use crate::figure::plain;
use crate::report::{self, grouped};

/// All that is known of a job without a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The problem in a line.
    pub about: String,
    /// The board as text, where armies stand on one.
    pub board: Option<String>,
    /// What is known, each under its name.
    pub facts: Vec<(&'static str, String)>,
}

/// The facts of a description as they are found.
type Facts = Vec<(&'static str, String)>;

impl Description {
    /// What is known of `job`.
    #[must_use]
    pub fn of(job: &Job) -> Self {
        let (board, facts) = match &job.problem {
            Problem::Transfer(problem) => {
                let Transfer { lattice, start, target, .. } = problem;
                (Some(board(lattice, start, target, "target")), transfer(&job.spec, problem))
            }
            Problem::Game(game) => {
                (Some(board(&game.lattice, &game.blue, &game.red, "red army")), of_game(&job.spec, game))
            }
            Problem::Puzzle(puzzle) => (None, of_puzzle(puzzle, job.search.symmetry)),
        };
        Self { about: report::problem(&job.spec), board, facts }
    }
}

/// All that is known without a search, as text.
///
/// Ends with a line break.
#[must_use]
pub fn text(job: &Job) -> String {
    let Description { about, board, facts } = Description::of(job);
    let facts: String = facts.iter().map(|(name, value)| format!("{name:<16}{value}\n")).collect();
    format!("{about}\n\n{}{facts}", board.unwrap_or_default())
}

fn of_puzzle(puzzle: &Puzzle, symmetry: bool) -> Facts {
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    match own::open(&puzzle.compiled, symmetry) {
        None => line("states", "too many to number: 2^256 or more".into()),
        Some(any) => with_model!(any, model => of_model(&*model, &mut line)),
    }
    facts
}

fn of_model<K: Key>(model: &dyn Model<K>, line: &mut impl FnMut(&'static str, String)) {
    let starts = model.starts();
    line("starts", starts.len().to_string());
    line("keys", format!("{} bytes a state", K::BYTES));
    line("symmetries", elements(model.order()));
    line(
        "repeated states",
        match model.repeats() {
            Repeats::Previous => "at most one level back: every move can be undone by a move",
            Repeats::Never => "none: each move changes the number of some letter by the same amount",
            Repeats::All => "on any earlier level: each new one is compared with all of them",
        }
        .into(),
    );
    line(
        "goal",
        match (model.has_goal(), model.goals()) {
            (false, _) => "none: only levels can be asked".into(),
            (true, Some(goals)) if model.mirror().is_some() => {
                format!("{}: searched from the start, which a mirror takes there", counted(goals.len(), "state"))
            }
            (true, Some(goals)) if model.repeats() == Repeats::Previous => {
                format!("{}: searched from both ends", counted(goals.len(), "state"))
            }
            (true, _) => "a condition: searched from the start".into(),
        },
    );
    line("start", format!("\n{}", model.picture(starts[0])));
}

fn transfer(spec: &ProblemSpec, problem: &Transfer) -> Facts {
    let Transfer { lattice, start, target, .. } = problem;
    let (from, to) = (problem.types(start), problem.types(target));
    let symmetries = problem.symmetries();
    let values = centroid::of_cells(problem, &symmetries);
    let sum = |cells: &[usize]| cells.iter().map(|&c| values[c]).sum::<i32>();
    let closed = problem.closed();
    let bound = Theorem1::<4>::lower_bound(problem).max(steps_needed(from, to));
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    line("men by type", format!("{} at the start, {} at the target", list(from), list(to)));
    line("balance", balance(from));
    let steps = steps_needed(from, to);
    if steps > 0 && !problem.jumps_only {
        line("steps", format!("{steps} at least: only steps change types"));
    }
    line("K", elements(symmetries.fixing.len()));
    line(
        "mirror",
        match &symmetries.mirror {
            Some(mirror) if mirror.reflection => {
                "a reflection exchanges start and target: half of each way is searched".into()
            }
            Some(_) => "a turn exchanges start and target: half of each way is searched".into(),
            None => "none: both ends are searched".into(),
        },
    );
    line("positions", positions(rank::choose(lattice.len(), start.len()), symmetries.fixing.len()));
    line("centroid", format!("from {} to {}", sum(start), sum(target)));
    if let Some(closed) = closed {
        let why = report::leads_out(spec, &closed.record(&lattice.board));
        line("solutions", format!("none of any length: {why}"));
        return facts;
    }
    line("Theorem 1", format!("no solution has fewer than {}", counted(bound as usize, "move")));
    if let Some((over, under)) = problem.speed(1) {
        let distance = over as f64 / under as f64;
        let at = |length: u32| distance / f64::from(length.max(1));
        line(
            "speed",
            format!(
                "the centre of mass goes {distance:.2} cells; in {} that is {:.2} a move",
                counted(bound as usize, "move"),
                at(bound)
            ),
        );
    }
    facts
}

fn of_game(spec: &ProblemSpec, game: &Game) -> Facts {
    let types = |cells: &[usize]| game.lattice.board.types(cells);
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    line("men by type", format!("{} blue, {} red", list(types(&game.blue)), list(types(&game.red))));
    line("balance", balance(types(&game.blue)));
    line("K", elements(game.symmetries().len()));
    if let Some(closed) = game.closed() {
        let why = report::leads_out(spec, &closed.record(&game.lattice.board));
        line("games", format!("none of any length: {why}"));
        return facts;
    }
    let distance = game.distance(&game.blue, &game.red) as usize;
    line("distance", format!("{} between the nearest men", counted(distance, "step")));
    line("Theorem 1", format!("no game has fewer than {}", counted(game.theorem_1() as usize, "move")));
    facts
}

/// The board: men by their type, and in brackets the other cells, which are called `what`.
fn board(lattice: &Lattice, start: &[usize], other: &[usize], what: &str) -> String {
    let drawn = plain::board(lattice, set(other), false, |cell| match start.contains(&cell) {
        true => (char::from(b'0' + lattice.board.type_of(cell) as u8), plain::of_type(lattice.board.type_of(cell))),
        false => ('.', plain::faint()),
    });
    format!("{drawn}\nDigits are men by type, brackets the {what}.\n\n")
}

fn list(types: [usize; 4]) -> String {
    format!("({})", types.map(|n| n.to_string()).join(", "))
}

/// Section 3.4: balanced is an army whose men are spread over the types as evenly as can be.
fn balance(types: [usize; 4]) -> String {
    let [least, .., most] = {
        let mut sorted = types;
        sorted.sort_unstable();
        sorted
    };
    match most - least {
        0 => "perfect: as many men of each type".into(),
        1 => "balanced: the types differ by one man at most".into(),
        _ => format!("unbalanced: {least} to {most} men of a type; a first step can help"),
    }
}

/// Men who must change their type, each by a step of his own.
fn steps_needed(from: [usize; 4], to: [usize; 4]) -> u32 {
    from.iter().zip(to).map(|(&f, t)| f.saturating_sub(t) as u32).sum()
}

fn elements(count: usize) -> String {
    match count {
        1 => "the identity alone fixes start and target".into(),
        n => format!("{n} symmetries fix start and target; positions that they exchange count as one"),
    }
}

fn positions(all: Option<u128>, fixing: usize) -> String {
    match all {
        Some(all) => format!("{} in all, about {} up to K", about(all as f64), about(all as f64 / fixing as f64)),
        None => "more than 2^128".into(),
    }
}

/// A number in full as long as people read it so.
fn about(number: f64) -> String {
    if number < 100_000.0 { format!("{number:.0}") } else { format!("{number:.2e}") }
}

/// What a short search says of the cost; `record` is what it left.
///
/// Ends with a line break.
#[must_use]
pub fn cost(record: &Record) -> String {
    let mut text = String::new();
    if let Some(bound) = record.lower_bound.filter(|&bound| bound > 0) {
        let bound = counted(bound as usize, "move");
        let _ = writeln!(text, "{:<15} no solution has fewer than {bound}", format!("by {}", record.pruning));
    }
    let _ = writeln!(text, "{:<16}{:.1} s: {}", "tried for", record.seconds, report::sentence(record));
    if record.verdict != Verdict::Incomplete {
        return text;
    }
    // The length of a known solution is not searched.
    let ahead = |e: &Estimate| record.best_length().is_none_or(|known| e.length < known);
    let estimates = estimates(&record.runs, 6).map(|all| all.into_iter().filter(ahead).collect::<Vec<_>>());
    match estimates {
        None => text += "                Too little was decided in that time to tell what more would cost.\n",
        Some(estimates) if estimates.is_empty() => {}
        Some(estimates) => {
            text += "\nIf the work goes on growing as it did, give or take some factor:\n";
            for e in estimates {
                let _ = writeln!(
                    text,
                    "  length {:>3} {:>20} successors  {}",
                    e.length,
                    grouped(e.generated as u64),
                    rough(e.seconds)
                );
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chinese_checkers_army_is_unbalanced_and_its_first_step_balances_it() {
        assert_eq!(balance([3, 3, 3, 1]), "unbalanced: 1 to 3 men of a type; a first step can help");
        assert_eq!(balance([3, 2, 3, 2]), "balanced: the types differ by one man at most");
        assert_eq!(balance([1, 1, 1, 1]), "perfect: as many men of each type");
        assert_eq!(steps_needed([3, 3, 3, 1], [1, 3, 3, 3]), 2);
    }
}
