//! Numbers in the words of an answer.

/// A figure to five significant digits, without zeros at its end.
#[cfg_attr(debug_assertions, inline)]
pub(in crate::dimension) fn decimal(value: f64) -> String {
    const DIGITS: i32 = 5;
    let magnitude = if value == 0.0 { 0 } else { value.abs().log10().floor() as i32 };
    if !(-5..=14).contains(&magnitude) {
        return format!("{value:.4e}");
    }
    let decimals = usize::try_from(DIGITS - 1 - magnitude).unwrap_or_default();
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `1 chain`, `2 chains`
#[cfg_attr(debug_assertions, inline)]
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// `(2, 4, 14, 1)`
#[cfg_attr(debug_assertions, inline)]
pub(super) fn listed(replicas: &[u32]) -> String {
    let replicas: Vec<String> = replicas.iter().map(ToString::to_string).collect();
    format!("({})", replicas.join(", "))
}

/// A difference as a part of what was wanted, in percent.
#[cfg_attr(debug_assertions, inline)]
pub(super) fn percent(part: f64) -> String {
    format!("{:.2} %", 100.0 * part)
}
