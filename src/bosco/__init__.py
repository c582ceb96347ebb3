"""Decision trees that people can read, question, correct and trust, at native speed.

>>> from bosco import DecisionTreeClassifier
>>> from bosco.datasets import play_tennis
>>> X, y = play_tennis()
>>> clf = DecisionTreeClassifier(algorithm="id3").fit(X, y)
>>> clf.score(X, y)
1.0
"""

from bosco import datasets as datasets
from bosco import errors as errors
from bosco.errors import (
    BoscoError,
    DataError,
    DataWarning,
    IdentifierWarning,
    ModelError,
    ParameterError,
)
from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.model import Model
from bosco.version import __version__


def __getattr__(name: str) -> object:
    """``bosco.plot`` is imported when it is first asked for: it is the only way to matplotlib."""
    if name == "plot":
        from importlib import import_module

        return import_module("bosco.plot")
    raise AttributeError(f"module 'bosco' has no attribute {name!r}")


__all__ = [
    "BoscoError",
    "DataError",
    "DataWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "IdentifierWarning",
    "Model",
    "ModelError",
    "ParameterError",
    "__version__",
]
