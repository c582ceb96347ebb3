"""The site of the documents: ``make docs`` builds it into build/docs.

Sphinx because the API pages must show docstrings as they are at run time (shared descriptions are
put in place when a class is made), which generators that only read the source do not see; MyST
because the pages stay plain Markdown that any viewer shows; numpydoc because that is how docstrings
are written here; Furo because it loads nothing from elsewhere. All four are kept current.
"""

import re
from pathlib import Path
from runpy import run_path
from typing import Any

from bosco import __version__

project = "bosco"
author = "the authors of bosco"
release = version = __version__
html_title = f"bosco {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["images"]
html_theme = "furo"
html_show_copyright = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]

myst_heading_anchors = 3  # [the policies](pruning.md#the-policies)

default_role = "code"  # docstrings write `X`
smartquotes = False  # "gini" is to be copied as it is
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc lists them

REMOTE = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?:https?:)?//""")


def nothing_remote(app: Any, exception: Exception | None) -> None:
    """A page must open without a network: no script, font, style or picture from elsewhere."""
    if exception is None and app.builder.name == "html":
        pages = Path(app.outdir).rglob("*.html")
        remote = [page.name for page in pages if REMOTE.search(page.read_text())]
        assert not remote, f"these pages load something from elsewhere: {remote}"


def make_traces(app: Any, exception: Exception | None) -> None:
    """The pages that the method is stepped through on stand beside its own."""
    if exception is None and app.builder.name == "html":
        made = run_path(str(Path(__file__).parent / "make_traces.py"))
        made["write"](Path(app.outdir) / "traces")


def setup(app: Any) -> None:
    """Make what is no document, and check the site when it is built."""
    app.connect("build-finished", make_traces)
    app.connect("build-finished", nothing_remote)
