//! A record's solution of a puzzle, played again: each move must be one that the puzzle has.

use halma_engine::key::Key;
use halma_record::job::PuzzleSpec;
use halma_record::record::Record;
use halma_record::words::counted;
use halma_rules::job;

use super::{Model, open};
use crate::with_model;

/// A solution that was played.
#[derive(Clone, Debug)]
pub struct PuzzleReplay {
    /// The puzzle.
    pub spec: PuzzleSpec,
    /// The moves as the record has them.
    pub moves: Vec<String>,
    /// The state before the first move and after each, as text.
    pub pictures: Vec<String>,
}

impl PuzzleReplay {
    /// Plays the solution of a record.
    ///
    /// # Errors
    /// What is wrong with it; the record has no solution, or is of no puzzle.
    pub fn of(record: &Record) -> Result<Self, String> {
        let spec = record.problem.puzzle().ok_or("this is no puzzle")?;
        let moves = record.solution.as_ref().ok_or("the record has no solution to replay")?;
        let puzzle = job::compiled(spec)?;
        let any = open(&puzzle.compiled, false).ok_or("the puzzle has too many states to number")?;
        let pictures = with_model!(any, model => play(&*model, moves))?;
        Ok(Self { spec: spec.clone(), moves: moves.clone(), pictures })
    }

    /// The states as text, each under its move.
    #[must_use]
    pub fn draw(&self) -> String {
        let mut text = format!("start\n{}\n", self.pictures[0]);
        for (number, (written, picture)) in (1..).zip(self.moves.iter().zip(&self.pictures[1..])) {
            text += &format!("\n{number}. {written}\n{picture}\n");
        }
        text
    }

    /// What was checked, in a line.
    #[must_use]
    pub fn summary(&self) -> String {
        format!("legal: the goal is reached in {}", counted(self.moves.len(), "move"))
    }
}

/// The first start of a puzzle, as text.
///
/// # Errors
/// What is wrong with the puzzle.
pub fn start_of(spec: &PuzzleSpec) -> Result<String, String> {
    fn first<K: Key>(model: &dyn Model<K>) -> Result<String, String> {
        model.starts().first().map(|&start| model.picture(start)).ok_or_else(|| "the puzzle has no start".into())
    }
    let puzzle = job::compiled(spec)?;
    let any = open(&puzzle.compiled, false).ok_or("the puzzle has too many states to number")?;
    with_model!(any, model => first(&*model))
}

/// The states that the moves lead through.
fn play<K: Key>(model: &dyn Model<K>, moves: &[String]) -> Result<Vec<String>, String> {
    let mut worker = model.worker();
    // Of several starts the first will do from which the moves can be played.
    let mut fault = "the puzzle has no start".to_string();
    for start in model.starts() {
        let (mut walk, mut after) = (vec![start], Vec::new());
        let played = (1..).zip(moves).try_for_each(|(number, written)| {
            let here = walk[walk.len() - 1];
            after.clear();
            worker.after(here, &mut after);
            let next = after.iter().copied().find(|&next| model.written(here, next) == *written);
            walk.push(next.ok_or_else(|| format!("move {number} ({written}) is not a move of this puzzle"))?);
            Ok(())
        });
        match played {
            Err(why) => fault = why,
            Ok(()) if !worker.is_goal(walk[walk.len() - 1]) => {
                fault = "its last state does not satisfy the goal".into()
            }
            Ok(()) => return Ok(walk.into_iter().map(|state| model.picture(state)).collect()),
        }
    }
    Err(fault)
}
