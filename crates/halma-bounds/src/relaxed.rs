//! Look-ahead in a relaxed problem, as planners do by ignoring what actions delete (Bonet and Geffner 2001): moves of a
//! state's own men, of which those that have moved may stand wherever one of them could have gone. It departs in that
//! the relaxed moves are counted exactly, and a pattern database judges where they end.
//!
//! Histograms let a man jump over some man of a diagonal wherever on it he stands. Here he must reach real cells over
//! real men, or over cells where a moved man may be; only what moved men leave behind is relaxed. docs/proof.md (lemma
//! 14a) says what a relaxed move is and why no state of a solution is cut.
//!
//! A state is looked at man by man only if it passes a cheaper look: there the men of a class move as one, and the
//! cells of a class that somebody has left block nobody. Every way man by man is one of these, so this look changes no
//! verdict.

mod choices;
mod memory;

use std::sync::Arc;

use halma_record::job::LookAheadDepth;
use halma_rules::lattice::Lattice;
use halma_rules::moves::planes::{Plane, Planes, TYPES};
use halma_rules::moves::word::Word;

use self::choices::{Choice, Choices};
use self::memory::Memory;
use super::abstraction::{Abstraction, Table};

/// What drops new states of a level, once each.
pub trait Filter: Send + Sync {
    /// Whether it drops any on level `depth`.
    fn asks(&self, depth: u32) -> bool;

    /// Its working part, one for each thread.
    fn sifter(&self) -> Box<dyn Sifter>;
}

/// One thread's part of a [`Filter`].
pub trait Sifter: Send {
    /// Whether the army of these men, ascending, may stay on level `depth`.
    fn admits(&mut self, men: &[u8], depth: u32) -> bool;
}

/// All that looks ahead need to know of one problem.
pub struct Ladders {
    planes: AnyPlanes,
}

/// Quarter boards in the narrowest words that hold them.
enum AnyPlanes {
    Small(Arc<Planes<u32>>),
    Middle(Arc<Planes<u64>>),
    Large(Arc<Planes<u128>>),
}

impl Ladders {
    /// Those of a lattice; `None` where its quarter boards fit no word.
    #[must_use]
    pub fn new(lattice: &Lattice, jumps_only: bool) -> Option<Self> {
        let small = Planes::new(lattice, jumps_only).map(|p| AnyPlanes::Small(Arc::new(p)));
        let middle = || Planes::new(lattice, jumps_only).map(|p| AnyPlanes::Middle(Arc::new(p)));
        let large = || Planes::new(lattice, jumps_only).map(|p| AnyPlanes::Large(Arc::new(p)));
        Some(Self { planes: small.or_else(middle).or_else(large)? })
    }

    /// The filter of walks that come by level `limit` to a histogram at a distance of at most `near` in `table`.
    #[must_use]
    pub fn filter(
        &self,
        abstraction: &Arc<Abstraction>,
        table: &Arc<Table>,
        (limit, near): (u32, u32),
        budgets: LookAheadDepth,
    ) -> Arc<dyn Filter> {
        let goal = Goal { abstraction: Arc::clone(abstraction), table: Arc::clone(table), limit, near };
        match &self.planes {
            AnyPlanes::Small(planes) => Arc::new(Relaxed::new(goal, budgets, planes)),
            AnyPlanes::Middle(planes) => Arc::new(Relaxed::new(goal, budgets, planes)),
            AnyPlanes::Large(planes) => Arc::new(Relaxed::new(goal, budgets, planes)),
        }
    }
}

/// Where walks must come to, and by when.
#[derive(Clone, Debug)]
struct Goal {
    abstraction: Arc<Abstraction>,
    table: Arc<Table>,
    limit: u32,
    near: u32,
}

/// The filter over quarter boards of one width.
#[derive(Clone, Debug)]
struct Relaxed<Q> {
    goal: Goal,
    budgets: LookAheadDepth,
    planes: Arc<Planes<Q>>,
    /// By class: its cells.
    classes: Arc<Vec<Plane<Q>>>,
}

impl<Q: Word> Relaxed<Q> {
    fn new(goal: Goal, budgets: LookAheadDepth, planes: &Arc<Planes<Q>>) -> Self {
        let class_of = &goal.abstraction.partition.class_of;
        let cells = |class: usize| planes.of((0..class_of.len()).filter(|&c| usize::from(class_of[c]) == class));
        let classes = Arc::new((0..goal.abstraction.space.classes()).map(cells).collect());
        Self { goal, budgets, planes: Arc::clone(planes), classes }
    }

    /// Moves left on level `depth`.
    fn left(&self, depth: u32) -> u32 {
        self.goal.limit.saturating_sub(self.goal.near).saturating_sub(depth)
    }
}

impl<Q: Word> Filter for Relaxed<Q> {
    fn asks(&self, depth: u32) -> bool {
        self.budgets.depth(self.left(depth)).is_some()
    }

    fn sifter(&self) -> Box<dyn Sifter> {
        let classes = self.classes.len();
        Box::new(RelaxedSifter {
            histogram: vec![0; classes],
            choices: Choices::new(&self.goal.abstraction.space),
            memory: Memory::default(),
            bound: self.clone(),
        })
    }
}

/// What a look ahead stands at: a histogram, by its rank, and cells.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Position<Q> {
    rank: u32,
    /// Man by man: the men who have not moved. Class by class: those of classes that nobody has left.
    unmoved: Plane<Q>,
    /// Man by man: where moved men may be. Class by class: where anybody may be.
    maybe: Plane<Q>,
}

/// Moves left altogether, and those of them that are looked at.
#[derive(Clone, Copy)]
struct MovesLeft {
    all: u32,
    looked_at: u32,
}

struct RelaxedSifter<Q> {
    bound: Relaxed<Q>,
    /// Of the position that is looked at.
    histogram: Vec<u8>,
    choices: Choices,
    memory: Memory<Q>,
}

impl<Q: Word> Sifter for RelaxedSifter<Q> {
    fn admits(&mut self, men: &[u8], depth: u32) -> bool {
        let left = self.bound.left(depth);
        let Some(looked_at) = self.bound.budgets.depth(left) else { return true };
        let Goal { abstraction, table, near, .. } = &self.bound.goal;
        abstraction.histogram(men, &mut self.histogram);
        let rank = abstraction.space.rank(&self.histogram);
        if table.within(rank, *near) {
            return true;
        }
        if !table.within(rank, left + near) {
            return false;
        }
        let army = self.bound.planes.of(men.iter().map(|&c| usize::from(c)));
        let left = MovesLeft { all: left, looked_at };
        self.choices.settle();
        self.memory.forget();
        let by_class = Position { rank, unmoved: army, maybe: army };
        if !self.by_classes(by_class, left) {
            return false;
        }
        self.memory.forget();
        self.by_men(Position { rank, unmoved: army, maybe: Plane::default() }, left)
    }
}

impl<Q: Word> RelaxedSifter<Q> {
    /// The moves of the position's histogram after which the table still leaves enough, as a range of `choices`.
    #[inline]
    fn open(&mut self, position: &Position<Q>, left: MovesLeft) -> std::ops::Range<usize> {
        self.choices.of(&self.bound.goal, &self.histogram, position.rank, left.all - 1)
    }

    /// Puts a man from class `a` into class `b` while `look` is asked.
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

    /// Whether enough moves are possible where men of a class move as one.
    fn by_classes(&mut self, position: Position<Q>, left: MovesLeft) -> bool {
        let choices = self.open(&position, left);
        if choices.is_empty() || self.memory.has_failed(&position, left) {
            return false;
        }
        let after = MovesLeft { all: left.all - 1, looked_at: left.looked_at - 1 };
        let mut reached = None;
        for at in choices {
            let choice = self.choices.at(at);
            let (a, b) = (usize::from(choice.from), usize::from(choice.to));
            let own = self.bound.classes[a];
            // Another man of the class may be where this one goes.
            let unmoved = position.unmoved.but(&own);
            let reach = match reached {
                Some((class, reach)) if class == a => reach,
                _ => self.bound.planes.reach(&position.maybe.and(&own), &position.maybe, &unmoved),
            };
            reached = Some((a, reach));
            let landings = reach.and(&self.bound.classes[b]);
            if a != b && landings.is_empty() {
                continue;
            }
            if choice.arrives || after.looked_at == 0 {
                return true;
            }
            let mut maybe = position.maybe.or(&landings);
            if a != b && self.histogram[a] == 1 {
                maybe = maybe.but(&own);
            }
            let next = Position { rank: choice.rank, unmoved, maybe };
            if self.moved(choice, |this| this.by_classes(next, after)) {
                return true;
            }
        }
        self.memory.fail(&position, left);
        false
    }

    /// Whether enough relaxed moves are possible.
    fn by_men(&mut self, position: Position<Q>, left: MovesLeft) -> bool {
        let choices = self.open(&position, left);
        if choices.is_empty() || self.memory.has_failed(&position, left) {
            return false;
        }
        let mut first = choices.start;
        while first < choices.end {
            let a = self.choices.at(first).from;
            let end = (first..choices.end).find(|&at| self.choices.at(at).from != a).unwrap_or(choices.end);
            if self.class_moves(&position, first..end, left) {
                return true;
            }
            first = end;
        }
        self.memory.fail(&position, left);
        false
    }

    /// Whether one of these choices, all of men of one class, leads on.
    fn class_moves(&mut self, position: &Position<Q>, choices: std::ops::Range<usize>, left: MovesLeft) -> bool {
        let class = usize::from(self.choices.at(choices.start).from);
        let own = self.bound.classes[class];
        let rungs = position.unmoved.or(&position.maybe);
        let (still, gone) = (position.unmoved.and(&own), position.maybe.and(&own));
        if !gone.is_empty() {
            let reach = self.bound.planes.reach(&gone, &rungs, &position.unmoved);
            let last = u32::from(self.histogram[class]) == still.len() + 1;
            for at in choices.clone() {
                let choice = self.choices.at(at);
                // Where the last moved man of a class leaves it nobody is left there.
                let maybe = if last && choice.to != choice.from { position.maybe.but(&own) } else { position.maybe };
                if self.lands(&reach, choice, Position { rank: choice.rank, maybe, ..*position }, left) {
                    return true;
                }
            }
        }
        for kind in 0..TYPES {
            let mut men = still.0[kind];
            while men != Q::default() {
                let mut man = Plane::default();
                man.0[kind] = men & !men.rest();
                men = men.rest();
                let unmoved = position.unmoved.but(&man);
                // He is of another type than what he jumps over, so he may count as a rung himself.
                let reach = self.bound.planes.reach(&man, &rungs, &unmoved);
                for at in choices.clone() {
                    let choice = self.choices.at(at);
                    let next = Position { rank: choice.rank, unmoved, maybe: position.maybe };
                    if self.lands(&reach, choice, next, left) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Whether a man who may go to `reach` can make that choice and others after it; `next` lacks his landings.
    #[inline]
    fn lands(&mut self, reach: &Plane<Q>, choice: Choice, mut next: Position<Q>, left: MovesLeft) -> bool {
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
