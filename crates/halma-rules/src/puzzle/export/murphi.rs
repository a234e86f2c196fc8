//! Writes Murphi models, for Rumur: the board as an array, one rule for each step, and an invariant that denies the
//! goal.
//!
//! If every move is one step, a rule is a move: the shortest counterexample is the shortest solution, and the number of
//! states is the sum of the levels. If a move can have several steps, the state also counts moves, up to a limit, and
//! the question is whether there is a solution within it.

use std::fmt::Write;

use super::super::grounded::{Letters, Until};
use super::super::permutation::{Permutations, PieceSet};
use super::lifted::{Lifted, Schema};
use super::{Export, ExportedFile, move_names};

/// How to run it, in every file.
const RUN: &str = "rumur --deadlock-detection off --threads 1 --output p.c THIS && cc -std=c11 -O3 -mcx16 -o p p.c -latomic -lpthread && ./p";

/// A list of names in a type.
fn list(names: &[String]) -> String {
    let mut text = String::new();
    for part in names.chunks(16) {
        let end = if text.is_empty() { "" } else { ",\n    " };
        let _ = write!(text, "{end}{}", part.join(", "));
    }
    text
}

struct Writer<'a> {
    lifted: &'a Lifted<'a>,
    long: bool,
    /// Whether a chain that leads back must not end there.
    back: bool,
    text: String,
}

impl Writer<'_> {
    fn cell(&self, cell: u8) -> &str {
        &self.lifted.cells[usize::from(cell)]
    }

    /// That a cell has one of these letters; nothing where it may have any.
    fn has(&self, cell: u8, set: Letters) -> Option<String> {
        if set == self.lifted.all() {
            return None;
        }
        let cell = self.cell(cell);
        let one: Vec<String> = self.lifted.named(set).map(|letter| format!("board[{cell}] = {letter}")).collect();
        Some(if one.len() == 1 { one.concat() } else { format!("({})", one.join(" | ")) })
    }

    /// The conditions of a step on the board.
    fn needs(&self, schema: &Schema, row: &[u8]) -> Vec<String> {
        row.iter().zip(&schema.kind.places).filter_map(|(&cell, place)| self.has(cell, place.needs)).collect()
    }

    fn rule(&mut self, name: &str, needs: &[String], effects: &[String]) {
        let needs = if needs.is_empty() { "true".into() } else { needs.join(" & ") };
        let _ = write!(self.text, "rule \"{name}\"\n  {needs}\n==>\nbegin\n  {};\nend;\n\n", effects.join("; "));
    }

    fn steps(&mut self, schema: &Schema, row: &[u8]) {
        let cells: Vec<&str> = row.iter().map(|&cell| self.cell(cell)).collect();
        let name = format!("{} {}", schema.name, cells.join(" "));
        let mut needs = self.needs(schema, row);
        let written = row.iter().zip(&schema.kind.places).filter_map(|(&cell, place)| Some((cell, place.writes?)));
        let board: Vec<String> = written
            .map(|(cell, l)| format!("board[{}] := {}", self.cell(cell), self.lifted.letters[usize::from(l)]))
            .collect();
        if schema.kind.turn > 0 {
            needs.push(format!("side = {}", schema.kind.turn));
        }
        let goes_on = schema.mode();
        let (mut first, mut begin) = (needs.clone(), board.clone());
        if self.long {
            first.extend(["mode = rest".to_string(), "moves < limit".into()]);
            begin.push("moves := moves + 1".into());
        }
        match &goes_on {
            Some(mode) => {
                begin.extend([format!("mode := {mode}"), format!("man := {}", self.cell(row[schema.kind.to]))]);
                begin.extend(self.back.then(|| format!("origin := {}", self.cell(row[schema.kind.from]))));
            }
            None if schema.kind.turn > 0 => begin.push(format!("side := {}", 3 - schema.kind.turn)),
            None => {}
        }
        self.rule(&name, &first, &begin);
        if let Some(mode) = goes_on {
            needs.extend([format!("mode = {mode}"), format!("man = {}", self.cell(row[schema.kind.from]))]);
            let mut next = board;
            next.push(format!("man := {}", self.cell(row[schema.kind.to])));
            self.rule(&format!("{name}, going on"), &needs, &next);
        }
    }

    /// The ends of moves of several steps.
    fn ends(&mut self) {
        let lifted = self.lifted;
        let mut effects = vec!["mode := rest".to_string(), format!("man := {}", self.cell(0))];
        if lifted.task.turns {
            effects.push("side := 3 - side".into());
        }
        if self.back {
            effects.push(format!("origin := {}", self.cell(0)));
        }
        let mut known: Vec<String> = Vec::new();
        for schema in &lifted.schemas {
            let Some(mode) = schema.mode().filter(|mode| !known.contains(mode)) else { continue };
            known.push(mode.clone());
            let here = format!("mode = {mode}");
            if schema.kind.until != Until::Blocked {
                let not_back = (self.back && schema.kind.chain).then(|| "man != origin".to_string());
                let needs: Vec<String> = [here].into_iter().chain(not_back).collect();
                self.rule(&format!("{mode}: the move ends"), &needs, &effects);
                continue;
            }
            let alike: Vec<&Schema> =
                lifted.schemas.iter().filter(|other| other.kind.repetition == schema.kind.repetition).collect();
            for cell in 0..lifted.cells.len() as u8 {
                let rows = alike.iter().flat_map(|s| lifted.tables[s.table].iter().map(move |row| (*s, row)));
                let from_here: Vec<_> = rows.clone().filter(|(s, row)| row[s.kind.from] == cell).collect();
                if !rows.clone().any(|(s, row)| row[s.kind.to] == cell) {
                    continue;
                }
                let open = from_here.iter().map(|(s, row)| format!("!({})", self.needs(s, row).join(" & ")));
                let needs: Vec<String> =
                    [here.clone(), format!("man = {}", self.cell(cell))].into_iter().chain(open).collect();
                self.rule(&format!("{mode} {}: blocked", self.cell(cell)), &needs, &effects);
            }
        }
    }

    fn goal(&mut self) {
        let task = self.lifted.task;
        for (number, set) in self.lifted.counters.iter().enumerate() {
            let any: Vec<String> = self.lifted.named(*set).map(|letter| format!("board[c] = {letter}")).collect();
            let _ = write!(
                self.text,
                "function count_{number}(): Amount;\nvar n: Amount;\nbegin\n  n := 0;\n  for c: Cell do\n    if {} then n := n + 1; end;\n  end;\n  return n;\nend;\n\n",
                any.join(" | ")
            );
        }
        let one = |goal: &super::super::grounded::GoalCondition| {
            let mut all: Vec<String> = goal.cells.iter().filter_map(|&(cell, set)| self.has(cell, set)).collect();
            for &(set, count) in &goal.counts {
                let counter = self.lifted.counters.iter().position(|&c| c == set);
                all.extend(counter.map(|number| format!("count_{number}() = {count}")));
            }
            if all.is_empty() { "true".into() } else { format!("({})", all.join(" & ")) }
        };
        let all: Vec<String> = task.goals.iter().map(one).collect();
        let rest = if self.long { "mode = rest -> " } else { "" };
        if !all.is_empty() {
            let _ = writeln!(self.text, "invariant \"no solution\"\n  {rest}!({});", all.join(" |\n    "));
        }
    }
}

/// How to read the checker's answers.
fn about(long: bool, goal: bool, turns: bool) -> Vec<String> {
    let mut lines = vec![format!("To run it: {RUN}")];
    if long {
        lines.push("A move can have several steps, each of them a rule here, and moves are counted in the state: the invariant".into());
        lines.push("fails exactly if there is a solution of at most `limit` moves (set it below). The length of a counterexample".into());
        lines.push("counts steps and ends of moves, and the number of states counts men on their way: neither compares with halma's.".into());
    } else {
        if goal {
            lines.push("The invariant fails exactly if there is a solution, and the shortest counterexample (with one thread) has one rule".into());
            lines.push(
                "for each move of a shortest solution. Where there is none, or with the invariant left out,".into(),
            );
        }
        lines.push(
            "the number of states is the sum of the levels of `halma levels --to-the-end` with `symmetry = false`."
                .into(),
        );
        if turns {
            lines.push("(Those of a game, `kind = \"game\"`, end where it is won; these states go on.)".into());
        }
    }
    lines
}

/// The file of rules and blocks.
pub(super) fn task(export: &Export, lifted: &Lifted) -> Result<Vec<ExportedFile>, String> {
    let task = lifted.task;
    let back = lifted.could_pass()?;
    let long = lifted.has_long_moves();
    let mut lines = about(long, !task.goals.is_empty(), task.turns);
    lines.push(lifted.legend());
    let mut writer = Writer { lifted, long, back, text: export.head("--", &lines) };
    let mut modes: Vec<String> = lifted.schemas.iter().filter_map(Schema::mode).collect();
    modes.sort_unstable();
    modes.dedup();
    let text = &mut writer.text;
    if long {
        let _ = write!(text, "\nconst\n  limit: {};\n", export.horizon());
    }
    let _ = write!(
        text,
        "\ntype\n  Cell: enum {{ {} }};\n  Letter: enum {{ {} }};\n",
        list(&lifted.cells),
        list(&lifted.letters)
    );
    if !lifted.counters.is_empty() {
        let _ = writeln!(text, "  Amount: 0..{};", lifted.cells.len());
    }
    if long {
        let _ = writeln!(text, "  Mode: enum {{ rest, {} }};", modes.join(", "));
    }
    text.push_str("\nvar\n  board: array [Cell] of Letter;\n");
    if task.turns {
        text.push_str("  side: 1..2;\n");
    }
    if long {
        text.push_str("  mode: Mode;\n  man: Cell;\n  moves: 0..limit;\n");
    }
    if back {
        text.push_str("  origin: Cell; -- of the man on his way: back there is no move\n");
    }
    text.push('\n');
    for (number, start) in task.starts.iter().enumerate() {
        let _ = writeln!(text, "startstate \"start {}\"\nbegin", number + 1);
        for (cell, &letter) in lifted.cells.iter().zip(start) {
            let _ = writeln!(text, "  board[{cell}] := {};", lifted.letters[usize::from(letter)]);
        }
        if task.turns {
            text.push_str("  side := 1;\n");
        }
        if long {
            let _ = writeln!(text, "  mode := rest;\n  man := {};\n  moves := 0;", lifted.cells[0]);
        }
        if back {
            let _ = writeln!(text, "  origin := {};", lifted.cells[0]);
        }
        text.push_str("end;\n\n");
    }
    for schema in &lifted.schemas {
        lifted.tables[schema.table].iter().for_each(|row| writer.steps(schema, row));
    }
    if long {
        writer.ends();
    }
    writer.goal();
    Ok(vec![ExportedFile { ending: ".m", text: writer.text }])
}

/// The file of a permutation puzzle: pieces and orientations by position.
pub(super) fn permutations(export: &Export, puzzle: &Permutations) -> Vec<ExportedFile> {
    let (called, legend) = move_names(puzzle);
    let mut lines = about(false, true, false);
    lines.push(legend);
    let mut text = export.head("--", &lines);
    text.push_str("-- piece_1[3] is the number of the piece on the third position of the first set.\n\nvar\n");
    let most = |set: usize| puzzle.sets[set].pieces.len() - 1;
    let oriented = |set: usize| is_oriented(&puzzle.sets[set]);
    for (number, set) in puzzle.sets.iter().enumerate() {
        let (n, positions) = (number + 1, set.positions);
        let _ = writeln!(text, "  piece_{n}: array [1..{positions}] of 0..{};", most(number));
        if oriented(number) {
            let _ = writeln!(text, "  turn_{n}: array [1..{positions}] of 0..{};", set.orientations - 1);
        }
    }
    text.push_str("\nstartstate \"start\"\nbegin\n");
    for (number, there) in puzzle.start.iter().enumerate() {
        for (position, (piece, turn)) in there.pieces.iter().zip(&there.orientations).enumerate() {
            let (n, p) = (number + 1, position + 1);
            let _ = writeln!(text, "  piece_{n}[{p}] := {piece};");
            if oriented(number) {
                let _ = writeln!(text, "  turn_{n}[{p}] := {turn};");
            }
        }
    }
    text.push_str("end;\n\n");
    for (name, step) in called.iter().zip(&puzzle.moves) {
        rule(&mut text, puzzle, name, &step.sets);
    }
    let mut goal = Vec::new();
    for (number, there) in puzzle.goal.iter().enumerate() {
        for (position, (piece, turn)) in there.pieces.iter().zip(&there.orientations).enumerate() {
            let (n, p) = (number + 1, position + 1);
            goal.push(format!("piece_{n}[{p}] = {piece}"));
            if oriented(number) {
                goal.push(format!("turn_{n}[{p}] = {turn}"));
            }
        }
    }
    let _ = writeln!(text, "invariant \"no solution\"\n  !({});", goal.join(" & "));
    vec![ExportedFile { ending: ".m", text }]
}

/// Whether the orientations of a set are part of its state.
fn is_oriented(set: &PieceSet) -> bool {
    set.orientations > 1 && set.pieces.iter().any(|piece| piece.oriented)
}

/// A move: what it changes is read before anything is written.
fn rule(text: &mut String, puzzle: &Permutations, name: &str, step: &super::super::permutation::Transformation) {
    let (mut before, mut after) = (String::new(), String::new());
    let mut declared = String::new();
    for (number, moved) in step.iter().enumerate() {
        let (n, set) = (number + 1, &puzzle.sets[number]);
        let turns = is_oriented(set);
        if moved.is_identity() {
            continue;
        }
        let _ = writeln!(declared, "  old_piece_{n}: array [1..{}] of 0..{};", set.positions, set.pieces.len() - 1);
        let _ = writeln!(before, "  old_piece_{n} := piece_{n};");
        if turns {
            let _ = writeln!(declared, "  old_turn_{n}: array [1..{}] of 0..{};", set.positions, set.orientations - 1);
            let _ = writeln!(before, "  old_turn_{n} := turn_{n};");
        }
        let free: Vec<usize> = (0..set.pieces.len()).filter(|&piece| !set.pieces[piece].oriented).collect();
        for (to, (&from, &turn)) in moved.from.iter().zip(&moved.turn).enumerate() {
            let (p, f) = (to + 1, from + 1);
            if p != usize::from(f) {
                let _ = writeln!(after, "  piece_{n}[{p}] := old_piece_{n}[{f}];");
            }
            if turns && (p != usize::from(f) || turn != 0) {
                let turned = format!("turn_{n}[{p}] := (old_turn_{n}[{f}] + {turn}) % {}", set.orientations);
                let any: Vec<String> = free.iter().map(|piece| format!("old_piece_{n}[{f}] = {piece}")).collect();
                let _ = match any.is_empty() || turn == 0 {
                    true => writeln!(after, "  {turned};"),
                    false => {
                        writeln!(after, "  if !({}) then {turned}; else turn_{n}[{p}] := 0; end;", any.join(" | "))
                    }
                };
            }
        }
    }
    let _ = write!(text, "rule \"{name}\"\n  true\n==>\nvar\n{declared}begin\n{before}{after}end;\n\n");
}
