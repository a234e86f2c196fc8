//! Transition tables: where a part of the key has few values, what each move makes of each of them is kept in a table, as
//! solvers of Rubik's cube do (Kociemba's coordinates).

use halma_engine::key::Key;

/// The most bytes of a table: one that the caches do not hold is slower than ranking anew.
const MAX_BYTES: usize = 4 << 20;

/// A part of the key in tables.
#[derive(Clone, Debug)]
pub(super) struct Coordinate<K> {
    /// What each of its values adds to the key, ascending from 0.
    values: Vec<K>,
    /// Row after row, one for each change, what the key has instead of each value.
    after: Vec<K>,
}

impl<K: Key> Coordinate<K> {
    /// The tables of a part with `count` values, `weight` apart from each other, under `rows` changes; `None` where they
    /// would be too large. `change` says what becomes of a value under a change.
    pub fn new(count: &K, weight: K, rows: usize, mut change: impl FnMut(usize, K) -> K) -> Option<Self> {
        let [count, 0, 0, 0] = count.words() else { return None };
        let count = usize::try_from(count).ok()?;
        if count < 2 || rows == 0 || count.checked_mul(rows + 1)?.checked_mul(K::BYTES)? > MAX_BYTES {
            return None;
        }
        let values: Vec<K> =
            std::iter::successors(Some(K::default()), |value| Some(value.plus(weight))).take(count).collect();
        let after = (0..rows).flat_map(|row| values.iter().map(move |&value| (row, value)));
        let after = after.map(|(row, value)| change(row, value)).collect();
        Some(Self { values, after })
    }

    /// Its value in the uppermost digits of `rest`, which loses it: its number, and what it adds to the key.
    #[inline]
    pub fn take(&self, rest: &mut K) -> (usize, K) {
        let weight = self.values[1];
        let number = if *rest < weight {
            0
        } else {
            match (rest.words(), weight.words()) {
                ([a, 0, 0, 0], [w, 0, 0, 0]) => (a / w) as usize,
                ([a, b, 0, 0], [v, w, 0, 0]) => {
                    let wide = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
                    (wide(a, b) / wide(v, w)) as usize
                }
                _ => self.values.partition_point(|value| value <= rest) - 1,
            }
        };
        *rest = rest.minus(self.values[number]);
        (number, self.values[number])
    }

    /// What the key has under a change instead of the value of that number.
    #[inline]
    pub fn after(&self, row: usize, number: usize) -> K {
        self.after[row * self.values.len() + number]
    }
}
