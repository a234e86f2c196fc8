//! Parallel lines of cells toward the winner's goal (diagonals, columns or rows), which the ladder bounds share.
//!
//! Lines are numbered so that the goal lies at the upper end: every cell of the base is on line `front` or above. A
//! step changes the line by at most `stride`. A jump that changes the line by 2k goes over a man k lines on.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::Position;

/// The most lines that a direction may have to be used.
pub(crate) const MAX_LINES: usize = 32;

/// The even lines.
pub(super) const EVEN: u32 = 0x5555_5555;

/// The lines of one direction.
#[derive(Clone, Debug)]
pub struct Lines<const W: usize> {
    /// Line by cell.
    pub of: Vec<u8>,
    /// The cells of each line.
    pub cells: Vec<Cells<W>>,
    /// The lowest line with a cell of the base.
    pub front: usize,
    /// By how much a step changes the line at most.
    pub stride: usize,
}

impl<const W: usize> Lines<W> {
    /// The lines on which `a` x + `b` y is constant, as the winner sees them; `None` if there are too many.
    #[must_use]
    pub fn new(game: &Game, winner: Side, (a, b): (i32, i32)) -> Option<Self> {
        let board = &game.lattice.board;
        let value = |c: usize| {
            let (x, y) = board.xy(c);
            a * x + b * y
        };
        let sum = |cells: &[usize]| cells.iter().map(|&c| value(c)).sum::<i32>();
        let (start, goal) = (game.base(winner), game.base(winner.other()));
        let sign = if sum(goal) < sum(start) { -1 } else { 1 };
        let lowest = (0..board.len()).map(|c| sign * value(c)).min().unwrap_or(0);
        let numbers: Vec<usize> = (0..board.len()).map(|c| (sign * value(c) - lowest) as usize).collect();
        let count = numbers.iter().max().map_or(0, |&line| line + 1);
        if count > MAX_LINES {
            return None;
        }
        let of: Vec<u8> = numbers.into_iter().map(|line| line as u8).collect();
        let cells = (0..count).map(|l| (0..of.len()).filter(|&c| usize::from(of[c]) == l).collect()).collect();
        let front = goal.iter().map(|&c| usize::from(of[c])).min().unwrap_or(0);
        let stride = game.lattice.rule.axes().iter().map(|&(dx, dy)| (a * dx + b * dy).unsigned_abs()).max();
        Some(Self { of, cells, front, stride: stride.map_or(0, |s| s as usize) })
    }

    /// Diagonals x + y, columns and rows, if there are few enough.
    #[must_use]
    pub fn all(game: &Game, winner: Side) -> Vec<Self> {
        [(1, 1), (1, 0), (0, 1)].into_iter().filter_map(|direction| Self::new(game, winner, direction)).collect()
    }

    /// Those of them whose line a step changes by at most one.
    #[must_use]
    pub(crate) fn simple(game: &Game, winner: Side) -> Vec<Self> {
        Self::all(game, winner).into_iter().filter(|lines| lines.stride == 1).collect()
    }

    /// The line of a cell.
    #[inline]
    #[must_use]
    pub fn line(&self, cell: usize) -> usize {
        usize::from(self.of[cell])
    }

    /// The rungs below the front that a man on line `from` needs if he enters by jumps only: `from` + 1, `from` + 3,
    /// ...
    ///
    /// A rung on the front or above may be a man of the base, so none is required there.
    #[inline]
    #[must_use]
    pub fn rungs(&self, from: usize) -> u32 {
        let odd = (EVEN << 1) << from;
        odd & ((1u32 << self.front) - 1)
    }

    /// The rungs that the lowest men of both parities miss, if there are men on the lines `men`. Where a step changes
    /// the line by one, men higher up miss no others.
    #[inline]
    #[must_use]
    pub fn missing_rungs(&self, men: u32, occupied: u32) -> u32 {
        let rungs = [EVEN, EVEN << 1].map(|parity| {
            let lowest = (men & parity).trailing_zeros();
            if lowest < u32::BITS { self.rungs(lowest as usize) } else { 0 }
        });
        ((rungs[0] | rungs[1]) & !occupied).count_ones()
    }

    /// The view of the position from these lines, if the winner's goal is `base`.
    #[must_use]
    pub fn view(&self, base: Cells<W>, position: &Position<W>) -> View {
        let mut view = View {
            occupied: 0,
            lines: 0,
            outside: [0; MAX_LINES],
            inside: (position.winner & base).len() as u32,
            slack: position.slack(base),
            remaining: position.remaining,
        };
        (position.winner & !base).for_each(|c| {
            view.outside[self.line(c)] += 1;
            view.lines |= 1 << self.of[c];
        });
        (position.winner | position.loser).for_each(|c| view.occupied |= 1 << self.of[c]);
        view
    }

    /// [`GameBound::filter`](super::GameBound::filter) for a bound that judges views.
    pub fn filter(
        &self,
        base: Cells<W>,
        position: &Position<W>,
        men: &[u8],
        reach: &mut [Cells<W>],
        bound: &impl ViewBound,
    ) {
        let mut several = Several::default();
        (position.winner | position.loser).for_each(|c| several.add(1 << self.of[c]));
        let now = View { remaining: position.remaining - 1, ..self.view(base, position) };
        self.filter_from(&now, several.twice as u32, base, position, men, reach, bound);
    }

    /// The same, where `now` is the view of the position with the move gone, and `several` has the lines with several men.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn filter_from(
        &self,
        now: &View,
        several: u32,
        base: Cells<W>,
        position: &Position<W>,
        men: &[u8],
        reach: &mut [Cells<W>],
        bound: &impl ViewBound,
    ) {
        let mut shared = None;
        for i in 0..men.len() {
            if reach[i].is_empty() {
                continue;
            }
            let (man, line) = (usize::from(men[i]), self.line(usize::from(men[i])));
            let mut gone = View { occupied: now.occupied & !(!several & 1 << line), ..*now };
            if !position.winner_to_move() {
                let allowed = if several >> line & 1 == 0 {
                    self.allowed(&mut gone, false, reach[i], bound)
                } else {
                    // All men who leave another man behind on their line leave the same view.
                    *shared.get_or_insert_with(|| {
                        let targets = reach.iter().fold(Cells::EMPTY, |all, &reach| all | reach);
                        self.allowed(&mut gone, false, targets, bound)
                    })
                };
                reach[i] &= allowed;
                continue;
            }
            // If the move is the winner's, a man that stays outside uses up one unit of slack.
            let inside = base.contains(man);
            gone.slack -= 1 + i32::from(inside);
            if inside {
                gone.inside -= 1;
            } else {
                gone.outside[line] -= 1;
                gone.lines &= !(u32::from(gone.outside[line] == 0) << line);
            }
            let (within, without) = (reach[i] & base, reach[i] & !base);
            reach[i] = Cells::EMPTY;
            if !within.is_empty() {
                let mut entered = View { inside: gone.inside + 1, slack: gone.slack + 1, ..gone };
                reach[i] = within & self.allowed(&mut entered, false, within, bound);
            }
            if !without.is_empty() {
                reach[i] |= without & self.allowed(&mut gone, true, without, bound);
            }
        }
    }

    /// The cells among `targets` (or more) to which the man who was taken off the board in `gone` may go; `outside`: whether he is one of
    /// the winner's men outside the base.
    fn allowed(&self, gone: &mut View, outside: bool, targets: Cells<W>, bound: &impl ViewBound) -> Cells<W> {
        if bound.passes(gone) || (!outside && bound.admits(gone)) {
            return targets;
        }
        let (mut allowed, mut rest) = (Cells::EMPTY, targets);
        let View { occupied, lines, .. } = *gone;
        while let Some(target) = rest.lowest() {
            let to = self.line(target);
            let here = rest & self.cells[to];
            rest &= !here;
            if !outside && occupied >> to & 1 != 0 {
                continue;
            }
            gone.occupied = occupied | 1 << to;
            if outside {
                gone.lines = lines | 1 << to;
                gone.outside[to] += 1;
            }
            if bound.admits(gone) {
                allowed |= here;
            }
            if outside {
                gone.outside[to] -= 1;
            }
        }
        allowed
    }
}

/// Sets of which the members are counted as one or several.
#[derive(Clone, Copy, Default)]
pub(super) struct Several {
    /// The members.
    pub(super) once: u64,
    /// Those that came again.
    pub(super) twice: u64,
}

impl Several {
    #[inline]
    pub(super) fn add(&mut self, members: u64) {
        self.twice |= self.once & members;
        self.once |= members;
    }
}

/// A bound that judges views. It must be monotone: if it admits a view with fewer occupied lines, it admits the view.
/// So if a man's removal alone is admitted, he may go to any line.
pub trait ViewBound {
    /// Whether the bound admits the view.
    fn admits(&self, view: &View) -> bool;

    /// A sufficient test: whether it admits the view with one more man of the winner outside or one more occupied line,
    /// wherever that is. False if that cannot be told without looking at the lines.
    fn passes(&self, view: &View) -> bool;
}

/// A position as the lines of one direction show it.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The lines with a man of either army, one bit a line.
    pub occupied: u32,
    /// The lines with a winner's man outside the base, one bit a line.
    pub lines: u32,
    /// The winner's men outside the base, by line.
    pub outside: [u8; MAX_LINES],
    /// The winner's men in the base.
    pub inside: u32,
    /// The slack σ.
    pub slack: i32,
    /// Moves left.
    pub remaining: u32,
}

impl View {
    /// Whether the winner moves next.
    #[inline]
    #[must_use]
    pub fn winner_to_move(&self) -> bool {
        self.remaining % 2 == 1
    }

    /// How many of the remaining moves are the winner's.
    #[inline]
    #[must_use]
    pub(super) fn winner_moves(&self) -> u32 {
        self.remaining.div_ceil(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_rules::job::{self, Job};
    use halma_rules::lattice::Rule;

    #[test]
    fn diagonals_lead_from_one_base_to_the_other() {
        let game = Game::named("9x9", Rule::Six, "triangle-4").unwrap();
        for (side, corner) in [(Side::Blue, 80), (Side::Red, 0)] {
            let lines = Lines::<2>::new(&game, side, (1, 1)).unwrap();
            assert_eq!((lines.front, lines.stride, lines.line(corner)), (13, 1, 16));
            assert_eq!(lines.rungs(3), 1 << 4 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 12);
            assert_eq!(lines.rungs(0), 0b1010_1010_1010);
            assert_eq!(lines.rungs(12), 0);
        }
        assert_eq!(Lines::<2>::simple(&game, Side::Blue).len(), 3);
    }

    #[test]
    fn two_strips_that_lie_256_diagonals_apart_have_too_many_lines() {
        let mut rows = vec![vec!['#'; 140]; 140];
        for corner in [0, 128] {
            let strip = &mut rows[corner][corner..corner + 9];
            strip.fill('.');
            (strip[0], strip[8]) = ('S', 'T');
        }
        let map: Vec<String> = rows.into_iter().map(|row| row.into_iter().collect()).collect();
        let text = format!("[problem]\nkind = 'game'\nmoves = 4\nboard = '''\n{}\n'''", map.join("\n"));
        let job::Problem::Game(game) = Job::parse("a.toml".as_ref(), &text).unwrap().problem else { unreachable!() };
        assert!(Lines::<1>::all(&game, Side::Blue).is_empty());
    }
}
