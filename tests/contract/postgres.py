"""A PostgreSQL server for the time of a test run."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.contract.runners import AbsentError


class Postgres:
    """A server of its own, on a socket in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def programs() -> Path:
        found = [Path(p) for p in [shutil.which("initdb")] if p]
        found += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not found:
            raise AbsentError("the PostgreSQL server is not installed")
        return found[-1].parent

    def run(self, *command: Any, **more: Any) -> Any:
        more |= {"user": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        words = list(map(str, command))
        return subprocess.run(words, check=True, cwd=self.folder, capture_output=True, **more)

    def start(self) -> None:
        programs = self.programs()
        if os.geteuid() == 0:
            try:
                shutil.chown(self.folder, "postgres")
            except LookupError:
                raise AbsentError("PostgreSQL does not run as root, and has no user") from None
        how = ["-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-U", "bosco", "-N"]
        self.run(programs / "initdb", "-D", "db", *how)
        options = f"-c listen_addresses='' -k {self.folder} -c fsync=off"
        self.run(programs / "pg_ctl", "-D", "db", "-w", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        self.run(self.programs() / "pg_ctl", "-D", "db", "-m", "immediate", "stop")

    def ask(self, script: str, data: bytes = b"") -> str:
        """Run a script, with what follows it as the input of a COPY."""
        command = [self.programs() / "psql", "-h", self.folder, "-U", "bosco", "-d", "postgres"]
        out = self.run(
            *command, "-q", "-v", "ON_ERROR_STOP=1", "-f", "-", input=script.encode() + data
        )
        return out.stdout.decode()


@cache
def postgres() -> Postgres:
    """Start a server, once; it stops when Python ends."""
    folder = Path(tempfile.mkdtemp(prefix="bosco-pg-"))
    folder.chmod(0o755)
    server = Postgres(folder)
    try:
        server.start()
    except subprocess.CalledProcessError as error:
        raise AbsentError(f"PostgreSQL does not start: {error.stderr.decode()[-300:]}") from None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.stop)
    return server
