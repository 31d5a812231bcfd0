//! Plots with two axes: curves, paths and scatter plots.

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::canvas::{
    Area, Axis, BLUE, Drawn, FAINT, GREY, INK, NAME, NUMBER, ORANGE, WIDTH, drawn, fitting, line, room_for, short, text, write,
};
use super::{Compared, Range};

/// Published numbers (across) against ours (up), a point each, for more numbers than can be named. Equal ones lie on the line.
pub fn agreement(rows: &[Compared], across: &str, up: &str) -> String {
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

/// The frame of a plot with two axes.
const FRAME: Frame = Frame { left: 90, right: WIDTH as i32 - 30, top: 16, bottom: 330 };

/// The edges of a plot.
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
pub fn curve(points: &[(f64, Range)], across: &str, up: &str) -> String {
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

/// Colours that are also distinct to the colour-blind (Okabe and Ito 2008), and two more.
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
pub fn lines(rows: &[(String, Vec<Range>)], across: &str, up: &str, even: Option<f64>) -> String {
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
pub fn path(points: &[(f64, f64)], settled: f64, across: &str, up: &str) -> String {
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
pub fn scatter(points: &[(f64, f64, String)], across: &str, up: &str) -> String {
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
