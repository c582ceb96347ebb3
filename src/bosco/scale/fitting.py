"""`fit` over rows that lie in parts: the same road, the same model, the same file."""

from typing import Any

import numpy as np

from bosco import _core
from bosco.data.fingerprint import Fingerprint
from bosco.errors import ParameterError
from bosco.estimators.base import warn_of
from bosco.estimators.parameters import check_parameters, signs
from bosco.estimators.pruned import policy_of, prune_grown
from bosco.growth import recorded_from, resolve, setting
from bosco.models.model import Model
from bosco.pruning import CostComplexity, Pessimistic, ReducedError, Subject
from bosco.scale.grower import Grower
from bosco.scale.learn import Told, source_of, tell_border, tell_edges
from bosco.scale.source import Engine
from bosco.settings.settings import GROWTH
from bosco.tree.census import Census
from bosco.tree.tree import Tree
from bosco.version import __version__

__all__ = ["fit_parts"]


def fit_parts(estimator: Any, engine: Engine) -> Any:
    """Fit an estimator of one tree to the rows of an engine's parts.

    Parameters
    ----------
    estimator : DecisionTreeClassifier or DecisionTreeRegressor
    engine : Engine
        Whose parts have rows.

    Returns
    -------
    the estimator, fitted
    """
    given = check_parameters(estimator)
    policy = _policy(estimator)
    task = estimator._task
    missing = setting(estimator.algorithm, "missing", estimator.missing)
    told = Told(engine)
    schema, recipe = tell_border(
        told,
        task=task,
        class_weight=getattr(estimator, "class_weight", None),
        categorical_features=estimator.categorical_features,
        domains=estimator.domains,
        missing=missing,
        fractional=missing == "fractional",
        copies=estimator.weights == "copies",
        owner=type(estimator).__name__,
    )
    said = told.ask("sums")
    samples, weight = (sum(part[k] for part in said) for k in (0, 1))
    lacking = np.any([part[2] for part in said], axis=0)
    rows = np.sum([part[3] for part in said], axis=0)
    n_rows, n_columns = told.n_kept, len(schema.columns)
    classes = recipe.classes
    growth = resolve(
        estimator.algorithm,
        task,
        samples=samples,
        columns=n_columns,
        weight=weight / recipe.scaling.scale,
        seed=estimator._seed(),
        record=estimator._records(n_rows * n_columns),
        monotonic=signs(estimator.monotonic_cst, schema),
        n_classes=0 if classes is None else len(classes),
        **{name: given.get(name, getattr(estimator, name)) for name in GROWTH},
    )
    settings = growth.to_dict()
    if estimator.record == "auto":
        settings["record_samples"] = recorded_from(samples)
    remembered = None
    if estimator._remembers(n_rows * n_columns):
        parts: list[Fingerprint] = told.ask("fingerprint")
        remembered = parts[0]
        for part in parts[1:]:
            remembered = remembered.joined(part)
    _warn_of_identifiers(told, schema, n_rows)
    layout = tell_edges(told, schema)
    unit = 2**_core.share_bits if missing == "fractional" and lacking.any() else 1
    told.tell("tree", unit)
    source = source_of(told, layout, 0 if classes is None else len(classes))
    native = Grower(source, recipe.like(), settings, unit).run()
    subject = Subject(
        tree=Tree(native, n_columns),
        schema=schema,
        classes=classes,
        growth=growth,
        weighted=recipe.scaling.weighted,
    )
    tree, log = prune_grown(estimator, subject, policy, None)
    about: dict[str, Any] = {
        "bosco": __version__,
        "algorithm": estimator.algorithm,
        "rows": int(rows.sum()),
    }
    if classes is not None:
        about["class_rows"] = rows.tolist()
    if remembered is not None:
        about["fingerprint"] = remembered.to_plain()
    about["missing"] = [name for name, lacks in zip(schema.names, lacking, strict=True) if lacks]
    estimator._keep(
        Model(
            tree=tree,
            schema=schema,
            classes=classes,
            growth=growth,
            provenance=about,
            log=log,
            counted=_census(told, tree, missing == "fractional"),
        )
    )
    estimator.source_ = source
    return estimator


def _policy(estimator: Any) -> Any:
    """The pruning policy, if it needs nothing but the tree."""
    policy = policy_of(estimator)
    needs = isinstance(policy, ReducedError | Pessimistic) or (
        isinstance(policy, CostComplexity) and policy.alpha is None
    )
    if needs:
        raise ParameterError(
            f"pruning={policy!r} goes back to rows, which lie in parts here. Hint: a policy that "
            f"looks at the tree alone, such as CostComplexity(alpha=…), or pruning='none'."
        )
    return policy


def _census(told: Told, tree: Tree, shared: bool) -> Census | None:
    """The rows of every node, all parts together."""
    parts = told.ask("census", tree.native.state(), shared)
    if parts[0] is None:
        return None
    rows = np.sum([part.rows for part in parts], axis=0)
    return Census(rows, parts[0].effective, parts[0].scale)


def _warn_of_identifiers(told: Told, schema: Any, n_rows: int) -> None:
    used = told.ask("levels_used")
    rows = [
        None if of[0] is None else np.sum(of, axis=0)[1:] for of in zip(*used, strict=True)
    ]
    warn_of(name for name, of in zip(schema.names, rows, strict=True) if looks_unique(of, n_rows))
