//! From the text of a condition to words, numbers and signs. Texts of models have a lexer of their own, to
//! which `5%` is a number and a comment.

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};

/// A token and its place.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: TextSpan,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A word: a measure, a unit, `and`, `or`, `not`, `max` or `min`.
    Word(String),
    /// A number as it is written, without its unit.
    Number(String),
    /// A sign of one or two characters.
    Sign(&'static str),
}

/// The signs. One that begins with another comes before it.
const SIGNS: [&str; 14] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ",", "%"];

/// Signs of other languages, with what they are here.
const INSTEAD: [(&str, &str); 7] =
    [("&&", "and"), ("||", "or"), ("=", "=="), ("!", "not"), ("≤", "<="), ("≥", ">="), ("≠", "!=")];

/// How many findings there may be before the rest of the text is left unread.
const MOST_FINDINGS: usize = 20;

/// Takes a text apart.
pub(super) fn lex(text: &str) -> (Vec<Token>, Vec<Diagnostic<TextSpan>>) {
    let (mut tokens, mut found, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            _ if first.is_alphabetic() || first == '_' => {
                let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Some(Kind::Word(rest[..length].to_owned())), length)
            }
            _ if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(is_digit)) => {
                let length = length_of_number(rest);
                (Some(Kind::Number(rest[..length].to_owned())), length)
            }
            _ => match SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
                Some(sign) => (Some(Kind::Sign(sign)), sign.len()),
                None => {
                    let (finding, length) = foreign(rest, first, at);
                    found.push(finding);
                    if found.len() == MOST_FINDINGS {
                        return (tokens, found);
                    }
                    (None, length)
                }
            },
        };
        let place = TextSpan { start: at, end: at + length };
        tokens.extend(kind.map(|kind| Token { kind, at: place }));
        at += length;
    }
    (tokens, found)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Digits, a fraction and an exponent, each of them if it is there. In `5e` the `e` is a unit.
fn length_of_number(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    // `1.2.3` is taken whole, and is not a number.
    while text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// A character that no condition has, and how long it is.
fn foreign(rest: &str, first: char, at: usize) -> (Diagnostic<TextSpan>, usize) {
    let known = INSTEAD.into_iter().find(|(sign, _)| rest.starts_with(sign));
    let length = known.map_or(first.len_utf8(), |(sign, _)| sign.len());
    let place = TextSpan { start: at, end: at + length };
    let shown =
        if first.is_control() { format!("U+{:04X}", u32::from(first)) } else { rest[..length].to_owned() };
    let finding =
        Diagnostic::new(Code::UnexpectedCharacter, place, format!("`{shown}` has no meaning in a condition"));
    let help = known.map(|(_, instead)| format!("write `{instead}`"));
    (help.into_iter().fold(finding, Diagnostic::help), length)
}

impl Kind {
    /// The token as a message shows it.
    pub(super) fn describe(&self) -> String {
        match self {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Number(number) => format!("the number `{number}`"),
            Kind::Sign(sign) => format!("`{sign}`"),
        }
    }
}
