//! Maps: one line a row, `#` where there is no cell, and a letter on each cell.

use crate::board::{Board, rows};

/// The most cells, and the most letters.
pub const MAX_CELLS: usize = 256;
pub const MAX_LETTERS: usize = 63;

/// (columns to the right, rows down).
pub type Step = (i32, i32);

/// All directions by name; 4, 6 and 8 are the first so many.
pub const DIRECTIONS: [(&str, Step); 8] = [
    ("right", (1, 0)),
    ("left", (-1, 0)),
    ("down", (0, 1)),
    ("up", (0, -1)),
    ("right-up", (1, -1)),
    ("left-down", (-1, 1)),
    ("right-down", (1, 1)),
    ("left-up", (-1, -1)),
];

/// The cells of maps.
#[derive(Debug)]
pub struct Grid {
    pub board: Board,
    pub width: i32,
    pub height: i32,
    /// The cell of each place, row by row.
    at: Vec<Option<u8>>,
}

impl Grid {
    /// A map's cells, and the letter on each.
    pub fn drawn(map: &str) -> Result<(Self, Vec<char>), String> {
        let rows = rows(map);
        let (width, height) = (rows.first().map_or(0, Vec::len), rows.len());
        if rows.iter().any(|row| row.len() != width) {
            return Err("a map whose rows are not of one length".into());
        }
        let cells = rows.iter().flatten().filter(|&&letter| letter != '#').count();
        // Cells have names of a column and a row: places without a cell count there, too.
        if !(1..=MAX_CELLS).contains(&cells) || width.max(height) > 1 << 12 {
            return Err(format!("a map of {cells} cells in {height} rows; allowed are 1 to {MAX_CELLS} cells"));
        }
        let (mut places, mut letters, mut at) = (Vec::new(), Vec::new(), Vec::new());
        for (y, row) in rows.iter().enumerate() {
            for (x, &letter) in row.iter().enumerate() {
                if letter.is_whitespace() || letter.is_control() {
                    return Err(format!("a map with {letter:?} in row {}", y + 1));
                }
                at.push((letter != '#').then_some(places.len() as u8));
                if letter != '#' {
                    places.push((x as i32, y as i32));
                    letters.push(letter);
                }
            }
        }
        let board = Board { places, directions: Vec::new(), steps: Vec::new(), jumps: Vec::new() };
        Ok((Self { board, width: width as i32, height: height as i32, at }, letters))
    }

    /// The letters of another map of the same cells.
    pub fn letters_of(&self, map: &str) -> Result<Vec<char>, String> {
        let (other, letters) = Self::drawn(map)?;
        let same = (other.width, other.height, &other.board.places) == (self.width, self.height, &self.board.places);
        if same { Ok(letters) } else { Err("a map whose cells are not those of the first".into()) }
    }

    pub fn len(&self) -> usize {
        self.board.len()
    }

    /// The cell at a place, if there is one.
    pub fn at(&self, (x, y): Step) -> Option<u8> {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        if inside { self.at[(y * self.width + x) as usize] } else { None }
    }

    /// Where a cell is.
    pub fn place(&self, cell: u8) -> Step {
        self.board.places[usize::from(cell)]
    }

    /// `count` cells in a row from `first` on, if all are there.
    pub fn line(&self, first: u8, (dx, dy): Step, count: usize) -> Option<Vec<u8>> {
        let (x, y) = self.place(first);
        let count = i32::try_from(count).ok().filter(|&count| count <= MAX_CELLS as i32)?;
        (0..count).map(|i| self.at((x + i * dx, y + i * dy))).collect()
    }

    /// What changed from one map's letters to another's, as solutions write it: `CELL:OLDNEW` by cell.
    pub fn changes(&self, before: &[char], after: &[char]) -> String {
        let changed = (0..self.len()).filter(|&cell| before[cell] != after[cell]);
        let told = changed.map(|cell| format!("{}:{}{}", self.board.name(cell as u8), before[cell], after[cell]));
        told.collect::<Vec<_>>().join(" ")
    }

    /// The rows of a map of these letters.
    pub fn rows(&self, letters: &[char]) -> Vec<String> {
        let row = |y| (0..self.width).map(move |x| self.at((x, y)).map_or('#', |cell| letters[usize::from(cell)]));
        (0..self.height).map(|y| row(y).collect()).collect()
    }

    /// All maps of the cells onto themselves that are linear, with entries -1, 0 and 1, keep this set of directions, and move the
    /// board back onto itself.
    pub fn linear_maps(&self, directions: &[Step]) -> Vec<Vec<u8>> {
        let cells = || (0..self.len()).map(|cell| cell as u8);
        let mut found = Vec::new();
        for code in 0..81 {
            let [a, b, c, d] = [code / 27, code / 9 % 3, code / 3 % 3, code % 3].map(|v| v - 1);
            let linear = |(x, y): Step| (a * x + b * y, c * x + d * y);
            if (a * d - b * c).abs() != 1 || !directions.iter().all(|&v| directions.contains(&linear(v))) {
                continue;
            }
            // The least column and row of the image go to those of the board.
            let corner = |of: &dyn Fn(u8) -> Step| {
                let least = |part: &dyn Fn(Step) -> i32| cells().map(|cell| part(of(cell))).min().unwrap_or(0);
                (least(&|(x, _)| x), least(&|(_, y)| y))
            };
            let image = |cell: u8| linear(self.place(cell));
            let (from, to) = (corner(&image), corner(&|cell| self.place(cell)));
            let moved = |cell: u8| self.at((image(cell).0 - from.0 + to.0, image(cell).1 - from.1 + to.1));
            found.extend(cells().map(moved).collect::<Option<Vec<u8>>>());
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
