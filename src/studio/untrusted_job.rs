//! A job that may be a stranger's: it names no file that is read here.

use std::sync::{Mutex, PoisonError};

use halma_record::source::{InputError, Source};
use halma_rules::job::Job;

/// What a job is called: in messages, and as a file in the folder of its search.
pub(super) const JOB: &str = "job.toml";

/// Checks a job's text. What a job of a permutation puzzle names elsewhere must stand in it, and an earlier record is not read.
pub(super) fn read(text: &str) -> Result<Job, InputError> {
    #[derive(serde::Deserialize)]
    struct Peek {
        problem: PeekTable,
    }
    #[derive(serde::Deserialize)]
    struct PeekTable {
        file: Option<toml::Spanned<String>>,
    }
    let source = Source::new(JOB, text);
    if let Ok(Peek { problem: PeekTable { file: Some(file) } }) = toml::from_str(text) {
        let message = "the studio reads no other files: allowed is the text of that file, as definition = '''...'''";
        return Err(source.fault(file.span(), message));
    }
    // One at a time: to compile a puzzle may take hundreds of megabytes.
    static READING: Mutex<()> = Mutex::new(());
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    let job = Job::parse(source.file(), text)?;
    if job.search.refuted_by.is_some() {
        const KEY: &str = "refuted-by";
        let at = text.find(KEY).map_or(0..0, |at| at..at + KEY.len());
        return Err(source.fault(at, "the studio reads no other files: leave refuted-by out"));
    }
    Ok(job)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_names_no_file_that_would_be_read() {
        let fault = read("[problem]\nkind = 'permutation'\nfile = '/etc/passwd'\n").unwrap_err();
        assert_eq!(fault.place.map(|place| (place.line, place.column)), Some((3, 8)));
        let small = "[problem]\nkind = 'transfer'\nboard = 'SS..TT'\nmoves = 4\n";
        let fault = read(&format!("{small}[search]\nrefuted-by = '/etc/passwd'\n")).unwrap_err();
        assert!(fault.message.contains("leave refuted-by out"), "{}", fault.message);
        assert_eq!(fault.place.map(|place| (place.line, place.column)), Some((6, 1)));
        let definition = "Name P\nSet A 2 1\nSolved\nA\n1 2\nEnd\nMove X\nA\n2 1\nEnd\n";
        let spec = format!("[problem]\nkind = 'permutation'\nscramble = 'X'\ndefinition = '''\n{definition}'''\n");
        assert!(read(&spec).is_ok(), "{:?}", read(&spec).err());
    }
}
