//! What is true of small puzzles, from all their states; and whether the search and the verifier say so.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

use halma_check::{Options, record_holds};
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, RunError, run};

const OPTIONS: Options = Options { sample: None, budget: u64::MAX, memory: None, progress: &|_| () };

/// What a breadth-first search over all states finds.
#[derive(Debug)]
pub struct Truth {
    /// New states by level, up to the last that has any.
    pub sizes: Vec<u64>,
    /// Moves to the nearest state of the goal, and how many sequences of states lead to such states.
    pub shortest: Option<(u32, u128)>,
}

impl Truth {
    /// `next` may list a state more than once; two moves to one state are one.
    pub fn new<S: Clone + Eq + Hash>(start: S, is_goal: impl Fn(&S) -> bool, next: impl Fn(&S) -> Vec<S>) -> Self {
        let mut found = HashMap::from([(start.clone(), (0, 1))]);
        let (mut sizes, mut shortest, mut level) = (Vec::new(), None, vec![start]);
        for depth in 0u32.. {
            let solved: Vec<u128> = level.iter().filter(|state| is_goal(state)).map(|state| found[state].1).collect();
            if shortest.is_none() && !solved.is_empty() {
                shortest = Some((depth, solved.iter().sum()));
            }
            sizes.push(level.len() as u64);
            let mut later = Vec::new();
            for state in &level {
                let ways: u128 = found[state].1;
                let mut after = next(state);
                for at in (0..after.len()).rev() {
                    if after[..at].contains(&after[at]) {
                        after.swap_remove(at);
                    }
                }
                for state in after {
                    let (reached, all) = found.entry(state.clone()).or_insert_with(|| {
                        later.push(state);
                        (depth + 1, 0)
                    });
                    if *reached == depth + 1 {
                        *all += ways;
                    }
                }
            }
            if later.is_empty() {
                break;
            }
            level = later;
        }
        Self { sizes, shortest }
    }

    /// Asks the search every question about this problem, under no pruning and under each of `projections` that it has, and
    /// panics where an answer is wrong or `check` rejects it. `problem` is the job's table of that name, whole. Returns how often
    /// it was solved under a projection.
    pub fn agrees(&self, problem: &str, projections: &[String]) -> usize {
        let wrong = |what: &str, record: &Record| -> ! {
            let Record { verdict, length, counts, .. } = record;
            panic!("{what}: {verdict:?} {length:?} {counts:?}\n{self:?}\n{problem}")
        };
        let length = self.shortest.map(|(length, _)| length);
        let parsed = |search: &str| Job::parse(Path::new("small.toml"), &format!("[problem]\n{problem}{search}"));
        if let Err(fault) = parsed("") {
            // A goal out of reach is refused, if it is seen to be.
            let said = ["can never", "no state can meet it"].iter().any(|said| fault.to_string().contains(said));
            assert!(self.shortest.is_none() && said, "{fault}\n{self:?}\n{problem}");
            return 0;
        }
        let mut projected = 0;
        for symmetry in [true, false] {
            let answer = |pruning: &str, question| {
                let search = format!("[search]\nsymmetry = {symmetry}\npruning = '{pruning}'\n[limits]\nthreads = 1\n");
                let job = parsed(&search).unwrap_or_else(|fault| panic!("{fault}\n{problem}{search}"));
                let record = match run(&job, question, &(), &CancellationToken::after(None)) {
                    Err(RunError::Projection(_) | RunError::ProjectionOfFree) if pruning != "none" => return None,
                    record => record.unwrap_or_else(|why| panic!("{why}\n{problem}{search}")),
                };
                match record_holds(&record, Path::new(""), &OPTIONS) {
                    Ok(report) if report.unchecked.is_empty() => Some(record),
                    Ok(report) => wrong(&format!("{pruning}: not checked: {:?}", report.unchecked), &record),
                    Err(why) => wrong(&format!("{pruning}: {why}"), &record),
                }
            };
            let levels = answer("none", Question::Levels { depth: 9_999 }).unwrap();
            let sizes: Vec<u64> = levels.runs[0].levels.iter().map(|level| level.states).filter(|&n| n > 0).collect();
            // Where symmetries are used, their classes are counted.
            let same = sizes.len() == self.sizes.len() && sizes.iter().zip(&self.sizes).all(|(n, all)| n <= all);
            if !(levels.exhausted && same && (symmetry || sizes == self.sizes)) {
                wrong(&format!("levels of {sizes:?}"), &levels);
            }
            let counted = answer("none", Question::Count).unwrap();
            let sequences = counted.counts.as_ref().map(|counts| counts.sequences.to_string());
            if sequences != self.shortest.map(|(_, ways)| ways.to_string()) {
                wrong("counted", &counted);
            }
            for pruning in projections.iter().map(String::as_str).chain(["none"]) {
                let Some(solved) = answer(pruning, Question::Solve) else { continue };
                projected += usize::from(pruning != "none");
                let right = match length {
                    Some(_) => solved.verdict == Verdict::Optimal && solved.length == length,
                    None => solved.verdict == Verdict::None && solved.exhausted,
                };
                if !right {
                    wrong(pruning, &solved);
                }
                if let Some(before) = length.and_then(|length| length.checked_sub(1)) {
                    let refuted = answer(pruning, Question::Prove { max_length: before }).unwrap();
                    if refuted.verdict != Verdict::None {
                        wrong(&format!("{pruning}, at most {before} moves"), &refuted);
                    }
                }
            }
        }
        projected
    }
}
