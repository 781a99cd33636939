//! Times that are not exponential: `task("parse", erlang(4, 12ms))`.
//!
//! The arguments of a distribution are read alike for all of them; the check knows how many each takes, and
//! what they are.

use super::{NO_NUMBERS, Parser};
use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use crate::rate::Rate;
use crate::skeleton::written::{DistributionWord, TimeArgument, WrittenTime};
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};
use crate::time::{Measured, MeasuredError, TimeUnit};

/// How deep lists may stand inside one another: a matrix has two.
const DEEPEST_LIST: usize = 2;

impl Parser<'_> {
    /// Whether a word with brackets behind it stands here.
    pub(super) fn is_distribution(&self) -> bool {
        matches!(self.tokens.kind(0), Some(TokenKind::Name(_))) && self.tokens.is_open(1, Bracket::Round)
    }

    /// `word(argument, ...)`
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn distribution(&mut self) -> Read<WrittenTime<TextSpan>> {
        let begin = self.tokens.span();
        let word = self.distribution_word()?;
        self.open()?;
        let arguments = match word {
            DistributionWord::Measured => vec![self.measured()?],
            _ => self.arguments(Bracket::Round, DEEPEST_LIST)?,
        };
        Ok(WrittenTime::Distribution { word, arguments, span: begin.join(self.close()?) })
    }

    /// A distribution with nothing behind it.
    #[cfg_attr(debug_assertions, inline)]
    pub(in crate::skeleton::text) fn time_alone(&mut self) -> Read<WrittenTime<TextSpan>> {
        let time = self.distribution()?;
        if self.tokens.is_at_end() { Ok(time) } else { Err(self.tokens.expected("nothing more")) }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn distribution_word(&mut self) -> Read<DistributionWord> {
        let Some(TokenKind::Name(name)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected("a distribution"));
        };
        if let Some(word) = DistributionWord::from_text(name) {
            return Ok(word);
        }
        let words = || DistributionWord::ALL.iter().map(|word| word.text());
        let help = match did_you_mean(name, words()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("a time is a rate, or one of: {}", words().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("`{name}` is not a distribution");
        let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
        Err(self.tokens.report(finding.help(help)))
    }

    /// Arguments between commas, up to the bracket that closes them.
    #[cfg_attr(debug_assertions, inline)]
    fn arguments(&mut self, bracket: Bracket, depth: usize) -> Read<Vec<TimeArgument<TextSpan>>> {
        let mut arguments = Vec::new();
        while !self.tokens.is_close(0, bracket) {
            arguments.push(self.argument(depth)?);
            if !self.tokens.take(',') {
                break;
            }
        }
        Ok(arguments)
    }

    /// A number, a time with a unit, or a list of them.
    #[cfg_attr(debug_assertions, inline)]
    fn argument(&mut self, depth: usize) -> Read<TimeArgument<TextSpan>> {
        let begin = self.tokens.span();
        if self.tokens.is_open(0, Bracket::Square) && depth > 0 {
            self.tokens.advance(1);
            let list = self.arguments(Bracket::Square, depth - 1)?;
            if !self.tokens.is_close(0, Bracket::Square) {
                return Err(self.tokens.expected("`,` or `]`"));
            }
            self.tokens.advance(1);
            return Ok(TimeArgument::List(list, begin.join(self.tokens.previous())));
        }
        match self.tokens.kind(0) {
            Some(TokenKind::Quoted(_)) => {
                return Err(self.tokens.expected("a number or a time, such as `0.5` or `12ms`"));
            }
            Some(TokenKind::Name(name)) if NO_NUMBERS.contains(&name.to_ascii_lowercase().as_str()) => {
                let message = format!("a number cannot be `{name}`");
                let finding = Diagnostic::new(Code::BadTime, begin, message);
                return Err(self.tokens.report(finding.help("the numbers of a distribution are finite")));
            }
            _ => {}
        }
        let is_negative = self.tokens.take('-');
        let (value, is_time) = match self.time_with_unit()? {
            Some(time) => (time, true),
            None => (self.fraction("number")?, false),
        };
        let value = Rate::from(if is_negative { -value } else { value });
        let span = begin.join(self.tokens.previous());
        Ok(if is_time { TimeArgument::Time(value, span) } else { TimeArgument::Number(value, span) })
    }

    /// `"times.csv"`, with a column and a unit behind it.
    #[cfg_attr(debug_assertions, inline)]
    fn measured(&mut self) -> Read<TimeArgument<TextSpan>> {
        let at = self.tokens.span();
        let Some(TokenKind::Quoted(file)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected("the name of a file, such as `\"times.csv\"`"));
        };
        self.tokens.advance(1);
        let mut source = Measured::from_file(file.clone());
        while self.tokens.take(',') {
            source = match self.tokens.kind(0) {
                Some(TokenKind::Quoted(name)) => source.column(name.as_str()),
                Some(TokenKind::Name(word)) => match TimeUnit::from_word(word) {
                    Some(unit) => source.unit(unit),
                    None => return Err(self.no_choice()),
                },
                Some(TokenKind::Number(_)) => {
                    let (number, _) = self.count()?;
                    source = source.column(usize::try_from(number).unwrap_or(usize::MAX));
                    continue;
                }
                _ => return Err(self.no_choice()),
            };
            self.tokens.advance(1);
        }
        let found = match self.folder {
            Some(folder) => source.read_in(folder),
            None => Err(vec![MeasuredError {
                message: format!("`{}` is not read, since this text is not in a file", source.file()),
                help: "from Rust, `parse_in` says in which folder it is".to_owned(),
            }]),
        };
        Ok(TimeArgument::Measured(found, at.join(self.tokens.previous())))
    }

    fn no_choice(&mut self) -> Reported {
        self.tokens.expected("a column, such as `\"parse\"` or `2`, or the unit `s`, `ms` or `us`")
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            (
                "k = 3; m = 0.5; pipe(task(erlang(k, m)), farm(2, erlang(4, 12 ms)), task(\"a\", exponential(2)));",
                &[],
            ),
            ("task(hyperexponential([1/3, 2/3], [1, 2ms]));", &[]),
            ("pipe(2); farm(2, \"a\", phases([1, 0], [[-2, 2], [0, -3]])); task(weibull(1, 0.5));", &[]),
            ("task(erlangen(4, 1));", &["syntax `erlangen`: `erlangen` is not a distribution"]),
            ("task(\"a\", gamma(4, 1));", &["syntax `gamma`: `gamma` is not a distribution"]),
            ("task(erlang(4 1));", &["syntax `1`: expected `)`, found the number `1`"]),
            ("task(erlang(4));", &["bad_time `erlang(4)`: `erlang` takes a number of phases and a mean"]),
            (
                "task(erlang(4, \"a\"));",
                &["syntax `\"a\"`: expected a number or a time, such as `0.5` or `12ms`, found `\"a\"`"],
            ),
            ("task(erlang(k, 1));", &["undefined_rate `k`: the number `k` is not defined"]),
            ("task(phases([1], [[[1]]]));", &["syntax `[`: expected a number, such as `1.0`, found `[`"]),
            ("task(fitted(nan, 1));", &["bad_time `nan`: a number cannot be `nan`"]),
            (
                "task(measured(3));",
                &["syntax `3`: expected the name of a file, such as `\"times.csv\"`, found the number `3`"],
            ),
            (
                "task(measured(\"t.csv\", hours));",
                &[
                    "syntax `hours`: expected a column, such as `\"parse\"` or `2`, or the unit `s`, `ms` or `us`, found `hours`",
                ],
            ),
            (
                "task(measured(\"t.csv\", 2, ms));",
                &["bad_time `\"t.csv\", 2, ms`: `t.csv` is not read, since this text is not in a file"],
            ),
        ]);
    }
}
