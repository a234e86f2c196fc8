//! `halma studio` as other programs on the machine see it: requests written by hand, at the real server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::program::program;
use halma_record::record::{Record, Verdict};
use halma_solve::run;
use serde_json::Value;
use tempfile::TempDir;

/// The README's small job: 11 moves.
pub(crate) const SMALL: &str =
    "[problem]\nkind = \"transfer\"\nmoves = 6\nboard = \"\"\"\nSS...\nSS...\n..#..\n...TT\n...TT\n\"\"\"\n";
/// Nobody waits for this one; its levels begin at once.
const LONG: &str = "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 6\narmy = \"triangle-5\"\n\
                    [search]\npruning = \"none\"\n";

/// A studio that runs, and ends with its owner.
pub(crate) struct Studio {
    process: Child,
    pub(crate) url: String,
    port: u16,
    token: String,
    folder: TempDir,
}

/// An answer: its status, its head, its body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.body))
    }
}

impl Studio {
    pub(crate) fn open(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = program()
            .args(["studio", "--port", "0", "--memory", "1GiB", "--threads", "1"])
            .args(arguments)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        let (address, token) = url.split_once("/#token=").expect("an address with a token");
        let port = address.strip_prefix("http://127.0.0.1:").expect("the loopback address").parse().unwrap();
        Self { process, port, token: token.into(), folder, url }
    }

    fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // Who is refused may be so before all is written.
        let _ = stream.write_all(request);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8(text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.into() }
    }

    /// A request with this head, where `HOST` and `TOKEN` stand for the right ones.
    fn with(&self, head: &str, body: &str) -> Answer {
        let head = head.replace("HOST", &format!("127.0.0.1:{}", self.port)).replace("TOKEN", &self.token);
        let head: String = head.lines().map(|line| format!("{}\r\n", line.trim())).collect();
        self.raw(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    }

    fn asks(&self, method: &str, path: &str, body: &str) -> Answer {
        self.with(&format!("{method} {path} HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN"), body)
    }

    fn begin(&self, question: &str, job: &str) -> u64 {
        let answer = self.asks("POST", &format!("/api/jobs?ask={question}"), job);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["id"].as_u64().unwrap()
    }

    /// Waits until the search is in that stage.
    fn until(&self, id: u64, stage: &str) -> Value {
        let begun = Instant::now();
        loop {
            let search = self.asks("GET", &format!("/api/jobs/{id}"), "").json();
            if search["stage"] == stage {
                return search;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "never {stage}: {search}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn signal(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    }

    /// Waits for its end; what it said on standard error.
    fn end(&mut self) -> (ExitStatus, String) {
        let begun = Instant::now();
        while self.process.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut said = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.process.wait().unwrap(), said)
    }

    /// A folder that the page names.
    fn place(&self, search: &Value) -> PathBuf {
        self.folder.path().join(search["folder"].as_str().unwrap())
    }
}

impl Drop for Studio {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn without_the_token_there_is_the_empty_page_and_nothing_else() {
    let studio = Studio::open(&[]);
    let page = studio.with("GET / HTTP/1.1\nHost: HOST", "");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{}", page.head);
    assert!(!page.body.contains(&studio.token));
    for head in [
        "GET /api/start HTTP/1.1\nHost: HOST",
        "GET /api/start HTTP/1.1\nHost: HOST\nAuthorization: Bearer 00000000000000000000000000000000",
        "GET /api/start HTTP/1.1\nHost: HOST\nAuthorization: Basic TOKEN",
        "GET /api/start?token=TOKEN HTTP/1.1\nHost: HOST",
        "GET /api/start HTTP/1.1\nHost: HOST\nCookie: token=TOKEN",
        "POST /api/jobs?ask=solve HTTP/1.1\nHost: HOST",
        "POST /api/describe HTTP/1.1\nHost: HOST",
        "GET /api/jobs HTTP/1.1\nHost: HOST",
    ] {
        assert_eq!(studio.with(head, SMALL).status, 401, "{head}");
    }
    assert_eq!(studio.asks("GET", "/api/start", "").status, 200);
    assert_eq!(studio.asks("GET", "/api/jobs", "").json(), serde_json::json!([]));
}

/// DNS rebinding: a site's own name that leads here.
#[test]
fn under_another_name_nothing_is_answered() {
    let studio = Studio::open(&[]);
    for host in ["evil.example", &format!("evil.example:{}", studio.port), "127.0.0.1:1", "0.0.0.0"] {
        for path in ["/", "/studio.js", "/api/start"] {
            let head = format!("GET {path} HTTP/1.1\nHost: {host}\nAuthorization: Bearer TOKEN");
            assert_eq!(studio.with(&head, "").status, 403, "{host} {path}");
        }
    }
    let head = "GET http://evil.example/api/start HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN";
    assert_eq!(studio.with(head, "").status, 403);
    // None at all, or two: no request.
    assert_eq!(studio.raw(b"GET / HTTP/1.1\r\n\r\n").status, 400);
    assert_eq!(studio.with("GET / HTTP/1.1\nHost: HOST\nHost: evil.example", "").status, 400);
}

/// Cross-site request forgery: another site's page that asks.
#[test]
fn another_sites_page_is_refused_even_with_the_token() {
    let studio = Studio::open(&[]);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://HOST"] {
        let head =
            format!("POST /api/jobs?ask=solve HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nOrigin: {origin}");
        let refused = studio.with(&head, SMALL);
        assert_eq!(refused.status, 403, "{origin}");
        assert!(!refused.head.contains("access-control-allow"), "{}", refused.head);
    }
    let preflight =
        "OPTIONS /api/jobs HTTP/1.1\nHost: HOST\nOrigin: http://evil.example\nAccess-Control-Request-Method: POST";
    assert_eq!(studio.with(preflight, "").status, 403);
    let own = "POST /api/describe HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nOrigin: http://HOST\nSec-Fetch-Site: same-origin";
    assert_eq!(studio.with(own, SMALL).status, 200);
    assert_eq!(studio.asks("GET", "/api/jobs", "").json(), serde_json::json!([]), "nothing was begun");
}

#[test]
fn what_is_too_long_or_no_request_is_refused_and_the_studio_goes_on() {
    let studio = Studio::open(&[]);
    assert_eq!(studio.asks("POST", "/api/describe", &"#".repeat(300 << 10)).status, 413);
    assert_eq!(studio.asks("POST", "/api/describe", &"#".repeat(200 << 10)).status, 200);
    let token = &studio.token;
    let host = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\n", studio.port);
    // It says that it is short, and chunks go on.
    let mut chunked = format!("POST /api/describe HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    (0..80).for_each(|_| chunked.extend(format!("1000\r\n{}\r\n", "#".repeat(4096)).bytes()));
    chunked.extend(b"0\r\n\r\n");
    assert_eq!(studio.raw(&chunked).status, 413);
    let no_text =
        [format!("POST /api/describe HTTP/1.1\r\n{host}Content-Length: 2\r\n\r\n").as_bytes(), b"\xff\xfe"].concat();
    assert_eq!(studio.raw(&no_text).status, 400);
    assert_eq!(studio.raw(format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(20_000)).as_bytes()).status, 400);
    assert_eq!(studio.raw(b"hello\r\n\r\n").status, 400);
    // Half a request, and gone.
    let mut half = TcpStream::connect(("127.0.0.1", studio.port)).unwrap();
    half.write_all(b"POST /api/jobs?ask=solve HTTP/1.1\r\nHos").unwrap();
    drop(half);
    for path in ["/../Cargo.toml", "/page/studio.html", "/report/", "/report/00", "//", "/api/../api/start"] {
        assert_eq!(studio.asks("GET", path, "").status, 404, "{path}");
    }
    assert_eq!(studio.asks("PUT", "/", "").status, 405);
    assert_eq!(studio.asks("GET", "/api/start", "").status, 200);
}

#[test]
fn it_listens_on_the_loopback_address_alone() {
    let studio = Studio::open(&[]);
    let Ok(table) = std::fs::read_to_string("/proc/net/tcp") else { return };
    let port = format!(":{:04X}", studio.port);
    let listening = table.lines().filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words.get(3) == Some(&"0A") && words[1].ends_with(&port)).then(|| words[1].to_owned())
    });
    assert_eq!(listening.collect::<Vec<_>>(), [format!("0100007F{port}")]);
    let six = std::fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    assert!(!six.lines().any(|line| line.contains(&format!("{port} ")) && line.contains(" 0A ")));
}

#[test]
fn a_job_is_described_and_what_is_wrong_with_it_has_a_line() {
    let studio = Studio::open(&[]);
    let known = studio.asks("POST", "/api/describe", SMALL).json()["known"].clone();
    assert_eq!(known["about"], "4 men, on a drawn board under 6-move rules");
    let fact = |name: &str| known["facts"].as_array().unwrap().iter().find(|f| f[0] == name).unwrap()[1].to_string();
    assert!(fact("Theorem 1").contains("no solution has fewer than"));
    assert!(fact("mirror").contains("half of each way is searched"));
    let wrong = studio.asks("POST", "/api/describe", &SMALL.replace("SS...\n..#", "SS..x\n..#"));
    let (status, wrong) = (wrong.status, wrong.json()["wrong"].clone());
    assert_eq!((status, wrong["line"].as_u64(), wrong["column"].as_u64()), (200, Some(6), Some(5)), "{wrong}");
    let wrong = studio.asks("POST", "/api/jobs?ask=solve", "[problem\n");
    assert_eq!((wrong.status, wrong.json()["line"].as_u64()), (422, Some(1)));
}

#[test]
fn a_small_job_is_solved_and_kept_with_its_record_and_report() {
    let studio = Studio::open(&[]);
    let id = studio.begin("solve", SMALL);
    let search = studio.until(id, "ended");
    assert_eq!(search["length"], 11);
    assert_eq!(search["sentence"], "The shortest solution has 11 moves: every shorter length is refuted.");
    let folder = studio.place(&search);
    let record = Record::read(&folder.join("result.json")).unwrap();
    assert_eq!((record.verdict, record.length, record.refuted_up_to), (Verdict::Optimal, Some(11), Some(10)));
    assert_eq!(std::fs::read_to_string(folder.join("job.toml")).unwrap(), SMALL);
    // What is downloaded is what is kept.
    let got = |file: &str| studio.asks("GET", &format!("/api/jobs/{id}/{file}"), "").body;
    assert_eq!(got("job.toml"), SMALL);
    assert_eq!(serde_json::from_str::<Record>(&got("result.json")).unwrap(), record);
    assert_eq!(got("report.html"), std::fs::read_to_string(folder.join("report.html")).unwrap());
    let boards = studio.asks("GET", &format!("/api/jobs/{id}/solution"), "").json();
    assert_eq!(boards["boards"].as_array().unwrap().len(), 12);
    // The report is a page of nobody's origin, for whoever has its address.
    let report = studio.with(&format!("GET {} HTTP/1.1\nHost: HOST", search["report"].as_str().unwrap()), "");
    assert_eq!(report.status, 200);
    assert!(report.head.contains("content-security-policy: sandbox allow-scripts"), "{}", report.head);
    assert!(!report.body.contains(&studio.token));
    let check = program().args(["check", "--quiet"]).arg(&folder).output().unwrap();
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
}

#[test]
fn a_puzzle_from_a_file_is_proved_and_counted() {
    let studio = Studio::open(&[]);
    let pegs =
        "[problem]\nkind = \"rules\"\nboard = \"PP.P.\"\nrules = [\"P P . -> . . P\"]\ngoal = { count = { P = 1 } }\n";
    let refuted = studio.begin("prove&number=1", pegs);
    let counted = studio.begin("count", pegs);
    assert_eq!(studio.until(refuted, "ended")["sentence"], "There is no solution of at most 1 move.");
    let sentence = studio.until(counted, "ended")["sentence"].to_string();
    assert!(sentence.contains("2 shortest solutions of 2 moves"), "{sentence}");
}

#[test]
fn a_search_that_runs_tells_its_levels_and_can_be_cancelled_and_go_on() {
    let studio = Studio::open(&[]);
    let (long, small) = (studio.begin("solve", LONG), studio.begin("solve", SMALL));
    studio.until(long, "running");
    assert_eq!(studio.until(small, "waiting")["stage"], "waiting", "one after another");
    let begun = Instant::now();
    let live = loop {
        let live = studio.asks("GET", &format!("/api/jobs/{long}"), "").json()["live"].clone();
        if live["levels"].as_array().is_some_and(|levels| levels.len() >= 2) {
            break live;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{live}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(live["length"].is_u64(), "{live}");
    assert_eq!(studio.asks("GET", &format!("/api/jobs/{long}/result.json"), "").status, 409);
    // Whoever asked is gone all the time: each request has a connection of its own. Nothing stops for that.
    assert_eq!(studio.asks("POST", &format!("/api/jobs/{long}/cancel"), "").status, 200);
    let stopped = studio.until(long, "stopped");
    assert!(stopped["sentence"].as_str().unwrap().starts_with("Not finished: interrupted."), "{stopped}");
    studio.until(small, "ended");
    assert!(run::manifest_job(&studio.place(&stopped)).unwrap().is_some());
    let again = studio.asks("POST", &format!("/api/jobs/{long}/again"), "").json()["id"].as_u64().unwrap();
    assert_eq!(studio.until(again, "running")["folder"], stopped["folder"]);
    studio.asks("POST", &format!("/api/jobs/{again}/cancel"), "");
    studio.until(again, "stopped");
}

#[test]
fn too_many_searches_are_refused_and_none_takes_more_than_the_studio_has() {
    let studio = Studio::open(&[]);
    let long = studio.begin("solve", &format!("{LONG}[limits]\nthreads = 64\n[output]\ndir = \"/nowhere/at/all\"\n"));
    let search = studio.until(long, "running");
    assert!(search["folder"].as_str().unwrap().starts_with("halma-studio/"), "{search}");
    for _ in 0..16 {
        studio.begin("solve", SMALL);
    }
    assert_eq!(studio.asks("POST", "/api/jobs?ask=solve", SMALL).status, 429);
    let refused = studio.asks("POST", "/api/jobs?ask=solve", &format!("{SMALL}[limits]\nmemory = \"1 KiB\"\n"));
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("too little"), "{}", refused.body);
}

#[test]
fn a_signal_ends_it_and_what_was_under_way_can_go_on() {
    let mut idle = Studio::open(&[]);
    idle.signal();
    assert_eq!(idle.end().0.code(), Some(0));
    assert!(std::fs::read_dir(idle.folder.path()).unwrap().next().is_none(), "nothing was asked, nothing is written");

    let mut studio = Studio::open(&["--folder", "kept"]);
    let (long, waiting) = (studio.begin("solve", LONG), studio.begin("solve", SMALL));
    let search = studio.until(long, "running");
    studio.until(waiting, "waiting");
    std::thread::sleep(Duration::from_millis(500));
    studio.signal();
    let (status, said) = studio.end();
    assert_eq!(status.code(), Some(3), "{said}");
    let folder = search["folder"].as_str().unwrap();
    assert_eq!(said, format!("not finished; to go on: halma resume {folder}\n"));
    assert!(run::manifest_job(&studio.place(&search)).unwrap().is_some());
}

/// Its folder has what it takes to go on, once what is wrong there is mended.
#[test]
fn a_search_that_failed_on_its_way_is_named_when_the_studio_ends() {
    let mut studio = Studio::open(&[]);
    let long = studio.begin("solve", LONG);
    let begun = Instant::now();
    while studio.asks("GET", &format!("/api/jobs/{long}"), "").json()["live"]["levels"]
        .as_array()
        .is_none_or(|l| l.len() < 3)
    {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    studio.asks("POST", &format!("/api/jobs/{long}/cancel"), "");
    let folder = studio.place(&studio.until(long, "stopped"));
    for level in std::fs::read_dir(folder.join("levels")).unwrap() {
        std::fs::write(level.unwrap().path(), "damaged").unwrap();
    }
    let again = studio.begin("solve", LONG);
    let failed = studio.until(again, "failed");
    studio.signal();
    let (status, said) = studio.end();
    assert_eq!(status.code(), Some(3), "{said}");
    assert_eq!(said, format!("not finished; to go on: halma resume {}\n", failed["folder"].as_str().unwrap()));
}

#[test]
fn a_port_or_a_folder_that_cannot_be_had_is_said_and_the_job_of_the_command_line_is_there() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let output = program().args(["studio", "--port", &port]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with(&format!("cannot listen on port {port} of 127.0.0.1: ")), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("small.toml");
    std::fs::write(&job, SMALL).unwrap();
    // A folder below a file.
    let nowhere = job.join("searches");
    let arguments = ["studio", "--port", "0", "--folder", nowhere.to_str().unwrap()];
    let output = program().args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with(&format!("{}: searches cannot have folders here: ", nowhere.display())), "{said}");
    let studio = Studio::open(&[job.to_str().unwrap()]);
    assert_eq!(studio.asks("GET", "/api/start", "").json()["job"], SMALL);
}
