//! Groups steps into schemas: steps that need and write the same letters, with a table of the cells where each applies.

use std::collections::HashMap;

use super::super::grounded::{GroundedTask, Letters, Step, Until, has_letter};
use super::names;

/// A puzzle whose steps are collected.
pub(super) struct Lifted<'a> {
    pub task: &'a GroundedTask,
    /// The names of the letters.
    pub letters: Vec<String>,
    /// The names of the cells.
    pub cells: Vec<String>,
    pub schemas: Vec<Schema>,
    /// The cells where schemas apply, one row for each step: several schemas may have the same table.
    pub tables: Vec<Vec<Vec<u8>>>,
    /// Rules that repeat until they are blocked or the player stops, each with a direction.
    pub repetitions: Vec<(u16, u8)>,
    /// The counts that goals ask for and that steps change.
    pub counters: Vec<Letters>,
    /// The effect of chains on the board.
    pub chains: Chains,
}

/// The effect of chaining steps on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chains {
    /// They move only the man: his place determines the board.
    Peaceful,
    /// Each removes men, so there are at most so many of them, and none leads back.
    Capturing(usize),
    /// Anything.
    Other,
}

/// Steps that are alike.
pub(super) struct Schema {
    /// As in `r1_2`: the second of rule 1.
    pub name: String,
    pub kind: Kind,
    /// The number of its table.
    pub table: usize,
}

/// The condition and the effect of a step on one of its cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub needs: Letters,
    pub writes: Option<u8>,
}

/// The common properties of the steps of one schema.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    pub rule: u16,
    /// If they repeat, the number of their repetition.
    pub repetition: Option<usize>,
    pub places: Vec<Place>,
    /// The places of the man before and after.
    pub from: usize,
    pub to: usize,
    pub chain: bool,
    pub until: Until,
    pub turn: u8,
    /// Whether they cost nothing.
    pub free: bool,
}

impl<'a> Lifted<'a> {
    pub fn of(task: &'a GroundedTask) -> Self {
        let mut repetitions: Vec<(u16, u8)> = Vec::new();
        let mut kinds: Vec<(Kind, Vec<Vec<u8>>)> = Vec::new();
        let mut known: HashMap<Kind, usize> = HashMap::new();
        for step in &task.steps {
            let (kind, cells) = kind_of(task, step, &mut repetitions);
            let at = *known.entry(kind.clone()).or_insert(kinds.len());
            if at == kinds.len() {
                kinds.push((kind, Vec::new()));
            }
            kinds[at].1.push(cells);
        }
        let mut tables: Vec<Vec<Vec<u8>>> = Vec::new();
        let mut numbers: HashMap<Vec<Vec<u8>>, usize> = HashMap::new();
        let mut of_rule: HashMap<u16, usize> = HashMap::new();
        let mut schemas = Vec::new();
        for (kind, mut rows) in kinds {
            rows.sort_unstable();
            rows.dedup();
            let table = *numbers.entry(rows.clone()).or_insert(tables.len());
            if table == tables.len() {
                tables.push(rows);
            }
            let number = of_rule.entry(kind.rule).or_default();
            *number += 1;
            schemas.push(Schema { name: format!("r{}_{number}", kind.rule + 1), kind, table });
        }
        let letters = names("l_", task.letters.iter().map(|c| c.to_string()));
        let cells = (0..task.board.len()).map(|cell| task.board.name_of(cell)).collect();
        let chains = Chains::of(task, &schemas);
        Self { task, letters, cells, schemas, tables, repetitions, counters: counters(task), chains }
    }

    /// Whether a chain may lead back to the board at which it began, which is no move: a side could pass by it, and
    /// free steps alone would count as a move. Where there are neither turns nor free rules it makes no difference.
    ///
    /// # Errors
    /// Where that board cannot be told by where the man stands.
    pub fn could_pass(&self) -> Result<bool, String> {
        match self.chains {
            _ if !(self.task.turns || self.has_free()) || !self.has_chains() => Ok(false),
            Chains::Peaceful => Ok(true),
            Chains::Capturing(_) => Ok(false),
            Chains::Other => {
                let what = if self.task.turns { "sides take turns" } else { "there are free rules" };
                Err(format!("{what}, and chains may change the board and change it back: that cannot be exported"))
            }
        }
    }

    /// Whether a move may begin with steps that cost nothing.
    pub fn has_free(&self) -> bool {
        self.schemas.iter().any(|schema| schema.kind.free)
    }

    /// Whether a move can have several steps.
    pub fn has_long_moves(&self) -> bool {
        self.has_chains() || !self.repetitions.is_empty()
    }

    /// Whether some rule chains.
    pub fn has_chains(&self) -> bool {
        self.schemas.iter().any(|schema| schema.kind.chain)
    }

    /// The set of all letters.
    pub fn all(&self) -> Letters {
        self.task.all_letters()
    }

    /// The letters of a set, by number.
    pub fn members(&self, set: Letters) -> impl Iterator<Item = u8> + use<> {
        (0..self.letters.len() as u8).filter(move |&letter| has_letter(set, letter))
    }

    /// The names of a set of letters.
    pub fn named(&self, set: Letters) -> impl Iterator<Item = &str> {
        self.members(set).map(|letter| &*self.letters[usize::from(letter)])
    }

    /// Which letter is called what: a comment, with each character that is no part of the name itself.
    pub fn legend(&self) -> String {
        let all = self.letters.iter().zip(&self.task.letters).map(|(name, drawn)| format!("{name} is {drawn}"));
        let parts = if self.task.bodies.is_empty() { "" } else { "; each cell of a block has a letter of its own" };
        format!("Letters: {}{parts}.", all.collect::<Vec<_>>().join(", "))
    }
}

impl Schema {
    /// By how much a step changes the number of cells with one of these letters.
    pub fn change(&self, letters: Letters) -> i64 {
        let one = |place: &Place| {
            let new = place.writes?;
            let had = i64::from(letters & place.needs != 0);
            Some(i64::from(has_letter(letters, new)) - had)
        };
        self.kind.places.iter().filter_map(one).sum()
    }

    /// What the man is at between the steps of a move; `None` if a step is a move.
    pub fn mode(&self) -> Option<String> {
        match self.kind.repetition {
            Some(repetition) => Some(format!("running_{}", repetition + 1)),
            None => self.kind.chain.then(|| "chaining".into()),
        }
    }
}

impl Chains {
    fn of(task: &GroundedTask, schemas: &[Schema]) -> Self {
        if !task.bodies.is_empty() {
            return Self::Peaceful;
        }
        let chains = || schemas.iter().filter(|schema| schema.kind.chain);
        // The letter that the man leaves behind and that was where he goes.
        let left = |schema: &Schema| {
            let (from, to) = (&schema.kind.places[schema.kind.from], &schema.kind.places[schema.kind.to]);
            let written = schema.kind.places.iter().filter(|place| place.writes.is_some()).count();
            let left = from.writes.filter(|&left| written == 2 && to.needs == 1 << left)?;
            to.writes.filter(|&man| from.needs == 1 << man).map(|_| left)
        };
        let mut all = chains().map(left);
        let first = all.next();
        if first.is_none_or(|first| first.is_some() && all.all(|other| other == first)) {
            return Self::Peaceful;
        }
        let only_less = |&letters: &Letters| {
            schemas.iter().all(|s| s.change(letters) <= 0) && chains().all(|s| s.change(letters) < 0)
        };
        let all = task.all_letters();
        let men = if task.has_empty { all >> 1 } else { all };
        let most = |set: Letters| {
            let count = |start: &Vec<u8>| start.iter().filter(|&&letter| has_letter(set, letter)).count();
            task.starts.iter().map(count).max().unwrap_or(0)
        };
        let sets = (0..task.letters.len()).map(|letter| 1 << letter).chain([men]);
        sets.filter(only_less).map(most).min().map_or(Self::Other, Self::Capturing)
    }
}

/// The kind of a step, and its cells: by their distance from where the man stands, so that steps in different
/// directions are alike.
fn kind_of(task: &GroundedTask, step: &Step, repetitions: &mut Vec<(u16, u8)>) -> (Kind, Vec<u8>) {
    let (x, y) = task.board.xy(step.from.into());
    let place = |cell: u8| {
        let (cx, cy) = task.board.xy(cell.into());
        ((cx - x).pow(2) + (cy - y).pow(2), cy - y, cx - x)
    };
    let written = |cell: u8| step.writes.iter().find(|&&(c, _)| c == cell).map(|&(_, letter)| letter);
    let all = task.all_letters();
    let mut needs: Vec<(u8, Letters)> = step.needs.clone();
    needs.retain(|&(cell, set)| set != all || written(cell).is_some() || cell == step.from || cell == step.to);
    needs.sort_unstable_by_key(|&(cell, _)| place(cell));
    let position = |cell: u8| {
        let at = needs.iter().position(|&(c, _)| c == cell);
        at.unwrap_or_else(|| unreachable!("the man's cells have conditions"))
    };
    let repetition = (step.until != Until::Once).then(|| {
        let line = (step.rule, step.direction);
        let at = repetitions.iter().position(|&repetition| repetition == line);
        at.unwrap_or_else(|| {
            repetitions.push(line);
            repetitions.len() - 1
        })
    });
    let kind = Kind {
        rule: step.rule,
        repetition,
        places: needs.iter().map(|&(cell, needs)| Place { needs, writes: written(cell) }).collect(),
        from: position(step.from),
        to: position(step.to),
        chain: step.chain && step.until == Until::Once,
        until: step.until,
        turn: step.turn,
        free: step.free,
    };
    (kind, needs.iter().map(|&(cell, _)| cell).collect())
}

/// The counts that goals ask for; none where no step changes any.
fn counters(task: &GroundedTask) -> Vec<Letters> {
    if task.counts().is_some() {
        return Vec::new();
    }
    let mut all: Vec<Letters> = task.goals.iter().flat_map(|goal| &goal.counts).map(|&(set, _)| set).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::super::rules;
    use super::*;

    fn puzzle(table: &str) -> GroundedTask {
        rules::compile(&toml::from_str(table).unwrap()).unwrap()
    }

    /// Needs and writes of a step, by cell.
    type Bare = (u16, Vec<(u8, Letters, Option<u8>)>, u8, u8);

    #[test]
    fn schemas_with_their_tables_are_the_steps_and_no_others() {
        for table in [
            "board = 'FF.TT'\nrules = ['F . -> . F', 'T F . -> . F T']",
            "board = \"123\\n4.5\"\nrules = ['* . -> . *']\ndirections = 8",
            "board = \"AB.\\n.#A\\nB..\"\nrules = [{ rule = 'A x . -> . x A', chain = true }]\nlegend = { x = 'AB' }",
            "board = \"AB.\\n...\"\nrules = [{ rule = '* . -> . *', until = 'blocked' }, '? A -> A ?']",
        ] {
            let task = puzzle(table);
            let lifted = Lifted::of(&task);
            let bare = |step: &Step| -> Bare {
                let written = |cell| step.writes.iter().find(|&&(c, _)| c == cell).map(|&(_, l)| l);
                let kept = |&&(cell, set): &&(u8, Letters)| {
                    set != lifted.all() || written(cell).is_some() || [step.from, step.to].contains(&cell)
                };
                let all = step.needs.iter().filter(kept).map(|&(cell, set)| (cell, set, written(cell))).collect();
                (step.rule, all, step.from, step.to)
            };
            let steps: BTreeSet<Bare> = task.steps.iter().map(bare).collect();
            let mut again = BTreeSet::new();
            for schema in &lifted.schemas {
                for row in &lifted.tables[schema.table] {
                    let mut all: Vec<_> =
                        row.iter().zip(&schema.kind.places).map(|(&c, p)| (c, p.needs, p.writes)).collect();
                    all.sort_unstable();
                    assert!(
                        again.insert((schema.kind.rule, all, row[schema.kind.from], row[schema.kind.to])),
                        "{table}: twice"
                    );
                }
            }
            assert_eq!(again, steps, "{table}");
        }
    }

    #[test]
    fn letters_that_pddl_would_take_for_one_another_have_other_names() {
        let named = names("l_", ["A", "a", ".", "@", "A"].into_iter().map(String::from));
        assert_eq!(named, ["l_a", "l_a_2", "l_empty", "l__u40", "l_a_3"]);
    }
}
