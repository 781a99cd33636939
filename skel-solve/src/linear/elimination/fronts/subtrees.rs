//! Which fronts several threads eliminate at once.
//!
//! A front needs what its children left, and nothing else, so that [subtrees](super) that do not lie in one
//! another are eliminated apart. The large ones are divided at their roots, as long as that shortens the
//! time: that of the thread with the most subtrees, and that of the fronts above, which come one after the
//! other. A chain that is eliminated along a wave has no subtrees beside one another.
//!
//! A. Pothen, C. Sun, SIAM J. Sci. Comput. 14 (1993).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::Fronts;
use super::panel;

/// Below this work, threads take longer to start.
const LEAST: u64 = 1 << 22;

/// Subtrees of less work are eliminated with the fronts above them.
const LEAST_OF_SUBTREE: u64 = 1 << 17;

/// Multiplications that take as long as it does to make room for an entry of a front, to fill it, and to hand
/// it on.
const FOR_AN_ENTRY: u64 = 6;

/// The multiplications that are worth a thread of their own: they take some ten times as long as it takes to
/// start one.
const LEAST_FOR_A_THREAD: usize = 1 << 20;

/// The most divisions that are tried.
const MOST_DIVISIONS: usize = 1 << 12;

/// Fronts that do not depend on others.
pub(super) struct Subtree {
    pub(super) fronts: Range<usize>,
    work: u64,
}

/// Whether there is enough to do for several threads.
pub(super) fn are_worth_threads(fronts: &Fronts) -> bool {
    (0..fronts.count()).map(|front| work(fronts, front)).sum::<u64>() >= LEAST
}

/// Subtrees for so many threads, the largest first; none where one thread takes no longer.
pub(super) fn apart(fronts: &Fronts, parents: &[Option<usize>], threads: usize) -> Vec<Subtree> {
    if threads < 2 {
        return Vec::new();
    }
    let tree = Tree::of(fronts, parents);
    tree.below(&tree.divided(fronts, threads))
}

/// What is known of each front, and of all before it that are in the subtree whose root it is.
struct Tree {
    /// The work of the front, and of its subtree.
    own: Vec<u64>,
    of_subtree: Vec<u64>,
    /// The first front of the subtree.
    first: Vec<usize>,
    children: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

impl Tree {
    fn of(fronts: &Fronts, parents: &[Option<usize>]) -> Tree {
        let count = fronts.count();
        let own: Vec<u64> = (0..count).map(|front| work(fronts, front)).collect();
        let (of_subtree, children) = (own.clone(), vec![Vec::new(); count]);
        let mut tree = Tree { own, of_subtree, first: (0..count).collect(), children, roots: Vec::new() };
        for (front, parent) in parents.iter().enumerate() {
            match *parent {
                Some(parent) => {
                    tree.first[parent] = tree.first[parent].min(tree.first[front]);
                    tree.of_subtree[parent] += tree.of_subtree[front];
                    tree.children[parent].push(front);
                }
                None => tree.roots.push(front),
            }
        }
        tree
    }

    /// The fronts above the subtrees, with which threads are likely to take the least time.
    fn divided(&self, fronts: &Fronts, threads: usize) -> Vec<usize> {
        let all: u64 = self.own.iter().sum();
        let with_work = |&front: &usize| (self.of_subtree[front], front);
        let mut undivided: BinaryHeap<(u64, usize)> = self.roots.iter().map(with_work).collect();
        let (mut least, mut best, mut above, mut beside) = (all, 0, 0, all);
        let mut divided = Vec::new();
        while divided.len() < MOST_DIVISIONS
            && let Some((_, front)) = undivided.pop()
        {
            divided.push(front);
            undivided.extend(self.children[front].iter().map(with_work));
            (above, beside) =
                (above + time_above(fronts, front, self.own[front], threads), beside - self.own[front]);
            let largest = undivided.peek().map_or(0, |(work, _)| *work);
            let time = above + largest.max(beside / threads as u64);
            if time < least {
                (least, best) = (time, divided.len());
            }
        }
        divided.truncate(best);
        divided
    }

    /// The subtrees below some fronts, but for small ones.
    fn below(&self, divided: &[usize]) -> Vec<Subtree> {
        let mut is_divided = vec![false; self.own.len()];
        divided.iter().for_each(|&front| is_divided[front] = true);
        let children = divided.iter().flat_map(|&front| &self.children[front]);
        let of =
            |&front: &usize| Subtree { fronts: self.first[front]..front + 1, work: self.of_subtree[front] };
        let mut subtrees: Vec<Subtree> = children
            .filter(|&&child| !is_divided[child] && self.of_subtree[child] >= LEAST_OF_SUBTREE)
            .map(of)
            .collect();
        subtrees.sort_unstable_by_key(|tree| (Reverse(tree.work), tree.fronts.start));
        subtrees
    }
}

/// How many threads share the rows of a front with so many numbers, from which some states are eliminated.
pub(super) fn sharing_rows(numbers: usize, states: usize, threads: usize) -> usize {
    threads.min(numbers * states / LEAST_FOR_A_THREAD)
}

/// Deals out subtrees, the largest first, each to the thread that has the least work so far. Who has which
/// follows from counted work and not from time, so it is the same in each run.
pub(super) fn shared(subtrees: Vec<Subtree>, threads: usize) -> Vec<Vec<Subtree>> {
    let mut shares: Vec<(u64, Vec<Subtree>)> =
        (0..threads.min(subtrees.len())).map(|_| (0, Vec::new())).collect();
    for subtree in subtrees {
        if let Some((work, share)) = shares.iter_mut().min_by_key(|(work, _)| *work) {
            *work += subtree.work;
            share.push(subtree);
        }
    }
    shares.into_iter().map(|(_, share)| share).collect()
}

/// How many numbers so many threads take for subtrees, beside what one thread takes that has all fronts; at
/// most twice as many where rates onward are kept. `left` has, for each front, the numbers that are left to
/// it and later ones.
pub(super) fn numbers(
    (fronts, left): (&Fronts, &[u64]),
    subtrees: &[Subtree],
    threads: usize,
    block: usize,
) -> u64 {
    let at_once = |tree: &Subtree| {
        let of_front = |front: usize| left[front] - left[tree.fronts.start] + fronts.numbers(front, block);
        tree.fronts.clone().map(of_front).max().unwrap_or(0)
    };
    let border = |tree: &Subtree| (fronts.border(tree.fronts.end - 1).len() as u64).pow(2);
    let kept = |tree: &Subtree| fronts.entries_of(tree.fronts.clone()) as u64;
    let most = |of: &dyn Fn(&Subtree) -> u64| subtrees.iter().map(of).max().unwrap_or(0);
    let rows = fronts.states.len() as u64;
    let waiting: u64 = subtrees.iter().map(border).sum();
    most(&kept) + waiting + threads as u64 * (most(&at_once) + rows)
}

/// The time that threads take for a front above all subtrees whose work this is, in multiplications of one
/// thread. About half of that work is in the rows, which they share.
fn time_above(fronts: &Fronts, front: usize, work: u64, threads: usize) -> u64 {
    let side = fronts.places(front).len() + fronts.border(front).len();
    let sharing = sharing_rows(side * side, panel::MOST, threads).max(1) as u64;
    (work + work / sharing) / 2
}

/// About how many multiplications a front takes.
fn work(fronts: &Fronts, front: usize) -> u64 {
    let places = fronts.places(front).len() as u64;
    let size = places + fronts.border(front).len() as u64;
    let entry = size * size * FOR_AN_ENTRY;
    (size - places..size).map(|behind| behind * behind).sum::<u64>() + entry
}

#[cfg(test)]
mod tests {
    use super::{Subtree, apart, are_worth_threads, shared, time_above, work};
    use crate::limits::{Limits, Watch};
    use crate::linear::elimination::fronts::Fronts;
    use crate::linear::elimination::ordering::{self, Price};
    use crate::random_chain::grid;

    /// The fronts of a grid of two dimensions in an order of minimum degree.
    fn of_grid(side: usize) -> Fronts {
        let (limits, most) = (Limits::default(), Price { entries: u64::MAX, work: u64::MAX });
        let matrix = grid(side, side);
        let fronts = ordering::order_with_last(&matrix, None, most, &mut Watch::start(&limits));
        fronts.unwrap_or_else(|_| panic!("no limit")).merged()
    }

    /// Work, counted rather than timed: of the thread that has most, and of the fronts above all subtrees.
    #[test]
    fn subtrees_of_a_grid_are_shared_by_up_to_sixteen_threads() {
        let fronts = of_grid(300);
        let parents = fronts.parents();
        let total: u64 = (0..fronts.count()).map(|front| work(&fronts, front)).sum();
        let mut times = Vec::new();
        for threads in [2, 4, 16] {
            let subtrees = apart(&fronts, &parents, threads);
            let is_above = |front: &usize| !subtrees.iter().any(|subtree| subtree.fronts.contains(front));
            let of_front = |front| time_above(&fronts, front, work(&fronts, front), threads);
            let above: u64 = (0..fronts.count()).filter(is_above).map(of_front).sum();
            let shared = shared(subtrees, threads);
            assert!(shared.len() <= threads);
            let of_thread = |share: &Vec<Subtree>| share.iter().map(|subtree| subtree.work).sum::<u64>();
            let most = shared.iter().map(of_thread).max().unwrap();
            times.push([most, above].map(|work| work as f64 / total as f64));
        }
        let times: Vec<f64> = times.iter().map(|times| times.iter().sum()).collect();
        assert!(times.is_sorted_by(|before, after| after < before), "{times:?}");
        assert!(times[0] < 0.6 && times[2] < 0.35, "{times:?}");
    }

    #[test]
    fn a_subtree_has_all_that_is_before_its_root_and_nothing_of_another_one() {
        let fronts = of_grid(120);
        let parents = fronts.parents();
        let subtrees = apart(&fronts, &parents, 4);
        assert!(subtrees.len() >= 4);
        for subtree in &subtrees {
            for (front, parent) in parents.iter().enumerate() {
                let is_root = front + 1 == subtree.fronts.end;
                let is_inside = |front: usize| subtree.fronts.contains(&front);
                assert!(is_root || parent.is_none_or(|parent| is_inside(parent) == is_inside(front)));
            }
        }
        assert!(apart(&fronts, &parents, 1).is_empty());
        assert!(are_worth_threads(&fronts) && !are_worth_threads(&of_grid(10)));
    }
}
