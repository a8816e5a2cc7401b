"""TE009."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import ClassVar
from urllib.parse import urlsplit

from wardround.checks import Invalid, Source, Valid
from wardround.late import LatePattern
from wardround_tests.check import PythonTestCheck
from wardround_tests.module import TestCase

_VERBS = "get|post|put|patch|delete|head|options|request|stream"
_REQUESTS = LatePattern(
    rf"^((requests|httpx|requests\.api)\.({_VERBS})|urllib\.request\.(urlopen|urlretrieve)|aiohttp\.request|"
    r"urllib3\.request)$"
)
_FAKES = LatePattern(
    r"\b(responses|requests_mock|respx|httpretty|vcr|betamax|aioresponses|pytest_httpx|httpx_mock|pook|nock|"
    r"pytest_recording|mocket|socket_disabled|wiremock|requests_mocker|cassette|use_cassette)\b"
)
_STAND_INS = LatePattern(
    r"(?i)mock|patch|server|cassette|recorder|httpbin|fake|stub|live|network|vcr|internet|proxy"
)
_OWN_HOST = LatePattern(
    r"(?i)^(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[?::1)|"
    r"(^|\.)(example|test|invalid|local|localhost|internal)$|(^|\.)example\.(com|org|net)$|^[^.]*$|mock|fake|dummy"
)
_START = "import requests\ndef test_rates():\n"


class RealNetwork(PythonTestCheck):
    """A test asks a real server.

    It fails without network, when that server is slow or changes its answer, and it sends traffic from every
    machine that runs the tests. Answer from a local server or a recorded response.
    """

    ID = "TE009"
    NAME = "network-in-test"
    TRIED_ON = (
        "331,000 lines of tests of flask, httpx, urllib3, celery, pytest, aiohttp, pydantic: no hit, so "
        "nothing wrong and nothing proven."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_START}    assert requests.get('http://localhost:8000/rates').ok\n", path="test_case.py"),
        Valid(f"{_START}    assert requests.get(f'{{server}}/rates').ok\n", path="test_case.py"),
        Valid(
            "import requests, responses\n@responses.activate\ndef test_rates():\n"
            "    assert requests.get('https://api.rates.io/v1').ok\n",
            path="test_case.py",
        ),
        Valid(
            "import requests\ndef test_rates(mock_server):\n"
            "    assert requests.get('https://api.rates.io/v1').ok\n",
            path="test_case.py",
        ),
        Valid(
            "import pytest, requests\n@pytest.mark.network\ndef test_rates():\n"
            "    assert requests.get('https://api.rates.io/v1').ok\n",
            path="test_case.py",
        ),
        Valid(
            "import httpx\ndef test_rates():\n    assert httpx.get('https://example.org/', transport=t).ok\n",
            path="test_case.py",
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            f"{_START}    assert requests.get('https://api.rates.io/v1').ok\n",
            line=3,
            column=12,
            path="test_case.py",
        ),
        Invalid(
            "from urllib.request import urlopen\ndef test_rates():\n"
            "    assert urlopen('https://api.rates.io/v1').read()\n",
            line=3,
            column=12,
            path="test_case.py",
        ),
        Invalid(
            "import httpx\ndef test_rates():\n    assert httpx.request('GET', 'https://api.rates.io/v1').is_success\n",
            line=3,
            column=12,
            path="test_case.py",
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return re.search(r"https?://", source.text) is not None and _FAKES.search(source.text) is None

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func)
        if (
            name is None
            or not _REQUESTS.match(name)
            or any(k.arg in ("transport", "session") for k in node.keywords)
        ):
            return
        case = self.module.test_of(node)
        host = next(filter(None, map(_host, node.args[:2])), None)
        if case is None or host is None or _OWN_HOST.search(host) or self._is_held(case, node):
            return
        self.report(self.module.span(node), f"{name}() asks {host} for real")

    def _is_held(self, case: TestCase, node: ast.Call) -> bool:
        """Whether something stands in for the network, or the test says that it needs one."""
        decorators = [*case.node.decorator_list, *(case.cls.decorator_list if case.cls else [])]
        texts = [*case.parameters, *map(ast.unparse, decorators)]
        for parent in self.module.ancestors(node):
            if isinstance(parent, (ast.With, ast.AsyncWith)):
                texts += [ast.unparse(item.context_expr) for item in parent.items]
        return any(_STAND_INS.search(text) for text in texts) or "pytestmark" in self.module.text


def _host(argument: ast.expr) -> str | None:
    if not isinstance(argument, ast.Constant) or not isinstance(argument.value, str):
        return None
    if not argument.value.startswith(("http://", "https://")):
        return None
    try:
        return urlsplit(argument.value).hostname
    except ValueError:
        return None
