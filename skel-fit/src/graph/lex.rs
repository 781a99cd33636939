//! Tokens of a graph.

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    /// One of `( ) { } [ ] , ; : * / + - ^`.
    Mark(char),
    /// `->`
    Arrow,
    End,
}

/// The tokens of a text with their places, and characters and numbers that are none.
pub(super) fn lex(text: &str) -> (Vec<(Token, TextSpan)>, Vec<Diagnostic<TextSpan>>) {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), wrong: Vec::new() };
    while lexer.next() {}
    (lexer.tokens, lexer.wrong)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<(Token, TextSpan)>,
    wrong: Vec<Diagnostic<TextSpan>>,
}

impl Lexer<'_> {
    /// Takes one token, and says whether there are more.
    fn next(&mut self) -> bool {
        self.skip(char::is_whitespace);
        let start = self.at;
        let Some(first) = self.peek() else {
            self.push(Token::End, start);
            return false;
        };
        if first == '#' {
            self.skip(|character| character != '\n');
        } else if first.is_alphabetic() || first == '_' {
            self.skip(|character| character.is_alphanumeric() || character == '_');
            self.push(Token::Name(self.text[start..self.at].to_owned()), start);
        } else if first.is_ascii_digit() || first == '.' {
            self.number(start);
        } else if self.text[self.at..].starts_with("->") {
            self.at += 2;
            self.push(Token::Arrow, start);
        } else if "(){}[],;:*/+-^".contains(first) {
            self.at += 1;
            self.push(Token::Mark(first), start);
        } else {
            self.at += first.len_utf8();
            self.report(
                Code::UnexpectedCharacter,
                start,
                format!("`{first}` is in no graph"),
                "leave it out; a comment begins with `#`",
            );
        }
        true
    }

    fn number(&mut self, start: usize) {
        self.skip(|character| character.is_ascii_digit() || character == '.');
        if matches!(self.peek(), Some('e' | 'E')) {
            let before = self.at;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            let digits = self.at;
            self.skip(|character| character.is_ascii_digit());
            if self.at == digits {
                self.at = before;
            }
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => self.push(Token::Number(value), start),
            _ => {
                let message = format!("`{text}` is not a finite number");
                self.report(Code::BadNumber, start, message, "write a number such as 2.5 or 1.2e-3");
                self.push(Token::Number(0.0), start);
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip(&mut self, belongs: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|character| !belongs(character)).unwrap_or(rest.len());
    }

    fn push(&mut self, token: Token, start: usize) {
        self.tokens.push((token, TextSpan { start, end: self.at }));
    }

    fn report(&mut self, code: Code, start: usize, message: String, help: &str) {
        let mut finding = Diagnostic::new(code, TextSpan { start, end: self.at }, message);
        finding.help = Some(help.into());
        self.wrong.push(finding);
    }
}
