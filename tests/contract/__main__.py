"""Print the table of the contract: ``python -m tests.contract``."""

from bosco.errors import ModelError
from tests.contract.check import disagreements
from tests.contract.databases import RUNNERS
from tests.contract.kinds import KINDS, case
from tests.contract.runners import AbsentError


def main() -> None:
    width = max(map(len, KINDS))
    print(f"{'points / disagreements':<{width}}", *(f"{name:>12}" for name in RUNNERS))
    total = dict.fromkeys(RUNNERS, 0)
    wrong = dict.fromkeys(RUNNERS, 0)
    for kind in KINDS:
        cells = []
        for name, run in RUNNERS.items():
            one = case(kind)
            try:
                found = disagreements(one, *run(one.model, one.points))
            except ModelError:
                cells.append("refused")
            except AbsentError:
                cells.append("absent")
            else:
                total[name] += one.n_points
                wrong[name] += found
                cells.append(f"{one.n_points} / {found}")
        print(f"{kind:<{width}}", *(f"{cell:>12}" for cell in cells), flush=True)
    sums = [f"{total[name]} / {wrong[name]}" for name in RUNNERS]
    print(f"{'in all':<{width}}", *(f"{cell:>12}" for cell in sums))


main()
