//! Times in calls: `task("parse", erlang(4, 12.ms()))`.
//!
//! A time is a Rust expression and stays one: the functions of the prelude make it. Literals inside are read
//! all the same, so that what is wrong with them is found at compile time. Where a mean is needed, a number
//! alone is left to the compiler, which refuses it in our words.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Lit;

use skel_core::diagnostic::TextSpan;
use skel_core::number::Ratio;
use skel_core::rate::Rate;
use skel_core::skeleton::{DistributionWord, TimeArgument, WrittenTime};
use skel_core::time::TimeUnit;

use super::parse::{Argument, Reader, flat};

impl Argument {
    /// The distribution that the argument is a call of, and what stands in its brackets. Behind them there
    /// may be methods.
    pub(super) fn distribution(&self) -> Option<(DistributionWord, TokenStream, bool)> {
        let trees = flat(self.tokens.clone());
        let [TokenTree::Ident(word), TokenTree::Group(group), methods @ ..] = trees.as_slice() else {
            return None;
        };
        let word = DistributionWord::from_text(&word.to_string())?;
        let is_call = group.delimiter() == Delimiter::Parenthesis;
        is_call.then(|| (word, group.stream(), methods.is_empty()))
    }

    /// The time that the argument spells out: `mean(0.5)` or `12.ms()`.
    fn literal_time(&self) -> Option<Rate> {
        match flat(self.tokens.clone()).as_slice() {
            [TokenTree::Ident(word), TokenTree::Group(group)] if word == "mean" => {
                let inside = Argument { tokens: group.stream(), place: self.place };
                Rate::parse(&inside.number()?).ok()
            }
            [
                TokenTree::Literal(literal),
                TokenTree::Punct(dot),
                TokenTree::Ident(unit),
                TokenTree::Group(group),
            ] if dot.as_char() == '.' && group.stream().is_empty() => {
                let Lit::Int(whole) = Lit::new(literal.clone()) else { return None };
                let unit = TimeUnit::from_word(&unit.to_string())?.in_seconds();
                let count: u64 = whole.base10_parse().ok()?;
                Some(Rate::from(Ratio::from_integer(count.into()) * unit))
            }
            _ => None,
        }
    }
}

impl Reader<'_> {
    /// The time of a task, as far as it is spelled out.
    pub(super) fn time(&mut self, argument: &Argument) -> WrittenTime<TextSpan> {
        match argument.distribution() {
            Some((DistributionWord::Measured, ..) | (_, _, false)) => WrittenTime::FromRust(argument.place),
            Some((word, inside, true)) => {
                let arguments = self.split(inside);
                let arguments = arguments.iter().enumerate();
                let arguments =
                    arguments.map(|(number, one)| self.time_argument(one, takes_time(word, number)));
                WrittenTime::Distribution { word, arguments: arguments.collect(), span: argument.place }
            }
            None => WrittenTime::Rate(argument.rate()),
        }
    }

    fn time_argument(&mut self, argument: &Argument, is_time: bool) -> TimeArgument<TextSpan> {
        let place = argument.place;
        if let Some(time) = argument.literal_time() {
            return TimeArgument::Time(time, place);
        }
        if let [TokenTree::Group(list)] = flat(argument.tokens.clone()).as_slice()
            && list.delimiter() == Delimiter::Bracket
            && !is_repeated(list.stream())
        {
            let parts = self.split(list.stream());
            let parts = parts.iter().map(|part| self.time_argument(part, false)).collect();
            return TimeArgument::List(parts, place);
        }
        match argument.known_number() {
            Some(number) if !is_time => TimeArgument::Number(number, place),
            _ => TimeArgument::FromRust(place),
        }
    }
}

/// Whether this argument of the function is a mean time, for which a number alone does not compile.
fn takes_time(word: DistributionWord, number: usize) -> bool {
    match word {
        DistributionWord::Erlang => number == 1,
        DistributionWord::Fitted
        | DistributionWord::Deterministic
        | DistributionWord::Lognormal
        | DistributionWord::Weibull => number == 0,
        _ => false,
    }
}

/// Whether a list is written as `[value; count]`.
fn is_repeated(list: TokenStream) -> bool {
    list.into_iter().any(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ';'))
}
