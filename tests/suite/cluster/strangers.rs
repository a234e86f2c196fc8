//! Who may take part, and what becomes of a run that others call, or of which a process falls silent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Command;
use std::time::Duration;

use super::{LARGE, LEVELS, Place, TRANSFER, alone, harmed};

const KEYED: [&str; 4] = ["solve", "job.toml", "--key", "key"];

fn dial(address: &str) -> TcpStream {
    let socket = (0..).find_map(|_| TcpStream::connect(address).ok()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
    socket
}

#[test]
fn a_key_is_made_once_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new(TRANSFER, "");
    place.key();
    let made = std::fs::read(place.at("key")).unwrap();
    assert_eq!((made.len(), std::fs::metadata(place.at("key")).unwrap().permissions().mode() & 0o777), (65, 0o600));
    let (status, out, err) = place.halma(&["cluster-key", "-o", "key"]);
    assert!(status == Some(2) && out.is_empty() && err.contains("there is a file already"), "{err}");
    assert_eq!(std::fs::read(place.at("key")).unwrap(), made);

    place.hosts(2);
    std::fs::set_permissions(place.at("key"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let (status, _, err) = place.start(0, &KEYED).end();
    assert!(status == Some(2) && err.contains("others may use this key (mode 0644)"), "{err}");
}

#[test]
fn a_key_may_be_in_the_environment_and_an_empty_one_is_none_at_all() {
    let place = Place::new(TRANSFER, "");
    place.key();
    let key = std::fs::read_to_string(place.at("key")).unwrap();
    place.hosts(2);
    let [one, other] =
        [place.start_with(0, &["solve", "job.toml"], Some(&key)), place.start(1, &KEYED)].map(|p| p.end());
    assert_eq!((one.0, other.0), (Some(0), Some(0)), "{} {}", one.2, other.2);
    for wrong in ["", &key[1..]] {
        let (status, _, err) = place.start_with(0, &["solve", "job.toml"], Some(wrong)).end();
        assert!(status == Some(2) && err.contains("HALMA_CLUSTER_KEY: it holds no key"), "{err}");
        assert!(wrong.is_empty() || !err.contains(wrong.trim()));
    }
}

#[test]
fn without_a_key_only_addresses_of_this_machine_alone_are_allowed() {
    let place = Place::new(TRANSFER, "");
    // An address for documentation, which nobody has; nothing is sent there.
    std::fs::write(place.at("hosts"), "127.0.0.1:7401\n192.0.2.1:7401\n").unwrap();
    for process in [0, 1] {
        let (status, out, err) = place.start(process, &["solve", "job.toml"]).end();
        assert!(status == Some(2) && out.is_empty(), "{status:?}");
        assert!(err.contains("process 1 (192.0.2.1:7401)") && err.contains("halma cluster-key -o FILE"), "{err}");
    }
}

#[test]
fn processes_of_one_key_answer_and_those_of_two_do_not_meet() {
    let place = Place::new(TRANSFER, "");
    place.key();
    let one = alone(&place.at("job.toml"), &["solve", "job.toml"]).without_measurements();
    assert_eq!(place.together(2, &KEYED).without_measurements(), one);
    std::fs::rename(place.at("key"), place.at("other")).unwrap();
    place.key();
    place.hosts(2);
    let ours = place.start(0, &[&KEYED[..], &["--wait", "2s"]].concat());
    let theirs = place.start(1, &["solve", "job.toml", "--wait", "2s", "--key", "other"]);
    for (end, words) in [(ours.end(), "it has another key"), (theirs.end(), "it does not take this process's key")] {
        assert!(end.0 == Some(3) && end.1.is_empty() && end.2.contains(words), "{end:?}");
    }
}

#[test]
fn strangers_hear_nothing_and_neither_stop_a_run_nor_shut_its_processes_out() {
    let place = Place::new(TRANSFER, "");
    place.key();
    let address = place.hosts(2)[0].clone();
    let first = place.start(0, &[&KEYED[..], &["--json", "--wait", "40s"]].concat());
    // More than are heard at a time, and all of them silent.
    let idle: Vec<_> = (0..100).map(|_| dial(&address)).collect();
    // A greeting of the version before, noise, half a hello, one that is gone at once.
    let hello = |process: u32| [&b"HALMANET\x03\0\0\0"[..], &process.to_le_bytes(), &[0; 4], &[7; 32]].concat();
    for said in [
        &b"HALMANET\x02\x00\x00\x00{}"[..],
        b"GET / HTTP/1.1\r\nHost: somewhere.example\r\nAccept: */*\r\n\r\n",
        b"\xff\xff\xff\xff\0\0\0\0",
        b"",
    ] {
        let mut stranger = dial(&address);
        stranger.write_all(said).unwrap();
        stranger.shutdown(Shutdown::Write).unwrap();
        let mut heard = Vec::new();
        // Closed, by a reset where something was left unread.
        let _ = stranger.read_to_end(&mut heard);
        assert!(heard.is_empty(), "{heard:?}");
    }
    // A hello in order, and a proof that is none: one random number comes back.
    let mut stranger = dial(&address);
    stranger.write_all(&[hello(1), vec![9; 32]].concat()).unwrap();
    let mut heard = Vec::new();
    let _ = stranger.read_to_end(&mut heard);
    assert!(heard.len() == 52 && heard[..20] == hello(1)[..20], "{heard:?}");

    let second = place.start(1, &KEYED);
    let (one, other) = (first.end(), second.end());
    assert_eq!((one.0, other.0), (Some(0), Some(0)), "{} {}", one.2, other.2);
    assert!(one.2.contains("is turned away: it says something else"), "{}", one.2);
    assert!(one.2.contains("said to be process 1, is turned away: it has another key"), "{}", one.2);
    drop(idle);
}

#[test]
fn a_signal_is_heeded_while_others_are_waited_for() {
    let place = Place::new(TRANSFER, "");
    place.hosts(2);
    let address = place.hosts(2)[0].clone();
    let waiting = place.start(0, &["solve", "job.toml", "--wait", "55s"]);
    drop(dial(&address));
    assert!(Command::new("kill").arg(waiting.0.id().to_string()).status().unwrap().success());
    let (status, out, err) = waiting.end();
    assert!(status == Some(3) && out.is_empty() && err.contains("while waiting for process 1 (127.0.0.1:"), "{err}");
}

#[test]
fn a_process_that_is_stopped_ends_the_run_of_the_others() {
    let place = Place::new(LARGE, "");
    let ends = harmed(&place, &["--peer-timeout", "2s"], |_, second| {
        let pid = second.0.id().to_string();
        assert!(Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
        // It is told to go on when the other has given it up, so that it ends, too.
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_secs(5));
            let _ = Command::new("kill").args(["-CONT", &pid]).status();
        });
    });
    assert!(ends[0].0 == Some(3) && ends[1].0 == Some(3), "{ends:?}");
    let said = format!("{} {}", ends[0].1, ends[0].2);
    assert!(said.contains("process 1 is lost: it has said nothing for 2s") || said.contains("timed out"), "{said}");
    assert_eq!(
        place.together(2, &LEVELS).without_measurements(),
        alone(&place.at("job.toml"), &LEVELS).without_measurements()
    );
}

#[test]
fn a_second_process_of_the_same_number_is_refused_and_the_run_goes_on() {
    let place = Place::new(TRANSFER, "");
    place.key();
    place.hosts(3);
    let first = place.start(0, &[&KEYED[..], &["--wait", "40s"]].concat());
    // Both wait for the third; so one of the two is there when the other comes.
    let [one, other] = [1, 1].map(|process| place.start(process, &[&KEYED[..], &["--wait", "40s"]].concat()));
    let mut twins = [Some(one), Some(other)];
    let refused = loop {
        let ended = twins.iter_mut().find_map(|twin| twin.take_if(|t| t.0.try_wait().unwrap().is_some()));
        if let Some(twin) = ended {
            break twin.end();
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(refused.0, Some(2), "{refused:?}");
    let third = place.start(2, &KEYED);
    for process in [first, twins.into_iter().flatten().next().unwrap(), third] {
        let end = process.end();
        assert_eq!(end.0, Some(0), "{end:?}");
    }
}

/// A process of a run as an attacker may write it, without a key: the handshake, and then what it likes.
struct Forger {
    socket: TcpStream,
    key: [u8; 32],
    number: u64,
    /// What the other said of itself.
    greeting: serde_json::Value,
}

impl Forger {
    /// Calls process 0 as process 1.
    fn call(address: &str) -> Self {
        let mut socket = dial(address);
        let hello = [&b"HALMANET\x03\0\0\0\x01\0\0\0\0\0\0\0"[..], &[5; 32]].concat();
        socket.write_all(&hello).unwrap();
        let mut answer = [0; 52];
        socket.read_exact(&mut answer).unwrap();
        let none = blake3::derive_key("halma 2026 cluster without a key", b"");
        let both = blake3::Hasher::new_keyed(&none).update(&hello).update(&answer).finalize();
        let derived = |label: &str| *blake3::keyed_hash(both.as_bytes(), label.as_bytes()).as_bytes();
        socket.write_all(&derived("proof of the caller")).unwrap();
        let mut proof = [0; 32];
        socket.read_exact(&mut proof).unwrap();
        assert_eq!(proof, derived("proof of the called side"));
        let key = derived("frames of the caller");
        let mut forger = Self { socket, key, number: 0, greeting: serde_json::Value::Null };
        forger.greeting = serde_json::from_slice(&forger.hear()).unwrap();
        forger
    }

    fn hear(&mut self) -> Vec<u8> {
        let mut head = [0; 8];
        self.socket.read_exact(&mut head).unwrap();
        let mut content = vec![0; u32::from_le_bytes(*head.first_chunk().unwrap()) as usize + 32];
        self.socket.read_exact(&mut content).unwrap();
        content.truncate(content.len() - 32);
        content
    }

    fn say(&mut self, kind: u8, content: &[u8]) {
        let head = [&(content.len() as u32).to_le_bytes()[..], &[kind, 0, 0, 0]].concat();
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        let tag = hasher.update(content).update(&head).update(&self.number.to_le_bytes()).finalize();
        self.number += 1;
        let _ = self.socket.write_all(&[&head, content, tag.as_bytes()].concat());
    }

    /// Greets as the true process 1 would, but for `change`; the other's opinion.
    fn greet(&mut self, change: impl Fn(&mut serde_json::Value)) -> String {
        let mut mine = self.greeting.clone();
        (mine["from"], mine["to"]) = (1.into(), 0.into());
        change(&mut mine);
        self.say(3, mine.to_string().as_bytes());
        self.say(3, b"null");
        String::from_utf8(self.hear()).unwrap()
    }
}

#[test]
fn a_forged_greeting_is_answered_with_the_reason_and_the_run_goes_on() {
    let place = Place::new(TRANSFER, "");
    let address = place.hosts(2)[0].clone();
    let first = place.start(0, &["solve", "job.toml", "--json", "--wait", "40s"]);
    let forged = |key: &str, value: serde_json::Value| {
        Forger::call(&address).greet(|greeting| {
            assert!(!greeting[key].is_null(), "{key}");
            greeting[key] = value.clone();
        })
    };
    assert!(forged("program", "halma 9.9.9".into()).contains("its program is halma 9.9.9, here it is halma"));
    assert!(forged("source", "0".into()).contains("its program's source is 0"));
    assert!(forged("target", "x86_64 avx10".into()).contains("its program's target is x86_64 avx10"));
    assert!(forged("job", "solve".into()).contains("its job is solve, here"));
    assert!(forged("hosts", "".into()).contains("host file"));
    assert!(forged("processes", 3.into()).contains("its number of processes is 3"));
    assert!(forged("from", 0.into()).contains("it is process 0 and means to speak with process 0"));
    let second = place.start(1, &["solve", "job.toml"]);
    let (one, other) = (first.end(), second.end());
    assert_eq!((one.0, other.0), (Some(0), Some(0)), "{} {}", one.2, other.2);
    assert!(one.2.contains("process 1 is not of this run: its program is halma 9.9.9"), "{}", one.2);
}

/// A message as timely frames it: channel, source, targets, length, number.
fn message(channel: u64, length: u64, content: &[u8]) -> Vec<u8> {
    let numbers = [channel, 1, 0, 1, length, 0];
    [numbers.map(u64::to_be_bytes).concat(), content.to_vec()].concat()
}

#[test]
fn whatever_an_admitted_process_sends_is_an_end_with_status_3_and_no_panic() {
    // From, number and time as timely puts them before a packet; to 0, from 1, the kind, a length that is not there.
    let packet = |from: u32, length: u32| {
        let head: Vec<u8> = [0, from, 1, length].iter().flat_map(|number: &u32| number.to_le_bytes()).collect();
        [&1u64.to_le_bytes()[..], &[0; 16], &head].concat()
    };
    // Which of its channels timely carries packets on is its own business.
    let everywhere = |content: &[u8]| -> Vec<u8> {
        (0..12).flat_map(|channel| message(channel, content.len() as u64, content)).collect()
    };
    let sent = [
        ("gigabytes in a header", message(1, 4_200_000_000, b"")),
        ("a length that wraps", message(1, u64::MAX - 7, b"")),
        ("a packet that is too short", everywhere(&[0; 8])),
        ("a packet longer than it is", everywhere(&packet(1, 1 << 30))),
        ("a packet of a process that there is not", everywhere(&packet(7, 0))),
        ("garbage on all channels", everywhere(&[0xff; 64])),
        ("noise", vec![0xab; 500]),
        ("data after the end", vec![0; 96]),
    ];
    let place = Place::new(TRANSFER, "");
    for (what, bytes) in sent {
        let address = place.hosts(2)[0].clone();
        let first = place.start(0, &["solve", "job.toml", "--peer-timeout", "10s"]);
        let mut forger = Forger::call(&address);
        assert_eq!(forger.greet(|_| {}), "null", "{what}");
        forger.say(0, &bytes);
        let (status, _, err) = first.end();
        assert!(status == Some(3) && err.contains("process 1 is lost: "), "{what}: {status:?} {err}");
        // At once, and not because nothing more comes.
        assert!(!err.contains("panic") && !err.contains("has said nothing"), "{what}: {err}");
    }
}
