//! The parts of a level search, each beside what one would write first or take from elsewhere.
//!
//! `cargo bench --bench parts`; `scripts/bench` makes a table of what it measures. Every bench asserts what it counts.

mod field;

use std::collections::{BTreeSet, HashSet};
use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use field::{DEPTH, NEXT, STATES, SUCCESSORS, UNIQUE, successors};
use halma_engine::puzzle::Puzzle;
use halma_engine::search::duplicates::{Scratch, SortedSet};
use halma_engine::search::{CancellationToken, Expander, LevelDestination};
use halma_engine::store::{Level, Segment, SegmentWriter};
use halma_puzzles::rank::Ranks;
use halma_rules::cells::Cells;
use halma_rules::moves::{ComponentScratch, Mover, destinations};

/// Reachable cells of every man: all men at once, against a search of each man's jumps by itself.
fn reach(c: &mut Criterion) {
    let field = field::field();
    let ranks = Ranks::<u64>::new(81, 10).expect("41 bits");
    let armies: Vec<Vec<u8>> = field.states.iter().step_by(16).map(|&key| men(&ranks, key)).collect();
    let sets: Vec<Cells<2>> = armies.iter().map(|a| a.iter().map(|&c| usize::from(c)).collect()).collect();
    let lattice = &field.problem.lattice;
    let mover = Mover::<2>::new(lattice, false);
    let (mut pieces, mut reached) = (ComponentScratch::default(), vec![Cells::EMPTY; 10]);
    let mut at_once = || {
        let mut targets = 0;
        for (army, &set) in armies.iter().zip(&sets) {
            mover.reach(army, set, &mut pieces, &mut reached);
            targets += reached.iter().map(Cells::len).sum::<usize>();
        }
        targets
    };
    let alone = || {
        let mut targets = 0;
        for (army, set) in armies.iter().zip(&sets) {
            let occupied: Vec<bool> = (0..81).map(|c| set.contains(c)).collect();
            targets += army.iter().map(|&c| destinations(lattice, &occupied, c.into(), false).len()).sum::<usize>();
        }
        targets
    };
    assert_eq!(at_once(), alone());
    let mut group = c.benchmark_group("reach");
    group.throughput(Throughput::Elements(armies.len() as u64));
    group.bench_function("all men at once", |b| b.iter(&mut at_once));
    group.bench_function("each man alone", |b| b.iter(alone));
}

fn men(ranks: &Ranks<u64>, key: u64) -> Vec<u8> {
    let mut men = vec![0; ranks.men()];
    ranks.unrank(key, &mut men);
    men
}

/// Keys of successors: by sums prepared for each parent, against ranking every successor.
fn keys(c: &mut Criterion) {
    let field = field::field();
    let tables = &field.search.tables;
    let sample: Vec<u64> = field.states.iter().copied().step_by(64).collect();
    let mover = Mover::<2>::new(&field.problem.lattice, false);
    let mut scratch = field.search.scratch();
    let mut prepared = || {
        let mut sum = 0u64;
        for &key in &sample {
            field.search.successors(&mut scratch, key, DEPTH, &mut |k| sum = sum.wrapping_add(k));
        }
        sum
    };
    let (mut pieces, mut reached) = (ComponentScratch::default(), vec![Cells::EMPTY; 10]);
    let mut ranked = || {
        let mut sum = 0u64;
        for &key in &sample {
            let men = men(&tables.ranks, key);
            let set: Cells<2> = men.iter().map(|&c| usize::from(c)).collect();
            mover.reach(&men, set, &mut pieces, &mut reached);
            for (&man, reached) in men.iter().zip(&reached) {
                let rest = set.without(man.into());
                reached.for_each(|to| sum = sum.wrapping_add(tables.canonical(rest.with(to))));
            }
        }
        sum
    };
    assert_eq!(prepared(), ranked());
    let mut group = c.benchmark_group("successors with their keys");
    group.throughput(Throughput::Elements(sample.len() as u64));
    group.bench_function("sums prepared for the parent", |b| b.iter(&mut prepared));
    group.bench_function("each ranked by itself", |b| b.iter(&mut ranked));
}

/// Duplicates taken out of all successors of a level by range of keys, against what the standard library has.
fn duplicates(c: &mut Criterion) {
    let all = successors(&field::field());
    let mut group = c.benchmark_group("duplicate elimination");
    group.throughput(Throughput::Elements(SUCCESSORS)).sample_size(10);
    let shards = field::shards(&all);
    group.bench_function("by range of keys", |b| {
        b.iter(|| {
            let mut boxes = vec![[Vec::new()]; shards.count()];
            let mut ranges: Vec<SortedSet<u64>> = vec![SortedSet::default(); shards.count()];
            let mut scratch = Scratch::default();
            for piece in all.chunks(1 << 21) {
                piece.iter().for_each(|&k| boxes[shards.of(k)][0].push(k));
                for (keys, range) in boxes.iter_mut().zip(&mut ranges) {
                    range.receive(keys, &mut scratch);
                    keys[0].clear();
                }
            }
            let unique: usize = ranges.into_iter().map(|range| range.into_sorted(&mut scratch).len()).sum();
            assert_eq!(unique as u64, UNIQUE);
        });
    });
    group.bench_function("HashSet", |b| {
        b.iter(|| assert_eq!(all.iter().copied().collect::<HashSet<u64>>().len() as u64, UNIQUE));
    });
    group.bench_function("BTreeSet", |b| {
        b.iter(|| assert_eq!(all.iter().copied().collect::<BTreeSet<u64>>().len() as u64, UNIQUE));
    });
    group.bench_function("sort_unstable and dedup", |b| {
        b.iter_batched(
            || all.clone(),
            |mut keys| {
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len() as u64, UNIQUE);
            },
            BatchSize::LargeInput,
        );
    });
}

fn coded(keys: &[u64]) -> Segment<u64> {
    let mut writer = SegmentWriter::default();
    keys.iter().for_each(|&k| writer.push(k));
    writer.finish()
}

/// Levels: coded differences, against 8 bytes a key.
fn coding(c: &mut Criterion) {
    let states = field::field().states;
    let level: Level<u64> = [coded(&states)].into_iter().collect();
    let raw: Vec<u8> = states.iter().flat_map(|k| k.to_le_bytes()).collect();
    println!("coded: {:.2} bytes a state", level.bytes() as f64 / STATES as f64);
    let mut group = c.benchmark_group("levels");
    group.throughput(Throughput::Elements(STATES as u64));
    group.bench_function("write, differences", |b| b.iter(|| coded(black_box(&states)).len()));
    group.bench_function("write, 8 bytes each", |b| {
        b.iter(|| black_box(&states).iter().flat_map(|k| k.to_le_bytes()).collect::<Vec<u8>>().len());
    });
    group.bench_function("read, differences", |b| {
        b.iter(|| {
            let (mut block, mut sum) = (Vec::new(), 0u64);
            for number in 0..level.blocks() {
                level.read_block(number, &mut block).expect("memory");
                sum = block.iter().fold(sum, |sum, k| sum.wrapping_add(*k));
            }
            sum
        });
    });
    group.bench_function("read, 8 bytes each", |b| {
        let key = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
        b.iter(|| black_box(&raw).chunks_exact(8).fold(0u64, |sum, bytes| sum.wrapping_add(key(bytes))));
    });
}

/// A whole level, by threads; against sorting all successors.
fn level(c: &mut Criterion) {
    let field = field::field();
    let [before, last] = &field.levels;
    let mut group = c.benchmark_group("level 7");
    group.throughput(Throughput::Elements(SUCCESSORS)).sample_size(10);
    for threads in [1, 2] {
        let (expander, cancel) = (Expander::new(threads, None).expect("threads"), CancellationToken::after(None));
        group.bench_function(BenchmarkId::new("Expander", threads), |b| {
            b.iter(|| {
                let next = expander.expand(&field.search, DEPTH, last, &[before], LevelDestination::MEMORY, &cancel);
                assert_eq!(next.expect("a level").tally.states, NEXT);
            });
        });
    }
    group.bench_function("sorted list", |b| {
        let before = before.to_vec().expect("memory");
        b.iter(|| {
            let mut next = successors(&field);
            next.sort_unstable();
            next.dedup();
            next.retain(|k| field.states.binary_search(k).is_err() && before.binary_search(k).is_err());
            assert_eq!(next.len() as u64, NEXT);
        });
    });
}

criterion_group!(benches, reach, keys, duplicates, coding, level);
criterion_main!(benches);
