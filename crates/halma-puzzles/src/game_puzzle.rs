//! The two-player game as the engine sees it.
//!
//! A key has the turn and the combinatorial ranks of both armies. A state stands for its images under K, and its key is
//! the least of theirs. The turn belongs to the key, because a position with the other side to move is another state.
//!
//! A puzzle is made for games of one length, which determines the winner and the bounds. A position in which the game
//! is over has no successors.

pub mod pair;

use std::sync::Arc;

use thiserror::Error;

use halma_bounds::game_bounds::{GameBound, Position};
use halma_engine::key::Key;
use halma_engine::puzzle::Puzzle;
use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::moves::{ComponentScratch, Mover};
use halma_rules::problem::set;
use halma_rules::symmetry::Symmetry;

use crate::incremental_ranking::SymmetricView;
use crate::rank::Ranks;
use pair::PairKey;

/// The game does not fit this width and these keys.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TooLarge {
    /// The board has more cells than the sets.
    #[error("the board has {cells} cells; these sets hold {capacity}")]
    Cells {
        /// Cells of the board.
        cells: usize,
        /// Cells of a set.
        capacity: usize,
    },
    /// The ranks of an army need more bits than there are.
    #[error("armies of {men} men on {cells} cells do not fit: a rank may have {bits} bits")]
    Ranks {
        /// Men of an army.
        men: usize,
        /// Cells of the board.
        cells: usize,
        /// Bits of a rank.
        bits: u32,
    },
}

/// Games of one length, under bounds.
pub struct GamePuzzle<const W: usize, K: PairKey> {
    length: u32,
    winner: Side,
    tables: Arc<ProblemTables<W, K>>,
    bounds: Vec<Arc<dyn GameBound<W>>>,
}

/// The tables that games of all lengths share.
struct ProblemTables<const W: usize, K: PairKey> {
    /// The bases of blue and red.
    bases: [Cells<W>; 2],
    mover: Mover<W>,
    ranks: Ranks<K::Rank>,
    bits: u32,
    /// K without the identity, as permutations.
    permutations: Vec<Vec<u8>>,
}

/// Both armies, blue's first.
pub type Armies<const W: usize> = [Cells<W>; 2];

/// One thread's scratch space.
pub struct Scratch<const W: usize, R> {
    components: ComponentScratch<W>,
    /// The cells of the army to move, then those of the other.
    men: Vec<u8>,
    reach: Vec<Cells<W>>,
    /// By side: the previous army.
    known: [Known<W, R>; 2],
    /// The army to move under each symmetry of K, the identity first, and the rank of the other army.
    views: Vec<(SymmetricView<W, R>, R)>,
    /// The armies whose ranks the views have: that to move and the other one.
    viewed: [Cells<W>; 2],
}

/// An army by its rank. Where the first rank of a key is the same as before, so is the army.
struct Known<const W: usize, R> {
    rank: R,
    cells: Vec<u8>,
    army: Cells<W>,
}

impl<const W: usize, R: Key> Known<W, R> {
    fn show(&mut self, rank: R, ranks: &Ranks<R>) {
        if rank != self.rank {
            ranks.unrank_after(rank, &mut self.cells, &mut self.rank);
            self.army = Cells::EMPTY;
            self.cells.iter().for_each(|&cell| self.army.add(cell.into()));
        }
    }
}

impl<const W: usize, K: PairKey> GamePuzzle<W, K> {
    /// Games of `length` moves under `bounds`, up to the symmetries in `fixing`, which must map both bases to
    /// themselves, the identity first.
    ///
    /// # Errors
    /// Where the game is too large for `W` and `K`.
    pub fn new(
        game: &Game,
        length: u32,
        bounds: Vec<Arc<dyn GameBound<W>>>,
        fixing: &[Symmetry],
    ) -> Result<Self, TooLarge> {
        let (cells, men) = (game.lattice.len(), game.blue.len());
        if cells > Cells::<W>::CAPACITY {
            return Err(TooLarge::Cells { cells, capacity: Cells::<W>::CAPACITY });
        }
        let too_large = TooLarge::Ranks { men, cells, bits: K::RANK_BITS };
        let sets = crate::rank::choose(cells, men).ok_or(too_large.clone())?;
        let bits = 128 - sets.leading_zeros();
        let ranks = Ranks::new(cells, men).filter(|_| bits <= K::RANK_BITS).ok_or(too_large)?;
        let tables = Arc::new(ProblemTables {
            bases: [set(&game.blue), set(&game.red)],
            mover: Mover::new(&game.lattice, false),
            ranks,
            bits,
            permutations: fixing[1..].iter().map(|s| s.cells.clone()).collect(),
        });
        Ok(Self { length, winner: Side::winner(length), tables, bounds })
    }

    /// Games of another length, with the same tables.
    #[must_use]
    pub fn of_length(&self, length: u32, bounds: Vec<Arc<dyn GameBound<W>>>) -> Self {
        let tables = Arc::clone(&self.tables);
        Self { length, winner: Side::winner(length), tables, bounds }
    }

    /// How many moves the games have.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Who wins them.
    #[must_use]
    pub fn winner(&self) -> Side {
        self.winner
    }

    /// Both bases, which are the start.
    #[must_use]
    pub fn bases(&self) -> Armies<W> {
        self.tables.bases
    }

    /// The moves.
    #[must_use]
    pub fn mover(&self) -> &Mover<W> {
        &self.tables.mover
    }

    /// K without the identity, as permutations.
    #[must_use]
    pub fn permutations(&self) -> &[Vec<u8>] {
        &self.tables.permutations
    }

    /// The winner's army and the loser's.
    #[must_use]
    pub fn sides(&self, [blue, red]: Armies<W>) -> (Cells<W>, Cells<W>) {
        if self.winner == Side::Blue { (blue, red) } else { (red, blue) }
    }

    /// The key of the class of a position after `depth` moves.
    #[must_use]
    pub fn canonical(&self, armies: Armies<W>, depth: u32) -> K {
        let key = |armies: Armies<W>| {
            let [blue, red] = armies.map(|army| self.tables.ranks.rank(army));
            K::pair(Side::to_move(depth) == Side::Red, blue, red, self.tables.bits)
        };
        let image = |permutation: &Vec<u8>| key(armies.map(|army| army.mapped(permutation)));
        let images = self.tables.permutations.iter().map(image);
        images.fold(key(armies), K::min)
    }

    /// The armies of a state, and whose turn it is.
    #[must_use]
    pub fn armies(&self, key: K) -> (Armies<W>, Side) {
        let men = self.tables.ranks.men();
        self.armies_into(key, &mut [vec![0; men], vec![0; men]])
    }

    /// The same without an allocation: overwrites `cells`, which has room for both armies.
    #[must_use]
    pub fn armies_into(&self, key: K, cells: &mut [Vec<u8>; 2]) -> (Armies<W>, Side) {
        let (red_to_move, blue, red) = key.split(self.tables.bits);
        self.tables.ranks.unrank(blue, &mut cells[0]);
        self.tables.ranks.unrank(red, &mut cells[1]);
        let armies = [0, 1].map(|side| cells[side].iter().map(|&c| usize::from(c)).collect());
        (armies, if red_to_move { Side::Red } else { Side::Blue })
    }

    /// Who has won in a position, if anybody has.
    #[must_use]
    pub fn won(&self, [blue, red]: Armies<W>) -> Option<Side> {
        match () {
            () if blue == self.tables.bases[1] => Some(Side::Blue),
            () if red == self.tables.bases[0] => Some(Side::Red),
            () => None,
        }
    }

    /// Whether the state ends a game of this length.
    #[must_use]
    pub fn is_goal(&self, key: K) -> bool {
        self.won(self.armies(key).0) == Some(self.winner)
    }

    /// Whether every bound admits a position after `depth` moves.
    #[must_use]
    pub fn admits(&self, armies: Armies<W>, depth: u32) -> bool {
        let position = self.position(armies, depth);
        self.bounds.iter().all(|bound| bound.admits(&position))
    }

    fn position(&self, armies: Armies<W>, depth: u32) -> Position<W> {
        let (winner, loser) = self.sides(armies);
        Position { winner, loser, remaining: self.length.saturating_sub(depth) }
    }
}

impl<const W: usize, K: PairKey> Puzzle for GamePuzzle<W, K> {
    type Key = K;
    type Scratch = Scratch<W, K::Rank>;

    fn scratch(&self) -> Self::Scratch {
        let men = self.tables.ranks.men();
        Scratch {
            components: ComponentScratch::default(),
            men: vec![0; 2 * men],
            reach: vec![Cells::EMPTY; men],
            known: [(); 2].map(|()| Known { rank: K::Rank::MAX, cells: vec![0; men], army: Cells::EMPTY }),
            views: (0..=self.tables.permutations.len())
                .map(|_| (SymmetricView::new(men), K::Rank::default()))
                .collect(),
            viewed: [Cells::EMPTY; 2],
        }
    }

    fn start(&self) -> Vec<K> {
        vec![self.canonical(self.tables.bases, 0)]
    }

    fn is_state(&self, scratch: &mut Self::Scratch, key: K) -> bool {
        let ProblemTables { ranks, bits, .. } = &*self.tables;
        let (turn, blue, red) = key.split(*bits);
        let exact = blue < ranks.count() && red < ranks.count() && K::pair(turn, blue, red, *bits) == key;
        exact && {
            let [one, other] = &mut scratch.known;
            one.show(blue, ranks);
            other.show(red, ranks);
            (one.army & other.army).is_empty()
        }
    }

    #[inline]
    fn successors(&self, scratch: &mut Self::Scratch, key: K, depth: u32, emit: &mut impl FnMut(K)) -> u64 {
        let Scratch { components, men, reach, known, views, viewed } = scratch;
        let (red_to_move, blue, red) = key.split(self.tables.bits);
        known[0].show(blue, &self.tables.ranks);
        known[1].show(red, &self.tables.ranks);
        let armies = [known[0].army, known[1].army];
        if depth >= self.length || self.won(armies).is_some() {
            return 0;
        }
        let mover = usize::from(red_to_move);
        let count = reach.len();
        men[..count].copy_from_slice(&known[mover].cells);
        men[count..].copy_from_slice(&known[1 - mover].cells);
        let generated = self.tables.mover.reach(men, armies[0] | armies[1], components, reach);
        let men = &men[..count];
        let position = self.position(armies, depth);
        for bound in &self.bounds {
            bound.filter(&position, men, reach);
            // The cheap bounds come first, and often leave nothing for the others.
            if reach.iter().all(Cells::is_empty) {
                return generated;
            }
        }
        let (identity, others) = views.split_at_mut(1);
        let (identity, standing) = &mut identity[0];
        let moves_again = std::mem::replace(&mut viewed[0], armies[mover]) == armies[mover];
        let stands_again = std::mem::replace(&mut viewed[1], armies[1 - mover]) == armies[1 - mover];
        if !moves_again {
            identity.set = armies[mover];
            identity.men.copy_from_slice(men);
            identity.prepare(&self.tables.ranks);
        }
        *standing = if red_to_move { blue } else { red };
        for ((view, standing), image) in others.iter_mut().zip(&self.tables.permutations) {
            if !moves_again {
                view.show(armies[mover], image, &self.tables.ranks);
            }
            if !stands_again {
                *standing = self.tables.ranks.rank(armies[1 - mover].mapped(image));
            }
        }
        // The other side moves next.
        let pair = |moved, standing| {
            let (blue, red) = if red_to_move { (standing, moved) } else { (moved, standing) };
            K::pair(!red_to_move, blue, red, self.tables.bits)
        };
        for (&from, targets) in men.iter().zip(reach) {
            let moving = identity.moving(from);
            targets.for_each(|to| {
                let mut least = pair(identity.moved(&self.tables.ranks, moving, to as u8), *standing);
                for ((view, standing), image) in others.iter().zip(&self.tables.permutations) {
                    let moving = view.moving(image[usize::from(from)]);
                    least = least.min(pair(view.moved(&self.tables.ranks, moving, image[to]), *standing));
                }
                emit(least);
            });
        }
        generated
    }
}
