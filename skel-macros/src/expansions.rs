//! What each form of a call becomes, as its user would read it.

use proc_macro2::TokenStream;
use quote::quote;

use crate::skeleton::Facade;

/// The expansion as a file of Rust, with paths that do not depend on where the repository lies.
fn formatted(items: &TokenStream) -> String {
    let file = syn::parse2(items.clone()).unwrap_or_else(|error| panic!("{error}\n{items}"));
    prettyplease::unparse(&file).replace(env!("CARGO_MANIFEST_DIR"), "[package]")
}

/// An expression in a place where one may stand.
fn in_function(expression: &TokenStream) -> TokenStream {
    quote!(
        fn call() {
            let model = #expression;
        }
    )
}

fn pepa(call: &TokenStream) -> TokenStream {
    crate::pepa::expand(quote!([::skel] #call))
}

fn include_pepa(call: &TokenStream) -> TokenStream {
    crate::include::expand(quote!([::skel] #call))
}

#[test]
fn item() {
    let expansion = pepa(&quote! {
        /// A machine that breaks down and is repaired.
        #[must_use]
        pub(crate) model Machine {
            /// How often it breaks down, per hour.
            failure = 0.01; repair = 50 * failure;
            /// It works.
            ///
            /// Both copies do so at first.
            Up = (fail, failure).Down;
            Down = (mend, repair).(loop, 1 / 3).Up + (r#loop, { 2.5 }).Up;
            Up[2] || (Up <mend> Up)/{mend};
            broken = 2 * {Down || ** || ** || **};
        }
    });
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn item_with_sizes() {
    let expansion = pepa(&quote! {
        model Shop {
            n = 10; m = 2 * n; load = n / 5;
            Client = (think, load).(serve, infty).Client;
            Server = (serve, 2).Server;
            Client[n] <serve> Server[m - 1, {}];
            all = {** || **};
        }
    });
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn skeleton_with_parameters() {
    let call = quote!([::skel] pub skeleton Images(n: usize, mu: f64) { task("read", 20.0), farm(n, mu) });
    insta::assert_snapshot!(formatted(&crate::skeleton::expand("pipe", Facade::Predicts, call)));
}

#[test]
fn skeleton_that_runs() {
    let call = quote!([::skel] pub skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0) });
    insta::assert_snapshot!(formatted(&crate::skeleton::expand("pipe", Facade::Runs, call)));
}

#[test]
fn skeleton_that_could_run_if_its_tasks_had_names() {
    let call = quote!([::skel] skeleton Images { task("read", 20.0), farm(3, 5.0), task(1.0) });
    insta::assert_snapshot!(formatted(&crate::skeleton::expand("pipe", Facade::Runs, call)));
}

#[test]
fn skeleton_with_functions() {
    let call =
        quote!([::skel] task("read", 20.0, |line: &str| line.len()), farm(3, 5.0, |length| length + 1));
    insta::assert_snapshot!(formatted(&in_function(&crate::skeleton::expand("pipe", Facade::Runs, call))));
}

#[test]
fn workers_that_serve_an_item_together_with_functions() {
    let call = quote!([::skel]
        map(3, "count", 1.0, |part: Vec<u8>| part.len()),
        fault_tolerant(3, 1.0, early, (largest, |lengths| lengths[0], last)),
        map_with_state(2, "find", 1.0, state(2.0, 10), |part, item| part == item),
    );
    let expansion = crate::skeleton::expand("pipe", Facade::Runs, call);
    insta::assert_snapshot!(formatted(&in_function(&expansion)));
}

#[test]
fn skeleton_with_functions_where_nothing_is_run() {
    let call = quote!([::skel] task("read", 20.0, |line: &str| line.len()), task(1.0, |length| length + 1));
    insta::assert_snapshot!(formatted(&in_function(&crate::skeleton::expand(
        "pipe",
        Facade::Predicts,
        call
    ))));
}

#[test]
fn expression() {
    let expansion = pepa(&quote! {
        Empty = (arrive, { arrivals }).Full;
        Full = (serve, 1).Empty;
        Empty
    });
    insta::assert_snapshot!(formatted(&in_function(&expansion)));
}

#[test]
fn include_as_an_item() {
    let expansion = include_pepa(&quote!(pub model Tiny = "../models/tiny.pepa"));
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn include_as_an_expression() {
    let expansion = include_pepa(&quote!("../models/tiny.pepa"));
    insta::assert_snapshot!(formatted(&in_function(&expansion)));
}

#[test]
fn with_a_check_that_holds() {
    let expansion = pepa(&quote! {
        #[check(deadlock_free, max_states = 10)]
        model Clock { Tick = (tick, 1).Tick; Tick }
    });
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn with_a_check_that_fails() {
    let expansion = pepa(&quote! {
        #![check(deadlock_free)]
        P = (a, 1).(b, 1).P;
        Q = (b, 1).(a, 1).Q;
        P <a, b> Q
    });
    insta::assert_snapshot!(formatted(&in_function(&expansion)));
}

#[test]
fn with_an_error() {
    let expansion = pepa(&quote! {
        pub model Machine {
            failure = 0.01;
            Up = (fail, failure).Down;
            Down = (mend, repair).Up;
            Up
        }
    });
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn with_an_error_in_the_file() {
    let expansion = include_pepa(&quote!(model Wrong = "../tests/ui/model/several_at_once.pepa"));
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn with_a_warning() {
    let expansion = pepa(&quote! {
        model Pair {
            unused = 1;
            P = (work, 1).P;
            P || P
        }
    });
    insta::assert_snapshot!(formatted(&expansion));
}

#[test]
fn that_is_no_call() {
    let expansion = pepa(&quote!(pub model Machine;));
    insta::assert_snapshot!(formatted(&expansion));
}
