"""A leaky bucket: data of a source that is on or off wait for tokens, and then to be sent."""

from __future__ import annotations

from case import Case
from parts import Group, Model, Queue


def case(places: int, tokens: int) -> Case:
    """So many places for data before and behind, and so many tokens."""
    source = [("On", "put", 2.0, "On"), ("On", "off", 0.2, "Off"), ("Off", "on", 0.1, "On")]
    parts = [
        Group("Source", source),
        Queue("Data", places, [("put", None)], [("pass", 5.0)]),
        Queue("Tokens", tokens, [("token", 0.8)], [("pass", None)], taken=tokens),
        Queue("Line", places, [("pass", None)], [("send", 1.0)]),
    ]
    states = 2 * (places + 1) ** 2 * (tokens + 1)
    return Model(parts, "send", states, name=f"leaky bucket {places}, {tokens}").case()
