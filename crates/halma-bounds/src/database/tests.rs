use super::*;
use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::Alone;
use halma_rules::centroid;
use halma_rules::job::{self, Job};

fn problem(text: &str) -> Transfer {
    let job = Job::parse("a.toml".as_ref(), &format!("[problem]\nkind = \"transfer\"\n{text}")).unwrap();
    let job::Problem::Transfer(problem) = job.problem else { unreachable!() };
    problem
}

fn databases(problem: &Transfer) -> Databases {
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(problem, &symmetries);
    Databases::new(problem, &symmetries, &centroid, &Granularity::default(), 1 << 20)
}

const PROBLEMS: [&str; 5] = [
    "board = \"9x9\"\nmoves = 6\narmy = \"triangle-3\"",
    "board = \"checkers-32\"\nmoves = 4\narmy = \"checkers-12\"",
    // As many cells as a byte has values: a loop over them that counted in bytes once took no step at all.
    "board = \"16x16\"\nmoves = 8\narmy = [\"a1\", \"b1\"]\ntarget = [\"p16\", \"p15\"]",
    "board = \"9x9\"\nmoves = 4\narmy = [\"a1\", \"b1\", \"c2\"]\ntarget = [\"i9\", \"g5\", \"h8\"]",
    "board = \"9x9\"\nmoves = 6\narmy = \"square-2\"\njumps-only = true",
];

#[test]
fn tables_that_grow_from_both_ends_meet_at_the_distance() {
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    for text in PROBLEMS {
        let problem = problem(text);
        let (early, late) = (databases(&problem), databases(&problem));
        late.extend(u32::MAX, context).unwrap();
        let start: Vec<u8> = problem.start.iter().map(|&c| c as u8).collect();
        let distance = late.to_target.get(late.abstraction.rank_of(&start));
        let distance = (distance != UNREACHED).then_some(u32::from(distance));
        assert_eq!(early.lower_bound(context).unwrap(), distance, "{text}");
        assert_eq!(late.lower_bound(context).unwrap(), distance, "{text}");
    }
}

#[test]
fn distances_from_the_start_are_those_of_a_search_from_there() {
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    for text in PROBLEMS {
        let problem = problem(text);
        let databases = databases(&problem);
        databases.extend(u32::MAX, context).unwrap();
        let start: Vec<u8> = problem.start.iter().map(|&c| c as u8).collect();
        let abstraction = &databases.abstraction;
        let expected = abstraction.distances(&[vec![abstraction.rank_of(&start)]], u32::MAX, &(), context).unwrap();
        for rank in 0..abstraction.space.count() as u32 {
            assert_eq!(databases.from_start.get(rank), expected.get(rank), "{text}, histogram {rank}");
        }
    }
}

#[test]
fn distances_to_several_sets_of_sources_are_the_least_with_the_moves_that_a_set_adds() {
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    for text in PROBLEMS {
        let databases = databases(&problem(text));
        databases.extend(4, context).unwrap();
        let (abstraction, count) = (&databases.abstraction, databases.abstraction.space.count() as u32);
        // Some of the later sources are nearer to earlier ones than that, or are among them.
        let at = |table: &Table, d: u8| (0..count).filter(|&rank| table.get(rank) == d).collect::<Vec<_>>();
        let sets = [at(&databases.to_target, 2), Vec::new(), at(&databases.to_target, 3), at(&databases.from_start, 4)];
        for limit in [3, 9, u32::MAX] {
            let together = abstraction.distances(&sets, limit, &(), context).unwrap();
            let each =
                |set: &Vec<u32>| abstraction.distances(std::slice::from_ref(set), u32::MAX, &(), context).unwrap();
            let each: Vec<Table> = sets.iter().map(each).collect();
            for rank in 0..count {
                let distance =
                    |(moves, table): (u8, &Table)| Some(table.get(rank)).filter(|&d| d < FAR).map(|d| d + moves);
                let least = (0..).zip(&each).filter_map(distance).min();
                let told = Some(together.get(rank)).filter(|&d| d < FAR);
                assert_eq!(told, least.filter(|&d| u32::from(d) <= limit), "{text}, up to {limit}, histogram {rank}");
            }
        }
    }
}

/// D_M with all that is left out because no search asks for it, against one that looks everywhere.
#[test]
fn distances_to_middles_are_right_where_they_are_asked_for() {
    let context = WorkContext { exchange: &Alone, cancel: &CancellationToken::after(None) };
    for (text, lengths) in [(PROBLEMS[0], 10..26), (PROBLEMS[1], 16..22), (PROBLEMS[2], 16..20)] {
        let problem = problem(text);
        let full = databases(&problem);
        full.extend(u32::MAX, context).unwrap();
        for (length, middles) in lengths.flat_map(|l| [(l, Middles::Leading), (l, Middles::Palindromic)]) {
            let (half, following) = (length / 2, length - length / 2);
            let mut verdicts = full.verdicts(middles);
            let count = full.abstraction.space.count() as u32;
            let sources = (0..count).filter(|&rank| {
                let near = full.to_target.within(rank, following) && full.from_start.within(rank, half);
                near && verdicts(rank)[length as usize % 2]
            });
            let expected = full.abstraction.distances(&[sources.collect()], half, &(), context).unwrap();
            let found = databases(&problem).to_middles(length, middles, context).unwrap();
            for rank in 0..count {
                let asked = |distance: u8| full.from_start.within(rank, half.saturating_sub(distance.into()));
                let told = |table: &Table| Some(table.get(rank)).filter(|&d| d != UNREACHED && asked(d));
                assert_eq!(told(&found), told(&expected), "{text}, {length} moves, {middles:?}, histogram {rank}");
            }
        }
    }
}
