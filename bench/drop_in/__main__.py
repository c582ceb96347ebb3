"""Run them, and say how many pass and why the others do not.

``--all`` names every test that does not pass; ``--keep`` writes what came of them into
``bench/results``, from which `bench.page` has its section.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sklearn

from bench.drop_in import FILES
from bench.drop_in.reasons import reason_of

KEPT = Path(__file__).parent.parent / "results" / "drop_in.json"


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

    def figures(self) -> dict[str, Any]:
        """What came of each file that was run, as plain values."""
        found = {}
        for name, failed in self.failed.items():
            if not self.passed[name] + len(failed):
                continue
            tests = {}
            for test, said in sorted(failed):
                reason = reason_of(name, test)
                tests[test] = (
                    {"why": said.splitlines()[0][-150:], "aside": False, "known": False}
                    if reason is None
                    else {"why": reason.why, "aside": reason.aside, "known": True}
                )
            found[name] = {"passed": self.passed[name], "failed": tests}
        return found


def say(figures: dict[str, Any], every: bool) -> None:
    """Print it."""
    for name, found in figures.items():
        failed = found["failed"]
        n = applicable(found)
        print(f"{name}: {found['passed']} of {n} applicable tests pass ({found['passed'] / n:.1%})")
        for test, one in failed.items():
            if every or not one["known"]:
                print(f"    {test}: {one['why']}")
        known = Counter(one["why"] for one in failed.values() if one["known"])
        for why, count in known.most_common():
            aside = any(one["aside"] for one in failed.values() if one["why"] == why)
            print(f"  {count} {'aside' if aside else 'otherwise'}: {why}")


def applicable(found: dict[str, Any]) -> int:
    """How many tests of a file can be passed by other classes than scikit-learn's."""
    aside = sum(one["aside"] for one in found["failed"].values())
    return int(found["passed"] + len(found["failed"]) - aside)


def main() -> None:
    """Run all files, or those that are named."""
    asked = [name for name in sys.argv[1:] if not name.startswith("--")]
    named = [name for name in FILES if not asked or name in asked]
    here = Path(__file__).parent
    tally = Tally()
    given = ["-q", "--no-header", "--no-summary", "-W", "default", "-p", "no:cacheprovider"]
    pytest.main([*given, *(str(here / f"{name}.py") for name in named)], plugins=[tally])
    figures = tally.figures()
    say(figures, "--all" in sys.argv)
    if "--keep" in sys.argv:
        kept = {"scikit-learn": sklearn.__version__, "files": figures}
        KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
