"""What is known of a tree that was searched for: how far from the best it can be, of which trees.

A model keeps it with its provenance. It speaks of the tree that was found: of one that was pruned
or edited since, it says nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bosco.base.language import tr, trn
from bosco.base.numerals import show_figure
from bosco.errors import ModelError
from bosco.tree.costs import Costs
from bosco.tree.decision import Decision
from bosco.tree.missed import say_cost

if TYPE_CHECKING:
    from bosco.models.model import Model

ENDS = ("proved", "work_limit", "time_limit", "interrupted")


@dataclass(frozen=True)
class Certificate:
    """How good a tree is among all trees of its size, by its error on the training rows.

    Attributes
    ----------
    wrong : float
        Training rows that the tree gets wrong; their weight where rows have weights; of numbers
        the squared error of the training rows.
    leaves : int
        Its leaves.
    alpha : float
        The price of a leaf, in the same unit.
    objective : float
        ``wrong + alpha * leaves``, which was minimised; with costs ``cost + alpha * leaves``.
    bound : float
        No tree of the family has a lower objective.
    gap : float
        ``objective - bound``: 0 where the tree is proved to be the best.
    end : str
        Why the search ended: "proved", "work_limit", "time_limit" or "interrupted".
    work : int
        Entries of columns that were looked at.
    family : str
        Which trees are meant, in words.
    weighted : bool
        Whether the unit is weight, and not rows.
    numbers : bool
        Whether the unit is squared error.
    cost : float or None
        What the rows that are wrong cost, where mistakes have costs: then `alpha`, `objective` and
        `bound` are costs.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> model = DecisionTreeClassifier(algorithm="optimal", max_depth=2).fit(*golf()).model_
    >>> certificate = model.certificate
    >>> certificate.verdict, certificate.wrong, certificate.bound
    ('proved optimal', 1.0, 1.0)
    """

    wrong: float
    leaves: int
    alpha: float
    objective: float
    bound: float
    end: str
    work: int
    family: str
    weighted: bool = False
    numbers: bool = False
    cost: float | None = None

    @classmethod
    def of(cls, model: "Model") -> "Certificate | None":
        """That of a model, if it is the one that was found by a search, answering as it did."""
        said = model.provenance.get("certificate")
        if said is None or model.log.steps or model.edits:
            return None
        check_certificate(said)
        if searched_by(said) != model.decision:
            return None
        return cls(
            wrong=float(said["wrong"]),
            leaves=int(said["leaves"]),
            alpha=model.growth.alpha,
            objective=float(said["objective"]),
            bound=float(said["bound"]),
            end=said["end"],
            work=int(said["work"]),
            family=family_of(model),
            weighted=model.counted is not None,
            numbers=model.classes is None,
            cost=float(said["cost"]) if "cost" in said else None,
        )

    @property
    def gap(self) -> float:
        """How much lower the objective of another tree could be."""
        return self.objective - self.bound

    @property
    def proved(self) -> bool:
        """Whether no tree of the family is better."""
        return self.end == "proved"

    @property
    def verdict(self) -> str:
        """What is known, in a few words."""
        if self.proved:
            return tr("proved optimal")
        if self.bound <= self.alpha:  # a single leaf without an error
            return tr("no useful bound")
        gap = show_figure(self.gap)
        if self.numbers:
            return tr("at most {gap} in squared error from optimal", gap=gap)
        if self.cost is not None:
            return tr("at most {gap} in cost from optimal", gap=gap)
        if self.weighted:
            return tr("at most {gap} in weight from optimal", gap=gap)
        return trn("at most {n} error from optimal", "at most {n} errors from optimal", gap)

    @property
    def stopped(self) -> str:
        """What ended the search before it was done, in words; nothing where it was."""
        return {
            "proved": "",
            "work_limit": tr("stopped at the limit of work"),
            "time_limit": tr("stopped at the limit of time"),
            "interrupted": tr("interrupted"),
        }[self.end]

    @property
    def sentences(self) -> list[str]:
        """What is known of the tree, and among which trees, as people read it."""
        said = self.verdict + (f" ({self.stopped})" if self.stopped else "")
        wrong, bound = show_figure(self.wrong), show_figure(self.bound)
        if self.numbers:
            costs = tr("the squared error of the training rows is {wrong}", wrong=wrong)
        elif self.weighted:
            costs = tr("weight {wrong} of the training rows is wrong", wrong=wrong)
        else:
            costs = trn("{n} training row is wrong", "{n} training rows are wrong", wrong)
        if self.cost is not None:
            costs = say_cost(costs, self.cost)
        if self.alpha:
            costs += tr(
                ", and {alpha} for each leaf: {objective}",
                alpha=show_figure(self.alpha),
                objective=show_figure(self.objective),
            )
        return [
            tr("{verdict}: {costs}.", verdict=said[:1].upper() + said[1:], costs=costs),
            tr(
                "No tree has less than {bound} among those of: {family}.",
                bound=bound,
                family=self.family,
            )
            if self.cost is None
            else tr(
                "No tree costs less than {bound} among those of: {family}.",
                bound=bound,
                family=self.family,
            ),
        ]


def check_certificate(said: Any) -> None:
    """Raise `ModelError` unless plain values are those of a certificate."""
    numbers = ("wrong", "objective", "bound")
    sound = (
        isinstance(said, Mapping)
        and all(type(said.get(name)) in (int, float) and said[name] >= 0 for name in numbers)
        and said["bound"] <= said["objective"]
        and all(type(said.get(name)) is int and said[name] >= 0 for name in ("leaves", "work"))
        and said.get("end") in ENDS
        and ("cost" in said) == ("costs" in said)
        and ("cost" not in said or (type(said["cost"]) in (int, float) and said["cost"] >= 0))
        and ("costs" not in said or are_costs(said["costs"]))
        and (said["end"] != "proved" or said["bound"] == said["objective"])
    )
    if not sound:
        raise ModelError("This is not a sound model: provenance.certificate: it does not add up.")


def are_costs(said: Any) -> bool:
    """Whether plain values are a table of what mistakes cost."""
    return isinstance(said, Sequence) and all(
        isinstance(row, Sequence)
        and len(row) == len(said)
        and all(type(cost) in (int, float) and cost >= 0 for cost in row)
        for row in said
    )


def kept_costs(costs: Costs | None) -> dict[str, Any]:
    """By what costs a tree was made, as it is kept."""
    return {} if costs is None else {"costs": [list(row) for row in costs]}


def searched_by(said: Mapping[str, Any]) -> Decision:
    """How a tree was to answer when it was searched for."""
    if "costs" not in said:
        return Decision()
    return Decision(tuple(tuple(map(float, row)) for row in said["costs"]))


def family_of(model: "Model") -> str:
    """Which trees were compared, in words."""
    growth = model.growth
    parts = []
    if growth.max_depth >= 0:
        parts.append(tr("depth up to {n}", n=growth.max_depth))
    if growth.max_leaf_nodes >= 0:
        parts.append(tr("up to {n} leaves", n=growth.max_leaf_nodes))
    if growth.min_samples_leaf > 1:
        parts.append(tr("at least {n} rows a leaf", n=growth.min_samples_leaf))
    kinds = {column.kind for column in model.schema.columns}
    if kinds != {"nominal"}:
        parts.append(tr("every threshold"))
    if "nominal" in kinds:
        parts.append(
            tr(
                "every subset of up to 7 levels (of more: one against the rest, and in the order "
                "of each class's share)"
            )
            if growth.nominal_test == "subset"
            else tr("one level against the rest")
        )
    parts.append(tr("missing values on either side"))
    return ", ".join(parts)
