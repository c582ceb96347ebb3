"""`bosco.report`: all that is known of a model on one page that can be mailed."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from bosco.base.language import speaking, spoken, tr
from bosco.base.safe_files import whole_file
from bosco.data.columns import Coded
from bosco.data.frame import Frame
from bosco.data.readers import given_to_fit
from bosco.errors import ParameterError
from bosco.figures.curved import curves_on
from bosco.figures.figure import Judged, judge, truth_of
from bosco.figures.grouping import groupings
from bosco.figures.residuals import residuals_on
from bosco.figures.segmented import segments_on
from bosco.reporting import bars, figures, sections, summary
from bosco.reporting.alternatives import others_as_good
from bosco.reporting.importance import drops_given, drops_on, weightiest
from bosco.reporting.many import KINDS, one_case
from bosco.reporting.page import Section, page
from bosco.reporting.parts import Part, fill, lines, paragraph
from bosco.reporting.people import people
from bosco.reporting.scores import score, score_many
from bosco.reporting.summary import Summary, from_rows
from bosco.reporting.tree import tree_section
from bosco.reporting.word import Document
from bosco.rules.written import Written, written
from bosco.tree.family import AnyModel, model_of

if TYPE_CHECKING:
    from bosco.judge.evaluation import Evaluation
    from bosco.judge.selection import Selection
    from bosco.judge.stability import Stability
    from bosco.models.model import Model
    from bosco.rivals.alternatives import Alternatives
    from bosco.tables.understanding import Understanding

PAGE = {
    "page": "title : str, optional\n    The heading.\n\nReturns\n-------\nReport\n"
    "    ``save(path)`` writes the file."
}
"""What pages besides the report say of their heading, and of themselves; for `fill_in`."""

_ORDER = ["tree", "people", "table", "columns", "one-case", "data", "rules", "evaluation"]
_ORDER += ["bars", "residuals", "segments", "leaves", "certificate", "alternatives", "stability"]
_ORDER += ["selection", "trees", "pruning", "repeat"]


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
    document: Document | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<Report: {self.title}, {len(self.html)} characters>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to; an existing file is replaced. With ``.docx`` at its end it is a document of
            Word, with all that can be printed; that needs python-docx and matplotlib.
        """
        word = os.fspath(path).lower().endswith(".docx")
        written = self.to_docx() if word else self.html.encode()
        with whole_file(path) as file:
            file.write(written)

    def to_docx(self) -> bytes:
        """The report as a document of Word: the same words and figures, tables that are tables.

        Returns
        -------
        bytes
            The file; the same report gives the same bytes.
        """
        if self.document is None:
            raise ParameterError(
                f"{self.title!r} is a page to step through, and no document. "
                "Hint: save it as .html."
            )
        return self.document.to_docx()

    def _repr_html_(self) -> str:
        # A frame of its own: neither page can disturb the other.
        return fill("iframe", title=self.title, html=self.html)


def report(
    model_or_estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    judged: Judged | None = None,
    rules: Written | None = None,
    importances: Any = None,
    case: Any = None,
    untouched: bool = False,
    positive: Any = None,
    costs: Any = None,
    by: Any = None,
    cuts: Any = None,
    grown_on: Any = None,
    evaluation: "Evaluation | None" = None,
    stability: "Stability | None" = None,
    selection: "Selection | None" = None,
    alternatives: "Alternatives | None" = None,
    understanding: "Understanding | None" = None,
    command: str | None = None,
    title: str | None = None,
    lang: str | None = None,
) -> Report:
    """All that is known of a model on one page, in one file that loads nothing from elsewhere.

    Parameters
    ----------
    model_or_estimator : Model, ForestModel, ScoreTable, or a fitted estimator that has one
        What the report is about: a tree, a forest, or boosted trees.
    X, y : table and its target, optional
        Rows to judge the model by, best ones that it was not grown on: figures, confusion matrix,
        calibration and intervals of leaves come from them. Rows that equal training rows are told
        apart. None of the rows is written into the report.
    untouched : bool, default=False
        They were set apart before anything was learned or chosen, and are a test.
    positive, costs : optional
        The class whose curves are shown, and what a wrong answer costs, as in `bosco.curves`.
    by, cuts : optional
        With X: the columns whose values make segments, and where numbers are cut, as in
        `bosco.segments`.
    judged : Judged, optional
        What judging the model by these rows found, where that is known already.
    grown_on : (table, target), optional
        Of one tree: the rows that it was grown on, for histograms in its picture. Without them,
        histograms are of X, and say so.
    rules : Written, optional
        Of a tree: what `bosco.rules.written.written` found, where that is known already.
    importances : Bunch, optional
        Of a forest: what its `permutation_importances_oob` found. Without it, columns are shuffled
        on the rows of X.
    case : mapping, optional
        Of many trees: one case, told item by item; by default one in the middle of the rows of X.
    evaluation, stability, selection, alternatives : optional
        What `bosco.evaluate`, `bosco.stability`, `bosco.select` and `bosco.alternatives` found.
    understanding : Understanding, optional
        What was understood of the table, as `bosco.tables.read_file` says it.
    command : str, optional
        The command that makes the model again.
    title : str, optional
        The heading.
    lang : {"en", "it"}, optional
        The language of the page; by default that of `bosco.speaking`, English if nobody said so.

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
    wanted = "A report is about a model of bosco's, or a fitted estimator that has one."
    model = model_of(model_or_estimator, wanted)
    if (X is None) != (y is None):
        given, absent = ("X", "y") if y is None else ("y", "X")
        raise ParameterError(
            f"A report needs both X and y, or neither. Got {given} without {absent}."
        )
    X, y, _ = given_to_fit(X, y, None)
    y = y.labels() if isinstance(y, Coded) else y
    if X is None and by is not None:
        raise ParameterError("Segments are of rows: by needs X and y.")
    with speaking(lang):
        rows = None if X is None else _Rows.read(model, X, y, judged, untouched)
        if model.kind == "tree":
            if importances is not None or case is not None:
                raise ParameterError(
                    "importances and case are for many trees; a tree shows itself."
                )
            told = _of_tree(model, rows, (X, y) if grown_on is None else grown_on, rules)
        else:
            told = _of_many(model, rows, importances, case)
        parts = told.sections
        parts.append(
            Section("data", tr("The data as understood"), sections.data(model, understanding, X))
        )
        judgement = [*told.figures, *([] if evaluation is None else [figures.judged(evaluation)])]
        if judgement:
            parts.append(Section("evaluation", tr("How good it is"), lines(judgement)))
        scripts, facts = told.scripts, told.facts
        if rows is not None:
            more, known = _in_detail(model, rows, positive, costs)
            parts += more
            if known:
                scripts, facts = (*scripts, "curves.js"), {**facts, **known}
            if by is not None:
                parts.append(_segments(model, rows, by, cuts, positive))
        if stability is not None:
            parts.append(
                Section("stability", tr("How steady it is"), figures.steadiness(stability))
            )
        if alternatives is not None:
            heading = tr("The trees as good as this one")
            parts.append(Section("alternatives", heading, others_as_good(alternatives)))
        if selection is not None:
            parts.append(Section("selection", tr("What was tried"), figures.choosing(selection)))
        parts.append(Section("repeat", tr("How to repeat it"), sections.repeat(model, command)))
        parts.sort(key=lambda part: _ORDER.index(part.key))
        heading = tr("A decision tree") if model.kind == "tree" else tr("Many trees")
        if understanding is not None:
            target = [column.name for column in understanding.columns if column.role == "target"]
            heading = understanding.source
            if target:
                heading = tr("{target}, from {source}", target=target[0], source=heading)
        heading = title or heading
        short = told.short(evaluation, stability, understanding)
        if alternatives is not None:
            short = replace(short, beware=[*short.beware, alternatives.headline])
        lead = lines([paragraph(model.headline), short.part()])
        document = Document(heading, lead, parts, spoken())
        return Report(heading, page(heading, lead, parts, told.script, facts, scripts), document)


class _Told(NamedTuple):
    """What is said of one kind of model."""

    short: Callable[..., Summary]
    sections: list[Section]
    figures: list[Part]
    script: str
    facts: Any
    scripts: tuple[str, ...]


class _Rows(NamedTuple):
    """The rows given to a report, and what judging the model by them found."""

    X: Any
    y: Any
    frame: Frame
    truth: NDArray[Any]
    judged: Judged

    @classmethod
    def read(
        cls, model: AnyModel, X: Any, y: Any, judged: Judged | None, untouched: bool
    ) -> "_Rows":
        frame = model.read(X)
        truth = truth_of(model, frame, y)
        found = judge(model, frame, truth, untouched=untouched) if judged is None else judged
        if len(found.said) != frame.n_rows:
            raise ParameterError(
                f"judged is of {len(found.said)} rows, and X has {frame.n_rows}. Hint: leave rows "
                "of weight 0 out of X and y."
            )
        return cls(X, y, frame, truth, found)


def _in_detail(
    model: AnyModel, rows: _Rows, positive: Any, costs: Any
) -> tuple[list[Section], dict[str, Any]]:
    """Curves of classes with what their script must know, or residuals of numbers."""
    judged, on = rows.judged, (model, rows.frame, rows.truth, rows.judged.weight)
    if model.classes is None:
        left = residuals_on(*on, untouched=judged.untouched)
        return [Section("residuals", tr("What is left over"), bars.remaining(left))], {}
    if len(model.classes) < 2:
        return [], {}
    about = {"positive": positive, "costs": costs, "untouched": judged.untouched}
    shown, known = bars.bars(curves_on(*on, **about, seen=judged.seen))
    return [Section("bars", tr("Where to set the bar"), shown)], known


def _segments(model: AnyModel, rows: _Rows, by: Any, cuts: Any, positive: Any) -> Section:
    """Whom it treats differently."""
    judged, groups = rows.judged, groupings(rows.X, by, cuts)
    on = (model, rows.frame, rows.truth, groups, judged.weight)
    found = segments_on(*on, positive=positive, untouched=judged.untouched)
    return Section("segments", tr("Whom it treats differently"), bars.parted(found))


def _of_tree(model: "Model", rows: _Rows | None, drawn: Any, rules: Written | None) -> _Told:
    leaves, scores, told = model.leaves(), None, []
    rules = written(model, most=sections.MAX_RULES) if rules is None else rules
    short = partial(summary.of_tree, model, leaves=leaves, rules=rules)
    if rows is not None:
        leaves = model.recount(rows.X, rows.y, rows.judged.weight)
        leaves = leaves.parts[0] if leaves.parts and not rows.judged.untouched else leaves
        scores = score(model, rows.truth, leaves, rows.judged)
        told = [figures.on_rows(scores, _classes(model))]
    shown, script, facts = tree_section(model, *drawn)
    parts = [
        Section("tree", tr("The tree"), shown),
        Section("rules", tr("The rules"), sections.rules(rules)),
        Section("leaves", tr("How sure each leaf is"), sections.leaves(leaves)),
        *_certified(model),
        Section("pruning", tr("What was pruned"), sections.pruning(model)),
    ]
    if model.edits:
        parts.append(Section("people", tr("What people decided"), people(model)))
    return _Told(partial(short, scores), parts, told, script, facts, ("tree.js", "case.js"))


def _certified(model: "Model") -> list[Section]:
    """How far from the best tree it can be, if that is known."""
    known = model.certificate
    if known is None:
        return []
    return [Section("certificate", tr("How far from the best tree"), sections.certificate(known))]


def _of_many(model: AnyModel, rows: _Rows | None, importances: Any, case: Any) -> _Told:
    kind, classes = KINDS[model.kind], _classes(model)
    scores = drops = None
    told = []
    if rows is not None:
        scores = score_many(model, rows.frame, rows.truth, rows.judged)
        told = [figures.on_rows(scores, classes, figures.BY_SURENESS)]
    if importances is not None:
        drops = drops_given(importances, classes is None)
    elif rows is not None:
        drops = drops_on(model, rows.frame, rows.truth)
    told_case, script, facts = one_case(model, None if rows is None else rows.frame, case)
    is_, strong = kind.is_(model, from_rows(model)), weightiest(model, drops, kind.weighs)
    short = partial(summary.of_many, model, is_, strong, scores)
    return _Told(
        short, [*kind.sections(model, drops), told_case], told, script, facts, ("case.js",)
    )


def _classes(model: AnyModel) -> list[Any] | None:
    return None if model.classes is None else model.classes.tolist()
