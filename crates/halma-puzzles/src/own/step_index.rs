//! What one move leads to, from steps: each is looked at only where its first cell has a letter that it needs there, so a state
//! costs about as much as it has men.

use std::collections::{HashMap, HashSet};

use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::{Letters, Step, Until, has_letter};

/// The steps of a puzzle, by where they begin.
#[derive(Debug)]
pub(super) struct StepIndex {
    steps: Vec<IndexedStep>,
    needs: Vec<(u8, Letters)>,
    /// Cell, letter before, letter after.
    writes: Vec<(u8, u8, u8)>,
    /// By cell and letter: the steps that begin there, as a part of `order`; those of them that chain come first.
    begin: Vec<Begin>,
    order: Vec<u32>,
    /// By line: the steps that a repetition may go on with.
    lines: Vec<Vec<u32>>,
    letters: usize,
    /// Whether they [`move_one_man`].
    pub(super) one_man: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Begin {
    from: u32,
    chains: u32,
    to: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct IndexedStep {
    needs: (u32, u32),
    writes: (u32, u32),
    pub from: u8,
    pub to: u8,
    pub man: u8,
    pub chain: bool,
    pub until: Until,
    pub turn: u8,
    /// The line that a repetition goes on along; `u32::MAX` where there is none.
    pub line: u32,
}

/// What is left to do for a move with several steps. It may be as long as there are states, so it is followed with a stack of its own.
pub(super) enum ToDo<'a> {
    Step(&'a IndexedStep),
    /// The step is taken back.
    Undo(&'a IndexedStep),
}

impl StepIndex {
    pub(super) fn new(task: &GroundedTask, steps: &[Step]) -> Self {
        let (cells, letters) = (task.board.len(), task.letters.len());
        let (mut needs, mut writes, mut compact) = (Vec::new(), Vec::new(), Vec::new());
        let mut by_begin: Vec<Vec<u32>> = vec![Vec::new(); cells * letters];
        let mut numbers: HashMap<(u16, u8, u8, u8), u32> = HashMap::new();
        let mut lines: Vec<Vec<u32>> = Vec::new();
        let repeats: HashSet<u16> =
            steps.iter().filter(|step| step.until != Until::Once).map(|step| step.rule).collect();
        for (number, step) in (0u32..).zip(steps) {
            // Those in which no man moves end a repetition.
            if repeats.contains(&step.rule) {
                let key = (step.rule, step.direction, step.from, step.man);
                let line = *numbers.entry(key).or_insert_with(|| {
                    lines.push(Vec::new());
                    lines.len() as u32 - 1
                });
                lines[line as usize].push(number);
            }
            let first = step.needs.iter().find(|&&(cell, _)| cell == step.from).map_or(0, |&(_, set)| set);
            for letter in (0..letters).filter(|&letter| has_letter(first, letter)) {
                by_begin[usize::from(step.from) * letters + letter].push(number);
            }
            let from = (needs.len() as u32, writes.len() as u32);
            // What was looked up by need not be looked at again.
            needs.extend(step.needs.iter().filter(|&&(cell, _)| cell != step.from));
            writes.extend(step.writes.iter().map(|&(cell, letter)| (cell, step.before(cell), letter)));
            compact.push(IndexedStep {
                needs: (from.0, needs.len() as u32),
                writes: (from.1, writes.len() as u32),
                from: step.from,
                to: step.to,
                man: step.man,
                chain: step.chain,
                until: step.until,
                turn: step.turn,
                line: u32::MAX,
            });
        }
        for (compact, step) in compact.iter_mut().zip(steps) {
            let key = (step.rule, step.direction, step.to, step.man);
            compact.line = numbers.get(&key).copied().filter(|_| step.until != Until::Once).unwrap_or(u32::MAX);
        }
        let (mut order, mut begin) = (Vec::new(), Vec::new());
        for mut numbers in by_begin {
            numbers.sort_by_key(|&number| !compact[number as usize].chain);
            let chains = numbers.iter().filter(|&&number| compact[number as usize].chain).count() as u32;
            let from = order.len() as u32;
            order.extend(&numbers);
            begin.push(Begin { from, chains: from + chains, to: order.len() as u32 });
        }
        Self { steps: compact, needs, writes, begin, order, lines, letters, one_man: move_one_man(steps) }
    }

    /// The steps that begin on a cell with that letter.
    #[inline]
    pub(super) fn from(&self, cell: u8, letter: u8) -> impl Iterator<Item = &IndexedStep> {
        let begin = self.begin[usize::from(cell) * self.letters + usize::from(letter)];
        self.order[begin.from as usize..begin.to as usize].iter().map(|&number| &self.steps[number as usize])
    }

    /// Those of them that chain.
    #[inline]
    pub(super) fn chains(&self, cell: u8, letter: u8) -> impl Iterator<Item = &IndexedStep> {
        let begin = self.begin[usize::from(cell) * self.letters + usize::from(letter)];
        self.order[begin.from as usize..begin.chains as usize].iter().map(|&number| &self.steps[number as usize])
    }

    /// All steps that a repetition may go on with.
    pub(super) fn line(&self, step: &IndexedStep) -> impl Iterator<Item = &IndexedStep> {
        self.lines.get(step.line as usize).into_iter().flatten().map(|&number| &self.steps[number as usize])
    }

    /// Whether a step applies where the letter of its first cell is known to be right.
    #[inline]
    pub(super) fn applies(&self, step: &IndexedStep, letters: &[u8]) -> bool {
        let needs = &self.needs[step.needs.0 as usize..step.needs.1 as usize];
        needs.iter().all(|&(cell, set)| has_letter(set, letters[usize::from(cell)]))
    }

    /// What a step writes: cell, letter before, letter after.
    #[inline]
    pub(super) fn writes(&self, step: &IndexedStep) -> &[(u8, u8, u8)] {
        &self.writes[step.writes.0 as usize..step.writes.1 as usize]
    }
}

/// Whether each step moves one man to a cell and leaves the letter behind that was there: then a state is told by where he is.
pub(super) fn move_one_man(steps: &[Step]) -> bool {
    steps.iter().all(is_of_one_man) && same_behind(steps)
}

/// Whether the step moves its man and does nothing else.
fn is_of_one_man(step: &Step) -> bool {
    let after = |cell: u8| step.writes.iter().find(|&&(c, _)| c == cell).map(|&(_, letter)| letter);
    step.from != step.to
        && step.writes.len() == 2
        && step.until == Until::Once
        && step.turn == 0
        && after(step.to) == Some(step.man)
        && after(step.from) == Some(step.before(step.to))
}

/// Whether all steps leave the same letter behind, which no man has.
fn same_behind(steps: &[Step]) -> bool {
    let Some(behind) = steps.first().map(|step| step.before(step.to)) else { return true };
    steps.iter().all(|step| step.before(step.to) == behind && step.man != behind)
}
