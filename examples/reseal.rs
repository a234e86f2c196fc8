//! Makes the checksums of damaged files right again, as somebody would who wants the damage to be believed:
//! `scripts/attack-folders.py` tells it the files, a line each, and it answers each line.
//!
//! It knows level files, the list of a run (`run.json`) and cached tables by their formats alone.

use std::io::{self, BufRead, Write};
use std::path::Path;

use serde_json::value::RawValue;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

const HEADER: usize = 32;
const FOOTER: usize = 64;

/// The number of eight bytes there.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let eight: [u8; 8] = bytes.get(at..at + 8)?.try_into().ok()?;
    usize::try_from(u64::from_le_bytes(eight)).ok()
}

/// A level file: its identity is that of its label in the run beside it, its blocks and its index have their checksums.
fn level(path: &Path, bytes: &mut [u8]) -> Option<()> {
    let run = path.parent()?.parent()?.join("run.json");
    let list: serde_json::Value = serde_json::from_slice(&std::fs::read(run).ok()?).ok()?;
    let run = xxh3_128(list["list"]["run"].to_string().as_bytes());
    let label = path.file_stem()?.to_str()?;
    let identity = xxh3_128(&[&run.to_le_bytes()[..], label.as_bytes()].concat());
    bytes.get_mut(16..HEADER)?.copy_from_slice(&identity.to_le_bytes());
    let end = bytes.len().checked_sub(FOOTER)?;
    let width = usize::try_from(u32::from_le_bytes(bytes[12..16].try_into().ok()?)).ok()?;
    let (index, blocks) = (number(bytes, end).filter(|&index| index <= end)?, number(bytes, end + 8)?);
    let entry = width.checked_add(24)?;
    for block in 0..blocks.min(end / entry) {
        let at = index + block * entry;
        let (offset, length) = (number(bytes, at + width)?, number(bytes, at + width + 8)? & 0xffff_ffff);
        if let Some(coded) = bytes.get(offset..offset.checked_add(length)?) {
            let sum = xxh3_64(coded).to_le_bytes();
            bytes.get_mut(at + width + 16..at + width + 24)?.copy_from_slice(&sum);
        }
    }
    let end = bytes.len() - 24;
    let mut hash = Xxh3::new();
    hash.update(&bytes[..HEADER]);
    hash.update(bytes.get(index..end)?);
    let sum = hash.digest128().to_le_bytes();
    bytes[end..end + 16].copy_from_slice(&sum);
    Some(())
}

/// A run's list: the checksum of its text.
fn list(bytes: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Sealed<'a> {
        #[serde(borrow)]
        list: &'a RawValue,
    }
    let Sealed { list } = serde_json::from_slice(bytes).ok()?;
    Some(format!("{{\"checksum\": \"{:032x}\", \"list\": {list}}}", xxh3_128(list.get().as_bytes())))
}

/// A table: all but its end, and the checksum of that.
fn table(bytes: &mut [u8]) -> Option<()> {
    let (table, sum) = bytes.split_at_mut(bytes.len().checked_sub(16)?);
    sum.copy_from_slice(&xxh3_128(table).to_le_bytes());
    Some(())
}

fn reseal(path: &Path) -> Option<()> {
    let mut bytes = std::fs::read(path).ok()?;
    match path.extension()?.to_str()? {
        "level" => level(path, &mut bytes)?,
        "table" => table(&mut bytes)?,
        _ => bytes = list(&bytes)?.into_bytes(),
    }
    std::fs::write(path, bytes).ok()
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let said = if reseal(Path::new(&line?)).is_some() { "sealed" } else { "left" };
        writeln!(out, "{said}")?;
        out.flush()?;
    }
    Ok(())
}
