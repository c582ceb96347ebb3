"""The page itself: sections in one file that loads nothing and runs nothing but its own scripts."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from bosco.base.language import words_of
from bosco.render.color import DARK, LIGHT
from bosco.reporting.parts import Part, Screen, fill

_IMPORT = re.compile(r'^import .* from "\./(.+)";$', re.M)
_NOT_TEXT = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page: its anchor, its heading, what it says."""

    key: str
    title: str
    body: Part


def page(
    title: str,
    lead: Part,
    sections: Sequence[Section],
    model: str,
    facts: Any,
    scripts: Sequence[str] = ("tree.js", "case.js"),
) -> str:
    """The whole file: below the heading the `lead`, then the sections.

    `model` is a JavaScript module, empty if the page cannot predict; after it run `scripts`, files
    of this package, which read the `facts`.
    """
    sheet = f"{colors()}\n{resource('page.css')}"
    left = [
        name
        for name in ("predict", "predictProba", "points", "cellsOf")
        if f"function {name}(" in model
    ]
    # what the model's script leaves for the others
    hand_over = f"globalThis.bosco = {{ {', '.join(left)} }};"
    ours = list(map(_script, scripts))
    modules = [f"{model}\n{hand_over}", resource("words.js"), *ours]
    shown = [Section(one.key, one.title, Screen(Markup(one.body))) for one in sections]
    bodies = "\n".join(Markup(one.body) for one in shown)
    styles = [sheet, *re.findall(r"<style>(.*?)</style>", bodies, re.S)]
    return legal(
        fill(
            "page",
            title=title,
            lead=lead,
            sections=shown,
            # These are no text of HTML's: a browser reads them as they are.
            policy=Markup(_policy(modules, styles)),
            sheet=Markup(sheet),
            facts=plain(facts),
            words=plain(words_of("\n".join(ours))),
            scripts=list(map(Markup, modules)),
        )
    )


def resource(name: str) -> str:
    """A file of this package."""
    return files("bosco.reporting").joinpath(name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    """A script in one piece: what it imports from beside it stands in it."""
    return _IMPORT.sub(lambda found: resource(found[1]), resource(name))


def plain(value: Any) -> Markup:
    """JSON that no browser takes for the end of a script."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def colors() -> str:
    """The colours of the pictures, for the page around them."""

    def variables(theme: dict[str, str]) -> str:
        return "".join(f"--{name}:{color};" for name, color in theme.items())

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
    digest = hashlib.sha256(legal(text).encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def legal(text: str) -> str:
    """Text without what no page, and no document, can hold."""
    return _NOT_TEXT.sub("\ufffd", text)
