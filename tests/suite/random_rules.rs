//! Puzzles by random rules: the search agrees with all their states, which are found here from what the guide says of a rule,
//! and the verifier, which has code of its own for that, too, accepts every record.

use std::path::Path;

use halma_check::{Options, RejectionKind, Report};
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};
use proptest::prelude::*;

use crate::all_states::Truth;

fn job(text: &str) -> Result<Job, String> {
    Job::parse("rules.toml".as_ref(), text).map_err(|fault| fault.to_string())
}

fn answer(job: &Job, question: Question) -> Record {
    run(job, question, &(), &CancellationToken::after(None)).unwrap()
}

fn check(record: &Record) -> Result<Report, halma_check::Rejection> {
    let options = Options { sample: None, budget: 20_000_000, memory: None, progress: &|_| {} };
    halma_check::record_holds(record, Path::new(""), &options)
}

/// Blue may walk to and fro by the free rule, and so pass his turn.
const PASSES: &str = r#"
    [problem]
    kind = "rules"
    board = "A.#B."
    goal = { at = { e1 = "B", a1 = "A" } }
    rules = [
        { rule = "A . -> . A", turn = 1 },
        { rule = "B . -> . B", turn = 2 },
        { rule = "A . -> . A", turn = 1, free = true },
    ]
"#;

/// A move that leads back to the same letters leads to another state where sides take turns.
#[test]
fn a_side_that_can_walk_freely_and_come_back_may_pass() {
    let record = answer(&job(PASSES).unwrap(), Question::Solve);
    assert_eq!((record.verdict, record.length), (Verdict::Optimal, Some(2)));
    check(&record).unwrap();
    // Without the free rule it takes three moves, and that is no answer to the job with it.
    let forced = PASSES.replace(r#"{ rule = "A . -> . A", turn = 1, free = true },"#, "");
    let mut forged = answer(&job(&forced).unwrap(), Question::Solve);
    assert_eq!(forged.length, Some(3));
    check(&forged).unwrap();
    forged.problem = record.problem;
    let rejection = check(&forged).map(|report| report.checked).unwrap_err();
    assert!(
        matches!(rejection.kind, RejectionKind::Figures | RejectionKind::Levels | RejectionKind::Verdict),
        "{rejection:?}"
    );
}

/// A rule: its sides, what may follow it, its directions. The legend says that x is A or B.
#[derive(Clone, Debug)]
struct Rule {
    left: Vec<char>,
    right: Vec<char>,
    follow: &'static str,
    directions: u8,
    turn: u8,
}

/// Letters by cell, and whether side 2 is to move.
type State = (Vec<char>, bool);

/// A board of cells in rows, and its rules.
struct Puzzle {
    places: Vec<(i32, i32)>,
    rules: Vec<Rule>,
    turns: bool,
}

fn is_class(letter: char) -> bool {
    "*x".contains(letter)
}

impl Rule {
    /// As a table of TOML.
    fn text(&self, turns: bool) -> String {
        let side = |side: &[char]| side.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
        let follow = if self.follow.is_empty() { String::new() } else { format!(", {}", self.follow) };
        let turn = if turns { format!(", turn = {}", self.turn) } else { String::new() };
        let (left, right) = (side(&self.left), side(&self.right));
        format!("{{ rule = '{left} -> {right}', directions = {}{follow}{turn} }}", self.directions)
    }

    /// The place on the right to which the man goes that stands first on the left, if he goes anywhere.
    fn goes_to(&self) -> Option<usize> {
        let (man, places) = (self.left[0], 0..self.right.len());
        if is_class(man) {
            return places.into_iter().find(|&at| self.right[at] == man).filter(|&at| self.left[at] != man);
        }
        let mut new = places.filter(|&at| self.right[at] == man && self.left[at] != man);
        new.next().filter(|_| new.next().is_none())
    }

    fn is_free(&self) -> bool {
        self.follow == "free = true"
    }
}

/// One application of a rule.
struct Applied {
    letters: Vec<char>,
    /// Where the man stands now, if there was one and he went.
    man: Option<usize>,
}

impl Puzzle {
    fn cell(&self, place: (i32, i32)) -> Option<usize> {
        self.places.iter().position(|&other| other == place)
    }

    fn apply(&self, letters: &[char], rule: &Rule, from: usize, (dx, dy): (i32, i32)) -> Option<Applied> {
        let (x, y) = self.places[from];
        let line = (0..rule.left.len() as i32).map(|n| self.cell((x + n * dx, y + n * dy)));
        let line: Vec<usize> = line.collect::<Option<_>>()?;
        let fits = |(&cell, &asked): (&usize, &char)| match asked {
            // There are no other letters than A and B.
            '*' | 'x' => letters[cell] != '.',
            asked => letters[cell] == asked,
        };
        if !line.iter().zip(&rule.left).all(fits) {
            return None;
        }
        let mut after = letters.to_vec();
        for (at, &new) in rule.right.iter().enumerate() {
            // The first of a class on the right is the first of it on the left, and so on.
            let before = rule.right[..at].iter().filter(|&&other| other == new).count();
            let matched = || (0..line.len()).filter(|&on_left| rule.left[on_left] == new).nth(before).unwrap();
            after[line[at]] = if is_class(new) { letters[line[matched()]] } else { new };
        }
        // Where his letter stands already, he does not go.
        let man = rule.goes_to().map(|at| line[at]).filter(|&to| letters[to] != letters[from]);
        Some(Applied { letters: after, man })
    }

    fn directions(rule: &Rule) -> &'static [(i32, i32)] {
        const ALL: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)];
        &ALL[..usize::from(rule.directions)]
    }

    /// What one application of a rule that is not free leads to, with its chain or repetition.
    fn moved(&self, letters: &[char], rule: &Rule, from: usize, direction: (i32, i32)) -> Vec<Vec<char>> {
        let Some(first) = self.apply(letters, rule, from, direction) else { return Vec::new() };
        let mut ends = vec![first.letters.clone()];
        match rule.follow {
            "chain = true" => {
                let mut open: Vec<_> = first.man.map(|man| (first.letters, man)).into_iter().collect();
                let mut at = 0;
                while let Some((now, man)) = open.get(at).cloned() {
                    at += 1;
                    for rule in self
                        .rules
                        .iter()
                        .filter(|next| next.follow == rule.follow && (!self.turns || next.turn == rule.turn))
                    {
                        let next = Self::directions(rule).iter().filter_map(|&d| self.apply(&now, rule, man, d));
                        for Applied { letters, man } in next {
                            if let Some(next) = man.map(|man| (letters, man)).filter(|next| !open.contains(next)) {
                                ends.push(next.0.clone());
                                open.push(next);
                            }
                        }
                    }
                }
            }
            "" => {}
            until => {
                let mut last = first;
                while let Some(next) = last.man.and_then(|man| self.apply(&last.letters, rule, man, direction)) {
                    ends.push(next.letters.clone());
                    last = next;
                }
                if until == "until = 'blocked'" {
                    ends = vec![last.letters];
                }
            }
        }
        ends
    }

    fn next(&self, (letters, second): &State) -> Vec<State> {
        let mine = |rule: &&Rule| !self.turns || (rule.turn == 2) == *second;
        let everywhere = |rule: &'_ Rule| {
            let directions = Self::directions(rule);
            (0..self.places.len()).flat_map(move |from| directions.iter().map(move |&direction| (from, direction)))
        };
        let mut before = vec![letters.clone()];
        let mut at = 0;
        while let Some(now) = before.get(at).cloned() {
            at += 1;
            for rule in self.rules.iter().filter(mine).filter(|rule| rule.is_free()) {
                for (from, direction) in everywhere(rule) {
                    let next = self.apply(&now, rule, from, direction).map(|applied| applied.letters);
                    before.extend(next.filter(|next| !before.contains(next)));
                }
            }
        }
        let mut found = Vec::new();
        for now in &before {
            for rule in self.rules.iter().filter(mine).filter(|rule| !rule.is_free()) {
                for (from, direction) in everywhere(rule) {
                    let ends = self.moved(now, rule, from, direction).into_iter().filter(|end| end != now);
                    found.extend(ends.map(|end| (end, self.turns && !second)));
                }
            }
        }
        found
    }
}

fn rule() -> impl Strategy<Value = Rule> {
    let letter = || prop::sample::select(&['A', 'B', '.', '*', 'x'][..]);
    let plain = || prop::sample::select(&['A', 'B', '.'][..]);
    let sides = (prop::collection::vec(letter(), 2..4), prop::collection::vec(plain(), 3));
    let follow = prop::sample::select(&["", "chain = true", "free = true", "until = 'any'", "until = 'blocked'"][..]);
    let rest = (follow, prop::sample::select(&[4u8, 6, 8][..]), 1u8..=2);
    (sides, rest).prop_map(|((left, mut right), (follow, directions, turn))| {
        right.truncate(left.len());
        // What the first class matched goes to the last place, if the left side has one.
        if let (Some(&class), Some(last)) = (left.iter().find(|&&l| is_class(l)), right.last_mut()) {
            *last = class;
        }
        Rule { left, right, follow, directions, turn }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100)))]
    #[test]
    fn what_the_search_says_of_random_rules_is_true_and_accepted(
        rules in prop::collection::vec(rule(), 1..5),
        turns in any::<bool>(),
        cells in "[AB.]{6}",
        goal in "[AB.]{6}",
        row in any::<bool>(),
        projections in prop::collection::vec(prop::sample::select(&["A", "B", "A/B", "AB", "A+B"][..]), 0..2),
    ) {
        // A row is long enough for a repetition.
        let (map, places): (fn(&str) -> String, Vec<_>) = match row {
            true => (|cells| cells.into(), (0..6).map(|x| (x, 0)).collect()),
            false => (|cells| format!("{}\\n{}#", &cells[..3], &cells[3..5]), (0..5).map(|n| (n % 3, n / 3)).collect()),
        };
        let tables: Vec<String> = rules.iter().map(|rule| rule.text(turns)).collect();
        let problem = format!(
            "kind = \"rules\"\nboard = \"{}\"\nlegend = {{ x = \"AB\" }}\nrules = [{}]\ngoal = \"{}\"\n",
            map(&cells), tables.join(", "), map(&goal)
        );
        // Rules that make no sense are refused, and goals that no state can meet.
        if job(&format!("[problem]\n{problem}")).is_err() {
            return Ok(());
        }
        let letters = |text: &str| -> Vec<char> { text.chars().take(places.len()).collect() };
        let (start, goal) = (letters(&cells), letters(&goal));
        let puzzle = Puzzle { places, rules, turns };
        let truth = Truth::new((start, false), |(letters, _)| *letters == goal, |state| puzzle.next(state));
        let projections: Vec<String> = projections.iter().map(|groups| format!("projection({groups})")).collect();
        truth.agrees(&problem, &projections);
    }
}
