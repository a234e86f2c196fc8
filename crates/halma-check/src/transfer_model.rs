//! Transfers as the walks see them: armies and their keys, successors, mirror images.

use super::board::Board;
use super::common_states::first_common;
use super::keys::Binomials;
use super::level_file::Level;
use super::level_step::StateSpace;
use super::moves::{Set, destinations};
use super::permutation::image;
use super::rejection::{Rejection, RejectionKind, Trouble};
use super::transfer_bounds::{Bound, Pruner};

/// The tables that all walks of one problem share.
pub(super) struct TransferModel {
    pub board: Board,
    pub jumps_only: bool,
    pub binomials: Binomials,
    pub men: usize,
    /// K, the identity included.
    pub fixing: Vec<Vec<u8>>,
    pub mirror: Option<Vec<u8>>,
    pub centroid: Option<Vec<i32>>,
}

impl TransferModel {
    /// The key of an army's image, which `scratch` has afterwards.
    #[inline]
    fn image_key(&self, image: &[u8], men: &[u8], scratch: &mut Vec<u8>) -> u128 {
        scratch.clear();
        scratch.extend(men.iter().map(|&c| image[usize::from(c)]));
        scratch.sort_unstable();
        self.army_key(scratch)
    }

    /// The key of the army's state, the least under K.
    #[inline]
    pub fn key(&self, men: &[u8], scratch: &mut Vec<u8>) -> u128 {
        self.fixing.iter().map(|image| self.image_key(image, men, scratch)).min().unwrap_or(0)
    }

    /// The army's own key, which need not be its state's.
    pub fn army_key(&self, men: &[u8]) -> u128 {
        self.binomials.rank(men.iter().copied())
    }

    /// The army of a key.
    pub fn army(&self, key: u128) -> Result<Vec<u8>, String> {
        let mut men = vec![0; self.men];
        match self.binomials.unrank(key, &mut men) {
            true => Ok(men),
            false => Err(format!("{key} is the key of no army")),
        }
    }

    /// Calls `each` with every move of an army, as cells, and the men after it, ascending.
    pub fn successors(&self, men: &[u8], mut each: impl FnMut(u8, u8, &[u8])) {
        let (set, mut found, mut after) = (Set::of(men), Vec::new(), Vec::new());
        for (i, &from) in men.iter().enumerate() {
            destinations(&self.board, set, from, self.jumps_only, &mut found);
            for &to in &found {
                after.clear();
                after.extend_from_slice(men);
                after[i] = to;
                after.sort_unstable();
                each(from, to, &after);
            }
        }
    }

    /// The first state of `level` whose mirror image is in `other`.
    pub fn meeting(&self, level: &Level<u128>, other: &Level<u128>) -> Result<Option<u128>, Rejection> {
        let (small, large) = if level.len() <= other.len() { (level, other) } else { (other, level) };
        let mirror = self.mirror.as_ref().ok_or_else(|| RejectionKind::Problem.because("there is no mirror"))?;
        first_common(small, large, |key, scratch| {
            let men: Vec<u8> = self
                .army(key)
                .map_err(Rejection::of(RejectionKind::State))?
                .iter()
                .map(|&c| mirror[usize::from(c)])
                .collect();
            Ok(Some(self.key(&men, scratch)))
        })
    }

    /// Whether `turn` maps the army to itself or, for odd lengths, to an army one move away.
    pub fn is_turned(&self, men: &[u8], turn: &[u8], odd: bool) -> bool {
        let image = image(turn, men);
        let mut turned = !odd && image == men;
        if odd {
            self.successors(men, |_, _, after| turned |= after == image);
        }
        turned
    }

    /// A state of the level whose army is its own mirror image or, for odd lengths, becomes its mirror image by one
    /// move.
    pub fn own_image(&self, level: &Level<u128>, odd: bool) -> Result<Option<u128>, Rejection> {
        let mirror = self.mirror.as_ref().ok_or_else(|| RejectionKind::Problem.because("there is no mirror"))?;
        level.find_first(|key| Ok(self.is_turned(&self.army(key)?, mirror, odd)))
    }
}

impl StateSpace for TransferModel {
    type Key = u128;
    type Bounds = [Bound];
    const LEVELS_HELD: usize = 2;
    const END: &'static str = "the target is";

    fn expand(&self, parents: &[u128], depth: u32, bounds: &[Bound]) -> Result<(Vec<u128>, u64), Trouble> {
        let (mut pruner, mut scratch) = (Pruner::new(bounds, depth + 1), Vec::new());
        let (mut keys, mut generated) = (Vec::new(), 0);
        for &key in parents {
            let men = self.army(key)?;
            if !pruner.enter(&men) {
                continue;
            }
            self.successors(&men, |from, to, after| {
                generated += 1;
                if pruner.admits(from, to, after) {
                    keys.push(self.key(after, &mut scratch));
                }
            });
        }
        Ok((keys, generated))
    }

    fn has_filter(depth: u32, bounds: &[Bound]) -> bool {
        bounds.iter().filter_map(Bound::look_ahead).any(|ahead| ahead.applies(depth))
    }

    fn filter_states(&self, keys: &[u128], depth: u32, bounds: &[Bound]) -> Result<Vec<u128>, String> {
        let mut staying = Vec::new();
        for &key in keys {
            let men = self.army(key)?;
            if bounds.iter().filter_map(Bound::look_ahead).all(|ahead| ahead.stays(&men, depth)) {
                staying.push(key);
            }
        }
        Ok(staying)
    }

    // Every move is reversible, so predecessors are successors.
    fn predecessors(&self, key: u128) -> Result<Vec<u128>, Trouble> {
        let (mut keys, mut scratch) = (Vec::new(), Vec::new());
        self.successors(&self.army(key)?, |_, _, after| keys.push(self.key(after, &mut scratch)));
        Ok(keys)
    }

    fn checked_centroid(&self, key: u128) -> Result<Option<i64>, String> {
        let men = self.army(key)?;
        if self.key(&men, &mut Vec::new()) != key {
            return Err(format!("{} stands for another state", self.show(key)));
        }
        let centroid = |values: &Vec<i32>| men.iter().map(|&c| i64::from(values[usize::from(c)])).sum();
        Ok(self.centroid.as_ref().map(centroid))
    }

    fn show(&self, key: u128) -> String {
        self.army(key).map_or_else(|fault| fault, |men| self.board.names(&men))
    }

    // The end depends on the beginning, so it is the walk's goal.
    fn first_goal(&self, _: &Level<u128>) -> Result<Option<u128>, Rejection> {
        Ok(None)
    }

    // A successor of a state at distance i is at distance i - 1, i or i + 1.
    fn may_recur(before_last: usize) -> bool {
        before_last <= 1
    }
}
