//! The inner cells of a batch, and tables of everything that happens among them alone.

use halma_engine::key::Key;
use halma_rules::cells::Cells;

use crate::transfer::ProblemTables;

/// The most inner cells: a set of them fits 16 bits, and the tables fit a core's cache.
pub const MOST: usize = 15;

/// Bits of a set of inner cells that are looked up at a time.
const BITS: usize = 8;

/// Inner cells. A set of them is written as bits: bit i is the cell `cells[i]`.
///
/// Sets of as many cells are numbered, ascending. A *column* is the number of a set among those of its size.
pub struct InnerCells<const W: usize> {
    /// The cells, ascending.
    pub cells: Vec<u8>,
    /// The same as a set of the board.
    pub all: Cells<W>,
    /// The cells of the board above all of them.
    pub above: Cells<W>,
    /// By cell of the board: its bit, or [`OUTER`].
    pub bit_of: Vec<u8>,
    /// By size: the sets, ascending.
    pub sets: Vec<Vec<u16>>,
    /// By set: its column.
    pub column: Vec<u16>,
    /// By set: where its entries of `moves` begin.
    first_move: Vec<u32>,
    /// The columns of the sets that follow when one man moves among inner cells alone.
    moves: Vec<u16>,
    /// By set of men and bit of a cell that they leave free: that cell, and where a further man there can go by jumps among inner
    /// cells alone.
    chains: Vec<u16>,
    /// By bit: the inner cells one step away.
    pub steps: Vec<u16>,
    /// By symmetry: the image of each set.
    pub images: Vec<Vec<u16>>,
    /// By symmetry and size: the column of the image of each column.
    pub image_columns: Vec<Vec<Vec<u16>>>,
    /// By set: the sum of its cells' centroids.
    pub centroid: Vec<i32>,
    /// By size: the largest of them.
    pub centroid_max: Vec<i32>,
    /// By eight bits of a set: the cells of the board.
    spread: [Vec<Cells<W>>; 2],
}

/// No bit: the cell is none of the inner ones.
pub const OUTER: u8 = u8::MAX;

impl<const W: usize> InnerCells<W> {
    /// Chooses a run of cells in the order of the centroid on which the `armies` differ most: a run, because many moves are among cells
    /// that lie close together. Each symmetry maps the run to itself.
    #[must_use]
    pub fn choose<K: Key>(tables: &ProblemTables<W, K>, armies: &[Cells<W>]) -> Vec<u8> {
        let cells = tables.centroid.len();
        let mut men = vec![0_u32; cells];
        for army in armies {
            army.for_each(|cell| men[cell] += 1);
        }
        let orbits = orbits(tables);
        // The variance of whether a man stands there: largest where half of the armies have one.
        let variance = |orbit: &Vec<usize>| {
            let all = (armies.len() * orbit.len()) as f64;
            let share = orbit.iter().map(|&cell| f64::from(men[cell])).sum::<f64>() / all.max(1.0);
            orbit.len() as f64 * share * (1.0 - share)
        };
        let stretch = |first: usize| {
            let mut room = MOST;
            let fits = |orbit: &&Vec<usize>| {
                let fits = orbit.len() <= room;
                room -= if fits { orbit.len() } else { 0 };
                fits
            };
            orbits[first..].iter().take_while(fits).collect::<Vec<_>>()
        };
        let worth = |stretch: &Vec<&Vec<usize>>| stretch.iter().map(|orbit| variance(orbit)).sum::<f64>();
        let best = (0..orbits.len()).map(stretch).max_by(|a, b| worth(a).total_cmp(&worth(b)));
        let mut chosen: Vec<u8> = best.into_iter().flatten().flatten().map(|&cell| cell as u8).collect();
        chosen.sort_unstable();
        chosen
    }

    /// The tables of these cells, which ascend.
    #[must_use]
    pub fn new<K: Key>(tables: &ProblemTables<W, K>, cells: Vec<u8>) -> Self {
        let confined = &tables.confined;
        let (n, most) = (cells.len(), tables.ranks.men());
        let mut bit_of = vec![OUTER; tables.centroid.len()];
        (0..).zip(&cells).for_each(|(bit, &cell)| bit_of[usize::from(cell)] = bit);
        let spread = [0, BITS].map(|shift| {
            let cell = |bits: usize, i: usize| (bits >> i & 1 == 1).then(|| cells.get(shift + i)).flatten();
            let set = |bits| (0..BITS).filter_map(|i| cell(bits, i)).map(|&cell| usize::from(cell)).collect();
            (0..1 << BITS).map(set).collect()
        });
        let above = cells.last().map_or(0, |&last| usize::from(last) + 1)..tables.centroid.len();
        let mut inner = Self {
            above: above.collect(),
            all: cells.iter().map(|&cell| usize::from(cell)).collect(),
            cells,
            bit_of,
            sets: vec![Vec::new(); n + 1],
            column: Vec::with_capacity(1 << n),
            first_move: Vec::with_capacity((1 << n) + 1),
            moves: Vec::new(),
            chains: vec![0; n << n],
            steps: Vec::new(),
            images: Vec::new(),
            image_columns: Vec::new(),
            centroid: Vec::with_capacity(1 << n),
            centroid_max: vec![i32::MIN; n + 1],
            spread,
        };
        for set in 0..1_u32 << n {
            let size = set.count_ones() as usize;
            inner.column.push(inner.sets[size].len() as u16);
            inner.sets[size].push(set as u16);
            let centroid = |bit: usize| tables.centroid[usize::from(inner.cells[bit])];
            let sum = bits(set).map(centroid).sum();
            inner.centroid.push(sum);
            inner.centroid_max[size] = inner.centroid_max[size].max(sum);
        }
        inner.steps = inner.cells.iter().map(|&cell| inner.bits_of(confined.steps(usize::from(cell)))).collect();
        for set in (0..1_u32 << n).filter(|set| set.count_ones() as usize <= most) {
            let (men, first) = (inner.spread(set as u16), set as usize * n);
            for bit in bits(!set & ((1 << n) - 1)) {
                // All cells of a chain have the same one.
                if inner.chains[first + bit] == 0 {
                    let chain = inner.bits_of(confined.chain(usize::from(inner.cells[bit]), men, inner.all));
                    bits(chain.into()).for_each(|bit| inner.chains[first + bit] = chain);
                }
            }
        }
        for set in 0..1_u32 << n {
            inner.first_move.push(inner.moves.len() as u32);
            let men = if set.count_ones() as usize <= most { set } else { 0 };
            for bit in bits(men) {
                let rest = set & !(1 << bit);
                let reach = inner.reach(rest as u16, bit);
                inner.moves.extend(bits(reach.into()).map(|to| inner.column[(rest | 1 << to) as usize]));
            }
        }
        inner.first_move.push(inner.moves.len() as u32);
        for permutation in &tables.permutations {
            let image = |set: u32| inner.bits_of(inner.spread(set as u16).mapped(permutation));
            let images: Vec<u16> = (0..1_u32 << n).map(image).collect();
            let columns =
                |sets: &Vec<u16>| sets.iter().map(|&set| inner.column[usize::from(images[usize::from(set)])]).collect();
            inner.image_columns.push(inner.sets.iter().map(columns).collect());
            inner.images.push(images);
        }
        inner
    }

    /// The columns of the sets that follow from `set` when one man moves among inner cells alone: one for each move.
    #[inline(always)]
    #[must_use]
    pub fn moves(&self, set: u16) -> &[u16] {
        let set = usize::from(set);
        &self.moves[self.first_move[set] as usize..self.first_move[set + 1] as usize]
    }

    /// The cell of `bit`, which `men` leave free, and where a further man there can go by jumps among inner cells alone.
    #[inline(always)]
    #[must_use]
    pub fn chain(&self, men: u16, bit: usize) -> u16 {
        self.chains[usize::from(men) * self.cells.len() + bit]
    }

    /// Where that man can go in one move among inner cells alone.
    #[inline(always)]
    #[must_use]
    pub fn reach(&self, men: u16, bit: usize) -> u16 {
        (self.chain(men, bit) | self.steps[bit] & !men) & !(1 << bit)
    }

    /// The cells of the board that a set of inner cells has.
    #[inline(always)]
    #[must_use]
    pub fn spread(&self, set: u16) -> Cells<W> {
        self.spread[0][usize::from(set) & ((1 << BITS) - 1)] | self.spread[1][usize::from(set) >> BITS]
    }

    /// The inner ones of these cells.
    #[inline(always)]
    #[must_use]
    pub fn bits_of(&self, cells: Cells<W>) -> u16 {
        let mut set = 0;
        (cells & self.all).for_each(|cell| set |= 1 << self.bit_of[cell]);
        set
    }

    /// The 64-bit words of a bitmap of all columns of sets of that size.
    #[inline(always)]
    #[must_use]
    pub fn words(&self, size: usize) -> usize {
        self.sets.get(size).map_or(0, |sets| sets.len().div_ceil(64))
    }
}

/// The cells that symmetries exchange, in the order of the centroid.
fn orbits<const W: usize, K: Key>(tables: &ProblemTables<W, K>) -> Vec<Vec<usize>> {
    let mut orbits: Vec<Vec<usize>> = Vec::new();
    let mut seen = Cells::<W>::EMPTY;
    for cell in 0..tables.centroid.len() {
        if !seen.contains(cell) {
            let images = tables.permutations.iter().map(|permutation| usize::from(permutation[cell]));
            let mut orbit: Vec<usize> = images.chain([cell]).collect();
            orbit.sort_unstable();
            orbit.dedup();
            orbit.iter().for_each(|&cell| seen.add(cell));
            orbits.push(orbit);
        }
    }
    orbits.sort_by_key(|orbit| tables.centroid[orbit[0]]);
    orbits
}

/// The places of the ones, ascending.
pub fn bits(set: u32) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            bit
        })
    })
}
