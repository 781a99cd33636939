//! Models for the laws: any list of bytes makes a well-formed one, so that proptest shrinks the bytes.

mod draw;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use draw::Draw;

/// One is a keyword of Rust, which is a name like any other here.
const ACTIONS: [&str; 4] = ["a", "b", "c", "loop"];

/// A well-formed model, as text: up to three components of up to three local states, composed from left to
/// right, in part as arrays of a fixed or of a named size, and a result line. What has been composed is
/// active on everything it does, so a component to its right may be passive on what it shares with it.
pub(crate) fn model_text(bytes: &[u8]) -> String {
    let mut draw = Draw::new(bytes);
    let mut text = String::new();
    let mut system = String::new();
    let mut pattern = String::new();
    let mut left: BTreeSet<&str> = BTreeSet::new();
    for component in 0..1 + draw.below(3) {
        let states = 1 + draw.below(3);
        let mut transitions: Vec<(usize, &str, usize)> =
            (0..states).map(|state| (state, ACTIONS[draw.below(4)], (state + 1) % states)).collect();
        for _ in 0..draw.below(3) {
            transitions.push((draw.below(states), ACTIONS[draw.below(4)], draw.below(states)));
        }
        let alphabet: BTreeSet<&str> = transitions.iter().map(|&(_, action, _)| action).collect();
        let common: Vec<&str> = alphabet.intersection(&left).copied().collect();
        let shared: Vec<&str> = common.into_iter().filter(|_| !draw.one_in(3)).collect();
        let passive: BTreeSet<&str> = shared.iter().copied().filter(|_| draw.one_in(2)).collect();
        let is_array = draw.one_in(4);
        let has_named_size = is_array && draw.one_in(2);
        for state in 0..states {
            let activities: Vec<String> = transitions
                .iter()
                .filter(|&&(from, _, _)| from == state)
                .map(|&(_, action, to)| {
                    let number = 1 + draw.below(5);
                    let rate = match draw.below(4) {
                        _ if passive.contains(action) => format!("{number} * infty"),
                        0 => number.to_string(),
                        1 => format!("{number} / 3"),
                        2 if has_named_size => format!("n{component} * {number}"),
                        2 => format!("{number}.5e-1"),
                        _ => format!("r{component}"),
                    };
                    format!("({action}, {rate}).C{component}_{to}")
                })
                .collect();
            writeln!(text, "C{component}_{state} = {};", activities.join(" + ")).unwrap();
        }
        writeln!(text, "r{component} = 0.{}5;", draw.below(10)).unwrap();
        let copies = match (is_array, has_named_size) {
            (true, true) => format!("[n{component}]"),
            (true, false) => "[2]".to_owned(),
            _ => String::new(),
        };
        if has_named_size {
            writeln!(text, "n{component} = 2;").unwrap();
        }
        // An array of a named size is one entry, in which no copy can be named.
        let first = if component > 0 || has_named_size { "**" } else { "C0_0" };
        let more = if is_array && !has_named_size { " || **" } else { "" };
        let before = if component > 0 { " || " } else { "" };
        pattern += &format!("{before}{first}{more}");
        if component == 0 {
            system = format!("C0_0{copies}");
        } else {
            system = format!("{system} <{}> C{component}_0{copies}", shared.join(", "));
        }
        left.extend(alphabet);
        if draw.one_in(5) {
            let hidden = *left.iter().next().unwrap();
            left.remove(hidden);
            system = format!("({system})/{{{hidden}}}");
        }
    }
    format!("{text}{system};\nseen = 2 * {{{pattern}}};\n")
}
