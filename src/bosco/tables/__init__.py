"""Tables from files: read them, say what was understood, stream them to predict and write.

`read_file` gives a typed table and an `Understanding`; `read_chunks` reads a file of any size as a
model's schema says, `read_case` one case; `write_chunks` writes a file that appears whole or not at
all. Names are imported when first asked for: what reads one case need not wait for pyarrow.
"""

import importlib
import typing

if typing.TYPE_CHECKING:
    from bosco.tables.case import read_case
    from bosco.tables.chunks import Chunk, estimate_rows, read_chunks
    from bosco.tables.options import Domain, Options, read_domains
    from bosco.tables.reading import Reading, read_file
    from bosco.tables.understanding import Seen, Understanding
    from bosco.tables.writing import write_chunks

__all__ = [
    "Chunk",
    "Domain",
    "Options",
    "Reading",
    "Seen",
    "Understanding",
    "estimate_rows",
    "read_case",
    "read_chunks",
    "read_domains",
    "read_file",
    "write_chunks",
]

_HOMES = {
    "case": ("read_case",),
    "chunks": ("Chunk", "estimate_rows", "read_chunks"),
    "options": ("Domain", "Options", "read_domains"),
    "reading": ("Reading", "read_file"),
    "understanding": ("Seen", "Understanding"),
    "writing": ("write_chunks",),
}


def __getattr__(name: str) -> typing.Any:
    for module, names in _HOMES.items():
        if name in names:
            found = importlib.import_module(f"bosco.tables.{module}")
            value = globals()[name] = getattr(found, name)
            return value
    raise AttributeError(f"module 'bosco.tables' has no attribute {name!r}")
