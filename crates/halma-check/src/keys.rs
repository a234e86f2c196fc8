//! Keys and digests of states, from their descriptions.
//!
//! An army c_1 < ... < c_k has the rank C(c_1, 1) + ... + C(c_k, k). The key of a transfer's army is its rank; that of a game's
//! position, a bit for whose turn it is (1: red's), blue's rank, red's rank, each rank in as many bits as the number of sets
//! needs. A state has the least key of its images under K. A digest is the sum modulo 2^128 of the states' mixes; a mix has 64
//! bits under each half of the digest's key.

use super::number::Number;

/// The keys that digests in records may use: the first 256 bits of the fraction of pi, in two halves.
pub(super) const PUBLISHED: [u128; 2] =
    [0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344, 0xa409_3822_299f_31d0_082e_fa98_ec4e_6c89];

/// Binomial coefficients C(n, k), by n and k.
#[derive(Debug)]
pub(super) struct Binomials(Vec<Vec<u128>>);

impl Binomials {
    /// For sets of `men` of `cells` cells; `None` if 128 bits do not hold their ranks. Intermediate coefficients that
    /// are larger occur in no rank, and saturate.
    pub fn new(cells: usize, men: usize) -> Option<Self> {
        let mut rows = vec![vec![0u128; men + 1]; cells + 1];
        for n in 0..=cells {
            rows[n][0] = 1;
            for k in 1..=men.min(n) {
                // On nearly full boards the middle rows overflow; no rank has such a coefficient.
                rows[n][k] = rows[n - 1][k - 1].saturating_add(rows[n - 1][k]);
            }
        }
        let this = Self(rows);
        (this.sets() < u128::MAX).then_some(this)
    }

    /// How many sets there are.
    pub fn sets(&self) -> u128 {
        self.0.last().and_then(|row| row.last()).copied().unwrap_or(0)
    }

    /// The rank of a set, its cells ascending.
    #[inline]
    pub fn rank(&self, cells: impl IntoIterator<Item = u8>) -> u128 {
        (1..).zip(cells).map(|(k, cell): (usize, _)| self.0[usize::from(cell)][k]).sum()
    }

    /// Writes the set of that rank into `cells`, ascending; returns whether there is one.
    #[inline]
    pub fn unrank(&self, mut rank: u128, cells: &mut [u8]) -> bool {
        let mut n = self.0.len() - 1;
        for k in (1..=cells.len()).rev() {
            // The greatest remaining cell whose coefficient fits; cells descend from man to man.
            loop {
                if n == 0 {
                    return false;
                }
                n -= 1;
                if self.0[n][k] <= rank {
                    break;
                }
            }
            rank -= self.0[n][k];
            cells[k - 1] = n as u8;
        }
        rank == 0
    }
}

fn finish(mut x: u64) -> u64 {
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// The hash of one state, its part of a digest.
pub(super) fn mix(key: u128, state: impl Number) -> u128 {
    let half = |start: u64| {
        (1u64..)
            .zip(state.words())
            .fold(start, |h, (i, word)| finish((h ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(i))))
    };
    u128::from(half((key >> 64) as u64)) << 64 | u128::from(half(key as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_sets_in_order_and_lead_back() {
        let binomials = Binomials::new(9, 3).unwrap();
        let (mut expected, mut found) = (0, [0; 3]);
        for c in 0..9 {
            for b in 0..c {
                for a in 0..b {
                    assert_eq!(binomials.rank([a, b, c]), expected);
                    assert!(binomials.unrank(expected, &mut found));
                    assert_eq!(found, [a, b, c]);
                    expected += 1;
                }
            }
        }
        assert_eq!(expected, binomials.sets());
        assert!(!binomials.unrank(expected, &mut found), "84 sets, no more");
    }
}
