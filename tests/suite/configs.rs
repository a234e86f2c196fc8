//! Every job under `configs/` is sound, and Table 3 has one for each of its cells that the paper proves.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use halma_rules::job::{Job, Problem, Pruning};

fn configs(folder: &str) -> Vec<(PathBuf, Job)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => collect(&path, files),
                // Beside them lie files that jobs name.
                false if path.extension().is_some_and(|e| e == "tws") => {}
                false => files.push(path),
            }
        }
    }
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("configs").join(folder), &mut files);
    let read = |file: PathBuf| {
        let job = Job::read(&file).unwrap_or_else(|fault| panic!("{fault}"));
        (file, job)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_job_is_sound_and_writes_to_a_folder_of_its_own() {
    let all = configs(".");
    let folders: BTreeSet<_> = all.iter().filter_map(|(_, job)| job.output.dir.clone()).collect();
    assert_eq!(folders.len(), all.len());
    assert!(all.iter().all(|(file, _)| file.extension().is_some_and(|e| e == "toml")));
}

#[test]
fn table_3_has_a_job_for_each_proved_cell() {
    let jobs = configs("table-3");
    let mut cells = BTreeSet::new();
    for (file, job) in &jobs {
        let Problem::Transfer(transfer) = &job.problem else { panic!("a transfer") };
        let symmetries = transfer.symmetries();
        assert!(symmetries.mirror.is_some(), "{}", file.display());
        assert_eq!(
            symmetries.fixing.len(),
            if job.spec.armies().unwrap().board == "9x9" { 2 } else { 1 },
            "{}",
            file.display()
        );
        let name = file.file_stem().and_then(|s| s.to_str()).expect("a name");
        assert!(name.ends_with(&format!("-{}move", transfer.lattice.rule.number())), "{name}");
        assert_eq!(name.contains("jumps"), transfer.jumps_only, "{name}");
        cells.insert((name.split('-').next().map(String::from), transfer.lattice.rule.number(), transfer.start.len()));
    }
    let expected = [("p1", 6), ("p2", 10), ("p3", 10), ("p5", 4), ("p6", 9), ("p7", 12)];
    let expected = expected.into_iter().flat_map(|(p, men)| [4, 6, 8].map(|moves| (Some(p.to_string()), moves, men)));
    assert_eq!(cells, expected.collect());
    assert_eq!(jobs.len(), 18);
}

#[test]
fn the_papers_own_searches_are_stated_as_the_paper_runs_them() {
    let jobs = configs("paper");
    let search = |name: &str| {
        let job = jobs.iter().find(|(file, _)| file.ends_with(format!("paper/{name}.toml")));
        let search = &job.unwrap_or_else(|| panic!("{name}")).1.search;
        (search.pruning.clone(), search.palindromic, search.max_length)
    };
    let mcc = |c| Pruning::Mcc { c, keep: 1_000_000 };
    assert_eq!(search("mcc-5-triangle-4-6move"), (mcc(Some(5)), false, Some(26)));
    assert_eq!(search("mcc-4-triangle-4-6move"), (mcc(Some(4)), false, Some(26)));
    assert_eq!(search("palindrome-30-triangle-5-6move"), (mcc(None), true, Some(30)));
    assert_eq!(search("palindrome-31-triangle-5-6move"), (mcc(None), true, Some(31)));
}

#[test]
fn the_jobs_of_the_readme_are_sound() {
    let read = |page| std::fs::read_to_string(page).expect("a page");
    let readme = read("README.md") + &read("docs/guide/commands.md");
    let jobs: Vec<&str> = readme.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(jobs.len() >= 2);
    for text in jobs {
        Job::parse("README.md".as_ref(), text).unwrap_or_else(|fault| panic!("{fault}"));
    }
}
