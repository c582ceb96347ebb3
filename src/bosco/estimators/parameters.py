"""Parameters of the estimators: how classes get them from the table, and how they are checked."""

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from numbers import Integral
from typing import Any, TypeVar, get_args

import numpy as np

from bosco.base.words import fill_in
from bosco.data.schema import Schema
from bosco.errors import ParameterError, did_you_mean
from bosco.settings.allowed import Setting
from bosco.settings.asking import Asking, asking_of
from bosco.settings.settings import declared, setting_of

Class = TypeVar("Class", bound=type)

_COLUMNS = """
n_features_in_ : int
    Number of columns.
feature_names_in_ : ndarray of str
    Names of the columns, if X had names.
n_outputs_ : int
    Number of targets.
""".strip()

_FOREST = f"""
model_ : ForestModel
    What was learned: print it, ask it, apply it to raw rows.
estimators_ : sequence
    The trees as fitted estimators of one tree, made when asked for.
{_COLUMNS}
feature_importances_ : ndarray
    Mean over the trees of each column's share of the decrease of impurity: those of X, then those
    of `derive`. Favours columns with many values; see `permutation_importances_oob`.
oob_score_ : float
    Accuracy, or R², out of the bag, with `oob_score`.
oob_curve_ : ndarray of shape (n_trees,)
    Out-of-bag error by number of trees: share of wrong classes, or mean squared error.
estimators_samples_ : list of ndarray
    The rows that each tree drew.
""".strip()

PARTS = {
    "forest_of_classes": f"""
Attributes
----------
classes_ : ndarray
    The class labels, sorted. Of classes with equal votes the first is predicted, of two the second.
    Where y has several columns, a list: of each.
n_classes_ : int
    Number of classes; a list, too.
oob_decision_function_ : ndarray of shape (n_rows, n_classes)
    Mean vote of the trees that have not seen the row; NaN where all have.
{_FOREST}
""",
    "forest_of_numbers": f"""
Attributes
----------
{_FOREST}
oob_prediction_ : ndarray of shape (n_rows,)
    Mean of the trees that have not seen the row; NaN where all have.
""",
    "attributes": f"""
model_ : Model
    What was learned: print it, ask it, apply it to raw rows.
tree_ : Tree
    The tree as arrays.
{_COLUMNS}
max_features_ : int
    Number of columns that each node looks at.
feature_importances_ : ndarray
    Share of the total decrease of impurity that each column brought: those of X, then those of
    `derive`.
""",
    "rows": """
Parameters
----------
X : table
    The rows, with the columns of `fit`.
""",
}
"""What several docstrings of estimators have, each written once."""


def with_settings(**defaults: Any) -> Callable[[Class], Class]:
    """Give an estimator the parameters that its ``__init__`` names as a table of `settings`.

    Its signature then has them one by one, as scikit-learn, editors and readers expect, and its
    docstring describes them in the place of ``@parameters``; it and those of its methods and bases
    have `PARTS` in the place of their names. `defaults` are those of this class.
    """

    def complete(cls: Class) -> Class:
        init: Any = cls.__init__  # type: ignore[misc]
        own, *first, given = inspect.signature(init).parameters.values()
        table = get_args(given.annotation)[0]
        settings = {p.name: setting_of(p.annotation) for p in first} | declared(table)
        plain = [p.replace(annotation=p.annotation.__origin__) for p in first] + [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(name, settings[name].default),
                annotation=annotation.__origin__,
            )
            for name, annotation in table.__annotations__.items()
        ]
        init.__signature__ = inspect.Signature([own, *plain], return_annotation=None)
        return _described_by(cls, plain, settings)

    return complete


def beside(local: Any, **more: Any) -> Callable[[Class], Class]:
    """Give an estimator the parameters of a local one, and `more`: declarations of settings.

    So a class for rows elsewhere is its name and its words; `_local` is the local class.
    """

    def complete(cls: Class) -> Class:
        own, *first = inspect.signature(local.__init__).parameters.values()
        settings = local._settings | {name: setting_of(said) for name, said in more.items()}
        others = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=settings[name].default,
                annotation=said.__origin__,
            )
            for name, said in more.items()
        ]
        signature = inspect.Signature([own, *first, *others], return_annotation=None)

        def init(self: Any, *given: Any, **named: Any) -> None:
            placed = signature.bind_partial(self, *given).arguments
            assign(self, {name: placed[name] for name in placed if name != "self"} | named)

        made: Any = init
        made.__name__, made.__signature__ = "__init__", signature
        cls.__init__, cls._local = made, local  # type: ignore[misc, attr-defined]
        return _described_by(cls, [*first, *others], settings)

    return complete


def _described_by(
    cls: Class, parameters: Sequence[inspect.Parameter], settings: Mapping[str, Setting]
) -> Class:
    """Keep the settings of a class, and write what they are into its docstrings."""
    cls._settings = settings  # type: ignore[attr-defined]
    text = "\n".join(_described(p.name, settings[p.name], p.default) for p in parameters)
    parts = {"parameters": f"Parameters\n----------\n{text}", **PARTS}
    for one in cls.__mro__:
        if one is cls or one.__module__.startswith("bosco."):
            fill_in(one, parts)
    return cls


def _described(name: str, setting: Setting, default: Any) -> str:
    said = f'"{default}"' if isinstance(default, str) else repr(default)
    says = textwrap.fill(setting.says, 92, break_on_hyphens=False, break_long_words=False)
    return f"{name} : {setting.type}, default={said}\n{textwrap.indent(says, '    ')}"


def assign(estimator: Any, given: Mapping[str, object]) -> None:
    """Keep what ``__init__`` was given, each under its own name; the rest is as by default."""
    cls: Any = type(estimator)
    declaring = _declaring(cls)
    vars(estimator).update(_defaults(declaring))
    for name, value in given.items():
        if name not in (places := _places(declaring)):
            raise TypeError(
                f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}."
                + did_you_mean(name, places)
            )
        setattr(estimator, name, value)


def check_parameters(estimator: Any) -> dict[str, Any]:
    """Refuse parameters of wrong type or value, in scikit-learn's words; return them by name.

    Only what differs from the defaults is looked at, which costs microseconds.
    """
    cls: Any = type(estimator)
    places = _places(cls)
    state = vars(estimator)
    values = {}
    for name, (place, default) in places.items():
        value = values[name] = state[place]
        if value is default:
            continue
        setting: Setting | None = cls._settings.get(name)
        if setting is None:
            continue
        parameter = f"The {name!r} parameter of {cls.__name__} must be"
        if isinstance(value, Integral) and abs(int(value)) >= 2**31 and name != "random_state":
            raise ParameterError(
                f"{parameter} less than 2**31. Got a whole number of {int(value).bit_length()} "
                f"bits. Hint: None sets no limit."
            )
        if not setting.holds(value):
            hint = did_you_mean(value, setting.words) if isinstance(value, str) else ""
            raise ParameterError(f"{parameter} {setting.allows}. Got {value!r} instead.{hint}")
    return values


@cache
def _declaring(cls: Any) -> Any:
    """The class whose parameters those of `cls` are: itself, or the one that it is made from."""
    return next(c for c in cls.__mro__ if "_settings" in vars(c))


@cache
def _places(cls: Any) -> dict[str, tuple[str, Any]]:
    """For each parameter, the attribute that holds it and its default."""
    parameters = inspect.signature(cls.__init__).parameters
    return {
        name: (getattr(inspect.getattr_static(cls, name, None), "place", name), parameter.default)
        for name, parameter in parameters.items()
        if name != "self"
    }


@cache
def _defaults(cls: Any) -> dict[str, Any]:
    """The default of each parameter, by the attribute that holds it."""
    return dict(_places(cls).values())


def alone_seed(seed: int, tree: int) -> int:
    """The seed by which one tree alone makes the choices that it made as one of many.

    Keys are mixed of the seed and the tree's number; see `mix` in core/data/random.hpp.
    """
    turned = (tree * 0x9E3779B97F4A7C15) % 2**64
    return seed ^ ((turned << 31 | turned >> 33) % 2**64)


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
    n_given = len(schema.given)
    if values.shape == (n_given,):  # none of what is derived
        values = np.concatenate((values, np.zeros(n_columns - n_given, values.dtype)))
    if values.shape != (n_columns,):
        raise ParameterError(
            f"monotonic_cst has shape {len(values)} but the input data X has {n_given} features."
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


def prices(estimator: Any, schema: Schema) -> Asking | None:
    """What answers cost by the columns of a schema; None of estimators without such settings."""
    if not hasattr(estimator, "ask_costs"):
        return None
    priced = estimator.ask_costs is not None
    return asking_of(
        estimator.ask_costs,
        estimator.ask_groups,
        estimator.ask_delayed,
        estimator.ask_rule,
        estimator.ask_weight,
        schema.names,
        [schema.behind([j]) for j in range(len(schema.columns))] if priced else [],
    )


class MethodAndSetting:
    """An attribute that reads as a method and is set as a parameter.

    ``score`` is both what scikit-learn calls the quality of a fitted estimator and the name of a
    setting of growth. Reading gives the method; what is assigned is kept beside it.
    """

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.place = f"_{name}"

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., Any]:
        bound: Callable[..., Any] = self.method
        return bound if instance is None else bound.__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.place] = value
