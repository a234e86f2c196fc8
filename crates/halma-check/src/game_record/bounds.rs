//! The bounds of games, as `docs/proof.md` states them: each is a function of the position after a move.

use std::sync::Arc;

use halma_record::job::game_bounds::Name;

use super::ladders;
use super::look::{Bound, Look};
use super::packing;
use super::rungs;
use crate::board::Board;
use crate::moves::Set;

/// The bounds of games that one side wins.
pub(crate) struct Bounds {
    /// 0 blue, 1 red.
    winner: usize,
    /// The base that the winner has to fill.
    base: Set,
    bounds: Vec<Bound>,
}

impl Bounds {
    /// The bounds of these names for games between these bases that `winner` wins.
    pub fn new(board: &Board, bases: [&[u8]; 2], winner: usize, names: &[Name]) -> Self {
        let (start, goal) = (bases[winner], bases[1 - winner]);
        let bound = |name: &Name| -> Bound {
            match name {
                Name::Count => Box::new(|it| it.slack >= 0),
                Name::Vacate => vacate(goal),
                Name::Contact => contact(board, goal),
                Name::Packing => packing::bound(board, goal),
                Name::Types => types(board, goal),
                Name::DiagonalGaps => ladders::gaps(board, start, goal),
                Name::TwoLadders => ladders::two(board, start, goal),
                Name::Hall => ladders::hall(board, start, goal),
                Name::Rungs => rungs::bound(board, goal),
                Name::LookAhead => look_ahead(board, goal),
            }
        };
        Self { winner, base: Set::of(goal), bounds: names.iter().map(bound).collect() }
    }

    /// Whether no bound prunes a position with so many moves left.
    pub fn admit(&self, armies: &[Vec<u8>; 2], occupied: &Set, remaining: u32) -> bool {
        if self.bounds.is_empty() {
            return true;
        }
        let remaining = remaining as i32;
        let [winner, loser] = [self.winner, 1 - self.winner].map(|side| &armies[side][..]);
        let outside = winner.iter().filter(|&&c| !self.base.has(c)).count() as i32;
        let slack = (remaining + 1) / 2 - outside;
        let look = Look { winner, loser, occupied, remaining, outside, slack };
        self.bounds.iter().all(|bound| bound(&look))
    }
}

/// The bounds of games of one length.
pub(super) struct Rules {
    pub length: u32,
    pub bounds: Arc<Bounds>,
}

/// The bound `vacate`: each of the loser's men in the base has to leave it by a move of his own.
fn vacate(goal: &[u8]) -> Bound {
    let base = Set::of(goal);
    Box::new(move |it| it.loser.iter().filter(|&&c| base.has(c)).count() as i32 <= it.loser_moves())
}

/// The bound `contact` (lemma 20): the first entry takes time.
fn contact(board: &Board, goal: &[u8]) -> Bound {
    let to_base = board.steps_to(goal);
    let apart: Vec<Vec<Option<u32>>> = (0..board.len()).map(|c| board.steps_to(&[c as u8])).collect();
    let is_within = |distance: Option<u32>, most: i32| distance.is_some_and(|d| d as i32 <= most);
    Box::new(move |it| {
        if it.outside < it.winner.len() as i32 {
            return true;
        }
        // T + 2(s - 1) <= remaining; T is the smaller of d - 1 and 2D - 1 or 2D, and at least 1.
        let time = it.remaining - 2 * (it.outside - 1);
        let steps = if it.winner_to_move() { (time + 1) / 2 } else { time / 2 };
        time >= 1
            && (it.winner.iter().any(|&w| is_within(to_base[usize::from(w)], steps))
                || it.winner.iter().any(|&w| {
                    let from = &apart[usize::from(w)];
                    it.loser.iter().any(|&l| is_within(from[usize::from(l)], time + 1))
                }))
    })
}

/// The bound `types`: men that have to change their type need steps, and few steps enter.
fn types(board: &Board, goal: &[u8]) -> Bound {
    let of: Vec<usize> = (0..board.len()).map(|cell| board.type_of(cell)).collect();
    let base = Set::of(goal);
    let mut wanted = [0i32; 4];
    goal.iter().for_each(|&c| wanted[of[usize::from(c)]] += 1);
    let is_beside = |c: usize| !base.has(c as u8) && board.steps[c].iter().any(|&n| base.has(n));
    let beside: Vec<bool> = (0..board.len()).map(is_beside).collect();
    let straight = board.directions.len() == 4;
    Box::new(move |it| {
        let mut surplus = wanted.map(|n| -n);
        it.winner.iter().for_each(|&c| surplus[of[usize::from(c)]] += 1);
        let at_once = it.winner.iter().filter(|&&c| beside[usize::from(c)]).count() as i32;
        let excess: i32 = surplus.iter().map(|&n| n.max(0)).sum();
        // Without diagonal steps a man of type 0 or 3 becomes one of type 1 or 2, and vice versa; if these have no
        // room, he needs two steps.
        let over = |a: usize, b: usize| surplus[a].max(0) + surplus[b].max(0);
        let room = |a: usize, b: usize| (-surplus[a]).max(0) + (-surplus[b]).max(0);
        let twice = (over(0, 3) - room(1, 2)).max(0) + (over(1, 2) - room(0, 3)).max(0);
        let twice = if straight { twice } else { 0 };
        let needed = |v: i32| v + (excess + twice - 2 * v - at_once).max(0);
        (0..=twice).any(|v| needed(v) <= it.slack)
    })
}

/// The bound `look-ahead`: without slack the winner, if to move, must have a move that enters.
fn look_ahead(board: &Board, goal: &[u8]) -> Bound {
    let base = Set::of(goal);
    let (steps, jumps) = (board.steps.clone(), board.jumps.clone());
    Box::new(move |it| {
        if !it.winner_to_move() || it.outside == 0 || it.slack > 0 {
            return true;
        }
        let open = |c: u8| base.has(c) && !it.occupied.has(c);
        let mut rest: Vec<u8> = it.winner.iter().copied().filter(|&c| !base.has(c)).collect();
        if rest.iter().any(|&c| steps[usize::from(c)].iter().any(|&n| open(n))) {
            return true;
        }
        // From all men at once. Their own cells may stay occupied: a man never jumps over the cell that he came from,
        // which is of his own type, and need not land there.
        let mut seen = Set::default();
        while let Some(cell) = rest.pop() {
            for &(over, land) in &jumps[usize::from(cell)] {
                if it.occupied.has(over) && !it.occupied.has(land) && !seen.has(land) {
                    if base.has(land) {
                        return true;
                    }
                    seen.flip(land);
                    rest.push(land);
                }
            }
        }
        false
    })
}
