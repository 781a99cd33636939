"""An epidemic: people who are susceptible, infected, or immune for a while, and contacts that are rare or frequent by turns. Most of
the time few are infected, or none.
"""

from __future__ import annotations

from math import comb

from case import Case
from parts import Group, Model


def case(people: int) -> Case:
    """So many people."""
    person = [
        ("Well", "infect", None, "Ill"),
        ("Ill", "recover", 0.3, "Immune"),
        ("Immune", "lose", 0.05, "Well"),
        ("Well", "bring", 0.001, "Ill"),
    ]
    contacts = [
        ("Rare", "infect", 2.0, "Rare"),
        ("Rare", "rise", 0.01, "Frequent"),
        ("Frequent", "infect", 20.0, "Frequent"),
        ("Frequent", "fall", 0.02, "Rare"),
    ]
    parts = [Group("Person", person, people), Group("Contacts", contacts)]
    return Model(parts, "infect", 2 * comb(people + 2, 2), name=f"epidemic {people}").case()
