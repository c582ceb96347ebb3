"""Tables from files: read them, say what was understood, stream them to predict and write.

The room below the command line; it needs pyarrow. `read_file` gives a typed table and an
`Understanding`; `read_chunks` reads a file of any size as a model's schema says; `write_chunks`
writes one that appears whole or not at all.
"""

from bosco.tables.needs import need

need("pyarrow", "tables")

from bosco.tables.chunks import Chunk, estimate_rows, read_case, read_chunks  # noqa: E402
from bosco.tables.options import Domain, Options, read_domains  # noqa: E402
from bosco.tables.reading import Reading, read_file  # noqa: E402
from bosco.tables.understanding import Seen, Understanding  # noqa: E402
from bosco.tables.writing import write_chunks  # noqa: E402

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
