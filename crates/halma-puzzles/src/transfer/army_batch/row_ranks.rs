//! The ranks of the armies of one row.

use halma_engine::key::Key;
use halma_rules::cells::Cells;

use crate::rank::Ranks;

/// The longest run of inner cells that is looked up at once.
const LONGEST: usize = 6;

/// Inner cells that follow each other on the board, so that no outer cell lies between them.
struct Run<K> {
    /// The bit of its first cell.
    shift: usize,
    /// The bits of the inner cells below the run.
    lower: u16,
    /// As many low bits as the run has cells.
    mask: u16,
    /// The first cell.
    first: usize,
    length: usize,
    /// By bits and number of men below the run: the sum of the binomials of its men.
    sums: Vec<K>,
}

/// Ranks armies by runs of inner cells: the binomials of a run depend on its men and on how many men stand below it, and those of
/// the outer men between two runs on how many inner men stand below them.
pub struct RowRanks<K> {
    runs: Vec<Run<K>>,
    men: usize,
}

/// The outer men of one row, as [`RowRanks::rank`] needs them.
#[derive(Clone, Default)]
pub struct OuterSums<K> {
    /// By run: how many outer men stand below it.
    below: Vec<usize>,
    /// By run (and one more, for those above all runs) and number of inner men below: the sum of the binomials of the outer men
    /// between it and the run before.
    sums: Vec<K>,
}

impl<K: Key> RowRanks<K> {
    /// For these inner cells, which ascend.
    #[must_use]
    pub fn new(ranks: &Ranks<K>, cells: &[u8]) -> Self {
        let men = ranks.men();
        let mut runs: Vec<Run<K>> = Vec::new();
        for (bit, &cell) in cells.iter().enumerate() {
            let cell = usize::from(cell);
            match runs.last_mut() {
                Some(run) if run.first + run.length == cell && run.length < LONGEST => run.length += 1,
                _ => runs.push(Run {
                    shift: bit,
                    lower: (1 << bit) - 1,
                    mask: 0,
                    first: cell,
                    length: 1,
                    sums: Vec::new(),
                }),
            }
        }
        for run in &mut runs {
            run.mask = (1 << run.length) - 1;
            let sum = |bits: usize, below: usize| {
                let (mut sum, mut man) = (K::default(), below);
                for cell in (0..run.length).filter(|i| bits >> i & 1 == 1).map(|i| run.first + i) {
                    man += 1;
                    // More men than there are: no army has them.
                    sum = if man <= men { sum.plus(ranks.choose(cell, man)) } else { sum };
                }
                sum
            };
            run.sums = (0..1 << run.length)
                .flat_map(|bits| (0..=men).map(move |below| (bits, below)))
                .map(|(bits, below)| sum(bits, below))
                .collect();
        }
        Self { runs, men }
    }

    /// Writes the sums of a row with these outer men into `sums`.
    pub fn prepare<const W: usize>(&self, ranks: &Ranks<K>, outer: Cells<W>, sums: &mut OuterSums<K>) {
        let counts = self.men + 1;
        let inside = self.men - outer.len();
        sums.below.clear();
        sums.sums.clear();
        sums.sums.resize((self.runs.len() + 1) * counts, K::default());
        let (mut run, mut man) = (0, 0);
        outer.for_each(|cell| {
            while self.runs.get(run).is_some_and(|run| run.first < cell) {
                sums.below.push(man);
                run += 1;
            }
            man += 1;
            for (count, sum) in sums.sums[run * counts..].iter_mut().enumerate().take(inside + 1) {
                *sum = sum.plus(ranks.choose(cell, man + count));
            }
        });
        sums.below.resize(self.runs.len(), man);
    }

    /// The rank of the army with the outer men of `sums` and the inner men of `set`.
    #[inline(always)]
    #[must_use]
    pub fn rank(&self, sums: &OuterSums<K>, set: u16) -> K {
        let counts = self.men + 1;
        let (between, above) = sums.sums.split_at(self.runs.len() * counts);
        let mut rank = above[set.count_ones() as usize];
        for (number, run) in self.runs.iter().enumerate() {
            // Counted anew for each run, so that none waits for the one before.
            let inner = (set & run.lower).count_ones() as usize;
            let bits = usize::from(set >> run.shift & run.mask);
            let own = run.sums[bits * counts + sums.below[number] + inner];
            rank = rank.plus(between[number * counts + inner]).plus(own);
        }
        rank
    }
}
