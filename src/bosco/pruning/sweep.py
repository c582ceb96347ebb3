"""Error against size: every tree of the cost-complexity path, as data to plot."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.numerals import show_figure
from bosco.errors import ParameterError
from bosco.pruning.complexity import along, weakest_links
from bosco.pruning.policy import is_number
from bosco.pruning.subject import Floats, Subject


@dataclass(frozen=True, eq=False)
class Sweep:
    """The trees of the cost-complexity path, from the whole tree to its root, one per row.

    Errors are shares of wrong rows, for a real target mean squared errors; where rows have weights,
    by these.

    Attributes
    ----------
    alpha : ndarray
        The price of a leaf from which on the tree is the best by training error +
        ``alpha * leaves / n``, n being the weight of all rows: in wrong rows, or in their weight
        where rows have weights, as `GeneralizationError` takes it (for a real target in squared
        error of one row). Divided by n it is the alpha of ``CostComplexity(risk="error")``.
    leaves : ndarray
        Its size.
    training, validation : ndarray
        Its error on the training rows and on the rows given (None without).
    generalization : ndarray
        Its training error plus ``price * leaves / n``.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import golf
    >>> print(DecisionTreeClassifier().fit(*golf()).model_.sweep(price=1))
     leaves  alpha  training  generalization
          6      0    0.0000          0.4286
          1      1    0.3571          0.4286
    """

    alpha: Floats
    leaves: NDArray[np.int64]
    training: Floats
    generalization: Floats
    validation: Floats | None = None

    def __len__(self) -> int:
        return len(self.alpha)

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as lists; ``validation`` only if rows were given."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column.tolist() for name, column in columns.items() if column is not None}

    def __str__(self) -> str:
        given = self.validation is not None
        names = ["leaves", "alpha", "training", *["validation"] * given, "generalization"]
        rows = [names]
        for i in range(len(self)):
            numbers = [getattr(self, name)[i] for name in names]
            errors = [f"{number:.4f}" for number in numbers[2:]]
            rows.append([str(numbers[0]), show_figure(numbers[1]), *errors])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(" " + "  ".join(map(str.rjust, row, widths)) for row in rows)


def sweep(subject: Subject, validation: tuple[Any, ...] | None = None, price: float = 1.0) -> Sweep:
    """Table the path of a tree; see `Model.sweep`."""
    if not is_number(price) or price < 0:
        raise ParameterError(f"The price of a leaf must be a number, 0 or more. Got {price!r}.")
    weight = float(subject.tree.node_weight[0])
    alphas, _, cut_at = weakest_links(subject.tree, subject.errors)
    apart = np.append(np.diff(alphas) > 1e-12 * weight, True)
    alphas = alphas[apart]  # of those that rounding parts, the last
    leaves = np.rint(along(subject, cut_at, np.ones(len(cut_at)), alphas)).astype(np.int64)
    training = along(subject, cut_at, subject.errors, alphas) / weight
    held = None if validation is None else subject.held_out(*validation)
    return Sweep(
        alpha=alphas,
        leaves=leaves,
        training=training,
        generalization=training + price * leaves / weight,
        validation=None
        if held is None
        else along(subject, cut_at, held.errors, alphas) / held.weight,
    )
