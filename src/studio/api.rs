//! What the page can ask for.

use serde::{Deserialize, Serialize};

use halma_record::record::{Asked, PROGRAM};
use halma_rules::board::NAMED;
use halma_rules::job::MAX_LENGTH;

use super::drawing::{Boards, Described, Drawing, Wrong};
use super::live::Snapshot;
use super::queue::{Declined, SearchQueue, Stage, Ticket};
use super::untrusted_job;
use crate::report;

/// An answer to a request: what it is, and the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    pub(super) text: String,
}

const JSON: &str = "application/json";

impl Reply {
    fn json(status: u16, value: &impl Serialize) -> Self {
        match serde_json::to_string(value) {
            Ok(text) => Self { status, kind: JSON, text },
            Err(error) => Self::refused(500, &format!("the answer cannot be written: {error}")),
        }
    }

    /// Why there is no answer.
    pub(super) fn refused(status: u16, message: &str) -> Self {
        Self { status, kind: JSON, text: serde_json::json!({ "message": message }).to_string() }
    }

    fn text(kind: &'static str, text: String) -> Self {
        Self { status: 200, kind, text }
    }

    fn unknown() -> Self {
        Self::refused(404, "there is nothing under this address")
    }
}

/// What the page needs to begin.
#[derive(Serialize)]
struct Start<'a> {
    program: &'static str,
    boards: &'static [&'static str],
    threads: usize,
    memory: Option<String>,
    folder: String,
    /// The job of the command line.
    job: Option<&'a str>,
}

/// A board to draw.
#[derive(Deserialize)]
struct BoardWish {
    board: String,
    moves: u8,
}

/// What comes of a text that is looked at: a wrong one is no wrong request.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Seen<T> {
    Known(Box<T>),
    Wrong(Wrong),
}

/// A search in the list.
#[derive(Serialize)]
struct Listed {
    id: u64,
    asked: String,
    about: String,
    stage: &'static str,
    /// The answer in a sentence, or why there is none.
    sentence: Option<String>,
}

/// A search in full.
#[derive(Serialize)]
struct Detail {
    #[serde(flatten)]
    listed: Listed,
    live: Snapshot,
    folder: String,
    /// The length of the solution.
    length: Option<u32>,
    moves: Option<Vec<String>>,
    /// Where its report is, once there is one.
    report: Option<String>,
}

/// The studio's answers.
pub(super) struct Api<'a> {
    pub(super) queue: &'a SearchQueue,
    /// The job of the command line.
    pub(super) job: Option<&'a str>,
}

impl Api<'_> {
    /// Answers what its own page asks for; `path` is what follows `/api/`.
    pub(super) fn answer(&self, method: &str, path: &str, query: &str, body: String) -> Reply {
        let parts: Vec<&str> = path.split('/').collect();
        match (method, &*parts) {
            ("GET", ["start"]) => self.start(),
            ("POST", ["board"]) => board(&body),
            ("POST", ["describe"]) => describe(&body),
            ("GET", ["jobs"]) => Reply::json(200, &self.queue.tickets().iter().map(|t| listed(t)).collect::<Vec<_>>()),
            ("POST", ["jobs"]) => self.add(query, body),
            (_, ["jobs", id, rest @ ..]) => match id.parse().ok().and_then(|id| self.queue.ticket(id)) {
                // The same question again: one that was stopped goes on.
                Some(ticket) if (method, rest) == ("POST", &["again"][..]) => {
                    let (asked, number) = ticket.asked;
                    self.added(ticket.text.clone(), asked, number)
                }
                Some(ticket) => of_ticket(&ticket, method, rest, query),
                None => Reply::refused(404, "no such search, or it has been forgotten: its folder is still there"),
            },
            ("GET" | "POST", _) => Reply::unknown(),
            _ => Reply::refused(405, "allowed are GET and POST"),
        }
    }

    /// The report that goes by this key.
    pub(super) fn report(&self, key: &str) -> Option<String> {
        let ticket = self.queue.tickets().into_iter().find(|ticket| ticket.key.is(key.as_bytes()))?;
        match ticket.stage() {
            Stage::Ended(answer) => Some(ticket.report(&answer)),
            _ => None,
        }
    }

    fn start(&self) -> Reply {
        let most = self.queue.most();
        let start = Start {
            program: PROGRAM,
            boards: NAMED,
            threads: most.threads,
            memory: most.memory.map(|memory| bytesize::ByteSize(memory).to_string()),
            folder: self.queue.folder().display().to_string(),
            job: self.job,
        };
        Reply::json(200, &start)
    }

    fn add(&self, query: &str, text: String) -> Reply {
        let Some(asked) = value(query, "ask").and_then(Asked::named) else {
            return Reply::refused(422, "what is asked? allowed are solve, prove, count and levels");
        };
        let number = value(query, "number").filter(|number| !number.is_empty());
        let Ok(number) = number.map(str::parse).transpose() else {
            return Reply::refused(422, &format!("the number of moves is a whole number from 0 to {MAX_LENGTH}"));
        };
        self.added(text, asked, number)
    }

    fn added(&self, text: String, asked: Asked, number: Option<u32>) -> Reply {
        match self.queue.add(text, asked, number) {
            Ok(ticket) => Reply::json(201, &listed(&ticket)),
            Err(Declined::Job(fault)) => Reply::json(422, &Wrong::of(&fault)),
            Err(full @ Declined::Full) => Reply::refused(429, &full.to_string()),
            Err(closed @ Declined::Closed) => Reply::refused(503, &closed.to_string()),
            Err(other) => Reply::refused(422, &other.to_string()),
        }
    }
}

/// The value of a key in a query, as it stands there.
fn value<'a>(query: &'a str, key: &str) -> Option<&'a str> {
    query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key).map(|(_, value)| value)
}

fn board(body: &str) -> Reply {
    let wish: BoardWish = match serde_json::from_str(body) {
        Ok(wish) => wish,
        Err(error) => return Reply::refused(422, &error.to_string()),
    };
    Reply::json(
        200,
        &match Drawing::of_text(&wish.board, wish.moves) {
            Ok(drawing) => Seen::Known(Box::new(drawing)),
            Err(message) => Seen::Wrong(Wrong::said(message)),
        },
    )
}

fn describe(text: &str) -> Reply {
    Reply::json(
        200,
        &match untrusted_job::read(text) {
            Ok(job) => Seen::Known(Box::new(Described::of(&job))),
            Err(fault) => Seen::Wrong(Wrong::of(&fault)),
        },
    )
}

fn listed(ticket: &Ticket) -> Listed {
    let stage = ticket.stage();
    let (asked, number) = ticket.asked;
    let number = match asked {
        Asked::Prove | Asked::Levels => number.map(|number| format!(" {number}")).unwrap_or_default(),
        Asked::Solve | Asked::Count => String::new(),
    };
    let sentence = match &stage {
        Stage::Ended(answer) => Some(report::sentence(&answer.record)),
        Stage::Failed(message) => Some(message.clone()),
        _ => None,
    };
    let asked = asked.name().to_owned() + &number;
    Listed { id: ticket.id, asked, about: report::problem(&ticket.spec), stage: stage.name(), sentence }
}

fn of_ticket(ticket: &Ticket, method: &str, rest: &[&str], query: &str) -> Reply {
    let stage = ticket.stage();
    match (method, rest, &stage) {
        ("GET", [], _) => {
            let from = value(query, "from").and_then(|from| from.parse().ok()).unwrap_or(0);
            detail(ticket, &stage, from)
        }
        ("POST", ["cancel"], _) => {
            ticket.cancel();
            Reply::json(200, &listed(ticket))
        }
        ("GET", ["job.toml"], _) => Reply::text("application/toml", ticket.text.clone()),
        ("GET", ["result.json"], Stage::Ended(answer)) => match answer.record.to_json() {
            Ok(text) => Reply::text(JSON, text),
            Err(error) => Reply::refused(500, &error.to_string()),
        },
        ("GET", ["report.html"], Stage::Ended(answer)) => {
            Reply::text("text/html; charset=utf-8", ticket.report(answer))
        }
        ("GET", ["solution"], Stage::Ended(answer)) => match Boards::of(answer, &format!("ground-{}", ticket.id)) {
            Some(boards) => Reply::json(200, &boards),
            None => Reply::refused(404, "there is no solution to show"),
        },
        ("GET", ["result.json" | "report.html" | "solution"], _) => Reply::refused(409, "the search has no record yet"),
        _ => Reply::unknown(),
    }
}

fn detail(ticket: &Ticket, stage: &Stage, from: usize) -> Reply {
    let record = if let Stage::Ended(answer) = stage { Some(&answer.record) } else { None };
    let detail = Detail {
        listed: listed(ticket),
        live: ticket.live.snapshot(from),
        folder: ticket.folder.display().to_string(),
        length: record.and_then(|record| record.best_length()),
        moves: record.and_then(|record| record.best_solution().map(<[_]>::to_vec)),
        report: record.map(|_| format!("/report/{}", ticket.key.digits())),
    };
    Reply::json(200, &detail)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::queue::SearchLimits;
    use super::*;

    const SMALL: &str = "[problem]\nkind = 'transfer'\nboard = 'SS..TT'\nmoves = 4\n";

    fn asked(queue: &SearchQueue, method: &str, path: &str, query: &str, body: &str) -> (u16, Value) {
        let reply = Api { queue, job: Some(SMALL) }.answer(method, path, query, body.into());
        (reply.status, serde_json::from_str(&reply.text).unwrap_or_default())
    }

    fn queue() -> SearchQueue {
        SearchQueue::new("nowhere".into(), SearchLimits { threads: 1, memory: Some(1 << 30) })
    }

    #[test]
    fn the_page_begins_with_boards_limits_and_the_job_of_the_command_line() {
        let (status, start) = asked(&queue(), "GET", "start", "", "");
        assert_eq!((status, start["job"].as_str(), start["threads"].as_u64()), (200, Some(SMALL), Some(1)));
        assert_eq!(start["boards"][0], "9x9");
    }

    #[test]
    fn a_fault_in_a_job_points_to_its_line() {
        let faulty = SMALL.replace("moves = 4", "moves = 5");
        let (seen, answer) = asked(&queue(), "POST", "describe", "", &faulty);
        let (refused, wrong) = asked(&queue(), "POST", "jobs", "ask=solve", &faulty);
        assert_eq!((seen, refused), (200, 422));
        for wrong in [&answer["wrong"], &wrong] {
            assert_eq!((wrong["line"].as_u64(), wrong["column"].as_u64()), (Some(4), Some(9)), "{wrong}");
            assert!(wrong["message"].as_str().unwrap().contains("4, 6 or 8"), "{wrong}");
        }
        let (_, answer) = asked(&queue(), "POST", "describe", "", SMALL);
        assert_eq!(answer["known"]["armies"]["start"], serde_json::json!(["a1", "b1"]));
        let (_, answer) = asked(&queue(), "POST", "board", "", "{\"board\": \"9x9\", \"moves\": 7}");
        assert!(answer["wrong"]["message"].as_str().is_some_and(|message| message.contains("allowed are 4, 6 and 8")));
    }

    #[test]
    fn what_nobody_can_ask_is_refused() {
        let queue = queue();
        for (method, path, query, body, status) in [
            ("GET", "", "", "", 404),
            ("GET", "nothing", "", "", 404),
            ("PUT", "jobs", "", "", 405),
            ("DELETE", "nothing", "", "", 405),
            ("POST", "jobs", "", SMALL, 422),
            ("POST", "jobs", "ask=guess", SMALL, 422),
            ("POST", "jobs", "ask=prove", SMALL, 422),
            ("POST", "jobs", "ask=prove&number=-1", SMALL, 422),
            ("POST", "jobs", "ask=levels&number=99999", SMALL, 422),
            ("POST", "board", "", "{}", 422),
            ("GET", "jobs/1", "", "", 404),
            ("GET", "jobs/-1", "", "", 404),
        ] {
            assert_eq!(asked(&queue, method, path, query, body).0, status, "{method} {path}?{query}");
        }
    }

    #[test]
    fn a_search_is_listed_and_cancelled_and_has_no_record_before_its_end() {
        let queue = queue();
        let (status, listed) = asked(&queue, "POST", "jobs", "ask=prove&number=3", SMALL);
        assert_eq!(
            (status, listed["asked"].as_str(), listed["stage"].as_str()),
            (201, Some("prove 3"), Some("waiting"))
        );
        for file in ["result.json", "report.html", "solution"] {
            assert_eq!(asked(&queue, "GET", &format!("jobs/1/{file}"), "", "").0, 409, "{file}");
        }
        let (_, detail) = asked(&queue, "GET", "jobs/1", "", "");
        assert!(detail["report"].is_null());
        assert!(Api { queue: &queue, job: None }.report(queue.ticket(1).unwrap().key.digits()).is_none());
        assert_eq!(asked(&queue, "POST", "jobs/1/cancel", "", "").1["stage"], "cancelled");
        assert_eq!(asked(&queue, "GET", "jobs", "", "").1[0]["stage"], "cancelled");
    }
}
