//! Interchangeable processors: of mappings that differ only in which of these is used, one is searched.
//!
//! Two processors are *interchangeable* if an exchange of the two leaves the machines as they are. They have
//! equal powers, equal links to and from each third processor, equal links within themselves and between the
//! two, and neither is the place of the input or the output. Links are equal if they carry every item of the
//! program in equal times, so machines of one cluster are interchangeable. This is an equivalence relation:
//! if a and b may be exchanged, and b and c as well, then so may a and c, by the exchanges of a and b, of b
//! and c, and of a and b again. So the processors fall into classes, and those of a class may be permuted in
//! any way. For each mapping there is exactly one equal mapping in which the processors of each class are
//! used for the first time in the order of their numbers. Only these mappings are searched.

use crate::decide::search::link_rates::LinkRates;
use crate::platform::{Platform, ProcessorId};

/// The classes of interchangeable processors.
#[derive(Clone, Debug)]
pub(super) struct InterchangeableProcessors {
    /// For each processor the number of its class.
    class: Vec<usize>,
    /// For each class its processors in ascending order.
    members: Vec<Vec<usize>>,
}

impl InterchangeableProcessors {
    /// Finds the classes. Each `fixed` processor is a class of its own. Each processor is compared with one
    /// of each class, which takes time linear in the number of processors.
    pub(super) fn new(
        platform: &Platform,
        links: &LinkRates,
        fixed: &[ProcessorId],
    ) -> InterchangeableProcessors {
        let ids: Vec<ProcessorId> = platform.processors().collect();
        let (mut class, mut members) = (Vec::new(), Vec::<Vec<usize>>::new());
        for (index, &id) in ids.iter().enumerate() {
            let is_of = |members: &Vec<usize>| {
                let other = ids[members[0]];
                let is_fixed = [id, other].iter().any(|end| fixed.contains(end));
                !is_fixed && are_interchangeable(platform, links, other, id)
            };
            let number = members.iter().position(is_of).unwrap_or(members.len());
            if number == members.len() {
                members.push(Vec::new());
            }
            members[number].push(index);
            class.push(number);
        }
        InterchangeableProcessors { class, members }
    }

    /// The processors on which the next task may be, where the first ones are placed. Of the unused
    /// processors of a class it is the first.
    pub(super) fn choices<'s>(&'s self, placed: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        let is_used = |processor: &usize| placed.contains(processor);
        let first_unused = move |class: usize| self.members[class].iter().find(|&one| !is_used(one));
        let is_next = move |one: &usize| is_used(one) || first_unused(self.class[*one]) == Some(one);
        (0..self.class.len()).filter(is_next)
    }

    /// Whether no processor is used after an unused one of its class.
    pub(super) fn allows_used(&self, is_used: impl Fn(usize) -> bool) -> bool {
        self.members.iter().all(|members| members.is_sorted_by_key(|&processor| !is_used(processor)))
    }

    /// The equal mapping in which the processors of each class are used for the first time in the order of
    /// their numbers.
    pub(super) fn canonical(&self, placed: &[usize]) -> Vec<usize> {
        let mut name = vec![None; self.class.len()];
        let mut next = vec![0; self.members.len()];
        let mut renamed = |&processor: &usize| {
            let class = self.class[processor];
            *name[processor].get_or_insert_with(|| {
                next[class] += 1;
                self.members[class][next[class] - 1]
            })
        };
        placed.iter().map(&mut renamed).collect()
    }
}

fn are_interchangeable(platform: &Platform, links: &LinkRates, one: ProcessorId, other: ProcessorId) -> bool {
    let link = |from: ProcessorId, to: ProcessorId| links.kind(from.index(), to.index());
    let exchanged = |id| match id {
        id if id == one => other,
        id if id == other => one,
        id => id,
    };
    platform.power(one) == platform.power(other)
        && platform.processors().all(|third| {
            [one, other].into_iter().all(|end| {
                link(end, third) == link(exchanged(end), exchanged(third))
                    && link(third, end) == link(exchanged(third), exchanged(end))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Application, Bandwidth, Data, Links, Power, Processor, Stage, Work};

    fn platform(powers: &[u32], links: &Links) -> Platform {
        let processors = powers.iter().map(|&power| Processor::new(Power::per_second(power)));
        Platform::new(processors, links).unwrap()
    }

    /// The classes for a program of one task.
    fn classes(platform: &Platform, fixed: &[ProcessorId]) -> InterchangeableProcessors {
        let application = Application::pipeline([Stage::new(Work::units(1))], Data::bytes(8)).unwrap();
        let links = LinkRates::new(&application, platform).unwrap();
        InterchangeableProcessors::new(platform, &links, fixed)
    }

    /// How many mappings of some tasks are searched.
    fn count(symmetry: &InterchangeableProcessors, tasks: usize, placed: &mut Vec<usize>) -> usize {
        if placed.len() == tasks {
            return 1;
        }
        let choices: Vec<usize> = symmetry.choices(placed).collect();
        let below = |choice| {
            placed.push(choice);
            let count = count(symmetry, tasks, placed);
            placed.pop();
            count
        };
        choices.into_iter().map(below).sum()
    }

    #[test]
    fn mappings_to_equal_processors_are_partitions() {
        let links = Links::everywhere(Bandwidth::bytes_per_second(1));
        let equal = platform(&[1; 6], &links);
        // The Bell numbers: sets of tasks that share a processor.
        for (tasks, bell) in [(1, 1), (2, 2), (3, 5), (4, 15), (5, 52), (6, 203)] {
            assert_eq!(count(&classes(&equal, &[]), tasks, &mut Vec::new()), bell);
        }
        assert_eq!(classes(&equal, &[2.into()]).canonical(&[5, 1, 5, 3, 0]), [0, 1, 0, 2, 3]);
    }

    #[test]
    fn powers_links_and_ends_tell_processors_apart() {
        let links = Links::everywhere(Bandwidth::bytes_per_second(1));
        let one_task = |symmetry: InterchangeableProcessors| count(&symmetry, 1, &mut Vec::new());
        assert_eq!(one_task(classes(&platform(&[1, 2, 1], &links), &[])), 2);
        assert_eq!(one_task(classes(&platform(&[1, 1, 1], &links), &[2.into()])), 2);
        let slow = links.one_way(1, 2, Bandwidth::bytes_per_second(2));
        assert_eq!(one_task(classes(&platform(&[1, 1, 1], &slow), &[])), 3);
        let ring = [[1, 2, 3], [3, 1, 2], [2, 3, 1]].map(|row| row.map(Bandwidth::bytes_per_second));
        assert_eq!(one_task(classes(&platform(&[1, 1, 1], &Links::from_matrix(ring)), &[])), 3);
    }
}
