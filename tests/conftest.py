"""Settings that must hold before anything is imported, and no figure left open."""

import os
import sys
from collections.abc import Iterator

import pytest

# scikit-learn's checks of array inputs are skipped unless scipy was told this before it was loaded.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "agg")


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
