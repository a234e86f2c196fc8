//! How a record names a level file that stays.

use serde::{Deserialize, Serialize};

use crate::number::Digest;

/// A level file that a run has kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Its name from the run's folder on.
    pub name: String,
    /// The identity in its header.
    pub identity: Digest,
}
