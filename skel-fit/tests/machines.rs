//! One program on machines of several types: the paper's machines, laws, and what cannot be combined.

use proptest::prelude::*;
use skel_distribute::{RelativePerformance, TimeModel};
use skel_fit::{Function, LinearModel, MachineModel, MetaModel, NormalForm, Power, TwoSteps, Weighting};

/// Machines of 1 s, 1.6 s and 8 s for each of n rows.
fn rows() -> MetaModel {
    let of = |text: &str| MachineModel::of_one_machine(&text.parse().unwrap());
    MetaModel::new([("intel", of("n")), ("bio", of("1.6 n")), ("taurus", of("8 n"))]).unwrap()
}

#[test]
fn the_machines_of_the_paper() {
    let meta = rows();
    let environment = meta.environment([("intel", 4), ("bio", 4), ("taurus", 6)]).unwrap();
    let prediction = environment.predict(2500.0).unwrap();
    // The bound of any shares: 2500 rows at 4/1 + 4/1.6 + 6/8 rows in a second.
    assert!((prediction.balanced - 2500.0 / 7.25).abs() < 1e-9);
    assert!((prediction.equal - 2500.0 * 8.0 / 14.0).abs() < 1e-9);
    for (one, expected) in prediction.types.iter().zip([8.0, 5.0, 1.0]) {
        assert!((one.relative_performance / expected - 1.0).abs() < 1e-12, "{one:?}");
    }

    let work = environment.share(2500.0, 2500).unwrap();
    assert_eq!(work.shares, [[345; 4].as_slice(), &[216, 216, 215, 215], &[43; 6]].concat());
    assert!((work.seconds - 345.6).abs() < 1e-9, "{}", work.seconds);
    // Equal whole shares, and the paper's Eq. 1 as it is printed, which gives more to slower machines.
    let equal = RelativePerformance::equal(14).unwrap().shares(2500);
    assert!((environment.seconds_of(2500.0, &equal).unwrap() - 1424.0).abs() < 1e-9);
    let seconds = [1.0, 1.0, 1.0, 1.0, 1.6, 1.6, 1.6, 1.6, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0];
    let printed = RelativePerformance::of_weights(seconds).unwrap().shares(2500);
    assert!((environment.seconds_of(2500.0, &printed).unwrap() - 2736.0).abs() < 1e-9);
}

#[test]
fn a_fixed_vector_is_that_of_times_and_a_dynamic_one_changes_with_the_size() {
    let fixed = RelativePerformance::of_times([1.0, 1.6, 8.0]).unwrap();
    let meta = rows();
    let environment = meta.environment([("intel", 1), ("bio", 1), ("taurus", 1)]).unwrap();
    for n in [100.0, 2500.0, 40_000.0] {
        assert_eq!(environment.performance(n).unwrap().shares(1400), fixed.shares(1400));
    }
    // The second machine has to read its data first: 1e-3 n besides 1e-6 n^2.
    let models: [Function; 2] = ["1e-6 n^2".parse().unwrap(), "1e-3 n + 1e-6 n^2".parse().unwrap()];
    let at = |n| RelativePerformance::at(n, models.each_ref().map(|model| model as &dyn TimeModel)).unwrap();
    assert_eq!(at(1000.0).shares(300), [200, 100]);
    assert_eq!(at(4000.0).shares(900), [500, 400]);
}

#[test]
fn a_time_that_is_not_positive_has_no_relative_performance() {
    // Eqs 15 and 16 of the paper: at n = 250 the first gives -0.56 s.
    let vrp_ss: Function = "-2.14494 + 7.445e-3 n - 5.2e-6 n^2 + 3.008e-9 n^3".parse().unwrap();
    let ss: Function = "2.42258 - 6.5303e-3 n + 4.5e-6 n^2 + 2.29e-9 n^3".parse().unwrap();
    let error = RelativePerformance::at(250.0, [&vrp_ss as &dyn TimeModel, &ss]).unwrap_err().to_string();
    assert!(error.starts_with("the model of machine 1 gives -0.56"), "{error}");
    let meta = MetaModel::new(
        [("one", &vrp_ss), ("other", &ss)]
            .map(|(name, function)| (name, MachineModel::of_one_machine(function))),
    )
    .unwrap();
    let environment = meta.environment([("one", 2), ("other", 2)]).unwrap();
    for error in [environment.predict(250.0).unwrap_err(), environment.share(250.0, 10).unwrap_err()] {
        let error = error.to_string();
        assert!(error.starts_with("the model of `one` gives -0.14"), "{error}");
        assert!(error.contains("at n = 250 and p = 4; help: a time is above 0 and finite"), "{error}");
    }
    // Without its machines, the model is not asked.
    assert!(meta.environment([("one", 0), ("other", 2)]).unwrap().predict(250.0).is_ok());
}

#[test]
fn what_is_wrong_with_types_and_numbers_is_told_at_once() {
    let line: Function<2> = Function::read("n p^-1", ["n", "p"]).unwrap();
    let turned: Function<2> = Function::read("n p^-1", ["p", "n"]).unwrap();
    assert_eq!(
        MetaModel::new([("bio", line.clone()), ("bio", line), ("intel", turned)]).unwrap_err().to_string(),
        "the type of machine `bio` has two models; help: keep one of the two\n\
         the model of `intel` is a function of `p` and `n`; help: give it as a function of the size, `n`, and then of the number of processes, `p`"
    );
    let none: [(&str, Function<2>); 0] = [];
    assert_eq!(
        MetaModel::new(none).unwrap_err().to_string(),
        "there is no type of machine; help: give at least one with its model"
    );
    let meta = rows();
    assert_eq!(
        meta.environment([("bio", 1), ("bios", 1), ("bio", 2), ("x", 1)]).unwrap_err().to_string(),
        "there is no model of machines of type `bios`; help: did you mean `bio`?\n\
         machines of type `bio` are counted twice; help: give their number once\n\
         there is no model of machines of type `x`; help: there are models of `intel`, `bio`, `taurus`"
    );
    assert_eq!(
        meta.environment([("bio", 0)]).unwrap_err().to_string(),
        "there is no machine; help: give at least one machine"
    );
    assert_eq!(
        meta.environment([("bio", u32::MAX), ("intel", 1)]).unwrap_err().to_string(),
        "there are more than 4294967295 machines; help: take fewer of them"
    );
}

#[test]
fn fitted_models_know_what_was_measured() {
    let points: Vec<([f64; 2], f64)> = [2.0, 3.0, 4.0]
        .into_iter()
        .flat_map(|p| [100.0, 200.0, 400.0, 800.0].map(|n: f64| ([n, p], 0.1 + 1e-5 * n * n / p)))
        .collect();
    let terms = [Power::ONE, Power::new(2, 1)];
    let products = [[Power::ONE; 2], [Power::new(2, 1), Power::new(-1, 1)]];
    let two_steps = TwoSteps::fit(&terms, &points).unwrap();
    let joint = LinearModel::fit(["n", "p"], &products, &points, Weighting::Relative).unwrap();
    let searched = NormalForm::new().and_inverses().fit_two(["n", "p"], &points).unwrap();
    for model in [MachineModel::from(&two_steps), MachineModel::from(&joint), MachineModel::from(&searched)] {
        let meta = MetaModel::new([("bio", model)]).unwrap();
        let inside = meta.environment([("bio", 4)]).unwrap().predict(400.0).unwrap();
        assert!((inside.balanced - 0.5).abs() < 1e-6 && inside.warnings.is_empty(), "{inside:?}");
        let outside = meta.environment([("bio", 8)]).unwrap().predict(1600.0).unwrap();
        let warnings: Vec<String> = outside.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            warnings,
            [
                "`bio`: extrapolated: n = 1600 lies outside of what was measured, from 100 to 800",
                "`bio`: extrapolated: p = 8 lies outside of what was measured, from 2 to 4"
            ]
        );
    }
}

proptest! {
    /// With equal types the time is that of the type, however they are counted; no shares are faster than the
    /// balanced time; and whole shares come as close to it as an item allows.
    #[test]
    fn laws_of_environments(
        seconds in prop::collection::vec(0.01_f64..100.0, 1..5),
        counts in prop::collection::vec(1_u32..6, 5),
        items in 1_u64..5000,
    ) {
        let names: Vec<String> = (0..seconds.len()).map(|at| format!("type{at}")).collect();
        let model = |&seconds: &f64| MachineModel::of_one_machine(&Function::new([(Power::new(1, 1), seconds)]));
        let meta = MetaModel::new(names.iter().cloned().zip(seconds.iter().map(model))).unwrap();
        let environment = meta.environment(names.iter().zip(counts.iter().copied())).unwrap();
        let prediction = environment.predict(10.0).unwrap();
        let speed: f64 = seconds.iter().zip(&counts).map(|(seconds, &count)| f64::from(count) / (10.0 * seconds)).sum();
        prop_assert!((prediction.balanced * speed - 1.0).abs() < 1e-12);
        prop_assert!(prediction.balanced <= prediction.equal * (1.0 + 1e-12));
        let shares: f64 = prediction.types.iter().map(|one| one.share * f64::from(one.count)).sum();
        prop_assert!((shares - 1.0).abs() < 1e-12);

        let work = environment.share(10.0, items).unwrap();
        prop_assert_eq!(work.shares.iter().sum::<u64>(), items);
        let an_item = seconds.iter().fold(0.0, |most: f64, &seconds| most.max(10.0 * seconds)) / items as f64;
        prop_assert!(work.seconds >= prediction.balanced * (1.0 - 1e-12));
        prop_assert!(work.seconds <= prediction.balanced + an_item * (1.0 + 1e-12));

        let alike = MetaModel::new(names.iter().map(|name| (name.clone(), model(&seconds[0])))).unwrap();
        let alike = alike.environment(names.iter().zip(counts.iter().copied())).unwrap().predict(10.0).unwrap();
        let of_all: u32 = counts[..names.len()].iter().sum();
        prop_assert!((alike.balanced * f64::from(of_all) / (10.0 * seconds[0]) - 1.0).abs() < 1e-12);
        prop_assert!((alike.balanced / alike.equal - 1.0).abs() < 1e-12);
    }
}
