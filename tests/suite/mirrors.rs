//! Mirrors of puzzles by rules: levels from the goal that are images of those from the start change no answer, and `check` takes no
//! map for a mirror that is none.

use std::path::Path;

use halma::check::{self, Options, RejectionKind};
use halma::job::Job;
use halma::record::{Record, Side, Verdict};
use halma::run::{Question, run};
use halma::search::CancellationToken;
use proptest::prelude::*;

fn check(record: &Record) -> Result<check::Report, check::Rejection> {
    let options = Options { sample: None, budget: 50_000_000, memory: None, progress: &|_| {} };
    check::record_holds(record, Path::new(""), &options)
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
}
