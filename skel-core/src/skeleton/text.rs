//! The text form: `.skel` files.
//!
//! ```text
//! file      = { statement }                  one skeleton; communication rates before, in or behind it
//! statement = "pipe" "(" count ")" ";"       and as many statements as it has stages
//!           | ("deal" | "farm") "(" count ")" ";"      and the statement of its worker
//!           | stage ";"
//!           | "communication" "(" [ task "," task "," ] rate ")" ";"
//! stage     = "task" "(" [ name "," ] rate ")"
//!           | ("deal" | "farm") "(" count "," ( [ name "," ] rate | stage ) ")"
//!           | "pipe" "(" stage { "," stage } ")"
//! rate      = number [ "/" number ]
//! ```
//! The statements are the paper's, which describe the tree depth first and from left to right; the nested form is
//! that of the macros. A name is the component that a task runs: several tasks may have the same.
//! Comments are `//` and `/* */`.

use num_traits::Zero;

use crate::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use crate::number::{Ratio, decimal};
use crate::rate::Rate;
use crate::skeleton::check::{Names, check};
use crate::skeleton::graph::Graph;
use crate::skeleton::program::Program;
use crate::skeleton::rates::Communication;
use crate::skeleton::system::System;
use crate::skeleton::tree::{Replication, StageId, Tree};
use crate::skeleton::written::{Value, Written};
use crate::syntax::MAX_DEPTH;
use crate::syntax::lex::lex;
use crate::syntax::token::{Bracket, Token, TokenKind};
use crate::text::Rejected;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree, unless there are errors.
    pub tree: Option<Tree>,
    /// The communication rates that the text gives.
    pub communication: Communication,
    /// Everything found, in the order of the text.
    pub diagnostics: Vec<Diagnostic<TextSpan>>,
    /// The places of the tree's nodes.
    spans: Vec<TextSpan>,
    links: Vec<((usize, usize), TextSpan)>,
    text: String,
}

/// Reads and checks a `.skel` text. Never panics; the cost is linear in the text.
///
/// # Examples
/// ```
/// use skel_core::skeleton::text::parse;
/// let paper = parse("pipe(2); task(\"task\", 1.0); farm(3, \"task\", 3.0);");
/// let nested = parse("pipe(task(task, 1), farm(3, task, 3));");
/// assert_eq!(paper.tree, nested.tree);
///
/// let short = parse("pipe(3); task(1.0); task(0);");
/// let messages: Vec<&str> = short.diagnostics.iter().map(|found| found.message.as_str()).collect();
/// assert_eq!(messages, ["the pipe says 3 stages, but 2 follow", "the rate of the task is 0"]);
/// ```
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let lexed = lex(text);
    let end = TextSpan { start: text.trim_end().len(), end: text.trim_end().len() };
    let mut parser = Parser {
        tokens: &lexed.tokens,
        at: 0,
        end,
        diagnostics: lexed.diagnostics,
        everywhere: None,
        links: Vec::new(),
        depth: 0,
    };
    let written = parser.file();
    let links = parser.links.iter().map(|(link, _, span)| (*link, *span)).collect();
    let rates = parser.links.into_iter().map(|(link, rate, _)| (link, rate));
    let communication = Communication::links(rates, parser.everywhere);
    let mut diagnostics = parser.diagnostics;
    let (tree, findings) = match &written {
        Some(written) => check(written, Names::Shared),
        None => (None, Vec::new()),
    };
    diagnostics.extend(findings);
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    let tree = tree.filter(|_| diagnostics.is_empty());
    let spans = written.map_or_else(Vec::new, |written| written.spans());
    Parsed { tree, communication, diagnostics, spans, links, text: text.to_owned() }
}

impl Parsed {
    /// The tree, or what is wrong with the text.
    ///
    /// # Errors
    /// All diagnostics, if there is one.
    pub fn into_tree(self) -> Result<Tree, Rejected> {
        match self.tree {
            Some(tree) => Ok(tree),
            None => Err(Rejected::new(self.diagnostics, self.text)),
        }
    }

    /// The skeleton with the communication rates of the text, unless there are errors.
    #[must_use]
    pub fn program(&self) -> Option<Program<Tree>> {
        self.tree.as_ref().map(|tree| Program::new(tree.clone(), self.communication.clone()))
    }

    /// The skeleton as a PEPA model, with the communication rates of the text unless others are given.
    ///
    /// # Errors
    /// All diagnostics: those of the text or, if there is none, what rates and sizes are wrong, each with its
    /// place.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::text::parse;
    /// let parsed = parse("pipe(2); task(1.0); task(2.0);");
    /// let error = parsed.lower(None).unwrap_err();
    /// assert_eq!(error[0].message, "the move from task 0 to task 1 has no communication rate");
    /// assert!(parsed.lower(Some(10.into())).is_ok());
    /// ```
    pub fn lower(&self, communication: Option<Communication>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        let Some(tree) = &self.tree else { return Err(self.diagnostics.clone()) };
        let communication = communication.unwrap_or_else(|| self.communication.clone());
        self.lower_program(&Program::new(tree.clone(), communication))
    }

    /// A program with this text's skeleton as a PEPA model.
    ///
    /// # Errors
    /// What rates, processors and sizes are wrong, each with its place in the text.
    ///
    /// # Panics
    /// If the program's skeleton has more stages than the text's.
    ///
    /// # Examples
    /// ```
    /// use skel_core::skeleton::{text::parse, Reading};
    /// let parsed = parse("pipe(task(1), deal(3, 1), deal(3, 1), task(1)); communication(1);");
    /// let literal = parsed.program().unwrap().read(Reading::Literal);
    /// assert_eq!(parsed.lower_program(&literal).unwrap().graph().flow(1).destinations, [4, 5, 6]);
    /// ```
    pub fn lower_program(&self, program: &Program<Tree>) -> Result<System, Vec<Diagnostic<TextSpan>>> {
        let placed = |findings: Vec<_>| findings.into_iter().map(|finding| self.placed(finding)).collect();
        program.lower_tree(program.skeleton()).map_err(placed)
    }

    /// A finding on a stage of the skeleton as one on its place in the text.
    ///
    /// # Panics
    /// If the text's skeleton has no such stage.
    #[must_use]
    pub fn placed(&self, finding: Diagnostic<StageId>) -> Diagnostic<TextSpan> {
        finding.at(|id| self.spans[id.index()])
    }

    /// The place of the whole skeleton: its first statement or, in the nested form, all of it.
    #[must_use]
    pub fn place_of_whole(&self) -> TextSpan {
        self.spans.first().copied().unwrap_or(TextSpan { start: 0, end: 0 })
    }

    /// The links that the text gives a rate of their own, sender and receiver, and where.
    #[must_use]
    pub fn links(&self) -> &[((usize, usize), TextSpan)] {
        &self.links
    }

    /// A warning for each link that has a rate of its own although nothing moves along it.
    #[must_use]
    pub fn idle_links(&self, graph: &Graph) -> Vec<Diagnostic<TextSpan>> {
        let idle = self.links.iter().filter(|(link, _)| !graph.has_move(link.0, link.1));
        let warning = |&((from, to), span): &((usize, usize), TextSpan)| {
            let message = format!("nothing moves from task {from} to task {to}, so this rate is not used");
            Diagnostic::new(Code::IdleLink, span, message).help(graph.destinations_in_words(from))
        };
        idle.map(warning).collect()
    }
}

/// A failure that has been reported.
struct Reported;

type Read<T> = Result<T, Reported>;

type Said<T> = Value<T, TextSpan>;

struct Parser<'t> {
    tokens: &'t [Token<TextSpan>],
    at: usize,
    end: TextSpan,
    diagnostics: Vec<Diagnostic<TextSpan>>,
    everywhere: Option<Rate>,
    links: Vec<((usize, usize), Rate, TextSpan)>,
    depth: usize,
}

/// What a skeleton's statement begins with.
const WORDS: [&str; 5] = ["task", "pipe", "deal", "farm", "communication"];

impl<'t> Parser<'t> {
    fn file(&mut self) -> Option<Written<TextSpan>> {
        let Some(root) = self.statement() else {
            if self.diagnostics.is_empty() {
                self.diagnostics.push(
                    Diagnostic::new(Code::MissingSystem, self.end, "the text has no skeleton")
                        .help("begin with `pipe(2);`, say, and describe its stages: `task(1.0);`"),
                );
            }
            return None;
        };
        let mut extra = 0;
        let mut extra_span = None;
        while let Some(stage) = self.statement() {
            extra += 1;
            extra_span.get_or_insert(stage.span());
        }
        if let Some(span) = extra_span {
            self.too_many(&root, extra, span);
        }
        Some(root)
    }

    fn too_many(&mut self, root: &Written<TextSpan>, extra: usize, span: TextSpan) {
        let finding = match root {
            Written::Pipe { stages, span: at } => {
                let (said, follow) = (stages.len(), stages.len() + extra);
                Diagnostic::new(
                    Code::StageCount,
                    *at,
                    format!("the pipe says {said} stages, but {follow} follow"),
                )
                .related(span, "the first that is too many")
                .help(format!("write `pipe({follow});`, or take stages away"))
            }
            _ => {
                Diagnostic::new(Code::StageCount, span, "the skeleton is complete, but another stage follows")
                    .help("stages one behind the other are a pipe: `pipe(2);` before them")
            }
        };
        self.diagnostics.push(finding);
    }

    /// The next skeleton in statements, if there is one.
    fn statement(&mut self) -> Option<Written<TextSpan>> {
        loop {
            let begin = self.span();
            self.kind(0)?;
            if self.is_word(0, "communication") {
                if self.communication().is_err() {
                    self.recover();
                }
                continue;
            }
            return Some(match self.one_statement() {
                Ok(written) => written,
                Err(Reported) => {
                    self.recover();
                    Written::FromRust(begin)
                }
            });
        }
    }

    fn one_statement(&mut self) -> Read<Written<TextSpan>> {
        let is_count = matches!(self.kind(2), Some(TokenKind::Number(_)))
            && matches!(self.kind(3), Some(TokenKind::Close(Bracket::Round)));
        if is_count && self.is_word(0, "pipe") {
            return self.nested(Self::pipe_statement);
        }
        if is_count && (self.is_word(0, "deal") || self.is_word(0, "farm")) {
            return self.nested(Self::replicated_statement);
        }
        let stage = self.stage()?;
        self.semicolon()?;
        Ok(stage)
    }

    /// `pipe(n);` and its stages.
    fn pipe_statement(&mut self) -> Read<Written<TextSpan>> {
        let (begin, count_at, said) = self.head_with_count()?;
        let mut stages = Vec::new();
        while (stages.len() as i128) < said {
            let Some(stage) = self.statement() else { break };
            stages.push(stage);
        }
        let follow = stages.len();
        if said > 0 && said != follow as i128 {
            let noun = if said == 1 { "stage" } else { "stages" };
            let verb = if follow == 1 { "follows" } else { "follow" };
            self.diagnostics.push(
                Diagnostic::new(
                    Code::StageCount,
                    count_at,
                    format!("the pipe says {said} {noun}, but {follow} {verb}"),
                )
                .help(format!("write `pipe({});`, or add the stages that lack", follow.max(1))),
            );
        }
        if said > 0 && stages.is_empty() {
            return Ok(Written::FromRust(begin));
        }
        Ok(Written::Pipe { stages, span: begin })
    }

    /// `deal(n);` or `farm(n);` and the worker.
    fn replicated_statement(&mut self) -> Read<Written<TextSpan>> {
        let replication = self.replication();
        let (begin, count_at, said) = self.head_with_count()?;
        let Some(worker) = self.statement() else {
            let word = replication.word();
            self.diagnostics.push(
                Diagnostic::new(Code::StageCount, begin, format!("the {word} has no worker"))
                    .help(format!("write a rate, `{word}({said}, 1.0);`, or the worker behind it")),
            );
            return Ok(Written::FromRust(begin));
        };
        let replicas = Value::Known(said, count_at);
        Ok(Written::Replicated { replication, replicas, worker: Box::new(worker), span: begin })
    }

    /// `word(n);`: the place of all of it, that of the count, and the count.
    fn head_with_count(&mut self) -> Read<(TextSpan, TextSpan, i128)> {
        let begin = self.span();
        self.at += 2;
        let (count, count_at) = self.count()?;
        let close = self.span();
        self.at += 1;
        self.semicolon()?;
        Ok((begin.join(close), count_at, count))
    }

    fn replication(&self) -> Replication {
        if self.is_word(0, "farm") { Replication::Farm } else { Replication::Deal }
    }

    /// A stage in the nested form.
    fn stage(&mut self) -> Read<Written<TextSpan>> {
        self.nested(|parser| {
            let begin = parser.span();
            if parser.is_word(0, "task") {
                parser.open()?;
                let (name, rate) = parser.name_and_rate("task")?;
                return Ok(Written::Task { name, rate, span: begin.join(parser.close()?) });
            }
            if parser.is_word(0, "pipe") {
                parser.open()?;
                let mut stages = Vec::new();
                while !matches!(parser.kind(0), Some(TokenKind::Close(Bracket::Round))) {
                    stages.push(parser.stage()?);
                    if !parser.comma() {
                        break;
                    }
                }
                return Ok(Written::Pipe { stages, span: begin.join(parser.close()?) });
            }
            if parser.is_word(0, "deal") || parser.is_word(0, "farm") {
                let replication = parser.replication();
                parser.open()?;
                let (count, count_at) = parser.count()?;
                if !parser.comma() {
                    return Err(parser.expected("`,` and the worker"));
                }
                let worker = parser.worker(replication.word())?;
                let span = begin.join(parser.close()?);
                let replicas = Value::Known(count, count_at);
                return Ok(Written::Replicated { replication, replicas, worker: Box::new(worker), span });
            }
            Err(parser.unknown_word())
        })
    }

    fn worker(&mut self, word: &str) -> Read<Written<TextSpan>> {
        let is_stage = WORDS[..4].iter().any(|word| self.is_word(0, word))
            && matches!(self.kind(1), Some(TokenKind::Open(Bracket::Round, _)));
        if is_stage {
            return self.stage();
        }
        let begin = self.span();
        let (name, rate) = self.name_and_rate(word)?;
        let span = begin.join(rate.span());
        Ok(Written::Task { name, rate, span })
    }

    fn name_and_rate(&mut self, word: &str) -> Read<(Option<Said<String>>, Said<Rate>)> {
        let name = match self.kind(0) {
            Some(TokenKind::Name(name)) => Some(Value::Known(name.clone(), self.span())),
            _ => None,
        };
        if let Some(Value::Known(text, span)) = &name {
            self.at += 1;
            if !self.comma() {
                self.diagnostics.push(
                    Diagnostic::new(Code::Syntax, *span, format!("`{text}` is no rate"))
                        .help(format!("a rate is a positive number: `{word}(\"{text}\", 1.0)`")),
                );
                return Err(Reported);
            }
        }
        let begin = self.span();
        let rate = self.rate()?;
        Ok((name, Value::Known(rate, begin.join(self.previous()))))
    }

    /// `communication(rate);` or `communication(from, to, rate);`
    fn communication(&mut self) -> Read<()> {
        let begin = self.span();
        self.open()?;
        let is_link = matches!(self.kind(1), Some(TokenKind::Symbol(',')));
        let link = if is_link {
            let (from, _) = self.count()?;
            self.comma();
            let (to, _) = self.count()?;
            if !self.comma() {
                return Err(self.expected("`,` and the rate of the link"));
            }
            Some((usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(to).unwrap_or(usize::MAX)))
        } else {
            None
        };
        let rate_begin = self.span();
        let rate = self.rate()?;
        let rate_span = rate_begin.join(self.previous());
        let span = begin.join(self.close()?);
        self.semicolon()?;
        if let Err(problem) = rate.to_positive() {
            if let Some((code, message, help)) = problem.explain("of communication", false) {
                self.diagnostics.push(Diagnostic::new(code, rate_span, message).help(help));
            }
            return Ok(());
        }
        let is_new = match link {
            None => self.everywhere.replace(rate).is_none(),
            Some(link) => {
                let is_new = self.links.iter().all(|(known, ..)| *known != link);
                self.links.push((link, rate, span));
                is_new
            }
        };
        if !is_new {
            let message = "this communication rate is given twice";
            self.diagnostics
                .push(Diagnostic::new(Code::DuplicateDefinition, span, message).help("keep one of the two"));
        }
        Ok(())
    }

    /// A number, or a fraction of two.
    fn rate(&mut self) -> Read<Rate> {
        let is_negative = matches!(self.kind(0), Some(TokenKind::Symbol('-')));
        self.at += usize::from(is_negative);
        let mut value = self.number()?;
        if matches!(self.kind(0), Some(TokenKind::Symbol('/'))) {
            self.at += 1;
            let at = self.span();
            let divisor = self.number()?;
            if divisor.is_zero() {
                let finding = Diagnostic::new(Code::DivisionByZero, at, "the rate is divided by zero");
                self.diagnostics.push(finding.help("the divisor must not be zero"));
                return Err(Reported);
            }
            value /= divisor;
        }
        Ok(Rate::from(if is_negative { -value } else { value }))
    }

    fn number(&mut self) -> Read<Ratio> {
        let Some(TokenKind::Number(text)) = self.kind(0) else {
            return Err(self.expected("a rate, such as `1.0`"));
        };
        let read = decimal(text);
        let span = self.span();
        self.at += 1;
        read.map_err(|error| {
            self.diagnostics.push(
                Diagnostic::new(Code::BadNumber, span, format!("the rate cannot be read: {error}"))
                    .help("a rate is a positive number, such as `1`, `2.5` or `1e-3`"),
            );
            Reported
        })
    }

    fn count(&mut self) -> Read<(i128, TextSpan)> {
        let span = self.span();
        let is_negative = matches!(self.kind(0), Some(TokenKind::Symbol('-')));
        self.at += usize::from(is_negative);
        let Some(TokenKind::Number(text)) = self.kind(0) else {
            return Err(self.expected("a count, such as `3`"));
        };
        let span = span.join(self.span());
        let digits = text.replace('_', "");
        self.at += 1;
        match digits.parse::<i128>() {
            Ok(count) => Ok((if is_negative { -count } else { count }, span)),
            Err(_) => {
                let message = format!("`{text}` is no count");
                self.diagnostics.push(
                    Diagnostic::new(Code::BadNumber, span, message)
                        .help("a count is a whole number, such as `3`"),
                );
                Err(Reported)
            }
        }
    }

    /// `word(`
    fn open(&mut self) -> Read<()> {
        self.at += 1;
        if !matches!(self.kind(0), Some(TokenKind::Open(Bracket::Round, _))) {
            return Err(self.expected("`(`"));
        }
        self.at += 1;
        Ok(())
    }

    fn close(&mut self) -> Read<TextSpan> {
        if !matches!(self.kind(0), Some(TokenKind::Close(Bracket::Round))) {
            return Err(self.expected("`)`"));
        }
        let span = self.span();
        self.at += 1;
        Ok(span)
    }

    fn comma(&mut self) -> bool {
        let is_comma = matches!(self.kind(0), Some(TokenKind::Symbol(',')));
        self.at += usize::from(is_comma);
        is_comma
    }

    /// `;`, which the end of the text stands for too.
    fn semicolon(&mut self) -> Read<()> {
        match self.kind(0) {
            None => Ok(()),
            Some(TokenKind::Symbol(';')) => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.expected("`;`")),
        }
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("the skeleton is nested more than {MAX_DEPTH} deep");
            self.diagnostics.push(
                Diagnostic::new(Code::NestingTooDeep, self.span(), message)
                    .help("flatten it: a pipe in a pipe is one pipe"),
            );
            self.at = self.tokens.len();
            return Err(Reported);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn unknown_word(&mut self) -> Reported {
        let Some(TokenKind::Name(word)) = self.kind(0) else {
            return self.expected("a stage: `task`, `pipe`, `deal` or `farm`");
        };
        let mut finding = Diagnostic::new(Code::Syntax, self.span(), format!("`{word}` is no kind of stage"));
        finding = finding.help(match did_you_mean(word, WORDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a stage is a `task`, a `pipe`, a `deal` or a `farm`".to_owned(),
        });
        self.diagnostics.push(finding);
        Reported
    }

    fn expected(&mut self, what: &str) -> Reported {
        let found = match self.kind(0) {
            Some(kind) => kind.describe(),
            None => "the end of the text".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        self.diagnostics.push(Diagnostic::new(Code::Syntax, self.span(), message));
        Reported
    }

    /// Goes on behind the next `;`.
    fn recover(&mut self) {
        while let Some(kind) = self.kind(0) {
            let is_end = *kind == TokenKind::Symbol(';');
            self.at += 1;
            if is_end {
                break;
            }
        }
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.kind(ahead), Some(TokenKind::Name(name)) if name == word)
    }

    fn kind(&self, ahead: usize) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn span(&self) -> TextSpan {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn previous(&self) -> TextSpan {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.end, |token| token.span)
    }
}
