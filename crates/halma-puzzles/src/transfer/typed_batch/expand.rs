//! The successors of a group of states.

use halma_rules::moves::quarter_numbering::AXES;
use multiversion::multiversion;

use super::buckets::Buckets;
use super::kind::{PLACES, Sets};
use super::level_bound::LevelBound;
use super::product::Product;

/// A group: its first and second number, and the pair numbers of its states.
pub type GroupOfStates<'a> = (usize, usize, &'a [u16]);

/// Adds the successors of a group that the bound admits to `made`. Returns how many there are, pruned ones included.
pub fn expand(product: &Product, bound: &LevelBound, group: GroupOfStates<'_>, made: &mut Buckets) -> u64 {
    match (bound.asks_for_values(), product.kinds.iter().map(|kind| kind.axes_used).max()) {
        (false, Some(0..=2)) => along::<2, false>(product, bound, group, made),
        (false, Some(3)) => along::<3, false>(product, bound, group, made),
        (false, _) => along::<AXES, false>(product, bound, group, made),
        (true, _) => along::<AXES, true>(product, bound, group, made),
    }
}

/// The same, compiled for several instruction sets; the processor decides which one runs.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn along<const A: usize, const VALUES: bool>(
    product: &Product,
    bound: &LevelBound,
    (first, second, pairs): GroupOfStates<'_>,
    made: &mut Buckets,
) -> u64 {
    let mut generated = 0;
    let is_own_image = product.is_own_image(first, second);
    for &pair in pairs {
        let sets = product.sets(first, second, pair);
        let state = State { product, bound, sets, is_own_image };
        generated += state.expand::<A, 0, VALUES>(made);
        generated += state.expand::<A, 1, VALUES>(made);
        generated += state.expand::<A, 2, VALUES>(made);
        generated += state.expand::<A, 3, VALUES>(made);
    }
    generated
}

/// A state of a group.
struct State<'a> {
    product: &'a Product,
    bound: &'a LevelBound,
    sets: Sets,
    /// Whether the group is its own image.
    is_own_image: bool,
}

impl State<'_> {
    /// The same for the moves of the men of one slot.
    #[inline(always)]
    fn expand<const A: usize, const SLOT: usize, const VALUES: bool>(&self, made: &mut Buckets) -> u64 {
        let Self { product, bound, sets, is_own_image } = self;
        let (kind, bound) = (&product.kinds[SLOT], bound.in_slot::<VALUES>(SLOT, sets));
        let mut moves = kind.moves::<A>(sets[SLOT], sets);
        let mut generated = 0;
        while let Some((mut targets, joined)) = moves.next(kind) {
            generated += u64::from(targets.count_ones());
            while targets != 0 {
                let set = usize::from(joined[targets.trailing_zeros() as usize % PLACES]);
                targets &= targets - 1;
                if !bound.admits(set) {
                    continue;
                }
                let mut after = *sets;
                after[SLOT] = set;
                // The state is the least of its class. If its group comes before the group's image, every successor in the group is the
                // least of its class, too.
                made.push(if SLOT < 2 || *is_own_image { product.least(&after) } else { product.state(&after) });
            }
        }
        generated
    }
}
