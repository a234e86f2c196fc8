//! The greeting: two processes compare program, job and host file, and each accepts or refuses the other.

use std::io;
use std::time::Instant;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use halma_files::plain;
use halma_record::record::{self, PROGRAM};

use super::Terms;
use super::frame::Kind;
use super::handshake::Wire;

/// What a process tells another about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Greeting {
    program: String,
    /// The tree of the source that the program was built from.
    source: String,
    /// The compilation target and its instruction sets.
    target: String,
    job: String,
    hosts: String,
    processes: usize,
    peer_timeout: String,
    from: usize,
    to: usize,
}

impl Terms {
    fn greeting(&self, to: usize) -> Greeting {
        Greeting {
            program: PROGRAM.into(),
            source: record::source().unwrap_or_default().into(),
            target: env!("HALMA_TARGET").into(),
            job: self.job.clone(),
            hosts: self.hosts.digest(),
            processes: self.hosts.len(),
            peer_timeout: humantime::format_duration(self.peer_timeout).to_string(),
            from: self.process,
            to,
        }
    }

    /// The difference that forbids a common run, in the greeting of a process that should be number `from`.
    fn wrong(&self, theirs: &Greeting, from: usize) -> Option<String> {
        let ours = self.greeting(from);
        let [processes, here] = [theirs, &ours].map(|greeting| greeting.processes.to_string());
        let compared = [
            ("program", &theirs.program, &ours.program),
            ("program's source", &theirs.source, &ours.source),
            ("program's target", &theirs.target, &ours.target),
            ("number of processes", &processes, &here),
        ];
        let differ = |(what, theirs, ours): (&str, &String, &String)| {
            (theirs != ours).then(|| format!("its {what} is {}, here it is {ours}", shown_peer_text(theirs)))
        };
        if let Some(reason) = compared.into_iter().find_map(differ) {
            return Some(reason);
        }
        if theirs.hosts != ours.hosts {
            return Some("its host file is another one".into());
        }
        let compared = [("job", &theirs.job, &ours.job), ("peer timeout", &theirs.peer_timeout, &ours.peer_timeout)];
        if let Some(reason) = compared.into_iter().find_map(differ) {
            return Some(reason);
        }
        (theirs.from != from || theirs.to != self.process).then(|| {
            format!(
                "it is process {} and means to speak with process {}, here is process {}",
                theirs.from, theirs.to, self.process
            )
        })
    }
}

/// The most characters of another process's text.
const LONGEST: usize = 500;

/// Another process's text, safe for a terminal, in one line: it must not look like a line of this program.
pub(super) fn shown_peer_text(text: &str) -> String {
    let line: String = text.chars().take(LONGEST).map(|c| if "\n\t".contains(c) { ' ' } else { c }).collect();
    plain::shown(&line).into_owned()
}

/// Exchanges greetings; returns the difference that forbids a common run, if any.
pub(super) fn compare(terms: &Terms, wire: &mut Wire, peer: usize, until: Instant) -> io::Result<Option<String>> {
    say(wire, &terms.greeting(peer))?;
    Ok(terms.wrong(&hear(wire, until)?, peer))
}

/// Tells whether this process accepts the other, and reads whether the other accepts this one.
pub(super) fn agree(wire: &mut Wire, wrong: Option<&str>, until: Instant) -> io::Result<Option<String>> {
    say(wire, &wrong)?;
    hear(wire, until)
}

fn say(wire: &mut Wire, what: &impl Serialize) -> io::Result<()> {
    wire.sealer.send(Kind::Talk, &serde_json::to_vec(what)?).map(drop)
}

fn hear<T: DeserializeOwned>(wire: &mut Wire, until: Instant) -> io::Result<T> {
    match wire.opener.next(Some(until))? {
        (Kind::Talk, text) => Ok(serde_json::from_slice(text)?),
        (kind, _) => {
            Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of kind {kind:?} in its greeting")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::terms;

    #[test]
    fn whatever_differs_between_two_processes_is_said() {
        let terms = terms("127.0.0.1:1\n127.0.0.1:2", 0);
        let theirs = Greeting { from: 1, to: 0, ..terms.greeting(1) };
        assert_eq!(terms.wrong(&theirs, 1), None);
        assert!(theirs.target.contains(std::env::consts::ARCH));
        let differ = |change: fn(&mut Greeting), words: &str| {
            let mut theirs = theirs.clone();
            change(&mut theirs);
            let reason = terms.wrong(&theirs, 1).unwrap();
            assert!(reason.contains(words), "{reason}");
        };
        differ(|g| g.program = "halma 9.9.9".into(), "its program is halma 9.9.9, here it is halma");
        differ(|g| g.source = "0".into(), "program's source");
        differ(|g| g.target.push_str(",avx10"), ",avx10, here it is");
        differ(|g| g.processes = 3, "its number of processes is 3, here it is 2");
        differ(|g| g.hosts.clear(), "host file");
        differ(|g| g.job = "\x1b[2J\n".into(), "its job is \\u001b[2J , here");
        differ(|g| g.peer_timeout = "2s".into(), "its peer timeout is 2s, here it is 1m");
        differ(|g| g.from = 2, "it is process 2 and means to speak with process 0");
        differ(|g| g.to = 1, "means to speak with process 1, here is process 0");
    }
}
