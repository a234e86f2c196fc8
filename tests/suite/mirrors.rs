//! Mirrors of puzzles from files: levels from the goal that are images of those from the start change no answer, and `check` takes no
//! map for a mirror that is none.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use halma_check::{Options, RejectionKind};
use halma_engine::search::CancellationToken;
use halma_record::record::{Record, Side, Verdict};
use halma_rules::job::Job;
use halma_solve::run::{Question, run};
use proptest::prelude::*;

fn check(record: &Record) -> Result<halma_check::Report, halma_check::Rejection> {
    let options = Options { sample: None, budget: 50_000_000, memory: None, progress: &|_| {} };
    halma_check::record_holds(record, Path::new(""), &options)
}

/// The answer to a job, which the verifier accepts in full.
fn answer(job: &Job, question: Question) -> Record {
    let record = run(job, question, &(), &CancellationToken::after(None)).unwrap();
    let report = check(&record);
    assert!(report.as_ref().is_ok_and(|report| report.unchecked.is_empty()), "{report:?}");
    record
}

fn job(text: &str) -> Job {
    Job::parse("a.toml".as_ref(), text).unwrap()
}

fn config(name: &str) -> Job {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/puzzles").join(name).with_extension("toml");
    let mut job = Job::read(&file).unwrap();
    job.output.dir = None;
    job
}

fn has_mirror(record: &Record) -> bool {
    record.symmetries.as_ref().is_some_and(|symmetries| symmetries.mirror.is_some())
}

fn states(record: &Record) -> u64 {
    record.runs.iter().flat_map(|run| &run.levels).map(|level| level.states).sum()
}

/// The answer with a mirror, after it was found to be that without.
fn both_ways(job: &Job) -> Record {
    let mirrored = answer(job, Question::Solve);
    let mut plain = job.clone();
    plain.search.symmetry = false;
    let plain = answer(&plain, Question::Solve);
    assert!(!has_mirror(&plain));
    let said = |record: &Record| (record.verdict, record.length, record.refuted_up_to, record.exhausted);
    if mirrored.length.is_some() {
        assert_eq!(said(&mirrored), said(&plain), "{}", job.file.display());
    } else {
        // One side alone may see sooner or later that nothing is left.
        assert_eq!((mirrored.verdict, mirrored.exhausted), (plain.verdict, plain.exhausted), "{}", job.file.display());
    }
    mirrored
}

#[test]
fn mirrors_are_found_and_change_no_answer() {
    for n in 1..=6 {
        let record = both_ways(&config(&format!("frogs-and-toads-{n}")));
        assert!(has_mirror(&record), "{n}");
        let forward = |side| side == Side::Forward;
        assert!(record.runs.iter().flat_map(|run| &run.levels).all(|level| forward(level.side)));
    }
    for pegs in 1..=5 {
        both_ways(&config(&format!("hanoi-4-pegs-{pegs}")));
    }
    for name in ["tiles-3x3-hardest", "klotski-moves", "rush-hour-hardest"] {
        assert!(!has_mirror(&both_ways(&config(name))), "{name}");
    }
}

/// A transfer that has a mirror has one as rules, too, and by either both halves are one.
#[test]
fn a_transfer_written_as_rules_has_its_mirror() {
    let rules = r#"
        [problem]
        kind = "rules"
        board = "AA...\nA....\n.....\n.....\n....."
        legend = { x = "A" }
        rules = ["A . -> . A", { rule = "A x . -> . x A", chain = true }]
        goal = ".....\n.....\n.....\n....A\n...AA"
    "#;
    let record = both_ways(&job(rules));
    assert!(has_mirror(&record));
    let text = "[problem]\nkind = 'transfer'\nmoves = 4\nboard = \"\"\"\nSS...\nS....\n.....\n....T\n...TT\n\"\"\"\n";
    let transfer = run(&job(text), Question::Solve, &(), &CancellationToken::after(None)).unwrap();
    assert_eq!(record.length, transfer.length);
}

/// The complement of a start with one hole is the goal with one peg, and the image of a jump is a jump undone.
#[test]
fn peg_solitaire_is_its_own_complement_played_backward() {
    // Five rows, and the hole at the corner: 13 jumps. In full, or by what has to be true of it.
    let full = "\"\"\"\n####P\n###..\n##...\n#....\n.....\n\"\"\"";
    for goal in [full, "{ count = { P = 1 }, at = \"e1\" }"] {
        let text = format!(
            "[problem]\nkind = \"rules\"\nboard = \"####.\\n###PP\\n##PPP\\n#PPPP\\nPPPPP\"\ndirections = 6\n\
             rules = [\"P P . -> . . P\"]\ngoal = {goal}\n"
        );
        let record = both_ways(&job(&text));
        assert_eq!((record.verdict, record.length, has_mirror(&record)), (Verdict::Optimal, Some(13), true));
        assert_eq!(record.runs.iter().map(|run| run.levels.len()).sum::<usize>(), 8);
    }
}

/// The central game, jump by jump: 31 jumps, of which the levels of 16 are made.
#[test]
#[ignore = "a minute: ten million positions"]
fn the_central_game_of_peg_solitaire_is_solved_by_half_of_its_levels() {
    let mut job = config("peg-solitaire-jumps");
    job.output.dir = None;
    let record = run(&job, Question::Solve, &(), &CancellationToken::after(None)).unwrap();
    assert_eq!((record.verdict, record.length, has_mirror(&record)), (Verdict::Optimal, Some(31), true));
    let sizes: Vec<u64> = record.runs.iter().flat_map(|run| &run.levels).map(|level| level.states).collect();
    // OEIS A112737, as far as the middle.
    assert_eq!(sizes[..11], [1, 1, 2, 8, 39, 171, 719, 2757, 9751, 31312, 89927]);
    assert_eq!(sizes.len(), 17);
}

#[test]
fn forged_mirrors_are_refused() {
    let record = answer(&config("frogs-and-toads-3"), Question::Solve);
    let forgeries: [fn(&mut Record); 9] = [
        |r| r.symmetries.as_mut().unwrap().mirror = None,
        |r| r.symmetries.as_mut().unwrap().letters.clear(),
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().swap(0, 1),
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap()[3] = 200,
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().truncate(6),
        |r| drop(r.symmetries.as_mut().unwrap().letters.insert(".".into(), "F".into())),
        |r| drop(r.symmetries.as_mut().unwrap().letters.insert("X".into(), "Y".into())),
        // The row turned, and the letters exchanged: it keeps the start.
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().reverse(),
        |r| {
            let symmetries = r.symmetries.as_mut().unwrap();
            (symmetries.mirror, symmetries.letters) = (Some(symmetries.fixing[0].clone()), Default::default());
        },
    ];
    for (number, forge) in forgeries.iter().enumerate() {
        let mut forged = record.clone();
        forge(&mut forged);
        let rejection = check(&forged).map(|_| number).unwrap_err();
        let kinds = [RejectionKind::Problem, RejectionKind::Levels, RejectionKind::Verdict];
        assert!(kinds.contains(&rejection.kind), "{number}: {rejection:?}");
    }
    // A letter that has two images has none.
    let text = record.to_json().unwrap();
    let twice = text.replacen(r#""F": "T""#, r#""F": "F", "F": "T""#, 1);
    assert_ne!(twice, text);
    assert!(serde_json::from_str::<Record>(&twice).unwrap_err().to_string().contains("`F` is there twice"));
    // The turned row is a mirror, too: another map than that of the search, and as good.
    let mut other = record.clone();
    let symmetries = other.symmetries.as_mut().unwrap();
    symmetries.mirror.as_mut().unwrap().reverse();
    symmetries.letters.clear();
    assert!(check(&other).is_ok());
}

#[test]
fn who_hides_a_solution_behind_a_mirror_is_refused() {
    let mut job = config("frogs-and-toads-3");
    job.search.max_length = Some(15);
    let mut record = answer(&job, Question::Prove { max_length: 15 });
    assert_eq!((record.verdict, record.length), (Verdict::Solution, Some(15)));
    record.runs.last_mut().unwrap().verdict = Verdict::None;
    (record.verdict, record.length, record.solution, record.refuted_up_to) = (Verdict::None, None, None, Some(15));
    let rejection = check(&record).map(|report| report.checked).unwrap_err();
    assert_eq!(rejection.kind, RejectionKind::Verdict);
    // Nor is it enough to leave out the level at which the halves meet.
    record.runs.iter_mut().for_each(|run| run.levels.retain(|level| level.depth < 8));
    record.runs.iter_mut().for_each(|run| {
        run.generated = run.levels.iter().map(|level| level.generated).sum();
        run.largest_level = run.levels.iter().map(|level| level.states).max().unwrap_or(0);
    });
    assert_eq!(check(&record).map(|report| report.checked).unwrap_err().kind, RejectionKind::Verdict);
}

/// It takes the start to the goal; but the frog steps only if two cells are empty before him, and not behind.
#[test]
fn a_map_that_does_not_turn_moves_round_is_no_mirror() {
    let text = r#"
        [problem]
        kind = "rules"
        board = "F..T"
        goal = "T..F"
        rules = [
            { rule = "F . . -> . F .", directions = ["right"] },
            { rule = "T . -> . T", directions = ["left"] },
            { rule = "T F . -> . F T", directions = ["left"] },
        ]
    "#;
    let record = both_ways(&job(text));
    assert_eq!((record.verdict, record.exhausted, has_mirror(&record)), (Verdict::None, true, false));
    for (mirror, letters) in [(vec![3, 2, 1, 0], ""), (vec![0, 1, 2, 3], "FT")] {
        let mut forged = record.clone();
        let symmetries = forged.symmetries.as_mut().unwrap();
        symmetries.mirror = Some(mirror);
        let exchanged = letters.chars().zip(letters.chars().rev());
        symmetries.letters = exchanged.map(|(from, to)| (from.to_string(), to.to_string())).collect();
        let rejection = check(&forged).map(|report| report.checked).unwrap_err();
        assert_eq!(rejection.kind, RejectionKind::Problem, "{rejection:?}");
        assert!(rejection.reason.contains("turned round"), "{rejection:?}");
    }
}

/// The 2x2x2 cube with one corner fixed.
const CUBE: &str = "Set CORNERS 7 3\nSolved\nCORNERS\n1 2 3 4 5 6 7\nEnd\n\
    MoveTransformation U\nCORNERS\n3 0 1 2 4 5 6\nEnd\n\
    MoveTransformation R\nCORNERS\n4 1 2 0 6 5 3\n2 0 0 1 1 0 2\nEnd\n\
    MoveTransformation F\nCORNERS\n1 5 2 3 0 4 6\n1 2 0 0 2 1 0\nEnd\n";

fn permutation(definition: &str, scramble: &str) -> Job {
    job(&format!(
        "[problem]\nkind = \"permutation\"\nscramble = \"{scramble}\"\ndefinition = \"\"\"\n{definition}\"\"\"\n"
    ))
}

/// Stacks of pancakes, flipped from the top.
fn pancakes(n: usize) -> String {
    let row = |numbers: Vec<usize>| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let mut text = format!("Set STACK {n} 1\nSolved\nSTACK\n{}\nEnd\n", row((1..=n).collect()));
    for top in 2..=n {
        text += &format!("Move F{top}\nSTACK\n{}\nEnd\n", row((1..=top).rev().chain(top + 1..=n).collect()));
    }
    text
}

/// Flips from each stack to the sorted one, by breadth-first search on the stacks themselves.
fn flips(n: usize) -> BTreeMap<Vec<usize>, u32> {
    let sorted: Vec<usize> = (1..=n).collect();
    let (mut known, mut open) = (BTreeMap::from([(sorted.clone(), 0)]), VecDeque::from([sorted]));
    while let Some(stack) = open.pop_front() {
        let distance = known[&stack] + 1;
        for top in 2..=n {
            let mut flipped = stack.clone();
            flipped[..top].reverse();
            if !known.contains_key(&flipped) {
                known.insert(flipped.clone(), distance);
                open.push_back(flipped);
            }
        }
    }
    known
}

#[test]
fn a_permutation_of_different_pieces_is_mirrored_by_new_names() {
    for scramble in ["", "R", "R U", "R U F", "U2 F R' U", "F R U2 F' R", "R F U R2 F U'"] {
        let record = both_ways(&permutation(CUBE, scramble));
        assert!(has_mirror(&record), "{scramble}");
        let levels = || record.runs.iter().flat_map(|run| &run.levels);
        assert!(levels().all(|level| level.side == Side::Forward));
        // Only as far as the middle: the sizes of the cube's levels, OEIS A079761 with the moves U, R and F.
        let sizes: Vec<u64> = levels().map(|level| level.states).collect();
        assert_eq!(sizes, [1, 9, 54, 321][..1 + record.length.unwrap().div_ceil(2) as usize], "{scramble}");
    }
    // Equal pieces: if T turns the ring by one, they are where different ones have been.
    let ring = "Set A 6 1\nSolved\nA\n1 1 2 2 3 3\nEnd\nMove T\nA\n2 3 4 5 6 1\nEnd\nMove S\nA\n2 1 3 4 5 6\nEnd\nMove P\nA\n1 3 2 4 5 6\nEnd\n";
    assert!(has_mirror(&both_ways(&permutation(ring, "T2 S"))));
    assert!(!has_mirror(&both_ways(&permutation(ring, "T P"))));
}

#[test]
fn blocks_are_mirrored_where_the_goal_places_each_of_them() {
    let blocks = |board: &str, goal: &str, more: &str| {
        both_ways(&job(&format!("[problem]\nkind = \"blocks\"\nboard = \"{board}\"\ngoal = \"{goal}\"\n{more}\n")))
    };
    for metric in ["step", "slide", "move"] {
        let metric = format!("metric = \"{metric}\"");
        let turned = blocks("AAB\\n..B\\nC..", "??C\\nB??\\nBAA", &metric);
        assert_eq!((turned.verdict, has_mirror(&turned)), (Verdict::Optimal, true), "{metric}");
        // From both ends, since the goal is one state, and no map takes the start there.
        let other = blocks("AAB\\n..B\\nC..", "AA?\\nC?B\\n??B", &metric);
        assert_eq!((other.verdict, has_mirror(&other)), (Verdict::Optimal, false), "{metric}");
        assert!(other.runs.iter().flat_map(|run| &run.levels).any(|level| level.side == Side::Backward));
        // A and B have one shape: the board stays, and they change names.
        let named = blocks("A.B\\n...", "B.A\\n...", &metric);
        assert!(has_mirror(&named), "{metric}");
    }
}

#[test]
fn forged_new_names_and_mirrors_of_blocks_are_refused() {
    let cube = answer(&permutation(CUBE, "R U F R"), Question::Solve);
    let named = |r: &mut Record| r.symmetries.take().unwrap();
    let forgeries: [fn(&mut Record); 9] = [
        |r| r.symmetries = None,
        |r| r.symmetries.as_mut().unwrap().mirror = None,
        |r| r.symmetries.as_mut().unwrap().mirror = Some(vec![0]),
        |r| r.symmetries.as_mut().unwrap().mirror = Some((0..7).collect()),
        |r| r.symmetries.as_mut().unwrap().fixing.push((0..7).collect()),
        |r| r.symmetries.as_mut().unwrap().letters.clear(),
        |r| drop(r.symmetries.as_mut().unwrap().letters.pop_first()),
        |r| drop(r.symmetries.as_mut().unwrap().letters.insert("EDGES 1".into(), "EDGES 2".into())),
        |r| {
            let letters = &mut r.symmetries.as_mut().unwrap().letters;
            let first = letters.keys().next().unwrap().clone();
            *letters.get_mut(&first).unwrap() += " +1";
        },
    ];
    let blocks =
        "[problem]\nkind = \"blocks\"\nboard = \"AAB\\n..B\\nC..\"\ngoal = \"??C\\nB??\\nBAA\"\nmetric = \"step\"\n";
    let blocks = answer(&job(blocks), Question::Solve);
    let of_blocks: [fn(&mut Record); 7] = [
        |r| r.symmetries.as_mut().unwrap().mirror = None,
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().swap(0, 1),
        |r| r.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().truncate(3),
        |r| r.symmetries.as_mut().unwrap().mirror = Some((0..9).collect()),
        |r| drop(r.symmetries.as_mut().unwrap().letters.insert("A".into(), "C".into())),
        |r| drop(r.symmetries.as_mut().unwrap().letters.insert("X".into(), "A".into())),
        |r| {
            let letters = &mut r.symmetries.as_mut().unwrap().letters;
            letters.extend([("A", "C"), ("C", "A")].map(|(a, b)| (a.to_string(), b.to_string())));
        },
    ];
    let all = forgeries.iter().map(|forge| (&cube, forge)).chain(of_blocks.iter().map(|forge| (&blocks, forge)));
    for (number, (record, forge)) in all.enumerate() {
        let mut forged = record.clone();
        assert!(check(&forged).is_ok());
        forge(&mut forged);
        let rejection = check(&forged).map(|_| number).unwrap_err();
        let kinds = [RejectionKind::Problem, RejectionKind::Levels, RejectionKind::Verdict];
        assert!(kinds.contains(&rejection.kind), "{number}: {rejection:?}");
    }
    // The names of another scramble, whose levels are the same as far as they go.
    let mut forged = cube.clone();
    forged.symmetries = Some(named(&mut answer(&permutation(CUBE, "R U F R2"), Question::Solve)));
    assert_eq!(check(&forged).map(|report| report.checked).unwrap_err().kind, RejectionKind::Problem);
}

#[test]
fn who_hides_a_scramble_behind_its_mirror_is_refused() {
    let mut job = permutation(CUBE, "R U F R");
    job.search.max_length = Some(4);
    let mut record = answer(&job, Question::Prove { max_length: 4 });
    assert_eq!((record.verdict, record.length, has_mirror(&record)), (Verdict::Solution, Some(4), true));
    record.runs.last_mut().unwrap().verdict = Verdict::None;
    (record.verdict, record.length, record.solution, record.refuted_up_to) = (Verdict::None, None, None, Some(4));
    assert_eq!(check(&record).map(|report| report.checked).unwrap_err().kind, RejectionKind::Verdict);
}

/// A board of two rows with these tiles, `.` the blank.
fn board(tiles: &[char]) -> String {
    tiles.chunks(tiles.len() / 2).map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join("\\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Whether there is a solution or not: half of all pairs of boards have none.
    #[test]
    fn tiles_are_solved_alike_with_and_without_a_mirror(
        start in Just(vec!['1', '2', '3', '4', '5', '.']).prop_shuffle(),
        goal in Just(vec!['1', '2', '3', '4', '5', '.']).prop_shuffle(),
    ) {
        let text = format!(
            "[problem]\nkind = \"rules\"\nboard = \"{}\"\nrules = [\"* . -> . *\"]\ngoal = \"{}\"\n",
            board(&start), board(&goal)
        );
        let record = both_ways(&job(&text));
        // In a corner both, or in the middle of a row both.
        let middle = |tiles: &[char]| tiles.iter().position(|&tile| tile == '.').is_some_and(|at| at % 3 == 1);
        prop_assert_eq!(has_mirror(&record), middle(&start) == middle(&goal));
        // One side sees at most half of all boards; two sides may see both halves.
        let most = if has_mirror(&record) { 360 } else { 720 };
        prop_assert!(states(&record) <= most);
    }
    /// The distance is that of a plain search, whatever the stack.
    #[test]
    fn stacks_of_pancakes_are_sorted_by_as_few_flips_as_a_plain_search_needs(
        flipped in proptest::collection::vec(2..=6usize, 0..12),
    ) {
        let scramble: Vec<String> = flipped.iter().map(|top| format!("F{top}")).collect();
        let record = both_ways(&permutation(&pancakes(6), &scramble.join(" ")));
        prop_assert!(has_mirror(&record));
        let mut stack: Vec<usize> = (1..=6).collect();
        flipped.iter().for_each(|&top| stack[..top].reverse());
        prop_assert_eq!(record.length, flips(6).get(&stack).copied());
    }
}
