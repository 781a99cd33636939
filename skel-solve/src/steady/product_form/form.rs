//! The factors of a product form.

use crate::operator::{NEGLIGIBLE, RateOperator};
use crate::space::StateSpace;
use crate::state::layout::Field;
use crate::vector::total;

/// For each field of a state a factor for each value.
pub(super) struct ProductForm {
    /// The fields, each with the number of its first factor.
    fields: Vec<(Field, u32)>,
    values: Vec<f64>,
}

impl ProductForm {
    /// One for each factor; `None` if there are more than so many.
    pub(super) fn of_ones(space: &StateSpace, most: usize) -> Option<ProductForm> {
        let mut fields = Vec::new();
        let mut count = 0_u32;
        for slot in space.slots() {
            let values = match slot.is_counted() {
                true => slot.positions.len() as u32 + 1,
                false => slot.local_states(),
            };
            for field in slot.fields() {
                fields.push((space.layout().field(field), count));
                count = count.checked_add(values).filter(|&count| count as usize <= most)?;
            }
        }
        Some(ProductForm { fields, values: vec![1.0; count as usize] })
    }

    /// The number of factors.
    pub(super) fn factors(&self) -> usize {
        self.values.len()
    }

    /// The value of each factor.
    pub(super) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The factors of a packed state, by their numbers: one for each field.
    pub(super) fn factors_of(&self, packed: &[u64]) -> impl Iterator<Item = u32> {
        self.fields.iter().map(|&(field, first)| first + field.get(packed))
    }

    /// The products of all states, in the order of a chain, as probabilities; `None` if one of them is below
    /// [`NEGLIGIBLE`] or they have no sum.
    pub(super) fn probabilities(&self, chain: &dyn RateOperator, space: &StateSpace) -> Option<Vec<f64>> {
        let mut products = Vec::with_capacity(space.states());
        space.for_each_packed(|_, packed| {
            let product: f64 = self.factors_of(packed).map(|factor| self.values[factor as usize]).product();
            products.push(product);
        });
        let sum = total(&products);
        products.iter_mut().for_each(|product| *product /= sum);
        let is_in_range = products.iter().all(|&product| product > NEGLIGIBLE && product <= 1.0);
        is_in_range.then(|| (0..products.len()).map(|state| products[chain.number_of(state)]).collect())
    }
}
