"""PY309."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind

_RECORD = LazyPattern(r"\.(objects|query)\b|session\.get")


class TaintedUrl(TaintedCheck):
    """Data from the request chooses which server this one calls.

    The call comes from inside your network, so the sender reaches what only you can reach: internal
    services, the cloud's metadata address. Take the host from a fixed list.
    """

    ID = "PY309"
    NAME = "tainted-url"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "ssrf"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding; "
        "widened, over twenty-eight trees of 1.3 million lines: none"
    )
    DANGER = SinkKind.URL
    MESSAGE = "data from the request chooses which server this one calls"
    STORED_MESSAGE = "an address that a user gave is called as it is: look first where it leads"
    WORDS = (
        "requests.",
        "httpx",
        "urlopen",
        "Request(",
        "aiohttp",
        "urlretrieve",
        "Session",
        "create_connection",
        "HTTPSConnection",
        "HTTPConnection",
        "urllib3",
        "HTTPClient",
        ".goto(",
        "webdriver",
        "from_url",
        "weasyprint",
        "setopt(",
        "socket.socket",
        "pandas",
        "wget",
        "feedparser",
        "fetch_url",
        "Article(",
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import requests\ndef weather(request):\n"
        "    return requests.get('https://weather.example', params={'city': request.GET['city']})\n"
        "",
        "import requests\ndef user(request):\n"
        "    return requests.get(f\"https://api.example/users/{request.GET['id']}\", timeout=5)\n",
        "import requests\nfrom urllib.parse import urlparse\nHOSTS = {'a.example'}\ndef fetch(request):\n"
        "    url = request.POST['url']\n    if urlparse(url).hostname not in HOSTS:\n"
        "        raise ValueError(url)\n"
        "    return requests.get(url, timeout=5)\n",
        "def cart(request):\n    return request.session.get(request.GET['cart'])\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import urllib.request\nfrom shop.models import Company\n\ndef load(address):\n"
            "    asked = urllib.request.Request(address)\n    return urllib.request.urlopen(asked)\n\n"
            "def logo(pk):\n    company = Company.objects.get(pk=pk)\n    return load(company.logo_url)\n",
            6,
            35,
        ),
        Invalid(
            "import requests\n\ndef preview(request):\n    address = request.POST['url'].strip()\n"
            "    return requests.get(address, timeout=5).text\n",
            line=5,
            column=25,
        ),
        Invalid(
            "import httpx\n\n@app.get('/proxy')\nasync def proxy(host: str):\n"
            "    async with httpx.AsyncClient() as client:\n"
            "        return (await client.get(f'http://{host}/status')).json()\n",
            line=6,
            column=34,
        ),
        Invalid(
            "from urllib.request import Request, urlopen\n\ndef picture(request):\n"
            "    source = request.POST['source']\n    return urlopen(Request(source), timeout=5).read()\n",
            line=5,
            column=20,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) or (
            any(word in source.text for word in cls.WORDS) and _RECORD.search(source.text) is not None
        )
