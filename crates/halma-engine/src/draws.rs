//! Pseudo-random numbers (splitmix64: Steele, Lea and Flood 2014), the same on every machine and in every later version.

/// A sequence of numbers that its seed determines.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The sequence of that seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The seed of the rest of the sequence.
    #[must_use]
    pub fn state(&self) -> u64 {
        self.0
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// One of these.
    ///
    /// # Panics
    /// Where there is none.
    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_splitmix64() {
        let mut draws = Draws::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| draws.draw()).collect();
        // From the reference implementation by Sebastiano Vigna.
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
        assert_eq!(Draws::new(draws.state()).draw(), draws.draw());
    }
}
