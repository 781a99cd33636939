//! Computes throughputs from the terms of a descriptor.

use crate::error::Error;
use crate::operator::kronecker::descriptor::{Descriptor, Enabled, LowRates};
use crate::space::Bitset;

/// Per action its throughput, given the probability of each state: block by block, where what every block enables waits
/// until all are added up. Calls `pause` before each, which may stop it.
pub(crate) fn throughputs(
    (bitset, descriptor): (&Bitset, &Descriptor),
    probabilities: &[f64],
    actions: usize,
    mut pause: impl FnMut() -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    let mut throughputs = vec![0.0; actions];
    let mut of_all = vec![0.0; descriptor.low];
    let (mut own, mut digits) = (vec![0.0; descriptor.low], Vec::new());
    let mut add = |enabled: &Enabled, values: &[f64]| {
        throughputs[enabled.action.index()] += match &enabled.low {
            LowRates::Same(rate) => rate * values.iter().sum::<f64>(),
            LowRates::At(places) => places.iter().map(|&(place, rate)| rate * values[place as usize]).sum(),
        }
    };
    let mut rest = probabilities;
    for block in 0..descriptor.blocks {
        pause()?;
        let places = bitset.places((block * descriptor.low) as u64, descriptor.low);
        if bitset.is_full() {
            own.copy_from_slice(&rest[..descriptor.low]);
            rest = &rest[descriptor.low..];
        } else {
            own.fill(0.0);
            let count = places.zip(rest).map(|(place, &value)| own[place] = value).count();
            rest = &rest[count..];
        }
        of_all.iter_mut().zip(&own).for_each(|(sum, value)| *sum += value);
        descriptor.enabled_in(block, &mut digits, |enabled| add(enabled, &own));
    }
    descriptor
        .enabled
        .iter()
        .filter(|enabled| enabled.is_everywhere())
        .for_each(|enabled| add(enabled, &of_all));
    Ok(throughputs)
}

/// The rate at which each state does an action. Calls `pause` before each block, which may stop it.
#[cfg(feature = "over-time")]
pub(crate) fn rates_of(
    bitset: &Bitset,
    descriptor: &Descriptor,
    action: skel_core::model::ActionId,
    mut pause: impl FnMut() -> Result<(), Error>,
) -> Result<Vec<f64>, Error> {
    let add = |enabled: &Enabled, rates: &mut [f64]| match &enabled.low {
        _ if enabled.action != action => {}
        LowRates::Same(rate) => rates.iter_mut().for_each(|sum| *sum += rate),
        LowRates::At(places) => places.iter().for_each(|&(place, rate)| rates[place as usize] += rate),
    };
    let mut everywhere = vec![0.0; descriptor.low];
    descriptor
        .enabled
        .iter()
        .filter(|enabled| enabled.is_everywhere())
        .for_each(|enabled| add(enabled, &mut everywhere));
    let (mut own, mut digits, mut rates) = (everywhere.clone(), Vec::new(), Vec::new());
    for block in 0..descriptor.blocks {
        pause()?;
        own.copy_from_slice(&everywhere);
        descriptor.enabled_in(block, &mut digits, |enabled| add(enabled, &mut own));
        rates.extend(bitset.places((block * descriptor.low) as u64, descriptor.low).map(|place| own[place]));
    }
    Ok(rates)
}
