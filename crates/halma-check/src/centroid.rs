//! The centroid of each cell, from its description: the linear function of column and row that K keeps and ρ negates
//! along which start and target lie farthest apart, relative to the board's extent.

use super::board::Board;

/// The functions a x + b y to choose from; of equally good ones the first.
const FUNCTIONS: [(i32, i32); 8] = [(1, 1), (1, 0), (0, 1), (1, -1), (2, 1), (1, 2), (2, -1), (1, -2)];

/// The centroid of every cell; `fixing` is the whole of K.
pub(super) fn of_cells(
    board: &Board,
    [start, target]: [&[u8]; 2],
    fixing: &[Vec<u8>],
    mirror: Option<&Vec<u8>>,
) -> Vec<i32> {
    let gain = |values: &[i32]| -> i64 {
        let sum = |cells: &[u8]| cells.iter().map(|&c| i64::from(values[usize::from(c)])).sum::<i64>();
        sum(target) - sum(start)
    };
    let extent = |values: &[i32]| -> i64 {
        let (most, least) = (values.iter().max(), values.iter().min());
        most.zip(least).map_or(1, |(most, least)| i64::from(most - least)).max(1)
    };
    let mut best: Option<Vec<i32>> = None;
    for (a, b) in FUNCTIONS {
        let plain: Vec<i32> = board.places.iter().map(|&(x, y)| a * x + b * y).collect();
        if !fixing.iter().all(|k| (0..board.len()).all(|c| plain[c] == plain[usize::from(k[c])])) {
            continue;
        }
        // Twice the value half way.
        let twice = match mirror {
            Some(mirror) => {
                let both = |c: usize| plain[c] + plain[usize::from(mirror[c])];
                if (0..board.len()).any(|c| both(c) != both(0)) {
                    continue;
                }
                both(0)
            }
            None => {
                let sum: i32 = start.iter().chain(target).map(|&c| plain[usize::from(c)]).sum();
                2 * sum.div_euclid(2 * start.len() as i32)
            }
        };
        let mut values: Vec<i32> = match twice % 2 == 0 {
            true => plain.iter().map(|v| v - twice / 2).collect(),
            false => plain.iter().map(|v| 2 * v - twice).collect(),
        };
        if gain(&values) < 0 {
            values.iter_mut().for_each(|v| *v = -*v);
        }
        // Fractions, compared crosswise.
        let further = |best: &Vec<i32>| gain(&values) * extent(best) > gain(best) * extent(&values);
        if best.as_ref().is_none_or(further) {
            best = Some(values);
        }
    }
    best.filter(|values| gain(values) > 0).unwrap_or_else(|| {
        // Steps from the start minus steps to the target; 255 if there is no path, otherwise at most 254.
        let steps = |cells| -> Vec<i32> {
            board.steps_to(cells).into_iter().map(|d| d.map_or(255, |d| d.min(254) as i32)).collect()
        };
        steps(start).into_iter().zip(steps(target)).map(|(from, to)| from - to).collect()
    })
}
