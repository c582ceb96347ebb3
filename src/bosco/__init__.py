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
from bosco.judge.comparison import Comparison, compare
from bosco.judge.evaluating import evaluate
from bosco.judge.evaluation import Evaluation
from bosco.judge.selecting import select
from bosco.judge.selection import Selection
from bosco.judge.stability import Stability, stability
from bosco.model import Model, load
from bosco.rules.diff import diff
from bosco.version import __version__

__all__ = [
    "BoscoError",
    "Comparison",
    "DataError",
    "DataWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Evaluation",
    "IdentifierWarning",
    "Model",
    "ModelError",
    "ParameterError",
    "Selection",
    "Stability",
    "__version__",
    "compare",
    "diff",
    "evaluate",
    "load",
    "select",
    "stability",
]
