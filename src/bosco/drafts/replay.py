"""A log, done again on its table: the same states, or where they differ."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isclose
from typing import Any

from bosco.base.language import tr
from bosco.drafts.draft import Draft
from bosco.drafts.ground import Ground, require_tree
from bosco.drafts.log import Log, estimator_from, load_log, require_opening, require_table
from bosco.errors import BoscoError, ModelError
from bosco.tree.edits import Entry, require_chain


@dataclass(frozen=True, slots=True, eq=False)
class Replayed:
    """What came of doing a log again; ``print`` it.

    Attributes
    ----------
    draft : Draft
        The draft, with the log as it was if all is the same; as far as it went if not.
    entries : int
        How many entries the log has.
    differs : int or None
        The first entry that came out otherwise; None: none did.
    where : str
        What differs there.
    """

    draft: Draft
    entries: int
    differs: int | None = None
    where: str = ""

    @property
    def same(self) -> bool:
        """Whether every state has the same bits."""
        return self.differs is None

    def __str__(self) -> str:
        if self.same:
            last = self.draft.state.digest()[:16]
            return tr(
                "same bits: {n} entries, the tree and every state on the way ({last})",
                n=self.entries,
                last=last,
            )
        return tr("differs at entry {n}: {where}", n=self.differs, where=self.where)


def replay(
    log: str | os.PathLike[str] | Sequence[Entry],
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    groups: Any = None,
    date: Any = None,
) -> Replayed:
    """Do a log again on its table, and compare.

    Parameters
    ----------
    log : path, or sequence of entries
        A file of `Draft.save`, a model file that holds a log, or the log itself.
    X, y, sample_weight
        The table that the draft was opened with; another is refused.
    groups, date
        What they were, if they were given as values and not as the name of a column.

    Returns
    -------
    Replayed
        Whether all is the same, and the draft, which can be gone on with.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans(), who="Ada")
    >>> change = draft.grow()
    >>> bosco.replay(draft.log, *loans()).same
    True
    """
    entries: Log = load_log(log) if isinstance(log, str | os.PathLike) else tuple(log)
    require_chain(entries)
    opening = require_opening(entries)[0]
    ground = _opened(opening, X, y, sample_weight, groups, date)
    require_table(ground, opening)
    clock = _times(entries)
    draft = Draft(
        ground, who=opening.get("who"), reasons=opening["reasons"], clock=lambda: next(clock)
    )
    for number, entry in enumerate(entries):
        if number:
            try:
                draft.apply(entry["act"], entry.get("reason") or "")
            except (BoscoError, LookupError, TypeError, ValueError, AttributeError) as error:
                return Replayed(draft, len(entries), number, f"{entry.get('verb')}: {error}")
        where = _difference(draft, entry)
        if where:
            return Replayed(draft, len(entries), number, where)
    return Replayed(_going_on(draft, entries), len(entries))


def load_draft(path: str | os.PathLike[str], X: Any, y: Any, *args: Any, **how: Any) -> Draft:
    """Open a saved draft on its table, to go on with it.

    Parameters
    ----------
    path : str or path
        A file of `Draft.save`, or a model file that holds a log.
    X, y, *args, **how
        The table, and what else `replay` takes.

    Returns
    -------
    Draft
        As it was when it was saved; one that comes out otherwise is refused.

    Examples
    --------
    >>> import bosco, pathlib, tempfile
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
    >>> change = draft.grow()
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "loans.draft"
    >>> draft.save(path)
    >>> bosco.load_draft(path, *loans()).undo().leaves[1]
    1
    """
    replayed = replay(path, X, y, *args, **how)
    if not replayed.same:
        raise ModelError(f"The draft cannot be gone on with: done again, it {replayed}.")
    return replayed.draft


def _opened(opening: Entry, X: Any, y: Any, sample_weight: Any, groups: Any, date: Any) -> Ground:
    parts = opening["parts"]
    how = {name: parts[name] for name in ("validation", "test")}
    for name, given in (("groups", groups), ("date", date)):
        if name in parts:
            if parts[name] is None and given is None:
                raise ModelError(f"The draft was opened with {name} of its own: give them again.")
            how[name] = given if parts[name] is None else parts[name]
            how["learn_parting"] = "left_out" not in parts
    estimator = require_tree(estimator_from(opening["estimator"]))
    return Ground(estimator, X, y, sample_weight, seed=parts.get("seed", 0), **how)


def _times(entries: Log) -> Iterator[datetime]:
    for entry in entries:
        try:
            yield datetime.fromisoformat(entry["when"])
        except (KeyError, TypeError, ValueError):
            raise ModelError("An entry of the log does not say when it was made.") from None
    while True:
        yield datetime.now(UTC)


def _difference(draft: Draft, entry: Entry) -> str:
    """What an entry says, and what came of it here; empty: the same."""
    own = draft.log[-1]
    verb = entry.get("verb")
    if own["state"] != entry.get("state"):
        return f"{verb}: the tree is {own['state'][:16]}…, and was {str(entry['state'])[:16]}…"
    if not _alike(own.get("figures"), entry.get("figures")):
        return f"{verb}: the figures are {own.get('figures')}, and were {entry.get('figures')}"
    return ""


def _alike(a: Any, b: Any) -> bool:
    """Whether plain values are the same; intervals may differ by rounding of other libraries.

    A log of an older version may tell less, such as no costs of rows.
    """
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() >= b.keys() and all(_alike(a[key], b[key]) for key in b)
    if isinstance(a, float) and isinstance(b, float):
        return isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return bool(a == b)


def _going_on(draft: Draft, entries: Log) -> Draft:
    """The draft with the log as it was: of another version of bosco, say."""
    draft.keep_log(entries)
    return draft
