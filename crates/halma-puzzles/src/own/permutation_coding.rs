//! Permutation puzzles as numbers: the state's pieces and orientations in one mixed-radix number, the numbering of
//! `docs/guide/puzzle-files.md`.
//!
//! Equal pieces are ranked as sets of positions by the combinatorial number system (see [`crate::rank`]). For pieces
//! that are all different this is a factorial number system. Every digit's value is kept multiplied by its weight, so
//! that ranking adds entries of tables, and unranking compares and subtracts.

mod coordinate;
pub(in crate::own) mod tables;

use halma_engine::key::{Key, U256};
use halma_rules::puzzle::Permutations;
use halma_rules::puzzle::permutation::{Arrangement, PieceSet, Renaming, SetArrangement, SetTransformation};
use num_bigint::BigUint;
use thiserror::Error;

use tables::{Destinations, SetTables, Turns};

/// A puzzle of more states than the widest key can number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the puzzle has more than 2^{} states, and keys have at most 256 bits", .bits - 1)]
pub struct TooManyStates {
    /// The binary digits of their number.
    pub bits: u64,
}

/// How many numbers there are: one for each way to put the pieces on positions and to turn them.
#[must_use]
pub fn count(puzzle: &Permutations) -> BigUint {
    puzzle.sets.iter().map(tables::count).product()
}

/// The bytes of the narrowest key that numbers all states: 8, 16 or 32.
///
/// # Errors
/// [`TooManyStates`] if none does.
pub fn key_bytes(puzzle: &Permutations) -> Result<usize, TooManyStates> {
    let bits = count(puzzle).bits();
    let holds = |bytes: usize| bits <= 8 * bytes as u64;
    [u64::BYTES, u128::BYTES, U256::BYTES].into_iter().find(|&b| holds(b)).ok_or(TooManyStates { bits })
}

/// The states of a puzzle as keys, and what its moves do to them.
#[derive(Clone, Debug)]
pub struct PermutationCoding<K> {
    sets: Vec<PieceSet>,
    tables: Vec<SetTables<K>>,
    changes: Vec<Changes>,
    count: K,
    moves: Vec<Move>,
    /// What undoes them, in the same order.
    inverses: Vec<Move>,
    names: Vec<String>,
    has_inverse_moves: bool,
    goal: K,
    start: K,
}

/// A move: what it does to those sets that it changes.
#[derive(Clone, Debug)]
struct Move(Vec<SetMove>);

/// What a move does to one set: rows of [`Changes`].
#[derive(Clone, Copy, Debug)]
struct SetMove {
    set: usize,
    places: Option<usize>,
    turns: Option<usize>,
}

/// The different ways in which moves change a set.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// Of the pieces, where some go elsewhere.
    places: Vec<Destinations>,
    /// Of the orientations, at those positions where they may change.
    turns: Vec<Turns>,
}

/// A state, unranked, and space to rank others.
#[derive(Clone, Debug)]
pub struct Scratch<K>(Vec<Unranked<K>>);

/// What stands on the positions of a set.
#[derive(Clone, Debug)]
struct Unranked<K> {
    /// By position.
    pieces: Vec<u8>,
    /// By position.
    orientations: Vec<u8>,
    /// The positions of the pieces 0, ascending, then of the pieces 1, and so on.
    places: Vec<u8>,
    /// The pieces' part of the key, and its number where there is a table for it.
    placed: (usize, K),
    /// The same of the orientations.
    turned: (usize, K),
    /// Space for the places after a move.
    spare: Vec<u8>,
}

impl<K: Key> PermutationCoding<K> {
    /// The numbering of `puzzle`.
    ///
    /// # Errors
    /// [`TooManyStates`] if they do not fit `K`: see [`key_bytes`].
    pub fn new(puzzle: &Permutations) -> Result<Self, TooManyStates> {
        let all = count(puzzle);
        let count = tables::key(&all).ok_or(TooManyStates { bits: all.bits() })?;
        let mut weight = BigUint::from(1u8);
        let mut tables: Vec<SetTables<K>> = puzzle.sets.iter().map(|set| SetTables::new(set, &mut weight)).collect();
        let mut changes = vec![Changes::default(); tables.len()];
        let mut compiled = |sets: &[SetTransformation]| Move::new(&puzzle.sets, sets, &mut changes);
        let moves = puzzle.moves.iter().map(|m| compiled(&m.sets)).collect();
        let inverses = puzzle.moves.iter().map(|m| compiled(&puzzle.inverse(&m.sets))).collect();
        for (tables, changes) in tables.iter_mut().zip(&changes) {
            tables.tabulate(&changes.places, &changes.turns);
        }
        let mut coding = Self {
            moves,
            inverses,
            names: puzzle.moves.iter().map(|m| m.name.clone()).collect(),
            has_inverse_moves: puzzle.has_inverse_moves,
            sets: puzzle.sets.clone(),
            tables,
            changes,
            count,
            goal: K::default(),
            start: K::default(),
        };
        (coding.goal, coding.start) = (coding.rank(&puzzle.goal), coding.rank(&puzzle.start));
        Ok(coding)
    }

    /// How many numbers there are: every key is below.
    #[must_use]
    pub fn count(&self) -> K {
        self.count
    }

    /// The solved state.
    #[must_use]
    pub fn goal(&self) -> K {
        self.goal
    }

    /// The solved state after the scramble.
    #[must_use]
    pub fn start(&self) -> K {
        self.start
    }

    /// Whether every move can be undone by a move: then predecessors are successors.
    #[must_use]
    pub fn has_inverse_moves(&self) -> bool {
        self.has_inverse_moves
    }

    /// How many moves there are.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Space for one thread.
    #[must_use]
    pub fn scratch(&self) -> Scratch<K> {
        let unranked = |set: &PieceSet| Unranked {
            pieces: vec![0; set.positions],
            orientations: vec![0; set.positions],
            places: vec![0; set.positions],
            placed: (0, K::default()),
            turned: (0, K::default()),
            spare: vec![0; set.positions],
        };
        Scratch(self.sets.iter().map(unranked).collect())
    }

    /// The number of an arrangement.
    #[must_use]
    pub fn rank(&self, arrangement: &[SetArrangement]) -> K {
        let one = |(tables, set): (&SetTables<K>, &SetArrangement)| {
            let mut places: Vec<u8> = (0..set.pieces.len()).map(|p| p as u8).collect();
            places.sort_by_key(|&place| set.pieces[usize::from(place)]);
            let turned = set.orientations.iter().enumerate().map(|(p, &o)| tables.turned(p, o));
            turned.fold(tables.rank(&places), K::plus)
        };
        self.tables.iter().zip(arrangement).map(one).fold(K::default(), K::plus)
    }

    /// The arrangement of a number below [`Self::count`].
    #[must_use]
    pub fn unrank(&self, key: K) -> Arrangement {
        let mut scratch = self.scratch();
        self.decode(&mut scratch, key);
        scratch.0.into_iter().map(|s| SetArrangement { pieces: s.pieces, orientations: s.orientations }).collect()
    }

    /// All that stands anywhere.
    fn decode(&self, scratch: &mut Scratch<K>, key: K) {
        let mut rest = key;
        for (tables, set) in self.tables.iter().zip(&mut scratch.0).rev() {
            tables.orientations(&mut rest, &mut set.orientations);
            tables.places(&mut rest, &mut set.places, &mut set.spare);
            tables.pieces(&set.places, &mut set.pieces);
        }
    }

    /// Reads what stands where into `scratch`, and says it set by set: pieces and orientations by position.
    pub(in crate::own) fn read<'s>(
        &self,
        scratch: &'s mut Scratch<K>,
        key: K,
    ) -> impl Fn(usize) -> (&'s [u8], &'s [u8]) + use<'s, K> {
        self.decode(scratch, key);
        let sets = &scratch.0;
        move |set| (&sets[set].pieces, &sets[set].orientations)
    }

    /// What [`Self::after`] needs to know of a state.
    fn prepare(&self, scratch: &mut Scratch<K>, key: K) {
        let mut rest = key;
        for (tables, set) in self.tables.iter().zip(&mut scratch.0).rev() {
            match &tables.by_turn {
                Some(table) => set.turned = table.take(&mut rest),
                None => tables.orientations(&mut rest, &mut set.orientations),
            }
            if let Some(table) = &tables.by_place {
                set.placed = table.take(&mut rest);
                continue;
            }
            set.placed.1 = tables.places(&mut rest, &mut set.places, &mut set.spare);
            tables.pieces(&set.places, &mut set.pieces);
        }
    }

    /// The number of a state with other names for its pieces.
    pub(crate) fn renamed(&self, scratch: &mut Scratch<K>, key: K, Renaming(sets): &Renaming) -> K {
        self.decode(scratch, key);
        let mut number = K::default();
        for ((set, tables), (now, renamed)) in self.sets.iter().zip(&self.tables).zip(scratch.0.iter_mut().zip(sets)) {
            // The positions of equal pieces stay together and ascending.
            let mut rest = &now.places[..];
            for (piece, new) in set.pieces.iter().zip(renamed) {
                let (own, others) = rest.split_at(piece.count);
                let begin: usize = set.pieces[..usize::from(new.piece)].iter().map(|before| before.count).sum();
                now.spare[begin..begin + piece.count].copy_from_slice(own);
                rest = others;
            }
            number = number.plus(tables.rank(&now.spare));
            for (position, (&piece, &orientation)) in now.pieces.iter().zip(&now.orientations).enumerate() {
                let turned = (orientation + renamed[usize::from(piece)].turn) % set.orientations;
                number = number.plus(tables.turned(position, turned));
            }
        }
        number
    }

    /// Whether a key is one of a state: below [`Self::count`], and turned nowhere where orientations do not count.
    pub fn is_state(&self, scratch: &mut Scratch<K>, key: K) -> bool {
        if key >= self.count {
            return false;
        }
        // Sets of which all orientations count, or none, have no such numbers.
        let some = |set: &PieceSet| set.pieces.iter().any(|p| p.oriented) && !set.pieces.iter().all(|p| p.oriented);
        if !self.sets.iter().any(some) {
            return true;
        }
        self.decode(scratch, key);
        let fits = |(set, now): (&PieceSet, &Unranked<K>)| {
            let mut standing = now.pieces.iter().zip(&now.orientations);
            standing.all(|(&piece, &o)| o == 0 || set.pieces[usize::from(piece)].oriented)
        };
        self.sets.iter().zip(&scratch.0).all(fits)
    }

    /// The states one move away, each once, ascending, without the state itself; put behind what `out` has.
    pub fn states_after(&self, scratch: &mut Scratch<K>, key: K, out: &mut Vec<K>) {
        self.all_after(&self.moves, scratch, key, out);
    }

    /// The states from which one move leads here, each once, ascending, without the state itself; put behind what `out` has.
    pub(crate) fn states_before(&self, scratch: &mut Scratch<K>, key: K, out: &mut Vec<K>) {
        self.all_after(if self.has_inverse_moves { &self.moves } else { &self.inverses }, scratch, key, out);
    }

    fn all_after(&self, moves: &[Move], scratch: &mut Scratch<K>, key: K, out: &mut Vec<K>) {
        self.prepare(scratch, key);
        let first = out.len();
        out.extend(moves.iter().map(|step| self.after(step, scratch, key)).filter(|&next| next != key));
        out[first..].sort_unstable();
        let mut kept = first;
        for at in first..out.len() {
            if at == first || out[at] != out[kept - 1] {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// The state after a move, where `scratch` has the one before, `key`.
    #[inline]
    fn after(&self, step: &Move, scratch: &mut Scratch<K>, key: K) -> K {
        let mut next = key;
        for change in &step.0 {
            let (tables, now) = (&self.tables[change.set], &mut scratch.0[change.set]);
            if let Some(row) = change.places {
                let (number, before) = now.placed;
                let placed = if let Some(table) = &tables.by_place {
                    table.after(row, number)
                } else {
                    tables.moved(&now.places, &self.changes[change.set].places[row], &mut now.spare);
                    tables.rank(&now.spare)
                };
                next = next.minus(before).plus(placed);
            }
            if let Some(row) = change.turns {
                if let Some(table) = &tables.by_turn {
                    let (number, before) = now.turned;
                    next = next.minus(before).plus(table.after(row, number));
                } else {
                    let turns = self.changes[change.set].turns[row].iter();
                    let piece = |from: u8| now.pieces[usize::from(from)];
                    next =
                        turns.fold(next, |key, &turn| tables.after_turn(key, turn, piece(turn.1), &now.orientations));
                }
            }
        }
        next
    }

    /// The name of a move that leads from one state to another, the first in the file's order.
    #[must_use]
    pub(crate) fn move_name(&self, from: K, to: K) -> Option<&str> {
        let mut scratch = self.scratch();
        self.prepare(&mut scratch, from);
        let number = self.moves.iter().position(|step| self.after(step, &mut scratch, from) == to)?;
        Some(&self.names[number])
    }

    /// The state in words, one line a set: the file's numbers of the pieces, position by position, and after a bar their
    /// orientations if they have more than one, `?` where it does not count.
    #[must_use]
    pub fn picture(&self, key: K) -> String {
        let line = |(set, now): (&PieceSet, SetArrangement)| {
            let piece = |&p: &u8| &set.pieces[usize::from(p)];
            let numbers = now.pieces.iter().map(|p| piece(p).number.to_string()).collect::<Vec<_>>().join(" ");
            if set.orientations == 1 {
                return format!("{} {numbers}", set.name);
            }
            let shown = |(p, o): (&u8, &u8)| if piece(p).oriented { o.to_string() } else { "?".into() };
            let orientations = now.pieces.iter().zip(&now.orientations).map(shown).collect::<Vec<_>>().join(" ");
            format!("{} {numbers} | {orientations}", set.name)
        };
        self.sets.iter().zip(self.unrank(key)).map(line).collect::<Vec<_>>().join("\n")
    }
}

impl Move {
    fn new(sets: &[PieceSet], transformation: &[SetTransformation], changes: &mut [Changes]) -> Self {
        let all = sets.iter().zip(transformation).zip(changes).enumerate();
        let changed = all.filter(|(_, ((_, step), _))| !step.is_identity());
        Self(changed.map(|(number, ((set, step), changes))| changes.add(number, set, step)).collect())
    }
}

impl Changes {
    /// The rows of a move, new or those of another move that does the same.
    fn add(&mut self, number: usize, set: &PieceSet, step: &SetTransformation) -> SetMove {
        fn row<T: PartialEq>(rows: &mut Vec<T>, new: T) -> usize {
            rows.iter().position(|row| *row == new).unwrap_or_else(|| {
                rows.push(new);
                rows.len() - 1
            })
        }
        let mut to: Destinations = vec![0; set.positions];
        for (position, &from) in step.from.iter().enumerate() {
            to[usize::from(from)] = position as u8;
        }
        let stays = set.pieces.len() == 1 || to.iter().enumerate().all(|(from, &to)| from == usize::from(to));
        let all = (0..set.positions).map(|p| (p as u8, step.from[p], step.turn[p]));
        let turns: Turns =
            all.filter(|&(position, from, turn)| tables::has_digits(set) && (position != from || turn != 0)).collect();
        SetMove {
            set: number,
            places: (!stays).then(|| row(&mut self.places, to)),
            turns: (!turns.is_empty()).then(|| row(&mut self.turns, turns)),
        }
    }
}

#[cfg(test)]
mod tests;
