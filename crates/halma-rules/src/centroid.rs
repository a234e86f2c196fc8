//! The centroid: how far an army has come (Section 3.1 of the paper), for any board.
//!
//! On the boards of the paper the centroid of a cell is column + row - constant, and 0 half way. The searches need only
//! two properties: K keeps it, and the mirror negates it. So it is generalised: of those among eight linear functions
//! that can have these properties it takes the one along which the army crosses the largest part of the board. If none
//! of them leads on, it counts steps from the start less steps to the target.

use crate::problem::Transfer;
use crate::symmetry::Symmetries;

/// Linear functions of column and row to choose from, the paper's first.
const FUNCTIONS: [(i32, i32); 8] = [(1, 1), (1, 0), (0, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2)];

/// The centroid of each cell: K keeps it, the mirror (if there is one) negates it, and the target's sum is at least the
/// start's.
#[must_use]
pub fn of_cells(problem: &Transfer, symmetries: &Symmetries) -> Vec<i32> {
    let board = &problem.lattice.board;
    let candidates = FUNCTIONS.iter().filter_map(|&(a, b)| {
        let value = |c: usize| {
            let (x, y) = board.xy(c);
            a * x + b * y
        };
        centred((0..board.len()).map(value).collect(), problem, symmetries)
    });
    // Of several equally good ones, the first.
    let best = candidates.map(|f| (progress(&f, problem), f)).reduce(|a, b| if b.0 > a.0 { b } else { a });
    best.filter(|(progress, _)| *progress > 0.0).map_or_else(|| fallback(problem), |(_, f)| f)
}

/// `values`, shifted so that the mirror negates them, and signed so that they increase toward the target; `None` if
/// that is impossible.
fn centred(mut values: Vec<i32>, problem: &Transfer, symmetries: &Symmetries) -> Option<Vec<i32>> {
    let invariant = |k: &Vec<u8>| (0..values.len()).all(|c| values[c] == values[usize::from(k[c])]);
    if !symmetries.fixing.iter().all(|k| invariant(&k.cells)) {
        return None;
    }
    let twice_the_middle = match &symmetries.mirror {
        Some(mirror) => {
            let sum = |c: usize| values[c] + values[usize::from(mirror.cells[c])];
            if (0..values.len()).any(|c| sum(c) != sum(0)) {
                return None;
            }
            sum(0)
        }
        None => {
            let both = problem.start.iter().chain(&problem.target);
            let sum: i32 = both.map(|&c| values[c]).sum();
            2 * sum.div_euclid(2 * problem.start.len() as i32)
        }
    };
    // If the middle lies between two integers, all values are doubled.
    let scale = if twice_the_middle % 2 == 0 { 1 } else { 2 };
    for v in &mut values {
        *v = scale * *v - scale * twice_the_middle / 2;
    }
    if gain(&values, problem) < 0 {
        values.iter_mut().for_each(|v| *v = -*v);
    }
    Some(values)
}

fn gain(values: &[i32], problem: &Transfer) -> i64 {
    let sum = |cells: &[usize]| cells.iter().map(|&c| i64::from(values[c])).sum::<i64>();
    sum(&problem.target) - sum(&problem.start)
}

/// The distance from start to target as a part of the board's extent.
fn progress(values: &[i32], problem: &Transfer) -> f64 {
    let (low, high) = values.iter().fold((i32::MAX, i32::MIN), |(l, h), &v| (l.min(v), h.max(v)));
    gain(values, problem) as f64 / f64::from((high - low).max(1))
}

/// Steps from the start minus steps to the target: a function with both properties on any board.
fn fallback(problem: &Transfer) -> Vec<i32> {
    let from = problem.lattice.distances(&problem.start);
    let to = problem.lattice.distances(&problem.target);
    from.into_iter().zip(to).map(|(f, t)| i32::from(f) - i32::from(t)).collect()
}

/// The most that one step can change the centroid: ℓ of equation (10).
#[must_use]
pub fn largest_step(problem: &Transfer, centroid: &[i32]) -> i32 {
    let lattice = &problem.lattice;
    let steps = (0..lattice.len()).flat_map(|c| lattice.neighbours(c).iter().map(move |&n| (c, usize::from(n))));
    steps.map(|(a, b)| centroid[b] - centroid[a]).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::army;
    use crate::board::Board;
    use crate::lattice::{Lattice, Rule};
    use crate::problem;

    fn transfer(board: &str, rule: Rule, army: &str) -> Transfer {
        let lattice = Lattice::new(Board::named(board).unwrap(), rule);
        let start = army::named(army, &lattice.board).unwrap().unwrap();
        let target = problem::mirrored(&lattice, &start).unwrap();
        Transfer { lattice, start, target, jumps_only: false }
    }

    #[test]
    fn on_the_papers_boards_it_is_column_plus_row() {
        for (board, army, constant) in [
            ("9x9", "triangle-4", 8),
            ("8x8", "triangle-4", 7),
            ("16x16", "halma-19", 15),
            ("checkers-32", "checkers-12", 13),
        ] {
            for rule in [Rule::Four, Rule::Six, Rule::Eight] {
                let problem = transfer(board, rule, army);
                let values = of_cells(&problem, &problem.symmetries());
                for (c, v) in values.iter().enumerate() {
                    let (x, y) = problem.lattice.board.xy(c);
                    if board != "checkers-32" {
                        assert_eq!(*v, x + y - constant, "{board}");
                    } else {
                        assert_eq!(*v, 2 * (x + y) - constant, "{board}");
                    }
                }
                let step = if rule == Rule::Eight { 2 } else { 1 };
                assert_eq!(largest_step(&problem, &values), step * if board == "checkers-32" { 2 } else { 1 });
            }
        }
    }

    #[test]
    fn it_is_the_direction_in_which_start_and_target_lie_furthest_apart() {
        let board = Board::from_map(&"......\n".repeat(5)).unwrap().0;
        let lattice = Lattice::new(board, Rule::Six);
        // Of single men, the direction in which they cross most of the board, of equal ones the first.
        for (from, to, expected) in [
            ((0, 0), (5, 4), (1, 1)),
            ((0, 1), (5, 1), (1, 0)),
            ((2, 0), (2, 4), (0, 1)),
            ((0, 4), (5, 0), (1, 0)),
            ((1, 1), (4, 4), (0, 1)),
        ] {
            let [start, target] = [from, to].map(|(x, y)| vec![lattice.board.at(x, y).unwrap()]);
            let problem = Transfer { lattice: lattice.clone(), start, target, jumps_only: false };
            let values = of_cells(&problem, &problem.symmetries());
            let [origin, right, up] = [(0, 0), (1, 0), (0, 1)].map(|(x, y)| values[lattice.board.at(x, y).unwrap()]);
            // Where the middle lies between two integers all is doubled.
            let direction = [1, 2].map(|scale| (scale * expected.0, scale * expected.1));
            assert!(direction.contains(&(right - origin, up - origin)), "{from:?} to {to:?}");
        }
    }

    #[test]
    fn between_any_two_points_of_the_star_it_is_linear_and_the_mirror_negates_it() {
        let lattice = Lattice::new(Board::named("star-121").unwrap(), Rule::Six);
        let point = |n: usize| army::named(&format!("point-{n}"), &lattice.board).unwrap().unwrap();
        for (from, to) in (1..=6).flat_map(|from| (1..=6).map(move |to| (from, to))).filter(|(from, to)| from != to) {
            let problem =
                Transfer { lattice: lattice.clone(), start: point(from), target: point(to), jumps_only: false };
            let symmetries = problem.symmetries();
            let values = of_cells(&problem, &symmetries);
            let mirror = symmetries.mirror.unwrap();
            assert!((0..121).all(|c| values[usize::from(mirror.cells[c])] == -values[c]), "{from} to {to}");
            assert!(gain(&values, &problem) > 0);
            assert!(symmetries.fixing.iter().all(|k| (0..121).all(|c| values[usize::from(k.cells[c])] == values[c])));
            for (dx, dy) in lattice.rule.directions() {
                let next = |c: usize| {
                    let (x, y) = lattice.board.xy(c);
                    lattice.board.at(x + dx, y + dy)
                };
                let mut gains: Vec<i32> = (0..121).filter_map(|c| Some(values[next(c)?] - values[c])).collect();
                gains.dedup();
                assert_eq!(gains.len(), 1, "{from} to {to}");
            }
        }
    }

    /// On boards that are long in one direction, across it.
    #[test]
    fn across_a_slanting_strip_it_is_neither_columns_nor_rows() {
        let rows = ["...####", "##...##", "####..."];
        let columns: Vec<String> = (0..7).map(|y| rows.iter().map(|row| row.as_bytes()[y] as char).collect()).collect();
        let turned = |map: &[String]| map.iter().map(|row| row.chars().rev().collect()).collect::<Vec<String>>();
        let rows = rows.map(String::from).to_vec();
        for (map, from, to, expected) in [
            (turned(&rows), (2, 1), (4, 1), (1, 2)),
            (turned(&columns), (1, 2), (1, 4), (2, 1)),
            (columns, (1, 4), (1, 2), (2, -1)),
            (rows, (2, 1), (4, 1), (1, -2)),
        ] {
            let lattice = Lattice::new(Board::from_map(&map.join("\n")).unwrap().0, Rule::Eight);
            let [start, target] = [from, to].map(|(x, y)| vec![lattice.board.at(x, y).unwrap()]);
            let problem = Transfer { lattice: lattice.clone(), start, target, jumps_only: false };
            let values = of_cells(&problem, &problem.symmetries());
            for (c, value) in values.iter().enumerate() {
                let (x, y) = lattice.board.xy(c);
                let middle = ((from.0 + to.0) / 2, (from.1 + to.1) / 2);
                assert_eq!(*value, expected.0 * (x - middle.0) + expected.1 * (y - middle.1), "{map:?}");
            }
        }
    }

    /// Where columns and rows are exchanged by K, neither of them alone will do.
    #[test]
    fn from_one_corner_of_a_square_to_the_opposite_one_it_is_along_the_diagonal() {
        let lattice = Lattice::new(Board::from_map(&".....\n".repeat(5)).unwrap().0, Rule::Four);
        let at = |cells: [(i32, i32); 3]| cells.map(|(x, y)| lattice.board.at(x, y).unwrap()).to_vec();
        let [start, target] = [at([(0, 4), (0, 3), (1, 4)]), at([(4, 0), (4, 1), (3, 0)])];
        let problem = Transfer { lattice: lattice.clone(), start, target, jumps_only: false };
        let values = of_cells(&problem, &problem.symmetries());
        for (c, value) in values.iter().enumerate() {
            let (x, y) = lattice.board.xy(c);
            assert_eq!(*value, x - y);
        }
    }

    #[test]
    fn it_grows_toward_the_target_and_where_no_mirror_says_so_it_is_0_between_the_ends() {
        let lattice = Lattice::new(Board::named("9x9").unwrap(), Rule::Six);
        let (start, target) = (vec![0, 1, 2, 9], vec![61, 62, 79, 80]);
        for (start, target, sign) in [(&start, &target, 1), (&target, &start, -1)] {
            let problem =
                Transfer { lattice: lattice.clone(), start: start.clone(), target: target.clone(), jumps_only: false };
            let symmetries = problem.symmetries();
            assert_eq!(symmetries.mirror, None);
            // Column plus row is 62 on these eight cells together.
            let expected: Vec<i32> = (0..81).map(|c| sign * (c % 9 + c / 9 - 62 / 8)).collect();
            assert_eq!(of_cells(&problem, &symmetries), expected);
        }
    }

    #[test]
    fn where_no_direction_leads_on_it_counts_steps_from_the_start() {
        let lattice = Lattice::new(Board::named("9x9").unwrap(), Rule::Four);
        // From around the centre to the corners.
        let problem = Transfer { lattice, start: vec![31, 39, 41, 49], target: vec![0, 8, 72, 80], jumps_only: false };
        let values = of_cells(&problem, &problem.symmetries());
        assert_eq!(gain(&values, &problem), 2 * 4 * 7);
        assert_eq!((values[40], values[0], values[4]), (1 - 8, 7, 3 - 4));
    }
}
