//! A job file never panics; one that is accepted has men, as many cells to fill, and states that a key can hold.
#![no_main]

use halma::job::Job;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(job) = Job::parse("job.toml".as_ref(), text) {
        let (start, target) = job.problem.ends();
        assert!(!start.is_empty() && start.len() == target.len());
        assert!(start.is_sorted_by(|a, b| a < b) && target.is_sorted_by(|a, b| a < b));
        assert_eq!(job.search.pruning.to_string().parse(), Ok(job.search.pruning.clone()));
    }
});
