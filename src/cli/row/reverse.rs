//! `halma row reverse`.

use std::io::Write;

use clap::{ArgGroup, Args};
use num_bigint::BigUint;
use serde_json::json;

use halma_engine::search::CancellationToken;
use halma_puzzles::row::reversal::Reversal;
use halma_puzzles::row::reversal_puzzle::RowReversal;
use halma_puzzles::row::row_board::{Board, MAX_PLACES};

use super::print::{Heading, Minimum, Number};
use super::{Common, RowError, checkers, counted, index, one_move};

/// `halma row reverse`.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("what").args(["solve", "construct", "formula", "enumerate", "count", "table", "conjecture"]))]
pub struct ReverseArgs {
    /// Checkers
    #[arg(value_parser = checkers, allow_negative_numbers = true)]
    n: u64,
    /// The place of the vacancy at the start, from 0 to N
    #[arg(long, value_name = "S", default_value = "0", value_parser = checkers, allow_negative_numbers = true)]
    start: u64,
    /// The place of the vacancy at the end, from 0 to N
    #[arg(long, value_name = "F", default_value = "0", value_parser = checkers, allow_negative_numbers = true)]
    end: u64,
    /// Search all moves level by level for a shortest solution
    #[arg(long)]
    pub(super) solve: bool,
    /// Print the constructed solution move by move (what is done unless something else is asked for)
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
    /// Print minima and counts for all places of the vacancy, found by search
    #[arg(long, conflicts_with_all = ["start", "end", "draw"])]
    table: bool,
    /// Print the minimum by a formula. It is proved for some N, S and F, and a conjecture for the others
    #[arg(long, conflicts_with_all = ["json", "draw"])]
    conjecture: bool,
    /// Options of all row puzzles.
    #[command(flatten)]
    common: Common,
}

/// Does what was typed.
pub fn run(args: &ReverseArgs, cancel: &CancellationToken, out: &mut dyn Write) -> Result<(), RowError> {
    let &ReverseArgs { n, start: s, end: f, ref common, .. } = args;
    for (name, place) in [("start", s), ("end", f)] {
        if place > n {
            return Err(RowError::Input(format!("--{name} {place}: allowed are the places 0 to {n}")));
        }
    }
    if common.draw && n >= MAX_PLACES {
        return Err(RowError::Input(format!("--draw: {n} checkers; allowed are fewer than {MAX_PLACES}")));
    }
    let puzzle = Reversal::new(n, s, f);
    let start = || Board::reversal(n as usize, s as usize);
    let heading = |method, minimum, count, more| heading((n, s, f), method, minimum, count, more);
    if args.table {
        return print_table(n, common, out);
    }
    if args.count {
        let (minimum, count) = common.searches()?.count_reversal(puzzle)?;
        return Ok(heading("count", Minimum::Known(minimum), None, "").print_count(count, common, out)?);
    }
    if args.solve {
        let moves = common.searches()?.reversal(puzzle, cancel)?;
        let minimum = moves.as_ref().map_or(Minimum::Unsolvable, |moves| Minimum::Known(moves.len() as u64));
        let heading = heading("solve", minimum, None, "; every shorter length is refuted");
        return Ok(heading.print(moves.map(Vec::into_iter), start, common, out)?);
    }
    if args.enumerate {
        let all = common.searches()?.all_reversals(puzzle)?;
        let heading =
            heading("enumerate", all.minimum().map_or(Minimum::Unsolvable, Minimum::Known), Some(all.count()), "");
        return Ok(heading.print(all.solutions(RowReversal::place), start, common, out)?);
    }
    if args.conjecture {
        writeln!(out, "{}", puzzle.conjectured_minimum())?;
        return Ok(());
    }
    let length = puzzle.upper_bound();
    let minimum = match puzzle.is_proved() {
        true => Minimum::Known(length),
        false => Minimum::Between(puzzle.lower_bound(), length),
    };
    if let Some(i) = args.formula {
        let place = one_move(i, length, puzzle.formula(i))?;
        let heading = heading("formula", minimum, None, "").with("index", i).bare();
        return Ok(heading.print([[place].into_iter()], start, common, out)?);
    }
    let heading = heading("construct", minimum, None, ", proved to be the fewest");
    Ok(heading.print([puzzle.construct()], start, common, out)?)
}

fn heading(
    (n, s, f): (u64, u64, u64),
    method: &'static str,
    minimum: Minimum,
    count: Option<BigUint>,
    more: &str,
) -> Heading {
    let text = match (minimum, &count) {
        (Minimum::Unsolvable, _) => "unsolvable".into(),
        (Minimum::Known(moves), None) => counted(&moves.into(), "move") + more,
        (Minimum::Known(moves), Some(count)) => {
            format!("{}, {}{more}", counted(&moves.into(), "move"), counted(count, "shortest solution"))
        }
        (Minimum::Between(low, high), _) => {
            format!(
                "{high} moves; that there is nothing shorter is a conjecture, that at least {low} are needed is proved"
            )
        }
    };
    let parameters = vec![("n", n.into()), ("start", s.into()), ("end", f.into())];
    Heading { puzzle: "reverse", parameters, minimum, count, method, text }
}

/// Minima and counts: one row for each start, one column for each end.
fn print_table(n: u64, common: &Common, out: &mut dyn Write) -> Result<(), RowError> {
    let table = common.searches()?.reversal_table(n)?;
    if common.json {
        let minima: Vec<Vec<u64>> = table.iter().map(|row| row.iter().map(|cell| cell.0).collect()).collect();
        let counts: Vec<Vec<Number>> =
            table.iter().map(|row| row.iter().map(|cell| Number(&cell.1)).collect()).collect();
        let document = json!({
            "puzzle": "reverse", "parameters": {"n": n}, "minima": minima, "counts": counts, "method": "table",
        });
        writeln!(out, "{document}")?;
        return Ok(());
    }
    let heads: String = (0..=n).map(|f| format!(" f = {f} |")).collect();
    writeln!(out, "| n = {n} |{heads}\n|{}", " --- |".repeat(n as usize + 2))?;
    for (s, row) in table.iter().enumerate() {
        let cells: String = row.iter().map(|(minimum, count)| format!(" {minimum} ({count}) |")).collect();
        writeln!(out, "| s = {s} |{cells}")?;
    }
    Ok(())
}
