//! Numbers of replicas: the known case, the search against all configurations, the theorem on pipes of farms,
//! and what is said where there is no answer.

use std::num::NonZeroUsize;

use skel::dimension::{Asked, Dimension, Known, Needs, Proof, Stop, Times, Verdict};
use skel::limits::Cancellation;
use skel::prelude::*;
use skel::skeleton::{Buffers, Processors, Tree, text};

fn program(stages: &str, communication: Communication) -> Program<Tree> {
    let parsed = text::parse(stages);
    assert!(parsed.diagnostics.is_empty(), "{stages}: {:?}", parsed.diagnostics);
    parsed.tree.expect("a tree").communicating(communication)
}

fn throughput(program: &Program<Tree>) -> f64 {
    *program.performance().expect("an answer").throughput()
}

fn best(answer: &Dimension) -> (u64, &[u32]) {
    let best = answer.best.as_ref().expect("a configuration");
    (best.cost, &best.replicas)
}

const FOUR: &str = "pipe(task(\"a\", 4ms), task(\"b\", 12ms), farm(1, \"c\", 60ms), task(\"d\", 3ms));";

#[test]
fn two_hundred_items_a_second_take_21_workers() {
    for (communication, reached, missed) in
        [(Communication::everywhere(1e4), 211.214, 199.087), (Communication::negligible(), 212.157, 199.925)]
    {
        let answer = program(FOUR, communication).dimension(Target::throughput(200.0)).unwrap();
        assert_eq!(best(&answer), (21, &[2, 4, 14, 1][..]));
        assert_eq!(answer.verdict, Verdict::Cheapest(Proof::Bounds));
        assert!((answer.best.as_ref().unwrap().throughput - reached).abs() < 1e-3, "{answer}");
        let next = answer.next_cheaper.as_ref().unwrap();
        assert_eq!((next.cost, &next.replicas[..]), (20, &[2, 4, 13, 1][..]));
        assert!((next.throughput - missed).abs() < 1e-3, "{answer}");
        assert!(answer.solved <= 15, "{answer}");
        let [constant, erlang, exponential] = &answer.robustness.variation[..] else { panic!("{answer}") };
        assert!(
            matches!(&constant.needs, Needs::Closed { replicas, cost: 17, .. } if replicas[..] == [1, 3, 12, 1])
        );
        assert_eq!((erlang.times, &erlang.needs), (Times::Erlang(4), &Needs::Between(17, Some(21))));
        assert!(matches!(&exponential.needs, Needs::Configuration(found, true) if found.cost == 21));
        let kept: Vec<bool> = answer.robustness.longer.iter().map(|row| row.needs.is_none()).collect();
        assert_eq!(kept, [true, true, false, true]);
        let Some(Needs::Configuration(needs, true)) = &answer.robustness.longer[2].needs else {
            panic!("{answer}")
        };
        assert_eq!((needs.cost, &needs.replicas[..]), (22, &[2, 4, 15, 1][..]));
    }
}

/// Every configuration of at most a cost, by the model.
fn all(program: &Program<Tree>, at_most: u64) -> Vec<(u64, Vec<u32>, f64, f64)> {
    let places = program.skeleton().replicable();
    let mut found = Vec::new();
    let mut replicas = vec![1_u32; places.len()];
    'all: loop {
        let counts: Vec<_> = places.iter().copied().zip(replicas.iter().copied()).collect();
        let other = program.with_replicas(&counts);
        let cost = other.skeleton().tasks().len() as u64;
        if cost <= at_most {
            let performance = other.performance().expect("an answer");
            found.push((cost, replicas.clone(), *performance.throughput(), performance.response_time()));
        }
        for count in &mut replicas {
            *count += 1;
            if u64::from(*count) <= at_most {
                continue 'all;
            }
            *count = 1;
        }
        return found;
    }
}

/// The cheapest configuration by its quantile is that of a search over all of them.
#[test]
fn a_quantile_is_searched_in_all_configurations() {
    use skel::response::ResponseTimes;
    let program =
        program("pipe(task(\"a\", 20), task(\"b\", 5), farm(1, \"c\", 12));", Communication::negligible());
    let quantile = |replicas: &[u32]| {
        let places = program.skeleton().replicable().into_iter().zip(replicas.iter().copied());
        let system = program.with_replicas(&places.collect::<Vec<_>>()).lower_with_immediate_moves().unwrap();
        ResponseTimes::of_system(&system).solve().unwrap().quantile(0.95).unwrap().value
    };
    let found: Vec<(u64, Vec<u32>, f64)> = all(&program, 6)
        .into_iter()
        .map(|(cost, replicas, ..)| (cost, replicas.clone(), quantile(&replicas)))
        .collect();
    for target in [1.2, 0.9, 0.8, 0.75] {
        let answer = program
            .dimensioning(Target::response_time_of(0.95, mean(target)))
            .at_most(6)
            .without_robustness()
            .search()
            .unwrap();
        let least = found.iter().filter(|(.., time)| *time <= target).map(|(cost, ..)| *cost).min();
        match (&answer.best, least) {
            (Some(best), Some(least)) => {
                assert_eq!(best.cost, least, "{target}: {answer}");
                assert_eq!(answer.verdict, Verdict::Cheapest(Proof::Exhaustion));
                let quickest = found.iter().filter(|(cost, ..)| *cost == least);
                let quickest = quickest.map(|(.., time)| *time).fold(f64::INFINITY, f64::min);
                assert!((best.quantile.unwrap() - quickest).abs() < 1e-6, "{target}: {answer}");
            }
            (None, None) => assert!(matches!(answer.verdict, Verdict::Unreachable(_)), "{target}: {answer}"),
            _ => panic!("{target}: {least:?}, {answer}"),
        }
    }
    let out_of_range = program.dimension(Target::response_time_of(1.0, mean(1.0))).unwrap_err();
    assert!(out_of_range.to_string().contains("above 0 and below 1"), "{out_of_range}");
    // Three services alone take longer than this for one item in twenty.
    let unreachable = program.dimension(Target::response_time_of(0.95, mean(0.3))).unwrap();
    let Verdict::Unreachable(obstacle) = &unreachable.verdict else { panic!("{unreachable}") };
    assert!(obstacle.bound.unwrap() > 0.3 && unreachable.solved == 0, "{unreachable}");
}

#[test]
fn the_search_finds_what_trying_all_finds() {
    for (stages, at_most) in [
        ("pipe(task(5), task(2), task(9));", 7),
        ("pipe(task(5), farm(2, 2));", 7),
        ("farm(1, 3);", 5),
        ("pipe(task(3), deal(1, 1), task(2));", 5),
        ("pipe(deal(2, 1), deal(2, 1));", 5),
        ("pipe(farm(2, pipe(task(3), task(2))), task(4));", 6),
        ("pipe(farm(1, farm(2, 1)), task(3));", 5),
    ] {
        for communication in [Communication::everywhere(10.0), Communication::negligible()] {
            let program = program(stages, communication);
            let all = all(&program, at_most);
            let highest = all.iter().map(|one| one.2).fold(0.0, f64::max);
            for part in [0.2, 0.5, 0.8, 0.97, 1.0, 1.02] {
                let target = part * highest;
                let answer = program
                    .dimensioning(Target::throughput(target))
                    .at_most(at_most)
                    .without_robustness()
                    .search();
                let answer = answer.unwrap();
                let kept = || all.iter().filter(|one| one.2 >= target * (1.0 - 1e-9));
                let Some(least) = kept().map(|one| one.0).min() else {
                    assert!(matches!(answer.verdict, Verdict::Unreachable(_)), "{stages} {target}: {answer}");
                    continue;
                };
                assert!(answer.is_proved(), "{stages} {target}: {answer}");
                let best = answer.best.as_ref().unwrap();
                assert_eq!(best.cost, least, "{stages} {target}: {answer}");
                let of_cost = kept().filter(|one| one.0 == least).map(|one| one.2).fold(0.0, f64::max);
                assert!((best.throughput - of_cost).abs() < 1e-7 * of_cost, "{stages} {target}: {answer}");
                for (_, replicas, ..) in kept().filter(|one| one.0 == least) {
                    let is_listed = answer.ties.iter().any(|tie| &tie.replicas == replicas);
                    assert!(
                        is_listed || &best.replicas == replicas,
                        "{stages} {target}: {replicas:?} in {answer}"
                    );
                }
                if let Some(next) = &answer.next_cheaper {
                    assert!(next.cost < least && next.throughput < target, "{stages} {target}: {answer}");
                }
            }
        }
    }
}

#[test]
fn the_search_for_a_response_time_finds_what_trying_all_finds() {
    for (stages, at_most) in [
        ("pipe(task(5), task(2), task(9));", 7),
        ("pipe(task(3), deal(1, 1));", 5),
        ("pipe(farm(1, pipe(task(3), task(2))), task(4));", 6),
    ] {
        let program = program(stages, Communication::everywhere(20.0));
        let all = all(&program, at_most);
        let shortest = all.iter().map(|one| one.3).fold(f64::INFINITY, f64::min);
        for part in [0.5, 0.99, 1.0, 1.1, 1.3, 2.0] {
            let target = part * shortest;
            let question = program.dimensioning(Target::response_time(mean(target))).at_most(at_most);
            let answer = question.without_robustness().search().unwrap();
            let least = all.iter().filter(|one| one.3 <= target * (1.0 + 1e-9)).map(|one| one.0).min();
            assert_eq!(answer.best.as_ref().map(|best| best.cost), least, "{stages} {target}: {answer}");
            let is_proved =
                matches!(answer.verdict, Verdict::Cheapest(Proof::Exhaustion) | Verdict::Unreachable(_));
            assert!(is_proved, "{stages} {target}: {answer}");
        }
    }
}

/// Pipes of farms with everything that the theorem allows.
fn lines() -> Vec<Program<Tree>> {
    let mut lines = Vec::new();
    for stages in [
        "task(3);",
        "farm(3, 2);",
        "pipe(task(5), task(2));",
        "pipe(farm(2, 1), farm(3, 1));",
        "pipe(task(5), farm(2, 2), task(3));",
        "pipe(farm(2, 2), pipe(task(3), farm(2, 2)));",
        "pipe(task(5), farm(2, 2), task(7), farm(2, 1));",
    ] {
        for communication in [Communication::everywhere(4.0), Communication::negligible()] {
            let plain = program(stages, communication);
            lines.push(plain.clone().one_port());
            for capacity in [1, 3] {
                lines.push(plain.clone().buffers(capacity));
            }
            let stages = plain.skeleton().top_level();
            if let &[_, .., last] = &stages[..] {
                lines.push(plain.clone().with_buffers(Buffers::everywhere(1).before(last, 2)).one_port());
            }
            lines.push(plain);
        }
    }
    lines
}

/// The search solves exponential pipes of farms by their counts, without the PEPA model.
#[test]
fn figures_by_counts_are_those_of_the_model() {
    for program in lines() {
        let asked =
            program.dimensioning(Target::throughput(1e-3)).only([]).without_robustness().search().unwrap();
        let (best, performance) = (asked.best.unwrap(), program.performance().unwrap());
        let (throughput, time) = (*performance.throughput(), performance.response_time());
        let is_equal = |one: f64, other: f64| (one - other).abs() < 1e-8 * other;
        assert!(is_equal(best.throughput, throughput), "{program:?}: {} and {throughput}", best.throughput);
        assert!(is_equal(best.response_time, time), "{program:?}: {} and {time}", best.response_time);
    }
}

/// One more replica, a longer time and the stages around a window, also where times have phases.
#[test]
fn what_is_proved_of_pipes_of_farms_holds() {
    let phases = [
        program(
            "pipe(task(5), farm(2, erlang(2, 0.5)), task(hyperexponential([1/4, 3/4], [1, 6])));",
            6.into(),
        ),
        program(
            "pipe(farm(2, fitted(1, 2/3)), farm(2, erlang(3, 0.5)), task(3));",
            Communication::negligible(),
        ),
    ];
    for program in lines().into_iter().chain(phases) {
        let tree = program.skeleton();
        let now = throughput(&program);
        for place in tree.replicable() {
            let count = match tree.stage(place) {
                skel::skeleton::Stage::Replicated { replicas, .. } => *replicas,
                _ => 1,
            };
            let more = throughput(&program.with_replicas(&[(place, count + 1)]));
            assert!(more > now * (1.0 - 1e-9), "{program:?}: {now} and {more}");
        }
        for task in tree.tasks() {
            let slower = tree
                .with_times(&|id, time| if id == task { time.longer_by(&ratio(3, 2)) } else { time.clone() });
            let slower = throughput(&program.with_skeleton(slower));
            assert!(slower < now * (1.0 + 1e-9), "{program:?}: {now} and {slower}");
        }
        let stages = tree.top_level();
        for size in 1..stages.len() {
            for window in stages.windows(size) {
                let alone = throughput(&program.part(window, &[]));
                assert!(alone > now * (1.0 - 1e-9), "{program:?}: {now} and {alone} of {window:?}");
            }
        }
    }
}

/// So the search rules nothing out where there are deals.
#[test]
fn one_more_replica_of_a_deal_may_lower_the_throughput() {
    let two = throughput(&program("pipe(deal(2, 1), deal(2, 1));", 10.into()));
    let three = throughput(&program("pipe(deal(2, 1), deal(3, 1));", 10.into()));
    assert!((two - 1.25).abs() < 1e-9 && (three - 1.237_724_372).abs() < 1e-8, "{two} {three}");
    let program = program("pipe(deal(2, 1), deal(2, 1));", 10.into());
    let places = program.skeleton().replicable();
    let answer = program.dimensioning(Target::throughput(1.24)).only([places[1]]).search().unwrap();
    assert_eq!(best(&answer), (4, &[2][..]));
    assert_eq!(answer.verdict, Verdict::Cheapest(Proof::Exhaustion));
}

#[test]
fn small_programs_are_solved_for_erlang_times_too() {
    let program = program("pipe(task(5), task(2));", Communication::negligible());
    let answer = program.dimension(Target::throughput(3.5)).unwrap();
    let cost = |needs: &Needs| match needs {
        Needs::Configuration(found, true) => found.cost,
        Needs::Closed { cost, .. } => *cost,
        other => panic!("{other:?}"),
    };
    let costs: Vec<u64> = answer.robustness.variation.iter().map(|row| cost(&row.needs)).collect();
    assert!(costs.is_sorted() && costs[0] == 3 && costs[2] == answer.best.as_ref().unwrap().cost, "{answer}");
    let erlang = program.skeleton().with_times(&|_, time| time.as_erlang(4));
    let same = program.with_skeleton(erlang).dimension(Target::throughput(3.5)).unwrap();
    assert_eq!(best(&same).0, costs[1], "{same}");
    let exponential = same.robustness.variation.iter().find(|row| row.times == Times::Exponential).unwrap();
    assert_eq!(cost(&exponential.needs), costs[2], "{same}");
    assert!(same.robustness.variation.iter().all(|row| row.times != Times::AsWritten));
}

#[test]
fn times_of_another_kind_have_a_row_of_their_own() {
    let program = program("pipe(task(5), task(fitted(0.5, 2)));", Communication::negligible());
    let answer = program.dimension(Target::throughput(3.5)).unwrap();
    let last = answer.robustness.variation.last().unwrap();
    let best = answer.best.clone().unwrap();
    assert_eq!((last.times, &last.needs), (Times::AsWritten, &Needs::Configuration(best, true)));
}

#[test]
fn costs_and_places_decide_what_is_cheapest() {
    let program =
        program("pipe(task(\"a\", 5), task(\"b\", 4), task(\"c\", 9));", Communication::negligible());
    let tasks = program.skeleton().tasks();
    let plain = program.dimensioning(Target::throughput(3.2)).without_robustness().search().unwrap();
    let dear = program
        .dimensioning(Target::throughput(3.2))
        .cost(tasks[1], 5)
        .without_robustness()
        .search()
        .unwrap();
    assert_eq!(best(&plain), (4, &[1, 2, 1][..]), "{plain}");
    // Without a second replica of `b`, which is dear now.
    let (cost, replicas) = best(&dear);
    assert_eq!((replicas[1], cost), (1, u64::from(replicas[0] + 5 + replicas[2])), "{dear}");
    let only = program.dimensioning(Target::throughput(2.9)).only([tasks[1]]).search().unwrap();
    assert_eq!((only.places.len(), best(&only).1.len()), (1, 1));
    assert_eq!(only.skeleton().unwrap().top_level().len(), 3);
}

#[test]
fn what_cannot_be_reached_says_the_bound_and_the_stage() {
    let four = program(FOUR, Communication::everywhere(1e4));
    let tasks = four.skeleton().tasks();
    let places = four.skeleton().replicable();
    let unreachable = |answer: Dimension| match answer.verdict.clone() {
        Verdict::Unreachable(obstacle) => obstacle,
        other => panic!("{other:?}: {answer}"),
    };
    let fixed =
        four.dimensioning(Target::throughput(400.0)).only([tasks[0], tasks[1], places[2]]).search().unwrap();
    let fixed = unreachable(fixed);
    assert_eq!((fixed.stage.as_str(), fixed.bound.map(f64::round)), ("d", Some(333.0)));
    let few = unreachable(four.dimensioning(Target::throughput(200.0)).at_most(15).search().unwrap());
    assert_eq!((few.stage.as_str(), few.bound.map(f64::round)), ("c", Some(167.0)));
    let almost = four.dimensioning(Target::throughput(200.0)).at_most(20).search().unwrap();
    let closest = almost.closest.clone().unwrap();
    assert_eq!((closest.cost, &closest.replicas[..]), (20, &[2, 4, 13, 1][..]));
    assert!(unreachable(almost).bound.is_some_and(|bound| (bound - closest.throughput).abs() < 1e-9));
    let port = program("pipe(task(50), task(50));", Communication::everywhere(20.0)).one_port();
    let port = unreachable(port.dimensioning(Target::throughput(25.0)).at_most(30).search().unwrap());
    assert!(port.bound.is_some_and(|bound| bound < 20.0), "{port:?}");
    let time = unreachable(four.dimension(Target::response_time(70.ms())).unwrap());
    assert_eq!((time.stage.as_str(), time.bound.map(|bound| (bound * 1e3).round())), ("c", Some(79.0)));
}

#[test]
fn a_stop_is_an_answer() {
    let four = program(FOUR, Communication::everywhere(1e4));
    let ask = || four.dimensioning(Target::throughput(200.0)).without_robustness();
    let cancellation = Cancellation::default();
    cancellation.cancel();
    let cancelled = ask().limits(&Limits { cancellation, ..Limits::default() }).search().unwrap();
    assert!(
        matches!(cancelled.verdict, Verdict::NothingFound { least_cost: 17, why: Stop::Limit(_) }),
        "{cancelled}"
    );
    let few = ask().most_solved(1).search().unwrap();
    assert_eq!(best(&few), (21, &[2, 4, 14, 1][..]));
    // A chain that is too large is left open.
    let small =
        ask().limits(&Limits { states: 5000, threads: NonZeroUsize::new(1), ..Limits::default() }).search();
    let small = small.unwrap();
    assert!(!small.is_proved() && !matches!(small.verdict, Verdict::Unreachable(_)), "{small}");
    let open = small.ties.iter().any(|tie| matches!(tie.figure, Known::NotSolved(..)));
    assert!(open || small.best.is_none(), "{small}");
}

#[test]
fn a_wrong_question_is_refused_with_everything_that_is_wrong() {
    let program = program("pipe(task(\"a\", 5), farm(2, \"b\", 2));", 10.into());
    let worker = program.skeleton().tasks()[1];
    for target in [
        Target::throughput(0.0),
        Target::throughput(-1),
        Target::throughput(f64::NAN),
        Target::response_time(0.ms()),
    ] {
        let error = program.dimension(target).unwrap_err().to_string();
        assert!(error.starts_with("the target is"), "{error}");
    }
    let question = program.dimensioning(Target::throughput(0)).cost(worker, 0).only([worker]);
    let error = question.search().unwrap_err().to_string();
    assert_eq!(error.lines().count(), 3, "{error}");
    assert!(
        error.contains("a replica of b costs 0") && error.contains("number of replicas of b cannot vary"),
        "{error}"
    );
    let shared = program.clone().with_processors(Processors::assigned([1], [0, 0, 0]));
    let error = shared.dimension(Target::throughput(1)).unwrap_err().to_string();
    assert!(error.contains("assigned to processors"), "{error}");
    let linked = program.clone().with_buffers(Buffers::default().between(0, 1, 2));
    let error = linked.dimension(Target::throughput(1)).unwrap_err().to_string();
    assert!(error.contains("a buffer between two tasks"), "{error}");
    let silent = program.skeleton().clone().communicating(Communication::default());
    let error = silent.dimension(Target::throughput(1)).unwrap_err().to_string();
    assert!(error.contains("no communication rate"), "{error}");
}

#[test]
fn an_answer_says_what_was_asked() {
    let answer = program(FOUR, Communication::negligible()).dimension(Target::throughput(200.0)).unwrap();
    assert_eq!(answer.asked, Asked::Throughput(200.0));
    let words = answer.to_string();
    for part in
        ["200 items per unit of time take a cost of 21", "next cheaper: (2, 4, 13, 1) for 20", "17 to 21"]
    {
        assert!(words.contains(part), "{words}");
    }
}
