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
from bosco.estimators.boost import AdaBoostClassifier
from bosco.estimators.extratrees import ExtraTreesClassifier, ExtraTreesRegressor
from bosco.estimators.forest import RandomForestClassifier, RandomForestRegressor
from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
from bosco.forest import ForestModel
from bosco.model import Model
from bosco.scoretable import ScoreTable
from bosco.version import __version__

__all__ = [
    "AdaBoostClassifier",
    "BoscoError",
    "DataError",
    "DataWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestModel",
    "IdentifierWarning",
    "Model",
    "ModelError",
    "ParameterError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ScoreTable",
    "__version__",
]
