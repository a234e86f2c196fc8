//! The abstractions of the pruning `projection`, as jobs and records name them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An abstraction of a puzzle, with fewer letters or pieces (Culberson and Schaeffer 1998).
///
/// On a board: groups of letters that become one letter, as in `1/2/3/45`; letters in no group become `.`. For
/// permutations: groups of pieces, each with the name of a set and the numbers of its pieces in the file, as in `EDGES
/// 1 2 3=4 5?/CORNERS 1`. Pieces joined by `=` become alike; after a `?` their orientation does not count. The other
/// pieces of the set become alike, without orientation; sets that are not named are left out.
///
/// ```
/// use halma_record::job::projection::{Abstraction, PieceGroup};
/// let one = Abstraction::try_from("EDGES 1 3=4?".to_string())?;
/// let group = |numbers: &[u32], oriented| PieceGroup { numbers: numbers.to_vec(), oriented };
/// assert_eq!(one.pieces()?, [("EDGES".to_string(), vec![group(&[1], true), group(&[3, 4], false)])]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Abstraction(pub Vec<String>);

/// Pieces of a set that become alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PieceGroup {
    /// Their numbers in the solved state of the file.
    pub numbers: Vec<u32>,
    /// Whether their orientation still counts.
    pub oriented: bool,
}

/// By the name of a set: the groups of its pieces.
pub type Pieces = Vec<(String, Vec<PieceGroup>)>;

impl Abstraction {
    /// Whether its groups are of pieces: no letter is a space.
    #[must_use]
    pub fn is_of_pieces(&self) -> bool {
        self.0.iter().any(|group| group.contains(' '))
    }

    /// The groups of pieces.
    ///
    /// # Errors
    /// Where they are groups of letters, or something comes twice.
    pub fn pieces(&self) -> Result<Pieces, String> {
        let mut all: Pieces = Vec::new();
        for text in &self.0 {
            let fault = |what: &str| {
                format!("`{text}`: {what}; allowed is the name of a set and pieces of it, as in EDGES 1 2 3=4 5?")
            };
            let mut words = text.split(' ');
            let set = words.next().filter(|set| !set.is_empty()).ok_or_else(|| fault("there is no set"))?;
            let groups = words.map(|word| piece_group(word).ok_or_else(|| fault(&format!("`{word}` is no group"))));
            let groups = groups.collect::<Result<Vec<_>, _>>()?;
            let mut numbers: Vec<u32> = groups.iter().flat_map(|group| group.numbers.iter().copied()).collect();
            let count = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            if groups.is_empty() || numbers.len() < count {
                return Err(fault("there is no piece, or one comes twice"));
            }
            if all.iter().any(|(other, _)| other == set) {
                return Err(fault("the set comes twice"));
            }
            all.push((set.into(), groups));
        }
        Ok(all)
    }

    fn are_letters(&self) -> Result<(), String> {
        let mut letters: Vec<char> = self.0.iter().flat_map(|group| group.chars()).collect();
        let all = letters.len();
        letters.sort_unstable();
        letters.dedup();
        match self.0.iter().any(String::is_empty)
            || letters.len() < all
            || letters.iter().any(|c| ".+/()?*#".contains(*c))
        {
            false => Ok(()),
            true => {
                Err(format!("`{self}`: allowed are groups of letters parted by '/', each letter once, as in 1/2/34"))
            }
        }
    }
}

/// A word such as `1`, `3=4` or `5?`.
fn piece_group(word: &str) -> Option<PieceGroup> {
    let (numbers, oriented) = word.strip_suffix('?').map_or((word, true), |numbers| (numbers, false));
    let number = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let numbers = numbers.split('=').map(number).collect::<Option<Vec<u32>>>()?;
    Some(PieceGroup { numbers, oriented })
}

impl TryFrom<String> for Abstraction {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let one = Self(text.split('/').map(Into::into).collect());
        match one.is_of_pieces() {
            // A name with one of these signs could not be read back from a pruning.
            true if text.contains(['+', '(', ')']) => {
                return Err(format!("`{text}`: a set is named without +, ( and )"));
            }
            true => one.pieces().map(drop)?,
            false => one.are_letters()?,
        }
        Ok(one)
    }
}

impl From<Abstraction> for String {
    fn from(abstraction: Abstraction) -> Self {
        abstraction.to_string()
    }
}

impl fmt::Display for Abstraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Abstraction, String> {
        Abstraction::try_from(text.to_string())
    }

    #[test]
    fn an_abstraction_reads_back_as_it_is_printed() {
        for text in ["1/2/34", "$", "CORNERS 1 2", "EDGES 1 2 3=4 5?/CORNERS 1=2?", "STACK 10"] {
            let one = read(text).unwrap();
            assert_eq!((one.to_string().as_str(), one.is_of_pieces()), (text, text.contains(' ')));
        }
    }

    #[test]
    fn groups_that_say_nothing_or_something_twice_are_refused() {
        for text in [
            "", "1/", "11", "1.", "A ", " 1", "A 1 1", "A 1=1", "A 1/A 2", "A 1/B", "A x", "A -1", "A 1==2", "A ?",
            "A +1", "A( 1", "A  1",
        ] {
            assert!(read(text).is_err(), "{text:?}");
        }
        assert_eq!(
            read("A 1 x").unwrap_err(),
            "`A 1 x`: `x` is no group; allowed is the name of a set and pieces of it, as in EDGES 1 2 3=4 5?"
        );
    }
}
