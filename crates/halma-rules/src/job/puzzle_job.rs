//! Jobs of puzzles from files and in Rust: compiles the `[problem]` table, with messages that point into it.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use halma_files::folder;
use halma_record::job::puzzle_tables::{BlocksTable, KINDS, PermutationTable, RulesTable};
use halma_record::job::{ProblemSpec, PuzzleSpec};
use halma_record::source::{InputError, Source, suggestion};

use super::{Problem, Puzzle, raw};
use crate::puzzle::kinds::RawTable;
use crate::puzzle::{self, Part, TableFault};

/// The message for a puzzle without a goal, if more than its levels is asked for.
const NO_GOAL: &str = "the puzzle has no goal: only `levels` can be asked of it; or give `goal` in [problem]";

/// The message for a puzzle that is too large.
const TOO_MANY: &str =
    "the puzzle has 2^256 states or more, which are too many to number: allowed are fewer cells, letters or pieces";

/// Keys that one kind of puzzle has and no army, with that kind.
const OF_ONE_KIND: [(&str, &str); 5] = [
    ("rules", "rules"),
    ("metric", "blocks"),
    ("definition", "permutation"),
    ("file", "permutation"),
    ("scramble", "permutation"),
];

/// The kinds of problems that a job may state.
fn kinds() -> Vec<String> {
    let own = puzzle::kinds::all().map(|kind| kind.name().to_string());
    ["transfer", "game"].into_iter().chain(KINDS).map(Into::into).chain(own).collect()
}

/// A job file whose problem is a puzzle; the problem's own keys are read apart.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(rename = "problem")]
    _problem: toml::Table,
    #[serde(default)]
    pub search: raw::SearchTable,
    #[serde(default)]
    pub limits: raw::LimitsTable,
    #[serde(default)]
    pub output: raw::OutputTable,
}

/// The file, where its problem is a puzzle; `None` where it states armies, or no kind that is known.
pub(super) fn file(source: &Source) -> Result<Option<File>, InputError> {
    #[derive(Deserialize)]
    struct Kind {
        problem: Option<toml::Table>,
    }
    let Ok(Kind { problem: Some(problem) }) = toml::from_str(source.text()) else {
        // What cannot be read is reported by the parser of the whole file, whose keys depend on the kind.
        return if is_stated_as_puzzle(source) { raw::parse(source).map(Some) } else { Ok(None) };
    };
    let Some(kind) = problem.get("kind") else {
        return match OF_ONE_KIND.iter().find(|(key, _)| problem.contains_key(*key)) {
            Some((key, kind)) => {
                Err(at_key(source, key, format!("`{key}` is of puzzles of kind = \"{kind}\": `kind` is missing")))
            }
            None => Ok(None),
        };
    };
    let Some(kind) = kind.as_str() else { return Ok(None) };
    if is_of_puzzles(kind) {
        return raw::parse(source).map(Some);
    }
    match kind {
        "transfer" | "game" => Ok(None),
        // Before the keys are looked at, which are those of another kind.
        _ => Err(unknown(source, kind)),
    }
}

/// Whether it is a kind of puzzles: from a file, or in Rust.
fn is_of_puzzles(kind: &str) -> bool {
    KINDS.contains(&kind) || puzzle::kinds::named(kind).is_some()
}

/// Whether the file states a kind of puzzles, whatever else it says.
fn is_stated_as_puzzle(source: &Source) -> bool {
    let Ok(whole) = DeTable::parse(source.text()) else { return false };
    let kind = whole.get_ref().get("problem").and_then(|table| table.get_ref().get("kind"));
    kind.and_then(|kind| kind.get_ref().as_str()).is_some_and(is_of_puzzles)
}

/// A solution file may not be of a puzzle.
///
/// # Errors
/// Where it is.
pub fn refuse_solution(source: &Source) -> Result<(), InputError> {
    match is_stated_as_puzzle(source) {
        true => Err(at_key(
            source,
            "kind",
            "solution files are of transfers and games; replay the run's result.json".into(),
        )),
        false => Ok(()),
    }
}

/// The message for an unknown kind.
pub(super) fn unknown_kind(kind: &str) -> String {
    let kinds = kinds();
    let near = suggestion(kind, kinds.iter().map(String::as_str));
    format!("unknown kind `{kind}`: allowed are {}{near}", kinds.join(", "))
}

/// The same, with the place where it stands.
fn unknown(source: &Source, kind: &str) -> InputError {
    at_key(source, "kind", unknown_kind(kind))
}

/// A fault at a key of the problem's table.
fn at_key(source: &Source, key: &str, message: String) -> InputError {
    let whole = DeTable::parse(source.text()).ok();
    let table = whole.as_ref().and_then(|whole| whole.get_ref().get("problem"));
    let span = table.map(|table| place(source, table, &TableFault::of(key, "")));
    source.fault(span.unwrap_or(0..0), message)
}

/// The puzzle that the file states.
pub(super) fn problem(source: &Source) -> Result<(ProblemSpec, Problem), InputError> {
    let whole = DeTable::parse(source.text())
        .map_err(|e| source.fault(e.span().unwrap_or(0..0), e.message().replace('\n', ", ")))?;
    let span = whole.span();
    let Some(table) = whole.get_ref().get("problem") else {
        return Err(source.fault(span, "missing table `problem`"));
    };
    let value: toml::Table = toml::from_str(source.text()).map_err(|e| source.fault(0..0, e.message()))?;
    let value = value.get("problem").cloned().unwrap_or_else(|| unreachable!("the table was read above"));
    let json = serde_json::to_value(value).map_err(|e| source.fault(table.span(), e.to_string()))?;
    let mut spec: PuzzleSpec = serde_json::from_value(json).map_err(|e| source.fault(table.span(), e.to_string()))?;
    let named = match spec.kind.as_str() {
        "permutation" => definition(source, &mut spec, table)?,
        _ => None,
    };
    check_table(source, &spec, table, named.is_some())?;
    let compiled = puzzle::compile(&spec).map_err(|fault| match (&named, fault.path.first()) {
        (Some(file), Some(Part::Key(key))) if key == "definition" => {
            let all = 0..file.text().len();
            file.fault(fault.range.unwrap_or(all), fault.message)
        }
        _ => source.fault(place(source, table, &fault), fault.message),
    })?;
    let Some(compiled) = compiled else {
        return Err(source.fault(table.span(), unknown_kind(&spec.kind)));
    };
    let problem_spec = ProblemSpec::Puzzle(spec.clone());
    let no_goal = (!compiled.has_goal()).then(|| source.fault(table.span(), NO_GOAL));
    let sized = match (spec.kind.as_str(), &named) {
        ("permutation", Some(_)) => "file",
        ("permutation", None) => "definition",
        _ => "board",
    };
    let too_many = source.fault(place(source, table, &TableFault::of(sized, "")), TOO_MANY);
    Ok((problem_spec, Problem::Puzzle(Puzzle { spec, compiled: Arc::new(compiled), no_goal, too_many })))
}

/// The puzzle that a record or a run's folder states.
///
/// # Errors
/// The error in the table; a table that a [`super::Job`] has written has none.
pub fn compiled(spec: &PuzzleSpec) -> Result<Puzzle, String> {
    let unknown = || format!("problem.kind: `{}` is no kind that this program knows", spec.kind);
    let compiled = puzzle::compile(spec).map_err(|fault| format!("problem: {}", fault.message))?;
    let compiled = compiled.ok_or_else(unknown)?;
    let plain = |message: &str| InputError { file: None, place: None, message: message.into() };
    let (no_goal, too_many) = ((!compiled.has_goal()).then(|| plain(NO_GOAL)), plain(TOO_MANY));
    Ok(Puzzle { spec: spec.clone(), compiled: Arc::new(compiled), no_goal, too_many })
}

/// Replaces the file name in a permutation puzzle by the file's text.
fn definition(source: &Source, spec: &mut PuzzleSpec, table: &Spanned<DeValue>) -> Result<Option<Source>, InputError> {
    let fault = |key: &str, message: String| Err(source.fault(place(source, table, &TableFault::of(key, "")), message));
    let Some(name) = spec.table.get("file").cloned() else { return Ok(None) };
    if spec.table.contains_key("definition") {
        return fault("file", "both `file` and `definition` are there: allowed is one of the two".into());
    }
    let Some(name) = name.as_str() else { return fault("file", "allowed is the name of a file".into()) };
    let path = source.file().parent().unwrap_or(Path::new("")).join(name);
    let text = match folder::read_named(&path, folder::TYPED_BYTES).map(String::from_utf8) {
        Ok(Ok(text)) => text,
        Ok(Err(e)) => return fault("file", format!("{}: {e}", path.display())),
        Err(e) => return fault("file", format!("{}: cannot be read: {e}", path.display())),
    };
    spec.table.remove("file");
    spec.table.insert("definition".into(), text.clone().into());
    Ok(Some(Source::new(path, text)))
}

/// Reads the table key by key, for messages about unknown keys and wrong types.
fn check_table(source: &Source, spec: &PuzzleSpec, table: &Spanned<DeValue>, named: bool) -> Result<(), InputError> {
    let keys = |replaced: &[&str]| RawTable::new(source, own_keys(table, replaced));
    match spec.kind.as_str() {
        "rules" => keys(&[]).read::<RulesTable>(),
        "blocks" => keys(&[]).read::<BlocksTable>(),
        "permutation" if named => keys(&["file"]).read::<PermutationTable>(),
        "permutation" => keys(&[]).read::<PermutationTable>(),
        other => puzzle::kinds::named(other).map_or(Ok(()), |kind| kind.check_table(keys(&[]))),
    }
}

/// The table without the keys that all kinds have. Where `definition` is to be instead of some keys, it is there,
/// empty, and they are not.
fn own_keys<'a>(table: &Spanned<DeValue<'a>>, replaced_by_definition: &[&str]) -> Spanned<DeValue<'a>> {
    let mut value = table.clone();
    if let DeValue::Table(keys) = value.get_mut() {
        ["kind", "title"].iter().chain(replaced_by_definition).for_each(|key| drop(keys.remove(*key)));
        if !replaced_by_definition.is_empty() {
            let empty = Spanned::new(0..0, DeValue::String("".into()));
            keys.insert(Spanned::new(0..0, "definition".into()), empty);
        }
    }
    value
}

/// The bytes of the file that a fault of the table means.
fn place(source: &Source, table: &Spanned<DeValue>, fault: &TableFault) -> Range<usize> {
    let mut value = table;
    for part in &fault.path {
        let next = match (part, value.get_ref()) {
            (Part::Key(key), DeValue::Table(table)) => table.get(key.as_str()),
            (Part::At(at), DeValue::Array(list)) => list.get(*at),
            _ => None,
        };
        let Some(next) = next else { break };
        value = next;
    }
    match (value.get_ref(), &fault.range) {
        (DeValue::String(text), Some(range)) => source.within(&value.span(), text, range.clone()),
        // Of a table or a long text the first line is shown.
        _ => value.span(),
    }
}
