//! The machine of a run, as the record describes it.

use serde::{Deserialize, Serialize};

use halma_files::number;

/// The machine of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// System and architecture.
    pub system: String,
    /// The processor's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// Processors that the program may use.
    pub processors: usize,
    /// The processes that searched together, where there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ClusterRecord>,
}

/// The resources of several processes. Processor time, peaks of memory, disk and threads in the record are sums over
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterRecord {
    /// The number of processes.
    pub processes: usize,
    /// Bytes that they sent each other since they were last started, with all overhead above TCP.
    #[serde(with = "number::digits")]
    pub bytes_sent: u64,
    /// Successors that they made since then and no bound pruned, those of probes included.
    #[serde(with = "number::digits")]
    pub successors: u64,
}

/// The time now, as records have it.
#[must_use]
pub fn now() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}
