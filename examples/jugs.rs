//! A puzzle in Rust with the whole command line: `cargo run --release --example jugs -- solve examples/jugs.toml`.

use halma::OwnPuzzle;

/// Water is poured between jugs until one of them holds what is wanted.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Jugs {
    sizes: Vec<u64>,
    wanted: u64,
}

impl OwnPuzzle for Jugs {
    type Key = u64;

    fn starts(&self) -> Vec<u64> {
        vec![0]
    }

    fn after(&self, state: u64, out: &mut Vec<u64>) {
        let held: Vec<u64> = (0..self.sizes.len()).map(|jug| state >> (8 * jug) & 255).collect();
        let with = |state: u64, jug: usize, amount: u64| state & !(255 << (8 * jug)) | amount << (8 * jug);
        for (from, &size) in self.sizes.iter().enumerate() {
            out.extend([with(state, from, 0), with(state, from, size)]);
            for to in (0..held.len()).filter(|&to| to != from) {
                let poured = held[from].min(self.sizes[to] - held[to]);
                out.push(with(with(state, from, held[from] - poured), to, held[to] + poured));
            }
        }
    }

    fn is_goal(&self, state: u64) -> bool {
        (0..self.sizes.len()).any(|jug| state >> (8 * jug) & 255 == self.wanted)
    }
}

fn main() -> std::process::ExitCode {
    halma::app().kind::<Jugs>("jugs").run()
}
