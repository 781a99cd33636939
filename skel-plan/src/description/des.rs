//! From a `.des` text to what is written in it. The lexer is that of models. If an entry cannot be read, the
//! reader goes on with the next one. The tokens of a skeleton in braces are read as those of a `.skel` text.

use std::collections::btree_map::{BTreeMap, Entry};

use skel_core::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use skel_core::number::{Ratio, decimal};
use skel_core::rate::Rate;
use skel_core::skeleton::Tree;
use skel_core::skeleton::text::parse_part;
use skel_core::syntax::cursor::{Cursor, Read, Reported};
use skel_core::syntax::lex::lex;
use skel_core::syntax::token::{Bracket, TokenKind};

use super::network::network;
use super::time::{is_distribution, refused, stage_time};
use super::written::{Form, Located, Origin, Written, WrittenMapping};

/// The keys that are not followed by a number.
const WORDS: [&str; 7] = ["type", "nbproc", "network", "nbstage", "skeleton", "mappings", "throughput"];

/// What is expected where a mapping has a number.
const PROCESSOR: &str = "the number of a processor";

/// The keys that are followed by a number.
const NUMBERED: [&str; 5] = ["cp", "nl", "w", "ds", "machine"];

/// The words with which the statements of a skeleton begin.
const STATEMENTS: [&str; 5] = ["task", "pipe", "deal", "farm", "communication"];

/// Reads a text.
pub(super) fn read(origin: Origin<'_>) -> (Written, Vec<Diagnostic<TextSpan>>) {
    let lexed = lex(origin.text);
    let written = Written::nothing(Form::Des, origin.text);
    let mut tokens = Cursor::new(&lexed.tokens, written.end, "the end of the text");
    tokens.diagnostics = lexed.diagnostics;
    let mut reader = Reader { origin, tokens, written, mappings: None, throughput: None };
    reader.file();
    let Reader { tokens, mut written, .. } = reader;
    written.is_partial = !tokens.diagnostics.is_empty();
    (written, tokens.diagnostics)
}

struct Reader<'t> {
    origin: Origin<'t>,
    tokens: Cursor<'t, TextSpan>,
    written: Written,
    /// The places of the keys that were read and have no value of their own.
    mappings: Option<TextSpan>,
    throughput: Option<TextSpan>,
}

impl Reader<'_> {
    fn file(&mut self) {
        while !self.tokens.is_at_end() {
            if self.tokens.take(';') {
            } else if self.entry().and_then(|()| self.semicolon()).is_err() {
                self.recover();
            }
        }
    }

    fn entry(&mut self) -> Read<()> {
        let key = self.tokens.span();
        let Some(TokenKind::Name(word)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected("an entry"));
        };
        match word.as_str() {
            "type" => {
                self.equals()?;
                let at = self.tokens.span();
                let Some(TokenKind::Name(kind)) = self.tokens.kind(0) else {
                    return Err(self.tokens.expected("a type, `pipeline` or `skeleton`"));
                };
                self.tokens.advance(1);
                let located = Located { value: kind.clone(), at, key };
                once(&mut self.written.kind, located, "type", &mut self.tokens.diagnostics);
            }
            "nbproc" => {
                let located = self.count_of(key)?;
                once(&mut self.written.processors, located, "nbproc", &mut self.tokens.diagnostics);
            }
            "network" => {
                let file =
                    self.quoted_of(key, "the name of a file in quotation marks, such as `\"grid.toml\"`")?;
                let located = network(&self.origin, file, &mut self.tokens.diagnostics);
                once(&mut self.written.network, located, "network", &mut self.tokens.diagnostics);
            }
            "nbstage" => {
                let located = self.count_of(key)?;
                once(&mut self.written.stages, located, "nbstage", &mut self.tokens.diagnostics);
            }
            "skeleton" => {
                let located = self.skeleton(key)?;
                once(&mut self.written.skeleton, located, "skeleton", &mut self.tokens.diagnostics);
            }
            "ds" => {
                let located = self.value_of(key)?;
                once(&mut self.written.common_size, located, "ds", &mut self.tokens.diagnostics);
            }
            "mappings" => {
                self.equals()?;
                if let Some(first) = self.mappings.replace(key) {
                    self.tokens.report(repeated("mappings", key, first));
                }
                self.mappings()?;
            }
            "throughput" => {
                self.tokens.advance(1);
                if let Some(first) = self.throughput.replace(key) {
                    self.tokens.report(repeated("throughput", key, first));
                }
            }
            word => self.numbered_entry(word, key)?,
        }
        Ok(())
    }

    /// `cp1=`, `nl1-2=`, `w1=`, `ds1=`, `ds1-2=` or `machine1=`.
    fn numbered_entry(&mut self, word: &str, key: TextSpan) -> Read<()> {
        let digits_at = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (name, digits) = word.split_at(digits_at);
        if !NUMBERED.contains(&name) {
            return Err(self.unknown(word, key));
        }
        let Some(number) = number_of(digits) else {
            let example = if name == "nl" { "nl1-2".to_owned() } else { format!("{name}1") };
            let finding = Diagnostic::new(Code::UnknownEntry, key, format!("`{word}` has no number"));
            return Err(self.tokens.report(finding.help(format!("write `{example}`, say"))));
        };
        if name == "nl" || (name == "ds" && self.tokens.is_symbol(1, '-')) {
            return self.pair(name, word, number, key);
        }
        if name == "machine" {
            let value = self.quoted_of(key, "the name of a machine in quotation marks")?;
            insert(&mut self.written.names, number, value, word, &mut self.tokens.diagnostics);
            return Ok(());
        }
        let value = if name == "w" { self.work(number, key)? } else { self.value_of(key)? };
        let Written { powers, works, sizes, .. } = &mut self.written;
        let list = match name {
            "cp" => powers,
            "w" => works,
            _ => sizes,
        };
        insert(list, number, value, word, &mut self.tokens.diagnostics);
        Ok(())
    }

    /// `= number` or `= distribution`, behind the key of a stage's work. Of a distribution the value is the
    /// mean.
    fn work(&mut self, number: u64, key: TextSpan) -> Read<Located<Rate>> {
        self.equals()?;
        if !is_distribution(self.tokens.rest()) {
            return self.value(key);
        }
        let tokens = &self.tokens.rest()[..self.length_of_distribution()];
        self.tokens.advance(tokens.len());
        match stage_time(tokens, self.tokens.span(), number, &self.origin) {
            Ok(time) => {
                let at = tokens[0].span.join(self.tokens.previous());
                let located = Located { value: Rate::from(time.mean().clone()), at, key };
                self.written.times.insert(number, time);
                Ok(located)
            }
            Err(found) => {
                self.tokens.diagnostics.extend(found);
                Err(Reported)
            }
        }
    }

    /// How many tokens a distribution has: up to the bracket that closes it or, if there is none, up to the
    /// next `;`.
    fn length_of_distribution(&self) -> usize {
        let (mut open, rest) = (0_usize, self.tokens.rest());
        let last = rest.iter().position(|token| {
            match token.kind {
                TokenKind::Open(Bracket::Round, _) => open += 1,
                TokenKind::Close(Bracket::Round) => open = open.saturating_sub(1),
                _ => return token.kind == TokenKind::Symbol(';'),
            }
            open == 0
        });
        match last {
            Some(last) if rest[last].kind == TokenKind::Symbol(';') => last,
            Some(last) => last + 1,
            None => rest.len(),
        }
    }

    /// `nl1-2=`, behind the `nl1`, or `ds1-2=`, behind the `ds1`.
    fn pair(&mut self, name: &str, word: &str, from: u64, key: TextSpan) -> Read<()> {
        let is_link = name == "nl";
        let to = match (self.tokens.kind(1), self.tokens.kind(2)) {
            (Some(TokenKind::Symbol('-')), Some(TokenKind::Number(digits))) => number_of(digits),
            _ => None,
        };
        let Some(to) = to else {
            let (noun, help) = if is_link {
                ("processor", format!("write `{word}-1`, say, for the link to processor 1"))
            } else {
                ("task", format!("write `{word}-2`, say, for the items that go to task 2"))
            };
            let message = format!("`{word}` names no second {noun}");
            return Err(self.tokens.report(Diagnostic::new(Code::UnknownEntry, key, message).help(help)));
        };
        self.tokens.advance(2);
        let value = self.value_of(key.join(self.tokens.span()))?;
        let Written { links, pair_sizes, .. } = &mut self.written;
        let list = if is_link { links } else { pair_sizes };
        insert(list, (from, to), value, &format!("{word}-{to}"), &mut self.tokens.diagnostics);
        Ok(())
    }

    /// `= { skeleton }`, behind its key.
    fn skeleton(&mut self, key: TextSpan) -> Read<Located<Option<Tree>>> {
        self.equals()?;
        let opened = self.tokens.span();
        if !self.tokens.is_open(0, Bracket::Curly) {
            return Err(self
                .tokens
                .expected("`{` and a skeleton, such as `{ pipe(2); task(1); farm(3, 1); }`"));
        }
        let Some(end) = self.closing_brace() else {
            let finding = Diagnostic::new(Code::Unclosed, opened, "this brace is never closed");
            let failure = self.tokens.report(finding.help("write `};` behind the skeleton"));
            self.tokens.finish();
            return Err(failure);
        };
        let tokens = self.tokens.rest();
        let Origin { text, folder } = self.origin;
        let parsed = parse_part(text, &tokens[1..end], tokens[end].span, folder);
        self.tokens.advance(end + 1);
        self.tokens.diagnostics.extend(refused(&parsed, Form::Des));
        self.tokens.diagnostics.extend(parsed.diagnostics);
        Ok(Located { value: parsed.tree, at: opened.join(self.tokens.previous()), key })
    }

    /// How many tokens further on the brace is closed that opens here.
    fn closing_brace(&self) -> Option<usize> {
        let mut open = 0_usize;
        self.tokens.rest().iter().position(|token| {
            match token.kind {
                TokenKind::Open(Bracket::Curly, _) => open += 1,
                TokenKind::Close(Bracket::Curly) => open -= 1,
                _ => {}
            }
            open == 0
        })
    }

    /// `= count`, behind a key.
    fn count_of(&mut self, key: TextSpan) -> Read<Located<u64>> {
        self.equals()?;
        let located = self.count("a count, such as `3`")?;
        Ok(Located { key, ..located })
    }

    /// `= "text"`, behind a key.
    fn quoted_of(&mut self, key: TextSpan, what: &str) -> Read<Located<String>> {
        self.equals()?;
        let at = self.tokens.span();
        let Some(TokenKind::Quoted(text)) = self.tokens.kind(0) else {
            return Err(self.tokens.expected(what));
        };
        let located = Located { value: text.clone(), at, key };
        self.tokens.advance(1);
        Ok(located)
    }

    /// `= number`, behind a key.
    fn value_of(&mut self, key: TextSpan) -> Read<Located<Rate>> {
        self.equals()?;
        self.value(key)
    }

    /// A number, behind a key and `=`.
    fn value(&mut self, key: TextSpan) -> Read<Located<Rate>> {
        let begin = self.tokens.span();
        let is_negative = self.tokens.take('-');
        let mut value = self.number()?;
        if self.tokens.take('/') {
            let at = self.tokens.span();
            let divisor = self.number()?;
            if divisor == Ratio::from_integer(0.into()) {
                let finding = Diagnostic::new(Code::DivisionByZero, at, "the divisor is zero");
                return Err(self.tokens.report(finding.help("write another divisor, or a decimal")));
            }
            value /= divisor;
        }
        let value = Rate::from(if is_negative { -value } else { value });
        Ok(Located { value, at: begin.join(self.tokens.previous()), key })
    }

    fn number(&mut self) -> Read<Ratio> {
        const HELP: &str = "write a positive number, such as `10`, `2.5` or `1e-3`";
        let at = self.tokens.span();
        let problem = match self.tokens.kind(0) {
            Some(TokenKind::Number(digits)) => match decimal(digits) {
                Ok(value) => {
                    self.tokens.advance(1);
                    return Ok(value);
                }
                Err(error) => error.to_string(),
            },
            Some(TokenKind::Name(word) | TokenKind::Quoted(word)) => format!("`{word}` is not a number"),
            _ => return Err(self.tokens.expected("a number")),
        };
        Err(self.tokens.report(Diagnostic::new(Code::BadNumber, at, problem).help(HELP)))
    }

    /// A whole number.
    fn count(&mut self, what: &str) -> Read<Located<u64>> {
        let at = self.tokens.span();
        let is_negative = self.tokens.take('-');
        let problem = match self.tokens.kind(0) {
            Some(TokenKind::Number(digits)) => match number_of(digits).filter(|_| !is_negative) {
                Some(value) => {
                    self.tokens.advance(1);
                    return Ok(Located { value, at, key: at });
                }
                None => format!("`{}{digits}` is not a count", if is_negative { "-" } else { "" }),
            },
            Some(TokenKind::Name(word)) => format!("`{word}` is not a number"),
            _ => return Err(self.tokens.expected(what)),
        };
        let at = at.join(self.tokens.span());
        Err(self
            .tokens
            .report(Diagnostic::new(Code::BadNumber, at, problem).help("write a whole number, such as `3`")))
    }

    fn mappings(&mut self) -> Read<()> {
        loop {
            let mapping = self.mapping()?;
            self.written.mappings.push(mapping);
            if !self.tokens.take(',') {
                return Ok(());
            }
        }
    }

    /// `[1, (1,2,3), 3]`, or `(1,2,3)` without ends.
    fn mapping(&mut self) -> Read<WrittenMapping> {
        if self.tokens.is_open(0, Bracket::Round) {
            let (tasks, at) = self.tuple()?;
            return Ok(WrittenMapping { input: None, tasks, output: None, at });
        }
        self.bracket(
            &TokenKind::Open(Bracket::Square, None),
            "a mapping, such as `[1, (1,1,2), 2]`, or `(1,1,2)` of a skeleton",
        )?;
        let input = self.count(PROCESSOR)?;
        self.comma()?;
        let (tasks, at) = self.tuple()?;
        self.comma()?;
        let output = self.count(PROCESSOR)?;
        self.bracket(&TokenKind::Close(Bracket::Square), "`]`")?;
        Ok(WrittenMapping { input: Some(input), tasks, output: Some(output), at })
    }

    /// `(1,2,3)`, and its place.
    fn tuple(&mut self) -> Read<(Vec<Located<u64>>, TextSpan)> {
        let begin = self.tokens.span();
        self.bracket(&TokenKind::Open(Bracket::Round, None), "`(` and the processor of each stage")?;
        let mut tasks = vec![self.count(PROCESSOR)?];
        while self.tokens.take(',') {
            tasks.push(self.count(PROCESSOR)?);
        }
        self.bracket(&TokenKind::Close(Bracket::Round), "`,` or `)`")?;
        Ok((tasks, begin.join(self.tokens.previous())))
    }

    fn bracket(&mut self, bracket: &TokenKind, what: &str) -> Read<()> {
        if self.tokens.kind(0) != Some(bracket) {
            return Err(self.tokens.expected(what));
        }
        self.tokens.advance(1);
        Ok(())
    }

    fn comma(&mut self) -> Read<()> {
        if self.tokens.take(',') { Ok(()) } else { Err(self.tokens.expected("`,`")) }
    }

    /// The key, and `=` behind it.
    fn equals(&mut self) -> Read<()> {
        self.tokens.advance(1);
        if self.tokens.take('=') { Ok(()) } else { Err(self.tokens.expected("`=`")) }
    }

    /// The `;` behind an entry. At the end of the text it may be missing. If the next entry begins without
    /// it, that is reported and the reader goes on.
    fn semicolon(&mut self) -> Read<()> {
        match self.tokens.kind(0) {
            None => Ok(()),
            Some(_) if self.tokens.take(';') => Ok(()),
            Some(TokenKind::Name(_)) => {
                let finding =
                    Diagnostic::new(Code::Syntax, self.tokens.previous(), "the entry has no `;` at its end");
                self.tokens.report(finding.help("write `;` after this"));
                Ok(())
            }
            Some(_) => Err(self.tokens.expected("`;`")),
        }
    }

    fn unknown(&mut self, word: &str, key: TextSpan) -> Reported {
        let help = match did_you_mean(word, WORDS) {
            _ if STATEMENTS.contains(&word) => {
                "the statements of a skeleton stand in braces: `skeleton = { ... };`".into()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "the keys are `{}`, `cp1`, `nl1-2`, `machine1`, `w1` and `ds1`, and of skeletons `ds` and `ds1-2`",
                WORDS.join("`, `")
            ),
        };
        let finding = Diagnostic::new(Code::UnknownEntry, key, format!("a description has no `{word}`"));
        self.tokens.report(finding.help(help))
    }

    /// Skips everything up to the next `;` that is not in braces, and statements of a skeleton that are not
    /// in braces.
    fn recover(&mut self) {
        loop {
            while !self.tokens.is_at_end() && !self.tokens.take(';') {
                self.pass_over();
            }
            if !STATEMENTS.iter().any(|word| self.tokens.is_word(0, word)) {
                return;
            }
        }
    }

    /// Skips one token or everything in a pair of braces. If the brace is not closed, that is the rest of the
    /// text.
    fn pass_over(&mut self) {
        if !self.tokens.is_open(0, Bracket::Curly) {
            return self.tokens.advance(1);
        }
        match self.closing_brace() {
            Some(end) => self.tokens.advance(end + 1),
            None => self.tokens.finish(),
        }
    }
}

/// A whole number in digits alone.
fn number_of(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

fn repeated(word: &str, at: TextSpan, first: TextSpan) -> Diagnostic<TextSpan> {
    let message = format!("`{word}` is given twice");
    Diagnostic::new(Code::DuplicateDefinition, at, message)
        .related(first, "first here")
        .help("keep one of the two")
}

/// Keeps a value that is written for the first time, and reports it otherwise.
fn once<T>(
    place: &mut Option<Located<T>>,
    located: Located<T>,
    word: &str,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    match place {
        Some(first) => found.push(repeated(word, located.key, first.key)),
        None => *place = Some(located),
    }
}

/// Keeps a value that is written for the first time for its number, and reports it otherwise.
fn insert<K: Ord, T>(
    list: &mut BTreeMap<K, Located<T>>,
    number: K,
    located: Located<T>,
    word: &str,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    match list.entry(number) {
        Entry::Occupied(first) => found.push(repeated(word, located.key, first.get().key)),
        Entry::Vacant(place) => {
            place.insert(located);
        }
    }
}
