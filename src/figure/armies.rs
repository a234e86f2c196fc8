//! Draws armies on a board: men coloured by type, or in games by side; the last move; possible jumps.

use maud::{Markup, html};

use halma_record::words::counted;
use halma_rules::cells::Cells;
use halma_rules::game::Side;
use halma_rules::lattice::Lattice;
use halma_rules::notation::write_chain;
use halma_rules::problem::set;
use halma_rules::replay::played;

use super::Scene;
use super::labels::labels;
use super::plane::{Plane, UNIT};

/// A board, and the armies on it as moves are made.
#[derive(Clone, Debug)]
pub(super) struct Armies {
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

impl Armies {
    pub(super) fn played(
        lattice: &Lattice,
        bases: [&Vec<usize>; 2],
        armies: [Cells<4>; 2],
        moves: &[Vec<usize>],
    ) -> Self {
        let start = Position { armies, path: Vec::new() };
        let after = played(armies, moves).map(|(cells, armies)| Position { armies, path: cells.clone() });
        let positions = std::iter::once(start).chain(after).collect();
        let [start, target] = bases.map(|cells| set(cells));
        Self { plane: Plane::of(lattice), lattice: lattice.clone(), start, target, positions }
    }

    /// Places of a drawn board that are no cells, by their upper left corners.
    fn holes(&self) -> Vec<(i32, i32)> {
        let board = &self.lattice.board;
        let places = (0..board.height() as i32).flat_map(|y| (0..board.width() as i32).map(move |x| (x, y)));
        let empty = places.filter(|&(x, y)| board.name() == "map" && board.at(x, y).is_none());
        empty.map(|place| self.plane.point(place)).map(|(x, y)| (x - UNIT / 2, y - UNIT / 2)).collect()
    }

    /// Whether there are two armies: then sides have the colours, else types of cells.
    fn is_game(&self) -> bool {
        !self.positions[0].armies[1].is_empty()
    }

    /// The class of a man that says his colour.
    fn colour(&self, cell: usize, side: Side) -> String {
        if self.is_game() { side.name().into() } else { format!("t{}", self.lattice.board.type_of(cell)) }
    }

    /// The lines between neighbours.
    fn grid(&self) -> String {
        let lattice = &self.lattice;
        let pairs = (0..lattice.len()).flat_map(|c| lattice.neighbours(c).iter().map(move |&n| (c, usize::from(n))));
        let place = |cell| self.plane.text(&lattice.board, cell);
        pairs.filter(|(a, b)| a < b).map(|(a, b)| format!("M{}L{}", place(a), place(b))).collect()
    }

    /// The jumps over one man that lie open, by the type of the cells that they join: at least one of the two is empty.
    fn lanes(&self, number: usize) -> [String; 4] {
        let (lattice, [blue, red]) = (&self.lattice, &self.positions[number].armies);
        let men = *blue | *red;
        let mut lanes: [String; 4] = Default::default();
        for over in men.iter() {
            for &(a, b) in lattice.jumps_over(over) {
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

impl Scene for Armies {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn size(&self) -> (i32, i32) {
        self.plane.size()
    }

    fn armies(&self) -> Option<&[Position]> {
        Some(&self.positions)
    }

    fn path(&self, number: usize) -> String {
        let landings = self.positions[number].path.iter().map(|&c| self.plane.text(&self.lattice.board, c));
        landings.collect::<Vec<_>>().join(" ")
    }

    fn mover(&self, number: usize) -> Option<(String, String)> {
        let Position { armies, path } = &self.positions[number];
        let &to = path.last()?;
        let side = if armies[1].contains(to) { Side::Red } else { Side::Blue };
        Some((self.path(number), self.colour(to, side)))
    }

    fn caption(&self, number: usize) -> String {
        match &*self.positions[number].path {
            [] => "start".into(),
            path => format!("{number}. {}", write_chain(path, &self.lattice.board)),
        }
    }

    fn words(&self, number: usize) -> String {
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

    fn ground(&self, id: &str) -> Markup {
        let (board, plane) = (&self.lattice.board, &self.plane);
        html! {
            g id=(id) {
                @if plane.squares() {
                    (holes(&self.holes()))
                } @else {
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

    fn names(&self) -> Markup {
        html! {
            g.names aria-hidden="true" {
                @for label in labels(&self.lattice.board, &self.plane) {
                    text x=(label.at.0) y=(label.at.1 + 3) { (label.text) }
                }
            }
        }
    }

    fn types(&self) -> Vec<(usize, String)> {
        let board = &self.lattice.board;
        let first = |kind| (0..board.len()).find(|&c| board.type_of(c) == kind);
        (0..4).filter_map(|kind| Some((kind, board.name_of(first(kind)?)))).collect()
    }

    fn position(&self, number: usize) -> Markup {
        let (board, plane) = (&self.lattice.board, &self.plane);
        let Position { armies, path } = &self.positions[number];
        let moved = path.last().copied();
        html! {
            @for (kind, d) in self.lanes(number).iter().enumerate() {
                @if !d.is_empty() { path class=(if self.is_game() { "lane".into() } else { format!("lane t{kind}") }) d=(d) {} }
            }
            @if let Some(&from) = path.first() {
                @let (x, y) = plane.place(board, from);
                circle.left cx=(x) cy=(y) r=(UNIT / 4) {}
                polyline.move points=(path.iter().map(|&c| plane.text(board, c)).collect::<Vec<_>>().join(" ")) {}
            }
            @for (army, side) in armies.iter().zip([Side::Blue, Side::Red]) {
                @for cell in army.iter() {
                    @let (x, y) = plane.place(board, cell);
                    @let class = format!("man {}{}", self.colour(cell, side), if moved == Some(cell) { " moved" } else { "" });
                    @if side == Side::Blue {
                        circle class=(class) cx=(x) cy=(y) r=(UNIT / 3) {}
                    } @else {
                        rect class=(class) x=(x - UNIT * 3 / 10) y=(y - UNIT * 3 / 10) width=(UNIT * 3 / 5) height=(UNIT * 3 / 5) {}
                    }
                }
            }
        }
    }
}

/// Places without a cell, by their upper left corners: shaded and crossed out, so that prints show them, too.
pub(super) fn holes(corners: &[(i32, i32)]) -> Markup {
    let squares: String = corners.iter().map(|(x, y)| format!("M{x} {y}h{UNIT}v{UNIT}h-{UNIT}Z")).collect();
    let cross = |&(x, y): &(i32, i32)| format!("M{x} {y}l{UNIT} {UNIT}M{} {y}l-{UNIT} {UNIT}", x + UNIT);
    html! {
        @if !corners.is_empty() {
            path.hole d=(squares) {}
            path.cross d=(corners.iter().map(cross).collect::<String>()) {}
        }
    }
}
