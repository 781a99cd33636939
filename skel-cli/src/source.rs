//! A text whose places are known by line and column.

use std::ops::Range;
use std::sync::OnceLock;

use skel::diagnostic::TextSpan;

/// The text of a model, under the name by which messages speak of it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    name: String,
    text: String,
    /// Made once there is something to say about the text.
    places: OnceLock<Places>,
}

/// Where lines and characters are in a text.
#[derive(Clone, Debug)]
struct Places {
    /// The offset of the first character of each line; a byte order mark belongs to no line.
    line_starts: Vec<usize>,
    /// How many characters begin before each block of [`BLOCK`] bytes: a line of megabytes with thousands of
    /// findings is not counted anew for each.
    characters: Vec<usize>,
}

/// The bytes between two counts of characters.
const BLOCK: usize = 1024;

impl Places {
    fn of(text: &str) -> Places {
        let mark = '\u{feff}';
        let first = if text.starts_with(mark) { mark.len_utf8() } else { 0 };
        let newlines = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let line_starts = std::iter::once(first).chain(newlines.map(|(at, _)| at + 1)).collect();
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |before, block| {
            let here = *before;
            *before += characters_in(block);
            Some(here)
        });
        Places { line_starts, characters: blocks.collect() }
    }
}

impl Source {
    /// A text and its name.
    pub(crate) fn new(name: impl Into<String>, text: String) -> Source {
        Source { name: name.into(), text, places: OnceLock::new() }
    }

    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::of(&self.text))
    }

    /// The name by which messages speak of it.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of an offset, both from 1, the column in characters.
    pub(crate) fn line_and_column(&self, offset: usize) -> (usize, usize) {
        let end = self.floor(offset);
        let line = self.line_at(end);
        let start = self.places().line_starts[line].min(end);
        (line + 1, self.characters_before(end) - self.characters_before(start) + 1)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.places().characters.len().saturating_sub(1));
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.places().characters.get(block).copied().unwrap_or_default() + characters_in(rest)
    }

    /// The whole lines that a span touches, as a range of bytes without the last line's end.
    pub(crate) fn lines_of(&self, span: TextSpan) -> Range<usize> {
        let first = self.line_at(span.start);
        let last = self.line_at(span.end.max(span.start + 1) - 1).max(first);
        let end = self.places().line_starts.get(last + 1).map_or(self.text.len(), |next| next - 1);
        self.places().line_starts[first]..end.max(self.places().line_starts[first])
    }

    /// The span of a line, from 1, without blanks at its ends. Beyond the last line it is empty.
    pub(crate) fn span_of_line(&self, line: usize) -> TextSpan {
        let start = self.places().line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        let text = self.text[start..].lines().next().unwrap_or_default();
        let start = start + (text.len() - text.trim_start().len());
        TextSpan { start, end: start + text.trim().len() }
    }

    /// The start of the character that an offset is in.
    pub(crate) fn floor(&self, offset: usize) -> usize {
        let mut start = offset.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        start
    }

    /// The index of the line that an offset is on.
    fn line_at(&self, offset: usize) -> usize {
        self.places().line_starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// The characters that begin in some bytes of UTF-8.
fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lines_and_columns_in_characters() {
        let source = Source::new("m", "\u{feff}é = 1;\nP\n".into());
        assert_eq!(source.line_and_column(3), (1, 1));
        assert_eq!(source.line_and_column(6), (1, 3));
        assert_eq!(source.line_and_column(11), (2, 1));
        assert_eq!(source.line_and_column(999), (3, 1));
    }

    #[test]
    fn long_lines_are_counted_in_blocks() {
        let text = "üx".repeat(2 * BLOCK) + "\n" + &"y".repeat(BLOCK);
        let source = Source::new("m", text.clone());
        for offset in (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)) {
            assert_eq!(source.line_and_column(offset), skel::diagnostic::line_and_column(&text, offset));
        }
    }

    #[test]
    fn lines_are_whole() {
        let source = Source::new("m", "one\ntwo\nthree".into());
        assert_eq!(source.lines_of(TextSpan { start: 5, end: 6 }), 4..7);
        assert_eq!(source.lines_of(TextSpan { start: 2, end: 9 }), 0..13);
        assert_eq!(source.lines_of(TextSpan { start: 13, end: 13 }), 8..13);
        assert_eq!(source.lines_of(TextSpan { start: 3, end: 3 }), 0..3);
        assert_eq!(source.span_of_line(2), TextSpan { start: 4, end: 7 });
        assert_eq!(source.span_of_line(9), TextSpan { start: 13, end: 13 });
        assert_eq!(Source::new("m", String::new()).lines_of(TextSpan { start: 0, end: 0 }), 0..0);
    }
}
