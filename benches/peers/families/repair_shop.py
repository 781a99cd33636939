"""A repair shop: machines of three kinds that fail, and one man who repairs them, one after the other.

There are so many machines of each kind, which are counted. Of those that have failed, the man takes one of any kind, and
keeps at it until it is repaired. With fifteen machines of each kind he seldom rests, and with thirty hardly ever: a
lattice of three dimensions, in the midst of which probability is.
"""

from __future__ import annotations

from case import Case

FAILURES = (0.01, 0.02, 0.05)
REPAIRS = (1.0, 0.8, 1.5)
START = 10.0


def case(machines: int) -> Case:
    """So many machines of each kind."""
    kinds, side = len(FAILURES), machines + 1
    states = side**kinds + kinds * machines * side ** (kinds - 1)
    return Case(
        name=f"repair shop {machines}^{kinds}",
        pepa=pepa(machines),
        prism=prism(machines),
        action="repair0",
        states=states,
        lumped=states,
        is_counted=True,
    )


def pepa(machines: int) -> str:
    """Counted machines, and the man."""
    kinds = range(len(FAILURES))
    lines = []
    for kind in kinds:
        lines.append(f"Up{kind} = (fail{kind}, {FAILURES[kind]}).Down{kind};")
        lines.append(f"Down{kind} = (start{kind}, infty).Open{kind};")
        lines.append(f"Open{kind} = (repair{kind}, infty).Up{kind};")
        lines.append(f"At{kind} = (repair{kind}, {REPAIRS[kind]}).Free;")
    lines.append("Free = " + " + ".join(f"(start{kind}, {START}).At{kind}" for kind in kinds) + ";")
    shared = ", ".join(f"start{kind}, repair{kind}" for kind in kinds)
    lines.append(f"({' || '.join(f'Up{kind}[{machines}]' for kind in kinds)}) <{shared}> Free")
    return "\n".join(lines) + "\n"


def prism(machines: int) -> str:
    """A module with how many machines of each kind wait, and the kind that is being repaired."""
    kinds = range(len(FAILURES))
    lines = ["ctmc", f"const int N = {machines};", "module shop"]
    lines += [f"  d{kind} : [0..N] init 0;" for kind in kinds]
    lines.append(f"  at : [0..{len(FAILURES)}] init 0;")
    for kind in kinds:
        working = f"(N-d{kind}-(at={kind + 1}?1:0))"
        lines.append(f"  [] {working}>0 -> {FAILURES[kind]}*{working} : (d{kind}'=d{kind}+1);")
        lines.append(f"  [] at=0 & d{kind}>0 -> {START} : (d{kind}'=d{kind}-1) & (at'={kind + 1});")
        lines.append(f"  [] at={kind + 1} -> {REPAIRS[kind]} : (at'=0);")
    lines.append(f'endmodule\nrewards "throughput"\n  at=1 : {REPAIRS[0]};\nendrewards')
    return "\n".join(lines) + "\n"
