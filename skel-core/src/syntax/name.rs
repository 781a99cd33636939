//! When a name needs quotes in a `.pepa` text.

/// Whether a name can stand without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
}

/// A name as a text has to write it: in quotes if it cannot stand without them. `infty` needs them too, since
/// without quotes it is the passive rate.
#[must_use]
pub fn quote_name(name: &str) -> String {
    if is_plain(name) && name != "infty" { name.to_owned() } else { format!("\"{name}\"") }
}
