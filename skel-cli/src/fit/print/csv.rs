//! Comma-separated values: the comparison, else the predictions, else the points.

use skel::fit::runs::Interval;

use crate::fit::answer::Answer;
use crate::fit::model::Caution;
use crate::report::csv::cell;

/// The table that answers the question that was asked.
pub(crate) fn table(answer: &Answer<'_>) -> String {
    match () {
        () if !answer.compared.is_empty() => compared(answer),
        () if !answer.predicted.is_empty() => predicted(answer),
        () => points(answer),
    }
}

fn ends(interval: Option<&Interval>) -> [String; 2] {
    interval.map_or_else(Default::default, |interval| [interval.low.to_string(), interval.high.to_string()])
}

fn words(cautions: &[Caution]) -> String {
    cell(&cautions.iter().map(|caution| caution.word).collect::<Vec<_>>().join(" "))
}

/// `name,segment,machine`
fn named(answer: &Answer<'_>, subject: usize) -> String {
    let subject = &answer.subjects[subject];
    let (segment, machine) = subject.segment_and_machine();
    [subject.name(), segment, machine].map(cell).join(",")
}

fn compared(answer: &Answer<'_>) -> String {
    let mut text =
        "name,segment,machine,n,p,runs,estimated,low,high,measured,error_percent,cautions\n".to_owned();
    for one in &answer.compared {
        let [low, high] = ends(one.estimate.interval.as_ref());
        text += &format!(
            "{},{},{},{},{},{low},{high},{},{},{}\n",
            named(answer, one.subject),
            one.n,
            one.p,
            one.runs,
            one.estimate.seconds,
            one.measured,
            one.error_percent(),
            words(&one.estimate.cautions),
        );
    }
    text
}

fn predicted(answer: &Answer<'_>) -> String {
    let mut text = "name,segment,machine,at,seconds,low,high,cautions\n".to_owned();
    for one in &answer.predicted {
        let at: Vec<String> = one.place.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let [low, high] = ends(one.estimate.interval.as_ref());
        let (named, at, words) =
            (named(answer, one.subject), cell(&at.join(" ")), words(&one.estimate.cautions));
        text += &format!("{named},{at},{},{low},{high},{words}\n", one.estimate.seconds);
    }
    text
}

fn points(answer: &Answer<'_>) -> String {
    let mut text = "name,segment,machine,n,p,runs,rejected,mean,low,high,fitted\n".to_owned();
    for (number, model) in answer.models.iter().enumerate() {
        for point in &model.points {
            let [low, high] = ends(point.interval_of(answer.probability).as_ref());
            text += &format!(
                "{},{},{},{},{},{},{low},{high},{}\n",
                named(answer, number),
                point.n,
                point.p,
                point.kept.len(),
                point.rejected.len(),
                point.mean,
                model.function().at_point([point.n, f64::from(point.p)]),
            );
        }
    }
    text
}
