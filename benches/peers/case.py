"""One chain that both tools are given, as a PEPA text and as a PRISM text, and what is known of it.

A synchronised rate of PEPA is `r1/ra * r2/rb * min(ra, rb)`, one of PRISM the product of the rates. With one side
passive the first is the rate of the active side, shared among the passive partners; so in PRISM the passive command
has the rate 1, and where several partners can answer, the active one is divided by their number.

What is compared is the throughput of one action: in PRISM the long-run average of a reward that is, in every state,
the total rate of that action.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isnan


@dataclass(frozen=True)
class Case:
    """A chain, in two languages, with its known figures."""

    name: str
    pepa: str
    prism: str
    action: str  # whose throughput is compared
    states: int  # of the whole chain
    transitions: int | None = None  # of the whole chain, where a formula is known
    lumped: int | None = None  # where it is to be solved lumped: the states that are left
    is_counted: bool = False  # whether the PRISM text counts copies itself, so that Storm need not reduce the chain
    answer: Fraction | None = None

    def objection(self, states: int, throughput: float, tolerance: float) -> str | None:
        """What is wrong with a solution; the tolerance is relative."""
        expected = self.states if self.lumped is None else self.lumped
        if states != expected:
            return f"{self.name}: {states} states, not {expected}"
        if isnan(throughput):
            return f"{self.name}: the answer is no number"
        if self.answer is not None and abs(throughput / float(self.answer) - 1) > tolerance:
            return f"{self.name}: {throughput}, not {float(self.answer)}"
        return None
