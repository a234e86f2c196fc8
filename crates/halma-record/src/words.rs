//! Numbers with their nouns, for messages.

/// The noun for so many.
///
/// ```
/// use halma_record::words::plural;
/// assert_eq!(["man", "move"].map(|noun| plural(1, noun)), ["man", "move"]);
/// assert_eq!(["man", "move"].map(|noun| plural(0, noun)), ["men", "moves"]);
/// ```
#[must_use]
pub fn plural(number: u64, noun: &str) -> String {
    match (number, noun) {
        (1, _) => noun.into(),
        (_, "man") => "men".into(),
        _ => format!("{noun}s"),
    }
}

/// The number, and the noun for so many.
#[must_use]
pub fn counted(number: usize, noun: &str) -> String {
    format!("{number} {}", plural(number as u64, noun))
}

/// So many moves.
#[must_use]
pub fn moves(number: u32) -> String {
    counted(number as usize, "move")
}
