"""The rounds of boosting as values: weights before and after, errors, coefficients, margins."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr, trn
from bosco.base.numerals import lay_out
from bosco.reasons.trace import Step
from bosco.reasons.tried import digits
from bosco.render.card import show_share

if TYPE_CHECKING:
    from bosco.models.model import Model
    from bosco.reasons.listed import Listed

Floats = NDArray[np.float64]

GROUPS = 4
"""So many different weights are told one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """One round of boosting.

    Attributes
    ----------
    number : int
        Which round it is, from 1.
    weights, after : ndarray of float64
        Of every row before the round and after it; each sums to 1.
    wrong : ndarray of bool
        The rows that the round's learner has wrong.
    error : float
        Their weight.
    coefficient : float
        What the learner's vote counts; infinite for one without error.
    normaliser : float
        What the changed weights sum to, before they are divided by it. With two classes and
        classes -1 and +1, Σ w · exp(-coefficient · y · f).
    bound : float
        The product of all normalisers so far, which bounds the training error; with
        learning_rate=1 that is ∏ 2√(ε(1 - ε)). NaN with more than two classes.
    training_error : float
        Of all learners so far together, by the first weights.
    margins : ndarray of float64
        Of every row: the votes for its class less those for the next, as a share of all votes;
        -1 to 1, and wrong below 0.
    steps : tuple of Step
        The making of the round's tree; none for learners of other libraries.
    model : Model or None
        That tree.
    """

    number: int
    weights: Floats
    after: Floats
    wrong: NDArray[np.bool_]
    error: float
    coefficient: float
    normaliser: float
    bound: float
    training_error: float
    margins: Floats
    steps: tuple[Step, ...]
    model: "Model | None"
    formula: "Formula"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "round": self.number,
            "weights": self.weights.tolist(),
            "after": self.after.tolist(),
            "wrong": self.wrong.tolist(),
            "error": self.error,
            "coefficient": self.coefficient,
            "normaliser": self.normaliser,
            "bound": self.bound,
            "training_error": self.training_error,
            "margins": self.margins.tolist(),
            "steps": [step.to_dict() for step in self.steps],
        }

    def sums(self) -> list[tuple[str, str]]:
        """What the round comes to: names, and the arithmetic."""
        tried = [f"{test} {digits(error)}" for test, error in self.tried()[:GROUPS]]
        sums = [
            *[(tr("stumps tried"), ", ".join(tried))] * bool(tried),
            (tr("weighted error ε"), self._error()),
            (tr("coefficient"), self.formula.coefficient(self.error, self.coefficient)),
        ]
        if isinf(self.coefficient):
            return [*sums, (tr("training error"), digits(self.training_error))]
        sums.append((tr("normaliser Z"), self.formula.normaliser(self)))
        sums += [(name, said) for name, said in self._changes()]
        if self.bound == self.bound:
            before = f"{digits(self.bound / self.normaliser)}·{digits(self.normaliser)} = "
            said = before if self.formula.half and self.number > 1 else ""
            sums.append((tr("bound ∏ Z"), said + digits(self.bound)))
        sums.append((tr("training error"), digits(self.training_error)))
        return [*sums, (tr("margins"), self.spread())]

    def tried(self) -> list[tuple[str, float]]:
        """The best stump of each column, and its weighted error, where the round made a stump."""
        if not self.steps or self.model is None or self.model.depth != 1:
            return []
        return [
            (tried.best.test, sum(way.weight - max(way.tally) for way in tried.ways))
            for tried in self.steps[0].columns
        ]

    def _error(self) -> str:
        """The weights of the wrong rows, equal ones together, and what they sum to."""
        groups = grouped(self.weights[self.wrong])
        if not len(groups):
            return "0"
        if len(groups) > GROUPS:
            n = int(self.wrong.sum())
            said = trn("the weight of {n} wrong row", "the weight of {n} wrong rows", n)
        else:
            said = " + ".join(f"{n}·{digits(w)}" for w, n in groups)
        return f"{said} = {digits(self.error)}"

    def _changes(self) -> Iterator[tuple[str, str]]:
        """How weights change: those that were right, and those that were wrong."""
        for right, name in ((True, tr("right rows")), (False, tr("wrong rows"))):
            of = self.weights[~self.wrong if right else self.wrong]
            factor = self.formula.factor(self, right)
            groups = grouped(of)
            if not len(groups):
                continue
            if len(groups) > GROUPS:
                yield name, tr("weight {factor}", factor=factor)
                continue
            times = self.formula.times(self, right)
            yield name, ", ".join(f"{digits(w)} {factor} = {digits(w * times)}" for w, _ in groups)

    def spread(self) -> str:
        """How margins are spread: the least, the quartiles, the largest, and how many are wrong."""
        at = np.quantile(self.margins, [0, 0.25, 0.5, 0.75, 1]).tolist()
        said = [tr("least"), "25 %", tr("median"), "75 %", tr("largest")]
        told = ", ".join(f"{name} {digits(x)}" for name, x in zip(said, at, strict=True))
        return tr(
            "{told}; {share} of the rows are not above 0",
            told=told,
            share=show_share(float(np.mean(self.margins <= 0))),
        )

    def head(self) -> str:
        """Which round it is, and what it asks."""
        asked = tr("a learner of another library")
        if self.steps:
            first = self.steps[0]
            asked = first.columns[0].best.test if first.columns else tr("one leaf")
        return tr("round {n}: {asked}", n=self.number, asked=asked)

    def __str__(self) -> str:
        lines = lay_out([list(one) for one in self.sums()], "<")
        return "\n".join([self.head(), *(f"  {line}" for line in lines)])


@dataclass(frozen=True, slots=True)
class Formula:
    """How coefficients and weights follow from errors: by the settings of boosting."""

    n_classes: int
    rate: float
    half: bool  # coefficients are ½ ln(…), as with classes -1 and +1

    def coefficient(self, error: float, value: float) -> str:
        """The coefficient as a student writes it."""
        if isinf(value):
            return tr("no error: it decides alone")
        e = digits(error)
        said = f"ln((1 − {e})/{e})"
        if self.n_classes > 2:
            said = f"({said} + ln {self.n_classes - 1})"
        said = f"½ {said}" if self.half else said
        said = f"{digits(self.rate)}·{said}" if self.rate != 1 else said
        return f"{said} = {digits(value)}"

    def powers(self, one: Round) -> tuple[float, float]:
        """The logarithms of what right and wrong rows are multiplied with."""
        return (-one.coefficient, one.coefficient) if self.half else (0.0, one.coefficient)

    def times(self, one: Round, right: bool) -> float:
        """What the weights of right or wrong rows are multiplied with, the sum put to 1."""
        return float(np.exp(self.powers(one)[not right])) / one.normaliser

    def factor(self, one: Round, right: bool) -> str:
        """The same in words."""
        power = self.powers(one)[not right]
        by = f"· e^{_signed(power)} " if power else ""
        return f"{by}/ {digits(one.normaliser)}"

    def normaliser(self, one: Round) -> str:
        """What the changed weights sum to."""
        terms = zip((1 - one.error, one.error), self.powers(one), strict=True)
        said = " + ".join(f"{digits(w)}·e^{_signed(p)}" if p else digits(w) for w, p in terms)
        if self.half and self.rate == 1:
            said += f" = 2√({digits(one.error)}·{digits(1 - one.error)})"
        return f"{said} = {digits(one.normaliser)}"


def _signed(power: float) -> str:
    return f"(−{digits(-power)})" if power < 0 else digits(power)


def grouped(weights: Floats) -> list[tuple[float, int]]:
    """Weights that are equal but for rounding, together: a weight and how many rows have it."""
    if not len(weights):
        return []
    ordered = np.sort(weights)[::-1]
    ends = np.flatnonzero(np.append(np.diff(ordered) < -1e-9 * ordered[:-1], True))
    counts = np.diff(np.append(-1, ends))
    return list(zip(ordered[ends].tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class BoostingTrace:
    """The rounds of boosting, one by one.

    Attributes
    ----------
    rounds : tuple of Round
        All that were made, those too that do not vote.
    ended : str
        Why there are no more: "all_done", "perfect", "chance" or "asked".
    listed : Listed or None
        The rows, where trees of bosco were boosted.

    Examples
    --------
    >>> from bosco import AdaBoostClassifier
    >>> from bosco.datasets import loans
    >>> X, y = loans()
    >>> trace = AdaBoostClassifier(n_estimators=2).fit(X, y).trace(X, y)
    >>> print(trace[0])
    round 1: reputation = poor
      stumps tried      reputation = poor 0.2000, term = 5 0.2500, income = low 0.3000
      weighted error ε  8·0.0250 = 0.2000
      coefficient       ½ ln((1 − 0.2000)/0.2000) = 0.6931
      normaliser Z      0.8000·e^(−0.6931) + 0.2000·e^0.6931 = 2√(0.2000·0.8000) = 0.8000
      right rows        0.0250 · e^(−0.6931) / 0.8000 = 0.0156
      wrong rows        0.0250 · e^0.6931 / 0.8000 = 0.0625
      bound ∏ Z         0.8000
      training error    0.2000
      margins           least -1.0000, ...
    """

    rounds: tuple[Round, ...]
    ended: str
    listed: "Listed | None" = None

    def __len__(self) -> int:
        return len(self.rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self.rounds)

    @overload
    def __getitem__(self, at: int) -> Round: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Round, ...]: ...
    def __getitem__(self, at: int | slice) -> Round | tuple[Round, ...]:
        return self.rounds[at]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.rounds))

    def to_dict(self) -> dict[str, Any]:
        """All rounds as plain values."""
        return {"ended": self.ended, "rounds": [one.to_dict() for one in self.rounds]}
