//! The answer as a mathematician would state it.

use halma_record::record::{Asked, Record, Verdict};
use halma_record::words::{counted, moves};
use halma_rules::game::Side;
use halma_rules::job::{ArmiesSpec, Army, ProblemSpec, PuzzleSpec};

use crate::report::{self, no_length};

/// What a record claims, in a sentence or two that stand on their own.
///
/// ```
/// use halma::{CancellationToken, Job, Question, page::claim, run};
/// let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
/// let job = Job::parse("row.toml".as_ref(), text)?;
/// let record = run(&job, Question::Solve, &(), &CancellationToken::after(None))?;
/// assert_eq!(
///     claim(&record),
///     "Under 4-move rules on the drawn board, 2 men on a1, b1 can be brought to e1, f1 in 4 moves, and in no fewer."
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn claim(record: &Record) -> String {
    match &record.problem {
        ProblemSpec::Armies(armies) if armies.kind == "game" => of_game(record, armies),
        ProblemSpec::Armies(armies) => of_transfer(record, armies),
        ProblemSpec::Puzzle(puzzle) => of_puzzle(record, puzzle),
    }
}

/// The parts of a claim that depend on the kind of the problem.
struct Phrases {
    /// What is stated before what is said about levels.
    setting: String,
    /// That there is a solution, of so many moves.
    can: String,
    /// That there is none of so many moves or fewer.
    cannot: String,
    /// That there is none at all.
    never: String,
    /// Whether a length says who wins.
    names_winner: bool,
    /// All that can be said while neither a solution nor its absence is known.
    undecided: String,
}

fn of_transfer(record: &Record, spec: &ArmiesSpec) -> String {
    let palindromic = if record.palindromic { " by a palindromic solution" } else { "" };
    let jumps = if spec.jumps_only { " by jumps alone" } else { "" };
    let (setting, army, target) = (setting(spec), army(spec), spec.target.join(", "));
    let can = |verb: &str| format!("{setting}, {army} {verb} be brought to {target}{jumps}{palindromic}");
    let nothing = || {
        format!(
            "{setting}, it has not been decided in how many moves {army} can be brought to {target}{jumps}{palindromic}."
        )
    };
    let phrases = Phrases {
        can: can("can"),
        cannot: can("cannot"),
        never: can("cannot"),
        names_winner: false,
        undecided: undecided(record, &can("cannot")).unwrap_or_else(nothing),
        setting,
    };
    sentences(record, &phrases)
}

fn of_game(record: &Record, spec: &ArmiesSpec) -> String {
    let (setting, men) = (setting(spec), counted(spec.men, "man"));
    let players = format!("{setting}, two players of {men} each who help each other");
    let cannot = format!("{players} cannot end the game");
    let nothing = format!("{setting}, nothing is decided about the shortest game of {men} a side.");
    let phrases = Phrases {
        can: format!("{players} can end the game"),
        never: format!("{players} can never end the game"),
        names_winner: true,
        undecided: undecided(record, &cannot).unwrap_or(nothing),
        cannot,
        setting,
    };
    sentences(record, &phrases)
}

fn of_puzzle(record: &Record, puzzle: &PuzzleSpec) -> String {
    let (name, one) = (report::named(puzzle), report::one_move(puzzle));
    let cannot = format!("{name}: not solved");
    let phrases = Phrases {
        can: format!("{name}: solved"),
        never: format!("{name}: never solved"),
        names_winner: false,
        undecided: undecided(record, &cannot).unwrap_or_else(|| format!("{name}: not decided.")),
        cannot,
        setting: name,
    };
    format!("{} ({one}).", sentences(record, &phrases).trim_end_matches('.'))
}

/// What a record answers, in the phrases of its problem.
fn sentences(record: &Record, phrases: &Phrases) -> String {
    let Phrases { setting, can, cannot, never, names_winner, undecided } = phrases;
    match (record.verdict, record.length) {
        (Verdict::Optimal, Some(length)) => {
            let winner = names_winner.then(|| format!(", {} winning", Side::winner(length).name()));
            format!("{can} in {}{}, and in no fewer.", moves(length), winner.unwrap_or_default())
        }
        (Verdict::Counted, Some(length)) => {
            format!("{can} in {}, and in no fewer. {}", moves(length), counts(record))
        }
        (Verdict::Solution, Some(length)) => format!("{can} in {}. {}", moves(length), shorter(record, length)),
        (Verdict::None, _) if record.exhausted => format!("{never}: {}.", no_length(record)),
        (Verdict::None, _) => match record.max_length.or(record.refuted_up_to) {
            Some(length) => format!("{cannot} in {} or fewer.", moves(length)),
            None => format!("{cannot}."),
        },
        _ if record.question == Asked::Levels => levels(record, setting),
        (Verdict::Incomplete, Some(length)) => {
            format!("{can} in {}. {}", moves(length), not_finished(record, length))
        }
        _ => match record.best_length() {
            Some(known) => format!("{can} in {}. {}", moves(known), shorter(record, known)),
            None => undecided.clone(),
        },
    }
}

/// That longer solutions are undecided, where some lengths are refuted.
fn undecided(record: &Record, cannot: &str) -> Option<String> {
    let refuted = record.refuted_up_to?;
    Some(format!("{cannot} in {} or fewer; whether more suffice has not been decided.", moves(refuted)))
}

/// What the record says of shorter solutions than the one of that length; others may say more.
fn shorter(record: &Record, length: u32) -> String {
    let one = if record.palindromic { "palindromic solution" } else { "way" };
    match record.refuted_up_to {
        refuted if length == 0 || refuted.is_some_and(|refuted| refuted + 1 >= length) => {
            format!("No shorter {one} exists.")
        }
        Some(refuted) => {
            let solution = if record.palindromic { "palindromic solution" } else { "solution" };
            let needed = moves(refuted + 1);
            format!("A {solution} needs at least {needed}; this search decides nothing between the two.")
        }
        None => format!("Whether a shorter {one} exists has not been decided."),
    }
}

/// A solution is known, and the search for shorter ones has been stopped, or the count or list of the shortest.
fn not_finished(record: &Record, length: u32) -> String {
    let known = shorter(record, length);
    match (record.refuted_up_to, record.question) {
        (Some(refuted), Asked::Count) if refuted + 1 >= length => format!("{known} The count is not finished."),
        (Some(refuted), _) if refuted + 1 >= length => format!("{known} The list of solutions is not finished."),
        _ => known,
    }
}

fn levels(record: &Record, setting: &str) -> String {
    let classes = report::up_to_symmetry(record);
    let numbers = |last: u32| match last {
        0 => "0".into(),
        1 => "0 or 1".into(),
        last => format!("0, 1, ..., {last}"),
    };
    let exactly = |last: u32| {
        format!("{setting}, the positions first reached after exactly {} moves are enumerated{classes}", numbers(last))
    };
    match (record.verdict, report::reached(record), report::last_complete(record)) {
        (Verdict::Incomplete, _, None) => format!("{setting}, no level has been enumerated yet."),
        (Verdict::Incomplete, _, Some(last)) => format!("{}; those after more are not.", exactly(last)),
        (_, Some(last), _) => format!(
            "{setting}, all positions that can be reached are enumerated{classes}, by the least number of moves: {}.",
            numbers(last)
        ),
        _ => match record.depth {
            Some(depth) => format!("{}.", exactly(depth)),
            None => format!("{setting}, positions are enumerated{classes}."),
        },
    }
}

fn counts(record: &Record) -> String {
    let said = record.counts.as_ref().map(|c| {
        let palindromic = c.palindromic.as_ref().filter(|_| !record.palindromic);
        let palindromic = palindromic.map(|n| format!(" {}.", report::of_them_palindromic(n))).unwrap_or_default();
        let all = &c.sequences;
        let all = if all.to_string() == "1" {
            "There is exactly 1 such sequence".into()
        } else {
            format!("There are exactly {all} such sequences")
        };
        format!("{all} of moves, {} up to the board's symmetry.{palindromic}", c.up_to_symmetry)
    });
    said.unwrap_or_default()
}

fn setting(spec: &ArmiesSpec) -> String {
    let board = if spec.map.is_some() { "the drawn board".into() } else { format!("the {} board", spec.board) };
    format!("Under {}-move rules on {board}", spec.moves.number())
}

fn army(spec: &ArmiesSpec) -> String {
    let cells = spec.start.join(", ");
    match &spec.army {
        Army::Named(name) => format!("the {} of {name} ({cells})", counted(spec.men, "man")),
        Army::Cells(_) => format!("{} on {cells}", counted(spec.men, "man")),
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_rules::job::Job;

    use super::*;
    use crate::{Question, run};

    #[test]
    fn a_count_that_was_stopped_keeps_the_length_that_is_proved() {
        let row = "kind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
        let puzzle = "kind = \"rules\"\nboard = \"AA..\"\nrules = [\"A . -> . A\"]\ngoal = \"..AA\"\n";
        for problem in [row, puzzle] {
            let job = Job::parse("row.toml".as_ref(), &format!("[problem]\n{problem}")).unwrap();
            let record = run(&job, Question::Count, &(), &CancellationToken::after(None)).unwrap();
            let stopped = Record { verdict: Verdict::Incomplete, counts: None, ..record };
            let said = claim(&stopped);
            assert!(said.contains(" in 4 moves. No shorter way exists. The count is not finished"), "{said}");
            let listing = Record { question: Asked::Solve, ..stopped };
            let said = claim(&listing);
            assert!(
                said.contains(" in 4 moves. No shorter way exists. The list of solutions is not finished"),
                "{said}"
            );
        }
    }

    /// Of others nothing is claimed.
    #[test]
    fn a_search_for_palindromes_speaks_of_palindromes_alone() {
        let job =
            Job::parse("row.toml".as_ref(), "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n").unwrap();
        let found = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        let palindromic = Record { palindromic: true, verdict: Verdict::Solution, ..found };
        assert!(claim(&palindromic).ends_with(" in 4 moves. No shorter palindromic solution exists."));
        for refuted_up_to in [Some(2), None] {
            let open = Record { refuted_up_to, ..palindromic.clone() };
            assert!(claim(&open).rsplit_once(". ").unwrap().1.contains("palindromic solution"), "{}", claim(&open));
            let unsolved = Record { verdict: Verdict::Incomplete, length: None, solution: None, ..open };
            assert!(claim(&unsolved).contains("to e1, f1 by a palindromic solution"), "{}", claim(&unsolved));
        }
    }

    #[test]
    fn levels_of_classes_are_said_to_be_up_to_symmetry() {
        let pegs = "[problem]\nkind = \"rules\"\nboard = \"PP.PP\"\nrules = [\"P P . -> . . P\"]\n";
        let said = |text: &str, depth| {
            let job = Job::parse("pegs.toml".as_ref(), text).unwrap();
            claim(&run(&job, Question::Levels { depth }, &(), &CancellationToken::after(None)).unwrap())
        };
        assert!(
            said(pegs, 1)
                .contains("the positions first reached after exactly 0 or 1 moves are enumerated up to symmetry")
        );
        let all = said(&format!("{pegs}[search]\nsymmetry = false\n"), 0);
        assert!(all.contains("the positions first reached after exactly 0 moves are enumerated"), "{all}");
    }

    /// What is claimed of each answer that a record may have, between what all begin with and what all end with.
    fn claims(problem: &str, begin: &str, end: &str) -> Vec<String> {
        let job = Job::parse("x.toml".as_ref(), &format!("[problem]\n{problem}")).unwrap();
        let counted = run(&job, Question::Count, &(), &CancellationToken::after(None)).unwrap();
        let length = counted.length.unwrap();
        let found = |verdict, refuted_up_to| Record { verdict, refuted_up_to, ..counted.clone() };
        let unsolved = |verdict, refuted_up_to| Record { length: None, ..found(verdict, refuted_up_to) };
        let records = [
            found(Verdict::Optimal, Some(length - 1)),
            counted.clone(),
            found(Verdict::Solution, Some(length - 1)),
            found(Verdict::Solution, Some(length - 2)),
            found(Verdict::Solution, None),
            Record { exhausted: true, ..unsolved(Verdict::None, Some(2)) },
            Record { max_length: Some(5), ..unsolved(Verdict::None, Some(5)) },
            unsolved(Verdict::None, Some(2)),
            unsolved(Verdict::None, None),
            found(Verdict::Incomplete, Some(length - 1)),
            found(Verdict::Incomplete, Some(length - 2)),
            unsolved(Verdict::Incomplete, Some(2)),
            unsolved(Verdict::Incomplete, None),
            Record { question: Asked::Levels, depth: Some(2), ..unsolved(Verdict::Levels, None) },
        ];
        let inner = |record| claim(record).strip_prefix(begin).unwrap().strip_suffix(end).unwrap().to_string();
        records.iter().map(inner).collect()
    }

    #[test]
    fn each_answer_about_a_transfer_has_its_sentence() {
        assert_eq!(claims("kind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n", UNDER, ""), TRANSFER);
    }

    #[test]
    fn each_answer_about_a_game_has_its_sentence() {
        assert_eq!(claims("kind = \"game\"\nboard = \"S...\\n....\\n...T\"\nmoves = 4\n", UNDER, ""), GAME);
    }

    #[test]
    fn each_answer_about_a_puzzle_has_its_sentence() {
        let puzzle =
            "kind = \"rules\"\ntitle = \"Walk\"\nboard = \"AA..\"\nrules = [\"A . -> . A\"]\ngoal = \"..AA\"\n";
        assert_eq!(claims(puzzle, "Walk", " (one move: a rule applied once)."), PUZZLE);
    }

    #[test]
    fn a_claim_names_only_moves_that_some_rule_has() {
        let one_move = |rules: &str| {
            let text = format!("[problem]\nkind = \"rules\"\nboard = \"AB.B.\"\nlegend = {{ x = \"B\" }}\n{rules}\n");
            let job = Job::parse("a.toml".as_ref(), &text).unwrap();
            report::problem(&job.spec).split_once("one move: ").unwrap().1.to_string()
        };
        // No man moves: the default chains nothing.
        assert_eq!(one_move("rules = [\"* * . -> . * *\"]\nchain = true"), "a rule applied once");
        assert_eq!(one_move("rules = [\"* * . -> . * *\"]\nuntil = \"any\""), "a rule applied once");
        let chains = "a rule applied once, or a chain by one man";
        assert_eq!(one_move("rules = [\"A x . -> . x A\"]\nchain = true"), chains);
        let repeats = "a rule applied once, or repeated in one direction";
        assert_eq!(one_move("rules = [\"A . -> . A\"]\nuntil = \"any\""), repeats);
    }

    const UNDER: &str = "Under 4-move rules on the drawn board, ";

    const TRANSFER: [&str; 14] = [
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves, and in no fewer.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves, and in no fewer. There is exactly 1 such sequence of moves, 1 up to the board's symmetry. 1 of them is palindromic.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves. No shorter way exists.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves. A solution needs at least 3 moves; this search decides nothing between the two.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves. Whether a shorter way exists has not been decided.",
        "2 men on a1, b1 cannot be brought to e1, f1: no position was left to search from.",
        "2 men on a1, b1 cannot be brought to e1, f1 in 5 moves or fewer.",
        "2 men on a1, b1 cannot be brought to e1, f1 in 2 moves or fewer.",
        "2 men on a1, b1 cannot be brought to e1, f1.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves. No shorter way exists. The count is not finished.",
        "2 men on a1, b1 can be brought to e1, f1 in 4 moves. A solution needs at least 3 moves; this search decides nothing between the two.",
        "2 men on a1, b1 cannot be brought to e1, f1 in 2 moves or fewer; whether more suffice has not been decided.",
        "it has not been decided in how many moves 2 men on a1, b1 can be brought to e1, f1.",
        "the positions first reached after exactly 0, 1, ..., 2 moves are enumerated.",
    ];

    const GAME: [&str; 14] = [
        "two players of 1 man each who help each other can end the game in 7 moves, blue winning, and in no fewer.",
        "two players of 1 man each who help each other can end the game in 7 moves, and in no fewer. There are exactly 36 such sequences of moves, 36 up to the board's symmetry.",
        "two players of 1 man each who help each other can end the game in 7 moves. No shorter way exists.",
        "two players of 1 man each who help each other can end the game in 7 moves. A solution needs at least 6 moves; this search decides nothing between the two.",
        "two players of 1 man each who help each other can end the game in 7 moves. Whether a shorter way exists has not been decided.",
        "two players of 1 man each who help each other can never end the game: no position was left to search from.",
        "two players of 1 man each who help each other cannot end the game in 5 moves or fewer.",
        "two players of 1 man each who help each other cannot end the game in 2 moves or fewer.",
        "two players of 1 man each who help each other cannot end the game.",
        "two players of 1 man each who help each other can end the game in 7 moves. No shorter way exists. The count is not finished.",
        "two players of 1 man each who help each other can end the game in 7 moves. A solution needs at least 6 moves; this search decides nothing between the two.",
        "two players of 1 man each who help each other cannot end the game in 2 moves or fewer; whether more suffice has not been decided.",
        "nothing is decided about the shortest game of 1 man a side.",
        "the positions first reached after exactly 0, 1, ..., 2 moves are enumerated.",
    ];

    const PUZZLE: [&str; 14] = [
        ": solved in 4 moves, and in no fewer",
        ": solved in 4 moves, and in no fewer. There are exactly 2 such sequences of moves, 2 up to the board's symmetry",
        ": solved in 4 moves. No shorter way exists",
        ": solved in 4 moves. A solution needs at least 3 moves; this search decides nothing between the two",
        ": solved in 4 moves. Whether a shorter way exists has not been decided",
        ": never solved: no position was left to search from",
        ": not solved in 5 moves or fewer",
        ": not solved in 2 moves or fewer",
        ": not solved",
        ": solved in 4 moves. No shorter way exists. The count is not finished",
        ": solved in 4 moves. A solution needs at least 3 moves; this search decides nothing between the two",
        ": not solved in 2 moves or fewer; whether more suffice has not been decided",
        ": not decided",
        ", the positions first reached after exactly 0, 1, ..., 2 moves are enumerated",
    ];
}
