//! Boards: which cells exist, and their names.
//!
//! A cell is a column letter and a row number; `a1` is at the top left of every drawing, x is the column and y the
//! row, both from 0. Cells are numbered row by row.
//!
//! ```
//! use halma_rules::board::Board;
//! let (board, marks) = Board::from_map("S.#\n..T").unwrap();
//! assert_eq!(board.len(), 5);
//! assert_eq!(board.name_of(marks.target[0]), "c2");
//! assert_eq!(board.cell("b1"), Some(1));
//! assert_eq!(board.cell("c1"), None);
//! ```

use thiserror::Error;

/// The most cells that a board may have; also the longest side of a map.
pub const MAX_CELLS: usize = 256;

/// The boards that have a name, as messages list them.
pub const NAMED: &[&str] = &["9x9", "8x8", "16x16", "checkers-32", "star-121"];

/// A set of cells in the plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    name: String,
    width: usize,
    height: usize,
    /// (x, y) by cell.
    places: Vec<(u16, u16)>,
    /// Cell by `y * width + x`.
    cells: Vec<Option<u8>>,
}

/// The marks of a map on its cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Cells marked `S` or `B`.
    pub start: Vec<usize>,
    /// Cells marked `T` or `B`.
    pub target: Vec<usize>,
}

/// What is wrong with a map. Lines and columns count from 1.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MapError {
    /// No cell at all.
    #[error("the map has no cells: draw each as '.', 'S' (start), 'T' (target) or 'B' (both)")]
    Empty,
    /// Rows of different lengths.
    #[error(
        "the map is ragged: row {row} has {found} characters, row 1 has {expected}; draw a place without a cell as '#'"
    )]
    Ragged {
        /// The first row that differs.
        row: usize,
        /// Its length.
        found: usize,
        /// The first row's length.
        expected: usize,
    },
    /// A character that means nothing.
    #[error(
        "row {row} of the map has {found:?} in column {column}; allowed are '.' (cell), 'S' (start), 'T' (target), 'B' (both), '#' (no cell){}",
        if found.is_whitespace() { "; cells stand side by side, and maps are not indented" } else { "" }
    )]
    Character {
        /// Row of the character.
        row: usize,
        /// Column of the character.
        column: usize,
        /// The character.
        found: char,
    },
    /// More cells than a set of cells can hold.
    #[error("the map has {0} cells; a board may have at most {MAX_CELLS}")]
    TooLarge(usize),
    /// A side too long to name its cells.
    #[error("the map is {0} places wide or high; at most {MAX_CELLS} are allowed")]
    TooWide(usize),
}

/// The name of a column, from 0: `a` to `z`, then `aa`, `ab`, ...
#[must_use]
pub fn column_name(x: usize) -> String {
    let mut name = String::new();
    let mut rest = x + 1;
    while rest > 0 {
        name.insert(0, char::from(b'a' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    name
}

/// The name of a place, whether there is a cell or not: its column and its row, as in `c2`.
#[must_use]
pub fn place_name(x: usize, y: usize) -> String {
    format!("{}{}", column_name(x), y + 1)
}

impl Board {
    /// The board of that name, one of [`NAMED`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let board = match name {
            "9x9" => Self::filter(name, 9, 9, |_, _| true),
            "8x8" => Self::filter(name, 8, 8, |_, _| true),
            "16x16" => Self::filter(name, 16, 16, |_, _| true),
            // The dark squares (row r, file f, r + f even) of a checkers board turned by 45 degrees:
            // x = (r + f) / 2 and y = (r - f) / 2 + 3, so x + y - 3 is the checkers row.
            "checkers-32" => Self::filter(name, 8, 7, |x, y| {
                let (rank, file) = (x + y - 3, x - y + 3);
                (0..8).contains(&rank) && (0..8).contains(&file)
            }),
            // Two triangles of side 13 around the hexagon of side 5, in coordinates u + v + w = 0.
            "star-121" => Self::filter(name, 17, 17, |x, y| {
                let cube = [x - 8, y - 8, 16 - x - y];
                cube.iter().all(|&c| c >= -4) || cube.iter().all(|&c| c <= 4)
            }),
            _ => return None,
        };
        Some(board)
    }

    /// The cells (x, y) of a `width` x `height` rectangle for which `keep` holds.
    fn filter(name: &str, width: usize, height: usize, keep: impl Fn(i32, i32) -> bool) -> Self {
        let mut board =
            Self { name: name.into(), width, height, places: Vec::new(), cells: vec![None; width * height] };
        for y in 0..height {
            for x in 0..width {
                if keep(x as i32, y as i32) {
                    board.cells[y * width + x] = Some(board.places.len() as u8);
                    board.places.push((x as u16, y as u16));
                }
            }
        }
        board
    }

    /// Reads a map: one line a row, `.` a cell, `S` a start cell, `T` a target cell, `B` both, `#` no cell.
    /// Blank lines before and after are ignored.
    ///
    /// # Errors
    /// [`MapError`] names the wrong row, counted from the map's first row that is not blank.
    pub fn from_map(map: &str) -> Result<(Self, Marks), MapError> {
        let lines: Vec<&str> = map.lines().map(str::trim_end).collect();
        let first = lines.iter().position(|l| !l.is_empty()).ok_or(MapError::Empty)?;
        let last = lines.iter().rposition(|l| !l.is_empty()).ok_or(MapError::Empty)?;
        let rows: Vec<Vec<char>> = lines[first..=last].iter().map(|l| l.chars().collect()).collect();
        let (width, height) = (rows[0].len(), rows.len());
        if let Some(row) = rows.iter().position(|r| r.len() != width) {
            return Err(MapError::Ragged { row: row + 1, found: rows[row].len(), expected: width });
        }
        if width.max(height) > MAX_CELLS {
            return Err(MapError::TooWide(width.max(height)));
        }
        for (y, row) in rows.iter().enumerate() {
            if let Some(x) = row.iter().position(|c| !".STB#".contains(*c)) {
                return Err(MapError::Character { row: y + 1, column: x + 1, found: row[x] });
            }
        }
        let cells = rows.iter().flatten().filter(|c| **c != '#').count();
        match cells {
            0 => return Err(MapError::Empty),
            1..=MAX_CELLS => {}
            _ => return Err(MapError::TooLarge(cells)),
        }
        let board = Self::filter("map", width, height, |x, y| rows[y as usize][x as usize] != '#');
        let marked = |marks: [char; 2]| {
            let cell = |c: &usize| {
                let (x, y) = board.xy(*c);
                marks.contains(&rows[y as usize][x as usize])
            };
            (0..board.len()).filter(cell).collect()
        };
        let marks = Marks { start: marked(['S', 'B']), target: marked(['T', 'B']) };
        Ok((board, marks))
    }

    /// The board as a map, one row a line: `glyph` gives the character of each cell, every other place is a space.
    #[must_use]
    pub fn draw(&self, glyph: impl Fn(usize) -> char) -> String {
        let mut text = String::new();
        for row in self.cells.chunks(self.width) {
            let line: String = row.iter().map(|c| c.map_or(' ', |c| glyph(c as usize))).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The board as a map that [`Self::from_map`] could read: `glyph` gives the character of each cell, every other
    /// place is `#`. No line break at the end.
    #[must_use]
    pub fn map(&self, glyph: impl Fn(usize) -> char) -> String {
        let line = |row: &[Option<u8>]| row.iter().map(|c| c.map_or('#', |c| glyph(c as usize))).collect::<String>();
        self.cells.chunks(self.width).map(line).collect::<Vec<_>>().join("\n")
    }

    /// The board's name; `map` if it was drawn.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many cells there are.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a board has at least one cell")]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// How many places wide the drawing is.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many places high the drawing is.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Column and row of a cell, from 0.
    #[must_use]
    pub fn xy(&self, cell: usize) -> (i32, i32) {
        let (x, y) = self.places[cell];
        (i32::from(x), i32::from(y))
    }

    /// The cell in column `x`, row `y`, if there is one.
    #[must_use]
    pub fn at(&self, x: i32, y: i32) -> Option<usize> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        if x >= self.width || y >= self.height {
            return None;
        }
        self.cells[y * self.width + x].map(usize::from)
    }

    /// The cell's type, 0 to 3: only a step can change the type of the man on it (Section 2.1 of the paper).
    #[must_use]
    pub fn type_of(&self, cell: usize) -> usize {
        let (x, y) = self.xy(cell);
        (x % 2 + 2 * (y % 2)) as usize
    }

    /// How many of these cells have each type.
    #[must_use]
    pub fn types(&self, cells: &[usize]) -> [usize; 4] {
        let mut counts = [0; 4];
        for &cell in cells {
            counts[self.type_of(cell)] += 1;
        }
        counts
    }

    /// A cell's name, as in `c2`. Columns past `z` are `aa`, `ab`, ...
    #[must_use]
    pub fn name_of(&self, cell: usize) -> String {
        let (x, y) = self.xy(cell);
        place_name(x as usize, y as usize)
    }

    /// Which names cells have, for messages about others.
    #[must_use]
    pub fn names(&self) -> String {
        let rows = if self.height() == 1 { "row 1".into() } else { format!("rows 1 to {}", self.height()) };
        let columns = if self.width() == 1 {
            "column a".into()
        } else {
            format!("columns a to {}", column_name(self.width() - 1))
        };
        format!("it has {columns}, {rows}")
    }

    /// The cell of that name, if it is on the board.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<usize> {
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (column, row) = name.split_at(digits);
        if column.is_empty() || column.len() > 3 || !column.bytes().all(|b| b.is_ascii_lowercase()) {
            return None;
        }
        if row.starts_with('0') || !row.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let x = column.bytes().fold(0, |x, b| 26 * x + i32::from(b - b'a') + 1) - 1;
        self.at(x, row.parse::<i32>().ok()? - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_boards_have_their_cells() {
        let cells: Vec<usize> = NAMED.iter().map(|n| Board::named(n).unwrap().len()).collect();
        assert_eq!(cells, [81, 64, 256, 32, 121]);
        assert!(Board::named("10x10").is_none());
    }

    #[test]
    fn names_and_cells_are_inverse() {
        for name in NAMED {
            let board = Board::named(name).unwrap();
            for cell in 0..board.len() {
                assert_eq!(board.cell(&board.name_of(cell)), Some(cell));
            }
        }
        let (wide, _) = Board::from_map(&".".repeat(256)).unwrap();
        assert_eq!([25, 26, 255].map(|x| wide.name_of(x)), ["z1", "aa1", "iv1"]);
        assert_eq!([column_name(701), column_name(702), place_name(26, 2)], ["zz", "aaa", "aa3"]);
        assert_eq!(wide.cell("iv1"), Some(255));
        for nonsense in ["", "a", "1", "a0", "a01", "A1", "a2", "iw1", "a1x", "aaaa1", "a99999999999"] {
            assert_eq!(wide.cell(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_faulty_map_is_refused_with_its_row() {
        assert_eq!(Board::from_map("\n\n"), Err(MapError::Empty));
        assert_eq!(Board::from_map("##"), Err(MapError::Empty));
        assert_eq!(Board::from_map("\n..\n.\n"), Err(MapError::Ragged { row: 2, found: 1, expected: 2 }));
        assert_eq!(Board::from_map("..\n.x"), Err(MapError::Character { row: 2, column: 2, found: 'x' }));
        assert_eq!(Board::from_map(&"................\n".repeat(17)), Err(MapError::TooLarge(272)));
    }
}
