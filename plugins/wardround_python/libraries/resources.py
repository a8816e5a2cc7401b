"""Functions that open files or connections or borrow them from a pool, and those that close them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wardround.lazy import LazyPattern

OPENERS = frozenset(
    {
        "open", "io.open", "os.fdopen", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "shelve.open",
        "socket.socket", "socket.create_connection", "sqlite3.connect", "tempfile.NamedTemporaryFile",
        "tempfile.TemporaryFile", "zipfile.ZipFile", "tarfile.open", "urllib.request.urlopen",
        "psycopg2.connect", "psycopg.connect", "pymysql.connect", "MySQLdb.connect",
        "mysql.connector.connect", "asyncpg.connect", "aiosqlite.connect", "oracledb.connect",
        "pyodbc.connect", "mmap.mmap",
        "smtplib.SMTP", "smtplib.SMTP_SSL", "ftplib.FTP", "ftplib.FTP_TLS", "imaplib.IMAP4_SSL",
        "paramiko.SSHClient", "serial.Serial", "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor", "multiprocessing.Pool", "requests.Session", "httpx.Client",
        "httpx.AsyncClient", "aiohttp.ClientSession",
    }
)  # fmt: skip
CLOSERS = frozenset({"close", "aclose", "quit", "logout", "disconnect"})
ENDERS = frozenset({"shutdown", "terminate", "close"})
# Left open they are a matter of style rather than a leak.
MAY_STAY = frozenset(
    {
        "requests.Session", "httpx.Client",
        "tempfile.TemporaryFile", "tempfile.NamedTemporaryFile", "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor", "multiprocessing.Pool", "paramiko.SSHClient",
        "urllib.request.urlopen", "shelve.open", "mmap.mmap",
    }
)  # fmt: skip
HELD = OPENERS - MAY_STAY
FILES = frozenset({"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.fdopen"})
# Methods that acquire something, and the methods that release it.
LENT: Mapping[str, frozenset[str]] = {
    "getconn": frozenset({"putconn"}),
    "acquire": frozenset({"release"}),
    "get_connection": frozenset({"release", "close", "release_connection", "return_connection"}),
    "raw_connection": frozenset({"close"}),
    "connect": frozenset({"close"}),
    "Session": frozenset({"close"}),
    "SessionLocal": frozenset({"close"}),
    "get_session": frozenset({"close"}),
    "open_session": frozenset({"close"}),
    "create_connection": frozenset({"close"}),
    "open_connection": frozenset({"close"}),
    "checkout": frozenset({"checkin"}),
    "borrow": frozenset({"give_back", "return_object", "release"}),
}
MADE: Mapping[str, frozenset[str]] = {
    "tempfile.mkdtemp": frozenset({"shutil.rmtree"}),
    "os.open": frozenset({"os.close"}),
}
LOCK_NAME = LazyPattern(r"(^|_)(r?lock|mutex|sem|semaphore)$", re.IGNORECASE)
# They use their arguments while they run and store nothing.
BORROWERS = frozenset(
    {
        "json.load", "json.dump", "pickle.load", "pickle.dump", "yaml.load", "yaml.safe_load", "yaml.dump",
        "yaml.safe_dump", "tomllib.load", "tomli.load", "marshal.load", "marshal.dump", "plistlib.load",
        "plistlib.dump", "shutil.copyfileobj", "print", "list", "len", "sum", "csv.reader", "csv.DictReader",
        "csv.writer", "csv.DictWriter", "enumerate", "sorted", "next", "iter", "zip",
    }
)  # fmt: skip
