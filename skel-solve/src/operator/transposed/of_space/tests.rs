//! What a survey shows, and the list that it makes, against a list that is made of rows.

use std::ops::ControlFlow;

use super::Survey;
use crate::limits::memory::MemoryBudget;
use crate::limits::{Limits, Watch};
use crate::operator::RateOperator;
use crate::operator::transposed::TransposedRates;
use crate::random_model::random_model;
use crate::space::{StateSpace, Storage, explored};

const MODELS: usize = 60;

/// Every second model can be left for good; in each, jumps are unlikely, some lead nowhere and some where
/// another transition leads too.
fn spaces() -> impl Iterator<Item = (String, StateSpace)> {
    let texts = (0..MODELS).map(|seed| {
        let text = random_model(seed).replace(".5)", "e-3)");
        let (definitions, system) = text.rsplit_once('\n').expect("a line for the system");
        let other = if seed % 2 == 0 { "(stay, 1).Z1" } else { "(again, 2).Z0" };
        format!("{definitions}\nZ0 = (leave, 1).Z1; Z1 = {other};\n{system} || Z0")
    });
    texts.flat_map(|text| {
        [Storage::Explicit, Storage::Bitset].map(|storage| {
            let space = explored(&text, storage);
            (text.clone(), space)
        })
    })
}

/// The rates, by target and source, and the exit rates.
fn rates(list: &TransposedRates) -> (Vec<(usize, usize, f64)>, Vec<f64>) {
    let mut rates = Vec::new();
    list.for_each_rate(&mut |from, to, rate| {
        rates.push((to, from, rate));
        ControlFlow::Continue(())
    });
    rates.sort_by_key(|&(to, from, _)| (to, from));
    (rates, list.exits().to_vec())
}

fn assert_same(found: &TransposedRates, expected: &TransposedRates, what: &str) {
    let ((found, found_exits), (expected, expected_exits)) = (rates(found), rates(expected));
    assert_eq!(found, expected, "{what}");
    let near = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-15 * expected;
    assert!(found_exits.iter().zip(&expected_exits).all(near), "{what}");
}

#[test]
fn a_list_by_survey_is_that_of_the_rows_in_either_order() {
    let limits = Limits::default();
    let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
    let (mut repeated, mut moved) = (0, 0);
    for (what, space) in spaces() {
        let survey = || Survey::of(&space, budget, &mut Watch::start(&limits)).unwrap().expect("room");
        repeated += usize::from(!survey().is_repeated.is_empty());
        let by_rows = TransposedRates::by_rows(&space, budget, &mut watch).unwrap();
        assert_eq!(survey().rates(), by_rows.rates(), "{what}");
        assert_same(&survey().list(None, budget, &mut watch).unwrap(), &by_rows, &what);
        let levels: Vec<u32> = survey().of_states.iter().map(|seen| seen.level).collect();
        let mut order: Vec<u32> = (0..levels.len() as u32).collect();
        order.sort_by_key(|&state| levels[state as usize]);
        moved += usize::from(!order.is_sorted());
        let found = survey().list(Some(order.clone()), budget, &mut watch).unwrap();
        let mut places = vec![0; order.len()];
        (0..).zip(&order).for_each(|(place, &state)| places[state as usize] = place);
        let arranged = TransposedRates::arranged(&by_rows, &places, budget, &mut watch);
        assert_same(&found, &arranged.unwrap().expect("room"), &what);
    }
    assert!(
        repeated > MODELS / 2 && moved > MODELS,
        "{repeated} have repeated targets, {moved} another order"
    );
}

#[test]
fn ways_to_earlier_states_lead_to_the_first() {
    let limits = Limits::default();
    let (budget, mut watch) = (MemoryBudget::new(&limits), Watch::start(&limits));
    let mut lead_back = 0;
    for (what, space) in spaces() {
        let survey = Survey::of(&space, budget, &mut watch).unwrap().expect("room");
        let leads_back = survey.all_lead_to_earlier_states();
        assert!(crate::chain::classify(&space).is_irreducible() || !leads_back, "{what}");
        lead_back += usize::from(leads_back);
    }
    assert!(lead_back > MODELS / 2, "{lead_back}");
}
