//! A record never panics, neither where it is read nor where it is verified; what is read and does not contradict itself is written
//! as it was. Nothing that was not searched is believed: a refutation that `check` accepts has runs or a bound to it.
#![no_main]

use std::path::Path;

use halma_check::{Options, record_holds};
use halma_record::record::{Record, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(record) = Record::parse("result.json".as_ref(), text) else { return };
    if record.contradiction().is_none() {
        let again = Record::parse("result.json".as_ref(), &record.to_json().unwrap()).unwrap();
        assert_eq!(again.to_json().unwrap(), record.to_json().unwrap());
    }
    let options = Options { sample: Some(16), budget: 2_000, memory: None, progress: &|_| () };
    if record_holds(&record, Path::new("/nowhere"), &options).is_ok() {
        let below_bound = |length: u32| record.lower_bound.is_some_and(|bound| length < bound);
        let searched = |length: u32| record.runs.iter().any(|run| run.length == length && run.verdict == Verdict::None);
        let shown = |length: u32| below_bound(length) || searched(length);
        assert!(record.exhausted || record.refuted_up_to.is_none_or(|last| (0..=last).all(shown)));
    }
});
