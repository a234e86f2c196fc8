//! Checks lengths whose levels continue those of the lengths before, as they do without bounds.

use halma_record::job::Pruning;
use halma_record::record::{LengthRecord, Side, Verdict};

use super::TransferCheck;
use crate::evidence::{Refuted, middle};
use crate::level_walk::Walk;
use crate::rejection::{Rejection, RejectionKind};
use crate::sides::{Walked, split};
use crate::transfer_model::TransferModel;

/// The levels that serve all lengths, as far as they have been walked.
enum Shared<'a> {
    NotBegun,
    At(Walk<'a, TransferModel>),
    /// A level was truncated. Later levels are not derived, and refute nothing. The field is the depth of the record's
    /// next level.
    Truncated(u32),
    /// Some of them were too large.
    Unchecked,
}

impl<'a> TransferCheck<'a> {
    /// Checks lengths whose levels continue those of the previous lengths.
    pub(super) fn shared(&mut self) -> Result<(), Rejection> {
        let keep = match self.record.pruning {
            Pruning::Truncate { keep, .. } => keep as u64,
            _ => u64::MAX,
        };
        let mut shared = Shared::NotBegun;
        for entry in &self.record.runs {
            let context = |fault: Rejection| fault.in_length(entry.length);
            shared = self.share(entry, keep, shared).map_err(context)?;
        }
        Ok(())
    }

    fn share(&mut self, entry: &'a LengthRecord, keep: u64, shared: Shared<'a>) -> Result<Shared<'a>, Rejection> {
        let (length, palindromic) = (entry.length, self.record.palindromic);
        let first = entry.levels.first().map_or(0, |level| level.depth);
        let [forward] = split(entry, [Walked { side: Side::Forward, first, last: middle(length, palindromic) }])?;
        let mut walk = match (shared, forward) {
            (Shared::NotBegun, []) => return Ok(Shared::NotBegun),
            (Shared::NotBegun, _) => None,
            (Shared::At(walk), _) => Some(walk),
            (Shared::Truncated(next), []) => return Ok(Shared::Truncated(next)),
            (Shared::Truncated(next), [.., last]) if first == next => return Ok(Shared::Truncated(last.depth + 1)),
            (Shared::Truncated(next), _) => {
                let why = format!("forward levels go on with level {first}, not {next}");
                return Err(RejectionKind::Levels.because(why).at_level(Side::Forward, first));
            }
            (Shared::Unchecked, _) => {
                if entry.verdict == Verdict::None || !forward.is_empty() {
                    self.evidence.note_unchecked(length, format!("length {length}: levels before it were not checked"));
                }
                return Ok(Shared::Unchecked);
            }
        };
        let mode = self.mode(entry);
        if mode.is_none() && !forward.is_empty() {
            return Ok(Shared::Unchecked);
        }
        for level in forward {
            // A beam search has only the best states of a level, which then counts the others as pruned. Earlier
            // versions of this program counted all and truncated the level afterwards.
            let truncated = keep < u64::MAX && level.pruned > 0;
            if truncated && level.states > keep {
                let why = format!("{} states, of which {keep} are kept", level.states);
                return Err(RejectionKind::Levels.because(why).at_level(Side::Forward, level.depth));
            }
            walk = Some(match (walk, mode) {
                (Some(walk), _)
                    if (truncated || walk.current().len() > keep)
                        && walk.depth().checked_add(1) == Some(level.depth) =>
                {
                    let how =
                        format!("its levels were truncated; those after level {} were not looked at", walk.depth());
                    self.report(entry, &how);
                    // `forward` has levels, since the loop runs.
                    return Ok(Shared::Truncated(forward.last().map_or(first, |last| last.depth + 1)));
                }
                (Some(mut walk), Some(mode)) => {
                    walk.step(level, &[], mode)?;
                    walk
                }
                _ => self.begin(forward, false)?,
            });
        }
        let Some(walk) = walk else { return Ok(Shared::NotBegun) };
        if entry.verdict == Verdict::None {
            self.evidence.add_refutation(Refuted::by_middle(self.claim(length), &walk, palindromic)?);
        }
        self.evidence.note_if_exhausted(&walk, palindromic);
        match mode {
            Some(mode) => self.report_walk(entry, mode, walk.sampled),
            None => self.report(entry, "by levels of shorter lengths"),
        }
        Ok(Shared::At(walk))
    }
}
