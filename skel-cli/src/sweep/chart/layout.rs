//! What the figure of a sweep shows: which measures share a panel, and which of them are curves or maps.

use skel::number::display_ratio;

use crate::chart::panels::{Content, Curve, Curves, Direction, Map, Panel, pieces};
use crate::report::table::{decimal, printable};
use crate::sweep::answer::{Answer, Axis, Row, What};
use crate::sweep::measure::Unit;

/// More curves than this in a panel cannot be told apart.
const MOST_CURVES: usize = 8;

/// The panels of an answer; those in which nothing would be drawn are left out.
pub(super) fn panels(answer: &Answer) -> Vec<Panel> {
    match (answer.axes.len(), answer.is_together) {
        (2, false) => (0..answer.headings.len()).filter_map(|column| grid(answer, column)).collect(),
        _ => line(answer),
    }
}

/// One thing varies, or several in step: a panel for each kind of measure, and for the parts of one that has
/// many.
fn line(answer: &Answer) -> Vec<Panel> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (column, heading) in answer.headings.iter().enumerate().filter(|(_, one)| one.unit != Unit::Word) {
        let known = groups.iter_mut().find(|group| {
            let first = &answer.headings[group[0]];
            first.unit == heading.unit
                && kind(&first.name) == kind(&heading.name)
                && group.len() < MOST_CURVES
        });
        match known {
            Some(group) if may_share_axis(answer, group[0], column) => group.push(column),
            _ => groups.push(vec![column]),
        }
    }
    groups.iter().filter_map(|columns| panel_of_line(answer, columns)).collect()
}

/// What stands before the name in a measure: `busy` in `busy:read`; of a result there is nothing.
fn kind(name: &str) -> Option<&str> {
    name.split_once(':').map(|(kind, _)| kind)
}

/// Whether two curves are both readable on one axis. Results have no unit, so they may be of very different
/// sizes.
fn may_share_axis(answer: &Answer, column: usize, other: usize) -> bool {
    const MOST_APART: f64 = 20.0;
    let largest = |column| {
        answer.rows.iter().filter_map(|row| row.number(column)).fold(0.0, |most: f64, y| most.max(y.abs()))
    };
    let (one, another) = (largest(column), largest(other));
    answer.headings[column].unit != Unit::Value || one.max(another) <= MOST_APART * one.min(another)
}

fn panel_of_line(answer: &Answer, columns: &[usize]) -> Option<Panel> {
    let rows: Vec<&Row> = answer.rows.iter().collect();
    let curves: Vec<Curve> = columns
        .iter()
        .map(|&column| Curve {
            name: short_name(&answer.headings[column].name),
            pieces: pieces(rows.iter().map(|row| (row.value(0), row.number(column)))),
        })
        .filter(|curve| !curve.pieces.is_empty())
        .collect();
    if curves.is_empty() {
        return None;
    }
    let mut x = direction(answer, 0);
    if answer.is_together {
        let others: Vec<&str> = answer.axes[1..].iter().map(|axis| axis.name.as_str()).collect();
        x.name = format!("{}, in step with {}", x.name, printable(&others.join(", ")));
    }
    let first = &answer.headings[columns[0]];
    let name = if columns.len() == 1 { &first.name } else { kind(&first.name).unwrap_or("results") };
    Some(Panel {
        x,
        y_name: y_name(first.unit, name),
        content: Content::Curves(Curves { title: None, curves }),
    })
}

/// Two things vary: one measure as a family of curves or as a map.
fn grid(answer: &Answer, column: usize) -> Option<Panel> {
    let heading = &answer.headings[column];
    if !answer.rows.iter().any(|row| row.number(column).is_some()) {
        return None;
    }
    let counts = [0, 1].map(|axis| values(answer, axis).len());
    let y_name = y_name(heading.unit, &heading.name);
    if counts[0].min(counts[1]) > MOST_CURVES {
        return Some(map(answer, column, y_name));
    }
    // Curves over the second axis read as rows do, so it takes a longer first axis to change that.
    let (x, family) = if counts[0] > counts[1] || counts[0] > MOST_CURVES { (0, 1) } else { (1, 0) };
    let curves = values(answer, family).into_iter().map(|value| {
        let of_curve = answer.rows.iter().filter(|row| row.value(family) == value);
        let name = of_curve.clone().next().map_or_else(String::new, |row| display_ratio(&row.values[family]));
        let name = if name.len() > 12 { decimal(value) } else { name };
        Curve { name, pieces: pieces(of_curve.map(|row| (row.value(x), row.number(column)))) }
    });
    let curves = Curves { title: Some(printable(&answer.axes[family].name)), curves: curves.collect() };
    Some(Panel { x: direction(answer, x), y_name, content: Content::Curves(curves) })
}

fn map(answer: &Answer, column: usize, name: String) -> Panel {
    let (ys, xs) = (sorted(values(answer, 0)), sorted(values(answer, 1)));
    let place = |values: &[f64], value: f64| values.iter().position(|&known| known == value);
    let cells = answer
        .rows
        .iter()
        .filter_map(|row| Some((place(&xs, row.value(1))?, place(&ys, row.value(0))?, row.number(column)?)));
    let cells = cells.collect();
    let y_name = direction(answer, 0).name;
    Panel { x: direction(answer, 1), y_name, content: Content::Heat(Map { xs, ys, cells, name }) }
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The different values of an axis, in the order of the sweep.
fn values(answer: &Answer, axis: usize) -> Vec<f64> {
    let mut values: Vec<f64> = Vec::new();
    for row in &answer.rows {
        let value = row.value(axis);
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

fn direction(answer: &Answer, axis: usize) -> Direction {
    let values = answer.rows.iter().map(|row| row.value(axis));
    let ends = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    let is_whole = answer.rows.iter().all(|row| row.values[axis].is_integer());
    let Axis { name, is_logarithmic, what } = &answer.axes[axis];
    let name = printable(name);
    let name = match what {
        What::Rate => format!("{name} (per unit of time)"),
        What::Size => format!("{name} (number)"),
        What::Number => name,
    };
    Direction { name, is_logarithmic: *is_logarithmic, ends, is_whole }
}

/// What stands beside the vertical axis: a name and its unit.
fn y_name(unit: Unit, name: &str) -> String {
    let name = printable(name);
    match unit {
        Unit::Rate => format!("{name} (per unit of time)"),
        Unit::Probability => format!("{name} (part of the time)"),
        Unit::Count => format!("{name} (mean number)"),
        Unit::Time => format!("{name} (units of time)"),
        Unit::Value | Unit::Word => name,
    }
}

/// The name of a curve among others of its unit: without the kind in front.
fn short_name(name: &str) -> String {
    printable(name.split_once(':').map_or(name, |(_, name)| name))
}
