"""On which rows figures were taken, in words; and why they may be no test."""

from bosco.base.language import tr
from bosco.data.fingerprint import Seen


def whose_rows(n: int, seen: Seen | None, *, apart: bool, untouched: bool) -> str:
    """Whose rows they are: n of them; `apart`, those seen in training were left out."""
    if untouched:
        return tr("the {n:,} rows set apart to test it", n=n)
    if apart:
        return tr("{n:,} rows that equal no training row", n=n)
    if seen is None:
        return tr("the {n:,} rows given", n=n)
    return seen.whose


def why_no_test(seen: Seen | None, *, untouched: bool) -> str:
    """Why figures on these rows may be no test, in a sentence; else nothing."""
    if untouched or seen is None:
        return ""
    if not seen.known:
        return f"{seen} {tr('So this may be no test.')}"
    if seen.state == "learned":
        return tr("So this is no test: the figures flatter the model.")
    return ""
