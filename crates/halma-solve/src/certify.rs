//! Certificates: a refutation as a file that anyone can verify (`docs/certificate.md`).
//!
//! A certificate says that no way of at most L moves leads from the start to the target, and contains the evidence:
//! levels of states that are closed under moves, except for states that a bound prunes. A checker does not need to know
//! where the levels came from. So they are derived from the problem alone, whatever pruning the run used.

mod certificate_file;
mod derive;

use thiserror::Error;

use halma_bounds::database::{Databases, MOST_HISTOGRAMS};
use halma_bounds::partition::Partition;
use halma_engine::search::{CancellationToken, Stopped};
use halma_puzzles::rank::Ranks;
use halma_record::job::Granularity;
use halma_record::record::{Record, Verdict};
use halma_rules::problem::Transfer;
use halma_rules::symmetry::Symmetries;
use halma_rules::{centroid, job};

/// Ascending keys, one list a level.
pub type Levels = Vec<Vec<u64>>;

/// A refutation with its evidence.
#[derive(Debug)]
pub struct Certificate {
    /// The problem.
    pub problem: Transfer,
    /// K and ρ.
    pub symmetries: Symmetries,
    /// The classes of cells of the bound's histograms, and their values.
    pub partition: Partition,
    /// No solution has so many moves or fewer.
    pub length: u32,
    /// Whether the first levels are those of a leading half.
    pub leading: bool,
    /// Where the levels from both ends meet.
    pub meeting: u32,
    /// Whether the levels from the target are bounded by where they are to meet.
    pub behind_is_bounded: bool,
    /// The levels from the start to the middle, from the middles on, and from the target.
    pub families: [Levels; 3],
}

/// Why there is no certificate.
#[derive(Debug, Error)]
pub enum CertifyError {
    /// The record makes no claim that can be certified.
    #[error("there is nothing to certify: {0}")]
    Nothing(String),
    /// The claim is of a kind that certificates do not cover.
    #[error("this cannot be certified: {0}")]
    Unfit(String),
    /// The claim is wrong.
    #[error("the record is wrong: {0}")]
    Wrong(String),
    /// It was stopped.
    #[error("the certificate was not finished: {0}")]
    Stopped(#[from] Stopped),
}

/// The most cells of a certificate's board.
const MOST_CELLS: usize = 128;

/// The most men.
const MOST_MEN: usize = 64;

/// The most states that keys may number: 61 bits are a plain integer in every checker's language.
const MOST_STATES: u128 = 1 << 61;

/// The largest number of a histogram in a checker, where the men of each class are a digit.
const MOST_NUMBERS: u64 = 1 << 60;

/// The largest value of a class, on either side of 0, that checkers take.
const MOST_VALUE: i32 = 1000;

/// The longest solution, whose levels a byte numbers in a checker.
const LONGEST: u32 = 249;

/// Levels from the middles on that are larger than this and twice as large as the one before are met from the target.
pub const LARGE: usize = 100_000;

/// The parameters of making a certificate.
#[derive(Clone)]
pub struct Resources<'a> {
    /// The size of a level that is met from the target; [`LARGE`] is a good choice.
    pub large: usize,
    /// The cancellation token.
    pub cancel: &'a CancellationToken,
    /// Receives the progress.
    pub tell: &'a (dyn Fn(&str) + Sync),
}

/// Certifies what a record refutes, by a bound of the record's granularity.
///
/// # Errors
/// Why there is no certificate.
pub fn certify(record: &Record, resources: Resources) -> Result<Certificate, CertifyError> {
    if record.verdict == Verdict::Levels || record.problem.kind() != "transfer" {
        return Err(CertifyError::Unfit("certificates are of refutations of transfers".into()));
    }
    if record.palindromic {
        return Err(CertifyError::Unfit("the record speaks of palindromes only".into()));
    }
    let refuted = record.refuted_up_to.filter(|_| record.length != Some(0));
    // What refutes all lengths at once is certified for as many as a certificate can name.
    let length = refuted.or(record.exhausted.then_some(LONGEST));
    let length = length.ok_or_else(|| CertifyError::Nothing("the record refutes no length".into()))?;
    let problem = job::transfer_of(&record.problem).map_err(CertifyError::Wrong)?;
    refutation(problem, length, record.pruning.granularity(), resources)
}

/// Certifies that no solution has at most `length` moves, by histograms of at most that granularity.
///
/// # Errors
/// As [`certify`].
pub fn refutation(
    problem: Transfer,
    length: u32,
    granularity: Granularity,
    resources: Resources,
) -> Result<Certificate, CertifyError> {
    let (cells, men) = (problem.lattice.len(), problem.start.len());
    if cells > MOST_CELLS || men > MOST_MEN {
        let what = format!("{men} men on {cells} cells; certificates go up to {MOST_MEN} men and {MOST_CELLS} cells");
        return Err(CertifyError::Unfit(what));
    }
    let states = halma_puzzles::rank::choose(cells, men).filter(|&n| n < MOST_STATES);
    let Some(ranks) = Ranks::new(cells, men).filter(|_| states.is_some()) else {
        return Err(CertifyError::Unfit("its states do not fit keys of 61 bits".into()));
    };
    // The checkers count moves in bytes.
    if length > LONGEST {
        return Err(CertifyError::Unfit(format!("a length of {length}; certificates go up to {LONGEST}")));
    }
    let symmetries = problem.symmetries();
    let centroid = centroid::of_cells(&problem, &symmetries);
    let granularity = numbered(&problem, &symmetries, &centroid, granularity);
    derive::derive(problem, symmetries, &centroid, ranks, length, &granularity, resources)
}

/// The finest granularity, up to the one given, whose histograms checkers can number. Where its weights are more than
/// checkers take, plain centroids decide which half leads: the certificate's levels are not those of the record anyway.
fn numbered(
    problem: &Transfer,
    symmetries: &Symmetries,
    centroid: &[i32],
    mut granularity: Granularity,
) -> Granularity {
    loop {
        let partition = Databases::abstraction(problem, symmetries, centroid, &granularity, MOST_HISTOGRAMS).partition;
        if granularity.weights.is_some() && partition.values.iter().any(|value| value.abs() > MOST_VALUE) {
            granularity.weights = None;
            continue;
        }
        let mut digits = partition.capacities().into_iter().map(|room| problem.start.len().min(room.into()) as u64 + 1);
        let numbers = digits.try_fold(1u64, |numbers, digit| numbers.checked_mul(digit));
        if numbers.is_some_and(|numbers| numbers <= MOST_NUMBERS) || partition.classes() == partition.groups.len() {
            return granularity;
        }
        granularity.classes = u8::try_from(partition.classes() - 1).ok();
    }
}

#[cfg(test)]
mod tests;
