//! Drawing by the library `kuva`.

use kuva::prelude::{
    Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, LineStyle, MarkerShape, Plot, ScatterPlot,
};

use super::{Curve, Draw, Figure, Marker};

/// Draws by the library of this name.
pub(crate) struct Kuva;

impl Draw for Kuva {
    fn svg(&self, figure: &Figure) -> String {
        let plots: Vec<Plot> = figure.curves.iter().flat_map(|curve| [line(curve), marks(curve)]).collect();
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

fn line(curve: &Curve) -> Plot {
    let line =
        LinePlot::new().with_data(curve.points.clone()).with_color(curve.style.colour).with_stroke_width(2.0);
    let style = match curve.style.dashes {
        "" => LineStyle::Solid,
        dashes => LineStyle::Custom(dashes.to_owned()),
    };
    Plot::Line(line.with_line_style(style))
}

fn marks(curve: &Curve) -> Plot {
    let marks =
        ScatterPlot::new().with_data(curve.points.clone()).with_color(curve.style.colour).with_size(4.0);
    Plot::Scatter(marks.with_marker(shape(curve.style.marker)))
}

fn entry(curve: &Curve) -> LegendEntry {
    LegendEntry {
        label: curve.name.to_owned(),
        color: curve.style.colour.to_owned(),
        shape: LegendShape::Marker(shape(curve.style.marker)),
        dasharray: None,
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
