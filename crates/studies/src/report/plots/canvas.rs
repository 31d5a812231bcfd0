//! The canvas of plots: colours, sizes, text, lines and axes.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The width of every plot.
pub(super) const WIDTH: u32 = 860;
/// The height of a row.
pub(super) const ROW: i32 = 34;
/// The sizes of letters: names and axes, numbers. (What is drawn is a fifth smaller.)
pub(super) const NAME: i32 = 19;
pub(super) const NUMBER: i32 = 17;
/// The colours.
pub(super) const INK: RGBColor = RGBColor(29, 35, 48);
pub(super) const FAINT: RGBColor = RGBColor(215, 219, 227);
pub(super) const BLUE: RGBColor = RGBColor(0, 98, 163);
pub(super) const GREY: RGBColor = RGBColor(176, 183, 196);
/// For marks that stand beside blue and orange ones and say neither.
pub(super) const DARK_GREY: RGBColor = RGBColor(122, 130, 145);
pub(super) const ORANGE: RGBColor = RGBColor(224, 123, 0);

/// The area that a plot is drawn on.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Writing into a string cannot fail, and nothing else here can.
pub(super) type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The SVG of a plot.
pub(super) fn drawn(height: i32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        draw(&area).and_then(|()| area.present()).expect("writing into a string does not fail");
    }
    svg.trim_end().to_owned()
}

/// A style of letters.
pub(super) fn text<'a>(size: i32, colour: RGBColor, across: HPos) -> TextStyle<'a> {
    ("sans-serif", size).into_font().color(&colour).pos(Pos::new(across, VPos::Center))
}

/// Draws text.
pub(super) fn write(area: &Area<'_>, words: &str, place: (i32, i32), style: &TextStyle<'_>) -> Drawn {
    area.draw(&Text::new(words.to_owned(), place, style.clone()))
}

/// Draws a line.
pub(super) fn line(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor, width: u32) -> Drawn {
    area.draw(&PathElement::new([from, to], colour.stroke_width(width)))
}

/// Draws a filled rectangle.
pub(super) fn rectangle(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    area.draw(&Rectangle::new([from, to], colour.filled()))
}

/// Names longer than this are cut.
const LONGEST: usize = 40;

/// A name, cut if it is too long.
pub(super) fn fitting(name: &str) -> String {
    let letters = name.chars().count();
    if letters <= LONGEST { name.to_owned() } else { name.chars().take(LONGEST - 1).chain(['…']).collect() }
}

/// The space that names need.
pub(super) fn room_for<'a>(names: impl Iterator<Item = &'a str>) -> i32 {
    let longest = names.map(|name| name.chars().count()).max().unwrap_or(0).min(LONGEST);
    24 + 9 * longest.max(8) as i32
}

/// The colour of a share from 0 to 1, between orange, white and blue.
pub(super) fn shade(share: f64) -> RGBColor {
    let (end, part) = if share < 0.5 { (ORANGE, 1.0 - 2.0 * share) } else { (BLUE, 2.0 * share - 1.0) };
    let mix = |channel: u8| (255.0 + (f64::from(channel) - 255.0) * part) as u8;
    RGBColor(mix(end.0), mix(end.1), mix(end.2))
}

/// An axis: the range of its values, and round numbers to label it.
pub(super) struct Axis {
    pub low: f64,
    pub high: f64,
    pub logarithmic: bool,
}

impl Axis {
    /// The axis around these values.
    pub fn around(values: impl Iterator<Item = f64> + Clone, logarithmic: bool) -> Self {
        let scale = |value: f64| if logarithmic { value.max(1e-6).log10() } else { value };
        let low = values.clone().map(scale).fold(f64::INFINITY, f64::min);
        let high = values.map(scale).fold(f64::NEG_INFINITY, f64::max);
        let room = 0.05 * (high - low).max(if logarithmic { 0.4 } else { 1.0 });
        Self { low: low - room, high: high + room, logarithmic }
    }

    /// The coordinate of a value.
    pub fn place(&self, value: f64, from: i32, to: i32) -> i32 {
        let value = if self.logarithmic { value.max(1e-6).log10() } else { value };
        from + ((value - self.low) / (self.high - self.low) * f64::from(to - from)).round() as i32
    }

    /// The values to label.
    pub fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = (self.low.floor() as i32..=self.high.ceil() as i32)
                .flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)));
            let inside: Vec<f64> = decades.filter(|tick| (self.low..=self.high).contains(&tick.log10())).collect();
            let whole: Vec<f64> = inside.iter().copied().filter(|tick| tick.log10().fract().abs() < 1e-9).collect();
            return if whole.len() >= 3 { whole } else { inside };
        }
        let rough = (self.high - self.low) / 6.0;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|&step| step >= rough).unwrap_or(rough);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (first..=last).map(|number| number as f64 * step).collect()
    }
}

/// A number in few letters.
pub(super) fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Three decimals at most, six for what would be nothing otherwise, and none that are zero.
    let decimals = if value.abs() < 0.01 { 1e6 } else { 1e3 };
    format!("{}{unit}", (value * decimals).round() / decimals)
}
