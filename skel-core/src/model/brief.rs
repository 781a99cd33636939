//! A state as it is written in messages: short, however many components it has.
//!
//! The copies of an array are equal, so a message counts them, `S[999] || I[11]`, in the order in which each
//! local state occurs first. Neighbours that are equal without an array are counted too. What is still long
//! is cut in the middle. All this takes time in proportion to the length of the state.
//! [`Model::display_state`] leaves nothing out.

use std::collections::HashMap;

use crate::model::{Array, LocalStateId, Model};

/// A state of so many components is written out in full.
const WRITTEN_OUT: usize = 16;

/// The most parts of a state that are written.
const MOST_PARTS: usize = 40;

/// A state as it is written in messages: equal copies are counted where it has many components.
///
/// # Examples
/// ```
/// use skel_core::model::{brief::brief_state, Model};
/// let model = Model::from_text("S = (infect, 1).I; I = (rest, 1).I; D = (go, 1).D; S[1000] || D").unwrap();
/// let [s, i, d] = ["S", "I", "D"].map(|name| model.local_state_named(name).unwrap());
/// let mut state = vec![s; 1000];
/// (state[3], state[500]) = (i, i);
/// state.push(d);
/// assert_eq!(brief_state(&model, &state), "S[998] || I[2] || D");
/// ```
#[must_use]
pub fn brief_state(model: &Model, state: &[LocalStateId]) -> String {
    if state.len() <= WRITTEN_OUT {
        return model.display_state(state);
    }
    let mut parts: Vec<(&[LocalStateId], usize)> = Vec::new();
    let arrays = outermost(model.arrays());
    let mut arrays = arrays.iter().peekable();
    let mut at = 0;
    while at < state.len() {
        match arrays.next_if(|array| array.first.index() == at) {
            Some(array) => {
                let all = &state[at..at + positions(array)];
                parts.extend(counted(all.chunks(array.width as usize)));
                at += all.len();
            }
            None => {
                let one = &state[at..=at];
                match parts.last_mut() {
                    Some((last, count)) if *last == one => *count += 1,
                    _ => parts.push((one, 1)),
                }
                at += 1;
            }
        }
    }
    cut(parts.len(), |part| written(model, parts[part].0, parts[part].1))
}

fn positions(array: &Array) -> usize {
    array.copies as usize * array.width as usize
}

/// The arrays that are in no other, from left to right.
fn outermost(arrays: &[Array]) -> Vec<&Array> {
    let mut sorted: Vec<&Array> = arrays.iter().filter(|array| array.copies > 1).collect();
    sorted.sort_by_key(|array| (array.first, std::cmp::Reverse(positions(array))));
    let mut end = 0;
    sorted.retain(|array| {
        let is_outermost = array.first.index() >= end;
        if is_outermost {
            end = array.first.index() + positions(array);
        }
        is_outermost
    });
    sorted
}

/// Each of some copies once, in the order in which they occur first, and how often it occurs.
fn counted<'s>(copies: impl Iterator<Item = &'s [LocalStateId]>) -> Vec<(&'s [LocalStateId], usize)> {
    let mut parts: Vec<(&[LocalStateId], usize)> = Vec::new();
    let mut numbers: HashMap<&[LocalStateId], usize> = HashMap::new();
    for copy in copies {
        let number = *numbers.entry(copy).or_insert(parts.len());
        match parts.get_mut(number) {
            Some((_, count)) => *count += 1,
            None => parts.push((copy, 1)),
        }
    }
    parts
}

/// `S`, `S[3]`, `(S || I)[3]`.
fn written(model: &Model, part: &[LocalStateId], count: usize) -> String {
    let is_name = part.len() == 1 && model.local_state(part[0]).is_constant;
    let text = cut(part.len(), |at| model.display_state(&part[at..=at]));
    match count {
        1 => text,
        _ if is_name => format!("{text}[{count}]"),
        _ => format!("({text})[{count}]"),
    }
}

/// Parts one after the other, or the first and the last of them.
fn cut(count: usize, part: impl Fn(usize) -> String) -> String {
    let joined = |parts: std::ops::Range<usize>| parts.map(&part).collect::<Vec<_>>().join(" || ");
    if count <= MOST_PARTS {
        return joined(0..count);
    }
    let half = MOST_PARTS / 2;
    let left_out = count - 2 * half;
    format!("{} || ... ({left_out} more) ... || {}", joined(0..half), joined(count - half..count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(text: &str, change: impl Fn(&Model, &mut [LocalStateId])) -> String {
        let model = Model::from_text(text).unwrap();
        let mut state = model.initial_state();
        change(&model, &mut state);
        brief_state(&model, &state)
    }

    fn named(model: &Model, name: &str) -> LocalStateId {
        model.local_state_named(name).unwrap()
    }

    #[test]
    fn few_components_are_written_out() {
        let text = "P = (a, 1).Q; Q = (b, 1).P; P[4]";
        assert_eq!(brief(text, |model, state| state[2] = named(model, "Q")), "P || P || Q || P");
    }

    #[test]
    fn copies_of_an_array_are_counted_wherever_they_are() {
        let text = "P = (a, 1).Q; Q = (b, 1).P; P || P[20] || P";
        let change = |model: &Model, state: &mut [LocalStateId]| {
            state.iter_mut().skip(1).step_by(2).for_each(|local| *local = named(model, "Q"));
        };
        assert_eq!(brief(text, change), "P || Q[10] || P[10] || Q");
    }

    #[test]
    fn copies_of_several_components_are_counted_together() {
        let text = "P = (a, 1).(b, 1).P; Q = (c, 1).R; R = (d, 1).Q; Pair = P || Q[2]; Pair[30]";
        let change = |model: &Model, state: &mut [LocalStateId]| {
            state[3] = model.local_state(state[3]).activities[0].target;
            state[4] = named(model, "R");
        };
        assert_eq!(brief(text, change), "(P || Q || Q)[29] || (b, 1).P || R || Q");
    }

    #[test]
    fn a_nameless_state_is_bracketed_and_neighbours_are_counted() {
        let text = format!("P = (a, 1).(b, 1).P; {}P", "P || ".repeat(19));
        let change = |model: &Model, state: &mut [LocalStateId]| {
            let next = model.local_state(state[0]).activities[0].target;
            state[..5].fill(next);
        };
        assert_eq!(brief(&text, change), "((b, 1).P)[5] || P[15]");
    }

    #[test]
    fn many_different_components_are_cut() {
        let definitions: String = (0..100).map(|at| format!("P{at} = (a{at}, 1).P{at};\n")).collect();
        let system: Vec<String> = (0..100).map(|at| format!("P{at}")).collect();
        let shown = brief(&format!("{definitions}{}", system.join(" || ")), |_, _| {});
        assert!(shown.starts_with("P0 || P1 || ") && shown.ends_with(" || P98 || P99"), "{shown}");
        assert!(shown.contains("P19 || ... (60 more) ... || P80"), "{shown}");
    }
}
