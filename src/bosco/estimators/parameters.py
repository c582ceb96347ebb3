"""Parameters of the estimators: what each may be, in scikit-learn's form and words."""

import inspect
from functools import cache
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)

from bosco.errors import ParameterError, did_you_mean
from bosco.growth import (
    CRITERIA,
    MISSING,
    NOMINAL_TESTS,
    NUMERIC_TESTS,
    ORDERS,
    PRESETS,
    SCORES,
    SPLITTERS,
    THRESHOLDS,
)
from bosco.pruning import POLICIES, Policy
from bosco.schema import Schema

GROWTH = (
    "criterion",
    "splitter",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "min_gain",
    "score",
    "numeric_test",
    "nominal_test",
    "max_branches",
    "threshold",
    "missing",
    "order",
)
"""The parameters that are settings of growth; None: as the algorithm says."""


def _among(options: tuple[str, ...]) -> list[Any]:
    return [StrOptions(set(options)), None]


CONSTRAINTS: dict[str, Any] = {
    "algorithm": [StrOptions(set(PRESETS))],
    "weights": [StrOptions({"importance", "copies"})],
    "splitter": _among(SPLITTERS),
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [
        Interval(Integral, 2, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        None,
    ],
    "min_samples_leaf": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        None,
    ],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both"), None],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "random_state": ["random_state"],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left"), None],
    "min_gain": [Interval(Real, 0.0, None, closed="left"), None],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "pruning": [StrOptions({*POLICIES, "none"}), Policy, None],
    "monotonic_cst": ["array-like", dict, None],
    "score": _among(SCORES),
    "numeric_test": _among(NUMERIC_TESTS),
    "nominal_test": _among(NOMINAL_TESTS),
    "max_branches": [Interval(Integral, 2, 255, closed="both"), None],
    "threshold": _among(THRESHOLDS),
    "missing": _among(MISSING),
    "order": _among(ORDERS),
    "domains": [dict, None],
    "n_jobs": [Integral, None],
    "record": ["boolean", StrOptions({"auto"})],
    "fingerprint": ["boolean", StrOptions({"auto"})],
}
CLASSIFIER_CONSTRAINTS = CONSTRAINTS | {
    "criterion": _among(CRITERIA["classification"]),
    "class_weight": [dict, StrOptions({"balanced"}), None],
}
REGRESSOR_CONSTRAINTS = CONSTRAINTS | {"criterion": _among(CRITERIA["regression"])}

_FOREST: dict[str, Any] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", callable],
    "max_samples": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        None,
    ],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "keep_on_interrupt": ["boolean"],
    "fingerprint": ["boolean"],
}
FOREST_CLASSIFIER_CONSTRAINTS = (
    CLASSIFIER_CONSTRAINTS
    | _FOREST
    | {
        "class_weight": [dict, StrOptions({"balanced", "balanced_subsample"}), None],
        "vote": [StrOptions({"mean", "mode"})],
        "tree_weights": [StrOptions({"uniform", "oob_accuracy"}), "array-like"],
    }
)
FOREST_REGRESSOR_CONSTRAINTS = (
    REGRESSOR_CONSTRAINTS
    | _FOREST
    | {"leaf_rows": ["boolean"], "tree_weights": [StrOptions({"uniform"}), "array-like"]}
)

BOOST_CONSTRAINTS: dict[str, Any] = {
    "estimator": [HasMethods(["fit", "predict"]), None],
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "algorithm": [StrOptions({"discrete", "samme"})],
    "random_state": ["random_state"],
    "watch": ["array-like", None],
    "early_stopping": ["boolean"],
    "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither")],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [Integral, None],
    "verbose": ["verbose"],
    "fingerprint": ["boolean"],
}


def check_parameters(estimator: Any) -> dict[str, Any]:
    """Refuse parameters of wrong type or value, in scikit-learn's words; return them by name.

    Only what differs from the defaults is looked at, which costs microseconds.
    """
    cls: Any = type(estimator)
    defaults = _defaults(cls)
    values = {name: estimator.__dict__[place] for name, (place, _) in defaults.items()}
    given = {name: v for name, v in values.items() if v is not defaults[name][1]}
    try:
        validate_parameter_constraints(
            estimator._parameter_constraints, given, caller_name=type(estimator).__name__
        )
    except InvalidParameterError as error:
        constraints = estimator._parameter_constraints
        hints = (
            did_you_mean(value, _words(constraints.get(name, [])))
            for name, value in given.items()
            if isinstance(value, str) and value not in _words(constraints.get(name, []))
        )
        raise ParameterError(str(error) + next(filter(None, hints), "")) from None
    for name, value in given.items():
        if isinstance(value, Integral) and abs(int(value)) >= 2**31 and name != "random_state":
            raise ParameterError(
                f"The '{name}' parameter of {cls.__name__} must be less than 2**31. Got a whole "
                f"number of {int(value).bit_length()} bits. Hint: None sets no limit."
            )
    return values


@cache
def _defaults(cls: Any) -> dict[str, tuple[str, Any]]:
    """For each parameter, the attribute that holds it and its default."""
    parameters = inspect.signature(cls.__init__).parameters
    return {
        name: (getattr(inspect.getattr_static(cls, name, None), "place", name), parameter.default)
        for name, parameter in parameters.items()
        if name != "self"
    }


def _words(constraints: list[Any]) -> set[Any]:
    """The words that a parameter may be."""
    return {word for c in constraints if isinstance(c, StrOptions) for word in c.options}


def signs(constraints: Any, schema: Schema) -> tuple[int, ...]:
    """Monotone constraints as -1, 0 or 1 per column, from a sequence or by name; empty: none."""
    if constraints is None:
        return ()
    n_columns = len(schema.columns)
    if isinstance(constraints, dict):
        unknown = [name for name in constraints if name not in schema.names]
        if unknown:
            raise ParameterError(
                f"monotonic_cst names a column that X does not have: {unknown[0]!r}."
                + did_you_mean(unknown[0], schema.names)
            )
        constraints = [constraints.get(name, 0) for name in schema.names]
    values = np.asarray(constraints)
    if values.shape != (n_columns,):
        raise ParameterError(
            f"monotonic_cst has shape {len(values)} but the input data X has {n_columns} features."
        )
    if not np.isin(values, (-1, 0, 1)).all():
        raise ParameterError(
            "monotonic_cst must be None or an array-like of -1, 0 or 1, but got "
            f"{np.unique(values)}"
        )
    for column, value in zip(schema.columns, values, strict=True):
        if value and column.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst constrains column {column.name!r}, which is nominal: its levels "
                f"have no order. Give it as an ordered category, or constrain it with 0."
            )
    return tuple(int(value) for value in values) if values.any() else ()
