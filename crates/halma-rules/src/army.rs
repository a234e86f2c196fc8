//! The named armies, as the cells where they start.

use crate::board::Board;

/// The names of the armies that fit a board.
pub fn fitting(board: &Board) -> Vec<String> {
    names().filter(|name| matches!(named(name, board), Ok(Some(_)))).collect()
}

/// Names as messages list them: the first and the last of each shape.
pub fn listed(names: &[String]) -> String {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    for name in names {
        let shape = |name: &str| name.split('-').next().map(String::from);
        match rows.last_mut().filter(|row| shape(row[0]) == shape(name)) {
            Some(row) => row.push(name),
            None => rows.push(vec![name]),
        }
    }
    let told = |row: Vec<&str>| match row[..] {
        [first, .., last] => format!("{first} to {last}"),
        _ => row.concat(),
    };
    rows.into_iter().map(told).collect::<Vec<_>>().join(", ")
}

/// All names, one by one.
pub fn names() -> impl Iterator<Item = String> {
    let row = |shape: &'static str, sizes: std::ops::RangeInclusive<u8>| sizes.map(move |n| format!("{shape}-{n}"));
    let others = ["halma-19", "checkers-12"].map(String::from);
    row("triangle", 3..=15).chain(row("square", 2..=16)).chain(others).chain(row("point", 1..=6))
}

/// The cells of a named army on `board`; `Ok(None)` if there is no such name.
///
/// # Errors
/// The name of the first cell that the army needs and the board does not have.
pub fn named(name: &str, board: &Board) -> Result<Option<Vec<usize>>, String> {
    let (shape, size) = name.rsplit_once('-').unwrap_or((name, ""));
    // Each army has one name: no sign, no zeros before the number.
    let Some(size) = size.parse::<i32>().ok().filter(|number| number.to_string() == size) else { return Ok(None) };
    // On the star, the corner of the 9x9 board is the tip of the point above the hexagon.
    let (cx, cy) = if board.name() == "star-121" { (4, 4) } else { (0, 0) };
    let shape: Box<dyn Fn(i32, i32) -> bool> = match (shape, size) {
        ("triangle", 3..=15) => Box::new(move |x, y| x + y < size && x >= 0 && y >= 0),
        ("square", 2..=16) => Box::new(move |x, y| (0..size).contains(&x) && (0..size).contains(&y)),
        // Figure 1b: rows of 5, 5, 4, 3 and 2.
        ("halma", 19) => {
            Box::new(|x, y| usize::try_from(y).is_ok_and(|y| y < 5 && (0..[5, 5, 4, 3, 2][y]).contains(&x)))
        }
        ("checkers", 12) if board.name() == "checkers-32" => Box::new(|x, y| (3..6).contains(&(x + y))),
        ("point", 1..=6) if board.name() == "star-121" => return Ok(Some(point(size, board))),
        _ => return Ok(None),
    };
    let mut cells = Vec::new();
    for y in cy..cy + 16 {
        for x in cx..cx + 16 {
            // The checkers army is what the board has of its rows; any other shape must be complete.
            if !shape(x - cx, y - cy) || (name == "checkers-12" && board.at(x, y).is_none()) {
                continue;
            }
            cells.push(board.at(x, y).ok_or_else(|| format!("column {}, row {}", x + 1, y + 1))?);
        }
    }
    Ok(Some(cells))
}

/// The ten cells of a point of the star, clockwise from the point that is the start on the 9x9 board.
fn point(number: i32, board: &Board) -> Vec<usize> {
    let inside = |cell: &usize| {
        let (x, y) = board.xy(*cell);
        let (u, v, w) = (x - 8, y - 8, 16 - x - y);
        match number {
            1 => w > 4,
            2 => u < -4,
            3 => v > 4,
            4 => w < -4,
            5 => u > 4,
            _ => v < -4,
        }
    };
    (0..board.len()).filter(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_on_some_board() {
        let boards = ["16x16", "checkers-32", "star-121"].map(|board| Board::named(board).unwrap());
        for name in names() {
            assert!(boards.iter().any(|board| matches!(named(&name, board), Ok(Some(_)))), "{name}");
        }
    }

    #[test]
    fn armies_have_their_men() {
        let men = |board: &str, army: &str| named(army, &Board::named(board).unwrap()).unwrap().unwrap().len();
        assert_eq!(["triangle-3", "triangle-4", "triangle-5"].map(|a| men("9x9", a)), [6, 10, 15]);
        assert_eq!(["square-2", "square-3"].map(|a| men("9x9", a)), [4, 9]);
        assert_eq!(men("16x16", "halma-19"), 19);
        assert_eq!(men("checkers-32", "checkers-12"), 12);
        let star = Board::named("star-121").unwrap();
        for point in 1..=6 {
            assert_eq!(named(&format!("point-{point}"), &star).unwrap().unwrap().len(), 10);
        }
        assert_eq!(named("triangle-4", &star), named("point-1", &star));
    }

    #[test]
    fn an_army_that_does_not_fit_is_refused() {
        let board = Board::named("9x9").unwrap();
        assert_eq!(named("triangle-10", &board), Err("column 10, row 1".into()));
        // The dark squares lack the corner: what is left of a triangle there is another army.
        let checkers = Board::named("checkers-32").unwrap();
        for army in ["triangle-4", "triangle-5", "triangle-6", "square-4", "halma-19"] {
            assert!(named(army, &checkers).is_err(), "{army}");
        }
        assert_eq!(named("triangle-4", &checkers), Err("column 1, row 1".into()));
        for unknown in ["triangle", "triangle-2", "wedge-4", "checkers-12", "point-1", "triangle-x", ""] {
            assert_eq!(named(unknown, &board), Ok(None), "{unknown}");
        }
    }
}
