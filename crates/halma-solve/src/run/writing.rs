//! Fills the fields of a record: measurements, lengths and levels.

use std::path::Path;

use halma_engine::budget;
use halma_engine::search::{Stopped, digest};
use halma_record::record::{
    self, Counts, Digest, FORMAT, LatticeRecord, LengthRecord, LevelRecord, Machine, PROGRAM, Record, SymmetryRecord,
    Verdict,
};
use halma_rules::job::{Problem, Pruning};

use super::{Context, Question, RunError};
use crate::solve::transfer_search::has_changed;
use crate::solve::{Answer, Attempt, Counted, LevelFigures};

/// The machine that the program runs on.
fn this_machine() -> Machine {
    Machine {
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        processor: budget::processor(),
        processors: super::processors(),
        cluster: None,
    }
}

impl Context<'_> {
    /// Enters the resources that the run has used.
    pub(super) fn measure(&self, record: &mut Record) {
        let measurements = self.workspace.measurements();
        record.finished = Some(record::now());
        (record.seconds, record.cpu_seconds) = (measurements.seconds, measurements.cpu_seconds);
        (record.peak_memory_bytes, record.disk_bytes_written) =
            (measurements.peak_memory_bytes, measurements.disk_bytes_written);
    }

    /// A record without an answer.
    pub(super) fn blank(&self, symmetries: SymmetryRecord) -> Record {
        let (question, max_length, depth) = self.question.asked(self.job);
        Record {
            format: FORMAT,
            program: PROGRAM.into(),
            problem: self.job.spec.clone(),
            source: record::source().map(Into::into),
            machine: Some(this_machine()),
            finished: None,
            lattice: match &self.job.problem {
                Problem::Transfer(problem) => Some(LatticeRecord::from(&problem.lattice)),
                Problem::Game(problem) => Some(LatticeRecord::from(&problem.lattice)),
                Problem::Puzzle(_) => None,
            },
            symmetries: Some(symmetries),
            question,
            max_length,
            depth,
            verdict: Verdict::Incomplete,
            reason: None,
            length: None,
            refuted_up_to: None,
            exhausted: false,
            lower_bound: None,
            impossible: None,
            repeats: None,
            projections: Vec::new(),
            farthest: Vec::new(),
            more_solutions: Vec::new(),
            centroid: None,
            partition: None,
            pruning: self.job.search.pruning.clone(),
            palindromic: self.job.search.palindromic,
            solution: None,
            known_solution: None,
            counts: None,
            runs: Vec::new(),
            digest_key: Some(published(digest::KEY)),
            second_digest_key: Some(published(digest::SECOND_KEY)),
            seconds: 0.0,
            cpu_seconds: 0.0,
            peak_memory_bytes: 0,
            disk_bytes_written: 0,
            threads: self.expander.threads(),
            refuted_by: None,
        }
    }

    /// Enters why there is no answer; an unusable file is an error of its own.
    pub(super) fn incomplete(&self, stopped: Stopped, record: &mut Record) -> Result<(), RunError> {
        match stopped {
            Stopped::Store(fault) if fault.is_unusable_file() => Err(fault.into()),
            Stopped::Contradiction(what) => Err(RunError::Contradiction(what)),
            stopped => {
                // Whatever has been found: what was asked for is not complete.
                record.verdict = Verdict::Incomplete;
                record.reason = Some(stopped.to_string());
                Ok(())
            }
        }
    }

    /// Counts the solutions of the length found by `count`, if that was asked for; enters their numbers, and the levels of the count.
    pub(super) fn count<N: Into<Counts>>(
        &self,
        count: impl FnOnce(u32) -> Counted<N>,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let is_due = self.question == Question::Count && record.verdict == Verdict::Optimal;
        let Some(length) = record.length.filter(|_| is_due) else { return Ok(()) };
        let Counted { numbers, levels } = count(length);
        let entry = length_record(length, Verdict::Solution, None, &levels, seconds_of(&levels));
        record.runs.push(LengthRecord { leading_moves: entry.has_leading_moves(), ..entry });
        record.verdict = Verdict::Incomplete;
        match numbers {
            Err(stopped) => self.incomplete(stopped, record),
            Ok(numbers) => {
                record.verdict = Verdict::Counted;
                record.counts = Some(numbers.into());
                Ok(())
            }
        }
    }

    /// [`Self::levels`] of a transfer or a game: up to the one that was asked for, empty or not; to the end up to the first empty one.
    pub(super) fn levels_to(
        &self,
        depth: u32,
        figures: &[LevelFigures],
        result: Result<(), Stopped>,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let last = figures.last().map_or(depth, |f| f.depth);
        let depth = if result.is_ok() { last } else { depth };
        self.levels(figures, result, depth, record)
    }

    /// Enters levels without a goal.
    pub(super) fn levels(
        &self,
        figures: &[LevelFigures],
        result: Result<(), Stopped>,
        depth: u32,
        record: &mut Record,
    ) -> Result<(), RunError> {
        record.verdict = if result.is_ok() { Verdict::Levels } else { Verdict::Incomplete };
        record.exhausted = figures.last().is_some_and(|f| f.tally.states == 0);
        if let Err(stopped) = result {
            self.incomplete(stopped, record)?;
        }
        let entry = length_record(depth, record.verdict, record.reason.clone(), figures, seconds_of(figures));
        record.runs.push(LengthRecord { pruning: Some(Pruning::None), ..entry });
        Ok(())
    }
}

fn shorter(one: Option<Vec<String>>, other: Option<Vec<String>>) -> Option<Vec<String>> {
    [one, other].into_iter().flatten().min_by_key(Vec::len)
}

/// Which record to keep when a resumed run is stopped again. If the earlier record in `file` says more, it stays, with
/// the new reason and measurements: a run that is stopped while it makes its tables has entered nothing yet.
pub(super) fn with_earlier(record: Record, file: &Path) -> Record {
    let said = |record: &Record| {
        let levels = record.runs.iter().map(|run| run.levels.len()).sum::<usize>();
        (record.refuted_up_to, record.length.is_some(), levels)
    };
    let is_stopped = |earlier: &Record| {
        // Some answers of earlier programs are found again.
        earlier.verdict == Verdict::Incomplete
            && !earlier.refuted_up_to.is_some_and(|length| has_changed(&record.pruning, length))
    };
    match Record::read(file).ok().filter(is_stopped) {
        Some(earlier) if said(&earlier) > said(&record) => Record {
            known_solution: match earlier.length {
                Some(_) => None,
                None => shorter(earlier.known_solution, record.known_solution),
            },
            reason: record.reason,
            finished: record.finished,
            seconds: record.seconds,
            cpu_seconds: record.cpu_seconds,
            peak_memory_bytes: record.peak_memory_bytes,
            disk_bytes_written: record.disk_bytes_written,
            ..earlier
        },
        Some(earlier) if record.length.is_none() => {
            Record { known_solution: shorter(earlier.known_solution, record.known_solution), ..record }
        }
        _ => record,
    }
}

/// An attempt in the form of a record.
pub(super) fn attempted<S>(attempt: &Attempt<S>) -> LengthRecord {
    let (verdict, reason) = match &attempt.answer {
        Answer::Found(_) => (Verdict::Solution, None),
        Answer::Refuted | Answer::Exhausted => (Verdict::None, None),
        Answer::Unproved(reason) | Answer::GivenUp(reason) => (Verdict::Incomplete, Some(reason.clone())),
        Answer::Stopped(stopped) => (Verdict::Incomplete, Some(stopped.to_string())),
    };
    let entry = LengthRecord {
        up_to: attempt.up_to,
        shared_with: attempt.shared_with,
        c: attempt.c.map(|(c, _)| c),
        self_consistent: attempt.c.is_none_or(|(_, consistent)| consistent),
        ..length_record(attempt.length, verdict, reason, &attempt.levels, attempt.seconds)
    };
    let covered = attempt.covered && entry.has_following();
    LengthRecord { leading_moves: entry.has_leading_moves(), covered, ..entry }
}

/// A key of digests in the form of a record.
fn published([high, low]: [u64; 2]) -> Digest {
    Digest(u128::from(high) << 64 | u128::from(low))
}

/// The seconds that these levels took.
fn seconds_of(levels: &[LevelFigures]) -> f64 {
    // `sum` makes -0 of no numbers.
    levels.iter().fold(0.0, |sum, f| sum + f.seconds)
}

/// The record of one length's levels.
pub(super) fn length_record(
    length: u32,
    verdict: Verdict,
    reason: Option<String>,
    levels: &[LevelFigures],
    seconds: f64,
) -> LengthRecord {
    LengthRecord {
        reason,
        seconds,
        generated: levels.iter().fold(0, |sum, f| sum.saturating_add(f.tally.generated)),
        largest_level: levels.iter().map(|f| f.tally.states).max().unwrap_or(0),
        levels: levels.iter().map(level_record).collect(),
        ..LengthRecord::blank(length, verdict)
    }
}

/// A level's figures in the form of a record.
fn level_record(figures: &LevelFigures) -> LevelRecord {
    let tally = &figures.tally;
    LevelRecord {
        depth: figures.depth,
        side: figures.side,
        states: tally.states,
        generated: tally.generated,
        pruned: tally.pruned,
        duplicates: tally.duplicates,
        old: tally.old,
        centroid_max: tally.measure_max,
        digest: Digest(tally.digest),
        second_digest: Some(tally.second),
        file: figures.file.clone(),
        seconds: Some(figures.seconds),
        bytes: Some(figures.bytes),
    }
}
