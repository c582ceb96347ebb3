"""`stability`: how much of a tree stays as it is when the rows are drawn again."""

import time
import warnings
from collections import Counter
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from bosco.base.hints import how
from bosco.base.language import tr
from bosco.base.numerals import lay_out
from bosco.base.visible import visible
from bosco.data.readers import read_table
from bosco.errors import IdentifierWarning, ParameterError
from bosco.estimators.base import TreeEstimator
from bosco.figures.intervals import Floats
from bosco.judge.data import Data, read_data, task_of
from bosco.judge.questions import Answer, Question, questions, walk
from bosco.judge.report import MAX_ROWS, bounds, name_of, number, of_more, seconds
from bosco.judge.runs import do_all, fit, innermost
from bosco.judge.splits import check_whole, key, read_seed
from bosco.render.card import show_share
from bosco.render.html import Shown, Table

MAX_SHOWN = 20
"""Nodes that are printed, the first ones; all are in `Stability.nodes`."""


@dataclass(frozen=True, slots=True)
class NodeStability:
    """How often one node of the reference tree comes back. Shares are of all samples.

    Attributes
    ----------
    node, question : int, str
        The node, as the text of the model numbers it, and what it asks.
    reached : float
        The nodes above it all ask the same questions as in the reference tree.
    same_column : float
        They do, and it asks about the same column.
    same_question : float
        They do, and it asks the same question: the same column, with a threshold no further off
        than half the interquartile range of the column among the node's rows (or with no such row
        in between); or the same levels in the same branches.
    thresholds : tuple of float
        Quartiles of the thresholds where the column is the same; NaN if the test is not one cut.
    """

    node: int
    question: str
    reached: float
    same_column: float
    same_question: float
    thresholds: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Stability(Shown):
    """What `stability` found; ``print`` it for a report.

    ``pandas.DataFrame(stability.to_dict())`` has a row per inner node of the reference tree.

    Attributes
    ----------
    name : str
        The estimator, in words.
    n_rows, planned : int
        Rows; samples asked for. `interrupted` says whether Ctrl-C left some out.
    model : Model
        The reference tree, grown on all rows.
    nodes : tuple of NodeStability
        Its inner nodes, by number.
    roots : dict of str to float
        Share of the samples whose tree asks about each column first; "(no test)" for a single leaf.
    leaves : ndarray
        Number of leaves of each sample's tree.
    agreement : ndarray
        For each sample, the share of all rows that its tree predicts as the reference tree does;
        for a real target, R² of its predictions, with those of the reference tree as the truth.
    row_agreement : ndarray
        For each row, the share of the samples' trees that predict it as the reference tree does;
        for a real target, the standard deviation of their predictions.
    seconds : float
        Time from start to end.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import play_tennis
    >>> tree = bosco.DecisionTreeClassifier(algorithm="id3")
    >>> found = bosco.stability(tree, *play_tennis(), repeats=50)
    >>> [node.question for node in found.nodes]
    ['Outlook, one branch per value', 'Wind = Strong', 'Humidity = High']
    >>> found.root_same == found.roots["Outlook"]
    True
    """

    name: str
    n_rows: int
    planned: int
    interrupted: bool
    model: Any
    nodes: tuple[NodeStability, ...]
    roots: dict[str, float]
    leaves: NDArray[np.int64]
    agreement: Floats
    row_agreement: Floats
    seconds: float

    @property
    def repeats(self) -> int:
        """Number of samples done."""
        return len(self.leaves)

    @property
    def root_same(self) -> float:
        """How often the reference tree's root column wins."""
        return self.nodes[0].same_column if self.nodes else self.roots.get("(no test)", 0.0)

    def to_dict(self) -> dict[str, list[Any]]:
        """The nodes as columns."""
        names = ("node", "question", "reached", "same_column", "same_question")
        table = {name: [getattr(node, name) for node in self.nodes] for name in names}
        table["threshold_q1"] = [node.thresholds[0] for node in self.nodes]
        table["threshold_q3"] = [node.thresholds[1] for node in self.nodes]
        return table

    def to_text(self, *, time: bool = True) -> str:
        """The report; ``print`` shows it. `time` False leaves out how long it took."""
        lines = [self.name, _samples(self.repeats, self.n_rows, " · ")]
        if self.interrupted:
            done = {"n": self.repeats, "all": self.planned}
            lines.append(tr("INTERRUPTED: {n} of {all} samples were done.", **done))
        table = self._rows(MAX_SHOWN)
        lines += ["", *lay_out(table, "<<>")]
        if len(self.nodes) > MAX_SHOWN:
            more = len(self.nodes) - MAX_SHOWN
            lines.append(tr("… and {n} more nodes: {how} has all.", n=more, how=how("to_dict()")))
        roots = ", ".join(
            f"{visible(name)} {show_share(share)}" for name, share in self.roots.items()
        )
        low, high = self.leaves.min(), self.leaves.max()
        what = tr("same predictions")
        if self.model.classes is None:
            what = tr("R² against its predictions")
        mean, least = self.agreement.mean(), self.agreement.min()
        said = number if self.model.classes is None else show_share
        lines += [
            "",
            *wrap(f"{tr('first question')}: {roots}", 100, subsequent_indent="  "),
            tr(
                "leaves: {n} in the reference tree, {mean:.1f} ({low} to {high}) in the others",
                n=self.model.n_leaves,
                mean=self.leaves.mean(),
                low=low,
                high=high,
            ),
            tr(
                "{what}: {mean} on average, {least} at worst",
                what=what,
                mean=said(float(mean)),
                least=said(float(least)),
            ),
        ]
        return "\n".join([*lines, *["", seconds(self.seconds)] * time])

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        (heads, *rows), n = self._rows(MAX_ROWS), of_more(len(self.nodes), tr("nodes"))
        first = [[name, show_share(share)] for name, share in list(self.roots.items())[:MAX_ROWS]]
        return (
            Table(heads, rows, _samples(self.repeats, self.n_rows) + n),
            Table([tr("column"), tr("share of the samples")], first, tr("The first question")),
        )

    def _rows(self, most: int) -> list[list[str]]:
        """Heads, and how often each of the first nodes comes back."""
        heads = [tr("node"), tr("question"), tr("reached"), tr("same column")]
        rows = [[*heads, tr("same question"), tr("thresholds")]]
        for n in self.nodes[:most]:
            shares = map(show_share, (n.reached, n.same_column, n.same_question))
            q1, q3 = n.thresholds
            middle = "" if np.isnan(q1) else bounds((q1, q3))
            rows.append([f"[{n.node}]", n.question, *shares, middle])
        return rows


def _samples(n: int, rows: int, apart: str = "") -> str:
    """How many samples there are, of how many rows."""
    if apart:
        return tr("{n} rows", n=rows) + apart + tr("{n} bootstrap samples", n=n)
    return tr("{n} bootstrap samples of {rows} rows", n=n, rows=rows)


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    repeats: int = 100,
    sample_weight: Any = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Stability:
    """Grow a tree again on bootstrap samples and see what stays.

    Parameters
    ----------
    estimator : a tree of bosco's, or a pipeline that ends in one
        It is cloned.
    X, y : table, array-like of shape (n_rows,)
        The rows. The reference tree is grown on all of them; each sample has as many, drawn with
        replacement, and so about 63 % of the different ones.
    repeats : int, default=100
        Number of samples.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights that the rows drawn carry.
    n_jobs : int, default=None
        Samples at the same time; None is 1, -1 all cores. The figures do not depend on it.
    random_state : int, RandomState instance or None, default=0
        Seed of the samples.

    Returns
    -------
    Stability
        How often each node asks the same question, which column comes first, sizes, and agreement
        of predictions; ``print`` it. Ctrl-C gives what is done so far.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = bosco.stability(bosco.DecisionTreeClassifier(max_depth=2), X, y, repeats=20)
    >>> sorted(found.roots)
    ['petal length (cm)', 'petal width (cm)']
    >>> sum(found.roots.values())
    1.0
    """
    start = time.perf_counter()
    check_whole("repeats", repeats, 1)
    data = read_data(X, y, task_of(estimator), sample_weight=sample_weight)
    seed = read_seed(random_state)
    # Read once: a tree takes rows of what was read as it takes raw ones.
    rows = read_table(X) if isinstance(estimator, TreeEstimator) else X
    data = Data(rows, data.y, data.classes, data.codes, None, data.weights)
    reference = fit(estimator, data.X, data.y, data.weights, key(seed, 0))
    tree, seen = innermost(reference, data.X)
    if not isinstance(tree, TreeEstimator):
        raise ParameterError(
            f"stability looks into trees of bosco's, alone or at the end of a pipeline. "
            f"Got {type(tree).__name__}. Hint: bosco.DecisionTreeClassifier takes "
            f"scikit-learn's parameters."
        )
    model = tree.model_
    asked = questions(model, model.read(seen), tree.decision_path(seen).tocsc())
    predicted = np.asarray(reference.predict(data.X))
    tasks = (
        (estimator, data, asked, predicted, key(seed, repeat)) for repeat in range(1, repeats + 1)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # said once, by the reference tree
        done, interrupted = do_all(_again, tasks, repeats, n_jobs=n_jobs, what="resampling")
    roots = Counter(again.root for again in done)
    others = np.array([again.compared for again in done])
    if model.classes is None:
        agreement = np.array([r2_score(predicted, other) for other in others])
        by_row = others.std(axis=0)
    else:
        agreement, by_row = others.mean(axis=1), others.mean(axis=0)
    return Stability(
        name=name_of(estimator),
        n_rows=data.n_rows,
        planned=repeats,
        interrupted=interrupted,
        model=model,
        nodes=tuple(_node(question, [a.answers for a in done]) for question in asked.values()),
        roots={name: count / len(done) for name, count in roots.most_common()},
        leaves=np.array([again.leaves for again in done]),
        agreement=agreement,
        row_agreement=by_row,
        seconds=time.perf_counter() - start,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Again:
    """What one sample's tree is like."""

    answers: dict[int, Answer]
    root: str
    leaves: int
    compared: NDArray[Any]  # its predictions; of classes, whether they are the reference tree's


def _again(
    estimator: Any, data: Data, asked: dict[int, Question], predicted: NDArray[Any], seed: int
) -> _Again:
    rows = np.random.default_rng(seed).integers(data.n_rows, size=data.n_rows)
    fitted = fit(estimator, *data.take(rows), seed)
    model = innermost(fitted)[0].model_
    test = model.tree.test(0)
    own = np.asarray(fitted.predict(data.X))
    return _Again(
        answers=walk(asked, model),
        root="(no test)" if test is None else model.schema.columns[test.column].name,
        leaves=model.n_leaves,
        compared=own if model.classes is None else own == predicted,
    )


def _node(question: Question, answers: list[dict[int, Answer]]) -> NodeStability:
    met = [a[question.node] for a in answers if question.node in a]
    thresholds = [a.threshold for a in met if a.same_column and np.isfinite(a.threshold)]
    q1, q3 = np.quantile(thresholds, [0.25, 0.75]) if thresholds else (np.nan, np.nan)
    return NodeStability(
        node=question.node,
        question=question.words,
        reached=len(met) / len(answers),
        same_column=sum(a.same_column for a in met) / len(answers),
        same_question=sum(a.same for a in met) / len(answers),
        thresholds=(float(q1), float(q3)),
    )
