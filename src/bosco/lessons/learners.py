"""The estimator that settings speak of: one tree, a forest, or boosted trees."""

from typing import Any

from bosco.errors import ParameterError, did_you_mean
from bosco.lessons.told import Task, flags_of

MANY = {
    "forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "extra_trees": ("ExtraTreesClassifier", "ExtraTreesRegressor"),
    "adaboost": ("AdaBoostClassifier", None),
    "samme": ("AdaBoostClassifier", None),
}
"""Algorithms that grow many trees, and their estimators."""

BOOSTED = {"adaboost": "discrete", "samme": "samme"}
"""Those that boost, and what the estimator calls them."""


def check_algorithm(name: str) -> None:
    """Refuse an algorithm that there is not, and list those that there are."""
    from bosco.growth import PRESETS

    if name not in PRESETS and name not in MANY:
        raise ParameterError(
            f"--algorithm: there is no {name!r}.{did_you_mean(name, [*PRESETS, *MANY])} "
            f"One tree: {', '.join(PRESETS)}; many: {', '.join(MANY)}."
        )


def learner(task: Task, settings: dict[str, Any], seed: int = 0) -> Any:
    """Make the estimator of a task."""
    algorithm = settings.get("algorithm", "cart")
    trees = ("DecisionTreeClassifier", "DecisionTreeRegressor")
    name = MANY.get(algorithm, trees)[task is Task.regression]
    if name is None:
        raise ParameterError(
            f"--algorithm {algorithm} learns classes, and these are numbers. "
            "Hint: --algorithm forest, or --task classification."
        )
    made = _estimator(name)
    if algorithm not in MANY:
        return _set(made, {"random_state": seed} | settings, algorithm)
    given = {name: value for name, value in settings.items() if name != "algorithm"}
    every = {"random_state": seed, "n_jobs": -1}
    if algorithm not in BOOSTED:
        return _set(made, every | given, algorithm)
    own = {name: value for name, value in given.items() if name in made.get_params(deep=False)}
    of_tree = {n: value for n, value in given.items() if n not in own}
    if "max_depth" not in of_tree:
        of_tree = {"max_depth": 1, "criterion": "error"} | of_tree  # the estimator's own default
    weak = _set(_estimator("DecisionTreeClassifier"), of_tree, algorithm)
    return made.set_params(**every | own, algorithm=BOOSTED[algorithm], estimator=weak)


def _estimator(name: str) -> Any:
    """An estimator by its name, imported when asked for."""
    from bosco.estimators import boost, forest, tree

    homes = (tree, forest, boost)
    return next(getattr(home, name) for home in homes if hasattr(home, name))()


def one_level_deeper(settings: dict[str, Any], names: list[str]) -> dict[str, str]:
    """What the estimator calls parameters; those of boosted trees are one level deeper."""
    if settings.get("algorithm") not in BOOSTED:
        return {name: name for name in names}
    own = _estimator("AdaBoostClassifier").get_params(deep=False)
    return {name: name if name in own or "__" in name else f"estimator__{name}" for name in names}


def _set(made: Any, settings: dict[str, Any], algorithm: str) -> Any:
    known = made.get_params()
    for name in settings:
        if name in known:
            continue
        if name in ("n_estimators", "learning_rate") and algorithm not in BOOSTED:
            fitting = "adaboost" if name == "learning_rate" else "forest"
            raise ParameterError(
                f"{flags_of(name)[0]} is not for --algorithm {algorithm}. "
                f"Hint: --algorithm {fitting}."
            )
        if name == "costs":
            raise ParameterError(
                "--costs are of classes, and these are numbers. Hint: --task classification."
            )
        if name.startswith("ask_"):
            raise ParameterError(
                f"{flags_of(name)[0]} is told of one tree, and --algorithm {algorithm} grows many: "
                f"every one of them would ask. Hint: --algorithm cart."
            )
        raise ParameterError(
            f"--set: {type(made).__name__} (--algorithm {algorithm}) has no parameter {name!r}."
            + did_you_mean(name, known)
        )
    return made.set_params(**settings)


def refuse_many(settings: dict[str, Any], what: str) -> None:
    """Refuse algorithms of many trees where something is told of one."""
    if settings.get("algorithm") in MANY:
        raise ParameterError(
            f"{what} is told of one tree, and --algorithm {settings['algorithm']} grows many. "
            f"Hint: --algorithm cart."
        )
