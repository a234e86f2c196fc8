//! The studio's page as people use it: in a browser, by mouse, by keyboard, on a phone, in the dark.

use serde_json::{Value, json};

use super::axe::assert_accessible;
use super::browser::Browser;
use super::studio::{SMALL, Studio};

const READY: &str = "document.documentElement?.dataset.ready === 'true'";

fn open(studio: &Studio, fragment: &str) -> Option<Browser> {
    let mut browser = Browser::visit(&format!("{}{fragment}", studio.url), READY)?;
    browser.size(1280, 800, false);
    browser.until("!!document.querySelector('[data-cell]') || !document.getElementById('by-file').hidden");
    Some(browser)
}

impl Browser {
    fn size(&mut self, width: u32, height: u32, phone: bool) {
        let scale = if phone { 2 } else { 1 };
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": phone});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    fn text(&mut self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({selector:?})?.textContent ?? ''"));
        text.as_str().unwrap_or_default().to_owned()
    }

    fn choose(&mut self, selector: &str, value: &str) {
        self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.value = {value:?}; \
             e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        ));
    }

    fn type_text(&mut self, selector: &str, text: &str) {
        self.eval(&format!("(() => {{ const e = document.querySelector({selector:?}); e.focus(); e.select(); }})()"));
        self.call("Input.insertText", json!({ "text": text }));
    }

    fn cells(&mut self, mark: &str) -> Vec<String> {
        let cells = self.eval(&format!(
            "[...document.querySelectorAll('#board .{mark}[data-cell]')].map((e) => e.dataset.cell).sort()"
        ));
        serde_json::from_value(cells).expect("names")
    }

    /// A picture of what is on the screen, as base64, where HALMA_SCREENSHOTS names a folder.
    fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("HALMA_SCREENSHOTS") else { return };
        let data = self.call("Page.captureScreenshot", json!({}))["data"].clone();
        let file = std::path::Path::new(&folder).join(format!("{name}.base64"));
        std::fs::write(file, data.as_str().expect("a picture")).expect("a file");
    }
}

#[test]
fn an_army_is_drawn_by_mouse_and_keyboard_and_the_target_follows_by_the_mirror() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "") else { return };
    assert_eq!(browser.eval("location.hash.includes('token')"), false, "the address can be passed on");
    browser.choose("#board-name", "drawn");
    browser.choose("#moves", "4");
    browser.until("document.querySelectorAll('#board rect.cell').length === 25");
    assert_eq!(browser.cells("hole"), ["c3"], "the drawn board begins with one hole");
    browser.click("[data-cell=a1]");
    browser.click("[data-cell=b1]");
    assert_eq!(browser.cells("army"), ["a1", "b1"]);
    // The focus is where the mouse was; the arrow keys go on from there.
    browser.press("ArrowDown", 40);
    browser.press(" ", 32);
    browser.press("ArrowLeft", 37);
    browser.press("Enter", 13);
    assert_eq!(browser.cells("army"), ["a1", "a2", "b1", "b2"]);
    assert_eq!(browser.eval("document.activeElement.getAttribute('aria-label')"), "a2, army");
    assert_eq!(browser.eval("document.activeElement.getAttribute('aria-selected')"), "true");
    browser.until("document.querySelectorAll('#board .target[data-cell]').length === 4");
    assert_eq!(browser.cells("target"), ["d4", "d5", "e4", "e5"]);
    // A second time takes a man away; what is known changes with him.
    browser.press(" ", 32);
    browser.until("document.getElementById('about').textContent.startsWith('3 men')");
    browser.press(" ", 32);
    browser.until("document.getElementById('about').textContent.startsWith('4 men')");
    let known = browser.text("#facts");
    assert!(known.contains("Theorem 1") && known.contains("half of each way is searched"), "{known}");
    // A target by hand, and the mirror again.
    browser.click("[name=tool][value=target] + span");
    browser.click("[data-cell=c5]");
    browser.until("!document.getElementById('fault').hidden");
    assert!(browser.text("#fault").contains("the target's size is 5, the army's 4"), "{}", browser.text("#fault"));
    browser.click("[data-cell=e4]");
    browser.until("document.getElementById('fault').hidden && !document.querySelector('[data-ask=solve]').disabled");
    assert_eq!(browser.cells("target"), ["c5", "d4", "d5", "e5"]);
    browser.click("#mirror");
    browser.until("!document.querySelector('[data-cell=c5]').classList.contains('target')");
    // Holes come and go.
    browser.click("[name=tool][value=hole] + span");
    browser.click("[data-cell=c1]");
    browser.until("document.querySelector('[data-cell=c1]').classList.contains('hole')");
    browser.click("[data-cell=c1]");
    browser.until("!document.querySelector('[data-cell=c1]').classList.contains('hole')");
    assert_eq!(browser.cells("army"), ["a1", "a2", "b1", "b2"]);
}

#[test]
fn what_was_drawn_is_solved_and_watched_and_its_link_brings_it_back() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "&map=....._....._..-.._....._.....&moves=6") else { return };
    browser.picture("desktop-empty");
    for cell in ["a1", "b1", "a2", "b2"] {
        browser.click(&format!("[data-cell={cell}]"));
    }
    browser.until("!document.querySelector('[data-ask=solve]').disabled");
    browser.picture("desktop-drawn");
    browser.click("[data-ask=solve]");
    browser.until("!!document.querySelector('#run .claim')");
    assert_eq!(browser.text("#run .claim"), "The shortest solution has 11 moves: every shorter length is refuted.");
    browser.until("document.querySelector('.player')?.dataset.at === '0'");
    assert_accessible(&mut browser, "the studio");
    browser.click("[data-do=on]");
    browser.click("[data-do=on]");
    assert_eq!(browser.eval("document.querySelector('.player').dataset.at"), "2");
    browser.eval("document.querySelector('.stage').focus()");
    browser.press("End", 35);
    assert_eq!(browser.eval("document.querySelector('.player').dataset.at"), "11");
    assert!(browser.text(".stage svg title").starts_with("After move 11."));
    browser.press("Home", 36);
    browser.press(" ", 32);
    browser.until("Number(document.querySelector('.player').dataset.at) >= 1");
    browser.press(" ", 32);
    browser.eval("scrollTo(0, 0)");
    browser.picture("desktop-solved");
    browser.theme("dark");
    browser.picture("desktop-dark");
    browser.theme("light");
    // The report opens without the token, as a page of its own.
    let report = browser.eval("document.querySelector('#run a.button').href").as_str().expect("an address").to_owned();
    let link = browser.eval("location.href").as_str().expect("an address").to_owned();
    assert!(link.contains("army=a1.b1.a2.b2") && !link.contains("token"), "{link}");
    browser.call("Page.navigate", json!({ "url": "about:blank" }));
    browser.until("location.href === 'about:blank'");
    browser.call("Page.navigate", json!({ "url": link }));
    browser.until(READY);
    browser.until("document.querySelectorAll('#board .army[data-cell]').length === 4");
    browser.until("!!document.querySelector('#run .claim')");
    browser.call("Page.navigate", json!({ "url": report }));
    browser.until("document.readyState === 'complete' && !!document.querySelector('h1')");
    assert_eq!(browser.eval("self.origin"), "null", "it can ask the studio nothing");
    assert_eq!(browser.faults, Vec::<String>::new());
}

#[test]
fn a_job_is_typed_and_what_is_wrong_points_to_its_line() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "") else { return };
    browser.click("[name=mode][value=file] + span");
    browser.type_text("#text", &SMALL.replace("moves = 6", "moves = 5"));
    browser.until("!document.getElementById('fault').hidden");
    assert!(browser.text("#fault").starts_with("Line 3, column 9: "), "{}", browser.text("#fault"));
    assert_eq!(browser.text("#lines .at").trim(), "3");
    assert_eq!(browser.eval("document.querySelector('[data-ask=solve]').disabled"), true);
    browser.picture("file-wrong");
    browser.type_text("#text", SMALL);
    browser.until("document.getElementById('fault').hidden && !!document.querySelector('#picture .army')");
    assert_eq!(browser.eval("document.querySelectorAll('#picture .army').length"), 4);
    // A file that is too long changes nothing but what is said.
    browser.eval(
        "(() => { const files = new DataTransfer(); files.items.add(new File(['#'.repeat(200001)], 'long.toml')); \
         const e = document.getElementById('file'); e.files = files.files; e.dispatchEvent(new Event('change')); })()",
    );
    browser.until("!document.getElementById('fault').hidden");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(browser.text("#fault"), "The file is too long for a job.");
    assert_eq!(browser.eval("document.getElementById('fault').hidden"), false);
    // On with the mouse.
    browser.click("#to-board");
    browser.until("document.querySelectorAll('#board .army[data-cell]').length === 4");
    assert_eq!(browser.cells("hole"), ["c3"]);
    browser.click("[name=mode][value=file] + span");
    browser.choose("#example", "Frogs and toads");
    browser.until("document.getElementById('about').textContent.startsWith('Frogs and toads')");
    browser.until("!!document.querySelector('#picture svg.board') && !document.querySelector('#picture .army')");
    browser.picture("file-frogs");
    browser.click("[data-ask=solve]");
    browser.until("!!document.querySelector('#run .claim')");
}

#[test]
fn every_example_of_the_page_is_a_job() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "") else { return };
    browser.click("[name=mode][value=file] + span");
    let names = browser.eval("[...document.querySelectorAll('#example option')].map((o) => o.value).filter(Boolean)");
    let names: Vec<String> = serde_json::from_value(names).expect("names");
    assert!(names.len() >= 4);
    for name in names {
        browser.type_text("#text", "# nothing yet");
        browser.until("!document.getElementById('fault').hidden");
        browser.choose("#example", &name);
        browser
            .until("!document.querySelector('[data-ask=solve]').disabled && document.getElementById('fault').hidden");
        assert!(browser.eval("document.querySelectorAll('#picture svg').length").as_u64() > Some(0), "{name}");
    }
}

#[test]
fn a_search_is_watched_and_cancelled_and_a_closed_page_stops_nothing() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "&board=9x9&moves=6&army=triangle-5&pruning=none") else { return };
    browser.until("document.getElementById('army').value === 'triangle-5'");
    browser.until("!document.querySelector('[data-ask=solve]').disabled");
    browser.click("[data-ask=solve]");
    browser.until("document.querySelectorAll('#run tbody tr').length >= 2");
    assert!(browser.text("#run .told").starts_with("Length "));
    browser.picture("desktop-running");
    let link = browser.eval("location.href").as_str().expect("an address").to_owned();
    browser.call("Page.navigate", json!({ "url": "about:blank" }));
    browser.until("location.href === 'about:blank'");
    browser.call("Page.navigate", json!({ "url": link }));
    browser.until("document.querySelector('#run')?.className === 'running'");
    browser.click("[data-do=cancel]");
    browser.until("document.querySelector('#run').className === 'stopped'");
    assert!(browser.text("#run .claim").starts_with("Not finished: interrupted."));
    browser.until("document.getElementById('said').textContent.startsWith('Not finished')");
}

#[test]
fn a_phone_shows_it_without_scrolling_sideways_and_fingers_set_men() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "&board=9x9&moves=6&army=triangle-3") else { return };
    browser.size(390, 844, true);
    browser.call("Emulation.setTouchEmulationEnabled", json!({"enabled": true}));
    browser.until("!document.querySelector('[data-ask=solve]').disabled");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true);
    let small = browser.eval(
        "[...document.querySelectorAll('button, select, input[type=number]')].filter((e) => e.offsetParent) \
         .filter((e) => e.getBoundingClientRect().height < 36).map((e) => e.outerHTML)",
    );
    assert_eq!(small, json!([]), "fingers hit them");
    browser.picture("phone");
    let place = browser.eval(
        "(() => { const e = document.querySelector('[data-cell=d1]'); e.scrollIntoView({block: 'center'}); \
         const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()",
    );
    let point = json!([{"x": place[0], "y": place[1]}]);
    browser.call("Input.dispatchTouchEvent", json!({"type": "touchStart", "touchPoints": point}));
    browser.call("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []}));
    browser.until("document.querySelector('[data-cell=d1]').classList.contains('army')");
    browser.click("#clear");
    browser.choose("#army", "square-2");
    browser.until("!document.querySelector('[data-ask=solve]').disabled");
    browser.click("[data-ask=solve]");
    browser.until("!!document.querySelector('#run .player')");
    browser.until("document.getElementById('runs').getBoundingClientRect().top < innerHeight * 0.6");
    browser.picture("phone-solved");
    browser.theme("dark");
    browser.picture("phone-dark");
    assert_eq!(browser.eval("document.documentElement.scrollWidth <= 390"), true);
}

/// The contrast of text on what is behind it, as WCAG defines it: 4.5 at least.
const FAINT: &str = "(() => {
  const light = (c) => c.map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const numbers = (c) => c.match(/[\\d.]+/g).map(Number);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
  const texts = [...document.querySelectorAll('h1, h2, h3, p, label, span, dt, dd, th, td, button:not(:disabled), a, summary, li')];
  return texts.filter((e) => e.checkVisibility() && e.textContent.trim() && !e.closest('.skip, .off')).map((e) => {
    const [a, b] = [light(numbers(getComputedStyle(e).color).slice(0, 3)), light(behind(e))].sort((x, y) => y - x);
    return [(a + 0.05) / (b + 0.05), e.outerHTML.slice(0, 80)];
  }).filter(([contrast]) => contrast < 4.5);
})()";

#[test]
fn both_themes_can_be_read_and_everything_has_a_name() {
    let studio = Studio::open(&[]);
    let Some(mut browser) = open(&studio, "&board=9x9&moves=4&army=square-2") else { return };
    browser.until("!document.querySelector('[data-ask=solve]').disabled");
    browser.click("[data-ask=solve]");
    browser.until("!!document.querySelector('#run .player')");
    for theme in ["light", "dark"] {
        browser.theme(theme);
        assert_eq!(browser.eval(FAINT), json!([]), "{theme}");
    }
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let mut named = 0;
    for node in tree["nodes"].as_array().expect("nodes").iter().filter(|n| n["ignored"] == false) {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let needs = [
            "image",
            "img",
            "button",
            "slider",
            "region",
            "grid",
            "gridcell",
            "combobox",
            "spinbutton",
            "checkbox",
            "radio",
            "radiogroup",
            "textbox",
            "link",
        ];
        if needs.contains(&role) {
            assert!(!node["name"]["value"].as_str().unwrap_or_default().is_empty(), "{node}");
            named += 1;
        }
    }
    assert!(named > 100, "{named}");
    // One stop of the Tab key for the whole board.
    assert_eq!(browser.eval("document.querySelectorAll('#board [tabindex=\"0\"]').length"), 1);
}

#[test]
fn without_its_token_the_page_says_what_to_do() {
    let studio = Studio::open(&[]);
    let address = studio.url.split('#').next().expect("an address").to_owned();
    let Some(mut browser) = Browser::visit(&address, "document.getElementById('locked')?.hidden === false") else {
        return;
    };
    assert!(browser.text("#locked").contains("open the address that `halma studio` printed"));
    // The browser itself notes the refusal on its console; nothing else is there.
    let told: Vec<Value> = browser.faults.drain(..).map(|fault| serde_json::from_str(&fault).expect("JSON")).collect();
    assert!(told.iter().all(|fault| fault["entry"]["text"].as_str().unwrap_or_default().contains("401")), "{told:?}");
}
