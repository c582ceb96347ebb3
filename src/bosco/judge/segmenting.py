"""`segments`: a model on given rows, group by group."""

from typing import Any

import numpy as np

from bosco.data.readers import given_to_fit, read_table
from bosco.data.weights import read_weights
from bosco.figures.figure import truth_of
from bosco.figures.grouping import PARTS, groupings
from bosco.figures.segmented import Segments, segments_on
from bosco.tree.family import model_of


def segments(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    by: Any,
    positive: Any = None,
    cuts: Any = None,
    parts: int = PARTS,
) -> Segments:
    """Whom a model treats differently: its figures by segment, corrected for many looks.

    Parameters
    ----------
    model : Model, ForestModel, ScoreTable, or a fitted estimator that has one
        What is judged.
    X, y, sample_weight
        Rows, best ones that it was not grown on. X may have columns that the model does not use.
    by : str, sequence of str, or mapping
        The columns whose values make the segments, by name; or a mapping of names to values, one
        for each row.
    positive : label, optional
        The class that is looked for, as in `bosco.curves`.
    cuts : sequence of numbers, or mapping of columns to them, optional
        Where numbers are cut. If they are not said, at their quantiles.
    parts : int, default=4
        Into how many intervals of about as many rows; as few different numbers are taken one by
        one.

    Returns
    -------
    Segments
        Of each segment its rows and errors, how often it is said to be the class, recall,
        precision and calibration, each with an interval and a test against all other rows, adjusted
        by Holm for all that was compared; the usual figures of fairness; and where in a tree the
        groups part. ``print`` it.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> tree = bosco.DecisionTreeClassifier(max_depth=3).fit(X[:300], y[:300])
    >>> found = bosco.segments(tree, X[300:], y[300:], by="mean texture", parts=2)
    >>> found["mean texture"].segments, found["mean texture"].rows.tolist()
    (('≤ 18.61', '> 18.61'), [135, 134])
    """
    model = model_of(
        model, "segments wants a model of bosco's, or a fitted estimator that has one."
    )
    X, y, sample_weight = given_to_fit(X, y, sample_weight)
    table = read_table(X)
    frame = model.read(table)
    truth = truth_of(model, frame, y)
    groups = groupings(table, by, cuts, parts)
    weight, keep = read_weights(sample_weight, frame.n_rows)
    if keep is not None:  # a row of weight 0 is absent
        rows = np.flatnonzero(keep)
        frame, truth = model.read(frame.given.take(keep)), truth[keep]
        groups = tuple(one.take(rows) for one in groups)
    return segments_on(model, frame, truth, groups, weight, positive=positive)
