//! Fits against values of an independent program.

use serde_json::Value;
use skel_network::fit::Parameter;
use skel_network::{
    Bytes, Fit, FitError, Hockney, LoGpc, LogGp, Measured, Measurement, Model, PLogP, Time, Weights,
};

fn reference() -> Value {
    let mut all: Value = serde_json::from_str(include_str!("seeds/communication_more.json")).unwrap();
    all["b_fitting"].take()
}

fn run(measured: Measured, size: u64, time: f64) -> Measurement {
    let (from, to) = ("a".to_owned(), "b".to_owned());
    Measurement { from, to, measured, size: Bytes::new(size), time: Time::microseconds(time) }
}

/// Pairs of a size and a time, all of one kind.
fn runs(measured: Measured, pairs: &Value) -> Vec<Measurement> {
    let pairs = pairs.as_array().unwrap().iter();
    pairs.map(|pair| run(measured, pair[0].as_u64().unwrap(), pair[1].as_f64().unwrap())).collect()
}

/// Equal in the ten digits and more of the reference.
#[track_caller]
fn same(found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 2e-11 * expected.abs(), "{found} is not {expected}");
}

fn parameter<'f, M>(fit: &'f Fit<M>, name: &str) -> &'f Parameter {
    fit.parameters.iter().find(|parameter| parameter.name == name).unwrap()
}

#[track_caller]
fn same_hockney(fit: &Fit<Hockney>, expected: &Value) {
    same(fit.model.alpha().as_microseconds(), &expected["alpha"]);
    same(fit.model.beta(), &expected["beta"]);
    same(parameter(fit, "1/beta").value, &expected["inv_beta"]);
    same(parameter(fit, "alpha").standard_error.unwrap(), &expected["se_alpha"]);
    same(parameter(fit, "1/beta").standard_error.unwrap(), &expected["se_inv_beta"]);
    same(fit.rss, &expected["rss"]);
    assert_eq!(fit.dof as u64, expected["dof"].as_u64().unwrap());
}

#[test]
fn hockney_is_the_fit_of_the_reference() {
    let given = &reference()["hockney"];
    let runs = runs(Measured::HalfRoundTrip, &given["data_m_us"]);
    let relative = Hockney::fit(&runs).unwrap();
    same_hockney(&relative, &given["fit"]["relative"]);
    same_hockney(&Hockney::fit_with(&runs, Weights::Unit).unwrap(), &given["fit"]["ols"]);
    assert_eq!((relative.residuals.len(), relative.outliers.len()), (runs.len(), 0));
    assert!((0.01..0.04).contains(&relative.median_error()));
}

#[test]
fn the_median_error_of_an_even_number_of_runs_is_in_the_middle_of_two() {
    let given = &reference()["hockney"];
    let runs = runs(Measured::HalfRoundTrip, &given["data_m_us"]);
    for count in [runs.len() - 1, runs.len()] {
        let fit = Hockney::fit(&runs[..count]).unwrap();
        let mut errors: Vec<f64> = fit.residuals.iter().map(|residual| residual.relative.abs()).collect();
        errors.sort_by(f64::total_cmp);
        let middle = (errors[(count - 1) / 2] + errors[count / 2]) / 2.0;
        assert!((fit.median_error() / middle - 1.0).abs() < 1e-15, "{} of {errors:?}", fit.median_error());
    }
}

#[test]
fn the_one_outlier_is_named() {
    let given = &reference()["hockney"];
    let outlier = &given["outlier"];
    let at = outlier["index"].as_u64().unwrap() as usize;
    let mut runs = runs(Measured::HalfRoundTrip, &given["data_m_us"]);
    runs[at].time = Time::microseconds(outlier["replaced_us"].as_f64().unwrap());

    let fit = Hockney::fit(&runs).unwrap();
    same_hockney(&fit, &outlier["relative_fit_with_it"]);
    assert_eq!(fit.outliers, [at]);
    assert!(fit.to_string().contains("outlier: run 14"), "{fit}");

    runs.remove(at);
    let fit = Hockney::fit(&runs).unwrap();
    same_hockney(&fit, &outlier["relative_fit_without_it"]);
    assert!(fit.outliers.is_empty());
}

fn loggp_runs(given: &Value) -> Vec<Measurement> {
    let observed = |row: &Value| {
        let size = row["m"].as_u64().unwrap_or(1);
        let measured = match row["kind"].as_str().unwrap() {
            "pingpong_half" => Measured::HalfRoundTrip,
            "send_overhead" => Measured::SendOverhead,
            "burst" => Measured::Burst { messages: row["k"].as_u64().unwrap() as u32 },
            other => panic!("{other}"),
        };
        run(measured, size, row["us"].as_f64().unwrap())
    };
    given["observations"].as_array().unwrap().iter().map(observed).collect()
}

#[test]
fn loggp_is_the_fit_of_the_reference() {
    let given = &reference()["loggp"];
    let runs = loggp_runs(given);
    for (weights, name) in [(Weights::Relative, "relative"), (Weights::Unit, "ols")] {
        let fit = LogGp::fit_with(&runs, weights).unwrap();
        let expected = &given["fit"][name];
        same(fit.model.l().as_microseconds(), &expected["L"]);
        same(fit.model.o().as_microseconds(), &expected["o"]);
        same(fit.model.g().as_microseconds(), &expected["g"]);
        same(fit.model.gap_per_byte().as_microseconds(), &expected["G"]);
        for name in ["L", "o", "g", "G"] {
            same(parameter(&fit, name).standard_error.unwrap(), &expected["se"][name]);
        }
        same(fit.rss, &expected["rss"]);
        assert_eq!(fit.dof as u64, expected["dof"].as_u64().unwrap());
        assert!(fit.outliers.is_empty() || weights == Weights::Unit);
    }
}

#[test]
fn the_contention_factor_is_that_of_the_reference() {
    let given = reference();
    let base = LogGp::fit(&loggp_runs(&given["loggp"])).unwrap().model;
    let crowded = runs(Measured::HalfRoundTrip, &given["logpc_gamma"]["data_m_us"]);
    let gamma = |weights| LoGpc::fit_with(&base, &crowded, weights).unwrap().model.gamma();
    same(gamma(Weights::Relative), &given["logpc_gamma"]["gamma_relative"]);
    same(gamma(Weights::Unit), &given["logpc_gamma"]["gamma_ols"]);
}

#[test]
fn plogp_is_kielmanns() {
    let given = &reference()["plogp"];
    let mut all = runs(Measured::EmptyReply, &given["rtt"]);
    all.push(run(Measured::EmptyReply, 0, given["rtt0"].as_f64().unwrap()));
    all.push(run(Measured::Gap, 0, given["g0"].as_f64().unwrap()));
    let fit = PLogP::fit(&all).unwrap();
    same(fit.model.l().as_microseconds(), &given["L"]);
    let table = given["g_table"].as_array().unwrap();
    assert_eq!(fit.model.g().knots().len(), table.len());
    for ((size, time), knot) in fit.model.g().knots().iter().zip(table) {
        assert_eq!(size.get(), knot[0].as_u64().unwrap());
        same(time.as_microseconds(), &knot[1]);
    }
    for at in given["g_at"].as_array().unwrap() {
        same(fit.model.g().at(Bytes::new(at[0].as_u64().unwrap())).unwrap().as_microseconds(), &at[1]);
    }
    assert!(fit.model.g().at(Bytes::new(given["refused"][1].as_u64().unwrap())).is_err());
    assert_eq!((fit.dof, fit.parameters[0].standard_error), (0, None));
    assert!(fit.model.o_s().is_none() && fit.model.o_r().is_none());
}

#[test]
fn plogp_has_tables_of_overheads_if_they_were_measured() {
    let mut all = vec![run(Measured::Gap, 0, 11.0), run(Measured::EmptyReply, 0, 98.0)];
    for (size, trip, sends, receives) in [(1, 98.2, 3.0, 4.0), (1000, 110.0, 5.0, 8.0)] {
        all.push(run(Measured::EmptyReply, size, trip));
        all.push(run(Measured::SendOverhead, size, sends));
        all.push(run(Measured::ReceiveOverhead, size, receives));
    }
    let fit = PLogP::fit(&all).unwrap();
    let middle = |table: Option<&skel_network::GapTable>| table.unwrap().at(Bytes::new(1000)).unwrap();
    assert!((middle(fit.model.o_s()).as_microseconds() - 5.0).abs() < 1e-9);
    assert!((middle(fit.model.o_r()).as_microseconds() - 8.0).abs() < 1e-9);
    assert_eq!((fit.needed.runs(), fit.needed.runs_with_overheads()), (4, 8));
}

#[test]
fn a_gap_below_the_overhead_becomes_the_overhead() {
    // A processor that takes 9 us for each message sends a burst no faster, however short the gap of the
    // network.
    let runs = [
        run(Measured::HalfRoundTrip, 1, 50.0),
        run(Measured::HalfRoundTrip, 1001, 60.0),
        run(Measured::SendOverhead, 1, 9.0),
        run(Measured::Burst { messages: 11 }, 1, 139.0),
    ];
    let fit = LogGp::fit(&runs).unwrap();
    assert_eq!(fit.model.g(), fit.model.o());
    assert_eq!((fit.parameters.len(), fit.dof, fit.remarks.len()), (3, 1, 1));
    assert_eq!(fit.parameters[1].name, "o = g");
    assert!((fit.model.o().as_microseconds() - 8.95).abs() < 0.06, "{fit}");
}

#[test]
fn negative_parameters_are_said_and_not_returned() {
    // Half of the time there and back is less than two overheads, so that nothing is left for the wire.
    let runs = [
        run(Measured::HalfRoundTrip, 1, 15.0),
        run(Measured::HalfRoundTrip, 1001, 14.0),
        run(Measured::SendOverhead, 1, 9.0),
        run(Measured::Burst { messages: 11 }, 1, 125.0),
    ];
    let error = LogGp::fit(&runs).unwrap_err();
    let FitError::Negative { parameters, .. } = &error else { panic!("{error}") };
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assert_eq!(names, ["L", "G"]);
    assert_eq!(
        error.to_string(),
        "the runs do not fit LogGP: L would be -3.0000 us, G would be -0.0010 us/byte; help: measure these runs again and \
         more often, or take another model"
    );
    let falling = [run(Measured::HalfRoundTrip, 1, 50.0), run(Measured::HalfRoundTrip, 1000, 40.0)];
    assert!(Hockney::fit(&falling).unwrap_err().to_string().contains("1/beta would be -0.0100 us/byte"));
}

#[test]
fn runs_that_are_missing_are_named() {
    let message = |runs: &[Measurement]| -> Vec<String> {
        Model::fit_all(runs)
            .into_iter()
            .filter_map(|(_, fit)| fit.err())
            .map(|error| error.to_string())
            .collect()
    };
    assert_eq!(
        message(&[]),
        [
            "Hockney has 2 parameters, and 0 of the given runs say something of them; missing: a half round trip, a half round \
             trip of another size; help: the model needs at least 2 runs: 2 half round trips of different sizes",
            "LogP has 3 parameters, and 0 of the given runs say something of them; missing: a half round trip, a send overhead, \
             a burst of 2 messages or more; help: the model needs at least 3 runs: 1 half round trip, 1 send overhead, 1 burst \
             of 2 messages or more",
            "LogGP has 4 parameters, and 0 of the given runs say something of them; missing: a half round trip, a send \
             overhead, a burst of 2 messages or more, a half round trip of another size; help: the model needs at least 4 \
             runs: 2 half round trips of different sizes, 1 send overhead, 1 burst of 2 messages or more",
            "pLogP has 2 parameters, and 0 of the given runs say something of them; missing: a gap of messages of 0 bytes, a \
             round trip of a message of 0 bytes with an empty reply; help: the model needs at least 2 runs: 1 gap of empty \
             messages, 1 round trip of an empty message",
        ]
    );
    // Many runs of one kind and size still leave parameters open.
    let same_size: Vec<Measurement> =
        (0..9).map(|at| run(Measured::HalfRoundTrip, 64, 50.0 + f64::from(at))).collect();
    let [hockney, logp, loggp, plogp] = message(&same_size).try_into().unwrap();
    assert!(hockney.contains(
        "and 9 of the given runs say something of them; missing: a half round trip of another size;"
    ));
    assert!(logp.contains("missing: a send overhead, a burst of 2 messages or more;"), "{logp}");
    assert!(
        loggp.contains(
            "missing: a send overhead, a burst of 2 messages or more, a half round trip of another size;"
        ),
        "{loggp}"
    );
    assert!(plogp.contains("missing: a gap of messages of 64 bytes;"), "{plogp}");
}
