//! The manager: it looks at a running program, decides by rules and by the model, acts, and says why.
//!
//! ```text
//! Snapshot -> windows (begin anew at an action or a change of the load) -> facts (measures, predictions)
//!                -> the first rule that fires -> choice (one plan for the whole program) -> Decision, Event
//! ```
//!
//! | what it does | against |
//! |---|---|
//! | a window has 400 services of each task, or fewer if the service time is beyond the limit by 3.5 standard errors | noise |
//! | it begins when the items that were inside at an action have left, and where the mean time of a task changes by 5 standard errors | mixing two programs or two loads |
//! | it acts beyond the limit, and goes on until the contract is kept without its tolerance | acting at every small deviation; resting where the contract is nearly broken |
//! | the limit falls to the contract itself as a window gets longer, to 1600 services | resting a little above the contract for ever |
//! | it grows for times that are longer than measured by 3 standard errors, and for those of the last half of the window if they are longer | a second action a moment later |
//! | it shrinks if two windows say that the smaller program keeps the contract with 3 % to spare, and not by one worker of more than three | removing what is needed again |
//! | it takes nothing back before a window of rest is over, unless the contract is broken beyond doubt | flapping |
//! | it does not act if the cost exceeds what is gained in the time that is left | overhead |
//! | it compares each prediction with what comes, and corrects later ones | a model that is wrong |

mod choice;
mod decide;
mod facts;
mod places;
mod settings;
mod sums;
mod violation;
mod windows;

pub use decide::Manager;
pub use settings::Settings;
