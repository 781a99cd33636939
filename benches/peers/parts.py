"""Models that are put together of parts, written once for both languages: groups of equal components, and queues.

A part has moves, each with an action and a rate; a rate of `None` is passive. Parts that have an action in common take it
together, and one of them has its rate. In PEPA each part is a component or a counted array, and in PRISM all parts are
variables of one module, with a command for each way in which an action can be taken. A group in which several states
take an action shares it out by their numbers, as PEPA does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from case import Case

Rate = float | None


@dataclass(frozen=True)
class Way:
    """How a part can take an action: when, at which rate if it has one, with which share, and what becomes of it."""

    guard: str
    rate: str | None
    share: str | None
    update: str | None


@dataclass(frozen=True)
class Group:
    """So many components that begin in the first state; moves are `(state, action, rate, next state)`."""

    name: str
    moves: list[tuple[str, str, Rate, str]]
    copies: int = 1

    @property
    def states(self) -> list[str]:
        """All states, in the order in which moves name them."""
        return list(dict.fromkeys(state for move in self.moves for state in (move[0], move[3])))

    @property
    def actions(self) -> list[str]:
        """All actions."""
        return list(dict.fromkeys(action for _, action, _, _ in self.moves))

    def definitions(self) -> list[str]:
        """The component in PEPA."""
        return [
            f"{self.name}{state} = "
            + " + ".join(term(action, rate, f"{self.name}{to}") for at, action, rate, to in self.moves if at == state)
            + ";"
            for state in self.states
        ]

    def start(self) -> str:
        """The copies in PEPA."""
        return f"{self.name}{self.states[0]}" + (f"[{self.copies}]" if self.copies > 1 else "")

    def variables(self) -> list[str]:
        """The state in PRISM, or how many copies are in each."""
        if self.copies == 1:
            return [f"  {self.name} : [0..{len(self.states) - 1}] init 0;"]
        first = self.states[0]
        return [
            f"  {self.name}{state} : [0..{self.copies}] init {self.copies if state == first else 0};"
            for state in self.states
        ]

    def ways(self, action: str) -> list[Way]:
        """The ways to take an action."""
        moves = [move for move in self.moves if move[1] == action]
        return [self.way(move, [other[0] for other in moves]) for move in moves]

    def way(self, move: tuple[str, str, Rate, str], able: list[str]) -> Way:
        """The way of one move, where copies in some states are able to take its action."""
        state, _, rate, to = move
        if self.copies == 1:
            update = None if state == to else f"({self.name}'={self.states.index(to)})"
            return Way(f"{self.name}={self.states.index(state)}", None if rate is None else str(rate), None, update)
        count = f"{self.name}{state}"
        update = None if state == to else f"({count}'={count}-1) & ({self.name}{to}'={self.name}{to}+1)"
        if rate is not None:
            return Way(f"{count}>0", f"{rate}*{count}", None, update)
        all_able = "+".join(f"{self.name}{other}" for other in able)
        return Way(f"{count}>0", None, None if len(able) == 1 else f"{count}/({all_able})", update)


@dataclass(frozen=True)
class Queue:
    """So many places, of which some are taken at first; `enter` and `leave` are lists of `(action, rate)`."""

    name: str
    places: int
    enter: list[tuple[str, Rate]]
    leave: list[tuple[str, Rate]]
    taken: int = 0

    @property
    def actions(self) -> list[str]:
        """All actions."""
        return [action for action, _ in self.enter + self.leave]

    def definitions(self) -> list[str]:
        """The component in PEPA."""
        lines = []
        for count in range(self.places + 1):
            ways = [term(*way, f"{self.name}x{count + 1}") for way in self.enter if count < self.places]
            ways += [term(*way, f"{self.name}x{count - 1}") for way in self.leave if count > 0]
            lines.append(f"{self.name}x{count} = {' + '.join(ways)};")
        return lines

    def start(self) -> str:
        """The queue as it is at first, in PEPA."""
        return f"{self.name}x{self.taken}"

    def variables(self) -> list[str]:
        """How many places are taken, in PRISM."""
        return [f"  {self.name} : [0..{self.places}] init {self.taken};"]

    def ways(self, action: str) -> list[Way]:
        """The ways to take an action."""
        guards = ((self.enter, f"{self.name}<{self.places}", "+"), (self.leave, f"{self.name}>0", "-"))
        return [
            Way(guard, None if rate is None else str(rate), None, f"({self.name}'={self.name}{sign}1)")
            for moves, guard, sign in guards
            for other, rate in moves
            if other == action
        ]


@dataclass(frozen=True)
class Model:
    """Parts that take the actions together that they have in common."""

    parts: list[Group | Queue]
    action: str  # whose throughput is compared
    states: int
    name: str = field(kw_only=True)

    def case(self) -> Case:
        """The model in both languages."""
        texts = {"pepa": self.pepa(), "prism": self.prism()}
        counts = {"states": self.states, "lumped": self.states, "is_counted": True}
        return Case(name=self.name, action=self.action, **texts, **counts)

    def pepa(self) -> str:
        """The definitions, and the parts one after the other."""
        system, known = self.parts[0].start(), set(self.parts[0].actions)
        for part in self.parts[1:]:
            shared = ", ".join(sorted(known.intersection(part.actions)))
            system = f"({system} {f'<{shared}>' if shared else '||'} {part.start()})"
            known.update(part.actions)
        return "\n".join([*(line for part in self.parts for line in part.definitions()), system]) + "\n"

    def prism(self) -> str:
        """One module, and the rate of the action as a reward."""
        lines = ["ctmc", "module parts", *(line for part in self.parts for line in part.variables())]
        rewards = []
        for action in dict.fromkeys(action for part in self.parts for action in part.actions):
            ways = [part.ways(action) for part in self.parts if action in part.actions]
            for way in product(*ways):
                guard = " & ".join(one.guard for one in way)
                rate = "*".join(factor for one in way for factor in (one.rate, one.share) if factor)
                update = " & ".join(one.update for one in way if one.update)
                lines += [f"  [] {guard} -> {rate} : {update};"] if update else []
                rewards += [f"  {guard} : {rate};"] if action == self.action else []
        return "\n".join([*lines, "endmodule", 'rewards "throughput"', *rewards, "endrewards"]) + "\n"


def term(action: str, rate: Rate, to: str) -> str:
    """A move in PEPA."""
    return f"({action}, {'infty' if rate is None else rate}).{to}"
