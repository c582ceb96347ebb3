"""Run them, and say how many pass and why the others do not."""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.drop_in import FILES

WHY = {
    "several outputs": r"y should be a 1d array, got an array of shape|number of outputs",
    "another criterion": r"'criterion' parameter of|Poisson|criterion=",
    "private parts of scikit-learn": r"has no attribute '_|sklearn\.tree\._|orig_tree",
}


class Tally:
    """Counts what passes, and why the rest does not."""

    def __init__(self) -> None:
        self.passed: Counter[str] = Counter()
        self.failed: dict[str, list[tuple[str, str]]] = {name: [] for name in FILES}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what became of a test."""
        name = Path(report.fspath).stem
        if report.failed:
            said = str(getattr(report.longrepr, "reprcrash", None) or report.longrepr)
            self.failed[name].append((report.nodeid.rpartition("::")[2], said))
        elif report.when == "call" and report.passed:
            self.passed[name] += 1

    def say(self, every: bool) -> None:
        """Print it."""
        for name, failed in self.failed.items():
            n = self.passed[name] + len(failed)
            if not n:
                continue
            print(f"{name}: {self.passed[name]} of {n} pass ({self.passed[name] / n:.0%})")
            reasons: Counter[str] = Counter()
            for test, said in failed:
                why = next((why for why, how in WHY.items() if re.search(how, said)), "else")
                reasons[why] += 1
                if every or why == "else":
                    print(f"    {test}: {said.splitlines()[0][-150:]}")
            for why, count in reasons.most_common():
                print(f"  {count} for {why}")


def main() -> None:
    """Run all files, or those that are named."""
    named = [name for name in FILES if not sys.argv[1:] or name in sys.argv[1:]]
    here = Path(__file__).parent
    tally = Tally()
    given = ["-q", "--no-header", "--no-summary", "-W", "default", "-p", "no:cacheprovider"]
    pytest.main([*given, *(str(here / f"{name}.py") for name in named)], plugins=[tally])
    tally.say("--all" in sys.argv)


if __name__ == "__main__":
    main()
