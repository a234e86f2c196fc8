//! One process's share of a run: its folder, and what it takes over from a run with another number of processes.
//!
//! In the run's folder, process I of N works in `process-I-of-N`, which has the form of a run's folder. If the folder
//! has the shares of a run with another number of processes, their complete levels are redistributed: a process that
//! can read a share sends every state to its new owner.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::exchange::{Exchange, Lost};
use halma_engine::search::{
    Expander, Expansion, LevelDestination, Stopped, Tally, manifest_entry_of_share, read_manifest_entry,
};
use halma_engine::store::workspace::{LeftoverShare, MANIFEST, ManifestEntry, Workspace, share_name, share_names};
use halma_engine::store::{Level, StoreError};
use halma_files::folder::Folder;
use halma_record::record::{ClusterRecord, Machine, Record};
use halma_rules::job::Job;

use super::identity::{identity, refuse_answers_beyond};
use super::terms::goes_on;
use super::{Context, Question, RunError};

/// Refuses what several processes cannot do together.
///
/// # Errors
/// The operation, and what to do instead.
pub fn check(job: &Job, question: Question) -> Result<(), RunError> {
    if question == Question::Count {
        return Err(RunError::NotShared { what: "count solutions", instead: "count in one process" });
    }
    if job.search.solutions.is_some() && question == Question::Solve {
        return Err(RunError::NotShared { what: "list solutions", instead: "list them in one process" });
    }
    if job.search.pruning.is_by_trial() {
        let instead = "name one, as in leading(cap=3); halma compare shows what each costs";
        return Err(RunError::NotShared { what: "choose a cap by trial", instead });
    }
    if job.search.pruning.learning().is_some() {
        let instead = "leave out rounds, or search in one process";
        return Err(RunError::NotShared { what: "learn a score", instead });
    }
    if job.output.keep_levels {
        let instead = "each has a share of every level; leave out keep-levels, or search in one process";
        return Err(RunError::NotShared { what: "keep levels", instead });
    }
    Ok(())
}

/// The folder of the process with that share.
pub(super) fn folder(dir: &Path, share: Option<(usize, usize)>) -> PathBuf {
    match share {
        Some((process, processes)) => dir.join(share_name(process, processes)),
        None => dir.into(),
    }
}

/// Sums the resources of all processes.
pub(super) fn total(record: &mut Record, expander: &Expander) -> Result<(), Lost> {
    let exchange = expander.exchange();
    #[derive(Serialize, Deserialize)]
    struct Taken {
        cpu_seconds: f64,
        memory: u64,
        disk: u64,
        threads: usize,
        sent: u64,
        successors: u64,
    }
    if !exchange.is_shared() {
        return Ok(());
    }
    let taken = exchange.all_gather(Taken {
        cpu_seconds: record.cpu_seconds,
        memory: record.peak_memory_bytes,
        disk: record.disk_bytes_written,
        threads: record.threads,
        sent: exchange.sent(),
        successors: expander.emitted(),
    })?;
    record.cpu_seconds = taken.iter().map(|t| t.cpu_seconds).sum();
    record.peak_memory_bytes = taken.iter().map(|t| t.memory).sum();
    record.disk_bytes_written = taken.iter().map(|t| t.disk).sum();
    record.threads = taken.iter().map(|t| t.threads).sum();
    let bytes_sent = taken.iter().map(|t| t.sent).sum();
    let successors = taken.iter().map(|t| t.successors).sum();
    let cluster = Some(ClusterRecord { processes: exchange.processes(), bytes_sent, successors });
    record.machine = record.machine.take().map(|machine| Machine { cluster, ..machine });
    Ok(())
}

/// Ends the run when all processes have the answer and the first one has written it.
pub(super) fn close(workspace: Workspace, exchange: &dyn Exchange) -> Result<(), RunError> {
    if !exchange.is_shared() {
        return Ok(workspace.close()?);
    }
    // The first process has the answer, whatever becomes of the others now; they cannot know whether it has been
    // written.
    if let Err(lost) = exchange.all(true)
        && exchange.process() != 0
    {
        return Err(lost.into());
    }
    // To remove the files may take longer than the others wait.
    exchange.finished();
    let folder = workspace.folder();
    workspace.close()?;
    // The folder stays if it has other contents.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// The share of process `part` of `of`, as one process sees it.
#[derive(Serialize, Deserialize)]
struct Seen {
    of: usize,
    part: usize,
    levels: BTreeMap<String, ManifestEntry>,
    answers: Vec<serde_json::Value>,
    /// Whether its run goes on after the lengths that are asked about.
    goes_on: bool,
}

/// The shares of earlier runs that this process reads, by number of processes and part.
type Found = BTreeMap<(usize, usize), LeftoverShare>;

impl Context<'_> {
    /// Takes over the answers of process 0, and the levels of a run with another number of processes. Returns whether
    /// the run goes on; if it is stopped meanwhile, `record` says so.
    pub(super) fn take_over<K: Key>(&self, record: &mut Record) -> Result<bool, RunError> {
        let found = self.find()?;
        let all = self.seen_by_all(&found)?;
        self.take_over_answers(&all)?;
        if all.iter().all(Vec::is_empty) {
            return Ok(true);
        }
        match self.take_over_levels::<K>(&found, &all)? {
            ControlFlow::Continue(whole) => self.remove_read(found, &all, &whole)?,
            ControlFlow::Break(stopped) => {
                self.incomplete(stopped, record)?;
                self.measure(record);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The shares of earlier runs, by the process that sees them.
    fn seen_by_all(&self, found: &Found) -> Result<Vec<Vec<Seen>>, Lost> {
        let seen = found.iter().map(|(&(of, part), left)| {
            let answers = if part == 0 { left.answers() } else { Vec::new() };
            let goes_on = goes_on(left.terms(), self.question.asked(self.job).1);
            Seen { of, part, levels: left.levels(), answers, goes_on }
        });
        self.expander.exchange().all_gather(seen.collect())
    }

    /// Takes over the answers of process 0, or those of an earlier run that has more of them.
    fn take_over_answers(&self, all: &[Vec<Seen>]) -> Result<(), RunError> {
        let mut answers = self.expander.exchange().all_gather(self.workspace.answers())?.swap_remove(0);
        let mut goes_on = false;
        for other in all.iter().flatten() {
            if other.answers.len() > answers.len() {
                answers.clone_from(&other.answers);
                goes_on = other.goes_on;
            }
        }
        // Before anything is taken over: the shares stay as they are.
        refuse_answers_beyond(&answers, goes_on, self.job, self.question, &self.workspace.folder())?;
        Ok(self.workspace.adopt(answers)?)
    }

    /// Redistributes the levels that not all processes have, unless it is stopped. Returns the numbers of processes of
    /// which all shares are seen.
    fn take_over_levels<K: Key>(
        &self,
        found: &Found,
        all: &[Vec<Seen>],
    ) -> Result<ControlFlow<Stopped, BTreeSet<usize>>, RunError> {
        let exchange = self.expander.exchange();
        let own: Vec<Vec<String>> = exchange.all_gather(self.workspace.levels().into_keys().collect())?;
        let had = |label: &String| own.iter().all(|labels| labels.contains(label));
        // For each number of processes: the levels that all its shares have, and which process reads which share.
        let counts: BTreeSet<usize> = all.iter().flatten().map(|seen| seen.of).collect();
        let (mut redistributed, mut whole) = (BTreeSet::new(), BTreeSet::new());
        for of in counts {
            let readers: Option<Vec<usize>> = (0..of).map(|part| reader(all, of, part)).collect();
            let Some(readers) = readers else { continue };
            whole.insert(of);
            let shares: Vec<&Seen> =
                readers.iter().zip(0..).filter_map(|(&p, part)| share(&all[p], of, part)).collect();
            let Some((first, rest)) = shares.split_first() else { continue };
            let common = first.levels.keys().filter(|label| rest.iter().all(|seen| seen.levels.contains_key(*label)));
            let mine: Vec<usize> = (0..of).filter(|&part| readers[part] == exchange.process()).collect();
            for label in common.filter(|label| !had(label)) {
                if redistributed.insert(label.clone()) {
                    let (figures, _) =
                        read_manifest_entry(&first.levels[label]).map_err(|e| self.damaged_share(of, &e))?;
                    let parts = mine.iter().filter_map(|&part| found.get(&(of, part)));
                    let parts = parts.map(|left| left.load::<K>(label)).collect::<Result<Vec<_>, StoreError>>()?;
                    if let ControlFlow::Break(stopped) = self.redistribute(label, parts, &figures)? {
                        return Ok(ControlFlow::Break(stopped));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(whole))
    }

    /// Removes the shares that this process has read, when all processes have all of them. Shares of an incomplete set
    /// stay, because the others may be elsewhere.
    fn remove_read(&self, found: Found, all: &[Vec<Seen>], whole: &BTreeSet<usize>) -> Result<(), RunError> {
        let exchange = self.expander.exchange();
        exchange.all(true)?;
        for ((of, part), left) in found {
            if whole.contains(&of) && reader(all, of, part) == Some(exchange.process()) {
                left.remove()?;
            }
        }
        Ok(())
    }

    /// The error for the manifest of the first of so many shares.
    fn damaged_share(&self, of: usize, error: &serde_json::Error) -> StoreError {
        let dir = self.job.output.dir.as_deref().unwrap_or(Path::new(""));
        StoreError::Damaged { file: folder(dir, (of > 1).then_some((0, of))).join(MANIFEST), reason: error.to_string() }
    }

    /// The shares of other numbers of processes that this process sees.
    fn find(&self) -> Result<Found, StoreError> {
        let Some(dir) = &self.job.output.dir else { return Ok(Found::new()) };
        let exchange = self.expander.exchange();
        let io = |source| StoreError::Io { file: dir.clone(), source };
        let whole = Folder::open(dir).map_err(io)?;
        let mut places = Vec::new();
        for (name, (part, of)) in share_names(&whole).map_err(io)? {
            let share = whole.beneath(&name);
            places.push((of, part, share.map_err(|source| StoreError::io(dir.join(&name), source))?));
        }
        places.push((1, 0, whole));
        places.retain(|(of, ..)| *of != exchange.processes());
        let mut found = Found::new();
        for (of, part, folder) in places {
            let run = identity(self.job, self.question, (of > 1).then_some((part, of)));
            if let Some(left) = LeftoverShare::find(folder, &run)? {
                found.insert((of, part), left);
            }
        }
        Ok(found)
    }

    /// Redistributes the level with that label, unless it is stopped: `parts` are what this process reads of it.
    fn redistribute<K: Key>(
        &self,
        label: &str,
        parts: Vec<Level<K>>,
        whole: &Tally,
    ) -> Result<ControlFlow<Stopped>, RunError> {
        let exchange = self.expander.exchange();
        let label_under_way = format!("dealing-{label}");
        let blocks: usize = parts.iter().map(Level::blocks).sum();
        let all = exchange.all_gather(blocks as u64)?.into_iter().sum();
        let puzzle = BlocksAsPuzzle { parts, failed: Mutex::new(None) };
        let blocks: Level<K> = Level::of((0..blocks).map(key_of_block).collect()).of_whole(all);
        let destination = LevelDestination::run(self.workspace, &label_under_way);
        let expansion = self.expander.expand(&puzzle, 0, &blocks, &[], destination, self.cancel);
        if let Some(error) = puzzle.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error.into());
        }
        let expansion = match expansion {
            Ok(expansion) => expansion,
            Err(Stopped::Store(error)) => return Err(error.into()),
            Err(Stopped::Lost(lost)) => return Err(lost.into()),
            // Redistributed levels stay, and the shares with the rest.
            Err(stopped) => return Ok(ControlFlow::Break(stopped)),
        };
        let Expansion { level, tally, digest, .. } = expansion;
        if (tally.states, tally.digest, tally.old) != (whole.states, whole.digest, 0) {
            let reason = "its shares are not the level that they say they are".into();
            return Err(StoreError::Damaged { file: self.workspace.folder().join(label), reason }.into());
        }
        let keys = level.len();
        self.workspace.write(label, &level, digest)?;
        self.workspace.enter_also(vec![(label.into(), manifest_entry_of_share(whole, keys, digest))])?;
        drop(level);
        self.workspace.discard(&label_under_way)?;
        Ok(ControlFlow::Continue(()))
    }
}

fn share(seen: &[Seen], of: usize, part: usize) -> Option<&Seen> {
    seen.iter().find(|seen| (seen.of, seen.part) == (of, part))
}

/// Which of the processes that see a share reads it.
fn reader(all: &[Vec<Seen>], of: usize, part: usize) -> Option<usize> {
    let holders: Vec<usize> = (0..all.len()).filter(|&p| share(&all[p], of, part).is_some()).collect();
    holders.get(part % holders.len().max(1)).copied()
}

/// The key that stands for a block; no state has it.
fn key_of_block<K: Key>(block: usize) -> K {
    K::MAX.minus(K::from_words([block as u64 + 1, 0, 0, 0]))
}

/// Levels on disk in the form of a puzzle: a state is a block, and its successors are the keys of the block. So one
/// step of the engine redistributes them, within the memory budget and in order.
struct BlocksAsPuzzle<K> {
    parts: Vec<Level<K>>,
    failed: Mutex<Option<StoreError>>,
}

impl<K: Key> Puzzle for BlocksAsPuzzle<K> {
    type Key = K;
    type Scratch = Vec<K>;

    fn scratch(&self) -> Vec<K> {
        Vec::new()
    }

    fn start(&self) -> Vec<K> {
        Vec::new()
    }

    fn successors(&self, keys: &mut Vec<K>, key: K, _: u32, emit: &mut impl FnMut(K)) -> u64 {
        let mut block = K::MAX.minus(key).words()[0] as usize - 1;
        for part in &self.parts {
            if block < part.blocks() {
                // A stranger's share may have keys that do not ascend under a checksum that is right. Whether they are
                // states is asked when the level is taken up.
                match part.audit_block(block, keys) {
                    Ok(()) => keys.iter().for_each(|&key| emit(key)),
                    Err(error) => *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error),
                }
                return keys.len() as u64;
            }
            block -= part.blocks();
        }
        0
    }
}
