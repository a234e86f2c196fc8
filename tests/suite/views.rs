//! What people see beside the answers: figures, pages, descriptions, manuals.

use crate::program::{self, job_folder, program};

const SQUARE: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 8\narmy = \"square-2\"\n";
const GAME: &str = "tests/games/chinese-checkers-10.toml";
const SOLUTION: &str = "tests/solutions/p2-triangle-4-6move.toml";

fn halma(args: &[&str]) -> (i32, String, String) {
    program::halma(env!("CARGO_MANIFEST_DIR"), args)
}

/// The text is well-formed as far as elements go: what is opened is closed, in order.
fn assert_well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1).filter_map(|rest| rest.split('>').next()) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None => open.push(tag.split_whitespace().next().expect("a name")),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn a_figure_is_one_svg_with_a_title_and_a_role() {
    for (args, boards) in [(vec!["--at", "3"], 1), (vec![], 28), (vec!["--columns", "9"], 28)] {
        let (status, svg, _) = halma(&[&["replay", SOLUTION, "--svg"], &*args].concat());
        assert_eq!(status, 0);
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""), "{}", &svg[..90]);
        assert!(svg.contains("<title>"), "it has a title");
        assert_eq!(svg.matches("href=\"#ground\"").count(), boards);
        assert_eq!(svg.matches("class=\"man ").count(), 10 * boards, "ten men on each board");
        assert_well_formed(&svg);
    }
    let (status, _, err) = halma(&["replay", SOLUTION, "--svg", "--at", "28"]);
    assert_eq!((status, err.as_str()), (2, "--at 28: the solution has 27 moves; allowed are 0 to 27\n"));
}

#[test]
fn a_man_keeps_his_colour_when_he_jumps_and_changes_it_when_he_steps() {
    let colour = |at: &str| {
        let (_, svg, _) = halma(&["replay", SOLUTION, "--svg", "--at", at]);
        let mut men: Vec<String> = svg.split("class=\"man t").skip(1).map(|rest| rest[..1].to_string()).collect();
        men.sort();
        men.concat()
    };
    // (3, 3, 3, 1) at the start; the step d1-d2 makes a man of type 1 one of type 3; the second move is a chain.
    assert_eq!(["0", "1", "2"].map(colour), ["0001112223", "0001122233", "0001122233"]);
}

#[test]
fn red_men_of_a_game_are_told_from_blue_ones_by_their_shape() {
    let (status, svg, _) = halma(&["replay", GAME, "--svg", "--at", "0"]);
    assert_eq!(status, 0);
    assert_eq!((svg.matches("<circle class=\"man ").count(), svg.matches("<rect class=\"man ").count()), (10, 10));
}

#[test]
fn a_page_of_compared_runs_says_the_claim_and_shows_every_pruning() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let (status, ..) =
        program::halma(at, &["compare", "job.toml", "-q", "--output-dir", "runs", "--prunings", "leading,none"]);
    assert_eq!(status, 0);
    let (status, out, err) = program::halma(at, &["report", "runs", "-o", "page.html"]);
    assert_eq!((status, out.as_str(), err.as_str()), (0, "", ""));
    let page = std::fs::read_to_string(at.join("page.html")).expect("a page");
    let claim = "Under 8-move rules on the 9x9 board, the 4 men of square-2 (a1, b1, a2, b2) can be brought to \
                 h8, i8, h9, i9 in 12 moves, and in no fewer.";
    assert!(page.contains(claim), "{page}");
    assert!(page.contains("leading, leading") && page.contains("none, forward"), "both prunings are on the plots");
    for command in ["replay", "check"] {
        assert!(page.contains(&format!("halma {command} runs/leading/result.json")), "it says how to check");
    }
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
    let (status, _, err) = program::halma(at, &["report", "."]);
    assert_eq!((status, err.as_str()), (0, ""), "folders are searched");
    std::fs::create_dir(at.join("empty")).expect("a folder");
    let (status, _, err) = program::halma(at, &["report", "empty"]);
    assert_eq!((status, err.as_str()), (2, "empty: no record (result.json) there or beneath it\n"));
}

#[test]
fn a_page_never_takes_an_unfinished_search_for_a_refutation() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    std::fs::write(at.join("big.toml"), "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-4\"\n[search]\npruning = \"none\"\n[limits]\ntime = \"100ms\"\n").expect("a job");
    let (status, ..) = program::halma(at, &["solve", "big.toml", "-q", "--output-dir", "big"]);
    assert_eq!(status, 3);
    let (_, page, _) = program::halma(at, &["report", "big"]);
    assert!(
        page.contains("whether more suffice has not been decided")
            || page.contains("it has not been decided in how many moves"),
        "{page}"
    );
    assert!(page.contains("Not finished: this is no refutation."), "{page}");
}

#[test]
fn a_job_is_described_before_it_is_solved() {
    let (status, text, err) = halma(&["describe", "configs/transfer-triangle-4-6move.toml", "--probe", "0s"]);
    assert_eq!((status, err.as_str()), (0, ""));
    for line in [
        "triangle-4, 10 men, on 9x9 under 6-move rules\n\n                1   a\n              2   0   b\n            3   2   1   c\n",
        "                 [.]\n\nDigits are men by type, brackets the target.\n",
        "men by type     (3, 3, 3, 1) at the start, (3, 3, 3, 1) at the target\n",
        "balance         unbalanced: 1 to 3 men of a type; a first step can help\n",
        "K               2 symmetries fix start and target; positions that they exchange count as one\n",
        "mirror          a reflection exchanges start and target: half of each way is searched\n",
        "centroid        from -60 to 60\n",
        "Theorem 1       no solution has fewer than 19 moves\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let (status, text, _) =
        halma(&["describe", GAME.replace("tests/games", "configs/table-2").as_str(), "--probe", "0s"]);
    assert_eq!(status, 0);
    assert!(text.contains("Theorem 1       no game has fewer than 27 moves\n"), "{text}");
}

#[test]
fn a_short_trial_says_what_a_search_may_cost_and_leaves_nothing_behind() {
    let folder = job_folder(SQUARE);
    let (status, text, _) = program::halma(folder.path(), &["describe", "job.toml"]);
    assert_eq!(status, 0);
    assert!(text.contains("The shortest solution has 12 moves"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn a_batch_ends_with_a_table_for_people_spreadsheets_and_pages() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    std::fs::write(at.join("wrong.toml"), SQUARE.replace("moves = 8", "moves = 5")).expect("a job");
    let args = ["batch", "job.toml", "wrong.toml", "-q", "--output-dir", "night"];
    let (status, text, _) = program::halma(at, &args);
    assert_eq!(status, 2, "the worst of the jobs");
    assert!(text.contains("job.toml    done    optimal      12"), "{text}");
    assert!(text.contains("wrong.toml  failed"), "{text}");
    let read = |name: &str| std::fs::read_to_string(at.join("night").join(name)).expect(name);
    assert_eq!(read("table.txt"), text);
    let csv = read("table.csv");
    assert!(
        csv.starts_with("job,state,verdict,length,refuted,pruning,successors,largest level,seconds,memory,answer\n")
    );
    assert_eq!(csv.lines().count(), 3, "the message is on one line: {csv}");
    let cells: Vec<&str> = csv.lines().nth(1).expect("a row").split(',').collect();
    assert!(cells[6..10].iter().all(|cell| cell.parse::<f64>().is_ok()), "numbers, and nothing else: {csv}");
    assert!(read("table.md").starts_with("| job | state |"));
    assert!(read("batch.log").contains("length 12"), "the log is not quiet");
    // Again: what is done is not done again.
    let (_, again, _) = program::halma(at, &[&args[..], &["--table", "csv"]].concat());
    assert_eq!(again.lines().nth(1).map(String::from), csv.lines().nth(1).map(|l| l.replacen("done", "skipped", 1)));
    let (status, said, _) = program::halma(at, &["status", "night"]);
    assert_eq!(status, 2);
    assert!(said.starts_with("1 skipped, 1 failed\n"), "{said}");
    let (status, said, _) = program::halma(at, &["status", "runs/job"]);
    assert_eq!((status, said.as_str()), (0, "The shortest solution has 12 moves: every shorter length is refuted.\n"));
}

#[test]
fn a_page_says_for_which_lengths_levels_are_why_lengths_are_refuted_and_where_it_was_made() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    std::fs::write(at.join("six.toml"), SQUARE.replace("square-2", "triangle-3").replace("moves = 8", "moves = 6"))
        .expect("a job");
    program::halma(at, &["solve", "six.toml", "-q", "--output-dir", "six"]);
    let (status, page, err) = program::halma(at, &["report", "six"]);
    assert_eq!((status, err.as_str()), (0, ""));
    // The levels are those of the last length that was searched, not of the solution, which was foreseen.
    assert!(page.contains("new states on each level in the searches for 20 to 22 moves"));
    for means in ["leading, up to 22", "leading, from 20"] {
        assert!(page.contains(&format!(">{means}</td>")), "{means}");
    }
    let record = halma_record::record::Record::read(&at.join("six/result.json")).expect("a record");
    let machine = record.machine.expect("a machine");
    assert!(page.contains(&format!("<dd>{}", machine.system)) && page.contains("processor"));
    assert!(
        page.contains(&format!("<dt>source tree</dt><dd><code>{}</code>", record.source.as_deref().expect("a tree")))
    );
    let trees: Vec<usize> = record.source.as_deref().unwrap_or_default().split('+').map(str::len).collect();
    assert_eq!(trees, [40, 40]);
}

#[test]
fn a_run_says_how_far_it_is_while_it_goes_on_and_that_it_was_left_when_it_was_killed() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let big = SQUARE.replace("square-2", "triangle-4")
        + "[search]\npruning = \"none\"\n[limits]\nthreads = 1\ntime = \"10 min\"\nmemory = \"200 MiB\"\n";
    std::fs::write(at.join("big.toml"), big).expect("a job");
    let mut run =
        program().current_dir(at).args(["solve", "big.toml", "-q", "--output-dir", "big"]).spawn().expect("it runs");
    while !at.join("big/status.json").exists() {
        assert!(run.try_wait().expect("it was there").is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let (status, said, _) = program::halma(at, &["status", "big"]);
    run.kill().expect("it was there");
    run.wait().expect("it was there");
    assert_eq!(status, 3, "not finished");
    assert!(said.starts_with("running: length ") && said.contains("states expanded"), "{said}");
    let (status, said, _) = program::halma(at, &["status", "big"]);
    assert_eq!(status, 3);
    assert!(
        said.starts_with("interrupted; its last process was at length ") && said.contains("states expanded"),
        "{said}"
    );
    assert!(said.contains("no process works on it") && said.contains("halma resume big"), "{said}");
    let (status, _, err) = program::halma(at, &["status", "nowhere"]);
    assert_eq!((status, err.as_str()), (2, "nowhere: no run and no batch there\n"));
}

#[test]
fn the_help_of_every_command_fits_a_screen() {
    let (_, help, _) = halma(&["--help"]);
    let commands: Vec<&str> = help
        .lines()
        .take_while(|l| *l != "Options:")
        .filter_map(|l| l.strip_prefix("  ")?.split_whitespace().next().filter(|_| !l.starts_with("   ")))
        .collect();
    assert!(commands.contains(&"solve") && commands.contains(&"report"), "{commands:?}");
    for command in std::iter::once("").chain(commands) {
        let args: &[&str] = if command.is_empty() { &["--help"] } else { &[command, "--help"] };
        let (status, help, _) = halma(args);
        assert_eq!(status, 0, "{command}");
        // Five options more ask for several processes.
        let most = if cfg!(feature = "cluster") { 55 } else { 45 };
        assert!(help.lines().count() <= most, "{command}: {} lines", help.lines().count());
        assert!(help.lines().all(|l| l.chars().count() <= 80), "{command}");
    }
}

#[test]
fn man_pages_and_completions_name_every_command() {
    let folder = job_folder(SQUARE);
    let (status, page, _) = halma(&["man"]);
    assert_eq!(status, 0);
    assert!(page.contains(".TH halma 1") && page.contains("Exit status"), "{page}");
    let man = folder.path().join("man");
    assert_eq!(halma(&["man", "--output-dir", man.to_str().expect("UTF-8")]).0, 0);
    for command in ["solve", "prove", "report", "batch", "row-shift"] {
        assert!(man.join(format!("halma-{command}.1")).is_file(), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let (status, script, _) = halma(&["completions", shell]);
        assert_eq!(status, 0);
        assert!(script.contains("describe") && script.contains("max-length"), "{shell}");
    }
    let (status, schema, _) = halma(&["schema"]);
    assert_eq!((status, schema.as_str()), (0, include_str!("../../docs/job.schema.json")));
}

#[test]
fn coordinates_stand_on_every_board_of_a_sheet_that_asks_for_them() {
    let names =
        |args: &[&str]| halma(&[&["replay", SOLUTION, "--svg"], args].concat()).1.matches("class=\"names\"").count();
    assert_eq!((names(&[]), names(&["--coordinates"])), (0, 28));
}

#[test]
fn in_a_game_the_colour_is_the_side_and_no_type() {
    let (_, svg, _) = halma(&["replay", GAME, "--svg", "--at", "0"]);
    assert_eq!(
        (svg.matches("man blue").count(), svg.matches("man red").count(), svg.matches("man t").count()),
        (10, 10, 0)
    );
}

#[test]
fn a_folder_becomes_a_site_whose_pages_tell_the_story_and_fetch_nothing() {
    let folder = job_folder(SQUARE);
    let site = folder.path().join("site");
    let (status, out, _) = halma(&["report", "results", "-o", &format!("{}/", site.display())]);
    assert_eq!(status, 0);
    assert!(out.contains("index.html: "), "{out}");
    let pages: Vec<_> = std::fs::read_dir(&site).expect("a folder").flatten().map(|page| page.path()).collect();
    assert!(pages.len() > 40, "{}", pages.len());
    for page in &pages {
        let text = std::fs::read_to_string(page).expect("a page");
        assert!(text.len() < 300_000, "{}: {}", page.display(), text.len());
        assert!(!text.contains("http://") && !text.contains("https://"), "{}", page.display());
        assert!(!text.contains("unsafe-inline"), "{}", page.display());
    }
    let page = std::fs::read_to_string(site.join("p4-triangle-5-8move.html")).expect("a page");
    assert!(page.contains("<h1>24 moves, and no fewer</h1>") && page.contains("&lt;= 26"), "{page}");
    let index = std::fs::read_to_string(site.join("index.html")).expect("an index");
    // A problem has the name that its row in a README has, whatever else its records are called.
    for name in ["p2-triangle-4-6move", "p2-triangle-4-8move"] {
        assert!(index.contains(&format!("href=\"{name}.html\"")), "{index}");
    }
}

#[test]
fn a_name_without_an_ending_is_a_site_of_many_runs_and_a_page_of_one() {
    let folder = job_folder(SQUARE);
    let report = |runs: &[&str], output: &str| {
        let output = folder.path().join(output);
        let (status, _, err) = halma(&[&["report"], runs, &["-o", output.to_str().expect("UTF-8")]].concat());
        assert_eq!((status, err.as_str()), (0, ""), "{runs:?}");
        match output.is_dir() {
            true => std::fs::read_dir(&output).expect("a folder").count(),
            false => 0,
        }
    };
    let (one, other) = ("results/table-3/p1-triangle-3-6move.json", "results/table-3/p5-square-2-6move.json");
    assert_eq!(report(&["results/table-2"], "games"), 6, "a folder of runs");
    assert_eq!(report(&[one, other], "two"), 3, "several runs");
    assert_eq!(report(&[one, other], "two.html"), 0, "a page is asked for by its name");
    assert_eq!(report(&[one], "one"), 0, "one run is a page");
    assert_eq!(report(&[one, other], "one"), 0, "a file that is there is written again");
    std::fs::create_dir(folder.path().join("site.there")).expect("a folder");
    assert_eq!(report(&[one], "site.there"), 2, "a folder that is there");
    assert_eq!(report(&[one], "slash/"), 2, "a slash");
}

#[test]
fn a_site_keeps_its_index_and_leads_to_pages_of_any_name_and_leaves_no_record_out() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let kept = std::env::current_dir().expect("a folder").join("results/table-3");
    for (name, record) in [
        ("index", "p1-triangle-3-6move.json"),
        ("a b#1", "p5-square-2-6move.json"),
        ("Index", "p6-square-3-8move.json"),
    ] {
        std::fs::create_dir_all(at.join("runs").join(name)).expect("a folder");
        std::fs::copy(kept.join(record), at.join("runs").join(name).join("result.json")).expect("a record");
    }
    let (status, out, err) = program::halma(at, &["report", "runs", "-o", "site/"]);
    assert_eq!((status, out.as_str()), (0, "site/index.html: 4 pages\n"), "{err}");
    let read = |name: &str| std::fs::read_to_string(at.join("site").join(name)).expect(name);
    let index = read("index.html");
    for (link, name) in [("Index-2", "Index-2"), ("a%20b%231", "a b#1"), ("index-3", "index-3")] {
        assert!(index.contains(&format!("<a href=\"{link}.html\">{name}</a>")), "{name}: {index}");
        assert!(read(&format!("{name}.html")).contains("href=\"index.html\""), "{name}");
    }
    let page = read("a b#1.html");
    for command in ["halma check", "halma replay", "scripts/referee.py derive"] {
        assert!(page.contains(&format!("{command} 'runs/a b#1/result.json'")), "{command}: {page}");
    }
    // What is damaged may be a record.
    for name in ["runs/Index/result.json", "runs/other.json"] {
        let text = std::fs::read(kept.join("p5-square-2-6move.json")).expect("a record");
        std::fs::write(at.join(name), &text[..text.len() / 2]).expect("a file");
        let (status, out, err) = program::halma(at, &["report", "runs", "-o", "site/"]);
        assert_eq!(status, 4, "{err}");
        assert!(err.starts_with(&format!("not in the site: {name}: damaged record: EOF")), "{err}");
        assert_eq!(out, "site/index.html: 3 pages\n");
        std::fs::remove_file(at.join(name)).expect("it is there");
    }
    // What else has the name of a page stays.
    std::fs::write(at.join("site/index.html"), "mine").expect("a file");
    let (status, _, err) = program::halma(at, &["report", "runs", "-o", "site/"]);
    assert!(status == 2 && err.starts_with("site/index.html: no page of halma, and left as it is"), "{err}");
    assert_eq!(read("index.html"), "mine");
}

/// What is opened in LaTeX is closed, in order: braces, and environments.
fn assert_latex(text: &str) {
    let (mut open, mut depth) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.starts_with("% ")) {
        for part in line.split('\\').skip(1) {
            let name = |of: &str| Some(part.strip_prefix(of)?.split_once('}')?.0);
            open.extend(name("begin{"));
            if let Some(ended) = name("end{") {
                assert_eq!(open.pop(), Some(ended));
            }
        }
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        assert!(depth >= 0, "closed and not opened: {line}");
    }
    assert_eq!((open, depth), (Vec::new(), 0));
}

/// Runs pdflatex, where it and the class that a figure names are installed.
fn assert_pdflatex_takes(text: &str) {
    let found = std::process::Command::new("kpsewhich").arg("standalone.cls").output();
    if !found.is_ok_and(|found| found.status.success()) {
        crate::skipped("figures by LaTeX: there is none with standalone.cls");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("figure.tex"), text).expect("a figure");
    let output = std::process::Command::new("pdflatex")
        .current_dir(folder.path())
        .args(["-interaction=nonstopmode", "-halt-on-error", "figure.tex"])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(folder.path().join("figure.pdf").is_file());
}

#[test]
fn a_figure_for_latex_is_a_document_with_all_men_on_all_boards() {
    for (file, args, pieces) in [
        (SOLUTION, &["--at", "3"][..], 10),
        (SOLUTION, &["--coordinates", "--columns", "7"], 28 * 10),
        (GAME, &["--at", "2"], 20),
        ("results/puzzles/klotski-moves-solve.json", &["--at", "1"], 10),
        // Letters that LaTeX reads as commands, on a board with holes.
        ("results/puzzles/sokoban-microban-1-solve.json", &["--at", "0"], 3),
    ] {
        let (status, text, err) = halma(&[&["replay", file, "--tikz"], args].concat());
        assert_eq!((status, err.as_str()), (0, ""), "{file}");
        assert!(text.contains("\\documentclass[tikz,border=2pt]{standalone}\n\\begin{document}\n"), "{text}");
        // Edges of men and blocks are thin or very thick, those of cells grey; a shape begins a line.
        let commands = text.split('\\').filter(|command| command.starts_with("draw[fill=halma"));
        let edged = |command: &&str| command.contains(",thin]") || command.contains(",very thick]");
        let drawn: usize = commands.filter(edged).map(|command| command.trim_end().lines().count()).sum();
        assert_eq!(drawn, pieces, "{file}");
        assert_latex(&text);
        assert_pdflatex_takes(&text);
    }
}

#[test]
fn a_figure_for_latex_is_asked_for_as_one_for_a_browser_is() {
    assert_eq!(halma(&["replay", SOLUTION, "--tikz", "--svg"]).0, 2);
    assert_eq!(halma(&["replay", SOLUTION, "--at", "3"]).0, 2);
    let (status, _, err) = halma(&["replay", SOLUTION, "--tikz", "--at", "28"]);
    assert_eq!((status, err.as_str()), (2, "--at 28: the solution has 27 moves; allowed are 0 to 27\n"));
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let program = env!("CARGO_BIN_EXE_halma");
    let on_terminal = |no_color: Option<&str>| {
        // A terminal of util-linux; not everywhere.
        let mut script = std::process::Command::new("script");
        script.current_dir(env!("CARGO_MANIFEST_DIR")).env("TERM", "xterm").env_remove("NO_COLOR");
        script.env_remove("CLICOLOR").envs(no_color.map(|value| ("NO_COLOR", value)));
        let command = format!("'{program}' replay {SOLUTION}");
        let output = script.args(["-qec", &command, "/dev/null"]).stdin(std::process::Stdio::null()).output().ok()?;
        assert!(output.status.success(), "{output:?}");
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (Some(coloured), Some(plain)) = (on_terminal(None), on_terminal(Some("1"))) else {
        return crate::skipped("a terminal's colours: there is no `script` here");
    };
    assert!(coloured.contains("\x1b[") && !plain.contains('\x1b'), "{coloured}");
    let mut boards = plain.lines().filter(|line| !line.starts_with("legal: "));
    assert!(plain.contains("27 moves") && boards.all(|line| line.chars().count() <= 80), "{plain}");
    let (_, piped, _) = halma(&["replay", SOLUTION]);
    assert_eq!(plain.replace("\r\n", "\n"), piped);
}

#[test]
fn a_new_job_is_one_and_what_is_there_already_stays() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    for (name, args) in [
        ("a", &["--board", "star-121"][..]),
        ("b", &["--board", "triangle:6", "--men", "3", "--title", "A \"small\" one"]),
        ("c", &["--board", "7x5", "--game"]),
        ("d", &["--board", "hexagon:3", "--moves", "6"]),
    ] {
        let file = format!("{name}.toml");
        let (status, _, err) = program::halma(at, &[&["new", &file], args].concat());
        assert_eq!((status, err.as_str()), (0, ""), "{name}");
        let (status, text, err) = program::halma(at, &["describe", &file, "--probe", "0s"]);
        assert_eq!((status, err.as_str()), (0, ""), "{name}");
        assert_eq!(text.starts_with("A \"small\" one: "), name == "b", "{text}");
    }
    let (status, _, err) = program::halma(at, &["new", "a.toml"]);
    assert_eq!((status, err.as_str()), (2, "a.toml: there already, and left as it is\n"));
    // What it says to do next leads to a page.
    let (_, said, _) = program::halma(at, &["new", "next.toml", "--board", "5x5"]);
    for line in said.lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let (status, _, err) = program::halma(at, &words);
        assert_eq!(status, 0, "{line}: {err}");
    }
    assert!(std::fs::read_to_string(at.join("runs/next.html")).unwrap().contains("and no fewer"));
    let (status, _, err) = program::halma(at, &["replay", "next.toml"]);
    assert!(status == 2 && err.starts_with("next.toml: a job, and no solution; halma solve"), "{err}");
    let (status, _, err) = program::halma(at, &["report", "runs", "-o", "next.toml/"]);
    assert!(status == 2 && err.contains("a file of that name is there"), "{err}");
    std::fs::write(at.join("board.txt"), "SS .\n...\n. TT\n").expect("a drawing");
    for (kind, length) in [("rules", 9), ("blocks", 2), ("permutation", 2)] {
        let file = format!("{kind}.toml");
        let (status, _, err) = program::halma(at, &["new", &file, "--kind", kind, "--title", "A \"new\" one"]);
        assert_eq!(status, 0, "{err}");
        let (status, text, err) = program::halma(at, &["solve", &file, "-q", "--json"]);
        assert_eq!(status, 0, "{err}");
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&record["verdict"], &record["length"]), (&"optimal".into(), &length.into()), "{kind}");
        assert_eq!(record["problem"]["title"], "A \"new\" one");
    }
    let (status, text, _) = program::halma(at, &["new", "-", "--kind", "rules", "--drawing", "board.txt"]);
    assert!(status == 0 && text.contains("SS#.\n...#\n.#TT\n") && text.contains("d1 = \"S\""), "{text}");
    assert_eq!(program::halma(at, &["new", "-", "--kind", "blocks", "--men", "3"]).0, 2);
    let (status, _, err) = program::halma(at, &["new", "-", "--men", "4"]);
    assert!(status == 2 && err.contains("--men is for boards that are drawn"), "{err}");
    std::fs::write(at.join("wide.txt"), "A".repeat(26) + ".\n").expect("a drawing");
    let (status, text, _) = program::halma(at, &["new", "-", "--kind", "rules", "--drawing", "wide.txt"]);
    assert!(status == 0 && text.contains("{ aa1 = \"A\" }"), "{text}");
    let (status, text, _) = program::halma(at, &["new", "-", "--drawing", "board.txt", "--moves", "4"]);
    assert_eq!(status, 0);
    assert!(text.contains("SS#.\n...#\n.#TT\n"), "{text}");
}

#[test]
fn other_rules_and_a_time_can_be_asked_for_on_the_command_line() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let length = |moves: &str| {
        let (status, text, _) = program::halma(at, &["solve", "job.toml", "-q", "--json", "--moves", moves]);
        assert_eq!(status, 0);
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")["length"].clone()
    };
    assert_eq!([length("4"), length("6"), length("8")], [15, 15, 12].map(serde_json::Value::from));
    let big = SQUARE.replace("square-2", "triangle-4") + "[search]\npruning = \"none\"\n";
    std::fs::write(at.join("big.toml"), big).expect("a job");
    let (status, _, err) = program::halma(at, &["solve", "big.toml", "--time", "100ms", "--progress", "lines"]);
    assert_eq!(status, 3);
    assert!(err.contains("nothing was kept: with --output-dir DIR"), "{err}");
}

#[test]
fn progress_as_json_is_all_that_stands_on_standard_error() {
    let folder = job_folder(SQUARE);
    let at = folder.path();
    let events = |args: &[&str]| -> Vec<serde_json::Value> {
        let (_, _, err) = program::halma(at, args);
        err.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
    };
    let solved = events(&["solve", "job.toml", "--progress", "json"]);
    let done = solved.last().expect("an end");
    assert_eq!((&done["event"], &done["length"], &done["exit"]), (&"done".into(), &12.into(), &0.into()));
    assert!(solved.iter().any(|event| event["event"] == "length"), "{solved:?}");
    let wrong = events(&["solve", "nowhere.toml", "--progress", "json"]);
    assert_eq!((wrong.len(), &wrong[0]["exit"]), (1, &2.into()));
}
