"""The page itself: sections in one file that loads nothing and runs nothing but its own scripts."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from bosco.render.color import DARK, LIGHT
from bosco.render.html import Table

_NOT_TEXT = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its anchor, its heading, its HTML."""

    key: str
    title: str
    body: str


def page(
    title: str,
    lead: str,
    sections: Sequence[Section],
    model: str,
    facts: Any,
    scripts: Sequence[str] = ("tree.js", "case.js"),
) -> str:
    """The whole file.

    Parameters
    ----------
    title, lead : str
        The heading, and the HTML below it.
    sections : sequence of Section
        In order.
    model : str
        The model as a JavaScript module; empty if the page cannot predict.
    facts : object
        What the page's script reads, as JSON.
    scripts : sequence of str
        Files of this package that run after the model.
    """
    links = "".join(f'<li><a href="#{s.key}">{escape(s.title)}</a></li>' for s in sections)
    parts = "\n".join(
        f'<section id="{s.key}" aria-labelledby="{s.key}-head">\n'
        f'<h2 id="{s.key}-head">{escape(s.title)}</h2>\n{s.body}\n</section>'
        for s in sections
    )
    sheet = f"{_colors()}\n{resource('page.css')}"
    modules = [f"{model}\n{_hand_over(model)}", *map(resource, scripts)]
    styles = [sheet, *re.findall(r"<style>(.*?)</style>", parts, re.S)]
    return _text(
        f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(modules, styles)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bosco">
<title>{escape(title)}</title>
<style>{sheet}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>{escape(title)}</h1>
{lead}
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main id="main">
{parts}
</main>
<script type="application/json" id="facts">{_json(facts)}</script>
{"".join(f'<script type="module">{script}</script>' for script in modules)}
</body>
</html>
"""
    )


def show(*tables: Table) -> str:
    """Tables, each in a frame that scrolls sideways where the screen is narrow."""
    return "\n".join(
        f'<div class="wide" tabindex="0" role="group" aria-label="{escape(t.caption or "Table")}">'
        f"{t.to_html(inline=False)}</div>"
        for t in tables
    )


def verbatim(text: str, what: str) -> str:
    """Text whose lines and blanks are kept; `what` says what it is."""
    return f'<pre tabindex="0" role="group" aria-label="{escape(what)}">{escape(text)}</pre>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def fold(summary: str, body: str, *, open: bool = False, key: str = "") -> str:  # noqa: A002
    """Something that is opened by those who want it, and printed open."""
    name = f' id="{key}"' if key else ""
    return (
        f"<details{name}{' open' if open else ''}><summary>{escape(summary)}</summary>\n"
        f"{body}\n</details>"
    )


def resource(name: str) -> str:
    """A file of this package."""
    return files("bosco.reporting").joinpath(name).read_text(encoding="utf-8")


def _hand_over(model: str) -> str:
    """What the model's script leaves for the others."""
    names = [name for name in ("predict", "predictProba", "points") if f"function {name}(" in model]
    return f"globalThis.bosco = {{ {', '.join(names)} }};"


def _colors() -> str:
    """The colours of the pictures, for the page around them."""

    def variables(colors: dict[str, str]) -> str:
        return "".join(f"--{name}:{color};" for name, color in colors.items())

    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}}}"
    return f":root{{{variables(LIGHT)}}}\n{dark}"


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Nothing is loaded; only these scripts run, and only these style sheets apply."""
    script, style = (" ".join(map(_fingerprint, texts)) for texts in (scripts, styles))
    return (
        f"default-src 'none'; script-src {script}; style-src-elem {style}; "
        "style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    )


def _fingerprint(text: str) -> str:
    digest = hashlib.sha256(_text(text).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _json(facts: Any) -> str:
    """JSON that no browser takes for the end of a script."""
    return json.dumps(facts, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _text(text: str) -> str:
    """Text without what no page can hold."""
    return _NOT_TEXT.sub("\ufffd", text)
