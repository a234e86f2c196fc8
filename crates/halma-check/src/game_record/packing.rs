//! The bound `packing` (lemma 21): the game restricted to the winner's goal, with everything allowed outside.

use super::look::Bound;
use crate::board::Board;
use crate::moves::Set;

/// Values of σ and λ below this are distinguished.
const BUDGET: usize = 8;

/// The most cells of a tabulated base.
const MOST: usize = 11;

/// About how many moves there are from a content, by cell of the base.
const MOVES: usize = 3;

/// The number of the outside.
const OUT: usize = MOST;

/// The base as a small board of its own: cells are numbered from 0, `OUT` is everything else.
struct Base {
    cells: usize,
    steps: Vec<Vec<usize>>,
    /// By the cell jumped from, `OUT` among them: what is jumped over, where that leads.
    jumps: Vec<Vec<(usize, usize)>>,
}

impl Base {
    fn new(board: &Board, goal: &[u8]) -> Self {
        let own = |cell: u8| goal.iter().position(|&g| g == cell).unwrap_or(OUT);
        let (mut steps, mut jumps) = (vec![Vec::new(); OUT + 1], vec![Vec::new(); OUT + 1]);
        for cell in 0..board.len() {
            let here = own(cell as u8);
            steps[here].extend(board.steps[cell].iter().map(|&to| own(to)).filter(|&to| (here, to) != (OUT, OUT)));
            let led = board.jumps[cell].iter().map(|&(over, land)| (own(over), own(land)));
            jumps[here].extend(led.filter(|&(_, land)| (here, land) != (OUT, OUT)));
        }
        Self { cells: goal.len(), steps, jumps }
    }

    /// Where a man can go from `from` if `men` are the men in the base; outside there is always a man to jump over, and
    /// room.
    fn reach(&self, from: usize, men: u32) -> Vec<usize> {
        let open = |cell: usize| cell == OUT || men >> cell & 1 == 0;
        let mut found: Vec<usize> = Vec::new();
        let (mut here, mut at) = (from, 0);
        loop {
            for &(over, land) in &self.jumps[here] {
                if (over == OUT || men >> over & 1 != 0) && open(land) && !found.contains(&land) {
                    found.push(land);
                }
            }
            let Some(&next) = found.get(at) else { break };
            (here, at) = (next, at + 1);
        }
        let steps = self.steps[from].iter().copied().filter(|&to| open(to) && !found.contains(&to));
        let steps: Vec<usize> = steps.collect();
        found.extend(steps);
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The results of a move of the winner (`side` 0) or of the loser on the base, each army as a set, with its cost.
    fn moves(&self, armies: [u32; 2], side: usize) -> Vec<([u32; 2], usize)> {
        let men = armies[0] | armies[1];
        // A man moves outside.
        let mut moves = vec![(armies, 1)];
        let places = (0..self.cells).filter(|cell| armies[side] >> cell & 1 != 0);
        for from in places.chain([OUT]) {
            for to in self.reach(from, men) {
                let bit = |cell: usize| if cell == OUT { 0 } else { 1 << cell };
                let mut after = armies;
                after[side] = armies[side] & !bit(from) | bit(to);
                // The side's own direction is free, staying costs one, the wrong direction two.
                let cost = match (from == OUT, to == OUT) {
                    (true, true) => continue,
                    (true, false) => [0, 2][side],
                    (false, true) => [2, 0][side],
                    (false, false) => 1,
                };
                moves.push((after, cost));
            }
        }
        moves
    }
}

/// The number of a content in base three: 1 for a man of the winner, 2 for one of the loser.
fn content([winner, loser]: [u32; 2], cells: usize) -> usize {
    (0..cells).rev().fold(0, |n, cell| 3 * n + (winner >> cell & 1) as usize + 2 * (loser >> cell & 1) as usize)
}

/// The least σ by turn (the winner's first), λ and content, [`BUDGET`] where it is that or more.
fn least(base: &Base) -> [Vec<Vec<u8>>; 2] {
    let all = 3usize.pow(base.cells as u32);
    let armies = |content: usize| {
        let digit = |cell: usize, wanted: usize| u32::from(content / 3usize.pow(cell as u32) % 3 == wanted) << cell;
        [1, 2].map(|wanted| (0..base.cells).map(|cell| digit(cell, wanted)).sum::<u32>())
    };
    // Content by content: the result and, in the two lowest bits, the cost of each move.
    let moves = [0, 1].map(|side| {
        let (mut all_moves, mut ends) = (Vec::with_capacity(all * MOVES * base.cells), vec![0]);
        for at in 0..all {
            let moves = base.moves(armies(at), side);
            all_moves.extend(moves.into_iter().map(|(to, cost)| (content(to, base.cells) << 2 | cost) as u32));
            ends.push(all_moves.len());
        }
        (all_moves, ends)
    });
    let moves_from = |side: usize, at: usize| {
        let (all_moves, ends) = &moves[side];
        all_moves[ends[at]..ends[at + 1]].iter().map(|&coded| (coded as usize >> 2, coded as usize & 3))
    };
    let full = content([(1 << base.cells) - 1, 0], base.cells);
    let mut least = [0, 1].map(|_| vec![vec![BUDGET as u8; all]; BUDGET]);
    for lambda in 0..BUDGET {
        for turn in &mut least {
            turn[lambda][full] = 0;
        }
        // Values only decrease; when none does, they are final.
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..all {
                let winner = moves_from(0, at).map(|(to, cost)| least[1][lambda][to] + cost as u8);
                let loser = moves_from(1, at).filter(|(_, cost)| *cost <= lambda);
                let loser = loser.map(|(to, cost)| least[0][lambda - cost][to]);
                for (turn, found) in [winner.min(), loser.min()].into_iter().enumerate() {
                    let value = &mut least[turn][lambda][at];
                    if let Some(found) = found.filter(|found| found < value) {
                        (*value, changed) = (found, true);
                    }
                }
            }
        }
    }
    least
}

/// The size of the tables for such a base, in bytes.
pub(super) fn bytes(goal: &[u8]) -> u64 {
    let cells = goal.len();
    // By content: a number of four bytes for each side's moves, where these end, and the values.
    let content = 2 * (4 * MOVES * cells + 8 + BUDGET);
    if cells > MOST { 0 } else { 3u64.pow(cells as u32) * content as u64 }
}

/// The bound `packing`: the position is lost if the game of the base is, with costs of at most σ and λ.
pub(super) fn bound(board: &Board, goal: &[u8]) -> Bound {
    if goal.len() > MOST {
        return Box::new(|_| true);
    }
    let (least, base) = (least(&Base::new(board, goal)), Set::of(goal));
    let mut weight = vec![0usize; board.len()];
    goal.iter().enumerate().for_each(|(i, &cell)| weight[usize::from(cell)] = 3usize.pow(i as u32));
    Box::new(move |it| {
        let weigh = |army: &[u8]| army.iter().map(|&c| weight[usize::from(c)]).sum::<usize>();
        let at = weigh(it.winner) + 2 * weigh(it.loser);
        let lambda = it.loser_moves() - it.loser.iter().filter(|&&c| base.has(c)).count() as i32;
        let (Ok(sigma), Ok(lambda)) = (usize::try_from(it.slack), usize::try_from(lambda)) else { return false };
        let turn = usize::from(!it.winner_to_move());
        lambda >= BUDGET || usize::from(least[turn][lambda][at]) <= sigma
    })
}
