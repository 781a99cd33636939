"""Random functions in the performance-model normal form, and timed runs of them with noise.

The sizes, the constants and the ratios of term and constant are as wide as those of the data sets that the tests of `skel-fit` have. The terms
are drawn from the 42 that both tools try, all alike.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction

RUNS = 5  # of each point

EXPONENTS = {
    0: "1/4 1/3 1/2 2/3 3/4 4/5 1 5/4 4/3 3/2 5/3 7/4 2 9/4 7/3 5/2 8/3 11/4 3",
    1: "0 1/4 1/3 1/2 2/3 3/4 1 5/4 4/3 3/2 2 5/2 3",
    2: "0 1/4 1/3 1/2 2/3 3/4 1 3/2 2 5/2",
}
TERMS = [(Fraction(i), j) for j, exponents in EXPONENTS.items() for i in exponents.split()]
NONE = (Fraction(0), 0)

DOUBLED = [2.0**k for k in range(1, 13)]
SIZES = [
    DOUBLED[2:7],
    DOUBLED[3:9],
    DOUBLED[1:8],
    [2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0],
    [100.0 * k for k in range(1, 9)],
    [500.0 + 250.0 * k for k in range(7)],
]
PROCESSES = [2.0, 4.0, 8.0, 16.0, 32.0]
SIZES_OF_TWO = [[100.0, 200.0, 400.0, 800.0, 1600.0], [10.0, 20.0, 30.0, 40.0, 50.0]]
FORMS = ["a*b", "a+b", "a*b+a", "a*b+b"]


@dataclass(frozen=True)
class Case:
    """A kind of data sets."""

    name: str
    parameters: int
    count: int
    noise: float  # the standard deviation of normal noise, or half the width of uniform noise, as a part of the time
    is_uniform: bool = False
    is_wide: bool = False


CASES = [
    Case("Gaussian 2 %", 1, 1000, 0.02),
    Case("Gaussian 5 %", 1, 1000, 0.05),
    Case("uniform 1 %", 1, 1000, 0.01, is_uniform=True),
    Case("wide, Gaussian 2 %", 1, 1000, 0.02, is_wide=True),
    Case("two, Gaussian 2 %", 2, 150, 0.02),
    Case("two, Gaussian 5 %", 2, 150, 0.05),
]

Term = tuple[tuple[Fraction, int], ...]  # the exponents of each parameter and of its logarithm


@dataclass(frozen=True)
class Truth:
    """A function: a constant, and terms with their coefficients."""

    constant: float
    terms: dict[Term, float]

    def at(self, point: list[float]) -> float:
        """The value at a point."""
        return self.constant + sum(factor * product(term, point) for term, factor in self.terms.items())


@dataclass(frozen=True)
class Set:
    """Points with the times of their runs, and the function behind them."""

    points: list[list[float]]
    values: list[list[float]]
    truth: Truth

    @property
    def far(self) -> list[float]:
        """Four times the largest value of each parameter."""
        return [4.0 * max(column) for column in zip(*self.points)]


def product(term: Term, point: list[float]) -> float:
    """The powers of a term at a point."""
    return math.prod(x ** float(i) * math.log2(x) ** j for (i, j), x in zip(term, point))


def draw(case: Case, seed: int) -> list[Set]:
    """The data sets of a case."""
    generator = random.Random(f"{case.name} {seed}")
    return [draw_one(case, generator) if case.parameters == 1 else draw_two(case, generator) for _ in range(case.count)]


def draw_one(case: Case, generator: random.Random) -> Set:
    """A set of one parameter. In a wide one the term outweighs the constant ten times and more."""
    sizes = DOUBLED if case.is_wide else generator.choice(SIZES)
    constant = 10 ** generator.uniform(-1, 2)
    ratio = 10 ** generator.uniform(1 if case.is_wide else 0, 2.5)
    points = [[size] for size in sizes]
    term = (generator.choice(TERMS),)
    return timed(case, points, truth(constant, {term: ratio}, points[-1]), generator)


def draw_two(case: Case, generator: random.Random) -> Set:
    """A set of two parameters."""
    sizes = generator.choice(SIZES_OF_TWO)
    constant = 10 ** generator.uniform(-1, 1)
    a, b = generator.choice(TERMS), generator.choice(TERMS)
    terms = {"a*b": (a, b), "a": (a, NONE), "b": (NONE, b)}
    form = generator.choice(FORMS)
    ratios = {terms[part]: 10 ** generator.uniform(0.3, 1.5) for part in form.split("+")}
    points = [[p, n] for p in PROCESSES for n in sizes]
    return timed(case, points, truth(constant, ratios, points[-1]), generator)


def truth(constant: float, ratios: dict[Term, float], last: list[float]) -> Truth:
    """The function whose terms are so many times the constant at the last point."""
    return Truth(constant, {term: ratio * constant / product(term, last) for term, ratio in ratios.items()})


def timed(case: Case, points: list[list[float]], function: Truth, generator: random.Random) -> Set:
    """Runs of the function."""

    def run(point: list[float]) -> float:
        noise = generator.uniform(-case.noise, case.noise) if case.is_uniform else generator.gauss(0, case.noise)
        return function.at(point) * (1 + noise)

    return Set(points, [[run(point) for _ in range(RUNS)] for point in points], function)
