//! The manifest of a run: the list of complete levels and answers, as it is written to disk.
//!
//! The file is JSON: the manifest, and the XXH3-128 of its bytes. The description of the run, its terms, the answers
//! and the figures of a level belong to the caller; the manifest keeps them as JSON values.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use bytesize::ByteSize;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_128;

use halma_files::folder;
use halma_files::number::Digest;

use crate::budget::Measurements;
use crate::store::StoreError;
use crate::store::disk::refused;
use crate::store::storage::{self, Storage};

/// The version of the manifest; another one is refused.
const FORMAT: u32 = 2;
/// The file name of the manifest.
pub const MANIFEST: &str = "run.json";
/// The most lists and tables that a manifest may have, and the most values: each takes memory beyond its bytes.
const PARTS: usize = 1 << 20;
const VALUES: usize = 1 << 23;
/// The most bytes that are written, so that what is written can be read; the record of the run, which has the same levels, may be
/// somewhat longer.
const LONGEST: u64 = if cfg!(test) { 1 << 18 } else { folder::RECORD_BYTES / 8 * 7 };
/// More successors than any search can make.
const TOO_MANY: u64 = 1 << 50;

/// A file that the manifest names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// How many keys it holds.
    pub keys: u64,
    /// Of a level or a part: the digest of its keys. Of a layer: a hash of its segments.
    pub digest: Digest,
    /// What the search stores with it.
    pub figures: serde_json::Value,
}

/// The checkpoint of a level under way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Partial {
    /// The level's label.
    pub label: String,
    /// How far the level has come.
    #[serde(flatten)]
    pub mark: Mark,
    /// The [`fingerprint`](crate::store::Level::fingerprint) of the previous level: the mark says nothing of other
    /// blocks. Checkpoints of earlier programs have none, and are not taken up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded: Option<Digest>,
    /// The labels of the layers of sorted successors.
    pub layers: Vec<String>,
    /// The labels of the parts of the level that have passed its filter, ascending. With the last of them the layers go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// With several processes: the marks up to which each process's layers hold everything made. Layers may hold more;
    /// what is made again is a duplicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl Partial {
    /// A checkpoint that has nothing of the level, and is not taken up.
    #[must_use]
    pub(crate) fn nothing_of(label: &str) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// The label of layer `number` of the level with that label.
    pub(crate) fn layer_label(level: &str, number: usize) -> String {
        format!("{level}.layer-{number:04}")
    }

    /// The label of part `number` of the level with that label.
    pub(crate) fn part_label(level: &str, number: usize) -> String {
        format!("{level}.part-{number:04}")
    }

    /// Whether its layers and parts are numbered from 0, without a gap.
    fn is_numbered(&self) -> bool {
        let numbered = |labels: &[String], label: fn(&str, usize) -> String| {
            labels.iter().enumerate().all(|(number, found)| *found == label(&self.label, number))
        };
        numbered(&self.layers, Self::layer_label) && numbered(&self.parts, Self::part_label)
    }

    /// The labels of its files.
    pub(super) fn files(&self) -> impl Iterator<Item = &String> {
        self.layers.iter().chain(&self.parts)
    }
}

/// How far a level has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The first block of the level before that has not been expanded.
    pub next_block: usize,
    /// Successors so far, pruned ones included.
    pub generated: u64,
    /// Successors so far, pruned ones not included.
    pub emitted: u64,
}

/// The manifest.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: u32,
    /// The description of the run, to compare and to read.
    pub(super) run: serde_json::Value,
    /// The limits and outputs of the run, which may change when it resumes.
    pub(super) terms: serde_json::Value,
    /// The answers to single lengths, in order.
    pub(super) answers: Vec<serde_json::Value>,
    pub(super) files: BTreeMap<String, ManifestEntry>,
    pub(super) partial: Option<Partial>,
    /// The resources that the run had used when the manifest was written.
    #[serde(default)]
    #[serde(rename = "spent")]
    pub(super) measurements: Measurements,
}

/// The manifest as it is written: the text, and its checksum.
#[derive(Serialize, Deserialize)]
struct Sealed<'a> {
    checksum: Digest,
    #[serde(borrow)]
    list: &'a RawValue,
}

/// The parts of a sealed manifest.
#[derive(Deserialize)]
struct Parts {
    checksum: Option<IgnoredAny>,
    list: Option<IgnoredAny>,
}

/// The version of a manifest, which decides whether the rest can be read.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

/// The name of the file with that label.
pub(super) fn file_name(label: &str) -> String {
    format!("{label}.level")
}

impl Manifest {
    /// The manifest of a run that has just begun.
    pub(super) fn new(run: serde_json::Value, terms: serde_json::Value) -> Self {
        Self { format: FORMAT, run, terms, ..Self::default() }
    }

    /// Drops the checkpoint within a level, if there is one and `goes` is true of it; returns the labels of its files.
    pub(super) fn drop_partial(&mut self, goes: impl FnOnce(&Partial) -> bool) -> Vec<String> {
        match self.partial.take_if(|partial| goes(partial)) {
            Some(partial) => self.drop_files(partial.files()),
            None => Vec::new(),
        }
    }

    /// Replaces the checkpoint within a level; returns the labels of the files that only the earlier one has.
    pub(super) fn replace_partial(&mut self, partial: Partial) -> Vec<String> {
        let (earlier, kept) = (self.partial.take(), partial.files().collect::<BTreeSet<_>>());
        let gone = self.drop_files(earlier.iter().flat_map(Partial::files).filter(|label| !kept.contains(label)));
        self.partial = Some(partial);
        gone
    }

    fn drop_files<'a>(&mut self, labels: impl Iterator<Item = &'a String>) -> Vec<String> {
        labels.inspect(|&label| drop(self.files.remove(label))).cloned().collect()
    }

    /// The manifest with its checksum, as text.
    pub(super) fn sealed(&self) -> serde_json::Result<String> {
        let text = serde_json::to_string_pretty(self)?;
        let checksum = Digest(xxh3_128(text.as_bytes()));
        serde_json::to_string_pretty(&Sealed { checksum, list: serde_json::from_str(&text)? })
    }

    /// Writes the manifest to a run's folder, in place of the one before; that stays where this one is too long to be read again.
    pub(super) fn write(&self, folder: &dyn Storage) -> Result<(), StoreError> {
        let file = || folder.path(MANIFEST);
        let text = self.sealed().map_err(|e| StoreError::io(file(), e.into()))?;
        let what = if text.len() as u64 > LONGEST {
            Some(format!("{}, and the most is {}", ByteSize(text.len() as u64), ByteSize(LONGEST)))
        } else {
            has_too_many_parts(&text).then(|| "too many entries".into())
        };
        if let Some(what) = what {
            let reason = format!(
                "the list of the run's levels would have {what}: the run cannot go on, \
                 and what it has shown so far stays"
            );
            return Err(StoreError::Full { file: file(), reason });
        }
        storage::replace(folder, MANIFEST, text.as_bytes()).map_err(|e| refused(folder, MANIFEST, e))
    }

    /// The error for a manifest in `folder` with contents that this program cannot have written.
    pub(super) fn damaged(folder: &dyn Storage, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { file: folder.path(MANIFEST), reason: reason.into() }
    }

    /// Reads the manifest in a run's folder, if there is one.
    pub(super) fn read(folder: &dyn Storage) -> Result<Option<Self>, StoreError> {
        match folder.read(MANIFEST, folder::RECORD_BYTES) {
            Ok(bytes) => Self::parse(folder, bytes).map(Some),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::io(folder.path(MANIFEST), source)),
        }
    }

    fn parse(folder: &dyn Storage, bytes: Vec<u8>) -> Result<Self, StoreError> {
        let damaged = |reason: String| Self::damaged(folder, reason);
        let file = || folder.path(MANIFEST);
        let text = String::from_utf8(bytes).map_err(|e| damaged(e.to_string()))?;
        if has_too_many_parts(&text) {
            return Err(damaged("it has more parts than any run".into()));
        }
        if let Ok(Parts { checksum: None, list: None }) = serde_json::from_str(&text) {
            return Err(StoreError::Foreign { file: file(), reason: "it is no list of a run".into() });
        }
        let sealed: Sealed = serde_json::from_str(&text).map_err(|e| damaged(e.to_string()))?;
        if xxh3_128(sealed.list.get().as_bytes()) != sealed.checksum.0 {
            return Err(damaged("it does not match its checksum".into()));
        }
        let Version { format } = serde_json::from_str(sealed.list.get()).map_err(|e| damaged(e.to_string()))?;
        if format != FORMAT {
            let (found, reads) = (format!("format {format}"), format!("format {FORMAT}"));
            return Err(StoreError::Version { file: file(), found, reads });
        }
        let manifest: Self = serde_json::from_str(sealed.list.get()).map_err(|e| damaged(e.to_string()))?;
        manifest.sound().map_err(damaged)?;
        Ok(manifest)
    }

    /// The files of complete levels.
    pub(super) fn complete(&self) -> BTreeMap<String, ManifestEntry> {
        let partial: BTreeSet<&String> = self.partial.iter().flat_map(Partial::files).collect();
        self.files.iter().filter(|(label, _)| !partial.contains(label)).map(|(l, s)| (l.clone(), s.clone())).collect()
    }

    /// Rejects what this program cannot have written, whatever the checksum says.
    fn sound(&self) -> Result<(), String> {
        let plain = |label: &str| folder::is_plain(&file_name(label)) && !label.is_empty() && !label.starts_with('.');
        if let Some(label) = self.files.keys().find(|label| !plain(label)) {
            return Err(format!("`{label}` is no name of a level"));
        }
        if let Some(partial) = &self.partial {
            let counted = |mark: &Mark| mark.emitted <= mark.generated && mark.generated < TOO_MANY;
            if !partial.marks.iter().chain([&partial.mark]).all(counted) {
                return Err("its counts of successors contradict each other".into());
            }
            if !partial.is_numbered() {
                return Err(format!("the layers or parts of {} are not numbered", partial.label));
            }
            if let Some(file) = partial.files().find(|file| !self.files.contains_key(*file)) {
                return Err(format!("it names {file} and does not say what that is"));
            }
        }
        let Measurements { seconds, cpu_seconds, .. } = self.measurements;
        match [seconds, cpu_seconds].iter().all(|time| (0.0..1e12).contains(time)) {
            true => Ok(()),
            false => Err("its times are not between 0 and 10^12 seconds".into()),
        }
    }
}

/// Whether a document has more lists and tables, or more values, than a manifest may have.
fn has_too_many_parts(text: &str) -> bool {
    let count = |of: &[u8]| text.bytes().filter(|b| of.contains(b)).count();
    count(b"{[") > PARTS || count(b",") > VALUES
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form that earlier programs wrote, too.
    #[test]
    fn a_checkpoint_states_its_mark_among_its_own_fields() {
        let mark = Mark { next_block: 3, generated: 50, emitted: 40 };
        let expanded = Some(Digest(7));
        let (layers, parts) = (vec!["a".into()], vec!["b".into()]);
        let partial = Partial { label: "L4-002".into(), mark, expanded, layers, parts, marks: vec![mark] };
        let json = serde_json::json!({
            "label": "L4-002",
            "next_block": 3,
            "expanded": "00000000000000000000000000000007",
            "generated": 50,
            "emitted": 40,
            "layers": ["a"],
            "parts": ["b"],
            "marks": [{ "next_block": 3, "generated": 50, "emitted": 40 }],
        });
        assert_eq!(serde_json::to_value(&partial).unwrap(), json);
        assert_eq!(serde_json::from_value::<Partial>(json).unwrap(), partial);
        let old = r#"{ "label": "L4-002", "next_block": 3, "generated": 50, "emitted": 40, "layers": ["a"] }"#;
        let without = Partial { expanded: None, parts: Vec::new(), marks: Vec::new(), ..partial };
        assert_eq!(serde_json::from_str::<Partial>(old).unwrap(), without);
        let lacks = r#"{ "label": "L4-002", "next_block": 3, "generated": 50, "layers": ["a"] }"#;
        assert!(serde_json::from_str::<Partial>(lacks).is_err());
    }
}
