"""How each tool is called. The one place to change when a command line does."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from case import Case
from installation import Tools
from measure import Failed, Process, Run, call

METHODS = ("bicgstab", "gmres")
CONVERGED = re.compile(r"converged after (\d+) iteration")
WORKER = Path(__file__).with_name("storm") / "solve.py"
SCRATCH = tempfile.TemporaryDirectory(prefix="skel-peers-")  # of this run alone, so that two may go on at once


def run_skel(tools: Tools, case: Case) -> Run:
    """From the text to the throughput. `total` is the whole process; `build` and `solve` are told by the clock."""
    model = text_file("model.pepa", case.pepa)
    command = [tools.skel, "solve", model, "--json"] + (["--unlumped"] if case.lumped is None else [])
    process = call([str(word) for word in command])
    answer = json.loads(process.output)
    return Run(
        states=answer["states"],
        transitions=answer["transitions"],
        build=process.used(answer["seconds"]["explore"]),
        minimise=0.0,
        solve=process.used(answer["seconds"]["solve"]),
        total=process.cpu,
        iterations=answer["iterations"],
        megabytes=process.megabytes,
        throughput=answer["throughput"][case.action]["value"],
        waited=process.waited,
    )


def run_storm(tools: Tools, case: Case, method: str) -> Run:
    """From the text to the throughput. `total` leaves out what Python takes to start and to import Storm."""
    model, written = text_file("model.prism", case.prism), Path(SCRATCH.name) / "answer.json"
    minimise = "no" if case.lumped is None or case.is_counted else "yes"
    process = call([str(word) for word in (tools.storm_python, "-B", WORKER, model, method, minimise, written)])
    answer = json.loads(written.read_text())
    if answer["states"] != case.states:
        raise Failed(f"{case.name}: Storm built {answer['states']} states, not {case.states}")
    return Run(
        states=answer["solved_states"],
        transitions=answer["transitions"],
        build=answer["build"],
        minimise=answer["minimise"],
        solve=answer["solve"],
        total=answer["build"] + answer["minimise"] + answer["solve"],
        iterations=iterations(process),
        megabytes=process.megabytes,
        throughput=answer["throughput"],
        waited=process.waited,
    )


def iterations(process: Process) -> int:
    """As Storm's log tells."""
    return sum(int(number) for number in CONVERGED.findall(process.output))


def text_file(name: str, text: str) -> Path:
    """The text as a file that the tools read."""
    path = Path(SCRATCH.name) / name
    path.write_text(text)
    return path
