//! A score of armies by patterns: a weight for what stands on a cell and on the cells one step from it, summed over all cells
//! (n-tuples: Bledsoe and Browning, *Pattern recognition and reading by machine*, 1959). Less is better.
//!
//! The weights are learned by logistic regression with steps that shrink as in AdaGrad (Duchi, Hazan and Singer 2011). They are used as
//! whole numbers. Only the four operations and square roots occur, so that all machines learn the same.

use halma_bounds::Army;
use halma_bounds::palindrome::symmetry;
use halma_engine::draws::Draws;
use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::cells::Cells;
use halma_rules::lattice::Lattice;

/// 1 as a score.
pub(super) const UNIT: i64 = 1 << 12;
/// A cell and the eight around it.
const WINDOW: usize = 9;
const PATTERNS: usize = 1 << WINDOW;
/// A man who has come farthest counts minus this before anything is learned.
const FARTHEST_MAN: f64 = 4.5;
/// The size of a step of the regression.
const STEP: f32 = 0.03;
/// The same for the levels, which have few samples each.
const STEP_OF_LEVEL: f32 = 0.15;
/// How fast weights of single cells fall to 0, against learning by heart.
const DECAY: f32 = 6e-6;
/// Samples between two looks at the cancellation token.
const UNWATCHED: usize = 1 << 12;

/// An army that lies on a solution, or one that does not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<const W: usize> {
    pub(super) army: Cells<W>,
    /// The level on which it was found.
    pub(super) level: u32,
    pub(super) good: bool,
}

/// Which windows show a cell, and where.
struct Windows {
    /// By cell: the cells in whose windows it lies, each with the bit of its place there.
    of: Vec<Vec<(u8, u16)>>,
    /// By cell: its class of cells with the same centroid.
    class: Vec<u16>,
}

/// A weight, and the sum of the squares of its gradients.
#[derive(Clone, Copy)]
struct Weight {
    value: f32,
    squares: f32,
}

impl Weight {
    const NONE: Self = Self { value: 0.0, squares: 1e-3 };

    fn step(&mut self, gradient: f32, step: f32, decay: f32) {
        self.squares += gradient * gradient;
        self.value += step * gradient / self.squares.sqrt() - decay * self.value;
    }
}

/// The part of a score that is not learned: the centroid and the symmetry.
#[derive(Clone)]
pub(super) struct Unlearned<'a> {
    /// What a centroid counts.
    unit: i64,
    centroid: &'a [i32],
    mirror: &'a [u8],
    /// The weight of the symmetry.
    beta: i64,
}

/// Learns weights.
pub(super) struct Learner {
    windows: Windows,
    /// The weights by cell and pattern.
    of_cell: Vec<Weight>,
    /// The weights by class and pattern.
    of_class: Vec<Weight>,
}

/// A score, ready for use.
pub(super) struct Score<'a> {
    windows: &'a Windows,
    /// By cell and pattern.
    table: Vec<i32>,
    unlearned: Unlearned<'a>,
}

/// The last army that was scored. The next one differs in few men where keys ascend in small steps.
pub(super) struct Scratch {
    men: Vec<u8>,
    /// By cell.
    patterns: Vec<u16>,
    /// The table's part of the score.
    sum: i64,
}

impl Windows {
    fn new(lattice: &Lattice, centroid: &[i32]) -> Self {
        let place = |centre: usize, cell: usize| {
            let ((x, y), (cx, cy)) = (lattice.board.xy(cell), lattice.board.xy(centre));
            1 << (3 * (y - cy + 1) + (x - cx + 1))
        };
        let of = |cell: usize| {
            let centres = lattice.neighbours(cell).iter().map(|&c| usize::from(c)).chain([cell]);
            centres.map(|centre| (centre as u8, place(centre, cell))).collect()
        };
        let least = centroid.iter().min().copied().unwrap_or(0);
        Self { of: (0..lattice.len()).map(of).collect(), class: centroid.iter().map(|&c| (c - least) as u16).collect() }
    }
}

impl Scratch {
    /// Puts a man on a free cell, or takes him away.
    fn toggle(&mut self, score: &Score<'_>, man: u8) {
        for &(centre, bit) in &score.windows.of[usize::from(man)] {
            let pattern = &mut self.patterns[usize::from(centre)];
            let weights = &score.table[usize::from(centre) * PATTERNS..][..PATTERNS];
            let before = weights[usize::from(*pattern)];
            *pattern ^= bit;
            self.sum += i64::from(weights[usize::from(*pattern)] - before);
        }
    }
}

impl Score<'_> {
    pub(super) fn scratch(&self) -> Scratch {
        Scratch { men: Vec::new(), patterns: vec![0; self.windows.of.len()], sum: 0 }
    }

    pub(super) fn of<const W: usize>(&self, army: Army<'_, W>, scratch: &mut Scratch) -> i64 {
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
        self.unlearned.of(army) + scratch.sum
    }
}

impl<'a> Unlearned<'a> {
    pub(super) fn new(centroid: &'a [i32], mirror: &'a [u8]) -> Self {
        let farthest = centroid.iter().map(|c| c.abs()).max().unwrap_or(1).max(1);
        let unit = (UNIT as f64 * FARTHEST_MAN / f64::from(farthest)).round().max(1.0) as i64;
        Self { unit, centroid, mirror, beta: 0 }
    }

    /// The same with `share` of the symmetry's weight `beta`, in centroids.
    pub(super) fn with_beta(&self, beta: i64, share: f64) -> Self {
        Self { beta: (share * (beta * self.unit) as f64).round() as i64, ..self.clone() }
    }

    fn of<const W: usize>(&self, army: Army<'_, W>) -> i64 {
        let symmetry = if self.beta == 0 { 0 } else { symmetry(self.mirror, army) as i64 };
        let centroid: i64 = army.men.iter().map(|&man| i64::from(self.centroid[usize::from(man)])).sum();
        -self.unit * centroid - self.beta * symmetry
    }
}

impl Learner {
    pub(super) fn new(lattice: &Lattice, centroid: &[i32]) -> Self {
        let windows = Windows::new(lattice, centroid);
        let classes = windows.class.iter().max().map_or(0, |&most| usize::from(most) + 1);
        Self {
            of_cell: vec![Weight::NONE; lattice.len() * PATTERNS],
            of_class: vec![Weight::NONE; classes * PATTERNS],
            windows,
        }
    }

    /// The score with what has been learned so far.
    pub(super) fn score<'a>(&'a self, unlearned: Unlearned<'a>) -> Score<'a> {
        let weight = |(i, of_cell): (usize, &Weight)| {
            let (cell, pattern) = (i / PATTERNS, i % PATTERNS);
            let class = usize::from(self.windows.class[cell]);
            let sum = of_cell.value + self.of_class[class * PATTERNS + pattern].value;
            (f64::from(sum) * UNIT as f64).round() as i32
        };
        let table = self.of_cell.iter().enumerate().map(weight).collect();
        Score { windows: &self.windows, table, unlearned }
    }

    /// One pass of logistic regression, over samples drawn at random: what is not learned and the weights together shall say
    /// whether a state is good, beside the others of its level.
    pub(super) fn train<const W: usize>(
        &mut self,
        samples: &[Sample<W>],
        unlearned: &Unlearned<'_>,
        cancel: &CancellationToken,
        draws: &mut Draws,
    ) -> Result<(), Stopped> {
        let mut patterns = vec![0; self.windows.of.len()];
        let (mut centres, mut shown, mut men) = (Vec::new(), Vec::new(), Vec::new());
        // By level: the score at which a state is as likely good as not, at first that of the first sample.
        let mut thresholds: Vec<Option<Weight>> = Vec::new();
        for number in 0..samples.len() {
            if number % UNWATCHED == 0 {
                cancel.check()?;
            }
            let Sample { army, level, good } = draws.one_of(samples);
            men.clear();
            army.for_each(|cell| men.push(cell as u8));
            let mut sum = unlearned.of(Army { men: &men, set: army }) as f32 / UNIT as f32;
            shown.clear();
            for &man in &men {
                for &(centre, bit) in &self.windows.of[usize::from(man)] {
                    let pattern: &mut u16 = &mut patterns[usize::from(centre)];
                    if *pattern == 0 {
                        centres.push(usize::from(centre));
                    }
                    *pattern |= bit;
                }
            }
            for cell in centres.drain(..) {
                let pattern = usize::from(std::mem::take(&mut patterns[cell]));
                shown.push((cell * PATTERNS + pattern, usize::from(self.windows.class[cell]) * PATTERNS + pattern));
            }
            for &(cell, class) in &shown {
                sum += self.of_cell[cell].value + self.of_class[class].value;
            }
            let level = level as usize;
            thresholds.resize(thresholds.len().max(level + 1), None);
            let threshold = thresholds[level].get_or_insert(Weight { value: sum, ..Weight::NONE });
            let margin = threshold.value - sum;
            // A sigmoid that needs no exponential function.
            let likely = 0.5 + 0.5 * margin / (1.0 + margin * margin).sqrt();
            let error = if good { 1.0 - likely } else { -likely };
            threshold.step(error, STEP_OF_LEVEL, 0.0);
            for &(cell, class) in &shown {
                self.of_cell[cell].step(-error, STEP, DECAY);
                self.of_class[class].step(-error, STEP, 0.0);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use halma_rules::board::Board;
    use halma_rules::lattice::Rule;

    use super::*;

    fn lattice() -> (Lattice, Vec<i32>) {
        let board = Board::named("8x8").unwrap();
        let lattice = Lattice::new(board, Rule::Eight);
        let centroid = (0..lattice.len()).map(|c| lattice.board.xy(c)).map(|(x, y)| x + y - 7).collect();
        (lattice, centroid)
    }

    fn army(draws: &mut Draws) -> Cells<2> {
        let mut army = Cells::EMPTY;
        while army.len() < 6 {
            army.add(draws.below(64));
        }
        army
    }

    fn of(score: &Score<'_>, army: Cells<2>, scratch: &mut Scratch) -> i64 {
        let men: Vec<u8> = army.iter().map(|c| c as u8).collect();
        score.of(Army { men: &men, set: army }, scratch)
    }

    /// Good are armies that come in pairs of neighbours, by chance or not, wherever they stand.
    fn learned(samples: usize) -> (Vec<Sample<2>>, Learner) {
        let (lattice, centroid) = lattice();
        let (mut draws, mut learner) = (Draws::new(7), Learner::new(&lattice, &centroid));
        let samples: Vec<Sample<2>> = (0..samples)
            .map(|_| {
                let army = army(&mut draws);
                let beside = |c: usize| lattice.neighbours(c).iter().any(|&n| army.contains(n.into()));
                Sample { army, level: 1, good: army.iter().filter(|&c| beside(c)).count() >= 4 }
            })
            .collect();
        let unlearned = Unlearned::new(&centroid, &[]);
        let cancel = CancellationToken::after(None);
        for _ in 0..4 {
            learner.train(&samples, &unlearned, &cancel, &mut draws).unwrap();
        }
        (samples, learner)
    }

    #[test]
    fn a_score_does_not_depend_on_the_army_scored_before() {
        let ((_, centroid), (_, learner)) = (lattice(), learned(500));
        let mirror: Vec<u8> = (0..64).rev().collect();
        let score = learner.score(Unlearned::new(&centroid, &mirror).with_beta(2, 1.0));
        let (mut draws, mut used) = (Draws::new(1), score.scratch());
        for _ in 0..1000 {
            let army = army(&mut draws);
            assert_eq!(of(&score, army, &mut used), of(&score, army, &mut score.scratch()));
        }
    }

    #[test]
    fn what_is_good_by_a_pattern_scores_less_after_learning() {
        let ((_, centroid), (samples, learner)) = (lattice(), learned(5000));
        let score = learner.score(Unlearned::new(&centroid, &[]));
        let mean = |good: bool| {
            let of_kind = samples.iter().filter(|sample| sample.good == good);
            let scores: Vec<i64> = of_kind.map(|s| of(&score, s.army, &mut score.scratch())).collect();
            scores.iter().sum::<i64>() / scores.len() as i64
        };
        assert!(mean(true) + UNIT < mean(false), "{} against {}", mean(true), mean(false));
    }

    #[test]
    fn before_learning_the_score_is_the_centroid_and_the_symmetry() {
        let (lattice, centroid) = lattice();
        let learner = Learner::new(&lattice, &centroid);
        let mirror: Vec<u8> = (0..64).rev().collect();
        let score = learner.score(Unlearned::new(&centroid, &mirror).with_beta(2, 1.0));
        let at = |cells: [usize; 6]| of(&score, cells.into_iter().collect(), &mut score.scratch());
        let man = at([0, 1, 2, 8, 9, 16]) - at([0, 1, 2, 8, 9, 17]);
        assert!(man > 0, "nearer to the target is better");
        // a1 and h8 are mirror cells: two men are symmetrical, each worth two centroids, and h8 is 13 centroids beyond b1.
        assert_eq!(at([0, 1, 2, 8, 9, 16]) - at([0, 63, 2, 8, 9, 16]), (13 + 4) * man);
    }
}
