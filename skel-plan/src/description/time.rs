//! What a description takes over from `.skel` texts: the times of stages, and a skeleton without what a
//! mapping decides.

use skel_core::diagnostic::{Code, Diagnostic, Span, TextSpan, did_you_mean};
use skel_core::skeleton::DistributionWord;
use skel_core::skeleton::text::{Parsed, parse_time_part};
use skel_core::syntax::token::{Token, TokenKind};
use skel_core::time::ServiceTime;

use super::written::{Form, Origin};
use crate::program::unmapped_teams;

/// Whether a distribution stands here: a word with a bracket behind it.
pub(super) fn is_distribution(tokens: &[Token<TextSpan>]) -> bool {
    let is_word = matches!(tokens.first(), Some(Token { kind: TokenKind::Name(_), .. }));
    is_word && tokens.get(1).is_some_and(|token| matches!(token.kind, TokenKind::Open(..)))
}

/// The time of a stage, whose number counts from 1, or what is wrong with it. `end` is the place behind the
/// tokens.
pub(super) fn stage_time(
    tokens: &[Token<TextSpan>],
    end: TextSpan,
    number: u64,
    origin: &Origin<'_>,
) -> Result<ServiceTime, Vec<Diagnostic<TextSpan>>> {
    if let Some(finding) = unknown_word(tokens) {
        return Err(vec![finding]);
    }
    let subject = format!("of stage {number}");
    let (time, found) = parse_time_part(tokens, end, &subject, origin.folder);
    let Some(time) = time else { return Err(found.into_iter().map(with_help).collect()) };
    match time.phase_type() {
        Ok(_) => Ok(time),
        Err(general) => {
            let last = tokens.last().map_or(end, |token| token.span);
            let place = tokens.first().map_or(end, |token| token.span.join(last));
            Err(vec![general.finding_of_one(place, &subject)])
        }
    }
}

/// A word that is no distribution. Beside the distributions the work of a stage may be a number.
fn unknown_word(tokens: &[Token<TextSpan>]) -> Option<Diagnostic<TextSpan>> {
    let Some(Token { kind: TokenKind::Name(word), span }) = tokens.first() else { return None };
    if DistributionWord::from_text(word).is_some() {
        return None;
    }
    let words = || DistributionWord::ALL.iter().map(|word| word.text());
    let help = match did_you_mean(word, words()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("a work is a number, or one of: {}", words().collect::<Vec<_>>().join(", ")),
    };
    Some(Diagnostic::new(Code::Syntax, *span, format!("`{word}` is not a distribution")).help(help))
}

/// Says how a distribution is written where nothing better is said.
fn with_help(finding: Diagnostic<TextSpan>) -> Diagnostic<TextSpan> {
    if finding.help.is_some() { finding } else { finding.help("write it as in `erlang(4, 2)`") }
}

/// What a skeleton says that a description cannot take over.
pub(super) fn refused(parsed: &Parsed, form: Form) -> Vec<Diagnostic<TextSpan>> {
    let rates = parsed.places_of_communication().map(|place| communication(place, form));
    let buffers = parsed.places_of_buffers().iter().map(|&place| {
        Diagnostic::new(Code::UnknownEntry, place, "the skeleton of a description has no buffers yet")
            .help("leave this out: under a mapping each item moves directly from one task to the next")
    });
    let one_port = parsed.place_of_one_port().map(|place| {
        Diagnostic::new(Code::UnknownEntry, place, "`one_port` is not for the skeleton of a description yet")
            .help("leave this out: under a mapping each link moves items at its own rate, several at the same time")
    });
    let teams = parsed.tree.iter().flat_map(unmapped_teams).map(|finding| parsed.placed(finding));
    rates.chain(buffers).chain(one_port).chain(teams).chain(times_without_phases(parsed)).collect()
}

/// The times of a skeleton that are not made of phases.
fn times_without_phases(parsed: &Parsed) -> Vec<Diagnostic<TextSpan>> {
    let Some(tree) = &parsed.tree else { return Vec::new() };
    let general = tree.ids().filter_map(|id| {
        let general = tree.time(id)?.phase_type().err()?;
        Some(parsed.placed(general.finding_of_one(id, &format!("of the task `{}`", tree.name(id)))))
    });
    general.collect()
}

/// The finding that the skeleton of a description has communication rates.
fn communication(at: TextSpan, form: Form) -> Diagnostic<TextSpan> {
    let size = match form {
        Form::Des => "`ds = 100;`",
        Form::Toml => "`all = 100` in `[moves]`",
    };
    Diagnostic::new(Code::UnknownEntry, at, "the skeleton of a description has no communication rates")
        .help(format!("leave this out: items move as fast as links carry their size, {size}, say"))
}
