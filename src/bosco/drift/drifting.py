"""What is found when counted rows are compared with what a model remembers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from bosco.base.language import phrase, tr, trn
from bosco.base.visible import visible
from bosco.drift import shifts
from bosco.drift.periods import Period, named, period_of, shown, welch
from bosco.drift.watching import Errors, Watch, leaf_groups
from bosco.figures.intervals import holm
from bosco.render.html import Shown, Table

What = Literal["shift", "missing", "range", "levels", "leaves", "error"]

ALPHA = 0.01
"""How seldom something is found by chance, among all that is looked at."""

LEAST = 0.01
"""A shift of shares that is smaller, by the population stability index, is not told."""

_NAMED = 5  # unknown levels that are named

_WORDS = {
    "shift": phrase("other values"),
    "missing": phrase("missing values"),
    "range": phrase("out of range"),
    "levels": phrase("unknown levels"),
    "leaves": phrase("other leaves"),
    "error": phrase("other error"),
}


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was compared.

    Attributes
    ----------
    what : {"shift", "missing", "range", "levels", "leaves", "error"}
        Shares of values; share of missing values; values outside the range of the training rows;
        levels that the model does not know; shares of leaves; the error of a period, against all
        other periods.
    where : str
        The column, or the period; empty for leaves.
    then, now : float
        Shares of rows: missing, outside, unknown. Of an error, that of all others, and its own. Of
        a shift and of leaves, 0 and the population stability index.
    p, p_holm : float
        How likely this is by chance: alone, and adjusted by Holm for all that was compared.
    found : bool
        Whether it is told: `p_holm` is below the level asked for, and the shift large enough.
    note : str
        What else is known: the range, the levels.
    shares : bool
        Whether `then` and `now` are shares; an error may be of numbers.
    """

    what: What
    where: str
    then: float
    now: float
    p: float
    p_holm: float = 1.0
    found: bool = False
    note: str = ""
    shares: bool = True

    @property
    def said(self) -> str:
        """In a line."""
        where = f"{_where(self)}: " if self.where else ""
        if self.what in ("shift", "leaves"):
            figure = tr("PSI {psi:.2f}", psi=self.now)
        elif self.what == "error":
            figure = tr("{now}, elsewhere {then}", **self._shown)
        else:
            figure = tr("{now} of the rows, {then} in training", **self._shown)
        note = f" ({self.note})" if self.note else ""
        return f"{where}{_WORDS[self.what]()}, {figure}{note}"

    @property
    def _shown(self) -> dict[str, str]:
        return {
            "then": shown(self.then, self.shares),
            "now": shown(self.now, self.shares),
        }

    def row(self) -> list[object]:
        """In a table: where, what, then, now, p, note."""
        figures, note = self._shown, self.note
        if self.what in ("shift", "leaves"):
            figures = {"then": "", "now": tr("PSI {psi:.2f}", psi=self.now)}
        if self.what == "error":  # "then" is in training
            figures = {"then": "", "now": figures["now"]}
            note = tr("elsewhere {then}", then=self._shown["then"])
        where = _where(self) or tr("leaves")
        return [where, _WORDS[self.what](), *figures.values(), f"{self.p_holm:.3g}", note]


@dataclass(frozen=True, slots=True)
class Drift(Shown):
    """What became of rows that were compared with those a model learned from; ``print`` it.

    Attributes
    ----------
    rows, remembered : int
        Rows that came in, and training rows.
    looks : tuple of Look
        All that was compared.
    periods : tuple of Period
        Where the truth was given: how wrong the model was, by month.
    alpha : float
        The chance that anything is found in rows from the same source, at most.
    untold : int
        Rows of which the truth was asked for and is not known: none, or no class of the model.
    looked, equal : int
        Of those with the truth, how many can be told from training rows, and how many equal one:
        errors on these say nothing of how good the model is.

    Examples
    --------
    >>> print(Drift(100, 1000, (), (), 0.01))
    100 rows look like the 1,000 training rows: 0 comparisons, corrected for their number.
    """

    rows: int
    remembered: int
    looks: tuple[Look, ...]
    periods: tuple[Period, ...]
    alpha: float
    untold: int = 0
    looked: int = 0
    equal: int = 0

    @property
    def found(self) -> tuple[Look, ...]:
        """What is unlike the training rows, the surest first."""
        return tuple(sorted((one for one in self.looks if one.found), key=lambda one: one.p_holm))

    @property
    def quiet(self) -> bool:
        """Whether nothing was found."""
        return not self.found

    @property
    def line(self) -> str:
        """All of it in one line."""
        rows, then, looks = f"{self.rows:,}", f"{self.remembered:,}", len(self.looks)
        if self.quiet:
            return trn(
                "{n} row looks like the {then} training rows: {looks} comparisons, corrected for "
                "their number.",
                "{n} rows look like the {then} training rows: {looks} comparisons, corrected for "
                "their number.",
                rows,
                then=then,
                looks=looks,
            )
        return trn(
            "{n} row does not look like the {then} training rows: {found} in {looks} comparisons, "
            "corrected for their number.",
            "{n} rows do not look like the {then} training rows: {found} in {looks} comparisons, "
            "corrected for their number.",
            rows,
            then=then,
            found=trn("{n} finding", "{n} findings", len(self.found)),
            looks=looks,
        )

    def __str__(self) -> str:
        told = [one.said for one in self.found] + [one.said for one in self.periods] + self.notes
        return "\n".join([self.line, *(f"  {one}" for one in told)])

    @property
    def notes(self) -> list[str]:
        """What is to be known of the errors, in sentences."""
        said = []
        if self.untold:
            said.append(
                trn(
                    "{n} row is in no error: what is true of it is missing, or unknown to the "
                    "model.",
                    "{n} rows are in no error: what is true of them is missing, or unknown to the "
                    "model.",
                    f"{self.untold:,}",
                )
            )
        if self.equal:
            said.append(
                trn(
                    "{n} of {all:,} rows equals a training row: the error there is no test.",
                    "{n} of {all:,} rows equal training rows: the error there is no test.",
                    f"{self.equal:,}",
                    all=self.looked,
                )
            )
        return said

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "quiet": self.quiet,
            "rows": self.rows,
            "remembered": self.remembered,
            "alpha": self.alpha,
            "untold": self.untold,
            "looked": self.looked,
            "equal": self.equal,
            "looks": [{name: getattr(one, name) for name in one.__slots__} for one in self.looks],
            "periods": [
                {name: _plain(getattr(one, name)) for name in one.__slots__} for one in self.periods
            ],
        }

    def tables(self) -> tuple[Table, ...]:
        """What a notebook or a page shows of it."""
        heads = [tr("where"), tr("what"), tr("then"), tr("now"), "p (Holm)", ""]
        order = sorted(self.looks, key=lambda one: (not one.found, one.p_holm, one.p))
        rows = [one.row() for one in order]
        caption = tr(
            "All that was compared: shares of rows, then (in training) and now; of other values "
            "and leaves the population stability index. Bold is what was found: p below {alpha:g}, "
            "and an index of {least:g} at least",
            alpha=self.alpha,
            least=LEAST,
        )
        found = [Table(heads, rows, caption, bold=tuple(range(len(self.found))))]
        if self.periods:
            ends = [tr("from", "interval"), tr("to")]
            heads = [tr("period"), tr("rows"), tr("error"), *ends]
            if self.periods[0].cost is not None:
                heads += [tr("cost of a row"), *ends]
            months = [one.row() for one in self.periods]
            found.append(Table(heads, months, tr("How wrong the model was, with 95 % intervals")))
        return tuple(found)


def compared(watch: Watch, alpha: float = ALPHA) -> Drift:
    """Compare what came in with what is remembered."""
    looks = [*_columns(watch), *_leaves(watch), *_errors(watch)]
    adjusted = holm(np.array([one.p for one in looks])) if looks else ()
    told = []
    for one, p in zip(looks, adjusted, strict=True):
        large = one.what not in ("shift", "leaves") or one.now >= LEAST
        told.append(replace(one, p_holm=float(p), found=bool(p < alpha and large)))
    periods = tuple(period_of(watch, name, errors) for name, errors in sorted(watch.errors.items()))
    equal = watch.n_untold, watch.n_looked, watch.n_equal
    return Drift(watch.n_rows, watch.sketch.n_rows, tuple(told), periods, alpha, *equal)


def _columns(watch: Watch) -> Iterator[Look]:
    n, m = watch.sketch.n_rows, watch.n_rows
    schema = watch.model.schema
    for j, now in sorted(watch.counts.items()):
        then, column = watch.sketch.columns[j], schema.columns[j]
        name = column.name
        p = shifts.same_shares(then.rows, now.rows)
        yield Look("shift", name, 0.0, shifts.psi(then.rows, now.rows), p)
        p = shifts.same_share(then.missing, n, now.missing, m)
        yield Look("missing", name, then.missing / n, now.missing / m, p)
        if then.levels is None and np.isfinite(then.high):
            known = int(then.rows.sum()), int(now.rows.sum())
            sides = [shifts.beyond(k, *known) for k in (now.below, now.above)]
            low, high = (schema.show_value(j, x) for x in (then.low, then.high))
            note = tr("training lay within {low} to {high}", low=low, high=high)
            yield Look("range", name, 0.0, now.outside / m, min(1.0, 2 * min(sides)), note=note)
        elif then.levels is not None:
            p = shifts.unseen(now.unknown, then.once, n, m)
            some = ", ".join(map(visible, list(now.names)[:_NAMED]))
            yield Look("levels", name, 0.0, now.unknown / m, p, note=some)


def _leaves(watch: Watch) -> Iterator[Look]:
    found = leaf_groups(watch.model, watch.sketch.n_rows)
    if found is None or watch.leaves is None:
        return
    group, then = found
    now = np.bincount(group, weights=watch.leaves, minlength=len(then)).astype(np.int64)
    some = (then + now) > 0
    if np.count_nonzero(some) > 1:
        p = shifts.same_shares(then[some], now[some])
        yield Look("leaves", "", 0.0, shifts.psi(then[some], now[some]), p)


def _errors(watch: Watch) -> Iterator[Look]:
    """Each period against all others."""
    if len(watch.errors) < 2:
        return
    for name, own in sorted(watch.errors.items()):
        rest = Errors()
        for other, errors in watch.errors.items():
            if other != name:
                rest = Errors(
                    rest.rows + errors.rows,
                    rest.total + errors.total,
                    rest.squares + errors.squares,
                )
        then, now = rest.total / rest.rows, own.total / own.rows
        if watch.model.classes is None:
            p = welch(rest, own)
        else:
            p = shifts.same_share(round(rest.total), rest.rows, round(own.total), own.rows)
        yield Look("error", name, then, now, p, shares=watch.model.classes is not None)


def _where(look: Look) -> str:
    """The column, or the period, in words."""
    return named(look.where) if look.what == "error" else visible(look.where)


def _plain(value: Any) -> Any:
    """A value that JSON can hold: an end that is not known, of one row, is nothing."""
    if isinstance(value, tuple):
        return list(map(_plain, value))
    return None if isinstance(value, float) and not np.isfinite(value) else value
