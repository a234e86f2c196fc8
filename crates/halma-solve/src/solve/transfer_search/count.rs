//! Counts the shortest solutions of a transfer: path counting by dynamic programming over levels. Counts up to symmetry
//! use Burnside's lemma, so that states are stored by class and no solution is listed.
//!
//! A *solution* is counted as its sequence of moves, a move being where a man starts and where he ends; two chains with
//! the same ends are one move, men are not told apart. So a solution is a walk S = A_0, ..., A_L = T of armies, each
//! one move from the next. It is counted as it is, with those that a symmetry of K takes to each other counted once,
//! and with those also counted once of which one is the other's *mirrored reversal* (RA)_i = ρA_(L-i). It is
//! *palindromic* if A = RA, for the one ρ that the search goes by and the record names: its second half is the first
//! one, mirrored and reversed.
//!
//! Levels from both ends hold the armies of every solution that is looked for: levels *ahead* 0 to m from S, and levels
//! *behind* 0 to L - m, from T or, where there is a mirror, from S again, as ρA_L, ρA_(L-1), ... A state that came on
//! an earlier level lies on no shortest solution, and the levels leave it out. A *path* takes one state from each
//! level, each one move from the one before. Two paths, one ahead and one behind, that end in the same state (or, with
//! a mirror, in mirror images) are a solution, and every solution is such a pair. So their number is the sum of f g
//! over the states in common, where f and g say how many paths end there
//! (`crates/halma-solve/src/solve/path_counts.rs`).
//!
//! The leading half has only solutions whose middle leads. With the odd function c of the partition: c(A_N) >= 0 for 2N
//! moves, c(A_N) + c(A_(N+1)) >= 0 for 2N + 1. The mirrored reversal negates this sum. So a solution with a positive
//! sum counts twice, once for its reversal, which is missing. A solution with sum 0 counts once, because its reversal
//! is there, too. The sum depends on the move that follows the middle, so that move carries it.
//!
//! By Burnside's lemma, classes under K are the mean over k in K of the solutions that k fixes, and classes under K and
//! R together the mean of these and of the solutions that Rk fixes. k fixes a solution if it fixes each of its armies.
//! Rk fixes it if A_(L-i) = ρkA_i for all i: if the half as far as A_N is fixed by k² (for A_i = ρkρkA_i = k²A_i), and
//! ρk takes A_N to itself, or for 2N + 1 moves to the army that one move leads to.
//!
//! K is that of the problem, also where the search was told not to use it.

use std::collections::HashMap;

use halma_engine::key::Key;
use halma_engine::parallel;
use halma_engine::puzzle::Puzzle;
use halma_engine::search::Stopped;
use halma_engine::store::Level;
use halma_rules::cells::Cells;
use halma_rules::job::Pruning;
use halma_rules::problem;
use halma_rules::symmetry::Symmetry;

use super::half::MirroredHalf;
use super::leading::{Leading, Probes};
use super::narrowed::Narrowed;
use super::setup::Setup;
use super::shared_levels::SharedLevels;
use super::trailing::{MeetingPoint, Trailing};
use super::two_ended::{TwoEnded, two_sides};
use crate::solve::frontiers::found_on;
use crate::solve::level_sequence::LevelSequence;
use crate::solve::path_counts::{
    Before, CountLimits, Held, burnside, paths_by_class, paths_by_state, states, sum, sum_of_products,
};
use crate::solve::{Counted, Side};

/// The numbers of shortest solutions; of palindromic ones, if only those are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solutions {
    /// Sequences of moves.
    pub sequences: u128,
    /// Sequences up to K.
    pub up_to_symmetry: u128,
    /// The numbers that need a mirror.
    pub mirrored: Option<Mirrored>,
}

/// The numbers of solutions that refer to the mirror ρ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// Sequences up to K and the mirrored reversal.
    pub up_to_reversal: u128,
    /// Sequences that are their own mirrored reversals.
    pub palindromic: u128,
    /// These up to K.
    pub palindromic_up_to_symmetry: u128,
}

/// The levels of a count.
struct Sides<K> {
    ahead: LevelSequence<K>,
    /// Empty where it would be the first of the levels ahead.
    behind: LevelSequence<K>,
}

impl<K: Key> Sides<K> {
    /// The levels behind, up to where those ahead end.
    fn behind(&self, length: u32) -> &[Level<K>] {
        match &self.behind.levels[..] {
            [] => &self.ahead.levels[..=(length as usize + 1 - self.ahead.levels.len())],
            levels => levels,
        }
    }
}

/// A count of solutions.
pub(super) struct Counting<'s, const W: usize, K: Key> {
    pub(super) setup: &'s Setup<'s, W, K>,
}

impl<const W: usize, K: Key> Counting<'_, W, K> {
    /// Counts the solutions of `length` moves, given that there is none shorter. If only palindromes are sought, both
    /// refer to palindromic solutions.
    pub(super) fn count(&self, length: u32, shared: &mut SharedLevels<K>) -> Counted<Solutions> {
        let Setup { problem, engine, .. } = self.setup;
        engine.progress.length(length);
        if length == 0 {
            let one = Mirrored { up_to_reversal: 1, palindromic: 1, palindromic_up_to_symmetry: 1 };
            let mirrored = problem.has_mirror().then_some(one);
            return Counted {
                numbers: Ok(Solutions { sequences: 1, up_to_symmetry: 1, mirrored }),
                levels: Vec::new(),
            };
        }
        let [ahead, behind] = two_sides(length);
        let mut sides = Sides { ahead, behind };
        let grown = self.grow_sides(length, &mut sides, shared);
        let mut levels = std::mem::take(&mut sides.ahead.figures);
        levels.append(&mut sides.behind.figures);
        Counted { numbers: grown.and_then(|()| engine.expander.install(|| self.sum(length, &sides))), levels }
    }

    /// Grows all levels: no probe runs ahead, and no solution ends it.
    fn grow_sides(&self, length: u32, sides: &mut Sides<K>, shared: &mut SharedLevels<K>) -> Result<(), Stopped> {
        let setup = self.setup;
        let Setup { problem, engine, .. } = setup;
        setup.extend_databases(length)?;
        if !problem.has_mirror() {
            return TwoEnded { setup }.grow(length, &mut sides.ahead, &mut sides.behind);
        }
        let ahead = &mut sides.ahead;
        ahead.stem = setup.stem(length);
        match problem.pruning {
            Pruning::Leading { .. } => {
                ahead.side = Side::Leading;
                let leading = Leading { setup, probes: Probes::Never, longer: None };
                let to_middles = leading.to_middles(length)?;
                leading.lead(length, &to_middles, None, ahead)?;
                drop(to_middles);
                if problem.palindromic {
                    return Ok(());
                }
                // Following levels have labels of their own, so they are a sequence of their own.
                let led = std::mem::replace(ahead, LevelSequence::new(setup.stem(length), Side::Following));
                ahead.branch(&led, led.depth() as usize);
                leading.follow(length..=length, false, None, None, ahead)?;
                if !ahead.has(length) {
                    let meeting = MeetingPoint { lengths: length..=length, ahead };
                    sides.behind = LevelSequence::new(
                        format!("{}-trailing{}", setup.stem(length), meeting.name()),
                        Side::Trailing,
                    );
                    Trailing { setup }.grow(&[meeting], &mut sides.behind)?;
                }
                Ok(())
            }
            Pruning::Narrowed { .. } => Narrowed { setup }.grow(length, ahead),
            Pruning::None if !problem.palindromic => {
                let grown = MirroredHalf { setup }.grow_shared(length, shared);
                ahead.levels.clone_from(&shared.sequence.levels);
                ahead.figures = shared.unreported();
                grown
            }
            _ => {
                let puzzle = setup.puzzle(setup.bounds(length));
                engine.open(&puzzle, ahead);
                engine.grow_to(&puzzle, problem.last_level(length), ahead)
            }
        }
    }

    fn sum(&self, length: u32, sides: &Sides<K>) -> Result<Solutions, Stopped> {
        let group = self.setup.problem.transfer.symmetries().fixing;
        let ahead = &sides.ahead.levels;
        let palindromes = match self.setup.problem.has_mirror() {
            true => {
                let half = &ahead[..=length as usize / 2];
                Some(Held::summing(&[half], |held| self.palindromes(length, half, &group, held))?)
            }
            false => None,
        };
        if let Some((own, _)) = palindromes.as_ref().filter(|_| self.setup.problem.palindromic) {
            // Each solution is its own reversal, so reversals do not make classes larger.
            let (palindromic, classes) = (own[0], burnside(own)?);
            let mirrored = Mirrored { up_to_reversal: classes, palindromic, palindromic_up_to_symmetry: classes };
            return Ok(Solutions { sequences: palindromic, up_to_symmetry: classes, mirrored: Some(mirrored) });
        }
        let all = [&ahead[..], &sides.behind.levels];
        let fixed = Held::summing(&all, |held| self.fixed_by(length, sides, &group, held))?;
        let mirrored = match &palindromes {
            Some((own, by_reversal)) => Some(Mirrored {
                up_to_reversal: burnside(&[&fixed[..], &by_reversal[..]].concat())?,
                palindromic: own[0],
                palindromic_up_to_symmetry: burnside(own)?,
            }),
            None => None,
        };
        Ok(Solutions { sequences: fixed[0], up_to_symmetry: burnside(&fixed)?, mirrored })
    }

    /// For each k of the group, the number of solutions that k fixes.
    fn fixed_by(
        &self,
        length: u32,
        sides: &Sides<K>,
        group: &[Symmetry],
        held: &mut Held,
    ) -> Result<Vec<u128>, Stopped> {
        let (ahead, behind) = (&sides.ahead.levels[..], sides.behind(length));
        // The move from A_N determines how often a solution of the leading half counts.
        let led = self.setup.problem.leads().then_some(length);
        let common = self.all_common(&ahead[ahead.len() - 1], &behind[behind.len() - 1])?;
        let (heres, mut theres): (Vec<K>, Vec<K>) = common.iter().copied().unzip();
        theres.sort_unstable();
        let on_ahead = states(ahead, heres, || self.before(led), self.limits(), held)?;
        let on_behind = states(behind, theres, || self.before(None), self.limits(), held)?;
        held.check()?;
        let f = paths_by_class(&on_ahead, || self.before(led), self.limits())?;
        let g = paths_by_class(&on_behind, || self.before(None), self.limits())?;
        let to = |ways: &[(K, u128)], key| ways.binary_search_by_key(&key, |&(k, _)| k).map_or(0, |at| ways[at].1);
        let of_class = |&(here, there): &(K, K)| {
            let both = sum_of_products(std::iter::once((to(&f, here), to(&g, there))))?;
            Ok((both, self.orbit(here).len() as u128))
        };
        let all = common.iter().map(of_class).collect::<Result<Vec<_>, Stopped>>()?;
        let mut fixed = vec![sum_of_products(all.into_iter())?];
        let problem = &self.setup.problem;
        let start = problem.start();
        let other = if problem.has_mirror() { start } else { problem::set(&problem.transfer.target) };
        for k in &group[1..] {
            let f = self.walks_fixed(k, start, &on_ahead, led)?;
            let g = self.walks_fixed(k, other, &on_behind, None)?;
            let both =
                |(army, n): (&Cells<W>, &u128)| (*n, g.get(&self.setup.problem.reflected(*army)).copied().unwrap_or(0));
            fixed.push(sum_of_products(f.iter().map(both))?);
        }
        Ok(fixed)
    }

    /// For each k of the group, the numbers of palindromic solutions that k fixes and of solutions that Rk fixes, from
    /// the levels up to N.
    fn palindromes(
        &self,
        length: u32,
        levels: &[Level<K>],
        group: &[Symmetry],
        held: &mut Held,
    ) -> Result<(Vec<u128>, Vec<u128>), Stopped> {
        let identity = &group[0];
        let continues = |army: Cells<W>, k: &Symmetry| {
            let image = self.setup.problem.reflected(k.apply(army));
            match length.is_multiple_of(2) {
                true => image == army,
                false => (army & image).len() + 1 == army.len() && self.setup.successor_armies(army).contains(&image),
            }
        };
        let is_middle = |(): &mut (), key| {
            let army = self.setup.tables.states.army(key);
            group.iter().any(|k| continues(army, k))
        };
        let middles = self.setup.engine.filtered(&levels[levels.len() - 1], || (), is_middle)?;
        let on_paths = states(levels, middles, || self.before(None), self.limits(), held)?;
        held.check()?;
        let f = paths_by_class(&on_paths, || self.before(None), self.limits())?;
        let (mut own, mut by_reversal) = (Vec::new(), Vec::new());
        for k in group {
            let square = Symmetry { cells: k.cells.iter().map(|&c| k.cells[usize::from(c)]).collect(), ..*k };
            by_reversal.push(match square.cells == identity.cells {
                true => sum_of_products(f.iter().map(|&(key, n)| {
                    let members = self.orbit(key);
                    (members.iter().filter(|&&army| continues(army, k)).count() as u128, n)
                }))?,
                false => {
                    let fixed = self.walks_fixed(&square, self.setup.problem.start(), &on_paths, None)?;
                    sum(fixed.iter().filter(|&(&army, _)| continues(army, k)).map(|(_, &n)| n))?
                }
            });
            own.push(match k.cells == identity.cells {
                true => by_reversal[0],
                false => {
                    let fixed = self.walks_fixed(k, self.setup.problem.start(), &on_paths, None)?;
                    let palindromic = fixed.iter().filter(|&(&army, _)| continues(army, identity));
                    sum(palindromic.map(|(_, &n)| n))?
                }
            });
        }
        Ok((own, by_reversal))
    }

    /// The walks through these levels all of whose armies k fixes, by their last army.
    fn walks_fixed(
        &self,
        k: &Symmetry,
        start: Cells<W>,
        on_paths: &[Vec<K>],
        led: Option<u32>,
    ) -> Result<HashMap<Cells<W>, u128>, Stopped> {
        paths_by_state(start, on_paths.len() - 1, |army, depth| {
            let here = |&next: &Cells<W>| {
                k.apply(next) == next
                    && on_paths[depth + 1].binary_search(&self.setup.tables.states.canonical(next)).is_ok()
            };
            let next = self.setup.successor_armies(army).into_iter().filter(here);
            next.map(|next| (next, self.counts_for(led, depth, army, next))).collect()
        })
    }

    fn limits(&self) -> CountLimits<'_> {
        CountLimits { cancel: self.setup.engine.cancel, plan: self.setup.engine.expander.memory_plan() }
    }

    /// The predecessors of states, for [`crate::solve::path_counts`]; `led` is the length if only the leading half is there.
    fn before(&self, led: Option<u32>) -> impl FnMut(K, usize, &mut Before<K>) {
        let free = self.setup.puzzle(Vec::new());
        let mut scratch = free.scratch();
        move |key, depth, found| {
            // Every move is reversible.
            if led.is_none_or(|length| depth != length as usize / 2) {
                free.successors(&mut scratch, key, 0, &mut |k| found.push((k, 1)));
                return;
            }
            let army = self.setup.tables.states.army(key);
            let from = self.setup.successor_armies(army).into_iter();
            found.extend(
                from.map(|from| (self.setup.tables.states.canonical(from), self.counts_for(led, depth, from, army))),
            );
        }
    }

    /// How many solutions one with this move from level `depth` stands for.
    fn counts_for(&self, led: Option<u32>, depth: usize, from: Cells<W>, to: Cells<W>) -> u8 {
        let Some(length) = led.filter(|length| depth == *length as usize / 2) else { return 1 };
        let partition = &self.setup.databases().abstraction.partition;
        let value = |cell: usize| i64::from(partition.values[usize::from(partition.class_of[cell])]);
        let c = |army: Cells<W>| army.iter().map(value).sum::<i64>();
        match c(from) + if length.is_multiple_of(2) { 0 } else { c(to) } {
            1.. => 2,
            0 => 1,
            _ => 0,
        }
    }

    /// All armies of a class.
    fn orbit(&self, key: K) -> Vec<Cells<W>> {
        let army = self.setup.tables.states.army(key);
        let mut images: Vec<Cells<W>> = self.setup.problem.symmetries.fixing.iter().map(|k| k.apply(army)).collect();
        images.sort_unstable();
        images.dedup();
        images
    }

    /// The common states of levels from both sides, ascending, each with its state behind.
    fn all_common(&self, ahead: &Level<K>, behind: &Level<K>) -> Result<Vec<(K, K)>, Stopped> {
        let swapped = ahead.len() > behind.len();
        let (small, large) = if swapped { (behind, ahead) } else { (ahead, behind) };
        [ahead, behind].iter().for_each(|level| self.setup.engine.code(level));
        let at_once = self.setup.image_blocks();
        let search = |(): &mut (), place: usize| -> Result<Vec<(K, K)>, Stopped> {
            self.setup.engine.cancel.check()?;
            let blocks = place * at_once..((place + 1) * at_once).min(small.blocks());
            let mut images = self.setup.images(small, blocks, |_| true)?;
            images.sort_unstable();
            Ok(found_on(&images, large)?)
        };
        let mut common = parallel::map(small.blocks().div_ceil(at_once), || (), search)?.concat();
        if swapped {
            common.iter_mut().for_each(|(key, image)| std::mem::swap(key, image));
        }
        common.sort_unstable();
        Ok(common)
    }
}
