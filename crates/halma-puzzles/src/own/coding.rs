//! The numbers of states on a board: multiset ranks by the combinatorial number system (Knuth 7.2.1.3) where steps keep the
//! number of each letter, and digits where they do not. `docs/guide/puzzle-files.md` has the definition.

use halma_engine::key::{Key, U256};
use halma_rules::cells::Cells;
use halma_rules::puzzle::GroundedTask;
use halma_rules::puzzle::grounded::CellMap;

/// How the states of a puzzle are numbered.
#[derive(Debug)]
pub(super) enum Coding<K> {
    /// Letter by letter.
    Counts(Vec<LetterRanks<K>>),
    /// One digit a cell.
    Digits(Digits<K>),
}

/// The cells of one letter among those that the letters before it leave.
#[derive(Debug)]
pub(super) struct LetterRanks<K> {
    pub men: usize,
    /// C(index, j) times the numbers of the letters before, at `index * (men + 1) + j`, for j from 0 to `men`.
    table: Vec<K>,
}

/// One digit a cell.
#[derive(Debug)]
pub(super) struct Digits<K> {
    /// By image, cell and letter: what the letter on this cell adds to the number of that image.
    table: Vec<K>,
    letters: usize,
    cells: usize,
    /// The letter of each digit.
    letter_of: Vec<u8>,
    /// As many digits as a word of 32 bits holds, and how many numbers they have.
    at_once: usize,
    divisor: u64,
}

/// The sum, where 256 bits hold it.
fn plus(a: U256, b: U256) -> Option<U256> {
    Some(a.plus(b)).filter(|sum| *sum >= a)
}

/// The product, where 256 bits hold it.
fn times(a: U256, b: u128) -> Option<U256> {
    let zero = U256 { high: 0, low: 0 };
    (0..128 - b.leading_zeros()).rev().try_fold(zero, |product, bit| {
        let double = plus(product, product)?;
        if b >> bit & 1 == 1 { plus(double, a) } else { Some(double) }
    })
}

/// C(index, j) times `unit` at `index * (men + 1) + j`, for indices up to `cells` and j up to `men`, by Pascal's rule; `None` where it
/// is more than 256 bits hold.
fn binomials(cells: usize, men: usize, unit: U256) -> Vec<Option<U256>> {
    let mut row = vec![Some(U256 { high: 0, low: 0 }); men + 1];
    row[0] = Some(unit);
    let mut all = row.clone();
    for _ in 0..cells {
        for j in (1..=men).rev() {
            row[j] = row[j].zip(row[j - 1]).and_then(|(a, b)| plus(a, b));
        }
        all.extend_from_slice(&row);
    }
    all
}

/// How many numbers the states of the puzzle take; `None` where it is more than 256 bits hold.
pub(super) fn numbers(task: &GroundedTask) -> Option<U256> {
    let one = U256 { high: 0, low: 1 };
    let doubled = if task.turns { 2 } else { 1 };
    let all = match ranked_counts(task) {
        Some(counts) => {
            let mut free = task.board.len();
            let placed = |product: U256, men: usize| {
                let all = binomials(free, men, product).pop().flatten();
                free -= men;
                all
            };
            counts.into_iter().try_fold(one, placed)?
        }
        None => (0..task.board.len()).try_fold(one, |product, _| times(product, task.letters.len() as u128))?,
    };
    times(all, doubled)
}

/// How many men each ranked letter has, without the last one where the puzzle has no `.`; `None` where steps change that.
fn ranked_counts(task: &GroundedTask) -> Option<Vec<usize>> {
    let counts = task.counts()?;
    // The last letter has what the others leave.
    let ranked = task.ranked - usize::from(!task.has_empty);
    Some(counts[..ranked].iter().map(|&n| n as usize).collect())
}

impl<K: Key> Coding<K> {
    /// The numbering without symmetric images.
    pub(super) fn plain(task: &GroundedTask) -> Self {
        let cells = (0..task.board.len()).map(|cell| cell as u8).collect();
        Self::new(task, &[CellMap { cells, letters: (0..task.letters.len() as u8).collect() }])
    }

    /// The numbering of a puzzle whose states fit the keys.
    pub(super) fn new(task: &GroundedTask, images: &[CellMap]) -> Self {
        match ranked_counts(task) {
            None => Self::Digits(Digits::new(task, images)),
            Some(counts) => {
                let (mut free, mut unit) = (task.board.len(), U256 { high: 0, low: 1 });
                let mut all = Vec::new();
                for men in counts {
                    let table = binomials(free, men, unit);
                    all.push(LetterRanks::new(men, &table));
                    // The last one has as many states as the puzzle, which fit.
                    unit = table.last().copied().flatten().unwrap_or(unit);
                    free -= men;
                }
                Self::Counts(all)
            }
        }
    }
}

impl<K: Key> LetterRanks<K> {
    fn new(men: usize, table: &[Option<U256>]) -> Self {
        // A state's rank has no summand that is greater than the rank: what does not fit the key is only compared.
        let fits = |value: &U256| K::from_words(value.words()).words() == value.words();
        let key = |value: &Option<U256>| value.filter(fits).map_or(K::MAX, |value| K::from_words(value.words()));
        Self { men, table: table.iter().map(key).collect() }
    }

    #[inline(always)]
    fn at(&self, index: usize, j: usize) -> K {
        self.table[index * (self.men + 1) + j]
    }
}

/// The number of the state with these cells by letter.
#[inline]
pub(super) fn rank<K: Key, const W: usize>(ranks: &[LetterRanks<K>], sets: &[Cells<W>]) -> K {
    let (mut number, mut used) = (K::default(), Cells::EMPTY);
    for (letter, (ranks, set)) in ranks.iter().zip(sets).enumerate() {
        number = number.plus(rank_of(ranks, set, (letter > 0).then_some(&used)));
        used |= *set;
    }
    number
}

/// What the cells of one letter add to the number, where the letters before it, if there are any, have the cells `used`.
#[inline(always)]
pub(super) fn rank_of<K: Key, const W: usize>(ranks: &LetterRanks<K>, set: &Cells<W>, used: Option<&Cells<W>>) -> K {
    let (mut number, mut j) = (K::default(), 0);
    set.for_each(|cell| {
        j += 1;
        let index = used.map_or(cell, |used| cell - used.below(cell));
        number = number.plus(ranks.at(index, j));
    });
    number
}

/// The ranked letters' cells of the state with that number; the others keep `rest`.
pub(super) fn unrank<K: Key>(ranks: &[LetterRanks<K>], number: K, rest: u8, letters: &mut [u8]) {
    let mut left = number;
    // By letter from the last to the first: its cells among those that are free of the letters before.
    let mut indices: [u8; 256] = [0; 256];
    let mut filled = 256;
    let mut free = letters.len() - ranks.iter().map(|r| r.men).sum::<usize>();
    for ranks in ranks.iter().rev() {
        free += ranks.men;
        let mut index = free;
        for j in (1..=ranks.men).rev() {
            index -= 1;
            while ranks.at(index, j) > left {
                index -= 1;
            }
            left = left.minus(ranks.at(index, j));
            filled -= 1;
            indices[filled] = index as u8;
        }
    }
    let mut cells: [u8; 256] = [0; 256];
    let mut number = letters.len();
    (0..number).for_each(|cell| cells[cell] = cell as u8);
    letters.fill(rest);
    let mut from = filled;
    for (letter, ranks) in ranks.iter().enumerate() {
        let own = &indices[from..from + ranks.men];
        let (mut next, mut kept) = (0, 0);
        for index in 0..number {
            if own.get(next).is_some_and(|&own| usize::from(own) == index) {
                letters[usize::from(cells[index])] = letter as u8;
                next += 1;
            } else {
                cells[kept] = cells[index];
                kept += 1;
            }
        }
        number = kept;
        from += ranks.men;
    }
}

impl<K: Key> Digits<K> {
    fn new(task: &GroundedTask, images: &[CellMap]) -> Self {
        let (letters, cells) = (task.letters.len(), task.board.len());
        // `.`, which is the last letter, has the digit 0.
        let digit = |letter: usize| match task.has_empty {
            true => (letter + 1) % letters,
            false => letter,
        };
        let mut letter_of = vec![0; letters];
        (0..letters).for_each(|letter| letter_of[digit(letter)] = letter as u8);
        let mut powers = vec![U256 { high: 0, low: 1 }];
        for _ in 1..cells {
            let last = powers[powers.len() - 1];
            powers.push(times(last, letters as u128).unwrap_or(last));
        }
        let mut table = Vec::new();
        for image in images {
            for cell in 0..cells {
                for letter in 0..letters {
                    let (cell, letter) = (usize::from(image.cells[cell]), usize::from(image.letters[letter]));
                    let value = times(powers[cell], digit(letter) as u128).unwrap_or(powers[cell]);
                    table.push(K::from_words(value.words()));
                }
            }
        }
        let at_once = if letters < 2 { 32 } else { (1u64 << 32).ilog(letters as u64) };
        let divisor = (letters as u64).pow(at_once);
        Self { table, letters, cells, letter_of, at_once: at_once as usize, divisor }
    }

    /// What `letter` on `cell` adds to the number of an image.
    #[inline(always)]
    pub(super) fn of(&self, image: usize, cell: usize, letter: u8) -> K {
        self.table[(image * self.cells + cell) * self.letters + usize::from(letter)]
    }

    /// The letters of the state with that number.
    pub(super) fn unrank(&self, number: K, letters: &mut [u8]) {
        let (base, divisor) = (self.letters as u64, self.divisor);
        let mut words = number.words();
        for cells in letters.chunks_mut(self.at_once) {
            let mut digits = if words[1..] == [0, 0, 0] {
                let rest = words[0] % divisor;
                words[0] /= divisor;
                rest
            } else {
                let mut rest = 0u64;
                for word in words.iter_mut().rev() {
                    let all = u128::from(rest) << 64 | u128::from(*word);
                    *word = (all / u128::from(divisor)) as u64;
                    rest = (all % u128::from(divisor)) as u64;
                }
                rest
            };
            for letter in cells {
                *letter = self.letter_of[(digits % base) as usize];
                digits /= base;
            }
        }
    }
}
