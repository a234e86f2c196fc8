//! Goals of sliding blocks: maps with `?` for anything.

use halma_record::job::puzzle_tables::{BlocksTable, OneOrMany};

use super::{Block, Blocks, DIRECTIONS, SIDE, is_rush_hour, map_of};
use crate::puzzle::TableFault;
use crate::puzzle::grounded::{GoalCondition, Letters};
use crate::puzzle::map::Map;

/// A goal as it was read.
pub(super) struct GoalMap {
    pub map: Map,
    /// The key that states it.
    key: &'static str,
    /// Its place in a list.
    position: Option<usize>,
}

/// The goals of a table; that of a board of Rush Hour where it has none.
pub(super) fn read(
    table: &BlocksTable,
    map: &Map,
    blocks: &[Block],
    rush_hour: bool,
) -> Result<Vec<GoalMap>, TableFault> {
    let one = |position: Option<usize>, text: &String| {
        let place = |fault: TableFault| if let Some(p) = position { fault.at(p) } else { fault };
        let read = map_of("goal", text, rush_hour && is_rush_hour(text));
        let goal = GoalMap { map: read.map_err(place)?, key: "goal", position };
        goal.fits(map, blocks).map(|()| goal)
    };
    match &table.goal {
        None if rush_hour => Ok(vec![way_out(map, blocks)?]),
        None => Ok(Vec::new()),
        Some(OneOrMany::One(text)) => Ok(vec![one(None, text)?]),
        Some(OneOrMany::Many(texts)) if texts.is_empty() => {
            Err(TableFault::of("goal", "the list has no goal; leave the key out if there is none"))
        }
        Some(OneOrMany::Many(texts)) => texts.iter().enumerate().map(|(i, text)| one(Some(i), text)).collect(),
    }
}

/// Block A at the right end of its row.
fn way_out(map: &Map, blocks: &[Block]) -> Result<GoalMap, TableFault> {
    let car = blocks.iter().find(|b| b.letter == 'A');
    let car = car.ok_or_else(|| TableFault::of("board", "there is no block A to bring out, and no goal"))?;
    let row = map.board.xy(car.cells[0]).1;
    let last = car.cells[car.cells.len() - 1];
    if car.cells.len() < 2 || map.board.xy(last).1 != row {
        let message = "block A does not lie along its row: it cannot come out at the right end, and there is no goal";
        return Err(TableFault::of("board", message).within(map.spans[last].clone()));
    }
    let mut goal = GoalMap { map: map.clone(), key: "board", position: None };
    goal.map.letters.fill('?');
    for x in SIDE - car.cells.len()..SIDE {
        let Some(cell) = map.board.at(x as i32, row) else {
            let message = "there is a wall between block A and the right end of its row, and no goal";
            return Err(TableFault::of("board", message).within(map.spans[last].clone()));
        };
        goal.map.letters[cell] = 'A';
    }
    Ok(goal)
}

impl GoalMap {
    fn fault(&self, message: String, cell: Option<usize>) -> TableFault {
        // The goal that is not written down has no bytes.
        let range = cell.filter(|_| self.key == "goal").map(|cell| self.map.spans[cell].clone());
        let fault = TableFault { range, ..TableFault::of(self.key, message) };
        if let Some(position) = self.position { fault.at(position) } else { fault }
    }

    /// Whether it is a map of this board, with letters of these blocks.
    fn fits(&self, map: &Map, blocks: &[Block]) -> Result<(), TableFault> {
        if self.map.board != map.board {
            return Err(self.fault("the goal has not the same cells as the board".into(), None));
        }
        let letters = || self.map.letters.iter().copied();
        for (cell, letter) in letters().enumerate().filter(|(_, l)| !"?.".contains(*l)) {
            let Some(block) = blocks.iter().find(|b| b.letter == letter) else {
                return Err(self.fault(format!("there is no block {letter} on the board"), Some(cell)));
            };
            let size = block.cells.len();
            if letters().take(cell + 1).filter(|l| *l == letter).count() > size {
                let cells = if size == 1 { "one cell".into() } else { format!("{size} cells") };
                return Err(self.fault(format!("block {letter} has {cells}, and the goal asks for more"), Some(cell)));
            }
        }
        let empty = map.letters.iter().filter(|l| **l == '.').count();
        if letters().filter(|l| *l == '.').count() > empty {
            return Err(self.fault(format!("the board has {empty} empty cells, and the goal asks for more"), None));
        }
        Ok(())
    }

    /// The goal as conditions.
    pub(super) fn compile(&self, puzzle: &Blocks) -> Result<GoalCondition, TableFault> {
        for block in &puzzle.blocks {
            let cells: Vec<usize> =
                (0..self.map.letters.len()).filter(|&cell| self.map.letters[cell] == block.letter).collect();
            if !cells.is_empty() && !self.can_stand(puzzle, block, &cells) {
                let message = format!("block {} can never cover the cells that the goal asks of it", block.letter);
                return Err(self.fault(message, Some(cells[0])));
            }
        }
        let letters = |letter: char| -> Letters {
            let shape = puzzle.shapes.iter().find(|s| s.named && s.drawn == letter);
            shape.map_or(1 << puzzle.empty, |s| s.letters.iter().fold(0, |set, l| set | 1 << l))
        };
        let asked = self.map.letters.iter().enumerate().filter(|(_, letter)| **letter != '?');
        let cells = asked.map(|(cell, &letter)| (cell as u8, letters(letter))).collect();
        Ok(GoalCondition { cells, counts: Vec::new() })
    }

    /// Whether the block, alone on the board, can go where it covers these cells and none that are asked of others.
    fn can_stand(&self, puzzle: &Blocks, block: &Block, cells: &[usize]) -> bool {
        let shape = &puzzle.shapes[puzzle.shape_of(block)];
        let board = &puzzle.map.board;
        let mut reached = vec![block.cells[0]];
        let mut next = 0;
        while let Some(&anchor) = reached.get(next) {
            next += 1;
            let Some(stands) = puzzle.stand(shape, anchor) else { continue };
            let covers: Vec<usize> = stands.iter().map(|&(cell, _)| usize::from(cell)).collect();
            let free = |cell: &usize| [block.letter, '?'].contains(&self.map.letters[*cell]);
            if cells.iter().all(|cell| covers.contains(cell)) && covers.iter().all(free) {
                return true;
            }
            let (x, y) = board.xy(anchor);
            let directions = shape.directions(puzzle.axis()).map(|d| DIRECTIONS[d]);
            let to = directions.filter_map(|(dx, dy)| board.at(x + dx, y + dy));
            let new: Vec<usize> = to.filter(|to| !reached.contains(to) && puzzle.stand(shape, *to).is_some()).collect();
            reached.extend(new);
        }
        false
    }
}
