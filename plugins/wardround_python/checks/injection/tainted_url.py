from __future__ import annotations

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind

_RECORD = LazyPattern(r"\.(objects|query)\b|session\.get")


class TaintedUrl(TaintedCheck):
    """Data from the request chooses the server that this one calls.

    The call comes from inside your network, so the sender reaches internal services and the cloud's metadata
    address. Select the host from a fixed list.
    """

    ID = "PY309"
    NAME = "tainted-url"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "ssrf"
    SINK = SinkKind.URL
    MESSAGE = "data from the request chooses which server is called; select the host from a fixed list"
    STORED_MESSAGE = "a user-supplied address is called unchecked; verify its host first"
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
    VALID = [
        code("""
            import requests
            def weather(request):
                return requests.get('https://weather.example', params={'city': request.GET['city']})
        """),
        code("""
            import requests
            def user(request):
                return requests.get(f"https://api.example/users/{request.GET['id']}", timeout=5)
        """),
    ]
    INVALID = [
        code("""
            import urllib.request
            from shop.models import Company

            def load(address):
                asked = urllib.request.Request(address)
                return urllib.request.urlopen(«asked»)

            def logo(pk):
                company = Company.objects.get(pk=pk)
                return load(company.logo_url)
        """),
        code("""
            import requests

            def preview(request):
                address = request.POST['url'].strip()
                return requests.get(«address», timeout=5).text
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) or (
            any(word in source.text for word in cls.WORDS) and _RECORD.search(source.text) is not None
        )
