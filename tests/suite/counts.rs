//! Counts of shortest transfers: against walks written out one by one, under every pruning that counts.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use halma::report;
use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, Expander};
use halma_record::record::{Record, Verdict};
use halma_rules::board::Board;
use halma_rules::cells::Cells;
use halma_rules::job::{Job, Pruning, Weights};
use halma_rules::lattice::{Lattice, Rule};
use halma_rules::moves::destinations;
use halma_rules::problem::{Transfer, set};
use halma_rules::symmetry::Symmetry;
use halma_solve::run::{self, Question};
use halma_solve::solve::deepening::LengthSearch;
use halma_solve::solve::transfer_search::count::{Mirrored, Solutions};
use halma_solve::solve::transfer_search::{TransferOptions, TransferSearch};
use halma_solve::solve::{Answer, Engine};
use proptest::prelude::*;

type Army = Cells<2>;
type Walk = Vec<Army>;

/// The longest solution that is looked for.
const LONGEST: u32 = 12;
/// The most solutions that are written out.
const MOST: u128 = 20_000;

fn transfer(map: &str, rule: u8, start: &[usize], target: &[usize], jumps_only: bool) -> Transfer {
    let board = Board::from_map(&map.replace('/', "\n")).unwrap().0;
    let lattice = Lattice::new(board, Rule::try_from(rule).unwrap());
    let sorted = |cells: &[usize]| {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells
    };
    Transfer { lattice, start: sorted(start), target: sorted(target), jumps_only }
}

fn successors(problem: &Transfer, army: Army) -> Vec<Army> {
    let occupied: Vec<bool> = (0..problem.lattice.len()).map(|c| army.contains(c)).collect();
    let of = |from| destinations(&problem.lattice, &occupied, from, problem.jumps_only).into_iter();
    army.iter().flat_map(|from| of(from).map(move |to| army.without(from).with(to))).collect()
}

/// All walks of so many moves that end where wanted, one by one, as far as armies lead there at all.
fn written_out(problem: &Transfer, layers: &[HashMap<Army, u128>], ends: HashSet<Army>) -> Vec<Walk> {
    let mut lead = vec![ends];
    for layer in layers[..layers.len() - 1].iter().rev() {
        let next = &lead[lead.len() - 1];
        let leads = |army: &&Army| successors(problem, **army).iter().any(|a| next.contains(a));
        lead.push(layer.keys().filter(leads).copied().collect());
    }
    lead.reverse();
    let mut walks: Vec<Walk> = lead[0].iter().map(|&start| vec![start]).collect();
    for armies in &lead[1..] {
        let on = |walk: Walk| {
            let next = successors(problem, walk[walk.len() - 1]).into_iter().filter(|a| armies.contains(a));
            next.map(|a| [&walk[..], &[a]].concat()).collect::<Vec<_>>()
        };
        walks = walks.into_iter().flat_map(on).collect();
    }
    walks
}

fn image(walk: &Walk, k: &Symmetry) -> Walk {
    walk.iter().map(|&a| k.apply(a)).collect()
}

fn reversal(walk: &Walk, mirror: &Symmetry) -> Walk {
    walk.iter().rev().map(|&a| mirror.apply(a)).collect()
}

fn classes<'a>(walks: impl Iterator<Item = &'a Walk>, images: impl Fn(&Walk) -> Vec<Walk>) -> u128 {
    walks.map(|walk| images(walk).into_iter().min().unwrap()).collect::<HashSet<_>>().len() as u128
}

/// The numbers by walks of every length, no state left out because it came before; `None` where there are too many, or
/// no solution is short enough.
fn by_hand(problem: &Transfer, palindromic: bool) -> Option<(u32, Solutions)> {
    let symmetries = problem.symmetries();
    let (group, mirror) = (&symmetries.fixing, symmetries.mirror.as_ref());
    let mut layers: Vec<HashMap<Army, u128>> = vec![HashMap::from([(set(&problem.start), 1)])];
    for length in 1..=LONGEST {
        while layers.len() <= length as usize {
            let mut next = HashMap::new();
            for (&army, n) in &layers[layers.len() - 1] {
                successors(problem, army).into_iter().for_each(|a| *next.entry(a).or_insert(0) += n);
            }
            // Walks that go on from too many armies are no longer small.
            if next.len() > 3000 {
                return None;
            }
            layers.push(next);
        }
        let walks = if palindromic {
            let half = length as usize / 2;
            let mirror = mirror.unwrap();
            let continued = |army: &Army| match length % 2 {
                0 => mirror.apply(*army) == *army,
                _ => successors(problem, *army).contains(&mirror.apply(*army)),
            };
            let ends: HashSet<Army> = layers[half].keys().copied().filter(continued).collect();
            if ends.iter().map(|a| layers[half][a]).sum::<u128>() > MOST {
                return None;
            }
            let halves = written_out(problem, &layers[..=half], ends);
            let whole = |walk: &Walk| {
                let back = reversal(walk, mirror);
                [&walk[..], &back[usize::from(length % 2 == 0)..]].concat()
            };
            halves.iter().map(whole).collect()
        } else {
            match layers[length as usize].get(&set(&problem.target)) {
                None => Vec::new(),
                Some(&n) if n > MOST => return None,
                Some(&n) => {
                    let ends = HashSet::from([set(&problem.target)]);
                    let walks = written_out(problem, &layers[..=length as usize], ends);
                    assert_eq!(walks.len() as u128, n);
                    walks
                }
            }
        };
        if walks.is_empty() {
            continue;
        }
        let under_k = |walk: &Walk| group.iter().map(|k| image(walk, k)).collect::<Vec<_>>();
        let mirrored = mirror.map(|mirror| {
            let palindromes = || walks.iter().filter(|walk| reversal(walk, mirror) == **walk);
            let both = |walk: &Walk| [under_k(walk), under_k(&reversal(walk, mirror))].concat();
            Mirrored {
                up_to_reversal: classes(walks.iter(), both),
                palindromic: palindromes().count() as u128,
                palindromic_up_to_symmetry: classes(palindromes(), under_k),
            }
        });
        let (sequences, up_to_symmetry) = (walks.len() as u128, classes(walks.iter(), under_k));
        return Some((length, Solutions { sequences, up_to_symmetry, mirrored }));
    }
    None
}

/// The job of a transfer with these keys of [search].
fn job(problem: &str, search: &str) -> Job {
    let text = format!("[problem]\nkind = \"transfer\"\n{problem}\n[search]\n{search}\n");
    Job::parse("a.toml".as_ref(), &text).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The answer to "how many?", and its numbers: sequences, up to symmetry, up to reversal, palindromic, these up to symmetry.
fn answer(job: &Job, cancel: &CancellationToken) -> (Record, Vec<String>) {
    let record = run::run(job, Question::Count, &(), cancel).unwrap();
    let numbers = record.counts.as_ref().map(|c| {
        let mirrored = [&c.up_to_reversal, &c.palindromic, &c.palindromic_up_to_symmetry];
        let all = [Some(&c.sequences), Some(&c.up_to_symmetry)].into_iter().chain(mirrored.map(Option::as_ref));
        all.flatten().map(ToString::to_string).collect()
    });
    (record, numbers.unwrap_or_default())
}

const TRIANGLE: &str = "board = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"";

#[test]
fn a_record_says_how_many_there_are_and_goes_on_where_it_was_stopped() {
    let cancel = CancellationToken::after(None);
    let (record, numbers) = answer(&job(TRIANGLE, ""), &cancel);
    assert_eq!((record.verdict, record.length, record.refuted_up_to), (Verdict::Counted, Some(23), Some(22)));
    assert_eq!(record.runs.last().map(|run| run.length), Some(23));
    let said = "448 shortest solutions of 23 moves, 224 up to symmetry, 117 up to symmetry and reversal. 20 of them are \
                palindromic, 10 up to symmetry.";
    assert_eq!(report::sentence(&record), said);
    let folder = tempfile::tempdir().unwrap();
    let mut stopped = job(TRIANGLE, "");
    stopped.output.dir = Some(folder.path().into());
    stopped.limits.checkpoint = Some(Duration::ZERO);
    // So often that it gets somewhere, and is stopped within the count, too.
    let mut stops = 0;
    for milliseconds in (1..).map(|n| 5 * n) {
        let (record, found) = answer(&stopped, &CancellationToken::after(Some(Duration::from_millis(milliseconds))));
        if record.verdict == Verdict::Counted {
            assert_eq!(found, numbers);
            break;
        }
        assert_eq!((record.verdict, record.counts), (Verdict::Incomplete, None));
        stops += 1;
    }
    assert!(stops > 0);
}

#[test]
fn palindromes_alone_are_counted_without_the_others() {
    let cancel = CancellationToken::after(None);
    let (record, numbers) = answer(&job(TRIANGLE, "palindromic = true"), &cancel);
    assert_eq!((record.length, numbers), (Some(23), ["20", "10", "10", "20", "10"].map(String::from).to_vec()));
    assert_eq!(report::sentence(&record), "20 shortest palindromic solutions of 23 moves, 10 up to symmetry.");
}

#[test]
fn where_nothing_can_be_counted_it_says_so() {
    let cancel = CancellationToken::after(None);
    let (record, numbers) = answer(&job(TRIANGLE, "max-length = 22"), &cancel);
    assert_eq!((record.verdict, record.refuted_up_to, numbers), (Verdict::None, Some(22), vec![]));
    let (record, numbers) = answer(&job("board = \"S#T\"\nmoves = 4", ""), &cancel);
    assert_eq!((record.verdict, numbers), (Verdict::None, vec![]));
    for pruning in ["mcc", "truncate(1000)"] {
        let refused = run::run(&job(TRIANGLE, &format!("pruning = \"{pruning}\"")), Question::Count, &(), &cancel);
        let message = refused.unwrap_err().to_string();
        assert!(message.ends_with("allowed are none, theorem-1, pattern, leading, narrowed"), "{message}");
    }
}

struct How {
    pruning: Pruning,
    palindromic: bool,
    symmetry: bool,
    large: u64,
}

fn counted<const W: usize, K: Key>(problem: &Transfer, how: &How, expander: &Expander) -> (u32, Solutions) {
    let cancel = CancellationToken::after(None);
    let &How { ref pruning, palindromic, symmetry, large } = how;
    let options = TransferOptions { pruning: pruning.clone(), palindromic, symmetry, histograms: 1 << 26 };
    let search = TransferSearch::<W, K>::new(problem, options, Engine::new(expander, &cancel, &()));
    let mut search = search.unwrap().with_large(large);
    for length in search.lower_bound().unwrap().unwrap().. {
        match search.attempts(length..=length).remove(0).answer {
            Answer::Found(_) => return (length, search.count(length).numbers.unwrap()),
            Answer::Refuted => {}
            other => panic!("{other:?}"),
        }
    }
    unreachable!("lengths do not end")
}

/// The fast count in all its ways; what was counted, where it was counted by hand.
fn agrees(problem: &Transfer, expander: &Expander) -> Option<(u32, Solutions)> {
    let mirror = problem.symmetries().mirror.is_some();
    let said = |palindromic: bool| format!("{problem:?}, palindromic {palindromic}");
    let mut plain = None;
    for palindromic in [false, true].into_iter().take(1 + usize::from(mirror)) {
        let Some(expected) = by_hand(problem, palindromic) else { continue };
        let capped = Pruning::Leading { classes: Some(6), weights: Some(Weights::Cap(1)), look_ahead: None };
        let ladders = "leading(look-ahead=4,least=2)".parse().unwrap();
        let by_class = "leading(class-look-ahead=2)".parse().unwrap();
        let weighted = "leading(weights=3/0/5/4)".parse().unwrap();
        let always = [Pruning::None, Pruning::Theorem1, Pruning::PATTERN, Pruning::LEADING, capped, ladders, by_class];
        for pruning in always.into_iter().chain([weighted]).chain([Pruning::NARROWED].into_iter().filter(|_| mirror)) {
            for (symmetry, large) in [(true, 0), (true, u64::MAX / 2), (false, 0), (false, 8)] {
                let how = How { pruning: pruning.clone(), palindromic, symmetry, large };
                let found = counted::<2, u64>(problem, &how, expander);
                assert_eq!(found, expected, "{}: {pruning:?}, K {symmetry}, large {large}", said(palindromic));
            }
        }
        // Other widths of sets and keys.
        let how = How { pruning: Pruning::LEADING, palindromic, symmetry: true, large: 0 };
        assert_eq!(counted::<1, u64>(problem, &how, expander), expected);
        assert_eq!(counted::<4, u128>(problem, &how, expander), expected);
        plain = plain.or(Some(expected));
    }
    plain
}

/// The problem in a line of tests/shortest.txt, its length, and what the referee counts.
fn read(line: &str) -> (Transfer, Option<u32>, Solutions) {
    let fields: Vec<&str> = line.split(' ').collect();
    let [map, moves, start, target, jumps_only, length, ref numbers @ ..] = fields[..] else { panic!("{line}") };
    let numbers: Vec<u128> = numbers.iter().filter(|n| **n != "-").map(|n| n.parse().unwrap()).collect();
    let mirrored = match numbers[2..] {
        [up_to_reversal, palindromic, palindromic_up_to_symmetry] => {
            Some(Mirrored { up_to_reversal, palindromic, palindromic_up_to_symmetry })
        }
        _ => None,
    };
    let solutions = Solutions { sequences: numbers[0], up_to_symmetry: numbers[1], mirrored };
    let board = Board::from_map(&map.replace('/', "\n")).unwrap().0;
    let cells = |names: &str| names.split(',').map(|name| board.cell(name).unwrap()).collect::<Vec<_>>();
    let problem = transfer(map, moves.parse().unwrap(), &cells(start), &cells(target), jumps_only == "true");
    (problem, length.parse().ok(), solutions)
}

#[test]
fn there_are_as_many_as_the_referee_derives_and_as_walks_written_out() {
    let expander = Expander::new(2, None).unwrap();
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let (mut odd, mut even, mut by_both) = (0, 0, 0);
    for line in text.lines().filter(|l| !l.starts_with("# ")) {
        let (problem, Some(length), solutions) = read(line) else { continue };
        let how = How { pruning: Pruning::LEADING, palindromic: false, symmetry: true, large: 0 };
        let found = counted::<2, u64>(&problem, &how, &expander);
        assert_eq!(found, (length, solutions), "{line}");
        let mirror = problem.symmetries().mirror.is_some();
        odd += u32::from(mirror && length % 2 == 1);
        even += u32::from(mirror && length % 2 == 0);
        by_both += u32::from(agrees(&problem, &expander).is_some());
    }
    assert!(odd > 2 && even > 2 && by_both > 25, "{odd} odd, {even} even with a mirror; {by_both} counted by hand");
}

#[test]
fn larger_groups_and_walks_that_they_fix_are_counted_right() {
    let expander = Expander::new(2, None).unwrap();
    // Four corners to the middles of the sides, or to the middle: K has eight elements, and there is no mirror. Every second
    // corner of a hexagon to the other three: K turns it, and the half turn swaps the ends.
    let maps = [
        ("...../...../...../...../.....", vec![0, 4, 20, 24], vec![2, 10, 14, 22]),
        ("..../..../..../....", vec![0, 3, 12, 15], vec![5, 6, 9, 10]),
        ("..../..../..../....", vec![0, 15], vec![3, 12]),
        (".../.../...", vec![0, 2, 6, 8], vec![1, 3, 5, 7]),
        ("...../...../...../...../.....", vec![0, 1, 5], vec![24, 23, 19]),
        ("...../...../...../...../.....", vec![10, 11], vec![14, 13]),
        (".../.../.../...", vec![1, 4], vec![10, 7]),
        ("##.../#..../...../....#/...##", vec![0, 11, 16], vec![2, 7, 18]),
    ];
    let (mut by_order, mut fixed) = (HashMap::new(), 0);
    for ((map, start, target), rule) in maps.iter().flat_map(|map| [4, 6, 8].map(|rule| (map, rule))) {
        let problem = transfer(map, rule, start, target, false);
        let Some((_, found)) = agrees(&problem, &expander) else { continue };
        let order = problem.symmetries().fixing.len() as u128;
        *by_order.entry(order).or_insert(0) += 1;
        fixed += u32::from(found.up_to_symmetry * order > found.sequences);
    }
    let enough = [2, 6, 8].iter().all(|order| by_order.contains_key(order)) && fixed > 2;
    assert!(enough, "{by_order:?}, {fixed} with fixed walks");
}

prop_compose! {
    /// A small board, perhaps with holes, an army in a corner or anywhere, a target mirrored or anywhere.
    fn small()(
        (width, height) in (3usize..=5, 3usize..=5),
        rule in prop::sample::select(vec![4u8, 6, 8]),
        jumps_only in prop::bool::weighted(0.2),
        men in 2usize..=3,
        holes in prop::collection::vec(0usize..25, 0..4),
        (turned, cornered, mirrored) in (any::<bool>(), any::<bool>(), any::<bool>()),
        order in Just((0usize..25).collect::<Vec<_>>()).prop_shuffle(),
        other in Just((0usize..25).collect::<Vec<_>>()).prop_shuffle(),
    ) -> Option<Transfer> {
        let size = width * height;
        let mut drawn = vec!['.'; size];
        for hole in holes.into_iter().map(|h| h % size) {
            drawn[hole] = '#';
            if turned {
                drawn[size - 1 - hole] = '#';
            }
        }
        let rows: Vec<String> = drawn.chunks(width).map(|row| row.iter().collect()).collect();
        let map = rows.join("/");
        let board = Board::from_map(&map.replace('/', "\n")).ok()?.0;
        if board.len() < men + 2 {
            return None;
        }
        let mut cells: Vec<usize> = order.into_iter().filter(|&c| c < board.len()).collect();
        if cornered {
            cells.sort_by_key(|&c| { let (x, y) = board.xy(c); x + y });
        }
        let start = cells[..men].to_vec();
        let mut target: Vec<usize> = other.into_iter().filter(|&c| c < board.len()).take(men).collect();
        let problem = transfer(&map, rule, &start, &target, jumps_only);
        if mirrored && let Some(image) = halma_rules::problem::mirrored(&problem.lattice, &problem.start) {
            target = image;
        }
        let problem = transfer(&map, rule, &start, &target, jumps_only);
        (problem.start != problem.target).then_some(problem)
    }
}

fn agrees_alone(problem: Option<Transfer>) {
    if let Some(problem) = problem {
        agrees(&problem, &Expander::new(1, None).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn counts_agree_with_walks_written_out(problem in small()) {
        agrees_alone(problem);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    #[ignore = "minutes: a thousand problems"]
    fn counts_of_a_thousand_problems_agree_with_walks_written_out(problem in small()) {
        agrees_alone(problem);
    }
}
