//! How many tasks come to each processor.
//!
//! A task has a share of its processor, the smaller the more tasks there are. As long as it is open how many come, the shares of those
//! that are placed are only bounded, and so is what they can do. So branch and bound parts all mappings by these numbers first:
//! of `n` tasks and `p` processors there are `(n + p - 1)! / (n! (p - 1)!)` ways.

/// All ways to spread tasks over processors; nothing where there are more than so many.
pub(super) fn enumerate(tasks: usize, processors: usize, most: usize) -> Option<Vec<Vec<u32>>> {
    // Step by step the number of ways for 1, 2, ... processors, each a whole number.
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
            // The last one takes what is left.
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
