"""Which columns of a DataFrame are learned from, and a partition of them as rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.ml.functions import vector_to_array
from pyspark.ml.linalg import VectorUDT
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  as everybody calls it
from pyspark.sql import types as T  # noqa: N812

from bosco.data.readers import Table, read_table
from bosco.errors import KindError, ParameterError, did_you_mean
from bosco.scale.part import Rows

_NESTED = (T.ArrayType, T.MapType, T.StructType, T.BinaryType, T.UserDefinedType)


@dataclass(frozen=True, slots=True)
class Roles:
    """The names of the columns to learn from, or of one with vectors; of the target and weights."""

    label: str
    weight: str | None
    features: tuple[str, ...] = ()
    vector: str | None = None
    inside: tuple[str, ...] | None = None  # the names of what vectors hold, if they are known

    def rows(self, table: Any) -> Rows:
        """A partition, as a table of Arrow, as rows."""
        if table is None:
            return Rows(None, None)
        weight = None if self.weight is None else table.column(self.weight)
        return Rows(self.read(table), table.column(self.label), weight)

    def read(self, table: Any) -> Table:
        """The columns to learn from."""
        if self.vector is None:
            return read_table(table.select(list(self.features)))
        return matrix(table.column(self.vector).combine_chunks(), self.vector, self.inside)

    def selected(self, frame: DataFrame) -> DataFrame:
        """The columns that have a role, and no others."""
        plain = [*self.features, self.label, *([self.weight] if self.weight else [])]
        vectors = [] if self.vector is None else [vector_column(self.vector)]
        return frame.select(*map(column, plain), *vectors)


def roles_of(
    frame: DataFrame,
    label: str,
    weight: str | None,
    features: list[str] | None,
    vector: str | None,
) -> Roles:
    """Check the columns that are named; without features, all that have no other role."""
    types = {field.name: field.dataType for field in frame.schema.fields}
    named = {"labelCol": [label], "weightCol": [weight] if weight else [], "featuresCol": []}
    named |= {"featuresCol": [vector] if vector else [], "featuresCols": features or []}
    for param, names in named.items():
        for name in names:
            require_column(frame, name, param)
    if vector is not None:
        if features is not None:
            raise ParameterError("Give featuresCols or featuresCol, not both.")
        if not isinstance(types[vector], VectorUDT | T.ArrayType):
            raise ParameterError(
                f"featuresCol={vector!r} must name a column of vectors, but it holds "
                f"{types[vector].simpleString()}. Hint: featuresCols takes plain columns."
            )
        return Roles(label, weight, (), vector, names_inside(frame, vector))
    chosen = features or [name for name in types if name not in (label, weight)]
    for name in chosen:
        if isinstance(types[name], _NESTED):
            raise KindError(
                f"Column {name!r} holds values of type {types[name].simpleString()}; a cell must "
                f"be one value. Hint: featuresCols names the columns to learn from, featuresCol "
                f"one with vectors."
            )
    return Roles(label, weight, tuple(chosen))


def require_column(frame: DataFrame, name: str, param: str) -> None:
    """Refuse a name that no column has."""
    if name not in frame.columns:
        hint = did_you_mean(name, frame.columns)
        raise ParameterError(f"{param}={name!r} is no column of the DataFrame.{hint}")


def names_inside(frame: DataFrame, vector: str) -> tuple[str, ...] | None:
    """The names of what vectors hold, as VectorAssembler notes them; None if some have none."""
    noted = frame.schema[vector].metadata.get("ml_attr", {}).get("attrs", {})
    each = sorted((a for some in noted.values() for a in some), key=lambda a: a["idx"])
    names = tuple(str(a.get("name", "")) for a in each)
    return names if names and all(names) and len(set(names)) == len(names) else None


def column(name: str) -> Column:
    """A column of this very name, whatever is in it."""
    return F.col("`" + name.replace("`", "``") + "`")


def vector_column(name: str) -> Column:
    """A column of vectors as one of arrays, which Arrow has; arrays stay."""
    return vector_to_array(column(name)).alias(name)


def matrix(vectors: Any, name: str, inside: tuple[str, ...] | None) -> Table:
    """Vectors as the columns that they hold."""
    lengths = np.unique(vectors.value_lengths().to_numpy(zero_copy_only=False))
    if len(lengths) != 1 or np.isnan(lengths[0]):
        raise KindError(f"Column {name!r}: vectors must all be there, and of one length.")
    width = int(lengths[0])
    cells = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)
    if inside is None or len(inside) != width:
        return read_table(cells)
    return read_table({n: np.ascontiguousarray(cells[:, j]) for j, n in enumerate(inside)})
