//! Files that are not what was written.

use std::io::ErrorKind;

use super::*;
use crate::store::workspace::MANIFEST;

/// A run that ended when it was about to do that.
fn interrupted(run: u32, operation: &str, expander: &Expander) -> Forgetful {
    let whole = Faulty::new(Forgetful::default(), Fault::None);
    search_of(run, &whole, expander).unwrap();
    let number = whole.log().iter().position(|o| o == operation).unwrap_or_else(|| panic!("{:#?}", whole.log()));
    let storage = Forgetful::default();
    search_of(run, &Faulty::new(storage.clone(), Fault::From(number as u64, ErrorKind::Other)), expander).unwrap_err();
    storage.copied()
}

/// Within the first level, of which there are several pieces; and where two levels and all pieces of a third are complete.
const MOMENTS: [&str; 2] = ["create level-1.layer-0003.tmp", "create level-3.tmp"];

/// Goes on with a run of which one file is changed.
fn go_on(
    run: &Forgetful,
    file: &str,
    expander: &Expander,
    change: impl FnOnce(&mut Vec<u8>),
) -> Result<Vec<Tally>, Stopped> {
    let copy = run.copied();
    copy.tamper(file, change).unwrap();
    search(&copy, expander)
}

fn names(run: &Forgetful) -> Vec<String> {
    run.files().into_iter().filter(|name| name != "lock" && !name.ends_with(".tmp")).collect()
}

fn bytes(run: &Forgetful, file: &str) -> Vec<u8> {
    let mut all = Vec::new();
    run.tamper(file, |bytes| all.clone_from(bytes)).unwrap();
    all
}

#[test]
fn flipped_bits_and_cuts_of_any_file_are_found_or_do_no_harm() {
    let (expander, expected) = (expander(), expected());
    for run in MOMENTS.map(|moment| interrupted(1, moment, &expander)) {
        assert!(names(&run).len() > 3, "{:?}", names(&run));
        for file in names(&run) {
            let whole = bytes(&run, &file);
            for at in 0..whole.len() {
                match go_on(&run, &file, &expander, |bytes| bytes[at] ^= 1 << (at % 8)) {
                    Err(Stopped::Store(StoreError::Damaged { file: named, .. })) => assert!(named.ends_with(&file)),
                    // White space around the sealed list says nothing.
                    Ok(levels) if file == MANIFEST => {
                        assert!(whole[at].is_ascii_whitespace(), "byte {at}");
                        assert_eq!(levels, expected);
                    }
                    other => panic!("{file}, byte {at}: {other:?}"),
                }
                let cut = go_on(&run, &file, &expander, |bytes| bytes.truncate(at));
                assert!(matches!(cut, Err(Stopped::Store(StoreError::Damaged { .. }))), "{file}, cut at {at}: {cut:?}");
            }
        }
    }
}

#[test]
fn missing_and_exchanged_files_are_told_from_damaged_ones() {
    let expander = expander();
    for (run, others) in MOMENTS.map(|moment| (interrupted(1, moment, &expander), interrupted(2, moment, &expander))) {
        for file in names(&run).into_iter().filter(|file| file != MANIFEST) {
            let levels = run.copied().beneath("levels", false).unwrap();
            let gone = run.copied();
            gone.beneath("levels", false).unwrap().remove(file.strip_prefix("levels/").unwrap()).unwrap();
            match (file.contains(".layer-"), search(&gone, &expander)) {
                // Layers are made again.
                (true, Ok(levels)) => assert_eq!(levels, expected(), "{file}"),
                (false, Err(missing)) => {
                    let missing = missing.to_string();
                    assert!(missing.ends_with("search afresh"), "{missing}");
                    assert!(missing.contains(&format!("{file}: it is missing")), "{missing}");
                }
                (_, other) => panic!("{file}: {other:?}"),
            }
            assert!(levels.open(file.strip_prefix("levels/").unwrap()).is_ok(), "copies are copies");
            let put = |other: Vec<u8>| go_on(&run, &file, &expander, |bytes| *bytes = other).unwrap_err().to_string();
            let elsewhere = names(&run).into_iter().filter(|name| *name != file).map(|name| bytes(&run, &name));
            for told in elsewhere.chain([bytes(&others, &file)]).map(put) {
                assert!(told.contains("move it away") && !told.contains("damaged"), "{told}");
            }
        }
        let told = go_on(&run, MANIFEST, &expander, |list| *list = bytes(&others, MANIFEST)).unwrap_err().to_string();
        assert!(told.contains("it holds another run") && !told.contains("damaged"), "{told}");
    }
}

#[test]
fn a_list_from_an_earlier_moment_names_a_layer_that_is_gone_which_is_made_again() {
    let expander = expander();
    let [early, late] = MOMENTS.map(|moment| interrupted(1, moment, &expander));
    let (early, late) = (bytes(&early, MANIFEST), late);
    assert_eq!(go_on(&late, MANIFEST, &expander, |list| *list = early).unwrap(), expected());
}
