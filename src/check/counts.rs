//! How many shortest solutions there are, counted again: sums over walks of whole armies from the start to the middle, with
//! neither classes nor levels nor halves that lead.
//!
//! f(X) is the number of walks of so many moves from S to X. What comes after the middle, mirrored and reversed, is such a
//! walk, too: so 2N moves lead from S to T in the sum of f_N(X) f_N(ρX) ways, 2N + 1 in that of f_(N+1)(X) f_N(ρX). Burnside's
//! lemma needs how many of them a symmetry k keeps, army by army: the same sums over armies that k keeps. The reversal of
//! their images under k is the same walk if ρk takes A_N to itself, or to A_(N+1), and k² keeps all armies as far as A_N.
//! Without a mirror the walks go all the way.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::cuts::{Cut, Judge};
use super::statement::{Problem, composed, image};
use crate::record::Counts;

/// Armies by key, ascending, each with how many walks lead there.
type Walks = Vec<(u128, u128)>;

/// What ends a count.
pub(super) enum Trouble {
    /// More successors, or larger numbers, than there is room for.
    TooMany(String),
    /// The armies make no sense.
    Wrong(String),
}

impl From<String> for Trouble {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

/// Armies whose successors are made at once.
const PART: usize = 1 << 17;

/// Successors that wait until they are put among the others.
const MOST_PENDING: usize = 8 << 20;

/// The most armies on one level: three levels, and room to sort one, are 2 GB.
const MOST_ARMIES: usize = 10_000_000;

/// A count under way.
pub(super) struct Counter<'a> {
    problem: &'a Problem,
    /// Drop no army of a walk of that length.
    cuts: &'a [Cut],
    length: u32,
    palindromic: bool,
    budget: &'a mut u64,
    progress: &'a (dyn Fn(&str) + Sync),
    /// By a symmetry that keeps all armies: the walks to the last two armies that are needed.
    halves: BTreeMap<Vec<u8>, [Walks; 2]>,
}

impl<'a> Counter<'a> {
    pub fn new(
        problem: &'a Problem,
        cuts: &'a [Cut],
        (length, palindromic): (u32, bool),
        budget: &'a mut u64,
        progress: &'a (dyn Fn(&str) + Sync),
    ) -> Self {
        Self { problem, cuts, length, palindromic, budget, progress, halves: BTreeMap::new() }
    }

    /// Whether the record's numbers are right. K is the record's; of a search that was told to use none, the record has only
    /// the identity, and numbers up to symmetry cannot be told: then what is left unsaid.
    pub fn confirm(&mut self, stated: &Counts) -> Result<Option<&'static str>, Trouble> {
        let fixing = &self.problem.ground.fixing;
        let unsaid = (fixing.len() == 1 && stated.up_to_symmetry != stated.sequences)
            .then_some("the record names no K to tell numbers up to symmetry by");
        let (mut kept, mut reversed, mut palindromes) = (Vec::new(), Vec::new(), Vec::new());
        for k in fixing {
            if self.palindromic || self.problem.ground.mirror.is_some() {
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
        let sum =
            |terms: &[u128]| terms.iter().try_fold(0u128, |sum, &term| sum.checked_add(term)).ok_or_else(too_large);
        let order = fixing.len() as u128;
        let identity =
            fixing.iter().position(|k| k.is_sorted()).ok_or_else(|| Trouble::Wrong("K lacks the identity".into()))?;
        let both = sum(&kept)?.checked_add(sum(&reversed)?).ok_or_else(too_large)? / (2 * order);
        let mirrored = |number: u128| (!reversed.is_empty()).then_some(number);
        let derived = [
            ("sequences", Some(kept[identity]), Some(&stated.sequences)),
            ("up_to_symmetry", Some(sum(&kept)? / order), Some(&stated.up_to_symmetry)),
            ("up_to_reversal", mirrored(both), stated.up_to_reversal.as_ref()),
            ("palindromic", palindromes.get(identity).copied(), stated.palindromic.as_ref()),
            (
                "palindromic_up_to_symmetry",
                mirrored(sum(&palindromes)? / order),
                stated.palindromic_up_to_symmetry.as_ref(),
            ),
        ];
        for (name, derived, stated) in derived {
            let told = unsaid.is_none() || ["sequences", "palindromic"].contains(&name);
            // Older records do not have them all.
            let Some(stated) = stated.filter(|_| told) else { continue };
            let derived = derived.map_or("none".to_string(), |number| number.to_string());
            if derived != stated.to_string() {
                return Err(Trouble::Wrong(format!("counts.{name} is {stated}, counted again {derived}")));
            }
        }
        Ok(unsaid)
    }

    /// The walks that `k` keeps to the last army that is needed, behind those to the one before: A_N, for 2N + 1 moves the next
    /// one, and the target without a mirror.
    fn halves(&mut self, k: &[u8]) -> Result<&[Walks; 2], Trouble> {
        if !self.halves.contains_key(k) {
            let ground = &self.problem.ground;
            let last = if ground.mirror.is_some() { self.length.div_ceil(2) } else { self.length };
            let mut walks = vec![(ground.army_key(&self.problem.start), 1)];
            let mut before = Vec::new();
            for depth in 0..last {
                (self.progress)(&format!("how many there are: {} armies after {depth} of {last} moves", walks.len()));
                let mut next = self.step(&walks, depth, k)?;
                // To come back to an army costs moves that no shortest solution has, nor the half of a shortest palindrome.
                next.retain(|&(key, _)| ways(&walks, key) == 0 && ways(&before, key) == 0);
                before = std::mem::replace(&mut walks, next);
            }
            self.halves.insert(k.to_vec(), [before, walks]);
        }
        Ok(&self.halves[k])
    }

    fn odd(&self) -> bool {
        !self.length.is_multiple_of(2)
    }

    /// One more move.
    fn step(&mut self, walks: &Walks, depth: u32, k: &[u8]) -> Result<Walks, Trouble> {
        let ground = &self.problem.ground;
        let identity = k.is_sorted();
        let expand = |parents: &[(u128, u128)]| -> Result<(Walks, u64), String> {
            let (mut judge, mut made, mut generated) = (Judge::new(self.cuts, depth + 1), Vec::new(), 0);
            for &(key, ways) in parents {
                let men = ground.army(key)?;
                if !judge.enter(&men) {
                    continue;
                }
                ground.successors(&men, |from, to, after| {
                    generated += 1;
                    if judge.admits(from, to, after) && (identity || image(k, after) == after) {
                        made.push((ground.army_key(after), ways));
                    }
                });
            }
            Ok((made, generated))
        };
        let (mut next, mut pending): (Walks, Walks) = (Vec::new(), Vec::new());
        let mut parts = walks.chunks(PART).peekable();
        while let Some(part) = parts.next() {
            let made = part.par_chunks(1 << 10).map(expand).collect::<Result<Vec<_>, String>>()?;
            let generated: u64 = made.iter().map(|m| m.1).sum();
            *self.budget = self.budget.checked_sub(generated).ok_or_else(|| {
                Trouble::TooMany("more successors would have to be made than the budget allows".into())
            })?;
            pending.extend(made.into_iter().flat_map(|m| m.0));
            // Seldom, so that most armies are not gone over again and again.
            if parts.peek().is_none() || pending.len() > next.len().max(MOST_PENDING) {
                next.append(&mut pending);
                next.par_sort();
                next = summed(next)?;
            }
            if next.len() > MOST_ARMIES {
                return Err(Trouble::TooMany(format!("more than {MOST_ARMIES} armies at a time")));
            }
        }
        Ok(next)
    }

    /// Solutions whose armies `k` keeps.
    fn kept(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        let Problem { ground, target, .. } = self.problem;
        let odd = self.odd();
        let [before, last] = self.halves(k)?;
        let Some(mirror) = &ground.mirror else { return Ok(ways(last, ground.army_key(target))) };
        let middle = if odd { before } else { last };
        let products = last.par_iter().map(|&(key, here)| -> Result<u128, Trouble> {
            let there = ground.army_key(&image(mirror, &ground.army(key)?));
            here.checked_mul(ways(middle, there)).ok_or_else(too_large)
        });
        products.try_reduce(|| 0, |a, b| a.checked_add(b).ok_or_else(too_large))
    }

    /// Solutions that are the reversals of their images under ρk.
    fn reversed(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        self.turned(&composed(k, k), k)
    }

    /// Palindromic solutions whose armies `k` keeps.
    fn palindromes(&mut self, k: &[u8]) -> Result<u128, Trouble> {
        let identity: Vec<u8> = (0..k.len()).map(|c| c as u8).collect();
        self.turned(k, &identity)
    }

    /// The walks to A_N that `keeps` keeps, where ρk takes A_N to itself, or for odd lengths to an army that one move leads
    /// to, and that `keeps` keeps too since it keeps A_N.
    fn turned(&mut self, keeps: &[u8], k: &[u8]) -> Result<u128, Trouble> {
        let (ground, odd) = (&self.problem.ground, self.odd());
        let mirror = ground.mirror.as_ref().ok_or_else(|| Trouble::Wrong("there is no mirror".into()))?;
        let turn = composed(k, mirror);
        let [before, last] = self.halves(keeps)?;
        let middle = if odd { before } else { last };
        let own = |&(key, ways): &(u128, u128)| -> Result<u128, Trouble> {
            Ok(if ground.is_turned(&ground.army(key)?, &turn, odd) { ways } else { 0 })
        };
        middle.par_iter().map(own).try_reduce(|| 0, |a, b| a.checked_add(b).ok_or_else(too_large))
    }
}

fn too_large() -> Trouble {
    Trouble::TooMany("the numbers do not fit 128 bits".into())
}

/// How many walks lead to an army.
fn ways(walks: &Walks, key: u128) -> u128 {
    walks.binary_search_by_key(&key, |w| w.0).map_or(0, |at| walks[at].1)
}

/// Ascending armies, each once.
fn summed(walks: Walks) -> Result<Walks, Trouble> {
    let mut sums: Walks = Vec::new();
    for (key, ways) in walks {
        match sums.last_mut().filter(|last| last.0 == key) {
            Some(last) => last.1 = last.1.checked_add(ways).ok_or_else(too_large)?,
            None => sums.push((key, ways)),
        }
    }
    Ok(sums)
}
