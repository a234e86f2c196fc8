//! Delayed duplicate detection in memory (Korf 2004) for the keys of one shard.
//!
//! Keys are ranks, and the keys of one level often lie close together in a shard: one for every few dozen numbers.
//! There a bit vector with one bit for each number sorts and deduplicates at once, at about a nanosecond a key.
//! Elsewhere keys are first partitioned by their leading bits (a radix sort), until they lie that close or are few
//! enough for a comparison sort.

use multiversion::multiversion;

use crate::key::Key;

/// A bit vector is used up to so many numbers a key: two words of bits a key.
const SPARSE: u64 = 128;
/// Up to so many keys are sorted by comparison.
const FEW: usize = 32;
/// The most parts of one partitioning step.
const PARTS: usize = 256;

/// Scratch space of one thread for [`SortedSet`].
#[derive(Debug)]
pub struct Scratch<K> {
    /// The bit vector; all 0 between calls.
    marks: Vec<u64>,
    keys: Vec<K>,
    other: Vec<K>,
}

impl<K> Default for Scratch<K> {
    fn default() -> Self {
        Self { marks: Vec::new(), keys: Vec::new(), other: Vec::new() }
    }
}

/// The distinct keys of one shard: a sorted part, and recent keys that are not sorted yet.
#[derive(Clone, Debug)]
pub struct SortedSet<K> {
    /// Ascending and distinct.
    sorted: Vec<K>,
    /// Recent keys, in order of arrival, possibly with duplicates.
    since: Vec<K>,
}

impl<K> Default for SortedSet<K> {
    fn default() -> Self {
        Self { sorted: Vec::new(), since: Vec::new() }
    }
}

impl<K: Key> SortedSet<K> {
    /// Fewer recent keys are not worth sorting.
    const LEAST: usize = if cfg!(test) { 64 } else { 1 << 12 };

    /// Adds keys.
    pub fn receive(&mut self, parts: &[Vec<K>], scratch: &mut Scratch<K>) {
        let came = self.since.len() + parts.iter().map(Vec::len).sum::<usize>();
        // Recent keys are sorted once they are a quarter of the sorted part, so that each key is moved a few times
        // only.
        if came < (self.sorted.len() / 4).max(Self::LEAST) {
            parts.iter().for_each(|keys| self.since.extend_from_slice(keys));
        } else {
            self.sort_in(parts, scratch);
        }
    }

    /// Sorts the recent keys and `parts` into the sorted part.
    fn sort_in(&mut self, parts: &[Vec<K>], scratch: &mut Scratch<K>) {
        sort_in(self, parts, scratch);
    }

    /// How many keys there are, recent duplicates included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sorted.len() + self.since.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes taken up.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        ((self.sorted.capacity() + self.since.capacity()) * K::BYTES) as u64
    }

    /// The keys, ascending and distinct.
    #[must_use]
    pub fn into_sorted(mut self, scratch: &mut Scratch<K>) -> Vec<K> {
        self.sort_in(&[], scratch);
        self.sorted
    }
}

/// [`SortedSet::sort_in`], compiled for several instruction sets; the processor decides which one runs.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"
))]
fn sort_in<K: Key>(set: &mut SortedSet<K>, parts: &[Vec<K>], scratch: &mut Scratch<K>) {
    let since = std::mem::take(&mut set.since);
    let new = || parts.iter().map(|keys| &keys[..]).chain([&since[..]]);
    let came = new().map(<[K]>::len).sum::<usize>();
    let Some(mut span) = new().filter_map(Span::of).reduce(Span::and) else { return };
    if let (Some(&first), Some(&last)) = (set.sorted.first(), set.sorted.last()) {
        span = span.and(Span { first, last });
    }
    if let Some(words) = span.words(came + set.sorted.len()) {
        let mut marked = Marks::new(&mut scratch.marks, span, words);
        new().chain([&set.sorted[..]]).for_each(|keys| marked.add(keys));
        // With no spare capacity, because there are many shards.
        set.sorted = Vec::with_capacity(marked.len());
        return marked.drain(&mut set.sorted);
    }
    scratch.keys.clear();
    new().for_each(|keys| scratch.keys.extend_from_slice(keys));
    scratch.other.resize(came, K::default());
    let mut sorted = Vec::new();
    sort(&mut scratch.keys, &mut scratch.other, &mut scratch.marks, &mut sorted);
    if !set.sorted.is_empty() {
        sorted = union(&set.sorted, &sorted);
    }
    sorted.shrink_to_fit();
    set.sorted = sorted;
}

/// The least and the largest of some keys.
#[derive(Clone, Copy)]
struct Span<K> {
    first: K,
    last: K,
}

impl<K: Key> Span<K> {
    #[inline(always)]
    fn of(keys: &[K]) -> Option<Self> {
        let (&first, rest) = keys.split_first()?;
        Some(rest.iter().fold(Self { first, last: first }, |s, &k| Self { first: s.first.min(k), last: s.last.max(k) }))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    /// The words of a bit vector over the span, where `keys` keys lie close enough for one.
    #[inline(always)]
    fn words(self, keys: usize) -> Option<usize> {
        let [low, rest @ ..] = self.last.minus(self.first).words();
        (rest == [0; 3] && low / SPARSE <= keys as u64).then_some((low / 64) as usize + 1)
    }
}

/// A set of keys as a bit vector.
struct Marks<'a, K> {
    first: K,
    words: &'a mut [u64],
}

impl<'a, K: Key> Marks<'a, K> {
    /// The empty set; `marks` must be all 0.
    #[inline(always)]
    fn new(marks: &'a mut Vec<u64>, span: Span<K>, words: usize) -> Self {
        if marks.len() < words {
            marks.resize(words, 0);
        }
        Self { first: span.first, words: &mut marks[..words] }
    }

    #[inline(always)]
    fn add(&mut self, keys: &[K]) {
        for key in keys {
            let at = key.minus(self.first).words()[0];
            self.words[(at / 64) as usize] |= 1 << (at % 64);
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Appends the keys in ascending order, and clears the bits.
    #[inline(always)]
    fn drain(self, keys: &mut Vec<K>) {
        for (i, word) in self.words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            let mut rest = std::mem::take(word);
            while rest != 0 {
                let at = 64 * i as u64 + u64::from(rest.trailing_zeros());
                keys.push(self.first.plus(K::from_words([at, 0, 0, 0])));
                rest &= rest - 1;
            }
        }
    }
}

/// Appends `keys` to `sorted`, ascending and distinct. `other` is as long as `keys`.
fn sort<K: Key>(keys: &mut [K], other: &mut [K], marks: &mut Vec<u64>, sorted: &mut Vec<K>) {
    if keys.len() <= FEW {
        keys.sort_unstable();
        for &key in &*keys {
            if sorted.last() != Some(&key) {
                sorted.push(key);
            }
        }
        return;
    }
    let Some(span) = Span::of(keys) else { return };
    if let Some(words) = span.words(keys.len()) {
        let mut marked = Marks::new(marks, span, words);
        marked.add(keys);
        return marked.drain(sorted);
    }
    // Partition by the leading bits of the difference from the first key, as far as these lie in one word.
    let width = span.last.minus(span.first).words();
    let word = width.iter().rposition(|&w| w != 0).unwrap_or(0);
    let parts = (keys.len() / 16).clamp(4, PARTS).ilog2();
    let shift = (64 - width[word].leading_zeros()).saturating_sub(parts);
    let part = |key: &K| (key.minus(span.first).words()[word] >> shift) as usize % PARTS;
    let mut ends = [0; PARTS];
    keys.iter().for_each(|key| ends[part(key)] += 1);
    let mut sum = 0;
    for end in &mut ends {
        sum += std::mem::replace(end, sum);
    }
    for key in &*keys {
        let at = &mut ends[part(key)];
        other[*at] = *key;
        *at += 1;
    }
    let mut begin = 0;
    for end in ends {
        if begin < end {
            sort(&mut other[begin..end], &mut keys[begin..end], marks, sorted);
            begin = end;
        }
    }
}

/// The union of two ascending lists, ascending and distinct.
fn union<K: Key>(a: &[K], b: &[K]) -> Vec<K> {
    let mut both = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        both.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both.extend_from_slice(&a[i..]);
    both.extend_from_slice(&b[j..]);
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::U256;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Keys that lie close together in some places and far apart in others.
    fn clustered() -> impl Strategy<Value = Vec<[u64; 4]>> {
        let near =
            (any::<u8>(), 0u64..300).prop_map(|(place, near)| [near, 0, 0, 0].map(|w| w + (u64::from(place) << 40)));
        let far = any::<[u64; 4]>().prop_map(|words| words.map(|w| w >> 1));
        let low = (0u64..100_000).prop_map(|low| [low, 0, 0, 0]);
        proptest::collection::vec(prop_oneof![4 => near, 1 => far, 2 => low], 0..3000)
    }

    fn gather<K: Key>(words: &[[u64; 4]], part: usize) {
        let keys: Vec<K> = words.iter().map(|&words| K::from_words(words)).collect();
        let (mut sorted_set, mut scratch) = (SortedSet::default(), Scratch::default());
        for turn in keys.chunks(2 * part) {
            sorted_set.receive(&turn.chunks(part).map(<[K]>::to_vec).collect::<Vec<_>>(), &mut scratch);
        }
        let expected: Vec<K> = keys.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert!(sorted_set.len() >= expected.len());
        assert_eq!(sorted_set.into_sorted(&mut scratch), expected);
        assert!(scratch.marks.iter().all(|&word| word == 0));
    }

    proptest! {
        #[test]
        fn what_is_gathered_is_a_set(words in clustered(), part in 1usize..1000) {
            gather::<u64>(&words, part);
            gather::<u128>(&words, part);
            gather::<U256>(&words, part);
        }
    }
}
