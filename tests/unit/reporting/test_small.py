"""Small functions of the room: what each gives for one plain case."""

from typing import Any

import pytest
from markupsafe import escape

from bosco.data.frame import Frame
from bosco.data.schema import Schema
from bosco.reporting.case import typical_case
from bosco.reporting.charts import interval, signed

X = {"age": [20.0, 30.0, 70.0, None], "sex": ["f", "m", "f", None]}


@pytest.mark.parametrize(
    ("got", "wanted"),
    [
        (typical_case(Frame.read(X, Schema.infer(X))), {"age": 30, "sex": "f"}),
        (str(escape(interval(0.5, 0.25, 0.75)))[:21], '<svg class="interval"'),
        (str(escape(signed(-0.5)))[-29:], 'x="25.0" width="25.0"/></svg>'),
    ],
)
def test_one_plain_case(got: Any, wanted: Any) -> None:
    assert got == wanted
