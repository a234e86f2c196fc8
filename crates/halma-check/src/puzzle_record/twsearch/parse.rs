//! Files of twsearch, line by line.

use std::collections::BTreeMap;

use super::{MOST_POSITIONS, MOST_POWERS, Move, Set, Turn};
use crate::rejection::Trouble;

/// The most pieces of a set, and of all orientations.
const MOST: usize = 255;

/// The lines that have words.
struct Lines<'a> {
    lines: Vec<Vec<&'a str>>,
    next: usize,
}

/// What stands under the name of a set: one line of numbers, or two.
type Numbers<'a> = (Vec<&'a str>, Option<Vec<&'a str>>);

fn number(word: &str) -> Result<usize, String> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let digits = digits && word.trim_start_matches('0').len() <= 3;
    word.parse().ok().filter(|_| digits).ok_or_else(|| format!("`{word}` is no small number"))
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let words = |line: &'a str| line.split('#').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>();
        Self { lines: text.lines().map(words).filter(|words| !words.is_empty()).collect(), next: 0 }
    }

    fn next(&mut self) -> Option<Vec<&'a str>> {
        let line = self.lines.get(self.next).cloned();
        self.next += 1;
        line
    }

    /// The next line, if it has numbers.
    fn numbers(&mut self) -> Option<Vec<&'a str>> {
        let starts = |word: &str| word == "?" || word.starts_with(|c: char| c.is_ascii_digit());
        let line = self.lines.get(self.next).filter(|line| starts(line[0])).cloned();
        self.next += usize::from(line.is_some());
        line
    }

    /// What stands up to `End`, by set.
    fn sets(&mut self, sets: &[Set]) -> Result<Vec<Option<Numbers<'a>>>, String> {
        let mut found: Vec<Option<Numbers>> = vec![None; sets.len()];
        loop {
            let line = self.next().ok_or("there is no `End`")?;
            if line == ["End"] {
                return Ok(found);
            }
            let set = sets.iter().position(|set| line == [set.name.as_str()]);
            let set = set.ok_or_else(|| format!("`{}` is no set", line.join(" ")))?;
            let first = self.numbers().ok_or("a set without numbers")?;
            let second = self.numbers();
            let size = sets[set].size;
            if first.len() != size || second.as_ref().is_some_and(|line| line.len() != size) || found[set].is_some() {
                return Err(format!("set {}: not {size} numbers, or it comes twice", sets[set].name));
            }
            found[set] = Some((first, second));
        }
    }
}

/// Enters the solved state of a set.
fn solve(set: &mut Set, numbers: Option<Numbers>) -> Result<(), String> {
    let (pieces, orientations) = numbers.unzip();
    let values = match pieces {
        Some(words) => words.into_iter().map(number).collect::<Result<Vec<_>, _>>()?,
        None => (1..=set.size).collect(),
    };
    let mut kinds = values.clone();
    kinds.sort_unstable();
    kinds.dedup();
    set.pieces = values.iter().map(|value| kinds.binary_search(value).unwrap_or_default() as u8).collect();
    // Of a single orientation it does not matter whether it counts.
    let turns = set.base > 1;
    set.counts = vec![turns; kinds.len()];
    set.names = kinds;
    set.orientations = vec![0; set.size];
    let words = orientations.flatten().unwrap_or_default();
    for (position, &word) in words.iter().enumerate() {
        let piece = set.pieces[position];
        // Equal pieces are equal in this, too.
        let differs = |(&other, &same): (&&str, &u8)| same == piece && (other == "?") != (word == "?");
        if turns && words.iter().zip(&set.pieces).any(differs) {
            return Err(format!("set {}: of equal pieces some have an orientation that counts", set.name));
        }
        set.counts[usize::from(piece)] = turns && word != "?";
        let orientation = if word == "?" { 0 } else { number(word)? };
        if orientation >= usize::from(set.base) {
            return Err(format!("set {}: orientation {orientation}", set.name));
        }
        set.orientations[position] = orientation as u8;
    }
    set.oriented = set.counts.contains(&true);
    Ok(())
}

/// What a move does to a set. Of a `MoveTransformation` positions are counted from 0, and what is added stands at the position
/// that the piece goes to; else from 1, and at the one that it comes from.
fn turn(set: &Set, numbers: Option<Numbers>, transformation: bool) -> Result<Turn, String> {
    let Some((from, add)) = numbers else { return Ok(Turn::identity(set.size)) };
    let first = usize::from(!transformation);
    let from = from.into_iter().map(number).collect::<Result<Vec<_>, _>>()?;
    let mut sorted = from.clone();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(first..first + set.size) {
        return Err(format!("set {}: no permutation", set.name));
    }
    let from: Vec<u8> = from.iter().map(|&position| (position - first) as u8).collect();
    let add = add.unwrap_or_default().into_iter().map(number).collect::<Result<Vec<_>, _>>()?;
    if add.iter().any(|&add| add >= usize::from(set.base)) {
        return Err(format!("set {}: an orientation of {} or more", set.name, set.base));
    }
    let stands = |(to, &from): (usize, &u8)| if transformation { to } else { usize::from(from) };
    let add: Vec<u8> = match add.is_empty() || !set.oriented {
        // Where no orientation counts, none has to come back.
        true => vec![0; set.size],
        false => from.iter().enumerate().map(|place| add[stands(place)] as u8).collect(),
    };
    Ok(Turn { from, add })
}

/// Whether twsearch keeps a name for turns of the whole puzzle: an axis, or capitals and a `v`.
fn is_rotation(name: &str) -> bool {
    let axes = ["x", "y", "z"].into_iter().flat_map(|axis| ["", "2", "'"].map(|power| format!("{axis}{power}")));
    let grip = name.strip_suffix('v').unwrap_or_default();
    axes.into_iter().any(|axis| axis == name)
        || !grip.is_empty() && grip.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// How often a move has to be made until it has done nothing: a multiple of the length of each cycle, by which what the cycle adds
/// to an orientation is a multiple of the number of orientations.
fn order(sets: &[Set], turns: &[Turn]) -> Result<usize, String> {
    let mut order = 1;
    for (set, turn) in sets.iter().zip(turns) {
        let (base, mut seen) = (usize::from(set.base), vec![false; set.size]);
        for first in 0..set.size {
            let (mut at, mut length, mut added) = (first, 0, 0);
            while !seen[at] {
                seen[at] = true;
                (length, added) = (length + 1, added + usize::from(turn.add[at]));
                at = usize::from(turn.from[at]);
            }
            if length > 0 {
                let own = length * base / gcd(base, added % base);
                order = order / gcd(order, own) * own;
            }
            if order > MOST_POWERS {
                return Err(format!("it has more than {MOST_POWERS} powers"));
            }
        }
    }
    Ok(order)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What a file says: the sets, the moves, and other names for some of these.
pub type Definition = (Vec<Set>, Vec<Move>, BTreeMap<String, Vec<String>>);

/// Reads a file.
pub fn definition(text: &str) -> Result<Definition, Trouble> {
    let mut lines = Lines::of(text);
    let mut sets: Vec<Set> = Vec::new();
    // What moves do, whether as transformations. Which orientations count, the solved state says, which may come later.
    let mut stated: Vec<(&str, bool, Vec<Option<Numbers>>)> = Vec::new();
    let mut sequences = BTreeMap::new();
    let mut solved = false;
    while let Some(line) = lines.next() {
        let is_new_set = |name: &str| !solved && stated.is_empty() && sets.iter().all(|set| set.name != name);
        match line[..] {
            ["Name", ..] => {}
            ["Set", name, size, base] if is_new_set(name) => {
                let (size, base) = (number(size)?, number(base)?);
                if !(1..=MOST).contains(&size) || !(1..=MOST).contains(&base) || sets.len() > MOST {
                    return Err(format!("set {name}: {size} pieces, {base} orientations").into());
                }
                let positions = size + sets.iter().map(|set| set.size).sum::<usize>();
                if positions > MOST_POSITIONS {
                    let most = format!("this verifier follows at most {MOST_POSITIONS}");
                    return Err(Trouble::TooMany(format!("definition: {positions} positions or more, and {most}")));
                }
                let (name, base) = (name.to_string(), base as u8);
                let (pieces, orientations) = (Vec::new(), Vec::new());
                let (names, counts) = (Vec::new(), Vec::new());
                sets.push(Set { name, size, base, oriented: false, pieces, orientations, names, counts });
            }
            ["Solved" | "StartState"] if !solved && !sets.is_empty() => {
                solved = true;
                let found = lines.sets(&sets)?;
                sets.iter_mut().zip(found).try_for_each(|(set, numbers)| solve(set, numbers))?;
            }
            ["MoveAlias", name, of] => drop(sequences.insert(name.into(), vec![of.into()])),
            ["MoveSequence", name, ref of @ ..] if !of.is_empty() => {
                sequences.insert(name.into(), of.iter().map(|word| word.to_string()).collect());
            }
            ["SwizzleSet", ..] => {}
            ["Move" | "MoveTransformation", name] if stated.iter().all(|(other, ..)| *other != name) => {
                let found = lines.sets(&sets).map_err(|fault| format!("move {name}: {fault}"))?;
                stated.push((name, line[0] != "Move", found));
            }
            _ => return Err(format!("definition: `{}` is not expected there", line.join(" ")).into()),
        }
    }
    let mut moves = Vec::new();
    for (name, transformation, found) in stated.into_iter().filter(|_| solved) {
        let fault = |fault: String| format!("move {name}: {fault}");
        let turns = sets.iter().zip(found).map(|(set, numbers)| turn(set, numbers, transformation));
        let turns = turns.collect::<Result<Vec<_>, _>>().map_err(fault)?;
        let order = order(&sets, &turns).map_err(fault)?;
        // Turns of the whole puzzle are no moves.
        moves.extend((!is_rotation(name)).then_some(Move { name: name.into(), turns, order }));
    }
    match solved && !moves.is_empty() {
        true => Ok((sets, moves, sequences)),
        false => Err("definition: no solved state, or no moves".into()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZES: [usize; 2] = [7, 4];
    const BASE: u8 = 6;

    fn turn() -> impl Strategy<Value = Vec<Turn>> {
        let one = |size: usize| {
            let from = Just((0..size as u8).collect::<Vec<u8>>()).prop_shuffle();
            (from, prop::collection::vec(0..BASE, size)).prop_map(|(from, add)| Turn { from, add })
        };
        (one(SIZES[0]), one(SIZES[1])).prop_map(|(first, second)| vec![first, second])
    }

    proptest! {
        #[test]
        fn the_order_by_cycles_is_the_number_of_turns_that_do_nothing(turns in turn()) {
            let set = |size| Set {
                name: String::new(), size, base: BASE, oriented: true, pieces: Vec::new(), orientations: Vec::new(),
                names: Vec::new(), counts: Vec::new(),
            };
            let sets = SIZES.map(set);
            let (mut power, mut times) = (turns.clone(), 1);
            while power.iter().any(|turn| *turn != Turn::identity(turn.from.len())) {
                power = power.iter().zip(&turns).map(|(power, turn)| power.and(turn, BASE)).collect();
                times += 1;
            }
            prop_assert_eq!(order(&sets, &turns), Ok(times));
        }
    }
}
