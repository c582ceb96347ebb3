"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest

from bosco.errors import ModelError
from bosco.store.forms import is_binary, parse
from bosco.store.labels import read_labels
from bosco.store.values import number_or_word, refuse


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (parse(b'{"a": [1, 2.5]}'), {"a": [1, 2.5]}),
        (is_binary(b'{"format": "bosco model"}'), False),
        (repr(read_labels({"dtype": "int64", "labels": [0, 1]})), "array([0, 1])"),
        ((number_or_word(0.1), number_or_word(float("-inf"))), (0.1, "-inf")),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted


def test_what_is_refused() -> None:
    with pytest.raises(ModelError, match="not a sound model: the file: the key 'a' comes twice"):
        parse(b'{"a": 1, "a": 2}')
    with pytest.raises(
        ModelError, match=r"not a sound model: nodes\[3\].tally: 2 numbers are wanted"
    ):
        refuse("nodes[3].tally", "2 numbers are wanted, got 3")
