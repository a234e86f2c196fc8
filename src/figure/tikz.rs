//! Figures as TikZ, read off their SVG: what `page.js` copies from a page and what `halma replay --tikz` writes are the
//! same. One unit is the distance of two cells; colours are those of print.

use std::fmt::Write;

use roxmltree::{Document, Node};

use super::plane::UNIT;

/// The colours by class: those of `figure.css` in light mode. The first that an element has is its own.
const COLOURS: [(&str, &str); 17] = [
    ("t0", "0072B2"),
    ("t1", "E69F00"),
    ("t2", "009E73"),
    ("t3", "CC79A7"),
    ("blue", "0072B2"),
    ("red", "D55E00"),
    ("start", "E4ECF7"),
    ("target", "F7EADB"),
    ("hole", "B4B8BF"),
    ("l0", "9FCBE6"),
    ("l1", "F5CF85"),
    ("l2", "8FD3BB"),
    ("l3", "E6BCD3"),
    ("l4", "F2AC80"),
    ("l5", "C9D88F"),
    ("l6", "B9BDE6"),
    ("l7", "D4D0C8"),
];

/// How lines are drawn.
const PENS: [(&str, &str); 5] = [
    ("grid", "gray!50"),
    ("cross", "gray"),
    ("lane", "densely dotted,thick"),
    ("left", "densely dashed"),
    ("move", "thick"),
];

/// A figure's SVG as a document that LaTeX takes by itself, and that a paper takes by `\input` with the package
/// `standalone`. `about` says what it shows. What is no XML, as letters that are control characters, is an error.
pub(super) fn document(svg: &str, about: &str) -> Result<String, roxmltree::Error> {
    let about: String = about.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let picture = picture(svg)?;
    Ok(format!(
        "% {about}\n\
         % By itself: pdflatex, or lualatex where letters are of other scripts. In a paper: \\usepackage{{tikz,standalone}}, and\n\
         % \\input this file, in \\resizebox{{\\textwidth}}{{!}}{{...}} where it is too wide.\n\
         \\documentclass[tikz,border=2pt]{{standalone}}\n\\begin{{document}}\n{picture}\\end{{document}}\n"
    ))
}

/// The picture alone.
fn picture(svg: &str) -> Result<String, roxmltree::Error> {
    let document = Document::parse(svg)?;
    let mut drawing = Drawing::default();
    let uses = document.descendants().filter(|node| node.has_tag_name("use")).count();
    for node in document.root_element().children() {
        drawing.add(node, uses > 1);
    }
    let colours: String = drawing
        .used
        .iter()
        .map(|(name, colour)| format!("\\definecolor{{halma{name}}}{{HTML}}{{{colour}}}\n"))
        .collect();
    Ok(format!("\\begin{{tikzpicture}}[scale=.5]\n{colours}{}\\end{{tikzpicture}}\n", drawing.lines))
}

/// Lines of TikZ, and the colours that they name.
#[derive(Default)]
struct Drawing {
    lines: String,
    /// How the last shape was drawn, if nothing has come since: neighbours of one style are drawn at once, because LaTeX takes
    /// its time for each command.
    last: String,
    used: Vec<(&'static str, &'static str)>,
}

impl Drawing {
    /// Adds an element and what is in it. A ground that is `shared` is written once, and drawn by its name.
    fn add(&mut self, node: Node<'_, '_>, shared: bool) {
        let inner = |drawing: &mut Self| node.children().for_each(|child| drawing.add(child, shared));
        match node.tag_name().name() {
            // A ground that is used once is drawn where `defs` stands, before everything else.
            "defs" if shared => {
                self.line("\\def\\halmaground{%");
                inner(self);
                self.line("}");
            }
            "use" if shared => self.line("\\halmaground"),
            "g" if node.has_attribute("transform") => {
                let moved: Vec<i32> = numbers(attribute(node, "transform"));
                let (x, y) = (moved.first().copied().unwrap_or(0), moved.get(1).copied().unwrap_or(0));
                self.line(&format!("\\begin{{scope}}[shift={{{}}}]", point((x, y))));
                inner(self);
                self.line("\\end{scope}");
            }
            "g" | "defs" => inner(self),
            "circle" => self.circle(node),
            "rect" => self.rectangle(node),
            "polyline" => {
                let points: Vec<String> =
                    numbers(attribute(node, "points")).chunks_exact(2).map(|p| point((p[0], p[1]))).collect();
                let pen = self.pen(node);
                self.draw(&format!("\\draw[{pen}]"), &points.join(" -- "));
            }
            "path" => self.path(node),
            "text" => self.text(node),
            _ => {}
        }
    }

    fn line(&mut self, line: &str) {
        self.lines += line;
        self.lines.push('\n');
        self.last.clear();
    }

    fn draw(&mut self, head: &str, shape: &str) {
        if self.last == head {
            self.lines.truncate(self.lines.len() - ";\n".len());
            self.lines += &format!("\n  {shape};\n");
        } else {
            self.line(&format!("{head} {shape};"));
            self.last = head.into();
        }
    }

    fn circle(&mut self, node: Node<'_, '_>) {
        let (x, y, r) = (number(node, "cx"), number(node, "cy"), number(node, "r"));
        let style = match is(node, "left") {
            true => self.pen(node),
            false => format!("fill={},{}", self.fill(node), edge(node)),
        };
        self.draw(&format!("\\draw[{style}]"), &format!("{} circle ({})", point((x, y)), length(r)));
    }

    fn rectangle(&mut self, node: Node<'_, '_>) {
        let (x, y) = (number(node, "x"), number(node, "y"));
        let (width, height) = (number(node, "width"), number(node, "height"));
        let (fill, corners) = (self.fill(node), (point((x, y)), point((x + width, y + height))));
        self.draw(&format!("\\draw[fill={fill},{}]", edge(node)), &format!("{} rectangle {}", corners.0, corners.1));
    }

    fn path(&mut self, node: Node<'_, '_>) {
        let parts = strokes(attribute(node, "d"));
        let head = match (is(node, "piece"), is(node, "hole")) {
            (true, _) => format!("\\draw[fill={},{}]", self.fill(node), edge(node)),
            (_, true) => format!("\\fill[{}]", self.fill(node)),
            _ => {
                let lines: Vec<String> = parts.iter().map(|part| joined(part)).collect();
                let head = format!("\\draw[{}]", self.pen(node));
                return self.draw(&head, &lines.join(" "));
            }
        };
        parts.iter().for_each(|part| self.draw(&head, &(joined(part) + " -- cycle")));
    }

    /// Letters of a row have a place each.
    fn text(&mut self, node: Node<'_, '_>) {
        let (places, y, text) = (numbers(attribute(node, "x")), number(node, "y"), node.text().unwrap_or_default());
        let is_line = is(node, "line");
        let style =
            if is_line { "anchor=base west,font=\\scriptsize\\ttfamily" } else { "anchor=base,font=\\scriptsize" };
        let texts: Vec<String> = match places.len() {
            1 => vec![text.into()],
            _ => text.chars().map(String::from).collect(),
        };
        for (&x, text) in places.iter().zip(&texts) {
            let text = escaped(text, is_line);
            self.line(&format!("\\node[{style}] at {} {{{text}}};", point((x, y))));
        }
    }

    /// The colour that an element is filled with.
    fn fill(&mut self, node: Node<'_, '_>) -> String {
        self.colour(node).unwrap_or_else(|| "white".into())
    }

    fn pen(&mut self, node: Node<'_, '_>) -> String {
        let &(kind, pen) = PENS.iter().find(|(kind, _)| is(node, kind)).unwrap_or(&PENS[0]);
        match self.colour(node).filter(|_| kind == "lane") {
            Some(colour) => format!("{pen},{colour}"),
            None => pen.into(),
        }
    }

    fn colour(&mut self, node: Node<'_, '_>) -> Option<String> {
        let &entry = COLOURS.iter().find(|(class, _)| is(node, class))?;
        if !self.used.contains(&entry) {
            self.used.push(entry);
        }
        Some(format!("halma{}", entry.0))
    }
}

/// How the edge of a shape is drawn: what was moved is seen first.
fn edge(node: Node<'_, '_>) -> &'static str {
    match (is(node, "cell"), is(node, "moved")) {
        (true, _) => "draw=gray",
        (_, true) => "very thick",
        _ => "thin",
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default()
}

/// Whether an element is of a class.
fn is(node: Node<'_, '_>, class: &str) -> bool {
    attribute(node, "class").split(' ').any(|of| of == class)
}

fn number(node: Node<'_, '_>, name: &str) -> i32 {
    attribute(node, name).parse().unwrap_or(0)
}

/// All whole numbers of a text, whatever stands between them.
fn numbers(text: &str) -> Vec<i32> {
    text.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|part| part.parse().ok()).collect()
}

/// The corners of each part of a path, whose steps are straight.
fn strokes(path: &str) -> Vec<Vec<(i32, i32)>> {
    let mut parts: Vec<Vec<(i32, i32)>> = Vec::new();
    for (at, command) in path.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
        let rest = &path[at + 1..];
        let steps = numbers(rest.split(|c: char| c.is_ascii_alphabetic()).next().unwrap_or_default());
        let (x, y) = parts.last().and_then(|part| part.last()).copied().unwrap_or_default();
        let next = match (command, &*steps) {
            ('M', &[x, y]) => {
                parts.push(vec![(x, y)]);
                continue;
            }
            ('L', &[x, y]) => (x, y),
            ('l', &[u, v]) => (x + u, y + v),
            ('h', &[u]) => (x + u, y),
            ('v', &[v]) => (x, y + v),
            _ => continue,
        };
        parts.last_mut().into_iter().for_each(|part| part.push(next));
    }
    parts
}

fn joined(points: &[(i32, i32)]) -> String {
    points.iter().map(|&p| point(p)).collect::<Vec<_>>().join(" -- ")
}

/// A point; TikZ counts upwards.
fn point((x, y): (i32, i32)) -> String {
    format!("({},{})", length(x), length(-y))
}

/// A length in units, without noughts at its end.
fn length(of: i32) -> String {
    let hundredths = 100 / UNIT * of;
    let mut text = format!("{}{}", if of < 0 { "-" } else { "" }, hundredths.abs() / 100);
    if hundredths % 100 != 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, ".{:02}", hundredths.abs() % 100);
        text.truncate(text.trim_end_matches('0').len());
    }
    text
}

/// Text for LaTeX; `kept` keeps its spaces, too.
fn escaped(text: &str, kept: bool) -> String {
    let letter = |c: char| match c {
        '\\' | '{' | '}' | '$' | '&' | '#' | '^' | '_' | '~' | '%' => format!("\\char{}{{}}", c as u32),
        '→' => "$\\to$".into(),
        ' ' if kept => "~".into(),
        _ => c.into(),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_written_as_people_write_them() {
        assert_eq!([0, 8, 20, 25, -41, 10, 2].map(length), ["0", "0.4", "1", "1.25", "-2.05", "0.5", "0.1"]);
    }

    #[test]
    fn paths_become_corners() {
        assert_eq!(strokes("M1,2L3,4M5 6l-1 2"), [vec![(1, 2), (3, 4)], vec![(5, 6), (4, 8)]]);
        assert_eq!(strokes("M21 21h18v18h-18z"), [vec![(21, 21), (39, 21), (39, 39), (21, 39)]]);
    }

    #[test]
    fn what_latex_reads_as_commands_is_written_as_letters() {
        assert_eq!(escaped("50% of #1 \\x a → b", false), "50\\char37{} of \\char35{}1 \\char92{}x a $\\to$ b");
        assert_eq!(escaped("a  b", true), "a~~b");
    }

    #[test]
    fn a_line_of_a_picture_keeps_its_spaces_and_letters_of_a_row_their_places() {
        let svg = "<svg><text class=\"line\" x=\"20\" y=\"34\">3  5</text><text x=\"10 30\" y=\"20\">A#</text></svg>";
        let drawn = picture(svg).unwrap();
        for line in [
            "\\node[anchor=base west,font=\\scriptsize\\ttfamily] at (1,-1.7) {3~~5};",
            "\\node[anchor=base,font=\\scriptsize] at (0.5,-1) {A};",
            "\\node[anchor=base,font=\\scriptsize] at (1.5,-1) {\\char35{}};",
        ] {
            assert!(drawn.contains(line), "{drawn}");
        }
        assert!(picture("<svg>\u{1}</svg>").is_err());
    }

    #[test]
    fn the_colours_are_those_of_the_style() {
        for (class, colour) in COLOURS {
            let (dotted, fill) = (format!(".{class} {{"), format!("fill: #{}", colour.to_lowercase()));
            let line = super::super::STYLE.lines().find(|line| line.contains(&dotted) && line.contains("fill: #"));
            assert!(line.is_some_and(|line| line.contains(&fill)), "{class}: {line:?}");
        }
    }
}
