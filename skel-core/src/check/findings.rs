//! What the checks have found so far, and what of it is to be said.

use std::collections::HashSet;

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::Name;

/// Where the phases put what they find.
pub(super) struct Findings<'a, S> {
    pub(super) list: Vec<Diagnostic<S>>,
    allowed: &'a [Code],
    /// Whether the syntax tree has every definition of the text, or knows the name of it.
    is_complete: bool,
    /// Whether the syntax tree has every definition of the text.
    pub(super) is_whole: bool,
    /// What was reported once: the number of a code, and the address of a name.
    reported: HashSet<(usize, usize)>,
}

impl<'a, S: Span> Findings<'a, S> {
    pub(super) fn new(allowed: &'a [Code], is_complete: bool) -> Self {
        Findings { list: Vec::new(), allowed, is_complete, is_whole: is_complete, reported: HashSet::new() }
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic<S>) {
        let needs_everything = !matches!(
            diagnostic.code,
            Code::DuplicateDefinition
                | Code::ReservedName
                | Code::WrongKind
                | Code::CircularRate
                | Code::CircularProcess
                | Code::UnguardedRecursion
                | Code::NotSequential
                | Code::UnboundedGrowth
                | Code::DivisionByZero
                | Code::RateNotPositive
                | Code::WeightNotPositive
                | Code::PassiveArithmetic
                | Code::RateOutOfRange
                | Code::BadSize
                | Code::EmptyArray
                | Code::RepeatedAction
                | Code::TauInSet
        );
        let allowed = diagnostic.code.is_allowable() && self.allowed.contains(&diagnostic.code);
        if !allowed && (self.is_complete || !needs_everything) {
            self.list.push(diagnostic);
        }
    }

    /// As [`Self::push`], but once only for each name of the text: the system equation may contain a
    /// definition many times.
    pub(super) fn push_once(&mut self, name: &Name<S>, diagnostic: impl FnOnce() -> Diagnostic<S>) {
        let diagnostic = diagnostic();
        if self.reported.insert((diagnostic.code as usize, std::ptr::from_ref(name).addr())) {
            self.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::models;

    #[test]
    fn findings() {
        models(&[
            (
                "P = (a, r).P; Q = (b 1).Q; P",
                &[
                    "undefined_rate `r`: the rate `r` is not defined",
                    "syntax `1`: expected `,` between the action and its rate, found the number `1`",
                ],
            ),
            (
                r#"P = (a, r).P; Q = (b 1).Q; P <"a"#,
                &[
                    "syntax `1`: expected `,` between the action and its rate, found the number `1`",
                    r#"unclosed `"`: this quoted name is never closed"#,
                ],
            ),
            (
                "P = (a, r).Q; Q = (b 1).Q; P <c> Q",
                &[
                    "undefined_rate `r`: the rate `r` is not defined",
                    "syntax `1`: expected `,` between the action and its rate, found the number `1`",
                ],
            ),
            (
                "r = 0; P = (a, r).P; Q = (b 1).Q; P",
                &[
                    "rate_not_positive `r`: the rate `r` is 0",
                    "syntax `1`: expected `,` between the action and its rate, found the number `1`",
                ],
            ),
            ("// skel: allow(unused_rate)\nr = 1; P = (a, 2).P; P", &[]),
            ("P = (a, r).P; S = P || P; S || S || S", &["undefined_rate `r`: the rate `r` is not defined"]),
        ]);
    }
}
