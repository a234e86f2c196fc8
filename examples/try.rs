use halma::army;
use halma::board::Board;
use halma::lattice::{Lattice, Rule};
use halma::problem::{self, Transfer};
use halma::search::{Expander, Stop};
use halma::solve::*;
struct P(bool);
impl Progress for P {
    fn level(&self, f: &LevelFigures) {
        if self.0 {
            println!(
                "   {:?} {} states {} gen {} pruned {} dup {} old {} max {:?} {:.3}s {:.2}B",
                f.side,
                f.depth,
                f.tally.states,
                f.tally.generated,
                f.tally.pruned,
                f.tally.duplicates,
                f.tally.old,
                f.tally.measure_max,
                f.seconds,
                f.bytes as f64 / f.tally.states as f64
            )
        }
    }
    fn note(&self, t: &str) {
        println!("  note {t}")
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rule = Rule::try_from(a[2].parse::<u8>().unwrap()).unwrap();
    let board = &a[1];
    let army_ = &a[3];
    let jumps_only = a[4] == "j";
    let method = match &a[5][..] {
        "none" => Pruning::None,
        "t1" => Pruning::Theorem1,
        "mcc" => Pruning::Mcc { c: None, keep: 100000 },
        "mcc5" => Pruning::Mcc { c: Some(5), keep: 0 },
        "mcc4" => Pruning::Mcc { c: Some(4), keep: 0 },
        "pattern" => Pruning::Pattern,
        "leading" => Pruning::Leading,
        "narrowed" => Pruning::Narrowed,
        "trunc" => Pruning::Truncate { keep: 100000, beta: 2 },
        _ => panic!(),
    };
    let from: u32 = a[6].parse().unwrap();
    let to: u32 = a[7].parse().unwrap();
    let verbose = a.get(8).is_some();
    let lattice = Lattice::new(Board::named(board).unwrap(), rule);
    let start = army::named(army_, &lattice.board).unwrap().unwrap();
    let target = problem::mirrored(&lattice, &start).unwrap();
    let problem = Transfer { lattice, start, target, jumps_only };
    let expander = Expander::new(2).unwrap();
    let stop = Stop::after(None);
    let p = P(verbose);
    let t = std::time::Instant::now();
    let mut s = TransferSearch::<2, u64>::new(&problem, method, a[4] == "p", true, 400_000_000, (&expander, &stop, &p))
        .unwrap();
    let lb = s.lower_bound().unwrap();
    println!("lower bound {lb} at {:.2}", t.elapsed().as_secs_f64());
    for l in lb.max(from)..=to {
        let at = s.attempt(l);
        let g: u64 = at.levels.iter().map(|f| f.tally.generated).sum();
        let m = at.levels.iter().map(|f| f.tally.states).max().unwrap_or(0);
        println!(
            "L={l} {} {:.3}s gen {g} max {m} c {:?}",
            match &at.answer {
                Answer::Found(w) => format!("FOUND {}", w.len() - 1),
                o => format!("{o:?}"),
            },
            at.seconds,
            at.c
        );
        if matches!(at.answer, Answer::Found(_) | Answer::Exhausted) {
            break;
        }
    }
    println!("total {:.2}", t.elapsed().as_secs_f64());
}
