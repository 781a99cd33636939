//! What terms are called.

use super::{Term, Terms};
use crate::diagnostic::Span;
use crate::model::LocalStateId;
use crate::syntax::name::quote_name;

impl<S: Span> Terms<'_, S> {
    /// The constant's name or, where it has none, the term as one writes it; very long ones are cut and told
    /// apart by their number.
    pub(in crate::check) fn name(&self, term: LocalStateId) -> String {
        const LONGEST: usize = 240;
        if let Some(id) = self.constant(term) {
            return self.constant_names[id].to_owned();
        }
        let mut name = String::new();
        self.write_name(term, false, &mut name, LONGEST);
        if name.len() > LONGEST {
            let cut = (0..=LONGEST).rev().find(|&at| name.is_char_boundary(at)).unwrap_or(0);
            name.truncate(cut);
            name.push_str(&format!("... #{}", term.0));
        }
        name
    }

    fn write_name(&self, term: LocalStateId, in_brackets: bool, name: &mut String, longest: usize) {
        let mut term = term;
        while name.len() <= longest {
            match self.terms[term.index()] {
                Term::Constant(id) => {
                    return name.push_str(&quote_name(self.constant_names[id as usize]));
                }
                Term::Prefix(activity) => {
                    let action = quote_name(&self.actions[activity.action.index()]);
                    name.push_str(&format!("({action}, {}).", self.rates.written(activity.rate)));
                    term = activity.target;
                    if matches!(self.terms[term.index()], Term::Choice(_)) {
                        return self.write_name(term, true, name, longest);
                    }
                }
                Term::Choice(choice) => {
                    if in_brackets {
                        name.push('(');
                    }
                    for (index, &operand) in self.choices[choice as usize].iter().enumerate() {
                        if name.len() > longest {
                            return;
                        }
                        name.push_str(if index == 0 { "" } else { " + " });
                        self.write_name(operand, true, name, longest);
                    }
                    if in_brackets {
                        name.push(')');
                    }
                    return;
                }
                Term::Broken => return name.push('?'),
            }
        }
    }
}
