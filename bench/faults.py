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
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pandas as pd

import bosco
from bench.engines import digest, table

WORKERS, PARTS = 3, 6
SMALL = 1_000  # rows of nodes that are finished in one place: fewer than usual, for more rounds
PLAIN = {"fingerprint": False, "record": False}  # settings
_MOST = 120.0  # seconds that a fit may take


class Killer:
    """Kills a worker while the cluster works on a round; `when` is seconds after it began."""

    def __init__(self, client: Any, round_: int, when: float):
        self.client, self.round, self.when = client, round_, when
        self.rounds = 0
        self.killed: int | None = None

    def at_round(self) -> None:
        """A round begins."""
        if self.rounds == self.round:
            if self.when:
                threading.Timer(self.when, self.kill).start()
            else:
                self.kill()
        self.rounds += 1

    def kill(self) -> None:
        """Kill the worker of the least number that is up: a nanny gives up one killed before."""
        from distributed import Status

        workers = self.client.cluster.workers
        for worker in workers.values():
            process = getattr(worker, "process", None)
            pid = getattr(process, "pid", None)
            up = getattr(process, "status", None) is Status.running
            if up and pid is not None and process.is_alive():
                os.kill(pid, signal.SIGKILL)
                self.killed = pid
                return


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


def ready(client: Any) -> None:
    """Wait until all workers are there; where one does not come back, all are begun anew."""
    try:
        client.wait_for_workers(WORKERS, timeout=30)
    except TimeoutError:
        print("a worker was not begun again by its nanny: all are now", flush=True)
        client.cluster.scale(0)
        client.cluster.scale(WORKERS)
        client.wait_for_workers(WORKERS, timeout=120)


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
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        while k <= last or time.monotonic() - begun < seconds:
            at = k if k <= last else draw.randrange(last + 1)
            when = 0.0 if k % 2 == 0 else draw.random() / 10
            killer = Killer(client, at, when)
            ready(client)
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
