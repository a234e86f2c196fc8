//! Records: what is written reads back, the contract's example is one, and a damaged one is refused.

use halma_record::record::{Count, Counts, Digest, FORMAT, Record, RecordError, SymmetryRecord, Verdict};

/// The example of the contract, with the problem's cells.
const EXAMPLE: &str = r#"{
  "format": 1,
  "program": "halma 0.1.0",
  "problem": {"kind": "transfer", "board": "9x9", "moves": 6, "army": "triangle-4", "men": 10, "jumps_only": false,
    "start": ["a1", "b1", "c1", "d1", "a2", "b2", "c2", "a3", "b3", "a4"],
    "target": ["i6", "h7", "i7", "g8", "h8", "i8", "f9", "g9", "h9", "i9"]},
  "question": "solve",
  "verdict": "optimal",
  "length": 27,
  "refuted_up_to": 26,
  "pruning": "leading",
  "solution": ["d1-d2", "b1-d1-d3"],
  "counts": null,
  "runs": [
    {"length": 26, "verdict": "none", "seconds": 1.0, "generated": 1, "largest_level": 1, "self_consistent": true,
     "levels": [{"depth": 0, "side": "leading", "states": 1, "generated": 0, "pruned": 0, "duplicates": 0, "old": 0,
                 "centroid_max": -60, "digest": "0123456789abcdef0123456789abcdef"}]}
  ],
  "seconds": 1.0, "cpu_seconds": 1.9, "peak_memory_bytes": 1, "disk_bytes_written": 0, "threads": 2
}"#;

fn example() -> Record {
    Record::parse("result.json".as_ref(), EXAMPLE).expect("the contract's example")
}

#[test]
fn the_contracts_example_is_a_record_and_keeps_its_fields() {
    let json: serde_json::Value = serde_json::from_str(EXAMPLE).expect("JSON");
    assert_eq!(serde_json::to_value(example()).expect("JSON"), json);
}

#[test]
fn what_is_written_reads_back() {
    let mut record = example();
    let transfer = halma_rules::job::transfer_of(&record.problem).expect("a transfer");
    record.symmetries = Some(SymmetryRecord::from(&transfer.symmetries()));
    record.verdict = Verdict::Incomplete;
    record.reason = Some("time limit".into());
    record.pruning = "mcc(5)".parse().expect("a pruning");
    record.counts = Some(Counts {
        positions: None,
        sequences: Count::from(u128::MAX),
        up_to_symmetry: Count::from(530u64),
        up_to_reversal: None,
        palindromic: Some(Count::from(4u64)),
        palindromic_up_to_symmetry: None,
        final_positions: Some(Count::from(3u64)),
        final_up_to_symmetry: None,
        symmetries: None,
    });
    record.runs[0].generated = u64::MAX;
    record.runs[0].c = Some(-5);
    record.runs[0].levels[0].digest = Digest(7);
    record.runs[0].levels[0].seconds = Some(0.1);
    record.seconds = 0.1 + 0.2;

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run/of/today/result.json");
    record.write(&file).expect("written");
    assert_eq!(Record::read_unjudged(&file).expect("read"), record);
    record.length = None;
    record.write(&file).expect("written over");
    assert_eq!(Record::read_unjudged(&file).expect("read"), record);
    let files = std::fs::read_dir(file.parent().expect("its folder")).expect("a folder").count();
    assert_eq!(files, 1, "nothing is left beside the record");
}

#[test]
fn a_record_that_contradicts_itself_is_refused_and_told_what() {
    let error = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("r.json");
        std::fs::write(&file, text).expect("written");
        Record::read(&file).expect_err("a contradiction").to_string()
    };
    let told = error(EXAMPLE);
    assert!(told.ends_with("r.json: damaged record: length 26: generated is 1, the sum over its levels 0"), "{told}");
}

#[test]
fn a_damaged_record_is_refused_with_its_place() {
    for (whole, broken, message) in [
        (
            "\"optimal\"",
            "\"maybe\"",
            "r.json: damaged record: unknown variant `maybe`, expected one of `optimal`, `none`, `solution`, `levels`, `counted`, `incomplete` at line 8 column 20",
        ),
        (
            "\"generated\": 1,",
            "\"generated\": -1,",
            "r.json: damaged record: invalid type: integer `-1`, expected a whole number, as a string of digits where it exceeds 2^53 at line 15 column 69",
        ),
        (
            "\"digest\": \"01",
            "\"digest\": \"0",
            "r.json: damaged record: `023456789abcdef0123456789abcdef` is no digest: allowed are 32 hex digits at line 17 column 82",
        ),
        ("\"seconds\": 1.0, \"cpu", "\"cpu", "r.json: damaged record: missing field `seconds` at line 20 column 1"),
        (", \"threads\": 2\n}", "", "r.json: damaged record: EOF while parsing an object at line 19 column 85"),
        (
            "\"format\": 1",
            "\"format\": 2",
            "r.json: record of format 2, this program reads format 1; read it with the program that wrote it, or search again in another folder",
        ),
    ] {
        let text = EXAMPLE.replacen(whole, broken, 1);
        assert_ne!(text, EXAMPLE);
        let error = Record::parse("r.json".as_ref(), &text).expect_err(broken);
        assert_eq!(error.to_string(), message);
    }
    assert!(matches!(Record::read("no/such".as_ref()), Err(RecordError::Read { .. })));
    assert_eq!(FORMAT, 1);
}
