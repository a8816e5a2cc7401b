"""The part of ``setup.py`` that decides more than facts about the package."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from wardround.languages.python.module import last_name
from wardround.workflows.environments.requirements import name_of
from wardround.workflows.test.plans.settings_tables import METADATA_MODULES, Parts, SettingsUnread

_FACTS = frozenset(
    {"author", "author_email", "classifiers", "description", "download_url", "keywords", "license",
     "license_file", "license_files", "long_description", "long_description_content_type", "maintainer",
     "maintainer_email", "platforms", "project_urls", "python_requires", "url", "zip_safe"}
)  # fmt: skip
_REQUIRED = frozenset({"install_requires", "tests_require", "setup_requires", "extras_require"})


def script_parts(text: str) -> Parts:
    """Return the effective statements of ``setup.py``, those by module, and its packages.

    Statements that only serve facts about the package, such as reading the README, are excluded.

    Raises:
        SettingsUnread: it does not parse.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as cause:
        raise SettingsUnread from cause
    versions: list[str] = []
    packages: dict[str, object] = {}
    for call in _setup_calls(tree):
        versions += _remove_facts(call, packages)
    used = _used_statements(tree.body)
    unused = (statement for statement in tree.body if statement not in used)
    versions += [ast.dump(statement) for statement in unused if not _is_string(statement)]
    by_module: dict[str, object] = dict.fromkeys(METADATA_MODULES, versions)
    return [ast.dump(statement) for statement in used], by_module, packages


def _remove_facts(call: ast.Call, packages: dict[str, object]) -> list[str]:
    """Remove the facts from a call, and sort the rest; add its requirements to the packages.

    Returns:
        The versions.
    """
    versions: list[str] = []
    effective: list[ast.keyword] = []
    for keyword in call.keywords:
        name = keyword.arg or ""
        lines = _literal_lines(keyword.value) if name in _REQUIRED else None
        if name == "version":
            versions.append(ast.dump(keyword.value))
        elif lines is not None:
            _add_requirements(packages, name, lines)
        elif name not in _FACTS:
            effective.append(keyword)
    call.keywords = sorted(effective, key=lambda keyword: keyword.arg or "")
    return versions


def _add_requirements(packages: dict[str, object], field: str, lines: Iterable[str]) -> None:
    for line in lines:
        known = packages.get(name_of(line))
        earlier = known if isinstance(known, list) else []
        packages[name_of(line)] = [*earlier, f"{field} {line}"]


def _setup_calls(tree: ast.Module) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) == "setup"]


def _literal_lines(node: ast.expr) -> list[str] | None:
    """Return the requirements in a literal; None if it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, dict):
        return [f"{line} {name}" for name, lines in value.items() for line in _lines(lines)]
    return _lines(value)


def _lines(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split("\n")
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _used_statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without those that bind names which no other statement mentions."""
    left = [statement for statement in body if not _is_string(statement)]
    while True:
        uses = [set(_loaded_names(statement)) for statement in left]
        used = [
            statement for at, statement in enumerate(left) if _is_used(statement, uses[:at] + uses[at + 1 :])
        ]
        if len(used) == len(left):
            return left
        left = used


def _is_used(statement: ast.stmt, other_uses: Iterable[set[str]]) -> bool:
    """Return True for a statement with an effect, or whose names another one mentions."""
    if not _only_binds(statement):
        return True
    bound = set(_bound_names(statement))
    return any(bound & names for names in other_uses)


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _only_binds(node: ast.stmt) -> bool:
    """Return True for statements that bind names and at most read files for them."""
    if isinstance(node, ast.With):
        return all(isinstance(statement, ast.Assign) and _only_binds(statement) for statement in node.body)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets)
    return isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom)


def _bound_names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id
        elif isinstance(inner, ast.alias):
            yield inner.asname or inner.name.partition(".")[0]


def _loaded_names(node: ast.stmt) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id
