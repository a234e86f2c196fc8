//! The plain bounds and the search's say the same of positions of every kind.

use halma_bounds::game_bounds::{Name, Position, bound};
use halma_check::twins::GameBound;
use halma_rules::cells::Cells;
use halma_rules::game::Side;
use halma_rules::job::{Job, Problem};

/// splitmix64, below a limit.
fn random(seed: &mut u64, below: usize) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *seed;
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((u128::from(x ^ x >> 31) * below as u128) >> 64) as usize
}

/// An army with about that share of its men on `goal` (in percent), and the others where nobody of `taken` is.
fn army_near(goal: &[usize], share: usize, cells: usize, taken: &[usize], seed: &mut u64) -> Vec<usize> {
    let free = |c: &usize, army: &[usize]| !taken.contains(c) && !army.contains(c);
    let mut army: Vec<usize> = Vec::new();
    for &cell in goal {
        if free(&cell, &[]) && random(seed, 100) < share {
            army.push(cell);
        }
    }
    while army.len() < goal.len() {
        let cell = random(seed, cells);
        if free(&cell, &army) {
            army.push(cell);
        }
    }
    army
}

/// How many positions each bound admits and cuts, the two implementations agreeing.
fn compared(spec: &str, rounds: usize, seed: &mut u64) -> [[usize; 2]; 10] {
    let job = Job::parse("g.toml".as_ref(), &format!("[problem]\nkind = 'game'\n{spec}\n")).unwrap();
    let Problem::Game(game) = &job.problem else { panic!("a game") };
    let cells = game.lattice.len();
    let small = |cells: &[usize]| cells.iter().map(|&c| c as u8).collect::<Vec<u8>>();
    let (blue, red) = (small(&game.blue), small(&game.red));
    let mut seen = [[0; 2]; 10];
    for side in [Side::Blue, Side::Red] {
        let winner = usize::from(side == Side::Red);
        let bounds = Name::ALL.map(|name| {
            let plain = GameBound::new(&job.spec, [&blue, &red], winner, name).unwrap();
            (plain, bound::<4>(name, game, side), name)
        });
        let goals = [&game.red, &game.blue];
        for _ in 0..rounds {
            let (first, second) = (random(seed, 110), random(seed, 110));
            let mine = army_near(goals[winner], first, cells, &[], seed);
            let theirs = army_near(goals[1 - winner], second, cells, &mine, seed);
            let outside = mine.iter().filter(|c| !goals[winner].contains(c)).count();
            // From one move too few for count to much slack, either side to move.
            let remaining = (2 * outside + random(seed, 8)).saturating_sub(3) as u32;
            let mut armies = [small(&mine), small(&theirs)];
            if winner == 1 {
                armies.swap(0, 1);
            }
            let set = |army: &[usize]| army.iter().copied().collect::<Cells<4>>();
            let position = Position { winner: set(&mine), loser: set(&theirs), remaining };
            for (number, (plain, fast, name)) in bounds.iter().enumerate() {
                let said = plain.admits(&armies, remaining);
                assert_eq!(said, fast.admits(&position), "{name:?}, {side:?} wins, {spec}: {position:?}");
                seen[number][usize::from(said)] += 1;
            }
        }
    }
    seen
}

#[test]
fn plain_bounds_agree_with_the_search_s() {
    let named = |board, moves, army| format!("board = '{board}'\nmoves = {moves}\narmy = '{army}'");
    let mut games = vec![
        (named("9x9", 6, "triangle-4"), 2000),
        (named("9x9", 8, "square-3"), 2000),
        (named("9x9", 4, "triangle-3"), 2000),
        (named("9x9", 6, "triangle-5"), 2000),
        (named("8x8", 8, "triangle-3"), 2000),
        (named("16x16", 8, "halma-19"), 400),
    ];
    // Bases side by side, on rows that hold both, and with holes between.
    for drawn in ["S..T\nS..T\n....", "SS....\nS.#...\n..#..T\n....TT", ".....\nSS..T\nS..TT\n....."] {
        games.extend([4, 6, 8].map(|moves| (format!("board = \"\"\"\n{drawn}\n\"\"\"\nmoves = {moves}"), 500)));
    }
    let mut seed = 1;
    let seen: Vec<_> = games.iter().map(|(spec, rounds)| compared(spec, *rounds, &mut seed)).collect();
    for (number, name) in Name::ALL.into_iter().enumerate() {
        let sum = |said: usize| seen.iter().map(|s| s[number][said]).sum::<usize>();
        assert!(sum(0) > 100 && sum(1) > 100, "{name:?}: {} cut, {} admitted", sum(0), sum(1));
    }
}
