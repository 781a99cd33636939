//! Lists of names in sentences.

/// `` `a`, `b` and `c` ``.
pub(super) fn both<N: AsRef<str>>(names: &[N]) -> String {
    match names {
        [] => String::new(),
        [one] => quoted(one.as_ref()),
        [rest @ .., last] => format!("{} and {}", listed(rest), quoted(last.as_ref())),
    }
}

/// `` `a`, `b`, `c` ``.
pub(super) fn listed<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name.as_ref())).collect();
    names.join(", ")
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
