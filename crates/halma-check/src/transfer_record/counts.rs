//! Counts the shortest solutions again, in a plainer way than the search: sums over paths of whole armies from the
//! start to the middle, without classes, levels or leading halves.
//!
//! f_n(X) is the number of paths of n moves from S to X. The second half of a solution, mirrored and reversed, is such
//! a path, too. So the number of solutions of 2N moves is the sum of f_N(X) f_N(ρX), and of 2N + 1 moves the sum of
//! f_(N+1)(X) f_N(ρX). Burnside's lemma needs the number of solutions that a symmetry k fixes army by army: the same
//! sums over armies that k fixes. The reversal of a path's image under k is the path itself if ρk maps A_N to itself
//! (or to A_(N+1)), and k² fixes all armies up to A_N. Without a mirror the paths go all the way.

use std::collections::BTreeMap;

use rayon::prelude::*;

use halma_record::record::Counts;

use crate::path_counts::{self, count_of};
use crate::permutation::{composed, image};
use crate::problem::Problem;
use crate::rejection::Trouble;
use crate::transfer_bounds::{Bound, Pruner};

/// Armies by key, each with the number of paths that lead to it.
type PathCounts = path_counts::PathCounts<u128>;

/// A count.
pub(super) struct Counter<'a> {
    problem: &'a Problem,
    /// Bounds that keep all armies of a path of that length.
    bounds: &'a [Bound],
    length: u32,
    palindromic: bool,
    budget: &'a mut u64,
    progress: &'a (dyn Fn(&str) + Sync),
    /// By symmetry: the paths of armies that it fixes, to the last two armies that are needed.
    halves: BTreeMap<Vec<u8>, [PathCounts; 2]>,
}

impl<'a> Counter<'a> {
    pub fn new(
        problem: &'a Problem,
        bounds: &'a [Bound],
        (length, palindromic): (u32, bool),
        budget: &'a mut u64,
        progress: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Self { problem, bounds, length, palindromic, budget, progress, halves: BTreeMap::new() }
    }

    /// Whether the record's numbers are right. Counts up to symmetry use the whole of K, whatever part the search used.
    pub fn confirm(&mut self, stated: &Counts) -> Result<(), Trouble> {
        let fixing = self.problem.whole_fixing();
        let (mut kept, mut reversed, mut palindromes) = (Vec::new(), Vec::new(), Vec::new());
        for k in &fixing {
            if self.palindromic || self.problem.model.mirror.is_some() {
                palindromes.push(self.palindromes(k)?);
                if !self.palindromic {
                    reversed.push(self.reversed(k)?);
                }
            }
            if !self.palindromic {
                kept.push(self.kept(k)?);
            }
        }
        if self.palindromic {
            // Each is its own reversal.
            (kept, reversed) = (palindromes.clone(), palindromes.clone());
        }
        let order = fixing.len() as u128;
        let both = path_counts::total(kept.iter().chain(&reversed).copied())? / (2 * order);
        let classes = |kept: &[u128]| path_counts::total(kept.iter().copied()).map(|sum| sum / order);
        let mirrored = |number: u128| (!reversed.is_empty()).then_some(number);
        let derived = [
            ("sequences", Some(kept[0]), Some(&stated.sequences)),
            ("up_to_symmetry", Some(classes(&kept)?), Some(&stated.up_to_symmetry)),
            ("up_to_reversal", mirrored(both), stated.up_to_reversal.as_ref()),
            ("palindromic", palindromes.first().copied(), stated.palindromic.as_ref()),
            (
                "palindromic_up_to_symmetry",
                mirrored(classes(&palindromes)?),
                stated.palindromic_up_to_symmetry.as_ref(),
            ),
            ("final_positions", None, stated.final_positions.as_ref()),
            ("final_up_to_symmetry", None, stated.final_up_to_symmetry.as_ref()),
        ];
        path_counts::compare(&derived)
    }

    /// The paths fixed by `k`: to the army before the last one that is needed, and to the last one. The latter is A_N,
    /// for 2N + 1 moves A_(N+1), and without a mirror the target.
    fn halves(&mut self, k: &[u8]) -> Result<&[PathCounts; 2], Trouble> {
        if !self.halves.contains_key(k) {
            let model = &self.problem.model;
            let last = if model.mirror.is_some() { self.length.div_ceil(2) } else { self.length };
            let mut paths = vec![(model.army_key(&self.problem.start), 1)];
            let mut before = Vec::new();
            for depth in 0..last {
                (self.progress)(&format!("how many there are: {} armies after {depth} of {last} moves", paths.len()));
                let mut next = self.step(&paths, depth, k)?;
                // A shortest solution, or half of a shortest palindrome, never returns to an army.
                next.retain(|&(key, _)| count_of(&paths, key) == 0 && count_of(&before, key) == 0);
                before = std::mem::replace(&mut paths, next);
            }
            self.halves.insert(k.to_vec(), [before, paths]);
        }
        Ok(&self.halves[k])
    }

    fn odd(&self) -> bool {
        !self.length.is_multiple_of(2)
    }

    /// One more move.
    fn step(&mut self, paths: &PathCounts, depth: u32, k: &[u8]) -> Result<PathCounts, Trouble> {
        let model = &self.problem.model;
        let identity = k.is_sorted();
        let expand = |parents: &[(u128, u128)]| -> Result<(PathCounts, u64), String> {
            let (mut pruner, mut made, mut generated) = (Pruner::new(self.bounds, depth + 1), Vec::new(), 0);
            for &(key, count) in parents {
                let men = model.army(key)?;
                if !pruner.enter(&men) {
                    continue;
                }
                model.successors(&men, |from, to, after| {
                    generated += 1;
                    if pruner.admits(from, to, after) && (identity || image(k, after) == after) {
                        made.push((model.army_key(after), count));
                    }
                });
            }
            Ok((made, generated))
        };
        path_counts::step(paths, self.budget, expand)
    }

    /// The number of solutions whose armies `k` fixes.
    fn kept(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        let Problem { model, target, .. } = self.problem;
        let odd = self.odd();
        let [before, last] = self.halves(k)?;
        let Some(mirror) = &model.mirror else { return Ok(count_of(last, model.army_key(target))) };
        let middle = if odd { before } else { last };
        let products = last.par_iter().map(|&(key, here)| -> Result<u128, Trouble> {
            let there = model.army_key(&image(mirror, &model.army(key)?));
            here.checked_mul(count_of(middle, there)).ok_or_else(path_counts::too_large)
        });
        products.try_reduce(|| 0, |a, b| a.checked_add(b).ok_or_else(path_counts::too_large))
    }

    /// The number of solutions that are the reversals of their images under ρk.
    fn reversed(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        self.turned(&composed(k, k), k)
    }

    /// The number of palindromic solutions whose armies `k` fixes.
    fn palindromes(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        let identity: Vec<u8> = (0..k.len()).map(|c| c as u8).collect();
        self.turned(k, &identity)
    }

    /// The number of paths to A_N that `keeps` fixes and for which ρk maps A_N to itself or, for odd lengths, to an
    /// army one move away, which `keeps` must fix, too.
    fn turned(&mut self, keeps: &[u8], k: &[u8]) -> Result<u128, Trouble> {
        let (model, odd) = (&self.problem.model, self.odd());
        let mirror = model.mirror.as_ref().ok_or_else(|| Trouble::Wrong("there is no mirror".into()))?;
        let turn = composed(k, mirror);
        let [before, last] = self.halves(keeps)?;
        let middle = if odd { before } else { last };
        let own = |&(key, count): &(u128, u128)| -> Result<u128, Trouble> {
            Ok(if model.is_turned(&model.army(key)?, &turn, odd) { count } else { 0 })
        };
        middle.par_iter().map(own).try_reduce(|| 0, |a, b| a.checked_add(b).ok_or_else(path_counts::too_large))
    }
}
