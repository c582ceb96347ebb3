"""What estimators say of their rows: the names of columns, where a model comes from, warnings."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from bosco.data.fingerprint import Fingerprint
from bosco.data.readers import Table
from bosco.data.schema import Schema
from bosco.errors import IdentifierWarning
from bosco.version import __version__


def keep_names(estimator: Any, columns: Schema | Table) -> None:
    """Keep how many columns X had at fit, and their names if they had some."""
    names = columns.names
    if isinstance(columns, Schema):
        names = tuple(column.name for column in columns.given)
    estimator.n_features_in_ = len(names)
    estimator.__dict__.pop("feature_names_in_", None)
    if columns.named:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def about_rows(algorithm: str, rows: Any, remembered: Fingerprint | None) -> dict[str, Any]:
    """Where a model comes from; `rows` say of which classes they are."""
    by_class = rows.by_class.tolist()
    about: dict[str, Any] = {"bosco": __version__, "algorithm": algorithm, "rows": sum(by_class)}
    if rows.classes is not None:
        about["class_rows"] = by_class
    if remembered is not None:
        about["fingerprint"] = remembered.to_plain()
    return about


def warn_of_identifiers(names: Iterable[str]) -> None:
    """Warn of nominal columns that tell (nearly) every row from every other."""
    for name in names:
        warnings.warn(
            f"Column {name!r} looks like an identifier: (nearly) every row has a value of its own. "
            f"Such a column separates the training rows and says nothing of new ones. It is used "
            f"all the same; drop it if it is one.",
            IdentifierWarning,
            stacklevel=5,
        )
