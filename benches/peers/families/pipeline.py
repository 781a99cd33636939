"""The pipeline of Fig. B.1 (Benoit, Cole, Gilmore, Hillston 2005) with n stages, each on a processor of its own.

A stage gets an item, processes it and passes it on: three local states, so `3^n` states, all of them reachable, and
`3^(n-2) (4n+5)` transitions. All rates are 10. There are no replicas, so nothing to lump.
"""

from __future__ import annotations

from fractions import Fraction

from case import Case

ANSWERS = {
    4: 10 * Fraction(1894815960856865783416, 8350670543974714460991),
    10: Fraction("2.0009328397299"),
    12: Fraction("1.96943544412"),
    13: Fraction("1.95722036211"),
}


def case(stages: int) -> Case:
    """The pipeline of so many stages."""
    return Case(
        name=f"pipeline n={stages}",
        pepa=pepa(stages),
        prism=prism(stages),
        action="process1",
        states=3**stages,
        transitions=3 ** (stages - 2) * (4 * stages + 5),
        answer=ANSWERS.get(stages),
    )


def pepa(stages: int) -> str:
    """Stages in a line, a network that moves and processors that process."""
    numbers = range(1, stages + 1)
    links = range(1, stages + 2)
    lines = ["rate = 10;"]
    lines += [
        f"Stage{i} = (move{i}, infty).(process{i}, infty).(move{i + 1}, infty).Stage{i};\n"
        f"Processor{i} = (process{i}, rate).Processor{i};"
        for i in numbers
    ]
    lines.append("Network = " + " + ".join(f"(move{i}, rate).Network" for i in links) + ";")
    line = "Stage1" + "".join(f" <move{i}> Stage{i}" for i in numbers[1:])
    moves = ", ".join(f"move{i}" for i in links)
    processes = ", ".join(f"process{i}" for i in numbers)
    processors = " || ".join(f"Processor{i}" for i in numbers)
    lines.append(f"Network <{moves}> ({line}) <{processes}> ({processors})")
    return "\n".join(lines) + "\n"


def prism(stages: int) -> str:
    """A module for each stage, and one for all that sets the rates."""
    numbers = range(1, stages + 1)
    lines = ["ctmc", "const double rate = 10;"]
    lines += [
        f"module stage{i}\n"
        f"  s{i} : [0..2] init 0;\n"
        f"  [move{i}] s{i}=0 -> 1 : (s{i}'=1);\n"
        f"  [process{i}] s{i}=1 -> 1 : (s{i}'=2);\n"
        f"  [move{i + 1}] s{i}=2 -> 1 : (s{i}'=0);\n"
        "endmodule"
        for i in numbers
    ]
    lines.append("module network_and_processors")
    lines += [f"  [move{i}] true -> rate : true;" for i in range(1, stages + 2)]
    lines += [f"  [process{i}] true -> rate : true;" for i in numbers]
    lines.append('endmodule\nrewards "throughput"\n  s1=1 : rate;\nendrewards')
    return "\n".join(lines) + "\n"
