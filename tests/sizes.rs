//! Sizes of arrays as parameters: what changes with them, what stays, and what is said of values that can be
//! none.

mod generated;

use proptest::prelude::*;
use skel::prelude::*;
use skel::quotient::Measure;

pepa! {
    /// Clients that wait for servers.
    pub model Shop {
        n = 10; servers = 2; think = 1;
        Client = (think, think).Wait;
        Wait = (request, infty).Busy;
        Busy = (serve, infty).Client;
        Server = (request, 5).Work;
        Work = (serve, 3).Reset;
        Reset = (reset, 20).Server;
        Client[n] <request, serve> Server[servers];
        free = {** || **};
    }
}

const SHOP: &str = "think = 1; Client = (think, think).Wait; Wait = (request, infty).Busy; Busy = (serve, infty).Client; \
    Server = (request, 5).Work; Work = (serve, 3).Reset; Reset = (reset, 20).Server; \
    Client[N] <request, serve> Server[M]";

fn shop(n: usize, servers: usize) -> Model {
    Model::from_text(&SHOP.replace('N', &n.to_string()).replace('M', &servers.to_string())).unwrap()
}

#[test]
fn a_sweep_over_sizes_keeps_its_handles() -> skel::Result<()> {
    for n in [1, 2, 3, 5, 10] {
        for servers in [1, 2] {
            let sized = Shop { n, servers, ..Shop::new() };
            let pi = sized.explorer().lumped().explore()?.steady_state_exact()?;
            let written = shop(n, servers).explorer().lumped().explore()?.steady_state_exact()?;
            assert_eq!(pi.space().states(), written.space().states());
            let standing_for =
                |lumped: &skel::StateSpace<_>| lumped.lumping().map(skel::space::Lumping::states);
            let of_written = written.space().lumping().map(skel::space::Lumping::states);
            assert_eq!(standing_for(pi.space()), of_written);
            assert_eq!(pi.throughput_of(Shop::serve), written.throughput_named("serve")?);
            assert_eq!(pi.population_of(Shop::Wait), written.population_named("Wait")?);
            assert_eq!(pi.result_named("free")?, ratio(1, 1));
        }
    }
    Ok(())
}

#[test]
fn a_changed_size_is_the_model_that_is_written_so() {
    let built = Shop { n: 7, servers: 3, ..Shop::new() }.build().unwrap();
    let written = shop(7, 3);
    assert_eq!(built.nodes(), written.nodes());
    assert_eq!(built.arrays(), written.arrays());
    assert_eq!(built.initial_state(), written.initial_state());
    assert_eq!(built.local_states(), written.local_states());
    assert_eq!(Shop::new().build().unwrap().positions(), 12);
}

#[test]
fn fields_of_sizes_are_whole_numbers() {
    let Shop { n, servers, think } = Shop::new();
    let (n, servers): (usize, usize) = (n, servers);
    assert_eq!((n, servers, think), (10, 2, 1.into()));
}

pepa! {
    model Mixed {
        n = 4; half = n / 2; load = n * 0.5;
        P = (work, load).Q;
        Q = (rest, n).P;
        Pair = P <rest> P;
        Pair[half] || P[2 * n - 1];
    }
}

#[test]
fn a_size_may_be_a_rate_too_and_part_of_expressions() -> skel::Result<()> {
    let model = Mixed::new().build()?;
    assert_eq!(model.positions(), 2 * 2 + 7);
    let larger = Mixed { n: 6 }.build()?;
    assert_eq!(larger.positions(), 2 * 3 + 11);
    assert_eq!(larger.rates()[0].value.magnitude(), &ratio(3, 1));
    let odd = Mixed { n: 5 }.build().unwrap_err();
    assert_eq!(
        odd.to_string(),
        "the size `half` is 2.5, which is not a whole number; help: a size says how many copies there are: it is a \
         whole number of at least 1"
    );
    let pi = Mixed { n: 2 }.explore()?.steady_state_exact()?;
    assert!(pi.throughput_of(Mixed::work) > ratio(0, 1));
    // What depends on a size is a rate with a handle; a size has none.
    assert_eq!(*pi.space().rate(Mixed::load), ratio(1, 1));
    Ok(())
}

#[test]
fn wrong_sizes_are_told_when_the_model_is_made() {
    let message = |n: usize| Shop { n, ..Shop::new() }.build().unwrap_err().to_string();
    assert!(message(0).starts_with("the size `n` is 0; help: a size says"), "{}", message(0));
    assert!(
        message(4_000_000).starts_with("the size `n` is 4000000, more than the limit of 2000000; help: ")
    );
    assert!(message(usize::MAX).contains("more than the limit of 4294967295"));
    assert!(message(1_999_999).starts_with("the system has more than 2000000 components; help: "));
    let both = Shop { n: 0, servers: 0, think: 0.into() }.build().unwrap_err();
    assert_eq!(both.0.len(), 3, "{both}");
}

/// The words of the text's check, which has a place besides.
#[test]
fn files_and_macros_say_the_same() {
    let text = |n: &str| {
        let text = format!("n = {n}; P = (go, 1).P; P[n]");
        Model::from_text(&text).unwrap_err().diagnostics()[0].to_string()
    };
    let set = |n: Ratio| {
        let model = Model::from_text("n = 2; P = (go, 1).P; P[n]").unwrap();
        let id = model.parameter_named("n").unwrap();
        model.with_rates(&[(id, n.into())]).unwrap_err().to_string()
    };
    for (written, value) in
        [("0", ratio(0, 1)), ("-3", ratio(-3, 1)), ("5/2", ratio(5, 2)), ("4000000", ratio(4_000_000, 1))]
    {
        assert_eq!(text(written), set(value));
    }
}

#[test]
fn a_state_space_has_one_size() -> skel::Result<()> {
    let model = Model::from_text("n = 2; r = 1; P = (go, r).Q; Q = (back, n).P; P[n]")?;
    let space = model.explore()?;
    let error = space.with_rates(&[("n", 3.into())]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the size `n` cannot change in a state space, which has the states of one size; explore the model with the other"
    );
    assert_eq!(space.with_rates(&[("n", 2.into()), ("r", 3.into())])?.states(), 4);
    let gains = space.steady_state()?.derivatives(&Measure::throughput_named("go"))?;
    assert!(gains.by("n").unwrap_err().to_string().contains("`n` is a size"));
    assert!(gains.one_sided("n").is_err());
    assert_eq!(gains.all().map(|(name, ..)| name).collect::<Vec<_>>(), ["r"]);
    Ok(())
}

#[test]
fn sizes_come_from_rust_in_expressions() -> skel::Result<()> {
    for clients in [1_usize, 3] {
        let model = pepa! {
            n = { clients };
            Client = (think, 1).Wait;
            Wait = (serve, infty).Client;
            Server = (serve, 2).Server;
            Client[n] <serve> Server[{ clients + 1 } - 1]
        };
        assert_eq!(model.build()?.positions(), 2 * clients);
        assert_eq!(model.clone().with("n", 5).build()?.positions(), 5 + clients);
    }
    let zero = pepa! { n = { 0 }; P = (go, 1).P; P[n] }.build().unwrap_err();
    assert!(zero.to_string().starts_with("the size `n` is 0; help: "), "{zero}");
    let half = pepa! { P = (go, 1).P; P[{ 0.5 }] }.build().unwrap_err();
    assert!(half.to_string().contains("0.5, which is not a whole number"), "{half}");
    Ok(())
}

#[test]
fn result_lines_go_with_what_has_one_size() -> skel::Result<()> {
    let text = "n = 3; E = (arrive, 1).F; F = (serve, 2).E; S = (go, 1).T; T = (come, 1).S; S || (E[n] || T); \
                flat = {S || ** || **}; shaped = {T || (** || S)};";
    let model = Model::from_text(text)?;
    let id = model.parameter_named("n").unwrap();
    for n in [1, 2, 4] {
        let sized = model.with_rates(&[(id, n.into())])?;
        assert_eq!(sized.results()[1].pattern.len(), n as usize + 2);
        let pi = sized.explore()?.steady_state_exact()?;
        assert_eq!(pi.results()?, [("flat", ratio(1, 2)), ("shaped", ratio(1, 4))]);
        assert_eq!(Model::from_text(&sized.to_string())?.to_string(), sized.to_string());
    }
    Ok(())
}

#[test]
fn arrays_of_named_sizes_print_with_their_names() -> skel::Result<()> {
    let text = "n = 3;\nhalf = n / 2 + 1 / 2;\nP = (a, n).(b, 2).P;\nGroup1 = P <b> P;\nP[1 + n] || Group1[half, {a}] || P[2]\n";
    let model = Model::from_text(text)?;
    assert_eq!(model.to_string(), text);
    assert_eq!(Model::from_text(&model.to_string())?, model);
    let id = model.parameter_named("n").unwrap();
    assert_eq!(model.with_rates(&[(id, 5.into())])?.to_string(), text.replace("n = 3", "n = 5"));
    Ok(())
}

proptest! {
    /// With `n` copies, a model is what it would be with that number in place of the name.
    #[test]
    fn a_size_is_its_number(bytes in prop::collection::vec(any::<u8>(), 0..60), copies in 1_u32..4) {
        let text = generated::model_text(&bytes);
        let model = Model::from_text(&text).unwrap();
        let sizes: Vec<_> = model.parameters().iter().enumerate().filter(|(_, known)| known.is_size).collect();
        let mut written = text.clone();
        let mut changes = Vec::new();
        for (id, size) in sizes {
            written = written.replace(&format!("{} = 2;", size.name), &format!("{} = {copies};", size.name));
            changes.push((skel::model::ParameterId::at(id), copies.into()));
        }
        let changed = model.with_rates(&changes).unwrap();
        let written = Model::from_text(&written).unwrap();
        prop_assert_eq!(changed.to_string(), written.to_string());
        prop_assert_eq!(changed, written);
    }
}
