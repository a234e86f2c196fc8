//! What every puzzle from a file is: states as lists of small numbers, and what one move makes of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::code::Part;
use crate::permutation::composed;
use crate::rejection::Trouble;

/// A state: the entries that its number is made of, in that order.
pub type State = Vec<u8>;

/// A lower bound of the moves from a state to the goal; `None` where no way leads there.
pub type Distance = dyn Fn(&[u8]) -> Option<u32> + Send + Sync;

/// A puzzle, interpreted.
pub trait Model: Sync {
    /// How its states are numbered.
    fn parts(&self) -> Vec<Part>;
    /// Where it begins.
    fn starts(&self) -> &[State];
    /// Whether anything ends it.
    fn has_goal(&self) -> bool;
    /// Whether a state satisfies the goal.
    fn is_goal(&self, state: &[u8]) -> bool;
    /// All states that satisfy the goal, where the goal lists them.
    fn goal_states(&self) -> Option<Vec<State>>;
    /// The states that one move leads to, but itself.
    fn moves(&self, state: &[u8]) -> Result<BTreeSet<State>, Trouble>;
    /// Whether every move was shown to lead back by one.
    fn can_be_undone(&self) -> bool;
    /// Whether that was too much to find out.
    fn leaves_open_what_is_undone(&self) -> bool {
        false
    }
    /// What a symmetry of the record makes of a state, one after another, the state itself first.
    fn images(&self, state: &[u8]) -> Vec<State>;
    /// The image of a state under the record's mirror, if it has one.
    fn mirrored(&self, _state: &[u8]) -> Option<State> {
        None
    }
    /// What is wrong with a state.
    fn fault(&self, state: &[u8]) -> Option<String>;
    /// What the move makes of a state that a solution has as `text`.
    fn play(&self, state: &[u8], text: &str) -> Result<State, Trouble>;
    /// Exact distances to the goal in a puzzle in which groups of letters become one, and the others `.`.
    fn with_fewer_letters(&self, groups: &[String]) -> Result<Arc<Distance>, Trouble>;
    /// A state as records show it, a line for each row.
    fn picture(&self, state: &[u8]) -> String;
    /// A state, for messages.
    fn show(&self, state: &[u8]) -> String;
}

/// The move to the one state that the changes name.
pub fn named(moves: BTreeSet<State>, text: &str, changes: impl Fn(&[u8]) -> String) -> Result<State, Trouble> {
    moves.into_iter().find(|after| changes(after) == text).ok_or_else(|| "no move changes these cells so".into())
}

/// There are no more linear maps with entries -1, 0 and 1.
const MOST_SYMMETRIES: usize = 81;

/// Checks that maps of cells are a group, the identity first.
pub fn check_group(maps: &[Vec<u8>]) -> Result<(), String> {
    if maps.len() > MOST_SYMMETRIES {
        return Err(format!("symmetries.fixing: {} maps", maps.len()));
    }
    let all: BTreeSet<&Vec<u8>> = maps.iter().collect();
    // Burnside's lemma divides by their number: a map that is named twice would change the count.
    if all.len() < maps.len() {
        return Err("symmetries.fixing: it names a map twice".into());
    }
    let is_identity = |map: &Vec<u8>| map.iter().enumerate().all(|(cell, &image)| cell == usize::from(image));
    if !maps.first().is_some_and(is_identity) {
        return Err("symmetries.fixing: the identity is not its first".into());
    }
    match maps.iter().all(|a| maps.iter().all(|b| all.contains(&composed(a, b)))) {
        true => Ok(()),
        false => Err("symmetries.fixing: one after the other they make a map that is not among them".into()),
    }
}
