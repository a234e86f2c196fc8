//! Permutations of the cells.

/// The image of a set, ascending.
pub(super) fn image(permutation: &[u8], cells: &[u8]) -> Vec<u8> {
    let mut image: Vec<u8> = cells.iter().map(|&c| permutation[usize::from(c)]).collect();
    image.sort_unstable();
    image
}

/// The composition: first one, then the other.
pub(super) fn composed(first: &[u8], then: &[u8]) -> Vec<u8> {
    first.iter().map(|&c| then[usize::from(c)]).collect()
}
