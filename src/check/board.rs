//! Boards and armies from the rules page: cells, what is one step away, what a jump leads to.

use crate::job::{Army, Stated};

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

impl Board {
    /// The board of a stated problem.
    pub fn of(stated: &Stated) -> Result<Self, String> {
        let places = match &stated.map {
            None => named(&stated.board).ok_or_else(|| format!("problem.board: `{}` is no board", stated.board))?,
            Some(map) => {
                let rows = map.lines().map(str::trim_end).filter(|row| !row.is_empty());
                let row = |(y, row): (usize, &str)| -> Vec<(i32, i32)> {
                    let cells = row.chars().enumerate().filter(|(_, c)| *c != '#');
                    cells.map(|(x, _)| (x as i32, y as i32)).collect()
                };
                rows.enumerate().flat_map(row).collect()
            }
        };
        if places.is_empty() || places.len() > 256 {
            return Err(format!("problem.map: {} cells", places.len()));
        }
        let mut directions = vec![(1, 0), (-1, 0), (0, 1), (0, -1)];
        if stated.moves.number() >= 6 {
            directions.extend([(1, -1), (-1, 1)]);
        }
        if stated.moves.number() == 8 {
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
        let found = (0..self.len()).map(|c| c as u8).find(|&c| self.name(c) == name);
        found.ok_or_else(|| format!("{name} is no cell of the board"))
    }

    /// The cells of these names, ascending.
    pub fn army(&self, names: &[String]) -> Result<Vec<u8>, String> {
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
    pub fn stated_army(&self, stated: &Stated) -> Result<Vec<u8>, String> {
        let name = match &stated.army {
            Army::Cells(names) => return self.army(names),
            Army::Named(name) => name,
        };
        let (shape, size) = name.rsplit_once('-').unwrap_or((name, ""));
        let size: i32 = size.parse().map_err(|_| format!("problem.army: `{name}` is no army"))?;
        // On the star the corner of the 9x9 board is the tip of its upper point.
        let corner = if stated.board == "star-121" { 4 } else { 0 };
        let stands = |(x, y): (i32, i32)| match shape {
            "triangle" => x >= corner && y >= corner && x + y - 2 * corner < size,
            "square" => (corner..corner + size).contains(&x) && (corner..corner + size).contains(&y),
            "halma" => y < 5 && x < [5, 5, 4, 3, 2][y as usize],
            "checkers" => (0..3).contains(&(x + y - 3)),
            "point" => {
                let (u, v, w) = (x - 8, y - 8, 16 - x - y);
                [w > 4, u < -4, v > 4, w < -4, u > 4, v < -4].get(size as usize - 1).copied().unwrap_or(false)
            }
            _ => false,
        };
        Ok((0..self.len()).filter(|&c| stands(self.places[c])).map(|c| c as u8).collect())
    }

    /// Steps over the empty board from each cell to the nearest of `cells`; `None` where there is no way.
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

    /// The symmetries of the board under the rule: linear maps that take directions to directions, with a translation that
    /// brings the board back onto itself.
    pub fn symmetries(&self) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        let (x0, y0) = self.places[0];
        for code in 0..81 {
            let [a, b, c, d] = [code / 27, code / 9 % 3, code / 3 % 3, code % 3].map(|entry| entry - 1);
            let linear = |(x, y): (i32, i32)| (a * x + b * y, c * x + d * y);
            if !self.directions.iter().all(|&v| self.directions.contains(&linear(v))) {
                continue;
            }
            // Of the first cell each that it might go to.
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

    /// Whether a permutation of the cells takes steps to steps and jumps to jumps.
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
