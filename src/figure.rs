//! Boards as SVG pictures, for print and for screen readers.
//!
//! A man has the colour of his cell's type (Section 2.1 of the paper), so a jump never changes his colour and a step
//! always does; in games he has his side's colour. Faint lines are possible jumps; where they join they form ladders. A
//! board under 6-move rules is drawn as a triangular grid, so the square between two points of the star stands on its
//! corner.
//!
//! ```
//! use halma::figure::Figure;
//! use halma_rules::job::{Job, Problem};
//! let text = "[problem]\nkind = \"transfer\"\nboard = \"SS..TT\"\nmoves = 4\n";
//! let job = Job::parse("row.toml".as_ref(), text)?;
//! let Problem::Transfer(transfer) = &job.problem else { unreachable!() };
//! let svg = Figure::of_transfer(transfer, &[]).board(0);
//! assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
//! assert!(svg.contains("<title>Start: 2 men on a1, b1</title>"));
//! # Ok::<(), halma_record::source::InputError>(())
//! ```

mod armies;
mod joined;
mod labels;
mod letters;
pub(crate) mod plain;
mod plane;
pub(crate) mod puzzle_text;
mod tikz;

use std::fmt;
use std::sync::Arc;

use maud::{Markup, PreEscaped, html};

use halma_puzzles::own::replay::PuzzleReplay;
use halma_record::job::PuzzleSpec;
use halma_rules::game::Game;
use halma_rules::problem::{Transfer, set};
use halma_rules::replay::Checked;

use crate::solution::Solution;
use armies::Armies;
pub use armies::Position;
use letters::LetterMaps;

/// The look of the boards, with colours that colour-blind eyes tell apart, and greys that printers do.
pub const STYLE: &str = include_str!("figure/figure.css");

/// What is drawn: positions one after another on one ground.
trait Scene: Send + Sync {
    /// How many positions there are; at least one.
    fn len(&self) -> usize;
    /// Width and height of one with its margin.
    fn size(&self) -> (i32, i32);
    /// The armies, where there are some.
    fn armies(&self) -> Option<&[Position]> {
        None
    }
    /// The places of the move that led to a position.
    fn path(&self, _number: usize) -> String {
        String::new()
    }
    /// Where the man of that move went, and what he looks like then.
    fn mover(&self, _number: usize) -> Option<(String, String)> {
        None
    }
    /// What a position is called: the number of the move that led to it, and the move.
    fn caption(&self, number: usize) -> String;
    /// A position in words, for those who do not see it.
    fn words(&self, number: usize) -> String;
    /// What all positions share, under this name.
    fn ground(&self, id: &str) -> Markup;
    /// The names of columns and rows.
    fn names(&self) -> Markup;
    /// The types of cells that there are, each with the name of a cell of it.
    fn types(&self) -> Vec<(usize, String)> {
        Vec::new()
    }
    /// What stands on the ground.
    fn position(&self, number: usize) -> Markup;
}

/// A board, and what stands on it as moves are made.
#[derive(Clone)]
pub struct Figure {
    scene: Arc<dyn Scene>,
    /// Whether every board of a sheet has the names of columns and rows.
    named: bool,
}

impl fmt::Debug for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Figure of {} positions", self.scene.len())
    }
}

impl Figure {
    fn new(scene: impl Scene + 'static) -> Self {
        Self { scene: Arc::new(scene), named: false }
    }

    /// A transfer, before the first move and after each of `moves`, which were checked.
    #[must_use]
    pub fn of_transfer(problem: &Transfer, moves: &[Vec<usize>]) -> Self {
        let armies = [set(&problem.start), halma_rules::cells::Cells::EMPTY];
        Self::new(Armies::played(&problem.lattice, [&problem.start, &problem.target], armies, moves))
    }

    /// A game, before the first move and after each of `moves`, which were checked.
    #[must_use]
    pub fn of_game(game: &Game, moves: &[Vec<usize>]) -> Self {
        let armies = [set(&game.blue), set(&game.red)];
        Self::new(Armies::played(&game.lattice, [&game.blue, &game.red], armies, moves))
    }

    /// States of a puzzle as text, at least one, and the moves between them.
    #[must_use]
    pub fn of_puzzle(puzzle: &PuzzleSpec, pictures: &[String], moves: &[String]) -> Self {
        Self::new(LetterMaps::new(puzzle, pictures, moves))
    }

    /// A solution that was checked.
    #[must_use]
    pub fn of(solution: &Solution) -> Self {
        match solution {
            Solution::Armies(checked) => match &**checked {
                Checked::Transfer(replay) => Self::of_transfer(&replay.transfer, &replay.moves),
                Checked::Game(replay) => Self::of_game(&replay.game, &replay.moves),
            },
            Solution::Puzzle(PuzzleReplay { spec, pictures, moves }) => Self::of_puzzle(spec, pictures, moves),
        }
    }

    /// The same; every board of its sheet has the names of columns and rows if `named`.
    #[must_use]
    pub fn with_coordinates(self, named: bool) -> Self {
        Self { named, ..self }
    }

    /// The types of cells that there are, each with the name of a cell of it; none where colours say something else.
    #[must_use]
    pub fn types(&self) -> Vec<(usize, String)> {
        if self.is_game() { Vec::new() } else { self.scene.types() }
    }

    /// Width and height of a board.
    #[must_use]
    pub fn size(&self) -> (i32, i32) {
        self.scene.size()
    }

    /// How many positions there are, the start among them.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is a start")]
    pub fn len(&self) -> usize {
        self.scene.len()
    }

    /// The armies by position, where there are armies.
    #[must_use]
    pub fn armies(&self) -> Option<&[Position]> {
        self.scene.armies()
    }

    /// Whether there are two armies.
    #[must_use]
    pub fn is_game(&self) -> bool {
        self.armies().is_some_and(|positions| !positions[0].armies[1].is_empty())
    }

    /// What a position is called: the number of the move that led to it, and the move.
    #[must_use]
    pub fn caption(&self, number: usize) -> String {
        self.scene.caption(number)
    }

    /// A position in words, for those who do not see it.
    #[must_use]
    pub fn words(&self, number: usize) -> String {
        self.scene.words(number)
    }

    /// The places of the man who moved, and his classes after the move; of armies, and not of the start.
    pub(crate) fn mover(&self, number: usize) -> Option<(String, String)> {
        self.scene.mover(number)
    }

    /// What all positions share, under this name.
    #[must_use]
    pub fn ground(&self, id: &str) -> Markup {
        self.scene.ground(id)
    }

    /// One position as a document of its own, with the names of columns and rows.
    #[must_use]
    pub fn board(&self, number: usize) -> String {
        let (width, height) = self.scene.size();
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (width) " " (height) }
                width=(2 * width) height=(2 * height) {
                title { (self.words(number)) }
                style { (PreEscaped(STYLE)) }
                defs { (self.ground("ground")) }
                use href="#ground" {}
                (self.scene.names())
                (self.scene.position(number))
            }
        };
        svg.into_string() + "\n"
    }

    /// All positions as one document, row by row, each under its caption. `about` says what it shows.
    #[must_use]
    pub fn sheet(&self, columns: usize, about: &str) -> String {
        let columns = columns.clamp(1, self.len());
        let (width, height) = self.scene.size();
        let captions: Vec<Vec<String>> = (0..self.len()).map(|i| self.lines(i)).collect();
        let room = LINE * captions.iter().map(Vec::len).max().unwrap_or(1) as i32;
        let rows = self.len().div_ceil(columns);
        let (all_width, all_height) = (columns as i32 * width, rows as i32 * (height + room));
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox={ "0 0 " (all_width) " " (all_height) }
                width=(all_width) height=(all_height) {
                title { (about) }
                desc { (self.words(self.len() - 1)) }
                style { (PreEscaped(STYLE)) }
                defs { (self.ground("ground")) }
                @for (i, lines) in captions.iter().enumerate() {
                    @let (x, y) = ((i % columns) as i32 * width, (i / columns) as i32 * (height + room));
                    g transform={ "translate(" (x) " " (y) ")" } {
                        use href="#ground" {}
                        @if self.named { (self.scene.names()) }
                        (self.scene.position(i))
                        @for (row, line) in (1..).zip(lines) {
                            text.caption x=(width / 2) y=(height + LINE * row - 4) { (line) }
                        }
                    }
                }
            }
        };
        svg.into_string() + "\n"
    }

    /// The same as TikZ: a document for LaTeX, which papers take by `\input`.
    ///
    /// # Errors
    /// A letter of a board that no picture can have, as a control character.
    pub fn tikz(&self, at: Option<usize>, columns: usize, about: &str) -> Result<String, String> {
        let (svg, about) = match at {
            Some(number) => (self.board(number), format!("{about}: {}", self.caption(number))),
            None => (self.sheet(columns, about), about.into()),
        };
        tikz::document(&svg, &about).map_err(|error| error.to_string())
    }

    /// A position for a page that has [`Self::ground`] under that name.
    #[must_use]
    pub fn inline(&self, number: usize, ground: &str, names: bool) -> Markup {
        let (width, height) = self.scene.size();
        html! {
            svg.board role="img" viewBox={ "0 0 " (width) " " (height) }
                data-path=(self.scene.path(number)) {
                title { (self.words(number)) }
                use href={ "#" (ground) } {}
                @if names { (self.scene.names()) }
                (self.scene.position(number))
            }
        }
    }

    /// The caption in lines that fit under a board.
    fn lines(&self, number: usize) -> Vec<String> {
        let fitting = (self.scene.size().0 as usize / LETTER).max(12);
        let mut lines = vec![String::new()];
        for part in self.caption(number).split_inclusive(['-', ' ']) {
            match lines.last_mut() {
                Some(line) if line.is_empty() || line.chars().count() + part.chars().count() <= fitting => {
                    line.push_str(part)
                }
                _ => lines.push(part.into()),
            }
        }
        lines
    }
}

/// Room for a line of a caption.
const LINE: i32 = 12;
/// Room for a letter of it.
const LETTER: usize = 5;
