//! The paper's experiments: every figure of Table 5.1, Fig. 5.1 and Fig. 5.2, computed apart from this
//! program (`tests/seeds`), and the crossovers, found here by bisection.

use serde_json::Value;
use skel_core::rate::Rate;
use skel_plan::{
    Application, Bandwidth, Data, Formula, Links, Mapping, Planner, Platform, Power, Processor, Stage, Work,
};

const TOLERANCE: f64 = 1e-8;

fn seed(name: &str) -> Value {
    let path = format!("{}/../tests/seeds/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn bandwidth(value: impl Into<Rate>) -> Bandwidth {
    Bandwidth::bytes_per_second(value)
}

fn processors(powers: &[f64]) -> Vec<Processor> {
    powers.iter().map(|&power| Processor::new(Power::per_second(power))).collect()
}

/// Stages of work 1 with data of these sizes, the last that of the output.
fn pipeline(sizes: &[f64]) -> Application {
    let (output, inputs) = sizes.split_last().unwrap();
    let stages = inputs.iter().map(|&size| Stage::new(Work::units(1)).receiving(Data::bytes(size)));
    Application::pipeline(stages, Data::bytes(*output)).unwrap()
}

/// `123` as a mapping of three stages.
fn mapping(digits: &str) -> Mapping {
    Mapping::new(digits.chars().map(|digit| digit.to_digit(10).unwrap()))
}

fn throughput(planner: &Planner, mapping: &Mapping) -> f64 {
    planner.evaluate(mapping).unwrap().throughput.value()
}

/// `nl1-2`, `nl2-3`, `nl1-3`, `cp1`, `cp2`, `cp3`.
fn of_table(parameters: &[f64]) -> Planner {
    let links = Links::none()
        .within(bandwidth(10_000))
        .between(1, 2, bandwidth(parameters[0]))
        .between(2, 3, bandwidth(parameters[1]))
        .between(1, 3, bandwidth(parameters[2]));
    let platform = Platform::new(processors(&parameters[3..]), &links).unwrap();
    Planner::new(pipeline(&[1.0; 4]), platform)
}

#[test]
fn table_5_1() {
    let rows = seed("table51.json");
    let mut ours = Vec::new();
    for row in rows.as_array().unwrap() {
        let parameters: Vec<f64> =
            row["params"].as_array().unwrap().iter().map(|one| one.as_f64().unwrap()).collect();
        let planner = of_table(&parameters);
        let is_back = row["conv"] == "1,t,1";
        for (digits, expected) in row["all"].as_object().unwrap() {
            let place = mapping(digits);
            let place = if is_back { place.with_output(1) } else { place };
            let value = throughput(&planner, &place);
            assert!((value - expected.as_f64().unwrap()).abs() < TOLERANCE, "{row}: {digits} {value}");
        }
        if !is_back {
            let candidates: Vec<Mapping> =
                row["all"].as_object().unwrap().keys().map(|digits| mapping(digits)).collect();
            let best = planner.rank(&candidates).unwrap().best().clone();
            assert_eq!(best.mapping, mapping(row["paper_map"].as_str().unwrap()));
            ours.push((best.throughput.value(), row["paper"].as_f64().unwrap()));
        }
    }
    assert_eq!(ours.len(), 7);
    // The third row, 3.36671506, is cut off and not rounded in the paper.
    for (row, (value, printed)) in ours.into_iter().enumerate() {
        let digits = if row == 2 { 1e-5 } else { 5e-6 };
        assert!((value - printed).abs() <= digits + 1e-9, "row {}: {value} is printed {printed}", row + 1);
    }
}

/// The second experiment: `ds2` is varied, the ends are of the size `ends`.
fn of_experiment_2(ds2: f64, ends: f64) -> Planner {
    let links = Links::everywhere(bandwidth(1000)).within(bandwidth(10_000)).between(1, 2, bandwidth(100));
    let platform = Platform::new(processors(&[10.0; 3]), &links).unwrap();
    Planner::new(pipeline(&[ends, ds2, 100.0, ends]), platform)
}

#[test]
fn experiment_2() {
    let figures = seed("exp2.json");
    for (name, ends) in [("bnd100", 100.0), ("bnd1", 1.0)] {
        let points = figures[name].as_object().unwrap();
        assert_eq!(points.len(), 17);
        for (ds2, mappings) in points {
            let planner = of_experiment_2(ds2.parse().unwrap(), ends);
            for (digits, expected) in mappings.as_object().unwrap() {
                let value = throughput(&planner, &mapping(digits));
                assert!((value - expected.as_f64().unwrap()).abs() < TOLERANCE, "{ds2} {digits} {value}");
            }
        }
        let crossing = root(100.0, 200.0, |ds2| {
            let planner = of_experiment_2(ds2, ends);
            throughput(&planner, &mapping("132")) - throughput(&planner, &mapping("113"))
        });
        let expected = figures[format!("cross_132_113_{name}")].as_f64().unwrap();
        assert!((crossing / expected - 1.0).abs() < 1e-7, "{crossing}");
    }
}

/// The third experiment: eight stages on so many processors.
fn spread(processors: u32) -> Mapping {
    let share = 8 / processors;
    Mapping::new((0..8).map(|stage| stage / share + 1))
}

fn platform_of_experiment_3(link: f64) -> Platform {
    let links = Links::everywhere(bandwidth(link)).within(bandwidth(10_000));
    Platform::new(processors(&[10.0; 8]), &links).unwrap()
}

fn of_experiment_3() -> Planner {
    Planner::new(pipeline(&[1.0; 9]), platform_of_experiment_3(1.0))
}

fn at_output(mapping: Mapping, is_back: bool) -> Mapping {
    if is_back { mapping.with_output(1) } else { mapping }
}

#[test]
fn experiment_3() {
    let (figures, planner) = (seed("exp3.json"), of_experiment_3());
    for (name, is_back) in [("nob", false), ("back", true)] {
        let points = figures[name].as_object().unwrap();
        assert_eq!(points.len(), 16);
        for (link, expected) in points {
            let planner = planner.with_platform(platform_of_experiment_3(link.parse().unwrap()));
            let places = [8, 4, 2, 1].map(|count| at_output(spread(count), is_back));
            let ranking = planner.rank(&places).unwrap();
            for (place, count) in places.iter().zip(["8", "4", "2", "1"]) {
                let ranked = ranking.mappings().iter().find(|ranked| ranked.mapping == *place).unwrap();
                let (value, expected) = (ranked.throughput.value(), expected[count].as_f64().unwrap());
                assert!((value - expected).abs() < TOLERANCE, "{link} {count} {value}");
            }
        }
    }
}

#[test]
fn crossovers_of_experiment_3() {
    let (figures, planner) = (seed("exp3.json"), of_experiment_3());
    for (name, few, many) in [("1/2", 1, 2), ("2/4", 2, 4), ("4/8", 4, 8)] {
        let expected = figures["cross_nob"][name].as_f64().unwrap();
        let crossing = root(expected * 0.9, expected * 1.1, |link| {
            let planner = planner.with_platform(platform_of_experiment_3(link));
            throughput(&planner, &spread(few)) - throughput(&planner, &spread(many))
        });
        assert!((crossing / expected - 1.0).abs() < 1e-7, "{name}: {crossing}");
    }
}

/// Where a function changes its sign: by regula falsi with the weight of a stale end halved (the Illinois
/// rule).
fn root(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut at_low, mut at_high) = (function(low), function(high));
    assert!(at_low * at_high < 0.0);
    for _ in 0..60 {
        let middle = (low * at_high - high * at_low) / (at_high - at_low);
        let value = function(middle);
        if value * at_high < 0.0 {
            (low, at_low) = (high, at_high);
        } else {
            at_low /= 2.0;
        }
        (high, at_high) = (middle, value);
        if (high / low - 1.0).abs() < 1e-10 || value.abs() < 1e-13 {
            break;
        }
    }
    high
}

/// `w = (2, 4, 1)`, powers 10, links 10 between processors, by both formulas.
#[test]
fn both_formulas() {
    let works = [2, 4, 1].map(|work| Stage::new(Work::units(work)));
    let links = Links::everywhere(bandwidth(10)).within(bandwidth(10_000));
    let platform = Platform::new(processors(&[10.0; 3]), &links).unwrap();
    let planner = Planner::new(Application::pipeline(works, Data::bytes(1)).unwrap(), platform);
    let digits = ["111", "112", "122", "123", "121"];
    let printed = [2.95762501, 4.31783866, 3.77747399, 3.69012220, 2.78686550];
    let divided = [0.70153486, 0.98911508, 1.04409267, 1.53764024, 1.28172587];
    for (formula, expected) in [(Formula::Printed, printed), (Formula::Divided, divided)] {
        let planner = planner.clone().with_formula(formula);
        for (digits, expected) in digits.iter().zip(expected) {
            let value = throughput(&planner, &mapping(digits));
            assert!((value - expected).abs() < TOLERANCE, "{formula:?} {digits} {value}");
        }
    }
}

/// States and transitions of the model: `3^n` and `3^(n-2) (4n + 5)`.
#[test]
fn sizes_of_models() {
    for stages in 2..=7_u32 {
        let platform = Platform::new(processors(&[1.0]), &Links::everywhere(bandwidth(1))).unwrap();
        let planner = Planner::new(pipeline(&vec![1.0; stages as usize + 1]), platform);
        let pi = planner.steady_state(&Mapping::new(vec![1; stages as usize])).unwrap();
        let (states, transitions) =
            (3_usize.pow(stages), 3_usize.pow(stages - 2) * (4 * stages as usize + 5));
        assert_eq!((pi.space().states(), pi.space().transitions()), (states, transitions));
    }
}

/// What is too large is known before anything is explored.
#[test]
fn too_many_stages_are_refused_at_once() {
    for (stages, states) in
        [(20, "the model has 3486784401 states"), (200, "the model has more than can be counted")]
    {
        let platform = Platform::new(processors(&[1.0]), &Links::everywhere(bandwidth(1))).unwrap();
        let planner = Planner::new(pipeline(&vec![1.0; stages + 1]), platform);
        let error = planner.evaluate(&Mapping::new(vec![1; stages])).unwrap_err();
        assert_eq!(error.to_string(), format!("stopped at the limit of 50000000 states: {states}"));
    }
}

#[test]
fn exact_and_float_agree() {
    let planner = of_table(&[10.0, 1.0, 1.0, 1.0, 1.0, 100.0]);
    for digits in ["123", "133", "121"] {
        let exact = planner.exact_throughput(&mapping(digits)).unwrap();
        let exact = skel_core::number::Number::to_float(&exact);
        assert!((throughput(&planner, &mapping(digits)) / exact - 1.0).abs() < 1e-12);
    }
}
