//! The sets of cells on which the men of one type can stand, numbered, and what a man's move makes of a set's number.

use std::collections::HashMap;

use halma_rules::lattice::Lattice;
use halma_rules::moves::quarter_numbering::{AXES, QuarterNumbering};

/// How many types of cells there are.
pub const TYPES: usize = 4;

/// Four set numbers, by slot (`Product::slots` says which type has which).
pub type Sets = [usize; TYPES];

/// How many places a word has (see [`QuarterNumbering`]).
pub const PLACES: usize = u32::BITS as usize;

/// The most sets of one type: their numbers fit 16 bits.
const MOST: usize = 1 << 16;

/// The men of one type, and the cells of this type.
#[derive(Clone, Debug)]
pub struct Kind {
    men: usize,
    /// By set: its places.
    places: Vec<u32>,
    /// By set and man: the number of the others' set, among the sets of one man fewer.
    others: Vec<u16>,
    /// By set of one man fewer, and place: the number of the set with another man there.
    joined: Vec<[u16; PLACES]>,
    axes: [Axis; AXES],
    /// How many axes there are.
    pub axes_used: usize,
}

/// The jumps along one axis.
#[derive(Clone, Debug, Default)]
struct Axis {
    /// The type of the cells passed over.
    over: usize,
    /// How many places on a jump lands.
    shift: u32,
    /// By set of men there: the lower ends of the jumps over them.
    ends: Vec<u32>,
}

/// Sets of so many of `places`, in the order of binomial ranks; `None` if they are too many.
fn sets(places: &[u32], men: usize) -> Option<Vec<u32>> {
    let count = halma_rules::choose::choose(places.len(), men)?;
    if count > MOST as u128 {
        return None;
    }
    let mut sets = Vec::with_capacity(count as usize);
    let mut chosen = (1_u64 << men) - 1;
    for _ in 0..count {
        let place = |i: usize| if chosen >> i & 1 == 1 { 1 << places[i] } else { 0 };
        sets.push((0..places.len()).fold(0, |set, i| set | place(i)));
        // The next larger number with as many ones (Gosper).
        if chosen != 0 {
            let low = chosen & chosen.wrapping_neg();
            let up = chosen + low;
            chosen = up | ((chosen ^ up) / low) >> 2;
        }
    }
    Some(sets)
}

impl Kind {
    /// For so many men on `cells`, which ascend and are all cells of a type; without jumps. `None` if they have too
    /// many sets or places.
    #[must_use]
    pub fn new(numbering: &QuarterNumbering, cells: &[usize], men: usize) -> Option<Self> {
        if cells.len() < men || numbering.count() as usize > PLACES {
            return None;
        }
        let all: Vec<u32> = cells.iter().map(|&cell| numbering.place(cell)).collect();
        let places = sets(&all, men)?;
        let fewer = if men == 0 { Vec::new() } else { sets(&all, men - 1)? };
        let number = |sets: &[u32]| -> HashMap<u32, u16> { sets.iter().copied().zip(0..=u16::MAX).collect() };
        let (numbers, fewer_numbers) = (number(&places), number(&fewer));
        let ones = |set: u32| (0..PLACES).map(|place| 1 << place).filter(move |one| set & one != 0);
        let others =
            places.iter().flat_map(|&set| ones(set).map(|man| fewer_numbers[&(set & !man)]).collect::<Vec<_>>());
        let others = others.collect();
        let with = |set: u32| {
            // Where no man can come the number is never used.
            std::array::from_fn(|place| numbers.get(&(set | 1 << place)).copied().unwrap_or(u16::MAX))
        };
        let joined = fewer.iter().map(|&set| with(set)).collect();
        Some(Self { men, places, others, joined, axes: Default::default(), axes_used: 0 })
    }

    /// How many men a set has.
    #[must_use]
    pub fn men(&self) -> usize {
        self.men
    }

    /// How many sets there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Enters the jumps of this type, which is `own`. `others` are the places of the sets of each type. `None` if
    /// there are too many axes.
    pub fn enter_jumps(
        &mut self,
        own: usize,
        lattice: &Lattice,
        numbering: &QuarterNumbering,
        type_of: impl Fn(usize) -> usize,
        others: &[Vec<u32>],
    ) -> Option<()> {
        // By axis: the type passed over, the shift, and by place passed over the lower end.
        let mut axes: Vec<(usize, u32, [u32; PLACES])> = Vec::new();
        for cell in 0..lattice.len() {
            let over = type_of(cell);
            for &(a, b) in lattice.jumps_over(cell).iter().filter(|&&(a, _)| type_of(usize::from(a)) == own) {
                let (low, high) = numbering.lower_first(a, b);
                let shift = numbering.place(high) - numbering.place(low);
                let at = axes.iter().position(|axis| (axis.0, axis.1) == (over, shift)).unwrap_or_else(|| {
                    axes.push((over, shift, [0; PLACES]));
                    axes.len() - 1
                });
                axes[at].2[numbering.place(cell) as usize] |= 1 << numbering.place(low);
            }
        }
        if axes.len() > AXES {
            return None;
        }
        self.axes_used = axes.len();
        self.axes = std::array::from_fn(|i| {
            // An axis without jumps is that of type 0.
            let (over, shift, by_place) = axes.get(i).copied().unwrap_or((0, 0, [0; PLACES]));
            let ends = |&men: &u32| (0..PLACES).filter(|p| men >> p & 1 == 1).fold(0, |ends, p| ends | by_place[p]);
            Axis { over, shift, ends: others[over].iter().map(ends).collect() }
        });
        Some(())
    }

    /// The places of the sets.
    #[must_use]
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// The same, where the types passed over are numbered by `slot_of`.
    #[must_use]
    pub fn in_slots(mut self, slot_of: impl Fn(usize) -> usize) -> Self {
        self.axes.iter_mut().for_each(|axis| axis.over = slot_of(axis.over));
        self
    }

    /// By set: the number of its image among the sets of `others`. `cells` are those of this type.
    #[must_use]
    pub fn images(&self, others: &Self, cells: &[usize], numbering: &QuarterNumbering, symmetry: &[u8]) -> Vec<u16> {
        let numbers: HashMap<u32, u16> = others.places.iter().copied().zip(0..=u16::MAX).collect();
        let moved = |&set: &u32| {
            let men = cells.iter().filter(|&&cell| set >> numbering.place(cell) & 1 == 1);
            men.fold(0_u32, |image, &cell| image | 1 << numbering.place(usize::from(symmetry[cell])))
        };
        self.places.iter().map(|set| numbers[&moved(set)]).collect()
    }

    /// The moves of the men of the set `own`; `sets` are those of all slots.
    #[inline(always)]
    #[must_use]
    pub fn moves<const A: usize>(&self, own: usize, sets: &Sets) -> Moves<A> {
        let ends: [u32; A] = std::array::from_fn(|i| self.axes[i].ends[sets[self.axes[i].over % TYPES]]);
        let shifts: [u32; A] = std::array::from_fn(|i| self.axes[i].shift % u32::BITS);
        let men = self.places[own];
        // A man on no end of a jump stays.
        let movers = (0..A).fold(0, |movers, i| movers | ends[i] | ends[i] << shifts[i]) & men;
        Moves { ends, shifts, men, movers, first: own * self.men }
    }
}

/// The moves of the men of a set, man by man.
pub struct Moves<const A: usize> {
    /// By axis: the lower ends of jumps, and how many places on they land.
    ends: [u32; A],
    shifts: [u32; A],
    men: u32,
    /// The men who are left to move.
    movers: u32,
    /// Where the set's entries begin in `others`.
    first: usize,
}

impl<const A: usize> Moves<A> {
    /// Where the next man can go, and by place the set that follows.
    #[inline(always)]
    pub fn next<'a>(&mut self, kind: &'a Kind) -> Option<(u32, &'a [u16; PLACES])> {
        let Self { ends, shifts, men, .. } = *self;
        while self.movers != 0 {
            let man = self.movers & self.movers.wrapping_neg();
            self.movers ^= man;
            let mut reached = man;
            loop {
                let landings = (0..A).fold(0, |landings, i| {
                    landings | (reached & ends[i]) << shifts[i] | (reached >> shifts[i]) & ends[i]
                });
                let more = landings & !men & !reached;
                if more == 0 {
                    break;
                }
                reached |= more;
            }
            if reached != man {
                let before = (men & (man - 1)).count_ones() as usize;
                return Some((reached ^ man, &kind.joined[usize::from(kind.others[self.first + before])]));
            }
        }
        None
    }
}
