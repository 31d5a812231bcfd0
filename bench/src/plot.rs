//! Line plots as SVG.

use std::path::Path;

use anyhow::{Result, anyhow};
use plotters::prelude::*;

/// A line with its name.
pub struct Line {
    /// What it shows.
    pub name: String,
    /// From left to right.
    pub points: Vec<(f64, f64)>,
}

/// What a plot shows.
pub struct Plot<'a> {
    /// Above it.
    pub title: &'a str,
    /// Below the horizontal axis.
    pub across: &'a str,
    /// Beside the vertical axis.
    pub up: &'a str,
    /// Is the horizontal axis logarithmic? (The vertical one always is.)
    pub logarithmic: bool,
}

// Colours that people with colour blindness can tell apart (Okabe and Ito, 2002).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
];

impl Plot<'_> {
    /// Writes the plot.
    pub fn write(&self, path: &Path, lines: &[Line]) -> Result<()> {
        let points = || lines.iter().flat_map(|line| &line.points);
        let (left, right) = bounds(points().map(|point| point.0)).ok_or_else(|| anyhow!("there is nothing to plot"))?;
        let (low, high) = bounds(points().map(|point| point.1)).ok_or_else(|| anyhow!("there is nothing to plot"))?;
        // Logarithmic both ways by plotting logarithms: one coordinate type for both kinds of plot.
        let x = |value: f64| if self.logarithmic { value.log10() } else { value };
        let (bottom, top) = (low.log10().floor(), high.log10().ceil());
        // At powers of ten, as long as there are some.
        let labels = |logarithmic: bool, length: f64| if logarithmic && length >= 2.0 { length as usize + 1 } else { 10 };
        let area = SVGBackend::new(path, (720, 480)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(x(left)..x(right), bottom..top)?;
        chart
            .configure_mesh()
            .x_desc(self.across)
            .y_desc(self.up)
            .x_labels(labels(self.logarithmic, x(right) - x(left)))
            .y_labels(labels(true, top - bottom))
            .x_label_formatter(&|value| if self.logarithmic { short(10_f64.powf(*value)) } else { format!("{value:.0}") })
            .y_label_formatter(&|value| short(10_f64.powf(*value)))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (line, colour) in lines.iter().zip(COLOURS.into_iter().cycle()) {
            let points: Vec<(f64, f64)> = line.points.iter().map(|&(across, up)| (x(across), up.log10())).collect();
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 3, colour.filled())))?;
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(line.name.clone())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        area.present()?;
        Ok(())
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, value| match bounds {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

/// A number in few letters: 1.5 k, 20 M.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e9 => format!("{:.3} G", v / 1e9),
        v if v >= 1e6 => format!("{:.3} M", v / 1e6),
        v if v >= 1e3 => format!("{:.3} k", v / 1e3),
        v => format!("{v:.3}"),
    }
    .replace(".000", "")
}
