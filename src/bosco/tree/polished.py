"""What polishing brought a tree: how much less it gets wrong of the training rows.

A model keeps it with its provenance. It speaks of the tree that was polished: of one that was
pruned or edited since, it says nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.errors import ModelError
from bosco.tree.certificate import are_costs, searched_by

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True)
class Polished:
    """What polishing brought, by the errors on the training rows.

    Attributes
    ----------
    before, after : float
        Training rows that the tree got wrong as it was grown, and gets wrong now; their weight
        where rows have weights; what they cost, where mistakes have costs.
    rounds : int
        How often the whole tree was gone over with some gain.
    weighted : bool
        Whether the unit is weight, and not rows.
    costly : bool
        Whether it is what mistakes cost.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3, polish=True).fit(*golf())
    >>> print(tree.model_.polished.sentence)
    Polished: 1 error fewer in 1 round.
    """

    before: float
    after: float
    rounds: int
    weighted: bool = False
    costly: bool = False

    @classmethod
    def of(cls, model: "Model") -> "Polished | None":
        """That of a model, if it is the one that was polished, answering as it did."""
        said = model.provenance.get("polished")
        if said is None or model.log.steps or model.edits:
            return None
        check_polished(said)
        if searched_by(said) != model.decision:
            return None
        return cls(
            before=float(said["before"]),
            after=float(said["after"]),
            rounds=said["rounds"],
            weighted=model.counted is not None,
            costly="costs" in said,
        )

    @property
    def sentence(self) -> str:
        """What it brought, as people read it."""
        if self.rounds == 0:
            return tr("Polished: nothing made it better.")
        rounds = trn("{n} round", "{n} rounds", self.rounds)
        fewer = show_figure(self.before - self.after)
        if self.costly:
            return tr("Polished: cost {fewer} less in {rounds}.", fewer=fewer, rounds=rounds)
        if self.weighted:
            return tr(
                "Polished: {fewer} less weight wrong in {rounds}.", fewer=fewer, rounds=rounds
            )
        errors = trn("{n} error fewer", "{n} errors fewer", fewer)
        return tr("Polished: {errors} in {rounds}.", errors=errors, rounds=rounds)


def check_polished(said: Any) -> None:
    """Raise `ModelError` unless plain values say what polishing brought."""
    sound = (
        isinstance(said, Mapping)
        and all(type(said.get(name)) in (int, float) for name in ("before", "after"))
        and type(said.get("rounds")) is int
        and 0 <= said["after"] <= said["before"]
        and said["rounds"] >= 0
        and (said["rounds"] > 0) == (said["after"] < said["before"])
        and ("costs" not in said or are_costs(said["costs"]))
    )
    if not sound:
        raise ModelError("This is not a sound model: provenance.polished: it does not add up.")
