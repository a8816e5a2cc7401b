"""PY063."""

from __future__ import annotations

import ast
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import parse
from wardround_python.analysis.callers import method_calls, spellings_of, written
from wardround_python.analysis.return_value_changes import ReturnShape, misfit, shapes, taken_apart, uses_of
from wardround_python.check import PythonCheck
from wardround_python.syntax.function_text import FunctionText, changed

_SHOWN_PLACES = 3
_PASSING_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "cache", "lru_cache", "retry", "override", "final", "atomic"}
)
_GIVES = LazyPattern(r"\breturn\b|->|\byield\b")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class ReturnTypeChangedForCallers(PythonCheck):
    """A function gives another kind of result than before and callers still use the old one.

    A tuple where one value was is true even when it holds nothing, is written into files as a tuple, and has
    none of the methods the caller asks for. Change the callers in the same commit.
    """

    ID = "PY063"
    NAME = "return-type-changed-for-callers"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    WORDS = ("def ",)
    IN_TESTS = True
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "stale-callers"
    TRIED_ON = (
        "the newest 250 commits of each of 6 repositories, 1,948 changed files: none, so nothing wrong and "
        "nothing proven"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "def find(key) -> Row | None: ...\n",
            base="def find(key) -> Row: ...\n",
            path="app/store.py",
            others={
                "a.py": "from app.store import find\ndef f(k):\n    row = find(k)\n    if row is None:\n"
                "        return ''\n    return row.name\n"
            },
        ),
        Valid(
            "def load(key) -> tuple[str, int]: ...\n",
            base="def load(key) -> str: ...\n",
            path="app/store.py",
            others={
                "a.py": "from app.store import load\ndef f(k):\n    text, size = load(k)\n    return text\n",
                "b.py": "from app.other import load\ntext = load(1).strip()\n",
                "c.py": "from app.store import load\ndef f(k):\n    return load(k)\n",
                "d.py": "from app.store import load\nload(1)\n",
            },
        ),
        Valid(
            "def names(key):\n    return list(key)\n",
            base="def names(key):\n    return sorted(key)\n",
            path="app/store.py",
            others={"a.py": "from app.store import names\nfirst = names('ab')[0]\n"},
        ),
        Valid(
            "def names(key) -> list[str]: ...\n",
            base="def names(key) -> set[str]: ...\n",
            path="app/store.py",
            others={"a.py": "from app.store import names\nfor name in names('ab'):\n    print(name)\n"},
        ),
        Valid(
            "def load(key):\n    reply = ask(key)\n    return reply\n",
            base="def load(key):\n    return ask(key)\n",
            path="app/store.py",
            others={"a.py": "from app.store import load\ntext = load(1).strip()\n"},
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "def find(key) -> Row | None: ...\n",
            base="def find(key) -> Row: ...\n",
            path="app/store.py",
            others={
                "a.py": "from app.store import find\ndef f(k):\n    row = find(k)\n    return row.name\n"
            },
            line=1,
            column=5,
        ),
        Invalid(
            "def load(key) -> tuple[str, str]: ...\n",
            base="def load(key) -> str: ...\n",
            path="app/store.py",
            others={"a.py": "from app.store import load\ndef f(k):\n    text = load(k)\n    keep(text)\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def load(key):\n    return find(key), 1\n",
            base="def load(key):\n    return find(key)\n",
            path="app/store.py",
            others={"a.py": "import app.store\ndef f(k):\n    if app.store.load(k):\n        keep(k)\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def repos(key) -> list[Repo]: ...\n",
            base="def repos(key) -> dict[str, int]: ...\n",
            path="app/store.py",
            others={
                "a.py": "from app import store\ndef f(k):\n    found = store.repos(k)\n"
                "    return sorted(found.keys())\n"
            },
            line=1,
            column=5,
        ),
        Invalid(
            "def split(key):\n    return 1, 2, 3\n",
            base="def split(key):\n    return 1, 2\n",
            path="app/store.py",
            others={"a.py": "from app.store import split\nfirst, rest = split('a')\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def rows(key):\n    for one in key:\n        yield one\n",
            base="def rows(key):\n    return [one for one in key]\n",
            path="app/store.py",
            others={"a.py": "from app.store import rows\ncount = len(rows('a'))\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "def keep(row) -> None:\n    table.save(row)\n    log(row)\n",
            base="def keep(row) -> int:\n    table.save(row)\n    return row.id\n",
            path="app/store.py",
            others={"a.py": "from app.store import keep\ndef f(r):\n    return str(keep(r))\n"},
            line=1,
            column=5,
        ),
        Invalid(
            "class Store:\n    def load_all(self, key) -> dict[str, str]: ...\n",
            base="class Store:\n    def load_all(self, key) -> list[str]: ...\n",
            path="app/store.py",
            others={
                "a.py": "from app.store import Store\ndef f(store: Store):\n"
                "    store.load_all('a').append('b')\n"
            },
            line=2,
            column=9,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(_pairs(source))

    def visit_Module(self, node: ast.Module) -> None:
        functions = dict(_functions(node))
        for old_text, new_text in _pairs(self.source):
            owner, _, name = new_text.name.rpartition(".")
            function, old = functions.get((owner, name)), _parsed(old_text)
            if function is None or old is None:
                continue
            was, now = shapes(old, function)
            other_kind = "?" not in (was.kind, now.kind) and (was.kind, was.size) != (now.kind, now.size)
            if other_kind or (now.or_none and not was.or_none and now.kind != "None"):
                self._look_at(function, owner, was, now)

    def _look_at(self, function: FunctionNode, owner: str, was: ReturnShape, now: ReturnShape) -> None:
        stale = set()
        for module, call in self._calls(function, owner):
            own = module is self.module
            unseen = not own and not self.source.is_changed(module.path)
            uses = list(uses_of(module, call))
            if now.or_none and not was.or_none and unseen and taken_apart(uses):
                stale.add((module.path, call.lineno))
            for use in uses if "?" not in (was.kind, now.kind) else ():
                if misfit(use, was, now, unseen or (own and not self.source.is_added(call.lineno))):
                    stale.add((module.path, call.lineno))
        if not stale:
            return
        places = [f"{path}:{line}" for path, line in sorted(stale)]
        more = f" and {len(places) - _SHOWN_PLACES} more" if len(places) > _SHOWN_PLACES else ""
        calls = "1 caller uses" if len(places) == 1 else f"{len(places)} callers use"
        self.report(
            self.module.name_span(function),
            f'"{function.name}" {_told(was, now)}, but {calls} it as before: '
            f"{', '.join(places[:_SHOWN_PLACES])}{more}",
        )

    def _calls(self, function: FunctionNode, owner: str) -> Iterator[tuple[PythonModule, ast.Call]]:
        if not owner:
            for module, spellings in spellings_of(self.source, self.module, function.name):
                for node in module.nodes if spellings else ():
                    if isinstance(node, ast.Call) and written(node.func) in spellings:
                        yield module, node
            return
        for node in self.module.nodes:
            if isinstance(node, ast.Call) and written(node.func) == f"self.{function.name}":
                around = self.module.function_of(node)
                holder = self.module.class_of(around) if around is not None else None
                if holder is not None and holder.name == owner:
                    yield self.module, node
        if not function.name.startswith("_"):
            yield from method_calls(self.source, function, owner, lambda call: True)


def _pairs(source: SourceFile) -> Iterator[tuple[FunctionText, FunctionText]]:
    """The functions that say otherwise what they give, as they were written and are."""
    if source.base_text is None:
        return
    for old, new in changed(source.base_text, source.text):
        if _giving_lines(old.text) != _giving_lines(new.text):
            yield old, new


def _giving_lines(text: str) -> list[str]:
    """What is said of a result: all of the function where that takes more than a line."""
    lines = [line.strip() for line in text.split("\n") if _GIVES.search(line)]
    return [text] if any(line.endswith(("(", "[", "{", ",")) for line in lines) else sorted(lines)


def _parsed(function: FunctionText) -> FunctionNode | None:
    try:
        (node,) = parse(textwrap.dedent(function.text)).body
    except _UNREADABLE:
        return None
    return node if isinstance(node, FunctionNode) else None


def _told(was: ReturnShape, now: ReturnShape) -> str:
    if (was.kind, was.size) == (now.kind, now.size):
        return "may give None now"
    return f"gives {now} now and gave {was}"


def _functions(tree: ast.Module) -> Iterator[tuple[tuple[str, str], FunctionNode]]:
    """The functions of a module and the methods of its classes that are called as they are written."""
    holders = [n for n in tree.body if isinstance(n, ast.ClassDef)]
    for owner, body in [("", tree.body), *((holder.name, holder.body) for holder in holders)]:
        functions = [n for n in body if isinstance(n, FunctionNode)]
        times = Counter(function.name for function in functions)
        for function in functions:
            called = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
            names = {d.attr if isinstance(d, ast.Attribute) else getattr(d, "id", "?") for d in called}
            if (
                times[function.name] == 1
                and names <= _PASSING_DECORATORS
                and not function.name.startswith("__")
            ):
                yield (owner, function.name), function
