//! Numbers with names: `n = 3;` before `farm(n, ...)`, `mu = 2.5;` before `task("read", mu)`.
//!
//! A name stands for its number from its definition on, in the place of a count or of a rate, and in the
//! definition of another name. What is wrong with the number is told where it is used, since that says what
//! it has to be. A *setting* gives a name another number than the text does.

use std::collections::{HashMap, HashSet};

use num_traits::{Signed, ToPrimitive};

use super::communication::NO_TIME;
use super::{NO_NUMBERS, Parser, WORDS};
use crate::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};
use crate::number::{Ratio, display_ratio};
use crate::rate::Rate;
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::TokenKind;

/// The names of a text, as far as it has been read.
pub(in crate::skeleton::text) struct Names<'s> {
    /// Other values than those of the text.
    settings: &'s [(String, Rate)],
    numbers: HashMap<String, usize>,
    /// Names whose definitions were refused, so that their uses need no report.
    refused: HashSet<String>,
    /// In the order in which they are defined.
    pub(in crate::skeleton::text) defined: Vec<Defined>,
}

/// A number with a name.
pub(in crate::skeleton::text) struct Defined {
    pub(in crate::skeleton::text) name: String,
    value: Ratio,
    at: TextSpan,
    is_used: bool,
}

impl<'s> Names<'s> {
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(settings: &'s [(String, Rate)]) -> Self {
        Names { settings, numbers: HashMap::new(), refused: HashSet::new(), defined: Vec::new() }
    }

    /// Whether a number has that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// The number of a name: what it is set to, or what the text says.
    #[cfg_attr(debug_assertions, inline)]
    fn define(&mut self, name: &str, written: Ratio, at: TextSpan) {
        let set = self.settings.iter().rev().find(|(set, _)| set == name);
        let value = set.and_then(|(_, value)| value.exact().cloned()).unwrap_or(written);
        self.numbers.insert(name.to_owned(), self.defined.len());
        self.defined.push(Defined { name: name.to_owned(), value, at, is_used: false });
    }

    /// A warning for each name that nothing uses.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton::text) fn unused(&self) -> Vec<Diagnostic<TextSpan>> {
        let unused = self.defined.iter().filter(|defined| !defined.is_used);
        let warning = |defined: &Defined| {
            let message = format!("`{}` is defined, but nothing uses it", defined.name);
            Diagnostic::new(Code::UnusedRate, defined.at, message)
                .help("remove it, or use it for a count or a rate")
        };
        unused.map(warning).collect()
    }
}

impl Parser<'_> {
    /// Whether `name =` stands here.
    pub(super) fn starts_definition(&self) -> bool {
        matches!(self.tokens.kind(0), Some(TokenKind::Name(_))) && self.tokens.is_symbol(1, '=')
    }

    /// Whether a rate stands here that begins with a name: one that is defined and is not followed by a rate,
    /// or a fraction.
    pub(super) fn is_named_rate(&self) -> bool {
        match self.tokens.kind(0) {
            Some(TokenKind::Name(name)) => {
                self.tokens.is_symbol(1, '/') || (self.names.has(name) && !self.tokens.is_symbol(1, ','))
            }
            _ => false,
        }
    }

    /// `name = number;`
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn definition(&mut self) -> Read<()> {
        let Some(TokenKind::Name(name)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected("a name"));
        };
        let outcome = self.definition_of(name);
        if outcome.is_err() {
            self.names.refused.insert(name.clone());
        }
        outcome
    }

    #[cfg_attr(debug_assertions, inline)]
    fn definition_of(&mut self, name: &str) -> Read<()> {
        let at = self.tokens.span();
        self.tokens.advance(2);
        if !self.is_number_next() {
            return Err(self.no_number(name, at));
        }
        let value = self.rate()?;
        self.semicolon()?;
        if WORDS.contains(&name)
            || name == NO_TIME
            || NO_NUMBERS.contains(&name.to_ascii_lowercase().as_str())
        {
            let message = format!("`{name}` cannot be defined");
            let help = "the word has a meaning of its own; choose another name";
            self.tokens.report(Diagnostic::new(Code::ReservedName, at, message).help(help));
            self.names.refused.insert(name.to_owned());
            return Ok(());
        }
        if let Some(&earlier) = self.names.numbers.get(name) {
            let finding =
                Diagnostic::new(Code::DuplicateDefinition, at, format!("`{name}` is defined twice"))
                    .related(self.names.defined[earlier].at, "first defined here")
                    .help("remove one of the two, or give it another name");
            self.tokens.report(finding);
            return Ok(());
        }
        if let Some(value) = value.exact() {
            self.names.define(name, value.clone(), at);
        }
        Ok(())
    }

    /// Whether the body of a definition can be a number: it begins as one, and is no longer than one.
    fn is_number_next(&self) -> bool {
        match self.tokens.kind(0) {
            Some(TokenKind::Number(_) | TokenKind::Symbol('-')) => true,
            Some(TokenKind::Name(_)) => {
                matches!(self.tokens.kind(1), None | Some(TokenKind::Symbol(';' | '/') | TokenKind::Name(_)))
            }
            _ => false,
        }
    }

    /// Reports a definition of something else than a number, after which nothing is read: it is another kind
    /// of text.
    #[cfg_attr(debug_assertions, inline)]
    fn no_number(&mut self, name: &str, at: TextSpan) -> Reported {
        let help =
            "a skeleton defines numbers alone, as in `n = 3;`; a text that defines processes is a PEPA model";
        let finding = Diagnostic::new(Code::Syntax, at, format!("`{name}` is not defined as a number"));
        self.tokens.report(finding.help(help));
        self.tokens.finish();
        Reported
    }

    /// The number of the name that stands here, where a `noun` is needed.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn named_number(&mut self, name: &str, noun: &str) -> Read<Ratio> {
        let at = self.tokens.span();
        self.tokens.advance(1);
        if let Some(&known) = self.names.numbers.get(name) {
            let defined = &mut self.names.defined[known];
            defined.is_used = true;
            return Ok(defined.value.clone());
        }
        if self.names.refused.contains(name) {
            return Err(Reported);
        }
        let names = self.names.defined.iter().map(|defined| defined.name.as_str());
        let help = match did_you_mean(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None if name.eq_ignore_ascii_case(NO_TIME) => {
                "moves that take no time are written `communication(none);`, or for one link \
                `communication(0, 1, none);`"
                    .to_owned()
            }
            None => {
                let example = if noun == "size" { "3" } else { "1.0" };
                format!("define it before it is used: `{name} = {example};`")
            }
        };
        let code = if noun == "size" { Code::UndefinedSize } else { Code::UndefinedRate };
        let message = format!("the {noun} `{name}` is not defined");
        Err(self.tokens.report(Diagnostic::new(code, at, message).help(help)))
    }

    /// The whole number of the name that stands here. That it is positive is left to the check of the
    /// skeleton.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn named_count(&mut self, name: &str) -> Read<i128> {
        let at = self.tokens.span();
        let value = self.named_number(name, "size")?;
        if value.is_integer() {
            let limit = if value.is_negative() { i128::MIN } else { i128::MAX };
            return Ok(value.to_integer().to_i128().unwrap_or(limit));
        }
        let message = format!("the size `{name}` is {}, which is not a whole number", display_ratio(&value));
        let finding =
            Diagnostic::new(Code::BadSize, at, message).help("a count is a whole number, such as `3`");
        let defined = self.names.numbers.get(name).map(|&known| self.names.defined[known].at);
        Err(self.tokens.report(match defined {
            Some(defined) => finding.related(defined, "defined here"),
            None => finding,
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("n = 2; mu = 1.5; pipe(task(mu), farm(n, mu), deal(n, \"a\", mu / n));", &[]),
            ("n = 2; m = n; k = m / 2; pipe(2); farm(k); task(1); deal(m); task(n, 1);", &[]),
            ("mu = 3; communication(mu); communication(0, 1, mu / 2); pipe(task(1), task(1));", &[]),
            ("pipe(2); n = 3; task(1); farm(n, 1);", &[]),
            ("pipe(task(1), farm(n, 1)); n = 3;", &["undefined_size `n`: the size `n` is not defined"]),
            ("workers = 3; farm(worker, 1);", &["undefined_size `worker`: the size `worker` is not defined"]),
            ("task(\"a\", mu);", &["undefined_rate `mu`: the rate `mu` is not defined"]),
            ("n = n; farm(n, 1);", &["undefined_rate `n`: the rate `n` is not defined"]),
            ("none = 3; farm(2, 1);", &["reserved_name `none`: `none` cannot be defined"]),
            ("n = 2.5; farm(n, 1);", &["bad_size `n`: the size `n` is 2.5, which is not a whole number"]),
            ("n = 0; farm(n, 1);", &["no_replica `n`: the farm has 0 replicas"]),
            ("n = -2; deal(n, 1);", &["no_replica `n`: the deal has -2 replicas"]),
            (
                "n = 3000; farm(n, 1);",
                &["skeleton_too_large `farm(n, 1)`: the skeleton has 3000 tasks, more than 2000"],
            ),
            ("mu = 0; task(mu);", &["rate_not_positive `mu`: the rate of the task is 0"]),
            ("n = 1; n = 2; farm(n, 1);", &["duplicate_definition `n`: `n` is defined twice"]),
            ("farm = 1; task(1);", &["reserved_name `farm`: `farm` cannot be defined"]),
            (
                "n = 2; pipe(n); task(1); task(1);",
                &["syntax `n`: `n` is a number, and stands where a stage is needed"],
            ),
            ("n = 2 farm(n, 1);", &["syntax `2`: the statement has no `;` at its end"]),
            ("n = infty; farm(n, 1);", &["rate_not_positive `infty`: a rate cannot be `infty`"]),
            ("P = (a, 1).P; P", &["syntax `P`: `P` is not defined as a number"]),
        ]);
    }

    #[test]
    fn names_that_nothing_uses_are_told() {
        let parsed = crate::skeleton::text::parse("n = 2; k = 3; farm(n, 1);");
        let unused: Vec<&str> = parsed.unused_names().iter().map(|found| found.message.as_str()).collect();
        assert_eq!(unused, ["`k` is defined, but nothing uses it"]);
        assert_eq!(parsed.names().collect::<Vec<_>>(), ["n", "k"]);
    }
}
