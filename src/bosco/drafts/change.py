"""What a verb of a draft changed, to print."""

from dataclasses import dataclass
from typing import Any

from bosco.base.language import retold, tr
from bosco.base.numerals import show_figure
from bosco.drafts.advice import Facts
from bosco.drafts.figures import Figures
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
            said.append(f"{tr('validation', 'part')} {_step(before, after)}")
        elif self.before != self.after:
            said.append(f"{tr('training')} {_step(self.before.training, self.after.training)}")
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
            moved = _moved(self.before.training, self.after.training)
            lines.append(f"  {tr('training')} {moved}")
        if self.look is not None and self.after.validation is not None:
            assert self.before.validation is not None
            moved = _moved(self.before.validation, self.after.validation)
            lines.append(f"  {tr('validation', 'part')} {moved}, {ordinal(self.look)}")
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


def _on(figure: Figure) -> str:
    """The interval of a figure, its rows, and the constant answer beside it."""
    return f"{figure.interval} ({count(f'{figure.rows:,}', 'row')}; {figure.constant})"


def _moved(before: Figure, after: Figure) -> str:
    """A figure before and after, with its interval, beside the constant answer."""
    return f"{_step(before, after)}, {_on(after)}"


def _step(before: Figure, after: Figure) -> str:
    """A figure before and after."""
    return f"{after.name} {after.show(before.value)} → {after.show(after.value)}"


def _against(here: Figure, there: Figure) -> str:
    """A figure of two trees on the same rows."""
    return tr(
        "{what} {here} against {there}",
        what=here.name,
        here=here.show(here.value),
        there=here.show(there.value),
    )


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
        lines = [head, f"  {tr('training')} {_against(here, there)}"]
        own, others = self.here.validation, self.there.validation
        if own is not None and others is not None:
            said = f"{_against(own, others)}, {_on(own)}, {ordinal(self.look)}"
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
        what = tr("test {what}", what=figure.name)
        said = f"{what}: {figure.show(figure.value)}, {_on(figure)}, {ordinal(self.look)}"
        lines = [said, figure.against]
        if self.look > 1:
            lines.append(
                tr("The test part was looked at before: this is no longer an untouched test.")
            )
        return "\n".join(line for line in lines if line)
