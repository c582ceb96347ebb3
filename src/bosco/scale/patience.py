"""Waiting for a cluster that may be gone: what was asked for, or one sentence within a stated time.

Dask waits as long as it takes. Results that were there a moment ago are gone with their worker, and
who gathers them waits for a new one without any limit; so nothing here waits without looking, now
and then, whether there is still somebody who could answer.
"""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

from bosco.errors import ClusterError

__all__ = ["PATIENCE", "Patience"]

PATIENCE = 60.0
"""Seconds without a worker, after which a fit gives up."""

_LOOK = 1.0  # seconds between looks at the cluster


class Patience:
    """Calls of a Dask client that end.

    Parameters
    ----------
    client : distributed.Client
    seconds : float
        Without anybody who could answer, after which a call is given up.
    """

    def __init__(self, client: Any, seconds: float = PATIENCE):
        self.client, self.seconds = client, seconds

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """The results of futures."""
        return list(self.wait(self.client.gather(list(futures), asynchronous=True)))

    def wait(self, call: Coroutine[Any, Any, Any]) -> Any:
        """What a call of the client gives that was made with ``asynchronous=True``."""
        running = self._started(call)
        lonely = None  # since when nobody could answer
        try:
            while True:
                try:
                    return running.result(min(_LOOK, self.seconds))
                except TimeoutError:
                    if running.done():
                        raise
                lacking = self._lacking()
                lonely = (lonely or time.monotonic()) if lacking else None
                if lonely is not None and time.monotonic() - lonely >= self.seconds:
                    raise ClusterError(f"{lacking} for {self.seconds:g} seconds.")
        except (CancelledError, asyncio.CancelledError) as error:
            raise ClusterError(
                "The cluster has forgotten what it was asked for: it was restarted, or the "
                "connection to its scheduler is lost."
            ) from error

    def _lacking(self) -> str:
        """What is missing for an answer, as the beginning of a sentence; empty: nothing."""
        if self.client.status != "running":
            return "There has been no connection to the cluster's scheduler"
        asked = self._started(self.client.scheduler.identity(n_workers=-1))
        try:
            workers = asked.result(min(10 * _LOOK, self.seconds))["workers"].values()
        except (TimeoutError, OSError):
            return "The cluster's scheduler has not answered"
        if not workers:
            return "The cluster has had no worker"
        if all(worker["status"] == "paused" for worker in workers):
            return "All workers of the cluster have been paused, as they lack memory,"
        return ""

    def try_once(self, call: Coroutine[Any, Any, Any]) -> Any:
        """The same if it comes soon; else, or if it fails, None."""
        with suppress(Exception):
            return self._started(call).result(5 * _LOOK)
        return None

    def _started(self, call: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Under way; what nobody waits for any longer ends by itself, with what it asked for."""
        return asyncio.run_coroutine_threadsafe(call, self.client.loop.asyncio_loop)
