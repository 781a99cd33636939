//! Mean times in the place of rates: `task("parse", 12ms)` completes 250/3 items per second.

use num_traits::{Signed, Zero};

use super::Parser;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::number::{Ratio, decimal};
use crate::syntax::cursor::Read;
use crate::syntax::token::TokenKind;
use crate::time::TimeUnit;

impl Parser<'_> {
    /// A number with a unit of time, as the rate of what takes so long on average; none where something else
    /// stands here.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn mean_time(&mut self, is_negative: bool) -> Read<Option<Ratio>> {
        let begin = self.tokens.span();
        let Some(time) = self.time_with_unit()? else { return Ok(None) };
        if is_negative || !time.is_positive() {
            let span = begin.join(self.tokens.previous());
            let value = if time.is_zero() { "0" } else { "negative" };
            let finding = Diagnostic::new(Code::RateNotPositive, span, format!("the mean time is {value}"));
            return Err(self.tokens.report(finding.help("what takes time on average takes more than 0")));
        }
        Ok(Some(time.recip()))
    }

    /// A number with a unit of time, in seconds; none where something else stands here.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn time_with_unit(&mut self) -> Read<Option<Ratio>> {
        let Some(TokenKind::Number(text)) = self.tokens.kind(0) else { return Ok(None) };
        let digits = text.trim_end_matches(char::is_alphabetic);
        let (unit, tokens) = match (&text[digits.len()..], self.tokens.kind(1)) {
            ("", Some(TokenKind::Name(next))) if TimeUnit::from_word(next).is_some() => (next.as_str(), 2),
            (unit, _) => (unit, 1),
        };
        let (false, Ok(number)) = (unit.is_empty(), decimal(digits)) else { return Ok(None) };
        let begin = self.tokens.span();
        self.tokens.advance(tokens);
        let span = begin.join(self.tokens.previous());
        let Some(unit) = TimeUnit::from_word(unit) else {
            let message = format!("`{unit}` is not a unit of time");
            let help = "a mean time is in `s`, `ms` or `us`, as in `12ms`; a rate has no unit";
            return Err(self.tokens.report(Diagnostic::new(Code::BadNumber, span, message).help(help)));
        };
        if self.tokens.is_symbol(0, '/') {
            let finding = Diagnostic::new(Code::Syntax, span, "a mean time is not divided");
            return Err(self
                .tokens
                .report(finding.help("write the time as one number with its unit, as in `1.5ms`")));
        }
        Ok(Some(number * unit.in_seconds()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("task(12ms);", &[]),
            ("task(\"a\", 2 s);", &[]),
            ("task(12min);", &["bad_number `12min`: `min` is not a unit of time"]),
            ("task(0us);", &["rate_not_positive `0us`: the mean time is 0"]),
            ("farm(2, -3ms);", &["rate_not_positive `3ms`: the mean time is negative"]),
            ("task(3ms / 2);", &["syntax `3ms`: a mean time is not divided"]),
        ]);
    }
}
