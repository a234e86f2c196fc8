//! Boards and armies, written from the rules page: cells, steps, jumps.

use halma_record::job::Rule;
use halma_record::job::{ArmiesSpec, Army};

/// A board under a rule, as tables.
#[derive(Debug)]
pub(super) struct Board {
    /// (column, row) by cell; cells are numbered row by row.
    pub places: Vec<(i32, i32)>,
    /// Directions as (columns to the right, rows down).
    pub directions: Vec<(i32, i32)>,
    /// By cell: the cells one step away.
    pub steps: Vec<Vec<u8>>,
    /// By cell: what can be jumped over, and where that leads.
    pub jumps: Vec<Vec<(u8, u8)>>,
}

/// The places of a named board.
fn named(name: &str) -> Option<Vec<(i32, i32)>> {
    let all = |width: i32, height: i32| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
    Some(match name {
        "9x9" => all(9, 9).collect(),
        "8x8" => all(8, 8).collect(),
        "16x16" => all(16, 16).collect(),
        // The dark squares (rank r, file f, r + f even) of a checkers board, turned by 45 degrees: r and f are the sum and
        // the difference of column and row, shifted so that every square is on the page.
        "checkers-32" => {
            let on = |v: i32| (0..8).contains(&v);
            all(8, 7).filter(|(x, y)| on(x + y - 3) && on(x - y + 3)).collect()
        }
        // Two large triangles: each bounds u, v and w = -u-v on one side.
        "star-121" => {
            let cube = |(x, y): (i32, i32)| [x - 8, y - 8, 16 - x - y];
            let on = |&place: &(i32, i32)| {
                let cube = cube(place);
                cube.into_iter().all(|c| c >= -4) || cube.into_iter().all(|c| c <= 4)
            };
            all(17, 17).filter(on).collect()
        }
        _ => return None,
    })
}

/// The rows of a map; blank lines around it do not count.
pub(super) fn rows(map: &str) -> Vec<Vec<char>> {
    let mut rows: Vec<Vec<char>> = map.lines().map(|row| row.trim_end().chars().collect()).collect();
    while rows.last().is_some_and(Vec::is_empty) {
        rows.pop();
    }
    rows.into_iter().skip_while(Vec::is_empty).collect()
}

/// The rows of a map of armies: a letter for each cell, `#` for places without one.
fn drawn(map: &str) -> Result<Vec<Vec<char>>, String> {
    let rows = rows(map);
    let width = rows.first().map_or(0, Vec::len);
    let sound = |row: &Vec<char>| row.len() == width && row.iter().all(|letter| ".STB#".contains(*letter));
    match rows.iter().all(sound) && width.max(rows.len()) <= 256 {
        true => Ok(rows),
        false => Err("problem.map: rows of other lengths, other letters, or too many".into()),
    }
}

impl Board {
    /// The board of a stated problem.
    pub fn of(stated: &ArmiesSpec) -> Result<Self, String> {
        let places = match &stated.map {
            None => named(&stated.board).ok_or_else(|| format!("problem.board: `{}` is no board", stated.board))?,
            Some(_) if stated.board != "map" => {
                return Err(format!("problem.board: `{}`, and a map beside it", stated.board));
            }
            Some(map) => {
                let drawn = drawn(map)?.into_iter().enumerate();
                let row = |(y, row): (usize, Vec<char>)| {
                    let cells = row.into_iter().enumerate().filter(|(_, letter)| *letter != '#');
                    cells.map(move |(x, _)| (x as i32, y as i32)).collect::<Vec<_>>()
                };
                drawn.flat_map(row).collect()
            }
        };
        if places.is_empty() || places.len() > 256 {
            return Err(format!("problem.map: {} cells", places.len()));
        }
        // One of each opposite pair after the other.
        let mut directions = vec![(1, 0), (-1, 0), (0, 1), (0, -1)];
        if matches!(stated.moves, Rule::Six | Rule::Eight) {
            directions.extend([(1, -1), (-1, 1)]);
        }
        if matches!(stated.moves, Rule::Eight) {
            directions.extend([(1, 1), (-1, -1)]);
        }
        let cell = |place: (i32, i32)| places.iter().position(|&p| p == place).map(|c| c as u8);
        let (mut steps, mut jumps) = (Vec::new(), Vec::new());
        for &(x, y) in &places {
            let next = |n: i32| move |&(dx, dy): &(i32, i32)| (x + n * dx, y + n * dy);
            steps.push(directions.iter().filter_map(|d| cell(next(1)(d))).collect());
            jumps.push(directions.iter().filter_map(|d| Some((cell(next(1)(d))?, cell(next(2)(d))?))).collect());
        }
        Ok(Self { places, directions, steps, jumps })
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A cell's name: column letter and row number; columns after `z` are `aa`, `ab`, ...
    pub fn name(&self, cell: u8) -> String {
        let (mut column, row) = self.places[usize::from(cell)];
        let mut letters = Vec::new();
        while column >= 0 {
            letters.insert(0, char::from(b'a' + (column % 26) as u8));
            column = column / 26 - 1;
        }
        format!("{}{}", letters.into_iter().collect::<String>(), row + 1)
    }

    /// The cell of that name.
    pub fn cell(&self, name: &str) -> Result<u8, String> {
        // Records may have millions of names: their places are computed, and no table of names is made.
        let (letters, digits) = name.split_at(name.bytes().take_while(u8::is_ascii_lowercase).count());
        let letter = |column: i32, letter: u8| column.checked_mul(26)?.checked_add(i32::from(letter - b'a') + 1);
        let column = letters.bytes().try_fold(0, letter);
        let place = column.zip(digits.parse::<i32>().ok()).map(|(column, row)| (column - 1, row.wrapping_sub(1)));
        let found = self.places.iter().position(|&p| Some(p) == place).map(|c| c as u8);
        found.filter(|&c| self.name(c) == name).ok_or_else(|| format!("{name} is no cell of the board"))
    }

    /// The cells of these names, ascending.
    pub fn army(&self, names: &[String]) -> Result<Vec<u8>, String> {
        if names.len() > self.len() {
            return Err(format!("{} cells are named, and the board has {}", names.len(), self.len()));
        }
        let mut cells = names.iter().map(|n| self.cell(n)).collect::<Result<Vec<_>, _>>()?;
        cells.sort_unstable();
        match cells.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("{} comes twice", self.name(pair[0]))),
            None => Ok(cells),
        }
    }

    /// Names of cells, for messages.
    pub fn names(&self, cells: &[u8]) -> String {
        cells.iter().map(|&c| self.name(c)).collect::<Vec<_>>().join(" ")
    }

    /// The cells of an army in the words of a job.
    pub fn stated_army(&self, stated: &ArmiesSpec) -> Result<Vec<u8>, String> {
        let name = match &stated.army {
            Army::Cells(names) if *names == stated.start => return self.army(names),
            Army::Cells(_) => return Err("problem.army has other cells than problem.start".into()),
            Army::Named(name) => name,
        };
        let unknown = || format!("problem.army: `{name}` is no army of this board");
        let (shape, size) = name.rsplit_once('-').unwrap_or((name, ""));
        // As it is written: `+3` and `03` are none.
        let size: i32 = size.parse().ok().filter(|number: &i32| number.to_string() == size).ok_or_else(unknown)?;
        // On the star the corner of the 9x9 board is the tip of its upper point.
        let corner = if stated.board == "star-121" { 4 } else { 0 };
        let all = |width: i32, height: i32| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)));
        // The places from the corner on that the army needs; the checkers army and points are what some rows have.
        let (needed, whole): (Vec<(i32, i32)>, bool) = match (shape, size, stated.board.as_str()) {
            ("triangle", 3..=15, _) => (all(size, size).filter(|(x, y)| x + y < size).collect(), true),
            ("square", 2..=16, _) => (all(size, size).collect(), true),
            ("halma", 19, _) => (all(5, 5).filter(|&(x, y)| x < [5, 5, 4, 3, 2][y as usize]).collect(), true),
            ("checkers", 12, "checkers-32") => (all(8, 8).filter(|(x, y)| (3..6).contains(&(x + y))).collect(), false),
            ("point", 1..=6, "star-121") => {
                let inside = |&(x, y): &(i32, i32)| {
                    let (u, v, w) = (x + corner - 8, y + corner - 8, 16 - x - y - 2 * corner);
                    [w > 4, u < -4, v > 4, w < -4, u > 4, v < -4][size as usize - 1]
                };
                (all(17, 17).map(|(x, y)| (x - corner, y - corner)).filter(inside).collect(), false)
            }
            _ => return Err(unknown()),
        };
        let stands = |&(x, y): &(i32, i32)| needed.contains(&(x - corner, y - corner));
        let army: Vec<u8> = (0..self.len()).filter(|&c| stands(&self.places[c])).map(|c| c as u8).collect();
        if whole && army.len() != needed.len() { Err(unknown()) } else { Ok(army) }
    }

    /// A map's start and target are the stated ones: `S` and `B` on the start, `T` and `B` on the target, if any.
    pub fn shows(&self, stated: &ArmiesSpec, ends: [&[u8]; 2]) -> Result<(), String> {
        let Some(map) = &stated.map else { return Ok(()) };
        let letters: Vec<char> = drawn(map)?.concat().into_iter().filter(|letter| *letter != '#').collect();
        for (name, mark, end) in [("start", 'S', ends[0]), ("target", 'T', ends[1])] {
            let marked = (0..self.len()).filter(|&c| letters[c] == mark || letters[c] == 'B').map(|c| c as u8);
            let marked: Vec<u8> = marked.collect();
            if !marked.is_empty() && marked != end {
                return Err(format!("problem.map draws another {name} than problem.{name}"));
            }
        }
        Ok(())
    }

    /// The cell's type, 0 to 3: whether its column and its row are even, which jumps cannot change.
    pub fn type_of(&self, cell: usize) -> usize {
        let (x, y) = self.places[cell];
        (x % 2 + 2 * (y % 2)) as usize
    }

    /// How many of the cells are of each type.
    pub fn types(&self, cells: &[u8]) -> [usize; 4] {
        let mut counts = [0; 4];
        cells.iter().for_each(|&cell| counts[self.type_of(cell.into())] += 1);
        counts
    }

    /// Steps over the empty board from each cell to the nearest of `cells`; `None` if there is no path.
    pub fn steps_to(&self, cells: &[u8]) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.len()];
        let mut near: Vec<u8> = cells.to_vec();
        for d in 0.. {
            near.retain(|&c| distance[usize::from(c)].is_none());
            if near.is_empty() {
                break;
            }
            near.iter().for_each(|&c| distance[usize::from(c)] = Some(d));
            near = near.iter().flat_map(|&c| self.steps[usize::from(c)].iter().copied()).collect();
            // There are many ways to a cell.
            near.sort_unstable();
            near.dedup();
        }
        distance
    }

    /// The symmetries of the board under the rule: linear maps that map directions to directions, with a translation
    /// that maps the board to itself.
    pub fn symmetries(&self) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let (x0, y0) = self.places[0];
        for code in 0..81 {
            let [a, b, c, d] = [code / 27, code / 9 % 3, code / 3 % 3, code % 3].map(|entry| entry - 1);
            let linear = |(x, y): (i32, i32)| (a * x + b * y, c * x + d * y);
            if !self.directions.iter().all(|&v| self.directions.contains(&linear(v))) {
                continue;
            }
            // One for each cell to which the first cell may go.
            for &(u, v) in &self.places {
                let moved = self.places.iter().map(|&(x, y)| {
                    let (right, down) = linear((x - x0, y - y0));
                    self.places.iter().position(|&place| place == (u + right, v + down)).map(|c| c as u8)
                });
                found.extend(moved.collect::<Option<Vec<u8>>>().filter(|image| self.is_automorphism(image)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether all cells lie on one straight line.
    pub fn is_line(&self) -> bool {
        let (x0, y0) = self.places[0];
        let from = |&(x, y): &(i32, i32)| (x - x0, y - y0);
        let Some((a, b)) = self.places.get(1).map(from) else { return true };
        self.places.iter().map(from).all(|(x, y)| a * y == b * x)
    }

    /// Whether a permutation of the cells maps steps to steps and jumps to jumps.
    pub fn is_automorphism(&self, image: &[u8]) -> bool {
        let at = |c: u8| image[usize::from(c)];
        let mut seen = vec![false; self.len()];
        for &c in image {
            if usize::from(c) >= self.len() || std::mem::replace(&mut seen[usize::from(c)], true) {
                return false;
            }
        }
        let sorted = |mut list: Vec<(u8, u8)>| {
            list.sort_unstable();
            list
        };
        image.len() == self.len()
            && (0..self.len()).all(|c| {
                let to = usize::from(image[c]);
                let steps = self.steps[c].iter().map(|&n| (at(n), 0)).collect();
                let jumps = self.jumps[c].iter().map(|&(over, land)| (at(over), at(land))).collect();
                sorted(steps) == sorted(self.steps[to].iter().map(|&n| (n, 0)).collect())
                    && sorted(jumps) == sorted(self.jumps[to].clone())
            })
    }
}
