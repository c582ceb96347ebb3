"""How wrong a model is: on rows set apart or given, or by folds; beside the constant answer."""

from typing import Any

from numpy.typing import NDArray

from bosco.figures.figure import Figure, Judged, judge, truth_of


def judged(
    model: Any,
    X: Any,
    y: NDArray[Any],
    weight: Any = None,
    *,
    untouched: bool = False,
    how: str = "",
) -> Judged:
    """Judge a model by rows; see `bosco.figures.figure.judge`.

    Examples
    --------
    >>> import numpy as np
    >>> from bosco import DecisionTreeClassifier
    >>> model = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "b", "b"]).model_
    >>> found = judged(model, [[0.0], [5.0], [6.0]], np.array(["a", "b", "b"]), untouched=True)
    >>> print(str(found).partition(";")[0])
    test error: 0 %, 95 % interval 0 % to 56.1 % (3 rows)
    """
    frame = model.read(X)
    return judge(model, frame, truth_of(model, frame, y), weight, untouched=untouched, how=how)


def by_folds(evaluation: Any, model: Any) -> Figure:
    """The error of an evaluation by accuracy, or by the negative mean absolute error."""
    top = 0.0 if model.classes is None else 1.0
    low, high = (max(top - end, 0.0) for end in reversed(evaluation.interval))
    first = evaluation.summaries[0]
    return Figure(
        metric="mean absolute error" if model.classes is None else "error",
        value=top - first.mean,
        low=low,
        high=high if model.classes is None else min(high, 1.0),
        rows=evaluation.n_rows,
        baseline=top - first.constant,
        says=evaluation.constant,
        gain=first.mean - first.constant,
        gain_low=first.gain[0],
        gain_high=first.gain[1],
        weighted=evaluation.weighted,
        how=f", by {evaluation.plan}",
    )
