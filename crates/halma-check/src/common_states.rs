//! The intersection of two levels: whether the two halves of a bidirectional search meet.

use rayon::prelude::*;

use super::level_file::{BLOCK, Level};
use super::level_step::first_without;
use super::memory;
use super::number::Number;
use super::rejection::Rejection;
use crate::parallel;

/// The first image of a state of `small` that is in `large`, if any.
pub fn first_common<N: Number>(
    small: &Level<N>,
    large: &Level<N>,
    image: impl Fn(N, &mut Vec<u8>) -> Result<Option<N>, Rejection> + Sync,
) -> Result<Option<N>, Rejection> {
    let at_once = memory::batch(size_of::<N>(), 512 * BLOCK).div_ceil(BLOCK);
    for first in (0..small.blocks()).step_by(at_once) {
        let images = |block: usize| -> Result<Vec<N>, Rejection> {
            let (mut keys, mut scratch, mut images) = (Vec::new(), Vec::new(), Vec::new());
            small.read(first + block, &mut keys)?;
            for &key in &keys {
                images.extend(image(key, &mut scratch)?);
            }
            Ok(images)
        };
        let mut images = parallel::map(at_once.min(small.blocks() - first), images)?.concat();
        images.par_sort_unstable();
        if let Some(met) = first_without(&images, &large.without(&images, None)?) {
            return Ok(Some(met));
        }
    }
    Ok(None)
}
