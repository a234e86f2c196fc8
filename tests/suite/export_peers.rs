//! Other tools about puzzles that `halma export` writes: Fast Downward and clingo from PyPI, Rumur from Debian. Nothing here runs without
//! `--ignored`, since the script installs them: `cargo test --test suite export_peers -- --ignored`.

use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

const NAMES: [&str; 7] = [
    "frogs-and-toads-2",
    "tiles-3x3",
    "transfer-3-men",
    "blocks-by-slides",
    "no-solution",
    "walker-beside-jumps",
    "pegs-in-a-wide-row",
];

/// What the script says of all of them: it is run once, since what it installs takes most of the time.
fn said() -> &'static str {
    static SAID: OnceLock<String> = OnceLock::new();
    SAID.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/export-peers");
        let output = Command::new(script).args(NAMES).args(["--halma", env!("CARGO_BIN_EXE_halma")]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text + &String::from_utf8_lossy(&output.stderr)
    })
}

/// Holds if all tools agree with halma about a puzzle, and about this.
fn agree(name: &str, said: &[&str]) {
    let begin = format!("{name}: agree (");
    let line = self::said().lines().find(|line| line.starts_with(&begin));
    let line = line.unwrap_or_else(|| panic!("{}", self::said()));
    for said in said {
        assert!(line.contains(said), "{said} is not in {line}");
    }
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn frogs_and_toads_take_eight_moves_for_all_tools() {
    agree("frogs-and-toads-2", &["Fast Downward: blind 8, lmcut 8", "clingo: 8", "Rumur: 8, "]);
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn tiles_of_the_8_puzzle_have_one_length_and_as_many_states_for_all_tools() {
    agree("tiles-3x3", &["181440 states; Fast Downward", ", 181440 states)"]);
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn a_transfer_of_three_men_has_one_length_for_all_tools() {
    agree("transfer-3-men", &[]);
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn sliding_blocks_have_one_length_for_all_tools() {
    agree("blocks-by-slides", &[]);
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn pegs_that_no_tool_can_clear_have_no_solution_for_any() {
    agree(
        "no-solution",
        &["halma: None, ", "Fast Downward: blind None, lmcut None", "clingo: none up to 12", "Rumur: None, "],
    );
}

#[test]
#[ignore = "installs Fast Downward, clingo and Rumur"]
fn a_jump_there_and_back_is_no_move_and_a_cell_no_number_for_any_tool() {
    agree("walker-beside-jumps", &["halma: 2"]);
    agree("pegs-in-a-wide-row", &["halma: 7"]);
}
