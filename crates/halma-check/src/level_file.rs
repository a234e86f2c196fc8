//! A reader of level files, from their description (`crates/halma-engine/src/store/file.rs`); and levels that were derived and
//! are in memory.

use std::fmt::Display;
use std::fs::File;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::number::Number;
use super::rejection::{Rejection, RejectionKind};
use crate::parallel;

/// The version of the format that is read here.
const VERSION: u32 = 1;
const HEADER: usize = 32;
const FOOTER: usize = 64;
/// The most keys in a block.
pub(super) const BLOCK: usize = 4096;
/// Entries of an index that are read at a time.
const INDEX: usize = 1 << 12;

/// The path of a file that a record names, in its run's folder: plain names only, and no link on the way.
pub(super) fn below(folder: &Path, name: &str) -> Result<PathBuf, Rejection> {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\0', '\\']);
    if !name.split('/').all(plain) {
        return RejectionKind::File.reject(format!("{name:?} is no name of a file in the run's folder"));
    }
    let mut path = folder.to_path_buf();
    for part in name.split('/') {
        path.push(part);
        if path.symlink_metadata().is_ok_and(|there| there.file_type().is_symlink()) {
            return RejectionKind::File.reject(format!("{}: it is a symbolic link", path.display()));
        }
    }
    Ok(path)
}

/// Opens a file that is neither a link nor a pipe nor a device.
fn regular(path: &Path) -> std::io::Result<File> {
    // Opening a pipe would wait for a writer.
    let file = File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file")),
    }
}

/// What the system says where this process, or all of them, have as many files open as they may.
const TOO_MANY_FILES: [i32; 2] = [libc::EMFILE, libc::ENFILE];

/// A file that is read.
struct Opened<'a> {
    path: &'a Path,
    file: File,
    length: u64,
}

impl<'a> Opened<'a> {
    fn new(path: &'a Path) -> Result<Self, Rejection> {
        let opened = regular(path).and_then(|file| Ok(Self { path, length: file.metadata()?.len(), file }));
        opened.map_err(|e| {
            let why = format!("{}: {e}", path.display());
            match e.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code)) {
                true => RejectionKind::TooLarge.because(format!("{why}; allow more (`ulimit -n`)")),
                false => RejectionKind::File.because(why),
            }
        })
    }

    fn fault(&self, reason: impl Display) -> Rejection {
        RejectionKind::File.because(format!("{}: {reason}", self.path.display()))
    }

    fn read(&self, from: u64, bytes: u64) -> Result<Vec<u8>, Rejection> {
        let mut buffer = vec![0; bytes as usize];
        self.file.read_exact_at(&mut buffer, from).map(|()| buffer).map_err(|e| self.fault(e))
    }
}

/// The index entry of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<N> {
    first: N,
    offset: u64,
    bytes: u32,
    keys: u32,
    checksum: u64,
    /// How many keys come before it.
    start: u64,
}

impl<N: Number> Block<N> {
    /// An entry of the index with keys of `width` bytes; `None` if its key has too many bits.
    fn read(entry: &[u8], width: usize, start: u64) -> Option<Self> {
        let field = |at: usize, bytes: usize| number(&entry[width + at..width + at + bytes]);
        Some(Self {
            first: N::read(&entry[..width])?,
            offset: field(0, 8) as u64,
            bytes: field(8, 4) as u32,
            keys: field(12, 4) as u32,
            checksum: field(16, 8) as u64,
            start,
        })
    }

    /// Whether it has no more keys than a block may have, and between one byte and the longest difference for every key
    /// but the first. Readers allocate by this number.
    fn is_possible(&self) -> bool {
        let further = self.keys.wrapping_sub(1);
        let longest = Self::longest();
        further < BLOCK as u32 && (further..=further * longest).contains(&self.bytes)
    }

    /// Bytes of the longest difference.
    fn longest() -> u32 {
        N::BITS.div_ceil(7)
    }
}

/// A level: ascending keys in blocks.
#[derive(Debug)]
pub(super) enum Level<N> {
    Memory(Vec<N>),
    File { path: PathBuf, file: File, blocks: Vec<Block<N>>, keys: u64 },
}

/// One bit for each state of a level. A part takes memory when one of its states was read: a sparse file may claim more states than
/// it has bytes.
pub(super) struct Marks(Vec<OnceLock<Box<[AtomicU64; WORDS]>>>);

/// Words of a part.
const WORDS: usize = 512;

impl Marks {
    pub fn new<N: Number>(level: &Level<N>) -> Self {
        Self((0..level.len().div_ceil(64 * WORDS as u64)).map(|_| OnceLock::new()).collect())
    }

    fn set(&self, position: u64) {
        let (word, bit) = ((position / 64) as usize, position % 64);
        let part = self.0[word / WORDS].get_or_init(|| Box::new([const { AtomicU64::new(0) }; WORDS]));
        part[word % WORDS].fetch_or(1 << bit, Ordering::Relaxed);
    }

    pub fn count(&self) -> u64 {
        let words = self.0.iter().filter_map(OnceLock::get).flat_map(|part| part.iter());
        words.map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
    }

    /// The first position that is not set.
    pub fn first_missing<N: Number>(&self, level: &Level<N>) -> Option<u64> {
        let word =
            |p: u64| Some(self.0[p as usize / 64 / WORDS].get()?[p as usize / 64 % WORDS].load(Ordering::Relaxed));
        (0..level.len()).find(|p| word(*p).is_none_or(|word: u64| word >> (p % 64) & 1 == 0))
    }
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |n, &byte| n << 8 | u128::from(byte))
}

impl<N: Number> Level<N> {
    /// Opens a level file, which must have that identity and state that count and that digest.
    pub fn open(path: &Path, identity: u128, keys: u64, digest: u128) -> Result<Self, Rejection> {
        let there = Opened::new(path)?;
        let length = there.length;
        if length < (HEADER + FOOTER) as u64 {
            return Err(there.fault(format!("only {length} bytes long")));
        }
        let mut header = there.read(0, HEADER as u64)?;
        let footer = there.read(length - FOOTER as u64, FOOTER as u64)?;
        if header[..8] != *b"HALMALVL" || footer[FOOTER - 8..] != *b"HALMAEND" {
            return Err(there.fault("no level file, or cut"));
        }
        let version = number(&header[8..12]);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        let level = Self::indexed(there, &header, &footer, (identity, keys, digest));
        if version == u128::from(VERSION) {
            return level;
        }
        Err(match level {
            // The checksum is that of this version's number, so the number itself is damaged.
            Ok(_) => RejectionKind::File.because(format!("{}: it lost the number of its version", path.display())),
            Err(_) => RejectionKind::Version.because(format!(
                "{}: it is of version {version}, this program reads version {VERSION}; check it with the program that \
                 wrote it",
                path.display()
            )),
        })
    }

    /// The level of an opened file of this version: what its header, index and footer say of it must be true.
    fn indexed(
        there: Opened,
        header: &[u8],
        footer: &[u8],
        (identity, keys, digest): (u128, u64, u128),
    ) -> Result<Self, Rejection> {
        let width = number(&header[12..16]) as usize;
        if ![8, 16, 32].contains(&width) {
            return Err(there.fault(format!("keys of {width} bytes; understood are 8, 16 or 32")));
        }
        let [index_at, count, stated] = [0, 8, 16].map(|at| number(&footer[at..at + 8]) as u64);
        let entry = width as u64 + 24;
        let fits = count.checked_mul(entry).and_then(|n| n.checked_add(index_at)?.checked_add(FOOTER as u64));
        if fits != Some(there.length) {
            return Err(there.fault("its index does not fit its length"));
        }
        if number(&header[16..32]) != identity {
            return Err(
                there.fault("its identity is not the one in the record: it belongs to another run, length or level")
            );
        }
        if stated != keys || number(&footer[24..40]) != digest {
            return Err(there.fault("its count or digest is not the one in the record"));
        }
        let mut hash = Xxh3::new();
        hash.update(header);
        let (mut blocks, mut start, mut ends) = (Vec::new(), 0, HEADER as u64);
        // In pieces: a sparse file may be very long, and an invalid index shows in its first entry.
        for first in (0..count).step_by(INDEX) {
            let entries = there.read(index_at + first * entry, (count - first).min(INDEX as u64) * entry)?;
            hash.update(&entries);
            for bytes in entries.chunks(entry as usize) {
                let block = Block::read(bytes, width, start).ok_or_else(|| there.fault("a key of too many bits"))?;
                // Blocks lie one after another, and no number here is larger than a writer makes it or than the file.
                if block.offset != ends || !block.is_possible() {
                    return Err(there.fault(format!("the index has no block of {} keys at byte {ends}", block.keys)));
                }
                (start, ends) = (start + u64::from(block.keys), ends + u64::from(block.bytes));
                blocks.push(block);
            }
        }
        hash.update(&footer[..40]);
        if hash.digest128() != number(&footer[40..56]) {
            return Err(there.fault("header, index or footer do not match their checksum"));
        }
        if start != keys || ends != index_at {
            let end = format!("and ends at byte {ends}, its footer {keys} and {index_at}");
            return Err(there.fault(format!("its index has {start} keys {end}")));
        }
        if blocks.windows(2).any(|pair| pair[0].first >= pair[1].first) {
            return Err(there.fault("its blocks do not ascend"));
        }
        Ok(Self::File { path: there.path.into(), file: there.file, blocks, keys })
    }

    pub fn len(&self) -> u64 {
        match self {
            Self::Memory(keys) => keys.len() as u64,
            Self::File { keys, .. } => *keys,
        }
    }

    pub fn blocks(&self) -> usize {
        match self {
            Self::Memory(keys) => keys.len().div_ceil(BLOCK),
            Self::File { blocks, .. } => blocks.len(),
        }
    }

    fn first(&self, block: usize) -> N {
        match self {
            Self::Memory(keys) => keys[block * BLOCK],
            Self::File { blocks, .. } => blocks[block].first,
        }
    }

    /// How many keys come before a block.
    pub fn start(&self, block: usize) -> u64 {
        match self {
            Self::Memory(_) => (block * BLOCK) as u64,
            Self::File { blocks, .. } => blocks[block].start,
        }
    }

    /// The block that holds the key at a position.
    pub fn block_at(&self, position: u64) -> usize {
        match self {
            Self::Memory(_) => (position / BLOCK as u64) as usize,
            Self::File { blocks, .. } => blocks.partition_point(|b| b.start <= position) - 1,
        }
    }

    /// The first key that passes a test.
    pub fn find_first(&self, test: impl Fn(N) -> Result<bool, String> + Sync) -> Result<Option<N>, Rejection> {
        let in_block = |block: usize| -> Result<Option<N>, Rejection> {
            let mut keys = Vec::new();
            self.read(block, &mut keys)?;
            let passes = |key: N| test(key).map(|passes| passes.then_some(key)).transpose();
            keys.into_iter().find_map(passes).transpose().map_err(Rejection::of(RejectionKind::State))
        };
        parallel::first(self.blocks(), in_block)
    }

    /// The keys of a block, ascending.
    pub fn read(&self, number_of: usize, keys: &mut Vec<N>) -> Result<(), Rejection> {
        keys.clear();
        match self {
            Self::Memory(all) => keys.extend(all.chunks(BLOCK).nth(number_of).unwrap_or_default()),
            Self::File { path, file, blocks, .. } => {
                let block = blocks[number_of];
                let at = block.offset;
                let fault = |reason: &str| {
                    RejectionKind::File.because(format!("{}: the block at byte {at}: {reason}", path.display()))
                };
                let mut bytes = vec![0; block.bytes as usize];
                file.read_exact_at(&mut bytes, block.offset).map_err(|e| fault(&e.to_string()))?;
                if xxh3_64(&bytes) != block.checksum {
                    return Err(fault("its bytes do not match their checksum"));
                }
                let (mut key, mut rest) = (block.first, &bytes[..]);
                keys.push(key);
                for _ in 1..block.keys {
                    // Seven bits a byte, the lowest first, the eighth set on all but the last: the difference, less
                    // one.
                    let last = rest.iter().take(Block::<N>::longest() as usize).position(|&byte| byte < 0x80);
                    let (coded, after) = rest.split_at(last.ok_or_else(|| fault("it ends within a key"))? + 1);
                    let difference = coded.iter().rev().fold(N::default(), |n, &b| n.push((b & 0x7f).into(), 7));
                    rest = after;
                    key = key.beyond(difference).ok_or_else(|| fault("overflow"))?;
                    keys.push(key);
                }
                let next = blocks.get(number_of + 1);
                if !rest.is_empty() || next.is_some_and(|n| n.first <= key) {
                    return Err(fault("its keys run into the next block"));
                }
            }
        }
        Ok(())
    }

    /// Those of ascending keys that the level does not have; the others are marked.
    pub fn without(&self, keys: &[N], marks: Option<&Marks>) -> Result<Vec<N>, Rejection> {
        Ok(parallel::map_chunks(keys, 1 << 15, |piece| self.without_piece(piece, marks))?.concat())
    }

    fn without_piece(&self, keys: &[N], marks: Option<&Marks>) -> Result<Vec<N>, Rejection> {
        let (mut rest, mut block, mut held, mut at) = (Vec::new(), 0, Vec::new(), 0);
        let mut loaded = None;
        for &key in keys {
            // The last block that begins at or before the key.
            let beyond = |b: usize| b >= self.blocks() || self.first(b) > key;
            if !beyond(block + 1) {
                let (mut low, mut high) = (block + 1, self.blocks());
                while high - low > 1 {
                    let middle = usize::midpoint(low, high);
                    if beyond(middle) { high = middle } else { low = middle }
                }
                block = low;
            }
            if beyond(block) {
                rest.push(key);
                continue;
            }
            if loaded != Some(block) {
                self.read(block, &mut held)?;
                (loaded, at) = (Some(block), 0);
            }
            while held.get(at).is_some_and(|&k| k < key) {
                at += 1;
            }
            if held.get(at) != Some(&key) {
                rest.push(key);
            } else if let Some(marks) = marks {
                marks.set(self.start(block) + at as u64);
            }
        }
        Ok(rest)
    }
}
