//! The answers as a table of the guide.

use super::Behaviour;

/// The answers of some skeletons to the five questions as a table in Markdown, a row each.
///
/// # Examples
/// ```
/// use skel_manage::behaviour::{Behaviour, Pattern, table};
/// let table = table(&[&Pattern::Farm]);
/// assert!(table.lines().nth(2).unwrap().starts_with("| farm | each item goes to one worker"));
/// ```
#[must_use]
pub fn table(skeletons: &[&dyn Behaviour]) -> String {
    let heading = "| skeleton | parallel semantics | reduced to | parameters | `f(T_W, n)` | rules |\n|---|---|---|---|---|---|\n";
    let code = |names: Vec<&str>| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    let row = |skeleton: &&dyn Behaviour| {
        format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            skeleton.name(),
            skeleton.semantics(),
            skeleton.reduction(),
            code(skeleton.parameters()),
            skeleton.formula(),
            code(skeleton.rules()),
        )
    };
    skeletons.iter().map(row).fold(heading.to_owned(), |table, row| table + &row)
}

/// Names as code, and words as they are.
fn quoted(name: &str) -> String {
    if name.contains(' ') { name.to_owned() } else { format!("`{name}`") }
}
