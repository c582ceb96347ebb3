"""Settings that must hold before anything is imported, and no figure left open."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# How long things take is measured in bench/: here a slow machine is no fault.
hypothesis.settings.register_profile(
    "any machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any machine")

# scikit-learn's checks of array inputs are skipped unless scipy was told this before it was loaded.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
os.environ.setdefault("MPLBACKEND", "agg")
# The processes that tests start need not compile every source again, each for itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Whoever starts the tests in the background makes them, and what they start, deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _no_figure_stays_open() -> Iterator[None]:
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A chromium, the system's or playwright's own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    with playwright.sync_playwright() as started:
        try:
            opened = started.chromium.launch(executable_path=found)
        except playwright.Error as error:
            pytest.skip(f"no browser: {str(error).splitlines()[0]}")
        yield opened
        opened.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a report; whatever the console says by the end is a failure."""
    from tests.browser import SIZES

    said: list[str] = []
    pages = []

    def open_(report: Any, size: str = "wide", scheme: str = "light") -> Any:
        path = tmp_path / "report.html"
        report.save(path)
        width, height = SIZES[size]
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",
            has_touch=size == "narrow",
        )
        pages.append(page)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda r: said.append(r.url) if r.url != path.as_uri() else None)
        page.goto(path.as_uri())
        return page

    yield open_
    for page in pages:
        page.close()
    assert not said


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark with two slots."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
