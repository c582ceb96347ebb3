"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest

from bosco.export.graphs import _dot_text, _mermaid_text
from bosco.export.source import number


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (_dot_text('say "hi"', "next"), r'"say \"hi\"\nnext"'),
        (_mermaid_text('say "hi"', "next"), '"say #34;hi#34;<br/>next"'),
        ([number(x) for x in (2.0, 1e300, 0.1)], ["2.0", "1e+300", "0.1"]),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted
