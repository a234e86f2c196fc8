//! What the records of one problem say together: the headline of its page.

use halma_record::record::{Asked, Counts, Record, Verdict};
use halma_record::words::moves;

use crate::report::{grouped, last_complete, reached, up_to_symmetry};

/// What is known of a problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known<'a> {
    /// The length of the shortest solution that was found.
    found: Option<u32>,
    /// The greatest length that is refuted.
    refuted: Option<u32>,
    /// Whether all lengths are.
    never: bool,
    /// Whether only palindromes were looked for.
    palindromes: bool,
    /// How many solutions there are of the shortest length.
    counts: Option<&'a Counts>,
    /// Where levels were asked for: the last complete one, how many states all have, and whether these are classes under symmetries.
    levels: Option<(u32, u64, &'static str)>,
}

impl<'a> Known<'a> {
    /// From records of one problem.
    pub(super) fn from<'b: 'a>(records: impl Iterator<Item = &'b Record> + Clone) -> Self {
        let palindromes = records.clone().filter(|r| r.question != Asked::Levels).all(|r| r.palindromic);
        // A refutation of palindromes says nothing of others.
        let speaking = records.clone().filter(|r| r.palindromic == palindromes);
        let solving = speaking.clone().filter(|r| r.question != Asked::Levels);
        let found = records.clone().filter_map(Record::best_length).min();
        let counts = solving.clone().filter(|r| r.length == found).find_map(|r| r.counts.as_ref());
        let levels = records.filter(|r| r.question == Asked::Levels);
        let levels = levels.filter_map(|r| Some((reached(r).or_else(|| last_complete(r))?, r)));
        Self {
            found,
            refuted: solving.clone().filter_map(|r| r.refuted_up_to).max(),
            never: solving.clone().any(|r| r.verdict == Verdict::None && r.exhausted),
            palindromes,
            counts,
            levels: levels.map(|(last, r)| (last, r.states(), up_to_symmetry(r))).max(),
        }
    }

    /// In a few words.
    pub(super) fn headline(&self) -> String {
        let of = if self.palindromes { " by a palindrome" } else { "" };
        match (self.found, self.refuted) {
            (Some(found), _) if self.never => {
                format!("The records contradict each other: {} found, and no solution of any length", moves(found))
            }
            (Some(found), Some(refuted)) if refuted >= found => {
                format!("The records contradict each other: {} found, {refuted} refuted", moves(found))
            }
            (None, _) if self.never => format!("No solution of any length{of}"),
            (Some(found), Some(refuted)) if refuted + 1 == found => format!("{}, and no fewer{of}", moves(found)),
            (Some(0), None) => moves(0),
            (Some(found), Some(refuted)) => format!("{} suffice{of}; {} or more are needed", moves(found), refuted + 1),
            (Some(found), None) => format!("{} suffice{of}", moves(found)),
            (None, Some(refuted)) => format!("No solution of {} or fewer{of}", moves(refuted)),
            (None, None) => self.seen(),
        }
    }

    /// How many solutions there are, where that was counted.
    pub(super) fn counted(&self) -> Option<String> {
        let counts = self.counts?;
        let all = grouped(&counts.sequences);
        let kind = if self.palindromes { "palindromic " } else { "" };
        Some(match all.as_str() {
            "1" => format!("There is 1 {kind}solution of that length."),
            _ => {
                let classes = grouped(&counts.up_to_symmetry);
                format!("There are {all} {kind}solutions of that length, {classes} up to symmetry.")
            }
        })
    }

    /// Whether the shortest length is known, or that there is none.
    pub(super) fn is_settled(&self) -> bool {
        match self.found {
            None => self.never,
            Some(found) => !self.never && (found == 0 || self.refuted == Some(found - 1)),
        }
    }

    /// The same in a word or two, for lists.
    pub(super) fn short(&self) -> String {
        match (self.found, self.refuted) {
            _ if self.found.is_none() && self.never => "none".into(),
            (Some(found), _) if self.is_settled() => found.to_string(),
            (Some(found), refuted) => format!("{} to {found}", refuted.map_or(0, |r| r + 1)),
            (None, Some(refuted)) => format!("{} or more", refuted + 1),
            (None, None) => self.levels.map_or("open".into(), |(last, ..)| format!("levels to {last}")),
        }
    }

    fn seen(&self) -> String {
        match self.levels {
            Some((0, ..)) => "Level 0: the start".into(),
            Some((last, states, classes)) => format!("Levels 0 to {last}: {} positions{classes}", grouped(states)),
            None => "Nothing is decided yet".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halma_record::record::Record;

    fn read(name: &str) -> Record {
        let file = format!("{}/results/{name}.json", env!("CARGO_MANIFEST_DIR"));
        Record::read(file.as_ref()).unwrap()
    }

    fn said(records: &[Record]) -> String {
        Known::from(records.iter()).headline()
    }

    #[test]
    fn levels_that_were_stopped_are_told_as_far_as_they_are_complete() {
        let levels = read("puzzles/tiles-4x4-corner-levels");
        assert_eq!(levels.verdict, Verdict::Incomplete);
        assert!(said(&[levels]).starts_with("Levels 0 to 33: "));
    }

    #[test]
    fn the_result_is_the_headline() {
        assert_eq!(said(&[read("table-3/p2-triangle-4-6move")]), "27 moves, and no fewer");
        assert_eq!(said(&[read("open/p4-triangle-5-4move")]), "No solution of 35 moves or fewer");
        let never = |r: Record| Record { verdict: Verdict::None, exhausted: true, length: None, ..r };
        assert_eq!(said(&[never(read("table-3/p2-triangle-4-6move"))]), "No solution of any length");
        let both = [read("table-3/p2-triangle-4-6move"), never(read("table-3/p2-triangle-4-6move"))];
        assert_eq!(said(&both), "The records contradict each other: 27 moves found, and no solution of any length");
        assert!(!Known::from(both.iter()).is_settled());
    }

    #[test]
    fn what_one_record_refutes_and_another_finds_is_said_together() {
        let refuting = Record { refuted_up_to: Some(34), ..read("open/halma-19-8move") };
        let halma = [refuting, read("open/halma-19-8move-truncated")];
        assert_eq!(said(&halma), "43 moves suffice; 35 or more are needed");
        assert_eq!(Known::from(halma.iter()).short(), "35 to 43");
        assert_eq!(said(&halma[1..]), "43 moves suffice; 28 or more are needed");
    }

    #[test]
    fn a_refutation_of_palindromes_refutes_no_other_solution() {
        let palindromes = read("open/p4-palindromes-8move");
        let alone = std::slice::from_ref(&palindromes);
        assert_eq!(said(alone), "24 moves, and no fewer by a palindrome");
        let counted = Known::from(alone.iter()).counted();
        assert_eq!(
            counted.as_deref(),
            Some("There are 4,810 palindromic solutions of that length, 2,405 up to symmetry.")
        );
        let open = Record { refuted_up_to: Some(20), ..read("open/p4-triangle-5-4move") };
        assert_eq!(said(&[palindromes, open]), "24 moves suffice; 21 or more are needed");
    }
}
