"""A genetic switch (T. S. Gardner, C. R. Cantor, J. J. Collins, Nature 403 (2000)): two proteins that repress each other.

Each protein is made at the rate `made / (1 + (other / 20)^hill) + leak`, where `other` is the number of the other one's
molecules, and each molecule decays at the rate 1; the second is made at two more, so that they cannot be exchanged. With a steep repression either the one protein or the other is there,
and the chain seldom changes between the two. A lattice of two dimensions, without a product form.
"""

from __future__ import annotations

from case import Case


def case(most: int, made: int, hill: int, leak: int) -> Case:
    """At most so many molecules of each protein."""
    side = most + 1
    return Case(
        name=f"genetic switch {most}^2",
        pepa=pepa(most, made, hill, leak),
        prism=prism(most, made, hill, leak),
        action="decayX",
        states=side**2,
        transitions=4 * most * side,
    )


def pepa(most: int, made: int, hill: int, leak: int) -> str:
    """A component for each protein, whose derivative says how many molecules there are and how fast the other is made."""
    lines = []
    for (one, other), of_other in (("XY", made + 2), ("YX", made)):
        for count in range(most + 1):
            ways = [f"(make{other}, {of_other / (1 + (count / 20) ** hill) + leak:.12g}).{one}{count}"]
            ways += [f"(make{one}, infty).{one}{count + 1}"] if count < most else []
            ways += [f"(decay{one}, {count}).{one}{count - 1}"] if count > 0 else []
            lines.append(f"{one}{count} = {' + '.join(ways)};")
    return "\n".join([*lines, "X0 <makeX, makeY> Y0"]) + "\n"


def prism(most: int, made: int, hill: int, leak: int) -> str:
    """A module with a variable for each protein."""
    return (
        f"ctmc\nconst int K = {most};\nmodule switch\n  x : [0..K] init 0;\n  y : [0..K] init 0;\n"
        f"  [] x<K -> {made}/(1+pow(y/20,{hill}))+{leak} : (x'=x+1);\n"
        f"  [] y<K -> {made + 2}/(1+pow(x/20,{hill}))+{leak} : (y'=y+1);\n"
        "  [] x>0 -> x : (x'=x-1);\n  [] y>0 -> y : (y'=y-1);\n"
        'endmodule\nrewards "throughput"\n  x>0 : x;\nendrewards\n'
    )
