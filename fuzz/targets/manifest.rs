//! The list of a run's folder, from a stranger: never a panic, and nothing beside the folder is touched.
#![no_main]

use halma_engine::store::workspace;
use halma_solve::run;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let run = folder.path().join("run");
    std::fs::create_dir(&run).unwrap();
    std::fs::write(folder.path().join("beside"), b"beside").unwrap();
    std::fs::write(run.join("run.json"), bytes).unwrap();
    let _ = workspace::run_and_terms(&run);
    let _ = run::manifest_job(&run);
    assert_eq!(std::fs::read(folder.path().join("beside")).unwrap(), b"beside");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
});
