//! Writes a puzzle for other tools, which can confirm an answer independently: Fast Downward and other planners (PDDL),
//! Rumur and other Murphi checkers, clingo (answer set programming).
//!
//! The files are made from the compiled puzzle ([`GroundedTask`]), whose steps are grouped into schemas again (`lifted`):
//! what a schema needs and writes, and the table of cells where it applies. Symmetries, bounds and prunings are not
//! exported.

mod armies;
mod asp;
mod lifted;
mod murphi;
mod pddl;

use super::{Compiled, GroundedTask, Permutations};

pub use armies::{game, transfer};
use lifted::Lifted;

/// The most steps that are written, or values of positions after the moves of a permutation puzzle: files with more would be of no
/// use to anybody.
const MAX_STEPS: usize = 200_000;
/// The horizon or the limit where the job asks about no length.
const LENGTH: u32 = 10;

/// A language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PDDL, for planners: a domain and a problem.
    Pddl,
    /// Murphi, for Rumur.
    Murphi,
    /// Answer set programming, for clingo.
    Asp,
}

/// A file: what its name ends with, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// As in `-domain.pddl`, to follow the job's name.
    pub ending: &'static str,
    /// All of it.
    pub text: String,
}

/// The export of a puzzle.
#[derive(Clone, Copy, Debug)]
pub struct Export<'a> {
    /// The title of the puzzle.
    pub title: &'a str,
    /// The puzzle.
    pub compiled: &'a Compiled,
    /// The job's definition of a move, if the steps do not show it: as in `metric = "move"`.
    pub counted: Option<&'a str>,
    /// The length that the job asks about.
    pub length: Option<u32>,
}

impl Export<'_> {
    /// The files.
    ///
    /// # Errors
    /// Why this puzzle cannot be said in that language.
    pub fn files(&self, format: Format) -> Result<Vec<ExportedFile>, String> {
        match self.compiled {
            Compiled::Grounded(task) if task.steps.len() > MAX_STEPS => {
                let steps = task.steps.len();
                Err(format!("the puzzle has {steps} steps: files for other tools are written of at most {MAX_STEPS}"))
            }
            Compiled::Grounded(task) if task.ends_without_man() => {
                Err("a repetition may end with a step in which no man moves: that cannot be exported".into())
            }
            Compiled::Grounded(task) => {
                let lifted = Lifted::of(task);
                if lifted.has_free() && format != Format::Pddl {
                    return Err("the puzzle has free rules, which only PDDL can say: --format pddl".into());
                }
                match format {
                    Format::Pddl => pddl::task(self, &lifted),
                    Format::Murphi => murphi::task(self, &lifted),
                    Format::Asp => asp::task(self, &lifted),
                }
            }
            Compiled::Permutations(puzzle) if size(puzzle) > MAX_STEPS => Err(format!(
                "the moves take {} values to other positions: files for other tools are written of at most {MAX_STEPS}",
                size(puzzle)
            )),
            Compiled::Permutations(puzzle) => Ok(match format {
                Format::Pddl => pddl::permutations(self, puzzle),
                Format::Murphi => murphi::permutations(self, puzzle),
                Format::Asp => asp::permutations(self, puzzle),
            }),
            Compiled::Own(_) => Err("a puzzle in Rust has no rules that another tool could be told".into()),
        }
    }

    /// The lines that every file begins with, as comments.
    fn head(&self, comment: &str, lines: &[String]) -> String {
        let first = [self.title.into(), format!("Written by halma {}. {}", env!("CARGO_PKG_VERSION"), self.one_move())];
        // A name in a job must not end a comment.
        let plain = |line: &String| line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
        first.iter().chain(lines).map(|line| format!("{comment} {}\n", plain(line).trim_end())).collect()
    }

    /// What counts as one move.
    fn one_move(&self) -> String {
        match (self.counted, self.compiled) {
            (Some(counted), _) => format!("One move is {counted}."),
            (None, Compiled::Grounded(task)) => one_move_of(task),
            (None, _) => "One move is one of the moves named below; powers that count have names of their own.".into(),
        }
    }

    /// The length asked about, or one to begin with.
    fn horizon(&self) -> u32 {
        self.length.unwrap_or(LENGTH)
    }
}

/// What counts as one move of rules.
fn one_move_of(task: &GroundedTask) -> String {
    let mut text = "One move is one application of a rule".to_string();
    if task.steps.iter().any(|step| step.chain) {
        text += "; after a rule that chains the same man may go on by any that chains, all within one move";
    }
    if task.has_free() {
        text += " that is not free, after any number of applications of free ones";
    }
    let until = |wanted| task.steps.iter().any(|step| step.until == wanted);
    if until(super::grounded::Until::Any) {
        text += "; some rules are repeated in one direction as often as the player likes, within one move";
    }
    if until(super::grounded::Until::Blocked) {
        text += "; some rules are repeated in one direction until they are blocked, within one move";
    }
    if task.turns { text + "; sides take turns." } else { text + "." }
}

/// A name that all three languages allow: of small letters, digits and `_`, with a letter first.
fn slug(text: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mut words: String = text.chars().map(plain).collect();
    while words.contains("__") {
        words = words.replace("__", "_");
    }
    let words = words.trim_matches('_');
    if words.starts_with(|c: char| c.is_ascii_lowercase()) {
        words.into()
    } else {
        format!("p_{words}").trim_matches('_').into()
    }
}

/// Names for characters or words: no two are equal, in small letters either, as PDDL does not tell them from capitals.
fn names(prefix: &str, of: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for text in of {
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric()) && !text.is_empty();
        let base = match text.as_str() {
            "." => "empty".into(),
            _ if plain => text.to_ascii_lowercase(),
            _ => text.chars().map(word_for).collect::<String>(),
        };
        let name = |n: usize| if n == 1 { format!("{prefix}{base}") } else { format!("{prefix}{base}_{n}") };
        let free = (1..).map(name).find(|name| !all.contains(name));
        all.extend(free);
    }
    all
}

/// A character in a name.
fn word_for(c: char) -> String {
    match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase().to_string(),
        '\'' => "_back".into(),
        c => format!("_u{:x}", u32::from(c)),
    }
}

/// The names of a permutation puzzle's moves, and a sentence that says which is which.
fn move_names(puzzle: &Permutations) -> (Vec<String>, String) {
    let called = names("m_", puzzle.moves.iter().map(|m| m.name.clone()));
    let named: Vec<String> =
        called.iter().zip(&puzzle.moves).map(|(name, m)| format!("{name} is {}", m.name)).collect();
    let legend = format!("Moves: {}.", named.join(", "));
    (called, legend)
}

/// How many values the moves of a permutation puzzle take to other positions.
fn size(puzzle: &Permutations) -> usize {
    let of_sets: usize = puzzle.sets.iter().zip(values(puzzle)).map(|(set, all)| set.pieces.len() * all.len()).sum();
    of_sets * puzzle.moves.len()
}

/// The values of a permutation puzzle: set by set, each piece in each orientation that it can have.
fn values(puzzle: &Permutations) -> Vec<Vec<(u8, u8)>> {
    let of = |set: &super::permutation::PieceSet| {
        let turns = |piece: usize| if set.pieces[piece].oriented { set.orientations } else { 1 };
        let all = (0..set.pieces.len()).flat_map(|piece| (0..turns(piece)).map(move |turn| (piece as u8, turn)));
        all.collect()
    };
    puzzle.sets.iter().map(of).collect()
}
