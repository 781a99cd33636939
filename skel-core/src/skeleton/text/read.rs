//! The parser of `.skel` texts: from tokens to a skeleton as it is written.

mod buffers;
mod communication;
mod distribution;
mod names;
mod team;
mod time;

use std::collections::HashMap;
use std::path::Path;

use num_traits::Zero;

use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use crate::number::{Ratio, decimal, shorten};
use crate::rate::Rate;
use crate::skeleton::communication::MoveTime;
use crate::skeleton::tree::Replication;
use crate::skeleton::written::{Value, Written, WrittenTime};
use crate::syntax::MAX_DEPTH;
use crate::syntax::cursor::{Cursor, Read, Reported};
use crate::syntax::token::{Bracket, TokenKind};
pub(super) use buffers::WrittenBuffers;
pub(super) use names::Names;

type Placed<T> = Value<T, TextSpan>;

/// A link between two tasks whose moves take a time of their own.
pub(super) struct Link {
    /// Sender and receiver.
    pub(super) ends: (usize, usize),
    pub(super) time: MoveTime<Rate>,
    pub(super) span: TextSpan,
}

/// Reads tokens by recursive descent. Behind a statement that cannot be read it goes on with the next.
pub(super) struct Parser<'t> {
    pub(super) tokens: Cursor<'t, TextSpan>,
    /// The time that all moves take.
    pub(super) everywhere: Option<(MoveTime<Rate>, TextSpan)>,
    /// Those of single links.
    pub(super) links: Vec<Link>,
    /// The numbers of links by sender and receiver.
    link_numbers: HashMap<(usize, usize), usize>,
    /// What is said of buffers and ports.
    pub(super) buffers: WrittenBuffers,
    /// The numbers that have names.
    pub(super) names: Names<'t>,
    /// Where the files are that the text names; none where the text is in no file.
    folder: Option<&'t Path>,
    depth: usize,
}

/// Whether a place is part of another.
fn is_inside(part: TextSpan, whole: TextSpan) -> bool {
    whole.start <= part.start && part.end <= whole.end
}

/// Fewer stages than a pipe says. Often one that stands inside it says too many, so it is shown beside.
#[cfg_attr(debug_assertions, inline)]
fn too_few(said: i128, count_at: TextSpan, stages: &[Written<TextSpan>]) -> Diagnostic<TextSpan> {
    let follow = stages.len();
    let noun = if said == 1 { "stage" } else { "stages" };
    let verb = if follow == 1 { "follows" } else { "follow" };
    let missing = if said - follow as i128 == 1 { "the missing stage" } else { "the missing stages" };
    let message = format!("the pipe says {said} {noun}, but {follow} {verb}");
    let finding = Diagnostic::new(Code::StageCount, count_at, message)
        .help(format!("write `pipe({});`, or add {missing}", follow.max(1)));
    let mut last = stages.last();
    while let Some(Written::Replicated { worker, .. }) = last {
        last = Some(worker);
    }
    match last {
        Some(Written::Pipe { stages, span }) if stages.len() > 1 => {
            finding.related(*span, format!("the last {} stages belong to this pipe", stages.len()))
        }
        _ => finding,
    }
}

/// Words that stand for no number, or for none that a rate can be.
const NO_NUMBERS: [&str; 5] = ["nan", "inf", "infty", "infinity", "infinite"];

/// What a skeleton's statement begins with.
const WORDS: [&str; 10] = [
    "task",
    "pipe",
    "deal",
    "farm",
    "map",
    "fault_tolerant",
    "map_with_state",
    "communication",
    "buffers",
    "one_port",
];

/// How many of these words begin a stage.
const STAGES: usize = 7;

impl<'t> Parser<'t> {
    /// A parser of these tokens.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn new(
        tokens: Cursor<'t, TextSpan>,
        settings: &'t [(String, Rate)],
        folder: Option<&'t Path>,
    ) -> Self {
        Parser {
            tokens,
            everywhere: None,
            links: Vec::new(),
            link_numbers: HashMap::new(),
            buffers: WrittenBuffers::default(),
            names: Names::new(settings),
            folder,
            depth: 0,
        }
    }

    /// The one skeleton of a text.
    #[cfg_attr(debug_assertions, inline)]
    pub(super) fn file(&mut self) -> Option<Written<TextSpan>> {
        let Some(root) = self.statement() else {
            if self.tokens.diagnostics.is_empty() {
                self.tokens.report(
                    Diagnostic::new(Code::MissingSystem, self.tokens.span(), "the text has no skeleton")
                        .help("begin with `pipe(2);`, say, and describe its stages: `task(1.0);`"),
                );
            }
            return None;
        };
        let mut extra = 0;
        let mut extra_span = None;
        while let Some(stage) = self.statement() {
            // What could not be read is reported already, and may be no stage.
            if !matches!(stage, Written::FromRust(_)) {
                extra += 1;
                extra_span.get_or_insert(stage.span());
            }
        }
        let is_read = !matches!(root, Written::FromRust(_));
        if let (Some(span), true) = (extra_span, is_read) {
            self.too_many(&root, extra, span);
        }
        Some(root)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn too_many(&mut self, root: &Written<TextSpan>, extra: usize, span: TextSpan) {
        let finding = match root {
            Written::Pipe { stages, span: at } if stages.iter().any(|stage| is_inside(stage.span(), *at)) => {
                Diagnostic::new(Code::StageCount, span, "the pipe is complete, but another stage follows")
                    .related(*at, "the pipe ends with its `)`")
                    .help("a text has one skeleton: put all stages into one pipe, `pipe(task(1.0), task(2.0));`")
            }
            Written::Pipe { stages, span: at } => {
                let (said, follow) = (stages.len(), stages.len() + extra);
                let noun = if said == 1 { "stage" } else { "stages" };
                Diagnostic::new(
                    Code::StageCount,
                    *at,
                    format!("the pipe says {said} {noun}, but {follow} follow"),
                )
                .related(span, "the first that is too many")
                .help(format!("write `pipe({follow});`, or take stages away"))
            }
            _ => {
                Diagnostic::new(Code::StageCount, span, "the skeleton is complete, but another stage follows")
                    .help("stages one behind the other are a pipe: `pipe(2);` before them")
            }
        };
        self.tokens.report(finding);
    }

    /// The next skeleton in statements, if there is one.
    #[cfg_attr(debug_assertions, inline)]
    fn statement(&mut self) -> Option<Written<TextSpan>> {
        loop {
            let begin = self.tokens.span();
            self.tokens.kind(0)?;
            if self.tokens.is_word(0, "let") && self.tokens.is_symbol(2, '=') {
                let finding = Diagnostic::new(Code::Syntax, begin, "a `.skel` text has no `let`");
                self.tokens.report(finding.help("leave it out: `n = 3;`"));
                self.tokens.advance(1);
            }
            if self.starts_definition() {
                if self.definition().is_err() {
                    self.tokens.recover();
                }
                continue;
            }
            if self.tokens.is_word(0, "communication") {
                if self.communication().is_err() {
                    self.tokens.recover();
                }
                continue;
            }
            if self.starts_buffers() {
                if self.buffers_statement().is_err() {
                    self.tokens.recover();
                }
                continue;
            }
            return Some(match self.one_statement() {
                Ok(written) => written,
                Err(Reported) => {
                    self.tokens.recover();
                    Written::FromRust(begin)
                }
            });
        }
    }

    #[cfg_attr(debug_assertions, inline)]
    fn one_statement(&mut self) -> Read<Written<TextSpan>> {
        let is_alone = self.tokens.is_open(1, Bracket::Round) && self.tokens.is_close(3, Bracket::Round);
        let is_number = is_alone && matches!(self.tokens.kind(2), Some(TokenKind::Number(_)));
        let is_name = is_alone && matches!(self.tokens.kind(2), Some(TokenKind::Name(_)));
        if is_number && self.tokens.is_word(0, "pipe") {
            return self.nested(Self::pipe_statement);
        }
        if (is_number || is_name) && (self.tokens.is_word(0, "deal") || self.tokens.is_word(0, "farm")) {
            return self.nested(Self::replicated_statement);
        }
        let stage = self.stage()?;
        self.semicolon()?;
        Ok(stage)
    }

    /// `pipe(n);` and its stages.
    #[cfg_attr(debug_assertions, inline)]
    fn pipe_statement(&mut self) -> Read<Written<TextSpan>> {
        let (begin, count_at, said) = self.head_with_count()?;
        let mut stages = Vec::new();
        while (stages.len() as i128) < said {
            let Some(stage) = self.statement() else { break };
            stages.push(stage);
        }
        let follow = stages.len();
        if said > 0 && said != follow as i128 {
            self.tokens.report(too_few(said, count_at, &stages));
        }
        if said > 0 && stages.is_empty() {
            return Ok(Written::FromRust(begin));
        }
        Ok(Written::Pipe { stages, span: begin })
    }

    /// `deal(n);` or `farm(n);` and the worker.
    #[cfg_attr(debug_assertions, inline)]
    fn replicated_statement(&mut self) -> Read<Written<TextSpan>> {
        let replication = self.replication();
        let (begin, count_at, said) = self.head_with_count()?;
        let Some(worker) = self.statement() else {
            let word = replication.word();
            self.tokens.report(
                Diagnostic::new(Code::StageCount, begin, format!("the {word} has no worker"))
                    .help(format!("write a rate, `{word}({said}, 1.0);`, or the worker behind it")),
            );
            return Ok(Written::FromRust(begin));
        };
        let replicas = Value::Known(said, count_at);
        Ok(Written::Replicated { replication, replicas, worker: Box::new(worker), span: begin })
    }

    /// `word(n);`: the place of all of it, that of the count, and the count.
    #[cfg_attr(debug_assertions, inline)]
    fn head_with_count(&mut self) -> Read<(TextSpan, TextSpan, i128)> {
        let begin = self.tokens.span();
        self.tokens.advance(2);
        let (count, count_at) = self.count()?;
        let close = self.tokens.span();
        self.tokens.advance(1);
        self.semicolon()?;
        Ok((begin.join(close), count_at, count))
    }

    fn replication(&self) -> Replication {
        if self.tokens.is_word(0, "farm") { Replication::Farm } else { Replication::Deal }
    }

    /// A stage in the nested form.
    #[cfg_attr(debug_assertions, inline)]
    fn stage(&mut self) -> Read<Written<TextSpan>> {
        self.nested(|parser| {
            let begin = parser.tokens.span();
            if parser.tokens.is_word(0, "task") {
                parser.open()?;
                let (name, time) = parser.name_and_time("task(")?;
                return Ok(Written::Task { name, time, span: begin.join(parser.close()?) });
            }
            if parser.tokens.is_word(0, "pipe") {
                parser.open()?;
                let mut stages = Vec::new();
                while !parser.tokens.is_close(0, Bracket::Round) {
                    stages.push(parser.stage()?);
                    if !parser.tokens.take(',') {
                        break;
                    }
                }
                return Ok(Written::Pipe { stages, span: begin.join(parser.close()?) });
            }
            if parser.tokens.is_word(0, "deal") || parser.tokens.is_word(0, "farm") {
                let replication = parser.replication();
                parser.open()?;
                let (count, count_at) = parser.count()?;
                if !parser.tokens.take(',') {
                    return Err(parser.tokens.expected("`,` and the worker"));
                }
                let head = format!("{}({count}, ", replication.word());
                let worker = parser.worker(&head)?;
                let span = begin.join(parser.close()?);
                let replicas = Value::Known(count, count_at);
                return Ok(Written::Replicated { replication, replicas, worker: Box::new(worker), span });
            }
            if let Some(word) = parser.team_word() {
                return parser.team(word);
            }
            Err(parser.unknown_word())
        })
    }

    #[cfg_attr(debug_assertions, inline)]
    fn worker(&mut self, head: &str) -> Read<Written<TextSpan>> {
        let is_stage = WORDS[..STAGES].iter().any(|word| self.tokens.is_word(0, word))
            && self.tokens.is_open(1, Bracket::Round);
        if is_stage {
            return self.stage();
        }
        let begin = self.tokens.span();
        let (name, time) = self.name_and_time(head)?;
        let span = begin.join(time.span());
        Ok(Written::Task { name, time, span })
    }

    /// `"name", time` or `time`; `head` is what stands before it.
    #[cfg_attr(debug_assertions, inline)]
    fn name_and_time(&mut self, head: &str) -> Read<(Option<Placed<String>>, WrittenTime<TextSpan>)> {
        let name = match self.tokens.kind(0) {
            Some(TokenKind::Quoted(name)) => Some(Value::Known(name.clone(), self.tokens.span())),
            Some(TokenKind::Name(name))
                if !self.is_no_number() && !self.is_named_rate() && !self.is_distribution() =>
            {
                Some(Value::Known(name.clone(), self.tokens.span()))
            }
            _ => None,
        };
        if let Some(Value::Known(text, span)) = &name {
            self.tokens.advance(1);
            if !self.tokens.take(',') {
                let finding = match self.tokens.kind(0) {
                    None | Some(TokenKind::Close(_)) => {
                        Diagnostic::new(Code::Syntax, *span, format!("`{text}` has no rate"))
                            .help(format!("write its rate after its name: `{head}\"{text}\", 1.0)`"))
                    }
                    Some(TokenKind::Name(_)) if text.ends_with('\\') => Diagnostic::new(
                        Code::BadTaskName,
                        *span,
                        "the name ends at its second quotation mark",
                    )
                    .help("a name has no quotation marks inside: leave `\\\"` out"),
                    Some(TokenKind::Name(more)) => Diagnostic::new(
                        Code::Syntax,
                        self.tokens.span(),
                        format!("expected `,` after the name `{text}`, found `{more}`"),
                    )
                    .help(format!("a name of several words has quotes: `{head}\"{text} {more}\", 1.0)`")),
                    Some(kind) => Diagnostic::new(
                        Code::Syntax,
                        self.tokens.span(),
                        format!("expected `,` after the name `{text}`, found {}", kind.describe()),
                    )
                    .help(format!("write `{head}\"{text}\", 1.0)`")),
                };
                return Err(self.tokens.report(finding));
            }
        }
        if self.is_distribution() {
            return Ok((name, self.distribution()?));
        }
        let begin = self.tokens.span();
        let rate = self.rate()?;
        Ok((name, WrittenTime::Rate(Value::Known(rate, begin.join(self.tokens.previous())))))
    }

    /// Whether a rate is meant that is no number, as in `task(infty)`.
    #[cfg_attr(debug_assertions, inline)]
    fn is_no_number(&self) -> bool {
        let is_last = !self.tokens.is_symbol(1, ',');
        is_last
            && matches!(self.tokens.kind(0), Some(TokenKind::Name(name))
                if NO_NUMBERS.contains(&name.to_ascii_lowercase().as_str()))
    }

    /// A number or the name of one, a fraction of two, or a mean time.
    #[cfg_attr(debug_assertions, inline)]
    fn rate(&mut self) -> Read<Rate> {
        let is_negative = self.tokens.take('-');
        if let Some(rate) = self.mean_time(is_negative)? {
            return Ok(Rate::from(rate));
        }
        let value = self.fraction("rate")?;
        Ok(Rate::from(if is_negative { -value } else { value }))
    }

    /// A number or the name of one, or a fraction of two, where a `noun` is needed.
    #[cfg_attr(debug_assertions, inline)]
    fn fraction(&mut self, noun: &str) -> Read<Ratio> {
        let mut value = self.number(noun)?;
        if self.tokens.take('/') {
            let at = self.tokens.span();
            let divisor = self.number(noun)?;
            if divisor.is_zero() {
                let finding =
                    Diagnostic::new(Code::DivisionByZero, at, format!("the {noun} is divided by zero"));
                return Err(self.tokens.report(finding.help("the divisor must not be zero")));
            }
            value /= divisor;
        }
        Ok(value)
    }

    #[cfg_attr(debug_assertions, inline)]
    fn number(&mut self, noun: &str) -> Read<Ratio> {
        if self.is_no_number() {
            let word = self.tokens.kind(0).map(TokenKind::describe).unwrap_or_default();
            return Err(self.tokens.report(
                Diagnostic::new(
                    Code::RateNotPositive,
                    self.tokens.span(),
                    format!("a rate cannot be {word}"),
                )
                .help("a rate is a number of events per unit of time: it must be above 0 and finite"),
            ));
        }
        if let Some(TokenKind::Name(name)) = self.tokens.kind(0) {
            return self.named_number(name, noun);
        }
        let Some(TokenKind::Number(text)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected(&format!("a {noun}, such as `1.0`")));
        };
        let read = decimal(text);
        let span = self.tokens.span();
        self.tokens.advance(1);
        read.map_err(|error| {
            self.tokens.report(
                Diagnostic::new(Code::BadNumber, span, format!("the {noun} cannot be read: {error}"))
                    .help(format!("a {noun} is a positive number, such as `1`, `2.5` or `1e-3`")),
            )
        })
    }

    #[cfg_attr(debug_assertions, inline)]
    fn count(&mut self) -> Read<(i128, TextSpan)> {
        let span = self.tokens.span();
        if let Some(TokenKind::Name(name)) = self.tokens.kind(0) {
            return Ok((self.named_count(name)?, span));
        }
        let is_negative = self.tokens.take('-');
        let Some(TokenKind::Number(text)) = self.tokens.kind(0) else {
            return Err(self
                .count_after_name()
                .unwrap_or_else(|| self.tokens.expected("a count, such as `3`")));
        };
        let span = span.join(self.tokens.span());
        let digits = text.replace('_', "");
        self.tokens.advance(1);
        match digits.parse::<i128>() {
            Ok(count) => Ok((if is_negative { -count } else { count }, span)),
            Err(_) => {
                let message = format!("`{}` is not a count", shorten(text));
                Err(self.tokens.report(
                    Diagnostic::new(Code::BadNumber, span, message)
                        .help("a count is a whole number, such as `3`"),
                ))
            }
        }
    }

    /// Reports a name that stands before the count, as in `farm("b", 3, 5.0)`.
    #[cfg_attr(debug_assertions, inline)]
    fn count_after_name(&mut self) -> Option<Reported> {
        let (Some(TokenKind::Quoted(name)), Some(TokenKind::Number(count))) =
            (self.tokens.kind(0), self.tokens.kind(2))
        else {
            return None;
        };
        let finding =
            Diagnostic::new(Code::Syntax, self.tokens.span(), "the count of replicas comes before the name");
        Some(self.tokens.report(finding.help(format!("write `({count}, \"{name}\", ...)`"))))
    }

    /// `word(`
    #[cfg_attr(debug_assertions, inline)]
    fn open(&mut self) -> Read<()> {
        self.tokens.advance(1);
        if !self.tokens.is_open(0, Bracket::Round) {
            return Err(self.tokens.expected("`(`"));
        }
        self.tokens.advance(1);
        Ok(())
    }

    #[cfg_attr(debug_assertions, inline)]
    fn close(&mut self) -> Read<TextSpan> {
        if !self.tokens.is_close(0, Bracket::Round) {
            return Err(self.tokens.expected("`)`"));
        }
        let span = self.tokens.span();
        self.tokens.advance(1);
        Ok(span)
    }

    /// `;`, which the end of the text stands for too. Where the next statement begins without it, reading
    /// goes on.
    #[cfg_attr(debug_assertions, inline)]
    fn semicolon(&mut self) -> Read<()> {
        match self.tokens.kind(0) {
            None => Ok(()),
            Some(_) if self.tokens.take(';') => Ok(()),
            Some(_) if self.starts_definition() || WORDS.iter().any(|word| self.tokens.is_word(0, word)) => {
                let finding = Diagnostic::new(
                    Code::Syntax,
                    self.tokens.previous(),
                    "the statement has no `;` at its end",
                );
                self.tokens.report(finding.help("write `;` after this"));
                Ok(())
            }
            Some(_) => Err(self.tokens.expected("`;`")),
        }
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("the skeleton is nested more than {MAX_DEPTH} deep");
            self.tokens.report(
                Diagnostic::new(Code::NestingTooDeep, self.tokens.span(), message)
                    .help("flatten it: a pipe in a pipe is one pipe"),
            );
            self.tokens.finish();
            return Err(Reported);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    #[cfg_attr(debug_assertions, inline)]
    fn unknown_word(&mut self) -> Reported {
        let Some(TokenKind::Name(word)) = self.tokens.kind(0) else {
            return self.tokens.expected("a stage: `task`, `pipe`, `deal`, `farm` or `map`");
        };
        let mut finding =
            Diagnostic::new(Code::Syntax, self.tokens.span(), format!("`{word}` is not a kind of stage"));
        if self.names.has(word) {
            let message = format!("`{word}` is a number, and stands where a stage is needed");
            let help = "stages are written out, and so is their number: `pipe(2); task(1.0); task(1.0);`";
            return self.tokens.report(Diagnostic::new(Code::Syntax, self.tokens.span(), message).help(help));
        }
        finding = finding.help(match did_you_mean(word, WORDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a stage is a `task`, a `pipe`, a `deal`, a `farm`, a `map`, a `fault_tolerant` or a `map_with_state`"
                .to_owned(),
        });
        self.tokens.report(finding)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::skeletons;

    #[test]
    fn findings() {
        skeletons(&[
            ("", &["missing_system ``: the text has no skeleton"]),
            ("pipe(3); task(1); task(1);", &["stage_count `3`: the pipe says 3 stages, but 2 follow"]),
            ("pipe(1); task(1); task(1);", &["stage_count `pipe(1)`: the pipe says 1 stage, but 2 follow"]),
            (
                "pipe(task(1), task(2)); task(3);",
                &["stage_count `task(3)`: the pipe is complete, but another stage follows"],
            ),
            ("let n = 3; task(n);", &["syntax `let`: a `.skel` text has no `let`"]),
            ("taks(1);", &["syntax `taks`: `taks` is not a kind of stage"]),
            ("pipe(task(1) task(2));", &["syntax `task`: expected `)`, found `task`"]),
            ("pipe(2); task(1) task(2);", &["syntax `)`: the statement has no `;` at its end"]),
            ("task();", &["syntax `)`: expected a rate, such as `1.0`, found `)`"]),
            ("farm(2);", &["stage_count `farm(2)`: the farm has no worker"]),
            (r#"farm(2, "w");"#, &[r#"syntax `"w"`: `w` has no rate"#]),
            (r#"task(1.5, "t");"#, &["syntax `,`: expected `)`, found `,`"]),
            ("farm(1.5, 1);", &["bad_number `1.5`: `1.5` is not a count"]),
            (r#"farm("b", 3, 5);"#, &[r#"syntax `"b"`: the count of replicas comes before the name"#]),
            ("task(1/0);", &["division_by_zero `0`: the rate is divided by zero"]),
            (
                "pipe(task(1), task(2));;",
                &["syntax `;`: expected a stage: `task`, `pipe`, `deal`, `farm` or `map`, found `;`"],
            ),
            ("P = (a, 1).P; P", &["syntax `P`: `P` is not defined as a number"]),
            ("task(name, 1);", &[]),
            (
                "task(1); task(2);",
                &["stage_count `task(2)`: the skeleton is complete, but another stage follows"],
            ),
        ]);
    }
}
