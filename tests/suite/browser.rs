//! Pages as people open them: in a browser, by its remote control. Without a Chromium on the machine they are skipped.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use halma::figure::Figure;
use halma::page::{self, Entry};
use halma_engine::search::CancellationToken;
use halma_rules::job::Job;
use halma_rules::replay::Checked;
use halma_solve::run::{self, Question};
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// A browser with one page open, and all that went wrong on it.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    calls: u64,
    /// Messages on the console, exceptions, requests that left the page.
    pub(crate) faults: Vec<String>,
    /// What it may fetch, beside files.
    own: String,
    _profile: TempDir,
}

impl Browser {
    /// Opens a page; `None`, with a word about it, where no browser is there.
    pub(crate) fn open(html: &str) -> Option<Self> {
        let mut browser = Self::start()?;
        let file = browser._profile.path().join("page.html");
        std::fs::write(&file, html).expect("a page");
        browser.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        browser.until("document.readyState === 'complete' && !document.querySelector('.controls')?.hidden");
        Some(browser)
    }

    /// Opens an address, whose site it may ask for more.
    pub(crate) fn visit(url: &str, until: &str) -> Option<Self> {
        let mut browser = Self::start()?;
        browser.own = url.split('#').next().unwrap_or_default().into();
        browser.call("Page.navigate", json!({"url": url}));
        browser.until(until);
        Some(browser)
    }

    fn start() -> Option<Self> {
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let spawn = |name: &&str, profile: &Path| {
            let mut command = Command::new(name);
            command.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"]);
            command.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().ok()
        };
        let profile = tempfile::tempdir().expect("a folder");
        let Some(mut process) = names.iter().find_map(|name| spawn(name, profile.path())) else {
            crate::skipped(&format!("pages in a browser: none of {} is on this machine", names.join(", ")));
            return None;
        };
        let lines = BufReader::new(process.stderr.take().expect("its messages")).lines();
        let mut lines = lines.map_while(Result::ok);
        let found = lines.find_map(|l| l.strip_prefix("DevTools listening on ").map(String::from));
        // Whoever stops reading stops the browser.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(found.expect("an address")).expect("a connection");
        let mut browser = Self {
            process,
            socket,
            session: String::new(),
            calls: 0,
            faults: Vec::new(),
            own: "file:".into(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().expect("a session").into();
        for domain in ["Runtime", "Log", "Page", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut call = json!({"id": self.calls, "method": method, "params": params});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(call.to_string())).expect("it listens");
        loop {
            let Message::Text(text) = self.socket.read().expect("it answers") else { continue };
            let message: Value = serde_json::from_str(&text).expect("JSON");
            if message["id"] == self.calls {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            let url = message["params"]["request"]["url"].as_str().unwrap_or_default();
            match message["method"].as_str() {
                Some("Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded") => {
                    self.faults.push(message["params"].to_string());
                }
                Some("Network.requestWillBeSent")
                    if !["file:", "data:", "blob:", &self.own].iter().any(|own| url.starts_with(own)) =>
                {
                    self.faults.push(format!("fetched {url}"));
                }
                _ => {}
            }
        }
    }

    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until it holds, ten seconds at most.
    pub(crate) fn until(&mut self, expression: &str) {
        for _ in 0..200 {
            if self.eval(expression) == json!(true) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("never came true: {expression}");
    }

    pub(crate) fn press(&mut self, key: &str, code: u32) {
        let text = if key == " " { " " } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let (name, text) = (if key == " " { "Space" } else { key }, if kind == "keyDown" { text } else { "" });
            let params = json!({"type": kind, "key": key, "code": name, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Clicks an element. On a busy machine the page may still move at the last moment: a click that lands elsewhere is kept from
    /// the page and made again.
    pub(crate) fn click(&mut self, selector: &str) {
        self.eval(&format!(
            "window.clicks = {{ hit: false, guard: (e) => {{ \
                 if (e.type === 'pointerdown') clicks.hit = !!e.target.closest({selector:?}) || document.querySelector({selector:?}).contains(e.target); \
                 if (!clicks.hit) {{ e.stopImmediatePropagation(); e.preventDefault(); }} }} }}; \
             for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) addEventListener(type, clicks.guard, true)"
        ));
        for _ in 0..20 {
            self.click_once(selector);
            // The click may have led to another page, which has no guard.
            if self.eval("!window.clicks || clicks.hit") == true {
                self.eval(
                    "if (window.clicks) for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) \
                     removeEventListener(type, clicks.guard, true)",
                );
                return;
            }
        }
        panic!("{selector} cannot be clicked");
    }

    fn click_once(&mut self, selector: &str) {
        self.eval(&format!(
            "document.querySelector({selector:?}).scrollIntoView({{block: 'center', behavior: 'instant'}})"
        ));
        let middle = format!(
            "(() => {{ const r = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        );
        let mut place = self.eval(&middle);
        let mut still = 0;
        while still < 3 {
            std::thread::sleep(std::time::Duration::from_millis(30));
            let now = self.eval(&middle);
            still = if now == place { still + 1 } else { 0 };
            place = now;
        }
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    fn at(&mut self) -> u64 {
        self.eval("Number(document.querySelector('.player').dataset.at)").as_u64().expect("a number")
    }

    pub(crate) fn theme(&mut self, name: &str) {
        self.call("Emulation.setEmulatedMedia", json!({"features": [{"name": "prefers-color-scheme", "value": name}]}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        if !std::thread::panicking() {
            assert_eq!(self.faults, Vec::<String>::new(), "the console is empty and nothing is fetched");
        }
    }
}

/// The report of a square of four men that crosses the board, under two prunings: 12 moves.
fn report() -> String {
    let entry = |pruning: &str| {
        let text = format!(
            "[problem]\nkind = \"transfer\"\nboard = \"9x9\"\nmoves = 8\narmy = \"square-2\"\n[search]\npruning = \"{pruning}\"\n"
        );
        let job = Job::parse("square.toml".as_ref(), &text).expect("a job");
        let record = run::run(&job, Question::Solve, &(), &CancellationToken::after(None)).expect("a record");
        let checked = Checked::from_record(&job.file, &record).expect("a solution");
        Entry {
            file: format!("{pruning}/result.json"),
            record,
            checked: Some(halma::solution::Solution::Armies(Box::new(checked))),
        }
    };
    page::report(&[entry("leading"), entry("theorem-1")])
}

#[test]
fn the_player_reaches_the_last_board_by_buttons_slider_and_keys() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    assert_eq!(browser.eval("document.querySelectorAll('.boards li').length"), 13);
    // Nothing has the focus: arrow keys work all the same.
    browser.press("ArrowRight", 39);
    browser.press("ArrowRight", 39);
    assert_eq!(browser.at(), 2);
    browser.press("ArrowLeft", 37);
    assert_eq!(browser.at(), 1);
    browser.press("End", 35);
    assert_eq!(browser.at(), 1, "without the focus, End scrolls the page");
    // It scrolls for a while: what is clicked meanwhile is somewhere else.
    browser.until("scrollY > 0 && scrollY + innerHeight > document.documentElement.scrollHeight - 2");
    browser.eval("document.querySelector('.stage').focus()");
    browser.press("End", 35);
    assert_eq!(browser.at(), 12);
    assert!(browser.eval("document.querySelector('.now').textContent").as_str().expect("text").starts_with("12. "));
    browser.click("[data-do=first]");
    assert_eq!(browser.at(), 0);
    for _ in 0..12 {
        browser.click("[data-do=on]");
    }
    assert_eq!(browser.at(), 12);
    browser.click("[data-to='4']");
    assert_eq!(browser.at(), 4);
    browser.eval("document.querySelector('.player input').focus()");
    browser.press("ArrowRight", 39);
    assert_eq!(browser.at(), 5, "the slider takes keys of its own");
    browser.press("End", 35);
    assert_eq!(browser.at(), 12);
    let stage = "document.querySelector('.stage svg title').textContent";
    assert!(browser.eval(stage).as_str().expect("text").starts_with("After move 12."));
    // Tab leads through the player, and the space bar plays.
    browser.eval("document.querySelector('.stage').focus()");
    browser.press("Home", 36);
    browser.press(" ", 32);
    browser.until("Number(document.querySelector('.player').dataset.at) >= 1");
    browser.press(" ", 32);
    assert_eq!(browser.eval("document.querySelector('[data-do=play]').getAttribute('aria-pressed')"), "false");
}

/// The contrast of text on its ground, as WCAG defines it.
const CONTRAST: &str = "(() => {
  const light = (c) => c.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const background = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  const least = [...document.querySelectorAll('p, h1, h3, li, .count, td, .plot text, .names text')].map((e) => {
    const style = getComputedStyle(e);
    const ink = (e.namespaceURI.includes('svg') ? style.fill : style.color).match(/\\d+/g).map(Number);
    const [a, b] = [light(ink), light(background)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
  return Math.min(...least);
})()";

#[test]
fn both_themes_can_be_read_and_the_button_changes_between_them() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    let background = "getComputedStyle(document.body).backgroundColor";
    let mut backgrounds = Vec::new();
    for theme in ["light", "dark"] {
        browser.theme(theme);
        backgrounds.push(browser.eval(background));
        let contrast = browser.eval(CONTRAST).as_f64().expect("a number");
        assert!(contrast >= 4.5, "{theme}: {contrast}");
    }
    assert_ne!(backgrounds[0], backgrounds[1]);
    browser.click(".theme");
    assert_eq!(browser.eval(background), backgrounds[0]);
    browser.click(".theme");
    assert_eq!(browser.eval(background), backgrounds[1]);
}

#[test]
fn a_phone_shows_the_page_without_scrolling_sideways() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        json!({"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true}),
    );
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 360"), true);
    let small = "[...document.querySelectorAll('.controls button')].every((b) => b.offsetHeight >= 36)";
    assert_eq!(browser.eval(small), true, "fingers hit the buttons");
}

#[test]
fn a_screen_reader_finds_a_name_for_every_picture_and_button() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let mut named = 0;
    for node in tree["nodes"].as_array().expect("nodes").iter().filter(|n| n["ignored"] == false) {
        if let Some("image" | "img" | "button" | "slider" | "table" | "region") = node["role"]["value"].as_str() {
            assert!(!node["name"]["value"].as_str().unwrap_or_default().is_empty(), "{node}");
            named += 1;
        }
    }
    assert!(named > 30, "{named}");
}

#[test]
fn a_tables_head_sorts_it_by_numbers_and_back() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    let column = "[...document.querySelector('table.sortable').tBodies[0].rows].map((r) => Number(r.cells[4].textContent.replaceAll(',', '')))";
    for direction in ["ascending", "descending"] {
        browser.click("table.sortable th:nth-child(5) button");
        let numbers: Vec<f64> = serde_json::from_value(browser.eval(column)).expect("numbers");
        assert!(numbers.len() > 2);
        let ascending = numbers.is_sorted();
        let descending = numbers.iter().rev().is_sorted();
        assert!(if direction == "ascending" { ascending } else { descending }, "{direction}: {numbers:?}");
        let sort = "document.querySelector('table.sortable th:nth-child(5)').getAttribute('aria-sort')";
        assert_eq!(browser.eval(sort), direction);
    }
}

#[test]
fn the_page_of_a_solution_plays_too() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/solutions/p2-triangle-4-8move.toml");
    let checked = Checked::read(&file).expect("a solution");
    let Some(mut browser) = Browser::open(&page::solution(&halma::solution::Solution::Armies(Box::new(checked))))
    else {
        return;
    };
    browser.eval("document.querySelector('.stage').focus()");
    browser.press("End", 35);
    assert_eq!(browser.at(), 20);
}

#[test]
fn a_link_leads_to_each_move_and_the_address_follows() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    browser.click(".moves a[href='#7']");
    assert_eq!((browser.at(), browser.eval("location.hash")), (7, json!("#7")));
    browser.eval("location.hash = '#3'");
    browser.until("Number(document.querySelector('.player').dataset.at) === 3");
    // A point of the plot over the moves is a link, too, and the one of the board that is shown is marked.
    assert_eq!(browser.eval("document.querySelector('.point.lit').dataset.row"), "move:3");
}

/// As notebooks show a record, beside their own parts of that name.
#[test]
fn in_the_frame_of_a_notebook_the_player_plays_and_links_stay_inside() {
    let page = report().replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!("<!DOCTYPE html><p id=main>notebook<iframe srcdoc=\"{page}\"></iframe>");
    let Some(mut browser) = Browser::open(&frame) else { return };
    let inside = |selector: &str| format!("frames[0].document.querySelector({selector:?})");
    browser.until(&format!("{} !== null", inside(".player[data-at='0']")));
    for (clicked, at) in [("[data-do=on]", 1), (".moves a[href='#7']", 7), ("a.skip", 7), ("[data-do=last]", 12)] {
        browser.eval(&format!("{}.click()", inside(clicked)));
        assert_eq!(browser.eval(&format!("Number({}.dataset.at)", inside(".player"))), at, "{clicked}");
    }
    assert_eq!(browser.eval("frames[0].location.href"), "about:srcdoc");
    assert_eq!(browser.eval(&format!("{}.hidden", inside("[data-do=link]"))), true);
}

/// The page of a puzzle whose record is in the repository.
fn puzzle(name: &str) -> String {
    let file = format!("results/puzzles/{name}.json");
    let record = halma_record::record::Record::read(file.as_ref()).expect("a record");
    let checked = halma::solution::Solution::from_record(file.as_ref(), &record).expect("a solution");
    page::report(&[Entry { file, record, checked: Some(checked) }])
}

#[test]
fn boards_of_letters_are_copied_as_tikz_with_all_their_pieces() {
    let Some(mut browser) = Browser::open(&puzzle("klotski-moves-solve")) else { return };
    // Without the focus of a person the clipboard is closed: what was to be copied stands below.
    browser.eval("Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject()}})");
    browser.click("[data-do=tikz]");
    browser.until("document.querySelector('.copied').value.includes('tikzpicture')");
    let text = browser.eval("document.querySelector('.copied').value");
    let text = text.as_str().expect("TikZ");
    assert!(!text.contains("NaN") && !text.contains("undefined"), "{text}");
    // Ten blocks, and a letter in the middle of each beside the names of columns and rows.
    assert_eq!(text.matches("-- cycle").count(), 10, "{text}");
    assert_eq!(text.matches("\\node").count(), 10 + 4 + 5, "{text}");
}

#[test]
fn what_a_page_copies_as_tikz_is_what_the_command_line_writes() {
    let name = "sokoban-microban-1-solve";
    let file = format!("results/puzzles/{name}.json");
    let record = halma_record::record::Record::read(file.as_ref()).expect("a record");
    let sokoban = halma::solution::Solution::from_record(file.as_ref(), &record).expect("a solution");
    let game = Checked::read("tests/games/chinese-checkers-10.toml".as_ref()).expect("a game");
    let game = halma::solution::Solution::Armies(Box::new(game));
    let filled = Figure::of(&sokoban).tikz(None, 6, "").expect("a figure").contains("\\fill[halmahole]");
    assert!(filled, "holes are seen");
    for (page, solution) in [(puzzle(name), sokoban), (page::solution(&game), game)] {
        let Some(mut browser) = Browser::open(&page) else { return };
        browser.eval("Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject()}})");
        browser.click("[data-do=on]");
        browser.click("[data-do=tikz]");
        browser.until("document.querySelector('.copied').value.includes('tikzpicture')");
        let copied = browser.eval("document.querySelector('.copied').value");
        let written = Figure::of(&solution).tikz(Some(1), 1, "a move").expect("a figure");
        assert!(written.contains(copied.as_str().expect("TikZ")), "{copied}\n{written}");
    }
}

#[test]
fn an_index_shows_its_results_on_a_phone() {
    let entry = |name: &str| {
        let file = format!("results/table-3/{name}.json");
        let record = halma_record::record::Record::read(file.as_ref()).expect("a record");
        Entry { file, record, checked: None }
    };
    let entries = ["p3-triangle-4-jumps-4move", "p5-square-2-6move"].map(entry);
    let site = page::site::pages("Results", &entries, &page::site::Stories::of(&[]));
    for (page, column) in [(&site[0].html, 2), (&page::report(&entries), 2)] {
        let Some(mut browser) = Browser::open(page) else { return };
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": true}),
        );
        let right = format!(
            "Math.max(...[...document.querySelectorAll('.index td:nth-child({column})')].map((c) => c.getBoundingClientRect().right))"
        );
        let right = browser.eval(&right).as_f64().expect("a number");
        assert!(right > 0.0 && right <= 390.0, "{right}");
    }
}

#[test]
fn a_page_of_blocks_shows_each_block_as_one_piece_and_says_where_it_went() {
    let page = puzzle("klotski-moves-solve");
    assert!(page.len() < 300_000, "{}", page.len());
    assert!(page.contains("1. G d5 → c5"), "moves are said as people say them");
    assert!(page.contains("c5:.G d5:G."), "and copied as the record has them");
}

#[test]
fn board_moves_and_controls_are_on_the_first_screen() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    for (width, height, parts) in
        [(1280, 800, ".stage svg, .controls, .moves li.at"), (390, 844, ".stage svg, .controls")]
    {
        browser.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}),
        );
        let seen = format!(
            "[...document.querySelectorAll('{parts}')].every((e) => e.getBoundingClientRect().bottom <= {height} + 1)"
        );
        assert_eq!(browser.eval(&seen), true, "{width}x{height}");
    }
}

#[test]
fn the_sheet_prints_on_one_page() {
    let Some(mut browser) = Browser::open(&report()) else { return };
    let printed = browser.call("Page.printToPDF", json!({"preferCSSPageSize": true}));
    let file = BASE64_STANDARD.decode(printed["data"].as_str().expect("a file")).expect("base64");
    let count = |name: &[u8]| file.windows(name.len()).filter(|part| *part == name).count();
    assert_eq!(count(b"/Type /Page") - count(b"/Type /Pages"), 1);
}
