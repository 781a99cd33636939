//! Relative performance and shares from fitted models, with the crate `skel-distribute`.

use skel_core::model::BuildErrors;
use skel_distribute::{RelativePerformance, TimeModel};

use super::environment::Environment;
use crate::function::Function;
use crate::linear::LinearModel;
use crate::normal_form::Fitted;

impl TimeModel for Function {
    fn seconds(&self, n: f64) -> Result<f64, String> {
        Ok(self.at(n))
    }
}

impl TimeModel for LinearModel<1> {
    /// The value of the function, also outside of the sizes that were timed: [`LinearModel::predict`] has the
    /// warnings.
    fn seconds(&self, n: f64) -> Result<f64, String> {
        TimeModel::seconds(&self.function, n)
    }
}

impl TimeModel for Fitted {
    fn seconds(&self, n: f64) -> Result<f64, String> {
        TimeModel::seconds(&self.function, n)
    }
}

/// A number of items in whole shares, and how long they take.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SharedWork {
    /// The items of each machine, which sum to all items.
    pub shares: Vec<u64>,
    /// The seconds until the last machine ends.
    pub seconds: f64,
}

impl Environment<'_> {
    /// The relative performance of each machine at size `n`, in the order of the types: the paper's *dynamic*
    /// vector (VRP). That of one `n` for all sizes is its *static* one.
    ///
    /// # Errors
    /// As for [`predict`](Environment::predict).
    ///
    /// # Examples
    /// ```
    /// use skel_fit::{Function, MachineModel, MetaModel};
    /// let model = |text: &str| text.parse::<Function>().map(|function| MachineModel::of_one_machine(&function));
    /// let meta = MetaModel::new([("fast", model("1e-9 n^2")?), ("slow", model("1e-6 n + 2e-9 n^2")?)])?;
    /// let environment = meta.environment([("fast", 2), ("slow", 1)])?;
    /// assert_eq!(environment.performance(1000.0)?.shares(700), [300, 300, 100]);
    /// assert_eq!(environment.performance(9000.0)?.shares(700), [283, 283, 134]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn performance(&self, n: f64) -> Result<RelativePerformance, BuildErrors> {
        RelativePerformance::of_times(self.seconds_of_machines(n)?)
    }

    /// So many items in whole shares by the relative performance at size `n`, and how long that takes. A
    /// machine that gets `s` of `tau` items takes `s/tau p delta(n, p)`.
    ///
    /// # Errors
    /// As for [`predict`](Environment::predict).
    ///
    /// # Examples
    /// ```
    /// use skel_fit::{Function, MachineModel, MetaModel};
    /// let seconds = |text: &str| text.parse::<Function>().map(|function| MachineModel::of_one_machine(&function));
    /// let rows = MetaModel::new([("intel", seconds("n")?), ("bio", seconds("1.6 n")?), ("taurus", seconds("8 n")?)])?;
    /// let environment = rows.environment([("intel", 4), ("bio", 4), ("taurus", 6)])?;
    /// let work = environment.share(2500.0, 2500)?;
    /// assert_eq!(work.shares.iter().sum::<u64>(), 2500);
    /// assert!((work.seconds - 345.6).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn share(&self, n: f64, items: u64) -> Result<SharedWork, BuildErrors> {
        let shares = self.performance(n)?.shares(items);
        let seconds = self.seconds_of(n, &shares)?;
        Ok(SharedWork { shares, seconds })
    }

    /// How long a problem of size `n` takes if its items are given to the machines in these shares, in the
    /// order of the types. Without items it takes no time.
    ///
    /// # Errors
    /// As for [`predict`](Environment::predict).
    ///
    /// # Panics
    /// If there are not as many shares as machines.
    pub fn seconds_of(&self, n: f64, shares: &[u64]) -> Result<f64, BuildErrors> {
        assert_eq!(shares.len(), self.machines() as usize, "each machine has a share");
        let machines = self.seconds_of_machines(n)?;
        let items = shares.iter().map(|&share| share as f64).sum::<f64>().max(1.0);
        let p = f64::from(self.machines());
        let of_machines =
            machines.iter().zip(shares).map(|(seconds, &share)| share as f64 * seconds * p / items);
        Ok(of_machines.fold(0.0, f64::max))
    }

    fn seconds_of_machines(&self, n: f64) -> Result<Vec<f64>, BuildErrors> {
        let types = self.counted_seconds(n)?.into_iter();
        Ok(types.flat_map(|(count, seconds)| std::iter::repeat_n(seconds, count as usize)).collect())
    }
}
