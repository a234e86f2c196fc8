//! The result of one length, level by level.

use serde::{Deserialize, Serialize};

use halma_files::number;

use super::{Digest, FileRecord, Verdict};
use crate::job::Pruning;

/// The result for one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthRecord {
    /// The length.
    pub length: u32,
    /// What was found.
    pub verdict: Verdict,
    /// Why the length is undecided, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// If its leading levels also serve greater lengths: the greatest. The entries of those have only their following
    /// levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<u32>,
    /// If its following levels also decide the next length, whose entry then has no levels: that length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<u32>,
    /// Whether moves that no leading solution makes were left out when its first following level was made. Absent in
    /// earlier records: all moves were made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leading_moves: bool,
    /// Whether states of its following levels, and of the level before them, were left without successors because the
    /// leading levels would have had their mirror images. Absent in earlier records: all states were expanded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub covered: bool,
    /// The pruning, if it differs from the record's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pruning: Option<Pruning>,
    /// `mcc`: the C of the search.
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
    /// `false` if the guess of C proved too small, so that the verdict counts for nothing.
    pub self_consistent: bool,
    /// One entry for each level and side. Trailing levels that meet the following levels of several lengths are with
    /// the last of these.
    pub levels: Vec<LevelRecord>,
}

impl LengthRecord {
    /// An entry without levels and figures.
    #[must_use]
    pub fn blank(length: u32, verdict: Verdict) -> Self {
        Self {
            length,
            verdict,
            reason: None,
            up_to: None,
            shared_with: None,
            leading_moves: false,
            covered: false,
            pruning: None,
            c: None,
            seconds: 0.0,
            generated: 0,
            largest_level: 0,
            self_consistent: true,
            levels: Vec::new(),
        }
    }

    /// Whether following levels of this entry are made by leading moves: whether there are any, for an odd length.
    #[must_use]
    pub fn has_leading_moves(&self) -> bool {
        let last = self.shared_with.unwrap_or(self.length);
        !last.is_multiple_of(2) && self.has_following()
    }

    /// Whether this entry has following levels.
    #[must_use]
    pub fn has_following(&self) -> bool {
        self.levels.iter().any(|level| level.side == Side::Following)
    }
}

/// The entries of lengths that were decided together, at least one.
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

/// The entries that were decided together, in order. A count's levels, for a length that already has its entry, are
/// separate.
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
    /// The number of moves from its side's start.
    pub depth: u32,
    /// The side.
    pub side: Side,
    /// New states, one for each class under K.
    #[serde(with = "number::digits")]
    pub states: u64,
    /// Successors of the previous level: pruned + duplicates + old + states.
    #[serde(with = "number::digits")]
    pub generated: u64,
    /// Successors that a bound pruned, or that a beam search did not keep.
    #[serde(with = "number::digits")]
    pub pruned: u64,
    /// Successors found more than once on this level.
    #[serde(with = "number::digits")]
    pub duplicates: u64,
    /// Successors that an earlier level has.
    #[serde(with = "number::digits")]
    pub old: u64,
    /// The largest centroid.
    pub centroid_max: Option<i64>,
    /// The digest: the sum of all states' hashes.
    pub digest: Digest,
    /// The same under the second key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_digest: Option<Digest>,
    /// The file of the level, if levels were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileRecord>,
    /// Time on the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Bytes that the level takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The side that a level belongs to.
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
    /// From the start to the mirror image of the last following level, if that grew too large.
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
