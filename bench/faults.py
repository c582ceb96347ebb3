"""Workers killed at every round: ``python -m bench.faults [--rows N] [--depth N] [--seconds N]``.

A tree is fitted on three Dask workers again and again, without a limit of depth unless one is
given. In fit k a worker is killed (``kill -9``) at round k, as it begins or, every second fit, up
to a tenth of a second later; beyond the last round, at rounds drawn at random. A line for each
killing: where, who, how long the fit took, and the hash of the model's file, which is that of one
table in memory, or the command fails. A fit that takes longer than it may ends the command with
what every thread of this process waits for.
"""

import argparse
import faulthandler
import logging
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pandas as pd

import bosco
from bench.engines import digest, table

WORKERS, PARTS = 3, 6
SMALL = 1_000  # rows of nodes that are finished in one place: fewer than usual, for more rounds
PLAIN = {"fingerprint": False, "record": False}  # settings
_MOST = 120.0  # seconds that a fit may take
ROOT = Path(__file__).parents[1]


class Workers:
    """Worker processes of a cluster; who is killed is followed by another at once.

    They are our own: a `LocalCluster` gives up for ever a worker that is not back 15 seconds after
    its death, which on a busy machine it is not.
    """

    def __init__(self, client: Any, folder: str):
        self.client = client
        about = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--local-directory", folder]
        self._words = [sys.executable, "-m", "dask", "worker", client.scheduler.address, *about]
        self.all = [self._begun() for _ in range(WORKERS)]

    def _begun(self) -> subprocess.Popen[bytes]:
        none = subprocess.DEVNULL
        return subprocess.Popen(self._words, stdout=none, stderr=none, cwd=ROOT)

    def ready(self) -> None:
        """Wait until all are there."""
        self.client.wait_for_workers(WORKERS, timeout=_MOST)

    def kill(self) -> int:
        """Kill the one that has lived longest."""
        process = self.all.pop(0)
        process.kill()
        process.wait()
        self.all.append(self._begun())
        return process.pid

    def end(self) -> None:
        """Kill all."""
        for process in self.all:
            process.kill()
            process.wait()


class Killer:
    """Kills a worker while the cluster works on a round; `when` is seconds after it began."""

    def __init__(self, workers: Workers, round_: int, when: float):
        self.workers, self.round = workers, round_
        self.rounds = 0
        self.killed: int | None = None
        self.timer = threading.Timer(when, self.kill)

    def at_round(self) -> None:
        """A round begins."""
        if self.rounds == self.round:
            self.timer.start()
        self.rounds += 1

    def kill(self) -> None:
        """Now."""
        self.killed = self.workers.kill()

    def end(self) -> None:
        """Wait until it is done."""
        if self.timer.ident is not None:
            self.timer.join()


def listened(killer: Killer) -> Callable[[], None]:
    """Tell a killer of every round; returns what ends that."""
    from bosco.scale.patience import Patience

    plain = Patience.gather

    def gather(self: Any, futures: Any) -> Any:
        killer.at_round()
        return plain(self, futures)

    Patience.gather = gather  # type: ignore[method-assign]

    def end() -> None:
        Patience.gather = plain  # type: ignore[method-assign]

    return end


def fitted(client: Any, data: pd.DataFrame, depth: int | None, killer: Killer) -> str:
    """Fit while somebody kills; the hash of the model's file."""
    import dask.dataframe as dd

    from bosco.dask import DecisionTreeClassifier

    end = listened(killer)
    faulthandler.dump_traceback_later(_MOST, exit=True)
    try:
        rows = dd.from_pandas(data, npartitions=PARTS)
        clf = DecisionTreeClassifier(max_depth=depth, client=client, **PLAIN)
        return digest(clf.fit(rows, y="late").model_)
    finally:
        faulthandler.cancel_dump_traceback_later()
        killer.end()
        end()


def campaign(rows: int, depth: int | None, seconds: float) -> bool:
    """Kill at every round, then at random until the time is over; whether all hashes are one."""
    from distributed import Client, LocalCluster

    from bosco.scale.dask_engine import DaskEngine

    DaskEngine.small = SMALL
    data = table(rows).drop(columns="minutes")
    whole = bosco.DecisionTreeClassifier(max_depth=depth, **PLAIN)
    model = whole.fit(data.drop(columns="late"), data["late"]).model_
    want = digest(model)
    print(f"one table: {want}, {rows:,} rows, depth {whole.get_depth()}", flush=True)
    begun, same, k, last = time.monotonic(), True, 0, 0
    draw = random.Random(0)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
        ExitStack() as made,
    ):
        workers = Workers(client, folder)
        made.callback(workers.end)
        while k <= last or time.monotonic() - begun < seconds:
            at = k if k <= last else draw.randrange(last + 1)
            when = 0.0 if k % 2 == 0 else draw.random() / 10
            killer = Killer(workers, at, when)
            workers.ready()
            start = time.monotonic()
            found = fitted(client, data, depth, killer)
            took = time.monotonic() - start
            last = max(last, killer.rounds - 1)
            same &= found == want
            who = "nobody" if killer.killed is None else f"process {killer.killed}"
            print(
                f"round {at} of {killer.rounds}, {1000 * when:3.0f} ms after it began: {who} "
                f"killed, {took:5.1f} s, {found}{'' if found == want else ' WRONG'}",
                flush=True,
            )
            k += 1
            if time.monotonic() - begun > 3 * seconds:
                print(f"stopped after {k} killings: {seconds:g} seconds are long over")
                break
    return same


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--depth", type=int, default=None, help="default: no limit")
    parser.add_argument("--seconds", type=float, default=120.0, help="go on killing for so long")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)  # Dask tells of every death
    same = campaign(given.rows, given.depth, given.seconds)
    print("every fit gave the model of one table" if same else "MODELS DIFFER")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
