"""Setup in modules that tests import: it restores, replaces or closes what a test does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_tests.analysis.imported_sources import Read, imported_sources

_HOOK = LazyPattern(r"(?<![\w$.])(?:before|after)(?:Each|All)?\s*\(|(?<![\w$.])(?:setup|teardown)\s*\(")
_TARGET = LazyPattern(r"\(?((?:[\w$]+(?: as any\))?\.)+[\w$]+|process\.env\[['\"]\w+['\"]\])\s*=(?![=>])")
_SPIED = LazyPattern(r"\bspyOn\(\s*([\w$.]+)\s*,\s*['\"](\w+)['\"]")
_ENVIRONMENT = LazyPattern(
    r"process\.env\s*=|delete process\.env|unstubAllEnvs|(?i:(?:restore|reset|clear)\w*env)"
)
_GLOBALS = LazyPattern(r"unstubAllGlobals|(?i:(?:restore|reset)globals?)")
_SPIES = LazyPattern(r"(?:restore|reset)AllMocks|mockRestore|restoreMocks|unstub")
_TIMERS = LazyPattern(r"useRealTimers")
_NETWORK = LazyPattern(
    r"(?i)\b(?:msw|nock|setupServer|pollyjs|fetchMock|MockAdapter|MockAgent)\b|\b(?:jest|vi)\.(?:do)?mock\("
    r"|\b(?:global(?:This)?|window)\.fetch\s*=|stubGlobal"
)
_CLOSES = LazyPattern(r"(?i)close|shutdown|stop\w*\(|dispose|destroy|terminate|kill")


def is_set_up(path: str, text: str, defect_class: str, span: Span, read: Read) -> bool:
    """Return True if a module that a test imports does what a finding about the test misses.

    Args:
        read: path -> the content of another file.
    """
    match defect_class:
        case "order-dependent-tests":
            return is_put_back(path, text, span, read)
        case "network-in-test":
            return any(_NETWORK.search(module) for module in imported_sources(path, text, read))
        case "resource-leak":
            modules = imported_sources(path, text, read)
            return any(_HOOK.search(module) and _CLOSES.search(module) for module in modules)
        case _:
            return False


def is_put_back(path: str, text: str, span: Span, read: Read) -> bool:
    """Return True if an imported module restores what a test replaces, in a hook of the module or of the
    test.

    Args:
        span: the statement of a test that replaces a global, a method, a variable of the environment or the
            timers.
        read: path -> the content of another file.
    """
    replaced = "\n".join(text.split("\n")[span.line - 1 : span.end_line])
    signs = list(_signs(replaced))
    has_hook = _HOOK.search(text) is not None
    return any(
        (has_hook or _HOOK.search(module) is not None) and any(sign.search(module) for sign in signs)
        for module in (imported_sources(path, text, read) if signs else ())
    )


def _signs(replaced: str) -> Iterator[LazyPattern | re.Pattern[str]]:
    """Yield the patterns of code by which a module restores what a statement replaces."""
    if "useFakeTimers" in replaced:
        yield _TIMERS
    if "spyOn" in replaced or ".mock" in replaced:
        yield _SPIES
    spied, target = _SPIED.search(replaced), _TARGET.search(replaced)
    name = f"{spied[1]}.{spied[2]}" if spied is not None else target[1] if target is not None else ""
    if not name:
        return
    yield re.compile(rf"(?<![\w$.])\(?{re.escape(name)}\s*=(?![=>])")
    yield _ENVIRONMENT if name.startswith("process.env") else _GLOBALS
