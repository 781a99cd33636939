//! Figures for the examples: curves over an axis, as SVG files.
//!
//! A [`Figure`] says what is drawn; a [`Draw`] says by which library, so that the examples depend on none.
//! Curves are told apart three times over, by colour (those of Okabe and Ito, for readers who confuse red and
//! green), by the pattern of the line and by the marker, so that a figure can be printed in black and white.

mod kuva;

use std::path::{Path, PathBuf};

pub(crate) use self::kuva::Kuva;

/// Curves over one axis.
pub(crate) struct Figure<'f> {
    pub(crate) title: &'f str,
    /// What the horizontal axis shows, with its unit.
    pub(crate) across: &'f str,
    /// What the vertical axis shows, with its unit.
    pub(crate) up: &'f str,
    /// Whether the vertical axis is divided by powers of ten; otherwise evenly, from zero on.
    pub(crate) is_logarithmic: bool,
    pub(crate) curves: Vec<&'f Curve>,
}

/// Points of one kind, in ascending order, and how they are drawn.
pub(crate) struct Curve {
    pub(crate) name: &'static str,
    pub(crate) style: Style,
    pub(crate) points: Vec<(f64, f64)>,
}

/// How a curve is drawn.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub(crate) colour: &'static str,
    /// Lengths of dashes and gaps in turn, in pixels: nothing for a solid line. None without a line.
    pub(crate) dashes: Option<&'static str>,
    /// None without marks.
    pub(crate) marker: Option<Marker>,
}

/// The mark on every point of a curve.
#[derive(Clone, Copy)]
pub(crate) enum Marker {
    Circle,
    Square,
    Triangle,
    TriangleDown,
    Diamond,
    Cross,
    Plus,
}

/// Nine styles, each different from the others in colour and pattern; the first seven in their marker too.
pub(crate) const STYLES: [Style; 9] = [
    Style { colour: "#000000", dashes: Some(""), marker: Some(Marker::Circle) },
    Style { colour: "#D55E00", dashes: Some("8 4"), marker: Some(Marker::Cross) },
    Style { colour: "#56B4E9", dashes: Some("2 4"), marker: Some(Marker::Triangle) },
    Style { colour: "#0072B2", dashes: Some("8 3 2 3"), marker: Some(Marker::TriangleDown) },
    Style { colour: "#E69F00", dashes: Some("14 4"), marker: Some(Marker::Square) },
    Style { colour: "#009E73", dashes: Some("14 3 2 3 2 3"), marker: Some(Marker::Diamond) },
    Style { colour: "#CC79A7", dashes: Some("4 4"), marker: Some(Marker::Plus) },
    Style { colour: "#888888", dashes: Some("1 2"), marker: Some(Marker::Circle) },
    Style { colour: "#5D3A9B", dashes: Some("10 2 10 6"), marker: Some(Marker::Cross) },
];

/// A library that draws.
pub(crate) trait Draw {
    /// The figure as the text of an SVG file.
    fn svg(&self, figure: &Figure) -> String;
}

/// Writes a figure into a folder, which is made if need be, and returns where it is.
pub(crate) fn write(
    figure: &Figure,
    with: &impl Draw,
    folder: &Path,
    name: &str,
) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(name).with_extension("svg");
    std::fs::write(&path, with.svg(figure))?;
    Ok(path)
}
