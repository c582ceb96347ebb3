"""``python -m tests.fuzz load|border|fit|methods|cluster [--seconds S] [--runs N] [--plain]``.

With atheris, libFuzzer chooses what to change by what code it reaches; without it (or with
``--plain``, which the sanitizer build needs) changes are drawn blindly. An input that takes more
than a second (of the processor: machines are busy), more than a gigabyte, or raises anything but a
refusal is written to build/fuzz and ends the run. Fits may take longer: they are there for the
sanitizers, which end the process; the key of the fit at hand is in build/fuzz/fit. Absurd models,
all of whose methods are called, have a time for each call instead. ``cluster`` kills workers.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = [ROOT / "tests" / "models" / version for version in ("v1", "v3")]
KEPT.append(ROOT / "tests" / "fuzz" / "corpus")
FOUND = ROOT / "build" / "fuzz"
SECOND = {"load": 1.0, "border": 1.0, "fit": 60.0}
MEGABYTES = 1024
EVERY = 64
"""One model of so many that load is printed, drawn, explained and written; the others predict."""


def use_core(path: str) -> None:
    """Take the native module from a file, such as one built with sanitizers."""
    loader = ExtensionFileLoader("bosco._core", path)
    module = module_from_spec(ModuleSpec("bosco._core", loader, origin=path))
    sys.modules["bosco._core"] = module
    loader.exec_module(module)


def seeds() -> list[bytes]:
    """The kept files: sound ones, and those that were trouble once."""
    return [path.read_bytes() for folder in KEPT for path in sorted(folder.glob("*"))]


@contextmanager
def quick(target: str = "load") -> Iterator[None]:
    """Refuse what takes too long."""
    start = time.thread_time()
    yield
    taken = time.thread_time() - start
    if taken > SECOND[target]:
        raise TimeoutError(f"an input took {taken:.1f} s")


def plain(target: str, seconds: float, runs: int, seed: int) -> None:
    """Attack with changes drawn blindly, and say how it went."""
    from tests.fuzz.border import attack_border
    from tests.fuzz.fits import attack_fit
    from tests.fuzz.methods import attack_methods
    from tests.fuzz.mutate import mutant
    from tests.fuzz.use import ASKED, USED, attack

    attacks = {"border": attack_border, "fit": attack_fit}

    draw, files = random.Random(seed), seeds()
    # Small files say as much and are quick, but for those that say nothing.
    chances = list(accumulate(1 / max(n, 10**6 / n) for n in map(len, files)))
    gc.freeze()  # a quarter of the time went into looking for garbage among what stays
    gc.set_threshold(50_000)
    start = now = time.monotonic()
    done, outcomes = 0, Counter[int]()
    while done < runs and now - start < seconds:
        key = draw.getrandbits(64)
        own = random.Random(key)
        data = b""
        if target == "load":
            data = mutant(*own.choices(files, cum_weights=chances, k=2), own)
        elif target == "fit":
            keep_key(key)
        try:
            if target == "methods":
                outcome = attack_methods(own)
            else:
                with quick(target):
                    outcome = attack(data, EVERY) if target == "load" else attacks[target](own)
        except BaseException:
            keep(target, data or str(key).encode())
            print(f"{target}: trouble after {done} executions")
            raise
        outcomes[outcome] += 1
        now, done = time.monotonic(), done + 1
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    said = f"{outcomes[ASKED] + outcomes[USED]} accepted"
    said += f" ({outcomes[USED]} used in full)" if target == "load" else ""
    print(f"{target}: {done} executions, {said}, {now - start:.0f} s, {peak} MB")
    if peak > MEGABYTES and "--core" not in sys.argv:  # sanitizers need much of their own
        sys.exit(f"more than {MEGABYTES} MB of memory")


def guided(target: str, seconds: float, runs: int, seed: int) -> None:
    """Attack with libFuzzer."""
    import atheris

    # bosco imports its parts when they are asked for, so whoever asks is imported here too.
    with atheris.instrument_imports(include=["bosco"]):
        from tests.fuzz.border import attack_border
        from tests.fuzz.mutate import mutant
        from tests.fuzz.use import attack

    def load(data: bytes) -> None:
        with quick():
            attack(data, EVERY)

    def border(data: bytes) -> None:
        with quick():
            attack_border(random.Random(data))

    def mutate(data: bytes, most: int, key: int) -> bytes:
        draw = random.Random(key)
        changed = mutant(data, draw.choice(files), draw) if draw.random() < 0.7 else data
        return (atheris.Mutate(data, most) if changed == data else changed)[:most]

    files = seeds()
    work = FOUND / target
    work.mkdir(parents=True, exist_ok=True)
    options = [
        "-timeout=60",  # of the clock; see `quick`
        f"-rss_limit_mb={MEGABYTES}",
        f"-max_total_time={seconds:.0f}",
        f"-runs={runs}",
        f"-seed={seed}",
        f"-artifact_prefix={FOUND}/",
        "-max_len=60000",
        "-print_final_stats=1",
        "-verbosity=0",
        str(work),
        *(str(folder) for folder in KEPT if target == "load" and folder.exists()),
    ]
    attacks: dict[str, Callable[[bytes], None]] = {"load": load, "border": border}
    extra = {"custom_mutator": mutate} if target == "load" else {}
    atheris.Setup([sys.argv[0], *options], attacks[target], **extra)
    atheris.Fuzz()


def keep_key(key: int) -> None:
    """Write what is about to be tried: a sanitizer leaves no time to do so afterwards."""
    FOUND.mkdir(parents=True, exist_ok=True)
    (FOUND / "fit").write_text(f"{key}\n")


def keep(target: str, data: bytes) -> None:
    """Write an input that was trouble."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"trouble-{target}-{time.time_ns()}"
    path.write_bytes(data)
    print(f"trouble: {path}", file=sys.stderr)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", choices=["load", "border", "fit", "methods", "cluster"])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=2**31 - 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--core", help="path of a native module to use, such as a sanitized one")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--key", type=int, help="of one fit, to try it again")
    given = parser.parse_args()
    if given.core:
        use_core(given.core)
    if given.target == "cluster":
        from tests.fuzz.cluster import main as strike

        strike(given.seconds, given.seed)
        return
    if given.key is not None:
        from tests.fuzz.fits import attack_fit

        print("fitted" if attack_fit(random.Random(given.key)) else "refused")
        return
    blind = given.plain or given.target in ("fit", "methods") or not _has_atheris()
    run = plain if blind else guided
    run(given.target, given.seconds, given.runs, given.seed)


def _has_atheris() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("atheris is not installed: changes are drawn blindly", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    main()
