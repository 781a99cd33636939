//! What a literal means. The compiler hands over how it is written: digits with underscores and a suffix, characters with
//! escapes (The Rust Reference, "Literal expressions"). syn would read them too, at half a second of every first build.

use proc_macro2::Literal;

/// The value of a literal.
#[derive(Debug, PartialEq)]
pub(crate) enum Value {
    /// A whole number, in decimal digits.
    Whole(String),
    /// A number with a fraction, an exponent or the suffix of a float, without underscores and suffix.
    Fraction(String),
    /// A text.
    Text(String),
    /// A character, bytes, or nothing that Rust knows.
    Other,
}

impl Value {
    pub(crate) fn of(literal: &Literal) -> Value {
        let written = literal.to_string();
        match written.as_bytes()[0] {
            b'"' | b'r' => text(&written).map_or(Value::Other, Value::Text),
            b'0'..=b'9' => number(&written.replace('_', "")).unwrap_or(Value::Other),
            _ => Value::Other,
        }
    }
}

fn number(written: &str) -> Option<Value> {
    let radix = match written.get(..2) {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => return decimal(written),
    };
    let (digits, suffix) = split(&written[2..], |c| c.is_ascii_hexdigit());
    let value = u128::from_str_radix(digits, radix).ok()?;
    is_whole_type(suffix).then(|| Value::Whole(value.to_string()))
}

fn decimal(written: &str) -> Option<Value> {
    let (digits, suffix) = split(written, |c| !c.is_alphabetic() || c == 'e' || c == 'E');
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    match suffix {
        "f32" | "f64" => Some(Value::Fraction(digits.to_owned())),
        _ if !is_whole_type(suffix) => None,
        _ if is_whole => Some(Value::Whole(digits.to_owned())),
        _ => Some(Value::Fraction(digits.to_owned())),
    }
}

/// The digits, and the suffix behind them.
fn split(written: &str, is_digit: impl Fn(char) -> bool) -> (&str, &str) {
    written.split_at(written.find(|c| !is_digit(c)).unwrap_or(written.len()))
}

fn is_whole_type(suffix: &str) -> bool {
    let bits = suffix.strip_prefix(['i', 'u']);
    suffix.is_empty() || matches!(bits, Some("8" | "16" | "32" | "64" | "128" | "size"))
}

/// The characters between the quotes.
fn text(written: &str) -> Option<String> {
    let inside = &written[written.find('"')? + 1..written.rfind('"')?];
    if written.starts_with('r') { Some(inside.to_owned()) } else { unescaped(inside) }
}

fn unescaped(written: &str) -> Option<String> {
    let mut value = String::new();
    let mut rest = written;
    while let Some((before, after)) = rest.split_once('\\') {
        value.push_str(before);
        let escape = after.chars().next()?;
        rest = &after[escape.len_utf8()..];
        value.push(match escape {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            '\\' | '\'' | '"' => escape,
            'x' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                character(digits)?
            }
            'u' => {
                let (digits, after) = rest.strip_prefix('{')?.split_once('}')?;
                rest = after;
                character(&digits.replace('_', ""))?
            }
            '\n' => {
                rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
                continue;
            }
            _ => return None,
        });
    }
    Some(value + rest)
}

fn character(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use skel_core::rate::Rate;

    use super::*;

    fn value(written: &str) -> Value {
        Value::of(&written.parse().unwrap())
    }

    /// Fractions as they are counted with.
    fn counted(value: Value) -> Value {
        match value {
            Value::Fraction(digits) => Value::Fraction(Rate::parse(&digits).unwrap().to_string()),
            value => value,
        }
    }

    /// What syn makes of it.
    fn expected(written: &str) -> Value {
        match syn::parse_str(written).unwrap() {
            syn::Lit::Int(whole) => Value::Whole(whole.base10_digits().to_owned()),
            syn::Lit::Float(fraction) => Value::Fraction(fraction.base10_digits().to_owned()),
            syn::Lit::Str(text) => Value::Text(text.value()),
            _ => Value::Other,
        }
    }

    #[test]
    fn numbers_and_texts_are_read_as_syn_does() {
        let numbers = "0 7 1_000 3usize 0xFF 0xffu8 0x1_e3 0b1_01i64 0o17 1. 1.5 1e3 1E-3 1_0.2_5e+1_0 2.5f32 \
                       1e3f64 340282366920938463463374607431768211455u128";
        let texts = [
            r#""""#,
            r#""plain""#,
            r#""a\nb\r\t\0\\\'\"""#,
            r#""\x41\u{1F600}\u{0_0e9}""#,
            r##"r"raw \n""##,
            r###"r#"with "quotes""#"###,
            "\"one \\\n    line\"",
            "\"na\u{ef}ve \u{1F600}\\\\\"",
        ];
        let others = ["'a'", "b'a'", "b\"a\"", "c\"a\""];
        for written in numbers.split(' ').chain(texts).chain(others) {
            assert_eq!(counted(value(written)), counted(expected(written)), "{written}");
        }
    }

    #[test]
    fn a_float_is_no_whole_number() {
        assert_eq!(value("2f64"), Value::Fraction("2".to_owned()));
    }

    #[test]
    fn a_suffix_of_no_number_is_left_to_the_compiler() {
        for written in ["2r", "1.5px", "0b1f32"] {
            assert_eq!(value(written), Value::Other, "{written}");
        }
    }
}
