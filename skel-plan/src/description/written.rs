//! A description as it was said, before anything is checked: each value with its place.

use std::collections::BTreeMap;

use skel_core::diagnostic::{Code, Diagnostic, TextSpan};
use skel_core::rate::Rate;
use skel_core::skeleton::Tree;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Said<T> {
    pub(super) value: T,
    /// The place of the value.
    pub(super) at: TextSpan,
    /// The place of the key, or of the value where it has none.
    pub(super) key: TextSpan,
}

/// How the entries are called in the form that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `.des`
    Des,
    /// TOML
    Toml,
}

/// A mapping.
#[derive(Clone, Debug)]
pub(super) struct WrittenMapping {
    pub(super) input: Option<Said<u64>>,
    pub(super) tasks: Vec<Said<u64>>,
    pub(super) output: Option<Said<u64>>,
    /// The place of the list of tasks.
    pub(super) at: TextSpan,
}

/// Everything said. Processors, stages and tasks are by their numbers, from 1.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) form: Form,
    /// The type; nothing where the form needs none.
    pub(super) kind: Option<Said<String>>,
    pub(super) processors: Option<Said<u64>>,
    pub(super) names: BTreeMap<u64, String>,
    pub(super) powers: BTreeMap<u64, Said<Rate>>,
    pub(super) availabilities: BTreeMap<u64, Said<Rate>>,
    pub(super) links: BTreeMap<(u64, u64), Said<Rate>>,
    /// The links that have no entry, between two processors and within one.
    pub(super) other_links: Option<Said<Rate>>,
    pub(super) within: Option<Said<Rate>>,
    pub(super) stages: Option<Said<u64>>,
    pub(super) stage_names: BTreeMap<u64, String>,
    pub(super) works: BTreeMap<u64, Said<Rate>>,
    /// By the number of the receiving stage; one more for the output.
    pub(super) sizes: BTreeMap<u64, Said<Rate>>,
    /// The tree, unless what is wrong with it has been reported.
    pub(super) skeleton: Option<Said<Option<Tree>>>,
    /// The size of all items that move between two tasks of a skeleton, and that of single pairs.
    pub(super) common_size: Option<Said<Rate>>,
    pub(super) pair_sizes: BTreeMap<(u64, u64), Said<Rate>>,
    pub(super) mappings: Vec<WrittenMapping>,
    /// The place behind everything.
    pub(super) end: TextSpan,
    /// Whether some entries could not be read, so that nothing is said of missing ones.
    pub(super) is_partial: bool,
}

impl Written {
    /// Nothing said yet.
    pub(super) fn nothing(form: Form, text: &str) -> Written {
        let end = text.trim_end().len();
        Written {
            form,
            kind: None,
            processors: None,
            names: BTreeMap::new(),
            powers: BTreeMap::new(),
            availabilities: BTreeMap::new(),
            links: BTreeMap::new(),
            other_links: None,
            within: None,
            stages: None,
            stage_names: BTreeMap::new(),
            works: BTreeMap::new(),
            sizes: BTreeMap::new(),
            skeleton: None,
            common_size: None,
            pair_sizes: BTreeMap::new(),
            mappings: Vec::new(),
            end: TextSpan { start: end, end },
            is_partial: false,
        }
    }
}

/// That the skeleton of a description says itself how fast items move.
pub(super) fn communication(at: TextSpan, form: Form) -> Diagnostic<TextSpan> {
    let size = match form {
        Form::Des => "`ds = 100;`",
        Form::Toml => "`all = 100` in `[moves]`",
    };
    Diagnostic::new(Code::UnknownEntry, at, "the skeleton of a description has no communication rates")
        .help(format!("leave this out: items move as fast as links carry their size, {size}, say"))
}
