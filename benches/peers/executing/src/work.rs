//! The work of a task: a chain of dependent multiplications, so that every compiler makes the same of it.
//! `tbb.cpp` has it, too.

/// What a task makes of its item in so many rounds.
pub(crate) fn task(item: u64, rounds: u64) -> u64 {
    (0..rounds)
        .fold(item, |x, _| x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
}
