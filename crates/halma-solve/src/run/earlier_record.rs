//! The earlier record on which a search builds: it is read, and found fit for it, before anything else is done.

use std::borrow::Cow;

use halma_record::record::{self, Record};
use halma_rules::job::{EarlierRecord, Job, MAX_LENGTH, Search};

use super::{Question, RunError};

/// The job with the record itself in place of its file, where it builds on one and asks about lengths.
///
/// # Errors
/// Where the record cannot be read, or refutes nothing that is asked of this problem.
pub fn with_earlier_record(job: &Job, question: Question) -> Result<Cow<'_, Job>, RunError> {
    let Some(earlier) = &job.search.refuted_by else { return Ok(Cow::Borrowed(job)) };
    let with = |refuted_by| Cow::Owned(Job { search: Search { refuted_by, ..job.search.clone() }, ..job.clone() });
    if matches!(question, Question::Levels { .. }) {
        return Ok(with(None));
    }
    let (name, mut earlier) = match earlier {
        EarlierRecord::File(path) => {
            let file = if path.is_dir() { path.join(record::FILE) } else { path.clone() };
            let record = Record::read(&file)?;
            (file.display().to_string(), Box::new(record))
        }
        // A run's folder may come from anybody.
        EarlierRecord::Read(record) => ("the earlier record in the run's folder".into(), record.clone()),
    };
    let unfit = |why: String| RunError::EarlierRecord(format!("{name}: {why}"));
    if let Some(what) = earlier.contradiction() {
        return Err(unfit(format!("damaged record: {what}")));
    }
    // Records that only pass on what another refutes are left out.
    while earlier.refuted_earlier().is_some_and(|refuted| Some(refuted) == earlier.refuted_up_to)
        && let Some(below) = earlier.refuted_by.take()
    {
        earlier = below;
    }
    if let Some(what) = earlier.cannot_serve(&job.spec, job.search.palindromic) {
        return Err(unfit(format!("no search of this job can build on a record that {what}")));
    }
    let most = question.asked(job).1.unwrap_or(MAX_LENGTH);
    if let Some(refuted) = earlier.refuted_up_to.filter(|&refuted| refuted >= most) {
        return Err(unfit(format!("the record says already that no solution has at most {refuted} moves")));
    }
    // Its level files stay where they are, and nothing refers to them.
    earlier.runs.iter_mut().flat_map(|entry| &mut entry.levels).for_each(|level| level.file = None);
    Ok(with(Some(EarlierRecord::Read(earlier))))
}

/// The record on which a job builds that [`with_earlier_record`] has made.
pub(super) fn of(job: &Job) -> Option<&Record> {
    match &job.search.refuted_by {
        Some(EarlierRecord::Read(record)) => Some(record),
        _ => None,
    }
}

/// The greatest length that it refutes.
pub(super) fn refuted(job: &Job) -> Option<u32> {
    of(job).and_then(|record| record.refuted_up_to)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_record_is_read_when_it_is_needed_and_not_before() {
        let text = "[problem]\nkind = 'transfer'\nboard = 'S.T'\nmoves = 4\n[search]\nrefuted-by = 'gone.json'\n";
        let job = Job::parse(Path::new("job.toml"), text).unwrap();
        assert!(matches!(&job.search.refuted_by, Some(EarlierRecord::File(file)) if file == Path::new("gone.json")));
        assert!(matches!(with_earlier_record(&job, Question::Solve), Err(RunError::Record(_))));
        let levels = with_earlier_record(&job, Question::Levels { depth: 1 }).unwrap();
        assert_eq!(levels.search.refuted_by, None);
    }
}
