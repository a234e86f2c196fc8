//! Resolves a parsed job file to a checked [`Job`](super::Job), with a message for each possible error.

use std::ops::Range;

use toml::Spanned;

use halma_record::source::{InputError, Source, suggestion};

use super::raw::{File, Men, PathText, ProblemTable};
use super::{
    ArmiesSpec, Army, EarlierRecord, Job, Limits, Output, Problem, ProblemSpec, Search, fits, puzzle_job, raw, spec,
};
use crate::army;
use crate::board::{self, Board, MapError, Marks};
use crate::game::Game;
use crate::lattice::Lattice;
use crate::problem::{Transfer, mirrored};

/// The job that a file states.
pub(super) fn job(source: &Source) -> Result<Job, InputError> {
    if let Some(file) = puzzle_job::file(source)? {
        let (spec, problem) = puzzle_job::problem(source)?;
        return rest(source, (spec, problem), file.search, file.limits, file.output);
    }
    let file: File = raw::parse(source)?;
    rest(source, problem(source, &file.problem)?, file.search, file.limits, file.output)
}

/// The job of a problem, with the other tables of the file.
fn rest(
    source: &Source,
    (spec, problem): (ProblemSpec, Problem),
    search_table: raw::SearchTable,
    limits: raw::LimitsTable,
    output: raw::OutputTable,
) -> Result<Job, InputError> {
    let search = Search {
        pruning: search_table.pruning.as_ref().map_or_else(|| problem.usual_pruning(), |p| p.get_ref().clone()),
        palindromic: search_table.palindromic.as_ref().is_some_and(|p| *p.get_ref()),
        max_length: search_table.max_length.map(|l| l.0 as u32),
        symmetry: search_table.symmetry.unwrap_or(true),
        solutions: None,
        refuted_by: search_table.refuted_by.map(|PathText(path)| EarlierRecord::File(path.into())),
    };
    if let Some(incompatible) = search.incompatible(&problem) {
        let span = match incompatible.is_palindromic() {
            true => search_table.palindromic.map(|p| p.span()),
            false => search_table.pruning.map(|p| p.span()),
        };
        return Err(source.fault(span.unwrap_or(0..0), incompatible.message(&search, "")));
    }
    let limits = Limits {
        threads: limits.threads.map(|t| t.0 as usize),
        memory: limits.memory.map(|s| s.0),
        disk: limits.disk.map(|s| s.0),
        time: limits.time.map(|t| t.0),
        checkpoint: limits.checkpoint.map(|t| t.0),
    };
    let [dir, cache] = [output.dir, output.cache].map(|folder| folder.map(|PathText(path)| path.into()));
    let output = Output { dir, keep_levels: output.keep_levels, cache };
    Ok(Job { file: source.file().into(), spec, problem, search, limits, output })
}

/// The problem that a `[problem]` table states.
pub fn problem(source: &Source, table: &ProblemTable) -> Result<(ProblemSpec, Problem), InputError> {
    let is_game = match table.kind.get_ref().as_str() {
        "transfer" => false,
        "game" => true,
        other => return Err(source.fault(table.kind.span(), puzzle_job::unknown_kind(other))),
    };
    let resolver = Resolver { source, table };
    let (board, marks) = resolver.board()?;
    let start = resolver.start(&board, &marks)?;
    let lattice = Lattice::new(board, table.moves.0);
    let target = resolver.target(&lattice, &marks, &start)?;
    let jumps_only = table.jumps_only.as_ref().is_some_and(|j| *j.get_ref());
    let transfer = Transfer { lattice, start, target, jumps_only };
    resolver.check(&transfer)?;
    let spec = resolver.spec(&transfer);
    if !is_game {
        return Ok((spec.into(), Problem::Transfer(transfer)));
    }
    let Transfer { lattice, start: blue, target: red, .. } = transfer;
    resolver.check_game(&lattice, &blue, &red)?;
    Ok((spec.into(), Problem::Game(Game { lattice, blue, red })))
}

/// The table under resolution.
struct Resolver<'a> {
    source: &'a Source,
    table: &'a ProblemTable,
}

impl Resolver<'_> {
    fn fault<T>(&self, span: Range<usize>, message: impl Into<String>) -> Result<T, InputError> {
        Err(self.source.fault(span, message))
    }

    /// Whether the board is drawn: its text has several lines, or is one row of map characters.
    fn drawn(&self) -> Option<&str> {
        let text = self.table.board.get_ref();
        (text.contains('\n') || text.chars().all(|c| ".STB#".contains(c))).then_some(text)
    }

    fn board(&self) -> Result<(Board, Marks), InputError> {
        let (text, span) = (self.table.board.get_ref(), self.table.board.span());
        let Some(map) = self.drawn() else {
            return match Board::named(text) {
                Some(board) => Ok((board, Marks::default())),
                None => {
                    let named = board::NAMED;
                    let is_size =
                        text.split_once('x').is_some_and(|(a, b)| a.parse::<u8>().is_ok() && b.parse::<u8>().is_ok());
                    let mut near = suggestion(text, named.iter().copied());
                    if is_size {
                        near += &format!("; halma new FILE --board {text} draws one");
                    }
                    self.fault(
                        span,
                        format!("unknown board `{text}`: allowed are {}, or a map of '.', 'S', 'T', 'B' and '#', one line a row{near}", named.join(", ")),
                    )
                }
            };
        };
        Board::from_map(map).map_err(|e| {
            let part = match e {
                MapError::Ragged { row, .. } => part_of_row(map, row, None),
                MapError::Character { row, column, .. } => part_of_row(map, row, Some(column)),
                MapError::Empty | MapError::TooLarge(_) | MapError::TooWide(_) => None,
            };
            let span = part.map_or(span.clone(), |part| self.source.within(&span, map, part));
            self.source.fault(span, e.to_string())
        })
    }

    /// The bytes that name the army; those of the board if its map draws the army.
    fn army_span(&self) -> Range<usize> {
        self.table.army.as_ref().map_or(self.table.board.span(), Spanned::span)
    }

    fn start(&self, board: &Board, marks: &Marks) -> Result<Vec<usize>, InputError> {
        let start = match (&self.table.army, marks.start.is_empty()) {
            (Some(army), true) => self.men(army, "army", board)?,
            (Some(army), false) => {
                return self.fault(
                    army.span(),
                    "the map draws the start ('S', 'B') and `army` names it: allowed is one of the two",
                );
            }
            (None, false) => marks.start.clone(),
            (None, true) => {
                let what = if self.drawn().is_some() {
                    "the map has no start: draw it as 'S' ('B' where start and target overlap), or give `army`"
                } else {
                    "missing field `army`: allowed are an army's name and a list of cells"
                };
                return self.fault(self.table.board.span(), what);
            }
        };
        if start.is_empty() {
            let span = self.army_span();
            return self.fault(span, "the army has no men: at least one is needed");
        }
        Ok(start)
    }

    fn target(&self, lattice: &Lattice, marks: &Marks, start: &[usize]) -> Result<Vec<usize>, InputError> {
        let army_span = self.army_span();
        let (target, span) = match (&self.table.target, marks.target.is_empty()) {
            (Some(target), true) => (self.men(target, "target", &lattice.board)?, target.span()),
            (Some(target), false) => {
                return self.fault(
                    target.span(),
                    "the map draws the target ('T', 'B') and `target` names it: allowed is one of the two",
                );
            }
            (None, false) => (marks.target.clone(), self.table.board.span()),
            (None, true) => match mirrored(lattice, start) {
                Some(target) => (target, army_span),
                None => {
                    return self.fault(
                        army_span,
                        "the board has no symmetry that could mirror the army: give `target`, or draw it on a map as 'T'",
                    );
                }
            },
        };
        if target.len() != start.len() {
            let message =
                format!("the target's size is {}, the army's {}: they must be equal", target.len(), start.len());
            return self.fault(span, message);
        }
        Ok(target)
    }

    /// The cells of `army` or `target`, ascending.
    fn men(&self, men: &Spanned<Men>, key: &str, board: &Board) -> Result<Vec<usize>, InputError> {
        let on = if board.name() == "map" { "the map".into() } else { format!("the board {}", board.name()) };
        let list = match men.get_ref() {
            Men::Listed(list) => list,
            Men::Named(name) => {
                return match army::named(name, board) {
                    Ok(Some(cells)) => Ok(cells),
                    Ok(None) => {
                        let fitting = army::fitting(board);
                        let near = suggestion(name, fitting.iter().map(String::as_str));
                        let allowed = match fitting.is_empty() {
                            true => "a list of cells".into(),
                            false => format!("{}, or a list of cells", army::listed(&fitting)),
                        };
                        let message = format!("unknown army `{name}` on {on}: allowed here: {allowed}{near}");
                        self.fault(men.span(), message)
                    }
                    Err(place) => {
                        self.fault(men.span(), format!("the army {name} does not fit {on}: it needs a cell in {place}"))
                    }
                };
            }
        };
        let mut cells: Vec<usize> = Vec::with_capacity(list.len());
        for name in list {
            let Some(cell) = board.cell(name.get_ref()) else {
                let message = format!("{key}: `{}` is no cell of {on}: {}", name.get_ref(), board.names());
                return self.fault(name.span(), message);
            };
            if cells.contains(&cell) {
                let what = if key == "army" { "has two men on it" } else { "is there twice" };
                return self.fault(name.span(), format!("{key}: {} {what}; allowed is each cell once", name.get_ref()));
            }
            cells.push(cell);
        }
        cells.sort_unstable();
        Ok(cells)
    }

    /// Checks start and target together.
    fn check(&self, transfer: &Transfer) -> Result<(), InputError> {
        let (cells, men) = (transfer.lattice.len(), transfer.start.len());
        if !fits(cells, men) {
            let span = self.army_span();
            let allowed = (1..men).rev().find(|&m| fits(cells, m)).unwrap_or(0);
            let message = format!(
                "{men} men on {cells} cells have 2^127 positions or more: allowed on this board are at most {allowed} men, or {} at least",
                cells - allowed
            );
            return self.fault(span, message);
        }
        Ok(())
    }

    /// Checks the two bases of a game.
    fn check_game(&self, lattice: &Lattice, blue: &[usize], red: &[usize]) -> Result<(), InputError> {
        if let Some(jumps_only) = self.table.jumps_only.as_ref().filter(|j| *j.get_ref()) {
            return self.fault(jumps_only.span(), "jumps-only = true is for transfers: in a game men also step");
        }
        if let Some(&shared) = blue.iter().find(|c| red.contains(c)) {
            let span = self.army_span();
            let name = lattice.board.name_of(shared);
            return self.fault(span, format!("both armies would stand on {name}: the bases of a game must be apart"));
        }
        Ok(())
    }

    /// The problem in the words that the file uses: its army's name, its map.
    fn spec(&self, transfer: &Transfer) -> ArmiesSpec {
        let spec = spec::of_armies(self.table.kind.get_ref(), transfer);
        let army = match self.table.army.as_ref().map(Spanned::get_ref) {
            Some(Men::Named(name)) => Army::Named(name.clone()),
            Some(Men::Listed(_)) | None => spec.army,
        };
        let title = self.table.title.clone();
        ArmiesSpec { title, map: self.drawn().map(Into::into), army, ..spec }
    }
}

/// The bytes of a row of a map, or of one character of it; rows and columns count from 1, blank lines before the
/// first row do not.
fn part_of_row(map: &str, row: usize, column: Option<usize>) -> Option<Range<usize>> {
    let mut start = 0;
    let lines = map.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), line.trim_end())
    });
    let (start, line) = lines.skip_while(|(_, line)| line.is_empty()).nth(row - 1)?;
    match column {
        None => Some(start..start + line.len()),
        Some(column) => line.char_indices().nth(column - 1).map(|(i, c)| start + i..start + i + c.len_utf8()),
    }
}
