"""Dining philosophers: each takes two forks, one after the other, eats, and puts both back.

The last philosopher begins with the other fork, so that they never wait for each other in a circle. A fork is shared by
two neighbours.
"""

from __future__ import annotations

from case import Case

FIRST, SECOND, EAT = 2.0, 5.0, 3.0


def case(number: int) -> Case:
    """So many philosophers, of at least two."""
    return Case(
        name=f"philosophers N={number}",
        pepa=pepa(number),
        prism=prism(number),
        action="eat0",
        states=len(reachable(number)),
    )


def forks(philosopher: int, number: int) -> tuple[int, int]:
    """The forks in the order in which a philosopher takes them."""
    pair = (philosopher, (philosopher + 1) % number)
    return pair if philosopher < number - 1 else pair[::-1]


def rate(base: float, philosopher: int) -> float:
    """Rates differ a little, so that no two philosophers can be exchanged."""
    return base * (1 + 0.01 * philosopher)


def reachable(number: int) -> set[tuple[int, ...]]:
    """All states: how many forks each philosopher has."""
    start = (0,) * number
    found, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        taken = {fork for i, held in enumerate(state) for fork in forks(i, number)[:held]}
        for i, held in enumerate(state):
            if held < 2 and forks(i, number)[held] in taken:
                continue
            after = (*state[:i], (held + 1) % 3, *state[i + 1 :])
            if after not in found:
                found.add(after)
                waiting.append(after)
    return found


def pepa(number: int) -> str:
    """A component for each philosopher and for each fork."""
    lines, takers = [], {fork: [] for fork in range(number)}
    for i in range(number):
        first, second = forks(i, number)
        takers[first].append((f"first{i}", f"eat{i}"))
        takers[second].append((f"second{i}", f"eat{i}"))
        lines.append(
            f"Thinks{i} = (first{i}, {rate(FIRST, i)}).Waits{i}; Waits{i} = (second{i}, {rate(SECOND, i)}).Eats{i}; "
            f"Eats{i} = (eat{i}, {rate(EAT, i)}).Thinks{i};"
        )
    for fork, pairs in takers.items():
        choice = " + ".join(f"({take}, infty).Taken{fork}by{n}" for n, (take, _) in enumerate(pairs))
        lines.append(f"Fork{fork} = {choice};")
        lines += [f"Taken{fork}by{n} = ({eat}, infty).Fork{fork};" for n, (_, eat) in enumerate(pairs)]
    # Forks cooperate with each other where a philosopher puts both back.
    system = "Fork0"
    for fork in range(1, number):
        shared = {eat for _, eat in takers[fork]} & {eat for one in range(fork) for _, eat in takers[one]}
        system = f"({system} <{', '.join(sorted(shared))}> Fork{fork})"
    actions = ", ".join(f"first{i}, second{i}, eat{i}" for i in range(number))
    lines.append(f"({' || '.join(f'Thinks{i}' for i in range(number))}) <{actions}> {system}")
    return "\n".join(lines) + "\n"


def prism(number: int) -> str:
    """A module for each philosopher, which looks at the neighbours' forks."""
    lines = ["ctmc"]
    holders = {fork: [] for fork in range(number)}
    for i in range(number):
        first, second = forks(i, number)
        holders[first].append(f"p{i}>0")
        holders[second].append(f"p{i}>1")
    lines += [f"formula taken{fork} = {' | '.join(who)};" for fork, who in holders.items()]
    for i in range(number):
        first, second = forks(i, number)
        lines.append(
            f"module philosopher{i}\n  p{i} : [0..2] init 0;\n"
            f"  [] p{i}=0 & !taken{first} -> {rate(FIRST, i):.17g} : (p{i}'=1);\n"
            f"  [] p{i}=1 & !taken{second} -> {rate(SECOND, i):.17g} : (p{i}'=2);\n"
            f"  [] p{i}=2 -> {rate(EAT, i):.17g} : (p{i}'=0);\nendmodule"
        )
    lines.append(f'rewards "throughput"\n  p0=2 : {rate(EAT, 0)};\nendrewards')
    return "\n".join(lines) + "\n"
