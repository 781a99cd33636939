"""Lines of derivatives that are written out, and machines that two people repair.

The line of birth and death goes up at the rate 3 and down at the rate 4, so that it goes down 3 times a unit of time.
The cycle goes on at rates that repeat, and seldom goes back to its beginning, so that late states are less likely. The
machines fail at the rate 1 each; one machine is repaired at the rate 3 by its own means, and all of them together at 10
at most.
"""

from __future__ import annotations

from fractions import Fraction

from case import Case

UP, DOWN = 3, 4
ON, BACK, BETWEEN_WAYS_BACK = ("1", "2", "3", "1.5", "2.5"), "0.0001", 10
FAIL, REPAIR, REPAIRS = 1, 3, 10


def birth_death(last: int) -> Case:
    """A component with derivatives 0 to `last`, which reading has to go through."""
    lines = [f"X0 = (up, {UP}).X1;"]
    lines += [f"X{i} = (up, {UP}).X{i + 1} + (down, {DOWN}).X{i - 1};" for i in range(1, last)]
    lines.append(f"X{last} = (down, {DOWN}).X{last - 1};\nX0")
    prism = (
        f"ctmc\nconst int N = {last};\nmodule line\n  x : [0..N] init 0;\n  [] x<N -> {UP} : (x'=x+1);\n"
        f"  [] x>0 -> {DOWN} : (x'=x-1);\nendmodule\nrewards \"throughput\"\n  x>0 : {DOWN};\nendrewards\n"
    )
    # The probability of the last state is below (3/4)^last, far beyond what either tool is asked for.
    return Case(f"birth-death text N={last}", "\n".join(lines) + "\n", prism, "down", last + 1, answer=Fraction(UP))


def cycle(states: int) -> Case:
    """So many derivatives, a multiple of ten. Each leads to the next, and every tenth to the first too."""
    lines, prism = [], [f"ctmc\nconst int N = {states};\nmodule cycle\n  x : [0..N-1] init 0;"]
    for i in range(states):
        back = f" + (back, {BACK}).X0" if i > 0 and i % BETWEEN_WAYS_BACK == 0 else ""
        lines.append(f"X{i} = (on, {ON[i % len(ON)]}).X{(i + 1) % states}{back};")
    for at, rate in enumerate(ON):
        prism.append(f"  [] mod(x,{len(ON)})={at} -> {rate} : (x'=mod(x+1,N));")
    prism.append(f"  [] x>0 & mod(x,{BETWEEN_WAYS_BACK})=0 -> {BACK} : (x'=0);\nendmodule\nrewards \"throughput\"")
    prism += [f"  mod(x,{len(ON)})={at} : {rate};" for at, rate in enumerate(ON)]
    prism.append("endrewards\n")
    ways_back = (states - 1) // BETWEEN_WAYS_BACK
    pepa = "\n".join([*lines, "X0\n"])
    return Case(f"long cycle N={states}", pepa, "\n".join(prism), "on", states, states + ways_back)


def machines(number: int) -> Case:
    """Machines that are counted, and two repairmen."""
    pepa = (
        f"M = (fail, {FAIL}).B; B = (repair, {REPAIR}).M; S = (repair, {REPAIRS // 2}).S;\n"
        f"M[{number}] <repair> S[2]\n"
    )
    prism = (
        f"ctmc\nconst int N = {number};\nmodule machines\n  b : [0..N] init 0;\n  [] b<N -> {FAIL}*(N-b) : (b'=b+1);\n"
        f"  [] b>0 -> min({REPAIR}*b,{REPAIRS}) : (b'=b-1);\nendmodule\n"
        f"rewards \"throughput\"\n  b>0 : min({REPAIR}*b,{REPAIRS});\nendrewards\n"
    )
    states = number + 1
    # Nearly all machines are broken: that the repairmen ever wait is less likely than 1e-300.
    answer = Fraction(REPAIRS) if number > 500 else None
    return Case(f"machines N={number}", pepa, prism, "repair", states, lumped=states, is_counted=True, answer=answer)
