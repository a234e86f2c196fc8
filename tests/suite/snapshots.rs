//! What people see: help, man pages, reports. It changes on purpose only: with `UPDATE_SNAPSHOTS=1` the snapshots are written anew.

use std::path::Path;

use crate::program::program;
use halma::report;
use halma_record::record::Record;

/// Compares with the snapshot of that name.
fn shows(name: &str, text: &str) {
    let file = Path::new("tests/suite/snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(text.lines()).position(|(a, b)| a != b);
    let at = differs.unwrap_or(kept.lines().count().min(text.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    assert!(kept == text, "{name}, line {}:\n  was {}\n  is  {}", at + 1, line(&kept), line(text));
}

fn halma(arguments: &[&str]) -> String {
    let output = program().args(arguments).env("COLUMNS", "100").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Commands that do without the feature `cluster`; with it some have options more.
const COMMANDS: [&str; 10] =
    ["replay", "check", "certify", "status", "report", "describe", "export", "schema", "completions", "row"];

#[test]
fn the_help_of_every_command() {
    for command in COMMANDS {
        shows(&format!("help/{command}.txt"), &halma(&[command, "--help"]));
    }
}

#[test]
fn the_man_pages_of_every_command() {
    let folder = tempfile::tempdir().unwrap();
    halma(&["man", "--output-dir", folder.path().to_str().unwrap()]);
    for command in COMMANDS {
        let page = std::fs::read_to_string(folder.path().join(format!("halma-{command}.1"))).unwrap();
        shows(&format!("man/halma-{command}.1"), &page);
    }
}

#[cfg(feature = "studio")]
#[test]
fn the_help_and_the_man_page_of_the_studio() {
    shows("help/studio.txt", &halma(&["studio", "--help"]));
    let folder = tempfile::tempdir().unwrap();
    halma(&["man", "--output-dir", folder.path().to_str().unwrap()]);
    shows("man/halma-studio.1", &std::fs::read_to_string(folder.path().join("halma-studio.1")).unwrap());
}

#[test]
fn the_report_of_a_record() {
    for name in ["p1-triangle-3-6move", "p5-square-2-6move"] {
        let file = format!("results/table-3/{name}.json");
        let record = Record::read(file.as_ref()).unwrap();
        shows(&format!("report/{name}.txt"), &report::text(&record, true));
        let page = tempfile::NamedTempFile::new().unwrap();
        halma(&["report", &file, "-o", page.path().to_str().unwrap()]);
        shows(&format!("report/{name}.html"), &std::fs::read_to_string(page.path()).unwrap());
    }
}
