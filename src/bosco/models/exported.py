"""What every model gives through other rooms: judged, in other languages, kept, as a page."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.readers import given_to_fit, read_table
from bosco.data.sketch import Sketch
from bosco.data.weights import read_weights
from bosco.export import c, javascript, onnx, python, sql
from bosco.figures.figure import Judged, judge, truth_of
from bosco.figures.operating import decision_at
from bosco.store.files import Form, save_parts
from bosco.tree.family import AnyModel

if TYPE_CHECKING:
    from bosco.reporting.report import Report


class Exported(AnyModel):
    """A model that other rooms judge, write down and keep; every export answers as it does."""

    def judge(self, X: Any, y: Any, sample_weight: Any = None) -> Judged:
        """How wrong the model is on given rows, beside the constant answer.

        Parameters
        ----------
        X, y, sample_weight
            Rows, as for `fit`, best ones that the model was not grown on; every label one of its
            classes.

        Returns
        -------
        Judged
            The error with its interval, apart for rows that equal training rows, which are no
            test; ``print`` it.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"]).model_
        >>> print(model.judge({"x": [1, 2, 3]}, ["a", "b", "b"]))
        All 3 rows equal training rows in every column and the target.
        error on those: 0 % (not a test); always saying b: 33.3 %
        """
        X, y, sample_weight = given_to_fit(X, y, sample_weight)
        frame = self.read(X)
        truth = truth_of(self, frame, y)
        weight, keep = read_weights(sample_weight, frame.n_rows)
        if keep is not None:  # a row of weight 0 is absent
            frame, truth = self.read(frame.given.take(keep)), truth[keep]
        return judge(self, frame, truth, weight)

    def seen(self, X: Any, y: Any = None) -> Seen:
        """Which rows equal rows that the model was grown on, or pruned with.

        Parameters
        ----------
        X, y : table and its target
            Raw rows. Without y, rows are compared in every column, but not in the target.

        Returns
        -------
        Seen
            ``print`` it. An equal row need not be the same one: where columns are few, rows that
            were never seen equal some that were.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"]).model_
        >>> print(model.seen({"x": [3.0, 1.0, 7.0]}, ["b", "b", "b"]))
        1 of 3 rows equal training rows in every column and the target.
        """
        X, y, _ = given_to_fit(X, y, None)
        frame = self.read(X)
        return seen_rows(self, frame, None if y is None else truth_of(self, frame, y))

    def sketched(self, X: Any) -> Self:
        """The same model, which remembers how the values of its training rows were spread.

        Parameters
        ----------
        X : table
            The training rows, or others that later ones are to be compared with.

        Returns
        -------
        Model, ForestModel or ScoreTable
            For `bosco.monitor`. What is kept are counts of rows in a few bins of every column; see
            `bosco.data.sketch`.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> X = {"x": list(range(40))}
        >>> model = DecisionTreeClassifier(max_depth=1).fit(X, [0, 1] * 20).model_.sketched(X)
        >>> model.provenance["sketch"]["columns"][0]["rows"]
        [10, 10, 10, 10]
        """
        frame = self.read(read_table(X), all_columns=True)
        about = {**self.provenance, "sketch": Sketch.of(frame).to_plain()}
        return replace(self, provenance=about)  # type: ignore[type-var]

    def at(
        self,
        X: Any = None,
        y: Any = None,
        *,
        threshold: float | None = None,
        recall: float | None = None,
        alarms: float | None = None,
        cost: Any = None,
        positive: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """The same model of two classes with another bar between them.

        Parameters
        ----------
        X, y, sample_weight : table, its target, and weights
            Rows to choose the bar on, best ones that the model was not grown on; `threshold` needs
            none. Where all of them equal training rows, nothing is chosen.
        threshold : float, optional
            The class is answered where its share is at least this; of a score table, where it leads
            by so many points.
        recall : float, optional
            The highest bar that finds at least this share of the class on the rows.
        alarms : int or float, optional
            The lowest bar that answers the class at most so often on the rows; a number below 1 is
            a share of them.
        cost : dict or matrix, optional
            The bar of the least mean cost on the rows, given what mistakes cost, as for `costs` of
            estimators; of equal ones the highest.
        positive : label, optional
            The class whose share is meant; by default the second.

        Returns
        -------
        Model, ForestModel or ScoreTable
            What it came to on the rows, with 95 % intervals, is told by ``print`` and kept with
            it. Every export answers by the same bar.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> X, y = {"x": [1, 2, 3, 4, 5, 6]}, ["no", "no", "yes", "no", "yes", "yes"]
        >>> model = DecisionTreeClassifier(max_depth=1).fit(X, y).model_
        >>> model.predict({"x": 3}), model.at(threshold=0.8).predict({"x": 3})
        ('yes', 'no')
        """
        asked = {"threshold": threshold, "recall": recall, "alarms": alarms, "cost": cost}
        decision = decision_at(self, X, y, sample_weight, asked, positive)
        return replace(self, decision=decision)  # type: ignore[type-var]

    # Functions of other rooms, which say what they take.
    to_sql = sql.to_sql
    to_python = python.to_python
    to_c = c.to_c
    to_javascript = javascript.to_javascript
    to_onnx = onnx.to_onnx

    def save(self, path: Any, *, form: Form | None = None) -> None:
        """Write the model to a file that `bosco.load` reads: whole, or not at all.

        Parameters
        ----------
        path : str, path, or binary file object
            The suffix ``.json`` gives the form that people can read, ``.bosco`` the compact one
            (which needs the package safetensors); of a large forest the former is some ten times as
            long, and slow. docs/format.md describes both.
        form : {"json", "binary"}, optional
            The form, whatever the suffix says.

        Examples
        --------
        >>> import bosco
        >>> model = bosco.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).model_
        >>> model.save("model.json")
        >>> bosco.load("model.json").predict([[1.2]])
        array(['a'], dtype='<U1')
        """
        save_parts(self.parts(), path, form)

    def report(self, X: Any = None, y: Any = None, **more: Any) -> "Report":
        """All that is known of the model on one page that can be mailed.

        Parameters
        ----------
        X, y : table and its target, optional
            Rows to judge it by, best ones that it was not grown on.
        **more
            What `bosco.report` takes besides: importances, case, evaluation, stability, selection,
            understanding, command, title, lang.

        Returns
        -------
        Report
            ``save(path)`` writes the file.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import play_tennis
        >>> X, y = play_tennis()
        >>> model = DecisionTreeClassifier(algorithm="id3").fit(X, y).model_
        >>> model.report(X, y, title="When to play").save("tennis.html")
        """
        from bosco.reporting.report import report  # here: most who open a model want no page

        return report(self, X, y, **more)
