//! Line plots, on a logarithmic scale or a plain one.

use maud::{Markup, html};

use crate::report::grouped;

/// One line of a plot.
pub(super) struct Series {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
    /// What of the page each point belongs to: a row of a table, a move. As many as points, or none.
    pub(super) links: Vec<String>,
}

/// A plot: what it shows, and what its axes count.
pub(super) struct Plot<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    /// The upward axis, in a few words.
    pub(super) y: &'a str,
    /// What it shows in a sentence, with the lengths.
    pub(super) says: &'a str,
    /// Whether a power of ten is a step of the upward axis; values below 1 are then left out.
    pub(super) log: bool,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 112.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

impl Plot<'_> {
    /// The plot of these lines with its legend; nothing where there is no point.
    pub(super) fn draw(&self, series: &[Series]) -> Markup {
        let scaled = |y: f64| if self.log { y.log10() } else { y };
        let is_shown = |y: f64| !self.log || y >= 1.0;
        let shown = |s: &Series| -> Vec<(f64, f64)> {
            s.points.iter().filter(|p| is_shown(p.1)).map(|&(x, y)| (x, scaled(y))).collect()
        };
        let lines: Vec<Vec<(f64, f64)>> = series.iter().map(shown).collect();
        let all = || lines.iter().flatten();
        if all().next().is_none() {
            return html! {};
        }
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
        };
        let (x0, x1) = range(&mut all().map(|p| p.0));
        let (y0, y1) = range(&mut all().map(|p| p.1));
        let (x_ticks, y_ticks) = (ticks(x0, x1, 1.0), ticks(y0, y1, if self.log { 1.0 } else { 0.0 }));
        let (y0, y1) = (y0.min(y_ticks[0]), y1.max(y_ticks[y_ticks.len() - 1]));
        let place = |x: f64, y: f64| {
            let part = |v: f64, low: f64, high: f64| if high > low { (v - low) / (high - low) } else { 0.5 };
            let across = LEFT + part(x, x0, x1) * (WIDTH - LEFT - RIGHT);
            let down = HEIGHT - BOTTOM - part(y, y0, y1) * (HEIGHT - TOP - BOTTOM);
            (format!("{across:.1}"), format!("{down:.1}"))
        };
        html! {
            figure.plot {
                svg role="img" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } {
                    title { (self.title) }
                    desc { (self.words(series)) }
                    @for &y in &y_ticks {
                        @let (left, at) = place(x0, y);
                        line.rule x1=(left) x2=(WIDTH - RIGHT) y1=(at) y2=(at) {}
                        text.up x=(LEFT - 8.0) y=(at) dy="4" { (self.label(y)) }
                    }
                    @for &x in x_ticks.iter().filter(|x| (x0..=x1).contains(*x)) {
                        @let (at, bottom) = place(x, y0);
                        line.rule x1=(at) x2=(at) y1=(TOP) y2=(bottom) {}
                        text x=(at) y=(HEIGHT - BOTTOM + 16.0) { (x) }
                    }
                    text.axis x=((WIDTH + LEFT) / 2.0) y=(HEIGHT - 8.0) { (self.x) }
                    text.axis transform={ "translate(14 " ((HEIGHT - BOTTOM + TOP) / 2.0) ") rotate(-90)" } {
                        (self.y) @if self.log { " (logarithmic)" }
                    }
                    @for (i, (line, s)) in lines.iter().zip(series).enumerate() {
                        @let points: Vec<(String, String)> = line.iter().map(|&(x, y)| place(x, y)).collect();
                        @let values: Vec<usize> = (0..s.points.len()).filter(|&j| is_shown(s.points[j].1)).collect();
                        g class={ "line s" (i % 6) } {
                            polyline points=(points.iter().map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")) {}
                            @for ((x, y), &j) in points.iter().zip(&values) {
                                g.point data-row=[s.links.get(j)] {
                                    title { (self.value(s, s.points[j], series.len() > 1)) }
                                    (marker(i, x, y))
                                }
                            }
                        }
                    }
                }
                figcaption {
                    b { (self.title) } ": " (self.says)
                    "; " @if self.log { "logarithmic scale." } @else { "linear scale." }
                    @if series.len() > 1 {
                        ul.legend {
                            @for (i, s) in series.iter().enumerate() {
                                li {
                                    svg aria-hidden="true" viewBox="0 0 24 12" {
                                        g class={ "line s" (i % 6) } { polyline points="0,6 24,6" {} (marker(i, "12", "6")) }
                                    }
                                    (s.name)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// A point in words.
    fn value(&self, series: &Series, (x, y): (f64, f64), named: bool) -> String {
        let said = if y < 0.0 { format!("{y}") } else { grouped(y.round() as u64) };
        let name = if named { format!("{}, ", series.name) } else { String::new() };
        format!("{name}{} {x}, {}: {said}", self.x, self.y)
    }

    fn label(&self, y: f64) -> String {
        if self.log { grouped(10f64.powf(y).round() as u64) } else { format!("{y}") }
    }

    /// The lines in words.
    fn words(&self, series: &[Series]) -> String {
        let said = series.iter().filter_map(|s| {
            let last = s.points.last()?;
            let (at, most) = s.points.iter().copied().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
            Some(format!("{}: at most {most} at {at}, {} at the end.", s.name, last.1))
        });
        said.collect::<Vec<_>>().join(" ")
    }
}

/// A mark of its own for each line, for eyes and printers that see no colours.
fn marker(line: usize, x: &str, y: &str) -> Markup {
    let shape = [
        "M-3-3H3V3H-3Z",
        "M0-4L4 3H-4Z",
        "M0-4L4 0L0 4L-4 0Z",
        "M-3 0A3 3 0 0 0 3 0A3 3 0 0 0-3 0Z",
        "M0 4L4-3H-4Z",
        "M-4-1H4V1H-4Z",
    ];
    html! { path.mark d=(shape[line % shape.len()]) transform={ "translate(" (x) " " (y) ")" } {} }
}

/// Round numbers from low to high, about six of them, none closer than `least`.
fn ticks(low: f64, high: f64, least: f64) -> Vec<f64> {
    let rough = ((high - low) / 6.0).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|&s| s >= rough).unwrap_or(power).max(least);
    let (first, last) = ((low / step).floor() as i64, (high / step).ceil() as i64);
    (first..=last)
        .map(|i| i as f64 * step)
        .filter(|t| least == 0.0 || (*t >= low - step && *t <= high + step))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_span_the_values() {
        assert_eq!(ticks(0.0, 27.0, 1.0), [0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(ticks(-60.0, 60.0, 0.0), [-60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0]);
        assert_eq!(ticks(3.0, 3.0, 1.0), [3.0]);
    }
}
