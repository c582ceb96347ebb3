"""Which of many boxes meet a box, without looking at each.

The list is cut in two where the boxes before and those after have nothing in common, each part
again, and every part keeps the box around it. What does not meet that meets nothing in the part.
Rules come in the order of their tree, whose list can be cut like this at every test.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import or_

from bosco.rules.space import Box, Space
from bosco.rules.work import Work

_FEW = 3  # boxes that are not parted


class Near:
    """Finds the boxes of a list that meet a box.

    Parameters
    ----------
    space : Space
        Where the boxes are.
    boxes : sequence of Box
        The boxes.
    work : Work
        Where the steps are counted.

    Examples
    --------
    >>> from bosco.tree.conditions import Interval
    >>> from bosco.data.schema import Column, Schema
    >>> asked = [Interval(0, None, 1.0, False), Interval(0, 1.0, 2.0, False)]
    >>> space = Space(Schema((Column("x"),), True), asked)
    >>> Near(space, [space.box([c]) for c in asked], Work()).meeting(space.box([asked[1]]))
    [1]
    """

    def __init__(self, space: Space, boxes: Sequence[Box], work: Work) -> None:
        self._space = space
        self._work = work
        self._boxes = boxes
        # The box around a part, where it begins and ends, and the number of its first half, which
        # the second follows; 0: it is not parted.
        self._parts: list[tuple[Box, int, int, int]] = []
        waiting = [(0, len(boxes))]
        while len(self._parts) < len(waiting):
            begin, end = waiting[len(self._parts)]
            around, cut = self._cut(begin, end)
            self._parts.append((around, begin, end, len(waiting) if cut else 0))
            waiting += [(begin, cut), (cut, end)] if cut else []

    def _cut(self, begin: int, end: int) -> tuple[Box, int]:
        """The box around a part of the list, and where to cut it; 0: it is too short."""
        boxes, n = self._boxes[begin:end], end - begin
        self._work.spend(n * self._space.step)
        before = list(accumulate(boxes, or_))
        around = before[-1] if boxes else 0
        if n <= _FEW:
            return around, 0
        after = list(accumulate(reversed(boxes), or_))
        middle = n // 2
        # From the middle outwards; not near the ends, so that parts of parts soon are short.
        for far in range(middle - n // 8):
            for k in (middle - far, middle + far):
                if not self._space.meets(before[k - 1], after[n - k - 1]):
                    self._work.spend((n + 2 * far) * self._space.step)
                    return around, begin + k
        self._work.spend(2 * n * self._space.step)
        return around, begin + middle

    def meeting(self, box: Box) -> list[int]:
        """The numbers of the boxes that meet a box, ascending."""
        parts, boxes, meets = self._parts, self._boxes, self._space.meets
        found: list[int] = []
        stack = [0]
        looked = 0
        while stack:
            around, begin, end, half = parts[stack.pop()]
            looked += 1
            if not meets(around, box):
                continue
            if half:
                stack.append(half)
                stack.append(half + 1)
            else:
                looked += end - begin
                found += [i for i in range(begin, end) if meets(boxes[i], box)]
        self._work.spend(looked * self._space.step)
        return sorted(found)
