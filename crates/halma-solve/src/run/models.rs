//! The run of a puzzle from a file or in Rust: opens its model and its bound, searches, and completes the record.

use halma_engine::key::Key;
use halma_files::folder::RECORD_BYTES;
use halma_puzzles::own::projection::{self, Projections, Unmade};
use halma_puzzles::own::{self, LowerBound, Model};
use halma_puzzles::with_model;
use halma_record::record::{Counts, Record, SymmetryRecord, Verdict};
use halma_rules::job::{Pruning, Puzzle};
use halma_rules::puzzle::Compiled;

use super::{Context, Question, RunError, too_many};
use crate::solve::model_search::{ModelSearch, Sequences};

/// The most farthest positions that a record shows.
const SHOWN: usize = 4;

/// The most bytes of a record that its list of solutions may take. Levels and all else take less than the other half.
const LIST_BYTES: u64 = RECORD_BYTES / 2;

/// A path in the notation of records.
fn moves<K: Key>(model: &dyn Model<K>, walk: &[K]) -> Vec<String> {
    walk.windows(2).map(|pair| model.written(pair[0], pair[1])).collect()
}

impl Context<'_> {
    /// The abstractions of the pruning `projection`, if it is chosen and some are of use.
    fn projections<K: Key>(&self, compiled: &Compiled) -> Result<Option<Projections<K>>, Unmade> {
        let Pruning::Projection(named) = &self.job.search.pruning else { return Ok(None) };
        // Tables of millions of states take seconds, or minutes, in which no level is made.
        self.progress.note(match named.is_empty() {
            true => "projections: choosing some by trial",
            false => "projections: making their tables",
        });
        let made = self.expander.install(|| match named.as_slice() {
            [] => Projections::chosen(compiled, self.cancel),
            named => Projections::new(compiled, named, self.cancel),
        })?;
        Ok(Some(made).filter(|made| !made.abstractions().is_empty()))
    }

    /// The record of a puzzle; `None` if its states do not fit any key.
    pub(super) fn puzzle(self, puzzle: &Puzzle) -> Result<Option<Record>, RunError> {
        let Some(any) = own::open(&puzzle.compiled, self.job.search.symmetry) else { return Ok(None) };
        with_model!(any, model => self.model(&*model, &puzzle.compiled)).map(Some)
    }

    fn model<K: Key>(self, model: &dyn Model<K>, compiled: &Compiled) -> Result<Record, RunError> {
        let mut record = self.blank(SymmetryRecord::fixing(Vec::new()));
        // No maps at all say that symmetries were switched off.
        if !model.symmetry_is_off() {
            record.symmetries = model.symmetries().map(SymmetryRecord::fixing);
        }
        record.repeats = Some(model.repeats());
        if !self.take_over::<K>(&mut record)? {
            return Ok(record);
        }
        let is_bounded = model.has_goal() && !matches!(self.question, Question::Levels { .. });
        let projections = match is_bounded.then(|| self.projections(compiled)).transpose() {
            Ok(projections) => projections.flatten(),
            Err(Unmade::Projection(fault)) => return Err(fault.into()),
            Err(Unmade::Stopped(stopped)) => {
                self.incomplete(stopped, &mut record)?;
                self.measure(&mut record);
                return Ok(record);
            }
        };
        record.projections = projections.as_ref().map_or_else(Vec::new, |made| made.abstractions().to_vec());
        let bound = match &projections {
            Some(projections) => Some(projections as &dyn LowerBound<K>),
            None if is_bounded && self.job.search.pruning == Pruning::Bound => {
                Some(model.own_bound().ok_or(RunError::NoBound)?)
            }
            None => None,
        };
        let search = ModelSearch::new(model, bound, self.engine());
        match self.question {
            Question::Levels { depth } => self.levels_and_farthest(search, depth, &mut record)?,
            Question::Solve | Question::Prove { .. } | Question::Count => {
                self.shortest(model, search, &mut record)?;
            }
        }
        self.measure(&mut record);
        Ok(record)
    }

    /// Enters the levels and, if all states were seen, some of the farthest ones.
    fn levels_and_farthest<K: Key>(
        &self,
        mut search: ModelSearch<K>,
        depth: u32,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let (figures, result) = search.levels(depth);
        let ended = matches!(result, Ok(true));
        let last = figures.last().map_or(0, |f| f.depth);
        self.levels(&figures, result.map(|_| ()), last, record)?;
        record.exhausted = ended;
        if ended {
            match search.some_of_the_last(SHOWN) {
                Ok(farthest) => record.farthest = farthest,
                Err(stopped) => self.incomplete(stopped, record)?,
            }
        }
        Ok(())
    }

    /// Enters the lengths tried, a shortest solution and, if they were asked for, more of them or their number.
    fn shortest<K: Key>(
        &self,
        model: &dyn Model<K>,
        mut search: ModelSearch<K>,
        record: &mut Record,
    ) -> Result<(), RunError> {
        let counts = self.question == Question::Count;
        if counts && !model.counts() {
            return Err(RunError::UnknownClasses);
        }
        let all = self.job.search.solutions.filter(|_| self.question == Question::Solve);
        if counts || all.is_some() {
            search = search.forward_only();
        }
        if let Some((cells, letters)) = model.mirror().filter(|_| search.is_mirrored()) {
            let fixing = model.symmetries().unwrap_or_default();
            record.symmetries = Some(SymmetryRecord { fixing, mirror: Some(cells), letters });
        }
        self.lengths(&mut search, |walk| Ok(moves(model, walk)), record)?;
        if let Some((most, _)) = all.zip(record.length.filter(|_| record.verdict == Verdict::Optimal)) {
            // The same moves may be a solution from each of several starts, and are listed once.
            match search.all(most as usize, |walk| moves(model, walk)) {
                Err(stopped) => self.incomplete(stopped, record)?,
                Ok(all) => {
                    let more = all.into_iter().filter(|moves| record.solution.as_ref() != Some(moves));
                    enter_list(more.take(most as usize - 1).collect(), LIST_BYTES, record);
                }
            }
        }
        self.count(|length| search.count(length), record)
    }
}

/// Enters further solutions, if they take at most `most` bytes of the record.
fn enter_list(more: Vec<Vec<String>>, most: u64, record: &mut Record) {
    // A line for each move: its text, quotes, a comma, and room before it.
    let line = |text: &String| text.len() + 16;
    let bytes: usize = more.iter().flatten().map(line).sum();
    if bytes as u64 > most {
        let [has, most] = [bytes as u64, most].map(bytesize::ByteSize);
        record.verdict = Verdict::Incomplete;
        record.reason = Some(format!("{} solutions take {has} of a record, and at most {most} fit", more.len() + 1));
    } else {
        record.more_solutions = more;
    }
}

/// Refuses early a puzzle with too many states, a bound that the puzzle cannot have, and a question about a goal that
/// it does not have.
pub(super) fn check(puzzle: &Puzzle, pruning: &Pruning, question: Question) -> Result<(), RunError> {
    if let Some(fault) = puzzle.no_goal.as_ref().filter(|_| !matches!(question, Question::Levels { .. })) {
        return Err(RunError::NoGoal(Box::new(fault.clone())));
    }
    if !halma_puzzles::own::can_be_numbered(&puzzle.compiled) {
        return Err(too_many(puzzle));
    }
    match pruning {
        Pruning::Projection(_) | Pruning::Bound if question == Question::Count => Err(RunError::CountUnderBound),
        Pruning::Projection(_) if has_free(&puzzle.compiled) => Err(RunError::ProjectionOfFree),
        Pruning::Projection(named) => Ok(projection::check(&puzzle.compiled, named)?),
        _ => Ok(()),
    }
}

fn has_free(compiled: &Compiled) -> bool {
    matches!(compiled, Compiled::Grounded(task) if task.has_free())
}

impl From<Sequences> for Counts {
    fn from(numbers: Sequences) -> Self {
        Self {
            positions: Some(numbers.positions),
            symmetries: numbers.symmetries,
            ..Self::of(numbers.sequences, numbers.up_to_symmetry)
        }
    }
}

#[cfg(test)]
mod tests {
    use halma_engine::search::CancellationToken;
    use halma_record::record::{Count, LengthRecord};
    use halma_rules::job::Job;

    use super::*;
    use crate::run::{affordable, run};
    use crate::stops_after::StopsAfter;

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

    fn job(problem: &str, pruning: &str) -> Job {
        let kind = if problem.contains("kind = ") { "" } else { "kind = \"rules\"" };
        let text = format!("[problem]\n{kind}\n{problem}\n[search]\npruning = \"{pruning}\"\n");
        let text: String = text.lines().map(|line| line.trim_start().to_string() + "\n").collect();
        Job::parse("job.toml".as_ref(), &text).unwrap()
    }

    fn solved(problem: &str, pruning: &str, question: Question) -> Result<Record, RunError> {
        run(&job(problem, pruning), question, &(), &CancellationToken::after(None))
    }

    fn pancakes(n: usize, scramble: &str) -> String {
        let row = |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let mut text = format!("Set STACK {n} 1\nSolved\nSTACK\n{}\nEnd\n", row((1..=n).collect()));
        for top in 2..=n {
            text += &format!("Move F{top}\nSTACK\n{}\nEnd\n", row((1..=top).rev().chain(top + 1..=n).collect()));
        }
        format!("kind = \"permutation\"\nscramble = \"{scramble}\"\ndefinition = \"\"\"\n{text}\"\"\"")
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
    fn solutions_are_counted_up_to_the_same_symmetries_whether_the_search_uses_them_or_not() {
        let corners = "board = \"\"\"\n...\n.A.\n...\n\"\"\"\nrules = [\"A . -> . A\"]\ngoal = [{ at = { a1 = \"A\" } }, \
                       { at = { c1 = \"A\" } }, { at = { a3 = \"A\" } }, { at = { c3 = \"A\" } }]";
        let blocks = "kind = \"blocks\"\nboard = \"\"\"\nA.B\n...\n\"\"\"\nmetric = \"step\"\ngoal = [\"\"\"\n???\nA?B\n\"\"\", \"\"\"\n???\nB?A\n\"\"\"]";
        for (problem, sequences, up_to_symmetry) in [(corners, 8u64, 1u64), (blocks, 2, 1)] {
            let counts = [true, false].map(|symmetry| {
                let mut job = job(problem, "none");
                job.search.symmetry = symmetry;
                let record = run(&job, Question::Count, &(), &CancellationToken::after(None)).unwrap();
                (record.symmetries.unwrap().fixing, record.counts.unwrap())
            });
            for (_, counts) in &counts {
                assert_eq!(counts.sequences, Count::from(sequences), "{problem}");
                assert_eq!(counts.up_to_symmetry, Count::from(up_to_symmetry), "{problem}");
            }
            let [(used, with), (none, without)] = counts;
            assert_eq!((with.symmetries, without.symmetries, none.len()), (None, Some(used), 1));
        }
    }

    /// The last move, back from the goal, may have taken a man of either kind, twice.
    #[test]
    fn a_count_takes_every_way_back_of_a_repetition() {
        let jumps = "board = \"AD.B.\"\nlegend = { x = \"BC\" }\ndirections = [\"right\"]\n\
                     rules = [{ rule = \"A x . -> . . A\", until = \"any\" }, \"D -> B\", \"D -> C\"]\n\
                     goal = { at = { e1 = \"A\" } }";
        let record = solved(jumps, "none", Question::Count).unwrap();
        assert_eq!((record.length, record.counts.map(|counts| counts.sequences)), (Some(2), Some(Count::from(2u64))));
    }

    #[test]
    fn moves_that_are_a_solution_from_several_starts_are_listed_once_and_a_start_named_twice_counts_once() {
        let starts = |boards: &str| {
            format!(
                "board = [{boards}]\ndirections = [\"right\"]\nlegend = {{ x = \"AD\" }}\nrules = [\"x . -> . x\"]\n\
                     goal = {{ at = {{ b1 = \"A\", d1 = \"D\" }} }}"
            )
        };
        let count = |boards: &str| solved(&starts(boards), "none", Question::Count).unwrap().counts.unwrap().sequences;
        assert_eq!([count("\"A.D.B\", \"A.D.C\""), count("\"A.D.B\", \"A.D.B\"")], [4u64, 2].map(Count::from));
        let mut job = job(&starts("\"A.D.B\", \"A.D.C\""), "none");
        job.search.solutions = Some(10);
        let record = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        let mut listed = record.more_solutions;
        listed.extend(record.solution);
        assert_eq!(listed.len(), 2, "{listed:?}");
        assert_ne!(listed[0], listed[1]);
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

    #[test]
    fn answers_are_the_same_with_a_bound_and_without_also_where_there_is_no_solution() {
        let parity = "board = \"\"\"\n12\n.3\n\"\"\"\nrules = [\"* . -> . *\"]\ngoal = \"\"\"\n21\n3.\n\"\"\"";
        let map = "board = \"\"\"\n....#.\n.$@.#.\n....#.\n\"\"\"\nrules = [\"@ $ . -> . @ $\", \"@ . -> . @\"]\n";
        // The box comes to the left side, but the man not through the wall; and a box in a corner is lost.
        let lost = format!("{map}goal = {{ at = {{ a2 = \"$\", f2 = \"@\" }} }}");
        let found = format!("{map}goal = {{ at = {{ c3 = \"$\" }} }}");
        let bars = |goal: &str, metric: &str| {
            let board = "kind = \"blocks\"\nboard = \"\"\"\nAA.\nB.C\nDD.\n\"\"\"";
            format!("{board}\nmetric = \"{metric}\"\ngoal = \"\"\"\n{goal}\n\"\"\"")
        };
        let (pass, cross) = ("???\n?AA\n???", "???\n???\nAA?");
        for (problem, named) in [
            (parity.to_string(), "projection(1/2)"),
            (lost, "projection($)"),
            (found, "projection($+@)"),
            (bars(pass, "step"), "projection(A+A/D)"),
            (bars(pass, "move"), "projection(AD/B)"),
            (bars(cross, "slide"), "projection(A)"),
            (bars(cross, "slide"), "projection(A/D)"),
            (pancakes(6, "F6 F3 F5 F2 F4"), "projection(STACK 4 5 6+STACK 1=2=3 4)"),
        ] {
            let plain = solved(&problem, "none", Question::Solve).unwrap();
            assert!(matches!(plain.verdict, Verdict::Optimal | Verdict::None), "{problem}");
            for pruning in [named, "projection"] {
                let bounded = solved(&problem, pruning, Question::Solve).unwrap();
                let answer = |record: &Record| (record.verdict, record.length, record.exhausted);
                assert_eq!(answer(&bounded), answer(&plain), "{pruning}: {problem}");
                assert!(bounded.runs.len() < 40, "{pruning}: {problem}");
            }
        }
    }

    #[test]
    fn fewer_pieces_leave_less_of_the_stacks_of_pancakes() {
        let problem = pancakes(7, "F7 F3 F6 F2 F5 F7 F4");
        let plain = solved(&problem, "none", Question::Solve).unwrap();
        for pruning in ["projection(STACK 4 5 6 7)", "projection"] {
            let bounded = solved(&problem, pruning, Question::Solve).unwrap();
            assert_eq!((bounded.length, bounded.verdict), (plain.length, Verdict::Optimal));
            assert!(!bounded.projections.is_empty() && bounded.lower_bound > Some(1), "{pruning}");
        }
    }

    #[test]
    fn where_no_abstraction_is_of_use_levels_are_those_without_a_bound() {
        let pegs =
            "board = \"\"\"\nPPP\nP.P\nPPP\nPPP\n\"\"\"\nrules = [\"P P . -> . . P\"]\ngoal = { count = { P = 1 } }";
        let [plain, bounded] = ["none", "projection"].map(|pruning| solved(pegs, pruning, Question::Solve).unwrap());
        assert!(bounded.projections.is_empty());
        assert_eq!((states(&plain.runs), plain.verdict), (states(&bounded.runs), bounded.verdict));
    }

    #[test]
    fn a_stop_while_tables_are_made_is_no_answer() {
        for (problem, pruning) in [(TILES.to_string(), "projection"), (pancakes(9, "F9 F4"), "projection(STACK 7 8 9)")]
        {
            let cancel = CancellationToken::after(None);
            cancel.request();
            let record = run(&job(&problem, pruning), Question::Solve, &(), &cancel).unwrap();
            assert!(record.verdict == Verdict::Incomplete && record.is_interrupted(), "{:?}", record.reason);
            assert!(record.runs.is_empty() && record.lower_bound.is_none() && record.refuted_up_to.is_none());
        }
    }

    #[test]
    fn a_list_of_solutions_that_is_stopped_is_not_finished() {
        let map = "board = \"\"\"\nA...\n....\n....\n\"\"\"\nrules = [\"A . -> . A\"]\ngoal = { at = { d3 = \"A\" } }";
        let mut job = job(map, "none");
        job.search.solutions = Some(1000);
        let listed = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
        let length = listed.length.unwrap();
        assert_eq!((listed.verdict, listed.more_solutions.len()), (Verdict::Optimal, 9));
        let stops = StopsAfter::levels(length + 1);
        let record = run(&job, Question::Solve, &stops, &stops.cancel).unwrap();
        assert!(record.verdict == Verdict::Incomplete && record.is_interrupted(), "{:?}", record.reason);
        assert_eq!((record.length, record.more_solutions.len()), (Some(length), 0));
    }

    /// It could not be written, and nothing of it would be kept.
    #[test]
    fn a_list_that_is_too_long_for_a_record_is_not_finished_and_what_else_was_found_stays() {
        let mut record = solved(TILES, "none", Question::Solve).unwrap();
        let (length, list) = (record.length, vec![record.solution.clone().unwrap(); 3]);
        let written = serde_json::to_string_pretty(&list).unwrap().len() as u64;
        enter_list(list.clone(), written, &mut record);
        assert_eq!((record.verdict, &record.more_solutions), (Verdict::Incomplete, &Vec::new()));
        assert!(record.reason.as_ref().unwrap().starts_with("4 solutions take "), "{:?}", record.reason);
        assert_eq!(record.length, length);
        let mut record = solved(TILES, "none", Question::Solve).unwrap();
        enter_list(list, 2 * written, &mut record);
        assert_eq!((record.verdict, record.more_solutions.len()), (Verdict::Optimal, 3));
    }

    #[test]
    fn a_budget_that_cannot_hold_the_tables_is_refused_with_what_is_needed() {
        let large = pancakes(12, "F12 F4");
        let needs = |pruning: &str| {
            let mut job = job(&large, pruning);
            (job.limits.memory, job.limits.threads) = (Some(64 << 20), Some(1));
            affordable(&job, Question::Solve, 1)
        };
        // 12! / 4! states, twice.
        let error = needs("projection(STACK 5 6 7 8 9 10 11 12)").unwrap_err().to_string();
        assert!(error.contains("of it for pattern databases") && error.contains("projection(1/2)"), "{error}");
        assert!(needs("projection(STACK 8 9 10 11 12)").is_ok() && needs("none").is_ok());
        let RunError::TooLittleMemory { needs, .. } = needs("projection(STACK 5 6 7 8 9 10 11 12)").unwrap_err() else {
            panic!("{error}")
        };
        assert_eq!(needs.tables, 2 * 19_958_400);
    }
}
