//! The middles of the leading half among the histograms, and D_M: the distances to them.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use halma_engine::search::Stopped;

use super::Databases;
use crate::abstraction::{Extent, FAR, Jumps, Table, UNREACHED};
use crate::distance_table::{bytes_of, each_where};
use crate::frontier::WorkContext;
use crate::histogram::IncrementalUnranking;

/// The middle states to which a leading half leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Middles {
    /// Those that are at least half way: of every solution and its mirrored reversal, one passes through such a middle.
    Leading,
    /// Those that continue as their own mirror image: palindromic solutions pass through one.
    Palindromic,
}

/// Whether a histogram may be the middle of solutions of even and of odd length, once that was asked.
#[derive(Debug)]
pub(super) struct Verdicts(AtomicU8);

impl Verdicts {
    /// Beside a bit for even lengths and one for odd ones.
    const KNOWN: u8 = 1 << 2;

    fn get(&self, odd: bool) -> Option<bool> {
        let bits = self.0.load(Ordering::Relaxed);
        (bits & Self::KNOWN != 0).then_some(bits >> u8::from(odd) & 1 != 0)
    }

    fn set(&self, [even, odd]: [bool; 2]) {
        self.0.store(u8::from(even) | u8::from(odd) << 1 | Self::KNOWN, Ordering::Relaxed);
    }
}

/// Restricts D_M to the histograms that levels before the middle may ask for.
struct BeforeMiddles<'a> {
    to_target: &'a Table,
    from_start: &'a Table,
    half: u32,
    following: u32,
    leading: bool,
}

impl Extent for BeforeMiddles<'_> {
    /// A state on level i has D_S <= i, so only histograms with D_S + D_M <= N are ever asked for. The histograms on
    /// their shortest abstract paths to a middle satisfy that, too.
    fn keeps(&self, rank: u32, distance: u8) -> bool {
        self.from_start.within(rank, self.half - u32::from(distance))
    }

    fn asks_once(&self) -> bool {
        self.half < u32::from(FAR)
    }

    /// Histograms with D_S <= N, D_T within the following levels and c >= 0 are middles themselves. If a histogram is
    /// nearer to the target than that by a move, all its neighbours are within the following levels.
    fn below(&self, rank: u32) -> Option<i32> {
        (self.leading && self.to_target.within(rank, self.following.checked_sub(1)?)).then_some(0)
    }
}

impl Databases {
    /// Whether some reachable histogram may be the middle of a palindrome, of any length. Needs a mirror.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn reflects_somewhere(&self, context: WorkContext) -> Result<bool, Stopped> {
        let mut fronts = self.fronts();
        let count = self.abstraction.space.count();
        let mut seen = None;
        loop {
            // Those reached since the last iteration.
            let new = |rank: u32| match (self.to_target.get(rank), seen) {
                (UNREACHED, _) => false,
                (distance, Some(seen)) => u32::from(distance) > seen,
                (_, None) => true,
            };
            let here = context.parts(count).any(|ranks| {
                let mut verdicts = self.verdicts(Middles::Palindromic);
                ranks.into_iter().any(|rank| new(rank) && verdicts(rank).contains(&true))
            });
            if context.exchange.any(here)? {
                return Ok(true);
            }
            if fronts.frontiers[0].is_empty || fronts.reach >= u32::from(FAR) {
                // If the tables end at FAR, a middle may lie beyond.
                return Ok(!fronts.frontiers[0].is_empty);
            }
            seen = Some(fronts.reach);
            self.advance(&mut fronts, context)?;
        }
    }

    /// D_M: the distances to the middles of solutions of `length` moves, on level `length / 2`. Entries are given only
    /// for histograms that a walk from the start can reach in time. Needs a mirror.
    ///
    /// Even lengths, 2N: the middle A_N has centroid c >= 0, or the mirrored reversal's has -c > 0. Odd lengths, 2N + 1:
    /// c(A_N) + c(A_(N+1)) >= 0 for the solution or for its mirrored reversal, where A_(N+1) is one move from A_N.
    ///
    /// # Errors
    /// Where one of the processes has to stop.
    pub fn to_middles(&self, length: u32, middles: Middles, context: WorkContext) -> Result<Table, Stopped> {
        let (half, odd) = (length / 2, !length.is_multiple_of(2));
        let following = length - half;
        self.extend(following, context)?;
        let count = self.abstraction.space.count();
        let name = format!("to middles {middles:?} {length} {}", self.statement);
        if let Some(bytes) =
            self.table_store.as_ref().and_then(|table_store| table_store.get(&name)).filter(|b| b.len() == count)
        {
            return Ok(Table::of_bytes(&bytes, half));
        }
        let unknown = || bytes_of(0, count).into_iter().map(|byte| Verdicts(AtomicU8::new(byte))).collect();
        let known = self.middles[middles as usize].get_or_init(unknown);
        let sources: Vec<Vec<u32>> = context
            .parts(count)
            .map(|ranks| {
                let mut verdicts = self.verdicts(middles);
                let admissible = |&at: &u32| {
                    let known = &known[at as usize];
                    known.get(odd).unwrap_or_else(|| {
                        let computed = verdicts(at);
                        known.set(computed);
                        computed[usize::from(odd)]
                    })
                };
                each_where(ranks, |ranks| self.mask_near(ranks, length)).filter(admissible).collect()
            })
            .collect();
        let leading = middles == Middles::Leading;
        self.from_start.require(half);
        self.to_target.require(following.saturating_sub(1));
        let extent =
            BeforeMiddles { to_target: &self.to_target, from_start: &self.from_start, half, following, leading };
        let table = self.abstraction.distances(&[sources.concat()], half, &extent, context)?;
        if let Some(table_store) = &self.table_store {
            table_store.put(&name, &table.bytes());
        }
        Ok(table)
    }

    /// Whether the histogram may be the middle, in the leading half, of a solution of `length` moves. The tables must
    /// reach as far as half of it.
    #[must_use]
    pub fn is_middle(&self, histogram: &[u8], length: u32, jumps: &mut Jumps) -> bool {
        let rank = self.abstraction.space.rank(histogram);
        if !self.is_near(rank, length) {
            return false;
        }
        // D_M may have asked the same.
        let odd = !length.is_multiple_of(2);
        let known = self.middles[Middles::Leading as usize].get().and_then(|known| known[rank as usize].get(odd));
        known.unwrap_or_else(|| self.leads(histogram, odd, jumps))
    }

    /// Whether the histogram is near enough to the start for the first half of `length` moves, and to the target for
    /// the second.
    fn is_near(&self, rank: u32, length: u32) -> bool {
        let half = length / 2;
        self.to_target.within(rank, length - half) && self.from_start.within(rank, half)
    }

    /// Those of `ranks` that [`Self::is_near`] holds for, as [`each_where`] asks for them.
    fn mask_near(&self, ranks: Range<u32>, length: u32) -> u64 {
        let half = length / 2;
        let to_target = self.to_target.mask_within(ranks.clone(), length - half);
        if to_target == 0 { 0 } else { to_target & self.from_start.mask_within(ranks, half) }
    }

    /// Computes whether a histogram may be the middle of solutions of even and of odd length, whatever that is otherwise.
    pub(super) fn verdicts(&self, middles: Middles) -> impl FnMut(u32) -> [bool; 2] {
        let space = &self.abstraction.space;
        let (mut unranking, mut jumps) = (IncrementalUnranking::new(space), Jumps::default());
        let by_group = self.abstraction.by_group().filter(|_| middles == Middles::Leading);
        move |at| {
            if let Some(by_group) = by_group {
                let (c, mut gains) = by_group.gains(at);
                return [c >= 0, c >= 0 || gains.any(|gain| 2 * c + gain >= 0)];
            }
            let histogram = unranking.to(space, at);
            [false, true].map(|odd| match middles {
                Middles::Leading => self.leads(histogram, odd, &mut jumps),
                Middles::Palindromic => self.reflects(histogram, odd),
            })
        }
    }

    /// Whether a solution with such a middle leads, that is, is at least half way there.
    fn leads(&self, histogram: &[u8], odd: bool, jumps: &mut Jumps) -> bool {
        let c = self.abstraction.centroid(histogram);
        if c >= 0 || !odd {
            return c >= 0;
        }
        let (abstraction, values) = (&*self.abstraction, &self.abstraction.partition.values);
        let (room, needed) = (abstraction.space.room(histogram), -2 * c);
        let mut known_jumps = false;
        // Few men have a class with room so far ahead of their own.
        (0..histogram.len()).filter(|&a| histogram[a] > 0).any(|a| {
            let ahead = abstraction.group_from(a, values[a] + needed) & room;
            if ahead == 0 {
                return false;
            }
            if !known_jumps {
                abstraction.jumps(histogram, jumps);
                known_jumps = true;
            }
            abstraction.targets(histogram, jumps, a) & ahead != 0
        })
    }

    /// Whether an army can be a middle that leads, judged by the values of its men alone: no army that is one is refused.
    #[inline]
    pub(crate) fn may_lead(&self, men: &[u8], odd: bool) -> bool {
        let value = |&cell: &u8| self.values[usize::from(cell)];
        let c: i32 = men.iter().map(value).sum();
        c >= 0 || odd && men.iter().map(value).min().is_some_and(|last| 2 * c + self.most - last >= 0)
    }

    /// Whether the histogram is its own mirror image; for odd lengths, up to the man who moves in the middle.
    fn reflects(&self, histogram: &[u8], odd: bool) -> bool {
        let image = self.abstraction.mirror_image(histogram);
        let differences: u32 = histogram.iter().zip(image).map(|(&a, b)| u32::from(a.abs_diff(b))).sum();
        differences <= if odd { 2 } else { 0 }
    }
}
