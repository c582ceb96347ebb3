"""Which encoding the bytes of a text file are in, and whether they are text at all."""

import codecs
import re

from bosco.errors import DataError

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_WRONG = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f\x7f\ufffd\ufffe\uffff]")
_BINARY_SHARE = 0.02  # of characters that no text has
_WIDE_SHARE = 0.3  # of zeros in every second byte

FALLBACK = "cp1252"
"""What a file is in that is not UTF-8: Latin-1 as Windows writes it."""


def encoding_of(head: bytes) -> str:
    """Tell the encoding from the first bytes: by their mark, by the look of UTF-16, or UTF-8.

    Examples
    --------
    >>> encoding_of("età".encode("utf-16")), encoding_of("età".encode())
    ('utf-16', 'utf-8')
    >>> encoding_of("age".encode("utf-16-be")), encoding_of("è qui".encode("latin-1"))
    ('utf-16-be', 'cp1252')
    """
    for mark, encoding in _MARKS.items():
        if head.startswith(mark):
            return encoding
    half = max(len(head) // 2, 1)
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros, others = head[offset::2].count(0), head[1 - offset :: 2].count(0)
        if zeros > _WIDE_SHARE * half and others <= zeros // 10:
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a last letter may be cut in two
    except UnicodeDecodeError:
        return FALLBACK
    return "utf-8"


def refuse_binary(text: str, name: str) -> None:
    r"""Refuse what is no text, and say where the first wrong character is.

    Examples
    --------
    >>> refuse_binary("age,safe\n3\x001,yes\n", "a.csv")
    Traceback (most recent call last):
    bosco.errors.DataError: a.csv, line 2, character 2: U+0000 is not text. ...
    """
    first = _WRONG.search(text)
    if first is None:
        return
    if "\x00" not in text and len(_WRONG.findall(text)) <= _BINARY_SHARE * len(text):
        return
    at = first.start()
    before = re.split(r"\r\n|\r|\n", text[:at])
    raise DataError(
        f"{name}, line {len(before)}, character {len(before[-1]) + 1}: U+{ord(text[at]):04X} is "
        f"not text. Hint: the file may be binary, damaged, or in an encoding that must be named."
    )
