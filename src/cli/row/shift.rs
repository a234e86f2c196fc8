//! `halma row shift`.

use std::io::Write;

use clap::{ArgGroup, Args, ValueEnum};
use num_bigint::BigUint;

use halma_engine::search::CancellationToken;
use halma_puzzles::row::labels::Label;
use halma_puzzles::row::row_board::{Board, MAX_PLACES};
use halma_puzzles::row::shift::{First, Shift};

use super::print::{Heading, Minimum};
use super::{Common, RowError, checkers, counted, index, one_move};

/// The largest n for which F(n + 2) is written out: 200,000 digits.
const MAX_FIBONACCI: u64 = 1_000_000;

/// `halma row shift`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("what").args(["solve", "construct", "formula", "enumerate", "count", "labels", "label_of"]))]
pub struct ShiftArgs {
    /// Black checkers, which start on the left
    #[arg(value_parser = checkers, allow_negative_numbers = true)]
    n: u64,
    /// White checkers
    #[arg(value_parser = checkers, allow_negative_numbers = true)]
    m: u64,
    /// Search all moves level by level for a shortest solution
    #[arg(long)]
    pub(super) solve: bool,
    /// Print the constructed shortest solution move by move (what is done unless something else is asked for)
    #[arg(long)]
    construct: bool,
    /// Print move I of that solution alone, from its closed form
    #[arg(long, value_name = "I", value_parser = index, allow_negative_numbers = true)]
    formula: Option<u64>,
    /// Print all shortest solutions
    #[arg(long)]
    enumerate: bool,
    /// Print the number of shortest solutions
    #[arg(long)]
    count: bool,
    /// Which way the first checker moves in the constructed solution
    #[arg(long, value_enum, conflicts_with_all = ["solve", "enumerate", "count", "label", "labels", "label_of"])]
    first: Option<FirstName>,
    /// With one white checker: take the solution with label K
    #[arg(long, value_name = "K", conflicts_with_all = ["solve", "enumerate", "count", "labels", "label_of"])]
    label: Option<BigUint>,
    /// With one white checker: print all labels
    #[arg(long, conflicts_with_all = ["json", "draw"])]
    labels: bool,
    /// With one white checker: print the label of a solution, given as in "5 3 2 4 3 1 2"
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["json", "draw"])]
    label_of: Option<String>,
    /// Options of all row puzzles.
    #[command(flatten)]
    common: Common,
}

/// [`First`] as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FirstName {
    /// A black checker moves right
    Right,
    /// A white checker moves left
    Left,
}

/// Does what was typed.
pub fn run(args: &ShiftArgs, cancel: &CancellationToken, out: &mut dyn Write) -> Result<(), RowError> {
    let &ShiftArgs { n, m, ref common, .. } = args;
    if common.draw && n + m >= MAX_PLACES {
        return Err(RowError::Input(format!("--draw: {n} + {m} checkers; allowed are fewer than {MAX_PLACES}")));
    }
    if (args.labels || args.label_of.is_some() || args.label.is_some()) && m != 1 {
        return Err(RowError::Input(format!("labels are for one white checker: M is {m}, allowed is 1")));
    }
    if args.labels {
        Label::all(n).try_for_each(|label| writeln!(out, "{}", label.number()))?;
        return Ok(());
    }
    if let Some(moves) = &args.label_of {
        writeln!(out, "{}", label_of(n, moves)?.number())?;
        return Ok(());
    }
    let (shift, start) = (Shift::new(n, m), || Board::shift(n as usize, m as usize));
    if args.solve {
        let moves = common.searches()?.shift(shift, cancel)?;
        let heading = heading(shift, "solve", "; every shorter length is refuted");
        return Ok(heading.print([moves.into_iter()], start, common, out)?);
    }
    if args.count {
        let mut heading = heading(shift, "count", "");
        let Some(count) = heading.count.take() else {
            return Err(RowError::Input(format!(
                "--count: F({}) is too long to write out; with one checker of a colour, at most {MAX_FIBONACCI} of the other are allowed",
                n.max(m) + 2
            )));
        };
        return Ok(heading.print_count(count, common, out)?);
    }
    if args.enumerate {
        return Ok(heading(shift, "enumerate", "").print(shift.solutions(), start, common, out)?);
    }
    let label = args.label.as_ref().map(|k| label(n, k)).transpose()?;
    let (missing, way) = match args.first {
        Some(FirstName::Left) => (m == 0, "left"),
        Some(FirstName::Right) => (n == 0, "right"),
        None => (false, ""),
    };
    if missing {
        return Err(RowError::Input(format!("--first {way}: no checker moves {way}")));
    }
    // Without black checkers none moves right.
    let first = if args.first == Some(FirstName::Left) || n == 0 && m > 0 { First::Left } else { First::Right };
    let heading = |method| match &label {
        Some(label) => heading(shift, method, "").with("label", label.number().to_string()),
        None => heading(shift, method, "").with("first", if first == First::Left { "left" } else { "right" }),
    };
    if let Some(i) = args.formula {
        let place = label.as_ref().map_or_else(|| shift.formula(i, first), |label| label.formula(i));
        let place = one_move(i, shift.minimum(), place)?;
        return Ok(heading("formula").with("index", i).bare().print([[place].into_iter()], start, common, out)?);
    }
    let heading = heading("construct");
    let moves = label.map_or_else(|| shift.construct(first), |label| Box::new(label.into_moves()));
    Ok(heading.print([moves], start, common, out)?)
}

fn heading(shift: Shift, method: &'static str, more: &str) -> Heading {
    let (few, many) = (shift.black().min(shift.white()), shift.black().max(shift.white()));
    let count = (few != 1 || many <= MAX_FIBONACCI).then(|| shift.count());
    // A Fibonacci number of many digits would hide what else the line says.
    let solutions = match &count {
        Some(count) if count.bits() <= 256 => counted(count, "shortest solution"),
        _ => format!("F({}) shortest solutions", many + 2),
    };
    Heading {
        puzzle: "shift",
        parameters: vec![("n", shift.black().into()), ("m", shift.white().into())],
        minimum: Minimum::Known(shift.minimum()),
        count,
        method,
        text: format!("{}, {solutions}{more}", counted(&shift.minimum().into(), "move")),
    }
}

fn label(n: u64, k: &BigUint) -> Result<Label, RowError> {
    Label::new(n, k.clone()).ok_or_else(|| {
        RowError::Input(format!(
            "--label {k}: not a label of {n} black checkers; allowed are the numbers whose one bits and binary logarithm (rounded down) add up to at most {n}"
        ))
    })
}

fn label_of(n: u64, text: &str) -> Result<Label, RowError> {
    let place = |word: &str| {
        word.parse::<u64>().map_err(|_| {
            RowError::Input(format!(
                "--label-of: {word:?} is not a place; allowed are whole numbers with spaces between"
            ))
        })
    };
    let moves: Vec<u64> = text.split_whitespace().map(place).collect::<Result<_, _>>()?;
    Label::of(n, &moves).map_err(|error| RowError::Input(format!("--label-of: {error}")))
}
