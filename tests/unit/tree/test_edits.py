"""The log of edits is a chain, and edits follow their nodes."""

import copy

import pytest

from bosco.errors import ModelError
from bosco.tree.edits import ByHand, Edits, Order, chained, require_chain


def _log() -> list[dict]:
    log: list[dict] = []
    for verb in ("split", "prune", "answer"):
        log.append(dict(chained(log, {"verb": verb, "node": len(log), "reason": "perché sì"})))
    return log


def test_a_log_as_written_is_whole() -> None:
    require_chain(_log())


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("key", ["verb", "node", "reason", "before", "hash"])
def test_any_change_shows(at: int, key: str) -> None:
    log = copy.deepcopy(_log())
    log[at][key] = 7 if key == "node" else log[at][key] + "x"
    with pytest.raises(ModelError, match="log of edits was changed"):
        require_chain(log)


def test_an_omission_shows() -> None:
    log = _log()
    for less in (log[1:], [log[0], log[2]], [log[1], log[0], log[2]]):
        with pytest.raises(ModelError):
            require_chain(less)


def test_edits_follow_their_nodes() -> None:
    edits = Edits({1: ByHand("", 0.0)}, {4: Order(0, "law")}, {1: "a", 5: "b"}, frozenset({4, 5}))
    moved = edits.renumbered({0: 0, 1: 2, 4: 1})
    assert (set(moved.chosen), set(moved.orders)) == ({2}, {1})
    assert (moved.notes, moved.locked) == ({2: "a"}, {1})
    assert not Edits()
    assert moved
