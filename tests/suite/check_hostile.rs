//! Level files of strangers, with records that fit them, and records that once made `halma check` panic, wait or reserve memory.

use std::path::Path;

use halma_check::{Options, record_holds};
use halma_engine::draws::Draws;
use halma_engine::key::Key;
use halma_engine::search::{CancellationToken, digest};
use halma_engine::store::workspace::Disk;
use halma_engine::store::{Level, file};
use halma_record::record::{
    Asked, Digest, FileRecord, ImpossibleRecord, LevelRecord, PartitionRecord, Record, Verdict,
};
use halma_rules::job::Pruning;
use halma_solve::run::{self, Question};
use tempfile::TempDir;

use crate::forgery::{Subject, checked, job, reseal, reseal_run};

const CORNER: &str = "SS..\nS...\n...T\n..TT";
const LOPSIDED: &str = "SS..\n.#..\n...T\n..T.";
const JUMPS: &str = "SSS..\n.....\n..TTT";
const DUEL: &str = "SS..\n....\n..TT";

/// A record whose levels lie in a folder.
fn kept(kind: &str, map: &str, moves: u32, jumps_only: bool, search: &str, question: Question) -> (Record, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut job = job(kind, map, moves, jumps_only, search).unwrap();
    job.output.dir = Some(folder.path().into());
    job.output.keep_levels = true;
    let record = run::run(&job, question, &(), &CancellationToken::after(None)).unwrap();
    for sample in [None, Some(5), Some(u64::MAX)] {
        assert_eq!(said(&record, folder.path(), sample), Ok(()), "{kind}, {search}");
    }
    (record, folder)
}

fn said(record: &Record, folder: &Path, sample: Option<u64>) -> Result<(), String> {
    let options = Options { sample, budget: u64::MAX, memory: None, progress: &|_| () };
    let report = record_holds(record, folder, &options).map_err(|why| why.to_string())?;
    assert_eq!(report.unchecked, Vec::<String>::new());
    Ok(())
}

/// The bytes of a key in a level file.
fn width(path: &Path) -> u8 {
    std::fs::read(path).unwrap()[12]
}

/// The keys of a level's file.
fn keys<K: Key>(folder: &Path, level: &LevelRecord) -> Vec<u128> {
    let named = level.file.as_ref().unwrap();
    let read = file::open::<K>(&folder.join(&named.name), named.identity.0, level.states, level.digest.0).unwrap();
    let whole = |key: &K| u128::from(key.words()[1]) << 64 | u128::from(key.words()[0]);
    read.to_vec().unwrap().iter().map(whole).collect()
}

/// Puts other states into a level, in a file of its own, so that all of its figures fit: what is more now was duplicate or old.
fn put<K: Key>(folder: &Path, level: &mut LevelRecord, keys: &[u128]) {
    let states: Vec<K> = keys.iter().map(|&key| K::from_words([key as u64, (key >> 64) as u64, 0, 0])).collect();
    let name = format!("forged-{}", level.depth);
    let more = (states.len() as u64).saturating_sub(level.states);
    let old = more.min(level.old);
    level.old -= old;
    level.duplicates = level.duplicates.saturating_sub(more - old);
    level.states = states.len() as u64;
    (level.digest, level.second_digest) =
        (Digest(digest::of(digest::KEY, &states)), Some(Digest(digest::of(digest::SECOND_KEY, &states))));
    file::write(&folder.join(&name), 7, &Level::of(states), level.digest.0, &Disk::new(None)).unwrap();
    level.file = Some(FileRecord { name, identity: Digest(7) });
}

/// Of every level the file is replaced by one with a state more: one of an earlier level, or any other one.
fn with_a_state_more<K: Key>((record, folder): &(Record, TempDir), name: &str, refused: &mut usize) {
    let folder = folder.path();
    let mut random = Draws::new(7);
    for (r, run) in record.runs.iter().enumerate() {
        for (l, level) in run.levels.iter().enumerate().filter(|(_, level)| level.file.is_some()) {
            if !run.levels.iter().all(|level| level.depth == 0 || level.file.is_some()) {
                continue;
            }
            let own = keys::<K>(folder, level);
            let earlier = run.levels[..l].iter().filter(|level| level.file.is_some());
            let mut others: Vec<u128> = earlier.rev().take(3).flat_map(|level| keys::<K>(folder, level)).collect();
            others.truncate(6);
            let most = own.iter().chain(&others).max().copied().unwrap_or(0).max(100);
            others.extend((0..4).map(|_| random.below(2 * most as usize) as u128));
            for other in others.into_iter().filter(|other| !own.contains(other)) {
                let mut forged = record.clone();
                let mut keys = own.clone();
                keys.push(other);
                keys.sort_unstable();
                put::<K>(folder, &mut forged.runs[r].levels[l], &keys);
                reseal_run(&mut forged.runs[r]);
                for sample in [None, Some(u64::MAX)] {
                    assert!(said(&forged, folder, sample).is_err(), "{name}: {other} on {level:?}, sample {sample:?}");
                    *refused += 1;
                }
            }
        }
    }
}

#[test]
fn a_level_s_file_with_a_state_that_does_not_belong_there_is_refused() {
    let (solve, levels) = (Question::Solve, Question::Levels { depth: 4 });
    let cases = [
        ("transfer", CORNER, 6, false, "pruning = 'none'", solve),
        ("transfer", CORNER, 4, false, "pruning = 'theorem-1'", solve),
        ("transfer", CORNER, 4, false, "pruning = 'pattern'", solve),
        ("transfer", CORNER, 4, false, "pruning = 'leading'", Question::Count),
        ("transfer", CORNER, 4, false, "pruning = 'leading(look-ahead=4,least=1)'", Question::Count),
        ("transfer", CORNER, 4, false, "pruning = 'leading(class-look-ahead=3)'", Question::Count),
        ("transfer", CORNER, 4, false, "pruning = 'narrowed'", solve),
        ("transfer", CORNER, 4, false, "pruning = 'mcc'", solve),
        ("transfer", CORNER, 4, false, "pruning = 'leading'\npalindromic = true", solve),
        ("transfer", CORNER, 6, false, "pruning = 'none'", levels),
        ("transfer", LOPSIDED, 8, false, "pruning = 'pattern'", solve),
        ("transfer", JUMPS, 8, true, "pruning = 'pattern'\nmax-length = 12", solve),
        ("transfer", JUMPS, 8, true, "pruning = 'leading(look-ahead=4,least=1)'\nmax-length = 12", solve),
        ("transfer", JUMPS, 8, true, "pruning = 'narrowed'\nmax-length = 12", solve),
        ("game", DUEL, 6, false, "pruning = 'none'", Question::Prove { max_length: 4 }),
        ("game", DUEL, 6, false, "pruning = 'all'", solve),
        ("game", DUEL, 6, false, "pruning = 'none'", levels),
    ];
    let mut refused = 0;
    for (kind, map, moves, jumps_only, search, question) in cases {
        let run = kept(kind, map, moves, jumps_only, search, question);
        let name = format!("{kind}, {moves}, {search}");
        let file = run.0.runs.iter().flat_map(|run| &run.levels).find_map(|level| level.file.as_ref());
        let Some(file) = file else { continue };
        match width(&run.1.path().join(&file.name)) {
            8 => with_a_state_more::<u64>(&run, &name, &mut refused),
            16 => with_a_state_more::<u128>(&run, &name, &mut refused),
            other => panic!("keys of {other} bytes"),
        }
    }
    assert!(refused > 500, "{refused}");
}

/// A level file of holes alone, whose index goes over all of them: nothing is reserved for that.
#[test]
fn a_level_file_of_holes_reserves_nothing() {
    let (record, folder) = kept("transfer", CORNER, 4, false, "pruning = 'theorem-1'", Question::Solve);
    let entry = 8 + 24;
    let count: u64 = (64 << 30) / entry;
    let length = 32 + count * entry + 64;
    let mut header = b"HALMALVL\x01\0\0\0\x08\0\0\0".to_vec();
    header.extend(7u128.to_le_bytes());
    let mut footer = [32, count, count].map(u64::to_le_bytes).concat();
    footer.extend(9u128.to_le_bytes());
    footer.extend([0; 16]);
    footer.extend(b"HALMAEND");
    let path = folder.path().join("holes");
    let made = std::fs::File::create(&path).unwrap();
    made.set_len(length).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&made, &header, 0).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&made, &footer, length - 64).unwrap();
    let mut forged = record.clone();
    let level = &mut forged.runs[0].levels[1];
    (level.states, level.digest) = (count, Digest(9));
    level.file = Some(FileRecord { name: "holes".into(), identity: Digest(7) });
    reseal_run(&mut forged.runs[0]);
    let why = said(&forged, folder.path(), None).unwrap_err();
    assert!(why.contains("the index has no block of 0 keys at byte 32"), "{why}");
}

/// A block has 4,096 keys at most, and no key more bytes than its difference can have.
#[test]
fn a_level_file_with_larger_blocks_than_anybody_writes_is_refused() {
    let (record, folder) = kept("transfer", CORNER, 4, false, "pruning = 'theorem-1'", Question::Solve);
    for (keys, bytes) in [(4097, 4096), (50_000, 49_999), (2, 38), (1, 1)] {
        let block = vec![0u8; bytes];
        let mut all = b"HALMALVL\x01\0\0\0\x08\0\0\0".to_vec();
        all.extend(7u128.to_le_bytes());
        all.extend(&block);
        let index_at = all.len() as u64;
        all.extend(5u64.to_le_bytes());
        all.extend(32u64.to_le_bytes());
        all.extend((bytes as u32).to_le_bytes());
        all.extend((keys as u32).to_le_bytes());
        all.extend(xxhash_rust::xxh3::xxh3_64(&block).to_le_bytes());
        all.extend([index_at, 1, keys].map(u64::to_le_bytes).concat());
        all.extend(9u128.to_le_bytes());
        let hashed = [&all[..32], &all[index_at as usize..]].concat();
        all.extend(xxhash_rust::xxh3::xxh3_128(&hashed).to_le_bytes());
        all.extend(b"HALMAEND");
        std::fs::write(folder.path().join("large"), &all).unwrap();
        let mut forged = record.clone();
        let level = &mut forged.runs[0].levels[1];
        (level.states, level.digest) = (keys, Digest(9));
        level.file = Some(FileRecord { name: "large".into(), identity: Digest(7) });
        reseal_run(&mut forged.runs[0]);
        let why = said(&forged, folder.path(), None).unwrap_err();
        assert!(why.contains(&format!("the index has no block of {keys} keys at byte 32")), "{why}");
    }
}

/// Armies from which no moves lead to the target have no place in its tables: not the start either, where cells are parted.
#[test]
fn levels_where_nothing_leads_are_refused_without_a_panic() {
    let parted = "SS#TT\n..#..";
    let made = Subject::new("transfer", parted, 4, false, "", Question::Levels { depth: 2 }).unwrap().record;
    let cells = made.lattice.as_ref().unwrap().cells.len();
    for pruning in ["pattern", "leading", "leading(look-ahead=3,least=1)", "leading(class-look-ahead=2)", "narrowed"] {
        let mut forged = made.clone();
        (forged.question, forged.depth, forged.max_length) = (Asked::Prove, None, Some(4));
        (forged.lower_bound, forged.pruning) = (Some(4), pruning.parse::<Pruning>().unwrap());
        forged.partition = Some(PartitionRecord { class_of: (0..cells as u8).collect(), values: vec![0; cells] });
        let run = &mut forged.runs[0];
        (run.length, run.verdict, run.pruning) = (4, Verdict::None, None);
        if pruning.starts_with("leading") {
            run.levels.iter_mut().for_each(|level| level.side = halma_record::record::Side::Leading);
        }
        forged.exhausted = false;
        reseal(&mut forged);
        assert_eq!(forged.verdict, Verdict::None);
        let why = checked(&forged).map(|report| report.checked).unwrap_err();
        assert!(why.contains("level 1: "), "{pruning}: {why}");
    }
}

/// Lists of cells that are longer than the board are not gone through.
#[test]
fn millions_of_cells_and_moves_are_refused_at_once() {
    let record = Subject::new("transfer", CORNER, 4, false, "pruning = 'none'", Question::Solve).unwrap().record;
    let many = vec!["a1".to_string(); 3_000_000];
    let says = |reason: &str, change: &dyn Fn(&mut Record)| {
        let mut forged = record.clone();
        change(&mut forged);
        let why = checked(&forged).map(|report| report.checked).unwrap_err();
        assert!(why.contains(reason), "{reason}: {why}");
    };
    let named = "3000000 cells are named, and the board has 16";
    says(named, &|it| it.problem.armies_mut().unwrap().start = many.clone());
    says(named, &|it| it.problem.armies_mut().unwrap().target = many.clone());
    says(named, &|it| {
        (it.lower_bound, it.length, it.solution, it.exhausted) = (None, None, None, true);
        (it.verdict, it.refuted_up_to) = (Verdict::None, None);
        it.runs.clear();
        it.impossible = Some(ImpossibleRecord { cells: many.clone(), at_start: 1, in_target: 0 });
    });
    let moves = ["b1-c1", "c1-b1"].map(String::from);
    says("2000000 moves for length", &|it| it.solution = Some(moves.iter().cycle().take(2_000_000).cloned().collect()));
}

/// Where start and target are the same, none has fewer moves than none.
#[test]
fn nothing_to_move_is_no_bound() {
    for pruning in ["leading", "pattern", "none", "theorem-1"] {
        let search = format!("pruning = '{pruning}'");
        let record = Subject::new("transfer", "BB..\nB...\n....", 6, false, &search, Question::Solve).unwrap().record;
        assert_eq!(record.length, Some(0));
        let mut forged = record.clone();
        (forged.question, forged.max_length, forged.lower_bound) = (Asked::Prove, Some(4), Some(5));
        forged.runs.clear();
        reseal(&mut forged);
        assert_eq!((forged.verdict, forged.refuted_up_to), (Verdict::None, Some(4)));
        let why = checked(&forged).map(|report| report.checked).unwrap_err();
        assert!(why.contains("lower_bound 5, derived 0"), "{pruning}: {why}");
        let all = Record {
            exhausted: true,
            lower_bound: None,
            max_length: None,
            refuted_up_to: None,
            question: Asked::Solve,
            ..forged
        };
        let why = checked(&all).map(|report| report.checked).unwrap_err();
        assert!(why.contains("lower_bound is missing"), "{pruning}: {why}");
    }
}

/// With too small a C a length stays open, and what is said of longer ones holds if it has no solution: its solution on their levels
/// contradicts nothing that the record says. It does where the record refutes that length.
#[test]
fn a_length_after_an_open_one_may_have_a_shorter_solution_on_its_levels() {
    let subject = Subject::new("transfer", ".T..\n..S.", 4, false, "pruning = 'mcc(0)'", Question::Solve).unwrap();
    let record = &subject.record;
    assert_eq!((record.verdict, record.refuted_up_to), (Verdict::Incomplete, Some(1)));
    let later =
        record.runs.iter().position(|run| run.length > 2 && run.verdict == Verdict::None).expect("a later none");
    for run in 0..later {
        let mut forged = record.clone();
        for earlier in forged.runs[..=run].iter_mut() {
            (earlier.verdict, earlier.self_consistent, earlier.reason) = (Verdict::None, true, None);
        }
        reseal(&mut forged);
        assert!(subject.lie(&forged).is_some());
        assert!(checked(&forged).is_err());
    }
}
