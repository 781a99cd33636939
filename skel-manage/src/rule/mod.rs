//! Rules: what a manager does, as data. A rule has a name, a priority, a condition over what was measured and
//! predicted, and what is done then.
//!
//! They are made in Rust by [`Rule::new`] or read from TOML:
//!
//! ```toml
//! [[rule]]
//! name = "long_queue"
//! priority = 110                                    # rules of a higher priority are asked first
//! when = "service_time > limit and queue > 50"      # see Condition for the language, and Measure for the words
//! then = "add 2"                                    # see Then for the actions
//! stage = "sharpen"                                 # the stage that it looks at; all of them if this is left out
//! overrides = ["grow"]                              # rules that it takes the place of, beside one of the same name
//! ```
//!
//! The rules are asked in the order of their priorities, each at the slowest stage first. The first that
//! fires and has something to do wins; one that has nothing to do, such as `grow` where no number of workers
//! helps, or a report that was made, leaves it to those behind it.

mod condition;
mod conflicts;
mod definition;
mod errors;
mod file;
mod logic;
mod measure;
mod predefined;
mod set;
mod then;
mod words;

pub use condition::Condition;
pub use definition::Rule;
pub use errors::RuleErrors;
pub use measure::{Facts, Measure};
pub use set::Rules;
pub use then::Then;
