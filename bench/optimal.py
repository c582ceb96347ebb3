"""The best small trees beside ConTree and STreeD, in one run: ``python -m bench.optimal``.

Errors on all rows and CPU seconds of one thread, each set in a process of its own. ConTree
(``pip install pycontree``) knows numbers only, without missing values: levels are given to it one
against the rest, as columns of 0 and 1, and a column with missing values twice, with them below and
above all others, which is the family that bosco then searches, too. STreeD (``pip install
pystreed``) is given the same columns, and looks at ten quantiles of each alone: fewer trees, so it
may end with more errors. ``--subsets`` searches every subset of up to seven levels; ``--only
magic`` one set, ``--limit 100`` gives each so many seconds, ``--threads 2`` is for bosco (seconds
on the wall are told then, too), ``--alone`` leaves the others out. *Limit*: what bosco was asked to
stay below, and the errors it was to reach. The numeric sets are those in
``../shared/data/optimal``.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

from bench.quality import load
from bench.sets import SHARED

CASES = [
    ("magic", 2), ("magic", 3), ("spambase", 3), ("credit_g", 3), ("wdbc", 3), ("adult", 3),
    ("rice", 3), ("wilt", 3), ("bank", 4), ("glass", 4), ("heart", 4), ("credit_g", 4),
    ("vehicle", 4), ("segment", 4), ("raisin", 4), ("wilt", 4), ("wdbc", 4),
]  # fmt: skip
LIMITS = {
    ("magic", 2): (3746, 0.05), ("magic", 3): (3240, 2.5), ("spambase", 3): (417, 2.5),
    ("credit_g", 3): (231, 0.3), ("wdbc", 3): (9, 0.3), ("adult", 3): (739, 2.5),
    ("bank", 4): (0, 0.05), ("glass", 4): (18, 0.2), ("heart", 4): (24, 0.5),
    ("credit_g", 4): (197, 10), ("vehicle", 4): (177, 15), ("segment", 4): (101, 12),
}  # fmt: skip
"""Errors to reach, and CPU seconds to stay below."""
PEERS = ("ConTree", "STreeD")
NUMERIC = ("bank", "magic", "raisin", "rice", "segment", "wilt")


def rows_of(name: str) -> tuple[Any, np.ndarray]:
    """The rows of a set, and its classes as whole numbers."""
    if name in NUMERIC:
        import pandas as pd

        table = pd.read_csv(SHARED / "optimal" / f"{name}.txt.gz", sep=r"\s+", header=None)
        return table.iloc[:, 1:], table[0].to_numpy()
    if name == "heart":
        table = load("heart_cleveland")
        return table.X, (table.y != "0").astype(int)
    table = load(name)
    X, y = table.X, np.unique(table.y, return_inverse=True)[1]
    if name == "adult":
        X, y = X.iloc[: table.fitted], y[: table.fitted]
        drawn = X.sample(5000, random_state=1).index
        X, y = X.loc[drawn], y[drawn]
    return X, y


def plain(X: Any) -> np.ndarray:
    """Numbers alone: levels one against the rest, missing values below and above all others."""
    columns = []
    for name in X:
        given = X[name]
        missing = given.isna().to_numpy()
        if given.dtype.kind in "iufb":
            values = [given.to_numpy(float)]
        else:
            values = [np.where(missing, np.nan, given == level) for level in given.cat.categories]
        for one in np.asarray(values, float):
            if missing.any():
                columns += [np.where(missing, np.nanmin(one) - 1, one)]
                columns += [np.where(missing, np.nanmax(one) + 1, one)]
            else:
                columns.append(one)
    return np.column_stack(columns)


def run(who: str, name: str, depth: int, how: Any) -> dict[str, Any]:
    """Errors, CPU seconds and memory of one learner on one set."""
    X, y = rows_of(name)
    if who == "bosco":
        from bosco import DecisionTreeClassifier

        learner: Any = DecisionTreeClassifier(
            algorithm="optimal",
            max_depth=depth,
            nominal_test="subset" if how.subsets else "one_vs_rest",
            time_limit=how.limit,
            n_jobs=how.threads,
            fingerprint=False,
        )
    else:
        X, y = plain(X), np.unique(y, return_inverse=True)[1]
        if who == "ConTree":
            from pycontree import ConTree

            learner = ConTree(max_depth=depth, time_limit=how.limit)
        else:
            from pystreed import STreeDClassifier

            learner = STreeDClassifier(
                "accuracy", max_depth=depth, time_limit=how.limit, n_thresholds=10
            )
    # What the tables and libraries take already is not the search's.
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, wall = time.process_time(), time.perf_counter()
    learner.fit(X, y)
    spent, waited = time.process_time() - start, time.perf_counter() - wall
    found: dict[str, Any] = {"errors": int(np.sum(learner.predict(X) != y)), "cpu": spent}
    found["wall"] = waited
    found["megabytes"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024
    found["proved"] = spent < how.limit
    if who == "bosco":
        found["threads"] = how.threads
        found["proved"] = learner.model_.certificate.proved
        found["bound"] = learner.model_.certificate.bound
    return found


def apart(who: str, name: str, depth: int, given: list[str]) -> dict[str, Any]:
    """The same in a process of its own."""
    call = [sys.executable, "-W", "ignore", "-m", "bench.optimal", *given, "--run", who, name]
    done = subprocess.run([*call, str(depth)], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def say(found: dict[str, Any]) -> str:
    """One cell of the table."""
    if "failed" in found:
        return f"failed: {found['failed']}"
    errors = f"{found['errors']}{'' if found['proved'] else ' (not proved)'}"
    waited = f" ({found['wall']:.3f} s on the wall)" if found.get("threads", 1) > 1 else ""
    return f"{errors} · {found['cpu']:.3f} s{waited} · {found['megabytes']} MB"


def main() -> None:
    """Print a line for every set, and the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", nargs="*", default=[])
    arguments.add_argument("--limit", type=float, default=100.0)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--subsets", action="store_true")
    arguments.add_argument("--alone", action="store_true")
    arguments.add_argument("--run", nargs=3)
    how = arguments.parse_args()
    if how.run:
        who, name, depth = how.run
        print(json.dumps(run(who, name, int(depth), how)))
        return
    given = ["--limit", str(how.limit), "--threads", str(how.threads)]
    given += ["--subsets"] * how.subsets
    ratios = []
    print("| set | depth | limit | bosco | ConTree | ratio | STreeD, ten quantiles |")
    print("|---|---|---|---|---|---|---|")
    for name, depth in CASES:
        if how.only and name not in how.only and f"{name}-{depth}" not in how.only:
            continue
        own = apart("bosco", name, depth, given)
        limit = "{} · {} s".format(*LIMITS[name, depth]) if (name, depth) in LIMITS else ""
        cells = [name, str(depth), limit, say(own)]
        if not how.alone:
            peers = [apart(peer, name, depth, given) for peer in PEERS]
            ratio = ""
            if own.get("proved") and peers[0].get("proved"):
                ratios.append(peers[0]["cpu"] / own["cpu"])
                ratio = f"{ratios[-1]:.1f}"
            cells += [say(peers[0]), ratio, say(peers[1])]
        print(f"| {' | '.join(cells)} |", flush=True)
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        print(f"\nOf the {len(ratios)} that both finish: {mean:.1f} times faster (geometric mean)")
        print(f"{min(ratios):.1f} at least")


if __name__ == "__main__":
    main()
