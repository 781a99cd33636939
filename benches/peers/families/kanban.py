"""The Kanban system (Ciardo and Tilgner 1996), as in the benchmark suite of PRISM: four machines with `t` cards each.

A card is free, in the machine, to be done again, or done. Each step has a rate for the machine, not for the card. The
second and the third machine get their parts together, from the first, and hand them over together, to the fourth. So
they have as many cards at work at any time, and there are `C(t + 3, 3)^2 sum of C(m + 2, 2)^2 over m = 0..t` states.
"""

from __future__ import annotations

from math import comb

from case import Case

REDO, OK = (0.36, 0.42, 0.39, 0.33), (0.84, 0.98, 0.91, 0.77)
BACK, ENTER, SPLIT, JOIN, LEAVE = 0.3, 1.0, 0.4, 0.5, 0.9


def case(cards: int) -> Case:
    """So many cards for each machine."""
    states = comb(cards + 3, 3) ** 2 * sum(comb(work + 2, 2) ** 2 for work in range(cards + 1))
    return Case(
        name=f"kanban t={cards}",
        pepa=pepa(cards),
        prism=prism(cards),
        action="enter",
        states=states,
        lumped=states,
        is_counted=True,
    )


def pepa(cards: int) -> str:
    """Cards that are counted, and one component that has all rates."""
    gets, gives = ("enter", "split", "split", "join"), ("split", "join", "join", "leave")
    lines, rates = [], [("enter", ENTER), ("split", SPLIT), ("join", JOIN), ("leave", LEAVE)]
    for at in range(4):
        i = at + 1
        lines.append(
            f"Free{i} = ({gets[at]}, infty).Work{i};\n"
            f"Work{i} = (redo{i}, infty).Again{i} + (ok{i}, infty).Done{i};\n"
            f"Again{i} = (back{i}, infty).Work{i};\n"
            f"Done{i} = ({gives[at]}, infty).Free{i};"
        )
        rates += [(f"redo{i}", REDO[at]), (f"ok{i}", OK[at]), (f"back{i}", BACK)]
    lines.append("Rates = " + " + ".join(f"({action}, {rate}).Rates" for action, rate in rates) + ";")
    middle = f"(Free2[{cards}] <split, join> Free3[{cards}])"
    system = f"((Free1[{cards}] <split> {middle}) <join> Free4[{cards}])"
    lines.append(f"Rates <{', '.join(action for action, _ in rates)}> {system}")
    return "\n".join(lines) + "\n"


def prism(cards: int) -> str:
    """A module for each machine, with the numbers of its cards that are not done; the first of those that move together has the rate."""
    lines = ["ctmc", f"const int t = {cards};"]
    gets = (f"[] {{}} -> {ENTER}", "[split] {} -> 1", "[split] {} -> 1", "[join] {} -> 1")
    gives = (f"[split] {{}} -> {SPLIT}", f"[join] {{}} -> {JOIN}", "[join] {} -> 1", f"[] {{}} -> {LEAVE}")
    for at in range(4):
        i = at + 1
        lines += [
            f"module machine{i}",
            f"  x{i} : [0..t] init 0;\n  y{i} : [0..t] init 0;\n  z{i} : [0..t] init 0;",
            f"  {gets[at].format(f'x{i}+y{i}+z{i}<t')} : (x{i}'=x{i}+1);",
            f"  [] x{i}>0 & y{i}<t -> {REDO[at]} : (x{i}'=x{i}-1) & (y{i}'=y{i}+1);",
            f"  [] x{i}>0 & z{i}<t -> {OK[at]} : (x{i}'=x{i}-1) & (z{i}'=z{i}+1);",
            f"  [] y{i}>0 & x{i}<t -> {BACK} : (y{i}'=y{i}-1) & (x{i}'=x{i}+1);",
            f"  {gives[at].format(f'z{i}>0')} : (z{i}'=z{i}-1);",
            "endmodule",
        ]
    lines.append(f'rewards "throughput"\n  x1+y1+z1<t : {ENTER};\nendrewards')
    return "\n".join(lines) + "\n"
