//! Measurements of time, memory and disk use, and of the memory that is available.

pub mod plan;

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// The value of a line `name: value kB` in a file of /proc, in bytes.
fn proc_bytes(file: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The processor's name; `None` where the system does not say.
#[must_use]
pub fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, name) = text.lines().find(|l| l.starts_with("model name"))?.split_once(':')?;
    Some(name.trim().into())
}

/// The most memory that the process has held at once, in bytes; 0 where the system does not say.
#[must_use]
pub fn peak_memory() -> u64 {
    proc_bytes("/proc/self/status", "VmHWM").unwrap_or(0)
}

/// The memory that the process holds now, in bytes; 0 where the system does not say.
#[must_use]
pub fn memory() -> u64 {
    proc_bytes("/proc/self/status", "VmRSS").unwrap_or(0)
}

/// Returns freed memory to the system, as far as the allocator can.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: malloc_trim(3) moves nothing that is in use and is thread-safe. Without it the process keeps what it
    // freed: a third of a budget of 64 MiB was measured.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Limits the allocator to so many arenas. Memory freed in one arena is not available to the others: with 16 threads
/// and as many arenas the process took half as much again.
pub fn limit_arenas(arenas: u64) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt(3) sets a number that the allocator reads when it is about to make an arena.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas.min(1 << 10) as i32);
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = arenas;
}

/// The memory that the process can still take: what is free, within the limits of its control group.
#[must_use]
pub fn available_memory() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let group = left_in_groups(Path::new("/sys/fs/cgroup"), &groups);
    let system = proc_bytes("/proc/meminfo", "MemAvailable");
    system.into_iter().chain(group).min()
}

/// The memory that control groups of version 2 leave the process: the least of its group and all groups around it. Schedulers of
/// clusters limit groups within groups. `groups` is what /proc/self/cgroup says, `root` where the groups are. Pages of files that
/// the system may drop count as free.
fn left_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let left = |group: &Path| {
        let text = |file: &str| fs::read_to_string(group.join(file)).ok();
        let number = |file: &str| text(file)?.trim().parse::<u64>().ok();
        let stat = text("memory.stat").unwrap_or_default();
        let dropped = stat.lines().find_map(|line| line.strip_prefix("inactive_file ")?.trim().parse::<u64>().ok());
        let held = number("memory.current")?.saturating_sub(dropped.unwrap_or(0));
        Some(number("memory.max")?.saturating_sub(held))
    };
    root.join(own).ancestors().take_while(|group| group.starts_with(root)).filter_map(left).min()
}

/// Processor time of all threads so far, in seconds; 0 where the system does not say.
#[must_use]
pub fn cpu_seconds() -> f64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // Fields are counted from behind the command's name, which may contain anything: user and system time are 11 and
    // 12.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    // Linux reports them in hundredths of a second on every machine.
    (ticks(11) + ticks(12)) / 100.0
}

/// The resources that a run has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurements {
    /// Seconds on the clock.
    pub seconds: f64,
    /// Processor time of all threads, in seconds.
    pub cpu_seconds: f64,
    /// The most memory held at once, in bytes.
    pub peak_memory_bytes: u64,
    /// Bytes written to disk.
    pub disk_bytes_written: u64,
}

/// Measures what one run uses, in a process that may have had other runs before.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    begun: Instant,
    cpu_seconds: f64,
    earlier: Measurements,
}

impl Meter {
    /// Starts to measure. Of what was used so far, only the part in `earlier` counts: that of earlier processes of the
    /// run.
    ///
    /// The peak of memory is reset to what the process holds now. Where the system refuses that, the peak stays that of
    /// the whole process: possibly too much, never too little.
    #[must_use]
    pub fn start(earlier: Measurements) -> Self {
        // Writing 5 resets the peak and nothing else (proc(5)).
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { begun: Instant::now(), cpu_seconds: cpu_seconds(), earlier }
    }

    /// What the run has used; `disk_bytes_written` are this process's bytes.
    #[must_use]
    pub fn measurements(&self, disk_bytes_written: u64) -> Measurements {
        Measurements {
            seconds: self.earlier.seconds + self.begun.elapsed().as_secs_f64(),
            cpu_seconds: self.earlier.cpu_seconds + (cpu_seconds() - self.cpu_seconds).max(0.0),
            peak_memory_bytes: self.earlier.peak_memory_bytes.max(peak_memory()),
            disk_bytes_written: self.earlier.disk_bytes_written.saturating_add(disk_bytes_written),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_all_groups_around_the_process_is_what_it_may_take() {
        let root = tempfile::tempdir().unwrap();
        let step = root.path().join("job_1/step_0");
        fs::create_dir_all(&step).unwrap();
        let set = |group: &Path, file: &str, text: &str| fs::write(group.join(file), text).unwrap();
        let left = |groups: &str| left_in_groups(root.path(), groups);
        assert_eq!(left("0::/job_1/step_0\n"), None);
        set(root.path(), "memory.max", "max\n");
        set(root.path(), "memory.current", "900\n");
        assert_eq!(left("0::/job_1/step_0\n"), None);
        let job = root.path().join("job_1");
        set(&job, "memory.max", "1000\n");
        set(&job, "memory.current", "700\n");
        set(&job, "memory.stat", "anon 400\ninactive_file 300\n");
        assert_eq!(left("0::/job_1/step_0\n"), Some(600));
        set(&step, "memory.max", "500\n");
        set(&step, "memory.current", "450\n");
        assert_eq!(left("1:name=systemd:/\n0::/job_1/step_0\n"), Some(50));
        assert_eq!((left("0::/job_1\n"), left("0::/\n"), left("")), (Some(600), None, None));
    }

    #[test]
    fn the_system_says_what_the_process_uses() {
        let held = vec![1u8; 32 << 20];
        assert!(memory() > 32 << 20 && peak_memory() >= memory() / 2);
        assert!(available_memory().is_some_and(|m| m > 0));
        assert!(held.iter().map(|&b| u64::from(b)).sum::<u64>() > 0);
    }

    /// Keeps a processor busy until the system has counted some time of it.
    fn busy() {
        let (begun, clock) = (cpu_seconds(), Instant::now());
        while cpu_seconds() < begun + 0.03 {
            assert!(clock.elapsed().as_secs() < 60, "no time is counted");
        }
    }

    #[test]
    fn a_meter_does_not_count_what_was_used_before_it() {
        // Larger than anything that tests beside this one hold.
        let held = vec![1u8; 256 << 20];
        let whole = peak_memory();
        drop(std::hint::black_box(held));
        busy();
        let begun = cpu_seconds();
        let meter = Meter::start(Measurements::default());
        assert!(whole > 256 << 20 && begun > 0.0);
        busy();
        let measurements = meter.measurements(0);
        if fs::write("/proc/self/clear_refs", "5").is_ok() {
            assert!(
                measurements.peak_memory_bytes < whole - (128 << 20),
                "{} of {whole}",
                measurements.peak_memory_bytes
            );
        }
        assert!((0.02..=cpu_seconds() - begun).contains(&measurements.cpu_seconds), "{measurements:?}");
    }

    #[test]
    fn a_meter_goes_on_from_what_earlier_processes_spent() {
        let earlier =
            Measurements { seconds: 7e3, cpu_seconds: 1e4, peak_memory_bytes: 1 << 60, disk_bytes_written: 5 };
        let measurements = Meter::start(earlier).measurements(10);
        assert!(
            (7e3..8e3).contains(&measurements.seconds) && (1e4..2e4).contains(&measurements.cpu_seconds),
            "{measurements:?}"
        );
        assert_eq!((measurements.peak_memory_bytes, measurements.disk_bytes_written), (1 << 60, 15));
    }
}
