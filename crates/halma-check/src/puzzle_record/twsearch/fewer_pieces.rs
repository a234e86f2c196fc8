//! Permutations with fewer pieces: groups of pieces become alike, all others of their set as well, and of other sets nothing is left.

use std::sync::Arc;

use super::super::abstract_distances::Distances;
use super::super::model::{Distance, Model, State};
use super::{Permutations, Set};
use crate::rejection::Trouble;

/// What becomes of a set: by number of a piece the group it comes to, or `None` where nothing is left of it.
type Becomes = Option<Vec<u8>>;

/// Pieces that become alike, and whether their orientation still counts.
type Group = (Vec<usize>, bool);

/// `SET 1 2=3 4?`: the name of the set, and its groups.
fn groups(text: &str) -> Result<(&str, Vec<Group>), String> {
    let fault = || format!("projections: `{text}` is no set with groups of its pieces");
    let (name, words) = text.split_once(' ').ok_or_else(fault)?;
    let group = |word: &str| {
        let (numbers, oriented) = match word.strip_suffix('?') {
            Some(numbers) => (numbers, false),
            None => (word, true),
        };
        let number = |text: &str| text.parse::<usize>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        Some((numbers.split('=').map(number).collect::<Option<Vec<_>>>()?, oriented))
    };
    let all = words.split(' ').map(group).collect::<Option<Vec<_>>>().ok_or_else(fault)?;
    Ok((name, all))
}

/// A set with fewer pieces, and what becomes of each.
fn with_groups(set: &Set, groups: &[(Vec<usize>, bool)]) -> Result<(Set, Vec<u8>), String> {
    let rest = groups.len();
    let mut becomes = vec![rest; set.names.len()];
    for (number, (pieces, _)) in groups.iter().enumerate() {
        for piece in pieces {
            let at = set.names.iter().position(|name| name == piece);
            let at = at.ok_or_else(|| format!("projections: set {} has no piece {piece}", set.name))?;
            if std::mem::replace(&mut becomes[at], number) != rest {
                return Err(format!("projections: piece {piece} of set {} comes twice", set.name));
            }
        }
    }
    // Only where the orientation of each of them counted, and nobody says that it does not any more.
    let counts = |number: usize| {
        let asked = groups.get(number).is_some_and(|(_, oriented)| *oriented);
        asked && (0..becomes.len()).filter(|&piece| becomes[piece] == number).all(|piece| set.counts[piece])
    };
    let used = rest + usize::from(becomes.contains(&rest));
    let counts: Vec<bool> = (0..used).map(counts).collect();
    let becomes: Vec<u8> = becomes.into_iter().map(|number| number as u8).collect();
    let fewer = Set {
        pieces: set.pieces.iter().map(|&piece| becomes[usize::from(piece)]).collect(),
        oriented: set.base > 1 && counts.contains(&true),
        names: (0..used).collect(),
        counts,
        ..set.clone()
    };
    Ok((fewer, becomes))
}

/// What becomes of a state.
fn image(old: &[Set], fewer: &[Set], becomes: &[Becomes], state: &[u8]) -> State {
    let (mut image, mut rest) = (Vec::new(), state);
    for ((old, fewer), becomes) in old.iter().zip(fewer).zip(becomes) {
        let (own, others) = rest.split_at(old.entries());
        rest = others;
        let (pieces, orientations) = own.split_at(old.size);
        let group = |&piece: &u8| becomes.as_ref().map_or(0, |becomes| becomes[usize::from(piece)]);
        let groups: Vec<u8> = pieces.iter().map(group).collect();
        image.extend(&groups);
        if fewer.oriented {
            let counts = |group: u8| fewer.counts[usize::from(group)];
            image.extend(groups.iter().zip(orientations).map(|(&group, &turn)| if counts(group) { turn } else { 0 }));
        }
    }
    image
}

/// The puzzle with fewer pieces, and what becomes of those of each set.
fn with_fewer(puzzle: &Permutations, texts: &[String]) -> Result<(Permutations, Vec<Becomes>), String> {
    // Of a set that nobody names all pieces are alike.
    let gone = |set: &Set| Set {
        pieces: vec![0; set.size],
        oriented: false,
        names: vec![0],
        counts: vec![false],
        ..set.clone()
    };
    let mut sets: Vec<Set> = puzzle.sets.iter().map(gone).collect();
    let mut becomes: Vec<Becomes> = vec![None; sets.len()];
    for text in texts {
        let (name, groups) = groups(text)?;
        let number = puzzle.sets.iter().position(|set| set.name == name);
        let number = number.ok_or_else(|| format!("projections: `{name}` is no set"))?;
        if becomes[number].is_some() {
            return Err(format!("projections: set {name} comes twice"));
        }
        let (fewer, map) = with_groups(&puzzle.sets[number], &groups)?;
        (sets[number], becomes[number]) = (fewer, Some(map));
    }
    let of = |state: &[u8]| image(&puzzle.sets, &sets, &becomes, state);
    let (start, solved) = (puzzle.start.iter().map(|start| of(start)).collect(), of(&puzzle.solved));
    let fewer =
        Permutations { sets, moves: puzzle.moves.clone(), quarter: puzzle.quarter, start, solved, mirror: None };
    Ok((fewer, becomes))
}

/// The distance to the solved state from all states that can be reached with fewer pieces.
pub fn distances(puzzle: &Permutations, texts: &[String]) -> Result<Arc<Distance>, Trouble> {
    let (fewer, becomes) = with_fewer(puzzle, texts)?;
    let all = Distances::from(&fewer.start, |state| fewer.moves(state), |state| fewer.is_goal(state))?;
    let old = puzzle.sets.clone();
    Ok(Arc::new(move |state: &[u8]| all.of(&image(&old, &fewer.sets, &becomes, state))))
}
