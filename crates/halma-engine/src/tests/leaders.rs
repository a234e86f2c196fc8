//! The largest measure of a level is the same whether a puzzle says which successor leads or every state is measured.

use proptest::prelude::*;

use super::*;

/// Tokens on a line with obstacles; a state is where each of two tokens stands. The measure is a table.
struct Tokens<'a> {
    measures: &'a [i64],
    /// No state of this remainder may stay.
    dropped: Option<u64>,
    leads: bool,
}

impl Tokens<'_> {
    fn value(&self, key: u64) -> i64 {
        self.measures[key as usize % self.measures.len()]
    }
}

impl Puzzle for Tokens<'_> {
    type Key = u64;
    type Scratch = Option<(i64, u64)>;

    fn scratch(&self) -> Self::Scratch {
        None
    }

    fn start(&self) -> Vec<u64> {
        vec![0]
    }

    fn successors(&self, leader: &mut Self::Scratch, key: u64, _: u32, emit: &mut impl FnMut(u64)) -> u64 {
        let after = [key + 1, key + 32, key.saturating_sub(1), key.saturating_sub(32)];
        for &next in after.iter().filter(|&&next| next < 1024) {
            *leader = (*leader).max(Some((self.value(next), next)));
            emit(next);
        }
        4
    }

    fn filters(&self, _: u32) -> bool {
        self.dropped.is_some()
    }

    fn admits(&self, _: &mut Self::Scratch, key: u64, _: u32) -> bool {
        self.dropped.is_none_or(|rest| key % 7 != rest)
    }

    fn measure(&self, _: &mut Self::Scratch, key: u64) -> Option<i64> {
        Some(self.value(key))
    }

    fn leader(&self, leader: &Self::Scratch) -> Option<(i64, u64)> {
        leader.filter(|_| self.leads)
    }
}

proptest! {
    #[test]
    fn a_leader_saves_the_measuring_and_changes_no_figure(
        measures in proptest::collection::vec(-9i64..9, 1..40),
        dropped in proptest::option::of(0u64..7),
        threads in 1usize..3,
    ) {
        let all = |leads: bool| -> Vec<Tally> {
            let puzzle = Tokens { measures: &measures, dropped, leads };
            let (expander, cancel) = (Expander::new(threads, None).unwrap(), CancellationToken::after(None));
            crate::search::levels(&puzzle, &expander, &cancel).map(Result::unwrap).take(20).collect()
        };
        prop_assert_eq!(all(true), all(false));
        let puzzle = Tokens { measures: &measures, dropped: None, leads: true };
        prop_assert_eq!(crate::puzzle::check_contract(&puzzle, 5), Ok(()));
    }
}
