"""What a verb of a draft changed, to print."""

from dataclasses import dataclass
from typing import Any

from bosco.base.language import retold, tr
from bosco.base.numerals import show_figure
from bosco.drafts.advice import Facts
from bosco.drafts.figures import Figures
from bosco.figures.costing import MeanCost
from bosco.figures.figure import Figure
from bosco.figures.looks import ordinal
from bosco.render.card import count, show_weight
from bosco.rules.diff import Difference


@dataclass(frozen=True, slots=True)
class Change:
    """What an act changed; ``print`` it.

    Attributes
    ----------
    verb : str
        The verb.
    node : int
        The node, by the number that it had before.
    rows : float
        Its training rows.
    yours, best : str
        The test that it has now, and the one that the learner would take; empty where there is
        none.
    loss : float
        How much more the learner's own scores, by what tests are compared by.
    leaves : tuple of int
        Leaves of the tree before and after.
    before, after : Figures
        The errors on training and validation rows.
    look : int or None
        Which look at the validation rows this is; None: it shows nothing new of them.
    remarks : tuple of str
        What else is to be known.
    """

    verb: str
    node: int
    rows: float
    yours: str
    best: str
    loss: float
    leaves: tuple[int, int]
    before: Figures
    after: Figures
    look: int | None = None
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        plain = {name: getattr(self, name) for name in self.__slots__}
        plain |= {"leaves": list(self.leaves), "remarks": list(self.remarks)}
        return plain | {"before": self.before.to_dict(), "after": self.after.to_dict()}

    @property
    def head(self) -> str:
        """What was done, and where."""
        head = self.verb
        if self.verb not in ("undo", "redo", "goto"):
            rows = count(show_weight(self.rows), "row")
            head += f" {tr('node {node}', node=self.node)} · {rows}"
        return f"{head}: {retold(self.yours)}" if self.yours else head

    @property
    def brief(self) -> str:
        """What came of it: the leaves, and the error on validation rows, or on training rows."""
        said = [] if self.leaves[0] == self.leaves[1] else [self._leaves()]
        before, after = self.before.validation, self.after.validation
        if self.look is not None and before is not None and after is not None:
            said += [f"{tr('validation', 'part')} {step}" for step in _steps(before, after)]
        elif self.before != self.after:
            both = self.before.training, self.after.training
            said += [f"{tr('training')} {step}" for step in _steps(*both)]
        return " · ".join(said)

    def _leaves(self) -> str:
        before, after = self.leaves
        return tr("{before} → {after} leaves", before=before, after=after)

    def __str__(self) -> str:
        yours, best = retold(self.yours), retold(self.best)
        lines = [self.head]
        if best and best != yours:
            lines.append(f"  {_learners_own(best, self.loss)}")
        elif yours and not best:
            lines.append(f"  {tr('the learner would stop here')}")
        lines += [f"  {remark}" for remark in self.remarks]
        if self.leaves[0] != self.leaves[1]:
            lines.append(f"  {self._leaves()}")
        if self.look is not None or self.before != self.after:
            every = _moved(self.before.training, self.after.training)
            lines += [f"  {tr('training')} {moved}" for moved in every]
        if self.look is not None and self.after.validation is not None:
            assert self.before.validation is not None
            every, nth = _moved(self.before.validation, self.after.validation), ordinal(self.look)
            lines += [f"  {tr('validation', 'part')} {moved}, {nth}" for moved in every]
        return "\n".join(lines)


def facts_of(facts: Facts) -> dict[str, Any]:
    """What a change takes from facts."""
    names = ("rows", "yours", "best", "loss", "remarks")
    return {name: getattr(facts, name) for name in names}


def _learners_own(test: str, loss: float) -> str:
    if loss <= 0:
        return tr("the learner would take {test}", test=test)
    return tr(
        "the learner would take {test}, which scores {loss} more", test=test, loss=show_figure(loss)
    )


def _on(figure: Figure | MeanCost) -> str:
    """The interval of a figure, its rows, and the constant answer beside it."""
    return f"{figure.interval} ({count(f'{figure.rows:,}', 'row')}; {figure.constant})"


def _moved(before: Figure, after: Figure) -> list[str]:
    """A figure before and after, with its interval, beside the constant answer; its cost, too."""
    steps = zip(_steps(before, after), after.measures, strict=True)
    return [f"{step}, {_on(measure)}" for step, measure in steps]


def _steps(before: Figure, after: Figure) -> list[str]:
    """A figure before and after, and what a row costs."""
    both = zip(before.measures, after.measures, strict=True)
    return [f"{b.name} {b.show(a.value)} → {b.show(b.value)}" for a, b in both]


def _against(here: Figure, there: Figure) -> list[str]:
    """A figure of two trees on the same rows, and what a row costs."""
    return [
        tr(
            "{what} {here} against {there}",
            what=a.name,
            here=a.show(a.value),
            there=a.show(b.value),
        )
        for a, b in zip(here.measures, there.measures, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Beside:
    """A draft beside another tree; ``print`` it.

    Attributes
    ----------
    other : str
        What it is compared with.
    difference : Difference
        Where the two decide differently; of rows, those of training are counted.
    here, there : Figures
        The errors of the draft, and of the other.
    leaves : tuple of int
        Leaves of the draft, and of the other.
    look : int
        Which look at the validation rows this is.
    """

    other: str
    difference: Difference
    here: Figures
    there: Figures
    leaves: tuple[int, int]
    look: int

    def __str__(self) -> str:
        here, there = self.here.training, self.there.training
        head = tr(
            "this draft beside {other}: {leaves} leaves against {others}",
            other=self.other,
            leaves=self.leaves[0],
            others=self.leaves[1],
        )
        lines = [head, *(f"  {tr('training')} {said}" for said in _against(here, there))]
        own, others = self.here.validation, self.there.validation
        if own is not None and others is not None:
            for said, measure in zip(_against(own, others), own.measures, strict=True):
                said = f"{said}, {_on(measure)}, {ordinal(self.look)}"
                lines.append(f"  {tr('validation', 'part')} {said}")
        return "\n".join([*lines, str(self.difference)])


@dataclass(frozen=True, slots=True)
class Final:
    """What the test part says of a draft; ``print`` it.

    Attributes
    ----------
    figure : Figure
        The error, with its interval, beside the constant answer.
    look : int
        Which look at the test part this is: only the first is a test.
    state : str
        The hash of what was looked at.
    """

    figure: Figure
    look: int
    state: str

    def __str__(self) -> str:
        figure = self.figure
        lines = []
        for measure in figure.measures:
            what = tr("test {what}", what=measure.name)
            value = measure.show(measure.value)
            lines.append(f"{what}: {value}, {_on(measure)}, {ordinal(self.look)}")
            lines.append(measure.against)
        if self.look > 1:
            lines.append(
                tr("The test part was looked at before: this is no longer an untouched test.")
            )
        return "\n".join(line for line in lines if line)
