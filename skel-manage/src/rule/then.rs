//! What rules do, and the words for it.

use std::fmt;
use std::str::FromStr;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan, did_you_mean};

use super::errors::RuleErrors;

/// What a rule does.
///
/// # Examples
/// ```
/// use skel_manage::rule::Then;
///
/// assert_eq!("add 2".parse::<Then>()?, Then::Add(2));
/// assert_eq!(Then::parse("report \"the queue is long\"")?.to_string(), "report \"the queue is long\"");
/// assert_eq!(
///     Then::parse("ad 2").unwrap_err().to_string(),
///     "1:1: `ad` is no action; help: did you mean `add`?"
/// );
/// # Ok::<(), skel_manage::rule::RuleErrors>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Then {
    /// `grow`: the least numbers of workers, anywhere in the program, that keep the contract by the model.
    Grow,
    /// `shrink`: the same, where there are more than that.
    Shrink,
    /// `add N`: so many workers more at this stage, whatever the model says. From 1 to 2000.
    Add(u32),
    /// `remove N`: so many workers fewer at this stage. From 1 to 2000.
    Remove(u32),
    /// `migrate`: the slowest task moves to a faster processor that is free.
    Migrate,
    /// `repartition`: parts of items by the measured speeds of the workers of a map.
    Repartition,
    /// `nest N`: so many workers serve the part of the slowest worker of a map. From 2 to 2000.
    Nest(u32),
    /// `buffers N`: another capacity of all buffers. From 1 to 1048575.
    Buffers(u32),
    /// `batch N`: so many items travel together. From 1 to 1048575.
    Batch(u32),
    /// `violate`: the violation is reported, once, with its reason.
    Violate,
    /// `report "text"`: this is noted.
    Report(String),
}

/// The most workers: the most tasks that a skeleton may have.
const MOST_WORKERS: u32 = 2_000;

/// The most items in a buffer or in a parcel.
const MOST_ITEMS: u32 = (1 << 20) - 1;

/// The words of actions without a number, with their actions.
const PLAIN: [(&str, Then); 5] = [
    ("grow", Then::Grow),
    ("shrink", Then::Shrink),
    ("migrate", Then::Migrate),
    ("repartition", Then::Repartition),
    ("violate", Then::Violate),
];

/// An action with a number.
struct Numbered {
    word: &'static str,
    make: fn(u32) -> Then,
    least: u32,
    most: u32,
}

const NUMBERED: [Numbered; 5] = [
    Numbered { word: "add", make: Then::Add, least: 1, most: MOST_WORKERS },
    Numbered { word: "remove", make: Then::Remove, least: 1, most: MOST_WORKERS },
    Numbered { word: "nest", make: Then::Nest, least: 2, most: MOST_WORKERS },
    Numbered { word: "buffers", make: Then::Buffers, least: 1, most: MOST_ITEMS },
    Numbered { word: "batch", make: Then::Batch, least: 1, most: MOST_ITEMS },
];

impl Then {
    /// Reads an action, such as `grow` or `add 2`.
    ///
    /// # Errors
    /// A word that no action has, a number that is missing, too much or out of its bounds, a text that is not
    /// in quotation marks.
    pub fn parse(text: &str) -> Result<Self, RuleErrors> {
        read(text).map_err(|found| RuleErrors::new(vec![found], text))
    }

    /// Why no text says it, if none does: a number out of its bounds, or a text that cannot stand in
    /// quotation marks.
    pub(super) fn wrong(&self) -> Option<String> {
        if let Then::Report(said) = self {
            return (!can_be_reported(said)).then(|| NO_REPORT.to_owned());
        }
        let (word, number) = self.number()?;
        let numbered = NUMBERED.iter().find(|numbered| numbered.word == word)?;
        numbered.wrong(&number.to_string(), Some(number))
    }

    /// The word and the number of an action that has one.
    fn number(&self) -> Option<(&'static str, u32)> {
        Some(match *self {
            Then::Add(number) => ("add", number),
            Then::Remove(number) => ("remove", number),
            Then::Nest(number) => ("nest", number),
            Then::Buffers(number) => ("buffers", number),
            Then::Batch(number) => ("batch", number),
            _ => return None,
        })
    }

    /// Whether this has nothing to do at a place where another, which was asked before, found nothing to do.
    pub(super) fn is_spent_with(&self, earlier: &Then) -> bool {
        match (self, earlier) {
            // A smaller number may be within the bounds where a larger one is not.
            (Then::Add(later), Then::Add(earlier)) | (Then::Remove(later), Then::Remove(earlier)) => {
                later >= earlier
            }
            (Then::Report(_), _) => false,
            _ => self == earlier,
        }
    }

    /// Whether it is about the program, and not about the stage at which its rule fires.
    pub(super) fn is_of_program(&self) -> bool {
        matches!(self, Then::Grow | Then::Shrink | Then::Violate | Then::Buffers(_) | Then::Batch(_))
    }

    /// Why both cannot be done at once, if they cannot.
    pub(super) fn contradicts(&self, other: &Then) -> Option<&'static str> {
        let more = |then: &Then| matches!(then, Then::Grow | Then::Add(_));
        let fewer = |then: &Then| matches!(then, Then::Shrink | Then::Remove(_));
        match (self, other) {
            _ if more(self) && fewer(other) || fewer(self) && more(other) => {
                Some("one asks for more workers and the other for fewer")
            }
            (Then::Buffers(one), Then::Buffers(two)) if one != two => Some("they ask for different buffers"),
            (Then::Batch(one), Then::Batch(two)) if one != two => Some("they ask for different batches"),
            (Then::Nest(one), Then::Nest(two)) if one != two => {
                Some("they ask for different numbers of workers in the place of one")
            }
            _ => None,
        }
    }
}

/// The action of a text, or what is wrong with it.
pub(super) fn read(text: &str) -> Result<Then, Diagnostic<TextSpan>> {
    let words = words_of(text);
    let Some(&(first, at)) = words.first() else {
        let place = TextSpan { start: 0, end: text.len() };
        return Err(Diagnostic::new(Code::BadRule, place, "the action is empty").help(all_words()));
    };
    if first == "report" {
        return report(text, at.end);
    }
    if let Some((word, then)) = PLAIN.iter().find(|(word, _)| *word == first) {
        return nothing_behind(&words[1..], text, &format!("`{word}`")).map(|()| then.clone());
    }
    match NUMBERED.iter().find(|numbered| numbered.word == first) {
        Some(numbered) => {
            let then = numbered.read(words.get(1).copied(), at)?;
            nothing_behind(&words[2..], text, &format!("the number of `{first}`")).map(|()| then)
        }
        None => Err(unknown(first, at)),
    }
}

/// The words of a text with their places.
fn words_of(text: &str) -> Vec<(&str, TextSpan)> {
    let (mut words, mut at) = (Vec::new(), 0);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            words.push((word, TextSpan { start: at, end: at + word.len() }));
        }
        at += piece.len();
    }
    words
}

fn unknown(word: &str, at: TextSpan) -> Diagnostic<TextSpan> {
    let known = PLAIN.iter().map(|(word, _)| *word).chain(NUMBERED.iter().map(|numbered| numbered.word));
    let help = match did_you_mean(word, known.chain(["report"])) {
        Some(near) => format!("did you mean `{near}`?"),
        None => all_words(),
    };
    Diagnostic::new(Code::BadRule, at, format!("`{word}` is no action")).help(help)
}

fn all_words() -> String {
    let plain = PLAIN.iter().map(|(word, _)| format!("`{word}`"));
    let numbered = NUMBERED.iter().map(|numbered| format!("`{} {}`", numbered.word, numbered.least));
    let words: Vec<String> = plain.chain(numbered).collect();
    format!("the actions are {} and `report \"text\"`", words.join(", "))
}

fn nothing_behind(rest: &[(&str, TextSpan)], text: &str, what: &str) -> Result<(), Diagnostic<TextSpan>> {
    let Some((_, first)) = rest.first() else { return Ok(()) };
    let place = TextSpan { start: first.start, end: text.trim_end().len() };
    let message =
        format!("`{}` stands behind {what}, where nothing is expected", &text[place.start..place.end]);
    Err(Diagnostic::new(Code::BadRule, place, message)
        .help("a rule has one action; write a second rule for another"))
}

const NO_REPORT: &str =
    "`report` needs one text in quotation marks, which is not empty and has none of them inside";

fn can_be_reported(said: &str) -> bool {
    !said.trim().is_empty() && !said.contains('"')
}

/// The text behind `report`.
fn report(text: &str, from: usize) -> Result<Then, Diagnostic<TextSpan>> {
    let said = text[from..].trim();
    let inside = said.strip_prefix('"').and_then(|said| said.strip_suffix('"'));
    match inside {
        Some(inside) if can_be_reported(inside) => Ok(Then::Report(inside.to_owned())),
        _ => {
            let end = text.trim_end().len();
            let place = TextSpan { start: end - said.len(), end };
            Err(Diagnostic::new(Code::BadRule, place, NO_REPORT)
                .help("write `report \"the queue is long\"`, say"))
        }
    }
}

impl Numbered {
    fn read(&self, word: Option<(&str, TextSpan)>, behind: TextSpan) -> Result<Then, Diagnostic<TextSpan>> {
        let Numbered { word: action, least, .. } = self;
        let Some((digits, at)) = word else {
            let place = TextSpan { start: behind.end, end: behind.end };
            let message = format!("`{action}` has no number behind it");
            return Err(
                Diagnostic::new(Code::BadRule, place, message).help(format!("write `{action} {least}`, say"))
            );
        };
        let number = digits.parse().ok();
        match (self.wrong(digits, number), number) {
            (None, Some(number)) => Ok((self.make)(number)),
            (wrong, _) => Err(Diagnostic::new(Code::BadRule, at, wrong.unwrap_or_default())),
        }
    }

    fn wrong(&self, written: &str, number: Option<u32>) -> Option<String> {
        let Numbered { word, least, most, .. } = self;
        let is_within = number.is_some_and(|number| (*least..=*most).contains(&number));
        (!is_within)
            .then(|| format!("`{word} {written}`: the number has to be a whole one from {least} to {most}"))
    }
}

/// In the words that [`Then::parse`] reads.
impl fmt::Display for Then {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((word, number)) = self.number() {
            return write!(f, "{word} {number}");
        }
        match self {
            Then::Report(text) => write!(f, "report \"{text}\""),
            plain => {
                let word = PLAIN.iter().find(|(_, then)| then == plain).map(|(word, _)| *word);
                f.write_str(word.unwrap_or_default())
            }
        }
    }
}

impl FromStr for Then {
    type Err = RuleErrors;

    fn from_str(text: &str) -> Result<Self, RuleErrors> {
        Then::parse(text)
    }
}
