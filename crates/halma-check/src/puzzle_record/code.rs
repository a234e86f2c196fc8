//! The numbers of states, as the reference page says ("What is stored"): digits to several bases, the lowest first.

use num_bigint::BigUint;

use crate::number::{Number, Wide};

/// Numbers that can be computed with. What is computed here fits: a state's number is less than how many there are.
pub trait Arithmetic: Number {
    /// `None` where it has too many bits.
    fn from_big(value: &BigUint) -> Option<Self>;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Quotient and rest.
    fn divided(self, by: Self) -> (Self, Self);
    /// The number as a digit.
    fn small(self) -> usize {
        self.words()[0] as usize
    }
}

macro_rules! native {
    ($type:ty) => {
        impl Arithmetic for $type {
            fn from_big(value: &BigUint) -> Option<Self> {
                value.try_into().ok()
            }
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn divided(self, by: Self) -> (Self, Self) {
                (self.checked_div(by).unwrap_or_default(), self.checked_rem(by).unwrap_or_default())
            }
        }
    };
}
native!(u64);
native!(u128);

fn big(value: Wide) -> BigUint {
    BigUint::from_bytes_le(&value.words().map(u64::to_le_bytes).concat())
}

fn wide(value: &BigUint) -> Wide {
    Wide::from_big(value).unwrap_or_default()
}

impl Arithmetic for Wide {
    fn from_big(value: &BigUint) -> Option<Self> {
        Self::read(&value.to_bytes_le())
    }
    fn plus(self, other: Self) -> Self {
        wide(&(big(self) + big(other)))
    }
    fn minus(self, other: Self) -> Self {
        if other > self { Self::default() } else { wide(&(big(self) - big(other))) }
    }
    fn times(self, other: Self) -> Self {
        wide(&(big(self) * big(other)))
    }
    fn divided(self, by: Self) -> (Self, Self) {
        if by == Self::default() {
            return (by, by);
        }
        let (value, by) = (big(self), big(by));
        (wide(&(&value / &by)), wide(&(value % by)))
    }
}

/// A part of a state: some of its entries, one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// So many digits to that base, the lowest first.
    Digits { base: u8, len: usize },
    /// Each value from 0 on as often as is said here; ranked value by value, but for the last.
    Arrangement(Vec<usize>),
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Digits { len, .. } => *len,
            Self::Arrangement(counts) => counts.iter().sum(),
        }
    }
}

/// How states are numbered.
#[derive(Debug)]
pub struct Code<N> {
    parts: Vec<Part>,
    /// C(n, k); `None` where that is more than there are states.
    binomials: Vec<Vec<Option<N>>>,
}

fn pascal(most: usize) -> Vec<Vec<BigUint>> {
    let mut rows = vec![vec![BigUint::from(1u8)]];
    for n in 1..=most {
        let above = &rows[n - 1];
        let inner = (1..n).map(|k| &above[k - 1] + &above[k]);
        let row = std::iter::once(1u8.into()).chain(inner).chain([1u8.into()]).collect();
        rows.push(row);
    }
    rows
}

fn longest(parts: &[Part]) -> usize {
    parts.iter().map(Part::len).max().unwrap_or(0)
}

/// How many states such parts number.
pub fn total(parts: &[Part]) -> BigUint {
    let binomials = pascal(longest(parts));
    let of = |part: &Part| match part {
        Part::Digits { base, len } => BigUint::from(*base).pow(*len as u32),
        Part::Arrangement(counts) => {
            let mut left = part.len();
            let mut product = BigUint::from(1u8);
            for &count in counts {
                product *= &binomials[left][count];
                left -= count;
            }
            product
        }
    };
    parts.iter().map(of).product()
}

impl<N: Arithmetic> Code<N> {
    /// The numbering; `None` where numbers of this kind do not hold it.
    pub fn new(parts: Vec<Part>) -> Option<Self> {
        N::from_big(&total(&parts))?;
        let rows = pascal(longest(&parts));
        let binomials = rows.iter().map(|row| row.iter().map(N::from_big).collect()).collect();
        Some(Self { parts, binomials })
    }

    fn of(digit: usize) -> N {
        N::default().push(digit as u128, u64::BITS)
    }

    /// C(n, k), 0 where k > n.
    fn binomial(&self, n: usize, k: usize) -> Option<N> {
        self.binomials[n].get(k).copied().unwrap_or(Some(N::default()))
    }

    /// The number of a state.
    pub fn number(&self, state: &[u8]) -> N {
        let mut digits: Vec<(N, N)> = Vec::new();
        let mut rest = state;
        for part in &self.parts {
            let (own, others) = rest.split_at(part.len());
            rest = others;
            match part {
                Part::Digits { base, .. } => {
                    digits.extend(own.iter().map(|&d| (Self::of(d.into()), Self::of((*base).into()))));
                }
                Part::Arrangement(counts) => self.ranks(own, counts, &mut digits),
            }
        }
        digits.into_iter().rev().fold(N::default(), |number, (digit, base)| number.times(base).plus(digit))
    }

    /// The rank of each value but the last among the places that are left, with how many such ranks there are.
    fn ranks(&self, own: &[u8], counts: &[usize], digits: &mut Vec<(N, N)>) {
        let mut left = own.to_vec();
        for (value, &count) in counts.iter().enumerate().take(counts.len().saturating_sub(1)) {
            let places = (0..left.len()).filter(|&place| usize::from(left[place]) == value);
            let terms = places.zip(1..).filter_map(|(place, k)| self.binomial(place, k));
            let rank = terms.fold(N::default(), N::plus);
            digits.push((rank, self.binomial(left.len(), count).unwrap_or_default()));
            left.retain(|&other| usize::from(other) != value);
        }
    }

    /// The state of a number; `None` where it is too large.
    pub fn state(&self, mut number: N) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        for part in &self.parts {
            match part {
                Part::Digits { base, len } => {
                    for _ in 0..*len {
                        let (quotient, digit) = number.divided(Self::of((*base).into()));
                        state.push(digit.small() as u8);
                        number = quotient;
                    }
                }
                Part::Arrangement(counts) => {
                    // Whoever is not placed has the last value.
                    let mut own = vec![counts.len().saturating_sub(1) as u8; part.len()];
                    let mut free: Vec<usize> = (0..own.len()).collect();
                    for (value, &count) in counts.iter().enumerate().take(counts.len().saturating_sub(1)) {
                        let (quotient, rank) = number.divided(self.binomial(free.len(), count)?);
                        number = quotient;
                        for place in self.places(rank, count, free.len())? {
                            own[free.remove(place)] = value as u8;
                        }
                    }
                    state.extend(own);
                }
            }
        }
        (number == N::default()).then_some(state)
    }

    /// The `count` places below `n` of that rank, the last first.
    fn places(&self, mut rank: N, count: usize, mut n: usize) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        for k in (1..=count).rev() {
            n = (0..n).rev().find(|&place| self.binomial(place, k).is_some_and(|term| term <= rank))?;
            rank = rank.minus(self.binomial(n, k)?);
            places.push(n);
        }
        (rank == N::default()).then_some(places)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all<N: Arithmetic>(parts: &[Part]) {
        let code = Code::<N>::new(parts.to_vec()).unwrap();
        let count = u64::try_from(&total(parts)).unwrap();
        for number in 0..count {
            let number = N::from_big(&number.into()).unwrap();
            assert_eq!(code.number(&code.state(number).unwrap()), number);
        }
        assert_eq!(code.state(N::from_big(&count.into()).unwrap()), None);
    }

    #[test]
    fn numbers_are_without_gaps_and_lead_back() {
        let parts =
            [Part::Digits { base: 2, len: 1 }, Part::Arrangement(vec![2, 0, 1, 3]), Part::Digits { base: 3, len: 2 }];
        assert_eq!(total(&parts), BigUint::from(2 * 60 * 9u32));
        all::<u64>(&parts);
        all::<u128>(&parts);
        all::<Wide>(&parts);
    }

    #[test]
    fn the_page_is_followed_digit_by_digit() {
        // Letter 0 on 1 and 3 of five cells: C(1,1) + C(3,2) = 4 of 10; letter 1 on the last of those that are left: C(2,1).
        let code = Code::<u64>::new(vec![Part::Arrangement(vec![2, 1, 2])]).unwrap();
        assert_eq!(code.number(&[2, 0, 2, 0, 1]), 4 + 10 * 2);
        let digits = Code::<u64>::new(vec![Part::Digits { base: 3, len: 3 }]).unwrap();
        assert_eq!(digits.number(&[2, 0, 1]), 2 + 9);
    }

    proptest! {
        #[test]
        fn large_states_have_numbers_of_256_bits(mut cells in proptest::collection::vec(0u8..3, 130)) {
            cells.extend([0, 1, 2]);
            let counts = (0..3).map(|v| cells.iter().filter(|&&c| c == v).count()).collect::<Vec<_>>();
            let parts = vec![Part::Arrangement(counts)];
            prop_assume!(total(&parts).bits() > 128);
            prop_assert!(Code::<u128>::new(parts.clone()).is_none());
            let code = Code::<Wide>::new(parts).unwrap();
            prop_assert_eq!(code.state(code.number(&cells)), Some(cells));
        }
    }
}
