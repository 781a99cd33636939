//! The lexer of files and that of the macros give the same tokens for the same model.

#[path = "../../tests/generated/mod.rs"]
mod generated;

use proc_macro2::{Span, TokenStream};
use proptest::prelude::*;

use skel_core::check::{Checked, Syntax, check};
use skel_core::diagnostic::TextSpan;
use skel_core::syntax::ast::Ast;
use skel_core::syntax::directive::Requests;
use skel_core::syntax::parse::parse;
use skel_core::syntax::print::print;
use skel_core::syntax::token::TokenKind;

use crate::lex::{Places, lex};
use generated::model_text;

fn through_rust(text: &str) -> (Ast<TextSpan>, Checked<TextSpan>) {
    let mut places = Places::default();
    let lexed = lex(text.parse().unwrap(), &mut places);
    let (ast, errors) = parse(&lexed.tokens, places.add(Span::call_site()));
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let checked = check(&ast, &Requests::default(), Syntax::Correct);
    (ast, checked)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn a_printed_model_is_the_same_through_both_lexers(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let text = print(&skel_core::text::parse(&model_text(&bytes)).ast());
        let from_text = skel_core::text::parse(&text);
        let (ast, checked) = through_rust(&text);
        prop_assert_eq!(&from_text.ast(), &ast);
        prop_assert!(checked.model.is_some(), "{:?}\n{}", checked.diagnostics, text);
        prop_assert_eq!(from_text.model, checked.model);
        prop_assert_eq!(from_text.diagnostics.len(), checked.diagnostics.len());
    }
}

/// Tokens in a short notation: numbers after a `#`, what no model has in backticks, `?` where the lexer
/// complained.
fn shown(kinds: impl IntoIterator<Item = TokenKind>) -> String {
    let shown = kinds.into_iter().map(|kind| match kind {
        TokenKind::Name(name) => name,
        TokenKind::Quoted(name) => format!("\"{name}\""),
        TokenKind::Reported => "?".to_owned(),
        TokenKind::Number(number) => format!("#{number}"),
        TokenKind::Symbol(symbol) => symbol.to_string(),
        TokenKind::Open(bracket, _) => bracket.opening().to_string(),
        TokenKind::Close(bracket) => bracket.closing().to_string(),
        TokenKind::Foreign(text) => format!("`{text}`"),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn of_text(text: &str) -> String {
    shown(skel_core::syntax::lex::lex(text).tokens.into_iter().map(|token| token.kind))
}

fn of_rust(text: &str) -> String {
    let stream: TokenStream = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    shown(lex(stream, &mut Places::default()).tokens.into_iter().map(|token| token.kind))
}

#[test]
fn tokens_that_rust_reads_in_its_own_way_arrive_the_same() {
    for (text, expected) in [
        // Keywords, and what Rust reserves.
        (
            "fn loop type Self self super crate _ gen async union",
            "fn loop type Self self super crate _ gen async union",
        ),
        ("infty tau T", "infty tau T"),
        ("\u{3b1} na\u{ef}ve", "\u{3b1} na\u{ef}ve"),
        // Numbers: a fraction may be empty, a dot before a name is a prefix.
        ("1 1.5 1e-3 1E+3 1.5e3 1_000", "#1 #1.5 #1e-3 #1E+3 #1.5e3 #1_000"),
        ("(a, 1.)", "( a , #1. )"),
        ("1. ;", "#1. ;"),
        ("2.P", "#2 . P"),
        ("2.5.P", "#2.5 . P"),
        ("1.e5", "#1 . e5"),
        ("1-2 1-e3", "#1 - #2 #1 - e3"),
        // Suffixes and other bases are one token, which the parser refuses.
        ("2r 0x10 1f64", "#2r #0x10 #1f64"),
        // Operators that Rust joins, or splits in other places.
        ("P <> Q", "P < > Q"),
        ("P<*>Q", "P < * > Q"),
        ("P || Q ||| R", "P | | Q | | | R"),
        ("** || **", "* * | | * *"),
        ("r := 2;", "r : = #2 ;"),
        ("r*-2 <-s <=t >>u ..v ->w =>x ::y", "r * - #2 < - s < = t > > u . . v - > w = > x : : y"),
        ("P/{a}/<b>", "P / { a } / < b >"),
        ("P[2,{a}]", "P [ #2 , { a } ]"),
        ("(a,r).(b,s).P", "( a , r ) . ( b , s ) . P"),
        // Comments, those of Rust's documentation too.
        ("a // b\nc /* d */ e", "a c e"),
        ("/// a\nP = /** b */ Q; //! c\n/*! d */ R", "P = Q ; R"),
    ] {
        assert_eq!(of_text(text), expected, "the text {text}");
        assert_eq!(of_rust(text), expected, "the tokens of {text}");
    }
}

#[test]
fn where_the_lexers_differ_is_known() {
    for (text, through_text, through_rust) in [
        // A raw identifier is Rust's way to write a keyword; texts need none.
        ("r#loop", "r `#` loop", "loop"),
        // Rust wants a digit before the dot.
        (".5", "#.5", ". #5"),
        // A second fraction is part of the number, for the parser to refuse; Rust takes it off.
        ("1.2.3", "#1.2.3", "#1.2 . #3"),
        // Comments nest in Rust.
        ("/* /* */ P", "P", ""),
        // A quoted name is a name in texts only.
        ("\"get data\"", "\"get data\"", "`\"get data\"`"),
        ("\u{22c8}", "< * >", ""),
    ] {
        assert_eq!(of_text(text), through_text, "the text {text}");
        let rust = text.parse::<TokenStream>().map(|_| of_rust(text)).unwrap_or_default();
        assert_eq!(rust, through_rust, "the tokens of {text}");
    }
}
