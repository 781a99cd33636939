//! Functions from texts.

use std::fmt;
use std::str::FromStr;

use super::Function;
use crate::power::Power;

/// Why a text is not a function.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionError {
    /// The place in the text: characters before it, from 0.
    pub at: usize,
    /// What is wrong there.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at character {}: {}; help: {}", self.at + 1, self.message, self.help)
    }
}

impl std::error::Error for FunctionError {}

impl FromStr for Function {
    type Err = FunctionError;

    /// Reads a sum of terms such as `1.5 + 2e-3 n log2(n) - 4*n^(3/2)`. The variable has any name.
    ///
    /// # Errors
    /// The first thing that is not understood, with its place and what to write instead.
    fn from_str(text: &str) -> Result<Function, FunctionError> {
        let mut names = [None];
        let terms = terms(text, &mut names)?;
        finite(Function::of([names[0].as_deref().unwrap_or("x")], terms))
    }
}

/// The function, unless the coefficients of equal products add up to more than a float can be.
pub(super) fn finite<const VARIABLES: usize>(
    function: Function<VARIABLES>,
) -> Result<Function<VARIABLES>, FunctionError> {
    if function.terms().all(|(_, coefficient)| coefficient.is_finite()) {
        return Ok(function);
    }
    let message = "the coefficients of equal terms add up to a number that is not finite".into();
    Err(FunctionError { at: 0, message, help: "write smaller coefficients".into() })
}

/// Products of powers of some variables, with a coefficient.
type Term<const VARIABLES: usize> = ([Power; VARIABLES], f64);

/// The terms of a text. A name that is not known yet is the first that is read.
pub(super) fn terms<const VARIABLES: usize>(
    text: &str,
    names: &mut [Option<String>; VARIABLES],
) -> Result<Vec<Term<VARIABLES>>, FunctionError> {
    Reader { characters: text.chars().collect(), at: 0, names }.terms()
}

fn multiplied<const VARIABLES: usize>(
    one: [Power; VARIABLES],
    other: [Power; VARIABLES],
) -> [Power; VARIABLES] {
    std::array::from_fn(|at| one[at].times(other[at]))
}

/// One divided by a factor that begins at a place.
fn inverted<const VARIABLES: usize>(
    factor: [Power; VARIABLES],
    begin: usize,
) -> Result<[Power; VARIABLES], FunctionError> {
    if factor.iter().any(|power| power.inverse().is_none()) {
        return Err(FunctionError {
            at: begin,
            message: "nothing can be divided by a logarithm".into(),
            help: "divide by powers alone, such as `n / p` or `log2(n) / n`".into(),
        });
    }
    Ok(factor.map(|power| power.inverse().unwrap_or(power)))
}

/// The largest numerator and denominator of an exponent.
const MOST_OF_AN_EXPONENT: i32 = 1000;

struct Reader<'n, const VARIABLES: usize> {
    characters: Vec<char>,
    at: usize,
    names: &'n mut [Option<String>; VARIABLES],
}

impl<const VARIABLES: usize> Reader<'_, VARIABLES> {
    fn terms(mut self) -> Result<Vec<Term<VARIABLES>>, FunctionError> {
        let mut terms = Vec::new();
        let mut sign = if self.take('-') { -1.0 } else { 1.0 };
        loop {
            let (power, coefficient) = self.term()?;
            terms.push((power, sign * coefficient));
            sign = match self.peek() {
                None => break,
                Some('+') => 1.0,
                Some('-') => -1.0,
                Some(other) => {
                    return Err(self.error(
                        format!("`{other}` is not understood here"),
                        "write `+` or `-` between two terms",
                    ));
                }
            };
            self.at += 1;
        }
        Ok(terms)
    }

    /// A coefficient, powers of the variable and of its logarithm, with or without `*` between them, or with
    /// `/` before one of them.
    fn term(&mut self) -> Result<Term<VARIABLES>, FunctionError> {
        let number = self.number()?;
        let mut powers = [Power::ONE; VARIABLES];
        let mut has_factors = number.is_some();
        loop {
            let divides = has_factors && self.take('/');
            let must_follow = divides || (has_factors && self.take('*'));
            match self.peek() {
                Some(letter) if letter.is_alphabetic() || letter == '_' => {
                    let mut factor = [Power::ONE; VARIABLES];
                    let begin = self.at;
                    self.factor(&mut factor)?;
                    powers = multiplied(powers, if divides { inverted(factor, begin)? } else { factor });
                }
                _ if must_follow || !has_factors => {
                    return Err(self.error(
                        "a term is missing".into(),
                        "write a number or a variable, such as `2.5 n^2`",
                    ));
                }
                _ => return Ok((powers, number.unwrap_or(1.0))),
            }
            has_factors = true;
            self.check_exponents(&powers)?;
        }
    }

    /// Factors of one variable may have exponents that are fractions of large numbers only together.
    fn check_exponents(&self, powers: &[Power; VARIABLES]) -> Result<(), FunctionError> {
        if powers.iter().all(|power| power.is_within(MOST_OF_AN_EXPONENT as u32)) {
            return Ok(());
        }
        Err(self.error(
            format!(
                "the exponents before this place make a fraction of numbers beyond {MOST_OF_AN_EXPONENT}"
            ),
            "write smaller exponents",
        ))
    }

    /// Multiplies the power of its variable by `x`, `x^2`, `x^(3/2)`, `log2(x)` or `log2(x)^2`.
    fn factor(&mut self, powers: &mut [Power; VARIABLES]) -> Result<(), FunctionError> {
        let begin = self.at;
        let name = self.name();
        if name != "log2" {
            let variable = self.variable(name, begin)?;
            let (numerator, denominator) = self.exponent()?;
            powers[variable] = powers[variable].times(Power::new(numerator, denominator));
            return Ok(());
        }
        self.expect('(')?;
        let begin = self.at_next();
        let of = self.name();
        let variable = self.variable(of, begin)?;
        self.expect(')')?;
        match self.exponent()? {
            (exponent @ 0.., 1) => powers[variable] = powers[variable].times_logarithm(exponent as u32),
            _ => {
                return Err(self.error(
                    "the exponent of a logarithm is not a whole number".into(),
                    "write a whole number from 0, such as `log2(n)^2`",
                ));
            }
        }
        Ok(())
    }

    /// Which variable has a name.
    fn variable(&mut self, name: String, begin: usize) -> Result<usize, FunctionError> {
        if !name.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            let message = "the name of the variable is missing".into();
            return Err(FunctionError { at: begin, message, help: "write it, as in `log2(n)`".into() });
        }
        let known = self.names.iter().position(|known| known.as_ref() == Some(&name));
        if let Some(at) = known.or_else(|| self.names.iter().position(Option::is_none)) {
            self.names[at] = Some(name);
            return Ok(at);
        }
        let names: Vec<String> = self.names.iter().flatten().map(|name| format!("`{name}`")).collect();
        Err(FunctionError {
            at: begin,
            message: format!("`{name}` is no variable of this function"),
            help: format!("write {}, or `log2` of it", names.join(" or ")),
        })
    }

    /// `^2`, `^-1` or `^(3/2)`, if there is one. Otherwise the exponent is 1.
    fn exponent(&mut self) -> Result<(i32, i32), FunctionError> {
        if !self.take('^') {
            return Ok((1, 1));
        }
        if !self.take('(') {
            return Ok((self.whole()?, 1));
        }
        let numerator = self.whole()?;
        let denominator = if self.take('/') { self.whole()? } else { 1 };
        self.expect(')')?;
        if denominator <= 0 {
            return Err(self.error(
                "the denominator of an exponent is not positive".into(),
                "write a fraction such as `(3/2)`",
            ));
        }
        Ok((numerator, denominator))
    }

    fn whole(&mut self) -> Result<i32, FunctionError> {
        let begin = self.at_next();
        let is_negative = self.take('-');
        self.at_next();
        let digits = self.while_true(|character| character.is_ascii_digit());
        match digits.parse::<i32>() {
            Ok(value) if value <= MOST_OF_AN_EXPONENT => Ok(if is_negative { -value } else { value }),
            _ => Err(FunctionError {
                at: begin,
                message: "an exponent is not a whole number".into(),
                help: format!(
                    "write one from -{MOST_OF_AN_EXPONENT} to {MOST_OF_AN_EXPONENT}, or a fraction such as `(3/2)`"
                ),
            }),
        }
    }

    /// A number, if one begins here.
    fn number(&mut self) -> Result<Option<f64>, FunctionError> {
        let begin = self.at_next();
        let mut digits = self.while_true(|character| character.is_ascii_digit() || character == '.');
        if digits.is_empty() {
            return Ok(None);
        }
        digits += &self.exponent_of_ten();
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(FunctionError {
                at: begin,
                message: format!("`{digits}` is not a finite number"),
                help: "write a number such as 2.5 or 1.2e-3".into(),
            }),
        }
    }

    /// `e-3`, if it stands here. An `e` without a number after it is the name of a variable.
    fn exponent_of_ten(&mut self) -> String {
        let begin = self.at;
        let mut text = self.while_true(|character| matches!(character, 'e' | 'E'));
        if text.len() == 1 {
            text += &self.while_true(|character| matches!(character, '+' | '-'));
            let digits = self.while_true(|character| character.is_ascii_digit());
            if !digits.is_empty() {
                return text + &digits;
            }
        }
        self.at = begin;
        String::new()
    }

    fn name(&mut self) -> String {
        self.at_next();
        self.while_true(|character| character.is_alphanumeric() || character == '_')
    }

    fn while_true(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let text: String =
            self.characters[self.at..].iter().copied().take_while(|&character| belongs(character)).collect();
        self.at += text.chars().count();
        text
    }

    /// The place of the next character that is not a space.
    fn at_next(&mut self) -> usize {
        while self.characters.get(self.at).is_some_and(|character| character.is_whitespace()) {
            self.at += 1;
        }
        self.at
    }

    fn peek(&mut self) -> Option<char> {
        let at = self.at_next();
        self.characters.get(at).copied()
    }

    fn take(&mut self, character: char) -> bool {
        let is_there = self.peek() == Some(character);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, character: char) -> Result<(), FunctionError> {
        match self.take(character) {
            true => Ok(()),
            false => Err(self.error(
                format!("`{character}` is missing"),
                "write logarithms as `log2(n)` and fractions as `n^(3/2)`",
            )),
        }
    }

    fn error(&self, message: String, help: &str) -> FunctionError {
        FunctionError { at: self.at, message, help: help.into() }
    }
}
