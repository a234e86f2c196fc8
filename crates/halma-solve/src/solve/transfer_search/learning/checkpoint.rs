//! The rounds so far as bytes, for the run's folder: after a kill the search goes on from the round that was under way.
//!
//! All numbers are little-endian. Nothing rests on them but which solution is found.

use halma_engine::draws::Draws;
use halma_rules::cells::Cells;

use super::super::Solution;
use super::learner::{Learner, Sample};
use super::{HORIZON, MOST_SAMPLES};

/// The version of the format, which changes where later programs learn in another way.
const VERSION: u64 = 1;
/// The moves of the longest solution that can be found: any two levels may meet.
const LONGEST: u32 = 2 * HORIZON;

/// What has been learned.
pub(super) struct Learned<const W: usize> {
    /// How many rounds have been completed.
    pub(super) rounds: u32,
    /// Whether all of them have been learned from, and no part of another one.
    pub(super) is_whole: bool,
    pub(super) draws: Draws,
    pub(super) learner: Learner,
    pub(super) samples: Vec<Sample<W>>,
    /// The shortest solution found so far.
    pub(super) best: Option<Solution<W>>,
}

/// Bytes that are read from the front.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn weight(&mut self) -> Option<f32> {
        self.take().map(f32::from_le_bytes).filter(|weight| weight.is_finite())
    }

    /// An army of as many men as the start has, on cells of its board.
    fn army<const W: usize>(&mut self, men: usize, cells: usize) -> Option<Cells<W>> {
        let mut words = [0; W];
        for word in &mut words {
            *word = self.number()?;
        }
        let army = Cells::from_words(words);
        (army.len() == men && army.iter().all(|cell| cell < cells)).then_some(army)
    }
}

impl<const W: usize> Learned<W> {
    /// Before the first round.
    pub(super) fn new(seed: u64, learner: Learner) -> Self {
        Self { rounds: 0, is_whole: true, draws: Draws::new(seed), learner, samples: Vec::new(), best: None }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Self { rounds, draws, learner, samples, best, .. } = self;
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
        let army = |bytes: &mut Vec<u8>, army: Cells<W>| army.words().into_iter().for_each(|word| number(bytes, word));
        for head in [VERSION, u64::from(*rounds), draws.state(), samples.len() as u64] {
            number(&mut bytes, head);
        }
        learner.weights().for_each(|weight| bytes.extend(weight.to_le_bytes()));
        for sample in samples {
            army(&mut bytes, sample.army);
            number(&mut bytes, u64::from(sample.level) << 1 | u64::from(sample.good));
        }
        let walk = best.as_ref().map_or(&[][..], |best| &best.walk);
        number(&mut bytes, walk.len() as u64);
        walk.iter().for_each(|&state| army(&mut bytes, state));
        bytes
    }

    /// What [`Self::to_bytes`] wrote, for an army of `men` men on a board of `cells` cells; `learner` has not learned yet. `None` if it
    /// cannot have been written.
    pub(super) fn from_bytes(bytes: &[u8], mut learner: Learner, men: usize, cells: usize) -> Option<Self> {
        let mut reader = Reader(bytes);
        let [version, rounds, draws, samples] =
            [reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        if version != VERSION || samples > MOST_SAMPLES as u64 {
            return None;
        }
        learner.restore(|| reader.weight())?;
        let mut sample = |_| {
            let army = reader.army(men, cells)?;
            let number = reader.number()?;
            let level = u32::try_from(number >> 1).ok().filter(|&level| level <= LONGEST)?;
            Some(Sample { army, level, good: number & 1 == 1 })
        };
        let samples = (0..samples).map(&mut sample).collect::<Option<_>>()?;
        let walk = reader.number().filter(|&armies| armies != 1 && armies <= u64::from(LONGEST) + 1)?;
        let walk = (0..walk).map(|_| reader.army(men, cells)).collect::<Option<Vec<_>>>()?;
        let best = (!walk.is_empty()).then(|| Solution { length: walk.len() as u32 - 1, walk });
        let rounds = u32::try_from(rounds).ok()?;
        let learned = Self { rounds, is_whole: true, draws: Draws::new(draws), learner, samples, best };
        reader.0.is_empty().then_some(learned)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::best_successors::tests::with_problem_1;
    use super::super::learner;
    use super::super::pattern_score::unlearned;
    use super::*;

    #[test]
    fn what_was_learned_comes_back_and_no_part_of_it_passes_for_the_whole() {
        with_problem_1(|setup| {
            let unlearned = unlearned(&setup.problem.centroid, setup.problem.mirror());
            let mut draws = Draws::new(3);
            let mut army = || {
                let mut army = Cells::<2>::EMPTY;
                while army.len() < 6 {
                    army.add(draws.below(81));
                }
                army
            };
            // Mirror images of a solution with 200 moves lie on level 199, too.
            let samples: Vec<Sample<2>> =
                (0..200).map(|level| Sample { army: army(), level, good: level % 3 == 0 }).collect();
            let walk: Vec<Cells<2>> = (0..24).map(|_| army()).collect();
            let mut learned = Learned { rounds: 2, samples, ..Learned::new(5, learner(setup)) };
            learned.best = Some(Solution { length: 23, walk });
            learned.learner.train(&learned.samples, &unlearned, setup.engine.cancel, &mut learned.draws).unwrap();

            let bytes = learned.to_bytes();
            let read = |bytes: &[u8]| Learned::<2>::from_bytes(bytes, learner(setup), 6, 81);
            let mut back = read(&bytes).expect("it was written so");
            assert_eq!(back.to_bytes(), bytes);
            assert_eq!((back.rounds, back.best.as_ref().map(|best| best.length)), (2, Some(23)));
            assert_eq!(back.draws.draw(), learned.draws.draw());
            assert!(learned.learner.weights().any(|weight| weight != 0.0), "something was learned");

            for end in (0..bytes.len()).step_by(997).chain([bytes.len() - 1]) {
                assert!(read(&bytes[..end]).is_none(), "{end} bytes of {}", bytes.len());
            }
            assert!(read(&[&bytes[..], &[0]].concat()).is_none());
            assert!(Learned::<2>::from_bytes(&bytes, learner(setup), 7, 81).is_none(), "other armies");
            assert!(Learned::<2>::from_bytes(&bytes, learner(setup), 6, 40).is_none(), "cells beyond the board");
            assert!(read(&[&2u64.to_le_bytes()[..], &bytes[8..]].concat()).is_none(), "another version");
        });
    }
}
