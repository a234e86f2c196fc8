//! Writes answer set programs, for clingo: one step is chosen at each point of time, and the goal has to hold at the
//! end.

use std::fmt::Write;

use super::super::grounded::{GroundedTask, Until};
use super::super::permutation::Permutations;
use super::lifted::{Chains, Lifted, Schema};
use super::{Export, ExportedFile, move_names};

const ABOUT: &str = "Satisfiable exactly if there is a solution of at most n moves: clingo -c n=7 THIS";
/// Where a move may need more steps than are said.
const ABOUT_SHORT: &str =
    "Satisfiable exactly if there is a solution of at most n moves of at most k steps each: clingo -c n=7 -c k=20 THIS";

/// The rules that all puzzles have, k being 1 where a move is one step.
const MOVES: &str = "
% Points of time 0..n*k; a move begins at a multiple of k, or the puzzle is over.
time(0..n*k-1).
over(I) :- goal(I).
over(I+k) :- over(I), time(I).
{ do(A,I) : can(A,I) } = 1 :- time(I), I \\ k = 0, not over(I).
:- not over(n*k).
";

/// The rules that boards have.
const BOARD: &str = "
has(C,L,I+1) :- do(A,I), writes(A,C,L).
has(C,L,I+1) :- has(C,L,I), time(I), not changed(C,I).
changed(C,I) :- do(A,I), writes(A,C,_).
";

/// The most steps that one move can have, and whether no move has more.
fn longest(task: &GroundedTask, lifted: &Lifted) -> (usize, bool) {
    let mut most = 1;
    for &(rule, direction) in &lifted.repetitions {
        let repetition =
            task.steps.iter().filter(|s| s.until != Until::Once && (s.rule, s.direction) == (rule, direction));
        most = most.max(largest_part(lifted.cells.len(), repetition.map(|s| (s.from, s.to))) - 1);
    }
    let chains = || task.steps.iter().filter(|s| s.chain && s.until == Until::Once);
    if lifted.has_chains() {
        most = most.max(largest_part(lifted.cells.len(), chains().map(|s| (s.from, s.to))) - 1);
    }
    match lifted.chains {
        // A board that the man's cell determines need not be passed twice.
        Chains::Peaceful => (most, true),
        Chains::Capturing(men) => (most.max(men), true),
        Chains::Other => (most.max(lifted.cells.len()), false),
    }
}

/// The size of the largest part of the cells that these pairs join.
fn largest_part(cells: usize, pairs: impl Iterator<Item = (u8, u8)>) -> usize {
    let mut part: Vec<usize> = (0..cells).collect();
    for (a, b) in pairs {
        let (a, b) = (part[usize::from(a)], part[usize::from(b)]);
        part.iter_mut().filter(|p| **p == a).for_each(|p| *p = b);
    }
    let mut sizes = vec![0; cells];
    part.iter().for_each(|&p| sizes[p] += 1);
    sizes.into_iter().max().unwrap_or(1).max(2)
}

struct Writer<'a> {
    lifted: &'a Lifted<'a>,
    text: String,
}

impl Writer<'_> {
    fn schema(&mut self, schema: &Schema) {
        let cells: Vec<String> = (1..=schema.kind.places.len()).map(|c| format!("C{c}")).collect();
        let action = format!("{}({})", schema.name, cells.join(","));
        let line = format!("line_{}({})", schema.table + 1, cells.join(","));
        let all = self.lifted.all();
        let mut needs = Vec::new();
        for (cell, place) in cells.iter().zip(&schema.kind.places) {
            let letters: Vec<&str> = self.lifted.named(place.needs).collect();
            match letters[..] {
                _ if place.needs == all => {}
                [letter] => needs.push(format!("has({cell},{letter},I)")),
                _ => needs.push(format!("has({cell},X{cell},I), X{cell} = ({})", letters.join(";"))),
            }
        }
        if schema.kind.turn > 0 {
            needs.push(format!("side({},I)", schema.kind.turn));
        }
        let needs: String = needs.iter().map(|need| format!(", {need}")).collect();
        let _ = writeln!(self.text, "\ncan({action},I) :- time(I), I \\ k = 0, {line}{needs}.");
        for (cell, place) in cells.iter().zip(&schema.kind.places) {
            if let Some(new) = place.writes {
                let new = &self.lifted.letters[usize::from(new)];
                let _ = writeln!(self.text, "writes({action},{cell},{new}) :- {line}.");
            }
        }
        if let Some(mode) = schema.mode() {
            let (from, to) = (&cells[schema.kind.from], &cells[schema.kind.to]);
            let _ = writeln!(self.text, "goes({action},{mode},{to}) :- {line}.");
            if self.lifted.task.turns && schema.kind.chain {
                let _ = writeln!(self.text, "leaves({action},{from}) :- {line}.");
            }
            let on = format!("time(I), I \\ k != 0, on({mode},{from},I), {line}{needs}");
            let _ = writeln!(self.text, "next({action},I) :- {on}.");
            if schema.kind.until == Until::Blocked {
                let _ = writeln!(self.text, "must({action},I) :- next({action},I).");
            }
        }
    }
}

/// The program of rules and blocks.
pub(super) fn task(export: &Export, lifted: &Lifted) -> Result<Vec<ExportedFile>, String> {
    let task = lifted.task;
    if task.goals.is_empty() {
        return Err("the job has no goal: clingo has nothing to look for".into());
    }
    let (k, exact) = if lifted.has_long_moves() { longest(task, lifted) } else { (1, true) };
    let mut about = vec![if exact { ABOUT } else { ABOUT_SHORT }.to_string()];
    if lifted.has_long_moves() {
        about.push(match exact {
            true => "A move takes up to k points of time, one for each step; no move needs more steps.".into(),
            false => "A move takes up to k points of time, one for each step; here moves may have any number of steps."
                .into(),
        });
    }
    about.push(lifted.legend());
    let mut writer = Writer { lifted, text: export.head("%", &about) };
    let _ = write!(writer.text, "\n#const n = {}.\n#const k = {k}.\n{MOVES}{BOARD}", export.horizon());
    if lifted.has_long_moves() {
        writer.text += "\n% A man goes on within a move.\n{ do(A,I) : next(A,I) } <= 1 :- time(I), I \\ k != 0.\n";
        writer.text += "on(M,C,I+1) :- do(A,I), goes(A,M,C).\n";
        if lifted.schemas.iter().any(|schema| schema.kind.until == Until::Blocked) {
            writer.text += "{ do(A,I) : next(A,I) } >= 1 :- must(_,I).\n";
        }
    }
    if lifted.could_pass()? {
        writer.text += "% Nor does he come back to where the move began: that would be none.\n";
        writer.text += "began(C,I+1) :- do(A,I), I \\ k = 0, leaves(A,C).\n";
        writer.text += "began(C,I+1) :- began(C,I), time(I), I \\ k != 0.\n:- began(C,I), on(chaining,C,I).\n";
    }
    if task.turns {
        writer.text += "\nside(1+(I/k)\\2,I) :- time(I).\n";
    }
    for (number, table) in lifted.tables.iter().enumerate() {
        let row = |row: &Vec<u8>| row.iter().map(|&c| &*lifted.cells[usize::from(c)]).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = table.iter().map(|cells| format!("line_{}({}).", number + 1, row(cells))).collect();
        writer.text.push('\n');
        rows.chunks(6).for_each(|part| writer.text += &(part.join(" ") + "\n"));
    }
    lifted.schemas.iter().for_each(|schema| writer.schema(schema));
    starts(&mut writer);
    goals(&mut writer);
    writer.text += "\n#show do/2.\n";
    Ok(vec![ExportedFile { ending: ".lp", text: writer.text }])
}

fn starts(writer: &mut Writer) {
    let lifted = writer.lifted;
    let many = lifted.task.starts.len();
    writer.text += "\n% The start.\n";
    if many > 1 {
        let _ = writeln!(writer.text, "{{ start(1..{many}) }} = 1.");
    }
    for (number, start) in lifted.task.starts.iter().enumerate() {
        let from = if many > 1 { format!(" :- start({})", number + 1) } else { String::new() };
        let has =
            |(cell, &letter): (&String, &u8)| format!("has({cell},{},0){from}.", lifted.letters[usize::from(letter)]);
        let all: Vec<String> = lifted.cells.iter().zip(start).map(has).collect();
        all.chunks(6).for_each(|part| writer.text += &(part.join(" ") + "\n"));
    }
}

fn goals(writer: &mut Writer) {
    let lifted = writer.lifted;
    writer.text += "\n% The goal, at the end of a move.\n";
    for goal in &lifted.task.goals {
        let mut all = vec!["I = 0..n*k".to_string(), "I \\ k = 0".into()];
        for (number, &(cell, set)) in goal.cells.iter().enumerate() {
            let cell = &lifted.cells[usize::from(cell)];
            let letters: Vec<&str> = lifted.named(set).collect();
            match letters[..] {
                _ if set == lifted.all() => {}
                [letter] => all.push(format!("has({cell},{letter},I)")),
                _ => all.push(format!("has({cell},G{number},I), G{number} = ({})", letters.join(";"))),
            }
        }
        for &(set, count) in &goal.counts {
            if lifted.counters.contains(&set) {
                let letters: Vec<&str> = lifted.named(set).collect();
                all.push(format!("#count {{ C : has(C,({}),I) }} = {count}", letters.join(";")));
            }
        }
        let _ = writeln!(writer.text, "goal(I) :- {}.", all.join(", "));
    }
}

/// The program of a permutation puzzle.
pub(super) fn permutations(export: &Export, puzzle: &Permutations) -> Vec<ExportedFile> {
    let (called, legend) = move_names(puzzle);
    let about = [ABOUT.to_string(), "has(S,P,V,O,I): position P of set S has piece V in orientation O.".into(), legend];
    let mut text = export.head("%", &about);
    let _ = write!(text, "\n#const n = {}.\n#const k = 1.\n{MOVES}", export.horizon());
    text += "can(A,I) :- move(A), time(I), not over(I).\n";
    text += "\n% comes(A,S,P,F,T): after A position P has what F had, turned by T.\n";
    text += "has(S,P,V,(O+T)\\N,I+1) :- do(A,I), comes(A,S,P,F,T), has(S,F,V,O,I), oriented(S,V), orientations(S,N).\n";
    text += "has(S,P,V,0,I+1) :- do(A,I), comes(A,S,P,F,_), has(S,F,V,0,I), plain(S,V).\n";
    text += "has(S,P,V,O,I+1) :- do(A,I), stays(A,S,P), has(S,P,V,O,I).\n";
    text += "#defined oriented/2. #defined plain/2. #defined stays/3.\n\n";
    for (number, set) in puzzle.sets.iter().enumerate() {
        let s = number + 1;
        let _ = writeln!(text, "orientations({s},{}).", set.orientations);
        for (piece, kind) in set.pieces.iter().enumerate() {
            let _ = writeln!(text, "{}({s},{piece}).", if kind.oriented { "oriented" } else { "plain" });
        }
    }
    for (name, step) in called.iter().zip(&puzzle.moves) {
        let _ = write!(text, "\nmove({name}).");
        for (number, moved) in step.sets.iter().enumerate() {
            let s = number + 1;
            for (to, (&from, &turn)) in moved.from.iter().zip(&moved.turn).enumerate() {
                let _ = match usize::from(from) == to && turn == 0 {
                    true => write!(text, " stays({name},{s},{}).", to + 1),
                    false => write!(text, " comes({name},{s},{},{},{turn}).", to + 1, from + 1),
                };
            }
        }
    }
    let holds = |arrangement: &super::super::permutation::Arrangement, time: &str| -> Vec<String> {
        let mut all = Vec::new();
        for (number, there) in arrangement.iter().enumerate() {
            for (position, (piece, turn)) in there.pieces.iter().zip(&there.orientations).enumerate() {
                all.push(format!("has({},{},{piece},{turn},{time})", number + 1, position + 1));
            }
        }
        all
    };
    let _ = write!(text, "\n\n{}.\n", holds(&puzzle.start, "0").join(". "));
    let _ = writeln!(text, "goal(I) :- I = 0..n, {}.", holds(&puzzle.goal, "I").join(", "));
    text += "\n#show do/2.\n";
    vec![ExportedFile { ending: ".lp", text }]
}
