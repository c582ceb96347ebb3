"""What every model gives through other rooms: judged, in other languages, kept, as a page."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bosco.data.fingerprint import Seen, seen_rows
from bosco.data.weights import read_weights
from bosco.export.c import to_c
from bosco.export.javascript import to_javascript
from bosco.export.onnx import to_onnx
from bosco.export.python import to_python
from bosco.export.sql import to_sql
from bosco.figures.figure import Judged, judge, truth_of
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
        frame = self.read(X)
        return seen_rows(self, frame, None if y is None else truth_of(self, frame, y))

    def to_sql(
        self,
        dialect: str,
        *,
        table: str | None = None,
        kind: str = "select",
        view: str = "predictions",
        keep: Sequence[str] | None = None,
        prefix: str = "",
    ) -> str:
        """SQL that predicts inside a database; NULL (and NaN) is missing. Needs sqlglot.

        Parameters
        ----------
        dialect : {"duckdb", "postgres", "sqlite", "bigquery", "spark"}
            The database.
        table : str, optional
            Where the rows are, "data" if nothing is said; "schema.table" names a table of a schema.
            In a CASE expression, the table whose columns are meant.
        kind : {"select", "case", "view"}, default="select"
            A query for all rows with the prediction and a share per class; one CASE expression that
            gives the prediction; or a statement that creates the view `view` of the query.
        keep : list of str, optional
            The columns of the table that the query gives beside what it adds. All of them if
            nothing is said; a list makes sure that no name stands there twice, whatever else the
            table has.
        prefix : str, default=""
            What the names of the added columns begin with, at most 16 letters.

        Notes
        -----
        Of many trees, every row walks down every one, so that it is for thousands of rows rather
        than millions; more than 20,000 leaves in all are refused.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> model = DecisionTreeClassifier().fit({"x": [1.0, 2.0]}, ["a", "b"]).model_
        >>> print(model.to_sql("duckdb", kind="case"))
        CASE WHEN "x" <= 1.5e0 OR "x" IS NULL OR "x" = CAST('NaN' AS DOUBLE) THEN 'a' ELSE 'b' END
        """
        return to_sql(self, dialect, table=table, kind=kind, view=view, keep=keep, prefix=prefix)

    def to_python(self) -> str:
        """A Python file that imports nothing, with `predict(row)` and `predict_proba(row)`."""
        return to_python(self)

    def to_c(self, name: str = "model") -> str:
        """A C99 header that allocates nothing; its functions begin with `name`."""
        return to_c(self, name)

    def to_javascript(self) -> str:
        """A JavaScript module with `predict(row)` and `predictProba(row)`."""
        return to_javascript(self)

    def to_onnx(self) -> Any:
        """An `onnx.ModelProto`, or an error that says why ONNX cannot say the model exactly."""
        return to_onnx(self)

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
            understanding, command, title.

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
