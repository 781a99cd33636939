//! Ranges of axes, and the numbers beside them.

use super::panel::Direction;
use crate::report::table::rounded;

/// A figure is drawn so many times as large as it is shown. Coordinates are whole numbers, and curves through
/// rounded points would look bent.
pub(super) const FINE: u32 = 10;

/// A length in the units in which a figure is drawn.
pub(super) fn fine(length: i32) -> i32 {
    length * FINE as i32
}

/// The width of a line in these units.
pub(super) fn thick(width: u32) -> u32 {
    width * FINE
}

/// Letters of a height.
pub(super) fn font(height: i32) -> (&'static str, i32) {
    ("sans-serif", fine(height))
}

/// The range of a horizontal axis: its values, with some room where there is one alone.
pub(super) fn padded(x: &Direction) -> (f64, f64) {
    let (least, most) = x.ends;
    if least < most {
        // A number at the very end of a logarithmic axis is left out unless there is a little more.
        let more = if x.is_logarithmic { 1e-6 } else { 0.0 };
        return (least * (1.0 - more), most * (1.0 + more));
    }
    if x.is_logarithmic {
        (least / 2.0, most * 2.0)
    } else if least == 0.0 {
        (0.0, 1.0)
    } else {
        (least - least.abs() / 2.0, most + most.abs() / 2.0)
    }
}

/// The range of a vertical axis: from 0 on, unless there are negative numbers, with some room above.
pub(super) fn upwards(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (least, most) =
        values.fold((0.0_f64, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    if least == most { (0.0, 1.0) } else { (least, most + (most - least) * 0.06) }
}

/// A number beside an axis: six digits at most.
pub(super) fn number(value: f64) -> String {
    // Steps are added up, so that what should be 0 may be nearly 0.
    let value = if value.abs() < 1e-300 { 0.0 } else { value };
    rounded(value, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_room_and_short_numbers() {
        let x =
            |ends, is_logarithmic| Direction { name: String::new(), is_logarithmic, ends, is_whole: false };
        assert_eq!(padded(&x((1.0, 3.0), false)), (1.0, 3.0));
        assert_eq!(padded(&x((2.0, 2.0), false)), (1.0, 3.0));
        assert_eq!(padded(&x((0.0, 0.0), false)), (0.0, 1.0));
        assert_eq!(padded(&x((2.0, 2.0), true)), (1.0, 4.0));
        assert_eq!(upwards([0.5, 1.0].into_iter()), (0.0, 1.06));
        assert_eq!(upwards([0.0].into_iter()), (0.0, 1.0));
        assert_eq!(number(0.300_000_000_000_000_04), "0.3");
        assert_eq!(number(1e-3), "0.001");
    }
}
