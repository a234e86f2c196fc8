//! What another process sends never panics and takes no memory that it does not fill.
#![no_main]

use std::cell::Cell;

use halma_engine::store::{Segment, wire};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Some((_, segment)) = Segment::<u64>::take(&mut rest) {
        // Each key but the first of its block takes a byte at least, and each block an entry.
        assert!(segment.len() <= bytes.len() as u64);
        let keys = Cell::new(0);
        let sound = segment.holds_only(|_| {
            keys.set(keys.get() + 1);
            true
        });
        assert!(!sound || keys.get() == segment.len());
    }
    if bytes.len() >= 8 {
        let mut again = Vec::new();
        wire::put(wire::get::<u64>(&bytes[..8]), &mut again);
        assert_eq!(again, bytes[..8]);
    }
});
