//! Laws of passage times, on models whose chains come back to every state, and on random chains.

#[allow(dead_code)]
#[path = "generated/chain.rs"]
mod chain;

use chain::{Chain, Random, Set, exponential};
use skel::number::{Number, Ratio};
use skel::passage::{From, Passage, To, Way};
use skel::prelude::*;

const MODELS: [&str; 9] = [
    "barrier",
    "client_server",
    "erlang_loss",
    "mm1k",
    "pipeline",
    "readers_writers",
    "stop_and_wait",
    "tiny",
    "web_cache",
];

fn model(name: &str) -> Model {
    let path = format!("{}/models/{name}.pepa", env!("CARGO_MANIFEST_DIR"));
    Model::from_text(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The actions that are done in the long run, with how often per unit of time.
fn done(space: &StateSpace) -> Vec<(String, skel::number::Ratio)> {
    let pi = space.steady_state_exact().unwrap();
    let throughputs = pi.throughputs().into_iter();
    throughputs
        .filter(|(name, value)| *value != ratio(0, 1) && *name != "tau")
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[test]
fn from_every_action_to_the_next_is_the_reciprocal_of_its_throughput() {
    for name in MODELS {
        let space = model(name).explore().unwrap();
        for (action, throughput) in done(&space) {
            let cycle = space.passages(From::action(&action), To::action(&action)).every().solve().unwrap();
            let mean = cycle.moments_exact(1).unwrap().raw.remove(0);
            assert_eq!(mean * &throughput, ratio(1, 1), "{name} {action}");
            // An action that begins and ends passages begins one each time, whether an observer counts or
            // not.
            let probe = space.passage(From::action(&action), To::action(&action)).unwrap();
            assert_eq!(probe.throughput_exact().unwrap(), Some(throughput), "{name} {action}");
            assert_eq!((cycle.way(), probe.way()), (Way::Every, Way::Probe));
        }
    }
}

/// Passages of every kind through a queue, with chains of 2 to 6 states.
fn of_all_kinds(space: &StateSpace) -> Vec<Passage<Model>> {
    vec![
        space.passage(From::initial(), To::pattern("full")).unwrap(),
        space.passage(From::pattern("full"), To::pattern("empty")).unwrap(),
        space.passages(From::pattern("!\"empty\""), To::action("serve")).all_visits().solve().unwrap(),
        space.passage(From::action("arrive"), To::action("serve")).unwrap(),
        space.passages(From::action("serve"), To::pattern("empty")).every().solve().unwrap(),
    ]
}

#[test]
fn the_density_is_the_slope_and_moments_are_integrals_of_the_curve() {
    const STEP: f64 = 0.02;
    let space = model("mm1k").explore().unwrap();
    for passage in of_all_kinds(&space) {
        let moments = passage.moments(2).unwrap();
        let end = 60.0 * moments.raw[0].value.max(0.5);
        let count = (end / STEP) as usize;
        let times: Vec<f64> = (0..=count).map(|at| at as f64 * STEP).collect();
        let points = passage.at(&times).unwrap();
        let (mut mean, mut second) = (0.0, 0.0);
        for pair in points.windows(3).step_by(2) {
            let [left, middle, right] = pair else { unreachable!() };
            let slope = (right.probability.value - left.probability.value) / (2.0 * STEP);
            let simpson = (left.density.value + 4.0 * middle.density.value + right.density.value) / 6.0;
            assert!((slope - simpson).abs() < 1e-4, "{passage:?} at {}: {slope} {simpson}", middle.time);
            // Simpson's rule for the integrals of 1 - F and 2 t (1 - F).
            let part = |weight: &dyn Fn(f64) -> f64| {
                let at = |point: &skel::passage::Point| weight(point.time) * (1.0 - point.probability.value);
                (at(left) + 4.0 * at(middle) + at(right)) * STEP / 3.0
            };
            mean += part(&|_| 1.0);
            second += part(&|time| 2.0 * time);
        }
        assert!((mean - moments.raw[0].value).abs() < 1e-5 * (1.0 + mean), "{passage:?}: {mean} {moments:?}");
        assert!(
            (second - moments.raw[1].value).abs() < 1e-4 * (1.0 + second),
            "{passage:?}: {second} {moments:?}"
        );
    }
}

/// How many random chains are tried; `PASSAGE_CHAINS` sets another number.
fn chains() -> u64 {
    std::env::var("PASSAGE_CHAINS").ok().and_then(|chains| chains.parse().ok()).unwrap_or(100)
}

/// The probability that states of a set are reached by a time, from each state.
fn reached(chain: &Chain, goals: &Set, time: f64) -> Vec<f64> {
    let sum = |row: &Vec<f64>| row.iter().zip(goals).filter(|(_, goal)| **goal).map(|(value, _)| value).sum();
    exponential(&chain.generator(goals), time).iter().map(sum).collect()
}

/// Whether every state that is reached leads to one of the goals.
fn all_lead_to(chain: &Chain, goals: &Set) -> bool {
    let mut leads = goals.clone();
    for _ in 0..chain.states() {
        for state in 0..chain.states() {
            leads[state] |= (0..chain.states()).any(|other| chain.rates[state][other] > 0 && leads[other]);
        }
    }
    leads.iter().zip(&chain.number).all(|(leads, number)| *leads || *number == usize::MAX)
}

/// The mean time from each state until a state of the set, by repeated substitution in
/// `e(s) m(s) = 1 + sum of q(s, r) m(r)`.
fn mean_times(chain: &Chain, goals: &Set) -> Vec<f64> {
    let mut means = vec![0.0; chain.states()];
    for _ in 0..200_000 {
        let before = means.clone();
        for state in (0..chain.states()).filter(|&state| !goals[state]) {
            let exit = chain.exit(state) as f64;
            let others = (0..chain.states()).filter(|&other| other != state && chain.rates[state][other] > 0);
            let sum: f64 = others.map(|other| chain.rates[state][other] as f64 * means[other]).sum();
            means[state] = (1.0 + sum) / exit;
        }
        if means == before {
            break;
        }
    }
    means
}

/// A passage from one state, where it is known how probable it is by each time.
fn check_passage(chain: &Chain, passage: &Passage<Model>, goals: &Set, state: usize, what: &str) {
    for time in [0.0, 0.3, 2.0, 25.0] {
        let found = passage.at(&[time]).unwrap_or_else(|error| panic!("{what}: {error}"))[0].probability;
        let expected = reached(chain, goals, time)[state];
        assert!(
            (found.value - expected).abs() <= found.error + 1e-11,
            "{what} at {time}: {found:?} {expected}"
        );
    }
    if !passage.is_sure() {
        assert!(!all_lead_to(chain, goals), "{what}");
        return;
    }
    let mean = passage.mean().unwrap();
    let exact: Ratio = passage.moments_exact(1).unwrap().raw.remove(0);
    assert!(
        (mean.value - exact.to_float()).abs() <= mean.error + 1e-15 * mean.value,
        "{what}: {mean:?} {exact}"
    );
    for quantile in passage.quantiles(&[0.1, 0.9]).unwrap() {
        let time = quantile.time.unwrap();
        let expected = reached(chain, goals, time.value)[state];
        let slack = 20.0 * time.error + 1e-9;
        assert!((expected - quantile.probability).abs() <= slack, "{what}: {quantile:?} {expected}");
    }
    if all_lead_to(chain, goals) {
        let expected = mean_times(chain, goals)[state];
        assert!((mean.value - expected).abs() <= mean.error + 1e-9 * expected, "{what}: {mean:?} {expected}");
    }
}

#[test]
fn passages_of_random_chains_are_within_their_bounds() {
    let mut checked = 0;
    for seed in 0..chains() {
        let mut random = Random(seed ^ 0xa55a);
        let chain = Chain::random(&mut random);
        let (mut goals, _) = chain.set(&mut random);
        goals[0] = false;
        let is_reached = |state: &usize| chain.number[*state] != usize::MAX;
        let members: Vec<usize> = (0..chain.states()).filter(|&at| goals[at]).filter(is_reached).collect();
        if members.is_empty() {
            continue;
        }
        let terms: Vec<String> = members.iter().map(|state| format!("S{state} = 1")).collect();
        let to = terms.join(" | ");
        let passage = chain.space.passage(From::initial(), To::pattern(&to));
        let passage = passage.unwrap_or_else(|error| panic!("{seed} to {to}: {error}"));
        check_passage(&chain, &passage, &goals, 0, &format!("{seed} to {to}"));
        checked += 1;
        // From a single state every passage begins in it, however it is entered.
        let from: Set = (0..chain.states()).map(|state| state == 0).collect();
        let comes_back = all_lead_to(&chain, &from);
        if comes_back && let Ok(passage) = chain.space.passage(From::pattern("S0 = 1"), To::pattern(&to)) {
            check_passage(&chain, &passage, &goals, 0, &format!("{seed} from S0 to {to}"));
            checked += 1;
        }
    }
    assert!(checked > chains() / 2, "{checked}");
}

#[test]
fn quantiles_come_back_to_their_probabilities() {
    let space = model("pipeline").explore().unwrap();
    let passage = space.passage(From::action("move1"), To::action("move4")).unwrap();
    for quantile in passage.quantiles(&[1e-6, 0.01, 0.5, 0.9999]).unwrap() {
        let time = quantile.time.unwrap();
        let point = passage.at(&[time.value]).unwrap()[0];
        let off = (point.probability.value - quantile.probability).abs();
        assert!(
            off <= 2.0 * point.probability.error + point.density.value * time.error,
            "{quantile:?} {point:?}"
        );
    }
}

#[test]
fn lumped_and_unlumped_spaces_have_the_same_passages() {
    let text =
        "n = 4; Client = (think, 1).Waiting; Waiting = (serve, infty).Client; Server = (serve, 3).Repair;
        Repair = (fix, 5).Server + (serve, 1).Server; Client[n] <serve> Server";
    let model = Model::from_text(text).unwrap();
    let (lumped, whole) = (model.explorer().lumped().explore().unwrap(), model.explore().unwrap());
    assert!(lumped.states() < whole.states());
    let questions: [fn(&StateSpace) -> Passage<Model>; 4] = [
        |space| space.passage(From::action("think"), To::action("serve")).unwrap(),
        |space| space.passages(From::action("serve"), To::action("serve")).every().solve().unwrap(),
        |space| space.passage(From::pattern("Waiting >= 3"), To::pattern("Waiting = 0")).unwrap(),
        |space| space.passage(From::initial(), To::pattern("Waiting = 4")).unwrap(),
    ];
    for question in questions {
        let (small, large) = (question(&lumped), question(&whole));
        assert!(small.states() <= large.states());
        assert_eq!(small.moments_exact(3).unwrap(), large.moments_exact(3).unwrap());
        assert_eq!(small.throughput_exact().unwrap(), large.throughput_exact().unwrap());
        let [one, other] = [&small, &large].map(|passage| passage.at(&[0.3, 2.0]).unwrap());
        for (one, other) in one.iter().zip(&other) {
            assert!((one.probability.value - other.probability.value).abs() < 1e-12);
        }
    }
    // A pattern that tells the copies apart is refused where they were lumped.
    let one_client = |space: &StateSpace| {
        let [from, to] =
            ["{(Waiting || ** || ** || **) <serve> **}", "{(Client || ** || ** || **) <serve> **}"];
        space.passage(From::pattern(from), To::pattern(to))
    };
    assert!(one_client(&lumped).unwrap_err().to_string().contains("explore without lumping"));
    let waiting = one_client(&whole).unwrap();
    // Little's law for one client: the share of its time that it waits, over how often it begins to.
    let pi = whole.steady_state_exact().unwrap();
    let mean = waiting.moments_exact(1).unwrap().raw.remove(0);
    let share = pi.utilisation_named("Waiting").unwrap();
    assert_eq!(mean * waiting.throughput_exact().unwrap().unwrap(), share);
}

#[test]
fn large_chains_are_iterated_and_stay_within_their_bounds() {
    // 1,920 states before the end: too many for elimination at once, and for fractions.
    let text = "a = 50; E = (arrive, a).F; F = (serve, 1).E; G = (wait, 2).H; H = (go, 1).G; E[63] || G[31]";
    let space = Model::from_text(text).unwrap().explorer().lumped().explore().unwrap();
    assert_eq!(space.states(), 64 * 32);
    let passage = space.passage(From::initial(), To::pattern("F >= 60")).unwrap();
    assert_eq!(passage.states(), 60 * 32);
    // The queues alone are a birth-death chain: h_i = (1 + i h_(i-1)) / (50 (63 - i)).
    let (mut part, mut mean) = (0.0, 0.0);
    for at in 0..60 {
        part = (1.0 + f64::from(at) * part) / (50.0 * f64::from(63 - at));
        mean += part;
    }
    let found = passage.mean().unwrap();
    assert!((found.value - mean).abs() <= found.error + 1e-13 * mean, "{found:?} {mean}");
    assert!(found.error < 1e-8 * mean, "{found:?}");
}

#[test]
fn a_passage_that_may_not_end_says_so() {
    let text = "P = (try, 1).Q + (fail, 3).R; Q = (done, 2).S; R = (stay, 1).R; S = (stay, 1).S; P";
    let space = Model::from_text(text).unwrap().explore().unwrap();
    let passage = space.passage(From::initial(), To::pattern("S")).unwrap();
    assert!(!passage.is_sure());
    let exact = passage.moments_exact(1).unwrap();
    assert_eq!((exact.ends, exact.raw[0].clone()), (ratio(1, 4), ratio(3, 4)));
    let quantiles = passage.quantiles(&[0.2, 0.3]).unwrap();
    assert!(quantiles[0].time.is_some() && quantiles[1].time.is_none());
    for late in passage.at(&[200.0, 1e9, 1e300]).unwrap() {
        assert!((late.probability.value - 0.25).abs() <= late.probability.error, "{late:?}");
        assert!(late.density.value <= late.density.error, "{late:?}");
    }
}

#[test]
fn a_passage_may_be_over_when_it_begins() {
    let space = model("mm1k").explore().unwrap();
    let passage = space.passage(From::pattern("full"), To::pattern("!\"empty\"")).unwrap();
    assert!(passage.is_over_at_once());
    assert_eq!(passage.mean().unwrap().value, 0.0);
    assert_eq!(passage.at(&[0.0]).unwrap()[0].probability.value, 1.0);
    assert_eq!(passage.quantiles(&[0.5]).unwrap()[0].time.unwrap().value, 0.0);
    // Some entries are there at once, others are not.
    let some = space.passages(From::pattern("!\"full\""), To::pattern("empty")).all_visits().solve().unwrap();
    let at_once = some.at(&[0.0]).unwrap()[0].probability.value;
    assert!(at_once > 0.0 && at_once < 1.0, "{at_once}");
}

#[test]
fn questions_without_an_answer_say_why() {
    let queue = model("mm1k").explore().unwrap();
    let race =
        Model::from_text("P = (left, 1).L + (right, 3).R; L = (stay, 1).L; R = (stay, 1).R; P").unwrap();
    let race = race.explore().unwrap();
    let once =
        Model::from_text("P = (begin, 1).Q; Q = (go, 1).R; R = (back, 3).Q; P").unwrap().explore().unwrap();
    let message = |outcome: Result<Passage<Model>, skel::Error>| outcome.unwrap_err().to_string();
    for (found, part) in [
        (message(queue.passage(From::action("arriv"), To::action("serve"))), "did you mean `arrive`?"),
        (message(queue.passage(From::pattern("ful"), To::action("serve"))), "did you mean `full`?"),
        (message(race.passage(From::action("stay"), To::action("stay"))), "2 recurrent classes"),
        (message(race.passage(From::action("stay"), To::action("stay"))), "From::initial()"),
        (message(once.passage(From::action("begin"), To::action("go"))), "not done in the long run"),
        (message(once.passage(From::action("go"), To::action("begin"))), "no passage ever ends: `begin`"),
        (message(once.passage(From::pattern("P"), To::action("go"))), "states that are left for ever"),
        (message(once.passage(From::pattern("P = 1 & Q = 1"), To::action("go"))), "in none of the 3 states"),
        (message(once.passage(From::pattern("P = 0"), To::action("go"))), "none is entered from outside"),
        (message(race.passage(From::initial(), To::pattern("P = 1 & L = 1"))), "holds in no state"),
        (message(queue.passages(From::initial(), To::pattern("full")).every().solve()), "begins once"),
        (
            message(queue.passages(From::pattern("full"), To::pattern("empty")).every().solve()),
            "`all visits`",
        ),
        (message(queue.passages(From::action("serve"), To::action("serve")).all_visits().solve()), "`every`"),
    ] {
        assert!(found.contains(part), "{found}");
    }
    let passage = queue.passage(From::action("arrive"), To::action("serve")).unwrap();
    assert!(passage.at(&[-1.0]).unwrap_err().to_string().contains("no time"));
    assert!(passage.quantiles(&[1.0]).unwrap_err().to_string().contains("between 0 and 1"));
    let strict =
        queue.passages(From::action("arrive"), To::action("serve")).tolerance(1e-17).solve().unwrap();
    assert!(matches!(strict.at(&[1.0]), Err(skel::Error::OverTime(_))));
}
