"""What is said of policies: proved, broken by a case, or undecided and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from bosco.base.language import phrase, tr, trn
from bosco.base.numerals import show_number
from bosco.base.visible import visible
from bosco.data.schema import show_label
from bosco.render.card import count, quote

Outcome = Literal["proved", "breach", "undecided"]
Method = Literal["empty", "unasked", "boxes", "votes"]
Reason = Literal["work", "derived"]

_WHY = {
    "work": phrase("that takes more work than is allowed"),
    "derived": phrase(
        "some combinations of derived columns would break it, and no case was found that has them"
    ),
}
_HEADS = {
    "proved": phrase("proved: {policy}"),
    "breach": phrase("BREACH: {policy}"),
    "undecided": phrase("undecided: {policy}"),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one policy; true if it is proved. ``print`` it.

    Attributes
    ----------
    policy : str
        The sentence.
    outcome : {"proved", "breach", "undecided"}
        Proved: no case breaks it. Breach: the cases below do, as the model itself answered.
    cases : tuple of dict
        A case that breaks the policy, by column name; two where the policy compares two.
    answers : tuple
        What the model says to them.
    columns : tuple of str
        The columns whose values decide the answers, or that the policy names; the others are in the
        cases as well, with any value.
    differ : tuple of str
        The columns in which the two cases may differ.
    up : bool
        Whether the second case has more of that column.
    rows, rows_in_all, first_row : int or None
        How many of the given rows are concerned, of how many, and the number of the first, counted
        from 0. Of a policy that compares two cases: rows that have a twin, a case that differs in
        these columns only, with which they break it.
    rows_exact : bool
        Whether these are all; if not, there are so many at least.
    reason : {"work", "derived"} or None
        Why it is undecided.
    method : {"empty", "unasked", "boxes", "votes"}
        How it was decided: no case meets the conditions; the model does not ask for the columns;
        by the boxes of its rules in the region; by bounds on the votes of its trees.
    looked : int
        How many boxes of the region were compared, or how many leaves the trees have.
    missing : bool
        Whether cases with missing values are among those that were looked at.
    work : int
        Steps that were made; the same on every machine.

    Examples
    --------
    >>> bool(Verdict("never denied", "proved")), bool(Verdict("never denied", "undecided"))
    (True, False)
    """

    policy: str
    outcome: Outcome
    cases: tuple[dict[str, Any], ...] = ()
    answers: tuple[Any, ...] = ()
    columns: tuple[str, ...] = ()
    differ: tuple[str, ...] = ()
    up: bool = False
    rows: int | None = None
    rows_in_all: int | None = None
    first_row: int | None = None
    rows_exact: bool = True
    reason: Reason | None = None
    method: Method = "boxes"
    looked: int = 0
    missing: bool = True
    work: int = 0

    def __bool__(self) -> bool:
        return self.outcome == "proved"

    def __str__(self) -> str:
        lines = [_HEADS[self.outcome](policy=visible(self.policy))]
        if self.reason is not None:
            lines.append(_WHY[self.reason]())
        if self.cases:
            lines.append(self._say_cases())
        if self.rows is not None and self.outcome == "breach":
            lines.append(self._say_rows())
        if self.outcome == "proved":
            lines.append(self._say_space())
            if self.differ and not self.up and self.method != "empty":
                lines.append(
                    tr(
                        "of direct influence: other columns may stand for {columns}",
                        columns=self._say_differ(),
                    )
                )
        return "\n  ".join(lines)

    def _say_cases(self) -> str:
        first = self.cases[0]
        common = [name for name in self.columns if name not in self.differ]
        with_these = ", ".join(_say(name, first[name]) for name in common)
        if len(self.cases) == 1:
            return f"{with_these or tr('always')} → {_show(self.answers[0])}"
        pair = [
            f"{', '.join(_say(name, case[name]) for name in self.differ)} → {_show(answer)}"
            for case, answer in zip(self.cases, self.answers, strict=True)
        ]
        both = tr("{first}, but {second}", first=pair[0], second=pair[1])
        return tr("{both}, with {case}", both=both, case=with_these) if common else both

    def _say_rows(self) -> str:
        n, rows = f"{self.rows:,}", count(f"{self.rows_in_all:,}", "row")
        said = trn("{n} of {rows} is concerned", "{n} of {rows} are concerned", n, rows=rows)
        if not self.rows_exact:
            said = tr("at least {n} of {rows} are concerned", n=n, rows=rows)
        if self.first_row is None:
            return said
        return tr("{said}, the first is row {row}, counted from 0", said=said, row=self.first_row)

    def _say_space(self) -> str:
        if self.method == "empty":
            return tr("no case meets these conditions")
        if self.method == "unasked":
            return tr("the model does not ask for {columns}", columns=self._say_differ())
        if not self.missing:
            space = tr("over all cases without missing values, which the model refuses")
        elif self.differ:
            space = tr(
                "over all cases in which {columns} is known, missing values of other columns "
                "included",
                columns=self._say_differ(),
            )
        else:
            space = tr("over all cases, missing values included")
        steps = trn("{n} step", "{n} steps", f"{self.work:,}")
        if self.method == "boxes":
            how = trn("{n} box", "{n} boxes", f"{self.looked:,}")
        else:
            how = trn("{n} leaf", "{n} leaves", f"{self.looked:,}")
        return tr("{space}: {how} compared in {steps}", space=space, how=how, steps=steps)

    def _say_differ(self) -> str:
        return ", ".join(map(visible, self.differ))

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold, but for the cases, which are as one would type them."""
        return {
            "policy": self.policy,
            "outcome": self.outcome,
            "reason": self.reason,
            "cases": list(self.cases),
            "answers": list(self.answers),
            "differ": list(self.differ),
            "rows": self.rows,
            "rows_in_all": self.rows_in_all,
            "rows_exact": self.rows_exact,
            "first_row": self.first_row,
            "method": self.method,
            "looked": self.looked,
            "missing": self.missing,
            "work": self.work,
        }


@dataclass(frozen=True, slots=True)
class Checks:
    """What became of some policies, one `Verdict` each; true if all are proved. ``print`` it.

    Attributes
    ----------
    verdicts : tuple of Verdict
        In the order of the policies.

    Examples
    --------
    >>> checks = Checks((Verdict("never denied", "proved"), Verdict("never granted", "undecided")))
    >>> bool(checks), len(checks.of("proved"))
    (False, 1)
    """

    verdicts: tuple[Verdict, ...]

    def __bool__(self) -> bool:
        return all(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __getitem__(self, index: int) -> Verdict:
        return self.verdicts[index]

    def of(self, outcome: Outcome) -> tuple[Verdict, ...]:
        """Those with one outcome."""
        return tuple(verdict for verdict in self.verdicts if verdict.outcome == outcome)

    def __str__(self) -> str:
        lines = list(map(str, self.verdicts))
        if len(lines) > 1:
            lines.append(
                tr(
                    "{proved} proved, {broken} broken, {undecided} undecided",
                    proved=len(self.of("proved")),
                    broken=len(self.of("breach")),
                    undecided=len(self.of("undecided")),
                )
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold, but for the cases, which are as one would type them."""
        return {"proved": bool(self), "policies": [one.to_dict() for one in self.verdicts]}


def _say(name: str, value: Any) -> str:
    return f"{visible(name)} = {_show_value(value)}"


def _show_value(value: Any) -> str:
    if value is None:
        return tr("missing")
    if isinstance(value, float):
        return show_number(value)
    return quote(value) if isinstance(value, str | bool | int) else visible(str(value))


def _show(answer: Any) -> str:
    return show_label(answer)
