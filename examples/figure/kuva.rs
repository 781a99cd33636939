//! Drawing by the library `kuva`.

use kuva::prelude::{
    Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, MarkerShape, Plot, ScatterPlot,
};

use super::{Curve, Draw, Figure, Marker};

/// Draws by the library of this name.
pub(crate) struct Kuva;

impl Draw for Kuva {
    fn svg(&self, figure: &Figure) -> String {
        let plots: Vec<Plot> =
            figure.curves.iter().flat_map(|curve| line(curve).into_iter().chain(marks(curve))).collect();
        let layout = Layout::auto_from_plots(&plots)
            .with_width(880.0)
            .with_height(480.0)
            .with_title(figure.title)
            .with_x_label(figure.across)
            .with_y_label(figure.up)
            // Beside the curves, where it hides none.
            .with_legend_position(LegendPosition::OutsideRightTop)
            .with_legend_entries(figure.curves.iter().map(|curve| entry(curve)).collect());
        let layout = if figure.is_logarithmic { layout.with_log_y() } else { layout.with_y_axis_min(0.0) };
        kuva::render_to_svg(plots, layout)
    }
}

fn line(curve: &Curve) -> Option<Plot> {
    let style = line_style(curve.style.dashes?);
    let line = LinePlot::new().with_data(curve.points.clone()).with_color(curve.style.colour);
    Some(Plot::Line(line.with_stroke_width(2.0).with_line_style(style)))
}

fn line_style(dashes: &str) -> LineStyle {
    match dashes {
        "" => LineStyle::Solid,
        dashes => LineStyle::Custom(dashes.to_owned()),
    }
}

fn marks(curve: &Curve) -> Option<Plot> {
    let marks = ScatterPlot::new().with_data(curve.points.clone()).with_color(curve.style.colour);
    Some(Plot::Scatter(marks.with_size(4.0).with_marker(shape(curve.style.marker?))))
}

fn entry(curve: &Curve) -> LegendEntry {
    let style = curve.style;
    LegendEntry {
        label: curve.name.to_owned(),
        color: style.colour.to_owned(),
        shape: style.marker.map_or(LegendShape::Line, |marker| LegendShape::Marker(shape(marker))),
        dasharray: style.dashes.filter(|dashes| !dashes.is_empty()).map(str::to_owned),
    }
}

fn shape(marker: Marker) -> MarkerShape {
    match marker {
        Marker::Circle => MarkerShape::Circle,
        Marker::Square => MarkerShape::Square,
        Marker::Triangle => MarkerShape::Triangle,
        Marker::TriangleDown => MarkerShape::TriangleDown,
        Marker::Diamond => MarkerShape::Diamond,
        Marker::Cross => MarkerShape::Cross,
        Marker::Plus => MarkerShape::Plus,
    }
}
