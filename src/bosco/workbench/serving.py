"""Serving a desk: a free port, a browser, and how it ends."""

import socket
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from bosco.base.language import ENGLISH, tr
from bosco.errors import ParameterError
from bosco.workbench.desk import Desk

HOST = "127.0.0.1"
MOST_AT_ONCE = 100
"""Requests that are answered at the same time; more are told to come again."""


class Served:
    """A workbench that is being served.

    Attributes
    ----------
    address : str
        What to open, the secret included.
    """

    def __init__(
        self,
        desk: Desk,
        *,
        host: str = HOST,
        port: int = 0,
        password: str | None = None,
        framed: bool = False,
        lang: str = ENGLISH,
        stops: bool = True,
    ) -> None:
        require_installed()
        import uvicorn

        from bosco.workbench.guard import LOOPBACK, Guard, Password
        from bosco.workbench.server import application, closed_page

        home = is_home(host)
        if not home and not password:
            raise ParameterError(f"To be reached at {host} a workbench needs a password.")
        self._socket = _bound(host, port)
        self.port: int = self._socket.getsockname()[1]
        app = application(desk, lang, self.stop if stops else None)
        self._guard = Guard(
            app,
            port=self.port,
            hosts=LOOPBACK if home else None,
            password=Password(password) if password else None,
            framed=framed,
            closed=closed_page,
        )
        config = uvicorn.Config(
            self._guard,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            limit_concurrency=MOST_AT_ONCE,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=3,
            ws="none",
        )
        self._server: Any = uvicorn.Server(config)
        self._thread: threading.Thread | None = None
        shown = host if ":" not in host else f"[{host}]"
        shown = HOST if host in ("0.0.0.0", "::") else shown
        self.address = f"http://{shown}:{self.port}/?key={self._guard.secret}"

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serve until it is stopped; `ready` is called before."""
        ready()
        self._server.run(sockets=[self._socket])

    def begin(self) -> "Served":
        """Serve beside what else this process does."""
        serve = {"target": self._server.run, "kwargs": {"sockets": [self._socket]}}
        self._thread = threading.Thread(**serve, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End it, when what is being answered is answered."""
        self._server.should_exit = True

    def end(self) -> None:
        """End what `begin` began, and wait for it."""
        self.stop()
        if self._thread is not None:
            self._thread.join()
        self._socket.close()


def is_home(host: str) -> bool:
    """Whether only this machine reaches a host."""
    return host in ("127.0.0.1", "localhost", "::1")


def exposed(host: str) -> str:
    """What serving to others means, in words."""
    return tr(
        "Whoever reaches {host} over the network and knows the password sees every row of the "
        "table and can change the draft. What is sent is not encrypted: use it inside a network "
        "that you trust, or through a tunnel.",
        host=host,
    )


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
        made.listen(128)  # who comes before the server is ready waits
    except (OSError, OverflowError) as error:
        made.close()
        said = getattr(error, "strerror", None) or error
        raise ParameterError(
            f"{host}, port {port}, cannot be served at: {said}. Hint: another --port, or 0 for any."
        ) from None
    return made


def show(address: str) -> bool:
    """Open a browser, if there is one."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


def require_installed() -> None:
    """Say what to install where the workbench's own libraries are not there."""
    try:
        import starlette
        import uvicorn  # noqa: F401
    except ImportError:
        raise ParameterError(
            "The workbench needs starlette and uvicorn. Hint: pip install 'bosco[workbench]'."
        ) from None
    del starlette
