//! Rungs: each man who enters by jumps needs a man on every cell that he jumps over. An admissible bound by a delete
//! relaxation.
//!
//! The relaxation (Bonet and Geffner 2001: a fact that once became true stays true) is of the ladders that the winner's
//! men climb. Where [`hall`](super::hall) asks whether a man stands on a line, this bound asks for the cell itself.
//!
//! Let w(m) be the fewest empty cells outside the base that any chain of jumps takes man m over on his way into the base,
//! if no landing is ever blocked; 0 for a man who can step in. Before the winner's k-th entry at most k - 1 entries, σ other
//! moves of the winner and as many of the loser as go with them have been made, one more of the loser's if he moves next. A
//! move fills one cell, and an entry none outside the base: at most f = k - 1 + 2σ, or one more, have been filled.
//!
//! A man never jumps over a cell of his own type (under 4 moves: of his own colour, column + row even or odd). So of f fills, f_t of
//! them on cells of type t, at most
//!
//! ```text
//! σ + max over Σ f_t = f of Σ over types t of #{men of type t: w <= f - f_t}
//! ```
//!
//! men can have entered, the σ being men who have moved before. That must be k at least, for every k up to s.
//!
//! Under 8 moves one cell is jumped over along both diagonals of a square, and filled once. Two such jumps of one chain can be
//! replaced by one along a side of the square, which costs no more; so costs of single jumps add up, if a side without a cell
//! between its ends counts as one empty cell. `docs/proof.md` has the whole argument.
//!
//! All moves of a position are judged together. Lifting a man raises each w by at most one. Putting him down lowers w
//! by at most one, and that only for other types and on cells where one more rung shortens some way. Cases that remain
//! open are computed one by one.

mod quarter_boards;
#[cfg(test)]
mod tests;

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use self::quarter_boards::{FAR, Levels, QuarterBoards, QuarterSet};
use super::{GameBound, Position, goal};

/// The bound.
pub struct Rungs<const W: usize> {
    base: Cells<W>,
    /// `None` on boards that are too large; the bound then says nothing.
    boards: Option<QuarterBoards>,
}

/// What the entries have to satisfy.
#[derive(Clone, Copy)]
struct Deadline {
    /// s.
    outside: i32,
    /// σ.
    slack: i32,
    /// 1 with the loser to move, 0 with the winner.
    first: i32,
}

/// How far the true counts may be from the known ones.
#[derive(Clone, Copy, Default)]
struct Change {
    /// By group: by how much the number of missing rungs may be lower.
    nearer: [i32; 4],
    /// How many more men may be able to enter at once.
    more: i32,
}

impl<const W: usize> Rungs<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        Self { base: goal(game, winner), boards: QuarterBoards::new(game, winner) }
    }

    /// Σ w(m) over the winner's men outside the base, no more than 15 for each; `None` on boards that are too large.
    #[must_use]
    pub fn missing(&self, position: &Position<W>) -> Option<u32> {
        let boards = self.boards.as_ref()?;
        Some(
            boards.levels(&boards.of(position.winner | position.loser), &boards.of(position.winner & !self.base)).sum(),
        )
    }

    fn deadline(&self, position: &Position<W>) -> Deadline {
        Deadline {
            outside: (position.winner & !self.base).len() as i32,
            slack: position.slack(self.base),
            first: i32::from(!position.winner_to_move()),
        }
    }
}

impl Deadline {
    /// Whether men can enter as soon as they have to.
    fn is_kept(self, groups: usize, levels: &Levels, change: Change) -> bool {
        if self.slack < 0 {
            return false;
        }
        let within = |group: usize, fills: i32| levels.count(group, fills + change.nearer[group]);
        for needed in 1..=self.outside - self.slack {
            let fills = needed + self.slack - 1 + self.first + 2 * self.slack;
            let most = (0..groups).map(|group| within(group, fills)).sum::<i32>() + change.more;
            if most < needed {
                return false;
            }
            // If equal shares of the fills let all men enter in time, more fills change nothing.
            let shares = |group: usize| (fills + group as i32) / groups as i32;
            let even = (0..groups).map(|group| within(group, fills - shares(group))).sum::<i32>() + change.more;
            if even >= self.outside - self.slack {
                return true;
            }
            if even < needed && best_split(groups, fills, within) + change.more < needed {
                return false;
            }
        }
        true
    }
}

/// The most men over all ways to split so many fills among the groups of cells.
fn best_split(groups: usize, fills: i32, within: impl Fn(usize, i32) -> i32) -> i32 {
    // With more fills, equal shares already suffice for every group.
    let fills = fills.min(MOST_FILLS as i32 - 1);
    let mut best = [0; MOST_FILLS];
    for group in 0..groups {
        for given in (0..=fills).rev() {
            let with = |own: i32| best[(given - own) as usize] + within(group, fills - own);
            best[given as usize] = if group == 0 { with(given) } else { (0..=given).map(with).max().unwrap_or(0) };
        }
    }
    best[fills as usize]
}

/// The most fills whose split makes a difference.
const MOST_FILLS: usize = 2 * FAR + 4;

/// The moves of one man, as the bound judges them.
struct Moves<'a> {
    boards: &'a QuarterBoards,
    /// All men but him, and the winner's men outside the base but him.
    occupied: QuarterSet,
    outside: QuarterSet,
    /// Whether he is one of the winner's.
    of_winner: bool,
}

impl Moves<'_> {
    /// Whether the bound admits the position with him on `to`, where he is outside the base.
    fn admits(&self, to: usize, deadline: Deadline) -> bool {
        let (mut occupied, mut outside) = (self.occupied, self.outside);
        self.boards.flip(&mut occupied, to);
        if self.of_winner {
            self.boards.flip(&mut outside, to);
        }
        deadline.is_kept(self.boards.groups(), &self.boards.levels(&occupied, &outside), Change::default())
    }

    /// Those of `targets`, all outside the base, to which he may go.
    fn outside<const W: usize>(&self, targets: Cells<W>, levels: &Levels, deadline: Deadline) -> Cells<W> {
        let (boards, groups) = (self.boards, self.boards.groups());
        if deadline.is_kept(groups, levels, Change::default()) {
            return targets;
        }
        let more = i32::from(self.of_winner);
        let hopeful: [bool; 4] = std::array::from_fn(|own| {
            let nearer = std::array::from_fn(|group| i32::from(group != own));
            own < groups && deadline.is_kept(groups, levels, Change { nearer, more })
        });
        let at_once = self.of_winner && deadline.is_kept(groups, levels, Change { more, ..Change::default() });
        let mut helpful = None;
        let mut kept = Cells::EMPTY;
        targets.for_each(|to| {
            if !hopeful[boards.group_of(to) & 3] {
                return;
            }
            let is_helpful = boards.contains(helpful.get_or_insert_with(|| boards.helpful(levels)), to);
            if (is_helpful || at_once) && self.admits(to, deadline) {
                kept.add(to);
            }
        });
        kept
    }
}

impl<const W: usize> GameBound<W> for Rungs<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        let Some(boards) = &self.boards else { return true };
        let levels =
            boards.levels(&boards.of(position.winner | position.loser), &boards.of(position.winner & !self.base));
        self.deadline(position).is_kept(boards.groups(), &levels, Change::default())
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let Some(boards) = &self.boards else { return };
        let of_winner = position.winner_to_move();
        let occupied = boards.of(position.winner | position.loser);
        let outside = boards.of(position.winner & !self.base);
        let now = Deadline { first: i32::from(of_winner), ..self.deadline(position) };
        // No move lengthens a way by more than one rung and one man.
        let standing = boards.levels(&occupied, &outside);
        let leaves = of_winner && !(position.winner & self.base).is_empty();
        let spoiled = match (of_winner, leaves) {
            (false, _) => now,
            (true, false) => Deadline { slack: now.slack - 1, ..now },
            (true, true) => Deadline { outside: now.outside + 1, slack: now.slack - 2, ..now },
        };
        let worst = Change { nearer: [-1; 4], more: -i32::from(of_winner) };
        if spoiled.slack >= 0 && spoiled.is_kept(boards.groups(), &standing, worst) {
            return;
        }
        for (&man, reach) in men.iter().zip(reach) {
            if reach.is_empty() {
                continue;
            }
            let man = usize::from(man);
            let inside = self.base.contains(man);
            let mut moves = Moves { boards, occupied, outside, of_winner };
            boards.flip(&mut moves.occupied, man);
            if of_winner && !inside {
                boards.flip(&mut moves.outside, man);
            }
            let levels = boards.levels(&moves.occupied, &moves.outside);
            // The winner pays with slack for every move that does not enter.
            let (within, without) = match (of_winner, inside) {
                (false, _) => (now, now),
                (true, false) => {
                    (Deadline { outside: now.outside - 1, ..now }, Deadline { slack: now.slack - 1, ..now })
                }
                (true, true) => (
                    Deadline { slack: now.slack - 1, ..now },
                    Deadline { outside: now.outside + 1, slack: now.slack - 2, ..now },
                ),
            };
            let mut kept = Cells::EMPTY;
            let entered = *reach & self.base;
            if !entered.is_empty() && within.is_kept(boards.groups(), &levels, Change::default()) {
                kept = entered;
            }
            let elsewhere = *reach & !self.base;
            if !elsewhere.is_empty() && without.slack >= 0 {
                kept |= moves.outside(elsewhere, &levels, without);
            }
            *reach = kept;
        }
    }
}
