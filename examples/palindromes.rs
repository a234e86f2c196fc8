//! Is there always a shortest solution that is palindromic? The paper's author has seen no counterexample. Every army
//! that is symmetric about the long diagonal crosses a square board to its mirror image; the shortest length is compared
//! with that of palindromic solutions.
//!
//! ```text
//! cargo run --release --example palindromes -- SIDE MEN [RULE...]
//! ```
//!
//! A line of Markdown for each rule (4, 6 and 8 unless said), then every army without a palindromic solution of the
//! shortest length. A solution is palindromic if one of the mirrors that swap the ends, the reflection and the half turn,
//! turns it into its own reversal. By Burnside's lemma there are 2r - s of these up to symmetry, of s solutions up to
//! symmetry and r up to symmetry and reversal, which is how halma counts them.

use halma::{CancellationToken, Counts, Job, Question, Verdict, run};
use halma_record::record::Count;
use halma_rules::job::Overrides;
use rayon::prelude::*;

/// The cells of an army, as column and row.
type Army = Vec<(usize, usize)>;

/// What came of one army.
enum Outcome {
    /// A shortest solution is palindromic.
    Palindromic,
    /// None is, of this length.
    Not(u32),
    /// There is no solution at all.
    Unsolvable,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|a| a.parse()).collect::<Result<_, _>>()?;
    let [side, men, rules @ ..] = &numbers[..] else { return Err("usage: palindromes SIDE MEN [RULE...]".into()) };
    let rules = if rules.is_empty() { &[4, 6, 8] } else { rules };
    let armies = symmetric(*side, *men);
    for &rule in rules {
        let outcomes: Vec<(&Army, Outcome)> =
            armies.par_iter().map(|army| (army, outcome(*side, army, rule))).collect();
        let of = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, o)| wanted(o)).count();
        println!(
            "| {side}x{side} | {men} | {rule} | {} | {} | {} | {} |",
            outcomes.len(),
            of(|o| matches!(o, Outcome::Unsolvable)),
            of(|o| matches!(o, Outcome::Palindromic)),
            of(|o| matches!(o, Outcome::Not(..))),
        );
        for (army, outcome) in &outcomes {
            if let Outcome::Not(length) = outcome {
                let names: Vec<String> = army.iter().map(|&c| name(c)).collect();
                println!("  {}: {length} moves, none of them a palindrome", names.join(" "));
            }
        }
    }
    Ok(())
}

fn name((x, y): (usize, usize)) -> String {
    format!("{}{}", char::from(b'a' + x as u8), y + 1)
}

/// The armies of `men` men that the exchange of columns and rows leaves alone and that the reflection in the short
/// diagonal does not; of each and its mirror image one.
fn symmetric(side: usize, men: usize) -> Vec<Army> {
    let orbits: Vec<Army> = (0..side)
        .flat_map(|x| (0..=x).map(move |y| if x == y { vec![(x, x)] } else { vec![(x, y), (y, x)] }))
        .collect();
    let mut armies = Vec::new();
    choose(&orbits, men, &mut Vec::new(), &mut armies);
    armies.retain(|army| {
        let mut image: Army = army.iter().map(|&(x, y)| (side - 1 - y, side - 1 - x)).collect();
        image.sort_unstable();
        *army < image
    });
    armies.sort_unstable();
    armies
}

fn choose(orbits: &[Army], men: usize, chosen: &mut Army, armies: &mut Vec<Army>) {
    if chosen.len() == men {
        let mut army = chosen.clone();
        army.sort_unstable();
        return armies.push(army);
    }
    let Some((first, rest)) = orbits.split_first() else { return };
    if chosen.len() + first.len() <= men {
        let before = chosen.len();
        chosen.extend(first);
        choose(rest, men, chosen, armies);
        chosen.truncate(before);
    }
    choose(rest, men, chosen, armies);
}

fn outcome(side: usize, army: &Army, rule: usize) -> Outcome {
    let target: Army = army.iter().map(|&(x, y)| (side - 1 - y, side - 1 - x)).collect();
    let row = |y: usize| -> String {
        let cell = |x: usize| match (army.contains(&(x, y)), target.contains(&(x, y))) {
            (true, true) => 'B',
            (true, false) => 'S',
            (false, true) => 'T',
            (false, false) => '.',
        };
        (0..side).map(cell).collect()
    };
    let map: Vec<String> = (0..side).map(row).collect();
    let text = format!(
        "[problem]\nkind = \"transfer\"\nmoves = {rule}\nboard = \"\"\"\n{}\n\"\"\"\n[search]\npruning = \"leading\"\n",
        map.join("\n")
    );
    let overrides = Overrides { threads: Some(1), ..Overrides::default() };
    let job = Job::parse("army.toml".as_ref(), &text).and_then(|job| job.with(&overrides));
    let job = job.unwrap_or_else(|fault| panic!("{fault}"));
    let record =
        run(&job, Question::Count, &(), &CancellationToken::after(None)).unwrap_or_else(|fault| panic!("{fault}"));
    match (record.verdict, record.length, &record.counts) {
        (Verdict::None, ..) => Outcome::Unsolvable,
        (Verdict::Counted, Some(_), Some(counts)) if palindromes(counts) > 0 => Outcome::Palindromic,
        (Verdict::Counted, Some(length), Some(_)) => Outcome::Not(length),
        // That would be no answer.
        (verdict, ..) => panic!("{text}: {verdict:?}"),
    }
}

/// How many solutions are palindromic, up to symmetry, in one mirror or the other.
fn palindromes(counts: &Counts) -> u128 {
    let number = |count: &Count| count.to_string().parse::<u128>().expect("no more than 128 bits");
    let both = counts.up_to_reversal.as_ref().expect("the armies are each other's mirror images");
    2 * number(both) - number(&counts.up_to_symmetry)
}
