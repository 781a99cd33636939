#!/usr/bin/env python3
"""Measures answers over time beside Storm's: the same chain and question, an error of 1e-9, on one core, in turns.

Seconds are of CPU. Those of skel are of the whole process; Storm's are of building and checking, without what Python
takes to start and to import it. A curve is asked of skel at 100 times and at the last of them alone; Storm is asked at
the last time alone, since it would have to be run 100 times.

  benches/peers/over_time.py              all questions five times
  benches/peers/over_time.py --runs 1     once
  benches/peers/over_time.py --record     writes record/DATE-over-time-peers.md, too
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True  # before the imports below, which would leave files in the tree

import report
from installation import REPOSITORY, Missing, Tools, install
from measure import Failed, call
from tools import SCRATCH, text_file

WORKER = Path(__file__).with_name("storm") / "check.py"
ERROR = 1e-9  # asked of both
FALSE_STEADY_STATE = 0.18393972242511838505


@dataclass(frozen=True)
class Question:
    """One question in both languages."""

    name: str
    pepa: str
    prism: str
    skel: list[str]  # the subcommand and its arguments; FILE stands for the model
    storm: str  # the property
    where: tuple[str | int, ...]  # the value in skel's JSON
    value: float | None = None  # where it is known


@dataclass(frozen=True)
class Figures:
    """What a run needed, and its value."""

    total: float
    check: float
    megabytes: float
    value: float


def pipeline_pepa(stages: int) -> str:
    """The pipeline of `pipeline.py`, with a name for each local state."""
    lines = ["rate = 10;"]
    lines += [
        f"Empty{i} = (move{i}, infty).Full{i}; Full{i} = (process{i}, rate).Done{i}; "
        f"Done{i} = (move{i + 1}, infty).Empty{i};"
        for i in range(1, stages + 1)
    ]
    links = range(1, stages + 2)
    lines.append("Network = " + " + ".join(f"(move{i}, rate).Network" for i in links) + ";")
    line = "Empty1" + "".join(f" <move{i}> Empty{i}" for i in range(2, stages + 1))
    lines.append(f"Network <{', '.join(f'move{i}' for i in links)}> ({line})")
    return "\n".join(lines) + "\n"


def pipeline_prism(stages: int) -> str:
    """The same, by a module for each stage and one for the network."""
    lines = ["ctmc"]
    for i in range(1, stages + 1):
        lines.append(
            f"module stage{i}\n  s{i} : [0..2] init 0;\n  [move{i}] s{i}=0 -> 1 : (s{i}'=1);\n"
            f"  [] s{i}=1 -> 10 : (s{i}'=2);\n  [move{i + 1}] s{i}=2 -> 1 : (s{i}'=0);\nendmodule"
        )
    lines.append("module network")
    lines += [f"  [move{i}] true -> 10 : true;" for i in range(1, stages + 2)]
    lines.append("endmodule")
    return "\n".join(lines) + "\n"


STIFF_PEPA = """Start = (left, 500).First + (right, 500).Second; First = (drift, 0.00001).Second; Second = (stay, 1).Second;
Tick = (tick, 1000).Tock; Tock = (tock, 1000).Tick;
Start || Tick
"""
STIFF_PRISM = """ctmc
module chain
  x : [0..2] init 0;
  [] x=0 -> 500 : (x'=1) + 500 : (x'=2);
  [] x=1 -> 0.00001 : (x'=2);
endmodule
module clock
  t : [0..1] init 0;
  [] t=0 -> 1000 : (t'=1);
  [] t=1 -> 1000 : (t'=0);
endmodule
"""


def pipeline(stages: int, name: str, skel: list[str], storm: str, where: tuple, value: float | None = None) -> Question:
    """A question about the pipeline."""
    title = f"pipeline n={stages}: {name}"
    return Question(title, pipeline_pepa(stages), pipeline_prism(stages), skel, storm, where, value)


def csl(text: str) -> list[str]:
    """A property, asked by `skel csl`."""
    return ["csl", "FILE", text]


def questions() -> list[Question]:
    """All of them."""
    value = ("properties", 0, "value")
    curve = ["passage", "FILE", "--from", "initial", "--to", "Done10 >= 1", "--at"]
    storm_curve = "P=? [ F<=5 s10=2 ]"
    return [
        pipeline(10, "F[100,100]", csl("P=? [ F[100,100] Full1 >= 1 ]"), "P=? [ F[100,100] s1=1 ]", value, 0.2000932839730),
        pipeline(13, "F[10,10]", csl("P=? [ F[10,10] Full1 >= 1 ]"), "P=? [ F[10,10] s1=1 ]", value, 0.196433352103),
        pipeline(
            10,
            "U[1,5]",
            csl("P=? [ Done1 < 1 | Done2 < 1 U[1,5] Done10 >= 1 ]"),
            "P=? [ s1!=2 | s2!=2 U[1,5] s10=2 ]",
            value,
            0.0517930431,
        ),
        pipeline(10, "cdf at 5", [*curve, "5"], storm_curve, ("cdf", 0, "value"), 0.9999995209),
        pipeline(10, "cdf at 100 times to 5", [*curve, "0.05:5:0.05"], storm_curve, ("cdf", 99, "value"), 0.9999995209),
        Question(
            "4 states, qt = 1e8",
            STIFF_PEPA,
            STIFF_PRISM,
            ["transient", "FILE", "--at", "100000", "--keep", "First"],
            "P=? [ F[100000,100000] x=1 ]",
            ("points", 0, "population", "First", "value"),
            FALSE_STEADY_STATE,
        ),
    ]


def ask_skel(tools: Tools, question: Question) -> Figures:
    """The whole process."""
    model = text_file("model.pepa", question.pepa)
    words = [str(model) if word == "FILE" else word for word in question.skel]
    process = call([str(tools.skel), *words, "--tolerance", str(ERROR), "--json"])
    value = answer = json.loads(process.output)
    for step in question.where:
        value = value[step]
    seconds = answer.get("seconds", {}).get("explore", 0.0)
    return Figures(process.cpu, process.cpu - process.used(seconds), process.megabytes, value)


def ask_storm(tools: Tools, question: Question) -> Figures:
    """Building and checking."""
    model, written = text_file("model.prism", question.prism), Path(SCRATCH.name) / "answer.json"
    process = call([str(word) for word in (tools.storm_python, "-B", WORKER, model, question.storm, written)])
    answer = json.loads(written.read_text())
    return Figures(answer["build"] + answer["check"], answer["check"], process.megabytes, answer["value"])


def middle(runs: list[Figures]) -> Figures:
    """The median of each figure."""
    return Figures(*(median(getattr(run, name) for run in runs) for name in ("total", "check", "megabytes", "value")))


def measure(tools: Tools, question: Question, runs: int) -> list[str]:
    """A line of the table."""
    found = {"skel": [], "Storm": []}
    for turn in range(runs):
        print(f"{question.name}: {turn + 1} of {runs}", file=sys.stderr)
        found["skel"].append(ask_skel(tools, question))
        found["Storm"].append(ask_storm(tools, question))
    skel, storm = middle(found["skel"]), middle(found["Storm"])
    off = "" if question.value is None else f"{abs(skel.value - question.value):.0e}, {abs(storm.value - question.value):.0e}"
    texts = [f"{seconds:.3f}" for seconds in (skel.total, storm.check, storm.total)]
    ratios = [f"{skel.total / storm.check:.2g}", f"{skel.total / storm.total:.2g}", f"{skel.megabytes:.0f}, {storm.megabytes:.0f}"]
    return [question.name, f"{skel.value:.13g}", *texts, *ratios, off]


HEADINGS = ("question", "value", "skel s", "Storm: check s", "all s", "skel / check", "skel / all", "MB", "off by: skel, Storm")


def main() -> int:
    """Runs all; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="how often each is asked [default: 5]")
    parser.add_argument("--record", action="store_true", help="keep the run in record/")
    arguments = parser.parse_args()
    try:
        tools = install()
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
        about = report.setting(tools, " ".join(["benches/peers/over_time.py", *sys.argv[1:]]), arguments.runs, 1)
        rows = [measure(tools, question, arguments.runs) for question in questions()]
    except (Missing, Failed) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    parts = ["# Answers over time, skel and Storm", "\n".join(f"- {name}: {text}" for name, text in about.items())]
    parts += [__doc__.split("\n\n")[1], report.table(HEADINGS, rows)]
    text = "\n\n".join(parts) + "\n"
    print(text, end="")
    if arguments.record:
        (REPOSITORY / "record" / f"{datetime.date.today().isoformat()}-over-time-peers.md").write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
