//! How many tasks come to each processor.
//!
//! The tasks on a processor share its power equally. As long as it is not known how many tasks come to a
//! processor, the shares of the tasks that are already placed there are not known either, and their bounds
//! are less tight. So branch and bound fixes these numbers first. For `n` tasks and `p` processors there are
//! `(n + p - 1)! / (n! (p - 1)!)` ways to do so.

/// All ways to spread tasks over processors, unless there are more than `most`.
pub(super) fn enumerate(tasks: usize, processors: usize, most: usize) -> Option<Vec<Vec<u32>>> {
    // The numbers of ways for 1, 2, ... processors, one from the other. Each of them is a whole number.
    let mut ways: usize = 1;
    for more in 1..processors {
        ways = ways.checked_mul(tasks + more)? / more;
        if ways > most {
            return None;
        }
    }
    let mut all = vec![(Vec::with_capacity(processors), tasks as u32)];
    for left in (0..processors).rev() {
        let longer = |(loads, rest): &(Vec<u32>, u32)| {
            let (loads, rest) = (loads.clone(), *rest);
            // The last processor takes the tasks that are left.
            let least = if left == 0 { rest } else { 0 };
            (least..=rest).map(move |load| ([loads.as_slice(), &[load]].concat(), rest - load))
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all.into_iter().map(|(loads, _)| loads).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_are_there_once() {
        for (tasks, processors, ways) in
            [(1, 1, 1), (3, 1, 1), (2, 2, 3), (3, 3, 10), (10, 4, 286), (8, 3, 45)]
        {
            let mut all = enumerate(tasks, processors, 286).unwrap();
            assert!(all.iter().all(|loads| loads.iter().sum::<u32>() as usize == tasks));
            assert!(all.iter().all(|loads| loads.len() == processors));
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), ways);
        }
    }

    #[test]
    fn too_many_ways_are_not_listed() {
        assert!(enumerate(10, 4, 285).is_none());
        assert!(enumerate(256, 256, 1_000_000).is_none());
    }
}
