//! The statement that says how fast items move.

use super::{Link, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::rate::Rate;
use crate::skeleton::communication::MoveTime;
use crate::syntax::cursor::Read;
use crate::syntax::token::TokenKind;

/// What stands in the place of a rate where moves take no time.
pub(super) const NO_TIME: &str = "none";

impl Parser<'_> {
    /// `communication(rate);` or `communication(from, to, rate);`, with `none` for a rate where moves take no
    /// time
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn communication(&mut self) -> Read<()> {
        const FORMS: &str = "write `communication(1.0);` for all moves, `communication(0, 1, 2.5);` for those from task 0 to task 1, \
                             and `communication(none);` where moves take no time";
        let found = self.tokens.diagnostics.len();
        let outcome = self.communication_rate();
        let added = self.tokens.diagnostics[found..].iter_mut().filter(|finding| finding.help.is_none());
        added.for_each(|finding| finding.help = Some(FORMS.to_owned()));
        outcome
    }

    #[cfg_attr(debug_assertions, inline)]
    fn communication_rate(&mut self) -> Read<()> {
        let begin = self.tokens.span();
        self.open()?;
        let is_link = self.tokens.is_symbol(1, ',');
        let link = if is_link {
            let (from, _) = self.count()?;
            self.tokens.take(',');
            let (to, _) = self.count()?;
            if !self.tokens.take(',') {
                return Err(self.tokens.expected("`,` and the rate of the link"));
            }
            Some((usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(to).unwrap_or(usize::MAX)))
        } else {
            None
        };
        let time_begin = self.tokens.span();
        let time = self.move_time()?;
        let time_span = time_begin.join(self.tokens.previous());
        let span = begin.join(self.close()?);
        self.semicolon()?;
        if let MoveTime::Exponential(rate) = &time
            && let Err(problem) = rate.to_positive()
        {
            if let Some((code, message, help)) = problem.explain("of communication", false) {
                self.tokens.report(Diagnostic::new(code, time_span, message).help(help));
            }
            return Ok(());
        }
        let (what, earlier) = match link {
            None => ("of all moves".to_owned(), self.everywhere.as_ref().map(|(_, span)| *span)),
            Some((from, to)) => {
                let known = self.link_numbers.get(&(from, to)).map(|&number| self.links[number].span);
                (format!("from task {from} to task {to}"), known)
            }
        };
        if let Some(earlier) = earlier {
            let message = format!("the communication rate {what} is given twice");
            self.tokens.report(
                Diagnostic::new(Code::DuplicateDefinition, span, message)
                    .related(earlier, "first here")
                    .help("keep one of the two"),
            );
        }
        match link {
            None => self.everywhere = Some((time, span)),
            Some(ends) => {
                self.link_numbers.insert(ends, self.links.len());
                self.links.push(Link { ends, time, span });
            }
        }
        Ok(())
    }

    /// `none`, or a rate.
    #[cfg_attr(debug_assertions, inline)]
    fn move_time(&mut self) -> Read<MoveTime<Rate>> {
        if self.tokens.is_word(0, NO_TIME) {
            self.tokens.advance(1);
            return Ok(MoveTime::Negligible);
        }
        if self.is_no_number() && !self.tokens.is_word(0, "nan") {
            let word = self.tokens.kind(0).map(TokenKind::describe).unwrap_or_default();
            let message = format!("a communication rate cannot be {word}");
            let finding = Diagnostic::new(Code::RateNotPositive, self.tokens.span(), message);
            let help = "where moves take no time, write `communication(none);`";
            return Err(self.tokens.report(finding.help(help)));
        }
        self.rate().map(MoveTime::Exponential)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("task(1); communication();", &["syntax `)`: expected a rate, such as `1.0`, found `)`"]),
            (
                "task(1); communication(1, 2);",
                &["syntax `)`: expected `,` and the rate of the link, found `)`"],
            ),
            (
                "task(1); communication(1); communication(2);",
                &[
                    "duplicate_definition `communication(2)`: the communication rate of all moves is given twice",
                ],
            ),
            (
                "pipe(task(1), task(1)); communication(0, 1, 2); communication(0, 1, 3);",
                &[
                    "duplicate_definition `communication(0, 1, 3)`: the communication rate from task 0 to task 1 is given twice",
                ],
            ),
            ("task(1); communication(x);", &["undefined_rate `x`: the rate `x` is not defined"]),
            (
                "task(1); communication(none, 1, 2);",
                &["undefined_size `none`: the size `none` is not defined"],
            ),
            (
                "task(1); communication(infty);",
                &["rate_not_positive `infty`: a communication rate cannot be `infty`"],
            ),
            (
                "task(1); communication(none); communication(2);",
                &[
                    "duplicate_definition `communication(2)`: the communication rate of all moves is given twice",
                ],
            ),
            ("task(1); communication(0.5, 1, 2);", &["bad_number `0.5`: `0.5` is not a count"]),
        ]);
    }
}
