//! Bars on a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use halma_engine::search::Watch;
use halma_files::plain;
use halma_solve::solve::{Begun, LevelFigures, Progress};

use super::{begun, level_line};

/// Levels that took longer stay on the screen as a line.
const WORTH_A_LINE: f64 = 1.0;

/// A bar for the level under way: how much of it is expanded, how fast, the time left.
pub struct Bars {
    bar: ProgressBar,
    length: AtomicU32,
    successors: Arc<AtomicU64>,
}

impl Bars {
    /// On standard error, below other displays on `screen`.
    #[must_use]
    pub fn on(screen: Option<&MultiProgress>) -> Self {
        let bar = ProgressBar::new(0);
        let bar = match screen {
            Some(screen) => screen.add(bar),
            None => bar,
        };
        let successors = Arc::new(AtomicU64::new(0));
        let made = Arc::clone(&successors);
        let rate = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let seconds = state.elapsed().as_secs_f64().max(1e-3);
            // The terminal may be gone.
            let _ = write!(out, "{:.1} M/s", made.load(Ordering::Relaxed) as f64 / seconds / 1e6);
        };
        let style = ProgressStyle::with_template("{prefix}  {wide_msg}\n{bar:30} {percent:>3}%  {rate}  {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, length: AtomicU32::new(0), successors }
    }
}

impl Watch for Bars {
    fn expanded(&self, states: u64, successors: u64) {
        self.successors.fetch_add(successors, Ordering::Relaxed);
        self.bar.inc(states);
    }

    fn begun_anew(&self) {
        self.successors.store(0, Ordering::Relaxed);
        self.bar.reset();
    }

    fn merged(&self, done: usize, shards: usize) {
        self.bar.set_length(shards as u64);
        self.bar.set_position(done as u64);
    }
}

impl Progress for Bars {
    fn length(&self, length: u32) {
        self.length.store(length, Ordering::Relaxed);
        self.bar.set_prefix(format!("length {length}"));
    }

    fn begin(&self, level: Begun) {
        self.successors.store(0, Ordering::Relaxed);
        self.bar.set_length(level.states);
        self.bar.reset();
        self.bar.set_message(begun(level));
    }

    fn level(&self, figures: &LevelFigures) {
        if figures.seconds > WORTH_A_LINE {
            let length = self.length.load(Ordering::Relaxed);
            self.bar.println(format!("{length}{}", &level_line(figures)[1..]));
        }
    }

    fn note(&self, text: &str) {
        self.bar.println(plain::message(&format!("  {text}")));
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
