"""Where two models decide differently, in regions a person can read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bosco.base.language import tr
from bosco.data.frame import Frame
from bosco.data.schema import Schema, show_label
from bosco.render.card import NO_LIMIT, count, say
from bosco.rules.align import Pair, aligned, raw_point
from bosco.rules.equivalence import cells, parts, side
from bosco.rules.match import Masks
from bosco.rules.primes import merged, narrowed
from bosco.rules.rule import Rule
from bosco.rules.ruleset import RuleSet
from bosco.rules.simplify import shortest
from bosco.rules.space import Box, Space
from bosco.rules.work import WORK, OutOfWorkError, Work, allowed
from bosco.rules.write import bracketed, condition_dict
from bosco.tree.conditions import Condition
from bosco.tree.family import model_of

_SAID = 20  # steps that it takes to put one field of a region into words
_ROWS = 2000  # rows that are looked at in one step
_EXACT = 20  # boxes, up to which the least number of regions is looked for


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
        Together they hold exactly the cases that are answered differently, of the parts that were
        compared. Regions with the same two answers may overlap.
    schema : Schema
        The columns of both models.
    rows, rows_in_all : int or None
        How many of the given rows are in the regions (None where counting them is more work than
        allowed), and how many were given.
    compared, parts : int
        How many parts of the space (one for each rule of a model) were compared, and of how many;
        fewer than all where the work allowed ran out.
    work : int
        Steps that were made; the same on every machine.
    """

    regions: tuple[Region, ...]
    schema: Schema
    rows: int | None = None
    rows_in_all: int | None = None
    compared: int = 1
    parts: int = 1
    work: int = 0

    @property
    def complete(self) -> bool:
        """Whether the whole space was compared."""
        return self.compared == self.parts

    @property
    def equal(self) -> bool:
        """Whether the models are known to agree everywhere."""
        return self.complete and not self.regions

    def __len__(self) -> int:
        return len(self.regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self.regions)

    def __str__(self) -> str:
        if self.equal:
            return tr("The two agree on the whole space.")
        lines = []
        for region in self.regions:
            rows = "" if region.rows is None else f" · {_rows(region.rows)}"
            both = {"first": _show(region.first), "second": _show(region.second)}
            answers = tr("{first} against {second}", **both)
            lines.append(f"{self._where(region)}: {answers}{rows}")
        if self.rows is not None:
            of = {"n": self.rows, "rows": _rows(self.rows_in_all or 0)}
            some = tr("{n} of {rows} differ", **of)
            lines.append(some if self.complete else tr("at least {n} of {rows} differ", **of))
        elif self.rows_in_all is not None:
            lines.append(tr("the rows were not counted: that takes more work than is allowed"))
        if not self.complete:
            so_far = tr("no difference was found")
            if self.regions:
                so_far = tr("these are the differences")
            lines.append(
                tr(
                    "{so_far} in {n:,} of {all:,} parts of the space; the others were not "
                    "compared: that takes more work than is allowed",
                    so_far=so_far,
                    n=self.compared,
                    all=self.parts,
                )
            )
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
            "complete": self.complete,
            "compared": self.compared,
            "parts": self.parts,
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
        if len(region.conditions) == 1:
            return say(self.schema, region.conditions[0], NO_LIMIT)
        said = [bracketed(self.schema, condition) for condition in region.conditions]
        return tr(" and ").join(said) or tr("everywhere")


def diff(a: Any, b: Any, X: Any = None, *, work: float = WORK) -> Difference:
    """The regions of the space in which two models decide differently.

    Parameters
    ----------
    a, b : Model, RuleSet or fitted estimator
        What to compare. Columns are matched by name; a column that one of them does not have, it
        does not look at. If one takes no missing values, cases without any are compared.
    X : table, optional
        Rows to count in each region, with the columns of both.
    work : float, default=10_000_000
        Steps after which what is found so far is taken: first the regions are found, then they are
        made few. Regions are exact in any case; where not all of the space was compared, the answer
        says so. A step is about one look at one rule; ``math.inf`` is without a limit.

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
    steps = allowed(work)
    pair = aligned(_rules(a), _rules(b))
    space = pair.space
    overlay = _overlay(pair, steps.part(0.6))
    regions = []
    for (first, second), boxes in _few(space, pair.region, overlay, steps.part(0.5)):
        for box in boxes:
            inside = box & pair.region
            conditions, point = space.conditions(box), raw_point(space, inside)
            regions.append(Region(first, second, conditions, point))
    done = overlay.compared
    found = Difference(
        tuple(regions), pair.a.schema, compared=done, parts=done + len(overlay.unknown)
    )
    return replace(found if X is None else _counted(found, X, steps), work=steps.used)


Answers = tuple[Any, Any]


@dataclass(frozen=True, slots=True)
class _Overlay:
    """Where two sides differ, by their answers; where they agree; and what was not compared."""

    differing: dict[Answers, list[Box]]
    agreed: list[Box]
    unknown: list[Box]
    compared: int


def _overlay(pair: Pair, work: Work) -> _Overlay:
    """Compare part by part, as far as the work goes."""
    space, region = pair.space, pair.region
    found = _Overlay({}, [], [], 0)
    try:
        first, second = side(space, pair.a, work), side(space, pair.b, work)
        todo = parts(space, first, second, region, work)
    except OutOfWorkError:
        return replace(found, unknown=[region])
    for done, (box, one, other) in enumerate(todo):
        try:
            here = list(cells(space, one, other, box, work))
        except OutOfWorkError:
            return replace(found, unknown=[box for box, *_ in todo[done:]], compared=done)
        if all(x == y for _, x, y in here):
            found.agreed.append(box)
            continue
        work.spend(_SAID * len(space.fields) * sum(x != y for _, x, y in here))
        for inside, x, y in here:
            if x == y:
                found.agreed.append(inside)
            else:
                found.differing.setdefault((x, y), []).extend(space.sayable(inside))
    return replace(found, compared=len(todo))


def _few(
    space: Space, region: Box, overlay: _Overlay, work: Work
) -> Iterator[tuple[Answers, list[Box]]]:
    """For every pair of answers, few boxes that hold where they differ, as far as the work goes."""
    outside = space.full & ~region
    groups = {answers: merged(space, boxes, work) for answers, boxes in overlay.differing.items()}
    kept_out = [*overlay.agreed, *overlay.unknown]
    to_do = sum(map(len, groups.values()))
    in_all = to_do + len(kept_out)
    for answers, on in groups.items():
        part = work.part(max(0.2, len(on) / to_do))
        to_do -= len(on)
        if len(on) == 1 or work.over:  # what one box leaves, others have: it cannot be larger
            yield answers, [narrowed(space, box | outside, box) for box in on]
            continue
        part.spend(in_all)
        off = [box for other, boxes in groups.items() if other != answers for box in boxes]
        yield answers, shortest(space, on, [*off, *kept_out], _EXACT, part, outside).boxes


def _rules(model: Any) -> RuleSet:
    if isinstance(model, RuleSet):
        return model
    wanted = "diff compares models, sets of rules or fitted estimators."
    rules: RuleSet = model_of(model, wanted).rules()
    return rules


def _counted(found: Difference, X: Any, work: Work) -> Difference:
    """The same regions with the rows of a table counted in each, fullest first."""
    frame = Frame.read(X, found.schema, owner="this pair of models")
    looks = sum(1 + len(region.conditions) for region in found.regions)
    try:
        work.need(looks * (1 + frame.n_rows // _ROWS))
    except OutOfWorkError:
        return replace(found, rows_in_all=frame.n_rows)
    masks = Masks(frame)
    differ = np.zeros(frame.n_rows, dtype=bool)
    regions = []
    for region in found.regions:
        inside = masks.rule(Rule(None, region.conditions))
        differ |= inside
        regions.append(replace(region, rows=int(np.count_nonzero(inside))))
    regions.sort(key=lambda region: -(region.rows or 0))
    n = int(np.count_nonzero(differ))
    return replace(found, regions=tuple(regions), rows=n, rows_in_all=frame.n_rows)


def _show(answer: Any) -> str:
    return tr("no answer") if answer is None else show_label(answer)


def _rows(n: int) -> str:
    return count(n, "row")
