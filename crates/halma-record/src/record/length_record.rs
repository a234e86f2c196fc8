//! The result of one length, level by level.

use serde::{Deserialize, Serialize};

use halma_files::number;

use super::{Digest, FileRecord, Verdict};
use crate::job::Pruning;

/// The search for one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthRecord {
    /// The length.
    pub length: u32,
    /// What was found.
    pub verdict: Verdict,
    /// Why the run did not end, where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where its leading levels serve the lengths after it, too: the greatest one. The runs of those have only what follows
    /// from their middle level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u32>,
    /// Where what follows from its middle level decides the next length, too, whose run then has no levels: that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<u32>,
    /// The pruning, where it is not that of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruning: Option<Pruning>,
    /// `mcc`: the C that the run was made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<i64>,
    /// Time on the clock.
    pub seconds: f64,
    /// Successors over all levels.
    #[serde(with = "number::digits")]
    pub generated: u64,
    /// States of the largest level.
    #[serde(with = "number::digits")]
    pub largest_level: u64,
    /// `false` where a guess that the run was made with proved too small, so that its verdict counts for nothing.
    pub self_consistent: bool,
    /// One entry per level and side. Trailing levels that meet the following ones of several runs are with the last of these.
    pub levels: Vec<LevelRecord>,
}

/// The runs of lengths that were decided together, at least one.
#[derive(Clone, Copy, Debug)]
pub struct Together<'a>(pub &'a [LengthRecord]);

impl Together<'_> {
    /// The last of the lengths.
    #[must_use]
    pub fn last(self) -> u32 {
        self.0[self.0.len() - 1].length
    }

    /// Successors over all of them.
    #[must_use]
    pub fn generated(self) -> u64 {
        self.0.iter().map(|entry| entry.generated).sum()
    }
}

/// What was decided together, in order. A count's levels, of a length that has had its run, are a part of their own.
#[must_use]
pub fn together(runs: &[LengthRecord]) -> Vec<Together<'_>> {
    let (mut parts, mut rest) = (Vec::new(), runs);
    while let Some(first) = rest.first() {
        let up_to = first.up_to.unwrap_or(first.length);
        let lengths = first.length..=up_to;
        // At least the first, whatever an edited record says.
        let count = lengths.zip(rest).take_while(|(length, entry)| entry.length == *length).count().max(1);
        let (part, others) = rest.split_at(count);
        parts.push(Together(part));
        rest = others;
    }
    parts
}

/// One level of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelRecord {
    /// How many moves from its side's start.
    pub depth: u32,
    /// The side.
    pub side: Side,
    /// New states, one for each class under K.
    #[serde(with = "number::digits")]
    pub states: u64,
    /// Successors of the level before: pruned + duplicates + old + states.
    #[serde(with = "number::digits")]
    pub generated: u64,
    /// Successors that a bound dropped.
    #[serde(with = "number::digits")]
    pub pruned: u64,
    /// Successors met more than once on this level.
    #[serde(with = "number::digits")]
    pub duplicates: u64,
    /// Successors that stand on one of the two levels before.
    #[serde(with = "number::digits")]
    pub old: u64,
    /// The largest centroid.
    pub centroid_max: Option<i64>,
    /// The sum of all states' mixes.
    pub digest: Digest,
    /// The same under the second key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_digest: Option<Digest>,
    /// The file that keeps the level, where levels were to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// Time on the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Bytes that the level takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// Which levels a level belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// From the start.
    Forward,
    /// From the target.
    Backward,
    /// From the start to the middle, the leading half only.
    Leading,
    /// From the middles of the leading half to the target.
    Following,
    /// From the start to the mirror image of the last following level, where that has been outgrown.
    Trailing,
}

impl Side {
    /// Its name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Leading => "leading",
            Self::Following => "following",
            Self::Trailing => "trailing",
        }
    }
}
