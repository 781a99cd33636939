"""Queues and groups in a line, drawn at random: each hands on to the next one, at rates that are up to three decades apart."""

from __future__ import annotations

from math import comb
from random import Random

from case import Case
from parts import Group, Model, Queue, Rate

MOST_DECADES = (0.3, 0.3, 1.0, 3.0)
STEPS = (2, 3, 3, 4)
Links = tuple[list[tuple[str, Rate]], list[tuple[str, Rate]]]  # with the part before, and with the one behind: actions and rates


def case(seed: int, states: int, about: float = 1e5) -> Case:
    """The model of a seed, which has about so many states if all are reached."""
    draw = Random(seed)
    count = draw.choice((2, 3, 3, 4, 5))
    links = [(f"hand{at}", draw.random() < 0.5) for at in range(count - 1)]
    parts: list[Group | Queue] = []
    for at in range(count):
        size = about ** (1 / count) * draw.uniform(0.6, 1.6)
        # A link is taken at the rate of the part before it, or of the part behind it.
        into = [(name, None if is_of_first else rate(draw)) for name, is_of_first in links[max(at - 1, 0) : at]]
        onward = [(name, rate(draw) if is_of_first else None) for name, is_of_first in links[at : at + 1]]
        make = queue if draw.random() < 0.5 else group
        parts.append(make(draw, at, size, (into, onward)))
    return Model(parts, links[-1][0], states, name=f"mixed parts, seed {seed}").case()


def rate(draw: Random) -> float:
    """A rate of two at most, and often much less."""
    return round(10 ** draw.uniform(-draw.choice(MOST_DECADES), 0.3), 4)


def queue(draw: Random, at: int, size: float, links: Links) -> Queue:
    """A queue that others fill and empty, and some come and go by themselves."""
    into, onward = links
    come, go = [(f"come{at}", rate(draw))], [(f"go{at}", rate(draw))]
    enter = into + (come if not into or draw.random() < 0.3 else [])
    leave = onward + (go if not onward or draw.random() < 0.3 else [])
    return Queue(f"P{at}", int(size), enter, leave)


def group(draw: Random, at: int, size: float, links: Links) -> Group:
    """Copies that go round a few steps, some of which are taken with others; now and then one leaps."""
    steps = draw.choice(STEPS)
    copies = next(number for number in range(2, 10_000) if comb(number + steps, steps - 1) >= size)
    states = [f"z{step}" for step in range(steps)]
    shared = dict(zip(draw.sample(range(steps), steps), links[0] + links[1]))
    moves = []
    for step, state in enumerate(states):
        action, speed = shared.get(step, (f"step{at}x{step}", rate(draw)))
        moves.append((state, action, speed, states[(step + 1) % steps]))
    if draw.random() < 0.5:
        one, other = draw.sample(range(steps), 2)
        moves.append((states[one], f"leap{at}", rate(draw), states[other]))
    return Group(f"P{at}", moves, copies)
