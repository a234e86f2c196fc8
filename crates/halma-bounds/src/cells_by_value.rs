//! The cells of at least some value, for functions of the cells that have few values, such as the centroid.

use halma_rules::cells::Cells;

/// For each value from the least to the largest, the cells of at least that value.
#[derive(Clone, Debug)]
pub struct CellsByValue<const W: usize> {
    least: i32,
    /// The cells of at least `least + i`.
    from: Vec<Cells<W>>,
}

impl<const W: usize> CellsByValue<W> {
    /// The sets for these values of the cells.
    #[must_use]
    pub fn new(values: &[i32]) -> Self {
        let least = values.iter().min().copied().unwrap_or(0);
        let most = values.iter().max().copied().unwrap_or(0);
        let at_least = |bound: i32| (0..values.len()).filter(|&cell| values[cell] >= bound).collect();
        Self { least, from: (least..=most).map(at_least).collect() }
    }

    /// The cells of at least this value.
    #[inline(always)]
    #[must_use]
    pub fn at_least(&self, bound: i64) -> Cells<W> {
        let index = usize::try_from(bound - i64::from(self.least)).unwrap_or(0);
        self.from.get(index).copied().unwrap_or(Cells::EMPTY)
    }

    /// The cells of values that suffice, where each value above one that suffices does, too.
    #[must_use]
    pub fn sufficient(&self, suffices: impl Fn(i32) -> bool) -> Cells<W> {
        let (mut low, mut high) = (0, self.from.len());
        while low < high {
            let at = usize::midpoint(low, high);
            if suffices(self.least + at as i32) {
                high = at;
            } else {
                low = at + 1;
            }
        }
        self.from.get(low).copied().unwrap_or(Cells::EMPTY)
    }
}
