//! The keys of all armies of a row.

use halma_engine::key::Key;
use halma_rules::cells::Cells;
use multiversion::multiversion;

use super::Matrix;
use super::row_ranks::OuterSums;
use super::rows::{Row, each};
use crate::transfer::ProblemTables;

/// What [`rank_row`] needs beside the row.
pub struct RankSpace<const W: usize, K> {
    /// The row's outer men, and their images.
    pub images: Vec<Cells<W>>,
    /// The sums of each image.
    sums: Vec<OuterSums<K>>,
}

impl<const W: usize, K: Key> RankSpace<W, K> {
    /// For armies of `tables`.
    #[must_use]
    pub fn new(tables: &ProblemTables<W, K>) -> Self {
        let images = tables.room_for_images();
        Self { sums: vec![OuterSums::default(); images.len()], images }
    }
}

/// Appends the keys of all armies of a row to `keys`. Compiled for several instruction sets; the processor decides which one runs. Keeps
/// the army with the largest centroid.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
pub fn rank_row<const W: usize, K: Key>(
    tables: &ProblemTables<W, K>,
    Matrix { inner, row_ranks, .. }: &Matrix<W, K>,
    (row, columns): (Row<W>, &[u64]),
    RankSpace { images, sums }: &mut RankSpace<W, K>,
    keys: &mut Vec<K>,
    leader: &mut Option<(i64, K)>,
) {
    tables.write_images(row.outer, images);
    // Armies compare by the highest cell in which they differ. Where that lies above all inner cells, it is the same for all armies of
    // the row, and the row itself is its least image.
    let decided = images[1..].iter().all(|&image| image & inner.above != row.outer & inner.above);
    let images = &images[..if decided { 1 } else { images.len() }];
    for (image, sums) in images.iter().zip(&mut **sums) {
        row_ranks.prepare(&tables.ranks, *image, sums);
    }
    let outer = row.outer.iter().map(|cell| i64::from(tables.centroid[cell])).sum::<i64>();
    let best = outer + i64::from(inner.centroid_max[row.inside]);
    let measured = tables.foremost.is_some() && leader.is_none_or(|(centroid, _)| best > centroid);
    let sets = &inner.sets[row.inside];
    each(columns, |column| {
        let set = sets[usize::from(column)];
        let mut least = (row.outer | inner.spread(set), 0, set);
        for (number, image) in images.iter().enumerate().skip(1) {
            let image_set = inner.images[number - 1][usize::from(set)];
            let image = *image | inner.spread(image_set);
            if !least.0.at_most(&image) {
                least = (image, number, image_set);
            }
        }
        let key = row_ranks.rank(&sums[least.1], least.2);
        keys.push(key);
        if measured {
            let centroid = outer + i64::from(inner.centroid[usize::from(set)]);
            if leader.is_none_or(|(best, _)| centroid > best) {
                *leader = Some((centroid, key));
            }
        }
    });
}
