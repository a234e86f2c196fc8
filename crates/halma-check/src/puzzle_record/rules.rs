//! `kind = "rules"`: patterns on an array of letters.

mod effects;
mod fewer;
mod goal_states;
mod mirror;
mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halma_record::job::puzzle_tables::{RulesTable, Until};
use halma_record::record::SymmetryRecord;

use super::code::Part;
use super::grid::{Grid, Step};
use super::model::{Distance, Model, State, check_group, named};
use crate::memory;
use crate::rejection::Trouble;
use mirror::{Mirror, is_permutation};

/// Letters, one bit for each value.
type Letters = u64;

/// The most positions that one move of a chain is followed through.
const MOST_IN_CHAIN: usize = 1 << 16;

fn too_many(what: &str) -> Trouble {
    let more = if memory::is_limited() { " and this memory; more is asked for by --memory" } else { "" };
    Trouble::TooMany(format!("rules: too many {what} for this verifier{more}"))
}

/// What a place of a rule's right side has afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum After {
    Letter(u8),
    /// What that place of the left side had.
    From(usize),
}

/// A rule.
#[derive(Clone, Debug)]
struct Rule {
    left: Vec<Letters>,
    right: Vec<After>,
    directions: Vec<Step>,
    /// The place that the first man of the left side goes to.
    goes_to: Option<usize>,
    chain: bool,
    until: Until,
    /// 1 or 2; 0 where sides do not take turns.
    turn: u8,
    /// Whether it costs nothing.
    free: bool,
}

/// Conditions that all have to hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Condition {
    cells: Vec<(u8, Letters)>,
    counts: Vec<(Letters, u32)>,
}

/// A puzzle of rewrite rules. A state has a letter for each cell, after whose turn it is where sides take turns (0: side 1's).
#[derive(Clone, Debug)]
pub struct Rules {
    grid: Arc<Grid>,
    /// The character of each letter: in the order of the page, `.` last, where counts are kept; else `.` first.
    alphabet: Vec<char>,
    rules: Vec<Rule>,
    /// What states have for each letter, and which letters that stands for: themselves, but where letters become one.
    has: Vec<u8>,
    stands_for: Vec<Letters>,
    turns: bool,
    counts_kept: bool,
    starts: Vec<State>,
    goals: Vec<Condition>,
    has_goal: bool,
    /// Whether every move was shown to lead back by one; nothing where there are too many to compare.
    undone: Option<bool>,
    fixing: Vec<Vec<u8>>,
    mirror: Option<Mirror>,
}

impl Rules {
    /// The puzzle of a table, searched under these symmetries.
    pub fn new(table: &RulesTable, symmetries: &SymmetryRecord) -> Result<Self, Trouble> {
        let SymmetryRecord { fixing, mirror, letters } = symmetries;
        let mut rules = parse::rules(table)?;
        // Where it was not shown, the record must not rest on it.
        rules.undone = if rules.turns { Some(false) } else { effects::turns_round(&rules, None) };
        // The identity alone needs no proof: where symmetries are off, no effects have to fit anywhere.
        let maps = if fixing.len() > 1 {
            rules.symmetries()?
        } else {
            vec![(0..rules.grid.len()).map(|cell| cell as u8).collect()]
        };
        if let Some(map) = fixing.iter().position(|map| !maps.contains(map)) {
            return Err(format!("symmetries.fixing[{map}] does not keep board, rules, starts and goals").into());
        }
        check_group(fixing)?;
        rules.fixing = fixing.clone();
        if mirror.is_none() && !letters.is_empty() {
            return Err("symmetries.letters, and there is no mirror".into());
        }
        rules.mirror = mirror.as_ref().map(|cells| rules.checked_mirror(cells, letters)).transpose()?;
        Ok(rules)
    }

    /// All linear maps that keep board, rules, starts and goals.
    fn symmetries(&self) -> Result<Vec<Vec<u8>>, Trouble> {
        let directions: BTreeSet<Step> = self.rules.iter().flat_map(|rule| rule.directions.clone()).collect();
        let effects = effects::all(self).ok_or_else(|| too_many("places to compare under symmetries"))?;
        let starts: BTreeSet<State> = self.starts.iter().cloned().collect();
        let goals: BTreeSet<Condition> = self.goals.iter().cloned().collect();
        let keeps = |map: &Vec<u8>| {
            effects.iter().map(|effect| effect.moved(map)).collect::<BTreeSet<_>>() == effects
                && starts.iter().map(|start| self.moved(start, map)).collect::<BTreeSet<_>>() == starts
                && goals.iter().map(|goal| goal.moved(map)).collect::<BTreeSet<_>>() == goals
        };
        let directions: Vec<Step> = directions.into_iter().collect();
        Ok(self.grid.linear_maps(&directions).into_iter().filter(keeps).collect())
    }

    /// The map that the record names, if it is a mirror: nothing is looked for, and every application of each rule is tried.
    fn checked_mirror(&self, cells: &[u8], exchanged: &BTreeMap<String, String>) -> Result<Mirror, Trouble> {
        let letter = |text: &String| {
            let found = self.alphabet.iter().position(|letter| text.chars().eq([*letter]));
            found.ok_or_else(|| format!("symmetries.letters: `{text}` is no letter of the puzzle"))
        };
        let mut letters: Vec<u8> = (0..self.alphabet.len()).map(|value| value as u8).collect();
        for (from, to) in exchanged {
            letters[letter(from)?] = letter(to)? as u8;
        }
        if !is_permutation(cells, self.grid.len()) || !is_permutation(&letters, self.alphabet.len()) {
            return Err(
                "symmetries.mirror: two cells or two letters go to one, or there are others than the puzzle's".into()
            );
        }
        let mirror = Mirror { cells: cells.to_vec(), letters };
        let goals = self.goal_states().ok_or("symmetries.mirror: the goal does not list its states")?;
        let images: BTreeSet<State> = self.starts.iter().map(|start| mirror.image(start)).collect();
        if images != goals.into_iter().collect() {
            return Err("symmetries.mirror: the images of the starts are not the states of the goal".into());
        }
        let turned = effects::turns_round(self, Some(&mirror)).ok_or_else(|| too_many("applications to turn round"))?;
        if !turned {
            return Err(
                "symmetries.mirror: it was not shown that the image of every move, turned round, is a move".into()
            );
        }
        let mut back = vec![0u8; cells.len()];
        (0..=u8::MAX).zip(cells).for_each(|(cell, &image)| back[usize::from(image)] = cell);
        let through = |map: &Vec<u8>| -> Vec<u8> {
            back.iter().map(|&cell| cells[usize::from(map[usize::from(cell)])]).collect()
        };
        match self.fixing.iter().all(|map| self.fixing.contains(&through(map))) {
            true => Ok(mirror),
            false => Err("symmetries.mirror: it does not take classes to classes".into()),
        }
    }

    /// Whether a move may begin with something that costs nothing.
    fn has_free(&self) -> bool {
        self.rules.iter().any(|rule| rule.free && rule.fits(&self.grid))
    }

    /// Whose turn it is, and the letters.
    fn parted<'s>(&self, state: &'s [u8]) -> (&'s [u8], &'s [u8]) {
        state.split_at(usize::from(self.turns))
    }

    /// Where a map of cells takes a state.
    fn moved(&self, state: &[u8], map: &[u8]) -> State {
        let (turn, letters) = self.parted(state);
        let mut moved = letters.to_vec();
        for (&letter, &cell) in letters.iter().zip(map) {
            moved[usize::from(cell)] = letter;
        }
        [turn, &moved].concat()
    }

    /// The letters after a rule was applied to these cells, if it can be.
    fn applied(&self, rule: &Rule, cells: &[u8], letters: &[u8]) -> Option<Vec<u8>> {
        let had = |place: usize| letters[usize::from(cells[place])];
        if !(0..cells.len()).all(|place| self.can_be(had(place), rule.left[place])) {
            return None;
        }
        let mut after = letters.to_vec();
        for (&cell, right) in cells.iter().zip(&rule.right) {
            after[usize::from(cell)] = match *right {
                After::Letter(letter) => self.has[usize::from(letter)],
                After::From(place) => had(place),
            };
        }
        Some(after)
    }

    /// Whether what a cell has can be one of these letters.
    fn can_be(&self, letter: u8, set: Letters) -> bool {
        self.stands_for[usize::from(letter)] & set != 0
    }

    /// The letters that a place of the left side can have had.
    fn can_have_been(&self, rule: &Rule, place: usize, cells: &[u8], letters: &[u8]) -> Letters {
        rule.left[place] & self.stands_for[usize::from(letters[usize::from(cells[place])])]
    }

    /// The rule applied from `first` on in that direction, if that changes anything: the letters afterwards, and where the man
    /// went, unless what is like him was there before.
    fn once(&self, rule: &Rule, first: u8, direction: Step, letters: &[u8]) -> Option<(Vec<u8>, Option<u8>)> {
        // Most places are told by their first letter.
        if !self.can_be(letters[usize::from(first)], *rule.left.first()?) {
            return None;
        }
        let cells = self.grid.line(first, direction, rule.left.len())?;
        let after = self.applied(rule, &cells, letters)?;
        let was = |place: usize| self.can_have_been(rule, place, &cells, letters);
        let differ = |one: Letters, other: Letters| (one | other).count_ones() > 1;
        let changes = (0..cells.len()).any(|place| match rule.right[place] {
            After::Letter(letter) => differ(was(place), 1 << letter),
            After::From(other) => other != place && differ(was(place), was(other)),
        });
        let to = rule.goes_to.filter(|&to| differ(was(0), was(to))).map(|to| cells[to]);
        changes.then_some((after, to))
    }

    /// All letters that one move of a side leads to: free rules as often as it likes, and one that is not free.
    fn results(&self, turn: u8, letters: &[u8]) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let mut begins = BTreeSet::from([letters.to_vec()]);
        let mut open = vec![letters.to_vec()];
        while let Some(here) = open.pop() {
            for rule in self.rules.iter().filter(|rule| rule.free && rule.turn == turn) {
                for &direction in &rule.directions {
                    let all = (0..self.grid.len()).filter_map(|first| self.once(rule, first as u8, direction, &here));
                    open.extend(all.map(|(after, _)| after).filter(|after| begins.insert(after.clone())));
                }
            }
            if begins.len() > MOST_IN_CHAIN {
                return Err(too_many("positions that one move leads to"));
            }
        }
        let mut results = BTreeSet::new();
        for here in &begins {
            results.extend(self.counted(turn, here)?);
            if results.len() > MOST_IN_CHAIN {
                return Err(too_many("positions that one move leads to"));
            }
        }
        // With sides that take turns the same letters are another state, because it is the other side's turn.
        if !self.turns {
            results.remove(letters);
        }
        Ok(results)
    }

    /// What rules that are not free lead to, each applied once with all that may follow it.
    fn counted(&self, turn: u8, letters: &[u8]) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let (mut results, mut chains) = (BTreeSet::new(), BTreeSet::new());
        for rule in self.rules.iter().filter(|rule| rule.turn == turn && !rule.free) {
            for &direction in &rule.directions {
                for first in 0..self.grid.len() {
                    match self.once(rule, first as u8, direction, letters) {
                        None => {}
                        Some((after, Some(man))) if rule.chain => drop(chains.insert((after, man))),
                        Some(once) => self.repeated(rule, direction, once, &mut results),
                    }
                }
            }
        }
        // The man of a chain may go on from wherever he comes to.
        let mut open: Vec<(Vec<u8>, u8)> = chains.iter().cloned().collect();
        while let Some((letters, man)) = open.pop() {
            for rule in self.rules.iter().filter(|rule| rule.turn == turn && rule.chain) {
                for &direction in &rule.directions {
                    let next = self.once(rule, man, direction, &letters).and_then(|(after, man)| Some((after, man?)));
                    open.extend(next.filter(|next| chains.insert(next.clone())));
                }
            }
            if chains.len() > MOST_IN_CHAIN {
                return Err(too_many("positions that one move leads to"));
            }
        }
        results.extend(chains.into_iter().map(|(letters, _)| letters));
        results.remove(letters);
        Ok(results)
    }

    /// The results of a rule that was applied once and may be repeated in its direction.
    fn repeated(&self, rule: &Rule, way: Step, once: (Vec<u8>, Option<u8>), results: &mut BTreeSet<Vec<u8>>) {
        let mut at = once;
        loop {
            let man = at.1.filter(|_| rule.until != Until::Once);
            let next = man.and_then(|man| self.once(rule, man, way, &at.0));
            if next.is_none() || rule.until == Until::Any {
                results.insert(at.0);
            }
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Whether letters satisfy a condition, or may.
    fn holds(&self, goal: &Condition, letters: &[u8]) -> bool {
        let count = |test: &dyn Fn(u8) -> bool| letters.iter().filter(|&&letter| test(letter)).count();
        let all_of = |letter: u8, set: Letters| self.stands_for[usize::from(letter)] & !set == 0;
        goal.cells.iter().all(|&(cell, set)| self.can_be(letters[usize::from(cell)], set))
            && goal.counts.iter().all(|&(set, number)| {
                let (least, most) = (count(&|letter| all_of(letter, set)), count(&|letter| self.can_be(letter, set)));
                (least..=most).contains(&(number as usize))
            })
    }

    fn drawn(&self, state: &[u8]) -> Vec<char> {
        self.parted(state).1.iter().map(|&letter| self.alphabet[usize::from(letter)]).collect()
    }
}

impl Condition {
    fn moved(&self, map: &[u8]) -> Self {
        let mut cells: Vec<_> = self.cells.iter().map(|&(cell, set)| (map[usize::from(cell)], set)).collect();
        cells.sort_unstable();
        Self { cells, counts: self.counts.clone() }
    }
}

impl Model for Rules {
    fn parts(&self) -> Vec<Part> {
        let turn = self.turns.then_some(Part::Digits { base: 2, len: 1 });
        let cells = match self.counts_kept {
            true => {
                let letters = self.starts.first().map(|start| self.parted(start).1).unwrap_or_default();
                let count = |value: usize| letters.iter().filter(|&&letter| usize::from(letter) == value).count();
                Part::Arrangement((0..self.alphabet.len()).map(count).collect())
            }
            false => Part::Digits { base: self.alphabet.len() as u8, len: self.grid.len() },
        };
        turn.into_iter().chain([cells]).collect()
    }

    fn starts(&self) -> &[State] {
        &self.starts
    }

    fn has_goal(&self) -> bool {
        self.has_goal
    }

    fn is_goal(&self, state: &[u8]) -> bool {
        self.goals.iter().any(|goal| self.holds(goal, self.parted(state).1))
    }

    fn goal_states(&self) -> Option<Vec<State>> {
        if self.turns {
            return None;
        }
        let (cells, letters) = (self.grid.len(), self.alphabet.len());
        // Where counts are kept, others are never reached, and have no number.
        let start = self.starts.first().filter(|_| self.counts_kept);
        let number =
            |value: usize| start.map(|start| start.iter().filter(|&&l| usize::from(l) == value).count() as u32);
        let kept: Vec<(Letters, u32)> = (0..letters).filter_map(|value| Some((1 << value, number(value)?))).collect();
        Some(self.goals.iter().map(|goal| goal.only(cells, letters, &kept)).collect::<Option<Vec<_>>>()?.concat())
    }

    fn moves(&self, state: &[u8]) -> Result<BTreeSet<State>, Trouble> {
        let (turn, letters) = self.parted(state);
        let side = turn.first().map_or(0, |turn| turn + 1);
        let next: Vec<u8> = turn.iter().map(|turn| 1 - turn).collect();
        let results = self.results(side, letters)?;
        Ok(results.into_iter().map(|letters| [&next[..], &letters].concat()).collect())
    }

    fn can_be_undone(&self) -> bool {
        self.undone == Some(true)
    }

    fn leaves_open_what_is_undone(&self) -> bool {
        self.undone.is_none()
    }

    fn images(&self, state: &[u8]) -> Vec<State> {
        self.fixing.iter().map(|map| self.moved(state, map)).collect()
    }

    fn mirrored(&self, state: &[u8]) -> Option<State> {
        Some(self.mirror.as_ref()?.image(state))
    }

    fn fault(&self, _state: &[u8]) -> Option<String> {
        None
    }

    fn play(&self, state: &[u8], text: &str) -> Result<State, Trouble> {
        let before = self.drawn(state);
        named(self.moves(state)?, text, |after| self.grid.changes(&before, &self.drawn(after)))
    }

    fn with_fewer_letters(&self, groups: &[String]) -> Result<Arc<Distance>, Trouble> {
        fewer::distances(self, groups)
    }

    fn picture(&self, state: &[u8]) -> String {
        self.grid.rows(&self.drawn(state)).join("\n")
    }

    fn show(&self, state: &[u8]) -> String {
        let turn = self.parted(state).0.first().map(|turn| format!(", {} to move", turn + 1)).unwrap_or_default();
        self.grid.rows(&self.drawn(state)).join("/") + &turn
    }
}
