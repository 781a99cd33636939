//! Exact answers of chains that are too large for fractions on the way: known values, closed forms, sums and
//! laws.

use skel::prelude::*;

/// The pipeline of Fig. B.1 with as many stages as one wants, all rates 10: `3^stages` states.
fn pipeline(stages: usize) -> Model {
    let stage = |at: usize| {
        let next = at + 1;
        format!("Stage{at} = (move{at}, infty).(process{at}, infty).(move{next}, infty).Stage{at};\n")
    };
    let choice = |name: &str, action: &str, count: usize| {
        let offers: Vec<String> = (1..=count).map(|at| format!("({action}{at}, 10).{name}")).collect();
        format!("{name} = {};\n", offers.join(" + "))
    };
    let list = |action: &str, count: usize| {
        (1..=count).map(|at| format!("{action}{at}")).collect::<Vec<_>>().join(", ")
    };
    let mut text: String = (1..=stages).map(stage).collect();
    text += &choice("Network", "move", stages + 1);
    text += &choice("Processors", "process", stages);
    let line = (2..=stages).fold("Stage1".to_owned(), |line, at| format!("{line} <move{at}> Stage{at}"));
    text +=
        &format!("Network <{}> ({line}) <{}> Processors", list("move", stages + 1), list("process", stages));
    Model::from_text(&text).unwrap()
}

fn fraction(numerator: &str, denominator: &str) -> Ratio {
    Ratio::new(numerator.parse().unwrap(), denominator.parse().unwrap())
}

#[test]
fn pipelines_have_their_known_throughputs() {
    // Five stages: by elimination in rationals.
    for (stages, throughput) in [
        (3, ratio(1_217_332, 505_609)),
        (4, ratio(10, 1) * fraction("1894815960856865783416", "8350670543974714460991")),
        (
            5,
            fraction(
                "16385164535811072120875899246834489951004226864762482837293395312513888029760",
                "7507363182999374687024293176071894957148168870878198873536000835365630747739",
            ),
        ),
    ] {
        let pi = pipeline(stages).explore().unwrap().steady_state_exact().unwrap();
        assert_eq!(pi.space().states(), 3_usize.pow(stages as u32));
        for action in ["process1", "move1", &format!("move{}", stages + 1)] {
            assert_eq!(pi.throughput_named(action).unwrap(), throughput, "{stages} stages");
        }
        assert_eq!(pi.probabilities().iter().sum::<Ratio>(), ratio(1, 1));
        assert_eq!((pi.report().residual, pi.report().error), (0.0, 0.0));
    }
}

/// A queue for so many customers, with both rates as texts.
fn queue(most: u32, arrive: &str, serve: &str) -> Model {
    let states = (0..=most).map(|waiting| {
        let mut activities = Vec::new();
        if waiting < most {
            activities.push(format!("(arrive, {arrive}).Q{}", waiting + 1));
        }
        if waiting > 0 {
            activities.push(format!("(serve, {serve}).Q{}", waiting - 1));
        }
        format!("Q{waiting} = {};\n", activities.join(" + "))
    });
    Model::from_text(&(states.collect::<String>() + "Q0")).unwrap()
}

#[test]
fn a_long_queue_has_the_probabilities_of_its_closed_form() {
    let ugly = "123456789012345678901234567890 / 98765432109876543210987654321098765432109";
    for (most, arrive, serve) in
        [(300, "1", "3"), (300, "3", "1"), (120, "1 / 3", "1e-12"), (60, ugly, "7.25")]
    {
        let model = queue(most, arrive, serve);
        let space = model.explore().unwrap();
        let pi = space.steady_state_exact().unwrap();
        let rates = skel::chain::Generator::<Ratio>::of(&space);
        let load = rates.matrix().get(0, 1).unwrap() / rates.matrix().get(1, 0).unwrap();
        let weights: Vec<Ratio> = (0..=most).map(|waiting| load.pow(waiting as i32)).collect();
        let first = ratio(1, 1) / weights.iter().sum::<Ratio>();
        for (state, probability) in pi.probabilities().iter().enumerate() {
            assert_eq!(*probability, &first * &weights[state], "{most} {arrive} {serve}");
        }
        assert_eq!(pi.throughput_named("arrive").unwrap(), pi.throughput_named("serve").unwrap());
        assert_eq!(pi.utilisation_named("Q0").unwrap(), first);
        assert_eq!(pi.probability(|state| state > 0), ratio(1, 1) - first);
    }
}

#[test]
fn large_classes_are_weighed_in_the_long_run() {
    // Two queues that runs end in, one three times as often as the other.
    let queue = |name: &str, most: u32, load: &str| -> String {
        let state = |at: u32| match at {
            0 => format!("{name}0 = (arrive, {load}).{name}1;\n"),
            _ if at == most => format!("{name}{most} = (serve, 1).{name}{};\n", most - 1),
            _ => format!("{name}{at} = (arrive, {load}).{name}{} + (serve, 1).{name}{};\n", at + 1, at - 1),
        };
        (0..=most).map(state).collect()
    };
    let text = "Start = (left, 1).Wait + (right, 1).R0; Wait = (stay, 2).Start + (go, 1).L0 + (turn, 1).R7;\n"
        .to_owned()
        + &queue("L", 40, "1 / 2")
        + &queue("R", 60, "5 / 3") + "Start";
    let space = Model::from_text(&text).unwrap().explore().unwrap();
    let pi = space.solver().long_run().exact().solve().unwrap();
    // From Start: left and right are equal; Wait goes back, left or right at 2 : 1 : 1. So 1/6 ends left.
    let mut ends = pi.class_probabilities();
    ends.sort();
    assert_eq!(ends, [ratio(1, 6), ratio(5, 6)]);
    assert_eq!(pi.probabilities().iter().sum::<Ratio>(), ratio(1, 1));
    // In a class the states are shared as in the closed form.
    let at = |name: &str| pi.probability_matching(name).unwrap();
    assert_eq!(at("L9") / at("L0"), ratio(1, 512));
    assert_eq!(at("R2") / at("R0"), ratio(25, 9));
    assert_eq!(at("Start"), ratio(0, 1));
    let float = space.solver().long_run().solve().unwrap();
    for (action, value) in pi.throughputs() {
        let found = float.throughput_named(action).unwrap();
        assert!((found - skel::number::Number::to_float(&value)).abs() <= 1e-10, "{action}");
    }
}

#[test]
fn lumped_measures_are_the_same_fractions() {
    // Three workers change places with one another, two clients do, and a lock does with nobody.
    let text = "Worker = (take, infty).Busy; Busy = (work, 2).Tired; Tired = (rest, 1 / 7).Worker;
        Client = (think, 3).Asking; Asking = (take, 1.5).Client; Lock = (think, infty).Lock2; Lock2 = (look, 5).Lock;
        ((Client || Client) <think> Lock) <take> (Worker || Worker || Worker)";
    let model = Model::from_text(text).unwrap();
    let plain = model.explore().unwrap().steady_state_exact().unwrap();
    let lumped = model.explorer().lumped().explore().unwrap().steady_state_exact().unwrap();
    assert!(lumped.space().states() < plain.space().states());
    assert_eq!(plain.throughputs(), lumped.throughputs());
    assert_eq!(plain.utilisations(), lumped.utilisations());
    for state in ["Worker", "Busy", "Tired", "Client", "Asking", "Lock2"] {
        assert_eq!(
            plain.population_named(state).unwrap(),
            lumped.population_named(state).unwrap(),
            "{state}"
        );
        assert_eq!(
            plain.utilisation_named(state).unwrap(),
            lumped.utilisation_named(state).unwrap(),
            "{state}"
        );
    }
    let workers = ["Worker", "Busy", "Tired"].map(|state| plain.population_named(state).unwrap());
    assert_eq!(workers.iter().sum::<Ratio>(), ratio(3, 1));
}
