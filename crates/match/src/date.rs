//! Points in time as text, in the calendar of everyday life and the time of Greenwich.

use crate::job::now;

/// Days from the first of March of year 0 to the first of January 1970: years that begin in March have their leap day at the end.
const TO_1970: i64 = 719_468;
/// Days of four hundred years, after which the calendar repeats.
const ERA: i64 = 146_097;
const DAY: i64 = 86_400;

/// Seconds since 1970 as ISO 8601, `2024-03-13T10:48:22Z` (after Hinnant, "chrono-compatible date algorithms", 2013).
pub fn date_text(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(DAY) + TO_1970, seconds.rem_euclid(DAY));
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", second / 3_600, second / 60 % 60, second % 60)
}

/// The day of such a time, `2024-03-13`.
pub fn day_text(seconds: i64) -> String {
    date_text(seconds).split_once('T').map_or_else(String::new, |(day, _)| day.to_owned())
}

/// The time now, in seconds since 1970.
pub fn seconds_now() -> i64 {
    now().as_secs() as i64
}

/// The way back, also from the dates of the Crosphere thesis (`13-03-2024 10:48:22`); `None` for anything else.
pub fn seconds_of(text: &str) -> Option<i64> {
    let (day, time) = text.trim().trim_end_matches('Z').split_once(['T', ' '])?;
    let numbers = |text: &str, between: char| -> Option<[i64; 3]> {
        let parts: Option<Vec<i64>> = text.split(between).map(|part| part.parse().ok().filter(|number| *number >= 0)).collect();
        parts?.try_into().ok()
    };
    let [first, month, last] = numbers(day, '-')?;
    let (year, day) = if first > 31 { (first, last) } else { (last, first) };
    let [hour, minute, second] = numbers(time, ':')?;
    let fits = (1..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !fits || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let march = if month > 2 { month - 3 } else { month + 9 };
    let year = year - i64::from(month <= 2);
    let day_of_year = (153 * march + 2) / 5 + day - 1;
    let days = year.div_euclid(400) * ERA + 365 * year.rem_euclid(400) + year.rem_euclid(400) / 4 - year.rem_euclid(400) / 100;
    Some((days + day_of_year - TO_1970) * DAY + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_come_back() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_710_326_902, "2024-03-13T10:48:22Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!((date_text(seconds).as_str(), seconds_of(text)), (text, Some(seconds)));
            assert_eq!(day_text(seconds), text[..10]);
        }
        for day in (-200_000..200_000).step_by(17) {
            assert_eq!(seconds_of(&date_text(day * DAY + 3)), Some(day * DAY + 3));
        }
    }

    #[test]
    fn the_thesis_puts_the_day_first() {
        assert_eq!(seconds_of("13-03-2024 10:48:22"), Some(1_710_326_902));
        for wrong in ["", "13-03-2024", "13-13-2024 10:48:22", "13-03-2024 25:00:00", "yesterday", "1-2-3 4:5:6:7", "a-b-c d:e:f"]
        {
            assert_eq!(seconds_of(wrong), None, "{wrong}");
        }
    }
}
