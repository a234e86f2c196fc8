//! What the scripts that make tables from records say of them.

use std::process::Command;

/// What `scripts/tables.py` says of a record of Table 3 and its second one, after `change` was done to that.
fn second_method(change: &str) -> String {
    let code = format!(
        "import json, sys; sys.path.insert(0, 'scripts'); from tables import second_method\n\
         first, second = (json.load(open(f'results/table-3/{{name}}p1-triangle-3-6move.json')) for name in ('', 'second/'))\n\
         {change}\n\
         print(second_method(first, second))"
    );
    let output = Command::new("python3").arg("-B").arg("-c").arg(code).output().expect("python3");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_second_record_confirms_the_answer_to_its_own_question_alone() {
    assert_eq!(second_method(""), "`mcc` agrees: none up to 22\n");
    assert_eq!(second_method("second['problem']['title'] = 'a name'"), "`mcc` agrees: none up to 22\n");
    for change in ["second['problem']['moves'] = 8", "second['palindromic'] = True"] {
        assert_eq!(second_method(change), "not confirmed: the second record is of another problem\n", "{change}");
    }
}

/// The page is written without any check being made.
#[test]
fn the_page_of_results_claims_no_check_that_nobody_made() {
    let page = std::fs::read_to_string("results/README.md").expect("the page");
    assert!(!page.contains("derived again"), "{page}");
    assert!(page.contains("| to check: `halma check results/table-3/p1-triangle-3-6move.json`; "), "{page}");
}

/// The status of `scripts/referee.py derive` and what it says, of a record after `change` was done to it.
fn derived(record: &str, change: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("result.json");
    let code = format!(
        "import json, sys\nrecord = json.load(open('results/{record}.json'))\n{change}\njson.dump(record, open(sys.argv[1], 'w'))"
    );
    let changed = Command::new("python3").arg("-c").arg(code).arg(&file).status().expect("python3");
    assert!(changed.success());
    let output =
        Command::new("python3").args(["-B", "scripts/referee.py", "derive"]).arg(&file).output().expect("python3");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    (output.status.code().expect("a status"), said)
}

#[test]
fn the_referee_confirms_nothing_that_it_has_not_derived() {
    let record = "table-3/p5-square-2-8move";
    let (status, said) = derived(record, "");
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("refuted up to 11, derived 12") && said.contains("leading levels under leading: not derived")
    );
    for change in [
        "record['length'] = None",
        "record['verdict'] = 'proved'",
        "record.update(verdict='levels', refuted_up_to=99)",
        "record['runs'][0]['length'] = 12",
        "record['runs'][0]['levels'][0]['side'] = 'ahead'",
    ] {
        let (status, said) = derived(record, change);
        assert!(status == 1 || status == 2, "{change}: {status} {said}");
    }
    for longer in [
        "record['runs'].append(record['runs'][0] | {'length': 13})",
        "record['runs'] = [record['runs'][0] | {'length': 13}]",
    ] {
        let (status, said) = derived(record, longer);
        assert!(status == 0 && said.contains("no solution of exactly [13] moves: not derived"), "{said}");
        assert!(!said.contains("[13] moves, derived"), "{said}");
    }
}
