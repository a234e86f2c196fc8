//! What the page draws: a board with the places of its cells, and what is known of a job.

use serde::Serialize;

use halma_puzzles::own::replay::start_of;
use halma_record::source::InputError;
use halma_rules::army;
use halma_rules::board::{Board, NAMED, place_name};
use halma_rules::job::{Army, Job, Problem, ProblemSpec, PuzzleSpec};
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem;

use super::queue::Answer;
use crate::describe::Description;
use crate::figure::Figure;

/// The distance between neighbouring cells.
const UNIT: i32 = 20;

/// A board as the page draws it: as the figures do, so that a design looks like its report.
#[derive(Debug, Serialize)]
pub(super) struct Drawing {
    width: i32,
    height: i32,
    /// Squares that touch, or circles on lines.
    squares: bool,
    cells: Vec<Cell>,
    /// The lines between neighbours, as SVG writes them.
    grid: String,
    /// The places of a map without a cell, for those who draw one there.
    holes: Vec<Cell>,
    /// The named armies that fit.
    armies: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct Cell {
    name: String,
    x: i32,
    y: i32,
    /// Its type: jumps keep it.
    kind: usize,
    column: i32,
    row: i32,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    cells: Vec<String>,
}

impl Drawing {
    /// The board of that name, or the one that the map draws.
    pub(super) fn of_text(board: &str, moves: u8) -> Result<Self, String> {
        let rule = Rule::try_from(moves).map_err(|_| "allowed are 4, 6 and 8 moves".to_string())?;
        let board = match Board::named(board) {
            Some(board) => board,
            None if board.chars().any(|c| ".#STB".contains(c)) => Board::from_map(board).map_err(|e| e.to_string())?.0,
            None => return Err(format!("no such board: there are {}, and maps", NAMED.join(", "))),
        };
        Ok(Self::of(&Lattice::new(board, rule)))
    }

    fn of(lattice: &Lattice) -> Self {
        let board = &lattice.board;
        let (width, height) = (board.width() as i32, board.height() as i32);
        let missing =
            (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).filter(|&(x, y)| board.at(x, y).is_none());
        // Holes of a board that has a name are no places to draw on.
        let holes: Vec<_> = missing.filter(|_| board.name() == "map").collect();
        let turned = board.name() == "checkers-32";
        let project = |(x, y): (i32, i32)| match lattice.rule {
            // 52/60 is half the square root of 3, and 14/20 of 2, near enough for a page.
            Rule::Six => ((x - y) * UNIT / 2, (x + y) * UNIT * 52 / 60),
            _ if turned => ((x - y) * UNIT * 7 / 10, (x + y) * UNIT * 7 / 10),
            _ => (x * UNIT, y * UNIT),
        };
        let places: Vec<_> = (0..board.len()).map(|cell| project(board.xy(cell))).collect();
        let all: Vec<_> = places.iter().copied().chain(holes.iter().map(|&hole| project(hole))).collect();
        let least = |value: &dyn Fn(&(i32, i32)) -> i32| all.iter().map(value).min().unwrap_or(0);
        let (left, top) = (least(&|p| p.0) - UNIT, least(&|p| p.1) - UNIT);
        let (right, bottom) = (UNIT - least(&|p| -p.0), UNIT - least(&|p| -p.1));
        let place = |cell: usize| (places[cell].0 - left, places[cell].1 - top);
        let cell = |cell: usize| {
            let ((x, y), (column, row)) = (place(cell), board.xy(cell));
            Cell { name: board.name_of(cell), x, y, kind: board.type_of(cell), column, row }
        };
        let hole = |&(column, row): &(i32, i32)| {
            let (x, y) = project((column, row));
            Cell { name: place_name(column as usize, row as usize), x: x - left, y: y - top, kind: 0, column, row }
        };
        let squares = lattice.rule != Rule::Six && !turned;
        let pairs = (0..board.len()).flat_map(|c| lattice.neighbours(c).iter().map(move |&n| (c, usize::from(n))));
        let line = |(a, b)| {
            let ((x, y), (u, v)) = (place(a), place(b));
            format!("M{x},{y}L{u},{v}")
        };
        let grid = if squares { String::new() } else { pairs.filter(|(a, b)| a < b).map(line).collect() };
        let cells_of = |name: String| {
            let cells = army::named(&name, board).ok()??;
            Some(Named { name, cells: cells.into_iter().map(|cell| board.name_of(cell)).collect() })
        };
        Self {
            width: right - left,
            height: bottom - top,
            squares,
            cells: (0..board.len()).map(cell).collect(),
            grid,
            holes: holes.iter().map(hole).collect(),
            armies: army::names().filter_map(cells_of).collect(),
        }
    }
}

/// What is known of a job before it is solved.
#[derive(Debug, Serialize)]
pub(super) struct Described {
    about: String,
    kind: String,
    facts: Vec<(&'static str, String)>,
    /// Of armies: all that it takes to draw them, and to go on drawing.
    armies: Option<Armies>,
    /// Of other puzzles: the start, as a picture.
    picture: Option<String>,
}

#[derive(Debug, Serialize)]
struct Armies {
    board: String,
    map: Option<String>,
    moves: u8,
    jumps_only: bool,
    /// The army's name, where the job gives it one.
    named: Option<String>,
    start: Vec<String>,
    target: Vec<String>,
    /// Whether the target is what it would be if nobody had named one.
    mirrored: bool,
    pruning: String,
    /// The pruning of a job that names none.
    usual_pruning: String,
    palindromic: bool,
    drawing: Drawing,
}

impl Described {
    pub(super) fn of(job: &Job) -> Self {
        let Description { about, facts, .. } = Description::of(job);
        let lattice = match &job.problem {
            Problem::Transfer(transfer) => Some(&transfer.lattice),
            Problem::Game(game) => Some(&game.lattice),
            Problem::Puzzle(_) => None,
        };
        let (armies, picture) = match (&job.spec, lattice) {
            (ProblemSpec::Armies(spec), Some(lattice)) => {
                let named = if let Army::Named(name) = &spec.army { Some(name.clone()) } else { None };
                let armies = Armies {
                    board: spec.board.clone(),
                    map: spec.map.clone(),
                    moves: spec.moves.number(),
                    jumps_only: spec.jumps_only,
                    named,
                    start: spec.start.clone(),
                    target: spec.target.clone(),
                    mirrored: mirrored(&job.problem),
                    pruning: job.search.pruning.to_string(),
                    usual_pruning: job.problem.usual_pruning().to_string(),
                    palindromic: job.search.palindromic,
                    drawing: Drawing::of(lattice),
                };
                (Some(armies), None)
            }
            (ProblemSpec::Puzzle(spec), _) => (None, start_of(spec).ok().map(|start| picture(spec, start))),
            (ProblemSpec::Armies(_), None) => (None, None),
        };
        // The picture shows it.
        let facts = facts.into_iter().filter(|(name, _)| *name != "start").collect();
        Self { about, kind: job.spec.kind().to_string(), facts, armies, picture }
    }
}

fn mirrored(problem: &Problem) -> bool {
    let mirror = |lattice: &Lattice, start: &[usize], target: &[usize]| {
        let mut cells = problem::mirrored(lattice, start).unwrap_or_default();
        cells.sort_unstable();
        cells == target
    };
    match problem {
        Problem::Transfer(transfer) => mirror(&transfer.lattice, &transfer.start, &transfer.target),
        Problem::Game(game) => mirror(&game.lattice, &game.blue, &game.red),
        Problem::Puzzle(_) => false,
    }
}

fn picture(puzzle: &PuzzleSpec, start: String) -> String {
    let figure = Figure::of_puzzle(puzzle, &[start], &[]);
    // The ground goes along: nothing else on the page draws it.
    format!(
        "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>{}</defs></svg>{}",
        figure.ground("start-ground").into_string(),
        figure.inline(0, "start-ground", true).into_string()
    )
}

/// What is wrong with a job, and where.
#[derive(Debug, Serialize)]
pub(super) struct Wrong {
    message: String,
    line: Option<usize>,
    column: Option<usize>,
    width: Option<usize>,
}

impl Wrong {
    /// What has no place in a text.
    pub(super) fn said(message: String) -> Self {
        Self { message, line: None, column: None, width: None }
    }

    pub(super) fn of(fault: &InputError) -> Self {
        let place = fault.place.as_ref();
        Self {
            message: fault.message.clone(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            width: place.map(|place| place.width),
        }
    }
}

/// A solution to watch: boards, drawn as reports draw them, and the moves between them.
#[derive(Debug, Serialize)]
pub(super) struct Boards {
    ground: String,
    boards: Vec<Position>,
}

#[derive(Debug, Serialize)]
struct Position {
    svg: String,
    caption: String,
}

impl Boards {
    /// Those of the solution, where there is one.
    pub(super) fn of(answer: &Answer, name: &str) -> Option<Self> {
        let figure = Figure::of(answer.solution.as_ref()?);
        let position =
            |number| Position { svg: figure.inline(number, name, true).into_string(), caption: figure.caption(number) };
        let boards = (0..figure.len()).map(position).collect();
        Some(Self { ground: figure.ground(name).into_string(), boards })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(drawing: &Drawing, name: &str) -> (i32, i32) {
        drawing.cells.iter().find(|cell| cell.name == name).map(|cell| (cell.x, cell.y)).unwrap()
    }

    #[test]
    fn a_board_under_6_moves_is_drawn_as_triangles_and_else_as_squares() {
        let squares = Drawing::of_text("9x9", 4).unwrap();
        assert!(squares.squares && squares.grid.is_empty());
        assert_eq!((squares.cells.len(), squares.width, squares.height), (81, 200, 200));
        assert_eq!([place(&squares, "a1"), place(&squares, "c2")], [(20, 20), (60, 40)]);
        let triangles = Drawing::of_text("9x9", 6).unwrap();
        assert!(!triangles.squares && triangles.grid.starts_with('M'));
        // The kept diagonal is level: a2 and b1 are neighbours there.
        assert_eq!(place(&triangles, "a2").1, place(&triangles, "b1").1);
        assert_eq!(place(&triangles, "b1").0 - place(&triangles, "a2").0, UNIT);
    }

    #[test]
    fn every_board_has_its_cells_on_the_paper_and_the_armies_that_fit() {
        for (name, army) in [("9x9", "triangle-4"), ("checkers-32", "checkers-12"), ("star-121", "point-1")] {
            for moves in [4, 6, 8] {
                let drawing = Drawing::of_text(name, moves).unwrap();
                let inside =
                    |cell: &Cell| (0..drawing.width).contains(&cell.x) && (0..drawing.height).contains(&cell.y);
                assert!(drawing.cells.iter().all(inside), "{name} {moves}");
                assert!(drawing.armies.iter().any(|named| named.name == army), "{name}");
            }
        }
        let small = Drawing::of_text("...\n.#.\n...", 8).unwrap();
        assert_eq!((small.cells.len(), small.holes.len()), (8, 1));
        assert_eq!((small.holes[0].name.as_str(), small.holes[0].x), ("b2", 2 * UNIT));
        assert!(small.armies.iter().all(|named| named.cells.len() < 8));
        for (board, moves) in [("10x10", 4), ("", 4), ("..\n.", 4), ("9x9", 5)] {
            assert!(Drawing::of_text(board, moves).is_err(), "{board:?} {moves}");
        }
    }

    #[test]
    fn a_job_is_described_with_the_target_that_follows_by_the_mirror() {
        let text = "[problem]\nkind = 'transfer'\nboard = '9x9'\nmoves = 6\narmy = ['a1', 'b1']\n";
        let described = Described::of(&Job::parse("job.toml".as_ref(), text).unwrap());
        let armies = described.armies.unwrap();
        assert_eq!(armies.target, ["i8", "i9"]);
        assert!(armies.mirrored);
        assert!(described.facts.iter().any(|(name, _)| *name == "Theorem 1"));
        assert_eq!((described.kind.as_str(), armies.pruning.as_str()), ("transfer", "leading"));
        assert_eq!(armies.usual_pruning, "leading");
    }

    #[test]
    fn the_usual_pruning_of_a_game_depends_on_its_board() {
        for (board, usual) in [("9x9", "all"), ("16x16", "all+rungs")] {
            let text = format!("[problem]\nkind = 'game'\nboard = '{board}'\nmoves = 4\narmy = 'triangle-3'\n");
            let described = Described::of(&Job::parse("job.toml".as_ref(), &text).unwrap());
            let armies = described.armies.unwrap();
            assert_eq!([armies.pruning.as_str(), armies.usual_pruning.as_str()], [usual; 2]);
        }
    }

    #[test]
    fn a_puzzle_from_a_file_is_drawn_from_its_start() {
        let text = "[problem]\nkind = 'rules'\nboard = 'PP.'\nrules = ['P P . -> . . P']\ngoal = '..P'\n";
        let described = Described::of(&Job::parse("job.toml".as_ref(), text).unwrap());
        assert!(described.armies.is_none());
        assert!(described.picture.unwrap().contains("<svg"));
        assert!(described.facts.iter().all(|(name, _)| *name != "start"));
    }
}
