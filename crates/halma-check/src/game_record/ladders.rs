//! The ladder bounds of games: they count lines (diagonals, columns and rows) toward the winner's goal.
//!
//! Lines are numbered so that the goal lies at the upper end, with its lowest cell on line `front`. A step changes the
//! line by at most `stride`; a jump that changes it by 2k goes over a man k lines on.

use super::look::{Bound, Look};
use crate::board::Board;

/// The most lines of a direction that is used.
const MOST: usize = 32;

/// The most lines below the front that the gaps table distinguishes; all lower ones count as occupied.
const WINDOW: usize = 13;

struct Lines {
    of: Vec<usize>,
    front: usize,
    stride: i32,
}

impl Lines {
    /// The lines on which a x + b y is constant, seen from `start` toward `goal`.
    fn new(board: &Board, start: &[u8], goal: &[u8], (a, b): (i32, i32)) -> Self {
        let value = |(x, y): (i32, i32)| a * x + b * y;
        let sum = |cells: &[u8]| cells.iter().map(|&c| value(board.places[usize::from(c)])).sum::<i32>();
        let sign = if sum(goal) < sum(start) { -1 } else { 1 };
        let values: Vec<i32> = board.places.iter().map(|&place| sign * value(place)).collect();
        let lowest = values.iter().copied().min().unwrap_or(0);
        let of: Vec<usize> = values.iter().map(|v| (v - lowest) as usize).collect();
        let front = goal.iter().map(|&c| of[usize::from(c)]).min().unwrap_or(0);
        let stride = board.directions.iter().map(|&step| value(step).abs()).max().unwrap_or(0);
        Self { of, front, stride }
    }

    /// Diagonals, columns and rows of strides up to `widest`.
    fn all(board: &Board, start: &[u8], goal: &[u8], widest: i32) -> Vec<Self> {
        let all = [(1, 1), (1, 0), (0, 1)].map(|direction| Self::new(board, start, goal, direction));
        all.into_iter().filter(|l| l.stride <= widest && l.of.iter().all(|&line| line < MOST)).collect()
    }

    fn line(&self, cell: u8) -> usize {
        self.of[usize::from(cell)]
    }

    /// Whether a man of either army is on each line.
    fn occupied(&self, it: &Look) -> [bool; MOST] {
        let mut occupied = [false; MOST];
        it.winner.iter().chain(it.loser).for_each(|&c| occupied[self.line(c)] = true);
        occupied
    }

    /// The winner's men outside the base, by line.
    fn outside<'a>(&'a self, base: &'a [bool], it: &'a Look) -> impl Iterator<Item = usize> {
        it.winner.iter().filter(|&&c| !base[usize::from(c)]).map(|&c| self.line(c))
    }

    /// The missing rungs of a man on a line who enters by jumps alone: lines + 1, + 3, ... below the front without a
    /// man.
    fn missing(&self, line: usize, occupied: &[bool; MOST]) -> usize {
        (line + 1..self.front).step_by(2).filter(|&rung| !occupied[rung]).count()
    }
}

fn set(board: &Board, cells: &[u8]) -> Vec<bool> {
    (0..board.len()).map(|c| cells.contains(&(c as u8))).collect()
}

/// T of the relaxed game on lines: the least number of moves, of both sides, up to and including the next entry.
struct Ladder {
    window: usize,
    /// Whether there are lines below the window. They count as occupied, 0 and 1 stand for them; the window begins with
    /// 2.
    below: bool,
    /// By occupied lines of the window and by the highest man on even and on odd lines (0 for none, else one more).
    table: Vec<u8>,
}

const UNKNOWN: u8 = u8::MAX;
const NEVER: u8 = u8::MAX - 1;

impl Ladder {
    fn new(front: usize) -> Self {
        let window = front.min(WINDOW);
        let mut ladder = Self { window, below: front > window, table: vec![UNKNOWN; 1 << (window + 8)] };
        let men = |parity: usize| [None].into_iter().chain((parity..window + 2).step_by(2).map(Some));
        for occupied in 0..1 << window {
            for even in men(0) {
                for odd in men(1) {
                    ladder.fill(occupied, [even, odd]);
                }
            }
        }
        ladder
    }

    fn at(occupied: usize, men: [Option<usize>; 2]) -> usize {
        let [even, odd] = men.map(|man| man.map_or(0, |line| line / 2 + 1));
        occupied << 8 | even << 4 | odd
    }

    fn fill(&mut self, occupied: usize, men: [Option<usize>; 2]) -> u8 {
        let at = Self::at(occupied, men);
        if self.table[at] == UNKNOWN {
            self.table[at] = self.solve(occupied, men);
        }
        self.table[at]
    }

    /// Moves only ever occupy lines and raise men, so the iteration ends.
    fn solve(&mut self, occupied: usize, men: [Option<usize>; 2]) -> u8 {
        let front = self.window + 2;
        let below = self.below;
        let taken = |line: usize| if line < 2 { below } else { line >= front || occupied >> (line - 2) & 1 != 0 };
        let mut least = NEVER - 1;
        // A man goes to a line beside an occupied one.
        for line in 2..front {
            if !taken(line) && (taken(line - 1) || taken(line + 1)) {
                least = least.min(self.fill(occupied | 1 << (line - 2), men));
            }
        }
        // A man of the winner steps, or jumps as far as lines are occupied.
        for man in men.into_iter().flatten() {
            let jumps = (man + 2..).step_by(2).take_while(|to| *to < front + 2 && taken(to - 1));
            for to in jumps.chain([man + 1]).chain(man.checked_sub(1)) {
                if to >= front {
                    return 1;
                }
                let mut men = men;
                if men[to % 2].is_none_or(|highest| highest < to) {
                    men[to % 2] = Some(to);
                    let stands = if to < 2 { 0 } else { 1 << (to - 2) };
                    least = least.min(self.fill(occupied | stands, men));
                }
            }
        }
        least + 1
    }

    /// T for the lines of a position.
    fn next_entry(&self, lines: &Lines, base: &[bool], it: &Look) -> i32 {
        let edge = lines.front - self.window;
        let mut men = [None; 2];
        for line in lines.outside(base, it) {
            if line >= lines.front {
                return 1;
            }
            // A man below the window stands at its edge, on a line of his parity.
            let parity = (line + edge) % 2;
            let here = Some((line + 2).saturating_sub(edge).max(parity));
            men[parity] = men[parity].max(here);
        }
        let taken = lines.occupied(it);
        let occupied = (0..self.window).filter(|line| taken[edge + line]).map(|line| 1 << line).sum();
        self.table[Self::at(occupied, men)].into()
    }
}

/// The bound `diagonal-gaps` (lemma 23): the next entry has to wait until a ladder can be there.
pub(super) fn gaps(board: &Board, start: &[u8], goal: &[u8]) -> Bound {
    let base = set(board, goal);
    let lines = Lines::all(board, start, goal, 1).into_iter().map(|lines| (Ladder::new(lines.front), lines));
    let lines: Vec<(Ladder, Lines)> = lines.collect();
    Box::new(move |it| {
        if it.outside == 0 {
            return true;
        }
        lines.iter().all(|(ladder, lines)| {
            // The winner makes the entering move.
            let mut time = ladder.next_entry(lines, &base, it);
            time += (time + it.remaining) % 2;
            if it.outside < it.winner.len() as i32 {
                // Or a man inside leaves and comes back.
                time = time.min(if it.winner_to_move() { 5 } else { 6 });
            }
            time + 2 * (it.outside - 1) <= it.remaining
        })
    })
}

/// The bound `two-ladders`: without slack the loser alone completes the ladders of the lowest even and of the lowest
/// odd man.
pub(super) fn two(board: &Board, start: &[u8], goal: &[u8]) -> Bound {
    let base = set(board, goal);
    let lines = Lines::all(board, start, goal, 1);
    Box::new(move |it| {
        if it.slack != 0 {
            return it.slack > 0;
        }
        lines.iter().all(|lines| {
            let occupied = lines.occupied(it);
            let lowest = |parity: usize| lines.outside(&base, it).filter(|line| line % 2 == parity).min();
            let missing: usize = [0, 1].into_iter().filter_map(lowest).map(|l| lines.missing(l, &occupied)).sum();
            missing as i32 <= it.loser_moves()
        })
    })
}

/// The missing rungs of men if a step changes the line by two: shortest paths over lines, forward and back.
fn costs(lines: &Lines, occupied: &[bool; MOST]) -> [usize; MOST] {
    // Within a step of the front no rung is needed; never more than all lines.
    let mut cost = std::array::from_fn(|line| if line + 2 >= lines.front { 0 } else { MOST });
    let weight = |rung: usize| usize::from(rung < lines.front && !occupied[rung]);
    loop {
        let before = cost;
        for line in 0..lines.front {
            for by in [1, 2] {
                if let Some(&beyond) = cost.get(line + 2 * by) {
                    cost[line] = cost[line].min(beyond + weight(line + by));
                }
                if line >= 2 * by {
                    cost[line] = cost[line].min(cost[line - 2 * by] + weight(line - by));
                }
            }
        }
        if cost == before {
            return cost;
        }
    }
}

/// The bound `hall`: without slack the ladders must grow as fast as men enter, since only so many fills precede the
/// k-th entry.
pub(super) fn hall(board: &Board, start: &[u8], goal: &[u8]) -> Bound {
    let base = set(board, goal);
    let lines = Lines::all(board, start, goal, 2);
    Box::new(move |it| {
        if it.slack != 0 {
            return it.slack > 0;
        }
        lines.iter().all(|lines| {
            let occupied = lines.occupied(it);
            // How many men on lines of each parity wait for so many fills. If steps are wide, parities share fills.
            let mut waiting = [[0; MOST + 1]; 2];
            let wide = (lines.stride == 2).then(|| costs(lines, &occupied));
            for line in lines.outside(&base, it) {
                match wide {
                    Some(cost) => waiting[0][cost[line]] += 1,
                    None => waiting[line % 2][lines.missing(line, &occupied)] += 1,
                }
            }
            let within = |parity: usize, fills: usize| waiting[parity][..=fills.min(MOST)].iter().sum::<i32>();
            let first = usize::from(!it.winner_to_move());
            (1..=it.outside).all(|k| {
                let fills = k as usize - 1 + first;
                (0..=fills).any(|even| within(0, even) + within(1, fills - even) >= k)
            })
        })
    })
}
