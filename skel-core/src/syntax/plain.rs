//! Definitions that are read without tokens.
//!
//! A long text consists of definitions such as `P1 = (up, 1).P2 + (down, 2.5).P0;`: a choice of activities
//! that lead to constants, with names of ASCII letters and rates that are a number or a name. They are
//! recognised in one pass over the bytes. Tokens and a syntax tree of each took three times as long as all
//! checks together. Anything else, also a comment inside of a definition, is left to the lexer and the
//! parser, which read what is read here in the same way.

use std::ops::Range;

/// The parts of a definition, as places in the text.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    pub(crate) name: Range<usize>,
    pub(crate) operands: Vec<PlainOperand>,
    /// The activities of all operands.
    pub(crate) activities: Vec<PlainActivity>,
}

/// One operand of the choice: its activities are those behind the ones of the operand before it.
#[derive(Debug)]
pub(crate) struct PlainOperand {
    pub(crate) activities: usize,
    pub(crate) constant: Range<usize>,
}

/// One activity.
#[derive(Debug)]
pub(crate) struct PlainActivity {
    pub(crate) action: Range<usize>,
    pub(crate) rate: Range<usize>,
    /// Whether the rate is a number; else it is a name.
    pub(crate) is_number: bool,
}

impl Plain {
    /// Reads the definition that begins here, and says where it ends behind its `;`. None if there is
    /// something else.
    pub(crate) fn read(&mut self, text: &str, at: usize) -> Option<usize> {
        self.operands.clear();
        self.activities.clear();
        let mut bytes = Bytes { text: text.as_bytes(), at };
        self.name = bytes.word()?;
        bytes.take(b'=')?;
        // A name alone may be that of a rate.
        bytes.is_next(b'(').then_some(())?;
        loop {
            let operand = self.operand(&mut bytes)?;
            self.operands.push(operand);
            match bytes.next()? {
                b'+' => {}
                b';' => return Some(bytes.at),
                _ => return None,
            }
        }
    }

    fn operand(&mut self, bytes: &mut Bytes<'_>) -> Option<PlainOperand> {
        let before = self.activities.len();
        while bytes.is_next(b'(') {
            bytes.take(b'(')?;
            let action = bytes.name()?;
            bytes.take(b',')?;
            let is_number = bytes.peek()?.is_ascii_digit();
            let rate = if is_number { bytes.number() } else { bytes.word() }?;
            bytes.take(b')')?;
            bytes.take(b'.')?;
            self.activities.push(PlainActivity { action, rate, is_number });
        }
        Some(PlainOperand { activities: self.activities.len() - before, constant: bytes.name()? })
    }
}

/// Where the next definition may begin: behind the blanks here.
pub(crate) fn behind_blanks(text: &str, at: usize) -> usize {
    let mut bytes = Bytes { text: text.as_bytes(), at };
    bytes.peek();
    bytes.at
}

/// A place in a text, of which only the blanks between words are passed over unseen.
struct Bytes<'t> {
    text: &'t [u8],
    at: usize,
}

/// Which bytes names consist of: letters, digits, `_` and `'`.
const IN_NAMES: [bool; 256] = {
    let mut in_names = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        in_names[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_' || byte as u8 == b'\'';
        byte += 1;
    }
    in_names
};

impl Bytes<'_> {
    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.get(self.at) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn is_next(&mut self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then_some(())
    }

    /// A name that is not `infty`: this one makes a rate of what begins with it.
    fn name(&mut self) -> Option<Range<usize>> {
        let word = self.word()?;
        (&self.text[word.clone()] != b"infty").then_some(word)
    }

    /// A name of letters, digits, `_` and `'`.
    fn word(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let start = self.at;
        let is_name = first.is_ascii_alphabetic() || first == b'_';
        self.skip(|byte| IN_NAMES[usize::from(byte)]);
        (is_name && self.ends_in_ascii()).then_some(start..self.at)
    }

    /// Digits, with a fraction or an exponent if there is one. What else a number may be, or be followed by,
    /// is left.
    fn number(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        self.digits()?;
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        let ends = matches!(self.text.get(self.at), Some(b')' | b' '));
        ends.then_some(start..self.at)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        (self.at > start).then_some(())
    }

    fn skip(&mut self, accept: impl Fn(u8) -> bool) {
        while self.text.get(self.at).is_some_and(|&byte| accept(byte)) {
            self.at += 1;
        }
    }

    /// Whether the next character is one of ASCII: any other may be a letter, or a blank.
    fn ends_in_ascii(&self) -> bool {
        self.text.get(self.at).is_none_or(u8::is_ascii)
    }
}

#[cfg(test)]
mod tests {
    use super::Plain;

    #[test]
    fn plain_definitions_are_recognised() {
        let plain = [
            "P = (a, 1).P;",
            "P1'=(a,r).(b,2.5e-3).Q+(c,1E2).R_;",
            "P = \n (a , infty) . P\t+ Q ;",
            "infty = (a, 1).P;",
            "P = (a, infty1).P;",
        ];
        for text in plain {
            let rest = format!("{text} Q");
            assert_eq!(Plain::default().read(&rest, 0), Some(text.len()), "{text}");
        }
        let others = [
            "P = Q;",
            "P = 1;",
            "P := (a, 1).P;",
            "P = (a, 2 * r).P;",
            "P = (a, 2r).P;",
            "P = (a, 1.).P;",
            "P = (a, .5).P;",
            "P = (a, 1_0).P;",
            "P = ((a, 1).P);",
            "P = (a, 1).P || P;",
            "P = (a, 1).P / {a};",
            "P = (a, 1).P[2];",
            "P = (a, 1).P",
            "P = (a, 1).\"P\";",
            "P = (a, 1). // a note\nP;",
            "P = (infty, 1).P;",
            "P = (a, 1).infty;",
            "Pé = (a, 1).P;",
            "P = (a, 1).Pé;",
            "P = (a, r\u{a0}).P;",
            "P = (a, 1e).P;",
            "P = (a, -1).P;",
            "1P = (a, 1).P;",
            "P = (a 1).P;",
            "",
        ];
        for text in others {
            assert_eq!(Plain::default().read(text, 0), None, "{text}");
        }
    }
}
