//! Solutions of puzzles as text: blocks in the letters of the puzzle's own board, and moves as people say them.

use halma_puzzles::own::replay::PuzzleReplay;

use super::joined::{self, Piece};

/// The states one after another, each under its move; of permutations and of puzzles in Rust as the puzzle writes them.
#[must_use]
pub(crate) fn solution(replay: &PuzzleReplay) -> String {
    let PuzzleReplay { spec, pictures, .. } = replay;
    if !joined::speaks(spec) {
        return replay.draw();
    }
    let positions: Vec<Vec<Vec<char>>> = pictures.iter().map(|picture| joined::rows(picture)).collect();
    let shapes = joined::shapes(spec, &positions[0]);
    let named = joined::board_of_blocks(spec);
    let mut text = String::new();
    let mut last: Option<(Vec<Piece>, Vec<Piece>)> = None;
    for (number, position) in positions.iter().enumerate() {
        let pieces = joined::pieces(position, &shapes);
        let (own, caption) = match &last {
            Some((before, own_before)) => {
                let own = joined::followed(before, own_before, &pieces);
                let caption = joined::said(own_before, &own, false);
                (own, format!("\n{number}. {caption}"))
            }
            None => (in_letters_of(named.as_deref(), &pieces), "start".into()),
        };
        text += &format!("{caption}\n{}\n", drawn(position, &own));
        last = Some((pieces, own));
    }
    text
}

/// The pieces of the start in the letters of the file, where its blocks have names.
fn in_letters_of(board: Option<&[Vec<char>]>, pieces: &[Piece]) -> Vec<Piece> {
    let own = |piece: &Piece| board.and_then(|board| joined::letter_at(board, piece.cells[0])).unwrap_or(piece.letter);
    pieces.iter().map(|piece| Piece { letter: own(piece), cells: piece.cells.clone() }).collect()
}

/// The position, each piece in its letter.
fn drawn(position: &[Vec<char>], pieces: &[Piece]) -> String {
    let mut rows = position.to_vec();
    for piece in pieces {
        for &(x, y) in &piece.cells {
            rows[y as usize][x as usize] = piece.letter;
        }
    }
    rows.into_iter().map(|row| row.into_iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use halma_rules::job::{Job, ProblemSpec};

    use super::*;

    fn replay(problem: &str, pictures: &[&str]) -> PuzzleReplay {
        let job = Job::parse("a.toml".as_ref(), &format!("[problem]\n{problem}")).unwrap();
        let ProblemSpec::Puzzle(spec) = job.spec else { unreachable!() };
        let pictures: Vec<String> = pictures.iter().map(|&picture| picture.into()).collect();
        PuzzleReplay { spec, moves: vec![String::new(); pictures.len() - 1], pictures }
    }

    #[test]
    fn blocks_of_one_shape_keep_the_letters_of_their_board() {
        let problem = "kind = \"blocks\"\nboard = \"\"\"\nAAB\nAAB\nCDE\nC..\n\"\"\"\ngoal = \"\"\"\n???\n???\n?A?\n???\n\"\"\"\nmetric = \"step\"\n";
        let replay = replay(problem, &["AAB\nAAB\nBDD\nB..", "AAB\nAAB\nBD.\nB.D", "AAB\nAAB\nB.D\nB.D"]);
        assert_eq!(
            solution(&replay),
            "start\nAAB\nAAB\nCDE\nC..\n\n1. E c3 → c4\nAAB\nAAB\nCD.\nC.E\n\n2. D b3 → c3\nAAB\nAAB\nC.D\nC.E\n"
        );
    }

    #[test]
    fn men_of_rules_go_from_cell_to_cell() {
        let problem = "kind = \"rules\"\nboard = \"A..\"\nrules = [\"A . -> . A\"]\ngoal = \"??A\"\n";
        let replay = replay(problem, &["A..", ".A.", "..A"]);
        assert_eq!(solution(&replay), "start\nA..\n\n1. A a1 → b1\n.A.\n\n2. A b1 → c1\n..A\n");
    }
}
