"""A transfer line: machines that fail and are repaired, with a buffer of so many places between each two.

A machine that is up takes a piece from the buffer before it and puts it into the one behind; with the first empty or
the second full it waits. The first machine always has pieces and the last always has room. A machine fails whether it
works or waits. So there are `2^M` states of the machines for each of the `(B + 1)^(M - 1)` of the buffers, and where
failures are rare, the chain is stiff.
"""

from __future__ import annotations

from case import Case


def case(machines: int, places: int, fail: str, repair: str) -> Case:
    """So many machines, two or more, with buffers of so many places, and the rates of failure and repair."""
    side = places + 1
    of_machines, of_buffers = 2**machines, side ** (machines - 1)
    at_ends = 2 * places * side ** (machines - 2)  # states of the buffers in which a machine works, for all machines
    between = (machines - 2) * (places**2 * side ** (machines - 3) if machines > 2 else 0)
    return Case(
        name=f"transfer line {places}^{machines - 1}, failures {fail}",
        pepa=pepa(machines, places, fail, repair),
        prism=prism(machines, places, fail, repair),
        action=f"work{machines - 1}",
        states=of_machines * of_buffers,
        transitions=machines * of_machines * of_buffers + of_machines // 2 * (at_ends + between),
    )


def speed(machine: int) -> float:
    """The rate at which a machine works."""
    return 1 + machine / 10


def pepa(machines: int, places: int, fail: str, repair: str) -> str:
    """A component for each machine and, with a derivative for each number of pieces, for each buffer."""
    lines = [f"fail = {fail}; repair = {repair};"]
    lines += [
        f"Up{i} = (work{i}, {speed(i)}).Up{i} + (fail{i}, fail).Down{i}; Down{i} = (repair{i}, repair).Up{i};"
        for i in range(machines)
    ]
    for i in range(machines - 1):
        for count in range(places + 1):
            comes = [f"(work{i}, infty).Buffer{i}x{count + 1}"] if count < places else []
            goes = [f"(work{i + 1}, infty).Buffer{i}x{count - 1}"] if count > 0 else []
            lines.append(f"Buffer{i}x{count} = {' + '.join([*comes, *goes])};")
    system = "Up0"
    for i in range(machines - 1):
        system = f"(({system}) <work{i}> Buffer{i}x0) <work{i + 1}> Up{i + 1}"
    return "\n".join([*lines, system]) + "\n"


def prism(machines: int, places: int, fail: str, repair: str) -> str:
    """One module: `ui` is whether machine i is up, `bi` how many pieces are in the buffer behind it."""
    last = machines - 1
    lines = ["ctmc", f"const int B = {places};", f"const double fail = {fail};\nconst double repair = {repair};"]
    lines.append("module transfer_line")
    lines += [f"  u{i} : [0..1] init 1;" for i in range(machines)]
    lines += [f"  b{i} : [0..B] init 0;" for i in range(last)]
    for i in range(machines):
        lines.append(f"  [] u{i}=1 -> fail : (u{i}'=0);")
        lines.append(f"  [] u{i}=0 -> repair : (u{i}'=1);")
        guards, updates = [f"u{i}=1"], []
        if i > 0:
            guards.append(f"b{i - 1}>0")
            updates.append(f"(b{i - 1}'=b{i - 1}-1)")
        if i < last:
            guards.append(f"b{i}<B")
            updates.append(f"(b{i}'=b{i}+1)")
        lines.append(f"  [] {' & '.join(guards)} -> {speed(i)} : {' & '.join(updates)};")
    lines.append(f'endmodule\nrewards "throughput"\n  u{last}=1 & b{last - 1}>0 : {speed(last)};\nendrewards')
    return "\n".join(lines) + "\n"
