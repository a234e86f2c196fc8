//! Moves as somebody writes them never panic; what is read is written so that it reads the same.
#![no_main]

use halma_rules::board::Board;
use halma_rules::notation::Script;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let board = Board::named("9x9").unwrap();
    if let Ok(script) = Script::parse(text, &board) {
        let written = script.write(&board);
        let again = Script::parse(&written, &board).unwrap_or_else(|e| panic!("{written:?}: {e:?}"));
        assert_eq!(again.write(&board), written);
    }
});
