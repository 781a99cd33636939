//! A description as it was written, before anything is checked. Each value has its place in the text.

use std::collections::BTreeMap;
use std::path::Path;

use skel_core::diagnostic::TextSpan;
use skel_core::rate::Rate;
use skel_core::skeleton::Tree;
use skel_core::time::ServiceTime;
use skel_network::Network;

/// A value and its place in the text.
#[derive(Clone, Debug)]
pub(super) struct Located<T> {
    pub(super) value: T,
    /// The place of the value.
    pub(super) at: TextSpan,
    /// The place of the key, or that of the value if there is no key.
    pub(super) key: TextSpan,
}

/// The form that was read. Entries have other names in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `.des`
    Des,
    /// TOML
    Toml,
}

/// Where a text comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'t> {
    pub(super) text: &'t str,
    /// The folder of the files that the text names, if it is known.
    pub(super) folder: Option<&'t Path>,
}

/// A mapping.
#[derive(Clone, Debug)]
pub(super) struct WrittenMapping {
    pub(super) input: Option<Located<u64>>,
    pub(super) tasks: Vec<Located<u64>>,
    pub(super) output: Option<Located<u64>>,
    /// The place of the list of tasks.
    pub(super) at: TextSpan,
}

/// A network that is named.
#[derive(Clone, Debug)]
pub(super) struct WrittenNetwork {
    /// The name of its file.
    pub(super) file: String,
    /// There is none if the file has errors, which are reported then.
    pub(super) network: Option<Network>,
}

/// Everything that was written. Processors, stages and tasks have the numbers of the text, from 1.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) form: Form,
    /// The type, if it is written.
    pub(super) kind: Option<Located<String>>,
    pub(super) processors: Option<Located<u64>>,
    /// The names of the processors. With a network they are those of their machines.
    pub(super) names: BTreeMap<u64, Located<String>>,
    pub(super) network: Option<Located<WrittenNetwork>>,
    pub(super) powers: BTreeMap<u64, Located<Rate>>,
    pub(super) availabilities: BTreeMap<u64, Located<Rate>>,
    pub(super) links: BTreeMap<(u64, u64), Located<Rate>>,
    /// The bandwidths of all links that have no entry: between two processors, and within one.
    pub(super) other_links: Option<Located<Rate>>,
    pub(super) within: Option<Located<Rate>>,
    pub(super) stages: Option<Located<u64>>,
    pub(super) stage_names: BTreeMap<u64, String>,
    pub(super) works: BTreeMap<u64, Located<Rate>>,
    /// The times of the stages whose work is written as a distribution; the work is the mean.
    pub(super) times: BTreeMap<u64, ServiceTime>,
    /// By the number of the stage that receives the data. The output has the next number.
    pub(super) sizes: BTreeMap<u64, Located<Rate>>,
    /// The skeleton. It has no tree if it has errors, which are reported then.
    pub(super) skeleton: Option<Located<Option<Tree>>>,
    /// The size of all items that move between two tasks of a skeleton, and the sizes for single pairs of
    /// tasks.
    pub(super) common_size: Option<Located<Rate>>,
    pub(super) pair_sizes: BTreeMap<(u64, u64), Located<Rate>>,
    pub(super) mappings: Vec<WrittenMapping>,
    /// The place of the end of the text.
    pub(super) end: TextSpan,
    /// Whether some entries could not be read. Then missing entries are not reported.
    pub(super) is_partial: bool,
}

impl Written {
    /// A description in which nothing is written yet.
    pub(super) fn nothing(form: Form, text: &str) -> Written {
        let end = text.trim_end().len();
        Written {
            form,
            kind: None,
            processors: None,
            names: BTreeMap::new(),
            network: None,
            powers: BTreeMap::new(),
            availabilities: BTreeMap::new(),
            links: BTreeMap::new(),
            other_links: None,
            within: None,
            stages: None,
            stage_names: BTreeMap::new(),
            works: BTreeMap::new(),
            times: BTreeMap::new(),
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
