//! TOML files, read value by value, with a finding at its place for each value that is not what it should be.
//!
//! A crate that reads a file of its own kind asks for the values that the file should have, and [`Findings`]
//! collects what is wrong with them. Reading goes on after a finding, so that all are reported together.
//!
//! ```
//! use skel_toml::Findings;
//!
//! let text = "machines = 3\nnmae = 'node'";
//! let mut found = Findings::default();
//! let file = found.file(text);
//! found.known_keys(&file, &["name", "machines"], "the file");
//! let machines = file.get("machines").and_then(|value| found.list(value, "`machines`", "write their names in brackets"));
//! assert!(machines.is_none());
//! let messages: Vec<String> = found.in_order().into_iter().map(|finding| finding.to_string()).collect();
//! assert_eq!(messages, [
//!     "`machines` is a whole number; help: write their names in brackets",
//!     "the file has no key `nmae`; help: did you mean `name`?",
//! ]);
//! ```

mod findings;
mod number;
mod string;
mod value;

pub use findings::{Findings, shortened};
pub use number::number;
pub use string::{inside, quoted, quoted_lines};
pub use toml::de::{DeTable, DeValue};
pub use value::{Located, Value, kind, place, whole_number};
