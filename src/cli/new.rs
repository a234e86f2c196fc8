//! `halma new`: writes a first job, with a comment for each key.

mod templates;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use halma_files::plain;
use halma_record::words::counted;
use halma_rules::board::{Board, NAMED, place_name};
use halma_rules::job::Job;
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::problem::mirrored;

use super::asking::{put, source};
use super::{Exit, Failure};
use templates::{BLOCKS, BLOCKS_BOARD, BOUND, GAME, PERMUTATION, REST, RULES, RULES_BOARD, TRANSFER};

/// What a new job states.
#[derive(Clone, Debug, Args)]
pub struct Start {
    /// A board's name, or a shape to draw: 7x5 (columns, rows), triangle:N, rhombus:N, hexagon:N (cells a side)
    #[arg(long, value_name = "BOARD", default_value = "9x9", conflicts_with = "drawing")]
    board: String,
    /// The board as a map in a text file, - for standard input; spaces are places without a cell
    #[arg(long, value_name = "FILE")]
    drawing: Option<PathBuf>,
    /// An army by name, on a board that has a name, as in triangle-4
    #[arg(long, value_name = "NAME", conflicts_with = "men")]
    army: Option<String>,
    /// So many men in the first corner, on a board that is drawn
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    men: Option<u16>,
    /// The move rule: 4, 6 or 8; 6 on triangular shapes, else 8
    #[arg(long, value_name = "RULE", value_parser = super::rule)]
    moves: Option<Rule>,
    /// Two armies that end a game together, instead of one that crosses
    #[arg(long)]
    game: bool,
    /// A puzzle of another kind: rules (that rewrite letters), blocks (that slide), permutation
    #[arg(long, value_name = "KIND", value_enum, hide_possible_values = true, conflicts_with_all = ["board", "army", "men", "moves", "game"])]
    kind: Option<Kind>,
    /// What it is called
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

/// Kinds of puzzles that are no armies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Rewrite rules on a map of letters
    Rules,
    /// Sliding blocks
    Blocks,
    /// Permutations, as twsearch writes them
    Permutation,
}

/// Men on a drawing that has none.
const MEN: usize = 3;

fn wrong(message: String) -> Failure {
    Failure::input(message)
}

/// Writes the job; a file that is there already stays as it is.
pub(super) fn new(file: &Path, start: &Start, out: &mut dyn Write) -> Result<Exit, Failure> {
    let run = Path::new("runs").join(file.file_stem().filter(|_| file != Path::new("-")).unwrap_or("mine".as_ref()));
    let text = text(start, &run)?;
    // What this program writes, it reads.
    Job::parse(file, &text).map_err(|fault| wrong(format!("no job can be made of that: {}", fault.message)))?;
    if file == Path::new("-") {
        put(&text, out)?;
        return Ok(Exit::Answered);
    }
    let made = std::fs::File::create_new(file).and_then(|mut made| {
        // Half a job would be in the way of the next try.
        made.write_all(text.as_bytes()).inspect_err(|_| drop(std::fs::remove_file(file)))
    });
    made.map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => wrong(format!("{}: there already, and left as it is", file.display())),
        _ => Failure::unwritten(file, &e),
    })?;
    let page = run.with_added_extension("html");
    let [word, run, page] = [file, &run, &page].map(|path| plain::quoted(&path.to_string_lossy()).into_owned());
    let name = file.display();
    put(
        &format!(
            "{name}: a job. What goes on from here:\n  halma describe {word}\n  halma solve {word} --output-dir {run}\n  halma report {run} -o {page}\n"
        ),
        out,
    )?;
    Ok(Exit::Answered)
}

/// The job, which is to leave its record in the folder `run`.
fn text(start: &Start, run: &Path) -> Result<String, Failure> {
    let dir = toml::Value::from(&*run.to_string_lossy());
    let stated = match start.kind {
        Some(kind) => puzzle(kind, start)?,
        None => armies(start)?,
    };
    Ok(format!("{stated}{REST}{dir}\n"))
}

/// An army that crosses, or two that change places.
fn armies(start: &Start) -> Result<String, Failure> {
    let (map, leaning) = match &start.drawing {
        Some(file) => (Some(drawing(file)?), false),
        None if NAMED.contains(&start.board.as_str()) => (None, start.board == "star-121"),
        None => shape(&start.board).map(|(map, leaning)| (Some(map), leaning))?,
    };
    let rule = start.moves.unwrap_or(if leaning { Rule::Six } else { Rule::Eight });
    let kind = if start.game { "game" } else { "transfer" };
    let mut text = String::from("[problem]\n");
    text += "# transfer: one army is to cross the board. game: two armies change bases, and help each other.\n";
    text += &format!("kind = \"{kind}\"\n");
    text += &title(start);
    match &map {
        None => {
            if start.men.is_some() {
                return Err(wrong(format!(
                    "--men is for boards that are drawn; on a board with a name, {} too: --army NAME",
                    start.board
                )));
            }
            let army = match (&start.army, start.board.as_str()) {
                (Some(army), _) => army,
                (None, "star-121") => "point-3",
                (None, "checkers-32") => "checkers-12",
                (None, _) => "square-2",
            };
            text += &format!("# Also {}, or a map.\n", NAMED.join(", "));
            text += &format!("board = \"{}\"\n", start.board);
            text += "# A name, or a list of cells as in [\"a1\", \"b1\"]. The target is where the board mirrors it, unless `target` says.\n";
            text += &format!("army = \"{army}\"\n");
        }
        Some(map) => {
            if start.army.is_some() {
                return Err(wrong(
                    "--army is for boards that have a name; on a drawing: --men N, or 'S' and 'T'".into(),
                ));
            }
            text += "# '.' a cell, 'S' start, 'T' target, 'B' both, '#' no cell.\n";
            text += &format!("board = \"\"\"\n{}\"\"\"\n", peopled(map, rule, start.men.map(usize::from))?);
        }
    }
    text += "# In how many directions men step and jump; 6: rows, columns, and the diagonal from lower left to upper right.\n";
    text += &format!("moves = {}\n", rule.number());
    if !start.game {
        text += "# jumps-only = true\n";
    }
    Ok(text + if start.game { GAME } else { TRANSFER })
}

/// The line of the title.
fn title(start: &Start) -> String {
    let stated = start.title.as_ref().map(|title| format!("title = {}\n", toml::Value::from(title.as_str())));
    stated.unwrap_or_else(|| "# title = \"what lists and pages call it\"\n".into())
}

/// A puzzle of letters or permutations: the board of the drawing, or one to begin with.
fn puzzle(kind: Kind, start: &Start) -> Result<String, Failure> {
    let drawn = start.drawing.as_ref().map(|file| drawing(file)).transpose()?;
    let title = title(start);
    let drawn = |example: &str| drawn.clone().unwrap_or_else(|| example.into());
    let stated = match kind {
        Kind::Rules => {
            let map = drawn("ABC\nDEF\nG.H\n");
            let (letter, (x, y)) = first_goal(&map)?;
            let cell = place_name(x, y);
            let goal = format!("goal = {{ at = {{ {cell} = \"{letter}\" }} }}\n");
            format!("kind = \"rules\"\n{title}{RULES_BOARD}board = \"\"\"\n{map}\"\"\"\n{RULES}{goal}")
        }
        Kind::Blocks => {
            let map = drawn("AAB\nAA.\nC..\n");
            let (letter, goal) = first_goal(&map)?;
            let cell = |at: (usize, usize), c: char| match c {
                '#' => '#',
                _ if at == goal => letter,
                _ => '?',
            };
            let rows = map.lines().enumerate();
            let rows =
                rows.map(|(y, row)| row.chars().enumerate().map(|(x, c)| cell((x, y), c)).collect::<String>() + "\n");
            let goal: String = rows.collect();
            format!(
                "kind = \"blocks\"\n{title}{BLOCKS_BOARD}board = \"\"\"\n{map}\"\"\"\n{BLOCKS}goal = \"\"\"\n{goal}\"\"\"\n"
            )
        }
        Kind::Permutation if start.drawing.is_some() => {
            return Err(wrong("--drawing is for boards: a permutation puzzle has none".into()));
        }
        Kind::Permutation => format!("kind = \"permutation\"\n{title}{PERMUTATION}"),
    };
    Ok(format!("[problem]\n{stated}{BOUND}"))
}

/// A goal to begin with: the first letter of a map on its first free cell.
fn first_goal(map: &str) -> Result<(char, (usize, usize)), Failure> {
    let letter = map.chars().find(|c| !".#\n".contains(*c));
    let rows = map.lines().enumerate();
    let free =
        rows.flat_map(|(y, row)| row.chars().enumerate().map(move |(x, c)| ((x, y), c))).find(|(_, c)| *c == '.');
    let missing = || wrong("the drawing needs a letter and a free cell ('.') to begin with".into());
    letter.zip(free).map(|(letter, (cell, _))| (letter, cell)).ok_or_else(missing)
}

/// A map from a file, rectangular, with '#' where it has blanks.
fn drawing(file: &Path) -> Result<String, Failure> {
    let source = source(file)?;
    let lines: Vec<&str> = source.text().lines().map(str::trim_end).collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |last| last + 1);
    let lines = &lines[first..last];
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let row = |line: &&str| format!("{:<width$}\n", line).replace(' ', "#");
    Ok(lines.iter().map(row).collect())
}

/// Whether there is a cell in a column and a row.
type Keep = Box<dyn Fn(i32, i32) -> bool>;

/// The map of a shape, and whether it is one of the triangular grid.
fn shape(name: &str) -> Result<(String, bool), Failure> {
    const ALLOWED: &str = "allowed are COLUMNSxROWS, triangle:N, rhombus:N, hexagon:N, and the boards";
    let unknown = || wrong(format!("`{name}` is no board: {ALLOWED} {}", NAMED.join(", ")));
    // What it is called is right, and a number in it is not.
    let sized = || wrong(format!("`{name}`: allowed are sizes from 1 to 256; {ALLOWED} {}", NAMED.join(", ")));
    let size = |text: &str| match text.parse::<u32>().map(|n| n as i32) {
        Ok(n) if (1..=256).contains(&n) => Ok(n),
        Ok(_) => Err(sized()),
        Err(_) => Err(unknown()),
    };
    let (width, height, keep): (i32, i32, Keep) = match name.split_once([':', 'x']) {
        Some(("triangle", n)) => {
            let n = size(n)?;
            (n, n, Box::new(move |x, y| x + y < n))
        }
        Some(("rhombus", n)) => {
            let n = size(n)?;
            (n, n, Box::new(|_, _| true))
        }
        // `x` is in its name.
        _ if name.starts_with("hexagon:") => {
            let n = size(&name["hexagon:".len()..])?;
            // The kept diagonal is that of constant x + y.
            (2 * n - 1, 2 * n - 1, Box::new(move |x, y| (n - 1..=3 * n - 3).contains(&(x + y))))
        }
        Some((columns, rows)) => {
            let (columns, rows) = (size(columns)?, size(rows)?);
            (columns, rows, Box::new(|_, _| true))
        }
        None => return Err(unknown()),
    };
    let row = |y: i32| (0..width).map(|x| if keep(x, y) { '.' } else { '#' }).collect::<String>() + "\n";
    let leaning = ["triangle:", "rhombus:", "hexagon:"].iter().any(|shape| name.starts_with(shape));
    Ok(((0..height).map(row).collect(), leaning))
}

/// The map with men and targets, where it has none: the men as near as can be to the first cell, the target where the board
/// mirrors them, or as near as can be to the last cell.
fn peopled(map: &str, rule: Rule, men: Option<usize>) -> Result<String, Failure> {
    let (board, marks) = Board::from_map(map).map_err(|e| wrong(e.to_string()))?;
    if !marks.start.is_empty() {
        return match men {
            None => Ok(map.into()),
            Some(_) => Err(wrong("the drawing has its men: --men is for one that has none".into())),
        };
    }
    let men = men.unwrap_or(MEN.min(board.len() / 2)).max(1);
    if 2 * men > board.len() {
        let (men, cells) = (counted(men, "man"), counted(board.len(), "cell"));
        return Err(wrong(format!("{men} and as many targets do not fit on {cells}")));
    }
    let lattice = Lattice::new(board, rule);
    let near = |cell: usize, taken: &[usize]| {
        let distance = lattice.distances(&[cell]);
        let mut cells: Vec<usize> = (0..lattice.len()).filter(|c| !taken.contains(c)).collect();
        cells.sort_by_key(|&c| distance[c]);
        cells.truncate(men);
        cells.sort_unstable();
        cells
    };
    let start = near(0, &[]);
    let apart = |target: &Vec<usize>| target.iter().all(|c| !start.contains(c));
    let target = mirrored(&lattice, &start).filter(apart).unwrap_or_else(|| near(lattice.len() - 1, &start));
    let letter = |cell| match cell {
        cell if start.contains(&cell) => 'S',
        cell if target.contains(&cell) => 'T',
        _ => '.',
    };
    Ok(lattice.board.map(letter) + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_cells_that_they_are_called_after() {
        let cells = |name: &str| shape(name).unwrap().0.matches('.').count();
        assert_eq!(["triangle:4", "rhombus:3", "hexagon:3", "7x5"].map(cells), [10, 9, 19, 35]);
        for wrong in ["circle:4", "triangle:0", "hexagon:", "9y9", "", "x"] {
            assert!(shape(wrong).is_err(), "{wrong}");
        }
        let refused = |name| shape(name).map(|_| ()).unwrap_err().message;
        assert!(refused("triangle:999").starts_with("`triangle:999`: allowed are sizes from 1 to 256"));
        assert!(refused("0x5").starts_with("`0x5`: allowed are sizes") && refused("circle:4").contains("is no board"));
    }

    #[test]
    fn men_stand_in_one_corner_and_their_target_in_the_other() {
        let (map, _) = shape("4x3").unwrap();
        assert_eq!(peopled(&map, Rule::Four, None).unwrap(), "SS..\nS..T\n..TT\n");
        assert_eq!(peopled("S.T\n", Rule::Four, None).unwrap(), "S.T\n");
        assert!(peopled("S.T\n", Rule::Four, Some(1)).is_err());
    }
}
