//! What another process sends never panics and takes no memory that it does not fill.
#![no_main]

use halma_engine::store::{Segment, wire};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let Some((_, segment)) = Segment::<u64>::take(&mut rest) {
        assert!(segment.firsts().count() as u64 <= bytes.len() as u64);
    }
    if bytes.len() >= 8 {
        let mut again = Vec::new();
        wire::put(wire::get::<u64>(&bytes[..8]), &mut again);
        assert_eq!(again, bytes[..8]);
    }
});
