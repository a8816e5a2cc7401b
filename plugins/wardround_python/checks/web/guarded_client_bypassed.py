from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.tree import cached_parse, unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_BARE = ("requests", "httpx", "aiohttp", "urllib", "urllib3", "http")
_VERBS = frozenset(
    {"get", "post", "put", "patch", "delete", "head", "request", "send", "stream", "fetch", "open"}
)
_GUARDED = LazyPattern(
    r"(?i)advocate|ssrf|is_private|is_loopback|is_global|ip_address|allow(?:ed)?_?(?:hosts?|list|net)|block_?list"
    r"|unacceptable|safe_?(?:requests?|session|get|fetch|http|client)|restricted|private_?(?:ip|addr|net)"
)
_MADE = frozenset({"Session", "session", "Client", "AsyncClient", "ClientSession", "PoolManager", "urlopen"})


class GuardedClientBypassed(PythonCheck):
    """A request that used the project's guarded client now uses the bare library.

    The guarded client rejects internal addresses or hosts that are not allowed. The bare library requests any
    address, including the cloud's metadata service. Add the missing feature to the guarded client.
    """

    ID = "PY448"
    NAME = "guarded-client-bypassed"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "ssrf"
    WORDS = _BARE
    VALID = [
        code(
            """
            from shop.net import safe_requests

            def load(url):
                return safe_requests.get(url).content
            """,
            base="""
            from shop.net import safe_requests

            def load(url):
                return safe_requests.get(url).text
            """,
        ),
        code(
            """
            import requests

            def load(url):
                return requests.get(url, timeout=5).text
            """,
            base="""
            X = 1
            """,
        ),
    ]
    INVALID = [
        code(
            """
            import requests

            def load(url):
                return «requests.get(url, timeout=5)».text
            """,
            base="""
            from shop.net import safe_requests

            def load(url):
                return safe_requests.get(url).text
            """,
        ),
        code(
            """
            import requests

            def load(url):
                return «requests.get(url, timeout=5)».text
            """,
            base="""
            from shop.net import http

            def load(url):
                return http.get(url).text
            """,
            others={
                "shop/net.py": """
                import ipaddress

                def check(x):
                    return x.is_private
                """,
            },
        ),
    ]

    @classmethod
    def applies(cls, source: SourceFile) -> bool:
        return source.base_text is not None and super().applies(source)

    def visit_Module(self, node: ast.Module) -> None:
        before = self._base_tree()
        if before is None:
            return
        guarded = self._lost_client(before, node)
        if guarded is None:
            return
        old = {unparse(inner) for inner in walk(before) if isinstance(inner, ast.Call)}
        for call in self.module.nodes:
            if isinstance(call, ast.Call) and self._is_bare(call) and unparse(call) not in old:
                self.report(
                    self.module.span(call),
                    f"requests went through {guarded}, which validates the address, "
                    "and bypass it now; use it again",
                )
                return

    def _base_tree(self) -> ast.Module | None:
        """Return the module before the change; None if it is the same, new or not Python."""
        base = self.source.base_text
        if base is None or base == self.source.text:
            return None
        try:
            return cached_parse(base)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    def _lost_client(self, before: ast.Module, after: ast.Module) -> str | None:
        """Return the first client of the project that validates addresses and is not used now."""
        used = _sender_names(after)
        for name, location in dict(_project_clients(before)).items():
            if name not in used and self._is_guarded(name, location):
                return name
        return None

    def _is_guarded(self, name: str, place: str) -> bool:
        """Return True if a client validates addresses, by its name or by the source of its module."""
        if _GUARDED.search(f"{place}.{name}"):
            return True
        level = len(place) - len(place.lstrip("."))
        folder = self.source.path.split("/")[:-level] if level else []
        path = "/".join([*folder, *place.lstrip(".").split(".")])
        text = self.source.project.read(f"{path}.py") or self.source.project.read(f"{path}/__init__.py")
        return text is not None and _GUARDED.search(text) is not None

    def _is_bare(self, call: ast.Call) -> bool:
        dotted = self.module.imported_name(call.func) or ""
        return dotted.startswith(_BARE) and dotted.rpartition(".")[2] in _VERBS | _MADE


def _project_clients(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Return the names from other modules that requests are sent through, with their modules."""
    used = _sender_names(tree)
    for node in walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] not in _BARE:
            for alias in node.names:
                name = alias.asname or alias.name
                if name in used:
                    yield name, "." * node.level + (node.module or "")


def _sender_names(tree: ast.Module) -> frozenset[str]:
    """Return the names on which a sending method is called."""
    return frozenset(
        node.func.value.id
        for node in walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.attr in _VERBS
    )
