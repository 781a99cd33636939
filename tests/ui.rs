//! Every diagnostic of the macros: `tests/ui/NAME.rs` does not compile, as `NAME.stderr` says.
//! The command shows the same models, `NAME.pepa`, in the tests of `skel-cli`.

#[test]
fn every_wrong_model_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

#[test]
fn functions_that_cannot_be_run_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/functions/*.rs");
}

#[test]
fn every_wrong_skeleton_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("tests/ui/skeleton/*.rs");
}

#[test]
fn every_wrong_property_is_a_compile_error() {
    trybuild::TestCases::new().compile_fail("tests/ui/csl/*.rs");
}
