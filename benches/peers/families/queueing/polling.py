"""The cyclic polling system (Ibe and Trivedi 1990), as in the benchmark suite of PRISM: one server, N stations.

At each station the server looks (rate gamma = 200): there is a job, which it serves (rate mu = 1), or none, and it goes
on to the next. A station without a job gets one at the rate lambda = mu / N. The server is at one of N stations and
looks, with a job there or not, or serves, and then there is one: `N (2^N + 2^(N-1))` states. In each of them the server
does one thing, and each station without a job may get one: on average half of them all, or half of the others where
one is served. The stations are alike, but the server goes round them in order, so no two may change places and
nothing is lumped by counting.
"""

from __future__ import annotations

from case import Case


def case(stations: int) -> Case:
    """So many stations, two or more."""
    looking, serving = stations * 2**stations, stations * 2 ** (stations - 1)
    return Case(
        name=f"polling N={stations}",
        pepa=pepa(stations),
        prism=prism(stations),
        action="serve1",
        states=looking + serving,
        transitions=looking + looking * stations // 2 + serving + serving * (stations - 1) // 2,
    )


def pepa(stations: int) -> str:
    """A component for each station, and the server in the derivatives of one."""
    numbers = range(1, stations + 1)
    lines = [f"mu = 1; gamma = 200; lambda = mu / {stations};"]
    lines += [
        f"Empty{i} = (arrive{i}, lambda).Full{i} + (pass{i}, infty).Empty{i};\n"
        f"Full{i} = (find{i}, infty).Full{i} + (serve{i}, infty).Empty{i};\n"
        f"Look{i} = (pass{i}, gamma).Look{i % stations + 1} + (find{i}, gamma).Serve{i};\n"
        f"Serve{i} = (serve{i}, mu).Look{i % stations + 1};"
        for i in numbers
    ]
    shared = ", ".join(f"pass{i}, find{i}, serve{i}" for i in numbers)
    empty = " || ".join(f"Empty{i}" for i in numbers)
    lines.append(f"Look1 <{shared}> ({empty})")
    return "\n".join(lines) + "\n"


def prism(stations: int) -> str:
    """The server's module has a place `s` and whether it serves, `a`; `si` is whether station i has a job."""
    numbers = range(1, stations + 1)
    lines = ["ctmc", f"const double mu = 1;\nconst double gamma = 200;\nconst double lambda = mu / {stations};"]
    lines.append(f"module server\n  s : [1..{stations}] init 1;\n  a : [0..1] init 0;")
    for i in numbers:
        following = i % stations + 1
        lines.append(f"  [pass{i}] s={i} & a=0 -> gamma : (s'={following});")
        lines.append(f"  [find{i}] s={i} & a=0 -> gamma : (a'=1);")
        lines.append(f"  [serve{i}] s={i} & a=1 -> mu : (s'={following}) & (a'=0);")
    lines.append("endmodule")
    lines += [
        f"module station{i}\n"
        f"  s{i} : [0..1] init 0;\n"
        f"  [] s{i}=0 -> lambda : (s{i}'=1);\n"
        f"  [pass{i}] s{i}=0 -> 1 : true;\n"
        f"  [find{i}] s{i}=1 -> 1 : true;\n"
        f"  [serve{i}] s{i}=1 -> 1 : (s{i}'=0);\n"
        "endmodule"
        for i in numbers
    ]
    lines.append('rewards "throughput"\n  s=1 & a=1 : mu;\nendrewards')
    return "\n".join(lines) + "\n"
