//! Puzzles by random rules: the search agrees with all their states, which are found here from what the guide says of a rule,
//! and the verifier, which has code of its own for that, too, accepts every record.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use halma_check::{Options, RejectionKind, Report};
use halma_engine::draws::Draws;
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};

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
    /// A number, or a list.
    directions: &'static str,
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
        let Ok(number) = rule.directions.parse::<usize>() else { return &[(2, 0), (-2, 0), (1, -1), (-2, 1)] };
        const ALL: [(i32, i32); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1), (1, 1), (-1, -1)];
        &ALL[..number]
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

fn drawn_rule(draws: &mut Draws) -> Rule {
    let length = 2 + draws.below(2);
    let left: Vec<char> = (0..length).map(|_| draws.one_of(&['A', 'B', '.', '*', 'x'])).collect();
    let mut right: Vec<char> = (0..length).map(|_| draws.one_of(&['A', 'B', '.'])).collect();
    // What the first class matched goes to the last place, if the left side has one.
    if let Some(&class) = left.iter().find(|&&letter| is_class(letter)) {
        right[length - 1] = class;
    }
    let follow = draws.one_of(&["", "", "chain = true", "free = true", "until = 'any'", "until = 'blocked'"]);
    let (directions, turn) =
        (draws.one_of(&["4", "6", "8", "['2,0', '-2,0', 'right-up', '-2,1']"]), 1 + draws.below(2) as u8);
    let mut rule = Rule { left, right, follow, directions, turn };
    // What follows takes a man who goes: the first one, to one place alone.
    let places: Vec<usize> = (1..length).filter(|&at| rule.left[at] != rule.left[0]).collect();
    if !matches!(follow, "" | "free = true") && rule.goes_to().is_none() && !places.is_empty() {
        let (man, to) = (rule.left[0], draws.one_of(&places));
        for letter in rule.right.iter_mut().filter(|letter| **letter == man) {
            *letter = '.';
        }
        rule.right[to] = man;
    }
    rule
}

/// The states that can be reached, nearest first.
fn reached(puzzle: &Puzzle, start: State) -> Vec<State> {
    let (mut all, mut seen, mut at) = (vec![start.clone()], HashSet::from([start]), 0);
    while at < all.len() {
        for next in puzzle.next(&all[at]) {
            if seen.insert(next.clone()) {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

fn rules(seed: u64, count: usize) {
    let mut draws = Draws::new(seed);
    let (mut asked, mut projected) = (0, 0);
    // Of the puzzles asked: how many have a solution, one of more than two moves, and each kind of rule.
    let (mut solved, mut long, mut follows) = (0, 0, HashMap::<&str, usize>::new());
    while asked < count {
        let rules: Vec<Rule> = (0..1 + draws.below(4)).map(|_| drawn_rule(&mut draws)).collect();
        let (turns, row) = (draws.below(2) == 0, draws.below(2) == 0);
        // A row is long enough for a repetition.
        let (map, places): (fn(&str) -> String, Vec<_>) = match row {
            true => (|cells| cells.into(), (0..6).map(|x| (x, 0)).collect()),
            false => (|cells| format!("{}\\n{}#", &cells[..3], &cells[3..5]), (0..5).map(|n| (n % 3, n / 3)).collect()),
        };
        let cells: String = (0..places.len()).map(|_| draws.one_of(&['A', 'B', '.', '.'])).collect();
        let tables: Vec<String> = rules.iter().map(|rule| rule.text(turns)).collect();
        let without_goal = format!(
            "kind = \"rules\"\nboard = \"{}\"\nlegend = {{ x = \"AB\" }}\nrules = [{}]\n",
            map(&cells),
            tables.join(", ")
        );
        // Rules that make no sense are refused.
        if job(&format!("[problem]\n{without_goal}")).is_err() {
            continue;
        }
        let puzzle = Puzzle { places, rules, turns };
        let start: State = (cells.chars().collect(), false);
        let states = reached(&puzzle, start.clone());
        if states.len() < 4 {
            continue;
        }
        let goal: Vec<char> = match draws.below(4) {
            // Of its letters alone: others are refused.
            0 => (0..cells.len()).map(|_| draws.one_of(&start.0)).collect(),
            1 => draws.one_of(&states.iter().collect::<Vec<_>>()).0.clone(),
            // The farther half.
            _ => draws.one_of(&states[states.len() / 2..].iter().collect::<Vec<_>>()).0.clone(),
        };
        let problem = without_goal + &format!("goal = \"{}\"\n", map(&goal.iter().collect::<String>()));
        let truth = Truth::new(start, |(letters, _)| *letters == goal, |state| puzzle.next(state));
        let groups = ["A", "B", "A/B", "AB", "A+B"];
        let projections: Vec<String> =
            (0..draws.below(2)).map(|_| format!("projection({})", draws.one_of(&groups))).collect();
        projected += truth.agrees(&problem, &projections);
        asked += 1;
        solved += usize::from(truth.shortest.is_some());
        long += usize::from(truth.shortest.is_some_and(|(length, _)| length > 2));
        for follow in puzzle.rules.iter().map(|rule| rule.follow).collect::<HashSet<_>>() {
            *follows.entry(follow).or_default() += 1;
        }
    }
    let said = format!("of {count} {solved} have a solution, {long} a long one; {projected} projected; {follows:?}");
    assert!(solved > count / 2 && long > count / 5 && projected > count / 10, "{said}");
    assert!(follows.len() == 5 && follows.values().all(|&number| number > count / 10), "{said}");
}

#[test]
fn every_search_of_random_rules_agrees_with_all_states() {
    rules(1, 60);
}

#[test]
#[ignore = "takes minutes"]
fn every_search_of_thousands_of_random_rules_agrees_with_all_states() {
    (2..52).for_each(|seed| rules(seed, 100));
}
