//! When a name needs quotes in a `.pepa` text.

/// Whether a name can stand without quotes.
pub(super) fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
}

/// A name as the grammar takes it: in quotes if it has to be. Without quotes `infty` is no name but the passive rate.
#[must_use]
pub fn quote_name(name: &str) -> String {
    if is_plain(name) && name != "infty" { name.to_owned() } else { format!("\"{name}\"") }
}
