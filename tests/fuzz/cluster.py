"""``python -m tests.fuzz cluster``: workers killed at every round of a fit, and within tasks.

Each fit is that of one table, its workers killed (SIGKILL) at one round, or every few tenths of a
second as long as it lasts. Every killing is written down; the file of the model must stay the same.
"""

from __future__ import annotations

import hashlib
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

WORKERS, PARTS, ROWS = 3, 6, 20_000
SMALL = 1000  # rows of nodes that are finished in one place


def data() -> pd.DataFrame:
    """Numbers, text and a target of two classes."""
    rng = np.random.default_rng(0)
    made = pd.DataFrame(rng.normal(size=(ROWS, 8)), columns=list("abcdefgh"))
    made["text"] = rng.choice(["red", "green", "blue"], ROWS)
    signal_ = made["a"] + made["b"] * made["c"] + (made["text"] == "red") + rng.normal(size=ROWS)
    made.loc[rng.random(ROWS) < 0.1, "a"] = np.nan
    made["late"] = np.where(signal_ > 0, "yes", "no")
    return made


def hash_of(model: Any) -> str:
    """The file of a model, in short."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "model.json"
        model.save(place)
        return hashlib.sha256(place.read_bytes()).hexdigest()[:16]


class Killer:
    """Kills workers of a client's cluster, and writes it down."""

    def __init__(self, client: Any):
        self.client = client
        self.start = time.monotonic()
        self.killed = 0

    def strike(self, when: str) -> None:
        """Kill one, unless it is the last."""
        pids = list(self.client.run(os.getpid, on_error="ignore").values())
        if len(pids) < 2:
            return
        pid = random.choice(pids)
        os.kill(pid, signal.SIGKILL)
        self.killed += 1
        passed = time.monotonic() - self.start
        print(f"{passed:7.2f} s  {when}: killed {pid}, one of {len(pids)}", flush=True)

    def every(self, seconds: float, done: threading.Event) -> None:
        """Go on until it is done."""
        while not done.wait(seconds * (0.5 + random.random())):
            self.strike("in the middle")


def strike_at(client: Any, killer: Killer, settings: dict[str, Any], seconds: float) -> None:
    """Fit, and kill: at every round once, then at any time for so many seconds."""
    import dask.dataframe as dd

    import bosco
    from bosco.dask import DecisionTreeClassifier
    from bosco.scale.patience import Patience

    table = data()
    clf = bosco.DecisionTreeClassifier(**settings).fit(table.drop(columns="late"), table["late"])
    want = hash_of(clf.model_)
    print(f"one table, {settings}: {want}", flush=True)
    frame = dd.from_pandas(table, npartitions=PARTS)
    plain, at, rounds = Patience.gather, -1, 0

    def gather(self: Patience, futures: Any) -> Any:
        nonlocal rounds
        if rounds == at:
            killer.strike(f"round {rounds}")
        rounds += 1
        return plain(self, futures)

    def fit(what: str) -> None:
        nonlocal rounds
        rounds = 0
        made = DecisionTreeClassifier(client=client, **settings).fit(frame, y="late")
        got = hash_of(made.model_)
        print(f"{what}: {rounds} rounds, {got}", flush=True)
        if got != want:
            raise SystemExit(f"another model: {got}, not {want}")

    Patience.gather = gather  # type: ignore[method-assign]
    try:
        fit("nobody killed")
        for round_ in range(rounds):
            at = round_
            client.wait_for_workers(WORKERS, timeout=600)
            fit(f"killed at round {at}")
        at, end = -1, time.monotonic() + seconds
        while time.monotonic() < end:
            done = threading.Event()
            thread = threading.Thread(target=killer.every, args=(0.7, done))
            thread.start()
            try:
                fit("killed at any time")
            finally:
                done.set()
                thread.join()
    finally:
        Patience.gather = plain  # type: ignore[method-assign]


def main(seconds: float, seed: int) -> None:
    """Two trees, one of few levels and one to the end."""
    from distributed import Client, LocalCluster

    from bosco.scale.dask_engine import DaskEngine

    random.seed(seed)
    DaskEngine.small = SMALL
    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        killer = Killer(client)
        for settings in ({"max_depth": 5}, {}):
            strike_at(client, killer, settings, seconds / 2)
        print(f"{killer.killed} killings, and every model the same", flush=True)
