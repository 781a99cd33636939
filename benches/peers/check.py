"""Small chains whose figures are known, solved by both tools: whether the texts say the same and say the right thing."""

from __future__ import annotations

import json
from fractions import Fraction

from case import Case
from families import (
    client_server,
    cluster,
    exclusion,
    kanban,
    lines,
    philosophers,
    pipeline,
    products,
    repair_shop,
    rough,
    server_farm,
    switch,
)
from families.changing import battery, failing, kitting, modulated
from families.combined import (
    bucket,
    call_centre,
    commit,
    control,
    epidemic,
    flexible,
    phases,
    sharing,
    tree,
)
from families.queueing import (
    closed,
    cyclic,
    fork_join,
    in_turns,
    jackson,
    lift,
    polling,
    priority,
    queues,
    tandem,
    token_ring,
    transfer,
)
from installation import Tools
from measure import Failed, call
from tools import METHODS, run_skel, run_storm, text_file

TOLERANCE = 1e-8


def check(tools: Tools) -> list[str]:
    """What was found to hold; raises `Failed` at the first thing that doesn't."""
    exact = [pipeline.case(4), client_server.case(3, 1)]
    lumped = [client_server.case(3, 1, lumped=True), client_server.case(10, 2, lumped=True)]
    others = [client_server.case(10, 2), polling.case(2), polling.case(5), tandem.case(7), kanban.case(2)]
    others += [closed.case(6), cluster.case(4), exclusion.mutual_exclusion(6), exclusion.reliability(6)]
    others += [philosophers.case(4), lines.birth_death(150), lines.cycle(50), products.case(3, 2)]
    others += [queues.case([2, 3], ["1", "1.1", "1.2"]), queues.case([2, 1, 3], ["1", "2", "3", "1.5"])]
    others += [jackson.case(4, jackson.THREE), jackson.case(2, jackson.FOUR)]
    others += [transfer.case(2, 3, "0.01", "0.1"), transfer.case(4, 3, "0.0001", "0.01")]
    others += [switch.case(12, 15, 3, 1), rough.case(9)]
    others += [token_ring.case(2, 3), token_ring.case(3, 2)]
    others += [cyclic.case(8, ["1"] * 4), cyclic.case(6, ["1", "1.1", "0.9", "1.2", "1.05"])]
    others += [fork_join.case(3, 2), fork_join.case(2, 3), in_turns.case(4), priority.case(3, 3), priority.case(2, 4)]
    others += [repair_shop.case(3), server_farm.case(12, 2, 1.5)]
    others += [control.case(3), tree.case(4), sharing.case(4, 2), commit.case(4, 3), phases.case(4)]
    others += [failing.case(3, 1e-2, 1e-1), bucket.case(3, 2), call_centre.case(3, 2), epidemic.case(12)]
    others += [modulated.case(5), flexible.case(2), battery.case(5), kitting.case(2), lift.case(3, 2)]
    return [fraction(tools, case) for case in exact] + [agree(tools, case) for case in exact + lumped + others]


def fraction(tools: Tools, case: Case) -> str:
    """The exact answer is the known one."""
    process = call([str(tools.skel), "solve", str(text_file("model.pepa", case.pepa)), "--exact", "--json"])
    found = Fraction(json.loads(process.output)["throughput"][case.action]["exact"])
    demand(found == case.answer, f"{case.name}: {found} for {case.answer}")
    return f"{case.name}: exactly {found}"


def agree(tools: Tools, case: Case) -> str:
    """Both tools find the known size and one answer, Storm by each method."""
    skel = run_skel(tools, case)
    if case.transitions is not None:
        demand(skel.transitions == case.transitions, f"{case.name}: {skel.transitions} transitions")
    for run in (skel, *(run_storm(tools, case, method) for method in METHODS)):
        objection = case.objection(run.states, run.throughput, TOLERANCE)
        demand(objection is None, str(objection))
        difference = abs(run.throughput / skel.throughput - 1)
        demand(difference <= TOLERANCE, f"{case.name}: answers differ by {difference}")
    return f"{case.name}: {skel.states} states, throughput of {case.action} {skel.throughput:.12g}"


def demand(holds: bool, otherwise: str) -> None:
    """Ends the check where something doesn't hold."""
    if not holds:
        raise Failed(otherwise)
