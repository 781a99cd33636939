//! What a description contains.

use crate::platform::Platform;
use crate::program::{Application, Mapping};

/// A program, machines, and the mappings to compare.
///
/// It prints as a `.des` text that reads as the same description, except for the names of processors and of a
/// pipeline's stages, which the `.des` form does not have. Machines of a network keep their names, and the
/// network that of its file if it was read from one.
///
/// # Examples
/// ```
/// use skel_plan::{Description, Planner};
/// let description = Description::from_text(
///     "type = pipeline; nbproc = 2; cp1 = 10; cp2 = 5; nl1-1 = 10000; nl1-2 = 8; nl2-2 = 10000;
///      nbstage = 2; w1 = 2; w2 = 4; ds1 = 1; ds2 = 1; ds3 = 1;
///      mappings = [1, (1,1), 1], [1, (1,2), 2]; throughput;",
/// )?;
/// assert_eq!(Description::from_text(&description.to_string())?, description);
/// let planner = Planner::new(description.application().clone(), description.platform().clone());
/// let ranking = planner.rank(description.mappings())?;
/// assert_eq!(ranking.best().mapping.to_string(), "[1, (1,1), 1]");
/// # Ok::<(), skel_solve::Error>(())
/// ```
/// The rates in a skeleton are those on a processor of power 1.
/// ```
/// # use skel_plan::{Description, Planner};
/// let description = Description::from_text(
///     "type = skeleton; nbproc = 2; cp1 = 10; cp2 = 5; nl1-1 = 10000; nl1-2 = 800; nl2-1 = 800; nl2-2 = 10000;
///      skeleton = { pipe(3); task(\"read\", 1.0); farm(2, \"work\", 0.5); task(\"write\", 1.0); };
///      ds = 100; ds1-3 = 10; mappings = (1,1,1,1), (1,1,2,1);",
/// )?;
/// assert_eq!(Description::from_text(&description.to_string())?, description);
/// let planner = Planner::new(description.application().clone(), description.platform().clone());
/// let ranking = planner.rank(description.mappings())?;
/// assert_eq!(planner.application().mapping_text(&ranking.best().mapping), "(1,1,2,1)");
/// # Ok::<(), skel_solve::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    pub(super) platform: Platform,
    pub(super) application: Application,
    pub(super) mappings: Vec<Mapping>,
    /// The name of the file with the network.
    pub(super) network: Option<String>,
}

impl Description {
    /// Puts a description together.
    #[must_use]
    pub fn new(platform: Platform, application: Application, mappings: Vec<Mapping>) -> Description {
        Description { platform, application, mappings, network: None }
    }

    /// The machines.
    #[must_use]
    pub fn platform(&self) -> &Platform {
        &self.platform
    }

    /// The name of the file from which the links between processors come, if there is one.
    #[must_use]
    pub fn network(&self) -> Option<&str> {
        self.network.as_deref()
    }

    /// The program.
    #[must_use]
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// The mappings to compare, in the order of the text. There may be none.
    #[must_use]
    pub fn mappings(&self) -> &[Mapping] {
        &self.mappings
    }
}
