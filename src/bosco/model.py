"""What was learned: a tree, what its columns mean, and how it came about.

Over 400 lines because it is the face of a model: each method is its words and a call to the room
that does the work.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco import _core, pruning
from bosco.census import Census, known_census
from bosco.contributions import Contributions, contributions
from bosco.drawing import picture_of
from bosco.explain import Explanation, explain
from bosco.export.c import to_c
from bosco.export.dot import to_dot
from bosco.export.javascript import to_javascript
from bosco.export.mermaid import to_mermaid
from bosco.export.onnx import to_onnx
from bosco.export.pmml import to_pmml
from bosco.export.python import to_python
from bosco.export.sql import to_sql
from bosco.figure import Judged, judge_raw, seen_of
from bosco.fingerprint import Fingerprint, Seen
from bosco.frame import Frame
from bosco.growth import Growth
from bosco.leaves import WEAK_BELOW, Leaves, training_leaves
from bosco.majority import heaviest
from bosco.pruning import Policy, PruningLog, Subject, Sweep
from bosco.pruning.rebuild import Rebuilt
from bosco.recount import recount
from bosco.render.color import Theme
from bosco.render.svg import Svg, to_svg
from bosco.render.text import MAX_NODES, to_text
from bosco.rules.ruleset import RuleSet
from bosco.schema import Schema
from bosco.store.check import restored
from bosco.store.files import Form, save_parts
from bosco.store.header import Parts
from bosco.store.prunings import write_log
from bosco.tree import Tree
from bosco.why import Why, why

if TYPE_CHECKING:
    from bosco.reporting.report import Report

CELLS_PER_THREAD = 100_000
"""Starting a thread costs more than it saves on fewer cells than this."""

FEW_ROWS = 32
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass(frozen=True, eq=False)
class Model:
    """A tree that can be read, asked and applied to raw rows.

    Fitted estimators hold one as ``model_``. It is immutable.

    Parameters
    ----------
    tree : Tree
        The tree as arrays.
    schema : Schema
        Names, kinds and levels of the columns.
    classes : ndarray or None
        The class labels in order; None for a real target.
    growth : Growth
        The settings that grew the tree.
    provenance : mapping
        Where it comes from: algorithm, version, size of the training data.
    log : PruningLog
        What was pruned, and why.
    counted : Census or None
        The training rows of every node, where the tallies of the tree are of other weights.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
    >>> print(model)
    id3 (entropy) · 14 rows, 4 columns, 2 classes · 5 leaves, depth 2
    <BLANKLINE>
    [0] · 14 rows: Yes 9, No 5
    ├─ [1] Outlook = Overcast → Yes · 4 rows
    ├─ [2] Outlook = Rain * · 5 rows: Yes 3, No 2
    │  ├─ [4] Wind = Strong → No · 2 rows
    │  └─ [5] Wind = Weak * → Yes · 3 rows
    └─ [3] Outlook = Sunny · 5 rows: No 3, Yes 2
       ├─ [6] Humidity = High * → No · 3 rows
       └─ [7] Humidity = Normal → Yes · 2 rows
    <BLANKLINE>
    * A missing value would go here; training had none in Outlook, Humidity, Wind.
    A level the tree does not know is read as missing.
    >>> day = {"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Weak"}
    >>> model.predict(day)
    'Yes'
    """

    tree: Tree
    schema: Schema
    classes: NDArray[Any] | None
    growth: Growth
    provenance: Mapping[str, Any] = field(default_factory=dict)
    log: PruningLog = field(default_factory=PruningLog)
    counted: Census | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "provenance", MappingProxyType(dict(self.provenance)))

    def __reduce__(self) -> tuple[Any, ...]:
        schema, growth = self.schema.to_dict(), self.growth.to_dict()
        content = (self.tree, schema, self.classes, growth, dict(self.provenance))
        rows = None if self.counted is None else self.counted.rows
        effective = None if self.counted is None else self.counted.effective
        return _restore, (*content, write_log(self.log), rows, effective)

    def __str__(self) -> str:
        return self.to_text(ascii=not _can_draw(sys.stdout))

    def __repr__(self) -> str:
        kind = "regression" if self.classes is None else f"{len(self.classes)}-class"
        return f"<Model: {kind} tree, {self.n_leaves} leaves, depth {self.depth}>"

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.tree.n_leaves

    @property
    def depth(self) -> int:
        """Length of the longest path from the root."""
        return self.tree.max_depth

    @cached_property
    def census(self) -> Census | None:
        """The training rows of every node, by class; None where only their weight is known."""
        if self.counted is not None:
            return self.counted
        noun = "drawn row" if self.provenance.get("drawn") else "row"
        return known_census(self.tree, self.provenance.get("rows"), noun)

    @cached_property
    def never_missing(self) -> frozenset[int]:
        """The columns that had no missing value in training, as far as is known."""
        return self.schema.never_missing(self.provenance.get("missing"))

    @cached_property
    def amounts(self) -> NDArray[np.float64]:
        """Training rows of every node by class; their weight where rows are not known."""
        if self.census is not None:
            return self.census.by_class
        native = self.tree.native
        tally = native.tally if native.n_classes else native.tally[:, :1]
        return np.asarray(tally / native.weight_scale, np.float64)

    @cached_property
    def node_class(self) -> NDArray[np.intp]:
        """Index of the class that each node predicts: the heaviest."""
        return heaviest(self.tree.native.value)

    @cached_property
    def _answer(self) -> NDArray[Any]:
        """What each leaf predicts, ready to be looked up by node."""
        value = self.tree.leaf_value
        if self.classes is None:
            return np.ascontiguousarray(value[:, 0])
        return self.classes[heaviest(value)]

    # Reading ----------------------------------------------------------------------------------

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = MAX_NODES,
        max_levels: int | None = 8,
        ascii: bool = False,  # noqa: A002
    ) -> str:
        """The tree as text; ``print(model)`` is this with its defaults.

        Parameters
        ----------
        max_depth : int or None, default=None
            Fold what lies deeper.
        max_nodes : int or None, default=200
            Fold larger trees to about so many nodes, the heaviest kept; None shows all.
        max_levels : int or None, default=8
            Spell out so many levels of a set; None spells out all.
        ascii : bool, default=False
            Draw with ASCII characters only.

        Returns
        -------
        str
            One node a line: its number, the condition that leads to it, its training rows.

        Examples
        --------
        >>> from bosco import DecisionTreeRegressor
        >>> model = DecisionTreeRegressor(max_depth=1).fit([[0], [1], [2]], [1.0, 1.0, 4.0]).model_
        >>> print(model.to_text(ascii=True))
        cart (squared_error); 3 rows, 1 column, a real target; 2 leaves, depth 1
        <BLANKLINE>
        [0]; 3 rows, mean 2
        |- [1] x0 <= 1.5 * -> 1; 2 rows
        `- [2] x0 > 1.5 -> 4; 1 row
        <BLANKLINE>
        * A missing value would go here; training had none in x0.
        """
        return to_text(
            self, max_depth=max_depth, max_nodes=max_nodes, max_levels=max_levels, ascii=ascii
        )

    def why(self, node: int = 0) -> Why:
        """The best test of every column at a node, with gain, ratio and margin to the winner.

        Of a leaf, the reason why it is one, and what was compared there.

        Parameters
        ----------
        node : int, default=0
            Number of a node, as the text shows it.

        Returns
        -------
        Why
            One row per column; ``print`` it, iterate, or make a dataframe of ``to_dict()``. A leaf
            has its reason in ``ended`` (a word) and ``reason`` (a sentence).
        """
        return why(self, node)

    def explain(
        self, row: Any, *, allow: Any = None, to: Any = None, change: bool = True
    ) -> Explanation:
        """How one case comes to its prediction, and what would change it.

        Parameters
        ----------
        row : mapping or sequence
            The case: values by column name, or in the order of the columns.
        allow : mapping or sequence, optional
            What may change, by column name: "any", "up" or "down", a list of levels, or for numbers
            a pair (lowest, highest). A sequence of names allows any change of these columns. By
            default every column may change. Nothing is ever changed to a missing value.
        to : object, optional
            The class to change to, or for numbers a pair (lowest, highest); by default any other.
        change : bool, default=True
            Whether to look for the smallest change that alters the prediction: the fewest columns,
            then the shortest way; see `bosco.counterfactual.Change`.

        Returns
        -------
        Explanation
            The path, what the leaf says, and the change; ``print`` it.
        """
        return explain(self, row, allow=allow, to=to, change=change)

    def rules(self, *, missing: bool = True) -> RuleSet:
        """What the model decides, as if-then rules.

        Parameters
        ----------
        missing : bool, default=True
            Also say where missing values go. If not, the rules are for rows without any, and
            refuse others.

        Returns
        -------
        RuleSet
            One rule per leaf (more where missing values go several ways): print it, simplify it,
            compare it, apply it.
        """
        return RuleSet.of(self, missing=missing)

    def leaves(self, *, confidence: float = 0.95, weak_below: float = WEAK_BELOW) -> Leaves:
        """What the training rows say of every leaf, with intervals; an optimistic view.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.
        weak_below : float, default=5
            Leaves of fewer rows are flagged as weakly supported.

        Returns
        -------
        Leaves
            One row per leaf; ``print`` it, iterate, or make a dataframe of ``to_dict()``.
        """
        return training_leaves(self, confidence, weak_below)

    def recount(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        weights: str = "importance",
        confidence: float = 0.95,
        weak_below: float = WEAK_BELOW,
    ) -> Leaves:
        """What other rows say of every leaf, with intervals.

        Parameters
        ----------
        X, y, sample_weight
            Rows, as for `fit`, best ones that the tree was not grown on; every label one of the
            model's classes. Those that equal training rows are told apart, if the model remembers
            them.
        weights : {"importance", "copies"}, default="importance"
            What the weights mean, as for the estimators.
        confidence, weak_below : float
            As in `leaves`.

        Returns
        -------
        Leaves
            One row per leaf. The model is as it was.
        """
        return recount(self, X, y, sample_weight, weights, confidence, weak_below)

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
        return judge_raw(self, X, y, sample_weight)

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
        return seen_of(self, X, y)

    # Pruning ----------------------------------------------------------------------------------

    def prune(
        self, policy: Policy | str, X: Any = None, y: Any = None, *, sample_weight: Any = None
    ) -> "Model":
        """A smaller model, pruned by a policy of `bosco.pruning`.

        Parameters
        ----------
        policy : Policy or str
            The policy, or its name, such as "cost_complexity".
        X, y, sample_weight
            The training rows, for policies that send them down other branches (`Pessimistic` with
            raising). Others need none.

        Returns
        -------
        Model
            A new model; this one stays as it is.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import golf
        >>> from bosco.pruning import CostComplexity
        >>> model = DecisionTreeClassifier().fit(*golf()).model_
        >>> model.n_leaves, model.prune(CostComplexity(alpha=0.12)).n_leaves
        (6, 1)
        """
        plain = self.subject()
        subject = plain if X is None else plain.trained_on(X, y, sample_weight)
        chosen = pruning.policy_named(policy)
        pruned = self._pruned(pruning.prune(subject, chosen))
        remembered = self.provenance.get("fingerprint")
        if remembered is None or not isinstance(chosen, pruning.ReducedError):
            return pruned
        both = Fingerprint.read(remembered).joined(plain.fingerprint(*chosen.validation))
        return replace(pruned, provenance={**self.provenance, "fingerprint": both.to_plain()})

    def collapse(self, node: int) -> "Model":
        """A smaller model in which one inner node is a leaf.

        Parameters
        ----------
        node : int
            Number of an inner node, as the text shows it.

        Returns
        -------
        Model
            A new model; its nodes are numbered anew.
        """
        return self._pruned(pruning.collapse(self.subject(), node))

    def pruning_log(self) -> PruningLog:
        """What was pruned, and why: both costs and both sizes of every node that was weighed.

        Returns
        -------
        PruningLog
            One entry per node, cut or kept; ``print`` it (``to_text(all=True)`` has those that were
            kept too), iterate, or make a dataframe of ``to_dict()``.
        """
        return self.log

    def sweep(self, X: Any = None, y: Any = None, *, price: float = 1.0) -> Sweep:
        """Error against size along the cost-complexity path of the tree.

        Parameters
        ----------
        X, y
            Validation rows to measure too, or None.
        price : float, default=1.0
            What a leaf costs in the generalization estimate, in wrong rows or their weight.

        Returns
        -------
        Sweep
            One row per tree of the path; ``print`` it, plot it, or use ``to_dict()``.
        """
        return pruning.sweep(self.subject(), None if X is None else (X, y), price)

    def subject(self) -> Subject:
        """What a policy of pruning looks at."""
        counted = self.counted
        known = (self.tree, self.schema, self.classes, self.growth)
        return Subject(*known, weighted=counted is not None, counted=counted)

    def _pruned(self, made: Rebuilt) -> "Model":
        counted = None if self.counted is None else made.census(self.counted)
        log = self.log.then(made.step, made.number)
        return replace(self, tree=made.tree, log=log, counted=counted)

    # Carrying elsewhere: every export gives the class and the shares that the model gives --------

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
        """An `onnx.ModelProto`, or an error that says why ONNX cannot say the tree exactly."""
        return to_onnx(self)

    def to_pmml(self) -> str:
        """PMML 4.4 text, or an error that says why PMML cannot say the tree exactly."""
        return to_pmml(self)

    def to_dot(self, max_levels: int | None = 8) -> str:
        """The tree as text that Graphviz draws; sets are spelled out up to `max_levels`."""
        return to_dot(self, max_levels)

    def to_mermaid(self, max_levels: int | None = 8) -> str:
        """The tree as text that Mermaid draws; sets are spelled out up to `max_levels`."""
        return to_mermaid(self, max_levels)

    # Keeping ----------------------------------------------------------------------------------

    def save(self, path: Any, *, form: Form | None = None) -> None:
        """Write the model to a file that `bosco.load` reads: whole, or not at all.

        Parameters
        ----------
        path : str, path, or binary file object
            The suffix ``.json`` gives the form that people can read, ``.bosco`` the compact one
            (which needs the package safetensors). docs/format.md describes both.
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

    def parts(self) -> Parts:
        """What a file keeps."""
        provenance = dict(self.provenance)
        meaning = (self.schema, self.classes, self.growth, provenance)
        return Parts(self.tree, *meaning, self.log, self.counted)

    def svg(
        self,
        *,
        row: Any = None,
        X: Any = None,
        y: Any = None,
        max_depth: int | None = None,
        max_nodes: int | None = 100,
        orientation: str = "auto",
        width: float | None = None,
        theme: Theme = "auto",
    ) -> Svg:
        """The tree as a picture.

        A box asks for a column or gives an answer, and shows the classes of its rows, or their mean
        and its spread. A branch is as wide as its part of the rows.

        Parameters
        ----------
        row : mapping or sequence, optional
            One case, whose path is highlighted.
        X, y : table and classes, optional
            Rows for a histogram of the column asked for, with the cut in it. The other numbers are
            those of the training rows; where these are others, the picture says which are whose.
        max_depth : int or None, default=None
            Fold what lies deeper.
        max_nodes : int or None, default=100
            Fold larger trees to about so many nodes, the heaviest kept; None shows all.
        orientation : {"auto", "vertical", "horizontal"}, default="auto"
            Where the tree grows to; "auto" is down, or to the right if that were too wide.
        width : float or None, default=None
            Fold until the picture is no wider, in pixels.
        theme : {"auto", "light", "dark"}, default="auto"
            Colours; "auto" follows the system of whoever looks at it.

        Returns
        -------
        Svg
            ``str`` is its text, ``save(path)`` writes it, notebooks show it.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import play_tennis
        >>> model = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_
        >>> model.svg(width=600).save("tennis.svg")
        """
        limits = {"max_depth": max_depth, "max_nodes": max_nodes, "width": width}
        picture = picture_of(self, row=row, X=X, y=y, orientation=orientation, **limits)
        return to_svg(picture, theme)

    def plot(self, ax: Any = None, *, theme: Theme = "light", **options: Any) -> Any:
        """The picture of `svg` on an axis of matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; text is sized to it. By default a new figure of the picture's size.
        theme : {"light", "dark"}, default="light"
            Colours.
        **options
            The other options of `svg`.

        Returns
        -------
        matplotlib.axes.Axes
            The axis.
        """
        from bosco.render.mpl import paint

        return paint(picture_of(self, **options), ax, theme)

    def report(self, X: Any = None, y: Any = None, **more: Any) -> "Report":
        """All that is known of the model on one page that can be mailed.

        Parameters
        ----------
        X, y : table and its target, optional
            Rows to judge it by, best ones that it was not grown on.
        **more
            What `bosco.report` takes besides: evaluation, stability, selection, understanding,
            command, title.

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

    def _repr_html_(self) -> str:
        return self.svg()._repr_html_()

    # Applying ---------------------------------------------------------------------------------

    def predict(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Predict from raw rows.

        Parameters
        ----------
        X : table, or mapping of column name to one value
            Anything `fit` would take, or one case.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        ndarray of shape (n_rows,), or one value for one case
            Class labels or numbers.
        """
        rows, single = rows_of(X)
        answers = self.predict_frame(self.read(rows), n_jobs)
        return answers.tolist()[0] if single else answers

    def predict_proba(self, X: Any, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Share of every class in the leaf that each raw row reaches.

        Parameters
        ----------
        X : table, or mapping of column name to one value
            Anything `fit` would take, or one case.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_classes,) for one case
            Shares in the order of `classes`. For a real target, the mean in one column.
        """
        rows, single = rows_of(X)
        values = self.values_frame(self.read(rows), n_jobs)
        return values[0] if single else values

    def apply(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Number of the leaf that each raw row reaches.

        Where missing values go down all branches, the leaf at the end of the heaviest ones.
        """
        rows, single = rows_of(X)
        leaves = self.apply_frame(self.read(rows), n_jobs)
        return int(leaves[0]) if single else leaves

    def contributions(self, X: Any, *, n_jobs: int | None = None) -> Contributions:
        """What each column added to the prediction of each raw row (TreeSHAP).

        Parameters
        ----------
        X : table
            Anything `fit` would take.
        n_jobs : int or None, default=None
            Threads; None is 1, -1 all cores.

        Returns
        -------
        Contributions
            They add up to the prediction.
        """
        frame = self.read(X)
        return contributions(self, frame, threads(n_jobs, frame))

    @cached_property
    def columns_asked(self) -> tuple[str, ...]:
        """Names of the columns that the tree asks for; rows need no others.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> from bosco.datasets import play_tennis
        >>> DecisionTreeClassifier(max_depth=1).fit(*play_tennis()).model_.columns_asked
        ('outlook',)
        """
        return tuple(self.schema.names[j] for j in self.tree.columns_asked.tolist())

    def read(self, X: Any, owner: str = "this model", *, all_columns: bool = False) -> Frame:
        """Raw rows as the tree sees them, checked against the columns it knows.

        Columns with names may lack what is not asked for, unless `all_columns` says otherwise.
        """
        asked = None if all_columns else lambda: self.columns_asked
        return Frame.read(X, self.schema, missing=self.growth.missing, owner=owner, asked=asked)

    @cached_property
    def _plain(self) -> bool:
        """Whether all columns are numbers and all tests binary cuts with one place for a row."""
        return (
            all(column.kind == "numeric" for column in self.schema.columns)
            and self.growth.missing in ("learn", "majority", "branch")
            and self.tree.is_plain
        )

    def few_leaves(self, X: Any) -> NDArray[np.int32] | None:
        """Leaves of a few rows of plain floats, without the way through a frame; else None.

        One case at a time is how models are asked in service: there, reading a table costs more
        than the answer.
        """
        quick = few_floats(X, self.tree.n_features) and self._plain
        return self.tree.leaves_of_few(X) if quick else None

    def predict_few(self, X: Any) -> NDArray[Any] | None:
        """Predict a few rows of plain floats; None where that needs a frame."""
        leaves = self.few_leaves(X)
        return None if leaves is None else self._answer.take(leaves, axis=0)

    def predict_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[Any]:
        """Predict rows that are read already."""
        if self.growth.missing != "fractional":
            return self._answer.take(self.apply_frame(frame, n_jobs), axis=0)
        values = self.values_frame(frame, n_jobs)
        if self.classes is None:
            return values[:, 0]
        labels: NDArray[Any] = self.classes.take(heaviest(values), axis=0)
        return labels

    def values_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Class shares, or the mean, of rows that are read already."""
        if self.growth.missing != "fractional":
            return self.tree.leaf_value.take(self.apply_frame(frame, n_jobs), axis=0)
        native = self.tree.native
        mixed: NDArray[np.float64] = _core.mix(
            native, frame.native, native.value, threads(n_jobs, frame)
        )
        return mixed

    def apply_frame(self, frame: Frame, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Leaves of rows that are read already."""
        return self.tree.leaves_of(frame.native, threads(n_jobs, frame))


def _restore(*content: Any) -> Model:
    """A model from a pickle, checked as one from a file."""
    return Model(*restored(*content))


def few_floats(X: Any, columns: int) -> bool:
    """Whether X is a matrix of a few rows of floats, with so many columns."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and 0 < X.shape[0] <= FEW_ROWS
        and X.shape[1] == columns
        and X.dtype in _FLOATS
    )


def threads(n_jobs: int | None, frame: Frame, passes: int = 1) -> int:
    """How many threads are worth starting to go over a table, so many times."""
    cells = frame.n_rows * len(frame.schema.columns)
    worth = cells * passes // CELLS_PER_THREAD
    if worth <= 1 or n_jobs == 1:
        return 1
    from joblib import effective_n_jobs  # slow to import, and small models never ask

    return min(int(effective_n_jobs(n_jobs)), worth)


def rows_of(X: Any) -> tuple[Any, bool]:
    """A table, and whether it was one case: a mapping of names to single values."""
    if isinstance(X, Mapping) and not any(_is_column(value) for value in X.values()):
        return [X], True
    return X, False


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _can_draw(stream: Any) -> bool:
    """Whether the terminal's encoding has the characters that the tree is drawn with."""
    try:
        "├└│≤≠→·…".encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
