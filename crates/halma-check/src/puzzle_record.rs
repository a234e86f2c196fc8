//! Records of puzzles from files, interpreted from their tables as `docs/guide/puzzle-files.md` says, as plainly as can be: no
//! rule is compiled, no state is packed, and every successor is made from the whole state.

mod abstract_distances;
mod blocks;
mod code;
mod graph;
mod grid;
pub mod in_rust;
mod model;
mod record_levels;
mod rules;
mod solution_count;
#[cfg(test)]
mod tests;
mod twsearch;
mod without_bound;

use std::path::Path;
use std::sync::Arc;

use halma_record::job::puzzle_tables::KINDS;
use halma_record::job::{Pruning, PuzzleSpec};
use serde_json::Value;

use halma_record::record::{Asked, Record, Repeats, SymmetryRecord, Verdict};

use super::evidence::Evidence;
use super::keys::PUBLISHED;
use super::number::Wide;

use super::rejection::{Rejection, RejectionKind, Trouble};
use super::{Options, Report, self_consistency};
use blocks::Blocks;
use code::{Arithmetic, Code};
use graph::Graph;
use model::{Distance, Model};
use record_levels::PuzzleCheck;
use rules::Rules;
use twsearch::Permutations;

/// A puzzle under the symmetries of its search, and under those up to which its solutions are counted.
#[derive(Clone, Copy)]
struct Models<'a> {
    searched: &'a dyn Model,
    counted: &'a dyn Model,
}

/// The puzzle of a table, under the symmetries of the record.
fn model(spec: &PuzzleSpec, record: &Record) -> Result<Box<dyn Model>, Trouble> {
    let mirrored = |symmetries: &SymmetryRecord| symmetries.mirror.is_some() || !symmetries.letters.is_empty();
    if record.symmetries.as_ref().is_some_and(mirrored) {
        // Where no abstraction was of use there is no bound, whatever was asked for.
        let unbounded = match &record.pruning {
            Pruning::None => true,
            Pruning::Projection(named) => named.is_empty() && record.projections.is_empty(),
            _ => false,
        };
        let plain = unbounded && matches!(record.question, Asked::Solve | Asked::Prove);
        if !KINDS.contains(&spec.kind.as_str()) || !plain {
            let why = "only searches for solutions of puzzles from files, without bounds, have one";
            return Err(format!("symmetries.mirror: {why}").into());
        }
    }
    under(spec, record.symmetries.as_ref())
}

/// The puzzle of a table, under these symmetries.
fn under(spec: &PuzzleSpec, stated: Option<&SymmetryRecord>) -> Result<Box<dyn Model>, Trouble> {
    let named = |fault: String| format!("problem: {fault}");
    let lacking = || "the record does not name its symmetries".to_string();
    Ok(match spec.kind.as_str() {
        "rules" => {
            let symmetries = stated.ok_or_else(lacking)?;
            Box::new(Rules::new(&spec.table().map_err(named)?, symmetries)?)
        }
        "blocks" => {
            let symmetries = stated.ok_or_else(lacking)?;
            Box::new(Blocks::new(&spec.table().map_err(named)?, symmetries)?)
        }
        "permutation" => Box::new(Permutations::new(&spec.table().map_err(named)?, stated)?),
        other => {
            // Without symmetries the record names none; with them it says nothing.
            let symmetry = stated.is_none();
            if stated.is_some_and(|symmetries| !symmetries.fixing.is_empty()) {
                return Err("symmetries: those of a puzzle in Rust have no cells".into());
            }
            let unknown = || Err(format!("problem.kind: `{other}` is no kind that this program knows"));
            in_rust::model(spec, symmetry).unwrap_or_else(unknown)?
        }
    })
}

/// The puzzle under the symmetries up to which solutions were counted, where the record names others than those of its search.
fn counted(spec: &PuzzleSpec, record: &Record) -> Result<Option<Box<dyn Model>>, Trouble> {
    let Some(named) = record.counts.as_ref().and_then(|counts| counts.symmetries.as_ref()) else { return Ok(None) };
    if record.symmetries.as_ref().is_none_or(|used| used.fixing.len() != 1) {
        return Err("counts.symmetries: only what was searched without symmetries has others".into());
    }
    under(spec, Some(&SymmetryRecord::fixing(named.clone()))).map(Some).map_err(|fault| fault.prefixed("counts"))
}

/// Checks that fields which puzzles from files do not have are absent, and that the digests have the published keys.
fn check_absent_fields(record: &Record) -> Result<(), String> {
    let levels = record.question == Asked::Levels;
    let absent = [
        ("lattice", record.lattice.is_none()),
        ("impossible", record.impossible.is_none()),
        ("centroid", record.centroid.is_none()),
        ("partition", record.partition.is_none()),
        ("palindromic", !record.palindromic),
        ("farthest", record.farthest.is_empty() || levels && record.exhausted),
        ("more_solutions", record.more_solutions.is_empty() || !levels),
    ];
    if let Some((name, _)) = absent.iter().find(|(_, absent)| !absent) {
        return Err(format!("{name}: this record of a puzzle from a file has none"));
    }
    let keys = [record.digest_key, record.second_digest_key];
    match keys[0].map(|k| k.0) == Some(PUBLISHED[0]) && keys[1].is_none_or(|k| k.0 == PUBLISHED[1]) {
        true => Ok(()),
        false => Err("digest_key or second_digest_key is not the published one".into()),
    }
}

/// The problem restated for the reader: where it begins, and its table.
fn stated(spec: &PuzzleSpec, model: &dyn Model) -> Vec<String> {
    let starts = match model.starts().len() {
        1 => String::new(),
        several => format!(", the first of {several} starts"),
    };
    let first = format!("{}: {}{starts}", spec.kind, model.show(&model.starts()[0]));
    // Texts of several lines on one, so that none looks like a statement of its own.
    let value = |value: &Value| {
        value.as_str().map_or_else(|| value.to_string(), |text| text.lines().collect::<Vec<_>>().join("/"))
    };
    let table = spec.table.iter().map(|(key, stated)| format!("problem.{key}: {}", value(stated)));
    std::iter::once(first).chain(table).collect()
}

/// What holds of the record of a puzzle from a file, whose level files lie below `folder`: all of it, the figures and the
/// verdict included.
pub(super) fn holds(spec: &PuzzleSpec, record: &Record, folder: &Path, options: &Options) -> Result<Report, Rejection> {
    record.runs.iter().try_for_each(|run| self_consistency::figures(record, run, true))?;
    self_consistency::puzzle_verdict(record)?;
    check_absent_fields(record).map_err(Rejection::of(RejectionKind::Problem))?;
    let model = model(spec, record).map_err(Rejection::of(RejectionKind::Problem))?;
    let counted = counted(spec, record).map_err(Rejection::of(RejectionKind::Problem))?;
    let models = Models { searched: &*model, counted: counted.as_deref().unwrap_or(&*model) };
    let mut checked = stated(spec, &*model);
    if let Some(symmetries) = &record.symmetries {
        match symmetries.fixing.len() {
            0 => {}
            1 => checked.push("the identity, the only symmetry used".into()),
            order => checked.push(format!("{order} symmetries, which keep moves, starts and goals")),
        }
        if symmetries.mirror.is_some() {
            checked.push("a mirror, which takes the starts to the goal and turns moves round".into());
        }
    }
    if !KINDS.contains(&spec.kind.as_str()) {
        checked.push(format!("the moves are the word of the program that has the kind `{}`", spec.kind));
    }
    checked.push("every successor is accounted for, and the verdict follows from the runs".into());
    let distance = match distance(spec, &*model, record) {
        Ok(distance) => Ok(distance),
        Err(Trouble::TooMany(why)) => Err(why),
        Err(wrong) => return Err(Rejection::of(RejectionKind::Problem)(wrong)),
    };
    let mut report = Report { checked, ..Report::default() };
    repeats(&*model, record, &mut report).map_err(Rejection::of(RejectionKind::Figures))?;
    let bits = code::total(&model.parts()).bits();
    match bits {
        0..=64 => levels::<u64>((spec, models), (record, folder, options), distance, report),
        65..=128 => levels::<u128>((spec, models), (record, folder, options), distance, report),
        _ => levels::<Wide>((spec, models), (record, folder, options), distance, report),
    }
}

/// Whether a start has a move.
fn begins(model: &dyn Model) -> Result<bool, Trouble> {
    model.starts().iter().try_fold(false, |any, start| Ok(any || !model.moves(start)?.is_empty()))
}

/// How far back the record says that repeated states lie. Levels are compared with all earlier ones whatever it says.
fn repeats(model: &dyn Model, record: &Record, report: &mut Report) -> Result<(), Trouble> {
    let came_back = record.runs.iter().flat_map(|run| &run.levels).any(|level| level.old > 0);
    match record.repeats {
        None => Err("repeats: the record does not say how far back repeated states lie".into()),
        Some(Repeats::Never) if came_back => Err("repeats: never, and some levels have old states".into()),
        Some(Repeats::Never) if model.can_be_undone() && begins(model)? => {
            Err("repeats: never, and every move can be undone by a move".into())
        }
        Some(Repeats::Previous) if !model.can_be_undone() => {
            report.unchecked.push("that every move can be undone by a move".into());
            Ok(())
        }
        Some(_) => Ok(()),
    }
}

/// Whether levels were pruned by a bound that the puzzle has itself: one in Rust may, and a count goes without.
fn has_own_bound(spec: &PuzzleSpec, record: &Record) -> bool {
    let searches = matches!(record.question, Asked::Solve | Asked::Prove);
    record.pruning == Pruning::Bound && searches && !KINDS.contains(&spec.kind.as_str())
}

/// The bound of the record's pruning: the largest of the distances in puzzles with fewer letters or pieces.
fn distance(spec: &PuzzleSpec, model: &dyn Model, record: &Record) -> Result<Option<Arc<Distance>>, Trouble> {
    let named = match &record.pruning {
        // Its levels are derived without one.
        Pruning::Bound if has_own_bound(spec, record) && record.projections.is_empty() => return Ok(None),
        Pruning::None if record.projections.is_empty() => return Ok(None),
        _ if record.question == Asked::Levels && record.projections.is_empty() => return Ok(None),
        Pruning::Projection(named) if record.question != Asked::Levels => named,
        other => {
            let why = format!("pruning {other} is none of puzzles from files, or has other projections");
            return Err(Trouble::Wrong(why));
        }
    };
    let all = &record.projections;
    if named.is_empty() && all.is_empty() {
        // None was of use.
        return Ok(None);
    }
    // It was stopped before they were made, and claims nothing.
    if all.is_empty() && record.verdict == Verdict::Incomplete && record.runs.is_empty() && record.lower_bound.is_none()
    {
        return Ok(None);
    }
    if all.is_empty() || !named.is_empty() && named != all {
        return Err(Trouble::Wrong("projections: none, or others than the pruning names".into()));
    }
    let distances = all.iter().map(|one| model.with_fewer_letters(&one.0)).collect::<Result<Vec<_>, Trouble>>()?;
    // Where one of them says that no way leads to the goal, none does.
    let largest = move |state: &[u8]| distances.iter().try_fold(0, |h, distance| Some(distance(state)?.max(h)));
    Ok(Some(Arc::new(largest)))
}

/// Checks the levels, with keys of type `N`.
fn levels<N: Arithmetic>(
    (spec, models): (&PuzzleSpec, Models<'_>),
    (record, folder, options): (&Record, &Path, &Options),
    distance: Result<Option<Arc<Distance>>, String>,
    report: Report,
) -> Result<Report, Rejection> {
    let model = models.searched;
    let code = Code::<N>::new(model.parts());
    let code = code.ok_or_else(|| RejectionKind::Problem.because("the states are too many to number"))?;
    let [ahead, behind] = [false, true].map(|backward| Graph::new(model, &code, backward));
    let (budget, evidence) = (options.budget, Evidence::of(record, options)?);
    let own_bound = has_own_bound(spec, record);
    let (ahead, behind, counted) = (&ahead, &behind, models.counted);
    PuzzleCheck { record, folder, options, ahead, behind, counted, distance, own_bound, budget, evidence, report }.all()
}
