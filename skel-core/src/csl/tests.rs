//! What is found in properties, and what is printed of them.

use super::{parse, resolve_all};
use crate::testing::{Case, compare};

const MODEL: &str = "
    lambda = 2; mu = 1;
    Calls = (seize, lambda).Calls;
    Line = (seize, infty).Busy;
    Busy = (release, mu).Line;
    (Line || Line || Line) <seize> Calls/{talk};
    blocked = {(Busy || Busy || Busy) <seize> **};
    Busy = lambda * {(Busy || ** || **) <seize> **};
    time = {(Busy || ** || **) <seize> **};
    init = {(Line || ** || **) <seize> **};";

fn findings(cases: &[Case]) {
    let model = crate::text::parse(MODEL);
    let model = model.model.unwrap_or_else(|| panic!("{:?}", model.diagnostics));
    compare(cases, |text| resolve_all(&parse(text), &model).1);
}

#[test]
fn syntax() {
    findings(&[
        ("", &[]),
        (";;", &[]),
        ("true; false;", &[]),
        ("P=? [ F \"blocked\" ]; P>0.5 [ X true ]", &[]),
        ("P=? [ F \"blocked\"", &["syntax ``: expected an operator or `]`, found the end of the property"]),
        ("P=? F \"blocked\"", &["syntax `F`: expected `[` and a condition on runs, found `F`"]),
        (
            "P=? [ \"blocked\" ]",
            &[
                "syntax `]`: expected `U`, `W` or `R`: between the brackets of `P` stands a condition on runs, found `]`",
            ],
        ),
        (
            "P=? [ X ]; S=? [ ]",
            &[
                "syntax `]`: expected a formula: a label in quotes, a comparison, `P`, `S`, `R` or `(`, found `]`",
                "syntax `]`: expected a formula: a label in quotes, a comparison, `P`, `S`, `R` or `(`, found `]`",
            ],
        ),
        ("P=? [ true U[2,1] \"blocked\" ]", &["bad_bound `[2,1]`: the interval ends before it begins"]),
        ("P=? [ F<=-1 \"blocked\" ]", &["bad_bound `-1`: a time is negative"]),
        ("P=? [ F!=1 \"blocked\" ]", &["bad_bound `!=1`: times are no interval"]),
        (
            "P>=1.5 [ F true ]; S<-0.1 [ true ]",
            &["bad_bound `1.5`: `1.5` is no probability", "bad_bound `-0.1`: `-0.1` is no probability"],
        ),
        ("R{\"seize\"}<=-1 [ S ]", &["bad_bound `-1`: the bound `-1` is negative, and no reward is"]),
        ("R=? [ S ]", &["bad_property `R`: `R` does not say what is counted"]),
        ("R{seize}=? [ S ]", &["syntax `seize`: the name `seize` of what is counted has no quotes"]),
        ("R{\"seize\"}=? [ C ]", &["bad_property `C`: `C` without a time counts for ever"]),
        ("R{\"seize\"}=? [ F<=2 true ]", &["bad_property `<`: `F` has no bound on time in a reward"]),
        (
            "P=? [ F{steps}<=5 true ]",
            &["bad_property `{steps}`: steps are not counted here: time is continuous"],
        ),
        ("P=? [ X<=2 true ]", &["bad_property `<`: `X` has no bound on time"]),
        (
            "Pmax=? [ F true ]",
            &["bad_property `Pmax`: `Pmax` is for models with choices, and a Markov chain has none"],
        ),
        ("P=0.5 [ F true ]", &["bad_property `=`: a bound is one of `<`, `<=`, `>`, `>=`"]),
        (
            "P=? [ F<=3 (Line = 0 & F<=3 Busy = 1) ]",
            &["nested_path `F`: `F` begins a condition on runs, where one on states is needed"],
        ),
        (
            "P=? [ F (\"blocked\" U true) ]",
            &["nested_path `U`: `U` makes a condition on runs, where one on states is needed"],
        ),
        (
            "S=? [ G Line = 0 ]",
            &["nested_path `G`: `G` begins a condition on runs, where one on states is needed"],
        ),
        (
            "P=? [ true U true U true ]",
            &["nested_path `U`: `U` makes a condition on runs, where one on states is needed"],
        ),
        ("Line = 1 && Busy = 2", &["syntax `&&`: `&&` is no operator of properties"]),
        ("Line = 1 || Busy = 2", &["syntax `||`: `||` is no operator of properties"]),
        ("Line == 1", &["syntax `==`: `==` is no operator of properties"]),
        ("0 < Line < 2", &["syntax `<`: a comparison of a comparison"]),
        ("filter(maxi, S=? [ true ])", &["bad_property `maxi`: there is no filter `maxi`"]),
        ("{Line || **", &["unclosed `{`: this brace is never closed"]),
        ("\"blocked", &["unclosed `\"`: this quoted name is never closed"]),
        ("a: true", &["syntax `a`: the name `a` of a property has no quotes"]),
        (
            "label \"x\" = true; true",
            &["syntax `label`: `label` defines nothing here: the labels are those of the model"],
        ),
        ("const doble t = 1; true", &["syntax `doble`: there is no type `doble`"]),
        (
            "const double t; P=? [ F<=t true ]",
            &["syntax `;`: expected `=` and the value of the constant, found `;`"],
        ),
        ("const t = 1; const t = 2;", &["duplicate_definition `t`: the constant `t` is defined twice"]),
        ("const t = 1/0;", &["division_by_zero `0`: a division by zero"]),
        ("P=? [ F<=2x true ]", &["bad_number `2x`: `2x` is not a number"]),
        ("true false; true", &["syntax `false`: expected an operator or `;`, found `false`"]),
    ]);
    let deep = format!("{}true{}", "(".repeat(101), ")".repeat(101));
    assert_eq!(parse(&deep).diagnostics[0].message, "more than 100 brackets or operators inside one another");
    assert!(parse(&vec!["true"; 10_000].join(" & ")).diagnostics.is_empty());
}

#[test]
fn names() {
    findings(&[
        (
            "P=? [ F \"bloked\" ]",
            &["undefined_name `\"bloked\"`: the model has no result line or local state `bloked`"],
        ),
        ("Lin = 2", &["undefined_name `Lin`: the model has no local state `Lin`"]),
        (
            "\"blocked\" & Bus = 1 & \"x\"",
            &[
                "undefined_name `Bus`: the model has no local state `Bus`",
                "undefined_name `\"x\"`: the model has no result line or local state `x`",
            ],
        ),
        ("S=? [ \"Busy\" ]", &["ambiguous_name `\"Busy\"`: `Busy` is a result line and a local state"]),
        ("\"init\"", &["ambiguous_name `\"init\"`: `init` is a result line and a label of every model"]),
        ("R{\"Busy\"}=? [ S ]", &["ambiguous_name `\"Busy\"`: `Busy` is a local state and a result line"]),
        ("R{\"time\"}=? [ S ]", &["ambiguous_name `\"time\"`: `time` is a result line and the time"]),
        (
            "R{\"sieze\"}=? [ S ]",
            &["undefined_name `\"sieze\"`: the model has no action, local state or result line `sieze`"],
        ),
        (
            "const Line = 2; Line = 1",
            &["ambiguous_name `Line`: the constant `Line` has the name of a local state"],
        ),
        (
            "{Busy || **}",
            &["pattern_shape `Busy || *`: the pattern has 2 entries where the model has 4 components"],
        ),
        ("{(Busy || ** || **) || **}; {Busy || ** || ** || **}; {** || Calls}", &[]),
        (
            "{Bussy || ** || ** || **}",
            &["pattern_never_matches `Bussy`: `Bussy` is not a local state of `Line`"],
        ),
    ]);
}

#[test]
fn copies() {
    findings(&[
        ("Line@1:Busy", &[]),
        ("P=? [ F<=1 Line@3:Busy & !Line@1:Line ]", &[]),
        ("Lin@1:Busy", &["undefined_name `Lin`: the system equation has no component `Lin`"]),
        ("Busy@1:Busy", &["undefined_name `Busy`: the system equation has no component `Busy`"]),
        ("Line@4:Busy", &["bad_number `4`: the system equation has 3 copies of `Line`"]),
        (
            "Line@0:Busy; Calls@1.5:Calls",
            &[
                "bad_number `0`: the system equation has 3 copies of `Line`",
                "bad_number `1.5`: the system equation has one `Calls`",
            ],
        ),
        (
            "Line@9:Bsy",
            &[
                "bad_number `9`: the system equation has 3 copies of `Line`",
                "undefined_name `Bsy`: the model has no local state `Bsy`",
            ],
        ),
        ("Line@1:Calls", &["undefined_name `Calls`: `Line` is never in `Calls`"]),
        ("Line@1 = 2", &["syntax `=`: expected `:` and a local state, as in `Client@1:Wait`, found `=`"]),
        ("Line@x:Busy", &["syntax `x`: expected a number, found `x`"]),
    ]);
}

#[test]
fn meanings() {
    findings(&[
        ("Line", &[]),
        ("S=? [ Line ]", &["wrong_unit `Line`: `Line` is a number, where a condition is needed"]),
        ("S=? [ 2 ]", &["wrong_unit `2`: `2` is a number, where a condition is needed"]),
        (
            "\"blocked\" = 1",
            &["wrong_unit `\"blocked\"`: `\"blocked\"` is a condition, where a number is needed"],
        ),
        (
            "(Line = 1) + 1 = 2",
            &["wrong_unit `Line = 1`: `Line = 1` is a condition, where a number is needed"],
        ),
        (
            "S=? [ P=? [ F true ] ]",
            &["wrong_unit `P=? [ F true ]`: `P=? [ F true ]` is a number, where a condition is needed"],
        ),
        (
            "P=? [ F true ] > 0.5",
            &["wrong_unit `P=? [ F true ]`: `P`, `S` and `R` cannot be part of a calculation"],
        ),
        (
            "S=? [ filter(max, Line) ]",
            &[
                "wrong_unit `filter(max, Line)`: a filter stands around a whole property, and in no other formula",
            ],
        ),
        ("filter(max, \"blocked\")", &["wrong_unit `\"blocked\"`: the filter `max` needs a number"]),
        ("filter(count, S=? [ true ])", &["wrong_unit `S=? [ true ]`: the filter `count` needs a condition"]),
        ("filter(print, \"blocked\"); filter(state, Line, \"blocked\"); filter(avg, Line - 1)", &[]),
    ]);
}

/// What a property is printed as.
fn printed(text: &str) -> String {
    let parsed = parse(text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let property = parsed.entries[0].property.clone().unwrap();
    let printed = property.to_string();
    assert_eq!(parse(&printed).entries[0].property, Some(property), "{text}");
    printed
}

#[test]
fn what_is_printed_is_read_again() {
    let same = [
        "P=? [ F<=2 \"full\" ]",
        "P=? [ !\"empty\" U[0.5,2] \"full\" ]",
        "\"a b\": P>=1/3 [ true W<3 a = 1 | b >= 2 ]",
        "P<0.1 [ a = 1 R>=2 b = 2 ]",
        "P=? [ G>1 !(\"a\" & \"b\") ]",
        "P=? [ F !Client@12:Wait & a = 1 ]",
        "!a = 1 => \"b\" <=> \"c\" | \"d\" & !!\"e\"",
        "(\"a\" => \"b\") => \"c\"",
        "\"a\" <=> (\"b\" <=> \"c\")",
        "(\"a\" | \"b\") & (\"c\" & \"d\")",
        "a - (b - 1) * -c / (2 / 3) >= -(a + 1)",
        "P - 1 >= S & R = 2 | P >= 3",
        "S>=0.25 [ {(P || **) <a> P/{b}} ]",
        "R{\"serve\"}<=4.5 [ C<=10 ]",
        "R{\"Busy\"}=? [ I=1/3 ]",
        "R{\"time\"}>2 [ F \"full\" ]",
        "filter(avg, R{\"time\"}=? [ S ], \"full\" | a = 1)",
        "filter(print, P=? [ X P>=0.3 [ F<=1 \"full\" ] ])",
        "0.0000000000000000000001 < 1",
    ];
    same.iter().for_each(|text| assert_eq!(printed(text), *text));
    assert_eq!(printed("const t = 1/3; const int n = -2; P=?[F<=t a=n]"), "P=? [ F<=1/3 a = -2 ]");
    assert_eq!(printed("const third = -1/3; a*third<1"), "a * -(1 / 3) < 1");
    assert_eq!(printed("P= ? [F=2 x=1] // the rest"), "P=? [ F[2,2] x = 1 ]");
    assert_eq!(printed("P>=1-0.25 [F<=(1+2)*3 (x=1)]"), "P>=0.75 [ F<=9 x = 1 ]");
    assert_eq!(printed("filter(+, x); "), "filter(sum, x)");
}
