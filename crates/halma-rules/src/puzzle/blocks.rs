//! `kind = "blocks"`: sliding blocks (Klotski, Rush Hour) as steps on cells and letters.
//!
//! Every cell of every shape has a letter of its own, so that the conditions of a step distinguish a whole block from
//! parts of two. Blocks of one shape have the same letters, because they are interchangeable. A block that a goal or
//! `distinct` names must be the only one of its shape.

mod goal;

use std::collections::BTreeSet;

use halma_record::job::puzzle_tables::{BlocksTable, Metric};

use super::TableFault;
use super::grounded::{CellMap, GroundedTask, MAX_LETTERS, Step, Until, cell_maps};
use super::map::Map;

/// Right, left, down, up: the order of the reference.
const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
/// The side of a board of Rush Hour.
pub const SIDE: usize = 6;

/// A block of the board: its letter there, and its cells, ascending.
struct Block {
    letter: char,
    cells: Vec<usize>,
}

/// A shape, with all blocks that have it.
#[derive(Debug)]
struct Shape {
    /// The letter of its first block on the board.
    drawn: char,
    /// Whether a goal or `distinct` names its only block.
    named: bool,
    /// Its cells, seen from the first, row by row.
    cells: Vec<(i32, i32)>,
    /// The letters of its cells.
    letters: Vec<u8>,
}

/// The puzzle while it is compiled.
struct Blocks<'a> {
    table: &'a BlocksTable,
    map: &'a Map,
    blocks: Vec<Block>,
    shapes: Vec<Shape>,
    /// The letter `.`.
    empty: u8,
    rush_hour: bool,
}

/// Compiles the table.
///
/// # Errors
/// What is wrong with it, with the bytes of maps.
pub fn compile(table: &BlocksTable) -> Result<GroundedTask, TableFault> {
    let rush_hour = is_rush_hour(&table.board);
    let map = map_of("board", &table.board, rush_hour)?;
    if let Some(cell) = map.letters.iter().position(|l| "?*".contains(*l)) {
        let message = format!("{:?} stands for several letters: in goals, not on the board", map.letters[cell]);
        return Err(TableFault::of("board", message).within(map.spans[cell].clone()));
    }
    let blocks = blocks_of(&map).map_err(|fault| match one_line(&table.board) {
        Some(letters) if !rush_hour => {
            let message = format!("{}; {letters} letters in one line: a board of Rush Hour has 36", fault.message);
            TableFault { message, ..fault }
        }
        _ => fault,
    })?;
    let goals = goal::read(table, &map, &blocks, rush_hour)?;
    let mut named = distinct(table, &blocks)?;
    named.extend(goals.iter().flat_map(|goal| goal.map.letters.iter().copied()));
    let shapes = shapes_of(&map, &blocks, &named);
    let letters = shapes.iter().map(|s| s.cells.len()).sum::<usize>() + 1;
    if letters > MAX_LETTERS {
        let message = format!(
            "the shapes of the blocks have {} cells altogether; at most {} are allowed",
            letters - 1,
            MAX_LETTERS - 1
        );
        return Err(TableFault::of("board", message));
    }
    let puzzle = Blocks { table, map: &map, blocks, shapes, empty: letters as u8 - 1, rush_hour };
    let goals = goals.iter().map(|goal| goal.compile(&puzzle)).collect::<Result<_, _>>()?;
    let task = GroundedTask {
        letters: puzzle.drawn(),
        ranked: puzzle.shapes.len(),
        has_empty: true,
        bodies: puzzle.bodies(),
        starts: vec![puzzle.start()],
        steps: puzzle.steps(),
        turns: false,
        goals,
        candidates: puzzle.candidates(),
        board: map.board.clone(),
    };
    if !task.steps.iter().any(|step| step.applies(&task.starts[0])) {
        return Err(TableFault::of("board", "no block can ever move"));
    }
    Ok(task)
}

/// Whether a text is a board of Rush Hour: 36 characters in one line.
#[must_use]
pub fn is_rush_hour(text: &str) -> bool {
    one_line(text) == Some(SIDE * SIDE)
}

/// The number of letters of a board that is drawn in one line.
fn one_line(text: &str) -> Option<usize> {
    let text = text.trim();
    (!text.contains('\n')).then(|| text.chars().count())
}

/// The map that is the value of `key`; in the notation of Rush Hour, 36 characters in one line, if `rush_hour`.
///
/// # Errors
/// As [`Map::parse`].
pub fn map_of(key: &str, text: &str, rush_hour: bool) -> Result<Map, TableFault> {
    if rush_hour { rush_hour_map(key, text) } else { Map::parse(key, text) }
}

/// A map of 36 characters, row by row: `o` is empty, `x` is a wall.
fn rush_hour_map(key: &str, text: &str) -> Result<Map, TableFault> {
    let start = text.len() - text.trim_start().len();
    let letter = |c: char| match c {
        'o' => '.',
        'x' => '#',
        c => c,
    };
    let places: Vec<(usize, char)> = text.trim().char_indices().map(|(at, c)| (start + at, c)).collect();
    let rows = places.chunks(SIDE).map(|row| row.iter().map(|&(_, c)| letter(c)).collect::<String>());
    let mut map =
        Map::parse(key, &rows.collect::<Vec<_>>().join("\n")).map_err(|fault| TableFault { range: None, ..fault })?;
    let cells = places.into_iter().filter(|&(_, c)| letter(c) != '#');
    map.spans = cells.map(|(at, c)| at..at + c.len_utf8()).collect();
    Ok(map)
}

/// The blocks, in the order of their first cells.
fn blocks_of(map: &Map) -> Result<Vec<Block>, TableFault> {
    let mut blocks: Vec<Block> = Vec::new();
    for (cell, &letter) in map.letters.iter().enumerate().filter(|(_, l)| **l != '.') {
        match blocks.iter_mut().find(|b| b.letter == letter) {
            Some(block) => block.cells.push(cell),
            None => blocks.push(Block { letter, cells: vec![cell] }),
        }
    }
    for block in &blocks {
        let mut reached = vec![block.cells[0]];
        let mut next = 0;
        while let Some(&cell) = reached.get(next) {
            next += 1;
            let (x, y) = map.board.xy(cell);
            let beside = DIRECTIONS.iter().filter_map(|(dx, dy)| map.board.at(x + dx, y + dy));
            let new: Vec<usize> = beside.filter(|c| block.cells.contains(c) && !reached.contains(c)).collect();
            reached.extend(new);
        }
        if let Some(&apart) = block.cells.iter().find(|c| !reached.contains(c)) {
            let message = format!(
                "the cells of block {} do not touch: there is no way from {} to {}",
                block.letter,
                map.board.name_of(block.cells[0]),
                map.board.name_of(apart)
            );
            return Err(TableFault::of("board", message).within(map.spans[apart].clone()));
        }
    }
    if blocks.is_empty() {
        return Err(TableFault::of("board", "there is no block on the board: draw each with a letter of its own"));
    }
    Ok(blocks)
}

/// The letters that `distinct` lists.
fn distinct(table: &BlocksTable, blocks: &[Block]) -> Result<BTreeSet<char>, TableFault> {
    let one = |(position, text): (usize, &String)| {
        let block = blocks.iter().find(|b| b.letter.to_string() == *text);
        let message = || format!("there is no block {text:?} on the board");
        block.map(|b| b.letter).ok_or_else(|| TableFault::of("distinct", message()).at(position))
    };
    table.distinct.iter().enumerate().map(one).collect()
}

/// The shapes in the order of their first blocks, with their letters numbered: first cells first, then all others.
fn shapes_of(map: &Map, blocks: &[Block], named: &BTreeSet<char>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for block in blocks {
        let (x, y) = map.board.xy(block.cells[0]);
        let offset = |&cell: &usize| {
            let (cx, cy) = map.board.xy(cell);
            (cx - x, cy - y)
        };
        let cells: Vec<(i32, i32)> = block.cells.iter().map(offset).collect();
        let named = named.contains(&block.letter);
        if named || !shapes.iter().any(|s| !s.named && s.cells == cells) {
            shapes.push(Shape { drawn: block.letter, named, cells, letters: Vec::new() });
        }
    }
    let mut next = shapes.len();
    for (number, shape) in shapes.iter_mut().enumerate() {
        let parts = next..next + shape.cells.len() - 1;
        next = parts.end;
        shape.letters = std::iter::once(number).chain(parts).map(|letter| letter as u8).collect();
    }
    shapes
}

impl Shape {
    /// The directions in which it moves, as numbers.
    fn directions(&self, axis: bool) -> impl Iterator<Item = usize> + use<> {
        let span = |of: fn(&(i32, i32)) -> i32| {
            let values = || self.cells.iter().map(of);
            values().max().unwrap_or(0) - values().min().unwrap_or(0)
        };
        let (width, height) = (span(|c| c.0), span(|c| c.1));
        (0..DIRECTIONS.len()).filter(move |&d| {
            let along = if DIRECTIONS[d].0 == 0 { height > width } else { width > height };
            !axis || along
        })
    }
}

impl Blocks<'_> {
    /// The shape of the block with that letter on the board, by its number.
    fn shape_of(&self, block: &Block) -> usize {
        let named = self.shapes.iter().position(|s| s.named && s.drawn == block.letter);
        let (x, y) = self.map.board.xy(block.cells[0]);
        let stands = |shape: &Shape| {
            let cells = shape.cells.iter().map(|(dx, dy)| self.map.board.at(x + dx, y + dy));
            cells.eq(block.cells.iter().map(|&c| Some(c)))
        };
        let shape = named.or_else(|| self.shapes.iter().position(|s| !s.named && stands(s)));
        shape.unwrap_or_else(|| unreachable!("the shapes are those of the blocks"))
    }

    /// The cells of a shape whose first cell is `anchor`, with their letters; `None` where it cannot stand there.
    fn stand(&self, shape: &Shape, anchor: usize) -> Option<Vec<(u8, u8)>> {
        let (x, y) = self.map.board.xy(anchor);
        let cells = shape.cells.iter().map(|(dx, dy)| self.map.board.at(x + dx, y + dy).map(|c| c as u8));
        cells.zip(&shape.letters).map(|(cell, &letter)| Some((cell?, letter))).collect()
    }

    /// Whether blocks move along their longer side alone.
    fn axis(&self) -> bool {
        self.table.axis || self.rush_hour
    }

    /// How each letter is drawn.
    fn drawn(&self) -> Vec<char> {
        let parts = self.shapes.iter().flat_map(|s| s.cells.iter().skip(1).map(|_| s.drawn));
        self.shapes.iter().map(|s| s.drawn).chain(parts).chain(['.']).collect()
    }

    fn bodies(&self) -> Vec<Vec<Vec<(u8, u8)>>> {
        let body = |shape: &Shape, anchor| self.stand(shape, anchor).map(|all| all[1..].to_vec()).unwrap_or_default();
        let bodies = |shape| (0..self.map.board.len()).map(|anchor| body(shape, anchor)).collect();
        self.shapes.iter().map(bodies).collect()
    }

    fn start(&self) -> Vec<u8> {
        let mut letters = vec![self.empty; self.map.board.len()];
        for block in &self.blocks {
            let shape = &self.shapes[self.shape_of(block)];
            for (&cell, &letter) in block.cells.iter().zip(&shape.letters) {
                letters[cell] = letter;
            }
        }
        letters
    }

    /// Every step of every shape from every place.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for shape in &self.shapes {
            for anchor in 0..self.map.board.len() {
                let all = shape.directions(self.axis()).filter_map(|direction| self.step(shape, anchor, direction));
                steps.extend(all);
            }
        }
        steps
    }

    fn step(&self, shape: &Shape, anchor: usize, direction: usize) -> Option<Step> {
        let (x, y) = self.map.board.xy(anchor);
        let (dx, dy) = DIRECTIONS[direction];
        let goes_to = self.map.board.at(x + dx, y + dy)?;
        let (old, new) = (self.stand(shape, anchor)?, self.stand(shape, goes_to)?);
        let cells: BTreeSet<u8> = old.iter().chain(&new).map(|&(cell, _)| cell).collect();
        let on =
            |all: &[(u8, u8)], cell| all.iter().find(|(c, _)| *c == cell).map_or(self.empty, |&(_, letter)| letter);
        let (until, chain) = match self.table.metric {
            Metric::Step => (Until::Once, false),
            Metric::Slide => (Until::Any, false),
            Metric::Move => (Until::Once, true),
        };
        Some(Step {
            // One rule for all shapes: a symmetry may take one to another.
            rule: 0,
            direction: direction as u8,
            needs: cells.iter().map(|&cell| (cell, 1 << on(&old, cell))).collect(),
            writes: cells.iter().map(|&cell| (cell, on(&new, cell))).collect(),
            from: anchor as u8,
            to: goes_to as u8,
            man: shape.letters[0],
            chain,
            until,
            turn: 0,
            free: false,
        })
    }

    /// The maps of the square grid that keep the board, with what becomes of the shapes.
    fn candidates(&self) -> Vec<CellMap> {
        let maps = cell_maps(&self.map.board, &DIRECTIONS).into_iter();
        maps.filter_map(|cells| Some(CellMap { letters: self.letter_map(&cells)?, cells })).collect()
    }

    /// What becomes of the letters under a map of the cells, as the blocks of the start show it: a symmetry keeps the start, so
    /// each block goes to one of it. `None` where one does not, or where a shape would become two.
    fn letter_map(&self, cells: &[u8]) -> Option<Vec<u8>> {
        let start = self.start();
        let mut letters: Vec<Option<u8>> = vec![None; self.empty as usize + 1];
        for (cell, &image) in cells.iter().enumerate() {
            let image = start[usize::from(image)];
            if *letters[usize::from(start[cell])].get_or_insert(image) != image {
                return None;
            }
        }
        // The letter `.` does not occur on a full board, which no block can leave.
        let letters = letters.into_iter().collect::<Option<Vec<u8>>>()?;
        let alike = self.shapes.iter().all(|s| {
            let image: BTreeSet<u8> = s.letters.iter().map(|&l| letters[usize::from(l)]).collect();
            let is_image =
                |t: &Shape| t.named == s.named && t.letters.iter().copied().collect::<BTreeSet<u8>>() == image;
            self.shapes.iter().any(is_image)
        });
        alike.then_some(letters)
    }
}

#[cfg(test)]
mod tests;
