//! Descriptions: a scenario and the schedules to compare, as a text in TOML.
//!
//! ```toml
//! items = 2500                     # how many there are
//! overhead = 0.5                   # seconds that the master needs for each chunk; 0 unless given
//! schedules = ["VRP", "SS", "CSS(20)", "VRP-SS(2..40)"]      # those that are usual unless given
//!
//! [[machine]]
//! name = "intel"                   # these are intel-1 to intel-4; machine-1, .. unless given
//! count = 4                        # equal machines; 1 unless given
//! seconds = 1                      # for an item
//!
//! [[machine]]
//! name = "taurus"
//! seconds = "8/3"                  # a fraction stands in quotation marks
//! weight = 1                       # relative performance, for all machines or for none; that of the seconds unless given
//!
//! [[change]]
//! machine = "intel-1"              # or its number from 1, or `intel` for all of them
//! at = 100                         # seconds
//! factor = 4                       # how many times its original seconds an item takes from then on
//!
//! [[loss]]
//! machine = "taurus"
//! at = 200
//! ```
//!
//! Decimals are read exactly. All findings are reported at once, with their places.

mod changes;
mod contents;
mod entries;
mod machines;
mod parsed;
mod schedules;

pub use contents::Description;
pub use parsed::{Parsed, parse};
