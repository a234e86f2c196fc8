//! Permutation puzzles drawn at random: the search, without and with projections, agrees with all their states, which are
//! found here from what the guide says of a move, and the verifier accepts what it says.

use std::fmt::Write;

use halma_engine::draws::Draws;

use crate::all_states::Truth;
use crate::tiny::pick;

/// A set of pieces.
#[derive(Clone)]
struct Set {
    name: &'static str,
    count: usize,
    orientations: usize,
    /// By position of the solved state.
    solved: Vec<usize>,
    /// By piece: whether its orientation counts.
    counts: Vec<bool>,
}

/// Two numbers for each position of a set.
type Pairs = Vec<(usize, usize)>;

/// By set, by position: which piece stands there, and how it is turned.
type State = Vec<Pairs>;

/// By set, by position: where what comes there stands before, and by how much it is turned.
type Move = Vec<Pairs>;

fn shuffled(draws: &mut Draws, count: usize) -> Vec<usize> {
    pick(draws, &(0..count).collect::<Vec<_>>(), count)
}

fn identity(sets: &[Set]) -> Move {
    sets.iter().map(|set| (0..set.count).map(|position| (position, 0)).collect()).collect()
}

/// First the one, then the other.
fn after(sets: &[Set], first: &Move, second: &Move) -> Move {
    let both = |(set, (first, second)): (&Set, (&Pairs, &Pairs))| {
        second.iter().map(|&(from, turn)| (first[from].0, (first[from].1 + turn) % set.orientations)).collect()
    };
    sets.iter().zip(first.iter().zip(second)).map(both).collect()
}

fn applied(sets: &[Set], state: &State, by: &Move) -> State {
    let set = |(set, (state, by)): (&Set, (&Pairs, &Pairs))| {
        let piece = |&(from, turn): &(usize, usize)| {
            let (piece, orientation) = state[from];
            (piece, if set.counts[piece] { (orientation + turn) % set.orientations } else { 0 })
        };
        by.iter().map(piece).collect()
    };
    sets.iter().zip(state.iter().zip(by)).map(set).collect()
}

/// All powers but the identity, or the move and its inverse alone.
fn counted(sets: &[Set], base: &Move, quarter: bool) -> Vec<Move> {
    let none = identity(sets);
    let next = |power: &Move| Some(after(sets, power, base)).filter(|power| *power != none);
    let powers: Vec<Move> = std::iter::successors(Some(base.clone()), next).collect();
    if quarter { vec![base.clone(), powers[powers.len() - 1].clone()] } else { powers }
}

fn numbers(of: impl Iterator<Item = usize>) -> String {
    of.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

fn sets(draws: &mut Draws) -> Vec<Set> {
    let mut set = |name| {
        let count = 2 + draws.below(3);
        // Some pieces are equal.
        let kinds = if draws.below(2) == 0 { count } else { 1 + draws.below(count) };
        let solved = match kinds == count {
            true => shuffled(draws, count),
            false => (0..kinds).chain((kinds..count).map(|_| draws.below(kinds))).collect(),
        };
        let loose = draws.below(3) == 0;
        let counts = (0..kinds).map(|_| !(loose && draws.below(2) == 0)).collect();
        Set { name, count, orientations: 1 + draws.below(3), solved, counts }
    };
    let first = set("EDGES");
    let second = set("CORNERS");
    if draws.below(2) == 0 { vec![first] } else { vec![first, second] }
}

fn moves(draws: &mut Draws, sets: &[Set]) -> Vec<Move> {
    let mut set = |set: &Set| {
        let from = shuffled(draws, set.count);
        from.into_iter().map(|from| (from, draws.below(set.orientations))).collect()
    };
    let first: Vec<Move> = (0..3).map(|_| sets.iter().map(&mut set).collect()).collect();
    first[..1 + draws.below(3)].iter().filter(|by| **by != identity(sets)).cloned().collect()
}

const NAMES: [&str; 3] = ["R", "U", "F"];

/// The puzzle as a file states it.
fn definition(sets: &[Set], moves: &[Move]) -> String {
    let mut text = "Name Drawn\n".to_string();
    for set in sets {
        writeln!(text, "Set {} {} {}", set.name, set.count, set.orientations).unwrap();
    }
    text += "Solved\n";
    for set in sets {
        let turned: Vec<&str> = set.solved.iter().map(|&piece| if set.counts[piece] { "0" } else { "?" }).collect();
        let pieces = numbers(set.solved.iter().map(|piece| piece + 1));
        writeln!(text, "{}\n{pieces}\n{}", set.name, turned.join(" ")).unwrap();
    }
    text += "End\n";
    for (name, by) in NAMES.iter().zip(moves) {
        writeln!(text, "Move {name}").unwrap();
        for (set, by) in sets.iter().zip(by) {
            // The turn is written where the piece comes from.
            let mut turns = vec![0; set.count];
            by.iter().for_each(|&(from, turn)| turns[from] = turn);
            let from = numbers(by.iter().map(|(from, _)| from + 1));
            writeln!(text, "{}\n{from}\n{}", set.name, numbers(turns.into_iter())).unwrap();
        }
        text += "End\n";
    }
    text
}

/// Some pieces of one set, some of them without their orientation, or all of them, perhaps alike.
fn projection(draws: &mut Draws, sets: &[Set]) -> String {
    let set = &sets[draws.below(sets.len())];
    let mut pieces = Vec::new();
    for piece in 1..=set.counts.len() {
        if draws.below(2) == 0 {
            pieces.push(format!("{piece}{}", if draws.below(4) == 0 { "?" } else { "" }));
        }
    }
    let mut apart = " ";
    if pieces.is_empty() {
        pieces = (1..=set.counts.len()).map(|piece| piece.to_string()).collect();
        apart = draws.one_of(&["=", " "]);
    }
    format!("{} {}", set.name, pieces.join(apart))
}

fn permutations(seed: u64, count: usize) {
    let mut draws = Draws::new(seed);
    let (mut asked, mut projected) = (0, 0);
    while asked < count {
        let sets = sets(&mut draws);
        let bases = moves(&mut draws, &sets);
        if bases.is_empty() {
            continue;
        }
        let quarter = draws.below(2) == 0;
        let solved: State = sets.iter().map(|set| set.solved.iter().map(|&piece| (piece, 0)).collect()).collect();
        let scramble: Vec<usize> = (0..draws.below(12)).map(|_| draws.below(bases.len())).collect();
        let start = scramble.iter().fold(solved.clone(), |state, &by| applied(&sets, &state, &bases[by]));
        let moves: Vec<Move> = bases.iter().flat_map(|base| counted(&sets, base, quarter)).collect();
        let next = |state: &State| {
            let mut all: Vec<State> = moves.iter().map(|by| applied(&sets, state, by)).collect();
            all.retain(|next| next != state);
            all
        };
        let truth = Truth::new(start, |state| *state == solved, next);
        if truth.shortest.unwrap().0 < 2 && draws.below(4) > 0 {
            continue;
        }
        asked += 1;
        let scramble: Vec<&str> = scramble.into_iter().map(|by| NAMES[by]).collect();
        let problem = format!(
            "kind = 'permutation'\ndefinition = '''\n{}'''\nscramble = '{}'\nquarter = {quarter}\n",
            definition(&sets, &bases),
            scramble.join(" ")
        );
        let projections = [projection(&mut draws, &sets), projection(&mut draws, &sets)];
        let prunings = [&projections[..1], &projections[..]].map(|some| format!("projection({})", some.join("+")));
        projected += truth.agrees(&problem, &prunings);
    }
    assert!(projected > 2 * count, "{projected} of {count}");
}

#[test]
fn every_search_of_random_permutations_agrees_with_all_states() {
    permutations(1, 40);
}

#[test]
#[ignore = "takes minutes"]
fn every_search_of_thousands_of_random_permutations_agrees_with_all_states() {
    (2..42).for_each(|seed| permutations(seed, 100));
}
