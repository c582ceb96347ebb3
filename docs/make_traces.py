"""Make the pages that the method is stepped through on: ``python docs/make_traces.py FOLDER``.

The site makes them when it is built, so that they are always what bosco says today; each is there
in English and, with ``.it`` before its suffix, in Italian.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import bosco
from bosco import AdaBoostClassifier, DecisionTreeClassifier, Report, trace_page
from bosco.datasets import golf, loans, play_tennis
from bosco.pruning import GeneralizationError


def tennis() -> Report:
    """ID3 on the fourteen days."""
    X, y = play_tennis()
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    return trace_page(model.trace(X, y), title="ID3: play-tennis")


def hunt() -> Report:
    """Hunt's scheme on golf: every threshold of every column."""
    X, y = golf()
    model = DecisionTreeClassifier(algorithm="hunt").fit(X, y).model_
    return trace_page(model.trace(X, y), title="Hunt: golf")


def stump() -> Report:
    """One question for forty loans."""
    X, y = loans()
    model = DecisionTreeClassifier(algorithm="stump").fit(X, y).model_
    return trace_page(model.trace(X, y), title="Stump: loans")


def boosting() -> Report:
    """Three rounds of AdaBoost on the loans."""
    X, y = loans()
    boosted = AdaBoostClassifier(n_estimators=3).fit(X, y)
    return trace_page(boosted.trace(X, y), title="AdaBoost: loans")


def pruning() -> Report:
    """The fourteen days with a price of two for every leaf."""
    X, y = play_tennis()
    model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
    pruned = model.trace_pruning(GeneralizationError(alpha=2))
    return trace_page(model.trace(X, y), pruned, title="α = 2: play-tennis")


TRACES: dict[str, Callable[[], Report]] = {
    "tennis": tennis,
    "hunt": hunt,
    "stump": stump,
    "boosting": boosting,
    "pruning": pruning,
}


def write(folder: Path) -> None:
    """Write every page, in every language."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TRACES.items():
        make().save(folder / f"{name}.html")
        with bosco.speaking("it"):
            make().save(folder / f"{name}.it.html")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
