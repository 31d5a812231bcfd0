//! The plots of a report, as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const WIDTH: u32 = 860;
const ROW: i32 = 34;
/// The sizes of letters: names and axes, numbers. (What is drawn is a fifth smaller.)
const NAME: i32 = 19;
const NUMBER: i32 = 17;
const INK: RGBColor = RGBColor(29, 35, 48);
const FAINT: RGBColor = RGBColor(215, 219, 227);
const BLUE: RGBColor = RGBColor(0, 98, 163);
const GREY: RGBColor = RGBColor(176, 183, 196);
const ORANGE: RGBColor = RGBColor(224, 123, 0);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// Writing into a string cannot fail, and nothing else here can.
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

fn drawn(height: i32, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height as u32)).into_drawing_area();
        draw(&area).and_then(|()| area.present()).expect("writing into a string does not fail");
    }
    svg.trim_end().to_owned()
}

fn text<'a>(size: i32, colour: RGBColor, across: HPos) -> TextStyle<'a> {
    ("sans-serif", size).into_font().color(&colour).pos(Pos::new(across, VPos::Center))
}

fn write(area: &Area<'_>, words: &str, place: (i32, i32), style: &TextStyle<'_>) -> Drawn {
    area.draw(&Text::new(words.to_owned(), place, style.clone()))
}

fn line(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor, width: u32) -> Drawn {
    area.draw(&PathElement::new([from, to], colour.stroke_width(width)))
}

fn rectangle(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    area.draw(&Rectangle::new([from, to], colour.filled()))
}

/// Names longer than this are cut.
const LONGEST: usize = 40;

fn fitting(name: &str) -> String {
    let letters = name.chars().count();
    if letters <= LONGEST { name.to_owned() } else { name.chars().take(LONGEST - 1).chain(['…']).collect() }
}

/// The space that names need.
fn room_for<'a>(names: impl Iterator<Item = &'a str>) -> i32 {
    let longest = names.map(|name| name.chars().count()).max().unwrap_or(0).min(LONGEST);
    24 + 9 * longest.max(8) as i32
}

/// Where a share from 0 to 1 lies between orange, white and blue.
fn shade(share: f64) -> RGBColor {
    let (end, part) = if share < 0.5 { (ORANGE, 1.0 - 2.0 * share) } else { (BLUE, 2.0 * share - 1.0) };
    let mix = |channel: u8| (255.0 + (f64::from(channel) - 255.0) * part) as u8;
    RGBColor(mix(end.0), mix(end.1), mix(end.2))
}

/// Shares by rows and columns.
pub(super) struct HeatMap<'a> {
    pub rows: &'a [String],
    /// Short ones: they stand above their columns.
    pub columns: &'a [String],
    /// Nothing where there is none.
    pub share: &'a dyn Fn(usize, usize) -> Option<f64>,
    /// How far from one half the colour is full: 0.5, or less where all shares are near it.
    pub full: f64,
}

/// Agents for a heat map: rows with their numbers, and the numbers for the columns.
pub(super) fn numbered(names: &[String]) -> (Vec<String>, Vec<String>) {
    let rows = names.iter().enumerate().map(|(number, name)| format!("{}  {}", number + 1, fitting(name))).collect();
    (rows, (1..=names.len()).map(|number| number.to_string()).collect())
}

pub(super) fn heat_map(map: &HeatMap<'_>) -> String {
    let left = 24 + room_for(map.rows.iter().map(String::as_str));
    let cell = ((WIDTH as i32 - left) / map.columns.len() as i32).clamp(8, 84);
    let high = cell.clamp(22, 40);
    // With very many agents the colours have to do.
    let has_room = cell >= 28;
    let edge = |column: usize| left + column as i32 * cell;
    drawn(40 + high * map.rows.len() as i32, |area| {
        for (column, name) in map.columns.iter().enumerate().filter(|_| has_room) {
            write(area, name, (edge(column) + cell / 2, 16), &text(NAME, INK, HPos::Center))?;
        }
        for (row, name) in map.rows.iter().enumerate() {
            let top = 32 + row as i32 * high;
            write(area, name, (4, top + high / 2), &text(NAME, INK, HPos::Left))?;
            for column in 0..map.columns.len() {
                let corners = ((edge(column), top), (edge(column) + cell - 2, top + high - 2));
                let Some(share) = (map.share)(row, column) else {
                    rectangle(area, corners.0, corners.1, RGBColor(240, 241, 244))?;
                    continue;
                };
                let colour = (0.5 + (share - 0.5) * 0.5 / map.full).clamp(0.0, 1.0);
                rectangle(area, corners.0, corners.1, shade(colour))?;
                if has_room {
                    let ink = if colour > 0.8 { WHITE } else { INK };
                    let middle = (edge(column) + cell / 2 - 1, top + high / 2 - 1);
                    write(area, &format!("{:.0}", 100.0 * share), middle, &text(NUMBER, ink, HPos::Center))?;
                }
            }
        }
        Ok(())
    })
}

/// A value with its ends.
pub(super) struct Range {
    pub name: String,
    pub low: f64,
    pub middle: f64,
    pub high: f64,
}

/// An axis across: where values lie, and round numbers to label.
struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64> + Clone, logarithmic: bool) -> Self {
        let scale = |value: f64| if logarithmic { value.max(1e-6).log10() } else { value };
        let low = values.clone().map(scale).fold(f64::INFINITY, f64::min);
        let high = values.map(scale).fold(f64::NEG_INFINITY, f64::max);
        let room = 0.05 * (high - low).max(if logarithmic { 0.4 } else { 1.0 });
        Self { low: low - room, high: high + room, logarithmic }
    }

    fn place(&self, value: f64, from: i32, to: i32) -> i32 {
        let value = if self.logarithmic { value.max(1e-6).log10() } else { value };
        from + ((value - self.low) / (self.high - self.low) * f64::from(to - from)).round() as i32
    }

    fn ticks(&self) -> Vec<f64> {
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
fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    // Three decimals at most, six for what would be nothing otherwise, and none that are zero.
    let decimals = if value.abs() < 0.01 { 1e6 } else { 1e3 };
    format!("{}{unit}", (value * decimals).round() / decimals)
}

/// Values with their intervals, one below the other.
pub(super) fn ladder(rows: &[Range], across: &str, logarithmic: bool) -> String {
    let height = 62 + ROW * rows.len() as i32;
    let axis = Axis::around(rows.iter().flat_map(|row| [row.low, row.high]), logarithmic);
    let left = room_for(rows.iter().map(|row| row.name.as_str()));
    let x = |value: f64| axis.place(value, left, WIDTH as i32 - 20);
    drawn(height, |area| {
        let bottom = 8 + ROW * rows.len() as i32;
        for tick in axis.ticks() {
            line(area, (x(tick), 4), (x(tick), bottom), FAINT, 1)?;
            write(area, &short(tick), (x(tick), bottom + 12), &text(NUMBER, INK, HPos::Center))?;
        }
        write(area, across, (i32::midpoint(left, WIDTH as i32), bottom + 36), &text(NAME, INK, HPos::Center))?;
        for (number, row) in rows.iter().enumerate() {
            let y = 8 + ROW * number as i32 + ROW / 2;
            write(area, &fitting(&row.name), (4, y), &text(NAME, INK, HPos::Left))?;
            line(area, (x(row.low), y), (x(row.high), y), BLUE, 2)?;
            for end in [row.low, row.high] {
                line(area, (x(end), y - 5), (x(end), y + 5), BLUE, 2)?;
            }
            area.draw(&Circle::new((x(row.middle), y), 5, BLUE.filled()))?;
        }
        Ok(())
    })
}

/// A published number, if there is one, and ours with its interval.
pub(super) struct Compared {
    pub ours: Range,
    pub published: Option<f64>,
    pub agrees: bool,
}

impl Compared {
    fn colour(&self) -> RGBColor {
        if self.agrees { BLUE } else { ORANGE }
    }
}

/// Published numbers (diamonds) and ours (dots with intervals), one below the other.
pub(super) fn comparison(rows: &[Compared], across: &str) -> String {
    let row_height = ROW - 8;
    let bottom = 8 + row_height * rows.len() as i32;
    let values = rows.iter().flat_map(|row| [Some(row.ours.low), Some(row.ours.high), row.published]);
    let axis = Axis::around(values.flatten(), false);
    let left = room_for(rows.iter().map(|row| row.ours.name.as_str()));
    let x = |value: f64| axis.place(value, left, WIDTH as i32 - 20);
    drawn(bottom + 54, |area| {
        for tick in axis.ticks() {
            line(area, (x(tick), 4), (x(tick), bottom), FAINT, 1)?;
            write(area, &short(tick), (x(tick), bottom + 12), &text(NUMBER, INK, HPos::Center))?;
        }
        write(area, across, (i32::midpoint(left, WIDTH as i32), bottom + 36), &text(NAME, INK, HPos::Center))?;
        for (number, row) in rows.iter().enumerate() {
            let (y, ours) = (8 + row_height * number as i32 + row_height / 2, &row.ours);
            write(area, &fitting(&ours.name), (4, y), &text(NAME, INK, HPos::Left))?;
            line(area, (x(ours.low), y), (x(ours.high), y), row.colour(), 2)?;
            area.draw(&Circle::new((x(ours.middle), y), 4, row.colour().filled()))?;
            if let Some(published) = row.published {
                let middle = x(published);
                let corners = [(middle - 7, y), (middle, y - 7), (middle + 7, y), (middle, y + 7), (middle - 7, y)];
                area.draw(&PathElement::new(corners, INK.stroke_width(2)))?;
            }
        }
        Ok(())
    })
}

/// The same for more numbers than can be named: each a point, published across, ours up. Where they are equal they lie on the line.
pub(super) fn agreement(rows: &[Compared], across: &str, up: &str) -> String {
    let axis = Axis::around(rows.iter().flat_map(|row| [Some(row.ours.middle), row.published]).flatten(), false);
    let (left, right, top, bottom) = (150, 710, 16, 476);
    let place = |number: f64, value: f64| (axis.place(number, left, right), axis.place(value, bottom, top));
    drawn(542, |area| {
        for tick in axis.ticks() {
            let (x, y) = place(tick, tick);
            line(area, (left, y), (right, y), FAINT, 1)?;
            line(area, (x, top), (x, bottom), FAINT, 1)?;
            write(area, &short(tick), (left - 10, y), &text(NUMBER, INK, HPos::Right))?;
            write(area, &short(tick), (x, bottom + 14), &text(NUMBER, INK, HPos::Center))?;
        }
        line(area, (left, bottom), (right, top), GREY, 2)?;
        for row in rows {
            if let Some(published) = row.published {
                area.draw(&Circle::new(place(published, row.ours.middle), 4, row.colour().filled()))?;
            }
        }
        write(area, across, (i32::midpoint(left, right), bottom + 42), &text(NAME, INK, HPos::Center))?;
        let turned = text(NAME, INK, HPos::Center).transform(FontTransform::Rotate270);
        write(area, up, (84, i32::midpoint(top, bottom)), &turned)
    })
}

/// Where a plot with two axes lies.
const FRAME: Frame = Frame { left: 90, right: WIDTH as i32 - 30, top: 16, bottom: 330 };

#[derive(Clone, Copy)]
struct Frame {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Frame {
    /// The lines of the upright axis with their numbers, the lower edge, and what the axes are called.
    fn draw(self, area: &Area<'_>, upright: &Axis, across: &str, up: &str) -> Drawn {
        let Self { left, right, top, bottom } = self;
        for tick in upright.ticks() {
            let y = upright.place(tick, bottom, top);
            line(area, (left, y), (right, y), FAINT, 1)?;
            write(area, &short(tick), (left - 10, y), &text(NUMBER, INK, HPos::Right))?;
        }
        line(area, (left, bottom), (right, bottom), INK, 1)?;
        write(area, across, (i32::midpoint(left, right), bottom + 42), &text(NAME, INK, HPos::Center))?;
        let turned = text(NAME, INK, HPos::Center).transform(FontTransform::Rotate270);
        write(area, up, (24, i32::midpoint(top, bottom)), &turned)
    }

    /// A mark on the lower edge.
    fn mark(self, area: &Area<'_>, x: i32, label: &str) -> Drawn {
        line(area, (x, self.bottom), (x, self.bottom + 5), INK, 1)?;
        write(area, label, (x, self.bottom + 16), &text(NUMBER, INK, HPos::Center))
    }
}

/// A value and its interval at each of some places, joined by a line.
fn joined(area: &Area<'_>, points: &[[(i32, i32); 3]], colour: RGBColor) -> Drawn {
    area.draw(&PathElement::new(points.iter().map(|point| point[1]).collect::<Vec<_>>(), colour.stroke_width(2)))?;
    for &[low, middle, high] in points {
        line(area, low, high, colour, 2)?;
        area.draw(&Circle::new(middle, 5, colour.filled()))?;
    }
    Ok(())
}

/// Strength (with its interval) against one number of the spec.
pub(super) fn curve(points: &[(f64, Range)], across: &str, up: &str) -> String {
    let logarithmic = points.iter().all(|point| point.0 > 0.0) && points[points.len() - 1].0 / points[0].0 >= 8.0;
    let axis = Axis::around(points.iter().map(|point| point.0), logarithmic);
    let upright = Axis::around(points.iter().flat_map(|(_, range)| [range.low, range.high]), false);
    let place =
        |number: f64, value: f64| (axis.place(number, FRAME.left, FRAME.right), upright.place(value, FRAME.bottom, FRAME.top));
    drawn(396, |area| {
        FRAME.draw(area, &upright, across, up)?;
        let mut labelled = FRAME.left - 100;
        for (number, _) in points {
            let (x, _) = place(*number, 0.0);
            // Labels that would run into each other are left out.
            let label = if x - labelled >= 44 { short(*number) } else { String::new() };
            labelled = if label.is_empty() { labelled } else { x };
            FRAME.mark(area, x, &label)?;
        }
        let places: Vec<_> = points
            .iter()
            .map(|(number, range)| [range.low, range.middle, range.high].map(|value| place(*number, value)))
            .collect();
        joined(area, &places, BLUE)
    })
}

/// Colours that are told apart by everybody (Okabe and Ito 2008), and two more.
const PALETTE: [RGBColor; 8] = [
    BLUE,
    ORANGE,
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(140, 90, 40),
    RGBColor(90, 90, 90),
    RGBColor(190, 170, 20),
];

/// Several rows of values with their intervals, a line each, over the same steps; `even` is where a level line is drawn.
pub(super) fn lines(rows: &[(String, Vec<Range>)], across: &str, up: &str, even: Option<f64>) -> String {
    let steps = rows.iter().flat_map(|row| &row.1).map(|range| range.name.as_str()).fold(Vec::new(), |mut steps, name| {
        if !steps.contains(&name) {
            steps.push(name);
        }
        steps
    });
    let values = rows.iter().flat_map(|row| &row.1).flat_map(|range| [range.low, range.high]).chain(even);
    let upright = Axis::around(values, false);
    let frame = Frame { right: WIDTH as i32 - 30 - room_for(rows.iter().map(|row| row.0.as_str())), ..FRAME };
    let step = f64::from(frame.right - frame.left) / steps.len() as f64;
    let middle = |number: usize| frame.left + (step * (number as f64 + 0.5)) as i32;
    drawn(396.max(40 + 24 * rows.len() as i32), |area| {
        frame.draw(area, &upright, across, up)?;
        if let Some(even) = even {
            let y = upright.place(even, frame.bottom, frame.top);
            line(area, (frame.left, y), (frame.right, y), GREY, 2)?;
        }
        for (number, name) in steps.iter().enumerate() {
            frame.mark(area, middle(number), name)?;
        }
        // Beside each other, so that no interval hides another.
        let aside =
            |row: usize| ((row as f64 - (rows.len() as f64 - 1.0) / 2.0) * (0.5 * step / rows.len() as f64).min(9.0)) as i32;
        for (number, (name, ranges)) in rows.iter().enumerate() {
            let colour = PALETTE[number % PALETTE.len()];
            let place = |range: &Range| {
                let at = steps.iter().position(|name| *name == range.name).expect("all steps are listed");
                [range.low, range.middle, range.high]
                    .map(|value| (middle(at) + aside(number), upright.place(value, frame.bottom, frame.top)))
            };
            joined(area, &ranges.iter().map(place).collect::<Vec<_>>(), colour)?;
            let y = frame.top + 14 + 24 * number as i32;
            line(area, (frame.right + 14, y), (frame.right + 36, y), colour, 3)?;
            write(area, &fitting(name), (frame.right + 44, y), &text(NUMBER, INK, HPos::Left))?;
        }
        Ok(())
    })
}

/// A value that changes step by step, and what it comes to.
pub(super) fn path(points: &[(f64, f64)], settled: f64, across: &str, up: &str) -> String {
    let axis = Axis { low: points[0].0, high: points[points.len() - 1].0, logarithmic: false };
    let (low, high) = points
        .iter()
        .map(|point| point.1)
        .chain([settled])
        .fold((settled, settled), |(low, high), value| (low.min(value), high.max(value)));
    let room = 0.08 * (high - low).max(1e-3 * high.abs().max(1e-3));
    let upright = Axis { low: low - room, high: high + room, logarithmic: false };
    let (left, right, top, bottom) = (90, WIDTH as i32 - 30, 16, 270);
    let place = |step: f64, value: f64| (axis.place(step, left, right), upright.place(value, bottom, top));
    drawn(336, |area| {
        for tick in upright.ticks() {
            let (_, y) = place(axis.low, tick);
            line(area, (left, y), (right, y), FAINT, 1)?;
            write(area, &short(tick), (left - 10, y), &text(NUMBER, INK, HPos::Right))?;
        }
        for tick in axis.ticks() {
            let (x, _) = place(tick, low);
            line(area, (x, bottom), (x, bottom + 5), INK, 1)?;
            write(area, &short(tick), (x, bottom + 16), &text(NUMBER, INK, HPos::Center))?;
        }
        line(area, (left, bottom), (right, bottom), INK, 1)?;
        write(area, across, (i32::midpoint(left, right), bottom + 42), &text(NAME, INK, HPos::Center))?;
        let turned = text(NAME, INK, HPos::Center).transform(FontTransform::Rotate270);
        write(area, up, (24, i32::midpoint(top, bottom)), &turned)?;
        line(area, place(axis.low, settled), place(axis.high, settled), ORANGE, 2)?;
        let way: Vec<(i32, i32)> = points.iter().map(|&(step, value)| place(step, value)).collect();
        area.draw(&PathElement::new(way, BLUE.stroke_width(2)))
    })
}

/// A share (upright) against a number, with names beside the points.
pub(super) fn scatter(points: &[(f64, f64, String)], across: &str, up: &str) -> String {
    let least = points.iter().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let most = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let logarithmic = least > 0.0 && most / least > 20.0;
    let axis = if logarithmic {
        Axis::around(points.iter().map(|point| point.0), true)
    } else {
        let room = 0.05 * (most - least).max(1e-6);
        Axis { low: least - room, high: most + room, logarithmic }
    };
    let upright = Axis::around(points.iter().map(|point| 100.0 * point.1), false);
    let (left, right, top, bottom) = (90, WIDTH as i32 - 30, 16, 400);
    drawn(466, |area| {
        for tick in upright.ticks() {
            let y = upright.place(tick, bottom, top);
            line(area, (left, y), (right, y), FAINT, 1)?;
            write(area, &format!("{} %", short(tick)), (left - 10, y), &text(NUMBER, INK, HPos::Right))?;
        }
        for tick in axis.ticks() {
            let x = axis.place(tick, left, right);
            line(area, (x, bottom), (x, bottom + 5), INK, 1)?;
            write(area, &short(tick), (x, bottom + 16), &text(NUMBER, INK, HPos::Center))?;
        }
        line(area, (left, bottom), (right, bottom), INK, 1)?;
        write(area, across, (i32::midpoint(left, right), bottom + 42), &text(NAME, INK, HPos::Center))?;
        let turned = text(NAME, INK, HPos::Center).transform(FontTransform::Rotate270);
        write(area, up, (24, i32::midpoint(top, bottom)), &turned)?;
        let placed: Vec<(i32, i32)> =
            points.iter().map(|(x, y, _)| (axis.place(*x, left, right), upright.place(100.0 * y, bottom, top))).collect();
        // What is taken: from where to where across, and the middle of the line.
        let mut taken: Vec<(i32, i32, i32)> = placed.iter().map(|&(x, y)| (x - 6, x + 6, y)).collect();
        for (&(x, y), (_, _, name)) in placed.iter().zip(points) {
            area.draw(&Circle::new((x, y), 5, BLUE.filled()))?;
            let name = fitting(name);
            let width = 8 * name.chars().count() as i32;
            // Beside its point where there is room, or else a little above or below.
            let places = [0, -15, 15, -30, 30].into_iter().flat_map(|off| [(true, off), (false, off)]);
            let span = |right_of: bool| if right_of { (x + 9, x + 9 + width) } else { (x - 9 - width, x - 9) };
            let is_free = |&(right_of, off): &(bool, i32)| {
                let (from, to) = span(right_of);
                let inside = from > left && to < right && (top..bottom).contains(&(y + off));
                inside && taken.iter().all(|&(begin, end, line)| end < from || begin > to || (line - y - off).abs() > 13)
            };
            let (right_of, off) = places.clone().find(is_free).unwrap_or((x < i32::midpoint(left, right), 0));
            let (from, to) = span(right_of);
            taken.push((from, to, y + off));
            let (place, lean) = if right_of { (from, HPos::Left) } else { (to, HPos::Right) };
            write(area, &name, (place, y + off), &text(NUMBER, INK, lean))?;
        }
        Ok(())
    })
}

/// Won, drawn and lost, as parts of a bar each.
pub(super) fn shares(rows: &[(String, [u64; 3])], names: [&str; 3]) -> String {
    let names_end = room_for(rows.iter().map(|row| row.0.as_str()));
    drawn(44 + ROW * rows.len() as i32, |area| {
        let mut left = names_end;
        for (name, colour) in names.iter().zip([BLUE, GREY, ORANGE]) {
            rectangle(area, (left, 10), (left + 14, 24), colour)?;
            write(area, name, (left + 20, 17), &text(NAME, INK, HPos::Left))?;
            left += 48 + 9 * name.len() as i32;
        }
        for (number, (name, counts)) in rows.iter().enumerate() {
            let top = 36 + ROW * number as i32;
            write(area, &fitting(name), (4, top + ROW / 2 - 3), &text(NAME, INK, HPos::Left))?;
            let games = counts.iter().sum::<u64>().max(1) as f64;
            let room = f64::from(WIDTH as i32 - 20 - names_end);
            let mut begin = f64::from(names_end);
            for (&count, (colour, ink)) in counts.iter().zip([(BLUE, WHITE), (GREY, INK), (ORANGE, INK)]) {
                let share = count as f64 / games;
                let end = begin + share * room;
                rectangle(area, (begin as i32, top), (end as i32, top + ROW - 6), colour)?;
                if share > 0.06 {
                    let middle = (begin.midpoint(end) as i32, top + ROW / 2 - 3);
                    write(area, &format!("{:.0} %", 100.0 * share), middle, &text(NUMBER, ink, HPos::Center))?;
                }
                begin = end;
            }
        }
        Ok(())
    })
}

/// How many games had each number of plies.
pub(super) fn histogram(counts: &[(usize, u64)], across: &str) -> String {
    let (first, last) = (counts[0].0, counts[counts.len() - 1].0);
    // A bar for each number, or for so many together that they can be seen.
    let width = (last - first + 1).div_ceil(60);
    let mut bars = vec![0_u64; (last - first) / width + 1];
    for &(plies, games) in counts {
        bars[(plies - first) / width] += games;
    }
    let most = bars.iter().copied().max().unwrap_or(1);
    let (left, right, top, bottom) = (70, WIDTH as i32 - 20, 12, 250);
    let upright = Axis { low: 0.0, high: most as f64 * 1.05, logarithmic: false };
    let step = f64::from(right - left) / bars.len() as f64;
    drawn(316, |area| {
        for tick in upright.ticks().into_iter().filter(|tick| tick.fract() == 0.0) {
            let y = upright.place(tick, bottom, top);
            line(area, (left, y), (right, y), FAINT, 1)?;
            write(area, &short(tick), (left - 10, y), &text(NUMBER, INK, HPos::Right))?;
        }
        let every = bars.len().div_ceil(16);
        for (number, &games) in bars.iter().enumerate() {
            let [from, to] = [number, number + 1].map(|edge| left + (edge as f64 * step) as i32);
            let gap = i32::from(step > 6.0);
            rectangle(area, (from + gap, upright.place(games as f64, bottom, top)), (to - gap, bottom), BLUE)?;
            if number % every == 0 {
                let label = (first + number * width).to_string();
                write(area, &label, (i32::midpoint(from, to), bottom + 14), &text(NUMBER, INK, HPos::Center))?;
            }
        }
        line(area, (left, bottom), (right, bottom), INK, 1)?;
        write(area, across, (i32::midpoint(left, right), bottom + 40), &text(NAME, INK, HPos::Center))
    })
}
