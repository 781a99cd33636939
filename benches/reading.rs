//! Reading texts: lexing, parsing and checking a long text; bytes are those of the text.

use divan::Bencher;
use divan::counter::BytesCount;
use skel::diagnostic::TextSpan;
use skel::syntax::directive::Requests;
use skel::syntax::lex::lex;
use skel::syntax::parse::parse;
use skel_core::check::{Syntax, check};

use crate::models;

/// The numbers of stages of the pipelines that are read; none is explored.
const STAGES: [usize; 3] = [10, 100, 1000];

/// The numbers of local states of the birth-death chains that are read, each with a definition for every one.
const LOCAL_STATES: [usize; 3] = [1_000, 10_000, 100_000];

#[divan::bench(args = LOCAL_STATES, max_time = 3)]
fn read_birth_death(bencher: Bencher<'_, '_>, states: usize) {
    let text = models::birth_death(states);
    bencher.counter(BytesCount::of_str(&text)).bench(|| skel::text::parse(&text));
}

#[divan::bench(args = STAGES)]
fn lex_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let text = models::pipeline(stages);
    bencher.counter(BytesCount::of_str(&text)).bench(|| lex(&text));
}

#[divan::bench(args = STAGES)]
fn parse_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let text = models::pipeline(stages);
    let tokens = lex(&text).tokens;
    let end = TextSpan { start: text.len(), end: text.len() };
    bencher.counter(BytesCount::of_str(&text)).bench(|| parse(&tokens, end));
}

#[divan::bench(args = STAGES, max_time = 3)]
fn check_pipeline(bencher: Bencher<'_, '_>, stages: usize) {
    let text = models::pipeline(stages);
    let ast = skel::text::parse(&text).ast();
    bencher.counter(BytesCount::of_str(&text)).bench(|| check(&ast, &Requests::default(), Syntax::Correct));
}
