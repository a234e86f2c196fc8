//! The applications of a rule: one step for each place, direction and choice of letters.

use halma_record::job::puzzle_tables::Until;

use super::alphabet::Alphabet;
use super::parsed::ParsedRule;
use super::{MAX_CONDITIONS, MAX_STEPS, too_many};
use crate::board::Board;
use crate::puzzle::TableFault;
use crate::puzzle::grounded::{Letters, Step, has_letter};

/// Stands for any letter that the rule allows on a place.
const ANY: u8 = u8::MAX;

impl ParsedRule {
    /// The cells from `cell` on in a direction, as many as the rule has letters.
    fn cells(&self, board: &Board, cell: usize, (dx, dy): (i32, i32)) -> Option<Vec<usize>> {
        let (x, y) = board.xy(cell);
        (0..self.left.len() as i32).map(|i| board.at(x + i * dx, y + i * dy)).collect()
    }

    /// Whether the rule fits the board anywhere.
    pub(super) fn fits(&self, board: &Board) -> bool {
        self.directions.iter().any(|&(_, d)| (0..board.len()).any(|cell| self.cells(board, cell, d).is_some()))
    }

    /// Which place of the left side a place of the right side copies; nothing for a letter.
    fn source(&self, place: usize) -> Option<usize> {
        let token = &self.right[place];
        token.occurrence?;
        self.left.iter().position(|t| (t.letter, t.occurrence) == (token.letter, token.occurrence))
    }

    /// Whether a place keeps its letter.
    fn stays(&self, place: usize) -> bool {
        self.source(place) == Some(place)
    }

    /// Appends a step for each place, direction and choice of letters.
    pub(super) fn add_steps(
        &self,
        alphabet: &Alphabet,
        board: &Board,
        number: usize,
        steps: &mut Vec<Step>,
    ) -> Result<(), TableFault> {
        let sets: Vec<Letters> = self.left.iter().map(|t| alphabet.set(t.letter).unwrap_or_default()).collect();
        let beginnings = |vector| (0..board.len()).filter(move |&cell| self.cells(board, cell, vector).is_some());
        let places_on_board: usize = self.directions.iter().map(|&(_, vector)| beginnings(vector).count()).sum();
        if places_on_board == 0 {
            return Ok(());
        }
        let choices = self.choices(alphabet, &sets, places_on_board)?;
        for &(direction, vector) in &self.directions {
            for cell in 0..board.len() {
                let Some(cells) = self.cells(board, cell, vector) else { continue };
                let line = (number as u16, direction);
                steps.extend(choices.iter().filter_map(|chosen| self.step(alphabet, line, &sets, &cells, chosen)));
            }
        }
        Ok(())
    }

    /// The choices of letters: by place of the left side its letter, [`ANY`] where the step does not depend on it.
    fn choices(
        &self,
        alphabet: &Alphabet,
        sets: &[Letters],
        places_on_board: usize,
    ) -> Result<Vec<Vec<u8>>, TableFault> {
        let places = self.left.len();
        // A place whose letter is copied elsewhere, or that is written, has to have one letter.
        let copied = |place: usize| (0..places).any(|p| p != place && self.source(p) == Some(place));
        let mut choices: Vec<Vec<u8>> = vec![Vec::new()];
        for (place, &set) in sets.iter().enumerate() {
            let letters: Vec<u8> = match !self.stays(place) || copied(place) {
                true => (0..alphabet.letters.len() as u8).filter(|&letter| has_letter(set, letter)).collect(),
                false => vec![ANY],
            };
            // Before they are made.
            let applications = choices.len() * letters.len() * places_on_board;
            if applications > MAX_STEPS || applications * places > MAX_CONDITIONS {
                return Err(TableFault::whole(format!("the rule has {}", too_many())));
            }
            let all = choices
                .iter()
                .flat_map(|chosen| letters.iter().map(move |&letter| chosen.iter().copied().chain([letter]).collect()));
            choices = all.collect();
        }
        Ok(choices)
    }

    /// The step on these cells with a choice of letters; `None` if it would change nothing. `sets` are the letters that
    /// the rule allows by place, a line is the rule's number and the direction's.
    fn step(
        &self,
        alphabet: &Alphabet,
        (rule, direction): (u16, u8),
        sets: &[Letters],
        cells: &[usize],
        chosen: &[u8],
    ) -> Option<Step> {
        let after = |place: usize| match self.source(place) {
            Some(source) => chosen[source],
            None => alphabet.number(self.right[place].letter),
        };
        let mut writes: Vec<(u8, u8)> = (0..cells.len())
            .filter(|&place| !self.stays(place) && after(place) != chosen[place])
            .map(|place| (cells[place] as u8, after(place)))
            .collect();
        if writes.is_empty() {
            return None;
        }
        let need = |place: usize| if chosen[place] == ANY { sets[place] } else { 1 << chosen[place] };
        let mut needs: Vec<(u8, Letters)> = (0..cells.len()).map(|place| (cells[place] as u8, need(place))).collect();
        needs.sort_unstable();
        writes.sort_unstable();
        // Whether this choice of letters moves the man at all.
        let target = self.target.filter(|&to| chosen[to] != chosen[0]);
        Some(Step {
            rule,
            direction,
            needs,
            writes,
            from: cells[0] as u8,
            to: target.map_or(cells[0], |to| cells[to]) as u8,
            man: if chosen[0] == ANY { 0 } else { chosen[0] },
            chain: self.chain && target.is_some(),
            until: if target.is_some() { self.until } else { Until::Once },
            turn: self.turn,
            free: self.free,
        })
    }
}
