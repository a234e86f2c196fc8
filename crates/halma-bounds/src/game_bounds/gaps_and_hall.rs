//! Diagonal gaps and Hall together: both judge views of the same lines, which are made once for the two. If one word
//! holds the lines of all directions, one pass over the men makes the views of all of them.

use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};

use super::diagonal_gaps::Gaps;
use super::hall::HallOnLines;
use super::lines::{Lines, MAX_LINES, Several, View, ViewBound};
use super::{GameBound, MOST_SLACK_PAID, Position, goal};

/// Both bounds.
pub(crate) struct GapsAndHall<const W: usize> {
    base: Cells<W>,
    /// The lines that both look at.
    both: Vec<Gaps<W>>,
    /// Those that only Hall looks at.
    wide: Vec<Lines<W>>,
    /// By cell: its lines of all directions in `both`, one bit each; empty where a word does not hold them.
    of: Vec<u64>,
    /// The same with a byte each, so that men are counted on all lines at once.
    bytes: Vec<[u8; LINES]>,
}

/// The views of all directions, before they are told apart.
struct Profile {
    men: Several,
    /// The lines with a winner's man outside the base, and how many there are.
    lines: u64,
    outside: [u8; LINES + MAX_LINES],
}

/// The lines that a word holds.
const LINES: usize = 64;

impl<const W: usize> GapsAndHall<W> {
    /// For games that `winner` wins.
    pub(crate) fn new(game: &Game, winner: Side) -> Self {
        let both: Vec<Gaps<W>> = Lines::simple(game, winner).into_iter().map(Gaps::new).collect();
        let wide = Lines::all(game, winner).into_iter().filter(|lines| lines.stride == 2).collect();
        let mut of = vec![0; game.lattice.len()];
        let mut first = 0;
        for Gaps { lines, .. } in &both {
            if first + lines.cells.len() > LINES {
                of.clear();
            }
            of.iter_mut().enumerate().for_each(|(cell, bits)| *bits |= 1 << (first + lines.line(cell)));
            first += lines.cells.len();
        }
        let bytes = of.iter().map(|bits: &u64| std::array::from_fn(|line| (bits >> line & 1) as u8)).collect();
        Self { base: goal(game, winner), both, wide, of, bytes }
    }

    fn profile(&self, position: &Position<W>) -> Profile {
        let mut profile = Profile { men: Several::default(), lines: 0, outside: [0; LINES + MAX_LINES] };
        (position.winner & !self.base).for_each(|c| {
            profile.lines |= self.of[c];
            profile.outside.iter_mut().zip(&self.bytes[c]).for_each(|(men, one)| *men += one);
        });
        (position.winner | position.loser).for_each(|c| profile.men.add(self.of[c]));
        profile
    }

    /// The filter of both bounds, if one word holds all lines.
    fn filter_together(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        let profile = self.profile(position);
        let (inside, slack) = ((position.winner & self.base).len() as u32, position.slack(self.base));
        let mut first = 0;
        for gaps in &self.both {
            let count = gaps.lines.cells.len();
            let part = |bits: u64| (bits >> first & ((1 << count) - 1)) as u32;
            let mut outside = [0; MAX_LINES];
            outside.copy_from_slice(&profile.outside[first..first + MAX_LINES]);
            outside[count..].fill(0);
            let now = View {
                occupied: part(profile.men.once),
                lines: part(profile.lines),
                outside,
                inside,
                slack,
                remaining: position.remaining - 1,
            };
            gaps.lines.filter_from(&now, part(profile.men.twice), self.base, position, men, reach, &Both(gaps));
            first += count;
        }
    }
}

/// The two bounds for the lines of one direction.
struct Both<'a, const W: usize>(&'a Gaps<W>);

impl<const W: usize> ViewBound for Both<'_, W> {
    fn admits(&self, view: &View) -> bool {
        self.0.admits(view) && HallOnLines(&self.0.lines).admits(view)
    }

    fn passes(&self, view: &View) -> bool {
        self.0.passes(view) && HallOnLines(&self.0.lines).passes(view)
    }
}

impl<const W: usize> GameBound<W> for GapsAndHall<W> {
    fn admits(&self, position: &Position<W>) -> bool {
        self.both.iter().all(|gaps| Both(gaps).admits(&gaps.lines.view(self.base, position)))
            && self.wide.iter().all(|lines| HallOnLines(lines).admits(&lines.view(self.base, position)))
    }

    fn filter(&self, position: &Position<W>, men: &[u8], reach: &mut [Cells<W>]) {
        if self.of.is_empty() {
            for gaps in &self.both {
                gaps.lines.filter(self.base, position, men, reach, &Both(gaps));
            }
        } else {
            self.filter_together(position, men, reach);
        }
        if position.slack(self.base) <= MOST_SLACK_PAID {
            for lines in &self.wide {
                lines.filter(self.base, position, men, reach, &HallOnLines(lines));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::super::random_positions::{GAMES, game, moves, position};
    use super::super::{diagonal_gaps::DiagonalGaps, hall::Hall};
    use super::*;
    use proptest::prelude::*;

    /// The bounds of each game, made once: together and alone.
    type Prepared = (GapsAndHall<4>, DiagonalGaps<4>, Hall<4>);

    static PREPARED: LazyLock<Vec<Prepared>> = LazyLock::new(|| {
        let prepare = |number| {
            let (game, winner) = (game(number), Side::Blue);
            (GapsAndHall::new(&game, winner), DiagonalGaps::new(&game, winner), Hall::new(&game, winner))
        };
        (0..GAMES.len()).map(prepare).collect()
    });

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn together_they_say_what_they_say_one_after_the_other(
            number in 0..GAMES.len(),
            cells in proptest::collection::vec(any::<u16>(), 40),
            spare in 0..8u32,
        ) {
            let (game, position) = position(number, Side::Blue, &cells, spare);
            let (together, gaps, hall) = &PREPARED[number];
            prop_assert_eq!(together.admits(&position), gaps.admits(&position) && hall.admits(&position));
            let (men, mut expected) = moves(&game, &position);
            let mut reach = expected.clone();
            together.filter(&position, &men, &mut reach);
            gaps.filter(&position, &men, &mut expected);
            hall.filter(&position, &men, &mut expected);
            prop_assert_eq!(reach, expected);
        }
    }
}
