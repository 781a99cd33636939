//! The shape of the binomial tree.
//!
//! Process `r`, counted from the root, has a child `r + 2^i` for each `2^i` below the lowest bit of `r`, as
//! long as there are so many processes. So a tree of `n` processes is one of `h` processes, where `h` is the
//! largest power of two below `n`, whose root has one child more: the root of a tree of the `n - h` others.

/// The largest power of two below a number of at least 2: the mask of the root's last child.
pub(super) fn last_mask(processes: u32) -> u32 {
    1 << (processes - 1).ilog2()
}

#[cfg(test)]
mod tests {
    use super::last_mask;

    #[test]
    fn the_last_child_of_the_root_is_the_largest_power_of_two_inside() {
        let masks = [2, 3, 4, 5, 8, 9, u32::MAX].map(last_mask);
        assert_eq!(masks, [1, 2, 2, 4, 4, 8, 1 << 31]);
    }
}
