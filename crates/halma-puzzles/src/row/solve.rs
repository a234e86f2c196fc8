//! Shortest solutions by the engine: the levels of [`halma_engine::search`], length after length.

use halma_engine::puzzle::Puzzle;
use halma_engine::search::{CancellationToken, Expander, LevelDestination, Stopped, trace};
use halma_engine::store::Level;

/// What the engine found.
#[derive(Debug)]
pub enum Answer<K> {
    /// A shortest solution: the states after each of its moves. Every shorter length is refuted.
    Found(Vec<K>),
    /// Every state that can be reached was seen, and the goal is none of them.
    Unsolvable,
    /// No answer: the levels up to the length that was being tried outgrew the memory.
    TooLarge {
        /// That length.
        length: u32,
    },
    /// No answer: the search was stopped.
    Stopped(Stopped),
}

/// What a search may use.
pub struct Resources<'a> {
    /// The engine with its threads.
    pub expander: &'a Expander,
    /// A wish to stop.
    pub stop: &'a CancellationToken,
    /// Bytes that the levels may take up.
    pub memory: u64,
}

/// The shortest way to the goal of a puzzle whose moves can be undone by moves. `puzzle` makes it, with the bound for
/// a length or without one; lengths are tried from `lower` on in steps of `step`, which must pass over no other length
/// that is possible. `None` where there is no puzzle, as the row does not fit a key.
pub fn shortest<P: Puzzle>(
    puzzle: impl Fn(Option<u32>) -> Option<P>,
    (lower, step): (u32, u32),
    goal: impl Fn(&P) -> P::Key,
    means: &Resources,
) -> Option<Answer<P::Key>> {
    let free = puzzle(None)?;
    let goal = goal(&free);
    let mut length = lower;
    loop {
        match attempt(&puzzle(Some(length))?, length, goal, means) {
            Ok(Attempt::Reached(levels)) => {
                return Some(match trace(&free, &levels, goal) {
                    Ok(walk) => Answer::Found(walk[1..].to_vec()),
                    Err(stopped) => Answer::Stopped(stopped),
                });
            }
            Ok(Attempt::Dead { pruned: false }) => return Some(Answer::Unsolvable),
            Ok(Attempt::Dead { pruned: true }) => length += step,
            Ok(Attempt::TooLarge) => return Some(Answer::TooLarge { length }),
            Err(stopped) => return Some(Answer::Stopped(stopped)),
        }
    }
}

enum Attempt<K> {
    Reached(Vec<Level<K>>),
    Dead { pruned: bool },
    TooLarge,
}

/// Levels from the start until one holds the goal or none is left.
fn attempt<P: Puzzle>(puzzle: &P, length: u32, goal: P::Key, means: &Resources) -> Result<Attempt<P::Key>, Stopped> {
    let mut levels = vec![means.expander.level_of(puzzle, puzzle.start()).level];
    let (mut bytes, mut pruned) = (0, false);
    for depth in 0..=length {
        let current = &levels[depth as usize];
        if current.contains(goal)? {
            return Ok(Attempt::Reached(levels));
        }
        if depth == length || current.is_empty() {
            // At the full length what is left is not the goal, which the bound is there to tell: the level counts as cut.
            return Ok(Attempt::Dead { pruned: pruned || !current.is_empty() });
        }
        let earlier: Vec<&Level<P::Key>> = levels[..depth as usize].iter().rev().take(1).collect();
        let next = means.expander.expand(puzzle, depth, current, &earlier, LevelDestination::MEMORY, means.stop)?;
        pruned |= next.tally.pruned > 0;
        bytes += next.level.bytes();
        if bytes > means.memory {
            return Ok(Attempt::TooLarge);
        }
        levels.push(next.level);
    }
    Ok(Attempt::Dead { pruned: true })
}
