//! Packing: a pattern database over the contents of the base.
//!
//! The base is both the loser's start and the winner's goal, and its inner cells are reached and left only past its
//! outer ones. Keep only the base: which of its cells the winner holds, which the loser, which are empty, and whose
//! turn it is. Outside the base everything is allowed. Then a move is
//! - of the winner: into the base, at no cost; within it or outside it, costing 1; out of it, costing 2;
//! - of the loser: out of the base, at no cost; within it or outside it, costing 1; into it, costing 2.
//!
//! The winner's costs over the rest of the game sum up to the slack σ, since each move that remains either takes a man
//! in or costs; likewise the loser's to λ = loser's moves - loser's men in the base, since that army has to be out at the
//! end. So the position is lost if this game of the base cannot be won with costs of at most σ and λ.
//!
//! *Proof of the abstraction.* A chain that enters, leaves or crosses the base jumps over men in the base, who are known, and over
//! men outside, who are assumed; it lands on empty cells of the base, which are known, and outside, where all is allowed.
//! Every real move is therefore one of these, with its real cost.
//!
//! The values are tabulated: for each of the 3^n contents of the base, either side's turn and each λ below `BUDGET`
//! the least σ. This is a pattern database over the base, exact where the two armies meet in it. It implies count and
//! vacate. Bases of more than `MOST` cells are not tabulated, and this bound then says nothing.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::{GameBound, Position, goal};

/// Values of σ and λ below this are distinguished.
const BUDGET: usize = 8;

/// The most cells of a tabulated base: 3^11 contents.
const MOST: usize = 11;

/// The bound.
pub struct Packing<const W: usize> {
    base: Cells<W>,
    cells: Vec<usize>,
    /// By cell of the board: its digit's weight in contents, 0 outside the base.
    weight: Vec<u32>,
    /// By content, turn (winner's first) and λ: the least σ, `BUDGET` where it is that or more.
    least: Vec<u8>,
    /// Sums of powers of three.
    ternary: Vec<u32>,
}

/// A content with a turn: where its values begin in the table, whether the winner has filled the base, and the range of
/// its moves in the list of all moves.
struct Row {
    at: usize,
    turn: usize,
    won: bool,
    moves: std::ops::Range<usize>,
}

/// The values by λ before a move of the loser that costs so much, from those after it.
fn paid(after: [u8; BUDGET], cost: u8) -> [u8; BUDGET] {
    let mut values = [BUDGET as u8; BUDGET];
    values[cost.into()..].copy_from_slice(&after[..BUDGET - usize::from(cost)]);
    values
}

/// The moves inside the base. Cells have the base's own numbers; sets have one bit a cell.
struct Inside {
    cells: usize,
    /// Cells beside a cell outside.
    border: u32,
    steps: Vec<u32>,
    /// Jumps between two of its cells, by the cell jumped from: (over, landing); over is `None` outside.
    jumps: Vec<Vec<(Option<u8>, u8)>>,
    /// Jumps between a cell outside and one of its cells, by the latter: the cell jumped over.
    doors: Vec<Vec<Option<u8>>>,
}

impl Inside {
    fn new<const W: usize>(game: &Game, base: Cells<W>) -> Self {
        let lattice = &game.lattice;
        let list: Vec<usize> = base.iter().collect();
        let own = |c: usize| list.iter().position(|&b| b == c).map(|i| i as u8);
        let mut inside = Self {
            cells: list.len(),
            border: 0,
            steps: vec![0; list.len()],
            jumps: vec![Vec::new(); list.len()],
            doors: vec![Vec::new(); list.len()],
        };
        for (i, &cell) in list.iter().enumerate() {
            for &n in lattice.neighbours(cell) {
                match own(n.into()) {
                    Some(j) => inside.steps[i] |= 1 << j,
                    None => inside.border |= 1 << i,
                }
            }
        }
        for over in 0..lattice.len() {
            for &(a, b) in lattice.jumps_over(over) {
                for (a, b) in [(a, b), (b, a)] {
                    match (own(a.into()), own(b.into())) {
                        (Some(a), Some(b)) => inside.jumps[usize::from(a)].push((own(over), b)),
                        (Some(a), None) => inside.doors[usize::from(a)].push(own(over)),
                        _ => {}
                    }
                }
            }
        }
        inside
    }

    /// Whether a jump leads straight from outside to `cell` or back.
    fn door(&self, cell: usize, men: u32) -> bool {
        self.doors[cell].iter().any(|over| over.is_none_or(|o| men >> o & 1 != 0))
    }

    /// The empty cells that chains from `sources` (cells, occupied or not) reach within the base.
    fn flood(&self, mut sources: u32, men: u32) -> u32 {
        let mut reached = 0;
        while sources != 0 {
            let cell = sources.trailing_zeros() as usize;
            sources &= sources - 1;
            for &(over, landing) in &self.jumps[cell] {
                let bit = 1 << landing;
                if (reached | men) & bit == 0 && over.is_none_or(|o| men >> o & 1 != 0) {
                    reached |= bit;
                    sources |= bit;
                }
            }
        }
        reached
    }

    /// The empty cells that a man from outside can come to by jumps.
    fn enterable(&self, men: u32) -> u32 {
        let open: u32 = (0..self.cells).filter(|&c| men >> c & 1 == 0 && self.door(c, men)).map(|c| 1 << c).sum();
        open | self.flood(open, men)
    }

    /// Where the man on `cell` can go: the empty cells of the base, and whether he can leave.
    fn moves(&self, cell: usize, men: u32, enterable: u32) -> (u32, bool) {
        let chain = self.flood(1 << cell, men);
        // The cells that jumps connect with the outside are exactly the enterable ones.
        let leaves = self.door(cell, men) || chain & enterable != 0;
        let within = chain | if leaves { enterable } else { 0 } | self.steps[cell] & !men;
        (within, leaves || self.border >> cell & 1 != 0)
    }
}

impl<const W: usize> Packing<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        let base: Cells<W> = goal(game, winner);
        let cells: Vec<usize> = base.iter().collect();
        let mut bound =
            Self { base, cells, weight: vec![0; game.lattice.len()], least: Vec::new(), ternary: Vec::new() };
        if bound.cells.len() <= MOST {
            bound.ternary = (0..1u32 << bound.cells.len())
                .map(|set| (0..bound.cells.len()).map(|i| (set >> i & 1) * 3u32.pow(i as u32)).sum())
                .collect();
            for (i, &c) in bound.cells.iter().enumerate() {
                bound.weight[c] = 3u32.pow(i as u32);
            }
            bound.tabulate(&Inside::new(game, base));
        }
        bound
    }

    /// Fills the table. Every value begins at infinity and is lowered to what one of its moves gives, until none changes.
    /// Only one table has such values: a move that costs nothing leads to more progress (men of the winner in, men of the
    /// loser out), and all others lower σ or λ. In the order of progress that takes few rounds.
    fn tabulate(&mut self, inside: &Inside) {
        let n = self.cells.len();
        let all = (1u32 << n) - 1;
        let mut contents: Vec<(u32, u32)> = Vec::new();
        for winner in 0..=all {
            let rest = all & !winner;
            let mut loser = rest;
            loop {
                contents.push((winner, loser));
                if loser == 0 {
                    break;
                }
                loser = (loser - 1) & rest;
            }
        }
        contents.sort_by_key(|(winner, loser)| loser.count_ones() as i32 - winner.count_ones() as i32);
        self.least = vec![BUDGET as u8; 3usize.pow(n as u32) * 2 * BUDGET];
        let mut moves: Vec<(u32, u8)> = Vec::new();
        let mut rows: Vec<Row> = Vec::new();
        for (winner, loser) in contents {
            for (turn, list) in self.moves(inside, (winner, loser)).into_iter().enumerate() {
                let first = moves.len();
                moves.extend(list);
                let at = (self.content(winner, loser) as usize * 2 + turn) * BUDGET;
                rows.push(Row { at, turn, won: winner == all, moves: first..moves.len() });
            }
        }
        loop {
            let mut changed = false;
            for row in &rows {
                let before = self.values(row.at);
                let mut best = if row.won { [0; BUDGET] } else { before };
                for &(next, cost) in &moves[row.moves.clone()] {
                    let next = self.values((next as usize * 2 + 1 - row.turn) * BUDGET);
                    let value = if row.turn == 0 { next.map(|sigma| sigma + cost) } else { paid(next, cost) };
                    best.iter_mut().zip(value).for_each(|(best, value)| *best = value.min(*best));
                }
                if best != before {
                    self.least[row.at..row.at + BUDGET].copy_from_slice(&best);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The least σ by λ, from this place of the table on.
    fn values(&self, at: usize) -> [u8; BUDGET] {
        std::array::from_fn(|lambda| self.least[at + lambda])
    }

    fn content(&self, winner: u32, loser: u32) -> u32 {
        self.ternary[winner as usize] + 2 * self.ternary[loser as usize]
    }

    /// The contents that a move of the winner and one of the loser can lead to, with their costs.
    fn moves(&self, inside: &Inside, (winner, loser): (u32, u32)) -> [Vec<(u32, u8)>; 2] {
        let men = winner | loser;
        let by_jumps = inside.enterable(men);
        let by_any_move = by_jumps | inside.border & !men;
        let bits = |set: u32| (0..self.cells.len()).filter(move |c| set >> c & 1 != 0);
        let mut moves = [vec![(self.content(winner, loser), 1)], vec![(self.content(winner, loser), 1)]];
        for to in bits(by_any_move) {
            moves[0].push((self.content(winner | 1 << to, loser), 0));
            moves[1].push((self.content(winner, loser | 1 << to), 2));
        }
        for from in bits(men) {
            let mine = winner >> from & 1 != 0;
            let after = |to: Option<usize>| {
                let to = to.map_or(0, |t| 1 << t);
                if mine {
                    self.content(winner & !(1 << from) | to, loser)
                } else {
                    self.content(winner, loser & !(1 << from) | to)
                }
            };
            let (within, leaves) = inside.moves(from, men, by_jumps);
            let list = &mut moves[usize::from(!mine)];
            list.extend(bits(within).map(|to| (after(Some(to)), 1)));
            if leaves {
                list.push((after(None), if mine { 2 } else { 0 }));
            }
        }
        moves
    }

    /// The content of the base in a position.
    fn content_of(&self, position: &Position<W>) -> u32 {
        let mut content = 0;
        (position.winner & self.base).for_each(|c| content += self.weight[c]);
        (position.loser & self.base).for_each(|c| content += 2 * self.weight[c]);
        content
    }

    /// Whether these contents can be won with these costs; `turn` is 0 if the winner is to move.
    #[inline]
    fn good(&self, content: u32, turn: usize, sigma: i32, lambda: i32) -> bool {
        // Neither may be negative. Larger λ are not tabulated, and a least σ of BUDGET may be more than that.
        let (Ok(lambda), Ok(sigma)) = (usize::try_from(lambda), usize::try_from(sigma)) else { return false };
        lambda >= BUDGET || usize::from(self.least[(content as usize * 2 + turn) * BUDGET + lambda]) <= sigma
    }
}

impl<const W: usize> GameBound<W> for Packing<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        if self.least.is_empty() {
            return true;
        }
        let content = self.content_of(position);
        let turn = usize::from(!position.winner_to_move());
        self.good(content, turn, position.slack(self.base), position.spare(self.base))
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        if self.least.is_empty() {
            return;
        }
        let winner = position.winner_to_move();
        let (turn, digit) = if winner { (1, 1) } else { (0, 2) };
        let content = self.content_of(position);
        let (sigma, lambda) = (position.slack(self.base), position.spare(self.base));
        // The winner pays for moves that do not enter, the loser for moves that do not leave; see above.
        let good = |content: u32, cost: i32| {
            if winner {
                self.good(content, turn, sigma - cost, lambda)
            } else {
                self.good(content, turn, sigma, lambda - cost)
            }
        };
        let (enter, leave) = if winner { (0, 2) } else { (2, 0) };
        let elsewhere = good(content, 1);
        for (&man, reach) in men.iter().zip(reach) {
            if reach.is_empty() {
                continue;
            }
            let inside = self.base.contains(man.into());
            let lifted = content - digit * self.weight[usize::from(man)];
            let outside = if inside { !(*reach & !self.base).is_empty() && good(lifted, leave) } else { elsewhere };
            let cost = if inside { 1 } else { enter };
            let mut kept = if outside { *reach & !self.base } else { Cells::EMPTY };
            (*reach & self.base).for_each(|to| {
                if good(lifted + digit * self.weight[to], cost) {
                    kept.add(to);
                }
            });
            *reach = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::lattice::Rule;
    use halma_rules::moves::destinations;
    use proptest::prelude::*;

    proptest! {
        /// What the proof of the abstraction says: whatever stands outside, no move of the board is missing inside.
        #[test]
        fn every_move_into_within_and_out_of_the_base_is_one_of_the_table_s(
            rule in prop_oneof![Just(Rule::Four), Just(Rule::Six), Just(Rule::Eight)],
            thin: bool,
            draws in proptest::collection::vec(any::<[bool; 2]>(), 81),
        ) {
            let game = Game::named("9x9", rule, "triangle-4").unwrap();
            let base: Cells<2> = goal(&game, Side::Red);
            let cells: Vec<usize> = base.iter().collect();
            let number = |c: usize| cells.iter().position(|&b| b == c);
            let occupied: Vec<bool> = draws.iter().map(|&[a, b]| a && (b || !thin)).collect();
            let inside = Inside::new(&game, base);
            let men = cells.iter().enumerate().map(|(i, &c)| u32::from(occupied[c]) << i).sum();
            let by_jumps = inside.enterable(men);
            for man in (0..81).filter(|&c| occupied[c]) {
                let (within, leaves) = match number(man) {
                    Some(from) => inside.moves(from, men, by_jumps),
                    None => (by_jumps | inside.border & !men, true),
                };
                for to in destinations(&game.lattice, &occupied, man, false) {
                    match number(to) {
                        Some(to) => prop_assert!(within >> to & 1 != 0, "{man} to {}", cells[to]),
                        None => prop_assert!(leaves, "{man} leaves for {to}"),
                    }
                }
            }
        }
    }
}
