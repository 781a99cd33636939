//! Interchangeable workers: of mappings that differ only in which of several equal workers is where, one is
//! searched.
//!
//! Two neighbouring copies of a farm's worker are *interchangeable* if an exchange of their tasks, one by
//! one, leaves the program as it is. Each task has the same service time as the one in its place, each move
//! has a move of the same size in its place, and what is a choice in one copy is a choice in the other. A
//! task that goes through the copies in turn, as in a deal, tells them apart. Exchanges of neighbours make
//! all permutations of the copies. So each mapping has an equal one in which the copies are in the order of
//! the lists of their processors.
//!
//! Of all mappings that are equal to one, take the smallest in the order of lists. Its copies are in order,
//! and so are its [processors](super::processors), since any exchange of either would make it smaller. So
//! among the mappings that keep both orders there is at least one of those that are equal, and occasionally
//! more than one.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use skel_core::skeleton::{Stage, StageId, Tree};

use crate::program::{Application, Endpoint, Partners};

/// The interchangeable copies in a program.
#[derive(Clone, Debug)]
pub(super) struct InterchangeableWorkers {
    /// The pairs of interchangeable neighbours. A pair inside another comes before it, and otherwise the
    /// first tasks come first.
    pairs: Vec<Neighbours>,
}

/// Two neighbouring copies of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Neighbours {
    /// The first task of the first copy.
    start: usize,
    /// How many tasks each copy has.
    length: usize,
}

impl Neighbours {
    fn first(self) -> Range<usize> {
        self.start..self.start + self.length
    }

    fn second(self) -> Range<usize> {
        self.start + self.length..self.start + 2 * self.length
    }

    /// The task in whose place a task comes when the two are exchanged.
    fn exchanged(self, task: usize) -> usize {
        match task {
            task if self.first().contains(&task) => task + self.length,
            task if self.second().contains(&task) => task - self.length,
            task => task,
        }
    }

    fn exchange(self, placed: &mut [usize]) {
        let (first, second) = placed[self.start..self.second().end].split_at_mut(self.length);
        first.swap_with_slice(second);
    }
}

impl InterchangeableWorkers {
    /// Finds them. A pair takes time about linear in its moves, and in those of the tasks that go through it
    /// in turn.
    pub(super) fn new(application: &Application) -> InterchangeableWorkers {
        let mut pairs = Vec::new();
        if let Some((tree, _)) = application.as_skeleton() {
            neighbours(tree, tree.root(), 0, &mut pairs);
        }
        let numbered = application.moves().enumerate();
        let numbers: HashMap<(Endpoint, Endpoint), usize> =
            numbered.map(|(number, ends)| (ends, number)).collect();
        pairs.retain(|&pair| Exchange { application, numbers: &numbers, pair }.changes_nothing());
        InterchangeableWorkers { pairs }
    }

    /// Whether the copies stay in order when the next task is placed on this processor.
    pub(super) fn allows_next(&self, placed: &[usize], processor: usize) -> bool {
        let task = placed.len();
        let of_task = self.pairs.iter().filter(|pair| pair.second().contains(&task));
        of_task.into_iter().all(|pair| {
            let before = &placed[pair.start..=task - pair.length];
            let own = placed[pair.second().start..].iter().chain([&processor]);
            own.cmp(before).is_ge()
        })
    }

    /// Puts the copies in order. Returns whether that changed anything.
    pub(super) fn sort(&self, placed: &mut [usize]) -> bool {
        let mut has_changed = false;
        // Neighbours are exchanged until all are in order.
        loop {
            let mut is_in_order = true;
            for pair in &self.pairs {
                if placed[pair.second()] < placed[pair.first()] {
                    pair.exchange(placed);
                    is_in_order = false;
                }
            }
            if is_in_order {
                return has_changed;
            }
            has_changed = true;
        }
    }
}

/// Adds the pairs of neighbours in a stage, whose first task has the number `start`. Returns how many tasks
/// the stage has.
fn neighbours(tree: &Tree, id: StageId, start: usize, pairs: &mut Vec<Neighbours>) -> usize {
    match tree.stage(id) {
        Stage::Task(_) | Stage::Team(_) => 1,
        Stage::Pipe(stages) => {
            let each = |tasks, &stage| tasks + neighbours(tree, stage, start + tasks, pairs);
            stages.iter().fold(0, each)
        }
        Stage::Replicated { replicas, worker, .. } => {
            let copies = *replicas as usize;
            let mut length = 0;
            for copy in 0..copies {
                length = neighbours(tree, *worker, start + copy * length, pairs);
            }
            pairs.extend((1..copies).map(|copy| Neighbours { start: start + (copy - 1) * length, length }));
            copies * length
        }
    }
}

/// The exchange of two copies in a program.
struct Exchange<'a> {
    application: &'a Application,
    /// The number of the move between two ends.
    numbers: &'a HashMap<(Endpoint, Endpoint), usize>,
    pair: Neighbours,
}

impl Exchange<'_> {
    /// Whether the program is the same after the exchange. Moves that do not touch the copies stay as they
    /// are, and so do the tasks that have no others.
    fn changes_nothing(&self) -> bool {
        self.pair.first().all(|task| self.are_alike(task, task + self.pair.length))
            && self.partners().into_iter().all(|task| {
                let partner = &self.application.tasks[task];
                self.keeps_order(&partner.receives) && self.keeps_order(&partner.sends)
            })
    }

    /// Whether a task of the first copy does what the one in its place in the second does.
    fn are_alike(&self, task: usize, other_task: usize) -> bool {
        let [one, other] = [task, other_task].map(|task| &self.application.tasks[task]);
        let is_exit = |task| self.application.exits.contains(&task);
        one.service == other.service
            && is_exit(task) == is_exit(other_task)
            && self.is_image(&one.receives, &other.receives)
            && self.is_image(&one.sends, &other.sends)
    }

    /// Whether the images of one side's moves are the other's, in the order in which a task goes through them
    /// where it does.
    fn is_image(&self, one: &Partners, other: &Partners) -> bool {
        let images = one.moves.iter().map(|&number| self.image(number));
        let Some(mut images) = images.collect::<Option<Vec<usize>>>() else { return false };
        let mut moves = other.moves.clone();
        if one.is_choice {
            images.sort_unstable();
            moves.sort_unstable();
        }
        one.is_choice == other.is_choice && images == moves
    }

    /// Whether a task outside the copies goes through its partners in the same order as before. A choice has
    /// no order.
    fn keeps_order(&self, side: &Partners) -> bool {
        side.is_choice || self.is_image(side, side)
    }

    /// The tasks outside the copies to or from which something moves.
    fn partners(&self) -> BTreeSet<usize> {
        let inside = self.pair.start..self.pair.second().end;
        let tasks = &self.application.tasks[inside.clone()];
        let moves = tasks.iter().flat_map(|task| task.receives.moves.iter().chain(&task.sends.moves));
        let ends = moves.flat_map(|&number| {
            let one = &self.application.moves[number];
            [one.from, one.to]
        });
        let outside = ends.filter_map(|end| match end {
            Endpoint::Task(task) if !inside.contains(&task) => Some(task),
            _ => None,
        });
        outside.collect()
    }

    /// The move that one becomes, if there is one of its size.
    fn image(&self, number: usize) -> Option<usize> {
        let one = &self.application.moves[number];
        let [from, to] = [one.from, one.to].map(|end| match end {
            Endpoint::Task(task) => Endpoint::Task(self.pair.exchanged(task)),
            end => end,
        });
        let image = *self.numbers.get(&(from, to))?;
        (self.application.moves[image].size == one.size).then_some(image)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Data;
    use skel_core::skeleton::text::parse;

    fn replicas(text: &str) -> InterchangeableWorkers {
        let tree = parse(text).into_tree().unwrap();
        InterchangeableWorkers::new(&Application::skeleton(&tree, |_, _| Data::bytes(1)).unwrap())
    }

    /// How many mappings of some tasks to three processors are searched.
    fn count(text: &str, tasks: usize) -> usize {
        let replicas = replicas(text);
        let mut parts = vec![Vec::new()];
        for _ in 0..tasks {
            let longer = |placed: &Vec<usize>| {
                let placed = placed.clone();
                let choices = (0..3).filter(|&one| replicas.allows_next(&placed, one));
                choices.map(|one| [placed.as_slice(), &[one]].concat()).collect::<Vec<_>>()
            };
            parts = parts.iter().flat_map(longer).collect();
        }
        parts.len()
    }

    #[test]
    fn workers_of_a_farm_are_multisets() {
        // Of three processors, so many multisets of two, three and four.
        assert_eq!(count("farm(2, 1);", 2), 6);
        assert_eq!(count("pipe(task(1), farm(3, 2));", 4), 3 * 10);
        assert_eq!(count("pipe(farm(4, 1), task(2));", 5), 15 * 3);
        // Two copies of a pipe of two stages: nine places for each.
        assert_eq!(count("farm(2, pipe(task(1), task(5)));", 4), 45);
        // Two farms of two: six for each of them.
        assert_eq!(count("farm(2, farm(2, 1));", 4), 21);
    }

    #[test]
    fn workers_in_turn_are_told_apart() {
        assert_eq!(count("pipe(task(1), deal(3, 2), task(1));", 5), 3_usize.pow(5));
    }

    #[test]
    fn what_is_put_in_order_is_looked_at() {
        let replicas = replicas("pipe(farm(3, pipe(task(1), farm(2, 3))), task(1));");
        let mut placed = vec![2, 1, 0, 2, 0, 0, 1, 2, 2, 0];
        assert!(replicas.sort(&mut placed));
        assert_eq!(placed, [1, 2, 2, 2, 0, 0, 2, 0, 1, 0]);
        assert!(!replicas.sort(&mut placed));
        assert!((0..placed.len()).all(|task| replicas.allows_next(&placed[..task], placed[task])));
    }
}
