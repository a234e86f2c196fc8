//! From a job to its record: the search techniques, one a file, and the loop over lengths ([`solve`]); runs, their
//! folders and records ([`mod@run`]); refutations as certificates ([`certify`]).

pub mod certify;
#[cfg(any(test, feature = "testing"))]
pub mod fault;
pub mod run;
pub mod solve;
#[cfg(any(test, feature = "testing"))]
pub mod stops_after;
