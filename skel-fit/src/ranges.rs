//! What lies inside of what was measured.

/// The least and the largest value of each variable among some points.
pub(crate) fn ranges<const VARIABLES: usize>(points: &[([f64; VARIABLES], f64)]) -> [(f64, f64); VARIABLES] {
    let none = [(f64::INFINITY, f64::NEG_INFINITY); VARIABLES];
    points.iter().fold(none, |ranges, (point, _)| {
        std::array::from_fn(|at| (ranges[at].0.min(point[at]), ranges[at].1.max(point[at])))
    })
}
