//! Stages whose workers serve one item together: `map(8, "match", 2.0)`,
//! `fault_tolerant(3, "vote", 5.0, early)` and `map_with_state(4, "identify", 5.0, state(2.0, 10))`.

use super::Parser;
use crate::diagnostic::TextSpan;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::skeleton::word::{EARLY, STATE, TeamWord};
use crate::skeleton::written::{Value, Written, WrittenState, WrittenTeam, WrittenTime};
use crate::syntax::cursor::{Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};

impl Parser<'_> {
    /// The word of such a stage, if one stands here.
    pub(super) fn team_word(&self) -> Option<TeamWord> {
        TeamWord::ALL.into_iter().find(|word| self.tokens.is_word(0, word.text()))
    }

    /// The stage of a word that stands here.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn team(&mut self, word: TeamWord) -> Read<Written<TextSpan>> {
        let begin = self.tokens.span();
        self.open()?;
        let (count, count_at) = self.count()?;
        if !self.tokens.take(',') {
            return Err(self.tokens.expected("`,` and the time of a worker"));
        }
        let worker = self.worker(&format!("{}({count}, ", word.text()))?;
        let (early, state) = self.rest_of_team(word)?;
        let span = begin.join(self.close()?);
        let workers = Value::Known(count, count_at);
        Ok(Written::Team(Box::new(WrittenTeam { word, workers, worker, early, state, span })))
    }

    /// What a word takes behind the worker: `early`, or `state(time, items)`.
    #[cfg_attr(debug_assertions, inline)]
    fn rest_of_team(&mut self, word: TeamWord) -> Read<(bool, Option<WrittenState<TextSpan>>)> {
        if !self.tokens.take(',') {
            return match word {
                TeamWord::MapWithState => Err(self.no_state()),
                _ => Ok((false, None)),
            };
        }
        match word {
            TeamWord::FaultTolerant if self.tokens.is_word(0, EARLY) => {
                self.tokens.advance(1);
                Ok((true, None))
            }
            TeamWord::MapWithState if self.tokens.is_word(0, STATE) => {
                self.state().map(|state| (false, Some(state)))
            }
            TeamWord::MapWithState => Err(self.no_state()),
            TeamWord::Map | TeamWord::FaultTolerant => Err(self.unknown_option(word)),
        }
    }

    /// `state(time, items)`
    #[cfg_attr(debug_assertions, inline)]
    fn state(&mut self) -> Read<WrittenState<TextSpan>> {
        self.open()?;
        let begin = self.tokens.span();
        let time = match self.is_distribution() {
            true => self.distribution()?,
            false => {
                let rate = self.rate()?;
                WrittenTime::Rate(Value::Known(rate, begin.join(self.tokens.previous())))
            }
        };
        if !self.tokens.take(',') {
            return Err(self.tokens.expected("`,` and how many items there are for each state"));
        }
        let begin = self.tokens.span();
        let is_negative = self.tokens.take('-');
        let items = self.fraction("number of items")?;
        let items = if is_negative { -items } else { items };
        let items = Value::Known(items.into(), begin.join(self.tokens.previous()));
        self.close()?;
        Ok(WrittenState { time, items })
    }

    fn no_state(&mut self) -> Reported {
        let message = "the map with state does not say how its workers take a state";
        let finding = Diagnostic::new(Code::Syntax, self.tokens.span(), message);
        self.tokens.report(finding.help(
            "write it behind the worker: `state(2.0, 10)` for a state that is taken at rate 2, after 10 items on average",
        ))
    }

    /// Reports what stands behind a worker and does not belong there.
    #[cfg_attr(debug_assertions, inline)]
    fn unknown_option(&mut self, word: TeamWord) -> Reported {
        let found = self.tokens.kind(0).map(TokenKind::describe).unwrap_or_default();
        let is_state = self.tokens.is_word(0, STATE) && self.tokens.is_open(1, Bracket::Round);
        let help = match word {
            _ if is_state => {
                "a state belongs to a `map_with_state`: `map_with_state(3, \"name\", 1.0, state(0.5, 10))`"
            }
            TeamWord::FaultTolerant => {
                "only `early` can stand here: the result is then passed on as soon as the majority have replied"
            }
            _ => "a `map` has a count of workers and one worker: `map(3, \"name\", 1.0)`",
        };
        let message = match self.tokens.kind(0) {
            Some(_) => format!("{found} does not belong to a {}", word.noun()),
            None => format!("the {} ends behind a `,`", word.noun()),
        };
        self.tokens.report(Diagnostic::new(Code::Syntax, self.tokens.span(), message).help(help))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            (
                "n = 3; pipe(map(n, 2), fault_tolerant(n, \"v\", 12ms, early), map_with_state(n, erlang(2, 1), state(1s, n / 2)));",
                &[],
            ),
            ("pipe(2); map(3, task(\"a\", 1)); farm(2); fault_tolerant(5, 1);", &[]),
            ("map(3);", &["syntax `)`: expected `,` and the time of a worker, found `)`"]),
            ("map(3, 1, early);", &["syntax `early`: `early` does not belong to a map"]),
            ("map(3, 1, state(1, 2));", &["syntax `state`: `state` does not belong to a map"]),
            (
                "fault_tolerant(3, 1, late);",
                &["syntax `late`: `late` does not belong to a fault-tolerant stage"],
            ),
            (
                "map_with_state(3, 1);",
                &["syntax `)`: the map with state does not say how its workers take a state"],
            ),
            (
                "map_with_state(3, 1, 2);",
                &["syntax `2`: the map with state does not say how its workers take a state"],
            ),
            (
                "map_with_state(3, 1, state(2));",
                &["syntax `)`: expected `,` and how many items there are for each state, found `)`"],
            ),
            ("map = 3; task(1);", &["reserved_name `map`: `map` cannot be defined"]),
            ("mapp(3, 1);", &["syntax `mapp`: `mapp` is not a kind of stage"]),
        ]);
    }
}
