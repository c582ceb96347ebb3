"""AdaBoost: weak learners one after another, each on the rows that the others got wrong."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from bosco.base.progress import progress
from bosco.data.fingerprint import Fingerprint
from bosco.data.frame import Frame
from bosco.data.readers import Table, given_to_fit, read_table
from bosco.data.recipe import Outcome
from bosco.data.sparse import is_sparse
from bosco.data.target import Labels, encode_labels
from bosco.data.weights import read_weights
from bosco.errors import DataError
from bosco.estimators.about import about_rows, keep_names
from bosco.estimators.base import Learner
from bosco.estimators.contents import content_order
from bosco.estimators.jury import Jury, Validation, hold_back
from bosco.estimators.parameters import assign, check_parameters, with_settings
from bosco.estimators.retold import Boosted, retell
from bosco.estimators.rounds import (
    Rounds,
    Task,
    boost_any,
    boost_trees,
    rows_where,
    weak_learner,
    why_foreign,
)
from bosco.estimators.start import Start
from bosco.estimators.votes import Voting
from bosco.reasons.boosting import BoostingTrace
from bosco.settings.settings import Boosted as BoostedSettings
from bosco.settings.settings import Weak


@with_settings()
class AdaBoostClassifier(MetaEstimatorMixin, ClassifierMixin, Voting):  # type: ignore[misc]
    """Weak learners that vote, each grown on weights that dwell on what the others got wrong.

    Each round fits the weak learner to weighted rows, gives it the coefficient
    ``½ ln((1 - error) / error)`` and multiplies the weights of the rows it got wrong. Trees of
    bosco are boosted by the core: one pass per round over codes made once, the same ensemble for
    any `n_jobs` and any order of the rows; a row of weight 2 is exactly that row twice.

    @parameters

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted. Of classes with equal votes the first is
        predicted, of two the second.
    estimators_ : list
        The weak learners that vote. One without any error stands alone: it decides.
    estimator_weights_, estimator_errors_ : ndarray
        Their coefficients and weighted errors.
    history_ : dict
        Of every round: ``error``, ``coefficient`` (inf for one without error), ``weights`` of the
        watched rows before it, ``validation_score``; and why the rounds ended, ``ended``:
        "all_done", "perfect", "chance" (the next would be no better than guessing), "asked" (early
        stopping).
    model_ : ScoreTable
        Boosted trees as a table of points. Only where every learner is a tree of bosco.
    n_features_in_, feature_names_in_
        Number and names of the columns.

    Examples
    --------
    >>> from bosco import AdaBoostClassifier
    >>> from bosco.datasets import loans
    >>> X, y = loans()
    >>> boosted = AdaBoostClassifier(n_estimators=5).fit(X, y)
    >>> boosted.estimator_errors_[0].round(4).item(), boosted.estimator_weights_[0].round(4).item()
    (0.2, 0.6931)
    """

    def __init__(self, estimator: Weak = None, **given: Unpack[BoostedSettings]) -> None:
        assign(self, given | {"estimator": estimator})

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        weak = self.estimator
        tags.input_tags.allow_nan = weak is None or get_tags(weak).input_tags.allow_nan
        tags.input_tags.sparse = weak is None or get_tags(weak).input_tags.sparse
        return tags

    # Fitting ----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost the weak learner.

        Parameters
        ----------
        X : table
            Anything the weak learner reads; for the default, anything bosco reads.
        y : array-like of shape (n_rows,)
            The class of each row; any labels.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            The first weights. Whole numbers count as repeated rows, 0 as absent ones.

        Returns
        -------
        self
            The fitted estimator.
        """
        made, labels, table, heard = self._boost(X, y, sample_weight)
        remembered = None
        if made.native and self.fingerprint:
            frame = Frame.read(table, made.rounds.learners[0].model_.schema)
            remembered = Fingerprint.of(frame, labels.codes)
        return self._keep(made.rounds, labels, table, heard, remembered)

    def trace(self, X: Any, y: Any, sample_weight: Any = None) -> BoostingTrace:
        """The rounds again, one by one, from the rows that they were learned from.

        Parameters
        ----------
        X, y, sample_weight
            The training rows, as they were given to `fit`.

        Returns
        -------
        BoostingTrace
            Of every round the weights before and after, the making of its tree, its weighted
            error, coefficient and normaliser, the bound beside the training error, and the
            margins; ``print`` it, iterate, or take ``to_dict()``.
        """
        check_is_fitted(self, "estimators_")
        made, *_ = self._boost(X, y, sample_weight)
        if not np.array_equal(made.rounds.error, np.asarray(self.history_["error"])):
            raise DataError(
                "By these rows the rounds have other errors than those of fit. Hint: a trace needs "
                "X, y and sample_weight as they were given to fit, and learners that draw a "
                "random_state."
            )
        half = self.algorithm == "discrete" and len(made.classes) == 2
        return retell(made, float(self.learning_rate), half)

    def _boost(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Boosted, Labels, Table, Validation | None]:
        """The rounds, and the rows that were learned from; all rows, and what judged them."""
        check_parameters(self)
        X, y, sample_weight = given_to_fit(X, y, sample_weight)
        learner = weak_learner(self.estimator, self.derive)
        table = read_table(_flat(X, learner))
        labels = encode_labels(y, sample_weight, None, False)
        table = labels.rows_of(table)
        sample, keep = read_weights(sample_weight, labels.n_rows)
        watched = self._watched(labels)
        part = self._validation(table, labels, sample)
        native = not why_foreign(learner)
        if is_sparse(X) and X.format not in ("csr", "csc"):
            X = X.tocsr()  # which learners of scikit-learn read
        rows = table if isinstance(learner, Learner) else rows_where(X, keep, learner)
        codes, heard = labels.codes, None
        if part is not None:
            learn, judge = part
            watched = _among(watched, learn, len(codes))
            weight = None if sample is None else sample[judge]
            held = rows_where(rows, judge, learner)
            heard = self._judging(held, Jury(codes[judge], weight, labels.n_classes), labels)
            rows, codes = rows_where(rows, learn, learner), codes[learn]
            sample = None if sample is None else sample[learn]
        start = Start.of(Outcome(len(codes), None, sample, codes, np.zeros(0)), labels.n_classes)
        with progress(self.n_estimators, "rounds", bool(self.verbose)) as tell:
            task = Task(
                learner,
                rows,
                codes,
                labels.classes,
                start,
                n_rounds=self.n_estimators,
                learning_rate=float(self.learning_rate),
                watched=watched.astype(np.uint32),
                heard=hearing(heard, tell),
            )
            if native:
                rounds = boost_trees(task, self.n_jobs)
            else:
                rounds = boost_any(task, self.random_state)
        return Boosted(rounds, rows, codes, labels.classes, start, native), labels, table, heard

    def _watched(self, labels: Labels) -> NDArray[np.int64]:
        """The rows whose weights are noted, numbered among those that have a weight."""
        wanted = np.asarray([] if self.watch is None else self.watch, np.int64)
        if wanted.ndim != 1 or ((wanted < 0) | (wanted >= labels.n_rows)).any():
            raise DataError(f"watch must hold numbers of rows from 0 to {labels.n_rows - 1}.")
        if labels.keep is None:
            return wanted
        if not labels.keep[wanted].all():
            raise DataError("watch names a row of weight 0, which takes no part.")
        return (np.cumsum(labels.keep) - 1)[wanted]

    def _validation(
        self, table: Table, labels: Labels, sample: NDArray[np.float64] | None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """Rows to learn from and rows to judge by; the same in any order of the rows."""
        if not self.early_stopping:
            return None
        order = content_order(table, labels.codes, sample)
        return hold_back(order, labels.codes, self.validation_fraction, self.random_state)

    def _judging(self, held: Any, jury: Jury, labels: Labels) -> Validation:
        """Validation by rows that are here."""

        def judged(learner: Any, log_odds: float) -> Fraction:
            said = np.searchsorted(labels.classes, learner.predict(held))
            return jury.hear(said, log_odds)

        return Validation(judged, jury.weight, self.n_iter_no_change)

    def _keep(
        self, rounds: Rounds, rows: Any, columns: Any, heard: Validation | None, remembered: Any
    ) -> Self:
        """Set every attribute, all at once; `rows` say of which classes they are."""
        half = self.algorithm == "discrete" and len(rows.classes) == 2
        coefficient = rounds.log_odds / 2 if half else rounds.log_odds.copy()
        perfect = rounds.ended == "perfect"
        if perfect:
            coefficient[-1] = math.inf
        self.history_ = {
            "error": rounds.error,
            "coefficient": coefficient,
            "weights": rounds.weights,
            "ended": rounds.ended,
        }
        used = slice(-1, None) if perfect else slice(None)
        if heard is not None:
            self.history_["validation_score"] = np.array(heard.scores)
            if not perfect:
                used = slice(0, int(np.argmax(heard.scores)) + 1)
        self.classes_, self.n_classes_ = rows.classes, len(rows.classes)
        keep_names(self, columns)
        self.estimators_ = rounds.learners[used]
        self.estimator_ = clone(self.estimators_[0])
        self.estimator_errors_ = np.array(rounds.error[used])
        self.estimator_weights_ = np.ones(1) if perfect else np.array(coefficient[used])
        self._about = about_rows(type(self).__name__, rows, remembered)
        return self


def hearing(heard: Validation | None, tell: Callable[[int], None] | None) -> Any:
    """What is done after each round, if anything."""
    if heard is None and tell is None:
        return None
    done = [0]

    def hear(learner: Any, log_odds: float) -> bool:
        done[0] += 1
        if tell is not None:
            tell(done[0])
        return heard is None or heard.better(learner, log_odds)

    return hear


def _flat(X: Any, learner: Any) -> Any:
    """X, or its cells in a row where a learner of another library is given several dimensions."""
    deep = isinstance(X, np.ndarray) and X.ndim > 2 and not isinstance(learner, Learner)
    return X.reshape(len(X), -1) if deep else X


def _among(watched: NDArray[np.int64], learn: NDArray[np.intp], n_rows: int) -> NDArray[np.int64]:
    """Places of the watched rows among those to learn from."""
    places = np.full(n_rows, -1)
    places[learn] = np.arange(len(learn))
    if (places[watched] < 0).any():
        raise DataError("watch names a row that early_stopping holds back.")
    return places[watched]
