"""Where two models decide differently, in regions a person can read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bosco.conditions import Condition
from bosco.errors import ParameterError
from bosco.frame import Frame
from bosco.render.card import NO_LIMIT, say
from bosco.rules.align import aligned, raw_point
from bosco.rules.deadline import Deadline
from bosco.rules.equivalence import cells, side
from bosco.rules.match import Masks
from bosco.rules.rule import Rule
from bosco.rules.ruleset import RuleSet
from bosco.rules.simplify import TIME_LIMIT, shortest
from bosco.rules.space import Box
from bosco.rules.write import condition_dict, show_answer
from bosco.schema import Schema


@dataclass(frozen=True, slots=True)
class Region:
    """A part of the space in which two models give two answers.

    Attributes
    ----------
    first, second : object
        What each of them answers; None where it has no rule.
    conditions : tuple of Interval or Members
        The region; empty for the whole space.
    point : dict
        A case in it, by column name.
    rows : int or None
        How many of the given rows are in it.
    """

    first: Any
    second: Any
    conditions: tuple[Condition, ...]
    point: dict[str, Any]
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """All regions in which two models differ, the most populated first; ``print`` it.

    Attributes
    ----------
    regions : tuple of Region
        Together they hold exactly the cases that are answered differently. Regions with the same
        two answers may overlap.
    schema : Schema
        The columns of both models.
    rows, rows_in_all : int or None
        How many of the given rows are answered differently, and how many were given.
    """

    regions: tuple[Region, ...]
    schema: Schema
    rows: int | None = None
    rows_in_all: int | None = None

    @property
    def equal(self) -> bool:
        """Whether the models agree everywhere."""
        return not self.regions

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def __str__(self) -> str:
        if self.equal:
            return "The two agree on the whole space."
        lines = []
        for region in self.regions:
            rows = "" if region.rows is None else f" · {_rows(region.rows)}"
            lines.append(f"{self._where(region)}: {_answers(region)}{rows}")
        if self.rows is not None:
            lines.append(f"{self.rows} of {_rows(self.rows_in_all or 0)} differ")
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """A Markdown table, one row a region."""
        lines = ["| where | first | second | rows |", "|---|---|---|---:|"]
        for region in self.regions:
            cells = (self._where(region), _show(region.first), _show(region.second))
            rows = "" if region.rows is None else str(region.rows)
            lines.append(f"| {' | '.join(c.replace('|', chr(92) + '|') for c in cells)} | {rows} |")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold, but for the points, which are as one would type them."""
        return {
            "equal": self.equal,
            "rows": self.rows,
            "rows_in_all": self.rows_in_all,
            "regions": [
                {
                    "first": region.first,
                    "second": region.second,
                    "conditions": [condition_dict(self.schema, c) for c in region.conditions],
                    "point": region.point,
                    "rows": region.rows,
                }
                for region in self.regions
            ],
        }

    def _where(self, region: Region) -> str:
        said = [say(self.schema, condition, NO_LIMIT) for condition in region.conditions]
        return " and ".join(said) or "everywhere"


def diff(a: Any, b: Any, X: Any = None, *, time_limit: float = TIME_LIMIT) -> Difference:
    """The regions of the space in which two models decide differently.

    Parameters
    ----------
    a, b : Model, RuleSet or fitted estimator
        What to compare. Columns are matched by name; a column that one of them does not have, it
        does not look at. If one takes no missing values, cases without any are compared.
    X : table, optional
        Rows to count in each region, with the columns of both.
    time_limit : float, default=8.0
        Seconds for making the regions few; they are exact in any case.

    Returns
    -------
    Difference
        The regions, with the two answers in each; empty if the models agree everywhere.

    Examples
    --------
    >>> import bosco
    >>> from bosco import DecisionTreeClassifier
    >>> X, y = [[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"]
    >>> low = DecisionTreeClassifier(threshold="observed").fit(X, y)
    >>> high = DecisionTreeClassifier().fit(X, y)
    >>> print(bosco.diff(low, high, [[1.0], [2.5], [3.5]]))
    2 < x0 ≤ 3: b against a · 1 row
    1 of 3 rows differ
    """
    pair = aligned(_rules(a), _rules(b))
    space = pair.space
    groups: dict[tuple[Any, Any], list[Box]] = {}
    for box, *answers in cells(space, side(space, pair.a), side(space, pair.b), pair.region):
        first, second = answers
        # All that agrees is one group: it only has to be kept out.
        key = (None, None) if first == second else (first, second)
        groups.setdefault(key, []).extend(space.sayable(box))
    deadline = Deadline.after(time_limit)
    regions = []
    for key, boxes in groups.items():
        if key == (None, None):
            continue
        off = [box for other, those in groups.items() if other != key for box in those]
        terms = shortest(space, boxes, off, 20, deadline.share(0.5))
        for box in terms.boxes:
            inside = box & pair.region
            conditions, point = space.conditions(box), raw_point(space, inside)
            regions.append(Region(key[0], key[1], conditions, point))
    found = Difference(tuple(regions), pair.a.schema)
    return found if X is None else _counted(found, X)


def _rules(model: Any) -> RuleSet:
    if isinstance(model, RuleSet):
        return model
    model = getattr(model, "model_", model)
    if not hasattr(model, "rules"):
        raise ParameterError(
            "diff compares models, sets of rules or fitted estimators. "
            f"Got {type(model).__name__}. Hint: fit the estimator first."
        )
    rules: RuleSet = model.rules()
    return rules


def _counted(found: Difference, X: Any) -> Difference:
    """The same regions with the rows of a table counted in each, fullest first."""
    frame = Frame.read(X, found.schema, owner="this pair of models")
    masks = Masks(frame)
    differ = np.zeros(frame.n_rows, dtype=bool)
    regions = []
    for region in found.regions:
        inside = masks.rule(Rule(None, region.conditions))
        differ |= inside
        regions.append(replace(region, rows=int(np.count_nonzero(inside))))
    regions.sort(key=lambda region: -(region.rows or 0))
    return replace(
        found,
        regions=tuple(regions),
        rows=int(np.count_nonzero(differ)),
        rows_in_all=frame.n_rows,
    )


def _answers(region: Region) -> str:
    return f"{_show(region.first)} against {_show(region.second)}"


def _show(answer: Any) -> str:
    return "no answer" if answer is None else show_answer(answer)


def _rows(n: int) -> str:
    return "1 row" if n == 1 else f"{n} rows"
