//! `halma export`: small puzzles as other tools read them. That those tools agree is what `scripts/export-peers` shows.

use crate::program::{halma, job_folder};

const PEGS: &str = r#"[problem]
kind = "rules"
title = "Three\nin a row"
board = "PP."
rules = ["P P . -> . . P"]
goal = { count = { P = 1 } }
"#;

const FROGS: &str = r#"[problem]
kind = "rules"
title = "Frogs and toads"
board = "F.T"
rules = [{ rule = "F . -> . F", directions = ["right"] }, { rule = "T F . -> . F T", directions = ["left"] }]
goal = "T.F"
"#;

const CAR: &str = "[problem]\nkind = \"blocks\"\nboard = \"AA.\"\ngoal = \"?AA\"\nmetric = \"step\"\n";

const TRANSFER: &str = "[problem]\nkind = \"transfer\"\nmoves = 4\nboard = \"SS.T\\n...T\"\n";

fn exported(job: &str, format: &str) -> String {
    let (status, out, err) = halma(job_folder(job).path(), &["export", "job.toml", "--format", format]);
    assert_eq!((status, err.as_str()), (0, ""));
    out
}

/// The text without the comments at its head.
fn body(text: &str, comment: &str) -> String {
    let lines = text.lines().skip_while(|line| line.is_empty() || line.starts_with(comment));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn pegs_in_pddl_are_one_lifted_action_whose_lines_of_cells_and_counts_are_facts() {
    let at = job_folder(PEGS);
    let (status, out, err) = halma(at.path(), &["export", "job.toml", "--format", "pddl", "-o", "files"]);
    assert_eq!((status, err.as_str()), (0, ""));
    assert_eq!(out, "files/job-domain.pddl\nfiles/job-problem.pddl\n");
    let read = |name: &str| std::fs::read_to_string(at.path().join("files").join(name)).unwrap();
    let (domain, problem) = (read("job-domain.pddl"), read("job-problem.pddl"));
    assert_eq!(
        body(&domain, ";"),
        "\
(define (domain three_in_a_row)
  (:requirements :strips :typing :action-costs)
  (:types cell letter amount)
  (:constants
    a1 b1 c1 - cell
    n_0 n_1 n_2 n_3 - amount
    l_p l_empty - letter)
  (:predicates
    (has ?c - cell ?l - letter) (line_1 ?c1 ?c2 ?c3 - cell) (less_1 ?n ?m - amount) (count_0 ?n - amount))
  (:functions (total-cost) - number)

  (:action r1_1
    :parameters (?c1 - cell ?c2 - cell ?c3 - cell ?n0 ?m0 - amount)
    :precondition (and (line_1 ?c1 ?c2 ?c3) (has ?c1 l_p) (has ?c2 l_p) (has ?c3 l_empty) (less_1 ?n0 ?m0) (count_0 ?n0))
    :effect (and (not (has ?c1 l_p)) (has ?c1 l_empty) (not (has ?c2 l_p)) (has ?c2 l_empty) \
(not (has ?c3 l_empty)) (has ?c3 l_p) (not (count_0 ?n0)) (count_0 ?m0) (increase (total-cost) 1)))
)
"
    );
    assert_eq!(
        body(&problem, ";"),
        "\
(define (problem three_in_a_row_1)
  (:domain three_in_a_row)
  (:init (= (total-cost) 0)
    (has a1 l_p) (has b1 l_p) (has c1 l_empty) (count_0 n_2)
    (line_1 a1 b1 c1) (line_1 c1 b1 a1) (less_1 n_1 n_0) (less_1 n_2 n_1) (less_1 n_3 n_2))
  (:goal (and
    (count_0 n_1)))
  (:metric minimize (total-cost)))
"
    );
}

#[test]
fn frogs_and_toads_in_murphi_are_a_rule_for_each_step_and_an_invariant() {
    let text = exported(FROGS, "murphi");
    assert_eq!(
        body(&text, "--"),
        "\
type
  Cell: enum { a1, b1, c1 };
  Letter: enum { l_f, l_t, l_empty };

var
  board: array [Cell] of Letter;

startstate \"start 1\"
begin
  board[a1] := l_f;
  board[b1] := l_empty;
  board[c1] := l_t;
end;

rule \"r1_1 a1 b1\"
  board[a1] = l_f & board[b1] = l_empty
==>
begin
  board[a1] := l_empty; board[b1] := l_f;
end;

rule \"r1_1 b1 c1\"
  board[b1] = l_f & board[c1] = l_empty
==>
begin
  board[b1] := l_empty; board[c1] := l_f;
end;

rule \"r2_1 c1 b1 a1\"
  board[c1] = l_t & board[b1] = l_f & board[a1] = l_empty
==>
begin
  board[c1] := l_empty; board[a1] := l_t;
end;

invariant \"no solution\"
  !((board[a1] = l_t & board[b1] = l_empty & board[c1] = l_f));
"
    );
}

#[test]
fn a_block_in_asp_is_its_cells_each_with_a_letter_of_its_own() {
    let text = exported(CAR, "asp");
    assert!(text.contains("#const k = 1.\n"), "{text}");
    assert!(text.contains("\nhas(a1,l_a,0). has(b1,l_a_2,0). has(c1,l_empty,0).\n"), "{text}");
    assert!(text.contains("\nline_1(a1,b1,c1).\n"), "{text}");
    let step = "
can(r1_1(C1,C2,C3),I) :- time(I), I \\ k = 0, line_1(C1,C2,C3), has(C1,l_a,I), has(C2,l_a_2,I), has(C3,l_empty,I).
writes(r1_1(C1,C2,C3),C1,l_empty) :- line_1(C1,C2,C3).
writes(r1_1(C1,C2,C3),C2,l_a) :- line_1(C1,C2,C3).
writes(r1_1(C1,C2,C3),C3,l_a_2) :- line_1(C1,C2,C3).
";
    assert!(text.contains(step), "{text}");
    assert!(text.contains("One move is one block, one cell in one direction.\n"), "{text}");
}

#[test]
fn a_chain_costs_its_first_jump_alone() {
    let text = exported(TRANSFER, "pddl");
    let costs: Vec<(&str, bool)> = text
        .split("(:action ")
        .skip(1)
        .map(|action| {
            let action = action.split("; ====").next().unwrap();
            (action.lines().next().unwrap(), action.contains("(increase (total-cost) 1)"))
        })
        .collect();
    assert_eq!(costs, [("r1_1", true), ("r2_1", true), ("r2_1_on", false), ("end_chaining", false)]);
}

#[test]
fn the_head_says_what_is_meant_and_no_title_ends_a_comment() {
    for (format, comment) in [("pddl", ";"), ("murphi", "--"), ("asp", "%")] {
        let text = exported(PEGS, format);
        let text = if format == "pddl" { text.split_once('\n').unwrap().1 } else { &text };
        let lines: Vec<&str> = text.lines().take(2).collect();
        assert_eq!(lines[0], format!("{comment} Three in a row"));
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(lines[1], format!("{comment} Written by halma {version}. One move is one application of a rule."));
    }
}

#[test]
fn sides_that_take_turns_may_not_pass_by_a_chain_that_leads_back() {
    let game = r#"[problem]
kind = "rules"
board = "BB..RR"
legend = { x = "BR" }
rules = [{ rule = "B x . -> . x B", turn = 1, chain = true }, { rule = "R x . -> . x R", turn = 2, chain = true }]
goal = "????BB"
"#;
    assert!(exported(game, "pddl").contains("(origin ?o) (not (= ?c ?o))"));
    assert!(exported(game, "murphi").contains("man != origin"));
    assert!(exported(game, "asp").contains(":- began(C,I), on(chaining,C,I)."));
    // Where a board cannot be told by where its man stands, nothing is written.
    let odd = game.replace("B x . -> . x B", "B R . -> R . B").replace("R x . -> . x R", "R . B -> B R .");
    let (status, out, err) = halma(job_folder(&odd).path(), &["export", "job.toml", "--format", "asp"]);
    assert_eq!((status, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("sides take turns, and chains may change the board and change it back"), "{err}");
}

#[test]
fn without_a_goal_only_a_checker_that_counts_states_has_something_to_do() {
    let open: String = FROGS.lines().filter(|line| !line.starts_with("goal")).map(|line| format!("{line}\n")).collect();
    assert!(!exported(&open, "murphi").contains("invariant \""));
    for format in ["pddl", "asp"] {
        let (status, out, err) = halma(job_folder(&open).path(), &["export", "job.toml", "--format", format]);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(err.starts_with("job.toml: the job has no goal: "), "{err}");
    }
}

#[test]
fn free_rules_are_actions_that_cost_nothing_in_pddl_and_no_other_language_has_them() {
    let job = "[problem]\nkind = \"rules\"\nboard = \"@.$..\"\ngoal = { at = { e1 = \"$\" } }\n\
               rules = [\"@ $ . -> . @ $\", { rule = \"@ . -> . @\", free = true }]\n";
    let text = exported(job, "pddl");
    // One action costs something. What it leaves behind is a state between moves, what the other leaves is none.
    assert_eq!(text.matches("(increase (total-cost) 1)").count(), 1, "{text}");
    let domain = text.split("; ==== ").find(|file| file.contains("(define (domain")).unwrap_or_default();
    let of =
        |name: &str| domain.split("(:action ").find(|action| action.starts_with(name)).unwrap_or_default().to_string();
    assert!(of("r1_1").contains("(counted) (increase (total-cost) 1)"), "{text}");
    assert!(of("r2_1").contains("(not (counted))") && !of("r2_1").contains("total-cost"), "{text}");
    let goal = text.split("(:goal").nth(1).unwrap_or_default();
    assert!(goal.contains("(counted)"), "{text}");
    for format in ["murphi", "asp"] {
        let (status, out, err) = halma(job_folder(job).path(), &["export", "job.toml", "--format", format]);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(
            err.starts_with("job.toml: the puzzle has free rules, which only PDDL can say: --format pddl"),
            "{err}"
        );
    }
}

/// Such a chain is no move, although the free rules before it have changed the board.
#[test]
fn in_pddl_a_chain_after_free_rules_may_not_end_where_it_began() {
    let job = "[problem]\nkind = \"rules\"\nboard = \"@.AB.\"\ngoal = { at = { b1 = \"@\", c1 = \"A\" } }\n\
               rules = [{ rule = \"A B . -> . B A\", chain = true }, { rule = \"@ . -> . @\", free = true }]\n";
    let text = exported(job, "pddl");
    assert!(text.contains("(origin ?o) (not (= ?c ?o))"), "{text}");
    let changing = job.replace("A B . -> . B A", "A B . -> . A B");
    let (status, _, err) = halma(job_folder(&changing).path(), &["export", "job.toml", "--format", "pddl"]);
    assert_eq!(status, 2);
    assert!(err.contains("there are free rules, and chains may change the board and change it back"), "{err}");
}

#[test]
fn what_other_tools_cannot_be_told_is_refused_and_what_they_are_told_in_part_is_said() {
    let refused = |job: &str, format: &str| {
        let (status, out, err) = halma(job_folder(job).path(), &["export", "job.toml", "--format", format]);
        assert_eq!((status, out.as_str()), (2, ""));
        err
    };
    let palindromes =
        "[problem]\nkind = \"transfer\"\nboard = \"S.S/B.B/T.T\"\nmoves = 4\n[search]\npalindromic = true\n"
            .replace('/', "\\n");
    let full = "[problem]\nkind = \"transfer\"\nboard = \"BB\"\nmoves = 4\n";
    let cycle: Vec<String> = (2..=80).chain([1]).map(|n| n.to_string()).collect();
    let names: Vec<String> = (1..=80).map(|n| n.to_string()).collect();
    let large = format!(
        "[problem]\nkind = \"permutation\"\ndefinition = \"\"\"\nSet P 80 1\nSolved\nP\n{}\nEnd\nMove A\nP\n{}\nEnd\n\"\"\"\n",
        names.join(" "),
        cycle.join(" ")
    );
    for format in ["pddl", "murphi", "asp"] {
        assert!(refused(&palindromes, format).contains("only palindromes are asked for"));
        assert!(refused(full, format).contains("a board without an empty cell"));
        assert!(refused(&large, format).contains("files for other tools are written of at most 200000"));
    }
    // Chains that change men without removing any may have more steps than there are cells.
    let job = "[problem]\nkind = \"rules\"\nboard = \"App\"\ngoal = \"qqA\"\n\
               rules = [{ rule = \"A p -> q A\", chain = true }, { rule = \"A q -> p A\", chain = true }]\n";
    assert!(exported(job, "asp").contains("of at most n moves of at most k steps each"));
    // Cells and numbers of cells are told apart: n1 is a cell of a wide board.
    let wide = "[problem]\nkind = \"rules\"\nboard = \"P.PPP.PPPPP.PPP\"\nrules = [\"P P . -> . . P\"]\ngoal = { count = { P = 5 } }\n";
    let text = exported(wide, "pddl");
    assert!(text.contains("n1 o1 - cell") && text.contains("n_0 n_1 "), "{text}");
}
