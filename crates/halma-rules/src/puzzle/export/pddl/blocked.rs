//! The end of a rule that repeats until it is blocked: for every way to continue some condition fails.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::grounded::{Letters, Step, Until};
use super::{Action, Domain, pass};

/// What a way to go on needs, the man's own cell apart.
type Needs = Vec<(u8, Letters)>;

/// Ends that are alike: the repetition, the men that are meant (none: all), and for each way to go on what may stand on which cell
/// instead, by its place in the table.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    repetition: usize,
    men: Option<Letters>,
    lacks: Vec<Vec<(usize, Letters)>>,
    turn: u8,
}

/// The actions that end such a repetition.
pub(super) fn ends(domain: &mut Domain) -> Vec<Action> {
    let lifted = domain.lifted;
    let mut kinds: BTreeMap<Kind, Vec<Vec<u8>>> = BTreeMap::new();
    for (number, &(rule, direction)) in lifted.repetitions.iter().enumerate() {
        let all = lifted.task.steps.iter();
        let of_run: Vec<&Step> =
            all.filter(|s| s.until == Until::Blocked && (s.rule, s.direction) == (rule, direction)).collect();
        for (cell, men, ways) in stops(&of_run) {
            let mut cells = vec![cell];
            let mut lacks = Vec::new();
            for way in ways {
                let mut one = Vec::new();
                for (other, set) in way {
                    let place = cells.iter().position(|&c| c == other).unwrap_or_else(|| {
                        cells.push(other);
                        cells.len() - 1
                    });
                    if set != lifted.all() {
                        one.push((place, lifted.all() & !set));
                    }
                }
                lacks.push(one);
            }
            // A way that needs nothing more is always open.
            if lacks.iter().all(|lack| !lack.is_empty()) {
                let turn = of_run.first().map_or(0, |step| step.turn);
                kinds.entry(Kind { repetition: number, men, lacks, turn }).or_default().push(cells);
            }
        }
    }
    let mut ends = Vec::new();
    for (kind, table) in kinds {
        domain.stops.push(table);
        ends.push(end(domain, &kind));
    }
    ends
}

/// Where a man can stand within a repetition, which men (none: all), and the ways to go on.
fn stops(steps: &[&Step]) -> Vec<(u8, Option<Letters>, BTreeSet<Needs>)> {
    let men: BTreeSet<u8> = steps.iter().map(|step| step.man).collect();
    let cells: BTreeSet<u8> = steps.iter().map(|step| step.to).collect();
    let mut ways: BTreeMap<(u8, u8), BTreeSet<Needs>> = BTreeMap::new();
    for step in steps {
        let needs = step.needs.iter().copied().filter(|&(cell, _)| cell != step.from).collect();
        ways.entry((step.from, step.man)).or_default().insert(needs);
    }
    let mut found = Vec::new();
    for cell in cells {
        let mut alike: BTreeMap<BTreeSet<Needs>, Letters> = BTreeMap::new();
        for &man in &men {
            *alike.entry(ways.get(&(cell, man)).cloned().unwrap_or_default()).or_default() |= 1 << man;
        }
        let one = alike.len() == 1;
        found.extend(alike.into_iter().map(|(ways, men)| (cell, (!one).then_some(men), ways)));
    }
    found
}

fn end(domain: &mut Domain, kind: &Kind) -> Action {
    let number = domain.stops.len();
    let width = domain.stops[number - 1].first().map_or(0, Vec::len);
    let mut end = Action { name: format!("end_running_{}_{number}", kind.repetition + 1), ..Action::default() };
    end.parameters.extend((1..=width).map(|c| format!("?c{c} - cell")));
    let row: String = (1..=width).map(|c| format!(" ?c{c}")).collect();
    end.needs.push(format!("(stop_{number}{row}) (running_{} ?c1)", kind.repetition + 1));
    if let Some(men) = kind.men {
        domain.has(&mut end, "?c1", men);
    }
    for lack in &kind.lacks {
        match lack[..] {
            [(place, letters)] => domain.has(&mut end, &format!("?c{}", place + 1), letters),
            _ => {
                let has = |&(place, letters): &(usize, Letters)| {
                    let named = domain.lifted.named(letters).map(move |l| format!(" (has ?c{} {l})", place + 1));
                    named.collect::<String>()
                };
                end.needs.push(format!("(or{})", lack.iter().map(has).collect::<String>()));
                domain.disjunctions = true;
            }
        }
    }
    end.effects.push(format!("(not (running_{} ?c1)) (rest)", kind.repetition + 1));
    pass(&mut end, kind.turn);
    end
}
