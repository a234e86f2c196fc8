//! Level files: reader, writer and the format, version 1.
//!
//! All numbers are little-endian; k is the size of a key in bytes.
//!
//! | bytes | what |
//! | --- | --- |
//! | 8 | `HALMALVL` |
//! | 4 | the version, 1 |
//! | 4 | k |
//! | 16 | the identity: a digest of the problem, of the search and of the level's place in it |
//! | ... | the blocks, one after another (see [`crate::store`]) |
//! | (k + 24) for each block | the index: first key (k), offset in the file (8), bytes (4), keys (4), XXH3-64 of the block's bytes (8) |
//! | 8, 8, 8 | the footer: where the index starts, how many blocks, how many keys |
//! | 16 | of a level or a part: the digest of its keys ([`crate::search::digest`]); of a layer: a hash of its segments |
//! | 16 | XXH3-128 of header, index and the footer so far |
//! | 8 | `HALMAEND` |
//!
//! A file is written under a temporary name, synced, and renamed into place when it is whole; then its folder is synced.
//! A reader of another version must refuse the file. Header, index and footer are checked when a file is opened, a
//! block whenever it is read.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use halma_files::folder::parted;

use super::disk::{Claim, Disk, refused};
use super::storage::{Input, Output, Part, Storage};
use super::{BlockEntry, Level, Segment, StoreError, wire};
use crate::key::Key;

const MAGIC: &[u8; 8] = b"HALMALVL";
const END: &[u8; 8] = b"HALMAEND";
/// The version of the format. A file of another version is refused.
const VERSION: u32 = 1;
const HEADER: usize = 32;
const FOOTER: usize = 64;
/// The most bytes that a file has for each key beside the blocks, and a few more: a key's entry in the index.
const MOST_BESIDE: u64 = 64;
/// What the footer ends with: the checksum, and [`END`].
const SEAL: usize = 24;

/// An open level file.
#[derive(Debug)]
pub struct LevelFile {
    path: PathBuf,
    file: Box<dyn Input>,
    /// Of a file without a name: its part of the disk budget.
    claim: OnceLock<Claim>,
}

impl LevelFile {
    /// The file has lost its name; what it takes up is free when it is closed.
    pub(super) fn hold(&self, claim: Claim) {
        // It has one name to lose.
        let _ = self.claim.set(claim);
    }

    fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Damaged { file: self.path.clone(), reason: reason.into() }
    }

    /// Calls `with` with the bytes of a block, after comparing them with their checksum.
    pub(super) fn with_block<K, R>(
        &self,
        block: &BlockEntry<K>,
        with: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, StoreError> {
        if block.bytes == 0 {
            return Ok(with(&[]));
        }
        let bytes = self.part(block.offset, block.bytes as usize)?;
        if xxh3_64(&bytes) != block.checksum {
            return Err(self.damaged(format!("the block at byte {} does not match its checksum", block.offset)));
        }
        Ok(with(&bytes))
    }

    fn read_error(&self, source: std::io::Error) -> StoreError {
        match source.kind() {
            ErrorKind::UnexpectedEof => self.damaged(format!("it was cut: {source}")),
            _ => StoreError::io(self.path.clone(), source),
        }
    }

    fn foreign(&self, reason: impl Into<String>) -> StoreError {
        StoreError::Foreign { file: self.path.clone(), reason: reason.into() }
    }

    /// Header and footer of a file of that length, if it is a level file.
    fn ends(&self, length: u64) -> Result<(Part, Part), StoreError> {
        let begun = match length.min(8) as usize {
            0 => true,
            most => MAGIC.starts_with(&self.part(0, most)?),
        };
        if length < (HEADER + FOOTER) as u64 {
            return Err(match begun {
                true => self.damaged(format!("it is only {length} bytes long")),
                false => self.foreign("it is no level file"),
            });
        }
        let footer = self.part(length - FOOTER as u64, FOOTER)?;
        match (begun, footer[FOOTER - 8..] == *END) {
            (true, true) => Ok((self.part(0, HEADER)?, footer)),
            (false, false) => Err(self.foreign("it is no level file")),
            _ => Err(self.damaged("its beginning or its end is lost")),
        }
    }

    /// The index and footer of a file of that length, if they and the header have the right checksum and this version.
    fn sealed(&self, length: u64, header: &[u8], footer: &[u8]) -> Result<Part, StoreError> {
        let index_at = number::<8>(footer, 0) as u64;
        let version = number::<4>(header, 8);
        // If the checksum holds with this version's number, the number itself is damaged, and the file is not of
        // another version.
        let written = [&header[..8], &VERSION.to_le_bytes(), &header[12..]].concat();
        if (HEADER as u64..=length - FOOTER as u64).contains(&index_at) {
            let tail = self.part(index_at, (length - index_at) as usize)?;
            let hashed = tail.len() - SEAL;
            if checksum(&written, &tail[..hashed]) == number::<16>(&tail, hashed) {
                return match version == u128::from(VERSION) {
                    true => Ok(tail),
                    false => Err(self.damaged("it lost the number of its version")),
                };
            }
        }
        if version == u128::from(VERSION) {
            return Err(self.damaged("its header, index or footer does not match their checksum"));
        }
        let (found, reads) = (format!("version {version}"), format!("version {VERSION}"));
        Err(StoreError::Version { file: self.path.clone(), found, reads })
    }

    /// A part of the file, at least one byte.
    fn part(&self, offset: u64, length: usize) -> Result<Part, StoreError> {
        self.file.part(offset, length).map_err(|e| self.read_error(e))
    }
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> u128 {
    let mut all = [0; 16];
    all[..N].copy_from_slice(&bytes[at..at + N]);
    u128::from_le_bytes(all)
}

/// A file under its temporary name. Unless it is renamed, it is removed on drop and its disk space released: a full
/// disk must not stay full of unusable files.
#[derive(Debug)]
struct Temporary<'a> {
    folder: &'a dyn Storage,
    name: String,
    disk: &'a Disk,
    claimed: u64,
    renamed: bool,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // What cannot be removed now is removed when the run's folder is next opened.
            let _ = self.folder.remove(&self.name);
            self.disk.release(self.claimed);
        }
    }
}

/// Writes one level file.
#[derive(Debug)]
pub struct LevelFileWriter<'a, K> {
    name: String,
    temporary: Temporary<'a>,
    out: BufWriter<Box<dyn Output>>,
    header: Vec<u8>,
    blocks: Vec<BlockEntry<K>>,
    at: u64,
    keys: u64,
}

impl<'a, K: Key> LevelFileWriter<'a, K> {
    /// Begins the file `name` of the folder for the level with that identity.
    ///
    /// # Errors
    /// Where the system or the disk budget refuses.
    pub fn create(folder: &'a dyn Storage, name: &str, identity: u128, disk: &'a Disk) -> Result<Self, StoreError> {
        let temporary = format!("{}.tmp", name.strip_suffix(".level").unwrap_or(name));
        let file = folder.create(&temporary).map_err(|e| refused(folder, &temporary, e))?;
        let temporary = Temporary { folder, name: temporary, disk, claimed: 0, renamed: false };
        let mut header = Vec::new();
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(K::BYTES as u32).to_le_bytes());
        header.extend_from_slice(&identity.to_le_bytes());
        let out = BufWriter::with_capacity(1 << 18, file);
        let mut writer =
            Self { name: name.into(), temporary, out, header: Vec::new(), blocks: Vec::new(), at: 0, keys: 0 };
        writer.write(&header)?;
        writer.header = header;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let Temporary { folder, name, disk, claimed, .. } = &mut self.temporary;
        disk.take(bytes.len() as u64, &folder.path(name))?;
        *claimed += bytes.len() as u64;
        self.out.write_all(bytes).map_err(|e| refused(*folder, name, e))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Appends a segment, whose keys must be larger than all keys so far.
    ///
    /// # Errors
    /// Where the system or the disk budget refuses.
    ///
    /// # Panics
    /// Where its blocks do not follow those so far: a level is merged with others in order, and would lose states.
    pub fn append(&mut self, segment: &Segment<K>) -> Result<(), StoreError> {
        let start = self.at;
        let mut before = self.blocks.last().map(|block| block.first);
        for block in &segment.blocks {
            assert!(before < Some(block.first), "block {:?} after {before:?}", block.first);
            before = Some(block.first);
        }
        self.blocks.extend(segment.blocks.iter().map(|b| BlockEntry { offset: start + b.offset, ..*b }));
        self.keys += segment.keys;
        self.write(&segment.bytes)
    }

    /// Appends the blocks of a level, whose keys must be larger than all keys so far.
    ///
    /// # Errors
    /// Where a block cannot be read, or the system or the disk budget refuses.
    ///
    /// # Panics
    /// As [`Self::append`].
    pub(crate) fn append_level(&mut self, level: &Level<K>) -> Result<(), StoreError> {
        for (number, block) in level.index().iter().enumerate() {
            let bytes = level.with_bytes(number, <[u8]>::to_vec)?;
            let entry = BlockEntry { offset: 0, segment: 0, ..*block };
            self.append(&Segment { blocks: vec![entry], bytes, keys: u64::from(block.keys) })?;
        }
        Ok(())
    }

    /// Completes the file, and returns its level as `open_in` would.
    ///
    /// # Errors
    /// Where the system or the disk budget refuses.
    pub fn finish(mut self, digest: u128) -> Result<Level<K>, StoreError> {
        let index_at = self.at;
        let mut tail = Vec::with_capacity(self.blocks.len() * (K::BYTES + 24) + FOOTER);
        for block in &self.blocks {
            wire::put(block.first, &mut tail);
            tail.extend_from_slice(&block.offset.to_le_bytes());
            tail.extend_from_slice(&block.bytes.to_le_bytes());
            tail.extend_from_slice(&block.keys.to_le_bytes());
            tail.extend_from_slice(&block.checksum.to_le_bytes());
        }
        for value in [index_at, self.blocks.len() as u64, self.keys] {
            tail.extend_from_slice(&value.to_le_bytes());
        }
        tail.extend_from_slice(&digest.to_le_bytes());
        tail.extend_from_slice(&checksum(&self.header, &tail).to_le_bytes());
        tail.extend_from_slice(END);
        self.write(&tail)?;
        let Self { name, mut temporary, mut out, blocks, .. } = self;
        let folder = temporary.folder;
        let written = (|| {
            out.flush()?;
            out.get_ref().sync()?;
            // A level that is made again takes the place of the one that was there.
            let replaced = match folder.open(&name) {
                // Also where it was none, and a link or a folder.
                Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => 0,
                there => there?.length()?,
            };
            folder.rename(&temporary.name, &name)?;
            temporary.renamed = true;
            temporary.disk.release(replaced);
            folder.sync()
        })();
        written.map_err(|e| refused(folder, &temporary.name, e))?;
        let (path, file) = (folder.path(&name), folder.open(&name));
        let file = file.map_err(|source| StoreError::opening(path.clone(), source))?;
        Ok(Level::in_file(blocks, LevelFile { path, file, claim: OnceLock::new() }))
    }
}

fn checksum(header: &[u8], tail: &[u8]) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(header);
    hash.update(tail);
    hash.digest128()
}

/// Writes `level` to the file `name` of the folder, and returns the level in the file.
///
/// # Errors
/// Where a block cannot be read, or the system or the disk budget refuses.
pub(crate) fn write_in<K: Key>(
    folder: &dyn Storage,
    name: &str,
    identity: u128,
    level: &Level<K>,
    digest: u128,
    disk: &Disk,
) -> Result<Level<K>, StoreError> {
    let mut writer = LevelFileWriter::create(folder, name, identity, disk)?;
    writer.append_level(level)?;
    writer.finish(digest)
}

/// `write_in`, by a path.
///
/// # Errors
/// As `write_in`.
pub fn write<K: Key>(
    path: &Path,
    identity: u128,
    level: &Level<K>,
    digest: u128,
    disk: &Disk,
) -> Result<Level<K>, StoreError> {
    let (folder, name) = parted(path).map_err(|source| StoreError::io(path.into(), source))?;
    write_in(&folder, name, identity, level, digest, disk)
}

/// `open_in`, by a path.
///
/// # Errors
/// As `open_in`.
pub fn open<K: Key>(path: &Path, identity: u128, keys: u64, digest: u128) -> Result<Level<K>, StoreError> {
    let (folder, name) = parted(path).map_err(|source| StoreError::opening(path.into(), source))?;
    open_in(&folder, name, identity, keys, digest)
}

/// Opens the level file `name` of the folder, which must have this identity and hold a level of `keys` keys with that digest.
/// Its blocks are not read: [`Level::audit_block`] does that.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Version`], [`StoreError::Foreign`] or [`StoreError::Damaged`] where it is not.
pub(crate) fn open_in<K: Key>(
    folder: &dyn Storage,
    name: &str,
    identity: u128,
    keys: u64,
    digest: u128,
) -> Result<Level<K>, StoreError> {
    let path = folder.path(name);
    let file = folder.open(name).map_err(|source| StoreError::opening(path.clone(), source))?;
    let length = file.length().map_err(|source| StoreError::Io { file: path.clone(), source })?;
    let level = LevelFile { path, file, claim: OnceLock::new() };
    let (header, footer) = level.ends(length)?;
    let [index_at, blocks, stated] = [0, 8, 16].map(|at| number::<8>(&footer, at) as u64);
    // Checked before the index is read: a forged footer must not make the reader map more than that.
    if length.saturating_sub(index_at) > keys.saturating_mul(MOST_BESIDE).saturating_add(1 << 16) {
        return Err(match number::<16>(&header, 16) == identity {
            true => level.damaged("its index is larger than that of so many keys"),
            false => level.foreign("it belongs to another problem, search or level"),
        });
    }
    let tail = level.sealed(length, &header, &footer)?;
    if number::<4>(&header, 12) != K::BYTES as u128 {
        let width = number::<4>(&header, 12);
        return Err(level.foreign(format!("it has keys of {width} bytes, and the search has keys of {}", K::BYTES)));
    }
    if number::<16>(&header, 16) != identity {
        return Err(level.foreign("it belongs to another problem, search or level"));
    }
    let entry = (K::BYTES + 24) as u64;
    let expected = blocks.checked_mul(entry).and_then(|b| b.checked_add(index_at)?.checked_add(FOOTER as u64));
    if expected != Some(length) {
        return Err(level.damaged("its index does not fit its length"));
    }
    if (stated, number::<16>(&footer, 24)) != (keys, digest) {
        return Err(level.foreign("it holds another set of states than the run's list says"));
    }
    let hashed = tail.len() - SEAL;
    let entries = tail[..hashed - 40].chunks(entry as usize).map(|e| BlockEntry {
        first: wire::get(e),
        offset: number::<8>(e, K::BYTES) as u64,
        segment: 0,
        bytes: number::<4>(e, K::BYTES + 8) as u32,
        keys: number::<4>(e, K::BYTES + 12) as u32,
        checksum: number::<8>(e, K::BYTES + 16) as u64,
    });
    let entries: Vec<BlockEntry<K>> = entries.collect();
    match is_whole(&entries, index_at, keys) {
        true => Ok(Level::in_file(entries, level)),
        false => Err(level.damaged("its index is not one of ascending blocks, one after another")),
    }
}

/// Whether the blocks fill the file from its header to its index, ascend, and have `keys` keys in all, none of them
/// more than a block may have or its bytes can code.
fn is_whole<K: Key>(blocks: &[BlockEntry<K>], index_at: u64, keys: u64) -> bool {
    let mut at = HEADER as u64;
    let possible = blocks.iter().all(|block| {
        let fits = block.offset == at;
        at += u64::from(block.bytes);
        fits && block.is_possible()
    });
    possible
        && at == index_at
        && blocks.windows(2).all(|pair| pair[0].first < pair[1].first)
        && blocks.iter().map(|block| u64::from(block.keys)).sum::<u64>() == keys
}

impl<K: Key> Level<K> {
    /// The file of the level, if it is in one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.file().map(|file| &*file.path)
    }

    /// The keys of block `number`, as [`Self::read_block`] reads them, if they ascend, stay below those of the next
    /// block, and use all bytes of the block. Other codings of the same keys pass. A checksum does not show that,
    /// because whoever forges a file can forge its checksum, too.
    ///
    /// # Errors
    /// As [`Self::read_block`], and where the keys are not so.
    pub fn audit_block(&self, number: usize, keys: &mut Vec<K>) -> Result<(), StoreError> {
        let block = &self.index()[number];
        let next = self.index().get(number + 1).map(|next| next.first);
        match self.with_bytes(number, |bytes| block.audit(bytes, next, keys))? {
            true => Ok(()),
            false => Err(self.damaged(&format!("the keys of the block at byte {} do not ascend", block.offset))),
        }
    }

    /// The error for a level that is not what was written.
    pub(crate) fn damaged(&self, reason: &str) -> StoreError {
        let file = self.path().unwrap_or(Path::new("a level in memory"));
        StoreError::Damaged { file: file.into(), reason: reason.into() }
    }
}
