r"""Names, levels and labels come from strangers' files: shown, they must not act.

A terminal obeys control characters: ESC moves the cursor, sets the title, hides what was printed; a
line break forges a line of the tree; a bidirectional override turns the order of what follows. So
text for people is made of names through `visible`, and what the command line prints passes
`harmless`. The model's own data stay as they are.
"""

import re
import sys

_ACTS = (
    "\x00-\x1f\x7f-\x9f"  # control characters
    "\u2028\u2029"  # ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what turns the direction of reading
    "\ud800-\udfff"  # halves of characters, which no terminal can be sent
    "\U000e0000-\U000e007f"  # tags, which nobody sees
)
_ACTING = re.compile(f"[{_ACTS}]")
_ACTING_IN_LINES = re.compile(f"(?![\n\t])[{_ACTS}]")


def visible(text: str) -> str:
    r"""Write a name so that it can be shown: as it is, or quoted with what acts in it spelled out.

    Examples
    --------
    >>> visible("colour"), visible("a\nb"), visible("\x1b[2J")
    ('colour', "'a\\nb'", "'\\x1b[2J'")
    """
    return repr(text) if _ACTING.search(text) else text


def harmless(text: str) -> str:
    r"""Spell out what acts in lines that are finished; line breaks and tabs are meant.

    Examples
    --------
    >>> harmless("no file \x1b]0;title\x07\n")
    'no file \\x1b]0;title\\x07\n'
    """
    return _ACTING_IN_LINES.sub(lambda found: repr(found[0])[1:-1], text)


def can_draw() -> bool:
    """Whether standard output has the characters that a tree is drawn with."""
    try:
        "├└│≤≠→·…".encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
