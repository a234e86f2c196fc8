//! Men who are all alike and move one at a time, as in Halma: bitboards for where they go, incremental ranking for the numbers.
//!
//! Steps that look alike wherever they begin are one [`Pattern`]. Where it applies is found for all men at once: the sets of men and
//! of empty cells, shifted by its offsets, have what it needs in common. A chain is a flood fill over these sets. Patterns are
//! matched once, while the moving man still stands on his first cell. That is wrong only for jumps over this cell; `over_himself` lists
//! them beforehand (in Halma there are none).

use std::collections::BTreeMap;

use halma_engine::key::Key;
use halma_rules::cells::Cells;
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::{CellMap, Letters, Step};
use multiversion::multiversion;

use crate::incremental_ranking::{SymmetricView, Views};
use crate::own::step_index::move_one_man;
use crate::rank::Ranks;

/// The only letter, and `.`.
const MAN: u8 = 0;
const EMPTY: u8 = 1;
/// What a cell must have: a man, or nothing.
const NEEDS_MAN: Letters = 1 << MAN;
const NEEDS_EMPTY: Letters = 1 << EMPTY;

/// The moves of a puzzle with one letter beside `.`, where each step takes one man to an empty cell.
#[derive(Debug)]
pub(super) struct OneLetter<K, const W: usize> {
    ranks: Ranks<K>,
    /// Symmetries without the identity, as permutations of the cells.
    permutations: Vec<Vec<u8>>,
    /// By cell: where steps lead that need no more than that it is empty there.
    near: Vec<Cells<W>>,
    /// Other steps that end a move.
    once: Vec<Pattern<W>>,
    /// Steps that a move may go on after.
    chains: Vec<Pattern<W>>,
    /// By chain pattern and starting cell: cells from which the man would jump over the cell that he started on. `None` if no man can
    /// come to do so.
    over_himself: Option<Vec<Vec<Cells<W>>>>,
}

/// Steps that look alike: offsets are numbers of bits by which sets are rotated.
#[derive(Debug)]
struct Pattern<const W: usize> {
    /// Where they begin.
    anchors: Cells<W>,
    /// From there to where they lead.
    by: u32,
    /// From cells that must have a man, or none, to where they begin.
    men: Vec<u32>,
    empty: Vec<u32>,
}

/// What steps have in common that look alike: the offsets of where they lead, and of what they need.
type Look = (i16, Vec<(i16, Letters)>);

/// One thread's space.
pub(super) struct OneLetterScratch<K, const W: usize> {
    identity: SymmetricView<W, K>,
    /// The rank of the army in `identity`.
    at: K,
    images: Vec<SymmetricView<W, K>>,
    /// The patterns that apply somewhere: where, and where to.
    once: Vec<Applicable<W>>,
    chains: Vec<Applicable<W>>,
}

/// Where a pattern applies.
#[derive(Clone, Copy, Debug)]
struct Applicable<const W: usize> {
    from: Cells<W>,
    by: u32,
    number: usize,
}

impl<K: Key, const W: usize> OneLetter<K, W> {
    /// The moves of these steps; `None` where the puzzle or its steps are of another kind.
    pub(super) fn new(task: &GroundedTask, steps: &[Step], images: &[CellMap]) -> Option<Self> {
        let is_such = task.ranked == 1 && task.has_empty && task.bodies.is_empty() && !task.turns;
        let moves_a_man = |step: &Step| {
            let needs = step.needs.iter().find(|&&(cell, _)| cell == step.from).map(|&(_, letters)| letters);
            step.man == MAN && !step.free && needs == Some(NEEDS_MAN) && step.before(step.to) == EMPTY
        };
        if !is_such || !move_one_man(steps) || !steps.iter().all(moves_a_man) {
            return None;
        }
        let men = *task.counts()?.first()? as usize;
        let (once, chains) = (looks(steps, false), looks(steps, true));
        let needs_room = |look: &Look| look.1 == [(look.0, NEEDS_EMPTY)];
        let mut near = vec![Cells::EMPTY; task.board.len()];
        for ((by, _), anchors) in once.iter().filter(|(look, _)| needs_room(look)) {
            anchors.iter().for_each(|&cell| near[usize::from(cell)].add(moved(cell, *by)));
        }
        let pattern = |(look, anchors): (&Look, &Vec<u8>)| Pattern::new(look, anchors);
        Some(Self {
            ranks: Ranks::new(task.board.len(), men)?,
            permutations: images.iter().skip(1).map(|map| map.cells.clone()).collect(),
            near,
            once: once.iter().filter(|(look, _)| !needs_room(look)).map(pattern).collect(),
            over_himself: over_himself(&chains, task.board.len())?,
            chains: chains.iter().map(pattern).collect(),
        })
    }

    pub(super) fn scratch(&self) -> OneLetterScratch<K, W> {
        let view = || SymmetricView::new(self.ranks.men());
        OneLetterScratch {
            identity: view(),
            at: K::MAX,
            images: self.permutations.iter().map(|_| view()).collect(),
            once: Vec::new(),
            chains: Vec::new(),
        }
    }

    /// Puts what one move leads to behind what `out` has, each state once: of each the least number of its images, or with
    /// `images` false its own.
    pub(super) fn after(&self, scratch: &mut OneLetterScratch<K, W>, state: K, images: bool, out: &mut Vec<K>) {
        all_after(self, scratch, state, images, out);
    }

    /// Where the man on `from` can go.
    #[inline(always)]
    fn targets(&self, scratch: &OneLetterScratch<K, W>, from: u8, empty: Cells<W>) -> Cells<W> {
        let man = Cells::of(from.into());
        let mut targets = self.near[usize::from(from)] & empty;
        for step in &scratch.once {
            targets |= rotated(man & step.from, step.by);
        }
        let (mut reached, mut new) = (man, man);
        while !new.is_empty() {
            let mut next = Cells::EMPTY;
            for step in &scratch.chains {
                let from_here = match &self.over_himself {
                    None => step.from,
                    Some(over) => step.from & !over[step.number][usize::from(from)],
                };
                next |= rotated(new & from_here, step.by);
            }
            new = next & !reached;
            reached |= new;
        }
        targets | (reached & !man)
    }
}

/// [`OneLetter::after`], with the instructions that the processor turns out to have.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn all_after<K: Key, const W: usize>(
    moves: &OneLetter<K, W>,
    scratch: &mut OneLetterScratch<K, W>,
    state: K,
    images: bool,
    out: &mut Vec<K>,
) {
    let OneLetter { ranks, permutations, .. } = moves;
    let permutations = if images { &permutations[..] } else { &[] };
    ranks.unrank_after(state, &mut scratch.identity.men, &mut scratch.at);
    let men: Cells<W> = scratch.identity.men.iter().map(|&cell| usize::from(cell)).collect();
    scratch.identity.set = men;
    applicable(&moves.once, men, &mut scratch.once);
    applicable(&moves.chains, men, &mut scratch.chains);
    scratch.identity.prepare(ranks);
    for (image, permutation) in scratch.images.iter_mut().zip(permutations) {
        image.show(men, permutation, ranks);
    }
    let images = &scratch.images[..permutations.len()];
    let views = Views { identity: &scratch.identity, images, permutations };
    for &from in &scratch.identity.men {
        views.each_after(ranks, from, moves.targets(scratch, from, !men), |next| out.push(next));
    }
}

/// Those of the patterns that apply somewhere.
#[inline(always)]
fn applicable<const W: usize>(patterns: &[Pattern<W>], men: Cells<W>, all: &mut Vec<Applicable<W>>) {
    all.clear();
    for (number, pattern) in patterns.iter().enumerate() {
        let with_men = pattern.men.iter().fold(pattern.anchors, |from, &back| from & rotated(men, back));
        let from = pattern.empty.iter().fold(with_men, |from, &back| from & rotated(!men, back));
        if !from.is_empty() {
            all.push(Applicable { from, by: pattern.by, number });
        }
    }
}

impl<const W: usize> Pattern<W> {
    fn new((by, needs): &Look, anchors: &[u8]) -> Self {
        let back = |wanted: Letters| {
            let offsets = needs.iter().filter(move |&&(_, letters)| letters == wanted);
            offsets.map(|&(offset, _)| bits::<W>(-offset)).collect()
        };
        Self {
            anchors: anchors.iter().map(|&cell| usize::from(cell)).collect(),
            by: bits::<W>(*by),
            men: back(NEEDS_MAN),
            empty: back(NEEDS_EMPTY),
        }
    }
}

/// The steps that chain, or those that do not, by what they look like; each with the cells where they begin.
fn looks(steps: &[Step], chain: bool) -> BTreeMap<Look, Vec<u8>> {
    let mut looks: BTreeMap<Look, Vec<u8>> = BTreeMap::new();
    for step in steps.iter().filter(|step| step.chain == chain) {
        let offset = |cell: u8| i16::from(cell) - i16::from(step.from);
        // Where anything may stand nothing is needed.
        let needs =
            step.needs.iter().filter(|&&(cell, letters)| cell != step.from && letters != NEEDS_MAN | NEEDS_EMPTY);
        let needs = needs.map(|&(cell, letters)| (offset(cell), letters)).collect();
        looks.entry((offset(step.to), needs)).or_default().push(step.from);
    }
    looks
}

/// By chain pattern and starting cell: cells that the man can come to on any board, and from which he would jump over the cell that he
/// started on; the inner `None` where there is no such cell. `None` where it matters that a cell has become empty.
fn over_himself<const W: usize>(chains: &BTreeMap<Look, Vec<u8>>, cells: usize) -> Option<Option<Vec<Vec<Cells<W>>>>> {
    let mut leads: Vec<Vec<u8>> = vec![Vec::new(); cells];
    for ((by, _), anchors) in chains {
        anchors.iter().for_each(|&cell| leads[usize::from(cell)].push(moved(cell, *by) as u8));
    }
    let mut all = vec![vec![Cells::EMPTY; cells]; chains.len()];
    let mut some = false;
    for began in 0..cells {
        let mut came = Cells::<W>::of(began);
        let mut open = vec![began as u8];
        while let Some(cell) = open.pop() {
            let new = leads[usize::from(cell)].iter().filter(|&&to| !came.contains(to.into()));
            let new: Vec<u8> = new.copied().collect();
            new.iter().for_each(|&to| came.add(to.into()));
            open.extend(new);
        }
        for (((by, needs), anchors), over) in chains.iter().zip(&mut all) {
            // Back to where he began he need not go.
            for &(offset, letters) in needs.iter().filter(|(offset, _)| offset != by) {
                let anchor = usize::try_from(began as i32 - i32::from(offset)).ok().filter(|&anchor| anchor < cells);
                let is_met = |&anchor: &usize| anchors.contains(&(anchor as u8)) && came.contains(anchor);
                let Some(anchor) = anchor.filter(is_met) else { continue };
                if letters == NEEDS_EMPTY {
                    return None;
                }
                over[began].add(anchor);
                some = true;
            }
        }
    }
    Some(some.then_some(all))
}

/// The cell so far on, which is on the board.
fn moved(cell: u8, by: i16) -> usize {
    usize::from(cell).saturating_add_signed(by.into())
}

/// An offset as a number of bits to rotate by.
fn bits<const W: usize>(offset: i16) -> u32 {
    i32::from(offset).rem_euclid(64 * W as i32) as u32
}

/// A set with each cell so many bits on; those at the end come to the beginning.
#[inline(always)]
fn rotated<const W: usize>(set: Cells<W>, by: u32) -> Cells<W> {
    let words = set.words();
    Cells::from_words(match W {
        1 => std::array::from_fn(|w| words[w].rotate_left(by)),
        2 => {
            let both = (u128::from(words[W - 1]) << 64 | u128::from(words[0])).rotate_left(by);
            std::array::from_fn(|w| (both >> (64 * w)) as u64)
        }
        _ => {
            let (whole, by) = (by as usize / 64, by % 64);
            let behind = |w: usize| words[(w + 2 * W - whole) % W];
            std::array::from_fn(|w| behind(w) << by | behind(w + W - 1) >> 1 >> (63 - by))
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use halma_record::job::PuzzleSpec;
    use halma_rules::puzzle::{Compiled, compile};
    use proptest::prelude::*;

    use super::*;
    use crate::own::Model;
    use crate::own::grounded::GroundedModel;

    proptest! {
        #[test]
        fn a_rotated_set_has_each_cell_so_many_bits_on(one: [u64; 1], two: [u64; 2], four: [u64; 4], by in 0u32..256) {
            fn check<const W: usize>(words: [u64; W], by: u32) -> Result<(), TestCaseError> {
                let by = by % (64 * W as u32);
                let set = Cells::from_words(words);
                let expected: Cells<W> = set.iter().map(|cell| (cell + by as usize) % (64 * W)).collect();
                prop_assert_eq!(rotated(set, by), expected);
                Ok(())
            }
            check(one, by)?;
            check(two, by)?;
            check(four, by)?;
        }
    }

    /// A rule by which a man goes from the first place to a later one, over men, empty places and any.
    fn rule() -> impl Strategy<Value = serde_json::Value> {
        let between = || proptest::collection::vec(proptest::sample::select(&["A", ".", "y"][..]), 0..3);
        let directions = proptest::sample::select(&[4u8, 6, 8][..]);
        (between(), between(), any::<bool>(), directions).prop_map(|(between, behind, chain, directions)| {
            let side = |from: &'static str, to: &'static str| {
                let behind = &behind[..behind.len().min(1)];
                [&[from][..], &between, &[to], behind].concat().join(" ")
            };
            let rule = format!("{} -> {}", side("A", "."), side(".", "A"));
            serde_json::json!({ "rule": rule, "chain": chain, "directions": directions })
        })
    }

    fn task(rows: &[&str], rules: &serde_json::Value) -> Option<GroundedTask> {
        let table = serde_json::json!({ "board": rows.join("\n"), "rules": rules, "legend": { "y": "A." } });
        let serde_json::Value::Object(table) = table else { return None };
        let spec = PuzzleSpec { kind: "rules".into(), title: None, table };
        match compile(&spec) {
            Ok(Some(Compiled::Grounded(task))) => Some(task),
            _ => None,
        }
    }

    /// Moves from some states, and moves undone, are those of the obvious generator; says whether bitboards made them.
    fn check<const W: usize>(task: &GroundedTask) -> Result<bool, TestCaseError> {
        let model = GroundedModel::<u64, W>::new(task, true);
        let (mut worker, mut seen, mut open) = (model.worker(), BTreeSet::new(), model.starts());
        while let Some(state) = open.pop() {
            if seen.len() == 30 || !seen.insert(state) {
                continue;
            }
            let obvious = |state: u64| -> BTreeSet<u64> {
                let all = task.moves(&model.letters(state).0, false);
                all.iter().map(|letters| model.number(letters, false)).collect()
            };
            let mut after = Vec::new();
            worker.after(state, &mut after);
            after.sort_unstable();
            prop_assert_eq!(&after, &obvious(state).into_iter().collect::<Vec<_>>(), "{}", model.picture(state));
            let (mut classes, mut expected) = (Vec::new(), Vec::new());
            worker.canonical_successors(state, &mut classes);
            expected.extend(after.iter().map(|&state| worker.canonical(state)));
            classes.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(classes, expected);
            let (mut before, mut classes) = (Vec::new(), Vec::new());
            assert!(worker.before(state, &mut before));
            assert!(worker.canonical_predecessors(state, &mut classes));
            prop_assert!(before.iter().all(|&before| obvious(before).contains(&state)), "{}", model.picture(state));
            let mut expected: Vec<u64> = before.iter().map(|&state| worker.canonical(state)).collect();
            classes.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(classes, expected);
            for &next in &after {
                before.clear();
                assert!(worker.before(next, &mut before));
                prop_assert!(before.contains(&state), "{} {}", model.picture(state), model.picture(next));
            }
            open.extend(after);
        }
        Ok(model.alike.is_some() && model.alike_backward.is_some())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn men_of_one_letter_move_as_the_obvious_rules_say(
            rules in proptest::collection::vec(rule(), 1..3),
            cells in "[A.A.#]{20}",
        ) {
            let rows: Vec<&str> = (0..5).map(|row| &cells[4 * row..4 * row + 4]).collect();
            if let Some(task) = task(&rows, &serde_json::json!(rules)) {
                let made = check::<1>(&task)?;
                prop_assert_eq!(check::<2>(&task)?, made);
                prop_assert_eq!(check::<4>(&task)?, made);
            }
        }
    }

    #[test]
    fn bitboards_make_the_moves_of_halma_and_of_men_who_may_jump_over_where_they_stood() {
        let halma = serde_json::json!(["A . -> . A", { "rule": "A y . -> . y A", "chain": true, "directions": 8 }]);
        let halma = task(&["AA..", "A.A.", "....", "#..."], &halma).unwrap();
        assert!(check::<1>(&halma).unwrap());
        // Forward by one and over one: after two steps back he would jump over himself.
        let over =
            serde_json::json!([{ "rule": "A . -> . A", "chain": true }, { "rule": "A A . -> . A A", "chain": true }]);
        let over = task(&["AA..", "...."], &over).unwrap();
        assert!(check::<1>(&over).unwrap());
        assert!(GroundedModel::<u64, 1>::new(&over, true).alike.unwrap().over_himself.is_some());
    }

    #[test]
    fn where_a_man_must_have_left_his_cell_the_slow_generator_makes_the_moves() {
        let rules =
            serde_json::json!([{ "rule": "A . . -> . . A", "chain": true }, { "rule": "A . -> . A", "chain": true }]);
        let task = task(&["A...", "A..."], &rules).unwrap();
        assert!(!check::<1>(&task).unwrap());
    }

    /// The hole that moves is not one of the men.
    #[test]
    fn a_rule_may_move_the_empty_cell() {
        let task = task(&["AA.A", "A.A."], &serde_json::json!([". A -> A ."])).unwrap();
        assert!(!check::<1>(&task).unwrap());
    }
}
