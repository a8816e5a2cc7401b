"""Command line options of published programs: argparse, click and typer; commander and yargs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from wardround.context.surface.model import SurfaceChange, SurfaceKind
from wardround.context.surface.packages import (
    UNPUBLISHED,
    Package,
    has_commands,
    is_in,
    node_packages,
    python_packages,
)
from wardround.context.surface.sides import Side, Sides
from wardround.languages.python.tree import parse
from wardround.lazy import LazyPattern

KIND = SurfaceKind.CLI_OPTIONS
_CALLS = frozenset({"add_argument", "option", "Option", "add_option"})
_CHOICES = frozenset({"Choice"})
_SCRIPT_OPTION = LazyPattern(
    r"\.(?:option|requiredOption)\(\s*['\"`](?:-\w,?\s+)?--(?:no-)?([a-zA-Z][\w-]*)"
    r"|\bnew Option\(\s*['\"`](?:-\w,\s*)?--([\w-]+)"
)
_SCRIPTS = (".js", ".ts", ".mjs", ".cjs", ".mts")
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
_MOST_FILES = 2_000


class Option(NamedTuple):
    """The declaration of an option.

    Attributes:
        choices: the values that it accepts; empty if they are not written out.
    """

    path: str
    line: int
    is_required: bool
    choices: frozenset[str]


Options = Mapping[str, list[Option]]


def compare(sides: Sides) -> Iterator[SurfaceChange]:
    """Yield the options that the programs of changed packages lose, or require."""
    yield from _options_of_language(sides, (".py",), _python_programs)
    yield from _options_of_language(sides, _SCRIPTS, _node_programs)


def _options_of_language(
    sides: Sides, suffixes: tuple[str, ...], find: Callable[[Side, Iterable[str]], list[Package]]
) -> Iterator[SurfaceChange]:
    changed = list(sides.pairs(lambda path: path.endswith(suffixes) and not UNPUBLISHED.search(path)))
    for package in find(sides.base, [base for base, _ in changed]):
        files = [(base, head) for base, head in changed if is_in(base, package.folder)]
        before = _options(sides.base, (base for base, _ in files))
        after = _options(sides.head, (head for _, head in files if head is not None))
        if before:
            yield from _changes(sides, package, before, after, suffixes)


def _python_programs(side: Side, changed: Iterable[str]) -> list[Package]:
    return [package for package in python_packages(side, changed) if has_commands(side, package)]


def _node_programs(side: Side, changed: Iterable[str]) -> list[Package]:
    return [package for package in node_packages(side, changed) if package.document.get("bin")]


def _changes(
    sides: Sides, package: Package, before: Options, after: Options, suffixes: tuple[str, ...]
) -> Iterator[SurfaceChange]:
    lost = sorted(name for name in before if name not in after)
    retained = _declared_elsewhere(sides, package, lost, suffixes) if lost else set()
    for name in lost:
        if name not in retained:
            first = before[name][0]
            yield SurfaceChange(KIND, first.path, first.line, f"option `{name}`", "is removed", True)
    for name, old in before.items():
        new = after.get(name, [])
        if len(old) == len(new) == 1:
            yield from _narrowed_options(name, old[0], new[0])


def _narrowed_options(name: str, old: Option, new: Option) -> Iterator[SurfaceChange]:
    if new.is_required and not old.is_required:
        yield SurfaceChange(KIND, new.path, new.line, f"option `{name}`", "is required", True)
    lost = sorted(old.choices - new.choices) if new.choices else []
    if lost:
        detail = f"does not accept `{lost[0]}`"
        yield SurfaceChange(KIND, new.path, new.line, f"option `{name}`", detail, True)


def _declared_elsewhere(
    sides: Sides, package: Package, names: list[str], suffixes: tuple[str, ...]
) -> set[str]:
    """Return the names that other files of the package declare at the head."""
    folders = package.modules or (package.folder,)
    paths = [
        path
        for path in sides.head.paths
        if path.endswith(suffixes) and any(is_in(path, folder) for folder in folders)
    ]
    sides.head.fetch(paths[:_MOST_FILES])
    found: set[str] = set()
    for path in paths[:_MOST_FILES]:
        text = sides.head.read(path) or ""
        if any(name in text for name in names):
            found |= _options(sides.head, [path]).keys()
    return found


def _options(side: Side, paths: Iterable[str]) -> Options:
    found: dict[str, list[Option]] = {}
    for path in paths:
        for name, all_ in options_of(path, side.read(path) or "").items():
            found.setdefault(name, []).extend(all_)
    return found


def options_of(path: str, text: str) -> Options:
    """Return the options that a file declares, by their long names."""
    found: dict[str, list[Option]] = {}
    read = _python_options(path, text) if path.endswith(".py") else _script_options(path, text)
    for name, option in read:
        found.setdefault(name, []).append(option)
    return found


def _script_options(path: str, text: str) -> Iterator[tuple[str, Option]]:
    for match in _SCRIPT_OPTION.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield f"--{match[1] or match[2]}", Option(path, line, False, frozenset())


def _python_options(path: str, text: str) -> Iterator[tuple[str, Option]]:
    if "--" not in text:
        return
    try:
        tree = parse(text)
    except _UNREADABLE:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _last_name(node.func) in _CALLS:
            keywords = {keyword.arg: keyword.value for keyword in node.keywords}
            if _is_true(keywords.get("hidden")) or _is_suppressed(keywords.get("help")):
                continue
            option = Option(path, node.lineno, _is_true(keywords.get("required")), _choices(keywords))
            for name in _names(node):
                yield name, option


def _names(node: ast.Call) -> Iterator[str]:
    """Yield the long names that a call declares; ``--yes/--no`` declares two."""
    for argument in node.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            for name in argument.value.split("/"):
                if name.strip().startswith("--") and len(name) > len("--x"):
                    yield name.strip()


def _choices(keywords: Mapping[str | None, ast.expr]) -> frozenset[str]:
    """Return the values that an option accepts; none if they are not written out."""
    listed = keywords.get("choices")
    kind = keywords.get("type")
    if isinstance(kind, ast.Call) and _last_name(kind.func) in _CHOICES and kind.args:
        listed = kind.args[0]
    items = listed.elts if isinstance(listed, ast.List | ast.Tuple | ast.Set) else []
    values = [item.value for item in items if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return frozenset(values if len(values) == len(items) else ())


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _is_suppressed(node: ast.expr | None) -> bool:
    return node is not None and _last_name(node) == "SUPPRESS"
