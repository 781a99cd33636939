//! Every diagnostic of the macros: `KIND/NAME.rs` does not compile, as `KIND/NAME.stderr` says. The command
//! shows the same models, `model/NAME.pepa`, and skeletons, `skeleton/NAME.skel`, in the tests of `skel-cli`.

#[test]
fn every_wrong_model_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("model/*.rs");
}

#[test]
fn functions_that_cannot_be_run_do_not_compile() {
    trybuild::TestCases::new().compile_fail("functions/*.rs");
}

#[test]
fn every_wrong_skeleton_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("skeleton/*.rs");
}

#[test]
fn every_wrong_property_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("csl/*.rs");
}
