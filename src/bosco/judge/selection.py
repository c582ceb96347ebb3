"""What a selection chose and how it did, as a value."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.hints import how
from bosco.base.language import tr
from bosco.base.numerals import lay_out
from bosco.errors import ParameterError
from bosco.figures.constant import say_verdict, verdict_of
from bosco.judge.constant import unit_of_gain
from bosco.judge.report import MAX_ROWS, number, of_more, say_setting, seconds
from bosco.render.html import Shown, Table

PREFERENCES = ("accuracy", "small")

READABLE = 30
"""Leaves of a tree that people read from end to end."""

MAX_SHOWN = 20
"""Candidates that are printed; all are in `Selection.candidates`."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One combination of settings that was tried.

    Attributes
    ----------
    parameters : dict
        The settings.
    score, sd : float
        Mean validation score by the first metric, and its standard deviation over inner splits.
    leaves : float
        Mean number of leaves; NaN if it is no single tree.
    rank : int
        1 is the best score. Equal scores go to fewer leaves, then to the earlier candidate.
    """

    parameters: dict[str, Any]
    score: float
    sd: float
    leaves: float
    rank: int


def by_size(candidates: Sequence[Candidate], standard_error: float) -> list[Candidate]:
    """The candidates to choose from where small trees are preferred, the smallest first.

    They are those of at most `READABLE` leaves whose score is within one standard error of the
    best; if there is none, the best of so few leaves. Where candidates are no single trees, or the
    standard error is NaN, it is the best of all.

    Examples
    --------
    >>> large, small = Candidate({}, 0.80, 0.1, 25.0, 1), Candidate({}, 0.78, 0.1, 5.0, 2)
    >>> [c.leaves for c in by_size([large, small], 0.03)]
    [5.0, 25.0]
    >>> [c.leaves for c in by_size([large, small], 0.01)]
    [25.0]
    """
    ranked = sorted(candidates, key=lambda candidate: candidate.rank)
    if np.isnan(standard_error) or any(np.isnan(c.leaves) for c in candidates):
        return ranked[:1]
    readable = [c for c in ranked if c.leaves <= READABLE] or ranked
    bound = round(ranked[0].score - standard_error, 12)
    near = [c for c in readable if round(c.score, 12) >= bound]
    return sorted(near, key=lambda c: c.leaves) or readable[:1]


@dataclass(frozen=True, slots=True, eq=False)
class Selection(Shown):
    """What `select` chose and how it did; ``print`` it for a report.

    ``pandas.DataFrame(selection.to_dict())`` has a row per candidate.

    Attributes
    ----------
    metric, inner : str
        What was compared by; how, in words.
    sizes : tuple of int
        Rows to train on, to validate on, to test on.
    candidates : tuple of Candidate
        All that was tried, in the order of the grid.
    standard_error : float
        Of the best score, where smaller trees were preferred within it; else NaN.
    choice : int
        Which of the candidates was chosen.
    interrupted : bool
        Ctrl-C came before the choice: nothing was chosen, and the test part was not looked at.
    estimator : fitted estimator or None
        The chosen settings, fitted to the training and validation parts.
    test_scores : dict
        Its scores on the test part, by metric; taken once, after the choice.
    test_rows : ndarray
        Which rows the test part has.
    constant : str
        The constant answer: the class of most of the rows fitted to, or their mean; by weight, if
        rows have weights.
    constant_scores : dict
        Its scores on the test part.
    gain : tuple of float or None
        By how much the chosen one is better, row by row on the test part, and the 95 % interval of
        that: in shares of wrong rows, absolute or squared errors, as the first metric goes; None if
        that is no mean over rows.
    weighted : bool
        Whether rows have weights: all scores go by these.
    parted : str
        How the rows were parted by time or by groups, and what that means; else empty.
    tested : str
        Which rows the test part has, in words to stand after their number; else empty.
    shared : tuple of str
        Of each column that looks like an identifier, how many of its values are on both sides.
    seconds : float
        Time from start to end.

    Examples
    --------
    >>> import bosco
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> chosen = bosco.select(bosco.DecisionTreeClassifier(), {"max_depth": [1, 2]}, X, y)
    >>> chosen.sizes, chosen.best.parameters
    ((90, 30, 30), {'max_depth': 2})
    >>> chosen.test_score == chosen.test_scores["accuracy"]
    True
    """

    metric: str
    inner: str
    sizes: tuple[int, int, int]
    candidates: tuple[Candidate, ...]
    standard_error: float
    choice: int
    interrupted: bool
    estimator: Any
    test_scores: dict[str, float]
    test_rows: NDArray[np.intp]
    constant: str
    constant_scores: dict[str, float]
    gain: tuple[float, float, float] | None
    weighted: bool
    seconds: float
    parted: str = ""
    tested: str = ""
    shared: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate:
        """The chosen candidate."""
        if self.interrupted:
            raise ParameterError("Nothing was chosen: select was interrupted. Run it again.")
        return self.candidates[self.choice]

    @property
    def most_exact(self) -> Candidate:
        """The candidate with the best score, which is not chosen if a smaller one is as good."""
        return min(self.candidates, key=lambda candidate: candidate.rank)

    def ranked(self, most: int | None = None) -> list[Candidate]:
        """The candidates with the best scores, the best first, and the chosen one."""
        ranked = sorted(self.candidates, key=lambda candidate: candidate.rank)
        first = ranked[:most]
        if self.interrupted or any(c is self.best for c in first):
            return first
        return [*first, self.best]

    @property
    def test_score(self) -> float:
        """The score on the test part by the first metric, as it was taken after the choice."""
        if self.interrupted:
            raise ParameterError("There is no test score: select was interrupted before a choice.")
        return self.test_scores[self.metric]

    @property
    def no_better(self) -> str:
        """A sentence where the chosen one is no better than the constant answer; else nothing."""
        if self.gain is None:
            return ""
        verdict = verdict_of(*self.gain[1:])
        what = tr("always saying {answer}", answer=self.constant)
        what += f", {tr('by weight')}" if self.weighted else ""
        return say_verdict(verdict, what, *self.gain, unit_of_gain(self.metric))

    def to_dict(self) -> dict[str, list[Any]]:
        """The candidates as columns."""
        c = self.candidates
        names = list(dict.fromkeys(name for x in c for name in x.parameters))
        columns = {name: [x.parameters.get(name) for x in c] for name in names}
        for part in ("score", "sd", "leaves", "rank"):
            columns[part] = [getattr(x, part) for x in c]
        return columns

    def to_text(self, *, time: bool = True) -> str:
        """The report; ``print`` shows it. `time` False leaves out how long it took."""
        train, validation, test = self.sizes
        by = f", {tr('by weight')}" if self.weighted else ""
        lines = [f"{self.metric}{by} · {self.inner}", *wrap(self.parted, 100)]
        table = [[tr("rank"), tr("candidate"), tr("score"), tr("sd"), tr("leaves")]]
        shown = self.ranked(MAX_SHOWN)
        for c in shown:
            cells = [number(c.score), number(c.sd), _leaves(c)]
            table.append([str(c.rank), _say(c.parameters), *cells])
        lines += ["", *lay_out(table, "<<>")]
        tried = len(self.candidates)
        if tried > len(shown):
            more = tried - len(shown)
            lines.append(tr("… and {n} more: {how} has all.", n=more, how=how("to_dict()")))
        if self.interrupted:
            said = tr("INTERRUPTED: nothing was chosen, and the test part was not looked at.")
        else:
            scores = ", ".join(
                f"{name} {number(x)} ({tr('always saying {answer}', answer=self.constant)}: "
                f"{number(self.constant_scores[name])})"
                for name, x in self.test_scores.items()
            )
            no_better = f" {self.no_better}" if self.no_better else ""
            said = tr(
                "Chosen: {settings}. Fitted again to {n} rows. On the {test} test rows, looked at "
                "once, after the choice{by}: {scores}.",
                settings=_say(self.best.parameters) + self._instead(),
                n=train + validation,
                test=test,
                by=by,
                scores=scores,
            )
            if self.best is self.most_exact:
                flatters = tr(
                    "The validation score of the chosen one is the best of {n} and so flatters it; "
                    "the test score does not, as long as nothing is chosen by it.",
                    n=tried,
                )
            else:
                flatters = tr(
                    "The validation score of the chosen one is one of the best of {n} and so "
                    "flatters it; the test score does not, as long as nothing is chosen by it.",
                    n=tried,
                )
            said = f"{said}{no_better} {flatters}"
        return "\n".join([*lines, "", *wrap(said, 100), *["", seconds(self.seconds)] * time])

    def _instead(self) -> str:
        """Why it is not the candidate with the best score."""
        best, top = self.best, self.most_exact
        if best is top:
            return ""
        return tr(
            ", a smaller tree with {n} leaves and {score}; the best has {most} leaves and "
            "{best} (standard error {error})",
            n=_leaves(best),
            score=number(best.score),
            most=_leaves(top),
            best=number(top.score),
            error=number(self.standard_error),
        )

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it."""
        shown = self.ranked(MAX_ROWS)
        names = list(dict.fromkeys(name for c in self.candidates for name in c.parameters))
        rows: list[list[object]] = []
        for c in shown:
            tried = (say_setting(c.parameters[n]) if n in c.parameters else "" for n in names)
            rows.append([c.rank, *tried, c.score, c.sd, c.leaves])
        by = f", {tr('by weight')}" if self.weighted else ""
        metric = f"{self.metric}{by}{',' * self.weighted}"
        caption = tr("Tried, by {metric} on validation rows", metric=metric) + " · "
        caption += self.inner + of_more(len(self.candidates), "")
        chosen = [] if self.interrupted else [i for i, c in enumerate(shown) if c is self.best]
        heads = [tr("rank"), *names, tr("score"), tr("sd"), tr("leaves")]
        all_ = Table(heads, rows, caption, chosen)
        if self.interrupted:
            return (all_,)
        test = [[name, x, self.constant_scores[name]] for name, x in self.test_scores.items()]
        said = tr(
            "The chosen one on {n} test rows{by}, looked at once, after the choice",
            n=self.sizes[2],
            by=by,
        )
        if self.no_better:
            said += f". {self.no_better.removesuffix('.')}"
        return all_, Table(
            [tr("metric"), tr("score"), tr("always saying {answer}", answer=self.constant)],
            test,
            said,
        )


def _leaves(candidate: Candidate) -> str:
    return "–" if np.isnan(candidate.leaves) else f"{candidate.leaves:.1f}".removesuffix(".0")


def _say(parameters: dict[str, Any]) -> str:
    text = ", ".join(f"{name} {say_setting(v)}" for name, v in parameters.items())
    return (text if len(text) <= 70 else f"{text[:69]}…") or tr("as given")
