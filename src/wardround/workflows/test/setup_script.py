"""The part of ``setup.py`` that decides more than facts about the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import last_name
from wardround.workflows.environments.requirements import name_of
from wardround.workflows.test.settings_tables import METADATA_MODULES, Parts, SettingsUnread

_FACTS = frozenset(
    {"author", "author_email", "classifiers", "description", "download_url", "keywords", "license",
     "license_file", "license_files", "long_description", "long_description_content_type", "maintainer",
     "maintainer_email", "platforms", "project_urls", "python_requires", "url", "zip_safe"}
)  # fmt: skip
_REQUIRED = frozenset({"install_requires", "tests_require", "setup_requires", "extras_require"})


def script_parts(text: str) -> Parts:
    """Return the effective statements of ``setup.py``, those by module, and its packages.

    Statements that only serve facts about the package, such as reading the README, are left out.

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
        for one in call.keywords:
            if one.arg == "version":
                versions.append(ast.dump(one.value))
            elif one.arg in _REQUIRED and (lines := _literal_lines(one.value)) is not None:
                for line in lines:
                    known = packages.get(name_of(line))
                    packages[name_of(line)] = [
                        *(known if isinstance(known, list) else ()),
                        f"{one.arg} {line}",
                    ]
                one.arg = ""
        call.keywords = [one for one in call.keywords if one.arg not in (*_FACTS, "version", "")]
        call.keywords.sort(key=lambda one: one.arg or "")
    used = _used(tree.body)
    versions += [ast.dump(one) for one in tree.body if one not in used and not _is_text(one)]
    by_module: dict[str, object] = dict.fromkeys(METADATA_MODULES, versions)
    return [ast.dump(one) for one in used], by_module, packages


def _setup_calls(tree: ast.Module) -> list[ast.Call]:
    return [one for one in ast.walk(tree) if isinstance(one, ast.Call) and last_name(one.func) == "setup"]


def _literal_lines(node: ast.expr) -> list[str] | None:
    """Return the requirements in a literal; None if it is none."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, dict):
        return [f"{line} {name}" for name, one in value.items() for line in _lines(one)]
    return _lines(value)


def _lines(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split("\n")
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _used(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return the statements without those that bind names which no other statement mentions."""
    kept = [one for one in body if not _is_text(one)]
    while True:
        uses = [set(_loaded(one)) for one in kept]
        found = [
            one
            for at, one in enumerate(kept)
            if not _only_binds(one)
            or any(set(_bound(one)) & names for other, names in enumerate(uses) if other != at)
        ]
        if len(found) == len(kept):
            return kept
        kept = found


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _only_binds(node: ast.stmt) -> bool:
    """Return True for statements that bind names and at most read files for them."""
    if isinstance(node, ast.With):
        return all(isinstance(one, ast.Assign) and _only_binds(one) for one in node.body)
    if isinstance(node, ast.Assign):
        return all(isinstance(one, ast.Name) for one in node.targets)
    return isinstance(node, ast.FunctionDef | ast.Import | ast.ImportFrom)


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield node.name
        return
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.alias):
            yield one.asname or one.name.partition(".")[0]


def _loaded(node: ast.stmt) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            yield one.id
