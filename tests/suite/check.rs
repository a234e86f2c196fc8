//! `halma check`: sound records hold, edited ones are refused with the reason, and so are exchanged or forged level files.

use std::path::{Path, PathBuf};

use crate::program::{self, program};
use assert_cmd::Command;
use halma_engine::key::Key;
use halma_engine::search::digest;
use halma_engine::store::workspace::Disk;
use halma_engine::store::{Level, file};
use halma_record::record::{Digest, LengthRecord, Record, Side, Verdict};
use tempfile::TempDir;

/// Five men around a hole: eleven moves, levels of up to some hundred states.
const CORNER: &str = "moves = 6\nboard = \"\"\"\nSS...\nSS...\n..#..\n...TT\n...TT\n\"\"\"";

/// Exit status, standard output and standard error of the program.
fn halma(args: &[&str]) -> (i32, String, String) {
    program::halma(".", args)
}

/// A finished run with its level files.
struct Run {
    folder: TempDir,
    record: Record,
}

impl Run {
    fn of(problem: &str, search: &str) -> Self {
        Self::of_kind("transfer", problem, search)
    }

    fn of_kind(kind: &str, problem: &str, search: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let job = format!("[problem]\nkind = \"{kind}\"\n{problem}\n[search]\n{search}\n[output]\ndir = \"run\"\n");
        let file = folder.path().join("job.toml");
        std::fs::write(&file, job).unwrap();
        let args = ["solve", file.to_str().unwrap(), "-q", "--keep-levels", "--threads", "2"];
        let output = Command::from_std(program()).args(args).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let record = Record::read(&folder.path().join("run/result.json")).unwrap();
        Self { folder, record }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// Exit status and what is said when the record is this one.
    fn check(&self, record: &Record, options: &[&str]) -> (i32, String) {
        record.write(&self.path().join("result.json")).unwrap();
        let path = self.path();
        let (status, out, err) = halma(&[&["check", path.to_str().unwrap(), "-q"], options].concat());
        (status, if status == 0 || status == 3 { out } else { err })
    }

    /// What is said of the record after a change.
    fn refusal(&self, change: impl FnOnce(&mut Record)) -> String {
        let mut record = self.record.clone();
        change(&mut record);
        assert_ne!(record, self.record);
        let (status, said) = self.check(&record, &[]);
        assert_eq!(status, 4, "accepted: {said}");
        assert!(said.contains("result.json: rejected: "), "{said}");
        said
    }

    /// A level of the longest refuted length on which there are states: run and place.
    fn refuted_level(&self) -> (usize, usize) {
        let run = self.record.runs.iter().rposition(|r| r.verdict == Verdict::None).unwrap();
        let levels = &self.record.runs[run].levels;
        (run, (1..levels.len()).max_by_key(|&l| levels[l].states).unwrap())
    }
}

#[test]
fn a_field_that_records_do_not_have_is_not_checked_and_not_passed_over() {
    let run = Run::of(CORNER, "");
    let file = run.path().join("result.json");
    let (text, path) = (std::fs::read_to_string(&file).unwrap(), run.path());
    for (place, field) in [("", "proved_by"), ("/runs/0", "confirmed"), ("/symmetries", "order")] {
        let mut document: serde_json::Value = serde_json::from_str(&text).unwrap();
        document.pointer_mut(place).unwrap()[field] = "Coq".into();
        std::fs::write(&file, document.to_string()).unwrap();
        let (status, said, fault) = halma(&["check", path.to_str().unwrap(), "-q"]);
        assert_eq!(status, 3, "{said}{fault}");
        assert!(said.contains(&format!("{field}: this program knows no such field")), "{said}{fault}");
    }
}

#[test]
fn a_sound_record_holds_with_its_levels_with_a_sample_and_without() {
    let run = Run::of(CORNER, "");
    let (status, said) = run.check(&run.record, &[]);
    assert_eq!(status, 0);
    assert!(said.contains("checked: length 10, none: "), "{said}");
    assert!(said.contains("levels read from their files and closed under moves\n"), "{said}");
    let length = run.record.length.unwrap();
    let end = format!("So the shortest solution has {length} moves.\nThe record holds.\n");
    assert!(said.ends_with(&end), "{said}");
    assert!(said.contains("checked: the board: SS.../SS.../..#../...TT/...TT\n"), "{said}");
    assert!(!said.contains("title: "), "{said}");
    let mut named = run.record.clone();
    named.problem.armies_mut().unwrap().title = Some("another\nThe record".into());
    let (_, told) = run.check(&named, &[]);
    assert_eq!(told, format!("title: \"another\\nThe record\" (not checked)\n{said}"));

    let (status, said) = run.check(&run.record, &["--sample", "5"]);
    assert_eq!(status, 0);
    assert!(said.contains("The sample: of each level 5 states, or all where it has fewer, were expanded"), "{said}");
    assert!(said.contains("none shows at more than 45.07 % of them"), "{said}");
    let end = format!(
        "So, as far as a sample tells, the shortest solution has {length} moves.\nThe record holds, as far as a sample tells.\n"
    );
    assert!(said.ends_with(&end), "{said}");

    let mut bare = run.record.clone();
    bare.runs.iter_mut().flat_map(|r| &mut r.levels).for_each(|l| l.file = None);
    let (status, said) = run.check(&bare, &[]);
    assert_eq!(status, 0);
    assert!(said.contains("levels derived again\n"), "{said}");
}

#[test]
fn what_is_too_large_to_derive_again_is_said_and_not_accepted() {
    let run = Run::of(CORNER, "pruning = \"theorem-1\"");
    let mut bare = run.record.clone();
    bare.runs.iter_mut().flat_map(|r| &mut r.levels).for_each(|l| l.file = None);
    let (status, said) = run.check(&bare, &["--budget", "1000"]);
    assert_eq!(status, 3);
    assert!(said.contains("not checked: length 10: levels of "), "{said}");
    assert!(said.ends_with("Not all was: this is no proof of the verdict.\n"), "{said}");
}

#[test]
fn a_record_names_what_its_verdict_rests_on() {
    let Run { record, .. } = Run::of(CORNER, "");
    let lattice = record.lattice.unwrap();
    assert_eq!((lattice.cells.len(), &lattice.cells[..2]), (24, &["a1".to_string(), "b1".to_string()][..]));
    assert_eq!(lattice.directions, [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]);
    assert_eq!(record.centroid.unwrap().len(), 24);
    assert_eq!(record.partition.unwrap().class_of.len(), 24);
    assert_eq!(record.second_digest_key, Some(Digest(0xa409_3822_299f_31d0_082e_fa98_ec4e_6c89)));
    assert!(record.machine.unwrap().processors > 0);
    for level in record.runs.iter().flat_map(|r| &r.levels) {
        assert!(level.second_digest.is_some());
        assert_eq!(level.file.is_some(), level.depth > 0);
    }
}

#[test]
fn an_edited_record_is_refused_with_the_reason() {
    let run = Run::of(CORNER, "");
    let (r, l) = run.refuted_level();
    let says = |reason: &str, change: &dyn Fn(&mut Record)| {
        let said = run.refusal(change);
        assert!(said.contains(reason), "{reason}? {said}");
    };
    // Figures.
    says("generated, but pruned", &|it| it.runs[r].levels[l].states += 1);
    says("its count or digest is not the one in the record", &|it| {
        it.runs[r].levels[l].states += 1;
        it.runs[r].levels[l].duplicates -= 1;
        it.runs[r].largest_level += 1;
    });
    says("derived", &|it| {
        it.runs[r].levels[l].old += 1;
        it.runs[r].levels[l].pruned -= 1;
    });
    says("generated is not the sum over its levels", &|it| it.runs[r].generated += 1);
    says("its count or digest is not the one in the record", &|it| it.runs[r].levels[l].digest.0 ^= 1);
    says("second digest", &|it| it.runs[r].levels[l].second_digest = Some(Digest(1)));
    says("largest centroid", &|it| it.runs[r].levels[l].centroid_max = Some(99));
    // The solution.
    says("solution, move 1 (", &|it| it.solution.as_mut().unwrap()[0] = "a1-b1".into());
    says("solution, move 1 (a1-z9): z9 is no cell", &|it| it.solution.as_mut().unwrap()[0] = "a1-z9".into());
    says("solution: ", &|it| drop(it.solution.as_mut().unwrap().pop()));
    // Claims that do not follow.
    says("refuted_up_to is 11, the runs refute up to 10", &|it| it.refuted_up_to = Some(11));
    says("the run after lengths", &|it| drop(it.runs.remove(r)));
    says("not that of the run that found one", &|it| it.length = Some(10));
    says("the verdict none does not follow", &|it| {
        (it.verdict, it.length, it.solution) = (Verdict::None, None, None);
        it.runs.pop();
    });
    says("a run that was not finished: disk full", &|it| it.runs[r].reason = Some("disk full".into()));
    says("lower_bound 11, derived", &|it| {
        it.lower_bound = Some(11);
        it.runs.retain(|run| run.length == 11);
    });
    says("leading level 1 is followed by level 3", &|it| {
        let removed = it.runs[r].levels.remove(l);
        it.runs[r].generated -= removed.generated;
        it.runs[r].largest_level = it.runs[r].levels.iter().map(|l| l.states).max().unwrap();
    });
    // The problem and its symmetries.
    says("ρ is no automorphism", &|it| it.symmetries.as_mut().unwrap().mirror.as_mut().unwrap().swap(11, 12));
    says("does not fix start and target", &|it| {
        let symmetries = it.symmetries.as_mut().unwrap();
        // The identity and ρ are a group, but of no use as K.
        symmetries.fixing = vec![symmetries.fixing[0].clone(), symmetries.mirror.clone().unwrap()];
    });
    says("centroid: K changes it", &|it| it.centroid.as_mut().unwrap()[12] += 1);
    says("centroid: ρ does not negate it", &|it| it.centroid.as_mut().unwrap().iter_mut().for_each(|v| *v += 1));
    says("partition: ", &|it| it.partition.as_mut().unwrap().values[0] += 1);
    says("partition: ", &|it| it.partition.as_mut().unwrap().class_of[0] = 3);
    says("lattice: other cells or directions", &|it| it.lattice.as_mut().unwrap().directions[0] = (2, 0));
    says("problem.army has other cells than problem.start", &|it| {
        it.problem.armies_mut().unwrap().start[0] = "c1".into()
    });
    says("is not the published one", &|it| it.digest_key = Some(Digest(1)));
}

#[test]
fn lengths_decided_together_are_refused_where_what_they_share_is_edited() {
    let run = Run::of("moves = 6\nboard = '9x9'\narmy = 'triangle-3'", "");
    assert_eq!(run.check(&run.record, &[]).0, 0);
    let runs = &run.record.runs;
    let leader = runs.iter().rposition(|r| r.up_to.is_some()).unwrap();
    let shared = runs.iter().rposition(|r| r.shared_with.is_some_and(|l| l == r.length + 1)).unwrap();
    assert_eq!(runs[shared + 1].levels, []);
    let says = |reason: &str, change: &dyn Fn(&mut Record)| {
        let said = run.refusal(change);
        assert!(said.contains(reason), "{reason}? {said}");
    };
    says("not closed: from leading level", &|it| *it.runs[leader].up_to.as_mut().unwrap() += 1);
    says("leading level 11: 20 moves ask for none beyond level 10", &|it| it.runs[leader].up_to = None);
    says("leading_moves, for 20 moves", &|it| it.runs[shared].shared_with = None);
    says("or no leading levels", &|it| {
        (it.runs[shared].shared_with, it.runs[shared].leading_moves) = (None, false);
    });
    says("no following levels", &|it| it.runs[shared + 1].leading_moves = true);
    says("which has another middle", &|it| it.runs[shared].shared_with = Some(it.runs[shared].length + 2));
    // What a truncated search has found is no refutation.
    says("its levels end early", &|it| {
        let last = it.runs.last_mut().unwrap();
        assert_eq!(last.levels, []);
        last.verdict = Verdict::None;
        (it.verdict, it.refuted_up_to, it.max_length) = (Verdict::None, Some(last.length), Some(last.length));
        (it.length, it.solution) = (None, None);
    });
}

#[test]
fn moves_that_lead_make_other_levels_than_all_moves() {
    let run = Run::of("moves = 8\nboard = '9x9'\narmy = 'triangle-3'", "");
    let at = run.record.runs.iter().position(|run| run.length == 15).unwrap();
    assert!(run.record.runs[at].leading_moves && !run.record.runs[at - 1].leading_moves);
    let said = run.refusal(|it| it.runs[at].leading_moves = false);
    assert!(said.contains("length 15: not closed: from following level 7 one move leads to"), "{said}");
    let said = run.refusal(|it| it.runs[at - 1].leading_moves = true);
    assert!(said.contains("length 14: leading_moves, "), "{said}");
}

#[test]
fn covered_states_leave_other_levels_than_all_states() {
    for moves in [4, 6, 8] {
        let run = Run::of(&format!("moves = {moves}\nboard = '9x9'\narmy = 'triangle-3'"), "");
        assert_eq!(run.check(&run.record, &[]).0, 0);
        let covered = run.record.runs.iter().rposition(|run| run.covered).unwrap();
        assert!(run.record.runs[..=covered].iter().all(|run| run.covered == run.has_following()));
        let said = run.refusal(|it| it.runs[covered].covered = false);
        assert!(said.contains("not closed: from") || said.contains("generated"), "{said}");
        let without = run.record.runs.iter().position(|run| !run.covered).unwrap();
        let said = run.refusal(|it| it.runs[without].covered = true);
        assert!(said.contains("covered, and it has no following levels"), "{said}");
    }
}

/// Lengths of levels without end would fill the memory before anything is compared.
#[test]
fn covered_lengths_without_end_are_refused() {
    let run = Run::of("moves = 6\nboard = '9x9'\narmy = 'triangle-3'", "");
    let at = run.record.runs.iter().rposition(|run| run.covered).unwrap();
    let leader = run.record.runs[..=at].iter().rposition(|run| run.up_to.is_some()).unwrap();
    let said = run.refusal(|it| {
        it.runs[leader].up_to = Some(u32::MAX);
        it.runs[at].shared_with = Some(u32::MAX);
        it.runs[at].levels.iter_mut().for_each(|level| level.depth = level.depth.saturating_add(1 << 31));
    });
    assert!(said.contains("length"), "{said}");
}

#[test]
fn nothing_is_covered_under_a_look_ahead() {
    let run = Run::of("moves = 4\nboard = '9x9'\narmy = 'triangle-3'", "pruning = 'leading(class-look-ahead=1)'");
    let following = run.record.runs.iter().position(LengthRecord::has_following).unwrap();
    assert!(!run.record.runs[following].covered);
    let said = run.refusal(|it| it.runs[following].covered = true);
    assert!(said.contains("or a look-ahead"), "{said}");
}

#[test]
fn a_middle_that_is_said_not_to_meet_and_meets_is_found() {
    let run = Run::of(CORNER, "pruning = \"theorem-1\"");
    let said = run.refusal(|it| {
        let last = it.runs.last_mut().unwrap();
        last.verdict = Verdict::None;
        (it.length, it.solution, it.refuted_up_to) = (None, None, Some(11));
        (it.verdict, it.max_length) = (Verdict::None, Some(11));
    });
    assert!(said.contains("length 11: verdict none, but the middle meets its mirror image: "), "{said}");
}

#[test]
fn level_files_that_were_exchanged_cut_or_changed_are_refused() {
    let (run, other) = (Run::of(CORNER, ""), Run::of(CORNER, "pruning = \"theorem-1\""));
    let (r, l) = run.refuted_level();
    let name =
        |run: &Run, r: usize, l: usize| run.path().join(&run.record.runs[r].levels[l].file.as_ref().unwrap().name);
    let mine = name(&run, r, l);
    let whole = std::fs::read(&mine).unwrap();
    let said = |bytes: &[u8]| {
        std::fs::write(&mine, bytes).unwrap();
        let (status, said) = run.check(&run.record, &[]);
        assert_eq!(status, 4, "{said}");
        said
    };
    let foreign = std::fs::read(name(&other, 0, 1)).unwrap();
    assert!(said(&foreign).contains("it belongs to another run, length or level"));
    assert!(said(&whole[..whole.len() - 1]).contains("no level file, or cut"));
    let mut changed = whole.clone();
    changed[40] ^= 1;
    assert!(said(&changed).contains("do not match their checksum"));
    let mut changed = whole.clone();
    let end = changed.len();
    changed[end - 60] ^= 1;
    assert!(said(&changed).contains("its index does not fit its length"));
    std::fs::remove_file(&mine).unwrap();
    assert!(run.check(&run.record, &[]).1.contains("No such file"));
    std::fs::write(&mine, whole).unwrap();
    assert_eq!(run.check(&run.record, &[]).0, 0);
}

/// Writes a level file as the program would, and the level's figures to fit.
fn forge<K: Key>(run: &Run, record: &mut Record, (r, l): (usize, usize), change: impl FnOnce(&mut Vec<K>)) {
    let level = &mut record.runs[r].levels[l];
    let named = level.file.clone().unwrap();
    let path = run.path().join(named.name);
    let mut keys = file::open::<K>(&path, named.identity.0, level.states, level.digest.0).unwrap().to_vec().unwrap();
    change(&mut keys);
    let sum = digest::of(digest::KEY, &keys);
    level.digest = Digest(sum);
    level.second_digest = Some(Digest(digest::of(digest::SECOND_KEY, &keys)));
    let states = keys.len() as u64;
    level.duplicates = level.duplicates + level.states - states;
    level.states = states;
    write(&path, named.identity.0, keys, sum);
    let run = &mut record.runs[r];
    run.largest_level = run.levels.iter().map(|l| l.states).max().unwrap();
}

fn write<K: Key>(path: &Path, identity: u128, keys: Vec<K>, sum: u128) {
    file::write(path, identity, &Level::of(keys), sum, &Disk::new(None)).unwrap();
}

#[test]
fn a_forged_level_with_all_figures_to_fit_is_not_closed() {
    let run = Run::of(CORNER, "");
    let at = run.refuted_level();
    let original =
        std::fs::read(run.path().join(&run.record.runs[at.0].levels[at.1].file.as_ref().unwrap().name)).unwrap();
    let restore = || {
        let name = &run.record.runs[at.0].levels[at.1].file.as_ref().unwrap().name;
        std::fs::write(run.path().join(name), &original).unwrap();
    };
    // A state is missing.
    let said = run.refusal(|record| forge(&run, record, at, |keys: &mut Vec<u64>| _ = keys.remove(keys.len() / 2)));
    assert!(said.contains("not closed: from "), "{said}");
    restore();
    // A state is there that nothing leads to: on the level it would pass for old, and be dropped.
    let said = run.refusal(|record| forge(&run, record, at, |keys: &mut Vec<u64>| keys.push(0)));
    assert!(said.contains("which no state of level "), "{said}");
    restore();
    // The sample is of all states where there are no more than it has.
    let mut record = run.record.clone();
    forge(&run, &mut record, at, |keys: &mut Vec<u64>| _ = keys.remove(0));
    let (status, said) = run.check(&record, &["--sample", "100000"]);
    assert_eq!(status, 4);
    assert!(said.contains("not closed: from "), "{said}");
}

#[test]
fn following_levels_and_two_ended_searches_are_closed_too() {
    let triangle = Run::of("board = \"9x9\"\nmoves = 8\narmy = \"triangle-3\"", "");
    let sides = |run: &Run, side| run.record.runs.iter().flat_map(|r| &r.levels).any(|l| l.side == side);
    assert!(sides(&triangle, Side::Leading));
    let lopsided = "moves = 8\nboard = \"\"\"\nSSS...\nS.....\n......\n..#.T.\n...TT.\n....T.\n\"\"\"";
    let lopsided = Run::of(lopsided, "");
    assert!(sides(&lopsided, Side::Backward));
    for run in [&triangle, &lopsided] {
        assert_eq!(run.check(&run.record, &[]).0, 0);
        let at = run.refuted_level();
        let said = run.refusal(|record| forge::<u64>(run, record, at, |keys| _ = keys.pop()));
        assert!(said.contains("not closed: from"), "{said}");
    }
}

#[test]
fn what_is_no_record_is_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    assert_eq!(halma(&["check", path]).0, 2);
    std::fs::write(folder.path().join("result.json"), "{}").unwrap();
    let (status, out, err) = halma(&["check", path]);
    assert_eq!((status, out.as_str()), (4, ""));
    assert!(err.contains("damaged record"), "{err}");
}

/// mcc(-20) cut the solutions and their mirrored reversals alike, and "refuted" what has a solution.
#[test]
fn a_negative_centroid_constraint_refutes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job.toml");
    std::fs::write(&job, format!("[problem]\nkind = \"transfer\"\n{CORNER}\n")).unwrap();
    let prove = |c: &str| halma(&["prove", job.to_str().unwrap(), "--max-length", "11", "-q", "--pruning", c]);
    assert_eq!(prove("mcc(-20)").0, 3);
    assert_eq!(prove("mcc(20)").0, 10);
    let run = Run::of(CORNER, "pruning = \"mcc\"");
    let said = run.refusal(|it| it.runs.iter_mut().for_each(|r| r.c = Some(-1)));
    assert!(said.contains("length"), "{said}");
}

#[test]
fn a_game_s_record_holds_and_edited_ones_are_refused() {
    let corners = "moves = 6\nboard = \"\"\"\nSS...\nS....\n.....\n....T\n...TT\n\"\"\"";
    let run = Run::of_kind("game", corners, "");
    let (status, said) = run.check(&run.record, &[]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("length 10, none: 10 levels read from their files and closed under moves\n"), "{said}");
    let (status, said) = run.check(&run.record, &["--sample", "5"]);
    assert_eq!(status, 0, "{said}");
    let mut bare = run.record.clone();
    bare.runs.iter_mut().flat_map(|r| &mut r.levels).for_each(|l| l.file = None);
    let (status, said) = run.check(&bare, &[]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("length 10, none: 10 levels derived again\n"), "{said}");
    let (status, said) = run.check(&bare, &["--budget", "1000"]);
    assert_eq!(status, 3, "{said}");
    assert!(said.contains("not checked: length 10: levels of 2652 successors, kept in no files"), "{said}");

    let (r, l) = run.refuted_level();
    let says = |reason: &str, change: &dyn Fn(&mut Record)| {
        let said = run.refusal(change);
        assert!(said.contains(reason), "{reason}? {said}");
    };
    // As they were derived, no file helps to tell what is wrong.
    let bare = |it: &mut Record| it.runs.iter_mut().flat_map(|r| &mut r.levels).for_each(|l| l.file = None);
    says("derived", &|it| {
        bare(it);
        it.runs[r].levels[l].states += 1;
        it.runs[r].levels[l].duplicates -= 1;
        it.runs[r].largest_level = it.runs[r].levels.iter().map(|l| l.states).max().unwrap();
    });
    says("pruned", &|it| {
        it.runs[r].levels[l].old += 1;
        it.runs[r].levels[l].pruned -= 1;
    });
    says("digest", &|it| {
        bare(it);
        it.runs[r].levels[l].digest.0 ^= 1;
    });
    says("second digest", &|it| it.runs[r].levels[l].second_digest = Some(Digest(1)));
    says("solution, move 1 (", &|it| it.solution.as_mut().unwrap()[0] = "a1-b1".into());
    says("solution: nobody wins with its last move", &|it| drop(it.solution.as_mut().unwrap().pop()));
    says("does not fix start and target", &|it| {
        let symmetries = it.symmetries.as_mut().unwrap();
        let half_turn = (0..25).rev().collect();
        symmetries.fixing = vec![symmetries.fixing[0].clone(), half_turn];
    });
    says("its levels end early", &|it| {
        let removed = it.runs[r].levels.pop().unwrap();
        it.runs[r].generated -= removed.generated;
    });
    says("refuted_up_to is 11, the runs refute up to 10", &|it| it.refuted_up_to = Some(11));

    // A state is missing, with all figures to fit; and one is there that nothing leads to.
    let at = (r, l);
    let path = run.path().join(&run.record.runs[r].levels[l].file.as_ref().unwrap().name);
    let original = std::fs::read(&path).unwrap();
    let said = run.refusal(|record| forge(&run, record, at, |keys: &mut Vec<u128>| _ = keys.remove(keys.len() / 2)));
    assert!(said.contains("not closed: from forward level"), "{said}");
    std::fs::write(&path, &original).unwrap();
    // Both armies on the same cells.
    let said = run.refusal(|record| forge(&run, record, at, |keys: &mut Vec<u128>| keys.insert(0, 0)));
    assert!(said.contains("is the key of no position"), "{said}");
}

/// A record of an earlier version: it tried lengths one by one, and its last search has levels of its own before the
/// count's.
#[test]
fn a_count_after_a_search_with_levels_holds() {
    let (status, out, err) = halma(&["check", "results/counts/p1-triangle-3-8move.json", "-q"]);
    assert_eq!(status, 0, "{out}{err}");
    assert!(out.contains("how many there are: counted again"), "{out}");
}

/// The last level is complete and found no room: the record names no file for it, and check derives the run's levels again.
#[test]
fn a_run_that_found_no_room_on_disk_leaves_a_record_that_holds() {
    let triangle = "kind = 'transfer'\nboard = '9x9'\nmoves = 6\narmy = 'triangle-3'\n[search]\npruning = 'theorem-1'";
    let corners = "board = '''\nSS...\nS....\n.....\n....T\n...TT\n'''";
    let game = format!("kind = 'game'\n{corners}\nmoves = 4\n[search]\npruning = 'count'");
    for (problem, disk) in [(triangle, 2_000), (triangle, 9_000), (&game[..], 2_000), (&game[..], 9_000)] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("job.toml");
        std::fs::write(&file, format!("[problem]\n{problem}\n[limits]\nthreads = 2\ndisk = '{disk} B'\n")).unwrap();
        let out = folder.path().join("out");
        let (job, out) = (file.to_str().unwrap(), out.to_str().unwrap());
        let (status, _, _) = halma(&["prove", job, "--max-length", "18", "-q", "--keep-levels", "--output-dir", out]);
        assert_eq!(status, 3, "{disk}: not finished");
        let record = Record::read(&Path::new(out).join("result.json")).unwrap();
        let levels = || record.runs.iter().flat_map(|run| &run.levels).filter(|level| level.depth > 0);
        let missing = levels().filter(|level| level.file.is_none()).count();
        assert_eq!(missing, 1, "{disk}: the last level");
        assert!(levels().filter_map(|l| l.file.as_ref()).all(|file| Path::new(out).join(&file.name).exists()));
        let (status, said, why) = halma(&["check", out, "-q"]);
        assert_eq!(status, 0, "{disk}: {said}{why}");
    }
}

#[test]
fn a_time_limit_ends_it_as_not_finished() {
    let check = ["check", "results/table-3/p3-triangle-4-jumps-4move.json", "--quiet", "--time", "1 ms"];
    let ended = program::halma(env!("CARGO_MANIFEST_DIR"), &check);
    assert_eq!(ended, (3, String::new(), "stopped by its time limit: this is no verdict\n".into()));
}

/// It has found nothing wrong by then, and that is no verdict.
#[test]
fn a_signal_ends_it_as_not_finished() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let record = "results/table-3/p3-triangle-4-jumps-4move.json";
    let mut command = program::command(env!("CARGO_MANIFEST_DIR"), &["check", record]);
    let mut check = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(check.stderr.take().unwrap());
    told.read_line(&mut String::new()).unwrap();
    let id = check.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let last = told.lines().map_while(Result::ok).last();
    assert_eq!(last.as_deref(), Some("stopped by a signal: this is no verdict"));
    let (status, said, _) = program::said(check.wait_with_output().unwrap());
    assert_eq!((status, said.as_str()), (3, ""));
}
