"""`bosco.open`: a draft of Python's in the browser, or in a notebook."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bosco.base.language import spoken, tr
from bosco.drafts.draft import Draft
from bosco.errors import ParameterError
from bosco.render.html import fill

HEIGHT = 760


@dataclass(frozen=True, eq=False)
class Opened:
    """A workbench that is open: a notebook shows it, `address` is where a browser finds it.

    Attributes
    ----------
    draft : Draft
        The draft. What is done in the page is done to it, and the other way round.
    address : str
        What to open in a browser of this machine.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
    >>> opened = bosco.open(draft, browser=False)
    >>> opened.address.startswith("http://127.0.0.1:")
    True
    >>> opened.close()
    """

    draft: Draft
    address: str
    _served: Any
    height: int = HEIGHT

    def __repr__(self) -> str:
        return f"<Opened: {self.draft!r} at {self.address}>"

    def __str__(self) -> str:
        return tr("The workbench is at {address}", address=self.address)

    def close(self) -> None:
        """End the server; the draft stays."""
        self._served.end()

    def _repr_html_(self) -> str:
        values: dict[str, object] = {
            "address": self.address,
            "port": self._served.port,
            "height": self.height,
        }
        return str(fill("frame", values, "workbench"))


def open(  # noqa: A001
    draft: Draft,
    *,
    log: str | os.PathLike[str] | None = None,
    title: str = "",
    port: int = 0,
    browser: bool | None = None,
    lang: str | None = None,
) -> Opened:
    """Open a draft in the workbench: in a notebook inline, else in a browser.

    Parameters
    ----------
    draft : Draft
        What `bosco.draft` or `bosco.load_draft` gave.
    log : str or path, optional
        Where its log is written after every act; None: nowhere, it stays in Python.
    title : str
        What the page is called.
    port : int, default=0
        Where it is served, on this machine alone; 0: any free port.
    browser : bool, optional
        Open a browser; by default unless a notebook shows it.
    lang : {"en", "it"}, optional
        The language of the page; by default that of `bosco.speaking`.

    Returns
    -------
    Opened
        The workbench, served in the background until its `close`, or until Python ends.

    Examples
    --------
    >>> import bosco
    >>> from bosco.datasets import loans
    >>> draft = bosco.draft(bosco.DecisionTreeClassifier(), *loans())
    >>> opened = bosco.open(draft, browser=False)
    >>> opened.close()
    """
    from bosco.workbench.desk import Desk
    from bosco.workbench.serving import Served, require_installed, show

    if not isinstance(draft, Draft):
        raise ParameterError(f"open takes a draft, as bosco.draft gives it. Got {draft!r:.60}.")
    require_installed()
    desk = Desk(draft, None if log is None else Path(log), title or tr("A draft"))
    desk.alone = False
    if desk.keep is not None:
        draft.save(desk.keep)
    framed = in_notebook()
    served = Served(desk, port=port, framed=framed, lang=lang or spoken(), stops=False).begin()
    opened = Opened(draft, served.address, served)
    if not framed if browser is None else browser:
        show(opened.address)
    return opened


def in_notebook() -> bool:
    """Whether a notebook shows what is asked for."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = None if ask is None else ask()
    return shell is not None and bool(shell.has_trait("kernel"))
