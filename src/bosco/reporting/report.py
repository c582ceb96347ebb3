"""`bosco.report`: all that is known of a model on one page that can be mailed."""

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from bosco.errors import ParameterError
from bosco.render.text import headline
from bosco.reporting import figures, sections
from bosco.reporting.page import Section, page
from bosco.reporting.scores import score
from bosco.reporting.tree import tree_section
from bosco.whole import whole_file

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability
    from bosco.model import Model
    from bosco.tables.understanding import Understanding

__all__ = ["Report", "report"]


@dataclass(frozen=True, slots=True)
class Report:
    """A report: ``str`` is its HTML, `save` writes it, a notebook shows it.

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.play_tennis()
    >>> found = bosco.report(bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y))
    >>> str(found)[:15]
    '<!DOCTYPE html>'
    >>> found.save("tennis.html")
    """

    title: str
    html: str

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to; an existing file is replaced.
        """
        with whole_file(path) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        # A frame of its own: neither page can disturb the other.
        return (
            f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.html)}" '
            'sandbox="allow-scripts allow-modals" style="width:100%;height:80vh;border:0"></iframe>'
        )


def report(
    model_or_estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    evaluation: "Evaluation | None" = None,
    stability: "Stability | None" = None,
    selection: "Selection | None" = None,
    understanding: "Understanding | None" = None,
    command: str | None = None,
    title: str | None = None,
) -> Report:
    """All that is known of a model on one page, in one file that loads nothing from elsewhere.

    Parameters
    ----------
    model_or_estimator : Model or fitted tree
        What the report is about.
    X, y : table and its target, optional
        Rows to judge the model by, best ones that it was not grown on: figures, confusion matrix,
        calibration and intervals of leaves come from them, and histograms of X are drawn. None of
        the rows is written into the report.
    evaluation, stability, selection : optional
        What `bosco.evaluate`, `bosco.stability` and `bosco.select` found.
    understanding : Understanding, optional
        What was understood of the table, as `bosco.tables.read_file` says it.
    command : str, optional
        The command that makes the model again.
    title : str, optional
        The heading.

    Returns
    -------
    Report
        ``save`` it, or look at it in a notebook. The same arguments give the same text.

    Examples
    --------
    >>> import bosco
    >>> X, y = bosco.datasets.play_tennis()
    >>> clf = bosco.DecisionTreeClassifier(algorithm="id3").fit(X, y)
    >>> bosco.report(clf, X, y, title="Tennis")
    <Report: Tennis, ... characters>
    """
    model: Model = getattr(model_or_estimator, "model_", model_or_estimator)
    if not hasattr(model, "pruning_log"):
        raise ParameterError(
            "A report is about a Model or a fitted tree of bosco's. Got "
            f"{type(model_or_estimator).__name__}. Hint: fit it first; it must be a single tree."
        )
    if (X is None) != (y is None):
        given, absent = ("X", "y") if y is None else ("y", "X")
        raise ParameterError(
            f"A report needs both X and y, or neither. Got {given} without {absent}."
        )
    leaves = model.leaves() if X is None else model.recount(X, y)
    classes = None if model.classes is None else model.classes.tolist()
    shown, script, facts = tree_section(model, X, y)
    parts = [
        Section("tree", "The tree", shown),
        Section("data", "The data as understood", sections.data(model, understanding, X)),
        Section("rules", "The rules", sections.rules(model)),
    ]
    lead = [headline(model)]
    judgement = []
    if X is not None:
        scores = score(model, X, y, leaves)
        lead.append(figures.lead(scores))
        judgement.append(figures.on_rows(scores, classes))
    if evaluation is not None:
        judgement.append(figures.judged(evaluation))
    if judgement:
        parts.append(Section("evaluation", "How good it is", "\n".join(judgement)))
    parts.append(Section("leaves", "How sure each leaf is", sections.leaves(leaves)))
    if stability is not None:
        parts.append(Section("stability", "How steady it is", figures.steadiness(stability)))
    if selection is not None:
        parts.append(Section("selection", "What was tried", figures.choosing(selection)))
    parts.append(Section("pruning", "What was pruned", sections.pruning(model)))
    parts.append(Section("repeat", "How to repeat it", sections.repeat(model, command)))
    heading = title or _title(understanding)
    return Report(heading, page(heading, lead, parts, script, facts))


def _title(understanding: "Understanding | None") -> str:
    """What is learned from what, if that is known."""
    if understanding is None:
        return "A decision tree"
    target = [column.name for column in understanding.columns if column.role == "target"]
    return f"{target[0]}, from {understanding.source}" if target else understanding.source
