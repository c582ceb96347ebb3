"""What an evaluation found, as a value."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bosco.errors import ParameterError
from bosco.figures.constant import verdict_of
from bosco.figures.intervals import Floats
from bosco.judge import report
from bosco.judge.parted import Window
from bosco.judge.runs import Run
from bosco.render.html import Shown


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over all splits.

    Attributes
    ----------
    metric : str
        Its name.
    mean, sd : float
        Mean and standard deviation (with n − 1) of the scores; NaN where there are too few.
    two_sigma : tuple of float
        mean ± 2 sd: about where the score of one more split would lie.
    interval : tuple of float
        Confidence interval of the mean; see `Evaluation.says`.
    defined : int
        How many splits have a score. A test part without a class may leave some undefined.
    constant : float
        Mean score of the constant answer on the same splits; NaN where the metric asks for more.
    gain : tuple of float
        Confidence interval of how much better the score is than that, split by split (of one split,
        row by row); NaN where there is none.
    """

    metric: str
    mean: float
    sd: float
    two_sigma: tuple[float, float]
    interval: tuple[float, float]
    defined: int
    constant: float
    gain: tuple[float, float]

    @property
    def verdict(self) -> str:
        """Say "better", "no better" or "worse" than the constant answer, or "unknown"."""
        return verdict_of(*self.gain)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Shown):
    """What `evaluate` found; ``print`` it for a report.

    ``pandas.DataFrame(evaluation.to_dict())`` has a row per split, ``….summary()`` one per metric,
    ``….per_class()`` one per class, ``….calibration()`` one per bin.

    Attributes
    ----------
    name : str
        The estimator, in words.
    plan : str
        The splits, in words.
    method : str
        As asked.
    classes : tuple or None
        The classes, sorted; None for a real target.
    n_rows : int
        Rows in all.
    planned : int
        Number of splits asked for; `interrupted` says whether Ctrl-C left some out.
    ratio : float
        Rows tested on divided by (distinct) rows trained on, for the corrected interval.
    summaries : tuple of Summary
        One per metric.
    apparent : dict
        For the bootstrap, the scores on the rows fitted to; else empty.
    runs : tuple
        What each split gave.
    seconds : float
        Time from start to end.
    constant : str
        What the constant answer is: the class of most rows, or their mean; by weight, if rows have
        weights. (In each split it is that of the rows trained on.)
    weighted : bool
        Whether rows have weights: all scores and the calibration go by these. The confusion matrix
        and the figures of each class count rows.
    parted : str
        How the rows were parted by time or by groups, and what that means; else empty.
    windows : tuple of Window
        By time, what each model learned from and what it was tested on: from when to when.
    shared : tuple of str
        Of each column that looks like an identifier, how many of its values are on both sides.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> e = bosco.evaluate(bosco.DecisionTreeClassifier(), X, y, method="k_fold", folds=5)
    >>> e.repeats, e.classes, e.confusion.sum()
    (5, (0, 1, 2), np.float64(150.0))
    >>> list(e.per_class())
    ['class', 'precision', 'recall', 'f1', 'rows']
    """

    name: str
    plan: str
    method: str
    classes: tuple[Any, ...] | None
    n_rows: int
    planned: int
    interrupted: bool
    confidence: float
    ratio: float
    summaries: tuple[Summary, ...]
    apparent: dict[str, float]
    runs: tuple[Run, ...]
    seconds: float
    constant: str
    weighted: bool = False
    parted: str = ""
    windows: tuple[Window, ...] = ()
    shared: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> Summary:
        """The summary of one metric, by name."""
        for summary in self.summaries:
            if summary.metric == metric:
                return summary
        raise KeyError(metric)

    @property
    def repeats(self) -> int:
        """Number of splits done."""
        return len(self.runs)

    @property
    def mean(self) -> float:
        """Mean of the first metric."""
        return self.summaries[0].mean

    @property
    def sd(self) -> float:
        """Standard deviation of the first metric."""
        return self.summaries[0].sd

    @property
    def two_sigma(self) -> tuple[float, float]:
        """mean ± 2 sd of the first metric."""
        return self.summaries[0].two_sigma

    @property
    def interval(self) -> tuple[float, float]:
        """Confidence interval of the mean of the first metric."""
        return self.summaries[0].interval

    @property
    def scores(self) -> dict[str, Floats]:
        """The scores of every split, by metric."""
        return {s.metric: combined(s.metric, self.runs, self.apparent) for s in self.summaries}

    @property
    def confusion(self) -> Floats | None:
        """Rows by true and predicted class, summed over all test parts; None for a real target."""
        return _summed([run.confusion for run in self.runs])

    @property
    def weighted_confusion(self) -> Floats | None:
        """The same of the weights of the rows; None if they have none."""
        return _summed([run.weighted_confusion for run in self.runs])

    @property
    def leaves(self) -> Floats | None:
        """Number of leaves of every split's tree; None if the estimator is no single tree."""
        leaves = np.array([run.leaves for run in self.runs])
        return None if np.isnan(leaves).any() else leaves

    @property
    def depth(self) -> Floats | None:
        """Depth of every split's tree; None if the estimator is no single tree."""
        return None if self.leaves is None else np.array([run.depth for run in self.runs])

    @property
    def no_better(self) -> tuple[str, ...]:
        """A sentence for each metric by which it is no better than the constant answer."""
        said = (report.no_better(s, self) for s in self.summaries)
        return tuple(words for words in said if words)

    def summary(self) -> dict[str, list[Any]]:
        """The metrics as columns: mean, sd, 2σ and confidence interval, the constant answer."""
        names = ["metric", "mean", "sd", "two_sigma_low", "two_sigma_high", "low", "high"]
        names += ["constant", "gain_low", "gain_high", "verdict"]
        rows = [
            (s.metric, s.mean, s.sd, *s.two_sigma, *s.interval, s.constant, *s.gain, s.verdict)
            for s in self.summaries
        ]
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def per_class(self) -> dict[str, list[Any]]:
        """Precision, recall, F1 and rows of every class, from the summed confusion matrix.

        They count rows, whatever these weigh; `weighted_confusion` has the weights.
        """
        table, classes = self.confusion, self.classes
        if table is None or classes is None:
            raise ParameterError("per_class() is for classifiers; this target is a real number.")
        right, true, said = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
        return {
            "class": list(classes),
            "precision": _quotient(right, said),
            "recall": _quotient(right, true),
            "f1": _quotient(2 * right, true + said),
            "rows": true.tolist(),
        }

    def calibration(self) -> dict[str, list[float]] | None:
        """Whether predictions mean what they say, in bins; None without `predict_proba`.

        Classes: the share given to the predicted class (`predicted`) against how often it was right
        (`observed`), in tenths. Numbers: the mean prediction against the mean truth, in bins that
        meet at the deciles of y. Bins without rows are left out. Where rows have weights, all goes
        by these, and "rows" is called "weight".
        """
        parts = [run.calibration for run in self.runs if run.calibration is not None]
        if not parts:
            return None
        weight, predicted, observed = np.sum(parts, axis=0).T
        some = weight > 0
        return {
            "predicted": (predicted[some] / weight[some]).tolist(),
            "observed": (observed[some] / weight[some]).tolist(),
            "weight" if self.weighted else "rows": weight[some].tolist(),
        }

    def to_dict(self) -> dict[str, list[Any]]:
        """The splits as columns: scores, sizes of trees and parts, seconds."""
        columns: dict[str, list[Any]] = {"split": list(range(self.repeats))}
        columns |= {name: scores.tolist() for name, scores in self.scores.items()}
        if self.leaves is not None:
            columns["leaves"] = [int(run.leaves) for run in self.runs]
            columns["depth"] = [int(run.depth) for run in self.runs]
        for part in ("train_rows", "test_rows", "fit_seconds", "score_seconds"):
            columns[part] = [getattr(run, part) for run in self.runs]
        if self.windows:
            for end in ("learned_from", "learned_to", "tested_from", "tested_to"):
                columns[end] = [getattr(window, end) for window in self.windows]
        return columns

    # Functions of `report`, which say what they take.
    says = property(report.meaning)
    to_text = report.evaluation
    tables = report.evaluation_tables


def combined(metric: str, runs: tuple[Run, ...], apparent: dict[str, float]) -> Floats:
    """Scores of one metric; for the bootstrap, .632 of them and .368 of the apparent one."""
    scores = np.array([run.scores[metric] for run in runs], np.float64)
    return 0.368 * apparent[metric] + 0.632 * scores if apparent else scores


def _summed(parts: list[Floats | None]) -> Floats | None:
    there = [part for part in parts if part is not None]
    return np.sum(there, axis=0) if there else None


def _quotient(a: Floats, b: Floats) -> list[float]:
    """A share, 0 where there is nothing to share (as scikit-learn has it)."""
    quotients: list[float] = np.divide(a, b, out=np.zeros_like(a), where=b > 0).tolist()
    return quotients
