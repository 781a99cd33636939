//! Axes on which sizes and times grow by factors.
//!
//! The axes are linear in the logarithms, so that this file decides where numbers stand: at powers of two of
//! bytes, and at 1, 2 and 5 times powers of ten of times and of other numbers.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use skel::network::{Bytes, Time};
use skel::run::monitor::axes::{Area, Chart, Drawn};

use super::legend::fitting;
use crate::report::table::decimal;

/// A system of axes.
pub(crate) struct LogAxes<'n> {
    pub(crate) title: &'n str,
    pub(crate) x: LogAxis<'n>,
    pub(crate) y: LogAxis<'n>,
}

/// Values on an axis, with what stands beside them.
type Numbers = Vec<(f64, String)>;

/// One of the two axes.
pub(crate) struct LogAxis<'n> {
    name: &'n str,
    /// The least and the largest value.
    ends: (f64, f64),
    /// By which factor the axis goes on beyond its ends.
    room: f64,
    /// The numbers that stand beside a range.
    numbers: fn((f64, f64)) -> Numbers,
}

impl<'n> LogAxis<'n> {
    /// An axis of bytes.
    pub(crate) fn of_sizes(name: &'n str, ends: (f64, f64)) -> Self {
        LogAxis { name, ends, room: 2.0, numbers: sizes }
    }

    /// An axis of microseconds.
    pub(crate) fn of_times(name: &'n str, ends: (f64, f64)) -> Self {
        LogAxis { name, ends, room: 1.3, numbers: times }
    }

    /// An axis of numbers whose unit is in its name.
    pub(crate) fn of_numbers(name: &'n str, ends: (f64, f64), room: f64) -> Self {
        LogAxis { name, ends, room, numbers }
    }
}

/// Where a point of the figure is in the axes.
pub(crate) fn place((x, y): (f64, f64)) -> (f64, f64) {
    (x.log2(), y.log10())
}

impl LogAxes<'_> {
    pub(crate) fn draw<'a>(&self, area: &Area<'a>) -> Drawn<Chart<'a>> {
        let [x, y] = [&self.x, &self.y].map(|axis| with_room(axis.ends, axis.room));
        let (left, bottom) = place((x.0, y.0));
        let (right, top) = place((x.1, y.1));
        let mut chart = ChartBuilder::on(area)
            .margin(10)
            .margin_top(32)
            .margin_right(16)
            .x_label_area_size(46)
            .y_label_area_size(72)
            .build_cartesian_2d(left..right, bottom..top)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .axis_style(AXIS)
            .x_labels(0)
            .y_labels(0)
            .x_desc(self.x.name)
            .y_desc(self.y.name)
            .axis_desc_style(("sans-serif", 15))
            .draw()?;
        area.draw(&Text::new(fitting(self.title, 40), (84, 12), ("sans-serif", 15)))?;
        for (value, label) in (self.x.numbers)(x) {
            let at = value.log2();
            chart.draw_series([PathElement::new([(at, bottom), (at, top)], GRID)])?;
            let style = number(HPos::Center, VPos::Top);
            chart.draw_series([EmptyElement::at((at, bottom)) + Text::new(label, (0, 6), style)])?;
        }
        for (value, label) in (self.y.numbers)(y) {
            let at = value.log10();
            chart.draw_series([PathElement::new([(left, at), (right, at)], GRID)])?;
            let style = number(HPos::Right, VPos::Center);
            chart.draw_series([EmptyElement::at((left, at)) + Text::new(label, (-6, 0), style)])?;
        }
        Ok(chart)
    }
}

const AXIS: RGBColor = RGBColor(90, 90, 90);
const GRID: RGBColor = RGBColor(225, 225, 225);

fn number(horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    TextStyle::from(("sans-serif", 13).into_font()).pos(Pos::new(horizontal, vertical))
}

/// A range with some room at both ends: at least one in which numbers have a place.
fn with_room((least, most): (f64, f64), room: f64) -> (f64, f64) {
    const NARROW: f64 = 4.0;
    let more = (NARROW * least / most).sqrt().max(1.0);
    let room = if more > 1.0 { more } else { room.min(1.0 + (most / least - 1.0) / 10.0) };
    (least / room, most * room)
}

/// The powers of two in a range, or every so many of them.
fn sizes((least, most): (f64, f64)) -> Vec<(f64, String)> {
    const MOST: i32 = 5;
    let (first, last) = (least.log2().ceil() as i32, most.log2().floor() as i32);
    let every = ((last - first) / MOST + 1).max(1);
    // Steps from 1 on, so that the figures of one network have the same numbers.
    let powers = (first.max(0)..=last).filter(|power| power % every == 0);
    powers.map(|power| (2_f64.powi(power), Bytes::new(1 << power.min(62)).to_string())).collect()
}

/// Round times in a range.
fn times(range: (f64, f64)) -> Vec<(f64, String)> {
    round(range, 8).map(|time| (time, Time::microseconds(time).to_string())).collect()
}

/// Round numbers in a range.
fn numbers(range: (f64, f64)) -> Vec<(f64, String)> {
    round(range, 6).map(|number| (number, decimal(number))).collect()
}

/// So many powers of ten in a range at most, with 2 and 5 times as much between them where there is room.
fn round((least, most): (f64, f64), at_most: i32) -> impl Iterator<Item = f64> {
    const MANY: f64 = 3.0;
    let decades = most.log10() - least.log10();
    let factors: &[u32] = if decades < MANY { &[1, 2, 5] } else { &[1] };
    let every = decades as i32 / at_most + 1;
    let powers = least.log10().floor() as i32..=most.log10().ceil() as i32;
    let written = powers
        .filter(move |power| power % every == 0)
        .flat_map(move |power| factors.iter().map(move |factor| format!("{factor}e{power}")));
    written.filter_map(|number| number.parse().ok()).filter(move |number| (least..=most).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn numbers_are_round_and_few() {
        assert_eq!(labels(sizes((1.0, 16.0))), ["1 B", "2 B", "4 B", "8 B", "16 B"]);
        assert_eq!(labels(sizes((1000.0, 1_100_000.0))), ["4 KiB", "32 KiB", "256 KiB"]);
        assert_eq!(labels(times((8.0, 120.0))), ["10 us", "20 us", "50 us", "100 us"]);
        assert_eq!(labels(numbers((0.004, 0.3))), ["0.005", "0.01", "0.02", "0.05", "0.1", "0.2"]);
        assert_eq!(
            labels(times((0.1, 1e6))),
            ["0.1 us", "1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s"]
        );
    }

    #[test]
    fn there_is_a_number_on_every_axis() {
        for step in 0..400 {
            let value = 1.07_f64.powi(step - 100);
            assert!(!times(with_room((value, value), 1.3)).is_empty(), "{value}");
            assert!(value < 1.0 || !sizes(with_room((value, value), 2.0)).is_empty(), "{value}");
        }
    }
}
