//! `halma row reverse`.

use std::io::Write;

use clap::{ArgGroup, Args};
use num_bigint::BigUint;
use serde_json::json;

use halma_engine::search::CancellationToken;
use halma_puzzles::row::levels::Paths;
use halma_puzzles::row::reversal::{Reversal, table};
use halma_puzzles::row::reversal_puzzle::RowReversal;
use halma_puzzles::row::row_board::{Board, MAX_PLACES};

use super::print::{Heading, Minimum, Number};
use super::{Common, RowError, checkers, counted, index, one_move, too_long};

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
    solve: bool,
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
    /// Print the minimum that a formula gives which is proved for some N, S and F and a conjecture for the others
    #[arg(long, conflicts_with_all = ["json", "draw"])]
    conjecture: bool,
    /// Options of all row puzzles.
    #[command(flatten)]
    common: Common,
}

/// The most checkers that a search takes.
const MOST: u64 = 15;

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
    let (puzzle, what) = (Reversal::new(n, s, f), format!("{n} checkers"));
    let start = || Board::reversal(n as usize, s as usize);
    let heading = |method, minimum, count, more| heading((n, s, f), method, minimum, count, more);
    if args.solve || args.enumerate || args.count || args.table {
        let row = RowReversal::new(n, s, f, None).ok_or_else(|| too_long(&what, MOST))?;
        if args.table {
            return print_table(n, common, out);
        }
        if args.count {
            let counted = common.expander()?.install(|| puzzle.minimum_and_count(common.states()));
            let (minimum, count) = counted.ok_or_else(|| common.outgrown())?;
            return Ok(heading("count", Minimum::Known(minimum), None, "").print_count(count, common, out)?);
        }
        let place = |key| row.place(key);
        if args.solve {
            // A move changes the bound by one: all solutions have its parity.
            let lengths = (u32::try_from(puzzle.lower_bound()).unwrap_or(u32::MAX), 2);
            let bounded = |length| RowReversal::new(n, s, f, length);
            let moves = common.solve(bounded, lengths, RowReversal::goal, place, (what, MOST), cancel)?;
            let minimum = moves.as_ref().map_or(Minimum::Unsolvable, |moves| Minimum::Known(moves.len() as u64));
            let heading = heading("solve", minimum, None, "; every shorter length is refuted");
            return Ok(heading.print(moves.map(Vec::into_iter), start, common, out)?);
        }
        let solved = common.expander()?.install(|| puzzle.solve(common.states()));
        let (bounded, outcome) = solved.ok_or_else(|| too_long(&what, MOST))?;
        let levels = common.levels(outcome)?;
        let minimum = levels.as_ref().map_or(Minimum::Unsolvable, |levels| Minimum::Known(levels.len() as u64 - 1));
        let count = levels.as_ref().map_or(BigUint::ZERO, |levels| super::paths(levels, row.goal()));
        let paths = levels.iter().flat_map(|levels| Paths::new(&bounded, levels, row.goal()));
        let solutions = paths.map(|keys| keys.into_iter().map(place));
        return Ok(heading("enumerate", minimum, Some(count), "").print(solutions, start, common, out)?);
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
    let table = common.expander()?.install(|| table(n, common.states())).ok_or_else(|| common.outgrown())?;
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
