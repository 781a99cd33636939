//! No text from outside makes a reader panic or say what is not so: the files of this repository, changed in
//! a few tokens, keep the laws of texts. The targets in `fuzz` try the same laws on whatever a fuzzer comes
//! upon.

mod texts;

use proptest::prelude::*;
use skel_plan::description::{parse, parse_toml};
use texts::mutation::mutated;
use texts::{csl, description, distribution, function, graph, model, network, runs, skeleton};

const DISTRIBUTIONS: [&str; 2] = ["models/distributions", "tests/distributions"];
const FITS: [&str; 3] = ["models/fits", "tests/bad_fits", "tests/fits"];
const DESCRIPTIONS: [&str; 2] = ["models/mappings", "tests/descriptions"];

proptest! {
    #[test]
    fn of_csl(text in mutated(&["models/properties", "tests/properties"], "csl", include_str!("texts/csl.dict"))) {
        csl::is_lawful(&text);
    }

    #[test]
    fn of_des(text in mutated(&DESCRIPTIONS, "des", include_str!("texts/des.dict"))) {
        description::is_lawful(&parse(&text), &text);
    }

    #[test]
    fn of_toml(text in mutated(&DESCRIPTIONS, "toml", include_str!("texts/toml.dict"))) {
        description::is_lawful(&parse_toml(&text), &text);
    }

    #[test]
    fn of_distributions(text in mutated(&DISTRIBUTIONS, "toml", include_str!("texts/distribution.dict"))) {
        distribution::is_lawful(&skel_distribute::description::parse(&text), &text);
    }

    #[test]
    fn of_runs_in_csv(text in mutated(&FITS, "csv", include_str!("texts/runs.dict"))) {
        runs::is_lawful(&text);
    }

    #[test]
    fn of_runs_in_json(text in mutated(&FITS[1..], "jsonl", include_str!("texts/runs.dict"))) {
        runs::is_lawful(&text);
    }

    #[test]
    fn of_functions(text in mutated(&FITS[2..], "function", include_str!("texts/function.dict"))) {
        function::is_lawful(&text);
    }

    #[test]
    fn of_graphs(text in mutated(&FITS, "graph", include_str!("texts/graph.dict"))) {
        graph::is_lawful(&text);
    }

    #[test]
    fn of_network(text in mutated(&["models/networks", "tests/networks"], "toml", include_str!("texts/network.dict"))) {
        network::is_lawful(&skel_network::file::parse(&text), &text);
    }

    #[test]
    fn of_pepa(text in mutated(&["models", "tests/ui/model"], "pepa", include_str!("texts/pepa.dict"))) {
        model::is_lawful(&text);
    }

    #[test]
    fn of_skel(text in mutated(&["models/skeletons", "tests/ui/skeleton"], "skel", include_str!("texts/skel.dict"))) {
        skeleton::is_lawful(&text);
    }
}
