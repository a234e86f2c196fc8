//! A puzzle on a board as a set of steps: each step needs certain letters on certain cells, and writes others.
//!
//! In planning this is a *grounded* task: it has no classes of letters, directions or shapes any more, only cells.
//! Search, inverse moves, symmetries and abstractions all work on it, whatever the puzzle was written in.

mod listed;
mod mirror;

use std::collections::{HashMap, HashSet};

use crate::board::Board;
use crate::symmetry::linear_maps;
pub use halma_record::job::puzzle_tables::Until;
pub use halma_record::record::Repeats;

/// A set of letters, one bit each.
pub type Letters = u64;

/// Whether a set has a letter.
#[inline]
#[must_use]
pub fn has_letter(set: Letters, letter: impl Into<usize>) -> bool {
    set >> letter.into() & 1 == 1
}

/// The most letters.
pub const MAX_LETTERS: usize = 63;

/// A puzzle on a board.
#[derive(Clone, Debug)]
pub struct GroundedTask {
    /// Its cells.
    pub board: Board,
    /// The characters of the letters. The first [`Self::ranked`] letters determine the number of a state (for blocks:
    /// each shape at its first cell). The others follow from these. The letter `.` comes last, if the puzzle has it.
    pub letters: Vec<char>,
    /// How many letters number a state (`.` not among them).
    pub ranked: usize,
    /// Whether the puzzle has the letter `.`: then it is the last one.
    pub has_empty: bool,
    /// For blocks, by ranked letter and cell: the other cells of the block whose first cell this is, with their
    /// letters; empty if the block cannot be there. For rules empty.
    pub bodies: Vec<Vec<Vec<(u8, u8)>>>,
    /// The starts: a letter for each cell.
    pub starts: Vec<Vec<u8>>,
    /// All steps.
    pub steps: Vec<Step>,
    /// Whether sides take turns.
    pub turns: bool,
    /// Any of these ends the puzzle; none where it has no goal.
    pub goals: Vec<GoalCondition>,
    /// Candidates for symmetries: maps of cells, each with a map of letters. Those that keep steps, starts and goals
    /// are found from the steps ([`Self::symmetries`]).
    pub candidates: Vec<CellMap>,
}

/// One application of a rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The rule's number, from 0.
    pub rule: u16,
    /// The number of the direction. Rule, direction and [`Self::from`] identify the steps that continue a repetition.
    pub direction: u8,
    /// The condition of each cell, one bit a letter; cells ascending, each once. A cell that is written has one letter
    /// here.
    pub needs: Vec<(u8, Letters)>,
    /// The letter of each written cell afterwards; cells ascending; the letter always changes.
    pub writes: Vec<(u8, u8)>,
    /// The cell of the moving man. If no man moves, `from` equals `to`.
    pub from: u8,
    /// Where he goes.
    pub to: u8,
    /// His letter.
    pub man: u8,
    /// Whether he may continue by any chaining step, within the same move.
    pub chain: bool,
    /// How often the rule repeats.
    pub until: Until,
    /// The side that may use it, 1 or 2; 0 where there are none.
    pub turn: u8,
    /// Whether it is free: a move is any number of free steps, then one that is not free with its continuations.
    pub free: bool,
}

/// Conditions that all have to hold at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GoalCondition {
    /// The conditions of cells; cells ascending, each once.
    pub cells: Vec<(u8, Letters)>,
    /// How many cells have one of these letters.
    pub counts: Vec<(Letters, u32)>,
}

/// A map of the cells onto themselves, with a map of the letters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellMap {
    /// Cell `i` goes to the `i`-th entry.
    pub cells: Vec<u8>,
    /// Letter `l` becomes the `l`-th entry.
    pub letters: Vec<u8>,
}

impl GroundedTask {
    /// How many cells have each letter, if that is the same in all starts and no step changes it; ranked letters, `.`
    /// and the parts of blocks.
    #[must_use]
    pub fn counts(&self) -> Option<Vec<u32>> {
        let counts = self.count_letters(self.starts.first()?);
        let keeps = |step: &Step| {
            let mut old: Vec<u8> = step.writes.iter().map(|&(cell, _)| step.before(cell)).collect();
            let mut new: Vec<u8> = step.writes.iter().map(|&(_, letter)| letter).collect();
            old.sort_unstable();
            new.sort_unstable();
            old == new
        };
        let same = self.starts.iter().all(|start| self.count_letters(start) == counts);
        (same && self.steps.iter().all(keeps)).then_some(counts)
    }

    /// The set of all letters.
    #[must_use]
    pub fn all_letters(&self) -> Letters {
        (1 << self.letters.len()) - 1
    }

    /// How many cells of a state have each letter.
    #[must_use]
    pub fn count_letters(&self, letters: &[u8]) -> Vec<u32> {
        let mut counts = vec![0; self.letters.len()];
        letters.iter().for_each(|&letter| counts[usize::from(letter)] += 1);
        counts
    }

    /// The inverse steps: needs and writes exchange, and the man goes back. They keep the direction of their steps, so
    /// that repetitions go back along it.
    #[must_use]
    pub fn inverse_steps(&self) -> Vec<Step> {
        self.steps.iter().map(Step::inverse).collect()
    }

    /// Whether [`Self::inverse_steps`] reverse whole moves. They do not if a rule repeats until it is blocked, if a
    /// repetition may end in another way, or if a move begins with free steps.
    #[must_use]
    pub fn has_inverse(&self) -> bool {
        self.steps.iter().all(|step| step.until != Until::Blocked) && !self.ends_without_man() && !self.has_free()
    }

    /// Whether some steps are free.
    #[must_use]
    pub fn has_free(&self) -> bool {
        self.steps.iter().any(|step| step.free)
    }

    /// Whether a repeating rule has steps in which no man moves, because the place where he would go already has his
    /// letter: they end a repetition.
    #[must_use]
    pub fn ends_without_man(&self) -> bool {
        let repeats: HashSet<u16> =
            self.steps.iter().filter(|step| step.until != Until::Once).map(|step| step.rule).collect();
        self.steps.iter().any(|step| step.until == Until::Once && repeats.contains(&step.rule))
    }

    /// The levels on which states may recur: the last two if every move is reversible; none if each move changes the
    /// number of some letter by the same amount.
    #[must_use]
    pub fn repeats(&self) -> Repeats {
        if self.turns {
            // A position may recur with the other side to move, or later.
            return Repeats::All;
        }
        if self.every_move_is_reversible() {
            return Repeats::Previous;
        }
        if self.a_count_changes_steadily() { Repeats::Never } else { Repeats::All }
    }

    /// Whether every move is reversible.
    fn every_move_is_reversible(&self) -> bool {
        self.has_inverse() && self.images_of_reversed_moves_are_moves(Step::clone)
    }

    /// Whether the image of every reversed move is a move, if moves have inverses: images keep what chains and repeats,
    /// and map one repetition to one.
    fn images_of_reversed_moves_are_moves(&self, image: impl Fn(&Step) -> Step) -> bool {
        let plain = |step: &Step| {
            let moves = step.chain || step.until != Until::Once;
            let (from, to, man) = if moves { (step.from, step.to, step.man) } else { (0, 0, 0) };
            Step { rule: 0, direction: 0, from, to, man, ..step.clone() }
        };
        let steps: HashMap<Step, (u16, u8)> =
            self.steps.iter().map(|step| (plain(step), (step.rule, step.direction))).collect();
        let mut lines: HashMap<(u16, u8), (u16, u8)> = HashMap::new();
        self.steps.iter().all(|step| {
            let Some(&line) = steps.get(&plain(&image(step).inverse())) else { return false };
            step.until == Until::Once || *lines.entry((step.rule, step.direction)).or_insert(line) == line
        })
    }

    /// Whether every step is a whole move, and some letter's number, equal in all starts, changes by the same amount,
    /// not 0, with each.
    fn a_count_changes_steadily(&self) -> bool {
        let once = self.steps.iter().all(|step| !step.chain && step.until == Until::Once && !step.free);
        let change = |step: &Step, letter: u8| {
            let new = step.writes.iter().filter(|&&(_, l)| l == letter).count() as i64;
            new - step.writes.iter().filter(|&&(cell, _)| step.before(cell) == letter).count() as i64
        };
        let steady = |letter: u8| {
            let mut changes = self.steps.iter().map(|step| change(step, letter));
            changes.next().is_some_and(|first| first != 0 && changes.all(|other| other == first))
        };
        let number = |start: &Vec<u8>, letter: u8| start.iter().filter(|&&l| l == letter).count();
        let alike =
            |letter: u8| self.starts.iter().all(|start| number(start, letter) == number(&self.starts[0], letter));
        once && (0..self.letters.len() as u8).any(|letter| steady(letter) && alike(letter))
    }

    /// The symmetries of the whole puzzle, the identity first: those of [`Self::candidates`] that keep steps, starts and goals.
    #[must_use]
    pub fn symmetries(&self) -> Vec<CellMap> {
        let plain = |step: &Step| Step { direction: 0, ..step.clone() };
        let steps: HashSet<Step> = self.steps.iter().map(plain).collect();
        let starts: HashSet<&Vec<u8>> = self.starts.iter().collect();
        let goals: HashSet<&GoalCondition> = self.goals.iter().collect();
        let keeps = |map: &&CellMap| {
            self.starts.iter().all(|start| starts.contains(&map.image(start)))
                && self.goals.iter().all(|goal| goals.contains(&map.image_of_goal(goal)))
                && self.steps.iter().all(|step| steps.contains(&self.image_of_step(map, &plain(step))))
        };
        let mut all: Vec<CellMap> = self.candidates.iter().filter(keeps).cloned().collect();
        let identity = CellMap {
            cells: (0..self.board.len()).map(|cell| cell as u8).collect(),
            letters: (0..self.letters.len() as u8).collect(),
        };
        all.retain(|map| *map != identity);
        all.sort();
        all.dedup();
        all.insert(0, identity);
        all
    }

    /// The image of a step. For a block the man's cell is the first cell of the image, not the image of the first cell.
    fn image_of_step(&self, map: &CellMap, step: &Step) -> Step {
        let cell = |c: u8| map.cells[usize::from(c)];
        let (from, to, man) = if self.bodies.is_empty() {
            (cell(step.from), cell(step.to), map.letters[usize::from(step.man)])
        } else {
            let (from, man) = self.image_of_block(map, step.man, step.from);
            (from, self.image_of_block(map, step.man, step.to).0, man)
        };
        let mut needs: Vec<_> =
            step.needs.iter().map(|&(c, letters)| (cell(c), map.image_of_letters(letters))).collect();
        let mut writes: Vec<_> = step.writes.iter().map(|&(c, l)| (cell(c), map.letters[usize::from(l)])).collect();
        needs.sort_unstable();
        writes.sort_unstable();
        Step { needs, writes, from, to, man, ..step.clone() }
    }

    /// The first cell of the image of a man or a block, and its letter.
    #[must_use]
    pub fn image_of_block(&self, map: &CellMap, letter: u8, cell: u8) -> (u8, u8) {
        let image = |c: u8, l: u8| (map.cells[usize::from(c)], map.letters[usize::from(l)]);
        let body = self.bodies.get(usize::from(letter)).map_or(&[][..], |body| &body[usize::from(cell)]);
        let all = body.iter().map(|&(c, l)| image(c, l)).chain([image(cell, letter)]);
        all.min().unwrap_or((cell, letter))
    }

    /// Whether these letters satisfy one of the goals.
    #[must_use]
    pub fn is_goal(&self, letters: &[u8]) -> bool {
        self.goals.iter().any(|goal| goal.holds(letters))
    }

    /// The successors of a state, by trying every step: the plain generator, which replays and tests use. Each state
    /// once. The state itself is left out, unless sides take turns and the move began with free steps.
    #[must_use]
    pub fn moves(&self, letters: &[u8], second: bool) -> Vec<Vec<u8>> {
        let turn = if self.turns { 1 + u8::from(second) } else { 0 };
        let mut found = Vec::new();
        for here in self.reached_freely(letters, turn) {
            let first = found.len();
            for step in self.steps.iter().filter(|step| !step.free && step.turn == turn && step.applies(&here)) {
                let after = step.apply(&here);
                match step.until {
                    Until::Once if step.chain => self.chain(&here, step, turn, &mut found),
                    Until::Once => found.push(after),
                    Until::Any | Until::Blocked => self.repeat(after, step, &mut found),
                }
            }
            let rest = found.split_off(first);
            // Back to where free steps began is no move, unless it is the other side's turn then.
            found.extend(rest.into_iter().filter(|after| *after != here && (self.turns || after != letters)));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The states that free steps of a side reach from a state, itself first.
    fn reached_freely(&self, letters: &[u8], turn: u8) -> Vec<Vec<u8>> {
        let (mut reached, mut seen) = (vec![letters.to_vec()], HashSet::from([letters.to_vec()]));
        let mut next = 0;
        while let Some(here) = reached.get(next).cloned() {
            for step in self.steps.iter().filter(|step| step.free && step.turn == turn && step.applies(&here)) {
                let after = step.apply(&here);
                if seen.insert(after.clone()) {
                    reached.push(after);
                }
            }
            next += 1;
        }
        reached
    }

    /// The states that a man reaches by chaining steps, of which `first` is the first. A chain may be as long as there are states,
    /// so it is followed with a stack of its own.
    fn chain(&self, letters: &[u8], first: &Step, turn: u8, found: &mut Vec<Vec<u8>>) {
        let mut seen = HashSet::from([(letters.to_vec(), first.from)]);
        let mut to_do = vec![(first.apply(letters), first)];
        while let Some((here, last)) = to_do.pop() {
            if !seen.insert((here.clone(), last.to)) {
                continue;
            }
            let goes_on =
                |step: &&Step| step.chain && step.from == last.to && step.man == last.man && step.turn == turn;
            let next = self.steps.iter().filter(goes_on).filter(|step| step.applies(&here));
            to_do.extend(next.map(|step| (step.apply(&here), step)));
            found.push(here);
        }
    }

    /// The states that a repeating step reaches along its direction.
    fn repeat(&self, mut here: Vec<u8>, first: &Step, found: &mut Vec<Vec<u8>>) {
        let mut last = first;
        for _ in 0..self.board.len() {
            let line = |step: &&Step| {
                (step.rule, step.direction, step.from, step.man) == (last.rule, last.direction, last.to, last.man)
            };
            let next = self.steps.iter().filter(line).find(|step| step.applies(&here));
            // A step in which no man moves is the last one.
            let next = next.filter(|_| last.until != Until::Once);
            if first.until == Until::Any || next.is_none() {
                found.push(here.clone());
            }
            let Some(next) = next else { break };
            here = next.apply(&here);
            last = next;
        }
    }

    /// The state as a map, `#` for places without a cell.
    #[must_use]
    pub fn picture(&self, letters: &[u8]) -> String {
        self.board.map(|cell| self.letters[usize::from(letters[cell])])
    }

    /// A move in words: each cell whose letter changed, as in `a1:P. b1:.P`.
    #[must_use]
    pub fn change(&self, before: &[u8], after: &[u8]) -> String {
        let drawn = |letter: u8| self.letters[usize::from(letter)];
        // If a block moves by less than its length, some cells look as before.
        let changed = (0..before.len()).filter(|&cell| drawn(before[cell]) != drawn(after[cell]));
        let all =
            changed.map(|cell| format!("{}:{}{}", self.board.name_of(cell), drawn(before[cell]), drawn(after[cell])));
        all.collect::<Vec<_>>().join(" ")
    }
}

impl Step {
    /// Whether its conditions hold.
    #[must_use]
    pub fn applies(&self, letters: &[u8]) -> bool {
        self.needs.iter().all(|&(cell, set)| has_letter(set, letters[usize::from(cell)]))
    }

    /// The state after it.
    #[must_use]
    pub fn apply(&self, letters: &[u8]) -> Vec<u8> {
        let mut after = letters.to_vec();
        self.writes.iter().for_each(|&(cell, letter)| after[usize::from(cell)] = letter);
        after
    }

    /// The letter that a written cell had before.
    #[must_use]
    pub fn before(&self, cell: u8) -> u8 {
        let need = self.needs.iter().find(|&&(c, _)| c == cell);
        let (_, letters) = need.unwrap_or_else(|| unreachable!("a cell that is written has a condition"));
        letters.trailing_zeros() as u8
    }

    fn inverse(&self) -> Self {
        let written = |cell: u8| self.writes.iter().find(|&&(c, _)| c == cell).map(|&(_, letter)| letter);
        let needs = self.needs.iter().map(|&(cell, set)| (cell, written(cell).map_or(set, |letter| 1 << letter)));
        let writes = self.writes.iter().map(|&(cell, _)| (cell, self.before(cell)));
        Self { needs: needs.collect(), writes: writes.collect(), from: self.to, to: self.from, ..self.clone() }
    }
}

impl GoalCondition {
    /// Whether all of it holds.
    #[must_use]
    pub fn holds(&self, letters: &[u8]) -> bool {
        let has = |&(cell, set): &(u8, Letters)| has_letter(set, letters[usize::from(cell)]);
        let number = |set: Letters| letters.iter().filter(|&&letter| has_letter(set, letter)).count();
        self.cells.iter().all(has) && self.counts.iter().all(|&(set, count)| number(set) == count as usize)
    }
}

impl CellMap {
    /// The image of a state.
    #[must_use]
    pub fn image(&self, letters: &[u8]) -> Vec<u8> {
        let mut image = vec![0; letters.len()];
        for (&cell, &letter) in self.cells.iter().zip(letters) {
            image[usize::from(cell)] = self.letters[usize::from(letter)];
        }
        image
    }

    fn image_of_letters(&self, letters: Letters) -> Letters {
        let one = |l: usize| Letters::from(has_letter(letters, l)) << self.letters[l];
        (0..self.letters.len()).map(one).fold(0, |all, letter| all | letter)
    }

    fn image_of_goal(&self, goal: &GoalCondition) -> GoalCondition {
        let cell = |c: u8| self.cells[usize::from(c)];
        let mut cells: Vec<_> = goal.cells.iter().map(|&(c, set)| (cell(c), self.image_of_letters(set))).collect();
        cells.sort_unstable();
        let mut counts: Vec<_> = goal.counts.iter().map(|&(set, n)| (self.image_of_letters(set), n)).collect();
        counts.sort_unstable();
        GoalCondition { cells, counts }
    }
}

/// The maps of the board to itself that keep a set of directions, each once: candidates for symmetries of rules with
/// these directions.
#[must_use]
pub fn cell_maps(board: &Board, directions: &[(i32, i32)]) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = linear_maps(board, directions).into_iter().map(|map| map.cells).collect();
    found.sort();
    found.dedup();
    found
}
