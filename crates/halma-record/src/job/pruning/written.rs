//! The text form of prunings, in files and on the command line: a word, with parameters in brackets.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Abstraction, Learning, LookAhead, LookAheadDepth, MAX_CLASSES, OF_GAMES, OF_TRANSFERS, Pruning, Weights};
use crate::job::game_bounds::Name;
use crate::job::raw::{Numbers, Parameter};
use crate::source::suggestion;

/// The paper guesses C with a beam of "a few million"; a wrong guess costs a second search, never a wrong verdict.
const KEEP: usize = 1_000_000;
/// The same where the score is learned, which takes more memory.
const KEEP_BESIDE_ROUNDS: usize = 100_000;

impl Pruning {
    /// The pruning of that name with the parameters given.
    fn with(name: &str, stated: Vec<(String, Parameter)>) -> Result<Self, String> {
        let is_repeated = |i: usize| stated[..i].iter().any(|(key, _)| *key == stated[i].0);
        if let Some(i) = (0..stated.len()).find(|&i| parameters(name).contains(&&*stated[i].0) && is_repeated(i)) {
            return Err(format!("parameter `{}` of the pruning `{name}` is given twice", stated[i].0));
        }
        let (mut given, mut by_trial, mut listed) = (Vec::new(), false, None);
        for (key, parameter) in stated {
            match parameter {
                Parameter::Number(number) => given.push((key, number)),
                Parameter::Weights(numbers) => listed = Some(weights(&numbers)?),
                Parameter::Trial if key == "cap" => by_trial = true,
                Parameter::Trial => return Err(not_whole(&key, "trial")),
            }
        }
        match (Self::with_numbers(name, given)?, by_trial, listed) {
            (pruning, false, None) => Ok(pruning),
            (Self::Leading { classes, weights: None, look_ahead }, true, None) => {
                Ok(Self::Leading { classes, weights: Some(Weights::CapByTrial), look_ahead })
            }
            (Self::Leading { classes, weights: None, look_ahead }, false, listed) => {
                Ok(Self::Leading { classes, weights: listed, look_ahead })
            }
            (Self::Leading { .. }, _, Some(_)) => Err("weights: not allowed beside cap".into()),
            (_, by_trial, _) => Err(unknown(name, if by_trial { "cap" } else { WEIGHTS })),
        }
    }

    /// The same with numbers alone.
    fn with_numbers(name: &str, mut given: Vec<(String, i64)>) -> Result<Self, String> {
        let mut take = |key: &str| given.iter().position(|(k, _)| k == key).map(|i| given.remove(i).1);
        let pruning = match name {
            "none" => Self::None,
            "theorem-1" => Self::Theorem1,
            "projection" => Self::Projection(Vec::new()),
            "bound" => Self::Bound,
            "pattern" => Self::Pattern { classes: classes(take("classes"))? },
            "leading" => Self::Leading {
                classes: classes(take("classes"))?,
                weights: cap(take("cap"))?,
                look_ahead: look_ahead(take("look-ahead"), take("least"), take("class-look-ahead"))?,
            },
            "narrowed" => Self::Narrowed { classes: classes(take("classes"))? },
            "mcc" => Self::Mcc { c: take("c"), keep: width(take("keep"), KEEP)? },
            "truncate" => {
                let learning = learning(take("rounds"), take("seed"))?;
                let keep = width(take("keep"), if learning.is_some() { KEEP_BESIDE_ROUNDS } else { KEEP })?;
                Self::Truncate { keep, beta: beta(take("beta"))?, learning }
            }
            "beam" => {
                let seed = seed(take("seed"))?;
                let rungs = match take("rungs") {
                    None | Some(0) => false,
                    Some(1) => true,
                    Some(n) => return Err(format!("rungs = {n}: allowed are 0 and 1")),
                };
                Self::Beam { keep: width(take("keep"), KEEP)?, seed, rungs }
            }
            _ => match name.parse() {
                Ok(bounds) => Self::Game(bounds),
                Err(_) => {
                    let bounds = Name::ALL.map(Name::as_str);
                    let near = suggestion(
                        name,
                        OF_TRANSFERS.into_iter().chain(["all", "beam", "projection", "bound"]).chain(bounds),
                    );
                    let names = OF_TRANSFERS.join(", ");
                    return Err(format!(
                        "unknown pruning `{name}`: allowed are {names}, for a puzzle none, projection and bound, and for a game {OF_GAMES}{near}"
                    ));
                }
            },
        };
        match given.first() {
            None => Ok(pruning),
            Some((key, _)) => Err(unknown(name, key)),
        }
    }

    /// Whether there is a pruning of that name that takes such a parameter.
    fn knows(name: &str, key: &str) -> Result<(), String> {
        Self::with(name, Vec::new())?;
        if parameters(name).contains(&key) { Ok(()) } else { Err(unknown(name, key)) }
    }
}

fn not_whole(key: &str, value: &str) -> String {
    let trial = if key == "cap" { ", and \"trial\"" } else { "" };
    format!("{key} = {value}: allowed are whole numbers{trial}")
}

fn unknown(name: &str, key: &str) -> String {
    let allowed = match parameters(name) {
        [] => "it takes none".into(),
        names => format!("allowed are {}, each once", names.join(" and ")),
    };
    format!("unknown parameter `{key}` of the pruning `{name}`: {allowed}")
}

/// The parameters of a pruning, in the order in which they may be written without their names.
fn parameters(name: &str) -> &'static [&'static str] {
    match name {
        "pattern" | "narrowed" => &["classes"],
        "leading" => &["classes", "cap", "look-ahead", "least", "class-look-ahead", WEIGHTS],
        "mcc" => &["c", "keep"],
        "truncate" => &["keep", "beta", "rounds", "seed"],
        "beam" => &["keep", "seed", "rungs"],
        _ => &[],
    }
}

/// The most states that a level keeps: more than any memory holds, and their bytes still fit 64 bits.
const MOST_KEEP: i64 = 1 << 40;

fn width(keep: Option<i64>, default: usize) -> Result<usize, String> {
    let Some(keep) = keep else { return Ok(default) };
    let allowed = usize::try_from(keep).ok().filter(|_| (1..=MOST_KEEP).contains(&keep));
    allowed.ok_or_else(|| format!("keep = {keep}: allowed are numbers of states from 1 to {MOST_KEEP}"))
}

fn classes(classes: Option<i64>) -> Result<Option<u8>, String> {
    let most = MAX_CLASSES as i64;
    let allowed = |n: i64| (1..=most).contains(&n).then_some(n as u8);
    classes.map(|n| allowed(n).ok_or(format!("classes = {n}: allowed are 1 to {most}"))).transpose()
}

fn seed(seed: Option<i64>) -> Result<u64, String> {
    let seed = seed.unwrap_or(0);
    u64::try_from(seed).map_err(|_| format!("seed = {seed}: allowed are numbers from 0"))
}

/// The greatest weight of the symmetry in a beam search: sums stay far below the range of 64 bits.
const MOST_BETA: i64 = 1_000_000;
/// The most rounds of a beam search that learns.
const MOST_ROUNDS: u32 = 1000;

fn learning(rounds: Option<i64>, chosen: Option<i64>) -> Result<Option<Learning>, String> {
    let Some(rounds) = rounds else {
        return if chosen.is_some() { Err("seed: only allowed beside rounds".into()) } else { Ok(None) };
    };
    let allowed = u32::try_from(rounds).ok().filter(|rounds| (1..=MOST_ROUNDS).contains(rounds));
    let rounds = allowed.ok_or(format!("rounds = {rounds}: allowed are 1 to {MOST_ROUNDS}"))?;
    Ok(Some(Learning { rounds, seed: seed(chosen)? }))
}

fn beta(beta: Option<i64>) -> Result<i64, String> {
    match beta.unwrap_or(0) {
        beta @ 0..=MOST_BETA => Ok(beta),
        beta => Err(format!("beta = {beta}: allowed are weights from 0 to {MOST_BETA}")),
    }
}

/// The parameter that is no number.
const WEIGHTS: &str = "weights";

/// The greatest weight of a man: sums of all men stay far below the range of 32 bits.
const MOST_WEIGHT: u16 = 10_000;

fn weights(Numbers(numbers): &Numbers) -> Result<Weights, String> {
    let weight = |n: i64| u16::try_from(n).ok().filter(|&n| n <= MOST_WEIGHT);
    let allowed = |&n: &i64| weight(n).ok_or(format!("weights = {n}: allowed are 0 to {MOST_WEIGHT}"));
    numbers.iter().map(allowed).collect::<Result<_, _>>().map(Weights::Listed)
}

fn cap(cap: Option<i64>) -> Result<Option<Weights>, String> {
    let allowed = |n: i64| i32::try_from(n).ok().filter(|&n| n > 0).map(Weights::Cap);
    cap.map(|n| allowed(n).ok_or(format!("cap = {n}: allowed are centroids from 1, and \"trial\""))).transpose()
}

/// The default least depth of look-aheads that do not reach the end.
const LEAST: u8 = 4;
/// The greatest depth of the look-ahead: its cost doubles with each move.
const MOST_AHEAD: u8 = 20;

fn look_ahead(full: Option<i64>, least: Option<i64>, by_classes: Option<i64>) -> Result<Option<LookAhead>, String> {
    let allowed = |name: &str, n: i64| {
        let moves = u8::try_from(n).ok().filter(|n| (1..=MOST_AHEAD).contains(n));
        moves.ok_or(format!("{name} = {n}: allowed are 1 to {MOST_AHEAD} moves"))
    };
    let least = least.map(|n| allowed("least", n)).transpose()?;
    if let Some(moves) = by_classes {
        if full.is_some() || least.is_some() {
            return Err("class-look-ahead: not allowed beside look-ahead".into());
        }
        return Ok(Some(LookAhead::ClassByClass(allowed("class-look-ahead", moves)?)));
    }
    match full {
        None if least.is_some() => Err("least: only allowed beside look-ahead".into()),
        None => Ok(None),
        Some(full) => {
            let full = allowed("look-ahead", full)?;
            Ok(Some(LookAhead::ManByMan(LookAheadDepth { full, least: least.unwrap_or(LEAST) })))
        }
    }
}

impl FromStr for Pruning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else { return Self::with(text, Vec::new()) };
        let name = name.trim_end();
        let inside = rest.strip_suffix(')').ok_or_else(|| format!("`{text}` lacks the closing bracket"))?;
        if name == "projection" {
            let each = inside.split('+').map(|part| Abstraction::try_from(part.trim().to_string()));
            return Ok(Self::Projection(each.collect::<Result<_, _>>()?));
        }
        let mut given = Vec::new();
        for (i, part) in inside.split(',').map(str::trim).enumerate() {
            let (key, value) = match part.split_once('=') {
                Some((key, value)) => (key.trim_end(), value.trim_start()),
                None => (parameters(name).get(i).copied().unwrap_or(part), part),
            };
            // An error in the name or parameter is reported before an error in the value.
            Self::knows(name, key)?;
            let stated = match key {
                WEIGHTS => Numbers::of(value).map(Parameter::Weights),
                _ => value.parse().map(Parameter::Number).ok().or_else(|| Parameter::word(value)),
            };
            let parameter = stated.ok_or_else(|| not_whole(key, value))?;
            given.push((key.into(), parameter));
        }
        Self::with(name, given)
    }
}

impl fmt::Display for Pruning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Game(bounds) = self {
            return write!(f, "{bounds}");
        }
        f.write_str(self.name())?;
        match *self {
            Self::Beam { keep, seed, rungs: false } => write!(f, "({keep},{seed})"),
            Self::Beam { keep, seed, rungs: true } => write!(f, "({keep},{seed},rungs=1)"),
            Self::Projection(ref named) if !named.is_empty() => {
                let named: Vec<String> = named.iter().map(Abstraction::to_string).collect();
                write!(f, "({})", named.join("+"))
            }
            Self::Mcc { c: Some(c), keep: KEEP } => write!(f, "({c})"),
            Self::Mcc { c: Some(c), keep } => write!(f, "({c},{keep})"),
            Self::Mcc { c: None, keep } if keep != KEEP => write!(f, "(keep={keep})"),
            Self::Truncate { keep, beta, learning: None } => write!(f, "({keep},{beta})"),
            Self::Truncate { keep, beta, learning: Some(Learning { rounds, seed }) } => {
                write!(f, "({keep},{beta},rounds={rounds},seed={seed})")
            }
            Self::Pattern { classes: Some(n) } | Self::Narrowed { classes: Some(n) } => write!(f, "(classes={n})"),
            Self::Leading { classes, ref weights, look_ahead } => {
                let (ahead, by_classes) = match look_ahead {
                    Some(LookAhead::ManByMan(depths)) => (Some(depths), None),
                    Some(LookAhead::ClassByClass(moves)) => (None, Some(moves)),
                    None => (None, None),
                };
                let least = ahead.map(|ahead| ahead.least).filter(|&least| least != LEAST);
                let given = [
                    classes.map(|n| format!("classes={n}")),
                    weights.as_ref().map(|weights| match weights {
                        Weights::Cap(centroid) => format!("cap={centroid}"),
                        Weights::CapByTrial => "cap=trial".into(),
                        Weights::Listed(weights) => {
                            let weights: Vec<String> = weights.iter().map(u16::to_string).collect();
                            format!("weights={}", weights.join("/"))
                        }
                    }),
                    ahead.map(|ahead| format!("look-ahead={}", ahead.full)),
                    least.map(|least| format!("least={least}")),
                    by_classes.map(|moves| format!("class-look-ahead={moves}")),
                ];
                let given: Vec<String> = given.into_iter().flatten().collect();
                if given.is_empty() { Ok(()) } else { write!(f, "({})", given.join(",")) }
            }
            _ => Ok(()),
        }
    }
}

impl Serialize for Pruning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Pruning {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsTyped)
    }
}

/// Reads `"leading"`, `"mcc(5)"` or `{ name = "mcc", c = 5 }`.
struct AsTyped;

impl<'de> Visitor<'de> for AsTyped {
    type Value = Pruning;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pruning by name, as in \"leading\" or \"mcc(5)\", or a table with name and parameters")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Pruning, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pruning, A::Error> {
        let (mut name, mut given) = (None, Vec::new());
        while let Some(key) = map.next_key::<String>()? {
            let parameter = match &*key {
                "name" => {
                    name = Some(map.next_value::<String>()?);
                    continue;
                }
                WEIGHTS => Parameter::Weights(map.next_value()?),
                _ => map.next_value()?,
            };
            given.push((key, parameter));
        }
        let name = name.ok_or_else(|| A::Error::missing_field("name"))?;
        Pruning::with(&name, given).map_err(A::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pruning() -> impl Strategy<Value = Pruning> {
        let keep = || prop_oneof![Just(KEEP), 1..5_000_000usize];
        prop_oneof![
            proptest::sample::select(&["none", "theorem-1"][..]).prop_map(|name| name.parse().unwrap()),
            (
                proptest::option::of(1..=32u8),
                proptest::option::of(prop_oneof![
                    Just(Weights::CapByTrial),
                    (1..99i32).prop_map(Weights::Cap),
                    proptest::collection::vec(0..=MOST_WEIGHT, 1..9).prop_map(Weights::Listed)
                ]),
                0..3,
                proptest::option::of((1..=20u8, 1..=20u8, any::<bool>()))
            )
                .prop_map(|(classes, weights, kind, ahead)| {
                    let look_ahead = ahead.map(|(full, least, by_men)| {
                        let by_men = by_men.then_some(LookAhead::ManByMan(LookAheadDepth { full, least }));
                        by_men.unwrap_or(LookAhead::ClassByClass(full))
                    });
                    match kind {
                        0 => Pruning::Pattern { classes },
                        1 => Pruning::Leading { classes, weights, look_ahead },
                        _ => Pruning::Narrowed { classes },
                    }
                }),
            (proptest::option::of(-99..99i64), keep()).prop_map(|(c, keep)| Pruning::Mcc { c, keep }),
            (keep(), 0..9i64, proptest::option::of((1..=MOST_ROUNDS, 0..9u64))).prop_map(|(keep, beta, learning)| {
                let learning = learning.map(|(rounds, seed)| Learning { rounds, seed });
                Pruning::Truncate { keep, beta, learning }
            }),
            (keep(), 0..9u64, any::<bool>()).prop_map(|(keep, seed, rungs)| Pruning::Beam { keep, seed, rungs }),
            proptest::sample::select(&["all", "count", "vacate+hall", "all-but-look-ahead"][..])
                .prop_map(|name| name.parse().unwrap()),
        ]
    }

    proptest! {
        #[test]
        fn a_pruning_reads_back_as_it_is_printed(pruning in pruning()) {
            prop_assert_eq!(pruning.to_string().parse::<Pruning>().unwrap(), pruning);
        }
    }

    #[test]
    fn parameters_stand_in_order_or_by_name() {
        let mcc = |c, keep| Pruning::Mcc { c, keep };
        let leading = |classes, weights, look_ahead| Pruning::Leading { classes, weights, look_ahead };
        let by_men = |full, least| Some(LookAhead::ManByMan(LookAheadDepth { full, least }));
        for (text, expected) in [
            ("mcc", mcc(None, KEEP)),
            (" mcc( 5 ) ", mcc(Some(5), KEEP)),
            ("mcc(keep=3)", mcc(None, 3)),
            ("mcc(5, 3)", mcc(Some(5), 3)),
            ("mcc(keep=3, c=-5)", mcc(Some(-5), 3)),
            ("leading(15)", leading(Some(15), None, None)),
            ("leading(cap=4)", leading(None, Some(Weights::Cap(4)), None)),
            ("leading(7, trial)", leading(Some(7), Some(Weights::CapByTrial), None)),
            ("leading(look-ahead=7)", leading(None, None, by_men(7, 4))),
            ("leading(15,4,7,5)", leading(Some(15), Some(Weights::Cap(4)), by_men(7, 5))),
            ("leading(weights= 2/4/5 )", leading(None, Some(Weights::Listed(vec![2, 4, 5])), None)),
            ("leading(7,weights=1)", leading(Some(7), Some(Weights::Listed(vec![1])), None)),
            ("leading(class-look-ahead=2)", leading(None, None, Some(LookAhead::ClassByClass(2)))),
            ("truncate(beta=2)", Pruning::Truncate { keep: KEEP, beta: 2, learning: None }),
            (
                "truncate(9, rounds=3)",
                Pruning::Truncate { keep: 9, beta: 0, learning: Some(Learning { rounds: 3, seed: 0 }) },
            ),
        ] {
            assert_eq!(text.parse(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn trials_choose_a_cap_or_none_and_no_weights() {
        let read = |text: &str| text.parse::<Pruning>().unwrap();
        let asked = read("leading(7,cap=trial)");
        for made in ["leading(7,cap=trial)", "leading(7,cap=3)", "leading(7)"] {
            assert!(asked.may_become(&read(made)), "{made}");
        }
        for made in ["leading(7,weights=1/2/3)", "leading(8,cap=3)", "leading(cap=3)", "pattern(7)"] {
            assert!(!asked.may_become(&read(made)), "{made}");
        }
        assert!(!read("leading(7)").may_become(&read("leading(7,cap=3)")));
    }

    #[test]
    fn what_is_no_pruning_is_refused_with_what_would_be() {
        for (text, message) in [
            (
                "leeding",
                "unknown pruning `leeding`: allowed are none, theorem-1, mcc, pattern, leading, narrowed, truncate, for a puzzle none, projection and bound, and for a game none, theorem-1, all, all-but-BOUND, bounds joined by '+', and beam(KEEP,SEED); did you mean `leading`?",
            ),
            ("mcc(5", "`mcc(5` lacks the closing bracket"),
            ("mcc(x)", "c = x: allowed are whole numbers"),
            ("mcc()", "c = : allowed are whole numbers"),
            ("mcc(1,2,3)", "unknown parameter `3` of the pruning `mcc`: allowed are c and keep, each once"),
            ("mcc(c=1,c=2)", "parameter `c` of the pruning `mcc` is given twice"),
            ("mcc(5,c=2)", "parameter `c` of the pruning `mcc` is given twice"),
            ("theorem-1(5)", "unknown parameter `5` of the pruning `theorem-1`: it takes none"),
            (
                "leading(5,4,3,2,1,1,1)",
                "unknown parameter `1` of the pruning `leading`: allowed are classes and cap and look-ahead and least and class-look-ahead and weights, each once",
            ),
            ("leading(look-ahead=0)", "look-ahead = 0: allowed are 1 to 20 moves"),
            ("leading(look-ahead=7,least=21)", "least = 21: allowed are 1 to 20 moves"),
            ("leading(least=3)", "least: only allowed beside look-ahead"),
            ("leading(7,3,6,class-look-ahead=2)", "class-look-ahead: not allowed beside look-ahead"),
            ("leading(class-look-ahead=21)", "class-look-ahead = 21: allowed are 1 to 20 moves"),
            ("pattern(33)", "classes = 33: allowed are 1 to 32"),
            ("leading(cap=0)", "cap = 0: allowed are centroids from 1, and \"trial\""),
            ("leading(cap=trial,cap=3)", "parameter `cap` of the pruning `leading` is given twice"),
            ("pattern(cap=trial)", "unknown parameter `cap` of the pruning `pattern`: allowed are classes, each once"),
            ("leading(weights=1/x)", "weights = 1/x: allowed are whole numbers"),
            ("leading(weights=1/10001)", "weights = 10001: allowed are 0 to 10000"),
            ("leading(weights=1/-1)", "weights = -1: allowed are 0 to 10000"),
            ("leading(cap=3,weights=1/2)", "weights: not allowed beside cap"),
            ("leading(weights=1/2,cap=trial)", "weights: not allowed beside cap"),
            ("leading(weights=1/2,weights=1)", "parameter `weights` of the pruning `leading` is given twice"),
            ("leading(cap=3/4)", "cap = 3/4: allowed are whole numbers, and \"trial\""),
            ("leading(look-ahead=trial)", "look-ahead = trial: allowed are whole numbers"),
            ("truncate(0)", "keep = 0: allowed are numbers of states from 1 to 1099511627776"),
            ("truncate(1099511627777)", "keep = 1099511627777: allowed are numbers of states from 1 to 1099511627776"),
            (
                "beam(9223372036854775807)",
                "keep = 9223372036854775807: allowed are numbers of states from 1 to 1099511627776",
            ),
            ("truncate(9,-1)", "beta = -1: allowed are weights from 0 to 1000000"),
            ("truncate(9,1000001)", "beta = 1000001: allowed are weights from 0 to 1000000"),
            ("truncate(9,seed=1)", "seed: only allowed beside rounds"),
            ("truncate(9,rounds=0)", "rounds = 0: allowed are 1 to 1000"),
            ("truncate(9,rounds=1,seed=-1)", "seed = -1: allowed are numbers from 0"),
        ] {
            assert_eq!(text.parse::<Pruning>(), Err(message.into()), "{text}");
        }
    }
}
