"""Processes that share one resource: each works alone, waits for the resource, and holds it for a while.

With rates of one size this is mutual exclusion. With failures in place of work it is a reliability model whose machines
share one repairman: they fail after 10,000 to 10 million hours, and a repair takes one or two. Both have `2^N` states in
which the resource is free, and `N 2^(N-1)` in which one of the processes has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from case import Case


@dataclass(frozen=True)
class Process:
    """The rates of a process."""

    work: float
    enter: float
    leave: float


def mutual_exclusion(processes: int) -> Case:
    """Processes that differ a little, so that none can be exchanged."""
    each = [Process(1 + 0.01 * i, 20, 5 + 0.1 * i) for i in range(processes)]
    return case(f"mutual exclusion N={processes}", each)


def reliability(machines: int) -> Case:
    """Machines whose failures are rare: rates from 1e-7 to 1e-4."""
    each = [Process(10.0 ** (-4 - i % 4) * (1 + 0.01 * i), 10, 0.5 + 0.05 * i) for i in range(machines)]
    return case(f"stiff reliability N={machines}", each)


def case(name: str, processes: list[Process]) -> Case:
    """The chain of these processes."""
    number = len(processes)
    return Case(
        name=name,
        pepa=pepa(processes),
        prism=prism(processes),
        action="leave0",
        states=2**number + number * 2 ** (number - 1),
    )


def pepa(processes: list[Process]) -> str:
    """A component for each process, and one for the resource."""
    lines = [
        f"Works{i} = (work{i}, {one.work}).Waits{i}; Waits{i} = (enter{i}, {one.enter}).Holds{i}; "
        f"Holds{i} = (leave{i}, {one.leave}).Works{i};"
        for i, one in enumerate(processes)
    ]
    numbers = range(len(processes))
    lines.append("Free = " + " + ".join(f"(enter{i}, infty).Taken" for i in numbers) + ";")
    lines.append("Taken = " + " + ".join(f"(leave{i}, infty).Free" for i in numbers) + ";")
    shared = ", ".join(f"enter{i}, leave{i}" for i in numbers)
    lines.append(f"Free <{shared}> ({' || '.join(f'Works{i}' for i in numbers)})")
    return "\n".join(lines) + "\n"


def prism(processes: list[Process]) -> str:
    """A module for each process, and one for the resource."""
    lines = ["ctmc"]
    for i, one in enumerate(processes):
        lines.append(
            f"module process{i}\n  p{i} : [0..2] init 0;\n  [] p{i}=0 -> {one.work:.17g} : (p{i}'=1);\n"
            f"  [enter{i}] p{i}=1 -> {one.enter} : (p{i}'=2);\n  [leave{i}] p{i}=2 -> {one.leave:.17g} : (p{i}'=0);\nendmodule"
        )
    lines.append("module resource\n  free : bool init true;")
    for i in range(len(processes)):
        lines.append(f"  [enter{i}] free -> 1 : (free'=false);\n  [leave{i}] !free -> 1 : (free'=true);")
    lines.append(f'endmodule\nrewards "throughput"\n  p0=2 : {processes[0].leave:.17g};\nendrewards')
    return "\n".join(lines) + "\n"
