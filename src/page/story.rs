//! What the written pages beside records say of each of them: rows of their tables, and items of their lists.
//!
//! A row belongs to the record that its first cell names, or its first two (`p2-triangle-4`, `6-move`); an item to the record
//! that it begins with, or whose job it names (`configs/open/halma-19-8move.toml`).

use maud::{Markup, html};

use super::table::of_markup;

/// All that was read.
#[derive(Clone, Debug, Default)]
pub struct Stories {
    rows: Vec<Row>,
    items: Vec<Item>,
}

/// A row of a table, under its heading.
#[derive(Clone, Debug)]
struct Row {
    heading: String,
    head: Vec<String>,
    cells: Vec<String>,
}

/// An item of a list, and the paragraph that leads to it.
#[derive(Clone, Debug)]
struct Item {
    lead: String,
    text: String,
}

impl Stories {
    /// Reads pages of Markdown.
    #[must_use]
    pub fn of(pages: &[String]) -> Self {
        let mut stories = Self::default();
        pages.iter().for_each(|page| stories.read(page));
        stories
    }

    fn read(&mut self, page: &str) {
        let (mut heading, mut lead, mut head) = (String::new(), String::new(), Vec::new());
        for block in blocks(page) {
            if let Some(title) = block.strip_prefix('#') {
                heading = title.trim_start_matches('#').trim().into();
                lead.clear();
            } else if block.starts_with('|') {
                let cells: Vec<String> = block.trim_matches('|').split('|').map(|cell| cell.trim().into()).collect();
                match () {
                    () if cells.iter().all(|c| !c.is_empty() && c.chars().all(|c| "-:".contains(c))) => {}
                    () if head.is_empty() => head = cells,
                    () if cells.len() == head.len() => {
                        self.rows.push(Row { heading: heading.clone(), head: head.clone(), cells });
                    }
                    () => {}
                }
                continue;
            } else if let Some(text) = block.strip_prefix("- ") {
                self.items.push(Item { lead: lead.clone(), text: text.into() });
            } else {
                lead = block;
            }
            head.clear();
        }
    }

    /// What is said of the record that has one of these names.
    pub(super) fn tell(&self, names: &[String]) -> Markup {
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.is_of(names)).collect();
        let mut tables: Vec<Vec<&Row>> = Vec::new();
        for row in rows {
            match tables.iter_mut().find(|t| (&t[0].heading, &t[0].head) == (&row.heading, &row.head)) {
                Some(table) => table.push(row),
                None => tables.push(vec![row]),
            }
        }
        let items: Vec<&Item> = self.items.iter().filter(|item| item.is_of(names)).collect();
        html! {
            @if !tables.is_empty() || !items.is_empty() {
                section.story {
                    h2 { "Its story" }
                    @for (i, item) in items.iter().enumerate() {
                        @if items[..i].iter().all(|other| other.lead != item.lead) { p { (inline(&item.lead)) } }
                        p { (inline(&item.text)) }
                    }
                    @for table in &tables {
                        @let head: Vec<&str> = table[0].head.iter().map(String::as_str).collect();
                        @let cells: Vec<Vec<Markup>> = table.iter().map(|row| row.cells.iter().map(|c| inline(c)).collect()).collect();
                        (of_markup(&table[0].heading, &head, &cells, &vec![false; head.len()], &[]))
                    }
                }
            }
        }
    }

    /// The heading under which a record is told of first.
    pub(super) fn heading(&self, names: &[String]) -> Option<&str> {
        self.rows.iter().find(|row| row.is_of(names)).map(|row| row.heading.as_str())
    }

    /// What somebody else has published of it, where a table says so.
    pub(super) fn published(&self, names: &[String]) -> Option<&str> {
        let row = self.rows.iter().find(|row| row.is_of(names))?;
        let column = row.head.iter().position(|h| h == "paper" || h == "published")?;
        Some(&row.cells[column])
    }
}

impl Row {
    fn is_of(&self, names: &[String]) -> bool {
        let one = self.cells[0].replace(", ", "-");
        let two = self.cells.get(1).map(|second| format!("{one}-{second}"));
        [Some(one), two].into_iter().flatten().any(|name| names.contains(&name.replace("-move", "move")))
    }
}

impl Item {
    fn is_of(&self, names: &[String]) -> bool {
        let first = self.text.split(':').next().unwrap_or_default();
        let jobs =
            self.text.split('`').filter_map(|part| part.split_whitespace().find_map(|word| word.strip_suffix(".toml")));
        let jobs = jobs.filter_map(|job| job.rsplit('/').next());
        names.iter().any(|name| name == first || jobs.clone().any(|job| job == name))
    }
}

/// Headings, rows of tables, items of lists and paragraphs, each as one line.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in page.lines().map(str::trim) {
        let begins = ["#", "|", "- "].iter().any(|mark| line.starts_with(mark));
        match blocks.last_mut() {
            Some(last) if open && !begins && !line.is_empty() => {
                last.push(' ');
                last.push_str(line);
            }
            _ if line.is_empty() => {}
            _ => blocks.push(line.into()),
        }
        open = !line.is_empty() && !line.starts_with(['#', '|']);
    }
    blocks
}

/// The marks within a line: code, bold, italic; of links the text.
fn inline(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    html! {
        @for (i, part) in parts {
            @if i % 2 == 1 { code { (part) } } @else {
                @for (j, part) in unlinked(part).split("**").enumerate() {
                    @if j % 2 == 1 { b { (part) } } @else {
                        @for (k, part) in part.split('*').enumerate() { @if k % 2 == 1 { i { (part) } } @else { (part) } }
                    }
                }
            }
        }
    }
}

/// The text of links without their addresses.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        match after.split_once("](").and_then(|(name, tail)| Some((name, tail.split_once(')')?.1))) {
            Some((name, tail)) => {
                out.push_str(name);
                rest = tail;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# Results\n\n## Table\n\n| row | paper | halma |\n| --- | ---: | --- |\n| p2, 6-move | 27 | **27**, proved |\n\n\
        The paper asks it,\nand [says](x.md) no more:\n\n- p2-6move: `halma solve` found\n  it.\n- `halma solve configs/p3.toml` did not.\n";

    fn told(name: &str) -> String {
        Stories::of(&[PAGE.into()]).tell(&[name.into()]).into_string()
    }

    #[test]
    fn a_record_has_its_row_and_its_items_with_what_leads_to_them() {
        let story = told("p2-6move");
        assert!(story.contains("<b>27</b>, proved</td>"), "{story}");
        assert!(story.contains("<p>The paper asks it, and says no more:</p>"), "{story}");
        assert!(story.contains("<code>halma solve</code> found it."), "{story}");
        assert!(!story.contains("did not"), "{story}");
        assert!(told("p3").contains("did not"), "an item names its job");
        assert_eq!(told("p4"), "");
        assert_eq!(Stories::of(&[PAGE.into()]).published(&["p2-6move".into()]), Some("27"));
    }
}
