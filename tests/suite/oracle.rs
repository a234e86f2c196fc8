//! What is true of small problems, from the rules alone: every position that can be reached, move by move. It shares nothing
//! with the search, nor with `halma check`; boards have at most 25 cells, an army is a set of bits.

use std::collections::HashMap;

use halma_record::record::Record;
use halma_rules::job::ProblemSpec;

/// A map's cells, what is one step away, and what a jump leads to.
pub struct Rules {
    pub cells: usize,
    pub start: u32,
    pub target: u32,
    steps: Vec<Vec<usize>>,
    jumps: Vec<Vec<(usize, usize)>>,
    jumps_only: bool,
}

/// The number of the cell of that name on a map.
fn cell_of(map: &str, name: &str) -> usize {
    let (column, row) = (usize::from(name.as_bytes()[0] - b'a'), name[1..].parse::<usize>().unwrap() - 1);
    let before: String = map.lines().take(row).collect();
    let own: String = map.lines().nth(row).unwrap().chars().take(column).collect();
    (before + &own).chars().filter(|letter| *letter != '#').count()
}

impl Rules {
    /// A map of `.`, `S`, `T`, `B` and `#`.
    pub fn new(map: &str, moves: u32, jumps_only: bool) -> Self {
        let mut letters = HashMap::new();
        let mut places = Vec::new();
        for (y, row) in map.lines().enumerate() {
            for (x, letter) in row.chars().enumerate().filter(|(_, letter)| *letter != '#') {
                letters.insert((x as i32, y as i32), (places.len(), letter));
                places.push((x as i32, y as i32));
            }
        }
        assert!(places.len() <= 25);
        let mut directions = vec![(0, 1), (1, 0), (0, -1), (-1, 0)];
        directions.extend([(1, -1), (-1, 1)].iter().filter(|_| moves >= 6));
        directions.extend([(1, 1), (-1, -1)].iter().filter(|_| moves == 8));
        let at = |x, y| letters.get(&(x, y)).map(|&(cell, _): &(usize, char)| cell);
        let steps = |&(x, y): &(i32, i32)| directions.iter().filter_map(|(dx, dy)| at(x + dx, y + dy)).collect();
        let jumps = |&(x, y): &(i32, i32)| {
            let jump = |&(dx, dy): &(i32, i32)| Some((at(x + dx, y + dy)?, at(x + 2 * dx, y + 2 * dy)?));
            directions.iter().filter_map(jump).collect()
        };
        let set = |mark| letters.values().filter(|(_, l)| *l == mark || *l == 'B').map(|(cell, _)| 1 << cell).sum();
        Self {
            cells: places.len(),
            start: set('S'),
            target: set('T'),
            steps: places.iter().map(steps).collect(),
            jumps: places.iter().map(jumps).collect(),
            jumps_only,
        }
    }

    /// The rules and the ends that a record's problem states.
    pub fn of_stated(stated: &ProblemSpec, moves: u32) -> Self {
        let map = stated.armies().unwrap().map.as_ref().unwrap();
        let mut rules = Self::new(map, moves, stated.armies().unwrap().jumps_only);
        let set = |names: &[String]| names.iter().map(|name| 1 << cell_of(map, name)).sum();
        (rules.start, rules.target) = (set(&stated.armies().unwrap().start), set(&stated.armies().unwrap().target));
        rules
    }

    /// Whether the solution of a transfer's record goes from the start to the target, each move as the rules allow.
    pub fn plays(&self, record: &Record) -> bool {
        let Some((map, solution)) = record.problem.armies().unwrap().map.as_ref().zip(record.solution.as_ref()) else {
            return false;
        };
        let mut army = self.start;
        for written in solution {
            let ends = [written.split('-').next(), written.rsplit('-').next()];
            let moved = army ^ ends.map(|name| 1u32 << cell_of(map, name.unwrap())).into_iter().sum::<u32>();
            if !self.after(army, 0).contains(&moved) {
                return false;
            }
            army = moved;
        }
        army == self.target && record.length == Some(solution.len() as u32)
    }

    /// The armies that one move of a man of `army` leads to, `others` standing around.
    pub fn after(&self, army: u32, others: u32) -> Vec<u32> {
        let mut after = Vec::new();
        for from in (0..self.cells).filter(|cell| army >> cell & 1 != 0) {
            let rest = army & !(1 << from);
            let (mut reached, mut waiting) = (0u32, vec![from]);
            while let Some(here) = waiting.pop() {
                for &(over, land) in &self.jumps[here] {
                    let free = (rest | others | reached) >> land & 1 == 0 && land != from;
                    if (rest | others) >> over & 1 != 0 && free {
                        reached |= 1 << land;
                        waiting.push(land);
                    }
                }
            }
            if !self.jumps_only {
                let free = self.steps[from].iter().filter(|&&to| (rest | others) >> to & 1 == 0);
                reached |= free.fold(0, |set, to| set | 1 << to);
            }
            after.extend((0..self.cells).filter(|to| reached >> to & 1 != 0).map(|to| rest | 1 << to));
        }
        after
    }

    /// Of every army that can be reached how many moves that takes, and in how many ways.
    fn armies(&self) -> HashMap<u32, (u32, u128)> {
        let mut found = HashMap::from([(self.start, (0, 1))]);
        let mut level = vec![self.start];
        for depth in 1.. {
            let mut next = Vec::new();
            for army in level {
                let ways = found[&army].1;
                for after in self.after(army, 0) {
                    let entry = found.entry(after).or_insert_with(|| {
                        next.push(after);
                        (depth, 0)
                    });
                    if entry.0 == depth {
                        entry.1 += ways;
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        found
    }

    /// The moves of a shortest transfer, and how many of these there are.
    pub fn transfer(&self) -> Option<(u32, u128)> {
        self.armies().get(&self.target).copied()
    }

    /// The moves of a shortest transfer whose second half is the first one, mirrored and reversed.
    pub fn palindrome(&self, mirror: &[u8]) -> Option<u32> {
        let image = |army: u32| (0..self.cells).filter(|c| army >> c & 1 != 0).map(|c| 1 << mirror[c]).sum::<u32>();
        let own = |(&army, &(depth, _)): (&u32, &(u32, u128))| {
            let mirrored = image(army);
            let moves = self.after(army, 0).contains(&mirrored);
            [(mirrored == army).then_some(2 * depth), moves.then_some(2 * depth + 1)].into_iter().flatten().min()
        };
        self.armies().iter().filter_map(own).min()
    }

    /// The moves of both sides in a shortest game: whoever fills the other's base first wins, blue (at `S`) moves first.
    pub fn game(&self) -> Option<u32> {
        let first = ([self.start, self.target], 0usize);
        let mut seen = HashMap::from([(first, ())]);
        let mut level = vec![first];
        for depth in 1.. {
            let mut next = Vec::new();
            for (armies, turn) in level {
                for after in self.after(armies[turn], armies[1 - turn]) {
                    let mut armies = armies;
                    armies[turn] = after;
                    if after == [self.target, self.start][turn] {
                        return Some(depth);
                    }
                    if seen.insert((armies, 1 - turn), ()).is_none() {
                        next.push((armies, 1 - turn));
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        None
    }
}

#[test]
fn the_oracle_knows_what_the_referee_derives() {
    let text = std::fs::read_to_string("tests/shortest.txt").unwrap();
    let mut compared = 0;
    for line in text.lines().filter(|line| !line.starts_with("# ")) {
        let [map, moves, start, target, jumps_only, length, sequences, ..] = line.split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let mut rules = Rules::new(&map.replace('/', "\n"), moves.parse().unwrap(), jumps_only == "true");
        let drawn = map.replace('/', "\n");
        let set = |names: &str| names.split(',').map(|name| 1 << cell_of(&drawn, name)).sum();
        (rules.start, rules.target) = (set(start), set(target));
        let found = rules.transfer().map_or(("none".into(), "0".into()), |(l, n)| (l.to_string(), n.to_string()));
        assert_eq!(found.0, length, "{line}");
        if length != "none" {
            assert_eq!(found.1, sequences, "{line}");
        }
        compared += 1;
    }
    assert!(compared > 40);
}
