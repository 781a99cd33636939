//! `skel solve --csv`: one table of everything that is answered, `kind,component,name,value`, and with
//! `--exact` a column of fractions.
//!
//! The kinds are `throughput`, `result`, `utilisation`, `population` and `state`. The component is empty but
//! for utilisations and populations, where it is the name that the other tables have, with a number where
//! several components have one name.

use super::answer::Answer;
use super::text::told_apart;
use crate::report::csv::cell;
use crate::report::figure::Figure;

/// The whole table.
pub(super) fn table(answer: &Answer) -> String {
    let has_exact = answer.figures().any(|figure| figure.exact.is_some());
    let mut text = String::from(if has_exact {
        "kind,component,name,value,exact\n"
    } else {
        "kind,component,name,value\n"
    });
    let mut row = |kind: &str, component: &str, name: &str, figure: &Figure| {
        let mut cells = vec![kind.to_owned(), cell(component), cell(name), figure.value.to_string()];
        if has_exact {
            cells.push(figure.exact.clone().unwrap_or_default());
        }
        text.push_str(&cells.join(","));
        text.push('\n');
    };
    for (kind, figures) in
        [("throughput", &answer.throughput), ("population", &answer.population), ("result", &answer.results)]
    {
        figures.iter().for_each(|(name, figure)| row(kind, "", name, figure));
    }
    for (one, component) in answer.utilisation.iter().zip(told_apart(&answer.utilisation)) {
        for state in &one.local_states {
            row("utilisation", &component, &state.name, &state.utilisation);
            row("population", &component, &state.name, &state.population);
        }
    }
    for state in answer.states.iter().flat_map(|states| &states.shown) {
        row("state", "", &state.in_brief, &state.probability);
    }
    text
}
