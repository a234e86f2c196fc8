//! Text of a user's file, and messages that point into it.
//!
//! ```
//! use halma_record::source::Source;
//! let source = Source::new("a.toml", "board = \"9x9\"\nmoves = 5\n");
//! let fault = source.fault(22..23, "found 5, allowed are 4, 6 and 8");
//! assert_eq!(
//!     fault.to_string(),
//!     "a.toml:2:9: found 5, allowed are 4, 6 and 8\n  |\n2 | moves = 5\n  |         ^"
//! );
//! ```

use std::fmt;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use halma_files::folder;
use halma_files::plain;

/// So many characters of a long line are shown before its place, and after.
const SHOWN: (usize, usize) = (80, 120);

/// The longest word that suggestions are looked for.
const WORD: usize = 64;

/// A file's text, kept so that faults in it can be shown.
#[derive(Clone, Debug)]
pub struct Source {
    file: PathBuf,
    text: String,
}

/// What is wrong with something typed: one message, and where it applies if that is a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file; `None` where the command line is at fault.
    pub file: Option<PathBuf>,
    /// Where in the file.
    pub place: Option<Place>,
    /// What was found, and what is allowed.
    pub message: String,
}

/// A stretch of one line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// How many characters are meant, at least 1.
    pub width: usize,
    /// The whole line.
    pub text: String,
}

impl Source {
    /// The text of a file that was read already.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { file: file.into(), text: text.into() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it cannot be read, is not UTF-8, or is larger than anybody types.
    pub fn read(file: &Path) -> Result<Self, InputError> {
        Self::of_bytes(file, folder::read_named(file, folder::TYPED_BYTES))
    }

    /// Reads standard input.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_standard_input() -> Result<Self, InputError> {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(folder::TYPED_BYTES + 1).read_to_end(&mut bytes);
        let read = read.and_then(|size| match size as u64 > folder::TYPED_BYTES {
            true => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("it has more than {} bytes", folder::TYPED_BYTES),
            )),
            false => Ok(size),
        });
        Self::of_bytes(Path::new("standard input"), read.map(|_| bytes))
    }

    fn of_bytes(file: &Path, bytes: io::Result<Vec<u8>>) -> Result<Self, InputError> {
        let unread = |e| InputError { file: Some(file.into()), place: None, message: format!("cannot be read: {e}") };
        // Editors of Windows begin files with a byte order mark, which is no part of what they say.
        let of = |text: String| Self::new(file, text.strip_prefix('\u{feff}').unwrap_or(&text));
        String::from_utf8(bytes.map_err(unread)?).map(of).map_err(|e| {
            let (at, bytes) = (e.utf8_error().valid_up_to(), e.as_bytes());
            let message = format!("byte {:#04x} is no UTF-8: allowed is text in UTF-8", bytes[at]);
            // What comes before the fault stays in its place, what comes after it is only shown.
            Self::new(file, String::from_utf8_lossy(bytes)).fault(at..at + 1, message)
        })
    }

    /// Where the text comes from.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A message about these bytes of the text; of several lines the first is shown.
    #[must_use]
    pub fn fault(&self, span: Range<usize>, message: impl Into<String>) -> InputError {
        InputError { file: Some(self.file.clone()), place: Some(self.place(span)), message: message.into() }
    }

    fn place(&self, span: Range<usize>) -> Place {
        let start = self.text.floor_char_boundary(span.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line = self.text[line_start..].lines().next().unwrap_or_default();
        let end = self.text.floor_char_boundary(span.end).clamp(start, (line_start + line.len()).max(start));
        Place {
            line: 1 + self.text[..start].matches('\n').count(),
            column: 1 + self.text[line_start..start].chars().count(),
            width: self.text[start..end].chars().count().max(1),
            text: line.into(),
        }
    }

    /// Where bytes `part` of the string `value` stand in this text, if `literal` is the span of the TOML string
    /// that spells it. With escapes in the string there is no such place, and the string's start is returned.
    #[must_use]
    pub fn within(&self, literal: &Range<usize>, value: &str, part: Range<usize>) -> Range<usize> {
        let raw = self.text.get(literal.clone()).unwrap_or_default();
        let quotes = if raw.starts_with("\"\"\"") || raw.starts_with("'''") { 3 } else { 1 };
        let inside = raw.get(quotes..raw.len().saturating_sub(quotes)).unwrap_or_default();
        // TOML drops a line break right behind three quotes.
        let dropped = inside.len().saturating_sub(value.len());
        if quotes == 3 && inside.get(dropped..) != Some(value) || quotes == 1 && inside != value {
            return literal.start..literal.start + 1;
        }
        let start = literal.start + quotes + dropped;
        start + part.start..start + part.end
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", plain::shown(&file.to_string_lossy()))?;
        }
        if let Some(place) = &self.place {
            write!(f, "{}:{}:", place.line, place.column)?;
        }
        let gap = if self.file.is_some() { " " } else { "" };
        write!(f, "{gap}{}", plain::message(&self.message))?;
        let Some(place) = &self.place else { return Ok(()) };
        let gutter = " ".repeat(place.line.to_string().len());
        let (before, line, width) = place.window();
        // Tabs stay tabs under the line, so that the caret keeps its column whatever their width.
        let indent: String = line.chars().take(before).map(|c| if c == '\t' { c } else { ' ' }).collect();
        write!(f, "\n{gutter} |\n{} | {line}\n{gutter} | {indent}{}", place.line, "^".repeat(width))
    }
}

impl Place {
    /// What is shown of the line: how many characters come before the place, the line or a part of it, the place's width there.
    /// A long line is cut, and a control character is a picture of one.
    fn window(&self) -> (usize, String, usize) {
        let from = (self.column - 1).saturating_sub(SHOWN.0);
        let from = if self.text.chars().nth(SHOWN.0 + SHOWN.1).is_some() { from } else { 0 };
        let mut rest = self.text.chars().skip(from);
        let mut line: String = if from > 0 { "…".into() } else { String::new() };
        let begun = line.chars().count();
        line.extend(rest.by_ref().take(SHOWN.0 + SHOWN.1).map(plain::pictured));
        if rest.next().is_some() {
            line.push('…');
        }
        let before = begun + self.column - 1 - from;
        (before, line, self.width.min(SHOWN.1))
    }
}

impl std::error::Error for InputError {}

/// `; did you mean ...?` for the allowed word nearest to the one found, in capitals or not; nothing where none is near.
#[must_use]
pub fn suggestion<'a>(found: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    // What is compared takes time and memory by the product of both lengths.
    if found.len() > WORD {
        return String::new();
    }
    let lower = found.to_lowercase();
    let distance = |a: &str| strsim::damerau_levenshtein(&lower, &a.to_lowercase());
    let near = |a: &&str| distance(a) <= a.len().max(found.len()) / 3;
    let nearest = allowed.into_iter().filter(near).min_by_key(|a| distance(a));
    nearest.map(|a| format!("; did you mean `{a}`?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_characters_and_stays_on_its_line() {
        let source = Source::new("x", "é = \"ü\"\nlast");
        let place = source.place(6..100);
        assert_eq!((place.line, place.column, place.width), (1, 6, 2));
        assert_eq!(source.place(10..13).line, 2);
        let end = source.place(100..100);
        assert_eq!((end.line, end.column, end.width), (2, 5, 1));
        let empty = Source::new("x", "").place(0..0);
        assert_eq!((empty.line, empty.column, empty.width), (1, 1, 1));
    }

    #[test]
    fn a_byte_that_is_no_text_is_shown_by_its_line() {
        let fault = Source::of_bytes(Path::new("x"), Ok(b"a = 1\nb = \xff\xfe\n".to_vec())).unwrap_err().to_string();
        assert!(fault.starts_with("x:2:5: byte 0xff is no UTF-8: allowed is text in UTF-8\n  |\n2 | b = "), "{fault}");
    }

    #[test]
    fn parts_of_a_toml_string_are_found_in_the_file() {
        for (text, value, expected) in [
            ("m = \"a1-b1\"", "a1-b1", "b1"),
            ("m = \"\"\"\na1-b1\n\"\"\"", "a1-b1\n", "b1"),
            ("m = '''a1-b1'''", "a1-b1", "b1"),
            ("m = \"a1\\u002db1\"", "a1-b1", "\""),
        ] {
            let source = Source::new("x", text);
            let found = source.within(&(4..text.len()), value, 3..5);
            assert_eq!(&text[found], expected, "{text}");
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_place_and_has_no_commands_to_the_terminal() {
        let text = format!("{}\u{1b}[2Jx{}", "a".repeat(1000), "b".repeat(1 << 20));
        let at = 1000 + "\u{1b}[2J".len();
        let shown = Source::new("j.toml", text).fault(at..at + 5000, "wrong\u{1b}[31m").to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "j.toml:1:1005: wrong\\u001b[31m");
        assert!(lines[2].starts_with("1 | …aaa") && lines[2].contains("a\u{241b}[2Jxbbb"), "{shown}");
        assert!(lines[2].ends_with('…') && lines[2].chars().count() < 220, "{shown}");
        let x = lines[2].chars().position(|c| c == 'x');
        assert_eq!(lines[3].chars().position(|c| c == '^'), x, "{shown}");
        assert_eq!(suggestion(&"a".repeat(1 << 20), ["army"]), "");
    }

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(suggestion("pruing", ["board", "pruning"]), "; did you mean `pruning`?");
        assert_eq!(suggestion("PRUNING", ["board", "pruning"]), "; did you mean `pruning`?");
        assert_eq!(suggestion("colour", ["board", "pruning"]), "");
    }
}
