//! Tables whose columns can be sorted.

use maud::{Markup, html};

/// A table. Scripts make buttons of its heads; numbers sort as numbers, with or without commas. `keys` name its rows for
/// plots that show them; there are as many as rows, or none.
pub(super) fn table(caption: &str, head: &[&str], rows: &[Vec<String>], keys: &[String]) -> Markup {
    let cells = rows.iter().map(|row| row.iter().map(|cell| html! { (cell) }).collect()).collect::<Vec<Vec<Markup>>>();
    let numeric = |column: usize| {
        rows.iter()
            .all(|row| row[column].is_empty() || row[column].starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let right: Vec<bool> = (0..head.len()).map(numeric).collect();
    of_markup(caption, head, &cells, &right, keys)
}

/// The same of cells that are more than text; `right` says which columns are numbers.
pub(super) fn of_markup(caption: &str, head: &[&str], rows: &[Vec<Markup>], right: &[bool], keys: &[String]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table.sortable {
                caption { (caption) }
                thead { tr { @for (name, right) in head.iter().zip(right) { th scope="col" .number[*right] { (name) } } } }
                tbody {
                    @for (i, row) in rows.iter().enumerate() {
                        tr data-row=[keys.get(i)] { @for (cell, right) in row.iter().zip(right) { td .number[*right] { (cell) } } }
                    }
                }
            }
        }
    }
}
