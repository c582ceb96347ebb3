"""Keyed randomness (§7): keys, the order of columns, random tests."""

from __future__ import annotations

from .data import Table
from .levels import propose_sides
from .trial import Proposal, Scored, Setting, cut_proposal, places, try_binary

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(a: int, b: int) -> int:
    """A 64-bit key of two."""
    turned = b * GOLDEN & MASK
    turned = (turned << 31 | turned >> 33) & MASK
    z = ((a ^ turned) + GOLDEN) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def shuffled(key: int, n: int) -> list[int]:
    order = list(range(n))
    for i in range(n - 1):
        j = i + mix(key, i) % (n - i)
        order[i], order[j] = order[j], order[i]
    return order


BLOCK = 65_536


def sample_key(seed: int, tree: int) -> int:
    return mix(mix(seed, tree), 0x5A3B1E)


def sampled(key: int, n: int, size: int, replace: bool) -> list[int]:
    """How often each of n places is among `size` draws, block by block."""
    times = [0] * n
    for begin in range(0, n, BLOCK):
        end = min(n, begin + BLOCK)
        first, last = size * begin // n, size * end // n
        if replace:
            for i in range(first, last):
                times[begin + (mix(key, i) * (end - begin) >> 64)] += 1
            continue
        left = last - first
        for place in range(begin, end):
            if mix(key, place) * (end - place) >> 64 < left:
                times[place] = 1
                left -= 1
    return times


def propose_random(setting: Setting, table: Table, key: int) -> Proposal | None:
    """The one test drawn for a column; none where fewer than two values are known."""
    if len(table.codes) < 2:
        return None
    drawn = mix(key, table.index + (1 << 32))
    if table.column.nominal:
        sides = {code: mix(drawn, code) & 1 for code in table.codes}
        sides[table.codes[0]] = 0
        if not any(sides.values()):
            sides[table.codes[-1]] = 1
        return propose_sides(setting, table, sides)
    a, b = table.value(0), table.value(len(table.codes) - 1)
    t = a + (drawn >> 11) * 2.0**-53 * (b - a)
    if not a <= t < b:
        t = a
    left = setting.total([c for i, c in enumerate(table.cells) if table.value(i) <= t])
    known = [left, table.known - left]
    best: Scored | None = None
    for place in places(setting, table, known):
        scored = try_binary(setting, table, known, place)
        if scored and scored.beats(best):
            best = scored
    return None if best is None else cut_proposal(setting, table, known, best, [t])
