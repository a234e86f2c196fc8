//! A solution to look at: the board, its moves beside it, all boards below.

use maud::{Markup, html};

use crate::figure::Figure;

/// What is played, and what its parts are called.
#[derive(Clone, Copy)]
pub(super) struct Player<'a> {
    pub(super) figure: &'a Figure,
    /// What the names of its parts begin with: nothing where it is the only one, so that `#12` is move 12.
    pub(super) prefix: &'a str,
    /// The moves as they are copied, one a line or as a file that `halma replay` reads.
    pub(super) copied: &'a str,
    /// Whether all boards are shown below.
    pub(super) boards: bool,
}

/// What all boards of a figure share.
pub(super) fn ground(figure: &Figure, id: &str) -> Markup {
    html! { svg.defs aria-hidden="true" width="0" height="0" { defs { (figure.ground(id)) } } }
}

/// The buttons of the player: what they do, what they are called, what is drawn on them.
const CONTROLS: [(&str, &str, &str); 5] = [
    ("first", "First board", "M2 3H4V13H2ZM14 3V13L5 8Z"),
    ("back", "One move back", "M12 3V13L4 8Z"),
    ("play", "Play", "M4 2V14L14 8Z"),
    ("on", "One move on", "M4 3V13L12 8Z"),
    ("last", "Last board", "M12 3H14V13H12ZM2 3V13L11 8Z"),
];
const PAUSE: &str = "M3 2H7V14H3ZM9 2H13V14H9Z";

/// What can be taken along.
const TOOLS: [(&str, &str); 4] = [
    ("copy", "Copy moves"),
    ("tikz", "Copy TikZ of this board"),
    ("link", "Copy link to this move"),
    ("print", "Print sheet"),
];

impl Player<'_> {
    /// The player, then all boards.
    pub(super) fn draw(self) -> Markup {
        let Self { figure, prefix, .. } = self;
        let (ground_name, last) = (format!("{prefix}ground"), figure.len() - 1);
        let keys = "Board; with the focus here arrow keys step, Home and End go to the ends, the space bar plays";
        html! {
            (ground(figure, &ground_name))
            // Men are moved by the script; boards of letters are kept.
            @let kept = if self.boards || figure.armies().is_some() { 0 } else { figure.len() };
            section.player aria-label="The solution, move by move" data-at="0" data-prefix=(prefix) {
                div.stage tabindex="0" role="group" aria-label=(keys) { (figure.inline(0, &ground_name, true)) }
                @for i in 0..kept { template { (figure.inline(i, &ground_name, true)) } }
                div.side {
                    p.now aria-live="polite" { (figure.caption(0)) }
                    (self.controls())
                    ol.moves start="0" tabindex="0" aria-label="Moves" {
                        @for i in 0..=last {
                            @let (path, man) = if self.boards { (None, None) } else { figure.mover(i).unzip() };
                            li id={ (prefix) (i) } data-path=[path] data-man=[man] { a href={ "#" (prefix) (i) } { (figure.caption(i)) } }
                        }
                    }
                    div.tools hidden {
                        @for (deed, name) in TOOLS { button type="button" data-do=(deed) { (name) } }
                        textarea.copied readonly rows="4" aria-label="The moves, to copy" hidden { (self.copied) }
                        span.done role="status" {}
                    }
                    @if figure.armies().is_some() { (legend(figure)) }
                }
            }
            @if self.boards { (self.all_boards(&ground_name)) }
        }
    }

    fn controls(self) -> Markup {
        let last = self.figure.len() - 1;
        html! {
            div.controls hidden {
                @for (deed, name, icon) in CONTROLS {
                    button type="button" data-do=(deed) aria-label=(name) title=(name) {
                        svg.icon aria-hidden="true" viewBox="0 0 16 16" { path d=(icon) {} @if deed == "play" { path.pause d=(PAUSE) {} } }
                    }
                }
                input type="range" min="0" max=(last) value="0" aria-label="Move";
                span.count { "0 / " (last) }
            }
        }
    }

    /// All boards, as many in a row of a printed sheet as let it end on one page, if that can be.
    fn all_boards(self, ground_name: &str) -> Markup {
        let figure = self.figure;
        html! {
            section.sheet {
                h2 { "All boards" }
                ol class={ "boards print-" (columns(figure.size(), figure.len())) } start="0" {
                    @for i in 0..figure.len() {
                        li { figure { (figure.inline(i, ground_name, true)) figcaption { button type="button" data-to=(i) { (figure.caption(i)) } } } }
                    }
                }
            }
        }
    }
}

/// Boards in a row of a printed sheet: the fewest that leave it on one page, with room for the headline.
fn columns((width, height): (i32, i32), boards: usize) -> usize {
    // A4 without margins, in millimetres, and what a caption takes.
    const PAGE: (f64, f64) = (182.0, 205.0);
    const CAPTION: f64 = 9.0;
    let fits = |columns: &usize| {
        let board = PAGE.0 / *columns as f64 * f64::from(height) / f64::from(width);
        boards.div_ceil(*columns) as f64 * (board + CAPTION) <= PAGE.1
    };
    (3..12).find(fits).unwrap_or(12)
}

/// What colours and shapes say, by cells that the board has.
pub(super) fn legend(figure: &Figure) -> Markup {
    let types = figure.types();
    html! {
        p.types {
            @if figure.is_game() {
                span.kind { svg.dot aria-hidden="true" viewBox="-8 -8 16 16" { circle.man.blue r="6" {} } "blue" } " "
                span.kind { svg.dot aria-hidden="true" viewBox="-8 -8 16 16" { rect.man.red x="-5.5" y="-5.5" width="11" height="11" {} } "red" } ". "
            } @else if !types.is_empty() {
                "Colours are the types of cells, those of "
                @for (i, (kind, name)) in types.iter().enumerate() {
                    @if i > 0 { ", " }
                    span.kind { svg.dot aria-hidden="true" viewBox="-8 -8 16 16" { circle class={ "man t" (kind) } r="6" {} } (name) }
                }
                "; a jump keeps a man's type. "
            }
            "Dotted lines are jumps that lie open: joined, they are ladders. Tinted cells: start and target."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_sheet_ends_on_one_page_where_boards_can_be_seen() {
        assert_eq!(columns((200, 316), 28), 7);
        assert_eq!(columns((220, 220), 13), 5);
        assert_eq!(columns((220, 220), 500), 12);
    }
}
