//! A level file of a stranger never panics and takes no memory that it does not fill; what an audit passes is in order, and is
//! what is read. Checksums are put right, so that inputs come past them: the first byte says how many blocks the index names.
#![no_main]

use halma_engine::store::file;
use libfuzzer_sys::fuzz_target;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

const IDENTITY: u128 = 7;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, mut rest)) = bytes.split_first() else { return };
    let mut take = |size: usize| -> Vec<u8> {
        let (part, left) = rest.split_at(size.min(rest.len()));
        rest = left;
        let mut part = part.to_vec();
        part.resize(size, 0);
        part
    };
    let count = usize::from(first % 5);
    // First key, offset and bytes of a block (small numbers, so that most lie in the file), its keys.
    let entries: Vec<_> = (0..count).map(|_| (take(8), take(2), take(2), take(4))).collect();
    let (keys, digest) = (take(8), take(16));
    let blocks = rest;
    let mut file =
        [&b"HALMALVL"[..], &1u32.to_le_bytes(), &8u32.to_le_bytes(), &IDENTITY.to_le_bytes(), blocks].concat();
    let index = file.len();
    for (first, offset, size, keys) in entries {
        let number = |bytes: &[u8]| usize::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        let (offset, size) = (number(&offset), number(&size));
        let block = file.get(offset..offset + size).filter(|_| offset + size <= index).unwrap_or_default();
        let sum = xxh3_64(block).to_le_bytes();
        file.extend([&first[..], &(offset as u64).to_le_bytes(), &(size as u32).to_le_bytes(), &keys, &sum].concat());
    }
    let mut hashed = file[..32].to_vec();
    file.extend([&(index as u64).to_le_bytes()[..], &(count as u64).to_le_bytes(), &keys, &digest].concat());
    hashed.extend(&file[index..]);
    file.extend(xxh3_128(&hashed).to_le_bytes());
    file.extend(b"HALMAEND");
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let path = folder.path().join("level");
    std::fs::write(&path, file).unwrap();
    let (keys, digest) =
        (u64::from_le_bytes(keys.try_into().unwrap()), u128::from_le_bytes(digest.try_into().unwrap()));
    let Ok(level) = file::open::<u64>(&path, IDENTITY, keys, digest) else { return };
    let (mut all, mut block, mut audited) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..level.blocks() {
        // Whoever reads a stranger's level has it audited first; reading without that must not panic either.
        let read = level.read_block(number, &mut block);
        if level.audit_block(number, &mut audited).is_err() {
            return;
        }
        assert!(read.is_ok() && block == audited, "{block:?} {audited:?}");
        all.extend_from_slice(&block);
    }
    assert!(all.is_sorted_by(|a, b| a < b), "{all:?}");
    assert_eq!(all.len() as u64, keys);
});
