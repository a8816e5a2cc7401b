"""TE009: tests that use the network."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from urllib.parse import urlsplit

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.fixtures import is_fixture
from wardround_tests.models.python_tests import TestCase
from wardround_tests.models.syntax import FUNCTIONS, last_name

_VERBS = "get|post|put|patch|delete|head|options|request|stream"
_REQUESTS = LazyPattern(
    rf"^((requests|httpx|requests\.api)\.({_VERBS})|urllib\.request\.(urlopen|urlretrieve)|aiohttp\.request|"
    r"urllib3\.request|websockets?\.(connect|create_connection)|websockets\.sync\.client\.connect|wget\.download|"
    r"pandas\.read_(csv|json|excel|html|xml|parquet|table)|xmlrpc\.client\.ServerProxy|git\.Repo\.clone_from|"
    r"(sqlalchemy\.)?create_engine|pymongo\.MongoClient|redis\.(from_url|Redis\.from_url)|"
    r"psycopg2?\.connect|asyncpg\.connect)$"
)
_CONNECTIONS = LazyPattern(
    r"^(socket\.(create_connection|getaddrinfo|gethostbyname|gethostbyname_ex|connect)|"
    r"smtplib\.(SMTP|SMTP_SSL)|ftplib\.(FTP|FTP_TLS)|imaplib\.(IMAP4|IMAP4_SSL)|poplib\.(POP3|POP3_SSL)|"
    r"telnetlib\.Telnet|http\.client\.(HTTPConnection|HTTPSConnection)|asyncio\.open_connection|"
    r"dns\.resolver\.(resolve|query)|redis\.(Redis|StrictRedis)|psycopg2?\.connect|pymysql\.connect|"
    r"asyncpg\.connect|ldap3\.Server)$"
)
_CLIENTS = frozenset(
    {
        "requests.Session", "requests.session", "httpx.Client", "httpx.AsyncClient", "aiohttp.ClientSession",
        "urllib3.PoolManager", "socket.socket",
    }
)  # fmt: skip
_CLOUDS = frozenset({"boto3.client", "boto3.resource"})
"""Clients that contact a cloud service unless another endpoint is configured."""
_CLOUD_DOUBLES = LazyPattern(
    r"(?i)moto|mock_aws|Stubber|localstack|endpoint_url|mock\b|patch|fake|placebo|vcr|ENDPOINT"
)
_CONTACT_WORDS = LazyPattern(
    r"://|\bboto3\b|\b(socket|smtplib|ftplib|imaplib|poplib|telnetlib|http\.client|open_connection|"
    r"dns\.resolver|redis|psycopg2?|pymysql|asyncpg|ldap3)\b"
)
_FAKES = LazyPattern(
    r"\b(responses|requests_mock|respx|httpretty|vcr|betamax|aioresponses|pytest_httpx|httpx_mock|pook|nock|"
    r"pytest_recording|mocket|socket_disabled|wiremock|requests_mocker|cassette|use_cassette)\b"
)
_TEST_DOUBLES = LazyPattern(
    r"(?i)mock|patch|server|cassette|recorder|httpbin|fake|stub|live|network|vcr|internet|proxy|raises"
)
_CLIENT_NAME = LazyPattern(
    r"(Client|Api|API|Gateway|Session|Fetcher|Connector|Downloader|Crawler|Scraper|Provider|Sdk|SDK|Adapter)$"
)
_DOUBLE_ARGUMENTS = frozenset(
    {"transport", "session", "client", "http", "opener", "fetch", "app", "http_client"}
)
_OFFLINE = LazyPattern(
    r"(?i)url|path|build|format|header|config|parse|sign|make|with|valid|close|register|mount|add|set|use|name|"
    r"^(is|has|from|to|_)"
)
"""Methods that need no server, judged by their names."""
_ADDRESSES = frozenset({"base_url", "api_url", "server_url", "endpoint_url", "api_base", "host_url"})
_REPLACING = LazyPattern(r"(?i)mock|patch|fake|stub|transport|fixture_path|recorded|override|setattr")
_OWN_HOST = LazyPattern(
    r"(?i)^(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1)|"
    r"(^|\.)(example|test|invalid|local|localhost|internal)$|(^|\.)example\.(com|org|net)$|^[^.]*$|mock|fake|dummy"
)
_SCHEME = LazyPattern(
    r"(https?|wss?|ftp|postgres(ql)?(\+\w+)?|mysql(\+\w+)?|mongodb(\+srv)?|rediss?|amqps?)://"
)


class NetworkInTest(PythonTestCheck):
    """A test contacts a real server.

    It fails without network, or if the server is slow or changes its response, and every machine that runs
    the tests sends traffic. Use a local server or a recorded response.
    """

    ID = "TE009"
    NAME = "network-in-test"
    MATURITY = Maturity.PREVIEW
    VALID = [
        code("""
            import socket
            def test_online(port):
                assert socket.create_connection(('127.0.0.1', port))
        """),
        code("""
            import httpx
            def test_rates():
                client = httpx.Client(transport=t)
                assert client.get('https://api.rates.io/v1').is_success
        """),
    ]
    INVALID = [
        code("""
            import pytest
            from fx import Rates
            @pytest.fixture
            def rates():
                return Rates(base_url='https://api.rates.io')
            def test_rates(rates):
                assert «rates.of('EUR')» > 0
        """),
        code("""
            import boto3
            import pytest
            @pytest.fixture
            def store():
                return Store(«boto3.client('s3')»)
            def test_put(store):
                assert store.put('a', b'1')
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return _CONTACT_WORDS.search(source.text) is not None and _FAKES.search(source.text) is None

    def visit_Call(self, node: ast.Call) -> None:
        self._check_client(node)
        name = self._contacting(node)
        if not name or any(k.arg in ("transport", "session", "mounts") for k in node.keywords):
            return
        holder = self.module.function_of(node)
        if not isinstance(holder, FUNCTIONS) or holder not in self.module.test_code:
            return
        if name in _CLOUDS:
            self._check_cloud(node, name, holder)
        else:
            self._check_request(node, name, holder)

    def _check_request(self, node: ast.Call, name: str, holder: FunctionNode) -> None:
        """Report a call that contacts a server of a known name."""
        arguments = [*node.args[:2], *(k.value for k in node.keywords if k.arg in ("url", "host", "address"))]
        kinds = (False, True) if _CONNECTIONS.match(name) else (False,)
        host = next(filter(None, (self._host(one, kind) for kind in kinds for one in arguments)), None)
        if host is None:
            self._check_helper(node, arguments, holder)
        elif not _OWN_HOST.search(host) and not self._is_replaced(holder, node):
            text = f"{name}() contacts {host}; use a local server or a recorded response"
            self.report(self.module.span(node), text)

    def _check_helper(self, node: ast.Call, arguments: Sequence[ast.expr], holder: FunctionNode) -> None:
        """Report a test that passes the address of a real server to a helper that contacts it."""
        names = [one.arg for one in holder.args.args]
        parameters = {one.id for one in arguments if isinstance(one, ast.Name)} & set(names)
        if not parameters or holder not in self.module.support_functions or self._is_replaced(holder, node):
            return
        for case, call in self._calls_of_helper(holder.name):
            passed = [a for n, a in zip(names, call.args, strict=False) if n in parameters]
            passed += [k.value for k in call.keywords if k.arg in parameters]
            host = self._first_host(passed)
            if host is not None and not _OWN_HOST.search(host) and not self._is_replaced(case.node, call):
                text = f"{holder.name}() contacts {host}; use a local server or a recorded response"
                self.report(self.module.span(call), text)
                return

    def _calls_of_helper(self, name: str) -> Iterator[tuple[TestCase, ast.Call]]:
        for case in self.module.tests:
            for node in self.module.nodes_of(case):
                if isinstance(node, ast.Call) and last_name(node) == name:
                    yield case, node

    def _first_host(self, arguments: Sequence[ast.expr]) -> str | None:
        return next(filter(None, (self._host(one, False) for one in arguments)), None)

    def _check_client(self, node: ast.Call) -> None:
        """Report objects of the code under test that contact a real server."""
        name = (self.module.imported_name(node.func) or "").rpartition(".")[2]
        has_address = any(k.arg in _ADDRESSES for k in node.keywords)
        addresses = [k.value for k in node.keywords if k.arg in _ADDRESSES]
        addresses += node.args[:2] if _CLIENT_NAME.search(name) else []
        host = self._first_host(addresses)
        if host is None or not name[:1].isupper() or _OWN_HOST.search(host) or self._has_double(node):
            return
        holder = self.module.function_of(node)
        contacting = next(self._calls_on(node, holder if isinstance(holder, FUNCTIONS) else None), None)
        if contacting is not None or has_address:
            text = f"{name} uses {host} without a test double; use a local server or a recorded response"
            self.report(self.module.span(contacting or node), text, severity=Severity.INFO)

    def _has_double(self, node: ast.Call) -> bool:
        """Return True if a client does not run in a test, or may use a test double."""
        if self.module.contains(_REPLACING):
            return True
        if any(k.arg is None or k.arg in _DOUBLE_ARGUMENTS for k in node.keywords):
            return True
        holder = self.module.function_of(node)
        if holder is None:
            return False
        if not isinstance(holder, FUNCTIONS) or holder not in self.module.test_code:
            return True
        return self._is_replaced(holder, node)

    def _calls_on(self, created: ast.Call, holder: FunctionNode | None) -> Iterator[ast.Call]:
        """Yield the calls of tests on an object, by the names it has there."""
        names = set(self._names_of(created, holder))
        for case in self.module.tests:
            is_held = self._is_replaced(case.node, case.node.body[0])
            for call in self.module.nodes_of(case) if not is_held else ():
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
                    continue
                owner = call.func.value
                if (owner is created or unparse(owner) in names) and not _OFFLINE.search(call.func.attr):
                    yield call

    def _names_of(self, created: ast.Call, holder: FunctionNode | None) -> Iterator[str]:
        """Yield the variables and attributes that hold an object, and the fixture that returns it."""
        parent = self.module.parents[created]
        if isinstance(parent, (ast.Await, ast.withitem)):
            made_of = parent.optional_vars if isinstance(parent, ast.withitem) else None
            yield from [unparse(made_of)] if made_of is not None else []
        if isinstance(parent, ast.Assign):
            for target in parent.targets:
                name = unparse(target)
                yield f"self.{name[4:]}" if name.startswith("cls.") else name
        if holder is not None and is_fixture(holder):
            yield holder.name

    def _check_cloud(self, node: ast.Call, name: str, holder: FunctionNode) -> None:
        """Report a cloud client without a test double in the file."""
        service = node.args[0] if node.args else None
        is_configured = any(k.arg in (None, "endpoint_url", "config") for k in node.keywords)
        if is_configured or not isinstance(service, ast.Constant) or self._is_replaced(holder, node):
            return
        if not self.module.contains(_CLOUD_DOUBLES):
            self.report(
                self.module.span(node),
                f"{name}() contacts the real service {service.value!r}; use a test double",
            )

    def _contacting(self, call: ast.Call) -> str:
        """Return the function that contacts a server, by its full name; empty if the call does not."""
        name = self.module.imported_name(call.func) or ""
        if _REQUESTS.match(name) or _CONNECTIONS.match(name) or name in _CLOUDS:
            return name
        function = call.func
        if not isinstance(function, ast.Attribute) or not re.fullmatch(rf"{_VERBS}|connect", function.attr):
            return ""
        owner = function.value
        if isinstance(owner, ast.Name):
            owner = self._clients.get(owner.id, owner)
        if not isinstance(owner, ast.Call) or _is_replaced_client(owner):
            return ""
        created = self.module.imported_name(owner.func)
        if created not in _CLIENTS:
            return ""
        return "socket.connect" if function.attr == "connect" else f"{created}.{function.attr}"

    @cached_property
    def _clients(self) -> dict[str, ast.Call]:
        """Variables of the module and its tests that are bound to a new object, by name."""
        found: dict[str, ast.Call] = {}
        for node in self.module.nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                found |= {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
            elif isinstance(node, ast.withitem) and isinstance(node.context_expr, ast.Call):
                name = node.optional_vars
                found |= {name.id: node.context_expr} if isinstance(name, ast.Name) else {}
        return found

    def _host(self, argument: ast.expr, is_host: bool) -> str | None:
        """Return the host that an argument names: in a URL, or directly where a call takes hosts."""
        if isinstance(argument, ast.Name) and argument.id in self._texts:
            argument = self._texts[argument.id]
        if isinstance(argument, ast.JoinedStr) and argument.values:
            argument = argument.values[0]
            if isinstance(argument, ast.Constant) and str(argument.value).endswith(":"):
                return None
            if isinstance(argument, ast.FormattedValue):
                return self._host(argument.value, is_host) if isinstance(argument.value, ast.Name) else None
        if isinstance(argument, ast.BinOp):
            return self._host(argument.left, is_host)
        return _bare_host(argument) if is_host else _host(argument)

    @cached_property
    def _texts(self) -> dict[str, ast.expr]:
        """Names of the module that are bound to strings."""
        return {
            target.id: node.value
            for node in self.module.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, (ast.Constant, ast.JoinedStr))
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def _is_replaced(self, holder: FunctionNode, node: ast.AST) -> bool:
        """Return True if the network is replaced by a test double, or the test declares that it needs it."""
        cls = self.module.class_of(holder)
        decorators = [*holder.decorator_list, *(cls.decorator_list if cls else [])]
        texts = [holder.name, *(one.arg for one in holder.args.args), *map(unparse, decorators)]
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                texts += [unparse(item.context_expr) for item in parent.items]
        return any(_TEST_DOUBLES.search(text) for text in texts) or "pytestmark" in self.module.text


def _host(argument: ast.expr) -> str | None:
    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
        return None
    if not _SCHEME.match(argument.value):
        return None
    try:
        return urlsplit(argument.value).hostname
    except ValueError:
        return None


def _bare_host(argument: ast.expr) -> str | None:
    """Return the host in an argument that is a host name, or a pair of host and port."""
    if isinstance(argument, ast.Tuple) and argument.elts:
        argument = argument.elts[0]
    value = argument.value if isinstance(argument, ast.Constant) else None
    return value if isinstance(value, str) and re.fullmatch(r"[\w-]+(\.[\w-]+)+", value) else None


def _is_replaced_client(created: ast.Call) -> bool:
    """Return True if a client is created with a transport or application of its own."""
    replacing = ("transport", "app", "mounts", "connector", None)
    return any(k.arg in replacing for k in created.keywords)
