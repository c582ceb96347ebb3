"""How wide a text will be, without a font at hand.

The advances are those of DejaVu Sans, the widest of the sans-serif faces that browsers fall back
to, so a text measured here fits its box in any of them.
"""

import re
import unicodedata
from functools import lru_cache

# Hundredths of the font size, for the characters from space to tilde.
_ADVANCE = (
    32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75,
    79, 60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,
    63, 63, 28, 28, 58, 28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
)  # fmt: skip
_BOLD = 1.15
_WIDE = 105
_OTHER = 84  # operators and most letters beyond ASCII are no wider


@lru_cache(maxsize=4096)
def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of a text in pixels, at most."""
    hundredths = sum(map(_advance, text))
    return round(hundredths * size / 100 * (_BOLD if bold else 1.0), 2)


def _advance(character: str) -> int:
    code = ord(character) - 32
    if 0 <= code < len(_ADVANCE):
        return _ADVANCE[code]
    if unicodedata.combining(character):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" or code > 0x1000 else _OTHER


def shorten(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """The text, or as much of its beginning as fits with an ellipsis."""
    if text_width(text, size, bold=bold) <= width:
        return text
    room = width - text_width("…", size, bold=bold)
    used, kept = 0.0, ""
    for character in text:
        used += text_width(character, size, bold=bold)
        if used > room:
            break
        kept += character
    return f"{kept}…"


def wrap(
    text: str, width: float, size: float, *, bold: bool = False, max_lines: int = 3
) -> list[str]:
    """The text in lines that fit, broken after words or signs; what is left over is cut off.

    Examples
    --------
    >>> wrap("one, two, three, four", 60, 12)
    ['one, two,', 'three,', 'four']
    >>> wrap("od280/od315_of_diluted_wines", 120, 12)
    ['od280/od315_of_', 'diluted_wines']
    """
    lines = [""]
    pieces = re.findall(r"[^\s_/,;]*[_/,;]*\s*", text)
    for at, piece in enumerate(pieces):
        longer = lines[-1] + piece
        if not lines[-1] or text_width(longer.rstrip(), size, bold=bold) <= width:
            lines[-1] = longer
        elif len(lines) == max_lines:
            lines[-1] += "".join(pieces[at:])
            break
        else:
            lines.append(piece)
    return [shorten(line.rstrip(), width, size, bold=bold) for line in lines]
