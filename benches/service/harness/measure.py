"""Rounds in turn, medians with ranges, and the table that comes of them."""

import operator
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS_EACH", "2"))

Figures = dict[str, float]
COMPARE = {">=": operator.ge, "<=": operator.le, "<": operator.lt}


@dataclass(frozen=True)
class Aim:
    """What the median should be: of the ratio, or of our own figures where that is what was asked for."""

    compare: str
    value: float
    of: str = "ratio"


@dataclass
class Row:
    """One line of the table: a figure of ours beside one of theirs, a pair from each round."""

    what: str
    beside: str
    unit: str
    ours: list[float]
    theirs: list[float]
    aim: Aim | None = None
    ratios: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.ratios = [ours / theirs if theirs else float("nan") for ours, theirs in zip(self.ours, self.theirs, strict=True)]

    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return COMPARE[self.aim.compare](median(self.ratios if self.aim.of == "ratio" else self.ours), self.aim.value)

    def json(self) -> dict:
        aim = self.aim and f"{self.aim.of} {self.aim.compare} {self.aim.value}"
        return {
            "what": self.what, "beside": self.beside, "unit": self.unit, "ours": self.ours, "theirs": self.theirs,
            "ratio": median(self.ratios), "aim": aim, "met": self.met(),
        }  # fmt: skip

    def markdown(self) -> str:
        ratio = f"{number(median(self.ratios))} ({number(min(self.ratios))}–{number(max(self.ratios))})"
        aim = ""
        if self.aim:
            whose = "" if self.aim.of == "ratio" else f" {self.unit}"
            aim = f"{self.aim.compare.replace('>=', '≥').replace('<=', '≤')} {number(self.aim.value)}{whose}"
            aim += ", met" if self.met() else ", **missed**"
        figures = f"{spread(self.ours)} | {spread(self.theirs)}"
        return f"| {self.what} | {self.beside} | {self.unit} | {figures} | {ratio} | {aim} |"


HEAD = """| what | beside what | unit | Kauri: median (range) | the other: median (range) | ratio (range) | aim |
|---|---|---|---|---|---|---|"""


def number(value: float) -> str:
    """Three digits that count, or all of a large whole number."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def spread(values: list[float]) -> str:
    if min(values) == max(values):
        return number(values[0])
    return f"{number(median(values))} ({number(min(values))}–{number(max(values))})"


def side_by_side(ours: Callable[[], Figures], theirs: Callable[[], Figures]) -> list[tuple[Figures, Figures]]:
    """One pair of figures a round, measured one right after the other."""
    return [(ours(), theirs()) for _ in range(ROUNDS)]


def row(
    what: str, beside: str, unit: str, pairs: list[tuple[Figures, Figures]], figure: str, aim: Aim | None = None
) -> Row:
    """The row of one figure that each side of each pair has."""
    return Row(what, beside, unit, [ours[figure] for ours, _ in pairs], [theirs[figure] for _, theirs in pairs], aim)
