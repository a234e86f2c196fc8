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
