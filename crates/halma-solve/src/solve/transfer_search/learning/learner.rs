//! Learns the weights of patterns by logistic regression, with steps that shrink as in AdaGrad (Duchi, Hazan and Singer 2011).
//!
//! Only the four operations and square roots occur, so that all machines learn the same.

use std::sync::Arc;

use halma_bounds::Army;
use halma_engine::draws::Draws;
use halma_engine::search::{CancellationToken, Stopped};
use halma_rules::cells::Cells;

use super::super::best_successors::centroid_score::CentroidScore;
use super::pattern_score::{PatternScore, UNIT};
use super::windows::{PATTERNS, Windows};

/// The size of a step of the regression.
const STEP: f32 = 0.03;
/// The same for the levels, which have few samples each.
const STEP_OF_LEVEL: f32 = 0.15;
/// How fast weights of single windows fall to 0, against learning by heart.
const DECAY: f32 = 6e-6;
/// No weight comes near this. The sums of so large ones still fit the integers of a score.
const GREATEST: f32 = 1e3;
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

/// Learns weights.
pub(super) struct Learner {
    windows: Arc<Windows>,
    /// The weights by window and pattern.
    of_window: Vec<Weight>,
    /// The weights by class of windows and pattern.
    of_class: Vec<Weight>,
}

impl Learner {
    pub(super) fn new(windows: Windows) -> Self {
        Self {
            of_window: vec![Weight::NONE; windows.len() * PATTERNS],
            of_class: vec![Weight::NONE; windows.classes() * PATTERNS],
            windows: Arc::new(windows),
        }
    }

    /// All weights, each with the sum of the squares of its gradients.
    pub(super) fn weights(&self) -> impl Iterator<Item = f32> {
        self.of_window.iter().chain(&self.of_class).flat_map(|weight| [weight.value, weight.squares])
    }

    /// Takes all weights back, in that order; `None` where there are too few, or one that nobody learns.
    pub(super) fn restore(&mut self, mut next: impl FnMut() -> Option<f32>) -> Option<()> {
        for weight in self.of_window.iter_mut().chain(&mut self.of_class) {
            let value = next().filter(|value| value.abs() <= GREATEST)?;
            let squares = next().filter(|squares| *squares >= Weight::NONE.squares)?;
            *weight = Weight { value, squares };
        }
        Some(())
    }

    /// The score with what has been learned so far. An army's images under K have the same.
    pub(super) fn score(&self, unlearned: CentroidScore) -> PatternScore {
        let weight = |(window, pattern): (usize, usize)| {
            let of_class = self.of_class[self.windows.class(window) * PATTERNS + pattern].value;
            let sum = self.of_window[window * PATTERNS + pattern].value + of_class;
            (f64::from(sum) * UNIT as f64).round() as i64
        };
        let mean = |i: usize| {
            let images = self.windows.images(i / PATTERNS, i % PATTERNS);
            let count = images.len() as i64;
            (images.map(weight).sum::<i64>() / count) as i32
        };
        PatternScore::new(Arc::clone(&self.windows), (0..self.of_window.len()).map(mean).collect(), unlearned)
    }

    /// One pass over samples drawn at random, each in one of its images: what is not learned and the weights together shall say
    /// whether a state is good, beside the others of its level.
    pub(super) fn train<const W: usize>(
        &mut self,
        samples: &[Sample<W>],
        unlearned: &CentroidScore,
        cancel: &CancellationToken,
        draws: &mut Draws,
    ) -> Result<(), Stopped> {
        let mut patterns = vec![0; self.windows.len()];
        let (mut seen, mut shown, mut men) = (Vec::new(), Vec::new(), Vec::new());
        // By level: the score at which a state is as likely good as not, at first that of the first sample.
        let mut thresholds: Vec<Option<Weight>> = Vec::new();
        for number in 0..samples.len() {
            if number % UNWATCHED == 0 {
                cancel.check()?;
            }
            let Sample { army, level, good } = draws.one_of(samples);
            let army = self.windows.image_of(army, draws);
            men.clear();
            army.for_each(|cell| men.push(cell as u8));
            let mut sum = unlearned.of_army(Army { men: &men, set: army }) as f32 / UNIT as f32;
            for &man in &men {
                for &(window, bit) in self.windows.of(man) {
                    let pattern: &mut u16 = &mut patterns[usize::from(window)];
                    if *pattern == 0 {
                        seen.push(usize::from(window));
                    }
                    *pattern |= bit;
                }
            }
            shown.clear();
            for window in seen.drain(..) {
                let pattern = usize::from(std::mem::take(&mut patterns[window]));
                shown.push((window * PATTERNS + pattern, self.windows.class(window) * PATTERNS + pattern));
            }
            for &(of_window, of_class) in &shown {
                sum += self.of_window[of_window].value + self.of_class[of_class].value;
            }
            let level = level as usize;
            thresholds.resize(thresholds.len().max(level + 1), None);
            let threshold = thresholds[level].get_or_insert(Weight { value: sum, ..Weight::NONE });
            let margin = threshold.value - sum;
            // A sigmoid that needs no exponential function.
            let likely = 0.5 + 0.5 * margin / (1.0 + margin * margin).sqrt();
            let error = if good { 1.0 - likely } else { -likely };
            threshold.step(error, STEP_OF_LEVEL, 0.0);
            for &(of_window, of_class) in &shown {
                self.of_window[of_window].step(-error, STEP, DECAY);
                self.of_class[of_class].step(-error, STEP, 0.0);
            }
        }
        Ok(())
    }
}
