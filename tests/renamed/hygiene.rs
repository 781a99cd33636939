//! The expansions among names of the user that look like those they could refer to.

/// Every name of the prelude that an expansion could rely on, as something else, and no prelude.
#[no_implicit_prelude]
mod without_prelude {
    #![allow(dead_code, non_camel_case_types)]

    struct Option;
    struct Some;
    struct None;
    struct Result;
    struct Ok;
    struct Err;
    struct String;
    struct Vec;
    struct Box;
    struct u8;
    struct u32;
    struct usize;
    struct str;
    struct bool;
    trait Clone {}
    trait Default {}
    trait PartialEq {}
    trait From {}
    trait Into {}
    mod std {}
    mod core {}
    mod skel {}

    // And the names of what the expansions consist of.
    pub(super) const IMAGE: i64 = 2;
    struct Image;
    struct NodeImage;
    struct ParameterImage;
    struct Step;
    struct Template;
    struct Rate;
    struct Model;
    struct Modelled;
    struct ActionOf;

    ::another_name::pepa! {
        pub(super) model Machine {
            failure = { IMAGE }; repair = 3 * failure;
            Up = (fail, failure).Down;
            Down = (mend, repair).(rest, { IMAGE }).Up;
            Up || Up;
            broken = 2 * {Down || **};
        }
    }

    ::another_name::include_pepa!(pub(super) model Tiny = "../../models/tiny.pepa");

    pub(super) fn template() -> ::another_name::prelude::Template {
        ::another_name::pepa! {
            Up = (fail, { IMAGE }).Down;
            Down = (mend, 3).Up;
            Up
        }
    }

    ::another_name::pipe! {
        pub(super) skeleton Images { task("read", 20.0), farm(3, "sharpen", 5.0), task("write", 30.0) }
    }

    pub(super) fn run(items: [i64; 2]) -> ::std::vec::Vec<i64> {
        use ::another_name::prelude::Execute;
        let before = 1;
        let task0 = 10;
        let inline = ::another_name::pipe!(
            task("add", 20.0, |number: i64| number + before),
            farm(3, 5.0, |number: i64| number + task0),
        );
        let items = inline.run().collect(items).unwrap().0;
        let named = Images::new().run().read(|number: i64| number).sharpen(|number| IMAGE * number);
        named.write(|number| number).collect(items).unwrap().0
    }

    pub(super) fn render() -> ::another_name::prelude::Farm<::another_name::prelude::Task> {
        ::another_name::farm!(3, "render", 2.0)
    }

    pub(super) fn included() -> ::another_name::prelude::Template {
        ::another_name::include_pepa!("../../models/tiny.pepa")
    }
}

use another_name::prelude::*;
use without_prelude::{IMAGE, Images, Machine, Tiny};

#[test]
fn a_users_own_names_do_not_reach_the_expansions() -> another_name::Result<()> {
    let pi = Machine::new().explore()?.steady_state_exact()?;
    let cycle = ratio(1, IMAGE) + ratio(1, 3 * IMAGE) + ratio(1, IMAGE);
    assert_eq!(pi.throughput_of(Machine::fail), ratio(2, 1) / cycle);
    assert_eq!(Tiny::new().explore()?.steady_state_exact()?.throughput_of(Tiny::run), ratio(5, 4));
    assert_eq!(without_prelude::included().explore()?.states(), 9);
    assert_eq!(
        without_prelude::template().explore()?.steady_state_exact()?.throughput_named("mend")?,
        ratio(6, 5)
    );
    Ok(())
}

#[test]
fn nor_do_they_reach_skeletons() -> another_name::Result<()> {
    let render = without_prelude::render().communicating(1.0).performance_exact()?;
    assert_eq!(*render.throughput(), ratio(6, 1));
    let images = Images::new().communicating(100.0).performance()?;
    assert!(images.busy_of(Images::sharpen) > images.busy_of(Images::read));
    assert_eq!(without_prelude::run([1, 2]), [24, 26]);
    Ok(())
}

pepa! {
    /// Names that are keywords of Rust, or that the generated type has of its own.
    pub model Awkward {
        r#type = 1; new = 2; build = 3; clone = 4;
        r#loop = (r#fn, r#type).Self_;
        Self_ = (new, new).(explore, build).(fail, clone).r#loop;
        r#loop
    }
}

#[test]
fn keywords_and_the_names_of_methods_are_names() -> another_name::Result<()> {
    let awkward = Awkward { r#type: 2.into(), ..Awkward::new() };
    let pi = awkward.clone().explore()?.steady_state_exact()?;
    let expected = ratio(1, 1) / (ratio(1, 2) + ratio(1, 2) + ratio(1, 3) + ratio(1, 4));
    assert_eq!(pi.throughput_of(Awkward::r#fn), expected);
    assert_eq!(pi.throughput_of(Awkward::new_action), expected);
    assert_eq!(pi.throughput_of(Awkward::explore), expected);
    assert_eq!(pi.utilisation_of(Awkward::r#loop), expected / ratio(2, 1));
    assert_eq!(awkward, Awkward { r#type: 2.into(), ..Awkward::default() });
    Ok(())
}
