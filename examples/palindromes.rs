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
//! turns it into its own reversal. halma looks for palindromes of one mirror; where there is none, a plain search looks
//! at all armies of the middle level for those of either.

use std::collections::HashSet;

use halma::board::Board;
use halma::job::{Job, Overrides};
use halma::lattice::{Lattice, Rule};
use halma::moves::destinations;
use halma::record::Verdict;
use halma::run::{self, Question};
use halma::search::Stop;
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
    let Some(length) = shortest(side, army, rule, None) else { return Outcome::Unsolvable };
    if shortest(side, army, rule, Some(length)).is_some() || plainly_palindromic(side, army, rule, length) {
        return Outcome::Palindromic;
    }
    Outcome::Not(length)
}

/// Whether a palindrome of `length` moves exists under either mirror, by a search without any reduction.
fn plainly_palindromic(side: usize, army: &Army, rule: usize, length: u32) -> bool {
    let map = vec![".".repeat(side); side].join("\n");
    let board = Board::from_map(&map).unwrap_or_else(|fault| panic!("{fault:?}")).0;
    let rule = [Rule::Four, Rule::Six, Rule::Eight][rule / 2 - 2];
    let lattice = Lattice::new(board, rule);
    let at = |x: usize, y: usize| lattice.board.at(x as i32, y as i32).unwrap_or_else(|| unreachable!("on the board"));
    let moved = |state: &[bool]| -> Vec<Vec<bool>> {
        let men = (0..state.len()).filter(|&c| state[c]);
        let to = |from: usize| destinations(&lattice, state, from, false).into_iter().map(move |to| (from, to));
        let after = |(from, to): (usize, usize)| {
            let mut next = state.to_vec();
            (next[from], next[to]) = (false, true);
            next
        };
        men.flat_map(to).map(after).collect()
    };
    let mut start = vec![false; side * side];
    army.iter().for_each(|&(x, y)| start[at(x, y)] = true);
    let mut seen = HashSet::from([start.clone()]);
    let mut level = vec![start];
    for _ in 0..length / 2 {
        let next: Vec<Vec<bool>> = level.iter().flat_map(|state| moved(state)).collect();
        level = next.into_iter().filter(|state| seen.insert(state.clone())).collect();
    }
    let far = side - 1;
    let image = |state: &[bool], mirror: fn(usize, usize, usize) -> (usize, usize)| {
        let mut image = vec![false; state.len()];
        for (x, y) in (0..side).flat_map(|x| (0..side).map(move |y| (x, y))) {
            let (to_x, to_y) = mirror(far, x, y);
            image[at(to_x, to_y)] = state[at(x, y)];
        }
        image
    };
    let continues = |state: &Vec<bool>| {
        let images = [image(state, |far, x, y| (far - y, far - x)), image(state, |far, x, y| (far - x, far - y))];
        images.iter().any(|image| if length.is_multiple_of(2) { image == state } else { moved(state).contains(image) })
    };
    level.iter().any(continues)
}

/// The shortest length; of palindromic solutions, where the greatest length of interest is given.
fn shortest(side: usize, army: &Army, rule: usize, palindromic: Option<u32>) -> Option<u32> {
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
    let search = palindromic.map_or(String::new(), |max| format!("\npalindromic = true\nmax-length = {max}"));
    let text = format!(
        "[problem]\nkind = \"transfer\"\nmoves = {rule}\nboard = \"\"\"\n{}\n\"\"\"\n[search]\npruning = \"none\"{search}\n",
        map.join("\n")
    );
    let overrides = Overrides { threads: Some(1), ..Overrides::default() };
    let job = Job::parse("army.toml".as_ref(), &text).and_then(|job| job.with(&overrides));
    let job = job.unwrap_or_else(|fault| panic!("{fault}"));
    let record = run::run(&job, Question::Solve, &(), &Stop::after(None)).unwrap_or_else(|fault| panic!("{fault}"));
    // Anything but these two would be no answer.
    assert!(matches!(record.verdict, Verdict::Optimal | Verdict::None), "{text}: {:?}", record.verdict);
    record.length
}
