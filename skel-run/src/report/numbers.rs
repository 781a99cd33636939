//! Numbers as they are printed.

/// A time in seconds with its unit, to three digits.
pub(crate) fn time(seconds: f64) -> String {
    let (unit, scale) = match seconds {
        _ if seconds >= 0.9995 => ("s", 1.0),
        _ if seconds >= 0.9995e-3 => ("ms", 1e3),
        _ if seconds >= 0.9995e-6 => ("us", 1e6),
        _ => ("ns", 1e9),
    };
    format!("{} {unit}", three_digits(seconds * scale))
}

/// A part of one as a percentage with one decimal.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.1} %", part * 100.0)
}

/// A rate, to four digits.
pub(super) fn rate(value: f64) -> String {
    digits(value, 4)
}

fn three_digits(value: f64) -> String {
    digits(value, 3)
}

/// A number to so many digits, without an exponent.
fn digits(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    // The exponent behind the rounded digits, so that 9.996 counts as 10.
    let rounded = format!("{value:.*e}", digits as usize - 1);
    let magnitude: i32 = rounded.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    let places = (digits - 1 - magnitude).clamp(0, 12) as usize;
    format!("{value:.places$}")
}

#[cfg(test)]
mod tests {
    use super::{percent, rate, time};

    #[test]
    fn as_printed() {
        let times = [0.0, 31e-9, 999.6e-9, 1.5e-6, 0.0123, 0.99951, 12.0, 1234.0].map(time);
        assert_eq!(times, ["0 ns", "31.0 ns", "1.00 us", "1.50 us", "12.3 ms", "1.00 s", "12.0 s", "1234 s"]);
        assert_eq!([0.0, 0.00042, 0.123, 1.0].map(percent), ["0.0 %", "0.0 %", "12.3 %", "100.0 %"]);
        assert_eq!([0.0, 0.012_345, 812.34, 1_234_567.0].map(rate), ["0", "0.01235", "812.3", "1234567"]);
    }
}
