//! What bounds each stage of a level on this machine: memory rates beside the time that each stage takes.
//!
//! `cargo bench --bench roofline`; the text goes to stdout, for `results/bench/roofline.md`. One thread; medians of
//! nine. Each stage of the expander is measured as it is called, the levels being 6 and 7 of problem 2 of the paper.

mod field;

use std::hint::black_box;
use std::time::Instant;

use field::{DEPTH, NEXT, STATES, SUCCESSORS, UNIQUE, successors};
use halma_engine::puzzle::Puzzle;
use halma_engine::search::duplicates::{Scratch, SortedSet};
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_engine::store::{Level, SegmentWriter};
use halma_rules::cells::Cells;
use halma_rules::moves::{ComponentScratch, Mover};

const RUNS: usize = 9;

/// Median seconds of `RUNS` calls.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let begun = Instant::now();
            work();
            begun.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

/// A permutation of `0..n` that is one cycle, so that following it visits everything.
fn cycle(n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    // Sattolo's shuffle.
    for i in (1..n).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, ((u128::from(seed) * i as u128) >> 64) as usize);
    }
    order
}

fn memory() {
    println!("| memory | |\n| --- | ---: |");
    let words = vec![1u64; 1 << 25];
    let read = median(|| {
        black_box(black_box(&words).iter().fold(0u64, |sum, w| sum.wrapping_add(*w)));
    });
    println!("| read one after another, 256 MiB | {:.1} GB/s |", words.len() as f64 * 8.0 / read / 1e9);
    let mut target = vec![0u64; 1 << 25];
    let write = median(|| black_box(&mut target).fill(black_box(7)));
    println!("| write one after another, 256 MiB | {:.1} GB/s |", words.len() as f64 * 8.0 / write / 1e9);
    for (name, bytes) in [("32 KiB", 1usize << 15), ("1 MiB", 1 << 20), ("32 MiB", 1 << 25), ("512 MiB", 1 << 29)] {
        let next = cycle(bytes / 4);
        let steps = 1 << 21;
        let chase = median(|| {
            let mut at = 0u32;
            for _ in 0..steps {
                at = next[at as usize];
            }
            black_box(at);
        });
        // Addresses known beforehand: as many misses under way as the core allows.
        let mask = next.len() - 1;
        let gather = median(|| {
            let (mut sum, mut at) = (0u32, 0usize);
            for _ in 0..steps {
                at = at.wrapping_mul(0x5851_f42d).wrapping_add(0x1405_7b7f) & mask;
                sum = sum.wrapping_add(next[at]);
            }
            black_box(sum);
        });
        let ns = |seconds: f64| seconds * 1e9 / f64::from(steps);
        println!(
            "| random reads in {name}, each after the other / independent | {:.1} / {:.1} ns |",
            ns(chase),
            ns(gather)
        );
    }
}

fn main() {
    // Test runners ask benches to be quick.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    println!("# What bounds the expander\n");
    let processor = halma_engine::budget::processor().unwrap_or_else(|| "an unknown processor".into());
    println!("Written by `cargo bench --bench roofline` on {processor}, one thread, medians of {RUNS}.\n");
    memory();
    let field = field::field();
    println!(
        "\nLevel 7 of problem 2: {STATES} states, {SUCCESSORS} successors, {UNIQUE} of them different, {NEXT} new.\n"
    );
    println!("| stage | ns a successor |\n| --- | ---: |");
    let stage = |name: &str, work: &mut dyn FnMut()| {
        println!("| {name} | {:.1} |", median(work) * 1e9 / SUCCESSORS as f64);
    };
    let level = &field.levels[1];
    let mut block = Vec::new();
    stage("read and decode level 6", &mut || {
        (0..level.blocks()).for_each(|number| level.read_block(number, &mut block).expect("memory"));
    });
    let ranks = &field.search.tables.ranks;
    let mut men = vec![0; 10];
    stage("unrank states", &mut || {
        field.states.iter().for_each(|&key| ranks.unrank(key, black_box(&mut men)));
    });
    let armies: Vec<(Vec<u8>, Cells<2>)> = field
        .states
        .iter()
        .map(|&key| {
            ranks.unrank(key, &mut men);
            (men.clone(), men.iter().map(|&c| usize::from(c)).collect())
        })
        .collect();
    let mover = Mover::<2>::new(&field.problem.lattice, false);
    let (mut pieces, mut reached) = (ComponentScratch::default(), vec![Cells::EMPTY; 10]);
    stage("reachable sets", &mut || {
        armies.iter().for_each(|(men, set)| _ = mover.reach(men, *set, &mut pieces, black_box(&mut reached)));
    });
    let mut scratch = field.search.scratch();
    stage("successors with their keys (all of the above but the first)", &mut || {
        let mut sum = 0u64;
        for &key in &field.states {
            field.search.successors(&mut scratch, key, DEPTH, &mut |k| sum = sum.wrapping_add(k));
        }
        black_box(sum);
    });
    let all = successors(&field);
    let shards = field::shards(&all);
    let mut boxes: Vec<[Vec<u64>; 1]> = vec![[Vec::new()]; shards.count()];
    stage("part into ranges", &mut || {
        boxes.iter_mut().for_each(|[keys]| keys.clear());
        all.iter().for_each(|&k| boxes[shards.of(k)][0].push(k));
    });
    let mut sorted: Vec<Vec<u64>> = Vec::new();
    stage("take out duplicates and sort, range by range", &mut || {
        let mut scratch = Scratch::default();
        let mut sort = |keys: &[Vec<u64>; 1]| {
            let mut range = SortedSet::default();
            range.receive(keys, &mut scratch);
            range.into_sorted(&mut scratch)
        };
        sorted = boxes.iter().map(&mut sort).collect();
    });
    let unique: Vec<u64> = sorted.concat();
    assert_eq!(unique.len() as u64, UNIQUE);
    let [before, last] = &field.levels;
    let mut new = Vec::new();
    stage("look up in levels 5 and 6", &mut || {
        let (mut before, mut last) = (before.cursor(), last.cursor());
        new.clear();
        new.extend(
            unique
                .iter()
                .copied()
                .filter(|&key| !before.contains(key).expect("memory") && !last.contains(key).expect("memory")),
        );
        assert_eq!(new.len() as u64, NEXT);
    });
    let mut bytes = 0;
    stage("code level 7", &mut || {
        let mut writer = SegmentWriter::default();
        new.iter().for_each(|&k| writer.push(k));
        let level: Level<u64> = [writer.finish()].into_iter().collect();
        bytes = level.bytes();
    });
    stage("centroids of level 7", &mut || {
        black_box(new.iter().filter_map(|&key| field.search.measure(&mut scratch, key)).max());
    });
    stage("two digests of level 7", &mut || {
        use halma_engine::search::digest;
        black_box((digest::of(digest::KEY, &new), digest::of(digest::SECOND_KEY, &new)));
    });
    for threads in [1, 2] {
        let (expander, cancel) = (Expander::new(threads, None).expect("threads"), CancellationToken::after(None));
        stage(&format!("**the whole level, {threads} thread{}**", if threads == 1 { "" } else { "s" }), &mut || {
            let next = expander
                .expand(&field.search, DEPTH, last, &[before], LevelDestination::MEMORY, &cancel)
                .expect("a level");
            assert_eq!(next.tally.states, NEXT);
        });
    }
    println!(
        "\nThe stages are those of a level in pieces. The whole level is made in rows of bits, and needs keys for its digests alone."
    );
    println!("Level 7 takes {:.2} bytes a state.", bytes as f64 / NEXT as f64);
}
