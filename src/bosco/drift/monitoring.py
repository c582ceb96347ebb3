"""The door: rows that came in, compared with those that a model learned from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import spoken, tr
from bosco.base.words import fill_in
from bosco.data.columns import Coded
from bosco.data.readers import read_table
from bosco.data.target import class_codes, real_numbers, target_column
from bosco.drift.drifting import ALPHA, Drift, compared
from bosco.drift.watching import UNDATED, Watch, sketch_of
from bosco.errors import DataError, ParameterError
from bosco.reporting.page import Section, page
from bosco.reporting.parts import lines, paragraph, show
from bosco.reporting.report import PAGE, Report
from bosco.reporting.word import Document
from bosco.tree.family import AnyModel, model_of


def monitor(model: Any, X: Any, y: Any = None, *, dates: Any = None, alpha: float = ALPHA) -> Drift:
    """Compare rows with those that a model learned from.

    Parameters
    ----------
    model : Model, ForestModel, ScoreTable or fitted estimator
        A model that remembers its training rows: `bosco fit` makes one, or ``model.sketched(X)``.
    X : table
        Rows that came in.
    y : sequence, optional
        What turned out to be true of them; where that is missing, or no class of the model, a row
        is in no error, and is counted.
    dates : sequence, optional
        Of each row, its date; the error is then told by month.
    alpha : float, default=0.01
        How seldom anything is found in rows from the same source.

    Returns
    -------
    Drift
        What is unlike the training rows; ``print`` it.

    Examples
    --------
    >>> import bosco
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> model = bosco.DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > 0).model_.sketched(X)
    >>> bosco.monitor(model, rng.normal(size=(300, 2))).quiet
    True
    >>> for one in bosco.monitor(model, rng.normal(size=(300, 2)) + [0, 1]).found:
    ...     print(one.said)
    x1: other values, PSI 0.97
    """
    found: AnyModel = model_of(model, "monitor takes a model or a fitted estimator.")
    if not isinstance(alpha, float) or not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1. Got {alpha!r}.")
    watch = Watch(found, sketch_of(found))
    frame = found.read(read_table(X))
    if dates is not None and y is None:
        raise ParameterError("dates are for the error by month, which needs y.")
    truth = None if y is None else truth_so_far(found, frame.n_rows, y)
    watch.add(frame, truth, None if dates is None else months_of(dates, frame.n_rows))
    return compared(watch, alpha)


def truth_so_far(model: AnyModel, n_rows: int, y: Any) -> NDArray[Any]:
    """What is true of rows: numbers, or places of classes; NaN or -1 where it is not known."""
    column = target_column(y)
    if len(column) != n_rows:
        raise DataError(f"X has {n_rows} rows and y {len(column)}; they must have equally many.")
    if isinstance(column, Coded):
        known = column.codes != 0
    else:
        known = ~np.isnat(column) if column.dtype.kind in "mM" else column == column
    if model.classes is None:
        numbers = np.full(n_rows, np.nan)
        numbers[known] = real_numbers(column, known) if known.any() else np.nan
        return numbers
    places = np.full(n_rows, -1)
    if known.any():
        labels, codes = class_codes(column, known)
        place = {label: k for k, label in enumerate(model.classes.tolist())}
        places[known] = np.array([place.get(label, -1) for label in labels.tolist()])[codes]
    return places


def months_of(dates: Any, n_rows: int) -> NDArray[np.str_]:
    """The month of each row, such as 2024-03; `UNDATED` where it has no date."""
    try:
        moments = np.asarray(dates, "datetime64[us]")
    except (ValueError, TypeError):
        raise DataError("dates are to be dates, such as 2024-03-31.") from None
    if moments.shape != (n_rows,):
        raise DataError(f"X has {n_rows} rows, but dates have the shape {moments.shape}.")
    return np.where(np.isnat(moments), UNDATED, moments.astype("datetime64[M]").astype(str))


def drift_page(model: AnyModel, drift: Drift, title: str | None = None) -> Report:
    """What was found, as one page that loads nothing from elsewhere.

    Parameters
    ----------
    model : Model, ForestModel or ScoreTable
        The model.
    drift : Drift
        What `bosco.monitor` found.
    @page

    Examples
    --------
    >>> import bosco
    >>> X = {"x": list(range(40))}
    >>> model = bosco.DecisionTreeClassifier(max_depth=1).fit(X, [0, 1] * 20).model_.sketched(X)
    >>> bosco.drift_page(model, bosco.monitor(model, X), title="January").save("january.html")
    """
    heading = title or tr("Do the rows look like those the model learned from?")
    looks, *errors = drift.tables()
    body = lines(map(paragraph, [drift.line, *(one.said for one in drift.found)]))
    sections = [
        Section("found", tr("What was found"), body),
        Section("compared", tr("What was compared"), show(looks)),
    ]
    if errors:
        notes = [paragraph(note, "note") for note in drift.notes]
        sections.append(
            Section("error", tr("How wrong the model was"), lines([show(*errors), *notes]))
        )
    lead = paragraph(model.headline)
    document = Document(heading, lead, sections, spoken())
    return Report(heading, page(heading, lead, sections, "", {}, ()), document)


fill_in(drift_page, PAGE)
