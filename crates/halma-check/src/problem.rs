//! The problem of a record: board, armies, K, ρ, centroid, classes. All of it is checked before it is used.

use halma_record::record::Record;

use super::board::Board;
use super::centroid;
use super::keys::{Binomials, PUBLISHED};
use super::permutation::{composed, image};
use super::transfer_model::TransferModel;

/// A transfer as the record states it.
pub(super) struct Problem {
    pub model: TransferModel,
    pub start: Vec<u8>,
    pub target: Vec<u8>,
}

fn commute(one: &[u8], other: &[u8]) -> bool {
    composed(one, other) == composed(other, one)
}

impl Problem {
    /// Checks everything that the record says about the problem.
    pub fn of(record: &Record) -> Result<Self, String> {
        let stated = record.problem.armies().ok_or("the problem has no armies")?;
        let of_puzzles =
            [&record.projections.is_empty(), &record.farthest.is_empty(), &record.more_solutions.is_empty()];
        if record.repeats.is_some() || of_puzzles.contains(&&false) {
            return Err("repeats, projections, farthest and more_solutions are none of a problem with armies".into());
        }
        if record.counts.as_ref().is_some_and(|counts| counts.positions.is_some() || counts.symmetries.is_some()) {
            return Err("counts: positions and symmetries are none of a problem with armies".into());
        }
        let board = Board::of(stated)?;
        let (start, target) = (board.army(&stated.start)?, board.army(&stated.target)?);
        if start != board.stated_army(stated)? {
            return Err("problem.start is not the army that problem.army names".into());
        }
        for (name, names, cells) in [("start", &stated.start, &start), ("target", &stated.target, &target)] {
            if !cells.iter().map(|&c| board.name(c)).eq(names.iter().cloned()) {
                return Err(format!("problem.{name}: its cells are not in order"));
            }
        }
        board.shows(stated, [&start, &target])?;
        if start.len() != stated.men || target.len() != stated.men || start.is_empty() {
            return Err(format!("{} men, {} cells at the start, {} to fill", stated.men, start.len(), target.len()));
        }
        if let Some(lattice) = &record.lattice {
            let cells: Vec<String> = (0..board.len()).map(|c| board.name(c as u8)).collect();
            if lattice.cells != cells || lattice.directions != board.directions {
                return Err("lattice: other cells or directions than problem.board and problem.moves have".into());
            }
        }
        let keys = [record.digest_key, record.second_digest_key];
        if keys[0].map(|k| k.0) != Some(PUBLISHED[0]) || keys[1].is_some_and(|k| k.0 != PUBLISHED[1]) {
            return Err("digest_key or second_digest_key is not the published one".into());
        }
        let symmetries = record.symmetries.as_ref().ok_or("the record does not name K and ρ")?;
        if !symmetries.letters.is_empty() {
            return Err("symmetries.letters: men have none".into());
        }
        let binomials = Binomials::new(board.len(), start.len()).ok_or("the states are too many to number")?;
        let (fixing, mirror) = (symmetries.fixing.clone(), symmetries.mirror.clone());
        let (jumps_only, men, centroid) = (stated.jumps_only, start.len(), record.centroid.clone());
        let model = TransferModel { board, jumps_only, binomials, men, fixing, mirror, centroid };
        let mut problem = Self { model, start, target };
        let whole = problem.symmetries(stated.kind == "transfer")?;
        // On a line several linear maps are one map of the cells, and the search names it for each.
        problem.model.fixing.sort_unstable();
        problem.model.fixing.dedup();
        if stated.kind == "transfer" {
            problem.centroid(&whole)?;
            problem.partition(record)?;
        }
        Ok(problem)
    }

    /// The board as the record has it: which cells there are, and how they lie.
    pub fn drawn(&self, record: &Record) -> String {
        let stated = record.problem.armies();
        let map = stated.and_then(|stated| stated.map.as_ref()).map(|map| map.lines().collect::<Vec<_>>().join("/"));
        let name = || stated.map(|stated| stated.board.clone()).unwrap_or_default();
        format!("the board: {}", map.unwrap_or_else(name))
    }

    /// Checks that K is the whole group of automorphisms that fix both ends, or the identity alone, and that ρ has
    /// order two, exchanges the ends and commutes with K, if such a symmetry exists. Returns the whole group.
    fn symmetries(&self, mirrored: bool) -> Result<Vec<Vec<u8>>, String> {
        let TransferModel { board, fixing, mirror, .. } = &self.model;
        for (number, k) in fixing.iter().enumerate() {
            if !board.is_automorphism(k) {
                return Err(format!("symmetries.fixing[{number}] is no automorphism of the board under the rule"));
            }
            if !self.fixes(k) {
                return Err(format!("symmetries.fixing[{number}] does not fix start and target"));
            }
        }
        if let Some(mirror) = mirror {
            if !board.is_automorphism(mirror) {
                return Err("symmetries.mirror: ρ is no automorphism of the board under the rule".into());
            }
            if !self.swaps(mirror) {
                return Err("symmetries.mirror: ρ does not swap start and target".into());
            }
        }
        let all = board.symmetries();
        // Ascending, so that the identity is the first.
        let whole: Vec<Vec<u8>> = all.iter().filter(|k| self.fixes(k)).cloned().collect();
        // If all cells lie on one line, several maps give the same permutation.
        let mut named = fixing.clone();
        named.sort_unstable();
        named.dedup();
        let repeats = named.len() < fixing.len() && !board.is_line();
        if fixing.first() != whole.first() || named != whole && named.len() != 1 || repeats {
            return Err("symmetries.fixing: K is neither the whole group, the identity first, nor that alone".into());
        }
        let turns = |m: &&Vec<u8>| self.swaps(m) && composed(m, m) == whole[0] && whole.iter().all(|k| commute(k, m));
        let found = mirror.as_ref().map_or(!mirrored || !all.iter().any(|m| turns(&m)), |m| mirrored && turns(&m));
        match found {
            true => Ok(whole),
            false if !mirrored => Err("symmetries.mirror: a game has none".into()),
            false if mirror.is_none() => Err("symmetries.mirror: there is one, and the record names none".into()),
            false => Err("symmetries.mirror: ρ is not of order two, or does not commute with K".into()),
        }
    }

    /// Both ends, the start first; for a game the bases.
    pub fn ends(&self) -> [&[u8]; 2] {
        [&self.start, &self.target]
    }

    fn fixes(&self, permutation: &[u8]) -> bool {
        self.ends().into_iter().all(|end| image(permutation, end) == end)
    }

    fn swaps(&self, permutation: &[u8]) -> bool {
        image(permutation, &self.start) == self.target && image(permutation, &self.target) == self.start
    }

    /// The whole of K, the identity first. A search may have used none of it; its record then has the identity alone.
    pub fn whole_fixing(&self) -> Vec<Vec<u8>> {
        self.model.board.symmetries().into_iter().filter(|k| self.fixes(k)).collect()
    }

    /// Checks that the centroid matches its description: K keeps it and ρ negates it.
    fn centroid(&self, whole: &[Vec<u8>]) -> Result<(), String> {
        let TransferModel { board, fixing, mirror, centroid, .. } = &self.model;
        let values = centroid.as_ref().ok_or("the record does not name the centroid")?;
        if values.len() != board.len() {
            return Err("centroid: not one value for each cell".into());
        }
        self.odd("centroid", |c| values[c], fixing, mirror.as_ref())?;
        match *values == centroid::of_cells(board, self.ends(), whole, mirror.as_ref()) {
            true => Ok(()),
            false => Err("centroid: another function than the one in which start and target lie furthest apart".into()),
        }
    }

    fn odd(
        &self,
        name: &str,
        value: impl Fn(usize) -> i32,
        fixing: &[Vec<u8>],
        mirror: Option<&Vec<u8>>,
    ) -> Result<(), String> {
        let mut cells = 0..self.model.board.len();
        if !cells.clone().all(|c| fixing.iter().all(|k| value(usize::from(k[c])) == value(c))) {
            return Err(format!("{name}: K changes it"));
        }
        if !cells.all(|c| mirror.is_none_or(|m| i64::from(value(usize::from(m[c]))) == -i64::from(value(c)))) {
            return Err(format!("{name}: ρ does not negate it"));
        }
        Ok(())
    }

    /// Checks that K and ρ map classes to classes, and that ρ negates the classes' values.
    fn partition(&self, record: &Record) -> Result<(), String> {
        let Some(partition) = &record.partition else { return Ok(()) };
        let TransferModel { board, fixing, mirror, .. } = &self.model;
        let class = |c: usize| usize::from(partition.class_of[c]);
        if partition.class_of.len() != board.len()
            || (0..board.len()).any(|c| class(c) >= partition.values.len())
            || partition.values.len() > 64
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
}
