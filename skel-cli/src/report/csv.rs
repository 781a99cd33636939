//! Cells of comma-separated values.

/// A cell, in quotation marks where a comma, a line or such a mark is in it.
pub(crate) fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
