//! The symmetry constraint of Section 3.3 of the paper (Bell 2009), an admissible bound for palindromic solutions: the
//! army is symmetric at the middle, and a move adds at most two to its symmetry.

use std::sync::Arc;

use halma_rules::cells::Cells;

use super::{Bound, Pruner};
use crate::Army;

/// Equation (13): prunes a state on level i if sym(A) < T - 2 (N - i), for solutions of length 2N (T = men) or 2N + 1
/// (T = men - 1). sym(A) is the number of men whose mirror cell is occupied, too.
#[derive(Clone, Debug)]
pub struct Palindrome<const W: usize> {
    mirror: Arc<Vec<u8>>,
    /// The cells that are their own mirror images.
    on_axis: Cells<W>,
    /// T and N.
    goal: i64,
    half: i64,
}

/// sym(A): how many men of `army` have their mirror cell occupied.
#[must_use]
pub fn symmetry<const W: usize>(mirror: &[u8], army: Army<'_, W>) -> usize {
    army.men.iter().filter(|&&man| army.set.contains(usize::from(mirror[usize::from(man)]))).count()
}

impl<const W: usize> Palindrome<W> {
    /// The constraint for `men` men and solutions of `length` moves.
    #[must_use]
    pub fn new(mirror: &[u8], men: usize, length: u32) -> Self {
        let on_axis = (0..mirror.len()).filter(|&c| usize::from(mirror[c]) == c).collect();
        let goal = men as i64 - i64::from(length % 2);
        Self { mirror: Arc::new(mirror.to_vec()), on_axis, goal, half: i64::from(length / 2) }
    }
}

impl<const W: usize> Bound<W> for Palindrome<W> {
    fn pruner(&self) -> Box<dyn Pruner<W>> {
        Box::new(self.clone())
    }
}

impl<const W: usize> Pruner<W> for Palindrome<W> {
    fn filter(&mut self, army: Army<'_, W>, depth: u32, reach: &mut [Cells<W>]) {
        let left = self.half - i64::from(depth);
        if left < 0 {
            return;
        }
        let wanted = self.goal - 2 * left;
        let image = army.set.mapped(&self.mirror);
        let now = (army.set & image).len() as i64;
        for (&man, reach) in army.men.iter().zip(reach) {
            let man = usize::from(man);
            let partner = usize::from(self.mirror[man]);
            let paired = army.set.contains(partner);
            let rest = now - if partner == man { 1 } else { 2 * i64::from(paired) };
            // A man on an axis cell adds one; a man whose mirror cell is occupied adds two, his own and his partner's.
            match wanted - rest {
                ..=0 => {}
                1 => *reach &= self.on_axis | image.without(partner),
                2 => *reach &= image.without(partner),
                _ => *reach = Cells::EMPTY,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The set-wise verdicts are those of sym(A) computed afresh for every successor.
        #[test]
        fn whole_sets_are_judged_like_single_states(
            men in proptest::collection::btree_set(0u8..81, 1..12), length in 1u32..12, depth in 0u32..8
        ) {
            let mirror: Vec<u8> = (0..81u8).map(|c| 80 - (c % 9 * 9 + c / 9)).collect();
            let men: Vec<u8> = men.into_iter().collect();
            let set: Cells<2> = men.iter().map(|&m| usize::from(m)).collect();
            let mut reach = vec![Cells::first(81) & !set; men.len()];
            Palindrome::new(&mirror, men.len(), length).filter(Army { men: &men, set }, depth, &mut reach);
            for (&man, reach) in men.iter().zip(&reach) {
                for to in (0..81).filter(|&c| !set.contains(c)) {
                    let after = set.without(usize::from(man)).with(to);
                    let (goal, half) = (men.len() as i64 - i64::from(length % 2), i64::from(length / 2));
                    let left = half - i64::from(depth);
                    let symmetry = (after & after.mapped(&mirror)).len() as i64;
                    let expected = left < 0 || symmetry >= goal - 2 * left;
                    prop_assert_eq!(reach.contains(to), expected, "{} -> {}", man, to);
                }
            }
        }
    }
}
