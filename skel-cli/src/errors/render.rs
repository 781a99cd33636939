//! From a problem to what a person reads: the message, the excerpt with carets, the advice.
//!
//! Excerpts hold only the lines concerned: the renderer walks through all of the source that it is given, and
//! a file may be large and its findings many. A line too long to show is named, not shown.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use skel::diagnostic::{Span, TextSpan};

use super::problem::{Place, Problem};
use crate::source::Source;

/// The most bytes of source in one excerpt.
const LONGEST_EXCERPT: usize = 1 << 14;

/// The problem as styled text, with line ends but without one at the end.
pub(crate) fn render(problem: &Problem, source: Option<&Source>) -> String {
    let level = if problem.is_error() { Level::ERROR } else { Level::WARNING };
    let mut lines = problem.message.lines();
    let title = level.primary_title(lines.next().unwrap_or_default()).id(problem.code);
    let mut group = Group::with_title(title);
    let source = problem.source.as_deref().or(source);
    if let Some((source, place)) = source.zip(problem.place.as_ref()) {
        group = group.elements(excerpts(source, place));
    }
    group = group.elements(lines.map(|line| Level::NOTE.message(line.trim())));
    group = group.elements(problem.help.as_deref().map(|help| Level::HELP.message(help)));
    Renderer::styled().render(&[group])
}

/// One excerpt for all places where that is short enough, else one for each.
fn excerpts<'s>(source: &'s Source, place: &'s Place) -> Vec<Element<'s>> {
    let mut marks = vec![(AnnotationKind::Primary, place.span, place.label.as_str())];
    marks.extend(place.related.iter().map(|(span, label)| (AnnotationKind::Context, *span, label.as_str())));
    let whole = marks.iter().fold(place.span, |whole, (_, span, _)| whole.join(*span));
    if source.lines_of(whole).len() <= LONGEST_EXCERPT {
        return vec![excerpt(source, &source.lines_of(whole), &marks).into()];
    }
    marks
        .iter()
        .map(|mark| match source.lines_of(mark.1) {
            lines if lines.len() <= LONGEST_EXCERPT => {
                excerpt(source, &lines, std::slice::from_ref(mark)).into()
            }
            _ => {
                let (line, column) = source.line_and_column(mark.1.start);
                Origin::path(source.name()).line(line).char_column(column).into()
            }
        })
        .collect()
}

fn excerpt<'s>(
    source: &'s Source,
    lines: &Range<usize>,
    marks: &[(AnnotationKind, TextSpan, &'s str)],
) -> Snippet<'s, Annotation<'s>> {
    let (first_line, _) = source.line_and_column(lines.start);
    let text = source.text().get(lines.clone()).unwrap_or_default();
    let annotations = marks.iter().map(|&(kind, span, label)| {
        // The renderer panics at a span that leaves its text or splits a character.
        let within = |offset: usize| source.floor(offset).clamp(lines.start, lines.end) - lines.start;
        let annotation = kind.span(within(span.start)..within(span.end).max(within(span.start)));
        if label.is_empty() { annotation } else { annotation.label(label) }
    });
    Snippet::source(text).path(source.name()).line_start(first_line).annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(problem: &Problem, source: &Source) -> String {
        anstream::adapter::strip_str(&render(problem, Some(source))).to_string()
    }

    #[test]
    fn an_excerpt_points_at_the_place() {
        let source = Source::new("m.pepa", "r = 1;\nP = (a, s).P;\nP".into());
        let problem = Problem::error("undefined_rate", "the rate `s` is not defined")
            .at(TextSpan { start: 15, end: 16 }, "not defined")
            .help("define it");
        let expected = "\
error[undefined_rate]: the rate `s` is not defined
 --> m.pepa:2:9
  |
2 | P = (a, s).P;
  |         ^ not defined
  |
  = help: define it";
        assert_eq!(plain(&problem, &source), expected);
    }

    #[test]
    fn any_span_can_be_shown() {
        let long = format!("P = {};\n", "é".repeat(LONGEST_EXCERPT));
        for text in ["", "\n", "é", "\u{feff}P = é;\r\nQ\r\n", long.as_str()] {
            let source = Source::new("m.pepa", text.into());
            for start in (0..text.len() + 3).take(20).chain([text.len().saturating_sub(2)]) {
                for length in [0, 1, 2, 5, 1 << 20] {
                    let span = TextSpan { start, end: start + length };
                    let mut problem = Problem::error("syntax", "one\n  two").at(span, "here");
                    if let Some(place) = &mut problem.place {
                        place.related.push((TextSpan { start: 0, end: 1 }, "there".into()));
                    }
                    assert!(plain(&problem, &source).starts_with("error[syntax]: one"));
                }
            }
        }
    }
}
