//! The bound `rungs` (lemma 24a): ways into the base cell by cell, and every split of the fills.

use super::look::{Bound, Look};
use crate::board::Board;
use crate::moves::Set;

/// Ways over so many empty cells or more are not distinguished, and neither is having no way.
const FAR: usize = 15;

/// A board and a base.
struct Ways {
    /// By cell: the cell between, if the board has it, and where the jump lands.
    jumps: Vec<Vec<(Option<u8>, u8)>>,
    goal: Vec<u8>,
    base: Set,
    /// The cells from which a step leads into the base.
    beside: Vec<bool>,
    /// By cell: the group of cells over which a man from there never jumps; and the number of groups.
    group: Vec<usize>,
    groups: usize,
}

impl Ways {
    fn new(board: &Board, goal: &[u8]) -> Self {
        let base = Set::of(goal);
        let at = |x: i32, y: i32| board.places.iter().position(|&place| place == (x, y)).map(|cell| cell as u8);
        let leads = |&(x, y): &(i32, i32)| {
            let all = board.directions.iter().filter_map(|&(dx, dy)| {
                let (between, land) = (at(x + dx, y + dy), at(x + 2 * dx, y + 2 * dy)?);
                // If a cell can be jumped over in both directions, a place without a cell stands for the side of the
                // square.
                (between.is_some() || board.directions.len() == 8).then_some((between, land))
            });
            all.collect()
        };
        let groups = if board.directions.len() == 4 { 2 } else { 4 };
        let group = |cell: usize| match board.places[cell] {
            (x, y) if groups == 2 => ((x + y) % 2) as usize,
            _ => board.type_of(cell),
        };
        Self {
            jumps: board.places.iter().map(leads).collect(),
            goal: goal.to_vec(),
            base,
            beside: board.steps.iter().map(|steps| steps.iter().any(|&to| base.has(to))).collect(),
            group: (0..board.len()).map(group).collect(),
            groups,
        }
    }

    /// By cell: the fewest empty cells outside the base that jumps from there into the base pass over.
    fn costs(&self, occupied: &Set) -> Vec<usize> {
        let mut least = vec![FAR; self.jumps.len()];
        let mut changed = self.goal.clone();
        self.goal.iter().for_each(|&cell| least[usize::from(cell)] = 0);
        while let Some(from) = changed.pop() {
            for &(between, land) in &self.jumps[usize::from(from)] {
                let is_rung = between.is_some_and(|cell| occupied.has(cell) || self.base.has(cell));
                let cost = least[usize::from(from)] + usize::from(!is_rung);
                if cost < least[usize::from(land)] {
                    least[usize::from(land)] = cost;
                    changed.push(land);
                }
            }
        }
        for (least, _) in least.iter_mut().zip(&self.beside).filter(|(_, beside)| **beside) {
            *least = 0;
        }
        least
    }

    fn admits(&self, it: &Look) -> bool {
        let Ok(slack) = usize::try_from(it.slack) else { return false };
        let costs = self.costs(it.occupied);
        // How many men of each group wait for at most so many fills.
        let mut ready = vec![[0usize; FAR + 1]; self.groups];
        let mut outside = 0;
        for &man in it.winner.iter().filter(|&&man| !self.base.has(man)) {
            outside += 1;
            let man = usize::from(man);
            ready[self.group[man]][costs[man]..].iter_mut().for_each(|men| *men += 1);
        }
        let first = usize::from(!it.winner_to_move());
        (slack + 1..=outside).all(|k| {
            // Half of 2 FAR fills suffices for any man.
            let fills = (k - 1 + first + 2 * slack).min(2 * FAR);
            let needed = k - slack;
            some_split(&ready, fills, fills, needed)
        })
    }
}

/// Whether for some split of the remaining fills among these groups so many men can have entered.
fn some_split(ready: &[[usize; FAR + 1]], left: usize, fills: usize, needed: usize) -> bool {
    let Some((here, rest)) = ready.split_first() else { return needed == 0 };
    let men = |own: usize| here[(fills - own).min(FAR)];
    match rest {
        [] => men(left) >= needed,
        // An even split first, since it usually suffices.
        _ => [left / ready.len()]
            .into_iter()
            .chain(0..=left)
            .any(|own| some_split(rest, left - own, fills, needed.saturating_sub(men(own)))),
    }
}

/// The bound `rungs`: whether men can enter as soon as they have to.
pub(super) fn bound(board: &Board, goal: &[u8]) -> Bound {
    let most = |of: fn(&(i32, i32)) -> i32| board.places.iter().map(|place| of(place) / 2 + 1).max().unwrap_or(0);
    // Larger boards are not bounded.
    if most(|place| place.0) * most(|place| place.1) > 64 {
        return Box::new(|_| true);
    }
    let ways = Ways::new(board, goal);
    Box::new(move |it| ways.admits(it))
}
