"""How a cut-off was chosen: what was asked for, on which rows, and what it came to there."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

from bosco.base.language import tr
from bosco.base.numerals import show_figure, show_number

WAYS = ("threshold", "recall", "alarms", "cost")
"""What a cut-off can be chosen by."""

Ends = tuple[float, float, float]
"""A figure and its 95 % interval."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for, and what came of it on the rows that it was chosen on.

    Attributes
    ----------
    way : {"threshold", "recall", "alarms", "cost"}
        What it was chosen by.
    asked : float
        The number asked for; 0 for "cost".
    rows : int
        How many rows it was chosen on; 0 for none.
    seen : int
        How many of them equal training rows; -1: nobody can tell.
    answered : tuple of float
        Share of the rows that get the answer, with its interval.
    recall, precision : tuple of float
        Share of the class that gets it; share of those who get it that are of the class.
    cost : tuple of float
        Mean cost of a row; of no costs, the share of wrong rows.
    """

    way: str
    asked: float
    rows: int = 0
    seen: int = -1
    answered: Ends = (0.0, 0.0, 1.0)
    recall: Ends = (0.0, 0.0, 1.0)
    precision: Ends = (0.0, 0.0, 1.0)
    cost: Ends = (0.0, 0.0, 0.0)

    def to_plain(self) -> dict[str, Any]:
        """Plain values, as a file keeps them."""
        return {n: list(v) if isinstance(v, tuple) else v for n, v in asdict(self).items()}

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> "Chosen | None":
        """What `to_plain` gave; None if it is not that."""
        if set(said) != {field.name for field in fields(cls)}:
            return None
        made: dict[str, Any] = {}
        for name, value in said.items():
            if name == "way":
                good = value in WAYS
            elif name in ("rows", "seen"):
                good = type(value) is int and value >= -1
            elif name == "asked":
                good = _is_number(value)
            else:
                good = isinstance(value, list | tuple) and len(value) == 3
                good = good and all(map(_is_number, value))
            if not good:
                return None
            made[name] = tuple(value) if isinstance(value, list) else value
        return cls(**made)

    def say(self, answer: str, *, costs: bool) -> list[str]:
        """It in sentences."""
        if not self.rows:
            return []
        goals = {
            "threshold": tr("Looked at on {rows:,} rows", rows=self.rows),
            "recall": tr(
                "Chosen on {rows:,} rows to find {asked} of {answer}",
                rows=self.rows,
                asked=show_percent(self.asked),
                answer=answer,
            ),
            "alarms": self._alarms(answer),
            "cost": tr("Chosen on {rows:,} rows for the least cost", rows=self.rows),
        }
        found = tr(
            "{answer} answered {share}, found {recall}, right {precision}",
            answer=answer,
            share=_shares(self.answered),
            recall=_shares(self.recall),
            precision=_shares(self.precision),
        )
        mean = tr("mean cost {cost}", cost=_costs(self.cost))
        said = [f"{goals[self.way]}: {found}{f', {mean}' if costs else ''}."]
        if self.seen > 0:
            said.append(
                tr("{n:,} of these rows equal training rows: the figures flatter it.", n=self.seen)
            )
        elif self.seen < 0:
            said.append(tr("Whether they equal training rows cannot be told."))
        return said

    def _alarms(self, answer: str) -> str:
        """So many answers at most: a number of rows, or a share of them."""
        if self.asked < 1:
            return tr(
                "Chosen on {rows:,} rows to answer {answer} to {asked} of them at most",
                rows=self.rows,
                answer=answer,
                asked=show_percent(self.asked),
            )
        return tr(
            "Chosen on {rows:,} rows to answer {answer} at most {asked} times there",
            rows=self.rows,
            answer=answer,
            asked=show_number(self.asked),
        )


def show_percent(share: float) -> str:
    """A share as a percentage."""
    return f"{100 * share:.4g} %"


def _shares(ends: Ends) -> str:
    value, low, high = (100 * x for x in ends)
    return tr("{value:.1f} % (95 % {low:.1f} to {high:.1f})", value=value, low=low, high=high)


def _costs(ends: Ends) -> str:
    value, low, high = map(show_figure, ends)
    return tr("{value} (95 % {low} to {high})", value=value, low=low, high=high)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
