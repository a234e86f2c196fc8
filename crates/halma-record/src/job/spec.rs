//! A problem in words, complete enough to build it again.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::{PuzzleSpec, Rule};
use crate::unique_keys::UniqueKeys;

/// A problem as records repeat it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ProblemSpec {
    /// A transfer or a game: armies on a board.
    Armies(ArmiesSpec),
    /// A puzzle from a file, or in Rust.
    Puzzle(PuzzleSpec),
}

impl ProblemSpec {
    /// The first key in which the two differ.
    #[must_use]
    pub fn differs_in(&self, other: &Self) -> Option<String> {
        let [own, other] = [self, other].map(|spec| serde_json::to_value(spec).unwrap_or_default());
        let (own, other) = (own.as_object()?, other.as_object()?);
        own.keys().chain(other.keys()).find(|&key| own.get(key) != other.get(key)).cloned()
    }

    /// `transfer`, `game`, or the kind of a puzzle.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self {
            Self::Armies(armies) => &armies.kind,
            Self::Puzzle(puzzle) => &puzzle.kind,
        }
    }

    /// What it is called in lists and pages, where its job says so.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        match self {
            Self::Armies(armies) => armies.title.as_deref(),
            Self::Puzzle(puzzle) => puzzle.title.as_deref(),
        }
    }

    /// The same problem without its title.
    #[must_use]
    pub fn untitled(&self) -> Self {
        let mut untitled = self.clone();
        match &mut untitled {
            Self::Armies(armies) => armies.title = None,
            Self::Puzzle(puzzle) => puzzle.title = None,
        }
        untitled
    }

    /// The armies of a transfer or a game.
    #[must_use]
    pub fn armies(&self) -> Option<&ArmiesSpec> {
        match self {
            Self::Armies(armies) => Some(armies),
            Self::Puzzle(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn armies_mut(&mut self) -> Option<&mut ArmiesSpec> {
        match self {
            Self::Armies(armies) => Some(armies),
            Self::Puzzle(_) => None,
        }
    }

    /// The table of a puzzle.
    #[must_use]
    pub fn puzzle(&self) -> Option<&PuzzleSpec> {
        match self {
            Self::Armies(_) => None,
            Self::Puzzle(puzzle) => Some(puzzle),
        }
    }
}

impl From<ArmiesSpec> for ProblemSpec {
    fn from(armies: ArmiesSpec) -> Self {
        Self::Armies(armies)
    }
}

impl From<PuzzleSpec> for ProblemSpec {
    fn from(puzzle: PuzzleSpec) -> Self {
        Self::Puzzle(puzzle)
    }
}

impl<'de> Deserialize<'de> for ProblemSpec {
    /// By its kind, so that what is missing or wrong is named in the words of that kind.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let UniqueKeys(value) = UniqueKeys::deserialize(deserializer)?;
        let armies = matches!(value.get("kind").and_then(|kind| kind.as_str()), None | Some("transfer" | "game"));
        let problem = if armies {
            serde_json::from_value(value).map(Self::Armies)
        } else {
            serde_json::from_value(value).map(Self::Puzzle)
        };
        problem.map_err(D::Error::custom)
    }
}

/// A transfer or a game as records repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArmiesSpec {
    /// `transfer` or `game`.
    pub kind: String,
    /// What the problem is called in lists and pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The board's name; `map` where it was drawn.
    pub board: String,
    /// The drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
    /// The move rule.
    pub moves: Rule,
    /// Who moves.
    pub army: Army,
    /// How many men there are.
    pub men: usize,
    /// Whether steps are forbidden.
    pub jumps_only: bool,
    /// The cells of the men at the start, ascending.
    pub start: Vec<String>,
    /// The cells to fill, ascending.
    pub target: Vec<String>,
}

/// An army in the words of a job file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Army {
    /// A name, as in `triangle-4`.
    Named(String),
    /// The names of its cells.
    Cells(Vec<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARMIES: &str = r#""kind": "transfer", "board": "9x9", "moves": 4, "army": "triangle-3", "men": 6,
        "jumps_only": false, "start": [], "target": []"#;
    const PUZZLE: &str =
        r#""kind": "rules", "board": "A.", "rules": [{"rule": "A . -> . A"}], "goal": {"at": {"b1": "A"}}"#;

    fn parsed(keys: &str) -> Result<ProblemSpec, String> {
        serde_json::from_str(&format!("{{{keys}}}")).map_err(|fault| fault.to_string())
    }

    #[test]
    fn a_key_that_armies_do_not_have_is_refused() {
        assert!(parsed(ARMIES).is_ok());
        let fault = parsed(&format!(r#"{ARMIES}, "jumps-only": true"#)).unwrap_err();
        assert!(fault.contains("unknown field `jumps-only`"), "{fault}");
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused_however_deep() {
        let Ok(ProblemSpec::Puzzle(puzzle)) = parsed(PUZZLE) else { panic!("a puzzle") };
        assert_eq!(puzzle.table["goal"]["at"]["b1"], "A");
        let twice = [
            (format!(r#"{ARMIES}, "men": 6"#), "men"),
            (format!(r#"{PUZZLE}, "goal": ".A""#), "goal"),
            (format!(r#"{PUZZLE}, "kind": "rules""#), "kind"),
            (PUZZLE.replace(r#""rule": "A"#, r#""rule": "A . -> . .", "rule": "A"#), "rule"),
            (PUZZLE.replace(r#""b1": "A""#, r#""b1": ".", "b1": "A""#), "b1"),
        ];
        for (keys, key) in twice {
            let fault = parsed(&keys).unwrap_err();
            assert!(fault.contains(&format!("`{key}` is there twice")), "{fault}");
        }
    }
}
