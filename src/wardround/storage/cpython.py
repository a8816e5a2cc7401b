"""The private parts of CPython in use, each with its public replacement.

They are used on the versions that continuous integration tests and on no other, since a private part may
change with any version. Elsewhere a review takes longer and misses the checks of regular expressions that
need them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

TESTED_VERSIONS = frozenset({(3, 11), (3, 12), (3, 13)})

__all__ = [
    "TESTED_VERSIONS", "compile_code", "engine_version", "is_tested", "parse_regex", "provide_compiled",
    "regex_code", "regex_constants", "sha256",
]  # fmt: skip


def is_tested() -> bool:
    """Return True if the private parts of the running interpreter are known."""
    return sys.implementation.name == "cpython" and sys.version_info[:2] in TESTED_VERSIONS


# The public module loads OpenSSL, which takes a review 5 ms.
if TYPE_CHECKING or not is_tested():
    from hashlib import sha256
elif sys.version_info >= (3, 12):
    from _sha2 import sha256
else:
    from _sha256 import sha256


def engine_version() -> tuple[object, ...]:
    """The version of the interpreter and of its regular expressions; compiled code is only valid for it."""
    magic = import_module("_sre").MAGIC if is_tested() else ""
    return (sys.implementation.cache_tag, *sys.version_info, magic)


def parse_regex(pattern: str, flags: int = 0) -> Any:
    """Return the parse tree of a regular expression, as ``re`` has it.

    Raises:
        re.error: it is not a regular expression.
        RecursionError, OverflowError, ValueError: it is too large.
    """
    return import_module("re._parser").parse(pattern, flags)


def regex_constants() -> Any:
    """Return the module of the operations in parse trees."""
    return import_module("re._constants")


def regex_code(tree: Any, flags: int) -> list[int]:
    """Return the code of a parse tree, in numbers of 32 bits."""
    code: list[int] = import_module("re._compiler")._code(tree, flags)
    return code


def compile_code(
    text: str, flags: int, code: Sequence[int], groups: int, names: Mapping[str, int]
) -> re.Pattern[str]:
    """Return the pattern of a code, which the interpreter checks.

    Raises:
        LookupError, RuntimeError, TypeError, ValueError: it is not the code of a pattern.
    """
    by_number: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        by_number[number] = name
    created: re.Pattern[str] = import_module("_sre").compile(
        text, flags, list(code), groups, names, tuple(by_number)
    )
    return created


def provide_compiled(pattern: re.Pattern[str], text: str, flags: int = 0) -> None:
    """Make the next ``re.compile`` of a string return the compiled pattern."""
    known = getattr(re, "_cache", None) if is_tested() else None
    if isinstance(known, dict):
        known.setdefault((str, text, flags), pattern)
