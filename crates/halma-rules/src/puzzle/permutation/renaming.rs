//! Mirrors of permutations: new names for the pieces that make the start the solved state.
//!
//! Moves act on positions, so they commute with renaming pieces. This renaming calls each piece of the start by the name of the piece
//! that has its position when solved, and measures its orientation from that one's. It maps the start to the solved state. If moves
//! have inverses, the levels from the solved state are the renamed levels from the start (`docs/proof.md`, Lemma 6b).

use std::collections::BTreeMap;

use super::{Permutations, add};

/// What becomes of every piece, set by set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming(pub Vec<Vec<Renamed>>);

/// What becomes of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The piece that it is called.
    pub piece: u8,
    /// What is added to its orientation.
    pub turn: u8,
}

impl Permutations {
    /// The renaming that takes the start to the solved state, where moves can be undone; `None` where equal pieces would need
    /// different names, or those whose orientation counts the names of others.
    #[must_use]
    pub fn renaming(&self) -> Option<Renaming> {
        if !self.has_inverse_moves {
            return None;
        }
        let mut sets = Vec::new();
        for (set, (start, goal)) in self.sets.iter().zip(self.start.iter().zip(&self.goal)) {
            let mut renamed: Vec<Option<Renamed>> = vec![None; set.pieces.len()];
            for position in 0..set.positions {
                let (piece, image) = (start.pieces[position], goal.pieces[position]);
                if set.pieces[usize::from(piece)].oriented != set.pieces[usize::from(image)].oriented {
                    return None;
                }
                let back = (set.orientations - start.orientations[position]) % set.orientations;
                let new = Renamed { piece: image, turn: add(goal.orientations[position], back, set.orientations) };
                if *renamed[usize::from(piece)].get_or_insert(new) != new {
                    return None;
                }
            }
            let renamed = renamed.into_iter().collect::<Option<Vec<_>>>()?;
            let mut images: Vec<u8> = renamed.iter().map(|new| new.piece).collect();
            images.sort_unstable();
            if images.windows(2).any(|pair| pair[0] == pair[1]) {
                return None;
            }
            sets.push(renamed);
        }
        Some(Renaming(sets))
    }

    /// The new names of those pieces that get one, as `SET number` and what is added to the orientation: `CORNERS 3 +1`.
    #[must_use]
    pub fn renamed(&self, Renaming(sets): &Renaming) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        for (set, renamed) in self.sets.iter().zip(sets) {
            let name = |piece: usize| format!("{} {}", set.name, set.pieces[piece].number);
            for (piece, new) in renamed.iter().enumerate() {
                let turn = if new.turn > 0 { format!(" +{}", new.turn) } else { String::new() };
                let image = name(new.piece.into()) + &turn;
                if image != name(piece) {
                    all.insert(name(piece), image);
                }
            }
        }
        all
    }
}
