//! States in buckets by their first number, and sets of numbers of 16 bits.

/// States by their first number. The rest of a state is one number: `second << 16 | pair`.
#[derive(Debug, Default)]
pub struct Buckets {
    lists: Vec<Vec<u32>>,
    len: usize,
}

/// The bytes that a state takes. A list that grows has room for up to twice its states; a long one that was emptied gives it back.
const BYTES: usize = 2 * size_of::<u32>();

/// A list of more states than this is not kept for the next ones.
const LONG: usize = 1 << 14;

impl Buckets {
    /// So many empty ones.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { lists: vec![Vec::new(); count], len: 0 }
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bytes that they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.len * BYTES
    }

    /// The states whose first number this is.
    #[must_use]
    pub fn list(&self, first: usize) -> &[u32] {
        &self.lists[first]
    }

    /// Removes all states. Lists keep memory for the next ones, all together at most twice [`Self::bytes`] as it was.
    pub fn clear(&mut self) {
        if 4 * self.len < self.lists.iter().map(Vec::capacity).sum::<usize>() {
            // Other lists were long before.
            return *self = Self::new(self.lists.len());
        }
        for first in 0..self.lists.len() {
            self.clear_list(first);
        }
    }

    fn clear_list(&mut self, first: usize) {
        let list = &mut self.lists[first];
        self.len -= list.len();
        list.clear();
        if list.capacity() > LONG {
            *list = Vec::new();
        }
    }

    /// Adds a state.
    #[inline(always)]
    pub fn push(&mut self, (first, rest): (usize, u32)) {
        self.lists[first].push(rest);
        self.len += 1;
    }
}

/// Takes states out of buckets, by groups that have the first and the second number in common.
#[derive(Debug)]
pub struct Groups {
    /// The bucket that was sorted last.
    first: usize,
    /// The next group in it.
    second: usize,
    /// By second number: where its states end.
    ends: Vec<usize>,
    /// The pair numbers of the bucket's states, by second number.
    pairs: Vec<u16>,
    /// How many of them are in groups that were not taken.
    left: usize,
}

impl Groups {
    /// For so many second numbers.
    #[must_use]
    pub fn new(seconds: usize) -> Self {
        Self { first: 0, second: seconds, ends: vec![0; seconds], pairs: Vec::new(), left: 0 }
    }

    /// The bytes of the states that were not taken yet.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.left * BYTES
    }

    /// Gives back the memory of a long bucket.
    pub fn shrink(&mut self) {
        if self.pairs.capacity() > LONG {
            self.pairs = Vec::new();
        }
    }

    /// Whether all groups were taken.
    #[must_use]
    pub fn are_taken(&self) -> bool {
        self.left == 0
    }

    /// The next group, of `buckets` if all others were taken.
    #[inline]
    pub fn take(&mut self, buckets: &mut Buckets) -> Option<(usize, usize, &[u16])> {
        if self.left == 0 {
            if buckets.len == 0 {
                return None;
            }
            let mut first = self.first;
            while buckets.lists[first].is_empty() {
                first = (first + 1) % buckets.lists.len();
            }
            self.sort(first, [buckets.list(first)].into_iter());
            buckets.clear_list(first);
        }
        self.next()
    }

    /// The next group of the bucket that was sorted last: its first and second number, and the pair numbers of its states.
    #[inline]
    pub fn next(&mut self) -> Option<(usize, usize, &[u16])> {
        if self.left == 0 {
            return None;
        }
        let start = |second: usize| second.checked_sub(1).map_or(0, |before| self.ends[before]);
        let mut second = self.second;
        while start(second) == self.ends[second] {
            second += 1;
        }
        self.second = second + 1;
        let group = start(second)..self.ends[second];
        self.left -= group.len();
        Some((self.first, second, &self.pairs[group]))
    }

    /// A counting sort of the bucket with this first number, which lies in several lists, by second number.
    pub fn sort<'a>(&mut self, first: usize, lists: impl Iterator<Item = &'a [u32]> + Clone) {
        let Self { ends, pairs, .. } = self;
        ends.fill(0);
        for &rest in lists.clone().flatten() {
            ends[(rest >> 16) as usize] += 1;
        }
        let mut all = 0;
        for end in &mut *ends {
            (*end, all) = (all, all + *end);
        }
        if pairs.len() < all {
            pairs.resize(all, 0);
        }
        for &rest in lists.flatten() {
            let end = &mut ends[(rest >> 16) as usize];
            pairs[*end] = rest as u16;
            *end += 1;
        }
        (self.first, self.second, self.left) = (first, 0, all);
    }
}

/// A set of numbers of 16 bits, which is mostly empty.
#[derive(Debug)]
pub struct NumberSet {
    words: Vec<u64>,
    /// A bit for each word that is not empty.
    used: Vec<u64>,
}

impl NumberSet {
    /// For numbers below `count`.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let words = count.div_ceil(64);
        Self { words: vec![0; words], used: vec![0; words.div_ceil(64)] }
    }

    /// Adds a number.
    #[inline(always)]
    pub fn add(&mut self, number: u16) {
        let number = usize::from(number);
        self.words[number >> 6] |= 1 << (number & 63);
        self.used[number >> 12] |= 1 << (number >> 6 & 63);
    }

    /// Removes a number. Returns whether it was there.
    #[inline(always)]
    pub fn remove(&mut self, number: u16) -> bool {
        let (word, bit) = (&mut self.words[usize::from(number) >> 6], 1 << (number & 63));
        let was_there = *word & bit != 0;
        *word &= !bit;
        was_there
    }

    /// Calls `f` with each number, ascending, and removes it.
    #[inline(always)]
    pub fn drain(&mut self, mut f: impl FnMut(u16)) {
        for (i, used) in self.used.iter_mut().enumerate() {
            while *used != 0 {
                let word = i << 6 | used.trailing_zeros() as usize;
                *used &= *used - 1;
                let mut rest = std::mem::take(&mut self.words[word]);
                while rest != 0 {
                    f((word << 6) as u16 | rest.trailing_zeros() as u16);
                    rest &= rest - 1;
                }
            }
        }
    }
}
