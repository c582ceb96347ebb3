"""What was understood of a scan: as of a file that was read, with no column whole in memory.

Values, missing ones and identifiers are told by all rows. Whether a column leaks the target is told
by rows spread over all; levels that differ in case only, and slips of the pen, are not looked for.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bosco.base.dates import show_moment
from bosco.base.numerals import show_number
from bosco.data.columns import Cells, Coded, Numbers
from bosco.data.frame import IDENTIFIER_ROWS, IDENTIFIER_SHARE
from bosco.data.ondisk import counted, steps
from bosco.data.readers import Table
from bosco.errors import DataError
from bosco.tables.oddities import IDENTIFIER, leak
from bosco.tables.options import Options, require_columns
from bosco.tables.reading import check_weights
from bosco.tables.scan import Scan, scan
from bosco.tables.understanding import Seen, Understanding, in_words

_NAT = np.iinfo(np.int64).min
_SAMPLE = 100_000  # rows that are looked at for leaks


@dataclass(frozen=True, slots=True)
class Survey:
    """A scan with a target, as `read_file` gives a table: rows without a target are left out."""

    X: Table
    y: Any  # of Arrow
    sample_weight: NDArray[np.float64] | None
    understanding: Understanding
    options: Options

    def column(self, name: str) -> Any:
        """A column to learn from, by its name."""
        return arrow_of(self.X.column(self.X.names.index(name)))

    def without(self, names: list[str]) -> "Survey":
        """Leave out some columns to learn from."""
        kept = [j for j, name in enumerate(self.X.names) if name not in names]
        columns = tuple(self.X.columns[j] for j in kept)
        X = replace(self.X, names=tuple(self.X.names[j] for j in kept), columns=columns)
        return replace(self, X=X)


def survey(place: str, options: Options) -> Survey:
    """Scan files to learn the target that the options name.

    Examples
    --------
    >>> import pyarrow.parquet as pq
    >>> pq.write_table(pa.table({"age": [20, 30, 70], "late": ["no", None, "yes"]}), "c.parquet")
    >>> found = survey("c.parquet", Options(target="late"))
    >>> found.X.names, found.y.to_pylist()
    (('age',), ['no', 'yes'])
    """
    scanned = scan(place, options=options)
    roles = [name for name in (options.target, options.weight) if name is not None]
    require_columns(roles, scanned.names, place)
    for name in roles:
        _refuse_infinity(scanned, name, place)
    X, target, weight = scanned.parts_of_fit(options.target, options.weight)
    cells = Numbers(target) if isinstance(target, np.ndarray) else target
    known = ~cells.missing()
    left_out = len(known) - int(np.count_nonzero(known))
    notes = ["suspicious columns were looked for in some of the rows"] * (len(known) > _SAMPLE)
    if left_out == len(known):
        raise DataError(f"{place}, column {options.target!r}: the target has no value in any row.")
    if left_out:
        notes.append(f"{left_out:,} row{'s' * (left_out > 1)} without a target left out")
        X, cells = X.take(known), cells.take(known)
        weight = None if weight is None else np.asarray(weight)[known]
    if options.weight is not None:
        weight = np.asarray(weight)
        check_weights(pa.array(weight, from_pandas=True), options.weight, place)
    y = arrow_of(cells)
    rows = np.arange(0, X.n_rows, -(-X.n_rows // _SAMPLE))
    some = arrow_of(cells.take(rows))
    seen = [_seen(name, X.column(j), rows, some) for j, name in enumerate(X.names)]
    seen.append(replace(_seen(str(options.target), cells, rows, None), role="target"))
    if weight is not None:
        seen.append(replace(_seen(str(options.weight), Numbers(weight), rows, None), role="weight"))
    seen.sort(key=lambda column: scanned.names.index(column.name))
    form = f"{scanned.n_files:,} file{'s' * (scanned.n_files > 1)}"
    told = Understanding(place, form, X.n_rows, tuple(seen), tuple(notes))
    return Survey(X, y, weight, told, options)


def _refuse_infinity(scanned: Scan, name: str, place: str) -> None:
    values = scanned.target(name)
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        for some in steps(len(values)):
            if np.isinf(values[some]).any():
                row = some.start + int(np.argmax(np.isinf(values[some])))
                raise DataError(
                    f"{place}, column {name!r}, row {row + 1}: {values[row]} cannot be learned. "
                    "Hint: leave the cell empty if it is not known."
                )


def arrow_of(cells: Cells) -> Any:
    """A column as one of Arrow."""
    if isinstance(cells, Numbers):
        if cells.unit == "number":
            return pa.array(cells.values, from_pandas=True)
        ticks = np.where(np.isnan(cells.values), _NAT, cells.values).astype(np.int64)
        kind = {"date": "datetime64[D]", "duration": "timedelta64[us]"}
        return pa.array(ticks.view(kind.get(cells.unit, "datetime64[us]")), from_pandas=True)
    codes = cells.codes.astype(np.int32)
    codes -= 1
    coded = pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), pa.array(cells.levels))
    return coded if isinstance(cells.levels[0], str) else coded.dictionary_decode()


def _seen(name: str, cells: Cells, rows: NDArray[Any], target: Any) -> Seen:
    """What there is to say about one column."""
    n = len(cells)
    if isinstance(cells, Coded):
        counts = counted(cells.codes, len(cells.levels) + 1)
        missing = int(counts[0])
        used = np.flatnonzero(counts[1:])
        order = used[np.argsort(-counts[1:][used], kind="stable")]
        levels: int | None = len(used)
        names = [cells.levels[k] for k in order[:5]]
        kind = {"boolean": "boolean"}.get(cells.unit, "ordinal" if cells.ordered else "text")
        words = in_words(names, len(used)) if len(used) else "none"
        constant = str(names[0]) if len(used) == 1 else ""
    else:
        missing = sum(int(np.isnan(cells.values[some]).sum()) for some in steps(n))
        levels, kind = None, cells.unit
        ends = np.fmin.reduce(cells.values), np.fmax.reduce(cells.values)
        low, high = (_shown(x.item(), kind) for x in ends)
        words = "none" if missing == n else low if low == high else f"{low} … {high}"
        constant = low if ends[0] == ends[1] else ""
    odd = []
    if missing == n:
        odd = ["no value at all"]
    elif constant and not missing and n > 1:
        odd = [f"constant: every row has {constant}"]
    elif target is not None and _identifies(cells, levels, n - missing):
        own = f"{levels or n:,} of {n - missing:,} rows have a value of their own"
        odd = [f"{IDENTIFIER}: {own}"]
    elif target is not None:
        values = arrow_of(cells.take(rows))
        told = leak(values, kind, target)
        odd = [f"may leak the target: {told}"] if told else []
    return Seen(name, kind, "input", levels, words, missing, odd=tuple(odd))


def _shown(x: float, unit: str) -> str:
    return show_number(x) if unit == "number" else show_moment(unit, x)


def _identifies(cells: Cells, levels: int | None, known: int) -> bool:
    """Whether a column tells (nearly) every row from every other; as `oddities` has it."""
    if known < IDENTIFIER_ROWS:
        return False
    if isinstance(cells, Coded):
        return cells.unit == "text" and (levels or 0) >= IDENTIFIER_SHARE * known
    x = cells.values
    if x.dtype.kind not in "iu" or cells.unit != "number":
        return False
    low, high = int(x.min()), int(x.max())
    if high - low != len(x) - 1:
        return False
    met = np.zeros(len(x), bool)
    for some in steps(len(x)):
        met[x[some].astype(np.int64) - low] = True
    return bool(met.all())
