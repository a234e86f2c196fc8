//! The labels of levels that are made for one length: they begin with L, and no others do. Files with such labels are
//! removed when their length is decided.

/// What the labels of the levels for `length` moves begin with.
pub(crate) fn stem_of_length(length: u32) -> String {
    format!("L{length}")
}

/// Whether a level with that label is made for a length.
pub(crate) fn is_of_a_length(label: &str) -> bool {
    label.starts_with('L')
}
