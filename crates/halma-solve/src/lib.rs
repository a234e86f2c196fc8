//! From a job to its record: search techniques, one a file ([`solve`]), the driver that goes through the lengths and writes
//! the record ([`mod@run`]), and refutations as certificates ([`certify`]).

pub mod certify;
#[cfg(any(test, feature = "testing"))]
pub mod fault;
pub mod run;
pub mod solve;
