//! A score of armies by patterns: a weight for what each window shows, summed over all windows (n-tuples: Bledsoe and Browning,
//! *Pattern recognition and reading by machine*, 1959). Less is better. Weights are whole numbers.

use std::sync::Arc;

use halma_bounds::Army;
use halma_rules::cells::Cells;

use super::super::best_successors::ArmyScore;
use super::super::best_successors::centroid_score::CentroidScore;
use super::windows::{PATTERNS, Windows};

/// 1 as a score.
pub(super) const UNIT: i64 = 1 << 12;
/// A man who has come farthest counts minus this before anything is learned.
const FARTHEST_MAN: f64 = 4.5;

/// The score before anything is learned, without the symmetry.
pub(super) fn unlearned(centroid: &[i32], mirror: &[u8]) -> CentroidScore {
    let farthest = centroid.iter().map(|c| c.abs()).max().unwrap_or(1).max(1);
    let unit = (UNIT as f64 * FARTHEST_MAN / f64::from(farthest)).round().max(1.0) as i64;
    CentroidScore::new(centroid, mirror, unit)
}

/// A score, ready for use.
#[derive(Clone)]
pub(super) struct PatternScore {
    windows: Arc<Windows>,
    /// By window and pattern.
    table: Vec<i32>,
    /// What is not learned: the centroid and the symmetry.
    unlearned: CentroidScore,
}

/// The last army that was scored. The next one differs in few men where keys ascend in small steps.
pub(super) struct Scratch {
    men: Vec<u8>,
    /// By window.
    patterns: Vec<u16>,
    /// The table's part of the score.
    sum: i64,
    /// By cell: what one man more there adds to the sum; `None` where that is not known.
    gains: Vec<Option<i64>>,
}

impl Scratch {
    /// Puts a man on a free cell, or takes him away.
    fn toggle(&mut self, score: &PatternScore, man: u8) {
        self.sum += self.change(score, man);
        for &(window, bit) in score.windows.of(man) {
            self.patterns[usize::from(window)] ^= bit;
        }
    }

    /// By how much that changes the sum.
    fn change(&self, score: &PatternScore, man: u8) -> i64 {
        let changed = |&(window, bit): &(u16, u16)| {
            let (window, pattern) = (usize::from(window), self.patterns[usize::from(window)]);
            let weights = &score.table[window * PATTERNS..][..PATTERNS];
            weights[usize::from(pattern ^ bit)] - weights[usize::from(pattern)]
        };
        i64::from(score.windows.of(man).iter().map(changed).sum::<i32>())
    }
}

impl PatternScore {
    pub(super) fn new(windows: Arc<Windows>, table: Vec<i32>, unlearned: CentroidScore) -> Self {
        Self { windows, table, unlearned }
    }
}

impl<const W: usize> ArmyScore<W> for PatternScore {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        let cells = self.windows.cells();
        Scratch { men: Vec::new(), patterns: vec![0; self.windows.len()], sum: 0, gains: vec![None; cells] }
    }

    fn of(&self, army: Army<'_, W>, scratch: &mut Scratch) -> i64 {
        if scratch.men.is_empty() {
            army.men.iter().for_each(|&man| scratch.toggle(self, man));
            scratch.men.extend(army.men);
        }
        for (place, &man) in army.men.iter().enumerate() {
            let before = std::mem::replace(&mut scratch.men[place], man);
            if before != man {
                // Men may change places in passing: two changes of one cell cancel.
                scratch.toggle(self, before);
                scratch.toggle(self, man);
            }
        }
        self.unlearned.of_army(army) + scratch.sum
    }

    fn each_successor(
        &self,
        army: Army<'_, W>,
        reach: &[Cells<W>],
        scratch: &mut Scratch,
        mut f: impl FnMut(usize, usize, i64),
    ) {
        let score = self.of(army, scratch);
        scratch.gains.fill(None);
        for (number, (&man, reach)) in army.men.iter().zip(reach).enumerate() {
            if reach.is_empty() {
                continue;
            }
            let rest = army.set.without(usize::from(man));
            let sum = scratch.sum;
            scratch.toggle(self, man);
            let without = score + scratch.sum - sum - self.unlearned.of_man(man, rest);
            for to in reach.iter() {
                // Where no window shows both cells, what the man adds does not depend on where he came from.
                let gain = match scratch.gains[to] {
                    _ if self.windows.are_together(man, to as u8) => scratch.change(self, to as u8),
                    Some(gain) => gain,
                    None => {
                        let gain = scratch.change(self, to as u8);
                        scratch.gains[to] = Some(gain);
                        gain
                    }
                };
                f(number, to, without + gain + self.unlearned.of_man(to as u8, rest));
            }
            scratch.toggle(self, man);
        }
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::draws::Draws;
    use halma_engine::search::CancellationToken;
    use halma_rules::board::Board;
    use halma_rules::lattice::{Lattice, Rule};
    use halma_rules::symmetry::{Symmetries, Symmetry};

    use super::super::learner::{Learner, Sample};
    use super::*;

    fn lattice() -> (Lattice, Vec<i32>) {
        let board = Board::named("8x8").unwrap();
        let lattice = Lattice::new(board, Rule::Eight);
        let centroid = (0..lattice.len()).map(|c| lattice.board.xy(c)).map(|(x, y)| x + y - 7).collect();
        (lattice, centroid)
    }

    /// K of armies in opposite corners: the identity and a reflection.
    fn fixing(lattice: &Lattice) -> Vec<Symmetry> {
        Symmetries::of(lattice, &[0], &[63]).fixing
    }

    fn army(draws: &mut Draws) -> Cells<2> {
        let mut army = Cells::EMPTY;
        while army.len() < 6 {
            army.add(draws.below(64));
        }
        army
    }

    fn men(army: Cells<2>) -> Vec<u8> {
        army.iter().map(|c| c as u8).collect()
    }

    fn fresh(score: &PatternScore) -> Scratch {
        ArmyScore::<2>::scratch(score)
    }

    fn of(score: &PatternScore, army: Cells<2>, scratch: &mut Scratch) -> i64 {
        score.of(Army { men: &men(army), set: army }, scratch)
    }

    fn mirror() -> Vec<u8> {
        (0..64).rev().collect()
    }

    /// The learner's score, with the symmetry.
    fn with_symmetry(learner: &Learner) -> PatternScore {
        learner.score(unlearned(&lattice().1, &mirror()).with_beta(2))
    }

    /// Good are armies that come in pairs of neighbours, by chance or not, wherever they stand.
    fn learned(samples: usize) -> (Vec<Sample<2>>, Learner) {
        let (lattice, centroid) = lattice();
        let windows = Windows::new(&lattice, &centroid, &fixing(&lattice));
        let (mut draws, mut learner) = (Draws::new(7), Learner::new(windows));
        let samples: Vec<Sample<2>> = (0..samples)
            .map(|_| {
                let army = army(&mut draws);
                let beside = |c: usize| lattice.neighbours(c).iter().any(|&n| army.contains(n.into()));
                Sample { army, level: 1, good: army.iter().filter(|&c| beside(c)).count() >= 4 }
            })
            .collect();
        let unlearned = unlearned(&centroid, &[]);
        let cancel = CancellationToken::after(None);
        for _ in 0..4 {
            learner.train(&samples, &unlearned, &cancel, &mut draws).unwrap();
        }
        (samples, learner)
    }

    #[test]
    fn a_score_does_not_depend_on_the_army_scored_before() {
        let (_, learner) = learned(500);
        let score = with_symmetry(&learner);
        let (mut draws, mut used) = (Draws::new(1), fresh(&score));
        for _ in 0..1000 {
            let army = army(&mut draws);
            assert_eq!(of(&score, army, &mut used), of(&score, army, &mut fresh(&score)));
        }
    }

    #[test]
    fn images_of_an_army_have_its_score() {
        let ((lattice, _), (_, learner)) = (lattice(), learned(500));
        let score = with_symmetry(&learner);
        let (mut draws, mut scratch, fixing) = (Draws::new(1), fresh(&score), fixing(&lattice));
        assert_eq!(fixing.len(), 2);
        for _ in 0..1000 {
            let army = army(&mut draws);
            assert_eq!(of(&score, fixing[1].apply(army), &mut scratch), of(&score, army, &mut scratch));
        }
    }

    #[test]
    fn successors_have_the_scores_that_they_have_as_armies() {
        let (_, learner) = learned(500);
        let score = with_symmetry(&learner);
        let (mut draws, mut scratch) = (Draws::new(1), fresh(&score));
        for _ in 0..100 {
            let army = army(&mut draws);
            let (men, free) = (men(army), (0..64).filter(|&c| !army.contains(c)).collect::<Cells<2>>());
            score.each_successor(Army { men: &men, set: army }, &[free; 6], &mut scratch, |man, to, after| {
                let moved = army.without(men[man].into()).with(to);
                assert_eq!(after, of(&score, moved, &mut fresh(&score)));
            });
        }
    }

    #[test]
    fn what_is_good_by_a_pattern_scores_less_after_learning() {
        let ((_, centroid), (samples, learner)) = (lattice(), learned(5000));
        let score = learner.score(unlearned(&centroid, &[]));
        let mean = |good: bool| {
            let of_kind = samples.iter().filter(|sample| sample.good == good);
            let scores: Vec<i64> = of_kind.map(|s| of(&score, s.army, &mut fresh(&score))).collect();
            scores.iter().sum::<i64>() / scores.len() as i64
        };
        assert!(mean(true) + UNIT < mean(false), "{} against {}", mean(true), mean(false));
    }

    #[test]
    fn before_learning_the_score_is_the_centroid_and_the_symmetry() {
        let (lattice, centroid) = lattice();
        let learner = Learner::new(Windows::new(&lattice, &centroid, &fixing(&lattice)));
        let score = with_symmetry(&learner);
        let at = |cells: [usize; 6]| of(&score, cells.into_iter().collect(), &mut fresh(&score));
        let man = at([0, 1, 2, 8, 9, 16]) - at([0, 1, 2, 8, 9, 17]);
        assert!(man > 0, "nearer to the target is better");
        // a1 and h8 are mirror cells: two men are symmetrical, each worth two centroids, and h8 is 13 centroids beyond b1.
        assert_eq!(at([0, 1, 2, 8, 9, 16]) - at([0, 63, 2, 8, 9, 16]), (13 + 4) * man);
    }
}
