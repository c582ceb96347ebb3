"""Several trees in step: one round carries the requests of all that are at hand.

A round costs its way to all parts and back, whatever it carries. How many trees go together is
limited by what they hold, here and at the parts, and changes nothing but the number of rounds.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from bosco.scale.grower import Grower
from bosco.scale.source import Source

__all__ = ["grown"]

TOGETHER = 8
"""So many trees are grown at a time: each has records of its own of all rows, at the parts."""

HELD = 2**28
"""Bytes of tables held here; trees beyond wait until others are done."""


class _Walk:
    """A tree on its way: what it asks next, or that it is done."""

    def __init__(self, grower: Grower):
        self.grower = grower
        self.tree: Any = None
        grower.source.trees[grower.number] = grower.steps
        self._way = grower.run()
        self.asked = next(self._way)

    def go_on(self, answer: Any) -> None:
        try:
            self.asked = self._way.send(answer)
        except StopIteration as end:
            self.tree = end.value
            del self.grower.source.trees[self.grower.number]  # parts forget it


def grown(source: Source, growers: Iterable[Grower]) -> Iterator[Any]:
    """Grow trees over a source, and give them in their order."""
    waiting, walks = iter(growers), list[_Walk]()
    while True:
        going = [walk for walk in walks if walk.tree is None]
        while len(walks) < TOGETHER and sum(walk.grower.held for walk in going) <= HELD:
            if (grower := next(waiting, None)) is None:
                break
            walks.append(_Walk(grower))
            going.append(walks[-1])
        if not walks:
            return
        some: list[_Walk] = []
        held = 0
        for walk in going:
            held += walk.grower.held
            if some and held > HELD:
                break
            some.append(walk)
        for walk in [walk for walk in some if walk.asked[0] == "finish"]:
            some.remove(walk)
            walk.go_on(source.finish(*walk.asked[1]))
        if some:
            said = source.each([(walk.grower.number, *walk.asked) for walk in some])
            for walk, answer in zip(some, said, strict=True):
                walk.go_on(answer)
        while walks and walks[0].tree is not None:
            yield walks.pop(0).tree
