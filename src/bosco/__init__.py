"""Decision trees that people can read, question, correct and trust, at native speed.

>>> from bosco import DecisionTreeClassifier
>>> from bosco.datasets import play_tennis
>>> X, y = play_tennis()
>>> clf = DecisionTreeClassifier(algorithm="id3").fit(X, y)
>>> clf.score(X, y)
1.0
"""

import importlib.util
import typing

if typing.TYPE_CHECKING:
    from bosco import datasets as datasets
    from bosco import errors as errors
    from bosco.base.language import speaking
    from bosco.drafts.beginning import draft
    from bosco.drafts.draft import Draft
    from bosco.drafts.replay import load_draft, replay
    from bosco.drift.drifting import Drift
    from bosco.drift.monitoring import drift_page, monitor
    from bosco.errors import (
        BoscoError,
        DataError,
        DataWarning,
        IdentifierWarning,
        ModelError,
        ParameterError,
    )
    from bosco.estimators.boost import AdaBoostClassifier
    from bosco.estimators.forest import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from bosco.estimators.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from bosco.figures.curved import Curves
    from bosco.figures.residuals import Residuals
    from bosco.figures.scored import Scored
    from bosco.figures.segmented import Segments
    from bosco.judge.comparison import Comparison, compare
    from bosco.judge.curving import curves
    from bosco.judge.evaluating import evaluate
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.frontier import Frontier, frontier
    from bosco.judge.remaining import residuals
    from bosco.judge.segmenting import segments
    from bosco.judge.selecting import select
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability, stability
    from bosco.models.forest import ForestModel
    from bosco.models.loading import load
    from bosco.models.model import Model
    from bosco.models.scoretable import ScoreTable
    from bosco.models.several import SeveralModel
    from bosco.policies.checking import check
    from bosco.policies.verdict import Checks, Verdict
    from bosco.reporting.report import Report, report
    from bosco.reporting.walk import trace_page
    from bosco.rivals.alternatives import Alternatives
    from bosco.rivals.finding import alternatives
    from bosco.rules.diff import diff
    from bosco.scale.in_database import InDatabase, in_database
    from bosco.tables.scan import Scan, scan
    from bosco.version import __version__
    from bosco.workbench.notebook import Opened, open  # noqa: A004


__all__ = [
    "AdaBoostClassifier",
    "Alternatives",
    "BoscoError",
    "Checks",
    "Comparison",
    "Curves",
    "DataError",
    "DataWarning",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "Draft",
    "Drift",
    "Evaluation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "ForestModel",
    "Frontier",
    "IdentifierWarning",
    "InDatabase",
    "Model",
    "ModelError",
    "Opened",
    "ParameterError",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Report",
    "Residuals",
    "Scan",
    "ScoreTable",
    "Scored",
    "Segments",
    "Selection",
    "SeveralModel",
    "Stability",
    "Verdict",
    "__version__",
    "alternatives",
    "check",
    "compare",
    "curves",
    "diff",
    "draft",
    "drift_page",
    "evaluate",
    "frontier",
    "in_database",
    "load",
    "load_draft",
    "monitor",
    "open",
    "replay",
    "report",
    "residuals",
    "scan",
    "segments",
    "select",
    "speaking",
    "stability",
    "trace_page",
]

# Where the public names live. They are imported when first asked for, so that `bosco --help` does
# not wait for scikit-learn.
_HOMES = {
    "bosco.base.language": ("speaking",),
    "bosco.drafts.beginning": ("draft",),
    "bosco.drafts.draft": ("Draft",),
    "bosco.drafts.replay": (
        "load_draft",
        "replay",
    ),
    "bosco.drift.drifting": ("Drift",),
    "bosco.drift.monitoring": (
        "drift_page",
        "monitor",
    ),
    "bosco.errors": (
        "BoscoError",
        "DataError",
        "DataWarning",
        "IdentifierWarning",
        "ModelError",
        "ParameterError",
    ),
    "bosco.estimators.boost": ("AdaBoostClassifier",),
    "bosco.estimators.forest": (
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
    ),
    "bosco.estimators.tree": (
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
    ),
    "bosco.figures.curved": ("Curves",),
    "bosco.figures.residuals": ("Residuals",),
    "bosco.figures.scored": ("Scored",),
    "bosco.figures.segmented": ("Segments",),
    "bosco.judge.comparison": (
        "Comparison",
        "compare",
    ),
    "bosco.judge.curving": ("curves",),
    "bosco.judge.evaluating": ("evaluate",),
    "bosco.judge.evaluation": ("Evaluation",),
    "bosco.judge.frontier": (
        "Frontier",
        "frontier",
    ),
    "bosco.judge.remaining": ("residuals",),
    "bosco.judge.segmenting": ("segments",),
    "bosco.judge.selecting": ("select",),
    "bosco.judge.selection": ("Selection",),
    "bosco.judge.stability": (
        "Stability",
        "stability",
    ),
    "bosco.models.loading": ("load",),
    "bosco.models.model": ("Model",),
    "bosco.models.forest": ("ForestModel",),
    "bosco.policies.checking": ("check",),
    "bosco.policies.verdict": (
        "Checks",
        "Verdict",
    ),
    "bosco.reporting.report": (
        "Report",
        "report",
    ),
    "bosco.reporting.walk": ("trace_page",),
    "bosco.rivals.alternatives": ("Alternatives",),
    "bosco.rivals.finding": ("alternatives",),
    "bosco.rules.diff": ("diff",),
    "bosco.models.scoretable": ("ScoreTable",),
    "bosco.models.several": ("SeveralModel",),
    "bosco.scale.in_database": (
        "InDatabase",
        "in_database",
    ),
    "bosco.tables.scan": (
        "Scan",
        "scan",
    ),
    "bosco.version": ("__version__",),
    "bosco.workbench.notebook": (
        "Opened",
        "open",
    ),
}


def __getattr__(name: str) -> typing.Any:
    for module, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(importlib.import_module(module), name)
            return value
    if not name.startswith("__") and importlib.util.find_spec(f"bosco.{name}") is not None:
        return importlib.import_module(f"bosco.{name}")
    raise AttributeError(f"module 'bosco' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
