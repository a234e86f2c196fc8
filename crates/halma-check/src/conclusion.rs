//! What a record that holds says of its problem, in one sentence.

use halma_record::record::{Record, Verdict};
use halma_record::words::moves;

/// The sentence. It says no more than the verdict and the numbers that were checked.
pub(super) fn of(record: &Record) -> String {
    let noun = match (record.problem.kind(), record.palindromic) {
        ("game", _) => "game",
        (_, true) => "palindromic solution",
        _ => "solution",
    };
    let up_to = |length: Option<u32>| length.map(|length| format!("there is no {noun} of at most {}", moves(length)));
    let refuted = up_to(record.refuted_up_to);
    let length = moves(record.length.unwrap_or_default());
    match record.verdict {
        Verdict::Optimal => format!("the shortest {noun} has {length}"),
        Verdict::Counted => {
            let all = record.counts.as_ref().map(|counts| format!(", and {} have that length", counts.sequences));
            format!("the shortest {noun} has {length}{}", all.unwrap_or_default())
        }
        Verdict::Solution => {
            let refuted = refuted.unwrap_or_else(|| "there may be shorter ones".into());
            format!("there is a {noun} of {length}; {refuted}")
        }
        Verdict::None if record.exhausted => format!("there is no {noun} of any length"),
        Verdict::None => up_to(record.max_length).or(refuted).unwrap_or_else(|| "nothing is refuted".into()),
        Verdict::Levels => {
            let last = record.runs.last().map_or(0, |run| run.length);
            let others = if record.exhausted { ", and there are no others" } else { "" };
            format!("all positions first reached after 0 to {} are counted{others}", moves(last))
        }
        Verdict::Incomplete => {
            let found = record.best_length().map(|found| format!("there is a {noun} of {}; ", moves(found)));
            let found = found.unwrap_or_default();
            format!("{found}{}; more was not finished", refuted.unwrap_or_else(|| "nothing is refuted".into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_what_the_verdict_says() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/counts/p1-triangle-3-8move.json");
        let text = std::fs::read_to_string(file).unwrap();
        let counted: Record = serde_json::from_str(&text).unwrap();
        let length = counted.length.unwrap();
        let said = |change: fn(&mut Record)| {
            let mut record = counted.clone();
            change(&mut record);
            of(&record)
        };
        assert!(said(|_| ()).starts_with(&format!("the shortest solution has {length} moves, and ")));
        assert_eq!(said(|it| it.verdict = Verdict::Optimal), format!("the shortest solution has {length} moves"));
        let palindromes = said(|it| (it.verdict, it.palindromic) = (Verdict::Optimal, true));
        assert_eq!(palindromes, format!("the shortest palindromic solution has {length} moves"));
        let none = said(|it| (it.verdict, it.max_length) = (Verdict::None, Some(1)));
        assert_eq!(none, "there is no solution of at most 1 move");
        let exhausted = said(|it| (it.verdict, it.exhausted) = (Verdict::None, true));
        assert_eq!(exhausted, "there is no solution of any length");
        let stopped = said(|it| (it.verdict, it.refuted_up_to) = (Verdict::Incomplete, Some(7)));
        assert_eq!(
            stopped,
            format!(
                "there is a solution of {length} moves; there is no solution of at most 7 moves; more was not finished"
            )
        );
        let stopped = said(|it| (it.verdict, it.length, it.refuted_up_to) = (Verdict::Incomplete, None, None));
        assert_eq!(stopped, "nothing is refuted; more was not finished");
    }
}
