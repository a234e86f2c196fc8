//! The guide's commands, run as they stand there: blocks marked `console`, in a folder that has what the guide says.
//!
//! A block `toml NAME` is that file. A line `$ ...` is run by a shell and must end with status 0 (where it is meant not to, it says
//! `; echo $?`); what stands below it must be what it prints, `...` being any lines, times and memory any numbers. Blocks marked
//! `console not run: WHY` are for readers alone.

use std::path::Path;
use std::process::Command;

/// One block of a page: what it is marked with, and its lines.
struct Block {
    mark: String,
    lines: Vec<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(mark) if !open => blocks.push(Block { mark: mark.trim().into(), lines: Vec::new() }),
            Some(_) => {}
            None if open => blocks.last_mut().expect("an open block").lines.push(line.into()),
            None => continue,
        }
        open ^= line.starts_with("```");
    }
    assert!(!open, "a block is not closed");
    blocks
}

/// A line without what depends on the machine: times, memory, threads, the width of columns.
fn masked(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let changes = |i: usize| {
        let next = words.get(i + 1).copied().unwrap_or_default();
        let number = words[i].parse::<f64>().is_ok();
        number && (words[i].contains('.') || next.starts_with("thread") || next.starts_with("KiB") || next == "MiB")
    };
    let shown = |(i, word): (usize, &&str)| if changes(i) { "#".into() } else { (*word).to_string() };
    words.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")
}

/// Whether these lines are those, where a line `...` stands for any number of lines.
fn is_shown(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "..." => (0..=printed.len()).any(|n| is_shown(rest, &printed[n..])),
        Some((line, rest)) => {
            printed.first().is_some_and(|first| masked(first) == masked(line)) && is_shown(rest, &printed[1..])
        }
    }
}

/// Runs a command in `folder`, whose `home` is home; what it prints.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_halma")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder.join("home"))
        .env_remove("HALMA_CACHE")
        .output()
        .expect("bash");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "$ {command}\n{printed}{:?}", output.status);
    printed.lines().map(String::from).collect()
}

/// The commands of a block, each with what is shown below it.
fn commands(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.into(), Vec::new())),
            (None, Some((_, shown))) => shown.push(line.clone()),
            (None, None) => panic!("a block of commands begins with `{line}`"),
        }
    }
    commands
}

/// Goes through a page; how many commands it has run.
fn follow(page: &Path, folder: &Path) -> usize {
    let text = std::fs::read_to_string(page).expect("a page");
    let mut count = 0;
    for Block { mark, lines } in blocks(&text) {
        let (kind, rest) = mark.split_once(' ').unwrap_or((&mark, ""));
        match (kind, rest) {
            ("toml", file) if !file.is_empty() => std::fs::write(folder.join(file), lines.join("\n")).expect("a file"),
            ("console", "") => {
                for (command, shown) in commands(&lines) {
                    let printed = run(&command, folder);
                    count += 1;
                    let (page, told) = (page.display(), printed.join("\n"));
                    let fits = shown.is_empty() || is_shown(&shown, &printed);
                    assert!(fits, "{page}: $ {command}\nprints\n{told}\nand not\n{}", shown.join("\n"));
                }
            }
            ("console", why) => assert!(why.starts_with("not run: ") && why.len() > 14, "{}: {why}", page.display()),
            _ => {}
        }
    }
    count
}

#[test]
fn the_guides_commands_do_what_the_guide_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for entry in std::fs::read_dir(root.join("docs/guide")).expect("the guide") {
        let page = entry.expect("a page").path();
        if page.extension().is_none_or(|e| e != "md") {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("home")).expect("a home");
        // What runs write goes beside these, never through them.
        for shared in ["configs", "scripts", "tests", "docs"] {
            std::os::unix::fs::symlink(root.join(shared), folder.path().join(shared)).expect("a link");
        }
        count += follow(&page, folder.path());
    }
    assert!(count >= 20, "only {count} commands: are blocks no longer marked `console`?");
}

#[test]
fn what_a_page_shows_may_leave_lines_and_times_out_and_nothing_else() {
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
    let printed = lines("a  1\nb\n1.1 s, 1.8 s of CPU time on 2 threads, 43.4 MiB of memory");
    for (shown, fits) in [
        ("a 1\nb\n0.2 s, 0.1 s of CPU time on 1 thread, 3.0 MiB of memory", false),
        ("a 1\nb\n0.2 s, 0.1 s of CPU time on 4 threads, 3.0 MiB of memory", true),
        ("a 1\n...", true),
        ("...\nb\n...", true),
        ("a 2\n...", false),
        ("a 1\nb", false),
    ] {
        assert_eq!(is_shown(&lines(shown), &printed), fits, "{shown}");
    }
}
