//! Maps of puzzles: one letter a cell, `#` for a place without one.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use super::TableFault;
use crate::board::{Board, MAX_CELLS};

/// Whether a character takes no column of its own, as accents, zero-width and control characters: it would count as a cell.
fn takes_no_column(c: char) -> bool {
    c.width().is_none_or(|columns| columns == 0)
}

/// A map as it was read.
#[derive(Clone, Debug)]
pub struct Map {
    /// Which cells there are.
    pub board: Board,
    /// The letter of each.
    pub letters: Vec<char>,
    /// Its bytes in the text.
    pub spans: Vec<Range<usize>>,
}

impl Map {
    /// Reads the map that is the value of `key`.
    ///
    /// # Errors
    /// What is wrong, with the bytes of the row or the character.
    pub fn parse(key: &str, text: &str) -> Result<Self, TableFault> {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            start += line.len();
            (start - line.len(), line.trim_end())
        });
        let mut rows: Vec<(usize, &str)> = lines.skip_while(|(_, line)| line.is_empty()).collect();
        while rows.last().is_some_and(|(_, line)| line.is_empty()) {
            rows.pop();
        }
        let fault = |message: String| TableFault::of(key, message);
        let width = rows.first().map_or(0, |(_, line)| line.chars().count());
        for (number, &(at, line)) in (1..).zip(&rows) {
            if let Some((i, c)) = line.char_indices().find(|&(_, c)| !c.is_whitespace() && takes_no_column(c)) {
                let message = format!(
                    "row {number} of the map has {c:?}, which takes no column of its own: allowed is one letter a cell, '#' for no cell"
                );
                return Err(fault(message).within(at + i..at + i + c.len_utf8()));
            }
            let span = at..at + line.len();
            let found = line.chars().count();
            if found != width {
                let message = format!(
                    "the map is ragged: row {number} has {found} characters, row 1 has {width}; draw a place without a cell as '#'"
                );
                return Err(fault(message).within(span));
            }
            if let Some((i, c)) = line.char_indices().find(|(_, c)| c.is_whitespace()) {
                let message = format!(
                    "row {number} of the map has {c:?}: allowed is one letter a cell, '#' for no cell; cells stand side by side, and maps are not indented"
                );
                return Err(fault(message).within(at + i..at + i + c.len_utf8()));
            }
        }
        let drawn: Vec<String> =
            rows.iter().map(|(_, line)| line.chars().map(|c| if c == '#' { '#' } else { '.' }).collect()).collect();
        let (board, _) = Board::from_map(&drawn.join("\n")).map_err(|e| match e {
            crate::board::MapError::Empty => fault("the map has no cells: draw each as a letter".into()),
            e => fault(e.to_string()),
        })?;
        debug_assert!(board.len() <= MAX_CELLS);
        let cells = rows.iter().flat_map(|&(at, line)| line.char_indices().map(move |(i, c)| (at + i, c)));
        let (mut letters, mut spans) = (Vec::new(), Vec::new());
        for (at, letter) in cells.filter(|&(_, c)| c != '#') {
            letters.push(letter);
            spans.push(at..at + letter.len_utf8());
        }
        Ok(Self { board, letters, spans })
    }
}
