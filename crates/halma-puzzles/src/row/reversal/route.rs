//! The path of the vacancy in a constructed reversal: a few legs, each along the row or along the cycle 0, 1, 3, 5,
//! ..., 6, 4, 2 of its places.

use std::iter::successors;

use super::Reversal;

/// A leg of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// The last place of the row.
    n: u64,
    from: u64,
    moves: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One place at a time to the right or, negative, to the left; or two.
    Along(i64),
    /// Along the cycle, the odd places first.
    Odds,
    /// Along the cycle the other way.
    Evens,
}

/// A walk along the row from place to place, `step` places at a time.
fn along(n: u64, from: u64, to: u64, step: u64) -> Leg {
    let sign = if to < from { -1 } else { 1 };
    Leg { n, from, moves: from.abs_diff(to) / step, kind: Kind::Along(sign * step as i64) }
}

impl Leg {
    /// The same walk seen from the other side of the row, which turns the cycle by half for odd n and turns it over for
    /// even n.
    pub(super) fn mirrored(self) -> Self {
        let kind = match self.kind {
            Kind::Along(step) => Kind::Along(-step),
            Kind::Odds if self.n.is_multiple_of(2) => Kind::Evens,
            Kind::Evens if self.n.is_multiple_of(2) => Kind::Odds,
            kind => kind,
        };
        Self { from: self.n - self.from, kind, ..self }
    }

    /// How many moves it takes.
    pub fn moves(self) -> u64 {
        self.moves
    }

    /// The places that it goes to, one after another, each from the one before.
    pub fn walk(self) -> impl Iterator<Item = u64> {
        successors(Some(self.from), move |&place| Some(self.next(place))).skip(1).take(self.moves as usize)
    }

    fn next(self, place: u64) -> u64 {
        let n = self.n;
        let (up, odd) = match self.kind {
            Kind::Along(step) => return place.wrapping_add_signed(step),
            Kind::Odds => (place % 2 == 1, true),
            Kind::Evens => (place.is_multiple_of(2), false),
        };
        match place {
            0 if odd || n == 1 => 1,
            1 if !odd => 0,
            _ if up && place + 2 <= n => place + 2,
            // The far end: over to the other parity.
            _ if up && place == n => n - 1,
            _ if up => n,
            _ => place - 2,
        }
    }

    /// The place after `i` moves, at once.
    pub fn at(self, i: u64) -> u64 {
        let n = self.n;
        let around = |index: u64| {
            // Place 0, then (n+1)/2 odd places going up, then the even ones going down.
            if index == 0 {
                0
            } else if index <= n.div_ceil(2) {
                2 * index - 1
            } else {
                2 * (n + 1 - index)
            }
        };
        let index = match self.from {
            0 => 0,
            odd if odd % 2 == 1 => odd.div_ceil(2),
            even => n + 1 - even / 2,
        };
        match self.kind {
            Kind::Along(step) => self.from.wrapping_add_signed(step * i as i64),
            Kind::Odds => around((index + i) % (n + 1)),
            Kind::Evens => around((index + n + 1 - i % (n + 1)) % (n + 1)),
        }
    }
}

/// How many moves the legs take.
pub fn length(legs: &[Leg]) -> u64 {
    legs.iter().map(|leg| leg.moves).sum()
}

impl Reversal {
    /// The legs of the constructed solution.
    pub(super) fn route(self) -> Vec<Leg> {
        let Self { n, start: s, end: f } = self;
        let (leg, slides) = (|from, moves, kind| Leg { n, from, moves, kind }, |from, to| along(n, from, to, 1));
        let core = n * (n + 1) / 2;
        if n == 0 || (n == 1 && s == f) {
            return Vec::new();
        }
        if n == 2 && s.abs_diff(f) == 2 {
            return vec![along(n, s, f, 2)];
        }
        if s + f > n {
            return Self::new(n, n - s, n - f).route().into_iter().map(Leg::mirrored).collect();
        }
        match (n % 2, s, f) {
            // Half round and (n-1)/2 times round, to the opposite place.
            (1, s, f) if s + f == n => vec![leg(s, core, Kind::Odds)],
            // The core to n - 1 would end with the slide 1 -> 0 and the jumps 2, 4, ..., n - 1, and slides would lead
            // back. The same permutation of the checkers, two moves shorter: slides 1 -> n - 1, then jumps back to 0.
            (1, 0, 0) => vec![leg(0, core - 2 - (n - 1) / 2, Kind::Evens), slides(1, n - 1), along(n, n - 1, 0, 2)],
            // The core to n, but for the slide n - 1 -> n that ends it.
            (1, 0, f) => vec![leg(0, core - 1, Kind::Evens), slides(n - 1, f)],
            (1, s, 0) => vec![slides(s, n - 1), leg(n - 1, core - 1, Kind::Odds)],
            (1, s, f) => vec![leg(s, core, Kind::Odds), slides(n - s, f)],
            (_, 0, 0) => vec![leg(0, core, Kind::Odds)],
            // The core but for its last move, the slide 1 -> 0, or for its first, the slide 0 -> 1.
            (_, 0, f) => vec![leg(0, core - 1, Kind::Evens), slides(1, f)],
            (_, s, f) => vec![slides(s, 1), leg(1, core - 1, Kind::Odds), slides(0, f)],
        }
    }
}
