//! The studio's server: which requests are answered at all, how long they may be, what each answer tells the browser.

use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

use oxhttp::Server;
use oxhttp::model::header::{CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use oxhttp::model::{Body, HeaderValue, Method, Request, Response, StatusCode, Version};

use super::api::{Api, Reply};
use super::guard::{Guard, Refusal};
use super::queue::SearchQueue;
use super::{Port, StudioError};
use crate::figure;

/// The longest body: jobs that people type are shorter.
const BODY: u64 = 256 << 10;
/// So much of a longer one is read all the same, so that its sender reads the refusal.
const TOO_LONG: u64 = 8 << 20;
/// So much of a body that nobody may send is read for the same reason.
const SHORT: u64 = 64 << 10;
/// So many connections at once; others wait.
const CONNECTIONS: usize = 64;
/// Who says nothing for so long is gone. Browsers open connections before they need them: one that is cut off just when it is
/// used would have lost a file of the page.
const PATIENCE: Duration = Duration::from_secs(60);
/// The port, where the command line names none and it is free.
const USUAL: u16 = 4256;

/// What a browser may do with the page: use its own files, ask its own address, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// And with a report: it has its style and scripts in it, and is of nobody's origin, so that it can ask nothing.
const REPORT_POLICY: &str = "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; \
    style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page.
const FILES: [(&str, &str, &str); 9] = [
    ("/", HTML, include_str!("page/studio.html")),
    ("/studio.css", CSS, include_str!("page/studio.css")),
    ("/figure.css", CSS, figure::STYLE),
    ("/studio.js", SCRIPT, include_str!("page/studio.js")),
    ("/ask.js", SCRIPT, include_str!("page/ask.js")),
    ("/board.js", SCRIPT, include_str!("page/board.js")),
    ("/design.js", SCRIPT, include_str!("page/design.js")),
    ("/player.js", SCRIPT, include_str!("page/player.js")),
    ("/searches.js", SCRIPT, include_str!("page/searches.js")),
];

/// All that answers are made from.
pub(super) struct Shared {
    pub(super) queue: Arc<SearchQueue>,
    /// The job of the command line.
    pub(super) job: Option<String>,
}

/// Listens on the loopback address, and nowhere else; the port. Answers come from threads of their own.
pub(super) fn listen(port: Port, guard: impl Fn(u16) -> Guard, studio: &Arc<Shared>) -> Result<u16, StudioError> {
    let wishes: &[u16] = match port {
        Port::Usual => &[USUAL, 0, 0, 0],
        // Somebody may take a free port just after it was found.
        Port::Number(0) => &[0, 0, 0],
        Port::Number(number) => &[number],
    };
    let mut last = None;
    for &wish in wishes {
        match listen_on(wish, &guard, studio) {
            Ok(port) => return Ok(port),
            Err(error) => last = Some(StudioError::Port { port: wish, error }),
        }
    }
    Err(last.unwrap_or(StudioError::Port { port: 0, error: io::ErrorKind::AddrInUse.into() }))
}

fn listen_on(wish: u16, guard: &impl Fn(u16) -> Guard, studio: &Arc<Shared>) -> io::Result<u16> {
    // The server does not tell which port it was given.
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, wish))?.local_addr()?.port();
    let (guard, studio) = (guard(port), Arc::clone(studio));
    Server::new(move |request| answer(&guard, &studio, request))
        .bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .with_global_timeout(PATIENCE)
        .with_max_concurrent_connections(CONNECTIONS)
        .spawn()?;
    Ok(port)
}

/// One answer a connection: none stays open that nobody uses.
fn answer(guard: &Guard, studio: &Shared, request: &mut Request<Body>) -> Response<Body> {
    let answered = panic::catch_unwind(AssertUnwindSafe(|| respond(guard, studio, request)));
    let response = answered.unwrap_or_else(|_| {
        json(Reply::refused(500, "a bug: where it is stands on the standard error of `halma studio`"))
    });
    // oxhttp keeps the connection unless the *request* says close, and it would read the rest of the body.
    *request.body_mut() = Body::empty();
    request.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn respond(guard: &Guard, studio: &Shared, request: &mut Request<Body>) -> Response<Body> {
    // Before the body is read: any page of the browser may send one.
    let allowed = guard.host(request.uri(), request.headers()).and_then(|()| match request.uri().path() {
        path if path.starts_with("/api/") => guard.page(request.headers()),
        _ => Ok(()),
    });
    if let Err(refusal) = allowed {
        // Who is cut off while it sends may not read the answer.
        let _ = io::copy(&mut request.body_mut().take(SHORT), &mut io::sink());
        return refused(refusal);
    }
    let body = match body(request) {
        Ok(body) => body,
        Err(reply) => return json(reply),
    };
    let (method, uri) = (request.method(), request.uri());
    let path = uri.path();
    let api = Api { queue: &studio.queue, job: studio.job.as_deref() };
    if let Some(asked) = path.strip_prefix("/api/") {
        return json(api.answer(method.as_str(), asked, uri.query().unwrap_or_default(), body));
    }
    if method != Method::GET {
        return json(Reply::refused(405, "allowed is GET"));
    }
    if let Some(report) = path.strip_prefix("/report/").and_then(|key| api.report(key)) {
        return with(StatusCode::OK, HTML, REPORT_POLICY, report.into());
    }
    match FILES.iter().find(|(name, _, _)| *name == path) {
        Some((_, kind, text)) => with(StatusCode::OK, kind, POLICY, (*text).into()),
        None => json(Reply::refused(404, "there is nothing under this address")),
    }
}

/// The body as text, or what is wrong with it.
fn body(request: &mut Request<Body>) -> Result<String, Reply> {
    let mut bytes = Vec::new();
    let read = request.body_mut().take(BODY + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > BODY {
        // Who goes on and on is cut off.
        let _ = io::copy(&mut request.body_mut().take(TOO_LONG), &mut io::sink());
        return Err(Reply::refused(413, &format!("the request is too long: allowed are {BODY} bytes")));
    }
    read.map_err(|error| Reply::refused(400, &format!("the request cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Reply::refused(400, "the request is no text in UTF-8"))
}

fn refused(refusal: Refusal) -> Response<Body> {
    let status = if refusal == Refusal::Token { 401 } else { 403 };
    json(Reply::refused(status, refusal.message()))
}

fn json(reply: Reply) -> Response<Body> {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with(status, reply.kind, POLICY, reply.text.into())
}

fn with(status: StatusCode, kind: &'static str, policy: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    // HTTP/1.0, so that the connection ends with the answer.
    *response.version_mut() = Version::HTTP_10;
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE.as_str(), kind),
        (CONTENT_SECURITY_POLICY.as_str(), policy),
        (CACHE_CONTROL.as_str(), "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // A report in a sandbox is not shown with this header.
    if policy == POLICY {
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a visitor loads: it fits a slow line.
    #[test]
    fn the_page_weighs_less_than_100_kilobytes() {
        let all: usize = FILES.iter().map(|(_, _, text)| text.len()).sum();
        assert!(all < 100_000, "{all}");
    }

    #[test]
    fn the_page_names_only_files_that_are_there_and_fetches_nothing_from_elsewhere() {
        for (name, _, text) in FILES {
            for part in text.split(['"', '\'']).filter(|part| part.ends_with(".js") || part.ends_with(".css")) {
                let part = part.trim_start_matches('.');
                assert!(FILES.iter().any(|(file, _, _)| *file == part), "{name} names {part}");
            }
            let foreign = text.split("http").skip(1).filter(|rest| rest.starts_with("://") || rest.starts_with("s://"));
            assert!(foreign.clone().all(|rest| rest.starts_with("://www.w3.org/")), "{name}");
        }
    }
}
