//! A parser for twsearch's files (`.tws`): lines of words, in blocks that end with `End`.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Arrangement, Piece, PieceSet, SetArrangement, SetTransformation, Transformation, is_identity};
use crate::puzzle::TableFault;

/// The most positions of a set, and one more than the largest number in a line; as in twsearch.
const MAX_POSITIONS: u32 = 255;
/// The most orientations of a piece; as in twsearch.
const MAX_ORIENTATIONS: u32 = 127;

/// What a file says.
#[derive(Debug)]
pub(super) struct TwsFile {
    pub name: Option<String>,
    pub sets: Vec<PieceSet>,
    pub goal: Arrangement,
    /// The moves, at least one.
    pub moves: Vec<Named>,
    pub rotations: Vec<Named>,
    /// Other names for moves and for sequences of moves.
    pub sequences: BTreeMap<String, Vec<String>>,
}

/// A move as the file names it.
#[derive(Debug)]
pub(super) struct Named {
    pub name: String,
    pub sets: Transformation,
    /// The number of its first line.
    pub line: usize,
    /// The bytes of its name.
    pub range: Range<usize>,
}

/// A word and its bytes.
type Word<'a> = (&'a str, Range<usize>);

/// A line that is not empty, without its comment.
struct Line<'a> {
    number: usize,
    words: Vec<Word<'a>>,
}

impl<'a> Line<'a> {
    fn key(&self) -> &'a str {
        self.words[0].0
    }

    fn range(&self) -> Range<usize> {
        self.words[0].1.start..self.words[self.words.len() - 1].1.end
    }

    fn fault(&self, message: impl AsRef<str>) -> TableFault {
        self.fault_at(self.range(), message)
    }

    fn fault_at(&self, range: Range<usize>, message: impl AsRef<str>) -> TableFault {
        TableFault::of("definition", format!("line {}: {}", self.number, message.as_ref())).within(range)
    }

    /// Its words behind the first, where there are as many as `what` lists.
    fn arguments<const N: usize>(&self, what: &str) -> Result<[&Word<'a>; N], TableFault> {
        let rest: Vec<&Word<'a>> = self.words.iter().skip(1).collect();
        <[&Word<'a>; N]>::try_from(rest).map_err(|_| self.fault(format!("expected `{} {what}`", self.key())))
    }

    /// A word as a number.
    fn number(&self, (word, range): &Word<'a>, allowed: Range<u32>) -> Result<u32, TableFault> {
        let number = word.parse().ok().filter(|n| allowed.contains(n) && word.bytes().all(|b| b.is_ascii_digit()));
        let message = || format!("found {word:?}, expected a number from {} to {}", allowed.start, allowed.end - 1);
        number.ok_or_else(|| self.fault_at(range.clone(), message()))
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let start_of = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let line = |(number, line): (usize, &'_ str)| {
        let line = &text[start_of(line)..][..line.find('#').unwrap_or(line.len())];
        let words = line.split_whitespace().map(|w| (w, start_of(w)..start_of(w) + w.len())).collect();
        Line { number: number + 1, words }
    };
    text.lines().enumerate().map(line).filter(|l: &Line| !l.words.is_empty()).collect()
}

/// The numbers of a block, set by set: those of the pieces and, where given, of their orientations.
type Block<'a, 'l> = Vec<Option<(&'l Line<'a>, Option<&'l Line<'a>>)>>;

/// Reads a file.
pub(super) fn read(text: &str) -> Result<TwsFile, TableFault> {
    let lines = lines(text);
    let mut rest = lines.iter();
    let mut file = TwsFile {
        name: None,
        sets: Vec::new(),
        goal: Vec::new(),
        moves: Vec::new(),
        rotations: Vec::new(),
        sequences: BTreeMap::new(),
    };
    let mut solved = None;
    while let Some(line) = rest.next() {
        match line.key() {
            "Name" => file.name = Some(line.words[1..].iter().map(|w| w.0).collect::<Vec<_>>().join(" ")),
            "Set" if solved.is_some() || !file.moves.is_empty() => {
                return Err(line.fault("a set stands before the solved state and all moves"));
            }
            "Set" => file.sets.push(set(line, &file.sets)?),
            "Solved" | "StartState" => {
                line.arguments::<0>("")?;
                if solved.replace(line).is_some() {
                    return Err(line.fault("the solved state is given a second time"));
                }
                file.goal = goal(&block(line, &mut rest, &file.sets)?, &mut file.sets)?;
            }
            "Move" | "MoveTransformation" => {
                let named = transformation(line, &block(line, &mut rest, &file.sets)?, &file.sets)?;
                let list = if is_rotation(&named.name) { &mut file.rotations } else { &mut file.moves };
                if list.iter().any(|m| m.name == named.name) {
                    return Err(line.fault(format!("the move {} is given a second time", named.name)));
                }
                list.push(named);
            }
            "MoveAlias" => {
                let [(name, _), (of, _)] = line.arguments("NEW-NAME NAME")?;
                file.sequences.insert((*name).into(), vec![(*of).into()]);
            }
            "MoveSequence" => {
                let words: Vec<String> = line.words[1..].iter().map(|w| w.0.into()).collect();
                let Some((name, moves)) = words.split_first().filter(|(_, moves)| !moves.is_empty()) else {
                    return Err(line.fault("expected `MoveSequence NAME MOVE ...`"));
                };
                file.sequences.insert(name.clone(), moves.to_vec());
            }
            // How twsearch may turn the puzzle over to save work: the moves do not depend on it.
            "SwizzleSet" => {}
            "Illegal" => return Err(line.fault("`Illegal` (positions where pieces may not stand) is not supported")),
            other => {
                let message =
                    "expected Name, Set, Solved, StartState, Move, MoveTransformation, MoveAlias or MoveSequence";
                return Err(line.fault(format!("{message}, found {other:?}")));
            }
        }
    }
    complete(file, solved.is_some())
}

/// The file, if nothing is missing.
fn complete(file: TwsFile, solved: bool) -> Result<TwsFile, TableFault> {
    let missing = |what: &str| Err(TableFault::of("definition", what));
    if file.sets.is_empty() {
        return missing("the file has no set of pieces: `Set NAME COUNT ORIENTATIONS`");
    }
    if !solved {
        return missing("the file has no solved state: `Solved` ... `End`");
    }
    if file.moves.is_empty() && !file.rotations.is_empty() {
        return missing(
            "all moves of the file have names that twsearch keeps for turns of the whole puzzle (x, y, z, or capitals and a v), which are no moves",
        );
    }
    if file.moves.is_empty() {
        return missing("the file has no moves: `Move NAME` ... `End`");
    }
    Ok(file)
}

/// Whether twsearch takes a move of this name for a turn of the whole puzzle.
fn is_rotation(name: &str) -> bool {
    let axis = name.strip_prefix(['x', 'y', 'z']).is_some_and(|rest| ["", "2", "'"].contains(&rest));
    let grip = name.strip_suffix('v').unwrap_or_default();
    axis || !grip.is_empty() && grip.bytes().all(|b| b == b'_' || b.is_ascii_uppercase())
}

/// `Set NAME COUNT ORIENTATIONS`; which pieces it has, the solved state says.
fn set(line: &Line, sets: &[PieceSet]) -> Result<PieceSet, TableFault> {
    let [name, positions, orientations] = line.arguments("NAME COUNT ORIENTATIONS")?;
    if sets.iter().any(|s| s.name == name.0) {
        return Err(line.fault_at(name.1.clone(), format!("the set {} is given a second time", name.0)));
    }
    if name.0 == "End" || is_numbers(name.0) {
        return Err(line.fault_at(name.1.clone(), "the name of a set begins with no digit, and is not End"));
    }
    let positions = line.number(positions, 1..MAX_POSITIONS + 1)? as usize;
    let orientations = line.number(orientations, 1..MAX_ORIENTATIONS + 1)? as u8;
    Ok(PieceSet { name: name.0.into(), positions, orientations, pieces: Vec::new() })
}

/// Whether a line that begins with this word is one of numbers, and not the name of a set.
fn is_numbers(word: &str) -> bool {
    word == "?" || word.starts_with(|c: char| c.is_ascii_digit())
}

/// The lines up to `End`.
fn block<'a, 'l>(
    head: &Line,
    rest: &mut std::slice::Iter<'l, Line<'a>>,
    sets: &[PieceSet],
) -> Result<Block<'a, 'l>, TableFault> {
    let mut block: Block = vec![None; sets.len()];
    let mut current = None;
    for line in rest {
        if is_numbers(line.key()) {
            let Some(number) = current else {
                return Err(line.fault("numbers without the name of their set before them"));
            };
            let set: &PieceSet = &sets[number];
            if line.words.len() != set.positions {
                let message = format!("{} numbers, but the set {} has {}", line.words.len(), set.name, set.positions);
                return Err(line.fault(message));
            }
            match &mut block[number] {
                none @ None => *none = Some((line, None)),
                Some((_, none @ None)) => *none = Some(line),
                Some(_) => {
                    return Err(line.fault("a third line of numbers: a set has one of pieces and one of orientations"));
                }
            }
            continue;
        }
        if current.is_some_and(|c: usize| block[c].is_none()) {
            return Err(line.fault("expected the numbers of the set"));
        }
        if line.words.len() != 1 {
            return Err(line.fault("expected the name of a set, numbers, or End"));
        }
        if line.key() == "End" {
            return Ok(block);
        }
        let number = sets.iter().position(|s| s.name == line.key());
        let number =
            number.ok_or_else(|| line.fault(format!("there is no set {:?}, and no End before it", line.key())))?;
        if block[number].is_some() {
            return Err(line.fault(format!("the set {} comes a second time", line.key())));
        }
        current = Some(number);
    }
    Err(head.fault("the block has no End"))
}

/// The solved state; the sets get their pieces.
fn goal(block: &Block, sets: &mut [PieceSet]) -> Result<Arrangement, TableFault> {
    sets.iter_mut().zip(block).map(|(set, lines)| solved_set(set, *lines)).collect()
}

fn solved_set(set: &mut PieceSet, lines: Option<(&Line, Option<&Line>)>) -> Result<SetArrangement, TableFault> {
    let numbers: Vec<u32> = match lines {
        Some((line, _)) => line.words.iter().map(|w| line.number(w, 0..MAX_POSITIONS + 1)).collect::<Result<_, _>>()?,
        None => (1..=set.positions as u32).collect(),
    };
    // The position, by its piece, where each number stands first.
    let mut first = BTreeMap::new();
    for (position, &number) in numbers.iter().enumerate() {
        first.entry(number).or_insert(position);
    }
    let orientation = |position: usize| match lines {
        Some((_, Some(line))) => match &line.words[position] {
            ("?", _) => Ok(None),
            word => line.number(word, 0..u32::from(set.orientations)).map(|n| Some(n as u8)),
        },
        _ => Ok(Some(0)),
    };
    let orientations: Vec<Option<u8>> = (0..set.positions).map(orientation).collect::<Result<_, _>>()?;
    for (position, number) in numbers.iter().enumerate() {
        if let Some((_, Some(line))) = lines
            && set.orientations > 1
            && orientations[position].is_some() != orientations[first[number]].is_some()
        {
            let message = format!("of the pieces {number} some have `?` as orientation and some have not");
            return Err(line.fault_at(line.words[position].1.clone(), message));
        }
    }
    let piece = |(&number, &position): (&u32, &usize)| Piece {
        number,
        count: numbers.iter().filter(|&&n| n == number).count(),
        oriented: orientations[position].is_some() && set.orientations > 1,
    };
    set.pieces = first.iter().map(piece).collect();
    let pieces = numbers.iter().map(|number| first.range(..number).count() as u8).collect();
    Ok(SetArrangement { pieces, orientations: orientations.into_iter().map(Option::unwrap_or_default).collect() })
}

/// `Move NAME` or `MoveTransformation NAME` with its block.
fn transformation(head: &Line, block: &Block, sets: &[PieceSet]) -> Result<Named, TableFault> {
    let [(name, range)] = head.arguments("NAME")?;
    let by_position = head.key() == "MoveTransformation";
    let one = |(set, lines): (&PieceSet, &Option<(&Line, Option<&Line>)>)| match lines {
        Some((line, turns)) => set_transformation(set, line, *turns, by_position),
        None => Ok(SetTransformation::identity(set.positions)),
    };
    let transformation: Transformation = sets.iter().zip(block).map(one).collect::<Result<_, _>>()?;
    if is_identity(&transformation) {
        return Err(head.fault(format!("the move {name} changes nothing")));
    }
    Ok(Named { name: (*name).into(), sets: transformation, line: head.number, range: range.clone() })
}

fn set_transformation(
    set: &PieceSet,
    line: &Line,
    turns: Option<&Line>,
    by_position: bool,
) -> Result<SetTransformation, TableFault> {
    let base = u32::from(!by_position);
    let mut from: Vec<u8> = Vec::with_capacity(set.positions);
    for word in &line.words {
        let position = (line.number(word, base..base + set.positions as u32)? - base) as u8;
        if from.contains(&position) {
            return Err(line.fault_at(word.1.clone(), format!("{} comes twice: this is no permutation", word.0)));
        }
        from.push(position);
    }
    let Some(line) = turns else {
        return Ok(SetTransformation { turn: vec![0; from.len()], from });
    };
    let number = |word| line.number(word, 0..u32::from(set.orientations)).map(|n| n as u8);
    let turns: Vec<u8> = line.words.iter().map(number).collect::<Result<_, _>>()?;
    let turn = if by_position { turns } else { from.iter().map(|&f| turns[usize::from(f)]).collect() };
    Ok(SetTransformation { from, turn })
}
