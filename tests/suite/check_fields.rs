//! Every field of a record is compared by `halma check`, but for those that docs/guide/record.md lists as remarks.

use std::path::Path;

use halma_engine::search::CancellationToken;
use halma_record::record::{Asked, LevelRecord, Record, RecordError, Side, Verdict};
use halma_rules::job::Pruning;
use halma_solve::run::{self, Question};
use serde_json::{Value, json};

use crate::forgery::{Subject, checked, job};
use crate::oracle::Rules;

/// The remarks that the guide lists: paths without the places in arrays.
fn remarks() -> Vec<String> {
    let page = std::fs::read_to_string("docs/guide/record.md").unwrap();
    let (_, section) = page.split_once("## Remarks without weight\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let remarks: Vec<String> = rows.map(|(path, _)| path.into()).collect();
    assert!(remarks.len() > 8, "{remarks:?}");
    remarks
}

fn is_remark(path: &str, remarks: &[String]) -> bool {
    remarks.iter().any(|r| path == r || path.strip_prefix(r.as_str()).is_some_and(|rest| rest.starts_with('.')))
}

/// Every value of a document that is no object, by its JSON pointer, and with the places in arrays left out.
fn leaves(value: &Value, pointer: &str, path: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                leaves(value, &format!("{pointer}/{name}"), &path, found);
            }
        }
        Value::Array(values) => {
            found.push((pointer.into(), path.into()));
            for (at, value) in values.iter().enumerate() {
                leaves(value, &format!("{pointer}/{at}"), path, found);
            }
        }
        _ => found.push((pointer.into(), path.into())),
    }
}

/// Other values in place of one; of the letters of digests one in so many.
fn altered(path: &str, value: &Value, every: usize) -> Vec<Value> {
    match value {
        Value::Bool(said) => vec![json!(!said)],
        Value::Number(number) => match number.as_i64() {
            Some(n) => vec![json!(n + 1), json!(n - 1), json!(n + 1000), json!(u32::MAX), json!(0), json!(i64::MIN)],
            None => vec![json!(7.5)],
        },
        Value::String(text) => {
            let mut others = vec![json!(format!("{text}x")), json!("")];
            // One letter after another becomes one that may stand there, too.
            let letter = |(at, letter): (usize, char)| {
                let end = at + letter.len_utf8();
                let others = ".STB#0123abc-".chars().filter(move |other| *other != letter);
                others.map(move |other| json!(format!("{}{other}{}", &text[..at], &text[end..])))
            };
            let every = if path.ends_with("digest") { every } else { 1 };
            others.extend(text.char_indices().flat_map(letter).step_by(every));
            let words: &[&str] = match path {
                "question" => &["solve", "prove", "levels", "count"],
                "verdict" | "runs.verdict" => &["optimal", "none", "solution", "levels", "counted", "incomplete"],
                "pruning" => {
                    &["none", "theorem-1", "pattern", "leading", "narrowed", "mcc", "mcc(3)", "truncate(9,1)", "all"]
                }
                "runs.levels.side" => &["forward", "backward", "leading", "following", "trailing"],
                "problem.kind" => &["transfer", "game"],
                "problem.board" => &["9x9", "map", "8x8"],
                _ => &[],
            };
            others.extend(words.iter().filter(|word| **word != text).map(|word| json!(word)));
            others
        }
        Value::Null => match path {
            "counts" => vec![json!({ "sequences": 1, "up_to_symmetry": 1 })],
            "solution" => vec![json!([]), json!(["a1-b1"])],
            "symmetries.mirror" => vec![json!([]), json!([0, 1, 2])],
            _ => vec![json!(0), json!(1), json!(12)],
        },
        Value::Array(values) => {
            let mut others = vec![json!([])];
            if let Some(last) = values.last() {
                others.push(json!(values[1..]));
                others.push(json!(values[..values.len() - 1]));
                others.push(json!([&values[..], std::slice::from_ref(last)].concat()));
            }
            if values.len() > 1 {
                let mut swapped = values.clone();
                swapped.swap(0, values.len() - 1);
                others.push(json!(swapped));
            }
            others
        }
        Value::Object(_) => vec![],
    }
}

/// Fields that are not there where they have nothing to say, with something to say.
const ABSENT: [(&str, &str, &str); 30] = [
    ("", "max_length", "3"),
    ("", "known_solution", "[\"a1-b1\"]"),
    ("", "depth", "2"),
    ("", "reason", "\"tired\""),
    ("", "exhausted", "true"),
    ("", "lower_bound", "3"),
    ("", "palindromic", "true"),
    ("", "centroid", "[0]"),
    ("", "partition", "{\"class_of\":[0],\"values\":[0]}"),
    ("/problem", "map", "\"S.T\""),
    ("/problem", "title", "\"Halma, 19 men, 16x16\""),
    ("", "impossible", "{\"cells\":[\"a1\"],\"at_start\":1,\"in_target\":0}"),
    ("", "impossible", "{\"cells\":[],\"at_start\":0,\"in_target\":0}"),
    ("", "lattice", "{\"cells\":[\"a1\"],\"directions\":[[1,0]]}"),
    ("", "source", "\"another one\""),
    ("/symmetries", "mirror", "[0]"),
    ("/runs/0", "reason", "\"tired\""),
    ("/runs/0", "up_to", "30"),
    ("/runs/0/levels/0", "file", "{\"name\":\"a\",\"identity\":\"00000000000000000000000000000000\"}"),
    ("/runs/0/levels/1", "file", "{\"name\":\"a\",\"identity\":\"00000000000000000000000000000000\"}"),
    ("/runs/0/levels/1", "centroid_max", "7"),
    ("/runs/0/levels/1", "second_digest", "\"00000000000000000000000000000007\""),
    ("/runs/0", "shared_with", "9"),
    ("/runs/0", "leading_moves", "true"),
    ("/runs/0", "covered", "true"),
    ("/runs/0", "pruning", "\"none\""),
    ("/runs/0", "c", "3"),
    ("/counts", "up_to_reversal", "3"),
    ("/counts", "palindromic", "3"),
    ("/counts", "final_positions", "1"),
];

/// What check says of a document.
fn said(document: &Value) -> Result<(), String> {
    let record = parsed(document).map_err(|e| e.to_string())?;
    let report = checked(&record)?;
    if report.unchecked.is_empty() { Ok(()) } else { Err("not checked".into()) }
}

fn parsed(document: &Value) -> Result<Record, RecordError> {
    Record::parse(Path::new("result.json"), &document.to_string())
}

/// A record, and how it was made.
struct Case {
    subject: Subject,
    kind: &'static str,
    map: &'static str,
    moves: u32,
    jumps_only: bool,
    search: &'static str,
    question: Question,
}

/// What a search finds that a level's record says of it.
fn figures(level: &LevelRecord) -> LevelRecord {
    LevelRecord { seconds: None, bytes: None, file: None, ..level.clone() }
}

impl Case {
    /// Whether a search under the pruning that a record claims makes the levels that the record has.
    fn makes_the_same(&self, claims: &Record) -> bool {
        let others = self.search.lines().filter(|line| !line.starts_with("pruning")).collect::<Vec<_>>().join("\n");
        let search = format!("pruning = '{}'\n{others}", claims.pruning);
        let Some(job) = job(self.kind, self.map, self.moves, self.jumps_only, &search) else { return false };
        let anew = run::run(&job, self.question, &(), &CancellationToken::after(None)).unwrap();
        let levels = |record: &Record| -> Vec<(u32, Vec<LevelRecord>)> {
            record.runs.iter().map(|run| (run.length, run.levels.iter().map(figures).collect())).collect()
        };
        (anew.verdict, anew.length, anew.refuted_up_to) == (claims.verdict, claims.length, claims.refuted_up_to)
            && levels(&anew) == levels(claims)
    }

    /// What a record that was altered says that is not true of the problem that it then states.
    fn lie(document: &Value, record: &Record) -> Option<String> {
        let rules = Rules::of_stated(&record.problem, document["problem"]["moves"].as_u64().unwrap() as u32);
        Subject { name: String::new(), rules, record: record.clone() }.lie(record)
    }

    /// Alterations that check accepts although the field is no remark, each with the reason why it may. What is true besides is
    /// asked of the oracle.
    fn may_stand(&self, (path, pointer): (&str, &str), before: &Value, document: &Value, record: &Record) -> bool {
        let nothing_found = record.length.is_none();
        let no_levels = record.runs.iter().all(|run| run.levels.is_empty());
        let asked_levels = record.question == Asked::Levels;
        match path {
            // The job was asked for no more than this: how far it would have gone says nothing of what was found.
            "max_length" => {
                document["length"].is_number() || document["verdict"] == "incomplete" || document["exhausted"] == true
            }
            // They ask the same where nothing was found, and where nobody says that it is a shortest one.
            "question" => nothing_found || record.verdict == Verdict::Solution,
            // A weaker bound, below which no run is missing, as earlier versions derived it.
            "lower_bound" => document["lower_bound"].as_u64() < before.as_u64(),
            // Any solution of the length is one; check plays it, and so does the oracle.
            "solution" => Rules::of_stated(&record.problem, self.moves).plays(record),
            // Levels are made without.
            "pruning" | "palindromic" if asked_levels => true,
            "pruning" => match (&self.subject.record.pruning, &record.pruning) {
                // What is cut to its best states refutes nothing, whichever these were.
                (Pruning::Truncate { .. }, Pruning::Truncate { .. }) | (Pruning::Beam { .. }, Pruning::Beam { .. }) => {
                    true
                }
                // Each run names its C.
                (Pruning::Mcc { .. }, Pruning::Mcc { c: None, .. }) => record.runs.iter().all(|run| run.c.is_some()),
                // A search under the other one finds the same.
                _ => self.makes_the_same(record),
            },
            // Levels, bound and counts are the same under the other one: all that these say.
            "partition.class_of" | "partition.values" | "runs.c" | "runs.leading_moves" | "runs.covered" => true,
            // Without levels: the record of another problem, all of whose claims were derived for that one.
            "problem.jumps_only" => no_levels,
            // Without levels the bound says the same of palindromes.
            "palindromic" => no_levels && nothing_found,
            // K is the identity alone where the search was told to use none of it; without levels that is all there is to tell.
            "symmetries.fixing" => no_levels,
            // The same cells in another order.
            "impossible.cells" => sorted(before) == sorted(&document["impossible"]["cells"]),
            // Not all levels of the run have one, so all are derived again.
            "runs.levels.file" => true,
            // Nobody derives what was cut to its best states, and nothing rests on it.
            _ => path.starts_with("runs.levels.") && self.is_cut(pointer),
        }
    }

    /// Whether the level that a pointer leads into, or one before it, was cut to its best states so that it cannot be derived.
    fn is_cut(&self, pointer: &str) -> bool {
        let record = &self.subject.record;
        let place: Vec<usize> = pointer.split('/').filter_map(|part| part.parse().ok()).collect();
        let [run, level] = place[..] else { return false };
        match record.pruning {
            // These levels go on from run to run.
            Pruning::Truncate { .. } => {
                let before = record.runs[..run].iter().flat_map(|run| &run.levels);
                before.chain(&record.runs[run].levels[..=level]).any(|level| level.pruned > 0)
            }
            Pruning::Beam { keep, .. } => {
                record.runs[run].levels[..level].iter().any(|level| level.states > keep as u64)
            }
            _ => false,
        }
    }
}

/// The names in a list, in order.
fn sorted(names: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = names.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.sort_unstable();
    names
}

/// Which alterations are tried.
#[derive(Clone, Copy)]
struct Tried {
    /// Of the letters of digests one in so many.
    letters: usize,
    /// Of what is left one in so many, from this one on.
    every: usize,
    first: usize,
}

/// Alters every field of a record; how many alterations were refused, and the ones that were accepted without a reason.
fn alter(case: &Case, tried: Tried, remarks: &[String], unfounded: &mut Vec<String>) -> usize {
    let document = serde_json::to_value(&case.subject.record).unwrap();
    assert_eq!(said(&document), Ok(()), "{}", case.subject.name);
    let (mut places, mut refused, mut number) = (Vec::new(), 0, tried.first);
    leaves(&document, "", "", &mut places);
    let mut pruner = |path: &str, pointer: &str, before: &Value, edited: &Value| {
        number += 1;
        if !number.is_multiple_of(tried.every) {
            return;
        }
        if said(edited).is_err() {
            refused += 1;
        } else if !is_remark(path, remarks) {
            let record = parsed(edited).unwrap();
            let lie = Case::lie(edited, &record);
            if lie.is_some() || !case.may_stand((path, pointer), before, edited, &record) {
                let after = edited.pointer(pointer).unwrap();
                unfounded.push(format!("{}\n{pointer}: {before} became {after}: {lie:?}", case.subject.name));
            }
        }
    };
    for (pointer, path) in places {
        let before = document.pointer(&pointer).unwrap().clone();
        for value in altered(&path, &before, tried.letters).into_iter().filter(|value| *value != before) {
            let mut edited = document.clone();
            *edited.pointer_mut(&pointer).unwrap() = value;
            pruner(&path, &pointer, &before, &edited);
        }
    }
    for (object, name, value) in ABSENT {
        let mut edited = document.clone();
        let Some(fields) = edited.pointer_mut(object).and_then(Value::as_object_mut) else { continue };
        if fields.contains_key(name) {
            continue;
        }
        fields.insert(name.into(), serde_json::from_str(value).unwrap());
        let pointer = format!("{object}/{name}");
        let names: Vec<&str> = pointer.split('/').filter(|part| part.parse::<u8>().is_err()).collect();
        pruner(names.join(".").trim_start_matches('.'), &pointer, &Value::Null, &edited);
    }
    refused
}

const CORNER: &str = "SS..\nS...\n...T\n..TT";
const LOPSIDED: &str = "SS..\n.#..\n...T\n..T.";
const PARTED: &str = "SS#.\n..#.\n#.TT";

/// Records of every kind that a search writes.
fn cases() -> Vec<Case> {
    let solve = Question::Solve;
    let transfers = [
        (CORNER, 6, false, "pruning = 'none'", solve),
        (CORNER, 4, false, "pruning = 'theorem-1'", solve),
        (CORNER, 8, false, "pruning = 'pattern'", Question::Prove { max_length: 5 }),
        (CORNER, 4, false, "pruning = 'leading'", Question::Count),
        (CORNER, 4, false, "pruning = 'leading'\npalindromic = true", solve),
        (CORNER, 4, false, "pruning = 'leading(look-ahead=3,least=1)'", Question::Prove { max_length: 9 }),
        (CORNER, 6, false, "pruning = 'narrowed'", solve),
        (CORNER, 4, false, "pruning = 'mcc'", solve),
        (CORNER, 4, false, "pruning = 'mcc(9)'", solve),
        (CORNER, 6, false, "pruning = 'truncate(3,1)'", solve),
        (CORNER, 6, false, "pruning = 'none'", Question::Levels { depth: 3 }),
        ("SS.TT\n.....", 8, true, "pruning = 'none'", solve),
        (LOPSIDED, 8, false, "pruning = 'theorem-1'", Question::Count),
        (LOPSIDED, 4, false, "pruning = 'pattern'", solve),
        (PARTED, 4, false, "pruning = 'theorem-1'", solve),
        (PARTED, 4, false, "pruning = 'none'", Question::Levels { depth: 3 }),
        // Levels are made without the pruning that is a transfer's default.
        (CORNER, 4, false, "pruning = 'leading'", Question::Levels { depth: 3 }),
    ];
    let games = [
        ("S..\nS.T\n..T", 4, "pruning = 'all'", solve),
        ("SS..\n....\n..TT", 6, "pruning = 'count'", Question::Prove { max_length: 5 }),
        ("S..\nS.T\n..T", 6, "pruning = 'all'", Question::Count),
        ("S..\nS.T\n..T", 6, "pruning = 'beam(5,1)'", solve),
        ("S..\nS.T\n..T", 4, "pruning = 'none'", Question::Levels { depth: 3 }),
        ("SS#.\n..#.\n..#T\n..#T", 4, "pruning = 'all'", solve),
    ];
    let games = games.into_iter().map(|(map, moves, search, question)| ("game", map, moves, false, search, question));
    let transfers = transfers
        .into_iter()
        .map(|(map, moves, jumps_only, search, question)| ("transfer", map, moves, jumps_only, search, question));
    let case = |(kind, map, moves, jumps_only, search, question)| {
        let subject = Subject::new(kind, map, moves, jumps_only, search, question).expect(search);
        Case { subject, kind, map, moves, jumps_only, search, question }
    };
    transfers.chain(games).map(case).collect()
}

/// Alters records of all kinds; at least so many alterations are refused.
fn alter_all(letters: usize, every: usize, least: usize) {
    let (remarks, mut refused, mut unfounded) = (remarks(), 0, Vec::new());
    let cases = cases();
    for (first, case) in cases.iter().enumerate() {
        refused += alter(case, Tried { letters, every, first }, &remarks, &mut unfounded);
    }
    assert_eq!(unfounded, Vec::<String>::new(), "{}", unfounded.join("\n\n"));
    assert!(refused > least, "{refused}");
    // Of some kinds there must be records at all.
    let any = |test: &dyn Fn(&Record) -> bool| cases.iter().any(|case| test(&case.subject.record));
    assert!(
        any(&|r| r.exhausted) && any(&|r| r.counts.is_some()) && any(&|r| r.runs.iter().any(|run| run.c.is_some()))
    );
    assert!(any(&|r| r.impossible.is_some()));
    for side in [Side::Forward, Side::Backward, Side::Leading, Side::Following] {
        assert!(any(&|r| r.runs.iter().flat_map(|run| &run.levels).any(|level| level.side == side)), "{side:?}");
    }
}

/// A sample of the alterations, of other fields in every record.
#[test]
fn every_field_is_compared_or_listed_as_a_remark() {
    alter_all(37, 7, 1_500);
}

#[test]
#[ignore = "a minute and a half: every alteration, and every letter of every digest"]
fn every_alteration_of_every_field_is_refused_or_of_a_remark() {
    alter_all(1, 1, 250_000);
}

/// A remark may say anything: none of them is a reason to refuse.
#[test]
fn what_is_listed_as_a_remark_has_no_weight() {
    let remarks = remarks();
    let mut cases = cases();
    // A library names no source, the program does; and jobs may have a title.
    cases[3].subject.record.source = Some("the source".into());
    cases[3].subject.record.problem.armies_mut().unwrap().title = Some("a corner".into());
    let mut document = serde_json::to_value(&cases[3].subject.record).unwrap();
    let mut places = Vec::new();
    leaves(&document, "", "", &mut places);
    let mut altered = Vec::new();
    for (pointer, path) in places {
        let value = document.pointer_mut(&pointer).unwrap();
        if !is_remark(&path, &remarks) || value.is_array() {
            continue;
        }
        if value.is_string() {
            *value = json!("another one");
        } else if value.is_u64() {
            *value = json!(77);
        } else {
            *value = json!(7.5);
        }
        altered.push(path);
    }
    assert_eq!(said(&document), Ok(()));
    for path in [
        "program",
        "problem.title",
        "source",
        "machine.system",
        "seconds",
        "threads",
        "runs.seconds",
        "runs.levels.seconds",
    ] {
        assert!(altered.iter().any(|a| a == path), "{path}: {altered:?}");
    }
}
