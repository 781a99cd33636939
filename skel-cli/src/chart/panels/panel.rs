//! What a figure shows: panels with their axes, curves and maps, without any pixel.

/// One system of axes.
pub(crate) struct Panel {
    pub(crate) x: Direction,
    /// What stands beside the vertical axis.
    pub(crate) y_name: String,
    pub(crate) content: Content,
}

/// An axis of the figure.
pub(crate) struct Direction {
    pub(crate) name: String,
    pub(crate) is_logarithmic: bool,
    /// The least and the largest value.
    pub(crate) ends: (f64, f64),
    /// Whether all values are whole numbers.
    pub(crate) is_whole: bool,
}

/// What stands in the axes.
pub(crate) enum Content {
    Curves(Curves),
    Stems(Stems),
    Heat(Map),
}

/// Curves over the horizontal axis.
pub(crate) struct Curves {
    /// What tells the curves apart, above their names.
    pub(crate) title: Option<String>,
    pub(crate) curves: Vec<Curve>,
}

/// One value for each state, drawn as a vertical line. Numbers of states are names, so neighbours are not
/// joined by a curve.
pub(crate) struct Stems {
    /// What stands above the axes.
    pub(crate) title: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A curve: pieces without a gap, which a point without figures leaves.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) pieces: Vec<Vec<(f64, f64)>>,
}

/// A value for each pair of two axes.
pub(crate) struct Map {
    pub(crate) xs: Vec<f64>,
    pub(crate) ys: Vec<f64>,
    /// The place of each value among the values of both axes, and the value.
    pub(crate) cells: Vec<(usize, usize, f64)>,
    pub(crate) name: String,
}

/// The pieces of a curve between the points that have no figures, from left to right.
pub(crate) fn pieces(points: impl Iterator<Item = (f64, Option<f64>)>) -> Vec<Vec<(f64, f64)>> {
    let mut points: Vec<(f64, Option<f64>)> = points.collect();
    points.sort_by(|(x, _), (other, _)| x.total_cmp(other));
    let mut pieces: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (x, y) in points {
        match (y, pieces.last_mut()) {
            (Some(y), Some(piece)) => piece.push((x, y)),
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_without_figures_leaves_a_gap() {
        let points = [(1.0, Some(2.0)), (2.0, None), (3.0, None), (4.0, Some(5.0)), (5.0, Some(6.0))];
        assert_eq!(pieces(points.into_iter()), [vec![(1.0, 2.0)], vec![(4.0, 5.0), (5.0, 6.0)]]);
        assert_eq!(pieces([(2.0, Some(1.0)), (1.0, Some(3.0))].into_iter()), [[(1.0, 3.0), (2.0, 1.0)]]);
        assert!(pieces([(1.0, None)].into_iter()).is_empty());
    }
}
