//! Move generation from the tables: a step, or a chain of jumps.

use super::board::Board;

/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Set([u64; 4]);

impl Set {
    pub fn of(cells: &[u8]) -> Self {
        let mut set = Self::default();
        cells.iter().for_each(|&c| set.flip(c));
        set
    }

    #[inline]
    pub fn has(&self, cell: u8) -> bool {
        self.0[usize::from(cell >> 6)] >> (cell & 63) & 1 != 0
    }

    #[inline]
    pub fn flip(&mut self, cell: u8) {
        self.0[usize::from(cell >> 6)] ^= 1 << (cell & 63);
    }

    /// Its cells, ascending.
    #[inline]
    pub fn cells(self) -> impl Iterator<Item = u8> {
        (0..4u8).flat_map(move |word| {
            let mut rest = self.0[usize::from(word)];
            std::iter::from_fn(move || {
                let lowest = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
                rest &= rest - 1;
                Some(word << 6 | lowest)
            })
        })
    }
}

/// Puts into `found` the cells that the man on `from` can reach; `men` are all men, he among them.
#[inline]
pub(super) fn destinations(board: &Board, mut men: Set, from: u8, jumps_only: bool, found: &mut Vec<u8>) {
    found.clear();
    men.flip(from);
    let mut seen = Set::default();
    seen.flip(from);
    // He is off the board while he jumps: his own cell is empty. `found[..at]` have been expanded.
    let (mut here, mut at) = (from, 0);
    loop {
        for &(over, land) in &board.jumps[usize::from(here)] {
            if men.has(over) && !men.has(land) && !seen.has(land) {
                seen.flip(land);
                found.push(land);
            }
        }
        let Some(&next) = found.get(at) else { break };
        (here, at) = (next, at + 1);
    }
    if !jumps_only {
        for &to in &board.steps[usize::from(from)] {
            if !men.has(to) && !seen.has(to) {
                seen.flip(to);
                found.push(to);
            }
        }
    }
}

/// Plays a written move, as in `a4-c2-e2`: every landing must be a step or a jump. Returns where it leads.
pub(super) fn play(board: &Board, men: Set, written: &str, jumps_only: bool) -> Result<(u8, u8), String> {
    let cells = written.split('-').map(|name| board.cell(name)).collect::<Result<Vec<_>, _>>()?;
    let [from, .., to] = cells[..] else { return Err(format!("{written} is no move")) };
    if !men.has(from) {
        return Err(format!("nobody stands on {}", board.name(from)));
    }
    let mut others = men;
    others.flip(from);
    if let [_, to] = cells[..]
        && !jumps_only
        && board.steps[usize::from(from)].contains(&to)
        && !men.has(to)
    {
        return Ok((from, to));
    }
    for pair in cells.windows(2) {
        let jumps = &board.jumps[usize::from(pair[0])];
        if others.has(pair[1]) || !jumps.iter().any(|&(over, land)| land == pair[1] && others.has(over)) {
            return Err(format!("{}-{} is no jump", board.name(pair[0]), board.name(pair[1])));
        }
    }
    if from == to { Err(format!("{written} goes nowhere")) } else { Ok((from, to)) }
}
