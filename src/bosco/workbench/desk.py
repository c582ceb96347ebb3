"""The one draft that is open: its lock, its version, its file.

An act is checked, done, saved and answered, in this order and by one at a time; an act that cannot
be saved does not stand. So whoever kills the server loses nothing that was answered.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from bosco import _core
from bosco.base.language import spoken
from bosco.drafts.change import Change
from bosco.drafts.draft import Draft
from bosco.drafts.figures import Figures, figures_of
from bosco.errors import BoscoError, ModelError, ParameterError
from bosco.figures.curved import Curves
from bosco.tree.edits import Entry
from bosco.workbench.doing import Body, node_of, perform, test_of
from bosco.workbench.figuring import automatic
from bosco.workbench.nodes import Sight
from bosco.workbench.opening import Opening

UNCHANGING = frozenset({"automatic", "compare", "consider", "curves", "final"})
"""Entries of the log that leave the draft as it was: acts made before them still fit."""


# Errors are called by what happened, as `except Stale` reads.
class Stale(BoscoError):  # noqa: N818
    """An act that was made on a state that is no longer there."""

    def __init__(self, since: tuple[Entry, ...]) -> None:
        super().__init__(
            "The draft was changed meanwhile, in another tab perhaps. Nothing was done: look at "
            "what changed, and decide again."
        )
        self.since = since


class Desk:
    """A draft on a desk, or a table on its way to one.

    Parameters
    ----------
    draft : Draft or None
        The draft, if there is one already.
    keep : path, optional
        Where its log is written after every act; None: nowhere.
    title : str
        What the page is called.
    table : str
        The table, as the user wrote it; for commands that do it again.
    opening : Opening, optional
        How a draft is to be opened, if there is none.
    """

    def __init__(
        self,
        draft: Draft | None,
        keep: Path | None = None,
        title: str = "",
        opening: Opening | None = None,
        table: str = "",
    ) -> None:
        self.table = table or title
        self._draft, self.keep, self.title, self.opening = draft, keep, title, opening
        self.alone = True  # whether the page may end the server
        self.lock = RLock()
        self._sight: tuple[str, Sight] | None = None
        self._automatic: Figures | None = None
        self._slow = RLock()

    @property
    def draft(self) -> Draft:
        """The draft; refused where none is opened."""
        if self._draft is None:
            raise ParameterError("No draft is open yet.")
        return self._draft

    @property
    def is_open(self) -> bool:
        """Whether there is a draft."""
        return self._draft is not None

    @property
    def version(self) -> str:
        """The hash of the last entry of the log; empty before there is one."""
        return "" if self._draft is None else str(self._draft.log[-1]["hash"])

    def ask(self, body: Body) -> Opening:
        """Change how the draft is to be opened; with ``open`` true, open it. Both are kept."""
        opening = self.opening
        if self._draft is not None or opening is None:
            raise ParameterError("The draft is open already.")
        before = opening.asked
        opening.asked = before.changed(body)
        try:
            if body.get("open") is True:
                made = opening.draft()
                if self.keep is not None:
                    made.save(self.keep)
                self._draft, self.opening = made, None  # and the table as it was read goes
                _core.give_back()
            elif self.keep is not None:
                opening.save(self.keep)
        except BaseException:
            opening.asked = before
            raise
        return opening

    def sight(self) -> Sight:
        """What is looked up of the draft as it is now, in the language that is spoken."""
        if (
            self._sight is None
            or self._sight[0] != spoken()
            or self._sight[1].state is not self.draft.state
        ):
            self._sight = spoken(), Sight(self.draft)
        return self._sight[1]

    # Acts -----------------------------------------------------------------------------------------

    def act(self, body: Body) -> Change:
        """Do an act of the page, made on the version that it names."""
        with self._made_on(body):
            return perform(self.draft, body)

    def sign(self, body: Body) -> None:
        """Change the name that the next entries of the log have; nothing else changes."""
        who = body.get("who")
        if who is not None and (not isinstance(who, str) or len(who) > 200):
            raise ParameterError("who must be a name of at most 200 characters.")
        with self.lock:
            self.draft.who = who or None

    def consider(self, body: Body) -> Change:
        """Tell what a test would change; the look is counted."""
        with self._made_on(body):
            given = {} if body.get("test") == "best" else test_of(self.draft, body.get("test"))
            return self.draft.consider(node_of(self.draft, body), **given)

    def curves(self, body: Body) -> Curves:
        """The curves of a class on validation rows; the look is counted."""
        with self._made_on(body):
            return self.draft.curves(body.get("positive"))

    def final(self, body: Body) -> Any:
        """Look at the test part; the look is counted."""
        with self._made_on(body):
            return self.draft.final()

    def automatic(self) -> Figures:
        """The figures of the automatic tree; the first time it is a look, and counted."""
        with self._slow:
            if self._automatic is None:
                model = self.draft.automatic  # may take long: acts go on meanwhile
                with self.lock:
                    if any(entry["verb"] == "automatic" for entry in self.draft.log):
                        self._automatic = figures_of(self.draft.ground, model)
                    else:
                        with self._kept():
                            found = self.draft.judge_automatic()
                        self._automatic = found
                _core.give_back()  # what a large tree took while it grew
            return self._automatic

    def known_automatic(self) -> dict[str, Any] | None:
        """The same, if it was asked for before."""
        found = self._automatic
        return None if found is None else automatic(self.draft, found)

    @contextmanager
    def _made_on(self, body: Body) -> Iterator[None]:
        """Inside, an act is done on the version that it was made on; then it is kept."""
        with self.lock:
            self._require_fresh(body.get("version"))
            with self._kept():
                yield

    @contextmanager
    def _kept(self) -> Iterator[None]:
        with self.draft.whole():
            yield
            if self.keep is not None:
                self.draft.save(self.keep)

    def _require_fresh(self, version: Any) -> None:
        log = self.draft.log
        for at in range(len(log) - 1, -1, -1):
            if log[at]["hash"] == version:
                return
            if log[at]["verb"] not in UNCHANGING:
                break
        known = [at for at, entry in enumerate(log) if entry["hash"] == version]
        if not isinstance(version, str):
            raise ModelError("An act names the version that it was made on.")
        raise Stale(log[known[0] + 1 :] if known else log[-1:])
