//! Tables for terminals, and the numbers in them.

/// A number with its digits in groups of three.
#[must_use]
pub fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Rows under a head, each column as wide as it must be: numbers to the right, words to the left.
pub(crate) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut lines = vec![head.iter().map(ToString::to_string).collect::<Vec<_>>()];
    lines.extend(rows);
    let is_number = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || c == '-') && cell.len() < 32;
    let column = |i: usize| lines.iter().map(move |line| &line[i]);
    let widths: Vec<usize> = (0..head.len()).map(|i| column(i).map(|c| c.chars().count()).max().unwrap_or(0)).collect();
    let right: Vec<bool> = (0..head.len()).map(|i| column(i).skip(1).all(|c| c.is_empty() || is_number(c))).collect();
    let mut text = String::new();
    for line in &lines {
        let cells = line.iter().zip(&widths).zip(&right);
        let padded =
            cells.map(|((cell, &w), &right)| if right { format!("{cell:>w$}") } else { format!("{cell:<w$}") });
        text += padded.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// What a terminal shows in a line.
const WIDTH: usize = 80;

/// Whether a terminal shows each line of a text as one.
pub(super) fn fits(text: &str) -> bool {
    text.lines().all(|line| line.chars().count() <= WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let rows = [vec!["1".into(), "none".into()], vec!["1,000".into(), "solution".into()]];
        assert_eq!(table(&["n", "verdict"], rows.into_iter()), "    n  verdict\n    1  none\n1,000  solution\n");
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
