//! Diagonal gaps: an admissible bound by the time until a ladder can reach the base, from a relaxed game on lines that
//! is tabulated.
//!
//! Let T be the least number of moves, of both sides, up to and including the next one that enters. Then T + 2(s - 1) <=
//! remaining: s - 1 men are outside after it. (If a man inside leaves and re-enters first, s + 1 entries and his
//! leaving are s + 2 winner's moves, as if T were 5 with the winner to move and 6 with the loser; the bound takes the
//! smaller of the two where a man is inside.)
//!
//! A lower bound for T comes from an easier game on the lines of one direction ([`Lines::simple`]), in which occupied
//! lines stay occupied and the winner's men are also still wherever they have been:
//! - a move occupies at most one more line, and that one beside an occupied line: a step ends beside the line it leaves, a jump
//!   beside the man it went over or on his line;
//! - a man of the winner on line a steps to a ± 1, or jumps on to a + 2, a + 4, ... while the lines between are occupied;
//! - he has entered when he is past the last line below the front; lines from the front on count as occupied.
//!
//! Every game is a game of this kind, so its T is at most the real one. Of two men on lines of one parity the higher one can do
//! all that matters, so T depends on the occupied lines and on the highest man of each parity: a table, filled once.
//! It covers the runs of empty diagonals that both armies have to close before the first entry, a run of g lines costing g - 1
//! moves and a single one 0 or 1 by its parity, and what steps by the entering man save.
//!
//! Lines more than [`WINDOW`] below the front count as occupied, and a man there as standing at the window's edge.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::lines::{EVEN, Lines, View, ViewBound};
use super::{GameBound, Position, goal};

/// The most lines below the front that the table tells apart.
const WINDOW: usize = 13;

/// The bound.
pub struct DiagonalGaps<const W: usize> {
    base: Cells<W>,
    lines: Vec<Gaps<W>>,
}

/// The lines of one direction with their table.
pub(super) struct Gaps<const W: usize> {
    pub(super) lines: Lines<W>,
    table: EntryTimes,
}

/// T of the easier game. Lines are counted from the window's lower edge: 2 is the lowest line in it, 0 and 1 stand for
/// all below.
struct EntryTimes {
    /// Lines in the window.
    window: usize,
    /// Whether there are lines below it.
    below: bool,
    /// By occupied lines, then by the highest even and odd man, 0 for none.
    moves: Vec<u8>,
}

impl EntryTimes {
    /// For lines with this front, of which no more than `window` below it are told apart.
    fn new(front: usize, window: usize) -> Self {
        let window = front.min(window);
        let mut table = Self { window, below: front > window, moves: vec![0; 1 << (window + 8)] };
        for occupied in (0..1u32 << window).rev() {
            for even in (0..=table.end().div_ceil(2)).rev() {
                for odd in (0..=table.end().div_ceil(2)).rev() {
                    let men = [even, odd].map(|h| h.checked_sub(1));
                    let men = [men[0].map(|h| 2 * h), men[1].map(|h| 2 * h + 1)];
                    if men.iter().flatten().all(|&h| h < table.end()) {
                        let at = table.index(occupied, men);
                        table.moves[at] = table.solve(occupied, men);
                    }
                }
            }
        }
        table
    }

    /// The front, counted from the window's edge.
    fn end(&self) -> usize {
        self.window + 2
    }

    fn index(&self, occupied: u32, men: [Option<usize>; 2]) -> usize {
        let [even, odd] = men.map(|m| m.map_or(0, |h| h / 2 + 1));
        // Positions that follow each other in a level often have the same men.
        (even << 4 | odd) << self.window | occupied as usize
    }

    fn get(&self, occupied: u32, men: [Option<usize>; 2]) -> u8 {
        self.moves[self.index(occupied, men)]
    }

    fn is_occupied(&self, occupied: u32, line: usize) -> bool {
        match line {
            0 | 1 => self.below,
            _ => line >= self.end() || occupied >> (line - 2) & 1 != 0,
        }
    }

    /// One more than the least value that a move leads to; all states that a move can lead to have been solved before.
    fn solve(&self, occupied: u32, men: [Option<usize>; 2]) -> u8 {
        let end = self.end();
        let taken = |line| self.is_occupied(occupied, line);
        let mut least = u8::MAX - 1;
        for line in 2..end {
            if !taken(line) && (taken(line - 1) || taken(line + 1)) {
                least = least.min(self.get(occupied | 1 << (line - 2), men));
            }
        }
        for man in men.into_iter().flatten() {
            let jumps = (1..=end).take_while(|k| man + 2 * k <= end + 1 && taken(man + 2 * k - 1)).map(|k| man + 2 * k);
            for line in jumps.chain([man + 1, man.saturating_sub(1)]) {
                if line >= end {
                    return 1;
                }
                let mut men = men;
                let highest = &mut men[line % 2];
                let occupied = if line >= 2 { occupied | 1 << (line - 2) } else { occupied };
                if highest.is_none_or(|h| h < line) {
                    *highest = Some(line);
                    least = least.min(self.get(occupied, men));
                }
            }
        }
        least + 1
    }
}

impl<const W: usize> Gaps<W> {
    /// The lines of one direction.
    pub(super) fn new(lines: Lines<W>) -> Self {
        Self { table: EntryTimes::new(lines.front, WINDOW), lines }
    }

    /// The least number of moves up to the next entry, so far as these lines tell.
    fn next_entry(&self, view: &View) -> u32 {
        let Self { lines, table } = self;
        let men = view.lines;
        if men >> lines.front != 0 {
            return 1;
        }
        let lowest = lines.front - table.window;
        // The highest man of each parity, counted from the window's edge, where parity 0 stands for lines like the edge's.
        let highest = [0, 1].map(|parity| {
            let like = (EVEN << ((lowest + parity) % 2)) & men;
            like.checked_ilog2().map(|line| (line as usize + 2).saturating_sub(lowest).max(parity))
        });
        let window = view.occupied >> lowest & ((1 << table.window) - 1);
        u32::from(table.get(window, highest))
    }
}

/// How soon a man inside could have left and come back, and the winner's men outside.
fn way_round(view: &View) -> (u32, i32) {
    (if view.winner_to_move() { 5 } else { 6 }, view.winner_moves() as i32 - view.slack)
}

impl<const W: usize> ViewBound for Gaps<W> {
    fn admits(&self, view: &View) -> bool {
        let (round, outside) = way_round(view);
        if outside == 0 {
            return true;
        }
        let mut time = self.next_entry(view);
        // The entering move is the winner's.
        time += (time + view.remaining) % 2;
        if view.inside > 0 {
            time = time.min(round);
        }
        time as i32 + 2 * (outside - 1) <= view.remaining as i32
    }

    fn passes(&self, view: &View) -> bool {
        let (round, outside) = way_round(view);
        view.inside > 0 && round as i32 + 2 * (outside - 1) <= view.remaining as i32
    }
}

impl<const W: usize> DiagonalGaps<W> {
    /// For games that `winner` wins.
    #[must_use]
    pub fn new(game: &Game, winner: Side) -> Self {
        Self { base: goal(game, winner), lines: Lines::simple(game, winner).into_iter().map(Gaps::new).collect() }
    }
}

impl<const W: usize> GameBound<W> for DiagonalGaps<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        self.lines.iter().all(|gaps| gaps.admits(&gaps.lines.view(self.base, position)))
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        for gaps in &self.lines {
            gaps.lines.filter(self.base, position, men, reach, gaps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_bounds::lines::MAX_LINES;

    /// Lines that are not told apart make the game easier, never harder.
    #[test]
    fn a_narrower_window_never_asks_for_more_moves() {
        let front = 8;
        let gaps = |window| Gaps {
            lines: Lines::<1> { of: Vec::new(), cells: Vec::new(), front, stride: 1 },
            table: EntryTimes::new(front, window),
        };
        let exact = gaps(front);
        for narrow in [3, 4, 5, 7].map(gaps) {
            let mut as_many = 0;
            for occupied in 0..1u32 << front {
                for lines in (0..=occupied).filter(|lines| lines & !occupied == 0 && *lines != 0) {
                    let view = View { occupied, lines, outside: [0; MAX_LINES], inside: 0, slack: 0, remaining: 40 };
                    let (less, all) = (narrow.next_entry(&view), exact.next_entry(&view));
                    assert!(less <= all, "lines {occupied:b}, men {lines:b}: {less} > {all}");
                    as_many += u32::from(less == all);
                }
            }
            // It tells something, too.
            assert!(as_many > 1000);
        }
    }
}
