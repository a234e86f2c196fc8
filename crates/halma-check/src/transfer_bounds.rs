//! The bounds of transfers, from their formulas: each is a function of the position after the move.
//!
//! All but one see an army only as a histogram over classes of cells: Theorem 1 by distance from the target, Theorem 2
//! by centroid, a pattern database by its own classes. So a verdict is computed once for each pair of classes.

use std::sync::Arc;

use super::board::Board;
use super::histograms::{Histograms, NEVER};
use super::relaxed::{Ahead, LookAhead};

/// The distance of unreachable cells; any larger number would do.
const NO_WAY: u32 = 255;

/// Whether a histogram may be on a level.
type Admits = dyn Fn(u32, &[u8]) -> bool + Send + Sync;

/// Whether a histogram may have successors.
type Origin = dyn Fn(&mut [u8]) -> bool + Send + Sync;

/// A bound that prunes successors.
#[derive(Clone)]
pub(super) enum Bound {
    /// By histogram over classes: whether it may be on a level; with a look-ahead, which filters new states.
    Classes { class_of: Arc<Vec<u8>>, classes: usize, admits: Arc<Admits>, ahead: Option<LookAhead> },
    /// By the predecessor's histogram: whether it has successors at all.
    From { class_of: Arc<Vec<u8>>, classes: usize, admits: Arc<Origin> },
    /// By the values f of both histograms, before and after the move: f(X) + f(Y) must be at least 0; or f(X) alone, if
    /// `either`.
    Move { class_of: Arc<Vec<u8>>, values: Arc<Vec<i32>>, either: bool },
    /// Equation (13): men whose mirror cell is occupied must be at least `goal - 2 (half - depth)`.
    Palindrome { mirror: Arc<Vec<u8>>, goal: i64, half: i64 },
}

impl Bound {
    /// Classes for cells of equal value, and the values by class.
    fn by_value<T: Ord + Copy>(values: &[T]) -> (Arc<Vec<u8>>, Vec<T>) {
        let mut distinct = values.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let class = |v: &T| distinct.partition_point(|d| d < v) as u8;
        (Arc::new(values.iter().map(class).collect()), distinct)
    }

    /// Theorem 1: a state on level i is pruned if i + max(d, 1) + (men outside) - 1 > length, where d is the distance
    /// of the nearest man from the target; a full target needs no more moves.
    pub fn theorem_1(board: &Board, target: &[u8], length: u32) -> Self {
        let distances: Vec<u32> = board.steps_to(target).into_iter().map(|d| d.unwrap_or(NO_WAY)).collect();
        let (class_of, distances) = Self::by_value(&distances);
        let classes = distances.len();
        let admits = move |depth: u32, histogram: &[u8]| depth + theorem_1(&distances, histogram) <= length;
        Self::Classes { class_of, classes, admits: Arc::new(admits), ahead: None }
    }

    /// The minimum centroid constraint: Theorem 2, applied once for each move left to level `middle`, must allow a
    /// centroid of at least -c.
    pub fn centroid(board: &Board, centroid: &[i32], middle: u32, c: i64) -> Self {
        let value = |cell: usize| i64::from(centroid[cell]);
        let gain = |cell: usize| board.steps[cell].iter().map(move |&n| value(usize::from(n)) - value(cell));
        let largest_step = (0..board.len()).flat_map(gain).max().unwrap_or(0);
        let (class_of, values) = Self::by_value(centroid);
        let classes = values.len();
        let admits = move |depth: u32, histogram: &[u8]| {
            let men =
                values.iter().zip(histogram).flat_map(|(&v, &n)| std::iter::repeat_n(i64::from(v), usize::from(n)));
            let mut men: std::collections::VecDeque<i64> = men.collect();
            for _ in depth..middle {
                // The last man jumps over the first one.
                let Some(&first) = men.back() else { break };
                men.pop_front();
                men.push_back(first + largest_step);
            }
            depth > middle || men.into_iter().sum::<i64>() >= -c
        };
        Self::Classes { class_of, classes, admits: Arc::new(admits), ahead: None }
    }

    /// A pattern database: level and distance together must not exceed `limit`.
    pub fn pattern(histograms: &Arc<Histograms>, table: &Arc<Vec<u8>>, limit: u32) -> Self {
        let (histograms, table) = (Arc::clone(histograms), Arc::clone(table));
        let (class_of, classes) = (Arc::new(histograms.class_of.clone()), histograms.classes());
        let admits = move |depth: u32, histogram: &[u8]| {
            let distance = histograms.number_of(histogram).map_or(NEVER, |number| table[number as usize]);
            distance != NEVER && depth + u32::from(distance) <= limit
        };
        Self::Classes { class_of, classes, admits: Arc::new(admits), ahead: None }
    }

    /// A pattern database and, if the record has one, the look-ahead for walks that come within `near` of its sources
    /// by level `limit`.
    pub fn pattern_ahead(
        histograms: &Arc<Histograms>,
        table: &Arc<Vec<u8>>,
        (limit, near): (u32, u32),
        ahead: Option<&Arc<Ahead>>,
    ) -> Self {
        let mut bound = Self::pattern(histograms, table, limit);
        if let Self::Classes { ahead: own, .. } = &mut bound {
            *own = ahead.map(|all| LookAhead { all: Arc::clone(all), table: Arc::clone(table), limit, near });
        }
        bound
    }

    /// The filter of new states.
    pub fn look_ahead(&self) -> Option<&LookAhead> {
        match self {
            Self::Classes { ahead, .. } => ahead.as_ref(),
            _ => None,
        }
    }

    /// Equation (13) for solutions of `length` moves.
    pub fn palindrome(mirror: &[u8], men: usize, length: u32) -> Self {
        let goal = men as i64 - i64::from(length % 2);
        Self::Palindrome { mirror: Arc::new(mirror.to_vec()), goal, half: i64::from(length / 2) }
    }
}

/// A lower bound, by Theorem 1, of the moves that an army still needs; `histogram` counts men by ascending distance.
fn theorem_1(distances: &[u32], histogram: &[u8]) -> u32 {
    let men = || distances.iter().zip(histogram).filter(|(_, n)| **n > 0);
    let outside: u32 = men().filter(|(d, _)| **d > 0).map(|(_, &n)| u32::from(n)).sum();
    let nearest = men().map(|(&d, _)| d).next().unwrap_or(0);
    if outside == 0 { 0 } else { nearest.max(1) + outside - 1 }
}

/// A lower bound, by Theorem 1, of the moves that `start` needs.
pub(super) fn theorem_1_of(board: &Board, start: &[u8], target: &[u8]) -> u32 {
    let distances = board.steps_to(target);
    let outside = start.iter().filter(|c| !target.contains(c)).count() as u32;
    let nearest = start.iter().filter_map(|&c| distances[usize::from(c)]).min().unwrap_or(NO_WAY);
    if outside == 0 { 0 } else { nearest.max(1) + outside - 1 }
}

/// The bounds of one level, applied to the successors of one parent after another.
pub(super) struct Pruner<'a> {
    bounds: &'a [Bound],
    depth: u32,
    /// For each bound: the parent's histogram, and the verdicts known by pair of classes (0 none, 1 pruned, 2
    /// admitted).
    known: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Pruner<'a> {
    /// For successors on level `depth`.
    pub fn new(bounds: &'a [Bound], depth: u32) -> Self {
        let scratch = |bound: &Bound| match bound {
            Bound::Classes { classes, .. } => (vec![0; *classes], vec![0; classes * classes]),
            Bound::From { classes, .. } => (vec![0; *classes], Vec::new()),
            Bound::Move { values, .. } => (vec![0; values.len()], Vec::new()),
            Bound::Palindrome { .. } => (Vec::new(), Vec::new()),
        };
        Self { bounds, depth, known: bounds.iter().map(scratch).collect() }
    }

    /// Goes on to the next parent; returns whether it may have successors.
    pub fn enter(&mut self, men: &[u8]) -> bool {
        let mut leaves = true;
        for (bound, (histogram, known)) in self.bounds.iter().zip(&mut self.known) {
            let (Bound::Classes { class_of, .. } | Bound::From { class_of, .. } | Bound::Move { class_of, .. }) = bound
            else {
                continue;
            };
            histogram.fill(0);
            known.fill(0);
            men.iter().for_each(|&c| histogram[usize::from(class_of[usize::from(c)])] += 1);
            if let Bound::From { admits, .. } = bound {
                leaves &= admits(histogram);
            }
        }
        leaves
    }

    /// Whether no bound prunes the successor after the man on `from` has gone to `to`; `after` are the men then.
    pub fn admits(&mut self, from: u8, to: u8, after: &[u8]) -> bool {
        let depth = self.depth;
        self.bounds.iter().zip(&mut self.known).all(|(bound, (histogram, known))| match bound {
            Bound::Classes { class_of, classes, admits, .. } => {
                let (a, b) = (usize::from(class_of[usize::from(from)]), usize::from(class_of[usize::from(to)]));
                let verdict = &mut known[a * classes + b];
                if *verdict == 0 {
                    histogram[a] -= 1;
                    histogram[b] += 1;
                    *verdict = 1 + u8::from(admits(depth, histogram));
                    histogram[b] -= 1;
                    histogram[a] += 1;
                }
                *verdict == 2
            }
            Bound::From { .. } => true,
            Bound::Move { class_of, values, either } => {
                let f = |histogram: &[u8]| -> i64 {
                    histogram.iter().zip(values.iter()).map(|(&n, &v)| i64::from(n) * i64::from(v)).sum()
                };
                let here = f(histogram);
                let there: i64 = after.iter().map(|&c| i64::from(values[usize::from(class_of[usize::from(c)])])).sum();
                here + there >= 0 || *either && here >= 0
            }
            Bound::Palindrome { mirror, goal, half } => {
                let paired = after.iter().filter(|&&c| after.contains(&mirror[usize::from(c)])).count() as i64;
                let left = half - i64::from(depth);
                left < 0 || paired >= goal - 2 * left
            }
        })
    }
}
