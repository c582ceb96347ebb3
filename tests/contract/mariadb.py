"""A MariaDB server for the time of a test run."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from tests.contract.runners import AbsentError

_SECONDS = 60  # to start in


class MariaDB:
    """A server of its own, on a socket in a folder of its own, and one connection to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> None:
        try:
            import pymysql
        except ImportError:
            raise AbsentError("pymysql is not installed") from None
        install, server = (shutil.which(name) for name in ("mariadb-install-db", "mariadbd"))
        server = server or shutil.which("mariadbd", path="/usr/sbin")
        if install is None or server is None:
            raise AbsentError("the MariaDB server is not installed")
        data, place = self.folder / "db", self.folder / "socket"
        who = ["--user=root"] if os.geteuid() == 0 else []
        plain = ["--no-defaults", f"--datadir={data}", *who]
        quick = ["--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin"]
        made = [install, *plain, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(made, check=True, capture_output=True, timeout=_SECONDS)
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                [server, *plain, *quick, f"--socket={place}"], stdout=log, stderr=log
            )
        until = time.monotonic() + _SECONDS
        while not _answers(place):
            if self.process.poll() is not None or time.monotonic() > until:
                said = (self.folder / "log").read_text(errors="replace")[-300:]
                raise AbsentError(f"MariaDB does not start: {said}")
            time.sleep(0.1)
        how: dict[str, Any] = {"unix_socket": str(place), "user": "root"}
        self.base = pymysql.connect(**how, charset="utf8mb4", autocommit=True)
        self.ask("CREATE DATABASE bosco CHARACTER SET utf8mb4")
        self.ask("USE bosco")
        self.ask("SET sql_mode = 'ANSI_QUOTES,STRICT_ALL_TABLES'")  # the tests' own "names"

    def stop(self) -> None:
        self.base.close()
        self.process.terminate()
        self.process.wait(_SECONDS)

    def ask(self, statement: str, rows: list[Any] | None = None) -> list[Any]:
        """Run a statement; with rows, once for each."""
        with self.base.cursor() as cursor:
            if rows is None:
                cursor.execute(statement)
            else:
                cursor.executemany(statement, rows)
            return list(cursor.fetchall())


def _answers(place: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(place)) == 0


@cache
def mariadb() -> MariaDB:
    """Start a server, once; it stops when Python ends."""
    folder = Path(tempfile.mkdtemp(prefix="bosco-maria-"))
    server = MariaDB(folder)
    try:
        server.start()
    except subprocess.CalledProcessError as error:
        raise AbsentError(f"MariaDB does not start: {error.stderr.decode()[-300:]}") from None
    finally:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(server.stop)
    return server
