//! The plots of a report, as SVG: heat maps, rows of values, bars and histograms; those with two axes are in [`curves`].

mod canvas;
mod curves;

use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use canvas::{
    Axis, BLUE, DARK_GREY, FAINT, GREY, INK, NAME, NUMBER, ORANGE, ROW, WIDTH, drawn, fitting, line, rectangle, room_for, shade,
    short, text, write,
};
pub(super) use curves::{agreement, curve, lines, path, scatter};

use crate::verdict::Verdict;

/// Shares by rows and columns.
pub(super) struct HeatMap<'a> {
    pub rows: &'a [String],
    /// Short ones: they stand above their columns.
    pub columns: &'a [String],
    /// The share of a cell; `None` where there is none.
    pub share: &'a dyn Fn(usize, usize) -> Option<f64>,
    /// The distance from one half at which the colour is full: 0.5, or less where all shares are near it.
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
    pub verdict: Verdict,
}

impl Compared {
    /// Blue where both agree or there is nothing to compare, orange where they differ, grey where it cannot be told.
    fn colour(&self) -> RGBColor {
        match self.verdict {
            Verdict::Agrees | Verdict::New => BLUE,
            Verdict::CannotTell(_) => DARK_GREY,
            Verdict::Differs(_) => ORANGE,
        }
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

/// A histogram of the plies of games.
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
