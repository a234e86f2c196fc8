//! The pattern databases of a transfer, derived again: distances to target, start and middles, and the bounds made of
//! them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use halma_record::job::Pruning;
use halma_record::record::PartitionRecord;

use super::histograms::{Histograms, NEVER, too_far};
use super::level_walk::Walk;
use super::problem::Problem;
use super::rejection::{Rejection, RejectionKind};
use super::relaxed::Ahead;
use super::transfer_bounds::Bound;
use super::transfer_model::TransferModel;
use crate::parallel;

/// Pattern databases over histograms.
pub(super) struct Databases {
    pub histograms: Arc<Histograms>,
    pub to_target: Arc<Vec<u8>>,
    pub from_start: Arc<Vec<u8>>,
    /// The distance from start to target; [`u32::MAX`] if the target is unreachable.
    pub between: u32,
    values: Vec<i32>,
    /// By class, the class of the mirror image, if there is a mirror.
    image_of: Option<Vec<usize>>,
    /// The tables of the look-ahead, if the record has one.
    ahead: Option<Arc<Ahead>>,
}

impl Databases {
    /// The tables of `problem` for distances up to `reach`.
    pub fn new(
        problem: &Problem,
        partition: &PartitionRecord,
        histograms: Histograms,
        reach: u32,
    ) -> Result<Self, Rejection> {
        let Problem { model, start, target } = problem;
        let histograms = Arc::new(histograms);
        // If the groups have other sizes, the target is unreachable.
        let table = |army: &[u8]| -> Result<Arc<Vec<u8>>, Rejection> {
            let sources: Vec<u64> = histograms.number(army).into_iter().collect();
            Ok(Arc::new(histograms.distances(&sources, reach, |_, _| true)?))
        };
        let (to_target, from_start) = (table(target)?, table(start)?);
        // A shortest path has a histogram in its middle, which both tables have. If there is none the distance exceeds
        // the tables.
        let near = |(&a, &b): (&u8, &u8)| (a != NEVER && b != NEVER).then(|| u32::from(a) + u32::from(b));
        let between = to_target.par_iter().zip(&*from_start).filter_map(near).min();
        let between = between.unwrap_or(reach.saturating_mul(2).saturating_add(1));
        let image_of = model.mirror.as_ref().map(|mirror| {
            let mut image_of = vec![0usize; histograms.classes()];
            for (cell, &class) in histograms.class_of.iter().enumerate() {
                image_of[usize::from(class)] = usize::from(histograms.class_of[usize::from(mirror[cell])]);
            }
            image_of
        });
        Ok(Self { histograms, to_target, from_start, between, values: partition.values.clone(), image_of, ahead: None })
    }

    /// The same with a look-ahead, if the pruning has one.
    pub fn of(mut self, pruning: &Pruning, model: &TransferModel) -> Self {
        self.ahead = pruning.look_ahead().filter(|_| model.mirror.is_some()).and_then(|look_ahead| {
            Ahead::new(&model.board, model.jumps_only, &self.histograms, look_ahead).map(Arc::new)
        });
        self
    }

    /// The bound by the distance to the target.
    pub fn to_target(&self, length: u32) -> Bound {
        Bound::pattern_ahead(&self.histograms, &self.to_target, (length, 0), self.ahead.as_ref())
    }

    /// The bound by the distance to the start, for searches from the target.
    pub fn to_start(&self, length: u32) -> Bound {
        Bound::pattern(&self.histograms, &self.from_start, length)
    }

    /// Whether the histogram is near enough to the start for half of `length` moves, and to the target for the rest.
    fn near(&self, rank: u64, length: u32) -> bool {
        let within = |table: &[u8], moves: u32| {
            let distance = table[rank as usize];
            distance != NEVER && u32::from(distance) <= moves
        };
        let half = length / 2;
        within(&self.to_target, length - half) && within(&self.from_start, half)
    }

    /// Whether a histogram leads as the middle of a solution of `length` moves.
    fn leads(&self, histogram: &mut [u8], length: u32) -> bool {
        let value = |histogram: &[u8]| -> i64 {
            histogram.iter().zip(&self.values).map(|(&n, &v)| i64::from(n) * i64::from(v)).sum()
        };
        let odd = !length.is_multiple_of(2);
        let here = value(histogram);
        let mut there = here;
        if odd && here < 0 {
            self.histograms.around(histogram, |next, _| there = there.max(value(next)));
        }
        // For 2N moves c at the middle is at least 0. For 2N + 1 moves the sum of both middles is, the second of which
        // is one move on.
        if odd { here + there.max(here) >= 0 } else { here >= 0 }
    }

    /// By class, the class of the mirror image; asked for by levels that need a mirror.
    fn image_of(&self) -> &[usize] {
        self.image_of.as_deref().unwrap_or_else(|| unreachable!("there is no mirror"))
    }

    /// Whether a histogram's mirror image continues it in a palindrome of `length` moves.
    fn reflects(&self, histogram: &[u8], length: u32) -> bool {
        let image = self.image_of().iter().map(|&image| histogram[image]);
        let differ: u32 = histogram.iter().zip(image).map(|(&men, image)| u32::from(men.abs_diff(image))).sum();
        differ <= if length.is_multiple_of(2) { 0 } else { 2 }
    }

    /// Whether no reachable histogram can be the middle of a palindrome, of even or odd length.
    pub fn reflect_nowhere(&self) -> bool {
        let sources = self.histograms.all(|rank, histogram| {
            self.to_target[rank as usize] != NEVER && {
                self.histograms.unrank(rank, histogram);
                self.reflects(histogram, 0) || self.reflects(histogram, 1)
            }
        });
        sources.is_empty()
    }

    /// The distances to the middles of the leading half, or of palindromes.
    pub fn to_middles(&self, length: u32, palindromic: bool) -> Result<Arc<Vec<u8>>, Rejection> {
        let half = length / 2;
        let sources = self.histograms.all(|rank, histogram| {
            self.near(rank, length) && {
                self.histograms.unrank(rank, histogram);
                if palindromic { self.reflects(histogram, length) } else { self.leads(histogram, length) }
            }
        });
        // Only histograms with D_S + D_M <= N lie on a path from the start to a middle.
        let keep = |rank: u64, d: u32| u32::from(self.from_start[rank as usize]) + d <= half;
        Ok(Arc::new(self.histograms.distances(&sources, half, keep)?))
    }

    /// The bound by these distances, for levels that are to come to a middle by level `half`.
    pub fn before_middles(&self, to_middles: &Arc<Vec<u8>>, half: u32) -> Bound {
        Bound::pattern_ahead(&self.histograms, to_middles, (half, 0), self.ahead.as_ref())
    }

    /// The bound that expands only states whose mirror images are more than `rest` moves from the middles.
    pub fn uncovered(self: &Arc<Self>, to_middles: &Arc<Vec<u8>>, rest: u32) -> Bound {
        let (all, table) = (Arc::clone(self), Arc::clone(to_middles));
        let admits = move |histogram: &mut [u8]| {
            let mut image = vec![0; histogram.len()];
            histogram.iter().zip(all.image_of()).for_each(|(&men, &class)| image[class] += men);
            let distance = all.histograms.number_of(&image).map_or(NEVER, |rank| table[rank as usize]);
            distance == NEVER || u32::from(distance) > rest
        };
        Bound::From {
            class_of: Arc::new(self.histograms.class_of.clone()),
            classes: self.histograms.classes(),
            admits: Arc::new(admits),
        }
    }

    /// The bound that expands only leading middles of solutions of `length` moves.
    pub fn after_middles(self: &Arc<Self>, length: u32) -> Bound {
        let all = Arc::clone(self);
        let admits = move |histogram: &mut [u8]| {
            all.histograms.number_of(histogram).is_some_and(|rank| all.near(rank, length))
                && all.leads(histogram, length)
        };
        Bound::From {
            class_of: Arc::new(self.histograms.class_of.clone()),
            classes: self.histograms.classes(),
            admits: Arc::new(admits),
        }
    }

    /// The bound that prunes moves from a middle that no leading solution can make. A solution of odd length leads by
    /// both its middles, one of the even length before it by its one middle; `either` says whether those are looked for,
    /// too.
    pub fn leading_moves(&self, either: bool) -> Bound {
        Bound::Move {
            class_of: Arc::new(self.histograms.class_of.clone()),
            values: Arc::new(self.values.clone()),
            either,
        }
    }

    /// The bound by the distances to the mirror images of the histograms on these walks' last levels. States must reach
    /// one of them by the level given with it; they are on level `from` or later.
    pub fn toward_images(&self, ends: &[(&Walk<TransferModel>, u32)], from: u32) -> Result<Bound, Rejection> {
        let latest = ends.iter().map(|&(_, by_then)| by_then).max();
        let latest = latest.ok_or_else(|| RejectionKind::Levels.because("trailing levels meet nothing"))?;
        let mut nearest = vec![NEVER; self.from_start.len()];
        for &(walk, by_then) in ends {
            // Level by_then is latest - by_then moves before the latest level.
            for (nearest, d) in nearest.iter_mut().zip(self.to_images(walk, by_then, from)?) {
                if d != NEVER {
                    let moves = u8::try_from(u32::from(d) + latest - by_then).ok().filter(|&moves| moves != NEVER);
                    *nearest = (*nearest).min(moves.ok_or_else(too_far)?);
                }
            }
        }
        // An end that must be reached earlier is that many moves from the latest.
        let near = latest - ends.iter().map(|&(_, by_then)| by_then).min().unwrap_or(latest);
        Ok(Bound::pattern_ahead(&self.histograms, &Arc::new(nearest), (latest, near), self.ahead.as_ref()))
    }

    /// The distances to the mirror images of the histograms on the walk's last level, as far as they are needed.
    fn to_images(&self, walk: &Walk<TransferModel>, by_then: u32, from: u32) -> Result<Vec<u8>, Rejection> {
        let Self { histograms, from_start, .. } = self;
        let model = walk.states;
        let mirror = model.mirror.as_ref().ok_or_else(|| RejectionKind::Problem.because("there is no mirror"))?;
        let mut met: Vec<AtomicBool> = Vec::new();
        met.resize_with(from_start.len(), AtomicBool::default);
        let images = |block: usize| -> Result<(), Rejection> {
            let mut keys = Vec::new();
            walk.current().read(block, &mut keys)?;
            // A state stands for all its images under K, which may have other histograms.
            for &key in &keys {
                let army = model.army(key).map_err(Rejection::of(RejectionKind::State))?;
                let men: Vec<u8> = army.iter().map(|&c| mirror[usize::from(c)]).collect();
                for k in &model.fixing {
                    let image: Vec<u8> = men.iter().map(|&c| k[usize::from(c)]).collect();
                    // An unreachable army ends no solution.
                    if let Some(rank) = histograms.number(&image) {
                        met[rank as usize].store(true, Ordering::Relaxed);
                    }
                }
            }
            Ok(())
        };
        parallel::map(walk.current().blocks(), images)?;
        let sources: Vec<u64> = (0..).zip(met).filter_map(|(rank, met)| met.into_inner().then_some(rank)).collect();
        // A walk from the start has reached the histogram by abstract moves.
        let keep = |rank: u64, d: u32| u32::from(from_start[rank as usize]) + d <= by_then;
        let reach = by_then.saturating_sub(from);
        histograms.distances(&sources, reach, keep)
    }
}
