//! Tables whose columns can be sorted.

use maud::{Markup, html};

/// A table. Scripts make buttons of its heads; numbers sort as numbers, with or without commas.
pub(super) fn table(caption: &str, head: &[&str], rows: &[Vec<String>]) -> Markup {
    let numeric = |column: usize| {
        rows.iter()
            .all(|row| row[column].is_empty() || row[column].starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let right: Vec<bool> = (0..head.len()).map(numeric).collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.sortable {
                caption { (caption) }
                thead { tr { @for (name, right) in head.iter().zip(&right) { th scope="col" .number[*right] { (name) } } } }
                tbody {
                    @for row in rows {
                        tr { @for (cell, right) in row.iter().zip(&right) { td .number[*right] { (cell) } } }
                    }
                }
            }
        }
    }
}
