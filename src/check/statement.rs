//! What a record says of its problem: board, armies, K, ρ, centroid, classes. All of it is checked before anything is made
//! of it.

use super::board::Board;
use super::ground::Ground;
use super::keys::{Binomials, PUBLISHED};

use crate::record::Record;

/// A transfer as the record states it.
pub(super) struct Problem {
    pub ground: Ground,
    pub start: Vec<u8>,
    pub target: Vec<u8>,
}

/// Where a permutation takes a set, ascending.
pub(super) fn image(permutation: &[u8], cells: &[u8]) -> Vec<u8> {
    let mut image: Vec<u8> = cells.iter().map(|&c| permutation[usize::from(c)]).collect();
    image.sort_unstable();
    image
}

/// First one, then the other.
pub(super) fn composed(first: &[u8], then: &[u8]) -> Vec<u8> {
    first.iter().map(|&c| then[usize::from(c)]).collect()
}

fn commute(one: &[u8], other: &[u8]) -> bool {
    composed(one, other) == composed(other, one)
}

impl Problem {
    /// The problem, with everything that the record says of it found true.
    pub fn of(record: &Record) -> Result<Self, String> {
        let stated = &record.problem;
        let board = Board::of(stated)?;
        let (start, target) = (board.army(&stated.start)?, board.army(&stated.target)?);
        if start != board.stated_army(stated)? {
            return Err("problem.start is not the army that problem.army names".into());
        }
        if start.len() != stated.men || target.len() != stated.men || start.is_empty() {
            return Err(format!("{} men, {} cells at the start, {} to fill", stated.men, start.len(), target.len()));
        }
        if let Some(lattice) = &record.lattice {
            let cells: Vec<String> = (0..board.len()).map(|c| board.name(c as u8)).collect();
            let (mut said, mut known) = (lattice.directions.clone(), board.directions.clone());
            said.sort_unstable();
            known.sort_unstable();
            if lattice.cells != cells || said != known {
                return Err("lattice: other cells or directions than problem.board and problem.moves have".into());
            }
        }
        let keys = [record.digest_key, record.second_digest_key];
        if keys[0].map(|k| k.0) != Some(PUBLISHED[0]) || keys[1].is_some_and(|k| k.0 != PUBLISHED[1]) {
            return Err("digest_key or second_digest_key is not the published one".into());
        }
        let symmetries = record.symmetries.as_ref().ok_or("the record does not name K and ρ")?;
        let binomials = Binomials::new(board.len(), start.len()).ok_or("the states are too many to number")?;
        let (fixing, mirror) = (symmetries.fixing.clone(), symmetries.mirror.clone());
        let (jumps_only, men, centroid) = (stated.jumps_only, start.len(), record.centroid.clone());
        let ground = Ground { board, jumps_only, binomials, men, fixing, mirror, centroid };
        let problem = Self { ground, start, target };
        problem.symmetries()?;
        problem.centroid()?;
        problem.partition(record)?;
        Ok(problem)
    }

    /// K is a group of automorphisms that fix both ends; ρ is one of order two that swaps them and commutes with K.
    fn symmetries(&self) -> Result<(), String> {
        let Ground { board, fixing, mirror, .. } = &self.ground;
        let identity: Vec<u8> = (0..board.len()).map(|c| c as u8).collect();
        if !fixing.contains(&identity) {
            return Err("symmetries.fixing: K lacks the identity".into());
        }
        for (number, k) in fixing.iter().enumerate() {
            if !board.is_automorphism(k) {
                return Err(format!("symmetries.fixing[{number}] is no automorphism of the board under the rule"));
            }
            if !self.fixes(k) {
                return Err(format!("symmetries.fixing[{number}] does not fix start and target"));
            }
            if fixing.iter().any(|other| !fixing.contains(&composed(k, other))) {
                return Err(format!("symmetries.fixing: K is no group, see number {number}"));
            }
        }
        let Some(mirror) = mirror else { return Ok(()) };
        if !board.is_automorphism(mirror) {
            return Err("symmetries.mirror: ρ is no automorphism of the board under the rule".into());
        }
        if image(mirror, &self.start) != self.target || image(mirror, &self.target) != self.start {
            return Err("symmetries.mirror: ρ does not swap start and target".into());
        }
        if composed(mirror, mirror) != identity || !fixing.iter().all(|k| commute(k, mirror)) {
            return Err("symmetries.mirror: ρ is not of order two, or does not commute with K".into());
        }
        Ok(())
    }

    /// Both ends, the start first; of a game the bases.
    pub fn ends(&self) -> [&[u8]; 2] {
        [&self.start, &self.target]
    }

    fn fixes(&self, permutation: &[u8]) -> bool {
        self.ends().into_iter().all(|end| image(permutation, end) == end)
    }

    /// K as a whole, the identity first: a search may have been told to use none of it, and its record then names the identity
    /// alone.
    pub fn whole_fixing(&self) -> Result<Vec<Vec<u8>>, String> {
        let Ground { board, mirror, .. } = &self.ground;
        // Ascending, so that the identity is the first.
        let whole: Vec<Vec<u8>> = board.symmetries().into_iter().filter(|k| self.fixes(k)).collect();
        match mirror.iter().all(|mirror| whole.iter().all(|k| commute(k, mirror))) {
            true => Ok(whole),
            false => Err("symmetries.mirror: ρ does not commute with K".into()),
        }
    }

    /// K leaves the centroid alone, and ρ negates it.
    fn centroid(&self) -> Result<(), String> {
        let Ground { board, fixing, mirror, centroid, .. } = &self.ground;
        let Some(values) = centroid else { return Ok(()) };
        if values.len() != board.len() {
            return Err("centroid: not one value for each cell".into());
        }
        self.odd("centroid", |c| values[c], fixing, mirror.as_ref())
    }

    fn odd(
        &self,
        name: &str,
        value: impl Fn(usize) -> i32,
        fixing: &[Vec<u8>],
        mirror: Option<&Vec<u8>>,
    ) -> Result<(), String> {
        let mut cells = 0..self.ground.board.len();
        if !cells.clone().all(|c| fixing.iter().all(|k| value(usize::from(k[c])) == value(c))) {
            return Err(format!("{name}: K changes it"));
        }
        if !cells.all(|c| mirror.is_none_or(|m| value(usize::from(m[c])) == -value(c))) {
            return Err(format!("{name}: ρ does not negate it"));
        }
        Ok(())
    }

    /// K and ρ take classes to classes, and the classes' values are odd.
    fn partition(&self, record: &Record) -> Result<(), String> {
        let Some(partition) = &record.partition else { return Ok(()) };
        let Ground { board, fixing, mirror, .. } = &self.ground;
        let class = |c: usize| usize::from(partition.class_of[c]);
        if partition.class_of.len() != board.len()
            || (0..board.len()).any(|c| class(c) >= partition.values.len().min(64))
        {
            return Err("partition: not one class for each cell, or not one value for each class".into());
        }
        self.odd("partition: the odd function", |c| partition.values[class(c)], fixing, mirror.as_ref())?;
        for symmetry in fixing.iter().chain(mirror) {
            let mut images = vec![None; 64];
            for c in 0..board.len() {
                let to = class(usize::from(symmetry[c]));
                if *images[class(c)].get_or_insert(to) != to {
                    return Err("partition: K or ρ does not take classes to classes".into());
                }
            }
        }
        Ok(())
    }

    /// How many of the cells are in even and odd columns and rows: what jumps cannot change.
    pub fn types(&self, cells: &[u8]) -> [usize; 4] {
        let mut counts = [0; 4];
        for &cell in cells {
            let (x, y) = self.ground.board.places[usize::from(cell)];
            counts[(x % 2 + 2 * (y % 2)) as usize] += 1;
        }
        counts
    }
}
