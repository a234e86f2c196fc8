//! From a job to its record: search techniques, one a file, and the loop over lengths ([`solve`]); a run, its folder and
//! its record ([`mod@run`]); refutations as certificates ([`certify`]).

pub mod certify;
#[cfg(any(test, feature = "testing"))]
pub mod fault;
pub mod run;
pub mod solve;
