//! Boards as pictures: SVG that a paper can print, and that a screen reader can read.
//!
//! A man is coloured by the type of his cell (Section 2.1 of the paper), so a jump never changes his colour and a step
//! always does. Faint lines are the jumps that lie open: joined, they are the ladders. A board under 6-move rules
//! is drawn as the triangular grid that it is, so the square between two points of the star stands on its corner.
//!
//! ```
//! use halma::figure::Figure;
//! use halma::job::{Job, Problem};
//! let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
//! let job = Job::parse("row.toml".as_ref(), text)?;
//! let Problem::Transfer(transfer) = &job.problem else { unreachable!() };
//! let svg = Figure::of_transfer(transfer, &[]).board(0);
//! assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
//! assert!(svg.contains("<title>Start: 2 men on a1, b1</title>"));
//! # Ok::<(), halma::source::Fault>(())
//! ```

mod plane;

use maud::{Markup, PreEscaped, html};

use halma_record::words::counted;
use halma_rules::cells::Cells;
use halma_rules::game::{Game, Side};
use halma_rules::lattice::Lattice;
use halma_rules::notation::write_chain;
use halma_rules::problem::{Transfer, set};
use halma_rules::replay::Checked;

use plane::{Plane, UNIT};

/// The look of the boards, with colours that colour-blind eyes tell apart, and greys that printers do.
pub const STYLE: &str = include_str!("figure/figure.css");

/// A board, and what stands on it as moves are made.
#[derive(Clone, Debug)]
pub struct Figure {
    lattice: Lattice,
    plane: Plane,
    start: Cells<4>,
    target: Cells<4>,
    positions: Vec<Position>,
}

/// The armies after a number of moves.
#[derive(Clone, Debug)]
pub struct Position {
    /// The men; of a game, blue's and red's.
    pub armies: [Cells<4>; 2],
    /// The cells of the move that led here, where he started first; empty at the start.
    pub path: Vec<usize>,
}

impl Figure {
    /// A transfer, before the first move and after each of `moves`, which were checked.
    #[must_use]
    pub fn of_transfer(problem: &Transfer, moves: &[Vec<usize>]) -> Self {
        let armies = [set(&problem.start), Cells::EMPTY];
        Self::played(&problem.lattice, [&problem.start, &problem.target], armies, moves)
    }

    /// A game, before the first move and after each of `moves`, which were checked.
    #[must_use]
    pub fn of_game(game: &Game, moves: &[Vec<usize>]) -> Self {
        Self::played(&game.lattice, [&game.blue, &game.red], [set(&game.blue), set(&game.red)], moves)
    }

    /// A solution that was checked.
    #[must_use]
    pub fn of(checked: &Checked) -> Self {
        match checked {
            Checked::Transfer(replay) => Self::of_transfer(&replay.transfer, &replay.moves),
            Checked::Game(replay) => Self::of_game(&replay.game, &replay.moves),
        }
    }

    fn played(lattice: &Lattice, bases: [&Vec<usize>; 2], armies: [Cells<4>; 2], moves: &[Vec<usize>]) -> Self {
        let mut positions = vec![Position { armies, path: Vec::new() }];
        let mut armies = armies;
        for cells in moves {
            if let [from, .., to] = **cells {
                let army = &mut armies[usize::from(armies[1].contains(from))];
                *army = army.without(from).with(to);
            }
            positions.push(Position { armies, path: cells.clone() });
        }
        let [start, target] = bases.map(|cells| set(cells));
        Self { plane: Plane::of(lattice), lattice: lattice.clone(), start, target, positions }
    }

    /// The positions, the start first.
    #[must_use]
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Whether there are two armies.
    #[must_use]
    pub fn is_game(&self) -> bool {
        !self.positions[0].armies[1].is_empty()
    }

    /// What a position is called: the number of the move that led to it, and the move.
    #[must_use]
    pub fn caption(&self, number: usize) -> String {
        match &*self.positions[number].path {
            [] => "start".into(),
            path => format!("{number}. {}", write_chain(path, &self.lattice.board)),
        }
    }

    /// A position in words, for those who do not see it.
    #[must_use]
    pub fn words(&self, number: usize) -> String {
        let Position { armies, path } = &self.positions[number];
        let names = |army: Cells<4>| army.iter().map(|c| self.lattice.board.name_of(c)).collect::<Vec<_>>().join(", ");
        let men = match armies[1].is_empty() {
            true => format!("{} on {}", counted(armies[0].len(), "man"), names(armies[0])),
            false => format!("blue men on {}; red men on {}", names(armies[0]), names(armies[1])),
        };
        match path.is_empty() {
            true => format!("Start: {men}"),
            false => format!("After move {}: {men}", self.caption(number)),
        }
    }

    /// One position as a document of its own, with the names of columns and rows.
    #[must_use]
    pub fn board(&self, number: usize) -> String {
        let (width, height) = self.plane.size();
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (width) " " (height) }
                width=(2 * width) height=(2 * height) {
                title { (self.words(number)) }
                style { (PreEscaped(STYLE)) }
                defs { (self.ground("ground")) }
                use href="#ground" {}
                (self.names())
                (self.position(number))
            }
        };
        svg.into_string() + "\n"
    }

    /// All positions as one document, row by row, each under its caption. `about` says what it shows.
    #[must_use]
    pub fn sheet(&self, columns: usize, about: &str) -> String {
        let columns = columns.clamp(1, self.positions.len());
        let (width, height) = self.plane.size();
        let captions: Vec<Vec<String>> = (0..self.positions.len()).map(|i| self.lines(i)).collect();
        let room = LINE * captions.iter().map(Vec::len).max().unwrap_or(1) as i32;
        let rows = self.positions.len().div_ceil(columns);
        let (all_width, all_height) = (columns as i32 * width, rows as i32 * (height + room));
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (all_width) " " (all_height) }
                width=(all_width) height=(all_height) {
                title { (about) }
                desc { (self.words(self.positions.len() - 1)) }
                style { (PreEscaped(STYLE)) }
                defs { (self.ground("ground")) }
                @for (i, lines) in captions.iter().enumerate() {
                    @let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * (height + room));
                    g transform={ "translate(" (x) " " (y) ")" } {
                        use href="#ground" {}
                        (self.position(i))
                        @for (row, line) in (1..).zip(lines) {
                            text.caption x=(width / 2) y=(height + LINE * row - 4) { (line) }
                        }
                    }
                }
            }
        };
        svg.into_string() + "\n"
    }

    /// A position for a page that has [`Self::ground`] under that name.
    #[must_use]
    pub fn inline(&self, number: usize, ground: &str, names: bool) -> Markup {
        let (width, height) = self.plane.size();
        let landings = self.positions[number].path.iter().map(|&c| self.plane.text(&self.lattice.board, c));
        html! {
            svg.board role="img" viewBox={ "0 0 " (width) " " (height) }
                data-path=(landings.collect::<Vec<_>>().join(" ")) {
                title { (self.words(number)) }
                use href={ "#" (ground) } {}
                @if names { (self.names()) }
                (self.position(number))
            }
        }
    }

    /// The caption in lines that fit under a board.
    fn lines(&self, number: usize) -> Vec<String> {
        let fitting = (self.plane.size().0 as usize / LETTER).max(12);
        let mut lines = vec![String::new()];
        for part in self.caption(number).split_inclusive('-') {
            match lines.last_mut() {
                Some(line) if line.len() + part.len() <= fitting => line.push_str(part),
                _ => lines.push(part.into()),
            }
        }
        lines
    }

    /// What all positions share: cells, the grid, start and target.
    #[must_use]
    pub fn ground(&self, id: &str) -> Markup {
        let (board, plane) = (&self.lattice.board, &self.plane);
        html! {
            g id=(id) {
                @if !plane.squares() {
                    path.grid d=(self.grid()) {}
                }
                @for cell in 0..board.len() {
                    @let (x, y) = plane.place(board, cell);
                    @let base = match (self.start.contains(cell), self.target.contains(cell)) {
                        (_, true) => "cell target",
                        (true, _) => "cell start",
                        _ => "cell",
                    };
                    @if plane.squares() {
                        rect class=(base) x=(x - UNIT / 2) y=(y - UNIT / 2) width=(UNIT) height=(UNIT) {}
                    } @else {
                        circle class=(base) cx=(x) cy=(y) r=(UNIT * 2 / 5) {}
                    }
                }
            }
        }
    }

    /// The lines between neighbours.
    fn grid(&self) -> String {
        let lattice = &self.lattice;
        let pairs = (0..lattice.len()).flat_map(|c| lattice.neighbours(c).iter().map(move |&n| (c, usize::from(n))));
        let place = |cell| self.plane.text(&lattice.board, cell);
        pairs.filter(|(a, b)| a < b).map(|(a, b)| format!("M{}L{}", place(a), place(b))).collect()
    }

    /// The letters of the columns and the numbers of the rows.
    fn names(&self) -> Markup {
        let board = &self.lattice.board;
        let first = |on_line: &dyn Fn(usize) -> bool| (0..board.len()).find(|&c| on_line(c));
        let columns = (0..board.width() as i32).filter_map(|x| first(&|c| board.xy(c).0 == x));
        let rows = (0..board.height() as i32).filter_map(|y| first(&|c| board.xy(c).1 == y));
        html! {
            g.names aria-hidden="true" {
                @for cell in columns {
                    @let (x, y) = self.plane.beside(board, cell, (0, -1));
                    text x=(x) y=(y + 3) { (board.name_of(cell).trim_end_matches(|c: char| c.is_ascii_digit())) }
                }
                @for cell in rows {
                    @let (x, y) = self.plane.beside(board, cell, (-1, 0));
                    text x=(x) y=(y + 3) { (board.xy(cell).1 + 1) }
                }
            }
        }
    }

    /// Men, the move that was made, and the jumps that lie open.
    fn position(&self, number: usize) -> Markup {
        let (board, plane) = (&self.lattice.board, &self.plane);
        let Position { armies, path } = &self.positions[number];
        let moved = path.last().copied();
        html! {
            @for (kind, d) in self.lanes(number).iter().enumerate() {
                @if !d.is_empty() { path class={ "lane t" (kind) } d=(d) {} }
            }
            @if let Some(&from) = path.first() {
                @let (x, y) = plane.place(board, from);
                circle.left cx=(x) cy=(y) r=(UNIT / 4) {}
                polyline.move points=(path.iter().map(|&c| plane.text(board, c)).collect::<Vec<_>>().join(" ")) {}
            }
            @for (army, side) in armies.iter().zip([Side::Blue, Side::Red]) {
                @for cell in army.iter() {
                    @let (x, y) = plane.place(board, cell);
                    @let class = format!("man t{}{}", board.type_of(cell), if moved == Some(cell) { " moved" } else { "" });
                    @if side == Side::Blue {
                        circle class=(class) cx=(x) cy=(y) r=(UNIT / 3) {}
                    } @else {
                        rect class=(class) x=(x - UNIT * 3 / 10) y=(y - UNIT * 3 / 10) width=(UNIT * 3 / 5) height=(UNIT * 3 / 5) {}
                    }
                }
            }
        }
    }

    /// The jumps over one man that lie open, by the type of the cells that they join: at least one of the two is empty.
    fn lanes(&self, number: usize) -> [String; 4] {
        let (lattice, [blue, red]) = (&self.lattice, &self.positions[number].armies);
        let men = *blue | *red;
        let mut lanes: [String; 4] = Default::default();
        for over in men.iter() {
            for &(a, b) in lattice.jumps(over) {
                let (a, b) = (usize::from(a), usize::from(b));
                if !(men.contains(a) && men.contains(b)) {
                    let place = |cell| self.plane.text(&lattice.board, cell);
                    lanes[lattice.board.type_of(a)] += &format!("M{}L{}", place(a), place(b));
                }
            }
        }
        lanes
    }
}

/// Room for a line of a caption.
const LINE: i32 = 12;
/// Room for a letter of it.
const LETTER: usize = 5;
