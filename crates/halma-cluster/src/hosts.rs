//! The host file: which processes there are, and which one this is.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::Path;

use halma_files::folder;
use xxhash_rust::xxh3::xxh3_128;

use super::ClusterError;

/// The addresses of all processes, in the order of their numbers.
///
/// ```
/// use halma_cluster::Hosts;
/// let hosts = Hosts::parse("# two on one host\nnode1:7401\nnode1:7402\n[fd00::2]:7401\n")?;
/// assert_eq!((hosts.len(), hosts.address(1), hosts.beside(0)), (3, "node1:7402", 2));
/// # Ok::<(), halma_cluster::ClusterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl Hosts {
    /// Reads a host file: a line `host:port` for each process; blank lines and text after `#` are ignored.
    ///
    /// # Errors
    /// Where the file cannot be read, or has another line.
    pub fn read(file: &Path) -> Result<Self, ClusterError> {
        let unread =
            |e: &dyn std::fmt::Display| ClusterError::Input(format!("{}: cannot be read: {e}", file.display()));
        let bytes = folder::read_named(file, folder::TYPED_BYTES).map_err(|e| unread(&e))?;
        Self::parse(&String::from_utf8(bytes).map_err(|e| unread(&e))?)
            .map_err(|e| ClusterError::Input(format!("{}: {e}", file.display())))
    }

    /// The same from its text.
    ///
    /// # Errors
    /// The first line that is something else.
    pub fn parse(text: &str) -> Result<Self, ClusterError> {
        let mut hosts: Vec<String> = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
            if line.is_empty() {
                continue;
            }
            let wrong = |what: &str| ClusterError::Input(format!("line {number}: found `{line}`, {what}"));
            let port =
                line.rsplit_once(':').filter(|(host, _)| !host.is_empty() && !host.contains(char::is_whitespace));
            if port.and_then(|(_, port)| port.parse::<u16>().ok()).is_none_or(|port| port == 0) {
                return Err(wrong("allowed is host:port, a line for each process"));
            }
            if hosts.iter().any(|host| host == line) {
                return Err(wrong("which is another process's already: each needs a port of its own"));
            }
            hosts.push(line.into());
        }
        match hosts.len() {
            0 => Err(ClusterError::Input("it names no host; allowed is host:port, a line for each process".into())),
            _ => Ok(Self(hosts)),
        }
    }

    /// How many processes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Always false: there is at least one process.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The address of a process, as it was written.
    #[must_use]
    pub fn address(&self, process: usize) -> &str {
        &self.0[process]
    }

    /// How many of the processes are on this one's host, itself included. Names are compared as they are written; all
    /// loopback addresses are one host.
    #[must_use]
    pub fn beside(&self, process: usize) -> usize {
        let host = |address: &str| {
            let host = address.rsplit_once(':').map_or("", |(host, _)| host);
            let plain = host.trim_start_matches('[').trim_end_matches(']');
            let is_loopback = plain == "localhost" || plain.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
            if is_loopback { "localhost".to_owned() } else { host.to_owned() }
        };
        self.0.iter().filter(|other| host(other) == host(&self.0[process])).count()
    }

    /// Resolves the address of a process.
    pub(super) fn resolve(&self, process: usize) -> std::io::Result<Vec<SocketAddr>> {
        self.0[process].to_socket_addrs().map(Iterator::collect)
    }

    /// A digest of all addresses.
    pub(super) fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.0.join("\n").as_bytes()))
    }
}

/// The variables in which launchers state the process number: Slurm, Open MPI, MPICH and Intel MPI, PMIx.
const VARIABLES: [&str; 4] = ["SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"];

/// The number of this process among `hosts`: the given one, or else the launcher's.
///
/// # Errors
/// Where there is none, or no such process.
pub fn process_number(given: Option<usize>, hosts: &Hosts) -> Result<usize, ClusterError> {
    let said = VARIABLES.iter().find_map(|name| Some((*name, std::env::var(name).ok()?)));
    let (number, by) = match (given, said) {
        (Some(number), _) => (number, "--process"),
        (None, Some((name, said))) => match said.parse() {
            Ok(number) => (number, name),
            Err(_) => return Err(ClusterError::Input(format!("{name}: found `{said}`, allowed is a number"))),
        },
        (None, None) => {
            let names = VARIABLES.join(", ");
            return Err(ClusterError::Input(format!("which process is this? Give --process I, or set one of {names}")));
        }
    };
    match number < hosts.len() {
        true => Ok(number),
        false => Err(ClusterError::Input(format!(
            "{by}: found {number}, allowed are 0 to {}: the host file has {} lines",
            hosts.len() - 1,
            hosts.len()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_host_file_is_refused_with_its_line() {
        let refused = |text: &str| Hosts::parse(text).unwrap_err().to_string();
        assert!(refused("a:1\nb\n").starts_with("line 2: found `b`"));
        assert!(refused("a:1\nb:0\n").contains("allowed is host:port"));
        assert!(refused("a b:1").contains("allowed is host:port"));
        assert!(refused("a:70000").contains("allowed is host:port"));
        assert!(refused("a:1\n\na:1").starts_with("line 3: found `a:1`, which is another process's"));
        assert!(refused("# none\n").contains("no host"));
    }

    #[test]
    fn loopback_addresses_are_one_host() {
        let hosts = Hosts::parse("localhost:1\n127.0.0.1:2\n[::1]:3\nnode:4").unwrap();
        assert_eq!((0..4).map(|process| hosts.beside(process)).collect::<Vec<_>>(), [3, 3, 3, 1]);
    }

    #[test]
    fn a_process_must_be_one_of_those_in_the_file() {
        let hosts = Hosts::parse("a:1\na:2").unwrap();
        assert_eq!(process_number(Some(1), &hosts).unwrap(), 1);
        assert_eq!(
            process_number(Some(2), &hosts).unwrap_err().to_string(),
            "--process: found 2, allowed are 0 to 1: the host file has 2 lines"
        );
    }
}
