//! From the job of a game to its record.

use std::time::Instant;

use super::{Question, RunError, blank, level_record};
use crate::budget;
use crate::cells::Cells;
use crate::game::Game;
use crate::job::{Job, Pruning};
use crate::key::U256;
use crate::notation;
use crate::puzzle::game::pair::PairKey;
use crate::puzzle::game::{Armies, TooLarge};
use crate::record::{Count, Counts, Record, RunRecord, SymmetryRecord, Verdict};
use crate::search::{Expander, Stop};
use crate::solve::game::beam::Beam;
use crate::solve::game::{Answer, Attempt, GameSearch};
use crate::solve::{LevelFigures, Progress};

/// Answers `question` for the game of `job`.
pub(super) fn run(
    job: &Job,
    game: &Game,
    question: Question,
    (expander, stop, progress): (&Expander, &Stop, &dyn Progress),
) -> Result<Record, RunError> {
    let pruning = &job.search.pruning;
    let beam = match *pruning {
        Pruning::Beam { keep, seed } => Some(Beam { keep, seed }),
        _ => None,
    };
    let search = GameSearch::new(
        game,
        pruning.of_games().unwrap_or_default(),
        beam,
        job.search.symmetry,
        (expander, stop, progress),
    );
    let symmetries =
        SymmetryRecord { fixing: search.symmetries().into_iter().map(|s| s.cells).collect(), mirror: None };
    let run = Run { job, game, search, question, record: blank(job, question, expander, symmetries) };
    // The narrowest sets and keys that hold the states; every pair of widths is one more search to compile.
    let record = match game.lattice.len() {
        cells if cells > Cells::<2>::CAPACITY => run.answer::<4, U256>(),
        _ if search_fits(game) => run.answer::<2, u128>(),
        _ => run.answer::<2, U256>(),
    };
    record.map_err(|_| RunError::TooLarge { men: game.blue.len(), cells: game.lattice.len() })
}

/// Whether two ranks fit the narrow keys.
fn search_fits(game: &Game) -> bool {
    let sets = crate::rank::choose(game.lattice.len(), game.blue.len());
    sets.is_some_and(|sets| sets < 1 << <u128 as PairKey>::RANK_BITS)
}

struct Run<'a> {
    job: &'a Job,
    game: &'a Game,
    search: GameSearch<'a>,
    question: Question,
    record: Record,
}

impl Run<'_> {
    fn answer<const W: usize, K: PairKey>(mut self) -> Result<Record, TooLarge> {
        let begun = Instant::now();
        match self.question {
            Question::Levels { depth } => self.levels::<W, K>(depth)?,
            Question::Solve | Question::Count => self.lengths::<W, K>(self.job.search.max_length)?,
            Question::Prove { max_length } => self.lengths::<W, K>(Some(max_length))?,
        }
        if self.question == Question::Count && self.record.verdict == Verdict::Optimal {
            self.count::<W, K>()?;
        }
        self.record.seconds = begun.elapsed().as_secs_f64();
        self.record.cpu_seconds = budget::cpu_seconds();
        self.record.peak_memory_bytes = budget::peak_memory();
        Ok(self.record)
    }

    fn levels<const W: usize, K: PairKey>(&mut self, depth: u32) -> Result<(), TooLarge> {
        let (figures, result) = self.search.levels::<W, K>(depth)?;
        let record = &mut self.record;
        record.verdict = if result.is_ok() { Verdict::Levels } else { Verdict::Incomplete };
        record.reason = result.err().map(|stopped| stopped.to_string());
        record.exhausted = figures.last().is_some_and(|f| f.tally.states == 0);
        let seconds = figures.iter().map(|f| f.seconds).sum();
        let run = run_record(depth, record.verdict, record.reason.clone(), &figures, seconds);
        record.runs.push(RunRecord { pruning: Some(Pruning::None), ..run });
        Ok(())
    }

    /// Exact lengths, one after another, until one has a game or `max_length` is refuted.
    fn lengths<const W: usize, K: PairKey>(&mut self, max_length: Option<u32>) -> Result<(), TooLarge> {
        let bound = self.search.lower_bound();
        let max_length = max_length.unwrap_or(u32::MAX);
        self.record.lower_bound = Some(bound);
        self.record.refuted_up_to = bound.checked_sub(1).map(|b| b.min(max_length));
        let mut gap = None;
        for length in bound..=max_length {
            let Attempt { answer, levels, seconds, .. } = self.search.attempt::<W, K>(length)?;
            let (verdict, reason) = match &answer {
                Answer::Found(_) => (Verdict::Solution, None),
                Answer::Refuted | Answer::Exhausted => (Verdict::None, None),
                Answer::Unproved(reason) => (Verdict::Incomplete, Some(reason.clone())),
                Answer::Stopped(stopped) => (Verdict::Incomplete, Some(stopped.to_string())),
            };
            let record = &mut self.record;
            record.runs.push(run_record(length, verdict, reason, &levels, seconds));
            match answer {
                Answer::Found(game) => {
                    record.length = Some(length);
                    record.solution = Some(moves(self.game, &game));
                    let optimal = gap.is_none() && !matches!(self.question, Question::Prove { .. });
                    record.verdict = if optimal { Verdict::Optimal } else { Verdict::Solution };
                    return Ok(());
                }
                Answer::Exhausted if gap.is_none() => {
                    record.verdict = Verdict::None;
                    record.exhausted = true;
                    record.refuted_up_to = Some(length);
                    return Ok(());
                }
                Answer::Refuted | Answer::Exhausted if gap.is_none() => record.refuted_up_to = Some(length),
                Answer::Refuted | Answer::Exhausted => {}
                Answer::Unproved(reason) => gap = gap.or(Some(reason)),
                Answer::Stopped(stopped) => {
                    record.reason = Some(stopped.to_string());
                    return Ok(());
                }
            }
        }
        self.record.verdict = if gap.is_none() { Verdict::None } else { Verdict::Incomplete };
        self.record.reason = gap;
        Ok(())
    }

    /// Counts the games of the length that was found to be the shortest.
    fn count<const W: usize, K: PairKey>(&mut self) -> Result<(), TooLarge> {
        let Some(length) = self.record.length else { return Ok(()) };
        let counted = self.search.count::<W, K>(length)?;
        let record = &mut self.record;
        record.verdict = Verdict::Incomplete;
        record.reason = counted.stopped.map(|stopped| stopped.to_string());
        let seconds = counted.levels.iter().map(|f| f.seconds).sum();
        record.runs.push(run_record(length, Verdict::Solution, record.reason.clone(), &counted.levels, seconds));
        if let Some((games, game)) = counted.games {
            record.verdict = Verdict::Counted;
            record.solution = Some(moves(self.game, &game));
            record.counts = Some(Counts {
                sequences: Count::from(games.sequences),
                up_to_symmetry: Count::from(games.up_to_symmetry),
                final_positions: Some(Count::from(games.final_positions)),
                final_up_to_symmetry: Some(Count::from(games.final_up_to_symmetry)),
            });
        }
        Ok(())
    }
}

fn run_record(
    length: u32,
    verdict: Verdict,
    reason: Option<String>,
    levels: &[LevelFigures],
    seconds: f64,
) -> RunRecord {
    RunRecord {
        length,
        verdict,
        reason,
        pruning: None,
        c: None,
        seconds,
        generated: levels.iter().map(|f| f.tally.generated).sum(),
        largest_level: levels.iter().map(|f| f.tally.states).max().unwrap_or(0),
        self_consistent: true,
        levels: levels.iter().map(level_record).collect(),
    }
}

/// A game in the paper's notation, every landing named.
fn moves<const W: usize>(game: &Game, walk: &[Armies<W>]) -> Vec<String> {
    let all = |[blue, red]: Armies<W>| blue | red;
    let step = |pair: &[Armies<W>]| {
        let (before, after) = (all(pair[0]), all(pair[1]));
        let (from, to) = ((before & !after).iter().next()?, (after & !before).iter().next()?);
        notation::chain(&game.lattice, before, from, to, false)
    };
    let board = &game.lattice.board;
    walk.windows(2).filter_map(step).map(|chain| notation::write_chain(&chain, board)).collect()
}
