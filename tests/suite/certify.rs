//! `halma certify`, and what the plain verifier makes of its files.

use std::path::{Path, PathBuf};
use std::process::Command;

use halma_engine::search::CancellationToken;
use halma_rules::job::Granularity;
use halma_rules::job::{Job, Problem};
use halma_solve::certify::{CertifyError, LARGE, Resources, refutation};

/// Status, standard output and standard error of a program.
fn ran(program: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(program).args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn verify(files: &[PathBuf]) -> (i32, String) {
    let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let (status, said, complaint) = ran("scripts/verify-certificate".as_ref(), &files);
    assert_eq!(complaint, "");
    (status, said)
}

fn certify(record: &str, file: &Path) -> (i32, String, String) {
    ran(env!("CARGO_BIN_EXE_halma").as_ref(), &["certify", record, "-q", "-o", file.to_str().unwrap()])
}

#[test]
fn a_certificate_of_a_published_record_is_verified_and_a_cut_or_changed_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.cert");
    let (status, said, _) = certify("results/table-3/p1-triangle-3-6move.json", &whole);
    assert_eq!(status, 0);
    assert!(said.contains("no solution of at most 22 moves; 4113 states, 7006 bytes"), "{said}");
    let (status, said) = verify(std::slice::from_ref(&whole));
    assert_eq!(status, 0, "{said}");
    for what in ["6 men on 81 cells (9 by 9), 6 directions (1,0 -1,0 0,1 0,-1 1,-1 -1,1)", "no way of at most 22 moves"]
    {
        assert!(said.contains(what), "{said}");
    }

    let bytes = std::fs::read(&whole).unwrap();
    let (cut, changed) = (folder.path().join("cut.cert"), folder.path().join("changed.cert"));
    std::fs::write(&cut, &bytes[..bytes.len() - 1]).unwrap();
    let (status, said) = verify(&[cut]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("cannot be read: it ends early, at byte 7005"), "{said}");
    // The last five bytes are the target's key, on the last of the levels: it becomes that of another army.
    let mut other = bytes;
    let lowest = other.len() - 5;
    other[lowest] ^= 1;
    std::fs::write(&changed, &other).unwrap();
    let (status, said) = verify(&[whole, changed]);
    assert_eq!(status, 4, "{said}");
    assert!(said.contains("changed.cert: REFUSED: G: "), "{said}");
}

/// The checker that Coq proves, where `proof/run` has built it.
fn proved_checker() -> Option<&'static Path> {
    let proved = Path::new("proof/build/checker");
    if !proved.exists() {
        crate::skipped("the proved checker, which proof/run builds");
    }
    proved.exists().then_some(proved)
}

/// Levels from the target excuse nobody from the levels ahead of them.
#[test]
fn a_certificate_that_lacks_the_level_where_both_ends_are_to_meet_is_refused() {
    let files = ["case-20-without-the-meeting-level", "corner-with-an-empty-meeting-level"]
        .map(|name| PathBuf::from(format!("tests/certificates/refused/{name}.cert")));
    for file in files {
        let (status, said) = verify(std::slice::from_ref(&file));
        assert_eq!(status, 4, "{said}");
        assert!(said.contains("REFUSED: E: state "), "{said}");
        if let Some(proved) = proved_checker() {
            let (status, said, _) = ran(proved, &[file.to_str().unwrap()]);
            assert_eq!(status, 4, "{said}");
        }
    }
}

/// A man who cannot move never arrives. Such a record names no length that it refutes.
#[test]
fn what_has_no_solution_of_any_length_is_certified_as_far_as_a_certificate_can_name_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let (job, run, file) = (folder.path().join("job.toml"), folder.path().join("run"), folder.path().join("none.cert"));
    std::fs::write(&job, "[problem]\nkind = 'transfer'\nmoves = 4\nboard = \"\"\"\nS#.\n###\n..T\n\"\"\"\n").unwrap();
    let [job, run] = [&job, &run].map(|path| path.to_str().unwrap());
    let (status, said, _) = ran(env!("CARGO_BIN_EXE_halma").as_ref(), &["solve", job, "-q", "--output-dir", run]);
    assert!(status == 0 && said.contains("There is no solution of any length"), "{said}");
    let (status, said, complaint) = certify(run, &file);
    assert!(status == 0 && said.contains("no solution of at most 249 moves"), "{said}{complaint}");
    let (status, said) = verify(&[file]);
    assert!(status == 0 && said.contains("no way of at most 249 moves"), "{said}");
}

#[test]
fn what_cannot_be_certified_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("none.cert");
    for (record, status, reason) in [
        ("results/open/p4-palindromes-8move.json", 2, "the record speaks of palindromes only"),
        ("results/open/halma-game.json", 2, "certificates are of refutations of transfers"),
        ("results/open/halma-19-8move.json", 2, "19 men on 256 cells; certificates go up to"),
        ("results/no-such.json", 2, "cannot be read"),
    ] {
        let (found, said, complaint) = certify(record, &file);
        assert_eq!((found, said.as_str()), (status, ""), "{record}: {complaint}");
        assert!(complaint.contains(reason), "{record}: {complaint}");
        assert!(!file.exists());
    }
}

#[test]
fn problems_of_every_kind_have_certificates_up_to_one_less_than_their_shortest_solution() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let mut files = Vec::new();
    for (number, line) in text.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let [map, moves, start, target, jumps_only, shortest, ..] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let men = |names: &str| format!("['{}']", names.replace(',', "', '"));
        let (map, start, target) = (map.replace('/', "\n"), men(start), men(target));
        let job = format!(
            "[problem]\nkind = 'transfer'\nboard = '''\n{map}\n'''\nmoves = {moves}\narmy = {start}\ntarget = {target}\n\
             jumps-only = {jumps_only}\n"
        );
        let Ok(Job { problem: Problem::Transfer(problem), .. }) = Job::parse("job.toml".as_ref(), &job) else {
            continue;
        };
        let cancel = CancellationToken::after(None);
        // Every other one has levels from the target.
        let large = if number % 2 == 0 { 0 } else { LARGE };
        let means = Resources { large, cancel: &cancel, tell: &|_| () };
        let certificate = |length| refutation(problem.clone(), length, Granularity::default(), means.clone());
        // A dash: none of any length.
        let shortest: Option<u32> = shortest.parse().ok();
        if let Some(shortest) = shortest {
            assert!(matches!(certificate(shortest), Err(CertifyError::Wrong(_))), "{line}");
        }
        if let Some(refuted) = shortest.map_or(Some(20), |shortest| shortest.checked_sub(1)) {
            let mut bytes = Vec::new();
            certificate(refuted).unwrap().write(&mut bytes).unwrap();
            files.push(folder.path().join(format!("{number}.cert")));
            std::fs::write(files.last().unwrap(), bytes).unwrap();
        }
    }
    assert!(files.len() > 30, "{}", files.len());
    let (status, said) = verify(&files);
    assert_eq!(status, 0, "{said}");
    assert_eq!(said.matches("PROVED").count(), files.len());
    let Some(proved) = proved_checker() else { return };
    for file in &files {
        let (status, said, _) = ran(proved, &[file.to_str().unwrap()]);
        assert_eq!(status, 0, "{said}");
    }
}
