"""Class labels as plain values: the kind of array they are, and one value each.

A label is kept exactly or not at all: what a label turns into and back must be the label.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bosco.errors import ModelError
from bosco.store.values import (
    BOUND,
    integer,
    integers,
    mapping,
    refuse,
    refusing,
    require,
    sequence,
)

_TICKS = r"\[(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]"
_NUMBERS = re.compile(r"u?int(8|16|32|64)|float(16|32|64)")
_DATES = re.compile("datetime64" + _TICKS)
_SPANS = re.compile(f"timedelta64({_TICKS})?")


def write_labels(classes: NDArray[Any]) -> dict[str, Any]:
    """Give labels as values that JSON can hold.

    Examples
    --------
    >>> write_labels(np.array(["no", "yes"]))
    {'dtype': 'str', 'labels': ['no', 'yes']}
    >>> write_labels(np.array(["2020-01-01"], "datetime64[D]"))
    {'dtype': 'datetime64[D]', 'labels': ['2020-01-01']}
    """
    dtype = "str" if classes.dtype.kind in "UT" else classes.dtype.newbyteorder("=").name
    if classes.dtype.kind == "M":
        labels = np.datetime_as_string(classes).tolist()
    elif classes.dtype.kind == "m":
        labels = classes.view(np.int64).tolist()
    else:
        labels = classes.tolist()
    said = {"dtype": dtype, "labels": labels}
    try:
        read_labels(said)
    except ModelError as error:
        raise ModelError(
            f"The class labels (dtype {classes.dtype}) cannot be kept in a file: {error} "
            f"Hint: fit with labels that are text, numbers, truth values or dates."
        ) from None
    return said


def read_labels(said: Any) -> NDArray[Any]:
    """Read what `write_labels` gave, trusting nothing in it."""
    where = "classes"
    said = mapping(said, where, ("dtype", "labels"))
    dtype, labels = said["dtype"], sequence(said["labels"], f"{where}.labels")
    require(isinstance(dtype, str), f"{where}.dtype", f"a text is wanted, got {dtype!r:.60}")
    require(labels, f"{where}.labels", "there is none")
    array = _array(dtype, labels)
    require(len(set(array.tolist())) == len(labels), f"{where}.labels", "a label comes twice")
    return array


def _array(dtype: str, labels: list[Any]) -> NDArray[Any]:
    where, at = "classes.labels", "classes.labels[{}]"
    if _SPANS.fullmatch(dtype):
        return _no_nat(integers(labels, at).view(dtype))
    allowed = _TYPES.get(dtype[:5].rstrip("0123456789"), ())
    if dtype in ("str", "bool", "object") or _NUMBERS.fullmatch(dtype) or _DATES.fullmatch(dtype):
        for i, label in enumerate(labels):
            if type(label) not in allowed or label != label:
                refuse(at.format(i), f"{label!r:.60} is not a label of dtype {dtype}")
            if type(label) is int:
                integer(label, at.format(i), -BOUND, BOUND)
    else:
        refuse("classes.dtype", f"{dtype!r:.60} is not a kind of label that can be kept")
    with refusing(where, ValueError, OverflowError, TypeError), np.errstate(all="ignore"):
        array = np.array(labels, None if dtype == "str" else dtype)
        kept = np.datetime_as_string(_no_nat(array)) if array.dtype.kind == "M" else array
        require(kept.tolist() == labels, where, f"dtype {dtype} does not hold them as they are")
    return array


def _no_nat(moments: NDArray[Any]) -> NDArray[Any]:
    require(not np.isnat(moments).any(), "classes.labels", "a label is missing")
    return moments


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "objec": (str, bool, int, float),
    "int": (int,),
    "uint": (int,),
    "float": (float,),
    "datet": (str,),
}
