"""PY021: unreachable except handler."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

# Bases of libraries' exceptions, from their documentation.
_BASES: Mapping[str, str] = {
    "json.JSONDecodeError": "ValueError",
    "json.decoder.JSONDecodeError": "ValueError",
    "dateutil.parser.ParserError": "ValueError",
    "ipaddress.AddressValueError": "ValueError",
    "tomllib.TOMLDecodeError": "ValueError",
    "socket.timeout": "OSError",
    "socket.gaierror": "OSError",
    "ssl.SSLError": "OSError",
    "shutil.Error": "OSError",
    "zipfile.BadZipFile": "Exception",
    "subprocess.CalledProcessError": "subprocess.SubprocessError",
    "subprocess.TimeoutExpired": "subprocess.SubprocessError",
    "subprocess.SubprocessError": "Exception",
    "urllib.error.URLError": "OSError",
    "urllib.error.HTTPError": "urllib.error.URLError",
    "configparser.NoOptionError": "configparser.Error",
    "configparser.NoSectionError": "configparser.Error",
    "configparser.Error": "Exception",
    "smtplib.SMTPException": "OSError",
    "smtplib.SMTPAuthenticationError": "smtplib.SMTPException",
    "smtplib.SMTPConnectError": "smtplib.SMTPException",
    "smtplib.SMTPRecipientsRefused": "smtplib.SMTPException",
    "queue.Empty": "Exception",
    "asyncio.IncompleteReadError": "EOFError",
    "decimal.InvalidOperation": "ArithmeticError",
    "sqlite3.IntegrityError": "sqlite3.DatabaseError",
    "sqlite3.OperationalError": "sqlite3.DatabaseError",
    "sqlite3.DatabaseError": "sqlite3.Error",
    "sqlite3.Error": "Exception",
    "requests.RequestException": "OSError",
    "requests.HTTPError": "requests.RequestException",
    "requests.ConnectionError": "requests.RequestException",
    "requests.Timeout": "requests.RequestException",
    "requests.TooManyRedirects": "requests.RequestException",
    "requests.ConnectTimeout": "requests.Timeout",
    "requests.ReadTimeout": "requests.Timeout",
    "httpx.HTTPError": "Exception",
    "httpx.HTTPStatusError": "httpx.HTTPError",
    "httpx.RequestError": "httpx.HTTPError",
    "httpx.TransportError": "httpx.RequestError",
    "httpx.TimeoutException": "httpx.TransportError",
    "httpx.ConnectError": "httpx.TransportError",
    "httpx.ConnectTimeout": "httpx.TimeoutException",
    "httpx.ReadTimeout": "httpx.TimeoutException",
    "aiohttp.ClientError": "Exception",
    "aiohttp.ClientResponseError": "aiohttp.ClientError",
    "aiohttp.ClientConnectionError": "aiohttp.ClientError",
    "aiohttp.ClientConnectorError": "aiohttp.ClientConnectionError",
    "sqlalchemy.exc.SQLAlchemyError": "Exception",
    "sqlalchemy.exc.DBAPIError": "sqlalchemy.exc.SQLAlchemyError",
    "sqlalchemy.exc.DatabaseError": "sqlalchemy.exc.DBAPIError",
    "sqlalchemy.exc.IntegrityError": "sqlalchemy.exc.DatabaseError",
    "sqlalchemy.exc.OperationalError": "sqlalchemy.exc.DatabaseError",
    "sqlalchemy.exc.NoResultFound": "sqlalchemy.exc.SQLAlchemyError",
    "django.db.IntegrityError": "django.db.DatabaseError",
    "django.db.OperationalError": "django.db.DatabaseError",
    "django.db.DatabaseError": "Exception",
    "psycopg2.OperationalError": "psycopg2.DatabaseError",
    "psycopg2.IntegrityError": "psycopg2.DatabaseError",
    "psycopg2.DatabaseError": "psycopg2.Error",
    "psycopg2.Error": "Exception",
    "redis.ConnectionError": "redis.RedisError",
    "redis.TimeoutError": "redis.RedisError",
    "redis.RedisError": "Exception",
    "pydantic.ValidationError": "ValueError",
    "jwt.ExpiredSignatureError": "jwt.InvalidTokenError",
    "jwt.InvalidTokenError": "Exception",
    "botocore.exceptions.ClientError": "Exception",
    "binascii.Error": "ValueError",
}
_BUILTIN = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}


class UnreachableExceptHandler(PythonCheck):
    """An exception handler follows one that already catches the same exception.

    Handlers are tried in order, so the broader handler catches what the narrower one was written for, and
    the narrower one never runs. Put the narrower handler first.
    """

    ID = "PY021"
    NAME = "unreachable-except-handler"
    MATURITY = Maturity.PREVIEW
    WORDS = ("except ",)
    DEFECT_CLASS = "unreachable-handler"
    VALID = [
        code("""
            try:
                f()
            except FileNotFoundError:
                a()
            except OSError:
                b()
        """),
        code("""
            try:
                f()
            except (KeyError, OSError):
                a()
            except ValueError:
                b()
        """),
    ]
    INVALID = [
        code("""
            try:
                f()
            except OSError:
                a()
            «except» FileNotFoundError:
                b()
        """),
        code("""
            import json
            try:
                f()
            except (KeyError, ValueError):
                a()
            «except» json.JSONDecodeError:
                b()
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return source.text.count("except ") > 1

    def visit_Try(self, node: ast.Try) -> None:
        caught: list[str] = []
        for handler in node.handlers:
            names = [self._name(kind) for kind in _kinds(handler)]
            wider = [next((w for w in caught if self._covers(w, name)), None) for name in names]
            if names and all(wider):
                span = self.module.keyword_span(handler, len("except"))
                self.report(span, f"{' and '.join(names)} is unreachable: {wider[0]} above catches it")
            caught += [name for name in names if name]

    def _name(self, kind: ast.expr) -> str:
        name = self.module.dotted(kind) or ""
        if name in ("IOError", "EnvironmentError"):
            return "OSError"
        return name.replace("requests.exceptions.", "requests.").replace("redis.exceptions.", "redis.")

    def _covers(self, wide: str, narrow: str) -> bool:
        """Return True if one exception is known to be a base of another."""
        above = self._bases_of(narrow)
        return wide != narrow and wide in above

    def _bases_of(self, name: str) -> set[str]:
        found: set[str] = set()
        pending = [name]
        while pending:
            current = pending.pop()
            if current in self._own:
                above = self._own[current]
            elif current in _BASES:
                above = [_BASES[current]]
            elif current in _BUILTIN and not self._is_shadowed(current):
                above = [one.__name__ for one in _BUILTIN[current].__mro__[1:-1]]
            else:
                above = []
            pending += [item for item in above if item not in found]
            found.update(above)
        return found

    def _is_shadowed(self, name: str) -> bool:
        return name in self.module.imported or name in self.module.assigned

    @cached_property
    def _own(self) -> dict[str, list[str]]:
        """Classes of the module and their bases."""
        return {
            node.name: [self.module.dotted(base) or "" for base in node.bases]
            for node in self.module.nodes
            if isinstance(node, ast.ClassDef)
        }


def _kinds(handler: ast.ExceptHandler) -> list[ast.expr]:
    if handler.type is None:
        return []
    return handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
