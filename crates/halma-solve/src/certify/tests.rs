//! Searches that are broken on purpose never yield a certificate that a checker accepts.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use halma_engine::search::CancellationToken;
use halma_record::job::{Granularity, Weights};
use halma_rules::job::{Job, Problem};
use halma_rules::problem::Transfer;

use super::{CertifyError, LARGE, Resources, refutation};
use crate::fault::{self, Fault};

const CORNER: &str = "moves = 6\nboard = '''\nSS...\nSS...\n..#..\n...TT\n...TT\n'''";
const TRIANGLE: &str = "board = '9x9'\nmoves = 4\narmy = 'triangle-3'";
/// Without a mirror.
const LOPSIDED: &str = "moves = 8\nboard = '''\nSS...\nS....\n..#..\n...T.\n...TT\n'''";

fn transfer(problem: &str) -> Transfer {
    let job = Job::parse("job.toml".as_ref(), &format!("[problem]\nkind = 'transfer'\n{problem}\n")).unwrap();
    let Problem::Transfer(transfer) = job.problem else { panic!("{problem}") };
    transfer
}

/// Writes the certificate that a search broken like that makes of "no solution of at most so many moves".
fn made(problem: &str, length: u32, large: usize, fault: Option<Fault>, file: &Path) -> Result<(), CertifyError> {
    made_by(Granularity::default(), problem, length, large, fault, file)
}

/// The same, by histograms of that granularity.
fn made_by(
    granularity: Granularity,
    problem: &str,
    length: u32,
    large: usize,
    fault: Option<Fault>,
    file: &Path,
) -> Result<(), CertifyError> {
    let cancel = CancellationToken::after(None);
    let resources = Resources { large, cancel: &cancel, tell: &|_| () };
    let certificate = fault::with(fault, || refutation(transfer(problem), length, granularity, resources))?;
    let mut bytes = Vec::new();
    certificate.write(&mut bytes).unwrap();
    std::fs::write(file, bytes).unwrap();
    Ok(())
}

/// The exit statuses of the checkers for each of the files: of the plain one, and of the proved one where it has been built.
fn judged(files: &[PathBuf]) -> Vec<Vec<i32>> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("verify");
    let source = root.join("scripts/verify-certificate.c");
    let built = Command::new("cc").args(["-std=gnu99", "-O1", "-o"]).args([&plain, &source]).status().unwrap();
    assert!(built.success());
    let proved = root.join("proof/build/checker");
    if !proved.exists() {
        // `eprintln!` would be captured.
        let _ = writeln!(std::io::stderr(), "skipped: the proved checker, which proof/run builds");
    }
    let checkers: Vec<_> = [plain, proved].into_iter().filter(|checker| checker.exists()).collect();
    let status = |checker: &PathBuf, file| Command::new(checker).arg(file).output().unwrap().status.code().unwrap();
    files.iter().map(|file| checkers.iter().map(|checker| status(checker, file)).collect()).collect()
}

#[test]
fn a_search_broken_on_purpose_yields_no_certificate_that_a_checker_accepts() {
    let faults = [
        Fault::DropOneIn(3),
        Fault::BoundOffByOne,
        Fault::WrongMirror,
        Fault::Unmirrored,
        Fault::LoseShard,
        Fault::StopEarly,
        Fault::NoneWhenStopped,
    ];
    let folder = tempfile::tempdir().unwrap();
    // Each with the length of its shortest solution.
    let problems = [(CORNER, 11), (TRIANGLE, 25), (LOPSIDED, 7)];
    let (mut forged, mut yields) = (Vec::new(), Vec::new());
    for (number, (problem, shortest)) in problems.into_iter().enumerate() {
        // With levels from the target, and without.
        for (large, fault) in [0, LARGE].into_iter().flat_map(|large| faults.map(|fault| (large, fault))) {
            let file = folder.path().join(format!("{number}-{large}-{fault:?}.cert"));
            // By a wrong mirror what is true is not proved.
            let length = shortest - u32::from(fault == Fault::WrongMirror);
            if fault == Fault::WrongMirror && problem == LOPSIDED {
                continue;
            }
            match made(problem, length, large, Some(fault), &file) {
                Ok(()) => {
                    forged.push(file);
                    yields.push(format!("{fault:?}"));
                }
                Err(CertifyError::Wrong(_)) => {}
                Err(other) => panic!("{fault:?}: {other}"),
            }
        }
    }
    for fault in faults.map(|fault| format!("{fault:?}")) {
        assert!(yields.contains(&fault), "{fault} has been tried in earnest");
    }
    for (file, statuses) in forged.iter().zip(judged(&forged)) {
        assert!(statuses.iter().all(|&status| status == 4), "{}: {statuses:?}", file.display());
    }

    let mut sound = Vec::new();
    for (number, (problem, shortest)) in problems.into_iter().enumerate() {
        for large in [0, LARGE] {
            let file = folder.path().join(format!("{number}-{large}.cert"));
            made(problem, shortest - 1, large, None, &file).unwrap();
            sound.push(file);
            let wrong = made(problem, shortest, large, None, &folder.path().join("none"));
            assert!(matches!(wrong, Err(CertifyError::Wrong(_))), "{problem}");
        }
    }
    for (file, statuses) in sound.iter().zip(judged(&sound)) {
        assert!(statuses.iter().all(|&status| status == 0), "{}: {statuses:?}", file.display());
    }
}

/// On a line of 100 cells the finest 32 classes have 5 to the power of 32 numbers, which no checker reads.
#[test]
fn histograms_are_as_coarse_as_it_takes_to_number_them() {
    let line = format!("moves = 4\nboard = '''\nSSSS{}TTTT\n'''", ".".repeat(92));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("line.cert");
    made(&line, 10, LARGE, None, &file).unwrap();
    assert!(judged(&[file]).iter().flatten().all(|&status| status == 0));
}

#[test]
fn a_certificate_by_weights_is_accepted_however_large_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let weights = [vec![1000, 1001], vec![1001], vec![7, 10_000], vec![100, 201, 303], vec![0]];
    let files: Vec<PathBuf> = (0..weights.len()).map(|n| folder.path().join(n.to_string())).collect();
    for (weights, file) in weights.into_iter().zip(&files) {
        let granularity = Granularity { classes: None, weights: Some(Weights::Listed(weights)) };
        made_by(granularity, CORNER, 10, LARGE, None, file).unwrap();
    }
    for (file, said) in files.iter().zip(judged(&files)) {
        assert!(!said.is_empty() && said.iter().all(|&status| status == 0), "{}: {said:?}", file.display());
    }
}
