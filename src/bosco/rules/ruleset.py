"""The rules of a model as one value: read them, shorten them, compare them, apply them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bosco.base.language import tr
from bosco.data.deriving import meanings
from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.errors import DataError, ParameterError, did_you_mean
from bosco.render.html import Shown, Table
from bosco.rules import excel, write
from bosco.rules.equivalence import Equivalence, compare
from bosco.rules.extract import extract
from bosco.rules.match import Masks, first_rule
from bosco.rules.rule import Rule
from bosco.rules.simplify import Report, simplified
from bosco.rules.work import WORK, allowed
from bosco.tree.decision import HEAVIEST, Decision
from bosco.tree.family import model_of
from bosco.tree.tree import Tree

if TYPE_CHECKING:
    from bosco.models.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class RuleSet(Shown):
    """What a model decides, as if-then rules: for each class a disjunction of conjunctions.

    `Model.rules` makes one. It is immutable; every method that changes something returns a new one.

    Attributes
    ----------
    rules : tuple of Rule
        The rules. Unless `ordered`, no case has two rules with different answers, so that their
        order does not matter.
    schema : Schema
        The columns.
    classes : ndarray or None
        Class labels; None for a real target.
    default : object or None
        The answer where no rule holds; None where there always is one.
    ordered : bool
        Whether this is a decision list: the first rule that holds decides.
    missing : bool
        Whether missing values have an answer; if not, they are refused.
    unseen : tuple of str
        Columns whose missing values the rules leave open; see `simplify`.
    never_missing : tuple of str or None
        Columns that had a value in every training row, where that is known.
    complete : bool
        Whether a rule is known to hold for every case.
    report : Report or None
        How far a simplification got.
    decision : Decision
        How shares became answers: the heaviest class, the least cost, or a cut-off.

    Examples
    --------
    >>> from bosco import DecisionTreeClassifier
    >>> from bosco.datasets import play_tennis
    >>> rules = DecisionTreeClassifier(algorithm="id3").fit(*play_tennis()).model_.rules()
    >>> print(rules.to_dnf("Yes", missing=False))
    (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ (Outlook = Sunny ∧ Humidity = Normal)
    """

    rules: tuple[Rule, ...]
    schema: Schema
    classes: NDArray[Any] | None
    default: Any = None
    ordered: bool = False
    missing: bool = True
    unseen: tuple[str, ...] = ()
    never_missing: tuple[str, ...] | None = None
    complete: bool = False
    report: Report | None = None
    decision: Decision = HEAVIEST

    @classmethod
    def of(cls, model: "Model", *, missing: bool = True, values: bool = False) -> "RuleSet":
        """The rules of a model; see `Model.rules`."""
        missing = missing and not model.growth.on_missing.refused
        schema, classes, unseen = model.schema, model.classes, model.never_missing
        known = isinstance(model.provenance.get("missing"), list | tuple)
        rules = extract(
            model.tree,
            schema,
            None if classes is None else classes.tolist(),
            model.census,
            missing=missing,
            values=values,
            never_missing=unseen,
            votes=model.decided,
            ordered=model.edits.orders,
            decision=model.decision,
            shares=None if classes is None else model.shares,
        )
        names = tuple(schema.names[j] for j in sorted(unseen)) if known else None
        about: dict[str, Any] = {"missing": missing, "never_missing": names, "complete": True}
        about |= {"decision": model.decision}
        return cls(rules, schema, classes, **about)

    @property
    def unseen_columns(self) -> frozenset[int]:
        """The columns that had no missing value in training, as far as is known."""
        names = self.schema.names
        return frozenset(names.index(name) for name in self.never_missing or ())

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, index: int) -> Rule:
        return self.rules[index]

    def __repr__(self) -> str:
        kind = "decision list" if self.ordered else "rules"
        return f"<RuleSet: {kind}, {len(self)} terms, {self.n_conditions} conditions>"

    @property
    def n_conditions(self) -> int:
        """Number of conditions of all rules together."""
        return sum(len(rule.conditions) for rule in self.rules)

    @property
    def meanings(self) -> list[str]:
        """What the derived columns mean that some rule asks for."""
        return meanings(self.schema, {c.column for rule in self.rules for c in rule.conditions})

    @property
    def deciding(self) -> list[str]:
        """How answers were decided, in sentences; none where they are the heaviest classes."""
        return [] if self.classes is None else self.decision.say(self.classes.tolist())

    def answers(self) -> list[Any]:
        """What the rules can answer: the classes that have a rule, or the numbers."""
        if self.classes is None:
            return list(dict.fromkeys(rule.answer for rule in self.rules))
        given = {rule.answer for rule in self.rules}
        return [label for label in self.classes.tolist() if label in given]

    def of_answer(self, answer: Any) -> tuple[Rule, ...]:
        """The rules for one class."""
        known = self.answers() if self.classes is None else self.classes.tolist()
        if answer not in known:
            raise ParameterError(
                f"There are no rules for {answer!r}; the answers are {known[:20]}."
                + did_you_mean(answer, known)
            )
        return tuple(rule for rule in self.rules if rule.answer == answer)

    # Applying ---------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Answer rows by the rules: what the model would predict.

        Parameters
        ----------
        X : table
            Anything that the model's `predict` takes.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels or numbers.
        """
        frame = self._read(X)
        found = first_rule(self.rules, frame)
        if self.default is None and (found < 0).any():
            row = frame.table.row(int(np.argmin(found)))
            raise DataError(f"No rule holds for row {row} of X, and there is no default.")
        answers = [*(rule.answer for rule in self.rules), self.default]
        if self.classes is None:
            return np.array(answers[: len(self.rules)], dtype=np.float64)[found]
        place = {label: k for k, label in enumerate(self.classes.tolist())}
        labels: NDArray[Any] = self.classes[[place.get(answer, -1) for answer in answers]][found]
        return labels

    def matching(self, X: Any) -> NDArray[np.intp]:
        """The number of the first rule that holds for each row; -1 where none does."""
        return first_rule(self.rules, self._read(X))

    def measured(self, X: Any, y: Any) -> "RuleSet":
        """The same rules with their support and confidence counted on given rows.

        Parameters
        ----------
        X, y : table, sequence
            Rows and what is true of them. A row counts for every rule that holds for it; in a
            decision list for the first.

        Returns
        -------
        RuleSet
            Support: rows for which the rule holds. Confidence: the share of them for which its
            answer is true; None for numbers and rules that hold for no row.
        """
        frame, truth = self._read(X), np.asarray(y)
        if truth.shape != (frame.n_rows,):
            raise DataError(f"X has {frame.n_rows} rows, but y has the shape {truth.shape}.")
        masks, found = Masks(frame), []
        first = first_rule(self.rules, frame) if self.ordered else None
        for number, rule in enumerate(self.rules):
            holds = masks.rule(rule) if first is None else first == number
            support, confidence = int(np.count_nonzero(holds)), None
            if support and self.classes is not None:
                confidence = float(np.mean(truth[holds] == rule.answer))
            found.append(replace(rule, support=float(support), confidence=confidence))
        return replace(self, rules=tuple(found))

    def _read(self, X: Any) -> Frame:
        refused = not self.missing
        return Frame.read(X, self.schema, refuse_missing=refused, owner="this set of rules")

    # Shorter, and compared --------------------------------------------------------------------

    def simplify(
        self,
        *,
        use_unseen: bool | Sequence[str] = False,
        decision_list: bool = False,
        exact: int = 1000,
        work: float = WORK,
    ) -> "RuleSet":
        """Fewer and shorter rules for the same decisions, proved equal before they are returned.

        Conditions on a column are merged, rules absorbed and united, conditions dropped that the
        rest makes redundant. Where the work allows, the number of rules of a class is the least
        possible (and that of conditions, among those); `report` says where that is proved, and
        where the work ran out. The same call gives the same rules on every machine.

        Parameters
        ----------
        use_unseen : bool or sequence of str, default=False
            Leave open what the rules say outside the declared domain: cases with a missing value,
            or a level that the model does not know, in a column that had neither in training. A
            sequence names the columns. Levels that are declared stay decided, seen or not.
        decision_list : bool, default=False
            Order the rules so that the first that holds decides, with a default at the end; this
            is often shorter still.
        exact : int, default=1000
            For classes of at most so many rules, first try to find the least number there is. That
            is given up if it is too much work, which with many rules on numbers it will be.
        work : float, default=10_000_000
            Steps after which what is found so far is taken; a step is about one look at one rule,
            and a few million of them take a second. ``math.inf`` is without a limit.

        Returns
        -------
        RuleSet
            With a `report`. Support and confidence are kept where a rule stands for whole leaves.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> X = [[a, b] for a in (0, 1) for b in (0, 1)]
        >>> tree = DecisionTreeClassifier(missing="error").fit(X, ["no", "yes", "yes", "yes"])
        >>> print(tree.model_.rules().simplify().to_dnf(ascii=True))
        no: (x0 <= 0.5 and x1 <= 0.5)
        yes: (x0 > 0.5) or (x1 > 0.5)
        """
        return simplified(
            self,
            unseen=self._unseen(use_unseen),
            decision_list=decision_list,
            exact=exact,
            work=allowed(work),
        )

    def equivalent_to(self, other: Any, *, values: bool = False) -> Equivalence:
        """Decide whether two models give the same answer to every case there can be.

        The whole space is compared, by boxes: every number, infinities, every level, missing and
        unknown values. Columns are matched by name.

        Parameters
        ----------
        other : RuleSet, Model, Tree, or a fitted estimator
            What to compare with. A tree is read with the columns and classes of these rules.
        values : bool, default=False
            Compare class shares, not only classes.

        Returns
        -------
        Equivalence
            True or false, with a counterexample: `point` and the two `answers` to it.

        Examples
        --------
        >>> from bosco import DecisionTreeClassifier
        >>> X, y = [[1.0], [2.0], [4.0]], ["a", "b", "b"]
        >>> one = DecisionTreeClassifier().fit(X, y).model_
        >>> other = DecisionTreeClassifier(threshold="observed").fit(X, y).model_
        >>> print(one.rules().equivalent_to(other))
        different, for example at x0 = 1.5: 'a' against 'b'
        """
        return compare(self, self._rules_of(other), values=values)

    def _rules_of(self, other: Any) -> "RuleSet":
        if isinstance(other, RuleSet):
            return other
        if isinstance(other, Tree):
            classes = None if self.classes is None else self.classes.tolist()
            read = extract(other, self.schema, classes, missing=self.missing)
            return replace(self, rules=read, default=None, ordered=False, complete=True)
        wanted = "Rules are compared with a RuleSet, a Model, a Tree or a fitted estimator."
        rules: RuleSet = model_of(other, wanted).rules()
        return rules

    def _unseen(self, use_unseen: bool | Sequence[str]) -> tuple[str, ...]:
        if use_unseen is False:
            return ()
        if use_unseen is True:
            if self.never_missing is None:
                raise ParameterError(
                    "use_unseen=True needs to know which columns had no missing value in training, "
                    "and this model does not say. Hint: name the columns, use_unseen=['age', …]."
                )
            return self.never_missing
        names = [use_unseen] if isinstance(use_unseen, str) else list(use_unseen)
        for name in names:
            if name not in self.schema.names:
                raise ParameterError(
                    f"use_unseen names the column {name!r}, which there is not."
                    + did_you_mean(name, self.schema.names)
                )
        return tuple(names)

    # Reading ----------------------------------------------------------------------------------

    to_text = write.to_text
    to_dnf = write.to_dnf
    to_markdown = write.to_markdown
    to_latex = write.to_latex
    to_dict = write.to_dict
    to_excel = excel.to_excel

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a report shows of it: one row a rule."""
        kind = tr("Rules")
        if self.ordered:
            kind = tr("Decision list, the first rule that holds decides")
        size = {"n": len(self), "conditions": self.n_conditions}
        caption = f"{kind}: {tr('{n} rules, {conditions} conditions', **size)}"
        if note := write.unseen_note(self):
            caption += f". {note}"
        if any(rule.support is None for rule in self):
            said = tr("Of a rule without figures only rows can tell how many it holds for.")
            caption = f"{caption.removesuffix('.')}. {said}"
        return (Table(write.heads(), write.cells(self), caption),)
