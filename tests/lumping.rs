//! Lumping changes no answer: laws over models with copies, workers and partners, some of them not quite
//! equal, and models in which a symmetry would be tempting and wrong.

#[path = "generated/draw.rs"]
mod draw;

use std::fmt::Write as _;

use draw::Draw;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use skel::model::Position;
use skel::number::{Number, Ratio};
use skel::prelude::*;
use skel::quotient::Measure;
use skel::space::{Options, ToldApart};

/// One part of a generated system: its definitions and its expression.
#[derive(Default)]
struct Part {
    text: String,
    system: String,
}

/// The letters of actions that each copy has under a name of its own, and of those that all copies share.
const OWN: [&str; 3] = ["l", "m", "n"];
const COMMON: [&str; 2] = ["a", "b"];

/// An activity of a worker: whose action it is, its rate, and the number of the local state that follows.
#[derive(Clone, Copy)]
struct Activity {
    letter: &'static str,
    rate: usize,
    then: usize,
}

impl Activity {
    fn action(self, copy: &str) -> String {
        if OWN.contains(&self.letter) { format!("{}{copy}", self.letter) } else { self.letter.to_owned() }
    }
}

fn draw_activity(draw: &mut Draw, then: usize) -> Activity {
    let letter = match draw.below(8) {
        at @ 0..5 => OWN[at % 3],
        at @ 5..7 => COMMON[at - 5],
        _ => "tau",
    };
    Activity { letter, rate: 1 + draw.below(3), then }
}

/// Workers side by side, each with names of its own, and partners that serve what is theirs alone: one for
/// all, by choice or in turn, or one for each.
fn workers(draw: &mut Draw, prefix: &str) -> Part {
    let copies: Vec<String> = (0..2 + draw.below(2)).map(|copy| format!("{prefix}{copy}")).collect();
    let count = 1 + draw.below(3);
    let mut activities: Vec<Vec<Activity>> =
        (0..count).map(|state| vec![draw_activity(draw, (state + 1) % count)]).collect();
    for _ in 0..draw.below(3) {
        let (from, to) = (draw.below(count), draw.below(count));
        activities[from].push(draw_activity(draw, to));
    }
    let served: Vec<&str> = OWN[..1 + draw.below(2)].iter().copied().filter(|_| !draw.one_in(3)).collect();
    let used = |letter: &str| activities.iter().flatten().any(|activity| activity.letter == letter);
    let served: Vec<&str> = served.into_iter().filter(|letter| used(letter)).collect();
    let mut part = Part::default();
    let odd = draw.below(4);
    for (number, copy) in copies.iter().enumerate() {
        for (state, row) in activities.iter().enumerate() {
            let mut row: Vec<Activity> = row.clone();
            if number == 1 && odd == 1 && state == 0 {
                row[0].rate += 1;
            }
            if number == 1 && odd == 2 {
                row.reverse();
            }
            let terms: Vec<String> = row
                .iter()
                .map(|activity| {
                    let rate = match served.contains(&activity.letter) {
                        true => format!("{} * infty", activity.rate),
                        false => activity.rate.to_string(),
                    };
                    format!("({}, {rate}).W{copy}_{}", activity.action(copy), activity.then)
                })
                .collect();
            writeln!(part.text, "W{copy}_{state} = {};", terms.join(" + ")).unwrap();
        }
    }
    let shape = draw.below(4);
    let operands: Vec<String> = copies
        .iter()
        .map(|copy| match shape {
            1 => format!("W{copy}_0[2]"),
            2 => {
                writeln!(part.text, "V{copy} = (n{copy}, 2).(c, 1).V{copy};").unwrap();
                format!("(W{copy}_0 || V{copy})")
            }
            _ => format!("W{copy}_0"),
        })
        .collect();
    let common = if used("a") && shape != 2 && draw.one_in(2) { "<a>" } else { "||" };
    part.system = format!("({})", operands.join(&format!(" {common} ")));
    for letter in served {
        serve(draw, letter, &copies, &mut part);
    }
    if draw.one_in(4) {
        let hidden: Vec<String> = copies[draw.below(2)..].iter().map(|copy| format!("m{copy}")).collect();
        if used("m") {
            part.system = format!("({}/{{{}}})", part.system, hidden.join(", "));
        }
    }
    part
}

fn serve(draw: &mut Draw, letter: &str, copies: &[String], part: &mut Part) {
    let actions: Vec<String> = copies.iter().map(|copy| format!("{letter}{copy}")).collect();
    let name = format!("S{letter}{}", copies[0]);
    let odd = draw.one_in(4);
    let rate = |number: usize| if odd && number == 0 { 3 } else { 2 };
    let numbered = || actions.iter().enumerate();
    let partner = match draw.below(4) {
        0 => {
            let terms = numbered().map(|(number, action)| format!("({action}, {}).{name}", rate(number)));
            writeln!(part.text, "{name} = {};", terms.collect::<Vec<_>>().join(" + ")).unwrap();
            name
        }
        1 => {
            let chain = numbered().map(|(number, action)| format!("({action}, {})", rate(number)));
            writeln!(part.text, "{name} = {}.{name};", chain.collect::<Vec<_>>().join(".")).unwrap();
            name
        }
        style => {
            let mut names = Vec::new();
            for (number, action) in numbered() {
                writeln!(part.text, "{name}_{number} = ({action}, {}).(c, 1).{name}_{number};", rate(number))
                    .unwrap();
                names.push(format!("{name}_{number}"));
            }
            if style == 3 {
                names = [names.clone(), names].concat();
            }
            if draw.one_in(2) {
                names.reverse();
            }
            format!("({})", names.join(" || "))
        }
    };
    let system = match draw.one_in(2) {
        true => format!("({partner} <{}> {})", actions.join(", "), part.system),
        false => format!("({} <{}> {partner})", part.system, actions.join(", ")),
    };
    part.system = system;
}

/// One group of workers, or two side by side: the same twice, or two that are drawn alike.
fn model_text(bytes: &[u8]) -> String {
    let mut draw = Draw::new(bytes);
    let one = workers(&mut draw, "x");
    let (text, system) = match draw.below(5) {
        1 => (one.text, format!("{0} || {0}", one.system)),
        2 => {
            let same = workers(&mut Draw::new(bytes), "y");
            (one.text + &same.text, format!("{} || {}", one.system, same.system))
        }
        3 => {
            let other = workers(&mut draw, "y");
            (one.text + &other.text, format!("{} || {}", one.system, other.system))
        }
        _ => (one.text, one.system),
    };
    text + &system
}

fn parsed(text: &str) -> Model {
    skel::text::parse(text).into_model().unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// Every throughput, every probability of a local state at a group of copies, every population.
fn figures<N: Number>(pi: &SteadyState<Model, N>) -> Vec<(String, N)> {
    let mut figures: Vec<(String, N)> =
        pi.throughputs().into_iter().map(|(action, value)| (action.to_owned(), value)).collect();
    for component in pi.utilisations() {
        for (state, value) in component.local_states {
            figures.push((format!("{} at {:?}", state, component.positions), value));
        }
    }
    let model = pi.space().model();
    for state in model.local_states() {
        figures.push((format!("population of {}", state.name), pi.population_named(&state.name).unwrap()));
    }
    figures
}

/// Compares lumped and not; the number of states of each, unless there are too many.
fn same_answers(text: &str) -> Option<(usize, usize)> {
    let model = parsed(text);
    let plain = model.explorer().limits(&Limits { states: 3_000, ..Limits::default() }).explore().ok()?;
    let lumped = model.explorer().lumped().explore().unwrap();
    if let Some(lumping) = lumped.lumping() {
        assert_eq!(lumping.states(), Some(plain.states() as u128), "states\n{text}");
        assert_eq!(lumping.transitions(), Some(plain.transitions() as u128), "transitions\n{text}");
    }
    let (of_plain, of_lumped) =
        (plain.solver().long_run().solve().unwrap(), lumped.solver().long_run().solve().unwrap());
    same_classes(&of_plain, &of_lumped);
    for ((name, one), (other_name, other)) in figures(&of_plain).into_iter().zip(figures(&of_lumped)) {
        assert_eq!(name, other_name);
        assert!((one - other).abs() <= 1e-10 * (1.0 + one), "{name}: {one} {other}\n{text}");
    }
    if plain.states() <= 16 {
        let (one, other) = (
            plain.solver().long_run().exact().solve().unwrap(),
            lumped.solver().long_run().exact().solve().unwrap(),
        );
        assert_eq!(figures::<Ratio>(&one), figures::<Ratio>(&other), "{text}");
        same_answers_of_quotient(&plain, &lumped);
        same_answers_of_one_part(&plain);
    }
    Some((plain.states(), lumped.states()))
}

/// Where a lumped chain is known to have one recurrent class without lumping, it has: that of the states
/// behind its own.
fn same_classes(plain: &SteadyState<Model, f64>, lumped: &SteadyState<Model, f64>) {
    let (classes, space) = (lumped.classification(), lumped.space());
    let text = space.model();
    let stands_for = |states: &mut dyn Iterator<Item = usize>| -> u128 {
        states.map(|state| space.stands_for(state).unwrap()).sum()
    };
    assert_eq!(stands_for(&mut (0..space.states())), plain.space().states() as u128, "{text}");
    if classes.is_one_class_unlumped(space) {
        let recurrent = stands_for(&mut classes.recurrent[0].iter().map(|&state| state as usize));
        let [class] = &plain.classification().recurrent[..] else { panic!("several classes\n{text}") };
        assert_eq!(class.len() as u128, recurrent, "{text}");
        assert_eq!(classes.deadlocks.len(), plain.classification().deadlocks.len(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn lumping_changes_no_answer(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        same_answers(&model_text(&bytes));
    }
}

/// A quotient of a lumped space answers for the space itself.
fn same_answers_of_quotient(plain: &StateSpace, lumped: &StateSpace) {
    let Ok(pi) = plain.steady_state_exact() else { return };
    let (mut measures, mut values) = (Vec::new(), Vec::new());
    for (_, action) in plain.model().actions() {
        measures.push(Measure::throughput_named(action));
        values.push(pi.throughput_named(action).unwrap());
    }
    for state in plain.model().local_states() {
        measures.push(Measure::utilisation_named(&state.name));
        values.push(pi.utilisation_named(&state.name).unwrap());
    }
    let quotient = lumped.quotient_exact(&measures).unwrap();
    assert!(quotient.states() <= lumped.states());
    let figures = quotient.steady_state_exact().unwrap();
    let found: Vec<Ratio> = figures.values().map(|(_, value)| value.clone()).collect();
    assert_eq!(found, values, "{}", plain.model());
}

/// A component that is told apart is as often in each of its local states as without lumping.
fn same_answers_of_one_part(plain: &StateSpace) {
    let model = plain.model();
    let Ok(pi) = plain.steady_state_exact() else { return };
    for position in 0..model.positions().min(3) {
        let told_apart = ToldApart::default().position(Position::at(position));
        let space = model.explorer().lumped().telling_apart(&told_apart).explore().unwrap();
        assert!(space.keeps(&told_apart));
        let of_part = space.steady_state_exact().unwrap();
        for &local in &model.component(model.component_at(Position::at(position))).local_states {
            let wanted = pi.probability(|state| plain.state(state)[position] == local);
            let found = of_part.probability(|state| space.state(state)[position] == local);
            assert_eq!(found, wanted, "{model}");
        }
    }
}

/// As [`same_answers`], of a small model: states without lumping, and with.
fn sizes(text: &str) -> (usize, usize) {
    same_answers(text).expect("a small model")
}

#[test]
fn tau_is_no_name_that_can_be_exchanged() {
    // P and Q differ in a name, but what R does is called `tau` as well.
    let text =
        "P = (tau, 1).P1; P1 = (c, 1).P; Q = (a, 1).Q1; Q1 = (c, 1).Q; R = (b, 5).R; (P || Q) || R/{b}";
    assert_eq!(sizes(text), (4, 4));
    // Two names that are both hidden can be, and where one is not, they cannot.
    let both = "P = (a, 1).(c, 1).P; Q = (b, 1).(c, 1).Q; (P || Q)/{a, b}";
    assert_eq!(sizes(both), (4, 3));
    assert_eq!(sizes(&both.replace("{a, b}", "{a}")), (4, 4));
}

#[test]
fn copies_within_copies_are_counted_once() {
    // Exchanging P and Q exchanges their servers, which stand in arrays: an outer and two inner groups.
    let text =
        "P = (c1, infty).(d, 1).P; Q = (c2, infty).(d, 1).Q; M = (c1, 3).(d, 1).M; N = (c2, 3).(d, 1).N; ";
    let (plain, lumped) = sizes(&format!("{text} (P || Q) <c1, c2> (M[2] || N[2])"));
    assert_eq!((plain, lumped), (64, 21));
    assert_eq!(sizes(&format!("{text} (P || Q) <c1, c2> (M || N || M || N)")), (64, 21));
    assert_eq!(sizes(&format!("{text} (P || Q) <c1, c2> (N || M || M || N)")), (64, 21));
    // The same with the arrays on the other side of the chain.
    assert_eq!(sizes(&format!("{text} (P[2] || Q[2]) <c1, c2> (M || N)")), (64, 21));
}

#[test]
fn arrays_that_cooperate_are_lumped() {
    assert_eq!(sizes("P = (a, 1).(b, 2).P; P[6]"), (64, 7));
    assert_eq!(sizes("P = (a, 1).(b, 2).P; P[6, {a}]"), (64, 7));
    assert_eq!(sizes("P = (a, infty).(b, 2).P; S = (a, 3).(c, 1).S; P[4, {a}] <a> S[3]"), (128, 20));
    let (plain, lumped) = sizes("P = (a, 1).(b, 2).P; Q = (a, infty).(c, 1).Q; S = (P <a> Q); S[3]");
    assert_eq!((plain, lumped), (64, 20));
}

/// A farm of two by hand: a producer, two workers with actions of their own, and what the partners do.
fn farm(producer: &str, second_rate: &str) -> String {
    format!(
        "{producer} W = (m1, infty).(c1, 2).W; V = (m2, infty).(c2, {second_rate}).V; S <m1, m2> (W || V)"
    )
}

#[test]
fn what_looks_alike_and_is_not_stays_apart() {
    let by_choice = "S = (m1, 1).S + (m2, 1).S;";
    assert_eq!(sizes(&farm(by_choice, "2")), (4, 3));
    assert_eq!(sizes(&farm(by_choice, "2.5")), (4, 4));
    // A partner that prefers one worker, and one that remembers which it served.
    assert_eq!(sizes(&farm("S = (m1, 1).S + (m2, 1.5).S;", "2")), (4, 4));
    let (plain, lumped) = sizes(&farm("S = (m1, 1).(m2, 1).S;", "2"));
    assert_eq!(plain, lumped);
    // The same rates in all, but split over two activities for one of the workers.
    assert_eq!(sizes(&farm("S = (m1, 2).S + (m2, 1).S + (m2, 1).S;", "2")), (4, 4));
    // One worker's action is hidden, or nobody else can do it.
    let text = "W = (m1, 1).(c, 2).W; V = (m2, 1).(c, 2).V; (W || V)";
    assert_eq!(sizes(text), (4, 3));
    assert_eq!(sizes(&format!("{text}/{{m1}}")), (4, 4));
    // Equal components, of which one shares its action with another partner.
    assert_eq!(sizes("P = (a, 1).(b, 1).P; Q = (a, infty).Q; P || (P <a> Q)"), (4, 4));
    // Copies that begin in different local states.
    assert_eq!(sizes("P = (a, 1).Q; Q = (b, 2).P; P || Q"), (4, 4));
    // Two servers, of which only the first has two copies.
    let servers =
        "P = (c1, infty).(d, 1).P; Q = (c2, infty).(d, 1).Q; M = (c1, 3).(d, 1).M; N = (c2, 3).(d, 1).N;";
    let (plain, lumped) = sizes(&format!("{servers} (P || Q) <c1, c2> (M[2] || N)"));
    assert_eq!((plain, lumped), (32, 24));
}

#[test]
fn a_result_that_tells_copies_apart_is_an_error_when_lumped() {
    let text = "P = (a, 1).Q; Q = (b, 2).P; R = (c, 1).R1; R1 = (d, 1).R; P || P || R \
                one = 3 * {Q || ** || **}; other = 2 * {** || ** || R1};";
    let model = parsed(text);
    let lumped = model.explorer().lumped().explore().unwrap().steady_state_exact().unwrap();
    assert_eq!(
        lumped.result_named("one").unwrap_err().to_string(),
        "the result `one` tells apart components that were lumped; explore without lumping for it"
    );
    assert_eq!(lumped.result_named("other").unwrap(), ratio(1, 1));
    let plain = model.explore().unwrap().steady_state_exact().unwrap();
    assert_eq!(plain.result_named("one").unwrap(), ratio(1, 1));
    // Who wants its answer can have lumping leave alone what it tells apart.
    let options = Options { is_lumped: true, keeps_results: true, ..Options::default() };
    let explored = |model: &Model| model.explorer().options(&options).explore().unwrap();
    let kept = explored(&model);
    assert!(kept.lumping().is_none());
    assert_eq!(kept.steady_state_exact().unwrap().results().unwrap(), plain.results().unwrap());
    assert!(explored(&parsed(&text.replace("{Q ||", "{** ||"))).lumping().is_some());
    let four = parsed(
        &text
            .replace("P || P || R", "P || P || P || P || R")
            .replace("{Q || ** || **}", "{Q || ** || ** || ** || **}")
            .replace("{** || ** || R1}", "{** || ** || ** || ** || R1}"),
    );
    let kept = explored(&four);
    assert_eq!((kept.states(), kept.lumping().unwrap().states()), (2 * 4 * 2, Some(32)));
    let plain = four.explore().unwrap().steady_state_exact().unwrap();
    assert_eq!(kept.steady_state_exact().unwrap().results().unwrap(), plain.results().unwrap());
}

/// What is asked about one of several copies is the same whether the others are lumped or not.
#[test]
fn one_copy_is_told_apart_from_a_hundred_others() {
    let model = parsed("P = (go, 1).Q; Q = (back, 2).P; S = (back, 3).S; P[101] <back> S");
    let first = ToldApart::default().position(Position::at(0));
    let explored = |told: &ToldApart| model.explorer().lumped().telling_apart(told).explore().unwrap();
    let (all, one) = (explored(&ToldApart::default()), explored(&first));
    assert_eq!((all.states(), one.states()), (102, 2 * 101));
    assert!(one.keeps(&first) && !all.keeps(&first));
    let [all, one] = [all, one].map(|space| space.steady_state_exact().unwrap());
    assert_eq!(all.population_named("Q").unwrap(), one.population_named("Q").unwrap());
    assert_eq!(all.throughputs(), one.throughputs());
}

/// Copies of which each is infected, or one of which wins and ends it all.
fn infection(copies: usize) -> String {
    format!(
        "S = (infect, 1).I + (win, 1).W; I = (end, 1).I; W = (won, 1).W;
         G = (win, infty).H + (infect, infty).G; H = (infect, infty).H; S[{copies}] <win, infect> G"
    )
}

/// The states that some actions lead to from the initial one, by the reference semantics.
fn after(model: &Model, path: &[skel::model::ActionId]) -> Vec<String> {
    let semantics = skel::semantics::Semantics::<f64>::new(model);
    let mut here = std::collections::BTreeSet::from([model.initial_state()]);
    for action in path {
        let next = here.iter().flat_map(|state| semantics.successors(state).unwrap());
        here = next.filter(|next| next.action == *action).map(|next| next.target).collect();
    }
    here.iter().map(|state| model.display_state(state)).collect()
}

#[test]
fn the_way_to_a_lumped_state_leads_there_without_lumping() {
    for text in [&infection(4), "P = (go, 1).Q; Q = (rest, 1).R; R = (back, 2).P; P[3] || Q"] {
        let model = parsed(text);
        let space = model.explorer().lumped().explore().unwrap();
        for state in 0..space.states() {
            let ends = after(&model, &space.path_to(state));
            assert!(ends.contains(&space.display_state(state)), "{state} of {text}: {ends:?}");
        }
    }
}

#[test]
fn a_lumped_chain_of_a_thousand_components_is_refused_at_once() {
    let space = parsed(&infection(1009)).explorer().lumped().explore().unwrap();
    assert_eq!(space.states(), 2019);
    let started = std::time::Instant::now();
    let refusal = space.steady_state().err().unwrap().to_string();
    // The states that it stands for are more than can be gone through.
    assert!(started.elapsed().as_secs() < 20, "it took {:?}", started.elapsed());
    assert!(refusal.contains("`: `I[1009] || G`") && refusal.contains("`: `I[1008] || W || H`"), "{refusal}");
}
