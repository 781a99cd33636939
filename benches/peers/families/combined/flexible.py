"""A flexible manufacturing system: pieces of three kinds go through machines, and some of the first two kinds are assembled."""

from __future__ import annotations

from math import comb

from case import Case
from parts import Group, Model


def case(pieces: int) -> Case:
    """So many pieces of each kind."""
    parts = [kind("A", "cut", 0.2, pieces), kind("B", "mill", 0.3, pieces)]
    third = [("Ready", "fetch_c", None, "Waits"), ("Waits", "grind", None, "Done"), ("Done", "ship_c", 0.1, "Ready")]
    rates = {"fetch_A": 1.0, "fetch_B": 1.1, "fetch_c": 0.9, "cut": 0.8, "mill": 0.7, "grind": 0.5, "join": 1.0, "assemble": 0.6}
    parts += [Group("C", third, pieces), Group("Machines", [("On", action, rate, "On") for action, rate in rates.items()])]
    # As many pieces of both kinds are assembled at any time.
    assembled = sum(comb(pieces - count + 3, 3) ** 2 for count in range(pieces + 1))
    return Model(parts, "assemble", comb(pieces + 2, 2) * assembled, name=f"flexible manufacturing {pieces}").case()


def kind(name: str, work: str, ship: float, pieces: int) -> Group:
    """Pieces that are worked on, and then shipped or assembled with others."""
    moves = [
        ("Ready", f"fetch_{name}", None, "Waits"),
        ("Waits", work, None, "Done"),
        ("Done", f"ship_{name}", ship, "Ready"),
        ("Done", f"send_{name}", 0.05, "Apart"),
        ("Apart", "join", None, "Joined"),
        ("Joined", "assemble", None, "Ready"),
    ]
    return Group(name, moves, pieces)
