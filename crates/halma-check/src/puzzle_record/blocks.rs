//! `kind = "blocks"`: blocks as sets of cells, moved one cell at a time.

mod block_mirror;
mod fewer_blocks;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halma_record::job::puzzle_tables::{BlocksTable, Metric};
use halma_record::record::SymmetryRecord;

use super::code::Part;
use super::grid::{DIRECTIONS, Grid, Step};
use super::model::{Distance, Model, State, check_group, named};
use crate::permutation;
use crate::rejection::Trouble;

/// The side of a board of Rush Hour.
const RUSH_HOUR: usize = 6;

/// Blocks that are not told apart.
#[derive(Clone, Debug)]
struct Class {
    /// The letter of the first of them on the board.
    letter: char,
    /// Its cells, as seen from the first one.
    shape: Vec<Step>,
    count: usize,
    /// The directions in which they may go.
    directions: Vec<Step>,
}

/// What goals say of cells: the class of the block that covers it, or that none does.
type Condition = BTreeMap<u8, Option<u8>>;

/// A block: its class and its cells, ascending.
type Block = (u8, Vec<u8>);

/// Where a map takes each cell, and what becomes of each class.
type BlockMap = (Vec<u8>, Vec<u8>);

/// A puzzle of sliding blocks. A state has a class for each cell that is the first of a block; the others are empty.
#[derive(Debug)]
pub struct Blocks {
    grid: Arc<Grid>,
    classes: Vec<Class>,
    metric: Metric,
    starts: Vec<State>,
    goals: Vec<Condition>,
    fixing: Vec<BlockMap>,
    /// The record's mirror.
    mirror: Option<BlockMap>,
}

/// A board of 36 characters as a map; other boards as they are.
fn as_map(text: &str) -> (String, bool) {
    let text_only = text.trim();
    if text_only.chars().count() != RUSH_HOUR * RUSH_HOUR || text_only.contains(char::is_whitespace) {
        return (text.into(), false);
    }
    let letters: Vec<char> = text_only.chars().collect();
    let cell = |letter: &char| match letter {
        'o' => '.',
        'x' => '#',
        other => *other,
    };
    let rows = letters.chunks(RUSH_HOUR).map(|row| row.iter().map(cell).collect::<String>());
    (rows.collect::<Vec<_>>().join("\n"), true)
}

/// The cells of each block, by letter.
fn drawn_blocks(letters: &[char]) -> BTreeMap<char, Vec<u8>> {
    let mut blocks: BTreeMap<char, Vec<u8>> = BTreeMap::new();
    for (cell, &letter) in letters.iter().enumerate().filter(|(_, letter)| **letter != '.') {
        blocks.entry(letter).or_default().push(cell as u8);
    }
    blocks
}

fn shape_of(grid: &Grid, cells: &[u8]) -> Vec<Step> {
    let (x, y) = grid.place(cells[0]);
    cells.iter().map(|&cell| grid.place(cell)).map(|(cx, cy)| (cx - x, cy - y)).collect()
}

/// Whether one comes from any cell to all others, edge to edge.
fn is_whole(shape: &[Step]) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([shape[0]]), vec![shape[0]]);
    while let Some((x, y)) = open.pop() {
        let next = DIRECTIONS[..4].iter().map(|(_, (dx, dy))| (x + dx, y + dy));
        open.extend(next.filter(|cell| shape.contains(cell) && seen.insert(*cell)));
    }
    seen.len() == shape.len()
}

/// The directions of a block, where blocks move along their longer side.
fn along(shape: &[Step]) -> Vec<Step> {
    let extent = |part: &dyn Fn(&Step) -> i32| {
        let (least, most) = (shape.iter().map(part).min(), shape.iter().map(part).max());
        most.unwrap_or(0) - least.unwrap_or(0)
    };
    let (width, height) = (extent(&|s| s.0), extent(&|s| s.1));
    let runs_along = |&(dx, dy): &Step| dx != 0 && width > height || dy != 0 && height > width;
    DIRECTIONS[..4].iter().map(|(_, step)| *step).filter(runs_along).collect()
}

impl Blocks {
    /// The puzzle of a table, searched under these symmetries.
    pub fn new(table: &BlocksTable, symmetries: &SymmetryRecord) -> Result<Self, String> {
        let (map, rush_hour) = as_map(&table.board);
        let (grid, letters) = Grid::drawn(&map)?;
        let blocks = drawn_blocks(&letters);
        if blocks.keys().any(|letter| matches!(letter, '*' | '?')) || blocks.is_empty() {
            return Err("board: no blocks, or `*` or `?` among them".into());
        }
        let mut goals = Vec::new();
        for text in table.goal.as_ref().map(|goals| goals.as_slice()).unwrap_or_default() {
            let symbols = grid.letters_of(&as_map(text).0).map_err(|fault| format!("goal: {fault}"))?;
            goals.push((0u8..=255).zip(symbols).filter(|(_, symbol)| *symbol != '?').collect::<BTreeMap<_, _>>());
        }
        if goals.is_empty() && rush_hour {
            goals.push(Self::exit(&grid, &blocks)?);
        }
        let mut own: BTreeSet<char> = goals.iter().flat_map(|goal| goal.values().copied()).collect();
        own.remove(&'.');
        for name in &table.distinct {
            let mut characters = name.chars();
            match (characters.next(), characters.next()) {
                (Some(letter), None) => own.insert(letter),
                _ => return Err(format!("distinct: `{name}` is no letter")),
            };
        }
        if let Some(other) = own.iter().find(|letter| !blocks.contains_key(letter)) {
            return Err(format!("goal or distinct: `{other}` is no block"));
        }
        let axis = table.axis || rush_hour;
        let (classes, class_of) = Self::classes(&grid, &letters, &blocks, &own, axis)?;
        let class = |letter: &char| (*letter != '.').then(|| class_of.get(letter).copied()).flatten();
        let goals = goals.iter().map(|goal| goal.iter().map(|(&cell, letter)| (cell, class(letter))).collect());
        let goals = goals.collect();
        let empty = classes.len() as u8;
        let mut start = vec![empty; grid.len()];
        blocks.iter().for_each(|(letter, cells)| start[usize::from(cells[0])] = class(letter).unwrap_or(empty));
        let mut made = Self {
            grid: Arc::new(grid),
            classes,
            metric: table.metric,
            starts: vec![start],
            goals,
            fixing: Vec::new(),
            mirror: None,
        };
        made.under(&symmetries.fixing)?;
        made.mirror = made.checked_mirror(symmetries)?;
        Ok(made)
    }

    /// The goal of Rush Hour: block `A` on the last cells of its row. All of them are asked for: where projections leave out
    /// the block, none of the others may stand on any of them.
    fn exit(grid: &Grid, blocks: &BTreeMap<char, Vec<u8>>) -> Result<BTreeMap<u8, char>, String> {
        let car = blocks.get(&'A').ok_or("board: there is no block `A`, and no goal")?;
        let rows: BTreeSet<i32> = car.iter().map(|&cell| grid.place(cell).1).collect();
        let row = *rows.first().filter(|_| rows.len() == 1).ok_or("board: block `A` has no way out")?;
        let cells = (RUSH_HOUR - car.len()..RUSH_HOUR).map(|column| Some((grid.at((column as i32, row))?, 'A')));
        cells.collect::<Option<_>>().ok_or_else(|| "board: a wall stands in block `A`'s way out".into())
    }

    /// The classes in the order of their first cells, and that of each letter.
    fn classes(
        grid: &Grid,
        letters: &[char],
        blocks: &BTreeMap<char, Vec<u8>>,
        own: &BTreeSet<char>,
        axis: bool,
    ) -> Result<(Vec<Class>, BTreeMap<char, u8>), String> {
        let (mut classes, mut class_of): (Vec<Class>, BTreeMap<char, u8>) = (Vec::new(), BTreeMap::new());
        for &letter in letters.iter().filter(|letter| **letter != '.') {
            if class_of.contains_key(&letter) {
                continue;
            }
            let shape = shape_of(grid, &blocks[&letter]);
            if !is_whole(&shape) {
                return Err(format!("board: the cells of block `{letter}` do not touch"));
            }
            let same = |class: &Class| class.shape == shape && !own.contains(&class.letter) && !own.contains(&letter);
            let found = classes.iter().position(same).unwrap_or(classes.len());
            if found == classes.len() {
                let all = || DIRECTIONS[..4].iter().map(|(_, step)| *step).collect();
                let directions = if axis { along(&shape) } else { all() };
                classes.push(Class { letter, shape, count: 0, directions });
            }
            classes[found].count += 1;
            class_of.insert(letter, found as u8);
        }
        if classes.len() > super::grid::MAX_LETTERS {
            return Err(format!("board: {} shapes of blocks", classes.len()));
        }
        Ok((classes, class_of))
    }

    /// Takes these symmetries, if they are some.
    fn under(&mut self, fixing: &[Vec<u8>]) -> Result<(), String> {
        let directions: Vec<Step> = DIRECTIONS[..4].iter().map(|(_, step)| *step).collect();
        let all = self.grid.linear_maps(&directions);
        for (number, map) in fixing.iter().enumerate() {
            let classes = if all.contains(map) { self.keeps(map)? } else { None };
            let fault = || format!("symmetries.fixing[{number}] does not keep board, blocks and goals");
            self.fixing.push((map.clone(), classes.ok_or_else(fault)?));
        }
        check_group(fixing)
    }

    /// What a map of cells makes of each class, if it takes the start to itself, class by class, and the goals as well.
    fn keeps(&self, map: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let blocks = self.blocks(&self.starts[0])?;
        let mut images: Vec<Option<u8>> = vec![None; self.classes.len()];
        for (class, cells) in &blocks {
            let moved = permutation::image(map, cells);
            let Some((image, _)) = blocks.iter().find(|(_, cells)| *cells == moved) else { return Ok(None) };
            let known = &mut images[usize::from(*class)];
            if known.is_some_and(|known| known != *image) {
                return Ok(None);
            }
            *known = Some(*image);
        }
        let Some(images) = images.into_iter().collect::<Option<Vec<u8>>>() else { return Ok(None) };
        let counts = |class: u8| self.classes[usize::from(class)].count;
        let (mut seen, one_by_one) = (BTreeSet::new(), (0u8..).zip(&images));
        if !one_by_one.into_iter().all(|(class, &image)| seen.insert(image) && counts(class) == counts(image)) {
            return Ok(None);
        }
        let goals: BTreeSet<&Condition> = self.goals.iter().collect();
        let image =
            |(&cell, class): (&u8, &Option<u8>)| (map[usize::from(cell)], class.map(|c| images[usize::from(c)]));
        let moved: Vec<Condition> = self.goals.iter().map(|goal| goal.iter().map(image).collect()).collect();
        Ok((moved.iter().collect::<BTreeSet<_>>() == goals).then_some(images))
    }

    /// The cells of a block of that class whose first cell this is.
    fn cells(&self, class: u8, first: u8) -> Option<Vec<u8>> {
        let (x, y) = self.grid.place(first);
        self.classes[usize::from(class)].shape.iter().map(|(dx, dy)| self.grid.at((x + dx, y + dy))).collect()
    }

    /// All blocks of a state, which must stand on the board, and nowhere upon each other.
    fn blocks(&self, state: &[u8]) -> Result<Vec<Block>, String> {
        let (mut blocks, mut taken) = (Vec::new(), BTreeSet::new());
        let is_block = |class: u8| usize::from(class) < self.classes.len();
        for (first, &class) in state.iter().enumerate().filter(|(_, class)| is_block(**class)) {
            let cells = self.cells(class, first as u8).ok_or("a block that sticks out of the board")?;
            if !cells.iter().all(|&cell| taken.insert(cell)) {
                return Err("a block upon another".into());
            }
            blocks.push((class, cells));
        }
        Ok(blocks)
    }

    /// The class that covers each cell, or the number of classes.
    fn covered(&self, state: &[u8]) -> Result<Vec<u8>, String> {
        let mut covered = vec![self.classes.len() as u8; self.grid.len()];
        for (class, cells) in self.blocks(state)? {
            cells.iter().for_each(|&cell| covered[usize::from(cell)] = class);
        }
        Ok(covered)
    }

    /// A block one cell on, if that is on the board.
    fn pushed(&self, cells: &[u8], (dx, dy): Step) -> Option<Vec<u8>> {
        let to = |&cell: &u8| {
            let (x, y) = self.grid.place(cell);
            self.grid.at((x + dx, y + dy))
        };
        cells.iter().map(to).collect()
    }

    /// Where one move takes a block among others that stand on the `taken` cells.
    fn destinations(&self, (class, cells): &Block, taken: &BTreeSet<u8>) -> BTreeSet<Vec<u8>> {
        let directions = &self.classes[usize::from(*class)].directions;
        let pushed = |cells: &[u8], direction| {
            self.pushed(cells, direction).filter(|cells| !cells.iter().any(|cell| taken.contains(cell)))
        };
        let mut found = BTreeSet::new();
        match self.metric {
            Metric::Step => found.extend(directions.iter().filter_map(|&direction| pushed(cells, direction))),
            Metric::Slide => {
                for &direction in directions {
                    found.extend(std::iter::successors(pushed(cells, direction), |cells| pushed(cells, direction)));
                }
            }
            Metric::Move => {
                let mut open = vec![cells.clone()];
                while let Some(cells) = open.pop() {
                    let next = directions.iter().filter_map(|&direction| pushed(&cells, direction));
                    open.extend(next.filter(|cells| found.insert(cells.clone())).collect::<Vec<_>>());
                }
            }
        }
        found
    }

    /// The state of the images of blocks.
    fn image(&self, blocks: &[Block], (map, classes): &BlockMap) -> State {
        let mut image = vec![self.classes.len() as u8; self.grid.len()];
        for (class, cells) in blocks {
            image[usize::from(permutation::image(map, cells)[0])] = classes[usize::from(*class)];
        }
        image
    }

    fn drawn(&self, state: &[u8]) -> Result<Vec<char>, String> {
        let letter = |class: u8| self.classes.get(usize::from(class)).map_or('.', |class| class.letter);
        Ok(self.covered(state)?.into_iter().map(letter).collect())
    }

    /// The one state of a condition that names every cell of each block, if there is one; `None` where it leaves some out.
    fn only(&self, goal: &Condition) -> Option<Option<State>> {
        // Blocks that goals name are each a class of its own: the first cell that one covers is the first of its cells.
        let empty = self.classes.len() as u8;
        let mut state = vec![empty; self.grid.len()];
        for (number, class) in (0u8..).zip(&self.classes) {
            let cells: Vec<u8> =
                goal.iter().filter(|(_, covers)| **covers == Some(number)).map(|(&cell, _)| cell).collect();
            if class.count != 1 || cells.len() != class.shape.len() {
                return None;
            }
            state[usize::from(cells[0])] = number;
        }
        Some((self.blocks(&state).is_ok() && self.is_goal(&state)).then_some(state))
    }
}

impl Model for Blocks {
    fn parts(&self) -> Vec<Part> {
        let counts: Vec<usize> = self.classes.iter().map(|class| class.count).collect();
        let empty = self.grid.len() - counts.iter().sum::<usize>();
        vec![Part::Arrangement([counts, vec![empty]].concat())]
    }

    fn starts(&self) -> &[State] {
        &self.starts
    }

    fn has_goal(&self) -> bool {
        !self.goals.is_empty()
    }

    fn is_goal(&self, state: &[u8]) -> bool {
        let Ok(covered) = self.covered(state) else { return false };
        let found =
            |cell: u8| Some(covered[usize::from(cell)]).filter(|&class| usize::from(class) < self.classes.len());
        self.goals.iter().any(|goal| goal.iter().all(|(&cell, &class)| found(cell) == class))
    }

    fn goal_states(&self) -> Option<Vec<State>> {
        let states: Option<Vec<Option<State>>> = self.goals.iter().map(|goal| self.only(goal)).collect();
        Some(states?.into_iter().flatten().collect())
    }

    fn moves(&self, state: &[u8]) -> Result<BTreeSet<State>, Trouble> {
        let blocks = self.blocks(state)?;
        let all: BTreeSet<u8> = blocks.iter().flat_map(|(_, cells)| cells.iter().copied()).collect();
        let mut states = BTreeSet::new();
        for block in &blocks {
            let (class, cells) = block;
            let taken = all.iter().copied().filter(|cell| !cells.contains(cell)).collect();
            for to in self.destinations(block, &taken) {
                let mut after = state.to_vec();
                after[usize::from(cells[0])] = self.classes.len() as u8;
                after[usize::from(to[0])] = *class;
                states.insert(after);
            }
        }
        states.remove(state);
        Ok(states)
    }

    // A block goes back the way that it came.
    fn can_be_undone(&self) -> bool {
        true
    }

    fn images(&self, state: &[u8]) -> Vec<State> {
        let blocks = self.blocks(state).unwrap_or_default();
        self.fixing.iter().map(|map| self.image(&blocks, map)).collect()
    }

    fn mirrored(&self, state: &[u8]) -> Option<State> {
        self.mirror.as_ref().map(|map| self.image(&self.blocks(state).unwrap_or_default(), map))
    }

    fn fault(&self, state: &[u8]) -> Option<String> {
        self.blocks(state).err()
    }

    fn play(&self, state: &[u8], text: &str) -> Result<State, Trouble> {
        let before = self.drawn(state)?;
        let changes = |after: &[u8]| self.drawn(after).map(|after| self.grid.changes(&before, &after));
        named(self.moves(state)?, text, |after| changes(after).unwrap_or_default())
    }

    fn with_fewer_letters(&self, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
        fewer_blocks::distances(self, groups)
    }

    fn picture(&self, state: &[u8]) -> String {
        self.drawn(state).map_or_else(|fault| fault, |letters| self.grid.rows(&letters).join("\n"))
    }

    fn show(&self, state: &[u8]) -> String {
        self.picture(state).replace('\n', "/")
    }
}
