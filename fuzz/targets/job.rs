//! A job file never panics; one that is accepted has men, as many cells to fill, and states that a key can hold. Of a puzzle, what one
//! move leads to from a start are states, found by the obvious generator, too.
#![no_main]

use std::collections::BTreeSet;

use halma_puzzles::own::{Model, grounded::GroundedModel};
use halma_rules::job::{Job, Problem};
use halma_rules::puzzle::{Compiled, GroundedTask};
use libfuzzer_sys::fuzz_target;

/// More steps than that take the obvious generator too long.
const STEPS: usize = 3000;

fuzz_target!(|text: &str| {
    let Ok(job) = Job::parse("job.toml".as_ref(), text) else { return };
    assert_eq!(job.search.pruning.to_string().parse(), Ok(job.search.pruning.clone()));
    let (start, target) = match &job.problem {
        Problem::Transfer(transfer) => (&transfer.start, &transfer.target),
        Problem::Game(game) => (&game.blue, &game.red),
        Problem::Puzzle(puzzle) => {
            if let Compiled::Grounded(task) = &*puzzle.compiled {
                moves_agree(task);
            }
            return;
        }
    };
    assert!(!start.is_empty() && start.len() == target.len());
    assert!(start.is_sorted_by(|a, b| a < b) && target.is_sorted_by(|a, b| a < b));
});

fn moves_agree(task: &GroundedTask) {
    let chains = task.steps.iter().any(|step| step.chain);
    if task.board.len() > if chains { 16 } else { 64 } || task.steps.len() > STEPS {
        return;
    }
    // Keys of 128 bits hold what most small boards have.
    if halma_puzzles::own::grounded::model(task, true)
        .is_none_or(|model| matches!(model, halma_puzzles::own::AnyModel::Large(_)))
    {
        return;
    }
    let model = GroundedModel::<u128, 1>::new(task, true);
    let mut worker = model.worker();
    for start in model.starts() {
        assert!(worker.is_state(start));
        let (letters, second) = model.letters(start);
        let mut after = Vec::new();
        worker.after(start, &mut after);
        let after: BTreeSet<u128> = after.into_iter().collect();
        let obvious = task.moves(&letters, second).into_iter();
        let obvious = obvious.map(|l| model.number(&l, if task.turns { !second } else { second }));
        assert_eq!(after, obvious.collect());
    }
}
