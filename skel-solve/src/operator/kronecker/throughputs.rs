//! Computes throughputs from the terms of a descriptor.

use crate::operator::kronecker::descriptor::{Descriptor, Enabled, LowRates};
use crate::space::Bitset;

/// The throughput of each action, given the probability of each state. It is computed block by block; the probabilities
/// of all blocks are added up for the actions that every block enables.
pub(crate) fn throughputs(
    (bitset, descriptor): (&Bitset, &Descriptor),
    probabilities: &[f64],
    actions: usize,
) -> Vec<f64> {
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
    throughputs
}
