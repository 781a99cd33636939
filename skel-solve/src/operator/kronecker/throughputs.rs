//! Computes throughputs from the terms of a descriptor.

use crate::error::Error;
use crate::operator::kronecker::descriptor::{Descriptor, Enabled, LowRates};
use crate::space::Bitset;

/// Per action its throughput, given the probability of each state: block by block, where what every block
/// enables waits until all are added up. Calls `pause` before each, which may stop it.
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

/// Calls `visit` with a rate at which states do an action: the first of them, the rates of those of its
/// block, and the action. Actions that no state of a block does are left out. Calls `pause` before each
/// block, which may stop it.
pub(crate) fn for_each_rates(
    (bitset, descriptor): (&Bitset, &Descriptor),
    actions: usize,
    mut pause: impl FnMut() -> Result<(), Error>,
    mut visit: impl FnMut(usize, usize, &mut dyn Iterator<Item = f64>),
) -> Result<(), Error> {
    let mut rates = vec![Vec::new(); actions];
    let (mut enabled_here, mut digits, mut first) = (Vec::new(), Vec::new(), 0);
    for block in 0..descriptor.blocks {
        pause()?;
        enabled_here.clear();
        enabled_here.extend(descriptor.enabled.iter().filter(|enabled| enabled.is_everywhere()));
        descriptor.enabled_in(block, &mut digits, |enabled| enabled_here.push(enabled));
        for enabled in &enabled_here {
            let rates: &mut Vec<f64> = &mut rates[enabled.action.index()];
            rates.resize(descriptor.low, 0.0);
            match &enabled.low {
                LowRates::Same(rate) => rates.iter_mut().for_each(|sum| *sum += rate),
                LowRates::At(places) => {
                    places.iter().for_each(|&(place, rate)| rates[place as usize] += rate);
                }
            }
        }
        let places: Vec<usize> = bitset.places((block * descriptor.low) as u64, descriptor.low).collect();
        for (action, rates) in rates.iter_mut().enumerate().filter(|(_, rates)| !rates.is_empty()) {
            visit(first, action, &mut places.iter().map(|&place| rates[place]));
            rates.clear();
        }
        first += places.len();
    }
    Ok(())
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
