//! Consistency of a record with itself: its solution with its length, its verdict with its lengths, its figures with
//! each other.
//!
//! The test is cheap and proves nothing. It runs wherever a record is read, so that an edited or half-copied one is not
//! believed. Whether the record is true is decided by [`halma_check`], which shares nothing with this.

use super::{Asked, FORMAT, LengthRecord, LevelRecord, Record, Verdict};
use crate::job::ProblemSpec;

/// The greatest length and level that a job may ask for.
pub const LONGEST: u32 = 9_999;

/// A record builds on at most so many others, one below another.
const MOST_BELOW: usize = 16;

fn shown(length: Option<u32>) -> String {
    length.map_or("none".into(), |length| length.to_string())
}

impl LevelRecord {
    /// Successors are pruned, duplicates, old or new; level 0 has no successors.
    fn contradiction(&self) -> Option<String> {
        let Self { depth, side, states, generated, pruned, duplicates, old, .. } = *self;
        let parts = [pruned, duplicates, old, states].into_iter().map(u128::from).sum::<u128>();
        if depth > LONGEST {
            return Some(format!("a level {depth}"));
        }
        let adds_up = if depth == 0 { generated == 0 } else { u128::from(generated) == parts };
        let text = || format!("{} level {depth}: {generated} generated, and {parts} found again", side.name());
        (!adds_up).then(text)
    }
}

impl LengthRecord {
    /// The contradiction in an entry, if any.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        let of = |what: String| Some(format!("length {}: {what}", self.length));
        let total = self.levels.iter().map(|level| u128::from(level.generated)).sum::<u128>();
        let largest = self.levels.iter().map(|level| level.states).max().unwrap_or(0);
        if let Some(what) = self.levels.iter().find_map(LevelRecord::contradiction) {
            return of(what);
        }
        if total != u128::from(self.generated) {
            return of(format!("generated is {}, the sum over its levels {total}", self.generated));
        }
        if largest != self.largest_level {
            return of(format!("largest_level is {}, that of its levels {largest}", self.largest_level));
        }
        if self.verdict == Verdict::None && (self.reason.is_some() || !self.self_consistent) {
            let why = self.reason.as_deref().unwrap_or("its guess proved too small");
            return of(format!("the verdict is none, and it did not end: {why}"));
        }
        if self.verdict == Verdict::Incomplete && self.reason.is_none() {
            return of("it is undecided, and no reason is given".into());
        }
        if self.length > LONGEST || self.up_to.is_some_and(|up_to| up_to < self.length || up_to > LONGEST) {
            return of(format!("its lengths go to {}", shown(self.up_to.or(Some(self.length)))));
        }
        if self.shared_with.is_some_and(|next| next != self.length + 1) {
            return of(format!("it is decided together with {}", shown(self.shared_with)));
        }
        if self.leading_moves && !self.has_leading_moves() {
            return of("leading_moves, and it has no following levels of an odd length".into());
        }
        if self.covered && !self.has_following() {
            return of("covered, and it has no following levels".into());
        }
        None
    }
}

impl Record {
    /// The contradiction in the record, in words; `None` if it is consistent.
    #[must_use]
    pub fn contradiction(&self) -> Option<String> {
        if let Some(what) = self.runs.iter().find_map(LengthRecord::contradiction) {
            return Some(what);
        }
        if self.runs.iter().try_fold(0, |sum: u64, entry| sum.checked_add(entry.generated)).is_none() {
            return Some("more successors than a number of 64 bits can say".into());
        }
        if self.pruning.is_by_trial() {
            return Some(format!("the pruning is {}, and a run has chosen a cap or none", self.pruning));
        }
        self.wrong_earlier_record()
            .or_else(|| self.wrong_length())
            .or_else(|| self.wrong_verdict())
            .or_else(|| self.wrong_entries())
    }

    /// The record that this one builds on.
    fn wrong_earlier_record(&self) -> Option<String> {
        let earlier = self.refuted_by.as_ref()?;
        let of_it = |what: String| Some(format!("refuted_by, the record that it builds on, {what}"));
        if let Some(what) = earlier.contradiction() {
            return of_it(format!("contradicts itself: {what}"));
        }
        if earlier.format != FORMAT {
            return of_it(format!("has the format {}, and this program reads format {FORMAT}", earlier.format));
        }
        if let Some(what) = earlier.cannot_serve(&self.problem, self.palindromic) {
            return of_it(what);
        }
        if earlier.runs.iter().flat_map(|entry| &entry.levels).any(|level| level.file.is_some()) {
            return of_it("names level files".into());
        }
        if self.question == Asked::Levels {
            return of_it("is of no use to levels without a goal".into());
        }
        let is_of_use = |refuted: u32| {
            self.lower_bound.is_some_and(|bound| bound <= refuted) && self.max_length.is_none_or(|most| most > refuted)
        };
        match earlier.refuted_up_to.filter(|&refuted| !is_of_use(refuted)) {
            Some(refuted) => of_it(format!("refutes {refuted} moves, and that is of no use to it")),
            None => None,
        }
    }

    /// Why a search of `problem` (of its palindromes, where that is `palindromic`) cannot build on this record: what the record
    /// is or does instead. `None` if it can.
    #[must_use]
    pub fn cannot_serve(&self, problem: &ProblemSpec, palindromic: bool) -> Option<String> {
        let [own, other] = [&self.problem, problem].map(ProblemSpec::untitled);
        if own != other {
            let key = own.differs_in(&other).map(|key| format!(" (`{key}` differs)")).unwrap_or_default();
            return Some(format!("is of another problem{key}"));
        }
        let below = std::iter::successors(self.refuted_by.as_ref(), |record| record.refuted_by.as_ref()).count();
        let what = match self.refuted_up_to {
            _ if self.question == Asked::Levels => "is of levels without a goal, and refutes no length".into(),
            _ if self.palindromic && !palindromic => "refutes palindromic solutions only".into(),
            _ if self.exhausted => "says that there is no solution of any length".into(),
            None => "refutes no length".into(),
            Some(refuted) if refuted >= LONGEST => {
                format!("refutes all lengths up to {LONGEST}, and none is left to try")
            }
            Some(_) if below >= MOST_BELOW => format!("builds on {below} others; search once from the start instead"),
            Some(_) => return None,
        };
        Some(what)
    }

    /// The greatest length that was refuted earlier, by the record that this one builds on.
    #[must_use]
    pub fn refuted_earlier(&self) -> Option<u32> {
        self.refuted_by.as_ref().and_then(|earlier| earlier.refuted_up_to)
    }

    /// The least length that is neither below the bound nor was refuted earlier.
    #[must_use]
    pub fn first_length(&self) -> Option<u32> {
        let after = self.refuted_earlier().map_or(0, |refuted| refuted.saturating_add(1));
        self.lower_bound.map(|bound| bound.max(after))
    }

    /// Solution, length and the question of counts.
    fn wrong_length(&self) -> Option<String> {
        let moves = self.solution.as_ref().map(|moves| moves.len() as u64);
        if moves != self.length.map(u64::from) {
            let moves = moves.map_or("there is no solution".into(), |moves| format!("the solution has {moves} moves"));
            return Some(format!("length is {}, and {moves}", shown(self.length)));
        }
        if self.counts.is_some() != (self.verdict == Verdict::Counted) {
            return Some("counts and the verdict counted belong together".into());
        }
        let solved = matches!(self.verdict, Verdict::Optimal | Verdict::Solution | Verdict::Counted);
        let unsolved = matches!(self.verdict, Verdict::None | Verdict::Levels);
        if solved && self.length.is_none() || unsolved && self.length.is_some() {
            return Some(format!("the verdict is {}, and length is {}", self.verdict.name(), shown(self.length)));
        }
        if let Some(moves) = &self.known_solution {
            let known = moves.len() as u64;
            if self.verdict != Verdict::Incomplete || self.question == Asked::Levels || self.length.is_some() {
                return Some("known_solution is of a search for solutions that was stopped before it found one".into());
            }
            if self.refuted_up_to.is_some_and(|refuted| known <= u64::from(refuted)) {
                return Some(format!(
                    "known_solution has {known} moves, and refuted_up_to is {}",
                    shown(self.refuted_up_to)
                ));
            }
        }
        let levels = self.question == Asked::Levels;
        if levels != self.depth.is_some() || levels && (self.refuted_up_to.is_some() || self.length.is_some()) {
            return Some("levels without a goal have a depth and no length, other questions no depth".into());
        }
        None
    }

    /// Verdict and refuted lengths.
    fn wrong_verdict(&self) -> Option<String> {
        let (refuted, below) = (self.refuted_up_to, self.length.and_then(|length| length.checked_sub(1)));
        let follows = match self.verdict {
            Verdict::Optimal | Verdict::Counted => refuted == below,
            Verdict::Solution => refuted <= below,
            Verdict::None => self.exhausted || self.max_length.is_some() && refuted >= self.max_length,
            Verdict::Levels => self.question == Asked::Levels,
            Verdict::Incomplete => self.question == Asked::Levels || !self.exhausted,
        };
        let suits = match self.verdict {
            Verdict::Levels | Verdict::Incomplete => true,
            Verdict::Counted => self.question == Asked::Count,
            _ => self.question != Asked::Levels,
        };
        let asked = self.max_length.map(|most| format!(", asked about {most}")).unwrap_or_default();
        let text = || {
            let (length, refuted) = (shown(self.length), shown(refuted));
            format!("the verdict is {}: length {length}, refuted up to {refuted}{asked}", self.verdict.name())
        };
        (!(follows && suits)).then(text)
    }

    /// Lengths from the lower bound on, one after another, and what their entries refute and find.
    fn wrong_entries(&self) -> Option<String> {
        if self.question == Asked::Levels {
            return None;
        }
        let Some(first) = self.first_length() else {
            // There was no bound, or there is a solution without moves.
            return (!self.runs.is_empty()).then(|| "lengths were tried, and there is no lower_bound".into());
        };
        if first > LONGEST {
            return Some(format!("a lower_bound of {first}"));
        }
        // A count adds an entry for the length found.
        let counted = self.question == Asked::Count && self.length.is_some() && self.runs.len() > 1;
        let (runs, last) = self.runs.split_at(self.runs.len() - usize::from(counted));
        if let Some((entry, expected)) = runs.iter().zip(first..).find(|(entry, expected)| entry.length != *expected) {
            return Some(format!("a run for length {} where that for {expected} belongs", entry.length));
        }
        if last.iter().any(|entry| Some(entry.length) != self.length) {
            return Some("solutions are counted of a length that is not the one found".into());
        }
        let refuting = runs.iter().take_while(|entry| entry.verdict == Verdict::None).count() as u32;
        let asked = self.max_length.unwrap_or(u32::MAX);
        let refuted = (first + refuting).checked_sub(1).map(|l| if refuting == 0 { l.min(asked) } else { l });
        if self.refuted_up_to != refuted {
            let (said, found) = (shown(self.refuted_up_to), shown(refuted));
            return Some(format!("refuted_up_to is {said}, and the runs refute up to {found}"));
        }
        let found = runs.iter().position(|entry| entry.verdict == Verdict::Solution);
        if found.is_some_and(|found| found + 1 != runs.len()) {
            return Some("lengths were tried after a solution".into());
        }
        let length = found.map(|found| runs[found].length);
        (length != self.length).then(|| format!("length is {}, that of its runs {}", shown(self.length), shown(length)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> impl Iterator<Item = (std::path::PathBuf, Record)> {
        fn collect(folder: std::path::PathBuf, files: &mut Vec<std::path::PathBuf>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => collect(path, files),
                    false if path.extension().is_some_and(|e| e == "json") => files.push(path),
                    false => {}
                }
            }
        }
        let mut files = Vec::new();
        collect(concat!(env!("CARGO_MANIFEST_DIR"), "/../../results").into(), &mut files);
        // Other results are JSON, too; a record that no longer parses must not pass for one of them.
        let is_record = |file: &std::path::PathBuf| {
            let json: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
            json.get("verdict").is_some()
        };
        files.into_iter().filter(is_record).map(|file| {
            let (record, unknown) = Record::read_with_unknown(&file).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(unknown, [""; 0], "{}", file.display());
            (file, record)
        })
    }

    #[test]
    fn no_record_that_this_program_has_written_contradicts_itself() {
        let mut read = 0;
        for (file, record) in written() {
            assert_eq!(record.contradiction(), None, "{}", file.display());
            read += 1;
        }
        assert!(read > 50, "{read}");
    }

    #[test]
    fn sums_over_a_record_stay_at_the_largest_number() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/table-3/p1-triangle-3-6move.json").as_ref();
        let mut record = Record::read(file).unwrap();
        let sum: u64 = record.runs.iter().map(|run| run.generated).sum();
        assert_eq!(record.generated(), sum);
        assert!(record.runs.iter().all(|run| run.largest_level <= record.largest_level()));
        for run in &mut record.runs {
            (run.generated, run.largest_level) = (u64::MAX, u64::MAX);
            run.levels.iter_mut().for_each(|level| level.states = u64::MAX);
        }
        assert_eq!([record.generated(), record.states(), record.largest_level()], [u64::MAX; 3]);
    }

    #[test]
    fn a_verdict_has_the_name_that_records_give_it() {
        let all = ["optimal", "none", "solution", "levels", "counted", "incomplete"];
        for name in all {
            let verdict: Verdict = serde_json::from_str(&format!("{name:?}")).unwrap();
            assert_eq!(verdict.name(), name);
        }
    }

    /// Every claim of a record, changed alone, is seen.
    #[test]
    fn a_record_with_one_claim_changed_contradicts_itself() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/table-3/p1-triangle-3-6move.json").as_ref();
        let sound = Record::read(file).unwrap();
        assert_eq!((sound.length, sound.refuted_up_to, sound.max_length), (Some(23), Some(22), None));
        type Change = fn(&mut Record);
        let changes: [Change; 23] = [
            |r| r.length = Some(9),
            |r| r.length = None,
            |r| r.refuted_up_to = Some(21),
            |r| r.refuted_up_to = None,
            |r| r.verdict = Verdict::None,
            |r| r.verdict = Verdict::Counted,
            |r| r.verdict = Verdict::Levels,
            |r| r.question = Asked::Levels,
            |r| r.solution = None,
            |r| drop(r.solution.as_mut().unwrap().pop()),
            |r| (r.length, r.solution, r.verdict) = (None, None, Verdict::None),
            |r| (r.length, r.solution, r.verdict, r.exhausted) = (None, None, Verdict::None, true),
            |r| {
                (r.length, r.refuted_up_to, r.solution) = (Some(9), Some(8), r.solution.take().map(|s| s[..9].to_vec()))
            },
            |r| r.lower_bound = None,
            |r| r.lower_bound = Some(3),
            |r| drop(r.runs.remove(0)),
            |r| drop(r.runs.pop()),
            |r| r.runs.last_mut().unwrap().verdict = Verdict::None,
            |r| r.runs[0].verdict = Verdict::Incomplete,
            |r| r.runs[0].generated += 1,
            |r| r.runs[0].levels[1].pruned += 1,
            |r| r.runs[0].reason = Some("time limit reached".into()),
            |r| r.known_solution = r.solution.clone(),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut record = sound.clone();
            change(&mut record);
            assert!(record.contradiction().is_some(), "{number}");
        }
    }

    #[test]
    fn a_length_that_is_undecided_says_why() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/table-3/p1-triangle-3-6move.json").as_ref();
        let mut entry = Record::read(file).unwrap().runs[0].clone();
        entry.verdict = Verdict::Incomplete;
        assert!(entry.contradiction().is_some_and(|what| what.contains("no reason")));
        entry.reason = Some("time limit reached".into());
        assert_eq!(entry.contradiction(), None);
    }
}
