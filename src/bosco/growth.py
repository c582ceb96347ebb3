"""Algorithms as rows of settings.

`PRESETS` is the table: one row per algorithm, one column per setting. `resolve` lays what the user
gave over a row, turns fractions into numbers, and refuses what cannot be combined, with the reason.
What comes out, a `Growth`, is all that the grower is told; docs/growing.md says what settings do.
Over 400 lines, so that the rows and all that they cannot mean stand in one place.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from operator import attrgetter, itemgetter
from typing import Annotated, Any, Literal

from bosco.errors import ParameterError, did_you_mean
from bosco.settings.asking import Asking
from bosco.settings.psi import OWN, Psi
from bosco.settings.settings import (
    CRITERIA,
    RECORD_ROWS,
    RECORD_SHARE,
    ROWS,
    UNLIMITED,
    Task,
)

_INT, _LONG, _KEY = 2**31 - 1, 2**63 - 1, 2**64 - 1  # what the core's types hold


def recorded_from(samples: float) -> int:
    """How many samples a node needs for its candidates to be kept, with record="auto"."""
    return math.ceil(samples / RECORD_SHARE)


def recorded_whole(samples: float) -> int:
    """How many samples a node has at most whose candidates are all kept, with record="auto".

    Of larger ones those are kept that are near the best: nearly ties.
    """
    return UNLIMITED if samples <= RECORD_ROWS else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OnMissing:
    """What a policy for missing values does. Whoever must know asks this, never its name."""

    refused: bool = False  # there may be none
    shared: bool = False  # such a row goes down every branch, in shares
    stand_ins: bool = False  # another column decides
    own_branch: bool = False  # they have a branch of their own
    learned: bool = False  # they go where they score best, also against all known values

    @property
    def one_way(self) -> bool:
        """Whether every row ends in one leaf, by the value that is asked for."""
        return not (self.shared or self.stand_ins)


MISSING = {
    "learn": OnMissing(learned=True),
    "fractional": OnMissing(shared=True),
    "surrogate": OnMissing(stand_ins=True),
    "branch": OnMissing(own_branch=True),
    "majority": OnMissing(),  # to the heaviest branch
    "error": OnMissing(refused=True),
}
"""What each word of the setting `missing` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Every setting of one growth, resolved, as the core and model files have it.

    Whole numbers say from where to where they go. A default is what files say that are older than
    the setting: it is not written, so that they keep their hash.

    Examples
    --------
    >>> from bosco.growth import resolve
    >>> growth = resolve("id3", "classification", samples=14, columns=4, weight=14.0)
    >>> growth.criterion, growth.nominal_test, growth.reuse
    ('entropy', 'multiway', False)
    """

    criterion: str
    score: str
    numeric_test: str
    nominal_test: str
    threshold: str
    missing: str
    order: str
    splitter: str
    max_branches: Annotated[int, 2, _INT]
    max_depth: Annotated[int, UNLIMITED, _INT]
    max_leaf_nodes: Annotated[int, UNLIMITED, _LONG]
    min_samples_split: Annotated[int, 0, _LONG]
    min_samples_leaf: Annotated[int, 0, _LONG]
    min_weight_leaf: float
    min_impurity_decrease: float
    min_gain: float = 0.0
    zero_gain: bool
    reuse: bool
    penalty: bool
    subset_penalty: bool
    max_features: Annotated[int, UNLIMITED, _INT]
    seed: Annotated[int, 0, _KEY]
    tree: Annotated[int, 0, _KEY]
    monotonic: tuple[int, ...]
    record: bool
    search: str = "greedy"
    alpha: float = 0.0
    quantile: float = 0.5
    lookahead: Annotated[int, 1, 2] = 1
    polish: bool = False
    record_leaves: bool = False  # of trees grown before candidates of leaves were kept too
    record_whole: Annotated[int, UNLIMITED, _LONG] = UNLIMITED  # of larger nodes: near ties alone
    asking: Asking | None = None  # what answers cost
    psi: Psi | None = field(default=None, compare=False, repr=False)  # a criterion of one's own

    @property
    def spreads(self) -> bool:
        """Whether the impurity of numbers is their variance, so that leaves know their spread."""
        return self.criterion == "squared_error"

    @property
    def medians(self) -> bool:
        """Whether leaves say medians, or other quantiles, and no means."""
        return self.criterion in ("absolute_error", "quantile")

    @property
    def alone(self) -> bool:
        """Whether every node chose its test by what its own table says."""
        return self.search == "greedy" and self.lookahead == 1 and not self.polish

    @property
    def largest_wins(self) -> bool:
        """Whether the test with the largest gain wins, whatever its column."""
        return self.score == "gain" and not self.weighs_prices

    @property
    def weighs_prices(self) -> bool:
        """Whether what answers cost decides between columns."""
        return self.asking is not None and self.asking.weighs

    @property
    def on_missing(self) -> OnMissing:
        """What is done with missing values."""
        return MISSING[self.missing]

    def to_dict(self) -> dict[str, Any]:
        """All settings by name, in plain types."""
        settings = dict(zip(_NAMES, _ALL_OF(self), strict=True))
        settings["monotonic"] = list(self.monotonic)
        settings["asking"] = None if self.asking is None else self.asking.to_dict()
        return settings

    def for_core(self) -> dict[str, Any]:
        """All settings as the core takes them: with the function that a criterion of one's own is.

        A model file, or a pickle, has its name alone: what needs it is refused.
        """
        if self.psi is not None:
            return self.to_dict() | {"psi": self.psi}
        if self.criterion.startswith(OWN):
            name = self.criterion.removeprefix(OWN)
            raise ParameterError(
                f"The tree was grown by a criterion of its own, the Python function {name!r}. A "
                f"saved model has its name and not its code, so nothing can be scored by it again. "
                f"Hint: fit once more with criterion={name}."
            )
        return self.to_dict()


FIELDS = tuple(one for one in fields(Growth) if one.name != "psi")
_NAMES = tuple(one.name for one in FIELDS)
_ALL_OF, _ALL_IN = attrgetter(*_NAMES), itemgetter(*_NAMES)  # of a value, and in a dict
_CASTS: dict[str, Any] = {
    one.name: float if one.type is float else int
    for one in FIELDS
    if one.type is float or hasattr(one.type, "__metadata__")
}

_COMMON = {name: setting.row for name, setting in ROWS.items()}
_CLASSES, _BOTH = {"classification"}, {"classification", "regression"}

# fmt: off
PRESETS: dict[str, dict[str, Any]] = {
    "cart":       _COMMON | {"tasks": _BOTH, "criterion": "gini"},
    "best_first": _COMMON | {"tasks": _BOTH, "criterion": "gini", "order": "best"},
    "stump":      _COMMON | {"tasks": _BOTH, "criterion": "error", "nominal_test": "multiway",
                             "max_depth": 1, "zero_gain": False},
    "recursive_stump": _COMMON | {"tasks": _CLASSES, "criterion": "error",
                             "nominal_test": "multiway"},
    "id3":        _COMMON | {"tasks": _CLASSES, "criterion": "entropy", "nominal_test": "multiway",
                             "missing": "branch", "reuse": False},
    "c45":        _COMMON | {"tasks": _CLASSES, "criterion": "entropy", "nominal_test": "multiway",
                             "score": "gain_ratio_above_average", "missing": "fractional",
                             "min_samples_leaf": 2, "penalty": True, "zero_gain": False,
                             "pruning": "pessimistic"},
    "hunt":       _COMMON | {"tasks": _CLASSES, "criterion": "error", "nominal_test": "one_vs_rest",
                             "zero_gain": False},
    "optimal":    _COMMON | {"tasks": _BOTH, "criterion": "error", "search": "optimal",
                             "max_depth": 3},
}
# fmt: on
"""One row per algorithm: its tasks and every setting. A regressor's criterion is squared_error,
unless it is given."""


def resolve(
    algorithm: str,
    task: Task,
    *,
    samples: int,
    columns: int,
    weight: float,
    seed: int = 0,
    tree: int = 0,
    record: bool | Literal["auto"] = False,
    monotonic: tuple[int, ...] = (),
    asking: Asking | None = None,
    n_classes: int = 0,
    **given: Any,
) -> Growth:
    """Lay the settings `given`, by the names the estimators use, over the row of an algorithm.

    Those given as fractions are fractions of the size of the data: samples, columns, weight. `seed`
    and `tree` are the keys of all random choices; `monotonic` is -1, 0 or 1 for each column, or
    empty; `asking` is what answers cost; `n_classes` is 0 for a real target. None stands for "as
    the row says".
    """
    psi = None
    if callable(given.get("criterion")):
        psi = Psi(given["criterion"])
        psi.examine(n_classes)
        given["criterion"] = psi.word
    row = _row(algorithm, task, given.get("criterion"))
    said = {name: value for name, value in given.items() if value is not None}
    chosen = row | said | {"asking": asking}
    if given.get("order") is None and given.get("max_leaf_nodes") is not None:
        chosen["order"] = "best"  # depth first up to a limit of leaves grows lopsided trees
    if chosen["search"] == "optimal":
        record = False  # no node compared anything: whole trees were
        if task == "regression":
            chosen["max_depth"] = _depth_of_numbers(given.get("max_depth"))
        elif given.get("max_depth") is None and given.get("max_leaf_nodes") is not None:
            chosen["max_depth"] = UNLIMITED  # as deep as so many leaves can be
    refuse_combination(chosen, monotonic, n_classes)
    if chosen["polish"] or chosen["lookahead"] > 1:
        record = False  # what a node compared alone is not what decided
        if task == "regression":
            raise ParameterError(
                f"{_farther(chosen)}: rows that are wrong are counted, and of numbers there are "
                f"none. Leave it out, or learn classes."
            )

    leaf = _samples(chosen["min_samples_leaf"], samples)
    chosen |= {
        "min_samples_leaf": leaf,
        "min_samples_split": max(2, _samples(chosen["min_samples_split"], samples), 2 * leaf),
        "min_weight_leaf": float(chosen["min_weight_fraction_leaf"]) * weight,
        "max_features": _columns(chosen["max_features"], columns),
        "seed": seed,
        "tree": tree,
        "monotonic": monotonic,
        "record": bool(record),
        "record_leaves": bool(record),
        "record_whole": recorded_whole(samples)
        if record == "auto" and chosen["score"] == "gain" and not (asking and asking.weighs)
        else UNLIMITED,
    }
    for name in said:
        if name in _CASTS:
            chosen[name] = _CASTS[name](chosen[name])  # what is given may be numpy's
    return Growth(**dict(zip(_NAMES, _ALL_IN(chosen), strict=True)), psi=psi)


def _depth_of_numbers(given: Any) -> int:
    """How deep the best tree of numbers may be."""
    if given is not None and given > 2:
        raise ParameterError(
            f"algorithm='optimal' finds trees of numbers with at most two levels of tests: "
            f"max_depth must be 1 or 2. Got {given}. Hint: algorithm='cart' grows deeper ones."
        )
    return 2 if given is None else int(given)


def setting(algorithm: str, name: str, given: Any) -> Any:
    """One setting before the data are read: what was given, or what the algorithm's row says."""
    return PRESETS[algorithm][name] if given is None else given


def _row(algorithm: str, task: Task, criterion: str | None) -> dict[str, Any]:
    """The row of an algorithm for a task; `criterion` is what the user asked for, if anything."""
    row = PRESETS.get(algorithm)
    if row is None:
        raise ParameterError(
            f"Unknown algorithm {algorithm!r}: it must be one of {', '.join(map(repr, PRESETS))}."
            + did_you_mean(algorithm, PRESETS)
        )
    own = criterion is not None and criterion.startswith(OWN) and task == "classification"
    if criterion is not None and criterion not in CRITERIA[task] and not own:
        raise ParameterError(
            f"Criterion {criterion!r} is not one of {task}: "
            f"it must be one of {', '.join(map(repr, CRITERIA[task]))}."
            + did_you_mean(criterion, CRITERIA[task])
        )
    if task == "classification":
        return row
    if criterion is None and task not in row["tasks"]:
        raise ParameterError(
            f"algorithm={algorithm!r} learns classes: its criterion, {row['criterion']!r}, is not "
            f"defined for a real target. Use algorithm='cart', or give criterion='squared_error' "
            f"to grow a tree of that shape all the same."
        )
    # The penalty on thresholds is counted in bits of class information; a variance has no bits.
    return row | {"criterion": "squared_error", "penalty": False}


def refuse_combination(
    chosen: dict[str, Any], monotonic: tuple[int, ...] = (), n_classes: int = 0
) -> None:
    """Raise `ParameterError` with the reason if the settings cannot go together."""
    numeric, nominal = chosen["numeric_test"], chosen["nominal_test"]
    on_missing = MISSING[chosen["missing"]]
    if on_missing.stand_ins:
        reason = "missing='surrogate' needs tests with two branches, which another column can match"
        _refuse_unless_binary(reason, numeric, nominal)
    if chosen["splitter"] == "random":
        reason = "splitter='random' draws one threshold or one set of levels, so two branches"
        _refuse_unless_binary(reason, numeric, nominal, ("subset",))
    if chosen["criterion"] in ("absolute_error", "quantile"):
        _refuse_with_medians(chosen, monotonic)
    elif chosen.get("quantile", 0.5) != 0.5:
        raise ParameterError(
            f"quantile={chosen['quantile']!r} is what leaves say by criterion='quantile', and the "
            f"criterion is {chosen['criterion']!r}. Give that criterion, or leave quantile out."
        )
    if chosen.get("asking") is not None:
        _refuse_with_prices(chosen)
    if numeric == "pairs":
        _refuse_with_pairs(chosen, monotonic)
    if chosen.get("search") == "optimal":
        _refuse_with_search(chosen, monotonic)
    elif chosen.get("polish") or chosen.get("lookahead", 1) > 1:
        _refuse_farther(chosen, monotonic)
    if any(monotonic):
        reason = "monotonic_cst compares a lower with an upper branch, so tests must have two"
        _refuse_unless_binary(reason, numeric, nominal)
        if on_missing.own_branch:
            raise ParameterError(
                f"{reason}: missing='branch' adds a third. Use missing='learn' or 'majority'."
            )
        if not on_missing.one_way:
            raise ParameterError(
                "monotonic_cst needs every row to go by its own value: with "
                f"missing={chosen['missing']!r} missing rows land in both branches and may "
                "turn the order round. Use missing='learn' or 'majority'."
            )
        if n_classes > 2:
            raise ParameterError(
                "Monotonicity constraints are not supported with multiclass classification: "
                f"'more' and 'less' need two classes or a real target, and y has {n_classes}."
            )


def _refuse_with_medians(chosen: dict[str, Any], monotonic: tuple[int, ...]) -> None:
    """Refuse what medians, which do not follow from sums, do not go together with."""
    reason = f"criterion={chosen['criterion']!r} makes leaves say medians, or other quantiles"
    if not 0 < round(chosen.get("quantile", 0.5) * 1e6) < 1e6:
        raise ParameterError(
            f"quantile must be between 0 and 1 by six digits. Got {chosen['quantile']!r}."
        )
    if chosen["numeric_test"] != "threshold":
        raise ParameterError(
            f"{reason}: numeric_test={chosen['numeric_test']!r} needs costs that add up. "
            f"Use numeric_test='threshold'."
        )
    if chosen["nominal_test"] == "group":
        raise ParameterError(
            f"{reason}: nominal_test='group' needs costs that add up. "
            f"Use nominal_test='subset', 'one_vs_rest' or 'multiway'."
        )
    if not MISSING[chosen["missing"]].one_way:
        raise ParameterError(
            f"{reason} of whole rows: missing={chosen['missing']!r} sends a row elsewhere than its "
            f"own value says. Use missing='learn', 'branch' or 'majority'."
        )
    if any(monotonic):
        raise ParameterError(
            f"{reason}, which monotonic_cst does not hold in order. Leave it out, or use "
            f"criterion='squared_error'."
        )


def _refuse_with_search(chosen: dict[str, Any], monotonic: tuple[int, ...]) -> None:
    """Refuse what the search for the best tree cannot mean."""
    reason = "algorithm='optimal' finds the tree with the least errors + alpha * leaves"
    if chosen["criterion"] not in ("error", "squared_error"):
        raise ParameterError(
            f"{reason}: errors of classes, or squared errors of numbers, and "
            f"criterion={chosen['criterion']!r} is another measure. Leave the criterion out, or "
            f"use algorithm='cart'."
        )
    _refuse_unless_binary(f"{reason}, of tests with two branches", chosen["numeric_test"],
                          chosen["nominal_test"])  # fmt: skip
    if chosen["missing"] not in ("learn", "error"):
        raise ParameterError(
            f"{reason}, missing values on the better side of each test: not what "
            f"missing={chosen['missing']!r} does. Use missing='learn' or 'error'."
        )
    if chosen["max_depth"] == chosen["max_leaf_nodes"] == UNLIMITED:
        raise ParameterError(f"{reason} up to a size: give max_depth or max_leaf_nodes.")
    if any(monotonic):
        raise ParameterError(f"{reason}; it does not know monotonic_cst. Use algorithm='cart'.")
    others = _OF_ONE_NODE | {
        "score": "gain",
        "zero_gain": True,
        "lookahead": 1,
        "polish": (False, None),
    }
    for name, value in _unlike(chosen, others):
        raise ParameterError(
            f"{reason}, whatever a single node gains: {name}={value!r} belongs to growing node "
            f"by node. Leave it out, or use algorithm='cart'."
        )


_OF_ONE_NODE: dict[str, Any] = {
    "splitter": "best",
    "max_features": (None, UNLIMITED),
    "min_weight_fraction_leaf": 0.0,
    "min_weight_leaf": 0.0,
    "min_impurity_decrease": 0.0,
    "min_gain": 0.0,
    "reuse": True,
}
"""Settings that hold of the test of each node, and what they are where they say nothing."""


def _unlike(chosen: dict[str, Any], others: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings that are not as they are allowed to be, and what they are."""
    for name, allowed in others.items():
        value = chosen.get(name, allowed)
        if value != allowed and not (isinstance(allowed, tuple) and value in allowed):
            yield name, value


def _farther(chosen: dict[str, Any]) -> str:
    """What looks at more than one node, in words."""
    if chosen.get("polish"):
        return "polish=True lowers what the whole tree gets wrong"
    return f"lookahead={chosen.get('lookahead', 1)} takes the pair of tests that gets least wrong"


def _refuse_farther(chosen: dict[str, Any], monotonic: tuple[int, ...]) -> None:
    """Refuse what looking at more than one node cannot mean."""
    reason = _farther(chosen)
    _refuse_unless_binary(f"{reason}, with tests of two branches", chosen["numeric_test"],
                          chosen["nominal_test"])  # fmt: skip
    if chosen["missing"] not in ("learn", "error"):
        raise ParameterError(
            f"{reason}, missing values on the better side of each test: not what "
            f"missing={chosen['missing']!r} does. Use missing='learn' or 'error'."
        )
    if any(monotonic):
        raise ParameterError(f"{reason}; it does not know monotonic_cst. Leave one of them out.")
    for name, value in _unlike(chosen, _OF_ONE_NODE):
        raise ParameterError(
            f"{reason}, whatever a single node gains: {name}={value!r} would not hold of its "
            f"tests. Leave one of them out."
        )


def _refuse_with_prices(chosen: dict[str, Any]) -> None:
    """Refuse what prices of answers cannot mean."""
    if MISSING[chosen["missing"]].stand_ins:
        raise ParameterError(
            "missing='surrogate' asks other columns where a value is missing, and ask_costs would "
            "not say what is paid for them. Use missing='learn' or 'fractional'."
        )
    reason = {
        "algorithm='optimal' finds the tree with the least errors": chosen.get("search")
        == "optimal",
        _farther(chosen): bool(chosen.get("polish")) or chosen.get("lookahead", 1) > 1,
        "numeric_test='pairs' looks for columns that are not there yet": chosen["numeric_test"]
        == "pairs",
    }
    refused = next((words for words, holds in reason.items() if holds), None)
    if refused and chosen["asking"].weighs:
        raise ParameterError(
            f"{refused}: what answers cost (ask_costs) does not weigh there. Hint: ask_weight=0 "
            f"only tells what the tree asks for."
        )


def _refuse_with_pairs(chosen: dict[str, Any], monotonic: tuple[int, ...]) -> None:
    reason = "numeric_test='pairs' looks for columns that are worth deriving from two others"
    if any(monotonic):
        raise ParameterError(
            f"{reason}: such a column may rise with one and fall with another, so monotonic_cst "
            f"would not hold. Use numeric_test='threshold'."
        )
    if chosen["splitter"] == "random" or chosen["max_features"] not in (None, UNLIMITED):
        raise ParameterError(
            f"{reason}, among all of them: not with splitter='random' or max_features. "
            f"Use numeric_test='threshold'."
        )


def _refuse_unless_binary(
    reason: str,
    numeric: str,
    nominal: str,
    allowed: tuple[str, ...] = ("subset", "one_vs_rest"),
) -> None:
    if numeric not in ("threshold", "pairs"):
        raise ParameterError(
            f"{reason}: numeric_test={numeric!r} has more. Use numeric_test='threshold'."
        )
    if nominal not in allowed:
        raise ParameterError(
            f"{reason}: not what nominal_test={nominal!r} makes. "
            f"Use nominal_test={' or '.join(map(repr, allowed))}."
        )


def _samples(given: int | float, samples: int) -> int:
    """A number of samples, from a number or a fraction of all."""
    return math.ceil(given * samples) if isinstance(given, float) else int(given)


def _columns(given: int | float | str | None, columns: int) -> int:
    """How many columns a node looks at, by scikit-learn's rules."""
    if given is None:
        return UNLIMITED
    if given == "sqrt":
        wanted = math.isqrt(columns)
    elif given == "log2":
        wanted = columns.bit_length() - 1
    else:
        wanted = int(given * columns) if isinstance(given, float) else int(given)
    return min(max(1, wanted), columns)
