//! The run of a puzzle from a file or in Rust: opens its model and its bound, searches, writes what was found into the record.

use halma_engine::key::Key;
use halma_puzzles::own::projection::{self, ProjectionError, Projections};
use halma_puzzles::own::{self, Bound, Model};
use halma_puzzles::with_model;
use halma_record::record::{Count, Counts, Record, SymmetryRecord, Verdict};
use halma_rules::job::{Pruning, Puzzle};
use halma_rules::puzzle::{Compiled, Ground};

use super::{Context, Question, RunError};
use crate::solve::model_search::{ModelSearch, Sequences};

/// How many of the farthest positions a record shows.
const SHOWN: usize = 4;

/// A walk as records have it.
fn moves<K: Key>(model: &dyn Model<K>, walk: &[K]) -> Vec<String> {
    walk.windows(2).map(|pair| model.written(pair[0], pair[1])).collect()
}

impl Context<'_> {
    /// The distances in puzzles with fewer letters, where the pruning asks for them and there is a goal.
    fn projections<K: Key>(
        &self,
        model: &dyn Model<K>,
        compiled: &Compiled,
    ) -> Result<Option<Projections<K>>, RunError> {
        let Pruning::Projection(named) = &self.job.search.pruning else { return Ok(None) };
        if !model.has_goal() || matches!(self.question, Question::Levels { .. }) {
            return Ok(None);
        }
        let ground = on_a_board(compiled)?;
        Ok(Some(self.expander.install(|| match named.as_slice() {
            [] => Ok(Projections::chosen(ground)),
            named => Projections::new(ground, named),
        })?))
    }

    /// The answer for a puzzle; `None` where its states do not fit any key.
    pub(super) fn puzzle(self, puzzle: &Puzzle) -> Result<Option<Record>, RunError> {
        let Some(any) = own::open(&puzzle.compiled, self.job.search.symmetry) else { return Ok(None) };
        with_model!(any, model => self.model(&*model, &puzzle.compiled)).map(Some)
    }

    fn model<K: Key>(self, model: &dyn Model<K>, compiled: &Compiled) -> Result<Record, RunError> {
        self.take_over::<K>()?;
        let mut record = self.blank(SymmetryRecord { fixing: Vec::new(), mirror: None });
        record.symmetries = model.symmetries().map(|fixing| SymmetryRecord { fixing, mirror: None });
        record.repeats = Some(model.repeats());
        let projections = self.projections(model, compiled)?;
        let bound = match (&projections, self.question) {
            (_, Question::Levels { .. }) => None,
            (Some(projections), _) => {
                record.projections = projections.abstractions().to_vec();
                Some(projections as &dyn Bound<K>)
            }
            (None, _) if self.job.search.pruning == Pruning::Bound => Some(model.own_bound().ok_or(RunError::NoBound)?),
            (None, _) => None,
        };
        let mut search = ModelSearch::new(model, bound, self.engine());
        match self.question {
            Question::Levels { depth } => {
                let (figures, result) = search.levels(depth);
                let ended = matches!(result, Ok(true));
                let last = figures.last().map_or(0, |f| f.depth);
                self.levels(&figures, result.map(|_| ()), last, &mut record)?;
                record.exhausted = ended;
                if ended {
                    record.farthest = search.some_of_the_last(SHOWN).unwrap_or_default();
                }
            }
            Question::Solve | Question::Prove { .. } | Question::Count => {
                if !model.has_goal() {
                    return Err(RunError::NoGoal);
                }
                if self.question == Question::Count && !model.counts() {
                    return Err(RunError::UnknownClasses);
                }
                let all = self.job.search.solutions.filter(|_| self.question == Question::Solve);
                if self.question == Question::Count || all.is_some() {
                    search = search.forward_alone();
                }
                self.lengths(&mut search, |walk| Ok(moves(model, walk)), &mut record)?;
                if let Some((most, _)) = all.zip(record.length.filter(|_| record.verdict == Verdict::Optimal)) {
                    let first = record.solution.clone().unwrap_or_default();
                    match search.all(most as usize + 1) {
                        Err(stopped) => self.incomplete(stopped, &mut record)?,
                        Ok(walks) => {
                            let written = walks.iter().map(|walk| moves(model, walk));
                            record.more_solutions =
                                written.filter(|moves: &Vec<String>| *moves != first).take(most as usize - 1).collect();
                        }
                    }
                }
                if let Some(length) = record.length.filter(|_| self.asks_for_a_count(&record)) {
                    let counted = search.count(length);
                    self.counted(length, &counted.levels, counted.numbers.map(Counts::from), &mut record)?;
                }
            }
        }
        self.measure(&mut record);
        Ok(record)
    }
}

/// Refuses, before anything is made, a bound that the puzzle cannot have.
pub(super) fn check(puzzle: &Puzzle, pruning: &Pruning, question: Question) -> Result<(), RunError> {
    match pruning {
        Pruning::Projection(_) | Pruning::Bound if question == Question::Count => Err(RunError::CountUnderBound),
        Pruning::Projection(named) => Ok(projection::check(on_a_board(&puzzle.compiled)?, named)?),
        _ => Ok(()),
    }
}

fn on_a_board(compiled: &Compiled) -> Result<&Ground, ProjectionError> {
    match compiled {
        Compiled::Ground(ground) => Ok(ground),
        Compiled::Permutations(_) | Compiled::Own(_) => Err(ProjectionError::NoBoard),
    }
}

impl From<Sequences> for Counts {
    fn from(numbers: Sequences) -> Self {
        Self {
            sequences: Count::from(numbers.sequences),
            up_to_symmetry: Count::from(numbers.up_to_symmetry),
            up_to_reversal: None,
            palindromic: None,
            palindromic_up_to_symmetry: None,
            final_positions: None,
            final_up_to_symmetry: None,
            positions: Some(numbers.positions),
        }
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_record::record::LengthRecord;
    use halma_rules::job::Job;

    use super::*;
    use crate::run::run;

    const SOKOBAN: &str = r#"
        board = """
        ..##..
        .$.$..
        ..@$..
        ......
        """
        rules = ["@ $ . -> . @ $", "@ . -> . @"]
        goal = { at = { e2 = "$", f3 = "$", e4 = "$" } }
    "#;
    const TILES: &str = r#"
        board = """
        8.6
        547
        231
        """
        rules = ["* . -> . *"]
        goal = """
        .12
        345
        678
        """
    "#;

    fn solved(problem: &str, pruning: &str, question: Question) -> Result<Record, RunError> {
        let text = format!("[problem]\nkind = \"rules\"\n{problem}\n[search]\npruning = \"{pruning}\"\n");
        let text: String = text.lines().map(|line| line.trim_start().to_string() + "\n").collect();
        let job = Job::parse("job.toml".as_ref(), &text).unwrap();
        run(&job, question, &(), &CancellationToken::after(None))
    }

    /// States of all levels of these lengths.
    fn states(runs: &[LengthRecord]) -> u64 {
        runs.iter().flat_map(|run| &run.levels).map(|level| level.states).sum()
    }

    #[test]
    fn under_distances_of_abstract_puzzles_a_search_finds_the_same_length_and_sees_less() {
        for (problem, named) in [(SOKOBAN, "projection($)"), (TILES, "projection(1/2/3/45678+1234/5/6/7/8)")] {
            let plain = solved(problem, "none", Question::Solve).unwrap();
            assert!(plain.projections.is_empty() && plain.verdict == Verdict::Optimal);
            for pruning in [named, "projection"] {
                let bounded = solved(problem, pruning, Question::Solve).unwrap();
                assert_eq!((bounded.length, bounded.verdict), (plain.length, plain.verdict), "{pruning}");
                assert!(!bounded.projections.is_empty(), "{pruning}");
                assert!(bounded.lower_bound > Some(1), "{pruning}");
                // Under a bound each length has levels of its own, without one they share them.
                let last = bounded.runs.last().map_or(&[][..], std::slice::from_ref);
                assert!(states(last) < states(&plain.runs), "{pruning}");
            }
        }
    }

    #[test]
    fn a_bound_that_the_puzzle_cannot_have_is_refused() {
        let refused = |pruning, question| solved(TILES, pruning, question).unwrap_err();
        assert!(matches!(refused("projection(9)", Question::Solve), RunError::Projection(_)));
        assert!(matches!(refused("bound", Question::Solve), RunError::NoBound));
        assert!(matches!(refused("projection", Question::Count), RunError::CountUnderBound));
    }

    #[test]
    fn levels_have_no_bound() {
        let levels = |pruning| solved(TILES, pruning, Question::Levels { depth: 5 }).unwrap();
        let (plain, bounded) = (levels("none"), levels("projection"));
        assert!(bounded.projections.is_empty());
        assert_eq!(states(&plain.runs), states(&bounded.runs));
    }
}
