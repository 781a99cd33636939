//! From a `.des` text to what it says, by the lexer of models. Behind an entry that cannot be read it goes on with the next.

use std::collections::btree_map::{BTreeMap, Entry};

use skel_core::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use skel_core::number::{Ratio, decimal};
use skel_core::rate::Rate;
use skel_core::syntax::lex::lex;
use skel_core::syntax::token::{Bracket, Token, TokenKind};

use super::written::{Form, Said, Written, WrittenMapping};

/// A failure that has been reported.
struct Reported;

type Read<T> = Result<T, Reported>;

/// Keys without a number behind them.
const WORDS: [&str; 5] = ["type", "nbproc", "nbstage", "mappings", "throughput"];

/// Keys with a number behind them, as examples.
const NUMBERED: [&str; 4] = ["cp", "nl", "w", "ds"];

/// Reads a text.
pub(super) fn read(text: &str) -> (Written, Vec<Diagnostic<TextSpan>>) {
    let lexed = lex(text);
    let written = Written::nothing(Form::Des, text);
    let mut reader = Reader {
        tokens: &lexed.tokens,
        at: 0,
        diagnostics: lexed.diagnostics,
        written,
        mappings: None,
        throughput: None,
    };
    reader.file();
    let mut written = reader.written;
    written.is_partial = !reader.diagnostics.is_empty();
    (written, reader.diagnostics)
}

struct Reader<'t> {
    tokens: &'t [Token<TextSpan>],
    at: usize,
    diagnostics: Vec<Diagnostic<TextSpan>>,
    written: Written,
    /// The places of the keys that have no value to keep.
    mappings: Option<TextSpan>,
    throughput: Option<TextSpan>,
}

impl<'t> Reader<'t> {
    fn file(&mut self) {
        while self.kind(0).is_some() {
            if self.is_symbol(';') {
                self.at += 1;
            } else if self.entry().and_then(|()| self.semicolon()).is_err() {
                self.recover();
            }
        }
    }

    fn entry(&mut self) -> Read<()> {
        let key = self.span();
        let Some(TokenKind::Name(word)) = self.kind(0) else { return Err(self.expected("an entry")) };
        match word.as_str() {
            "type" => {
                self.equals()?;
                let at = self.span();
                let Some(TokenKind::Name(kind)) = self.kind(0) else {
                    return Err(self.expected("the type `pipeline`"));
                };
                self.at += 1;
                let said = Said { value: kind.clone(), at, key };
                once(&mut self.written.kind, said, "type", &mut self.diagnostics);
            }
            "nbproc" => {
                let said = self.count_of(key)?;
                once(&mut self.written.processors, said, "nbproc", &mut self.diagnostics);
            }
            "nbstage" => {
                let said = self.count_of(key)?;
                once(&mut self.written.stages, said, "nbstage", &mut self.diagnostics);
            }
            "mappings" => {
                self.equals()?;
                if let Some(first) = self.mappings.replace(key) {
                    self.diagnostics.push(repeated("mappings", key, first));
                }
                self.mappings()?;
            }
            "throughput" => {
                self.at += 1;
                if let Some(first) = self.throughput.replace(key) {
                    self.diagnostics.push(repeated("throughput", key, first));
                }
            }
            word => self.numbered_entry(word, key)?,
        }
        Ok(())
    }

    /// `cp1=`, `nl1-2=`, `w1=` or `ds1=`.
    fn numbered_entry(&mut self, word: &str, key: TextSpan) -> Read<()> {
        let digits_at = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
        let (name, digits) = word.split_at(digits_at);
        if !NUMBERED.contains(&name) {
            return Err(self.unknown(word, key));
        }
        let Some(number) = number_of(digits) else {
            let example = if name == "nl" { "nl1-2".to_owned() } else { format!("{name}1") };
            let finding = Diagnostic::new(Code::UnknownEntry, key, format!("`{word}` has no number"));
            self.diagnostics.push(finding.help(format!("write `{example}`, say")));
            return Err(Reported);
        };
        if name == "nl" {
            return self.link(word, number, key);
        }
        let value = self.value_of(key)?;
        let Written { powers, works, sizes, .. } = &mut self.written;
        let list = match name {
            "cp" => powers,
            "w" => works,
            _ => sizes,
        };
        insert(list, number, value, word, &mut self.diagnostics);
        Ok(())
    }

    /// `nl1-2=`, behind the `nl1`.
    fn link(&mut self, word: &str, from: u64, key: TextSpan) -> Read<()> {
        let to = match (self.kind(1), self.kind(2)) {
            (Some(TokenKind::Symbol('-')), Some(TokenKind::Number(digits))) => number_of(digits),
            _ => None,
        };
        let Some(to) = to else {
            let finding =
                Diagnostic::new(Code::UnknownEntry, key, format!("`{word}` names no second processor"));
            self.diagnostics
                .push(finding.help(format!("write `{word}-1`, say, for the link to processor 1")));
            return Err(Reported);
        };
        self.at += 2;
        let value = self.value_of(key.join(self.span()))?;
        insert(&mut self.written.links, (from, to), value, &format!("{word}-{to}"), &mut self.diagnostics);
        Ok(())
    }

    /// `= count`, behind a key.
    fn count_of(&mut self, key: TextSpan) -> Read<Said<u64>> {
        self.equals()?;
        let said = self.count("a count, such as `3`")?;
        Ok(Said { key, ..said })
    }

    /// `= number`, behind a key.
    fn value_of(&mut self, key: TextSpan) -> Read<Said<Rate>> {
        self.equals()?;
        let begin = self.span();
        let is_negative = self.is_symbol('-');
        self.at += usize::from(is_negative);
        let mut value = self.number()?;
        if self.is_symbol('/') {
            self.at += 1;
            let at = self.span();
            let divisor = self.number()?;
            if divisor == Ratio::from_integer(0.into()) {
                let finding = Diagnostic::new(Code::DivisionByZero, at, "the divisor is zero");
                self.diagnostics.push(finding.help("write another divisor, or a decimal"));
                return Err(Reported);
            }
            value /= divisor;
        }
        let value = Rate::from(if is_negative { -value } else { value });
        Ok(Said { value, at: begin.join(self.previous()), key })
    }

    fn number(&mut self) -> Read<Ratio> {
        const HELP: &str = "write a positive number, such as `10`, `2.5` or `1e-3`";
        let at = self.span();
        let problem = match self.kind(0) {
            Some(TokenKind::Number(digits)) => match decimal(digits) {
                Ok(value) => {
                    self.at += 1;
                    return Ok(value);
                }
                Err(error) => error.to_string(),
            },
            Some(TokenKind::Name(word) | TokenKind::Quoted(word)) => format!("`{word}` is not a number"),
            _ => return Err(self.expected("a number")),
        };
        self.diagnostics.push(Diagnostic::new(Code::BadNumber, at, problem).help(HELP));
        Err(Reported)
    }

    /// A whole number.
    fn count(&mut self, what: &str) -> Read<Said<u64>> {
        let at = self.span();
        let begin = self.at;
        self.at += usize::from(self.is_symbol('-'));
        let problem = match self.kind(0) {
            Some(TokenKind::Number(digits)) => match number_of(digits).filter(|_| self.at == begin) {
                Some(value) => {
                    self.at += 1;
                    return Ok(Said { value, at, key: at });
                }
                None => format!("`{}{digits}` is not a count", if self.at == begin { "" } else { "-" }),
            },
            Some(TokenKind::Name(word)) => format!("`{word}` is not a number"),
            _ => return Err(self.expected(what)),
        };
        let at = at.join(self.span());
        self.diagnostics
            .push(Diagnostic::new(Code::BadNumber, at, problem).help("write a whole number, such as `3`"));
        Err(Reported)
    }

    fn mappings(&mut self) -> Read<()> {
        loop {
            let mapping = self.mapping()?;
            self.written.mappings.push(mapping);
            if !self.is_symbol(',') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    /// `[1, (1,2,3), 3]`
    fn mapping(&mut self) -> Read<WrittenMapping> {
        const PROCESSOR: &str = "the number of a processor";
        self.bracket(
            &TokenKind::Open(Bracket::Square, None),
            "`[` and a mapping, such as `[1, (1,1,2), 2]`",
        )?;
        let input = self.count(PROCESSOR)?;
        self.comma()?;
        let begin = self.span();
        self.bracket(&TokenKind::Open(Bracket::Round, None), "`(` and the processor of each stage")?;
        let mut stages = vec![self.count(PROCESSOR)?];
        while self.is_symbol(',') {
            self.at += 1;
            stages.push(self.count(PROCESSOR)?);
        }
        self.bracket(&TokenKind::Close(Bracket::Round), "`,` or `)`")?;
        let at = begin.join(self.previous());
        self.comma()?;
        let output = self.count(PROCESSOR)?;
        self.bracket(&TokenKind::Close(Bracket::Square), "`]`")?;
        Ok(WrittenMapping { input: Some(input), stages, output: Some(output), at })
    }

    fn bracket(&mut self, bracket: &TokenKind, what: &str) -> Read<()> {
        if self.kind(0) != Some(bracket) {
            return Err(self.expected(what));
        }
        self.at += 1;
        Ok(())
    }

    fn comma(&mut self) -> Read<()> {
        if !self.is_symbol(',') {
            return Err(self.expected("`,`"));
        }
        self.at += 1;
        Ok(())
    }

    /// The key, and `=` behind it.
    fn equals(&mut self) -> Read<()> {
        self.at += 1;
        if !self.is_symbol('=') {
            return Err(self.expected("`=`"));
        }
        self.at += 1;
        Ok(())
    }

    /// `;`, which the end of the text stands for too. Where the next entry begins without it, reading goes on.
    fn semicolon(&mut self) -> Read<()> {
        match self.kind(0) {
            None => Ok(()),
            Some(TokenKind::Symbol(';')) => {
                self.at += 1;
                Ok(())
            }
            Some(TokenKind::Name(_)) => {
                let finding =
                    Diagnostic::new(Code::Syntax, self.previous(), "the entry has no `;` at its end");
                self.diagnostics.push(finding.help("write `;` after this"));
                Ok(())
            }
            Some(_) => Err(self.expected("`;`")),
        }
    }

    fn unknown(&mut self, word: &str, key: TextSpan) -> Reported {
        let help = match did_you_mean(word, WORDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the keys are `{}`, `cp1`, `nl1-2`, `w1` and `ds1`", WORDS.join("`, `")),
        };
        let finding = Diagnostic::new(Code::UnknownEntry, key, format!("a description has no `{word}`"));
        self.diagnostics.push(finding.help(help));
        Reported
    }

    fn expected(&mut self, what: &str) -> Reported {
        let found = match self.kind(0) {
            Some(TokenKind::Reported) => return Reported,
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

    fn is_symbol(&self, symbol: char) -> bool {
        self.kind(0) == Some(&TokenKind::Symbol(symbol))
    }

    fn kind(&self, ahead: usize) -> Option<&'t TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    fn span(&self) -> TextSpan {
        self.tokens.get(self.at).map_or(self.written.end, |token| token.span)
    }

    fn previous(&self) -> TextSpan {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.written.end, |token| token.span)
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

/// Keeps what is said for the first time.
fn once<T>(place: &mut Option<Said<T>>, said: Said<T>, word: &str, found: &mut Vec<Diagnostic<TextSpan>>) {
    match place {
        Some(first) => found.push(repeated(word, said.key, first.key)),
        None => *place = Some(said),
    }
}

/// Keeps what is said of a number for the first time.
fn insert<K: Ord, T>(
    list: &mut BTreeMap<K, Said<T>>,
    number: K,
    said: Said<T>,
    word: &str,
    found: &mut Vec<Diagnostic<TextSpan>>,
) {
    match list.entry(number) {
        Entry::Occupied(first) => found.push(repeated(word, said.key, first.get().key)),
        Entry::Vacant(place) => {
            place.insert(said);
        }
    }
}
