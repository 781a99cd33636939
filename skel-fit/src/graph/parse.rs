//! From tokens to a graph, with everything that is wrong.

use std::mem::discriminant;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

use super::expression::{Expression, Place, Step};
use super::lex::{Token, lex};
use super::{Block, Graph, Process, Segment, SegmentKind, Statement};

/// Blocks and brackets inside each other, at most.
const MOST_DEPTH: usize = 64;

/// The most parameters that a help names.
const MOST_TOLD: usize = 8;

/// The name of the bytes of a communication.
const BYTES: &str = "m";

pub(super) fn graph(text: &str) -> Result<Graph, Vec<Diagnostic<TextSpan>>> {
    let (tokens, mut wrong) = lex(text);
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        depth: 0,
        parameters: Vec::new(),
        has_bytes: false,
        last_place: (0, Place { line: 1, column: 1 }),
        wrong: Vec::new(),
    };
    let graph = parser.graph();
    wrong.extend(parser.wrong);
    wrong.sort_by_key(|finding| (finding.span.start, finding.span.end));
    match graph {
        Ok(graph) if wrong.is_empty() => Ok(graph),
        _ => Err(wrong),
    }
}

/// What was read is wrong, and has been reported.
#[derive(Debug)]
struct Reported;

type Read<T> = Result<T, Reported>;

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token, TextSpan)>,
    at: usize,
    depth: usize,
    parameters: Vec<String>,
    /// Whether `m` has a meaning here.
    has_bytes: bool,
    /// The last place that was asked for, from which the next one is counted.
    last_place: (usize, Place),
    wrong: Vec<Diagnostic<TextSpan>>,
}

impl Parser<'_> {
    fn graph(&mut self) -> Read<Graph> {
        self.word("graph", "a graph begins as `graph name(n, p) { .. }`")?;
        let (name, _) = self.name("the name of the graph")?;
        self.mark('(')?;
        while !self.take(')') {
            if !self.parameters.is_empty() {
                self.mark(',')?;
            }
            let (parameter, at) = self.name("a parameter or `)`")?;
            if self.parameters.contains(&parameter) {
                self.note(
                    Code::DuplicateDefinition,
                    at,
                    format!("the parameter `{parameter}` is there twice"),
                    "leave one out",
                );
            } else if parameter == BYTES || parameter == "log2" {
                let message = format!("no parameter has the name `{parameter}`");
                self.note(
                    Code::ReservedName,
                    at,
                    message,
                    "`m` is the number of bytes of a communication, and `log2` the logarithm",
                );
            }
            self.parameters.push(parameter);
        }
        let body = self.block()?;
        if !matches!(self.peek(), Token::End) {
            let at = self.here();
            self.note(
                Code::Syntax,
                at,
                "something follows the graph".into(),
                "a file has one graph; leave out what follows its last `}`",
            );
        }
        Ok(Graph { name, parameters: std::mem::take(&mut self.parameters), body })
    }

    fn block(&mut self) -> Read<Block> {
        let open = self.here();
        self.mark('{')?;
        self.deeper(open)?;
        let mut block = Vec::new();
        while !self.take('}') {
            if matches!(self.peek(), Token::End) {
                return self.report(
                    Code::Unclosed,
                    open,
                    "this `{` is never closed".into(),
                    "write a `}` after its last statement",
                );
            }
            let begin = self.at;
            match self.statement() {
                Ok(statement) => block.push(statement),
                Err(Reported) => self.recover(begin),
            }
        }
        self.depth -= 1;
        Ok(block)
    }

    /// Goes on behind the statement that began at a token: behind its `;` or its blocks, or before the end of
    /// the block that it stands in.
    fn recover(&mut self, begin: usize) {
        let is = |token: &(Token, TextSpan), mark| token.0 == Token::Mark(mark);
        let count = |mark| self.tokens[begin..self.at].iter().filter(|token| is(token, mark)).count();
        let mut inside = count('{').saturating_sub(count('}'));
        loop {
            match (self.peek(), inside) {
                (Token::End, _) | (Token::Mark('}'), 0) => return,
                (Token::Mark(';'), 0) | (Token::Mark('}'), 1) => {
                    self.at += 1;
                    return;
                }
                (Token::Mark('{'), _) => inside += 1,
                (Token::Mark('}'), _) => inside -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn statement(&mut self) -> Read<Statement> {
        let depth = self.depth;
        let statement = self.statement_at_depth();
        self.depth = depth;
        statement
    }

    fn statement_at_depth(&mut self) -> Read<Statement> {
        let (word, at) = self.name("a statement or `}`")?;
        match word.as_str() {
            "loop" => Ok(Statement::Loop { times: self.expression()?, body: self.block()? }),
            "par" => self.parallel(at),
            "overlap" => {
                let part = if matches!(self.peek(), Token::Mark('{')) { None } else { Some(self.expression()?) };
                let one = self.block()?;
                self.word("with", "write `overlap { .. } with { .. }`")?;
                Ok(Statement::Overlap { part, one, other: self.block()? })
            }
            "choice" => self.choice(at),
            word => match SegmentKind::ALL.into_iter().find(|kind| kind.word() == word) {
                Some(kind) => self.segment(kind).map(Statement::Segment),
                None => self.report(
                    Code::Syntax,
                    at,
                    format!("`{word}` is no statement"),
                    "a statement begins with comp, send, recv, bcast, gather, exchange, loop, par, overlap or choice",
                ),
            },
        }
    }

    fn segment(&mut self, kind: SegmentKind) -> Read<Segment> {
        let (name, _) = self.name("the name of the segment")?;
        let mut bytes = None;
        if kind != SegmentKind::Computation && self.take('[') {
            bytes = Some(self.expression()?);
            self.mark(']')?;
        }
        self.has_bytes = bytes.is_some();
        let seconds = if self.take(':') { Some(self.expression()) } else { None };
        self.has_bytes = false;
        let seconds = seconds.transpose()?;
        self.mark(';')?;
        Ok(Segment { kind, name, bytes, seconds })
    }

    fn parallel(&mut self, at: TextSpan) -> Read<Statement> {
        let mut processes: Vec<Process> = Vec::new();
        self.mark('{')?;
        while !self.take('}') {
            self.word("process", "write `process name { .. }`, or `process name * copies { .. }`")?;
            let (name, _) = self.name("the name of the process")?;
            let copies = if self.take('*') { Some(self.factor_expression()?) } else { None };
            processes.push(Process { name, copies, body: self.block()? });
        }
        if processes.is_empty() {
            self.note(
                Code::Syntax,
                at,
                "`par` without a process".into(),
                "write `par { process name { .. } .. }`",
            );
        }
        Ok(Statement::Parallel(processes))
    }

    fn choice(&mut self, at: TextSpan) -> Read<Statement> {
        let (mut branches, place) = (Vec::new(), self.place(at.start));
        self.mark('{')?;
        while !self.take('}') {
            let probability = self.expression()?;
            if !matches!(self.peek(), Token::Arrow) {
                return self.expected("`->`", "write `choice { 0.9 -> { .. } 0.1 -> { .. } }`");
            }
            self.at += 1;
            branches.push((probability, self.block()?));
        }
        if branches.is_empty() {
            self.note(
                Code::Syntax,
                at,
                "`choice` without a branch".into(),
                "write `choice { 0.9 -> { .. } 0.1 -> { .. } }`",
            );
        }
        Ok(Statement::Choice { branches, place })
    }

    /// The line and the column of a place. Places are asked for in the order of the text, so that all of them
    /// together cost one pass.
    fn place(&mut self, at: usize) -> Place {
        let (from, Place { mut line, mut column }) = self.last_place;
        for character in self.text[from..at].chars() {
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        self.last_place = (at, Place { line, column });
        self.last_place.1
    }

    fn expression(&mut self) -> Read<Expression> {
        self.spanned(Parser::sum)
    }

    /// The copies of a process end before its block: `* (p-1)` or `* 4`.
    fn factor_expression(&mut self) -> Read<Expression> {
        self.spanned(Parser::power)
    }

    fn spanned(&mut self, read: impl FnOnce(&mut Self, &mut Vec<Step>) -> Read<()>) -> Read<Expression> {
        let (start, mut steps) = (self.here().start, Vec::new());
        let place = self.place(start);
        read(self, &mut steps)?;
        let text = self.text[start..self.tokens[self.at - 1].1.end].to_owned();
        Ok(Expression { steps, place, text })
    }

    fn sum(&mut self, steps: &mut Vec<Step>) -> Read<()> {
        self.product(steps)?;
        loop {
            let step = if self.take('+') {
                Step::Add
            } else if self.take('-') {
                Step::Subtract
            } else {
                return Ok(());
            };
            self.product(steps)?;
            steps.push(step);
        }
    }

    fn product(&mut self, steps: &mut Vec<Step>) -> Read<()> {
        self.power(steps)?;
        loop {
            let step = if self.take('*') {
                Step::Multiply
            } else if self.take('/') {
                Step::Divide
            } else {
                return Ok(());
            };
            self.power(steps)?;
            steps.push(step);
        }
    }

    /// `-a^b` is `-(a^b)`, and `a^b^c` is `a^(b^c)`.
    fn power(&mut self, steps: &mut Vec<Step>) -> Read<()> {
        let at = self.here();
        self.deeper(at)?;
        if self.take('-') {
            self.power(steps)?;
            steps.push(Step::Negative);
        } else {
            self.operand(steps)?;
            if self.take('^') {
                self.power(steps)?;
                steps.push(Step::Power);
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn operand(&mut self, steps: &mut Vec<Step>) -> Read<()> {
        let (token, at) = self.tokens[self.at].clone();
        match token {
            Token::Number(value) => steps.push(Step::Number(value)),
            Token::Mark('(') => {
                self.at += 1;
                self.sum(steps)?;
                return self.mark(')');
            }
            Token::Name(name) if name == "log2" => {
                self.at += 1;
                self.mark('(')?;
                self.sum(steps)?;
                self.mark(')')?;
                steps.push(Step::Logarithm);
                return Ok(());
            }
            Token::Name(name) => self.parameter(&name, at, steps),
            _ => {
                return self.expected(
                    "a number, a parameter or `(`",
                    "write an expression such as `1e-3 + 2e-9*n^2/p`",
                );
            }
        }
        self.at += 1;
        Ok(())
    }

    fn parameter(&mut self, name: &str, at: TextSpan, steps: &mut Vec<Step>) {
        if name == BYTES && self.has_bytes {
            steps.push(Step::Bytes);
        } else if let Some(index) = self.parameters.iter().position(|known| known == name) {
            steps.push(Step::Parameter(index));
        } else {
            let told = self.parameters.len().min(MOST_TOLD);
            let more = if told < self.parameters.len() { ", .." } else { "" };
            let known = self.parameters[..told].join(", ") + more;
            let help = match name {
                BYTES => "`m` is the number of bytes of a communication: give them, as in `send block [8*n] : 1e-5 + 1e-9*m`".into(),
                _ if known.is_empty() => "the graph has no parameters: write them behind its name, as in `graph name(n, p)`".into(),
                _ => format!("the parameters are {known}"),
            };
            self.note(Code::UndefinedSize, at, format!("`{name}` is no parameter"), &help);
            steps.push(Step::Number(0.0));
        }
    }

    /// One level more.
    fn deeper(&mut self, at: TextSpan) -> Read<()> {
        self.depth += 1;
        match self.depth > MOST_DEPTH {
            true => self.report(
                Code::NestingTooDeep,
                at,
                format!("more than {MOST_DEPTH} blocks and brackets inside each other"),
                "name a part of it as a segment of its own",
            ),
            false => Ok(()),
        }
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn here(&self) -> TextSpan {
        self.tokens[self.at].1
    }

    fn take(&mut self, mark: char) -> bool {
        let is_there = *self.peek() == Token::Mark(mark);
        self.at += usize::from(is_there);
        is_there
    }

    fn mark(&mut self, mark: char) -> Read<()> {
        match self.take(mark) {
            true => Ok(()),
            false => self.expected(
                &format!("`{mark}`"),
                "see `graph name(n, p) { comp a : 1e-3*n; loop p { send b [8*n] : 1e-9*m; } }`",
            ),
        }
    }

    fn word(&mut self, word: &str, help: &str) -> Read<()> {
        if *self.peek() == Token::Name(word.to_owned()) {
            self.at += 1;
            return Ok(());
        }
        self.expected(&format!("`{word}`"), help)
    }

    fn name(&mut self, what: &str) -> Read<(String, TextSpan)> {
        let (token, at) = self.tokens[self.at].clone();
        match token {
            Token::Name(name) => {
                self.at += 1;
                Ok((name, at))
            }
            _ => self.expected(what, "names have letters, digits and `_`"),
        }
    }

    fn expected<T>(&mut self, what: &str, help: &str) -> Read<T> {
        let (token, at) = self.tokens[self.at].clone();
        let found = match discriminant(&token) == discriminant(&Token::End) {
            true => "the end of the text".into(),
            false => format!("`{}`", &self.text[at.start..at.end]),
        };
        self.report(Code::Syntax, at, format!("expected {what}, found {found}"), help)
    }

    fn report<T>(&mut self, code: Code, at: TextSpan, message: String, help: &str) -> Read<T> {
        self.note(code, at, message, help);
        Err(Reported)
    }

    /// Reports something after which reading can go on.
    fn note(&mut self, code: Code, at: TextSpan, message: String, help: &str) {
        let mut finding = Diagnostic::new(code, at, message);
        finding.help = Some(help.into());
        self.wrong.push(finding);
    }
}
