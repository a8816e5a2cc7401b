"""Count words that the field does not use, in docstrings, user-visible messages and documentation pages.

    python evals/wording.py                  # counts by package
    python evals/wording.py --list SRC       # each word of one package or file

The ceilings in `evals/wording.yml` may only be lowered; `tests/test_wording.py` compares them.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (
    "src/wardround",
    "src/wardround_lab",
    "plugins/wardround_contract",
    "plugins/wardround_docker_ci",
    "plugins/wardround_python",
    "plugins/wardround_secrets",
    "plugins/wardround_sql",
    "plugins/wardround_supply_chain",
    "plugins/wardround_tests",
    "plugins/wardround_text",
    "plugins/wardround_typescript",
)
PAGES = (
    "README.md",
    *sorted(page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md")),
)
"""Pages of documentation; the pages of the rules are generated from docstrings of the packages."""
_WORDS = (
    "said", "told", "tells", "says", "spoken", "spoke", "speaks",
    "looks", "looked", "asked", "unasked", "asks", "wanted", "meant", "brought", "brings", "gone",
    "kept", "beside", "stands", "stood", "whoever", "anew", "weigh", "weighed",
    "crew", "desk", "shelf", "lent", "lend", "lends", "hearer", "hearers", "deed", "deeds",
)  # fmt: skip
_PHRASES = (
    r"for ever",
    r"is no [a-z]+",
    r"of which",
    r"what (?:is|was|are|were) [a-z]+ed\b",
    r"taken (?:for|from)",
)
DENIED = re.compile(rf"\b(?:{'|'.join((*_WORDS, *_PHRASES))})\b", re.IGNORECASE)
_NOT_PROSE = re.compile(r"(?ms)^```.*?^```$|``[^`]*``|`[^`]*`|\"[^\"\n]*\"|\]\([^)]*\)|^ {4}.*?$")
OPENERS = re.compile(r"(?:What|Whether)\b")
"""Forbidden beginnings of a docstring."""
_REPORTING = frozenset(
    {"report", "fail", "echo", "echo_err", "secho", "option", "argument", "UsageError", "ConfigError"}
)
"""Functions whose literal arguments a user reads."""


class DeniedWord(NamedTuple):
    """A denied word and its location."""

    path: str
    line: int
    word: str
    text: str


def denied_in(path: Path, root: Path = ROOT) -> Iterator[DeniedWord]:
    """Yield the denied words of a page, or of the docstrings and reported literals of a Python module."""
    name = path.relative_to(root).as_posix()
    if path.suffix == ".md":
        yield from _denied_in_page(name, path.read_text("utf-8"))
        return
    for line, text, is_docstring in _documentation_strings(ast.parse(path.read_text("utf-8"))):
        prose = re.sub(r"``[^`]*``|`[^`]*`|\"[^\"]*\"", "", text)
        found = [match.group() for match in DENIED.finditer(prose)]
        opener = OPENERS.match(text.lstrip()) if is_docstring else None
        for word in [*found, *([opener.group()] if opener else [])]:
            yield DeniedWord(name, line, word, " ".join(text.split())[:100])


def _denied_in_page(name: str, text: str) -> Iterator[DeniedWord]:
    """Yield the denied words outside of code and quotations."""
    prose = _NOT_PROSE.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(prose.splitlines(), 1):
        for match in DENIED.finditer(line):
            yield DeniedWord(name, number, match.group(), line.strip()[:100])


def _documentation_strings(tree: ast.Module) -> Iterator[tuple[int, str, bool]]:
    """Yield (line, text, is a docstring) of docstrings, attribute docs and reported literals."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _callee_name(node) in _REPORTING:
            yield from _reported_texts(node)
        elif not isinstance(node, (ast.Lambda, ast.IfExp)):
            yield from _documentation(getattr(node, "body", []))


def _documentation(body: Sequence[ast.AST]) -> Iterator[tuple[int, str, bool]]:
    for statement in body:
        if isinstance(statement, ast.Expr) and _is_string(statement.value):
            yield statement.lineno, statement.value.value, True


def _reported_texts(call: ast.Call) -> Iterator[tuple[int, str, bool]]:
    for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
        for part in ast.walk(argument):
            if _is_string(part):
                yield part.lineno, part.value, False


def _is_string(node: ast.expr | ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _callee_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def modules(package: str) -> list[Path]:
    """Return the modules of a package, or the pages of a folder, sorted."""
    location = ROOT / package
    return [location] if location.is_file() else sorted((*location.rglob("*.py"), *location.glob("*.md")))


def counts(packages: Sequence[str] = (*PACKAGES, *PAGES)) -> dict[str, int]:
    """Return the number of denied words of each package."""
    return {package: sum(1 for path in modules(package) for _ in denied_in(path)) for package in packages}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", metavar="PATH", help="print each word under a path of the repository")
    options = parser.parse_args()
    if options.list:
        for path in modules(options.list):
            for found in denied_in(path):
                print(f"{found.path}:{found.line}: {found.word}: {found.text}")
        return 0
    for package, count in counts().items():
        words = Counter(found.word.lower() for path in modules(package) for found in denied_in(path))
        print(f"{package}: {count}  ({', '.join(f'{word} {n}' for word, n in words.most_common(6))})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
