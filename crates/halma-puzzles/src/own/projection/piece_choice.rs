//! Abstractions of permutations chosen by trial, as those of boards are.

use halma_engine::search::{CancellationToken, Stopped};
use halma_record::job::pruning::Abstraction;
use halma_rules::puzzle::Permutations;
use halma_rules::puzzle::permutation::Arrangement;

use super::choice::{ALL_STATES, MOST_CANDIDATE_STATES, NO_WAY, PART, best, keep_few, walks};
use super::piece_table::PieceTable;
use super::pieces::{AbstractPermutations, NumberingScratch, project};
use crate::own::permutation_coding;

/// The abstractions that are of use, with their tables; none where all are not.
///
/// # Errors
/// What stopped their making.
pub(super) fn choose(
    puzzle: &Permutations,
    cancel: &CancellationToken,
) -> Result<Vec<(Abstraction, PieceTable)>, Stopped> {
    let sample = walks(std::slice::from_ref(&puzzle.start), |state, below| {
        Some(puzzle.after(state, &puzzle.moves.get(below(puzzle.moves.len()))?.sets))
    });
    let made = |(abstraction, fewer): (Abstraction, AbstractPermutations)| {
        let table = PieceTable::of(fewer, &puzzle.goal, cancel)?;
        let mut space = NumberingScratch::default();
        let bound = |state: &Arrangement| {
            let at = |set: usize| (&state[set].pieces[..], &state[set].orientations[..]);
            u64::from(table.distance(at, &mut space)).min(NO_WAY)
        };
        let bounds = sample.iter().map(bound).collect();
        Ok((abstraction, table, bounds))
    };
    Ok(best(tried(puzzle).into_iter().map(made).collect::<Result<_, Stopped>>()?))
}

/// How many states each table has that [`choose`] makes.
pub(super) fn sizes(puzzle: &Permutations) -> Vec<u64> {
    tried(puzzle).iter().map(|(_, fewer)| fewer.states).collect()
}

/// A piece, by the numbers of its set and of itself there.
type Named = (usize, usize);

/// The candidates whose tables are made: pieces in some orders, cut into runs that are as long as tables allow, with
/// orientations and without; all pieces of a set, and of all sets, with orientations alone.
fn tried(puzzle: &Permutations) -> Vec<(Abstraction, AbstractPermutations)> {
    let whole = u128::try_from(permutation_coding::count(puzzle)).unwrap_or(u128::MAX);
    let most = (whole / PART).min(MOST_CANDIDATE_STATES.into()) as u64;
    let fits = |text: &str| {
        let abstraction = Abstraction::try_from(text.to_string()).ok()?;
        let fewer = project(puzzle, &abstraction).ok()?;
        (fewer.states > 1 && fewer.states <= most).then_some((abstraction, fewer))
    };
    let mut found: Vec<(Abstraction, AbstractPermutations)> = Vec::new();
    for order in orders(puzzle) {
        for oriented in [true, false] {
            let mut run: Vec<Named> = Vec::new();
            for &piece in &order {
                let longer = [&run[..], &[piece]].concat();
                if fits(&kept(puzzle, &longer, oriented)).is_some() {
                    run = longer;
                } else {
                    found.extend(fits(&kept(puzzle, &run, oriented)));
                    run = vec![piece];
                }
            }
            found.extend(fits(&kept(puzzle, &run, oriented)));
        }
    }
    let alike: Vec<String> = puzzle
        .sets
        .iter()
        .filter(|set| set.orientations > 1)
        .map(|set| {
            let numbers: Vec<String> = set.pieces.iter().map(|piece| piece.number.to_string()).collect();
            format!("{} {}", set.name, numbers.join("="))
        })
        .collect();
    found.extend(alike.iter().chain([&alike.join("/")]).filter_map(|text| fits(text)));
    found.sort_by(|a, b| b.1.states.cmp(&a.1.states).then_with(|| a.0.cmp(&b.0)));
    found.dedup_by(|a, b| a.0 == b.0);
    keep_few(&mut found, ALL_STATES, |(_, fewer)| fewer.states);
    found
}

/// The name of the abstraction that keeps these pieces.
fn kept(puzzle: &Permutations, pieces: &[Named], oriented: bool) -> String {
    let group = |(number, set): (usize, &halma_rules::puzzle::permutation::PieceSet)| {
        let mut numbers: Vec<u32> =
            pieces.iter().filter(|&&(of, _)| of == number).map(|&(_, piece)| set.pieces[piece].number).collect();
        numbers.sort_unstable();
        let sign = if oriented || set.orientations == 1 { "" } else { "?" };
        let words: Vec<String> = numbers.iter().map(|number| format!("{number}{sign}")).collect();
        (!words.is_empty()).then(|| format!("{} {}", set.name, words.join(" ")))
    };
    puzzle.sets.iter().enumerate().filter_map(group).collect::<Vec<_>>().join("/")
}

/// Orders of all pieces: by set and number, by set and the place where the solved state has them, and both backward.
fn orders(puzzle: &Permutations) -> Vec<Vec<Named>> {
    let sets = puzzle.sets.iter().enumerate();
    let by_number: Vec<Named> =
        sets.flat_map(|(set, of)| (0..of.pieces.len()).map(move |piece| (set, piece))).collect();
    let mut by_place = by_number.clone();
    by_place.sort_by_key(|&(set, piece)| (set, puzzle.goal[set].pieces.iter().position(|&p| usize::from(p) == piece)));
    let backward = |order: &Vec<Named>| order.iter().rev().copied().collect::<Vec<Named>>();
    let mut orders = vec![backward(&by_number), backward(&by_place), by_number, by_place];
    orders.sort();
    orders.dedup();
    orders
}
