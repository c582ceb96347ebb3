"""What to ask next of a case that is not wholly known, and when nothing need be asked any more.

The case goes down the tree as far as it is known; where a column is asked that is not known yet,
all branches stay open. What is left are the leaves it may still come to. A question *tells apart*
two of them if no answer leaves both open.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import DataError, did_you_mean
from bosco.figures.intervals import Floats
from bosco.rules.space import Space
from bosco.tree.conditions import Condition, Members, Test

if TYPE_CHECKING:
    from bosco.models.model import Model

_MOST = 2000
"""Leaves whose pairs are looked at: of more, those of most rows."""


@dataclass(frozen=True, slots=True)
class Question:
    """A column that may be asked next.

    Attributes
    ----------
    column : str
        The column.
    price : float or None
        What it costs, given what is known; None where nothing has a price.
    parts : float
        How much of what is open it decides: of all pairs of training rows in leaves that the case
        may still come to and that answer differently, the share that it tells apart; pairs of
        numbers count by their squared difference. 1: whatever it says, the decision is made.
    """

    column: str
    price: float | None
    parts: float


@dataclass(frozen=True, slots=True)
class Ask:
    """What is not known yet of a case, and what to ask.

    Attributes
    ----------
    unknown : tuple of str
        Columns not known yet that the tree may ask from where the case stands.
    questions : tuple of Question
        Those that decide something, best first: by the rule that weighs gain against price where
        the model has prices, else those that decide most.
    answers : tuple
        The decisions, or the numbers, that the case may still come to.
    """

    unknown: tuple[str, ...]
    questions: tuple[Question, ...]
    answers: tuple[Any, ...]

    @property
    def settled(self) -> bool:
        """Whether the decision stays what it is, whatever is answered."""
        return len(self.answers) == 1


def unasked(model: "Model", values: Mapping[str, Any]) -> set[int]:
    """The columns that a case says nothing of, not even that they are missing; derived ones too."""
    schema = model.schema
    absent = {j for j, column in enumerate(schema.given) if column.name not in values}
    if absent:
        strangers = [name for name in values if name not in schema.names]
        if strangers:
            raise DataError(
                f"The case names {strangers[0]!r}, which is not a column of the model, and leaves "
                f"out others." + did_you_mean(strangers[0], schema.names)
            )
    return {j for j in range(len(schema.columns)) if not absent.isdisjoint(schema.behind([j]))}


def what_to_ask(model: "Model", known: Mapping[int, float | None]) -> Ask | None:
    """What to ask next of a case; None where the tree asks nothing that is not known.

    `known` is the value of every column that is known, as the core has it: its code, or its number;
    None: it is missing.
    """
    leaves, conditions = _open_leaves(model, known)
    asked = sorted({c.column for some in conditions for c in some})
    if not asked:
        return None
    every = [c for some in conditions for c in some]
    space = Space(model.schema, every, missing=False)
    boxes = [space.box(some) for some in conditions]
    reached = [i for i, box in enumerate(boxes) if space.holds_any(box)]
    leaves, boxes = [leaves[i] for i in reached], [boxes[i] for i in reached]
    if model.classes is None:
        said: NDArray[Any] = model.decided[leaves][:, 0]
        answers: tuple[Any, ...] = tuple(np.unique(said).tolist())
    else:
        said = model.node_class[leaves]
        answers = tuple(model.classes[np.unique(said)].tolist())
    names = model.schema.names
    unknown = tuple(names[j] for j in asked)
    if len(answers) < 2:
        return Ask(unknown, (), answers)
    rows = model.amounts.sum(axis=1)[leaves]
    order = np.argsort(-rows, kind="stable")[:_MOST]
    parted = _differing(said[order], rows[order], real=model.classes is None)
    found = []
    for j in asked:
        field = space.field(j)
        atoms = [boxes[i] >> field.shift & field.full for i in order.tolist()]
        found.append(Question(names[j], _price(model, j, known), _share(parted, atoms)))
    return Ask(unknown, tuple(_ranked(model, found)), answers)


def _open_leaves(
    model: "Model", known: Mapping[int, float | None]
) -> tuple[list[int], list[list[Condition]]]:
    """The leaves that a case may come to, and what each asks of the columns not known yet."""
    leaves, conditions = [], []
    stack: list[tuple[int, list[Condition]]] = [(0, [])]
    while stack:
        node, asked = stack.pop()
        test = model.tree.test(node)
        if test is None:
            leaves.append(node)
            conditions.append(asked)
            continue
        below = model.tree.children(node)
        if test.column in known:
            stack += [(below[b], asked) for b in _ways(test, known[test.column])]
            continue
        branches = enumerate(test.branches)
        answered = [(b, c) for b, c in branches if c != Members(test.column, (), True)]
        stack += [(below[b], [*asked, condition]) for b, condition in reversed(answered)]
    return leaves, conditions


def _ways(test: Test, value: float | None) -> Collection[int]:
    """The branches that a known value takes: one, or where it is missing perhaps all."""
    if value is None:
        return range(len(test.branches)) if test.missing < 0 else [test.missing]
    alone = Members(test.column, (), True)
    return [b for b, c in enumerate(test.branches) if c != alone and c.holds(value)]  # type: ignore[arg-type]


def _differing(said: NDArray[Any], rows: Floats, *, real: bool) -> Floats:
    """How much each pair of leaves matters: rows times rows, where they answer differently."""
    weight = rows if rows.any() else np.ones(len(rows))
    apart = (said[:, None] - said) ** 2 if real else (said[:, None] != said) + 0.0
    made: Floats = weight[:, None] * weight * apart
    if not made.any():  # leaves without rows
        made = np.asarray(apart, np.float64)
    return made


def _share(parted: Floats, atoms: list[int]) -> float:
    """The share of pairs that have no answer to a question in common."""
    kinds = {found: k for k, found in enumerate(dict.fromkeys(atoms))}
    disjoint = np.array([[not a & b for b in kinds] for a in kinds])
    of = np.array([kinds[found] for found in atoms])
    return float(parted[disjoint[of[:, None], of]].sum() / parted.sum())


def _price(model: "Model", column: int, known: Collection[int]) -> float | None:
    """What a column costs whose answer is not there, given what is."""
    asking = model.growth.asking
    if asking is None:
        return None
    return asking.price(asking.needed([column]) - asking.needed(known))


def _ranked(model: "Model", found: list[Question]) -> list[Question]:
    """Questions that decide something, the best first; of equals the cheapest, then the first."""
    asking = model.growth.asking

    def worth(question: Question) -> float:
        price = question.price or 0.0
        return question.parts if asking is None else asking.worth(question.parts, price)

    deciding = [question for question in found if question.parts > 0]
    return sorted(deciding, key=lambda q: (-worth(q), q.price or 0.0))
