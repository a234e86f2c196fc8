//! The options of a search in several processes, and the start of one.

#[cfg(feature = "cluster")]
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(feature = "cluster")]
use std::time::Duration;

use halma_engine::search::CancellationToken;
use halma_engine::search::exchange::{Alone, Exchange};
use halma_rules::job::Job;
use halma_solve::run::Question;

use super::Failure;
use crate::progress::ProgressForm;

// The default is this process alone: without `hosts` the other fields have no meaning.
/// Which processes search together, and which one this is.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cluster", derive(clap::Args))]
pub struct ClusterArgs {
    /// Search in several processes: a file with a line host:port for each
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE")]
    pub hosts: Option<PathBuf>,
    /// The number of this process, its line in the host file from 0 on; what Slurm or mpirun say where not given
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "I", requires = "hosts")]
    pub process: Option<usize>,
    /// How long to wait for the other processes
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "hosts", value_parser = humantime::parse_duration)]
    pub wait: Duration,
    /// The key that all processes share, a file made by cluster-key; also HALMA_CLUSTER_KEY, which holds the key itself
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "FILE", requires = "hosts")]
    pub key: Option<PathBuf>,
    /// A process that says nothing for so long is lost; the same for all processes
    #[cfg(feature = "cluster")]
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "hosts", value_parser = humantime::parse_duration)]
    pub peer_timeout: Duration,
    /// The number of this process, once it is connected.
    #[cfg(feature = "cluster")]
    #[arg(skip)]
    connected_as: std::sync::OnceLock<usize>,
}

#[cfg(not(feature = "cluster"))]
impl ClusterArgs {
    /// Whether another process writes the record and prints it.
    pub(super) fn follows(&self) -> bool {
        false
    }

    /// Whether no other process takes part.
    pub(super) fn is_alone(&self) -> bool {
        true
    }

    /// The connections with the other processes.
    #[allow(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
    pub(super) fn exchange(
        &self,
        _: &Job,
        _: Question,
        _: &Arc<CancellationToken>,
        _: ProgressForm,
    ) -> Result<Arc<dyn Exchange>, Failure> {
        Ok(Arc::new(Alone))
    }
}

#[cfg(feature = "cluster")]
pub(super) use with::make_key;

#[cfg(feature = "cluster")]
mod with {
    use super::{Alone, Arc, CancellationToken, ClusterArgs, Duration, Exchange, Failure, Job, ProgressForm, Question};
    use crate::cli::Exit;
    use crate::cli::asking::said;
    use crate::progress::json;
    use halma_cluster::{ClusterError, Hosts, Secret, Terms, connect, process_number};
    use halma_solve::run;
    use std::io::{ErrorKind, Write};
    use std::path::Path;

    /// What a search may still do after another process is lost, until it is ended where it stands.
    const GRACE: Duration = Duration::from_secs(20);

    /// Makes a key for the processes of a run, in a new file.
    pub(in crate::cli) fn make_key(file: &Path, out: &mut dyn Write) -> Result<Exit, Failure> {
        let secret =
            Secret::random().map_err(|e| Failure::failed(format!("the system gives no random numbers: {e}")))?;
        secret.write(file).map_err(|e| {
            let (exit, what) = match e.kind() {
                ErrorKind::AlreadyExists => (Exit::Input, "there is a file already, which is left as it is".into()),
                _ => (Exit::Failed, e.to_string()),
            };
            Failure { exit, message: format!("{}: no key is written: {what}", file.display()) }
        })?;
        writeln!(
            out,
            "{}: a new key. Copy it to all hosts of the run in a way that nobody else sees it.",
            file.display()
        )?;
        Ok(Exit::Answered)
    }

    /// A time, if it is from a second to so many days.
    fn within(option: &str, time: Duration, days: u64) -> Result<Duration, ClusterError> {
        let most = Duration::from_secs(days * 24 * 3600);
        match (Duration::from_secs(1)..=most).contains(&time) {
            true => Ok(time),
            false => Err(ClusterError::Input(format!(
                "{option}: found {}, allowed are 1s to {}",
                humantime::format_duration(time),
                humantime::format_duration(most)
            ))),
        }
    }

    impl ClusterArgs {
        fn hosts(&self) -> Result<Option<(Hosts, usize)>, ClusterError> {
            let Some(file) = &self.hosts else { return Ok(None) };
            let hosts = Hosts::read(file)?;
            let process = process_number(self.process, &hosts)?;
            Ok(Some((hosts, process)))
        }

        /// The key of the run, if it has one: the file's, else that of the environment.
        fn secret(&self) -> Result<Option<Secret>, ClusterError> {
            match &self.key {
                Some(file) => Secret::read(file).map(Some),
                None => Secret::from_environment(),
            }
        }

        fn peer_timeout(&self) -> Result<Duration, ClusterError> {
            within("--peer-timeout", self.peer_timeout, 1)
        }

        fn wait(&self) -> Result<Duration, ClusterError> {
            within("--wait", self.wait, 7)
        }

        /// Whether another process writes the record and prints it.
        pub(in crate::cli) fn follows(&self) -> bool {
            self.connected_as.get().is_some_and(|&process| process > 0)
        }

        /// Whether no other process takes part.
        pub(in crate::cli) fn is_alone(&self) -> bool {
            self.hosts.is_none()
        }

        /// The connections with the other processes.
        pub(in crate::cli) fn exchange(
            &self,
            job: &Job,
            question: Question,
            cancel: &Arc<CancellationToken>,
            form: ProgressForm,
        ) -> Result<Arc<dyn Exchange>, Failure> {
            let Some((hosts, process)) = self.hosts()?.filter(|(hosts, _)| hosts.len() > 1) else {
                return Ok(Arc::new(Alone));
            };
            run::check_shared(job, question)?;
            let terms = Terms {
                hosts,
                process,
                job: run::fingerprint(job, question),
                wait: self.wait()?,
                secret: self.secret()?,
                peer_timeout: self.peer_timeout()?,
                memory: job.limits.memory,
                cancel: Arc::clone(cancel),
                note: said(form),
            };
            let cluster = connect(&terms)?;
            self.connected_as.get_or_init(|| process);
            // Work that does not check for lost processes would go on. It is ended after GRACE; the files on disk are
            // consistent at any time.
            cluster.when_lost(GRACE, move |lost| {
                let message = lost.to_string();
                match form {
                    ProgressForm::Json => json::failed(&message, Exit::Unfinished as u8),
                    _ => said(form)(&message),
                }
                std::process::exit(Exit::Unfinished as i32);
            });
            Ok(Arc::new(cluster))
        }
    }

    impl From<ClusterError> for Failure {
        fn from(error: ClusterError) -> Self {
            let exit = match error {
                ClusterError::Input(_) | ClusterError::Listen { .. } | ClusterError::Refused { .. } => Exit::Input,
                ClusterError::Missing { .. } | ClusterError::Stopped { .. } => Exit::Unfinished,
                ClusterError::Io(_) => Exit::Failed,
            };
            Self { exit, message: error.to_string() }
        }
    }
}
