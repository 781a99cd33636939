"""Two-phase commit: coordinators ask participants, which hold a lock from their vote to the end, and crash now and then."""

from __future__ import annotations

from math import comb

from case import Case
from parts import Group, Model


def case(coordinators: int, participants: int) -> Case:
    """So many of each. As many participants hold locks as coordinators have committed."""
    coordinator = [
        ("Idle", "begin", 0.3, "Ready"),
        ("Ready", "vote", None, "Waiting"),
        ("Waiting", "agree", None, "Committed"),
        ("Waiting", "refuse", 0.2, "Idle"),
        ("Committed", "done", None, "Idle"),
    ]
    participant = [
        ("Free", "vote", 2.0, "Voting"),
        ("Voting", "agree", 1.5, "Locked"),
        ("Locked", "done", 1.0, "Free"),
        ("Voting", "abort", 0.2, "Free"),
        ("Free", "crash", 0.001, "Down"),
        ("Down", "boot", 0.02, "Free"),
    ]
    committed = range(min(coordinators, participants) + 1)
    states = sum(comb(coordinators - at + 2, 2) * comb(participants - at + 2, 2) for at in committed)
    parts = [Group("Coordinator", coordinator, coordinators), Group("Participant", participant, participants)]
    return Model(parts, "done", states, name=f"commit {coordinators}, {participants}").case()
