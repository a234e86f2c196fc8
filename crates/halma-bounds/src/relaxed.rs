//! A relaxed-plan heuristic, as in planning by ignoring what actions delete (Bonet and Geffner 2001). From a new state
//! its own men move on real cells; a man that has moved may stand wherever one of the moved men could have gone. Unlike
//! there, relaxed moves are counted exactly, one man a move, and a pattern database judges where they end.
//!
//! A histogram allows a jump over any man of a diagonal, wherever he stands on it. Here a man must reach real cells
//! over real men, or over cells where a moved man may be; only the places of moved men are relaxed. docs/proof.md
//! (lemma 14a) defines relaxed moves and proves that no state of a solution is pruned.
//!
//! The exact look-ahead, man by man, runs only if a cheaper one passes, class by class: there the men of a class move
//! as one, and the cells of a class that a man has left block nobody. Whatever the exact look-ahead finds, the cheaper
//! one finds, too, so it changes no verdict. The cheaper one also stands alone, with fewer moves, where
//! many moves are left ([`LookAhead::ClassByClass`]).

mod choices;
mod memory;

use std::sync::Arc;

use halma_record::job::LookAhead;
use halma_rules::lattice::Lattice;
use halma_rules::moves::quarter_sets::{LowerEnds, QuarterBoards, QuarterSet, TYPES};
use halma_rules::moves::word::Word;
use multiversion::multiversion;

use self::choices::{Choice, Choices};
use self::memory::Memory;
use super::abstraction::{Abstraction, Table};

/// A filter for new states, asked once for each; see [`Puzzle::admits`](halma_engine::puzzle::Puzzle::admits).
pub trait Filter: Send + Sync {
    /// Whether it may drop states of level `depth`.
    fn applies(&self, depth: u32) -> bool;

    /// The working part of one thread.
    fn worker(&self) -> Box<dyn FilterWorker>;
}

/// The working part of a [`Filter`], for one thread.
pub trait FilterWorker: Send {
    /// Whether the army of these men (ascending) may stay on level `depth`.
    fn admits(&mut self, men: &[u8], depth: u32) -> bool;
}

/// The tables of the look-ahead for one problem.
pub struct LookAheadTables {
    boards: AnyQuarterBoards,
}

/// Quarter boards, one for each type of cells, in the narrowest words that hold them.
enum AnyQuarterBoards {
    Small(Arc<QuarterBoards<u32>>),
    Middle(Arc<QuarterBoards<u64>>),
    Large(Arc<QuarterBoards<u128>>),
}

impl LookAheadTables {
    /// The tables of a lattice; `None` if its quarter boards fit no word.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Option<Self> {
        let small = QuarterBoards::new(lattice, jumps_only).map(|p| AnyQuarterBoards::Small(Arc::new(p)));
        let middle = || QuarterBoards::new(lattice, jumps_only).map(|p| AnyQuarterBoards::Middle(Arc::new(p)));
        let large = || QuarterBoards::new(lattice, jumps_only).map(|p| AnyQuarterBoards::Large(Arc::new(p)));
        Some(Self { boards: small.or_else(middle).or_else(large)? })
    }

    /// The filter for walks that reach, by level `limit`, a histogram at a distance of at most `near` in `table`.
    #[must_use]
    pub fn filter(
        &self,
        abstraction: &Arc<Abstraction>,
        table: &Arc<Table>,
        limit: u32,
        near: u32,
        look_ahead: LookAhead,
    ) -> Arc<dyn Filter> {
        let goal = Goal { abstraction: Arc::clone(abstraction), table: Arc::clone(table), limit, near };
        match &self.boards {
            AnyQuarterBoards::Small(boards) => Arc::new(Relaxed::new(goal, look_ahead, boards)),
            AnyQuarterBoards::Middle(boards) => Arc::new(Relaxed::new(goal, look_ahead, boards)),
            AnyQuarterBoards::Large(boards) => Arc::new(Relaxed::new(goal, look_ahead, boards)),
        }
    }
}

/// Where walks must arrive, and by when.
#[derive(Clone, Debug)]
struct Goal {
    abstraction: Arc<Abstraction>,
    table: Arc<Table>,
    limit: u32,
    near: u32,
}

/// The filter over quarter boards of one word width.
#[derive(Clone, Debug)]
struct Relaxed<Q> {
    goal: Goal,
    look_ahead: LookAhead,
    boards: Arc<QuarterBoards<Q>>,
    /// The cells of each class.
    classes: Arc<Vec<QuarterSet<Q>>>,
}

impl<Q: Word> Relaxed<Q> {
    fn new(goal: Goal, look_ahead: LookAhead, boards: &Arc<QuarterBoards<Q>>) -> Self {
        let class_of = &goal.abstraction.partition.class_of;
        let cells = |class: usize| boards.of((0..class_of.len()).filter(|&c| usize::from(class_of[c]) == class));
        let classes = Arc::new((0..goal.abstraction.space.classes()).map(cells).collect());
        Self { goal, look_ahead, boards: Arc::clone(boards), classes }
    }

    /// The moves left on level `depth`.
    fn left(&self, depth: u32) -> u32 {
        self.goal.limit.saturating_sub(self.goal.near).saturating_sub(depth)
    }
}

impl<Q: Word> Filter for Relaxed<Q> {
    fn applies(&self, depth: u32) -> bool {
        self.look_ahead.depth(self.left(depth)).is_some()
    }

    fn worker(&self) -> Box<dyn FilterWorker> {
        let classes = self.classes.len();
        Box::new(RelaxedWorker {
            histogram: vec![0; classes],
            choices: Choices::new(&self.goal.abstraction.space),
            memory: Memory::default(),
            tried: 0,
            bound: self.clone(),
        })
    }
}

/// A node of the look-ahead: a histogram, by its rank, and sets of cells.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Node<Q> {
    rank: u32,
    /// Man by man: the men who have not moved. Class by class: the men of classes that no man has left.
    unmoved: QuarterSet<Q>,
    /// Man by man: where moved men may be. Class by class: where any man may be.
    maybe: QuarterSet<Q>,
}

/// The moves left until the goal, and how many of them the look-ahead tries.
#[derive(Clone, Copy)]
struct MovesLeft {
    all: u32,
    looked_at: u32,
}

struct RelaxedWorker<Q> {
    bound: Relaxed<Q>,
    /// The histogram of the current node.
    histogram: Vec<u8>,
    choices: Choices,
    memory: Memory<Q>,
    /// How many moves the look-ahead from this state tries.
    tried: u32,
}

impl<Q: Word> FilterWorker for RelaxedWorker<Q> {
    fn admits(&mut self, men: &[u8], depth: u32) -> bool {
        let left = self.bound.left(depth);
        let Some(looked_at) = self.bound.look_ahead.depth(left) else { return true };
        let Goal { abstraction, table, near, .. } = &self.bound.goal;
        // What follows takes far longer than to ask.
        table.require(left + near);
        abstraction.histogram(men, &mut self.histogram);
        let rank = abstraction.space.rank(&self.histogram);
        if table.within(rank, *near) {
            return true;
        }
        if !table.within(rank, left + near) {
            return false;
        }
        let army = self.bound.boards.of(men.iter().map(|&c| usize::from(c)));
        let left = MovesLeft { all: left, looked_at };
        self.choices.clear_if_large();
        self.memory.forget();
        let by_class = Node { rank, unmoved: army, maybe: army };
        self.tried = looked_at;
        if !some_class_leads_on(self, by_class, left) {
            return false;
        }
        if let LookAhead::ClassByClass(_) = self.bound.look_ahead {
            return true;
        }
        self.memory.forget();
        self.by_men(Node { rank, unmoved: army, maybe: QuarterSet::default() }, left)
    }
}

/// The cheaper look-ahead, class by class: whether enough moves are possible.
///
/// Quarter boards of 64 bits, of all four types, fill one vector of AVX2. Narrower ones fill one of those that every
/// x86-64 has, and are slower with AVX2.
fn some_class_leads_on<Q: Word>(worker: &mut RelaxedWorker<Q>, position: Node<Q>, left: MovesLeft) -> bool {
    if Q::CELLS == u64::BITS { in_large_vectors(worker, position, left) } else { worker.by_classes(position, left) }
}

/// [`RelaxedWorker::by_classes`], compiled for two instruction sets; the processor decides which one runs.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn in_large_vectors<Q: Word>(worker: &mut RelaxedWorker<Q>, position: Node<Q>, left: MovesLeft) -> bool {
    worker.by_classes(position, left)
}

impl<Q: Word> RelaxedWorker<Q> {
    /// The abstract moves of the node's histogram after which the table still leaves enough moves, as a range of
    /// `choices`.
    #[inline]
    fn open(&mut self, position: &Node<Q>, left: MovesLeft) -> std::ops::Range<usize> {
        self.choices.of(&self.bound.goal, &self.histogram, position.rank, left.all - 1)
    }

    /// Applies a choice to the histogram while `look` runs.
    #[inline]
    fn moved(&mut self, choice: Choice, look: impl FnOnce(&mut Self) -> bool) -> bool {
        let (a, b) = (usize::from(choice.from), usize::from(choice.to));
        self.histogram[a] -= 1;
        self.histogram[b] += 1;
        let found = look(self);
        self.histogram[b] -= 1;
        self.histogram[a] += 1;
        found
    }

    /// A node of the look-ahead class by class; see [`some_class_leads_on`].
    #[inline(always)]
    fn by_classes(&mut self, position: Node<Q>, left: MovesLeft) -> bool {
        let choices = self.open(&position, left);
        // Two orders of the same moves meet after two moves at the earliest.
        let remembered = (2..=self.tried.saturating_sub(2)).contains(&left.looked_at);
        if choices.is_empty() || remembered && self.memory.has_failed(&position, left) {
            return false;
        }
        let after = MovesLeft { all: left.all - 1, looked_at: left.looked_at - 1 };
        let lower_ends = self.bound.boards.lower_ends(&position.maybe);
        let mut looked_further = false;
        let mut reached = None;
        for at in choices {
            let choice = self.choices.at(at);
            let (a, b) = (usize::from(choice.from), usize::from(choice.to));
            let own = self.bound.classes[a];
            // Another man of the class may leave the cell where this one lands.
            let unmoved = position.unmoved.but(&own);
            let stood = position.maybe.and(&own);
            let reach = match reached {
                Some((class, reach)) if class == a => reach,
                _ => self.bound.boards.reach(&stood, &lower_ends, &unmoved),
            };
            reached = Some((a, reach));
            let landings = reach.and(&self.bound.classes[b]);
            if landings.is_empty() && (a != b || self.must_land(&position.unmoved.and(&own), &stood)) {
                continue;
            }
            if choice.arrives || after.looked_at == 0 {
                return true;
            }
            let mut maybe = position.maybe.or(&landings);
            if a != b && self.histogram[a] == 1 {
                maybe = maybe.but(&own);
            }
            let next = Node { rank: choice.rank, unmoved, maybe };
            looked_further = true;
            if self.moved(choice, |this| some_class_leads_on(this, next, after)) {
                return true;
            }
        }
        // Where nothing was looked at further, failing again is as cheap as remembering.
        if looked_further && remembered {
            self.memory.fail(&position, left);
        }
        false
    }

    /// Whether a move within a class must lead to a new cell. Men of the class may be on `stood`, and those on `unmoved`
    /// have not moved. If there are some of both kinds, a man who has not moved may go to a cell of `stood`.
    ///
    /// Where the exact look-ahead follows, no move has to: it counts moves that are none here.
    fn must_land(&self, unmoved: &QuarterSet<Q>, stood: &QuarterSet<Q>) -> bool {
        matches!(self.bound.look_ahead, LookAhead::ClassByClass(_)) && (unmoved.is_empty() || unmoved == stood)
    }

    /// The exact look-ahead, man by man: whether enough relaxed moves are possible.
    fn by_men(&mut self, position: Node<Q>, left: MovesLeft) -> bool {
        let choices = self.open(&position, left);
        if choices.is_empty() || self.memory.has_failed(&position, left) {
            return false;
        }
        let lower_ends = self.bound.boards.lower_ends(&position.unmoved.or(&position.maybe));
        let mut first = choices.start;
        while first < choices.end {
            let a = self.choices.at(first).from;
            let end = (first..choices.end).find(|&at| self.choices.at(at).from != a).unwrap_or(choices.end);
            if self.class_moves(&position, &lower_ends, first..end, left) {
                return true;
            }
            first = end;
        }
        self.memory.fail(&position, left);
        false
    }

    /// Whether one of these choices, all for men of one class, leads on.
    fn class_moves(
        &mut self,
        position: &Node<Q>,
        lower_ends: &LowerEnds<Q>,
        choices: std::ops::Range<usize>,
        left: MovesLeft,
    ) -> bool {
        let class = usize::from(self.choices.at(choices.start).from);
        let own = self.bound.classes[class];
        let (still, gone) = (position.unmoved.and(&own), position.maybe.and(&own));
        if !gone.is_empty() {
            let reach = self.bound.boards.reach(&gone, lower_ends, &position.unmoved);
            let last = u32::from(self.histogram[class]) == still.len() + 1;
            for at in choices.clone() {
                let choice = self.choices.at(at);
                // When the last man of a class has moved, its cells are empty.
                let maybe = if last && choice.to != choice.from { position.maybe.but(&own) } else { position.maybe };
                if self.lands(&reach, choice, Node { rank: choice.rank, maybe, ..*position }, left) {
                    return true;
                }
            }
        }
        for kind in 0..TYPES {
            let mut men = still.0[kind];
            while men != Q::default() {
                let mut man = QuarterSet::default();
                man.0[kind] = men & !men.rest();
                men = men.rest();
                let unmoved = position.unmoved.but(&man);
                // He jumps over cells of other types only, so he may count as a rung himself.
                let reach = self.bound.boards.reach(&man, lower_ends, &unmoved);
                for at in choices.clone() {
                    let choice = self.choices.at(at);
                    let next = Node { rank: choice.rank, unmoved, maybe: position.maybe };
                    if self.lands(&reach, choice, next, left) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether a man who can go to `reach` can make that choice, and others can follow; `next` does not have his
    /// landings yet.
    #[inline]
    fn lands(&mut self, reach: &QuarterSet<Q>, choice: Choice, mut next: Node<Q>, left: MovesLeft) -> bool {
        let landings = reach.and(&self.bound.classes[usize::from(choice.to)]);
        if landings.is_empty() {
            return false;
        }
        let after = MovesLeft { all: left.all - 1, looked_at: left.looked_at - 1 };
        if choice.arrives || after.looked_at == 0 {
            return true;
        }
        next.maybe = next.maybe.or(&landings);
        self.moved(choice, |this| this.by_men(next, after))
    }
}
