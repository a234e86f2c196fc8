//! Permutation puzzles in PDDL: the piece on each position, and moves with conditional effects.

use std::fmt::Write;

use super::super::super::permutation::{Arrangement, PermutationMove, Permutations};
use super::super::{Export, ExportedFile, move_names, slug, values};
use super::{Action, files, lines};

/// The names of the positions and values of a puzzle, set by set.
struct Names<'a> {
    puzzle: &'a Permutations,
    positions: Vec<Vec<String>>,
    values: Vec<Vec<(u8, u8)>>,
}

impl Names<'_> {
    fn value(&self, set: usize, (piece, turn): (u8, u8)) -> String {
        let number = self.puzzle.sets[set].pieces[usize::from(piece)].number;
        format!("s{}_{number}_{turn}", set + 1)
    }

    fn holds(&self, arrangement: &Arrangement) -> Vec<String> {
        let mut all = Vec::new();
        for (set, there) in arrangement.iter().enumerate() {
            for (position, value) in there.pieces.iter().zip(&there.orientations).enumerate() {
                let value = self.value(set, (*value.0, *value.1));
                all.push(format!("(has {} {value})", self.positions[set][position]));
            }
        }
        all
    }

    /// What stands on a position comes from another one, turned; what stood there goes.
    fn action(&self, name: &str, step: &PermutationMove) -> Action {
        let mut action = Action { name: name.into(), cost: 1, ..Action::default() };
        for (set, moved) in step.sets.iter().enumerate() {
            let pieces = &self.puzzle.sets[set];
            for (to, (&from, &turn)) in moved.from.iter().zip(&moved.turn).enumerate() {
                if usize::from(from) == to && turn == 0 {
                    continue;
                }
                let (to, from) = (&self.positions[set][to], &self.positions[set][usize::from(from)]);
                for &(piece, old) in &self.values[set] {
                    let oriented = pieces.pieces[usize::from(piece)].oriented;
                    let new = if oriented { (old + turn) % pieces.orientations } else { 0 };
                    let (before, after) = (self.value(set, (piece, old)), self.value(set, (piece, new)));
                    // An effect that is deleted and added at once is added.
                    if (from, &before) != (to, &after) {
                        action.effects.push(format!("(when (has {from} {before}) (has {to} {after}))"));
                        let gone = format!(
                            "(when (and (has {to} {after}) (not (has {from} {before}))) (not (has {to} {after})))"
                        );
                        action.effects.push(gone);
                    }
                }
            }
        }
        action
    }
}

/// Domain and problem.
pub(in super::super) fn permutations(export: &Export, puzzle: &Permutations) -> Vec<ExportedFile> {
    let position = |(number, set): (usize, &super::super::super::permutation::PieceSet)| -> Vec<String> {
        (1..=set.positions).map(|p| format!("p{}_{p}", number + 1)).collect()
    };
    let positions: Vec<Vec<String>> = puzzle.sets.iter().enumerate().map(position).collect();
    let all = Names { puzzle, positions, values: values(puzzle) };
    let (called, legend) = move_names(puzzle);
    let name = slug(export.title);
    let about = [
        "A plan's cost is its number of moves. The least cost of a plan is the length of the shortest solution."
            .to_string(),
        "p1_3 is the third position of the first set; s1_3_2 its piece 3 in orientation 2.".to_string(),
        legend,
    ];
    let mut text = export.head(";", &about);
    let _ = write!(text, "\n(define (domain {name})\n");
    text += "  (:requirements :strips :typing :action-costs :conditional-effects :negative-preconditions)\n";
    let places: Vec<String> = all.positions.concat();
    let value = |(set, values): (usize, &Vec<(u8, u8)>)| values.iter().map(|&v| all.value(set, v)).collect::<Vec<_>>();
    let values: Vec<String> = all.values.iter().enumerate().flat_map(value).collect();
    let _ = write!(text, "  (:types position piece)\n  (:constants{} - position", lines(&places, "    "));
    let _ = writeln!(text, "{} - piece)", lines(&values, "    "));
    text += "  (:predicates (has ?p - position ?v - piece))\n  (:functions (total-cost) - number)\n";
    for (name, step) in called.iter().zip(&puzzle.moves) {
        text += &all.action(name, step).text().replace(" (when", "\n      (when");
    }
    text += ")\n";
    let mut problem = export.head(";", &about[..1]);
    let _ = write!(problem, "\n(define (problem {name}_1)\n  (:domain {name})\n  (:init (= (total-cost) 0)");
    problem += &lines(&all.holds(&puzzle.start), "    ");
    let goal = lines(&all.holds(&puzzle.goal), "    ");
    let _ = write!(problem, ")\n  (:goal (and{goal}))\n  (:metric minimize (total-cost)))\n");
    files(text, problem)
}
