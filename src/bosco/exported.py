"""What every model of many trees gives besides: itself in other languages, and as a page."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bosco.export.c import to_c
from bosco.export.javascript import to_javascript
from bosco.export.onnx import to_onnx
from bosco.export.program import Program
from bosco.export.python import to_python
from bosco.export.sql import to_sql
from bosco.figure import Judged, judge_raw, seen_of
from bosco.fingerprint import Seen

if TYPE_CHECKING:
    from bosco.reporting.report import Report

__all__ = ["Exported"]


class Exported(ABC):
    """Many trees that say as a program what they do: each export gives what the model gives."""

    @abstractmethod
    def program(self) -> Program:
        """The trees as plain nodes, end to end."""

    @abstractmethod
    def parts(self) -> Any:
        """What a file keeps."""

    def report(self, X: Any = None, y: Any = None, **more: Any) -> "Report":
        """All that is known of the trees on one page that can be mailed; see `bosco.report`.

        Parameters
        ----------
        X, y : table and its target, optional
            Rows to judge them by, best ones that they were not grown on.
        **more
            What `bosco.report` takes besides: importances, case, evaluation, selection,
            understanding, command, title.

        Returns
        -------
        Report
            ``save(path)`` writes the file.
        """
        from bosco.reporting.report import report  # here: most who open a model want no page

        return report(self, X, y, **more)

    def judge(self, X: Any, y: Any, sample_weight: Any = None) -> Judged:
        """How wrong the trees are on given rows, beside the constant answer; see `Model.judge`."""
        return judge_raw(self, X, y, sample_weight)

    def seen(self, X: Any, y: Any = None) -> Seen:
        """Which rows equal rows that the trees were grown on; see `Model.seen`."""
        return seen_of(self, X, y)

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
        """SQL that predicts inside a database; see `Model.to_sql`.

        Every row walks down every tree, so that it is for thousands of rows rather than millions;
        more than 20,000 leaves in all are refused.
        """
        return to_sql(self, dialect, table=table, kind=kind, view=view, keep=keep, prefix=prefix)

    def to_python(self) -> str:
        """A Python file that imports nothing; see `Model.to_python`."""
        return to_python(self)

    def to_c(self, name: str = "model") -> str:
        """A C99 header that allocates nothing; its functions begin with `name`."""
        return to_c(self, name)

    def to_javascript(self) -> str:
        """A JavaScript module; see `Model.to_javascript`."""
        return to_javascript(self)

    def to_onnx(self) -> Any:
        """An `onnx.ModelProto`, or an error that says why ONNX cannot say the trees exactly."""
        return to_onnx(self)
