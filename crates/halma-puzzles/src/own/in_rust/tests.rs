use halma_rules::job::Job;
use halma_rules::puzzle::kinds;

use super::*;

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Jugs {
    sizes: Vec<u64>,
    wanted: u64,
    #[serde(default)]
    _taps: Option<Taps>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Taps {
    _open: bool,
}

impl OwnPuzzle for Jugs {
    type Key = u64;
    fn starts(&self) -> Vec<u64> {
        if self.sizes.is_empty() { Vec::new() } else { vec![0] }
    }
    fn after(&self, _: u64, _: &mut Vec<u64>) {}
    fn is_goal(&self, state: u64) -> bool {
        state == self.wanted
    }
    fn check(&self) -> Result<(), String> {
        match self.sizes.iter().max() {
            Some(most) if *most < self.wanted => Err(format!("wanted: {} is more than any jug holds", self.wanted)),
            _ if self.wanted == 0 => Err("no water is there at once".into()),
            _ => Ok(()),
        }
    }
}

/// From 0 to the largest number, and to 5 twice. A start below 0 stands for one from the largest number down.
#[derive(Debug, serde::Deserialize)]
struct Largest {
    starts: Vec<i64>,
}

impl OwnPuzzle for Largest {
    type Key = u64;
    fn starts(&self) -> Vec<u64> {
        self.starts.iter().map(|&start| start as u64).collect()
    }
    fn after(&self, state: u64, out: &mut Vec<u64>) {
        out.extend([5, if state == 0 { u64::MAX } else { 5 }]);
    }
    fn is_goal(&self, state: u64) -> bool {
        state == 5
    }
}

/// Moves from each number to others, and what is said of them.
#[derive(Clone, Debug, serde::Deserialize)]
struct Stated {
    moves: Vec<Vec<u64>>,
    goals: Vec<u64>,
    listed: Vec<u64>,
    undone: bool,
    before: Vec<Vec<u64>>,
    canonical: Vec<u64>,
}

impl OwnPuzzle for Stated {
    type Key = u64;
    fn starts(&self) -> Vec<u64> {
        vec![0]
    }
    fn after(&self, state: u64, out: &mut Vec<u64>) {
        out.extend(&self.moves[state as usize]);
    }
    fn is_goal(&self, state: u64) -> bool {
        self.goals.contains(&state)
    }
    fn goals(&self) -> Option<Vec<u64>> {
        Some(self.listed.clone())
    }
    fn repeats(&self) -> Repeats {
        if self.undone { Repeats::Previous } else { Repeats::All }
    }
    fn before(&self, state: u64, out: &mut Vec<u64>) {
        out.extend(&self.before[state as usize]);
    }
    fn has_before(&self) -> bool {
        true
    }
    fn canonical(&self, state: u64) -> u64 {
        self.canonical[state as usize]
    }
}

#[test]
fn a_claim_that_moves_contradict_is_seen() {
    let line = Stated {
        moves: vec![vec![1], vec![0, 2], vec![1]],
        goals: vec![2],
        listed: vec![2],
        undone: true,
        before: vec![vec![1], vec![0, 2], vec![1]],
        canonical: vec![0, 1, 2],
    };
    let said =
        |puzzle: &Stated, state: u64| Claims::of(puzzle, true).test(puzzle, state, &puzzle.moves[state as usize]).err();
    assert!((0..3).all(|state| said(&line, state).is_none()));
    for (puzzle, state, why) in [
        (Stated { goals: vec![1, 2], ..line.clone() }, 1, "is_goal() holds of 1, which goals() does not list"),
        (Stated { moves: vec![vec![1], vec![2], vec![1]], ..line.clone() }, 0, "from 0 to 1, and none back"),
        (Stated { before: vec![vec![1], vec![2], vec![1]], ..line.clone() }, 0, "before() of the latter lacks"),
        (Stated { canonical: vec![0, 0, 2], ..line.clone() }, 0, "canonical() of 1 is 0, and their moves"),
        (Stated { canonical: vec![0, 1, 0], ..line.clone() }, 1, "and one of them alone is a goal"),
        (Stated { canonical: vec![2, 1, 2], ..line.clone() }, 1, "canonical() of 0 is 2, and one of them alone"),
        (Stated { canonical: vec![1, 2, 2], ..line.clone() }, 1, "canonical() of 0 is 1, and of that another state"),
    ] {
        let said = said(&puzzle, state).unwrap_or_default();
        assert!(said.contains(why), "{said}");
    }
    // As the other end of it, 0 stands for 2.
    let turned = Stated { goals: vec![1], listed: vec![1], canonical: vec![0, 1, 0], ..line };
    assert_eq!(said(&turned, 1), None);
}

#[test]
fn a_goal_that_is_listed_must_be_one() {
    add_kinds();
    let job = "[problem]\nkind = \"stated\"\nmoves = [[]]\ngoals = []\nlisted = [0]\nundone = true\nbefore = [[]]\ncanonical = [0]";
    let fault = Job::parse("a.toml".as_ref(), job).map(|job| job.spec).unwrap_err().to_string();
    assert!(fault.contains("goals() lists 0, which is_goal() denies"), "{fault}");
}

/// Once for all tests: a program has one list of kinds.
fn add_kinds() {
    kinds::add(vec![
        Box::new(RustKind::<Jugs>::new("jugs")),
        Box::new(RustKind::<Largest>::new("largest")),
        Box::new(RustKind::<Stated>::new("stated")),
    ]);
}

#[test]
fn a_start_that_is_named_twice_is_one() {
    let model = InRust::new(Arc::new(Largest { starts: vec![3, 2, 3] }), true);
    assert_eq!(model.starts(), [3, 2]);
}

#[test]
fn a_start_must_not_have_the_largest_number() {
    add_kinds();
    let job = "[problem]\nkind = \"largest\"\nstarts = [-1]";
    let fault = Job::parse("a.toml".as_ref(), job).map(|job| job.spec).unwrap_err().to_string();
    assert!(fault.contains("a start or a goal is the largest number of its type"), "{fault}");
}

#[test]
#[should_panic(expected = "the puzzle in Rust made the largest number of its type")]
fn no_move_may_lead_to_the_largest_number() {
    let model = InRust::new(Arc::new(Largest { starts: vec![0] }), true);
    model.worker().after(0, &mut Vec::new());
}

#[test]
fn a_fault_in_the_table_of_a_puzzle_in_rust_points_at_its_key() {
    add_kinds();
    let job = |lines: &str| Job::parse("a.toml".as_ref(), &format!("# Water.\n[problem]\nkind = \"jugs\"\n{lines}"));
    assert!(job("title = \"Two\"\nsizes = [5, 3]\nwanted = 4").is_ok());
    for (lines, message) in [
        ("sizes = [5, \"3\"]\nwanted = 4", "a.toml:4:13: invalid type: string \"3\", expected u64"),
        ("sizes = [5, 3]\nwanted = -4", "a.toml:5:10: invalid value: integer `-4`, expected u64"),
        (
            "sizes = [5, 3]\nwnated = 4",
            "a.toml:5:1: unknown field `wnated`, expected one of `sizes`, `wanted`, `_taps`; did you mean `wanted`?",
        ),
        ("sizes = [5, 3]", "a.toml:2:1: missing field `wanted`"),
        ("sizes = 5\nwanted = 4", "a.toml:4:9: invalid type: integer `5`, expected a list"),
        (
            "sizes = [5, 3]\nwanted = 4\n[problem._taps]\n_open = \"yes\"",
            "a.toml:7:9: invalid type: string \"yes\", expected a boolean",
        ),
        ("sizes = [5, 3]\nwanted = 6", "a.toml:5:10: wanted: 6 is more than any jug holds"),
        ("sizes = [5, 3]\nwanted = 0", "a.toml:2:1: no water is there at once"),
        ("sizes = []\nwanted = 4", "a.toml:2:1: the puzzle has no start"),
    ] {
        let fault = job(lines).map(|job| job.spec).unwrap_err().to_string();
        assert_eq!(fault.lines().next(), Some(message), "{lines}");
    }
}
