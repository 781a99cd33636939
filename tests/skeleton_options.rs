//! What a skeleton leaves open: rates of links, processors and their powers, and what is wrong with them.

use skel::performance::{Perform, Performance};
use skel::prelude::*;
use skel::skeleton::{
    Buffers, Communication, Pipe, Processors, Program, Skeleton, StageId, Task, Tree, farm, pipe, task, text,
};

/// The throughput of two tasks of the rates `a` and `b` with moves at `c`, from the balance of its four
/// states: with `q = a/b`, `a (1 + q) / (1 + q + q^2 + a (1 + q) / c)`.
fn two_tasks(a: &Ratio, b: &Ratio, c: &Ratio) -> Ratio {
    let q = a / b;
    let one = ratio(1, 1);
    let produced = a * (&one + &q);
    &produced / (one + &q + &q * &q + &produced / c)
}

fn stages() -> Pipe<(Task, Task)> {
    pipe((task(2), task(3)))
}

fn exact<S: Skeleton>(program: &Program<S>) -> Ratio {
    program.performance_exact().expect("an answer").throughput().clone()
}

#[test]
fn tasks_on_one_processor_share_its_power() {
    let alone = stages().communicating(5);
    assert_eq!(exact(&alone), two_tasks(&ratio(2, 1), &ratio(3, 1), &ratio(5, 1)));
    assert_eq!(exact(&alone), ratio(6, 5));
    let shared = alone.clone().with_processors(Processors::assigned([1], [0, 0]));
    assert_eq!(exact(&shared), two_tasks(&ratio(1, 1), &ratio(3, 2), &ratio(5, 1)));
    assert_eq!(exact(&shared), ratio(15, 22));
    let text = shared.lower().expect("a model").to_string();
    assert!(
        text.contains("\nProcessor_0 = (comp_0, 1.0).Processor_0 + (comp_1, 1.5).Processor_0;\n"),
        "{text}"
    );
    // Twice the power is what each had alone, and so is a core for each.
    assert_eq!(exact(&alone.clone().with_processors(Processors::assigned([2], [0, 0]))), ratio(6, 5));
    assert_eq!(
        exact(&alone.clone().with_processors(Processors::assigned([1], [0, 0]).undivided())),
        ratio(6, 5)
    );
}

#[test]
fn powers_are_factors_of_the_rates_on_a_processor() {
    let on = |powers: [Rate; 2], of_task: [usize; 2]| {
        exact(&stages().communicating(5).with_processors(Processors::assigned(powers, of_task)))
    };
    assert_eq!(on([3.into(), 0.5.into()], [0, 1]), two_tasks(&ratio(6, 1), &ratio(3, 2), &ratio(5, 1)));
    assert_eq!(on([3.into(), 0.5.into()], [1, 0]), two_tasks(&ratio(1, 1), &ratio(9, 1), &ratio(5, 1)));
    // A processor without a task changes nothing, and is not in the model.
    assert_eq!(on([1.into(), 7.into()], [0, 0]), ratio(15, 22));
    let three = pipe((task(1), task(3), task(2))).communicating(1);
    let assigned = three.clone().with_processors(Processors::assigned([2, 1], [0, 0, 1]));
    assert_eq!(exact(&assigned), exact(&three));
    let performance = assigned.performance_exact().expect("an answer");
    let rates: Vec<String> = performance.tasks().iter().map(|task| task.rate.to_string()).collect();
    assert_eq!(rates, ["1", "3", "2"]);
    assert_eq!(performance.tasks()[2].busy, performance.throughput() / ratio(2, 1));
}

#[test]
fn replicas_on_processors_of_their_own_are_told_apart() {
    let farm = "pipe(task(1), farm(2, 1), task(1));";
    let on = |powers: [i32; 4]| {
        let program = Program::new(text::parse(farm).into_tree().expect("a tree"), 1);
        program.with_processors(Processors::assigned(powers, 0..4)).performance_exact().expect("an answer")
    };
    let (equal, unequal): (Performance<Tree, Ratio>, _) = (on([1; 4]), on([1, 1, 2, 1]));
    assert_eq!(*equal.throughput(), ratio(2_676_726, 6_029_579));
    let lumping = |of: &Performance<Tree, Ratio>| of.steady_state().space().lumping().is_some();
    assert!(lumping(&equal) && !lumping(&unequal));
    assert_eq!(equal.tasks()[1].throughput, equal.tasks()[2].throughput);
    assert!(unequal.tasks()[1].throughput < unequal.tasks()[2].throughput);
}

#[test]
fn links_have_rates_by_matrix_closure_list_and_text() {
    let two = |communication: Communication| exact(&stages().communicating(communication));
    let expected = two_tasks(&ratio(2, 1), &ratio(3, 1), &ratio(1, 3));
    assert_eq!(
        two(Communication::matrix([[ratio(9, 1), ratio(1, 3)], [ratio(9, 1), ratio(9, 1)]])),
        expected
    );
    assert_eq!(two(Communication::per_link(|from, to| ratio(1, (2 * from + 3 * to) as i64))), expected);
    assert_eq!(two(Communication::links([((0, 1), ratio(1, 3).into())], Some(9.into()))), expected);
    let written = text::parse("pipe(task(2), task(3)); communication(0, 1, 1/3); communication(9);");
    let system = written.lower(None).expect("a model");
    let performance: Performance<Tree, Ratio> =
        Performance::from_system_exact(system, &Limits::default()).expect("an answer");
    assert_eq!(*performance.throughput(), expected);
}

/// A farm whose second worker is further away, written by hand.
const FARM: &str = "
    Network = (move_0_1, 2).Network + (move_0_2, 1/4).Network + (move_1_3, 3).Network + (move_2_3, 1/4).Network;
    Source = (comp_0, 1).Ready; Ready = (move_0_1, infty).Source + (move_0_2, infty).Source;
    Near = (move_0_1, infty).(comp_1, 1).(move_1_3, infty).Near;
    Far = (move_0_2, infty).(comp_2, 1).(move_2_3, infty).Far;
    Sink = (move_1_3, infty).Busy + (move_2_3, infty).Busy; Busy = (comp_3, 1).Sink;
    Network <move_0_1, move_0_2, move_1_3, move_2_3>
        (Source <move_0_1, move_0_2> (Near || Far) <move_1_3, move_2_3> Sink)";

#[test]
fn a_farm_with_unequal_links_is_the_model_that_one_would_write() {
    let by_hand = skel::text::parse(FARM).into_model().expect("a model").explore().expect("a space");
    let by_hand = by_hand.steady_state_exact().expect("an answer");
    let rows = [[0.0, 2.0, 0.25, 0.0], [0.0, 0.0, 0.0, 3.0], [0.0, 0.0, 0.0, 0.25], [0.0; 4]];
    let stages = text::parse("pipe(task(1), farm(2, 1), task(1));").into_tree().expect("a tree");
    let performance =
        Program::new(stages, Communication::matrix(rows)).performance_exact().expect("an answer");
    for (task, found) in performance.tasks().iter().enumerate() {
        assert_eq!(found.throughput, by_hand.throughput_named(&format!("comp_{task}")).expect("an action"));
    }
}

fn errors<S: Skeleton>(program: &Program<S>) -> Vec<String> {
    let errors = program.lower().expect_err("something is wrong").0;
    errors
        .into_iter()
        .map(|error| format!("{}: {}; {}", error.code.word(), error.message, error.help))
        .collect()
}

#[test]
fn what_is_wrong_with_processors_is_said() {
    let on = |processors| errors(&stages().communicating(5).with_processors(processors));
    const HELP: &str = "name a processor, from 0, for every task, replicas counted";
    assert_eq!(
        on(Processors::assigned([1], [0])),
        [format!("bad_processors: 1 task is assigned to a processor, but there are 2; {HELP}")]
    );
    assert_eq!(
        on(Processors::assigned([1], [0, 1, 0])),
        [
            format!("bad_processors: 3 tasks are assigned to processors, but there are 2; {HELP}"),
            format!("bad_processors: task 1 is assigned to processor 1, but there is 1 processor; {HELP}"),
        ]
    );
    assert_eq!(
        on(Processors::assigned([1, 1], [0, 2])),
        [format!("bad_processors: task 1 is assigned to processor 2, but there are 2 processors; {HELP}")]
    );
    assert_eq!(
        on(Processors::assigned([0.0, f64::NAN], [0, 1])),
        [
            "rate_not_positive: the rate of processor 0 (its power) is 0; a rate is a number of events per unit of time: \
             it must be above 0",
            "rate_not_positive: the rate of processor 1 (its power) is not a number (`NAN`); a rate is a finite \
             number of events per unit of time, above 0",
        ]
    );
}

#[test]
fn what_is_wrong_with_links_is_said() {
    let with = |communication| errors(&pipe((task(1), task(1), task(1))).communicating(communication));
    const HELP: &str = "give one rate for all moves, or one for each link, in moves per unit of time";
    const POSITIVE: &str = "a rate is a number of events per unit of time: it must be above 0";
    const NO_TIME: &str = "for moves that take no time give `Communication::negligible()`";
    assert_eq!(
        with(Communication::matrix([[1.0, 1.0]])),
        [format!(
            "missing_communication: stage 2: the move from task 1 to task 2 has no communication rate; {HELP}"
        )]
    );
    assert_eq!(
        with(Communication::per_link(|from, _| if from == 0 { -1.0 } else { f64::INFINITY })),
        [
            format!(
                "rate_not_positive: stage 1: the rate of the move from task 0 to task 1 is -1, which is negative; {POSITIVE}"
            ),
            format!(
                "rate_not_positive: stage 2: the rate of the move from task 1 to task 2 is infinite (`INFINITY`); {NO_TIME}"
            ),
        ]
    );
    assert_eq!(
        with(Communication::default()),
        [format!(
            "missing_communication: stage 1: the 2 moves have no communication rate, beginning with the one from \
             task 0 to task 1; {HELP}"
        )]
    );
}

#[test]
fn what_is_wrong_with_buffers_is_said() {
    let stages = pipe((task(1), farm(2, 1), task(1)));
    let with = |buffers| errors(&stages.clone().communicating(5).with_buffers(buffers));
    const NUMBER: &str = "a capacity is a number of items; 0 stands for no buffer";
    assert_eq!(
        with(Buffers::everywhere(-1).before(StageId(4), -2)),
        [
            format!("bad_buffer: the capacity of the buffer is -1, which is negative; {NUMBER}"),
            format!("bad_buffer: the capacity of the buffer is -2, which is negative; {NUMBER}"),
        ]
    );
    assert_eq!(
        with(Buffers::everywhere(1_000_001)),
        [
            "bad_buffer: the capacity of the buffer is 1000001, more than 1000000; a model has a component for every place in a \
             buffer: give a smaller capacity"
        ]
    );
    assert_eq!(
        with(Buffers::everywhere(1_000_000)),
        [
            "system_too_large: the system has more than 2000000 components; the skeleton is too large: use fewer replicas or \
             smaller buffers"
        ]
    );
    const FIRST: &str = "items enter the skeleton there; a buffer is before a later stage of a pipe";
    assert_eq!(
        with(Buffers::default().before(StageId(0), 1).before(StageId(1), 1).before(StageId(5), 1)),
        [
            format!("bad_buffer: a buffer before `pipe`, to which no stage sends; {FIRST}"),
            format!("bad_buffer: stage 0: a buffer before `task`, to which no stage sends; {FIRST}"),
            "bad_buffer: a buffer before stage 5, but the nodes of the skeleton have the numbers 0 to 4; take the number from \
             this skeleton: `Skeleton::tree` has its nodes, and a handle its number"
                .to_owned(),
        ]
    );
    assert_eq!(
        with(Buffers::default().between(0, 2, 1).between(1, 3, 1).between(0, 3, 1)),
        [
            "bad_buffer: stage 1, worker: a buffer between task 0 and task 2 alone, but 2 workers of a farm share one buffer \
             there; give the buffer before the farm by the name of its worker: `buffers(\"name\", 4);`, in Rust `buffer_before`",
            "bad_buffer: stage 2: a buffer between task 1 and task 3 alone, but 2 workers of a farm share one buffer there; give \
             the buffer behind the farm by the name of the stage that follows: `buffers(\"name\", 4);`, in Rust `buffer_before`",
            "bad_buffer: a buffer between task 0 and task 3, between which nothing moves; task 0 sends to tasks 1, 2",
        ]
    );
}

#[test]
fn links_that_are_served_as_one_have_one_rate() {
    let stages = pipe((task(1), farm(2, 1), task(1)));
    let links = Communication::links([((0, 2), 3.into())], Some(5.into()));
    let unequal = "unequal_links: stage 1, worker: the links from task 0 to task 1 and from task 0 to task 2 are served as one, but \
                   the first has the rate 5, and the second has the rate 3; give the links to the workers of a farm one rate; \
                   different rates need a program without a buffer there and without one port";
    let program = stages.communicating(links);
    assert_eq!(errors(&program.clone().one_port()), [unequal]);
    assert_eq!(errors(&program.clone().buffers(1)), [unequal]);
    // The other side of the farm has links of one rate, which one buffer can serve.
    assert!(program.with_buffers(Buffers::default().before(StageId(4), 1)).lower().is_ok());
}

#[test]
fn processors_set_the_speed_of_phases() {
    // Two phases of one rate, of which one is taken, are an exponential time. The tasks of such times have
    // rates of their own.
    let on = |time: &str, powers: [i32; 4]| {
        let stages = format!("pipe(task(1), farm(2, {time}), task(1));");
        let program = Program::new(text::parse(&stages).into_tree().expect("a tree"), 1);
        program
            .with_processors(Processors::assigned(powers, [0, 1, 2, 2]))
            .performance_exact()
            .expect("an answer")
    };
    let in_phases = "hyperexponential([1/3, 2/3], [2, 2])";
    for powers in [[1; 4], [1, 1, 3, 1]] {
        let (one, other) = (on("2", powers), on(in_phases, powers));
        assert!(!other.system().to_string().contains("Processor"), "{}", other.system());
        for (one, other) in one.tasks().iter().zip(other.tasks()) {
            assert_eq!(
                (&one.rate, &one.throughput, &one.busy),
                (&other.rate, &other.throughput, &other.busy)
            );
            assert_eq!((&one.starved, &one.blocked), (&other.starved, &other.blocked));
        }
    }
}
