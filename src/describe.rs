//! `halma describe`: what is known of a job before it is solved: board, men, symmetries, bounds, likely cost.

use std::fmt::Write;

use halma_bounds::theorem1::Theorem1;
use halma_engine::key::Key;
use halma_puzzles::own::{self, Model, Repeats};
use halma_puzzles::rank;
use halma_puzzles::with_model;
use halma_record::record::{Record, Verdict};
use halma_record::words::{counted, plural};
use halma_rules::centroid;
use halma_rules::game::Game;
use halma_rules::job::{Job, Problem, ProblemSpec, Pruning, Puzzle, Search};
use halma_rules::lattice::Lattice;
use halma_rules::problem::{Transfer, set};
use halma_rules::puzzle::Compiled;

use crate::estimate::{Estimate, estimates, rough_time};
use crate::figure::plain;
use crate::report::{self, goal, grouped};

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
                (Some(board(lattice, start, target, "target")), transfer(&job.spec, problem, &job.search))
            }
            Problem::Game(game) => {
                (Some(board(&game.lattice, &game.blue, &game.red, "red army")), of_game(&job.spec, game, &job.search))
            }
            Problem::Puzzle(puzzle) => (None, of_puzzle(puzzle, &job.search)),
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

fn of_puzzle(puzzle: &Puzzle, search: &Search) -> Facts {
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    match own::open(&puzzle.compiled, search.symmetry) {
        None => {
            line("states", "too many to number: 2^256 or more".into());
            line("goal", goal_of(puzzle));
        }
        Some(any) => with_model!(any, model => of_model(&*model, puzzle, search, &mut line)),
    }
    facts
}

fn of_model<K: Key>(
    model: &dyn Model<K>,
    puzzle: &Puzzle,
    search: &Search,
    line: &mut impl FnMut(&'static str, String),
) {
    let starts = model.starts();
    line("starts", starts.len().to_string());
    line("keys", format!("{} bytes a state", K::BYTES));
    line(
        "symmetries",
        match (&*puzzle.compiled, search.symmetry) {
            (Compiled::Own(_), true) => "states that the puzzle's program takes for one count as one".into(),
            (Compiled::Own(_), false) => "not used, as symmetry = false says".into(),
            (_, true) => elements(model.order(), true),
            (_, false) => elements(model.whole().map_or(1, |whole| whole.order()), false),
        },
    );
    line(
        "repeated states",
        match model.repeats() {
            Repeats::Previous => "at most one level back: every move can be undone by a move",
            Repeats::Never => "none: each move changes the number of some letter by the same amount",
            Repeats::All => "on any earlier level: each new one is compared with all of them",
        }
        .into(),
    );
    line("goal", goal_of(puzzle));
    if model.has_goal() {
        line("search", way_of(model, &search.pruning));
    }
    let of = if starts.len() > 1 { format!("the first of {} starts", starts.len()) } else { String::new() };
    // States have one letter for all blocks of a shape; the job has one for each, by which its goal calls them.
    let drawn = goal::board(&puzzle.spec).unwrap_or_else(|| model.picture(starts[0]));
    line("start", format!("{of}\n{drawn}"));
}

/// What ends a puzzle.
fn goal_of(puzzle: &Puzzle) -> String {
    match (&puzzle.no_goal, goal::words(&puzzle.spec)) {
        (Some(_), _) => "none: only levels can be asked".into(),
        (None, Some(goal)) => goal,
        (None, None) => "as the puzzle's program has it".into(),
    }
}

/// From where a solution is searched.
fn way_of<K: Key>(model: &dyn Model<K>, pruning: &Pruning) -> String {
    let Some(goals) = model.goals() else {
        return match pruning {
            Pruning::None => "from the start: the goal is a condition".into(),
            _ => format!("from the start, under {pruning}: the goal is a condition"),
        };
    };
    let goals = counted(goals.len(), "state");
    match pruning {
        // None may be of use: that is seen when the search begins.
        Pruning::Projection(named) if named.is_empty() => {
            format!("from the start alone, under projection where it is of use: the goal is {goals}")
        }
        Pruning::Projection(_) | Pruning::Bound => {
            format!("from the start alone, under {pruning}: the goal is {goals}")
        }
        _ if model.mirror().is_some() => format!("from the start, which a mirror takes to the goal: {goals}"),
        _ if model.repeats() == Repeats::Previous => format!("from both ends: the goal is {goals}"),
        _ => format!("from the start, as moves do not lead back: the goal is {goals}"),
    }
}

fn transfer(spec: &ProblemSpec, problem: &Transfer, search: &Search) -> Facts {
    let Transfer { lattice, start, target, .. } = problem;
    let (from, to) = (problem.types(start), problem.types(target));
    let symmetries = problem.symmetries();
    let values = centroid::of_cells(problem, &symmetries);
    let sum = |cells: &[usize]| cells.iter().map(|&c| values[c]).sum::<i32>();
    let closed = problem.closed();
    let bound = Theorem1::<4>::lower_bound(problem);
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    line("men by type", format!("{} at the start, {} at the target", list(from), list(to)));
    line("balance", balance(from));
    let steps = steps_needed(from, to);
    if steps > 0 && !problem.jumps_only {
        line("steps", format!("{steps} at least: only steps change types"));
    }
    line("K", elements(symmetries.fixing.len(), search.symmetry));
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
    let fixing = search.symmetry.then_some(symmetries.fixing.len());
    line("positions", positions(rank::choose(lattice.len(), start.len()), fixing));
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

fn of_game(spec: &ProblemSpec, game: &Game, search: &Search) -> Facts {
    let types = |cells: &[usize]| game.lattice.board.types(cells);
    let mut facts = Facts::new();
    let mut line = |name, value| facts.push((name, value));
    line("men by type", format!("{} blue, {} red", list(types(&game.blue)), list(types(&game.red))));
    line("balance", balance(types(&game.blue)));
    line("K", elements(game.symmetries().len(), search.symmetry));
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

fn elements(count: usize, used: bool) -> String {
    match (count, used) {
        (1, _) => "the identity alone fixes start and target".into(),
        (n, true) => format!("{n} symmetries fix start and target; positions that they exchange count as one"),
        (n, false) => format!("{n} symmetries fix start and target; they are not used, as symmetry = false says"),
    }
}

/// How many there are; up to the elements of K, if it is used.
fn positions(all: Option<u128>, fixing: Option<usize>) -> String {
    match (all.map(|all| all as f64), fixing) {
        (Some(all), Some(fixing)) => format!("{} in all, about {} up to K", about(all), about(all / fixing as f64)),
        (Some(all), None) => format!("{} in all", about(all)),
        (None, _) => "more than 2^128".into(),
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
                    "  length {:>3} {:>20} {}  {}",
                    e.length,
                    grouped(e.generated as u64),
                    plural(e.generated as u64, "successor"),
                    rough_time(e.seconds)
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

    /// What is said of a job under that name.
    fn said(problem: &str, search: &str, name: &str) -> String {
        let text = format!("[problem]\n{problem}[search]\n{search}\n");
        let facts = Description::of(&Job::parse("a.toml".as_ref(), &text).unwrap()).facts;
        facts.into_iter().find(|fact| fact.0 == name).unwrap().1
    }

    const PEGS: &str = "kind = \"rules\"\nboard = \"PP.PP\"\nrules = [\"P P . -> . . P\"]\n";

    #[test]
    fn symmetries_that_the_job_does_without_are_said_to_be_there_and_not_used() {
        let transfer = "kind = \"transfer\"\nboard = \"S..\\n...\\n..T\"\nmoves = 4\n";
        let game = transfer.replace("transfer", "game");
        let used = "2 symmetries fix start and target; positions that they exchange count as one";
        let unused = "2 symmetries fix start and target; they are not used, as symmetry = false says";
        for (problem, name) in [(transfer, "K"), (&game, "K"), (PEGS, "symmetries")] {
            assert_eq!(said(problem, "", name), used);
            assert_eq!(said(problem, "symmetry = false", name), unused);
        }
        assert_eq!(said(transfer, "", "positions"), "9 in all, about 4 up to K");
        assert_eq!(said(transfer, "symmetry = false", "positions"), "9 in all");
    }

    #[test]
    fn under_a_bound_a_puzzle_is_searched_from_its_start_alone() {
        let tiles = "kind = \"rules\"\nboard = \"AB\\nC.\"\nrules = [\"* . -> . *\"]\ngoal = \"CA\\n.B\"\n";
        let way = |search| said(tiles, search, "search");
        assert_eq!(way("symmetry = false"), "from both ends: the goal is 1 state");
        assert_eq!(way(""), "from the start, which a mirror takes to the goal: 1 state");
        assert_eq!(
            way("pruning = \"projection\""),
            "from the start alone, under projection where it is of use: the goal is 1 state"
        );
        assert_eq!(
            way("pruning = \"projection(A)\""),
            "from the start alone, under projection(A): the goal is 1 state"
        );
    }

    /// Theorem 1 counts every man outside the target, and those who change their type are some of these.
    #[test]
    fn theorem_1_asks_for_no_fewer_moves_than_men_change_their_type() {
        for (board, least) in [("SS....\\n....TT", 5), ("S.T.\\nST..", 2), ("SBT", 1), ("BB", 0)] {
            let job = format!("[problem]\nkind = \"transfer\"\nboard = \"{board}\"\nmoves = 4\n");
            let Problem::Transfer(problem) = Job::parse("a.toml".as_ref(), &job).unwrap().problem else { panic!() };
            let bound = Theorem1::<4>::lower_bound(&problem);
            assert!(bound >= steps_needed(problem.types(&problem.start), problem.types(&problem.target)));
            assert_eq!(bound, least, "{board}");
        }
    }

    #[test]
    fn blocks_are_drawn_in_the_letters_of_the_job_and_the_goal_is_said() {
        let dad = "kind = \"blocks\"\nboard = \"AABC\\nAABC\\nDDEF\\nGGHH\\nII..\"\ngoal = \"????\\n????\\n????\\nAA??\\nAA??\"\nmetric = \"move\"\n";
        assert_eq!(said(dad, "", "start"), "\nAABC\nAABC\nDDEF\nGGHH\nII..");
        assert_eq!(said(dad, "", "goal"), "block A covers a4, b4, a5, b5");
        assert_eq!(said(PEGS, "", "goal"), "none: only levels can be asked");
    }

    #[test]
    fn of_several_starts_the_first_is_drawn_and_said_to_be_that() {
        let walk = "kind = \"rules\"\nboard = [\".A.\", \"A..\"]\nrules = [\"A . -> . A\"]\ngoal = \"..A\"\n";
        assert_eq!(said(walk, "", "start"), "the first of 2 starts\n.A.");
    }
}
