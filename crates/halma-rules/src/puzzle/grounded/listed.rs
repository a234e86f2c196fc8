//! Lists the states of a goal, if its conditions leave one letter for each cell: bounds propagation on the numbers of
//! letters. For blocks, if it names every cell of every block.

use super::{GoalCondition, GroundedTask, Letters};

/// What a goal's conditions leave.
enum Left {
    /// One state.
    One(Vec<u8>),
    /// None.
    Nothing,
    /// More than one, perhaps.
    Open,
}

impl GroundedTask {
    /// All states that satisfy the goal, where its conditions, with numbers of letters that no step changes, leave one letter for each
    /// cell, or say where every block stands; `None` where one of the goals leaves something open.
    #[must_use]
    pub fn goal_states(&self) -> Option<Vec<Vec<u8>>> {
        if self.turns {
            return None;
        }
        let (kept, mut all) = (self.kept(), Vec::new());
        for goal in &self.goals {
            let left = if self.bodies.is_empty() { self.left(goal, &kept) } else { self.placed(goal) };
            match left {
                Left::One(state) => all.push(state),
                Left::Nothing => {}
                Left::Open => return None,
            }
        }
        all.sort_unstable();
        all.dedup();
        (!all.is_empty()).then_some(all)
    }

    /// Whether the conditions of a goal, with numbers of letters that no step changes, are seen to leave no state.
    #[must_use]
    pub fn contradicts(&self, goal: &GoalCondition) -> bool {
        matches!(self.left(goal, &self.kept()), Left::Nothing)
    }

    /// How many cells have each letter in every state, where steps keep that.
    fn kept(&self) -> Vec<(Letters, u32)> {
        // Of blocks a state with the right numbers of parts may still be none.
        let counts = self.counts().filter(|_| self.bodies.is_empty()).unwrap_or_default();
        counts.iter().enumerate().map(|(letter, &n)| (1 << letter, n)).collect()
    }

    /// What a goal leaves of blocks: one state, or none, if each block has a letter of its own and the goal names all of its
    /// cells.
    fn placed(&self, goal: &GoalCondition) -> Left {
        let empty = self.letters.len() as u8 - 1;
        let mut state = vec![empty; self.board.len()];
        let alone = |letter: usize| {
            let number = |start: &Vec<u8>| start.iter().filter(|&&other| usize::from(other) == letter).count();
            self.starts.iter().all(|start| number(start) == 1)
        };
        for letter in 0..self.ranked {
            // Blocks that are alike, as in an abstraction, share a letter: the goal may name some of them.
            if !alone(letter) {
                return Left::Open;
            }
            let body = self.bodies[letter].iter().max_by_key(|body| body.len()).map_or(&[][..], |body| body);
            let letters = body.iter().fold(1 << letter, |all: Letters, &(_, part)| all | 1 << part);
            let cells: Vec<u8> = goal.cells.iter().filter(|&&(_, set)| set == letters).map(|&(cell, _)| cell).collect();
            if cells.len() != body.len() + 1 {
                return Left::Open;
            }
            for (&cell, part) in cells.iter().zip([letter as u8].into_iter().chain(body.iter().map(|&(_, part)| part)))
            {
                state[usize::from(cell)] = part;
            }
            let stands = self.bodies[letter][usize::from(cells[0])].iter().map(|&(cell, _)| cell);
            if !stands.eq(cells[1..].iter().copied()) {
                return Left::Nothing;
            }
        }
        if goal.holds(&state) { Left::One(state) } else { Left::Nothing }
    }

    fn left(&self, goal: &GoalCondition, kept: &[(Letters, u32)]) -> Left {
        let mut allowed: Vec<Letters> = vec![self.all_letters(); self.board.len()];
        goal.cells.iter().for_each(|&(cell, set)| allowed[usize::from(cell)] &= set);
        loop {
            let before = allowed.clone();
            for &(set, number) in goal.counts.iter().chain(kept) {
                let only = allowed.iter().filter(|&&letters| letters & !set == 0).count();
                let perhaps = allowed.iter().filter(|&&letters| letters & set != 0).count();
                let number = number as usize;
                if only > number || perhaps < number {
                    return Left::Nothing;
                }
                for letters in &mut allowed {
                    let (inside, outside) = (*letters & set, *letters & !set);
                    match (inside, outside) {
                        (0, _) | (_, 0) => {}
                        _ if only == number => *letters = outside,
                        _ if perhaps == number => *letters = inside,
                        _ => {}
                    }
                }
            }
            if allowed.contains(&0) {
                return Left::Nothing;
            }
            if allowed == before {
                break;
            }
        }
        match allowed.iter().all(|letters| letters.count_ones() == 1) {
            true => Left::One(allowed.iter().map(|letters| letters.trailing_zeros() as u8).collect()),
            false => Left::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::puzzle::{Compiled, compile};

    fn listed(table: &str) -> Option<Vec<String>> {
        let spec = serde_json::from_str(table).unwrap();
        let Some(Compiled::Grounded(task)) = compile(&spec).unwrap() else { panic!("a puzzle on a board") };
        let states = task.goal_states()?;
        Some(states.iter().map(|state| task.picture(state)).collect())
    }

    fn goal(rule: &str, goal: &str) -> Option<Vec<String>> {
        listed(&format!(r#"{{"kind": "rules", "board": "AAB.C.", "rules": ["{rule}"], "goal": {goal}}}"#))
    }

    #[test]
    fn a_goal_of_blocks_lists_its_state_where_it_names_every_cell_of_each() {
        let goal = |goal: &str| {
            listed(&format!(r#"{{"kind": "blocks", "board": "AAB\n..B\n...", "metric": "step", "goal": {goal}}}"#))
        };
        assert_eq!(goal(r#""B..\nB..\n.AA""#), Some(vec!["B..\nB..\n.AA".into()]));
        assert_eq!(goal(r#""B??\nB??\n?AA""#), Some(vec!["B..\nB..\n.AA".into()]));
        assert_eq!(goal(r#"["B??\nB??\n?AA", "?B?\n?B?\nAA?"]"#).map(|all| all.len()), Some(2));
        assert_eq!(goal(r#""B..\n?..\n.AA""#), None);
        assert_eq!(goal(r#""???\n???\n?AA""#), None);
        // Two blocks of one shape, of which the goal names one.
        let alike = |goal: &str| {
            listed(&format!(r#"{{"kind": "blocks", "board": "AB.", "metric": "step", "goal": "{goal}"}}"#))
        };
        assert_eq!((alike(".AB"), alike(".A?")), (Some(vec![".AB".into()]), None));
    }

    #[test]
    fn a_goal_lists_its_states_where_counting_leaves_one_letter_a_cell() {
        let one = |state: &str| Some(vec![state.to_string()]);
        // Numbers of letters are kept: what is not said can only be empty.
        assert_eq!(goal("* . -> . *", r#""?CB?AA""#), one(".CB.AA"));
        assert_eq!(goal("* . -> . *", r#"{"at": {"a1": "C", "b1": "B", "c1": ".", "d1": "."}}"#), one("CB..AA"));
        assert_eq!(goal("* . -> . *", r#"["?CB?AA", "AAB.C."]"#).map(|all| all.len()), Some(2));
        assert_eq!(goal("* . -> . *", r#""?CB?A?""#), None);
        assert_eq!(goal("* . -> . *", r#"["?CB?A?", "AAB.C."]"#), None);
        // They are not: only what is said counts.
        assert_eq!(goal("A . -> A A", r#""?CB?AA""#), None);
        assert_eq!(goal("A . -> A A", r#"{"count": {"A": 6}}"#), one("AAAAAA"));
        assert_eq!(goal("A A . -> . . A", r#"{"count": {"*": 1}, "at": {"c1": "A"}}"#), one("..A..."));
    }
}
