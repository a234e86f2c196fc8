//! `halma row pairs`.

use std::io::Write;

use clap::{ArgGroup, Args};
use num_bigint::BigUint;

use halma_engine::search::CancellationToken;
use halma_puzzles::row::pair_puzzle::PairRow;
use halma_puzzles::row::pairs::Pairs;
use halma_puzzles::row::row_board::{Board, MAX_PLACES};

use super::print::{Heading, Minimum};
use super::{Common, RowError, checkers, counted, index, one_move};

/// `halma row pairs`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("what").args(["solve", "construct", "formula", "enumerate", "count", "conjecture"]))]
pub struct PairsArgs {
    /// Checkers of each colour
    #[arg(value_parser = checkers, allow_negative_numbers = true)]
    n: u64,
    /// Search all moves level by level for a shortest solution
    #[arg(long)]
    pub(super) solve: bool,
    /// Print the constructed shortest solution move by move (what is done unless something else is asked for)
    #[arg(long)]
    construct: bool,
    /// Print move I of that solution alone, from its closed form
    #[arg(long, value_name = "I", value_parser = index, allow_negative_numbers = true)]
    formula: Option<u64>,
    /// Print all shortest solutions, found by search
    #[arg(long)]
    enumerate: bool,
    /// Print the number of shortest solutions, counted by search
    #[arg(long)]
    count: bool,
    /// Print the conjectured number of shortest solutions, for N >= 4: a formula that fits all counts so far
    #[arg(long, conflicts_with_all = ["json", "draw"])]
    conjecture: bool,
    /// Options of all row puzzles.
    #[command(flatten)]
    common: Common,
}

/// The most checkers of a colour for which the conjectured count is written out.
const MAX_CONJECTURE: u64 = 10_000;

/// Does what was typed.
pub fn run(args: &PairsArgs, cancel: &CancellationToken, out: &mut dyn Write) -> Result<(), RowError> {
    let &PairsArgs { n, ref common, .. } = args;
    let (puzzle, what) = (Pairs::new(n), format!("2 x {n} checkers"));
    if common.draw && 2 * n + 2 > MAX_PLACES {
        return Err(RowError::Input(format!("--draw: {what}; allowed are at most {}", MAX_PLACES - 2)));
    }
    let start = || Board::pairs(n as usize);
    if args.solve {
        let moves = common.searches()?.pairs(puzzle, cancel)?;
        let more = if moves.is_some() {
            "; every shorter length is refuted"
        } else {
            ": every row that can be reached was seen"
        };
        let heading = heading(puzzle, "solve", None, more);
        return Ok(heading.print(moves.map(Vec::into_iter), start, common, out)?);
    }
    if args.conjecture {
        // Beyond that the number has too many digits to be of use.
        let conjectured = Some(puzzle).filter(|_| n <= MAX_CONJECTURE).and_then(Pairs::conjectured_count);
        let wrong = || RowError::Input(format!("--conjecture: N is {n}, allowed are 4 to {MAX_CONJECTURE}"));
        writeln!(out, "{}", conjectured.ok_or_else(wrong)?)?;
        return Ok(());
    }
    if args.count {
        let count = common.searches()?.count_pairs(puzzle)?;
        return Ok(heading(puzzle, "count", None, "").print_count(count, common, out)?);
    }
    if args.enumerate {
        let all = common.searches()?.all_pairs(puzzle)?;
        let heading = heading(puzzle, "enumerate", Some(all.count()), "");
        return Ok(heading.print(all.solutions(|_, key| PairRow::place(key)), start, common, out)?);
    }
    if let Some(i) = args.formula {
        let Some(minimum) = puzzle.minimum() else {
            return Err(RowError::Input(format!("--formula {i}: {what} have no solution")));
        };
        let place = one_move(i, minimum, puzzle.formula(i))?;
        let heading = heading(puzzle, "formula", None, "").with("index", i).bare();
        return Ok(heading.print([[place].into_iter()], start, common, out)?);
    }
    Ok(heading(puzzle, "construct", None, "").print(puzzle.construct(), start, common, out)?)
}

fn heading(puzzle: Pairs, method: &'static str, count: Option<BigUint>, more: &str) -> Heading {
    let words = match (puzzle.minimum(), &count) {
        (None, _) => "unsolvable".into(),
        (Some(moves), None) => counted(&moves.into(), "move"),
        (Some(moves), Some(count)) => {
            format!("{}, {}", counted(&moves.into(), "move"), counted(count, "shortest solution"))
        }
    };
    Heading {
        puzzle: "pairs",
        parameters: vec![("n", puzzle.pairs().into())],
        minimum: puzzle.minimum().map_or(Minimum::Unsolvable, Minimum::Known),
        count,
        method,
        text: words + more,
    }
}
