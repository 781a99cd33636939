//! The children of a process in trees of processes that are numbered from the root, which is 0.

/// Of a binary heap, in the order in which they are sent to.
pub(super) fn binary_children(process: u32, processes: u32) -> impl Iterator<Item = u32> {
    let first = u64::from(process) * 2 + 1;
    [first, first + 1]
        .into_iter()
        .filter(move |child| *child < u64::from(processes))
        .map(|child| child as u32)
}

/// Of a binomial tree, with the size of the tree below each: `process + mask` for each power of two below the
/// lowest bit of `process`, the largest first.
pub(super) fn binomial_children(process: u32, processes: u32) -> impl Iterator<Item = (u32, u32)> {
    let others = processes - process;
    let masks = (0..process.trailing_zeros()).rev().map(|bit| 1_u32 << bit);
    masks.filter(move |mask| *mask < others).map(move |mask| (process + mask, mask.min(others - mask)))
}

#[cfg(test)]
mod tests {
    use super::{binary_children, binomial_children};

    #[test]
    fn a_binomial_tree_has_the_children_of_mpich() {
        let children = |process, processes| -> Vec<u32> {
            binomial_children(process, processes).map(|(child, _)| child).collect()
        };
        assert_eq!([children(0, 5), children(2, 5)], [vec![4, 2, 1], vec![3]]);
        let twenty = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18].map(|process| children(process, 20));
        let expected: [&[u32]; 10] =
            [&[16, 8, 4, 2, 1], &[3], &[6, 5], &[7], &[12, 10, 9], &[11], &[14, 13], &[15], &[18, 17], &[19]];
        assert_eq!(twenty, expected);
        assert!((1..20).step_by(2).all(|leaf| children(leaf, 20).is_empty()));
    }

    #[test]
    fn every_process_but_the_root_has_one_parent() {
        for processes in 1..100 {
            let mut binary: Vec<u32> = (0..processes).flat_map(|r| binary_children(r, processes)).collect();
            let trees: Vec<(u32, u32)> =
                (0..processes).flat_map(|r| binomial_children(r, processes)).collect();
            let mut binomial: Vec<u32> = trees.iter().map(|(child, _)| *child).collect();
            binary.sort_unstable();
            binomial.sort_unstable();
            assert!(binary.into_iter().eq(1..processes) && binomial.into_iter().eq(1..processes));
            let below: u32 =
                trees.iter().filter(|(child, _)| child.is_power_of_two()).map(|(_, size)| size).sum();
            assert_eq!(below, processes - 1);
        }
    }
}
