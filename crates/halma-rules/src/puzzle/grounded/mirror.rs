//! Mirrors: maps of cells and letters that map the starts to the states of the goal, and every move to a reversed move.
//! The levels from the goal are then the images of those from the start (`docs/proof.md`, Lemma 6a).

use std::collections::HashSet;

use super::{CellMap, GroundedTask, cell_maps};

impl GroundedTask {
    /// A mirror that takes classes under `fixing` to classes, if there is one among the linear maps of the board with the letters that
    /// a start and a goal ask for.
    #[must_use]
    pub fn mirror(&self, fixing: &[CellMap]) -> Option<CellMap> {
        if !self.has_inverse() {
            return None;
        }
        let goals = self.goal_states()?;
        let (starts, ends): (HashSet<&Vec<u8>>, HashSet<&Vec<u8>>) =
            (self.starts.iter().collect(), goals.iter().collect());
        if starts.len() != ends.len() {
            return None;
        }
        // Only maps that keep the grid take each push of a block to a push, also where some blocks stand still.
        let directions: &[(i32, i32)] = if self.bodies.is_empty() { &[] } else { &[(1, 0), (-1, 0), (0, 1), (0, -1)] };
        let cells = cell_maps(&self.board, directions);
        let maps = cells.iter().flat_map(|cells| goals.iter().filter_map(|goal| self.letters_between(cells, goal)));
        let is_mirror = |map: &CellMap| {
            starts.iter().all(|start| ends.contains(&map.image(start)))
                && self.keeps_blocks(map)
                && map.normalizes(fixing)
                && self.images_of_reversed_moves_are_moves(|step| self.image_of_step(map, step))
        };
        maps.into_iter().find(is_mirror)
    }

    /// Whether the image of every block of the starts is a block. Letters alone do not tell where a block cannot move.
    fn keeps_blocks(&self, map: &CellMap) -> bool {
        let body = |letter: u8, cell: usize| self.bodies.get(usize::from(letter)).map(|body| &body[cell][..]);
        let is_block = |(cell, &letter): (usize, &u8)| {
            let Some(others) = body(letter, cell) else { return true };
            let image = |&(c, l): &(u8, u8)| (map.cells[usize::from(c)], map.letters[usize::from(l)]);
            let mut images: Vec<(u8, u8)> = others.iter().chain([&(cell as u8, letter)]).map(image).collect();
            images.sort_unstable();
            body(images[0].1, usize::from(images[0].0)).is_some_and(|others| *others == images[1..])
        };
        self.starts.iter().all(|start| start.iter().enumerate().all(is_block))
    }

    /// The map with these cells that takes the first start to `goal`; letters that the start does not have stay what they are, as
    /// far as they can.
    fn letters_between(&self, cells: &[u8], goal: &[u8]) -> Option<CellMap> {
        let start = self.starts.first()?;
        let mut letters: Vec<Option<u8>> = vec![None; self.letters.len()];
        for (&cell, &letter) in cells.iter().zip(start) {
            let image = goal[usize::from(cell)];
            if *letters[usize::from(letter)].get_or_insert(image) != image {
                return None;
            }
        }
        for letter in 0..letters.len() as u8 {
            if letters[usize::from(letter)].is_none() {
                let free = |image: &u8| !letters.contains(&Some(*image));
                let image = Some(letter).filter(free).or_else(|| (0..letters.len() as u8).find(free))?;
                letters[usize::from(letter)] = Some(image);
            }
        }
        let letters = letters.into_iter().collect::<Option<Vec<u8>>>()?;
        let different: HashSet<u8> = letters.iter().copied().collect();
        (different.len() == letters.len()).then(|| CellMap { cells: cells.to_vec(), letters })
    }
}

impl CellMap {
    /// The map that undoes it.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let undone = |map: &[u8]| {
            let mut inverse = vec![0; map.len()];
            // Of 256 cells a counter of one byte would run over.
            map.iter().enumerate().for_each(|(entry, &image)| inverse[usize::from(image)] = entry as u8);
            inverse
        };
        Self { cells: undone(&self.cells), letters: undone(&self.letters) }
    }

    /// This map after `first`.
    fn after(&self, first: &Self) -> Self {
        let one = |then: &[u8], first: &[u8]| first.iter().map(|&entry| then[usize::from(entry)]).collect();
        Self { cells: one(&self.cells, &first.cells), letters: one(&self.letters, &first.letters) }
    }

    /// Whether it takes classes under a group of maps to classes.
    fn normalizes(&self, group: &[Self]) -> bool {
        let back = self.inverse();
        group.iter().all(|map| group.contains(&self.after(map).after(&back)))
    }
}

#[cfg(test)]
mod tests {
    use crate::puzzle::{Compiled, compile};

    /// The mirror of rules as its cells and the letters that it makes of the puzzle's own.
    fn mirror(table: &str) -> Option<(Vec<u8>, String, String)> {
        let spec = serde_json::from_str(&format!(r#"{{"kind": "rules", {table}}}"#)).unwrap();
        let Some(Compiled::Grounded(task)) = compile(&spec).unwrap() else { panic!("a puzzle on a board") };
        let map = task.mirror(&task.symmetries())?;
        let drawn: String = map.letters.iter().map(|&letter| task.letters[usize::from(letter)]).collect();
        Some((map.cells, task.letters.iter().collect(), drawn))
    }

    #[test]
    fn frogs_and_toads_are_mirrored_though_no_move_can_be_undone() {
        let right = |rule: &str| format!(r#"{{"rule": "{rule}", "directions": ["right"]}}"#);
        let left = |rule: &str| format!(r#"{{"rule": "{rule}", "directions": ["left"]}}"#);
        let all = [right("F . -> . F"), right("F T . -> . T F"), left("T . -> . T"), left("T F . -> . F T")];
        let table = |rules: &[String]| format!(r#""board": "FF.TT", "goal": "TT.FF", "rules": [{}]"#, rules.join(", "));
        // The row stays, frogs and toads change places; or the other way round.
        assert_eq!(mirror(&table(&all)), Some((vec![0, 1, 2, 3, 4], "FT.".into(), "TF.".into())));
        // If toads do not jump, they cannot change places with frogs, and the row is turned.
        assert_eq!(mirror(&table(&all[..3])), Some((vec![4, 3, 2, 1, 0], "FT.".into(), "FT.".into())));
        // Frogs that jump both ways, and do not step back.
        let both = [right("F . -> . F"), left("F T . -> . T F"), right("F T . -> . T F")];
        assert_eq!(mirror(&table(&both)).map(|map| map.0), Some(vec![4, 3, 2, 1, 0]));
        let upright = r#""board": "F..T", "goal": "T..F", "rules": ["F . -> . F", {"rule": "T . . -> . . T", "directions": ["right"]}]"#;
        assert_eq!(mirror(upright).map(|map| map.0), Some(vec![3, 2, 1, 0]));
        let lopsided = r#""board": "F..T", "goal": ".TF.", "rules": ["F . -> . F"]"#;
        assert_eq!(mirror(lopsided), None);
    }

    #[test]
    fn blocks_are_mirrored_by_maps_of_the_board_that_take_each_to_the_place_of_one() {
        let mirror = |board: &str, goal: &str, more: &str| {
            let table =
                format!(r#"{{"kind": "blocks", "board": "{board}", "goal": "{goal}", "metric": "step"{more}}}"#);
            let Some(Compiled::Grounded(task)) = compile(&serde_json::from_str(&table).unwrap()).unwrap() else {
                panic!("a puzzle on a board")
            };
            let map = task.mirror(&task.symmetries())?;
            let drawn = |letter: u8| task.letters[usize::from(letter)];
            let exchanged = (0..).zip(&map.letters).map(|(from, &to)| (drawn(from), drawn(to)));
            Some((map.cells.clone(), exchanged.filter(|(from, to)| from != to).collect::<Vec<_>>()))
        };
        // The row of the board turned round.
        assert_eq!(mirror("AA.B", "B.AA", ""), Some((vec![3, 2, 1, 0], vec![])));
        assert_eq!(mirror("AA.B", ".AAB", ""), None);
        // A lies, B stands: a diagonal makes one of the other, also where they move along themselves alone.
        let exchanged = vec![('A', 'B'), ('B', 'A'), ('A', 'B'), ('B', 'A')];
        let diagonal = vec![0, 3, 6, 1, 4, 7, 2, 5, 8];
        assert_eq!(mirror("AA.\\n..B\\n..B", "B..\\nB..\\n.AA", ""), Some((diagonal, exchanged.clone())));
        assert_eq!(mirror("AA.\\n..B\\n..B", "B..\\nB..\\nAA.", ""), None);
        let other = vec![15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0];
        let found = mirror("AA..\\n...B\\n...B\\n....", ".AA.\\n....\\n...B\\n...B", r#", "axis": true"#);
        assert_eq!(found, Some((other, exchanged)));
        // Turned round, the board has the letters of the goal, and A has become no block; both stand still.
        assert_eq!(mirror("AAB\\nABB\\nCC.", "AAB\\nABB\\n.CC", r#", "axis": true"#), None);
        // Not every cell is named.
        assert_eq!(mirror("AA.B", "??AA", ""), None);
    }

    #[test]
    fn the_complement_of_a_board_of_pegs_mirrors_jumps_and_not_chains() {
        let table = |chain: bool| {
            format!(
                r#""board": "PPP.P", "goal": {{"count": {{"P": 1}}, "at": "d1"}}, "rules": ["P P . -> . . P"], "chain": {chain}"#
            )
        };
        assert_eq!(mirror(&table(false)), Some((vec![0, 1, 2, 3, 4], "P.".into(), ".P".into())));
        assert_eq!(mirror(&table(true)), None);
    }

    #[test]
    fn tiles_are_renamed_if_the_blank_can_be_taken_to_its_place() {
        let table = |goal: &str| format!(r#""board": "8.\n54\n23", "goal": "{goal}", "rules": ["* . -> . *"]"#);
        assert!(mirror(&table("34\\n.2\\n85")).is_none());
        let (cells, from, to) = mirror(&table(".2\\n34\\n58")).unwrap();
        assert_eq!((cells, from.as_str(), to.as_str()), (vec![1, 0, 3, 2, 5, 4], "85423.", "24385."));
    }
}
