//! Strings: places inside of them, and how they are written.

use skel_core::diagnostic::TextSpan;

/// A place in the contents of a string as a place in the whole text. If the string has escapes, it is that of
/// the string.
///
/// # Examples
/// ```
/// use skel_core::diagnostic::TextSpan;
/// let text = "work = \"erlang(4)\"";
/// let four = skel_toml::inside(text, TextSpan { start: 7, end: 18 }, "erlang(4)", TextSpan { start: 7, end: 8 });
/// assert_eq!(&text[four.start..four.end], "4");
/// ```
#[must_use]
pub fn inside(text: &str, string: TextSpan, contents: &str, span: TextSpan) -> TextSpan {
    let written = text.get(string.start..string.end);
    match written.and_then(|written| written.find(contents)) {
        Some(offset) => {
            let begin = string.start + offset;
            TextSpan { start: begin + span.start, end: begin + span.end }
        }
        None => string,
    }
}

/// A text as a string of TOML: in single quotation marks, where nothing is escaped, if it has double ones and
/// can be.
///
/// # Examples
/// ```
/// assert_eq!(skel_toml::quoted("queue > 10"), "\"queue > 10\"");
/// assert_eq!(skel_toml::quoted("say \"stop\""), "'say \"stop\"'");
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    if text.contains('"') && !text.contains(|c: char| c == '\'' || c.is_control()) {
        return format!("'{text}'");
    }
    format!("\"{}\"", escaped(text))
}

/// Lines as a string of TOML that has several lines, between three quotation marks.
///
/// # Examples
/// ```
/// assert_eq!(skel_toml::quoted_lines("from,to\na,b\n"), "\"\"\"\nfrom,to\na,b\n\"\"\"");
/// ```
#[must_use]
pub fn quoted_lines(lines: &str) -> String {
    format!("\"\"\"\n{}\"\"\"", lines.split('\n').map(escaped).collect::<Vec<_>>().join("\n"))
}

/// A text inside of a string of TOML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}
