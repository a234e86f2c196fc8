//! Pages by the rules of [axe-core](https://github.com/dequelabs/axe-core): names, contrasts, landmarks, order. `HALMA_AXE` names its
//! `axe.min.js` (CI installs it); without it, or without a browser, these tests are skipped.

use std::path::Path;

use serde_json::{Value, json};

use super::browser::Browser;
use crate::program::program;

/// The script; `None`, with a word about it, where there is none.
fn script() -> Option<String> {
    let Some(file) = std::env::var_os("HALMA_AXE") else {
        crate::skipped("rules of axe-core: HALMA_AXE does not name its axe.min.js");
        return None;
    };
    Some(std::fs::read_to_string(file).expect("axe-core"))
}

/// What axe-core finds wrong with the page that is open, in light and in dark colours.
pub(super) fn assert_accessible(browser: &mut Browser, page: &str) {
    let Some(script) = script() else { return };
    for theme in ["light", "dark"] {
        browser.theme(theme);
        // Colours change gently.
        browser.eval("document.getAnimations().forEach((a) => a.finish())");
        browser.eval(&format!("{script};1"));
        let said = browser.call(
            "Runtime.evaluate",
            json!({"returnByValue": true, "awaitPromise": true, "expression": "axe.run(document, {resultTypes: ['violations']}).then((r) => [r.passes.length, \
                r.violations.map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`)])"}),
        );
        let [passes, violations] = &said["result"]["value"].as_array().expect("rules")[..] else { panic!("{said}") };
        assert!(passes.as_u64() > Some(10), "{page}: only {passes} rules were tried");
        assert_eq!(violations, &Value::Array(Vec::new()), "{page}, {theme}");
    }
}

fn halma(arguments: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = program();
    let output = command.args(arguments).current_dir(root).output().expect("the program");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn reports_of_all_kinds_and_a_site_have_no_faults_that_axe_knows() {
    if script().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let page = |name: &str, records: &[&str]| {
        halma(&[&["report"], records, &["-o", &at(name)]].concat());
        std::fs::read_to_string(at(name)).expect("a page")
    };
    let table = "results/table-3/p5-square-2-6move.json";
    let pages = [
        page("army.html", &[table]),
        page("game.html", &["results/table-2/grasshopper"]),
        page("blocks.html", &["results/puzzles/rush-hour-hardest-solve.json"]),
        page("rules.html", &["results/puzzles/sokoban-rosetta-solve.json"]),
        page("levels.html", &["results/puzzles/lights-out-5x5-levels.json"]),
        page("several.html", &[table, "results/puzzles/tiles-3x3-hardest-solve.json"]),
    ];
    for html in &pages {
        let Some(mut browser) = Browser::open(html) else { return };
        let name = html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or_default();
        assert_accessible(&mut browser, name);
    }
    halma(&["report", "results/table-3", "-o", &at("site/")]);
    let index = std::fs::read_to_string(at("site/index.html")).expect("an index");
    let Some(mut browser) = Browser::open(&index) else { return };
    assert_accessible(&mut browser, "the site");
}
