//! Makes text safe for a terminal: other people's files may contain commands to the terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The most characters of a message. No message of this program is as long, but it may repeat what it found.
const LONGEST: usize = 4000;

/// Whether a terminal may take the character for a command, or show a text by it that does not stand there; or whether it
/// ends a line for some programs, or shows nothing at all.
fn is_unsafe(c: char) -> bool {
    let unseen =
        matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2064}' | '\u{feff}');
    let reordering = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || reordering || unseen
}

/// The text with each control character but line breaks and tabs as its number, as in `\u001b`.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut plain = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match is_unsafe(c) {
            // Writing to a string cannot fail.
            true => drop(write!(plain, "\\u{:04x}", u32::from(c))),
            false => plain.push(c),
        }
    }
    plain.into()
}

/// The same of a message, which is cut where it is very long.
#[must_use]
pub fn message(text: &str) -> Cow<'_, str> {
    let cut = |at: usize| text.char_indices().nth(at).map(|(i, _)| i);
    match cut(LONGEST) {
        None => shown(text),
        Some(_) => {
            let end = text.char_indices().rev().nth(LONGEST / 4).map_or(0, |(i, _)| i);
            let start = cut(LONGEST / 2).unwrap_or(0);
            format!("{} ... {}", shown(&text[..start]), shown(&text[end..])).into()
        }
    }
}

/// A file's name as one word of a command that a reader may copy into a shell.
#[must_use]
pub fn quoted(name: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if name.starts_with('-') {
        // What begins with a dash is read as an option, in quotes, too.
        return quoted(&format!("./{name}")).into_owned().into();
    }
    match !name.is_empty() && name.chars().all(is_plain) {
        true => name.into(),
        false => format!("'{}'", name.replace('\'', "'\\''")).into(),
    }
}

/// The character as one that takes one column: of a control character its picture.
#[must_use]
pub fn pictured(c: char) -> char {
    match c {
        '\t' => c,
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(' '),
        '\u{7f}' => '\u{2421}',
        _ if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    }
}

/// Writes text on as [`shown`] shows it. JSON stays JSON: where a control character may stand, its number may.
pub struct Plain<'a>(&'a mut dyn Write);

impl<'a> Plain<'a> {
    /// In front of `out`.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self(out)
    }
}

impl Write for Plain<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) => self.0.write_all(shown(text).as_bytes())?,
            // No UTF-8: this program writes whole texts alone, so these bytes are somebody else's.
            Err(_) => self.0.write_all(shown(&String::from_utf8_lossy(bytes)).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_a_terminal_become_numbers_and_other_text_stays() {
        let text = "a ä\t→ 1\n";
        assert!(matches!(shown(text), Cow::Borrowed(same) if same == text));
        let wild = "\u{1b}[2J\u{9b}1m\r\u{7f}\u{202e}\u{7}x";
        assert_eq!(shown(wild), "\\u001b[2J\\u009b1m\\u000d\\u007f\\u202e\\u0007x");
        let mut out = Vec::new();
        let json = serde_json::to_string(wild).unwrap();
        write!(Plain::new(&mut out), "{json}").unwrap();
        assert!(!String::from_utf8(out.clone()).unwrap().contains(is_unsafe));
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), wild, "JSON says the same");
        assert!("\u{0}\u{1b}\u{7f}\u{85}x".chars().map(pictured).eq("\u{2400}\u{241b}\u{2421}\u{fffd}x".chars()));
    }

    #[test]
    fn a_name_is_one_word_of_a_command() {
        for (name, word) in [
            ("runs/p1-ä.json", "runs/p1-ä.json"),
            ("a b#1/result.json", "'a b#1/result.json'"),
            ("it's", "'it'\\''s'"),
            ("$(rm x)", "'$(rm x)'"),
            ("-o", "./-o"),
            ("", "''"),
        ] {
            assert_eq!(quoted(name), word);
        }
    }

    #[test]
    fn a_message_is_no_longer_than_a_page() {
        let long = "ä".repeat(1 << 20) + "end";
        assert!(message(&long).chars().count() < LONGEST && message(&long).ends_with("end"));
        assert_eq!(message("short\u{1b}"), "short\\u001b");
    }
}
