"""The environment variables that a script reads, or declares in a schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround.languages.script.scanner import Scan
from wardround.semantics.docdrift.env_vars import Variable

_READ = LazyPattern(
    r"(?:process\.env|import\.meta\.env)(?:\?)?(?:\.([A-Z][A-Z0-9_]+)|\[['\"]([A-Z][A-Z0-9_]+)['\"]\])"
    r"|(?<![\w.])(?:Deno\.env\.get|Bun\.env\.get)\(['\"]([A-Z][A-Z0-9_]+)['\"]\)"
)
_SCHEMA = LazyPattern(r"(?m)^[ \t]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[ \t]*:\s{0,40}z\s{0,40}\.")
_NEXT = LazyPattern(r"(?m)^[ \t]*(?:[A-Za-z_]\w*[ \t]*:|\})")
_OPEN = (
    ".optional(",
    ".default(",
    ".nullish(",
    ".nullable(",
    ".catch(",
    "z.undefined",
    "z.never",
    ".transform(",
    ".preprocess(",
    "? ",
)
_LONGEST_RULE = 600


@lru_cache(maxsize=16)
def variables(text: str) -> dict[str, Variable]:
    """Yield the variables that a script reads or declares, each at its first occurrence."""
    scan = Scan(text)
    found: dict[str, Variable] = {}
    for one in sorted((*_reads(scan), *_declared(scan)), key=lambda one: (not one.required, one.span)):
        found.setdefault(one.name, one)
    return found


def _reads(scan: Scan) -> Iterator[Variable]:
    for match in _READ.finditer(scan.code):
        name = match[1] or match[2] or match[3]
        yield Variable(
            name, _span(scan.text, match.start(), match.end()), _is_asserted(scan.code, match.end())
        )


def _is_asserted(code: str, end: int) -> bool:
    """Return True if the value is asserted to exist: ``process.env.KEY!``."""
    return code[end : end + 1] == "!" and code[end + 1 : end + 2] != "="


def _declared(scan: Scan) -> Iterator[Variable]:
    """Yield the keys of a schema of the environment; optional ones are not required."""
    if "process.env" not in scan.code and "createEnv" not in scan.code and "import.meta.env" not in scan.code:
        return
    for match in _SCHEMA.finditer(scan.code):
        behind = _NEXT.search(scan.code, match.end())
        rule = scan.code[match.end() - 2 : behind.start() if behind else match.end() + _LONGEST_RULE]
        required = len(rule) < _LONGEST_RULE and not any(word in rule for word in _OPEN)
        yield Variable(match[1], _span(scan.text, match.start(1), match.end(1)), required)


def _span(text: str, start: int, end: int) -> Span:
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    return Span(line, column, line, column + end - start)
