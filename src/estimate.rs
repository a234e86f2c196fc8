//! What lengths that have not been tried may cost, from how the work has grown so far.

use std::time::{Duration, Instant};

use halma_record::record::{self, LengthRecord, LevelRecord, Together, Verdict};

/// The cost of a length that has not been tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The length.
    pub length: u32,
    /// Successors to compute.
    pub generated: f64,
    /// Seconds.
    pub seconds: f64,
}

/// Extrapolates the work of the next `count` lengths. Odd and even lengths grow separately: the factor is that from a
/// length to the next but one. Where lengths were decided together, the factor is its square root, from each length to
/// the next. Lengths without any work (those of a wrong parity, say) tell nothing. A length that was begun takes at least what it took so far, and no length takes less than a shorter one.
/// `None` if too little was done.
#[must_use]
pub fn estimates(runs: &[LengthRecord], count: u32) -> Option<Vec<Estimate>> {
    let refuted = |t: &Together| t.0.iter().all(|run| run.verdict == Verdict::None) && t.generated() > 0;
    let decided: Vec<Together> = record::together(runs).into_iter().filter(refuted).collect();
    let [.., a, b, c] = *decided else { return None };
    let work = |t: Together| (t.generated() as f64).max(1.0);
    let seconds: f64 = [a, b, c].iter().flat_map(|t| t.0).map(seconds_of_levels).sum();
    // The last growth seen, and the one before where there is one.
    let single = c.last() == a.last() + 2;
    let growth = match decided.len() {
        n if n > 3 && single && decided[n - 4].last() + 3 == c.last() => {
            (work(c) / work(a) * work(b) / work(decided[n - 4])).sqrt()
        }
        _ => (work(c) / work(a)).powf(2.0 / f64::from(c.last() - a.last())),
    };
    let rate = (work(a) + work(b) + work(c)) / seconds.max(1e-3);
    let mut last = if single { [work(b), work(c)] } else { [work(c) / growth.sqrt(), work(c)] };
    let mut least = 0_f64;
    let next = |i| {
        let (length, expected) = (c.last() + i, last[0] * growth);
        last = [last[1], expected];
        let begun = runs.iter().filter(|run| run.length == length && run.verdict == Verdict::Incomplete);
        least = begun.map(|run| run.generated as f64).fold(least, f64::max).max(expected);
        Estimate { length, generated: least, seconds: least / rate }
    };
    (work(c) >= MEANINGFUL).then(|| (1..=count).map(next).collect())
}

/// The seconds of a run that grow with the work: those of its levels. Pattern databases take others.
fn seconds_of_levels(run: &LengthRecord) -> f64 {
    // Levels that were made before a run was resumed have no seconds of their own.
    let timed = |level: &LevelRecord| level.generated == 0 || level.seconds.is_some_and(|seconds| seconds > 0.0);
    match !run.levels.is_empty() && run.levels.iter().all(timed) {
        true => run.levels.iter().filter_map(|level| level.seconds).sum(),
        false => run.seconds,
    }
}

/// The lengths that a search has decided, as its progress tells them, and the work on the one under way.
#[derive(Default)]
pub struct DecidedLengths {
    /// Their seconds are those of their levels. Pattern databases take others, which do not grow with the levels.
    decided: Vec<LengthRecord>,
    under_way: Option<UnderWay>,
    /// The seconds of all of them, with pattern databases.
    seconds: f64,
}

struct UnderWay {
    length: u32,
    begun: Instant,
    generated: u64,
    level_seconds: f64,
}

impl DecidedLengths {
    /// The search begins with `length`; so it has decided the one before.
    pub fn begin(&mut self, length: u32) {
        let next = UnderWay { length, begun: Instant::now(), generated: 0, level_seconds: 0.0 };
        let Some(UnderWay { length, begun, generated, level_seconds: seconds }) = self.under_way.replace(next) else {
            return;
        };
        self.seconds += begun.elapsed().as_secs_f64();
        // Lengths that were decided together with others have no work of their own, and say nothing of growth.
        if generated > 0 {
            self.decided.push(LengthRecord { seconds, generated, ..LengthRecord::blank(length, Verdict::None) });
        }
    }

    /// Adds a level of the length under way: its successors, and the seconds that it took.
    pub fn add(&mut self, generated: u64, seconds: f64) {
        if let Some(now) = &mut self.under_way {
            now.generated += generated;
            now.level_seconds += seconds;
        }
    }

    /// The length under way.
    #[must_use]
    pub fn length(&self) -> Option<u32> {
        self.under_way.as_ref().map(|now| now.length)
    }

    /// Its successors so far.
    #[must_use]
    pub fn generated(&self) -> u64 {
        self.under_way.as_ref().map_or(0, |now| now.generated)
    }

    /// The successors and the seconds of all lengths that were decided.
    #[must_use]
    pub fn work(&self) -> (u64, f64) {
        (self.decided.iter().map(|run| run.generated).sum(), self.seconds)
    }

    /// What the length under way may cost, from its beginning, and then each of the `further` ones after it.
    #[must_use]
    pub fn estimates(&self, further: u32) -> Option<Vec<Estimate>> {
        let ahead = self.length()?.checked_sub(self.decided.last()?.length).filter(|&ahead| ahead > 0)?;
        let under_way =
            LengthRecord { generated: self.generated(), ..LengthRecord::blank(self.length()?, Verdict::Incomplete) };
        let runs = [&self.decided[..], &[under_way]].concat();
        Some(estimates(&runs, ahead + further)?.split_off(ahead as usize - 1))
    }

    /// As if the length under way had begun so long ago.
    #[cfg(test)]
    pub(crate) fn take(&mut self, time: Duration) {
        if let Some(now) = &mut self.under_way {
            now.begun = Instant::now().checked_sub(time).unwrap();
        }
    }
}

/// Successors below which growth says nothing yet.
const MEANINGFUL: f64 = 10_000.0;

/// A time in its two largest units.
#[must_use]
pub fn rough_time(seconds: f64) -> String {
    let time = humantime::format_duration(Duration::from_secs(seconds.clamp(0.0, 1e11).round() as u64)).to_string();
    time.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(length: u32, generated: u64) -> LengthRecord {
        let seconds = generated as f64 / 1e6;
        LengthRecord { seconds, generated, ..LengthRecord::blank(length, Verdict::None) }
    }

    #[test]
    fn work_that_grows_tenfold_every_second_length_goes_on_so() {
        let runs = [run(20, 10_000), run(21, 20_000), run(22, 100_000), run(23, 200_000)];
        let next = estimates(&runs, 3).unwrap();
        let rounded: Vec<_> = next.iter().map(|e| (e.length, e.generated.round(), e.seconds.round())).collect();
        assert_eq!(rounded, [(24, 1e6, 1.0), (25, 2e6, 2.0), (26, 1e7, 10.0)]);
        assert_eq!(estimates(&runs[..2], 3), None);
        // The next length was begun, and took more than was expected.
        let begun = LengthRecord { verdict: Verdict::Incomplete, ..run(24, 5_000_000) };
        let next = estimates(&[&runs[..], &[begun]].concat(), 3).unwrap();
        let rounded: Vec<_> = next.iter().map(|e| (e.length, e.generated.round())).collect();
        assert_eq!(rounded, [(24, 5e6), (25, 5e6), (26, 1e7)]);
        // The last two lengths at once.
        let mut runs = runs.to_vec();
        (runs[2].up_to, runs[2].generated, runs[3].generated) = (Some(23), 640_000, 0);
        let next = estimates(&[&[run(19, 10_000)], &runs[..]].concat(), 2).unwrap();
        let rounded: Vec<_> = next.iter().map(|e| (e.length, e.generated.round())).collect();
        assert_eq!(rounded, [(24, 2_560_000.0), (25, 10_240_000.0)]);
        assert_eq!(estimates(&[run(1, 1), run(2, 2), run(3, 3)], 3), None);
    }

    #[test]
    fn seconds_that_no_level_took_do_not_grow() {
        let level = |generated: u64, seconds: f64| -> LevelRecord {
            serde_json::from_value(serde_json::json!({
                "depth": 1, "side": "leading", "states": 0, "generated": generated, "pruned": 0, "duplicates": 0, "old": 0,
                "centroid_max": null, "digest": "0".repeat(32), "seconds": seconds,
            }))
            .unwrap()
        };
        let with_tables = |length, generated: u64, timed: bool| {
            let (run, rate) = (run(length, generated), if timed { 1e-6 } else { 0.0 });
            let levels = vec![level(0, 0.0), level(generated, generated as f64 * rate)];
            LengthRecord { seconds: run.seconds + 50.0, levels, ..run }
        };
        let seconds = |timed| {
            let runs =
                [(20, 10_000), (21, 20_000), (22, 100_000), (23, 200_000)].map(|(l, g)| with_tables(l, g, timed));
            estimates(&runs, 1).unwrap()[0].seconds
        };
        assert_eq!(seconds(true).round(), 1.0);
        assert!(seconds(false) > 100.0);
    }

    #[test]
    fn lengths_without_work_of_their_own_say_nothing_of_growth() {
        let mut lengths = DecidedLengths::default();
        for (length, generated) in [(20, 10_000), (21, 0), (22, 100_000), (23, 0), (24, 1_000_000), (25, 0), (26, 0)] {
            lengths.begin(length);
            lengths.add(generated, 1.0);
        }
        assert_eq!(lengths.work().0, 1_110_000);
        let next = lengths.estimates(1).unwrap();
        let rounded: Vec<_> = next.iter().map(|e| (e.length, e.generated.round())).collect();
        assert_eq!(rounded, [(26, 1e7), (27, 31_622_777.0)]);

        // More than was expected of this length, and of the next one.
        lengths.add(50_000_000, 1.0);
        let next = lengths.estimates(2).unwrap();
        let rounded: Vec<_> = next.iter().map(|e| (e.length, e.generated.round())).collect();
        assert_eq!(rounded, [(26, 5e7), (27, 5e7), (28, 1e8)]);
    }
}
