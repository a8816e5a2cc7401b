"""Renamed and deleted functions, classes, methods, members and exports."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from evals.planting.checkout import Break, Checkout, replaced, without_lines
from evals.planting.python_trees import definitions_by_name, nodes, trees
from evals.planting.signatures import narrowed, script_narrowed

_EXPORT = re.compile(
    r"(?m)^export\s+(?:default\s+)?(?:async\s+)?(function|const|class|type|interface|enum)\s+(\w+)"
)


def python_definitions(checkout: Checkout) -> Iterator[Break]:
    """Rename or delete functions, classes and methods; narrow signatures; return another number of values."""
    defined = definitions_by_name(checkout)
    for path, tree in trees(checkout).items():
        text = checkout.texts[path]
        for owner, node in nodes(tree):
            name = node.name
            if (
                len(name) < 5
                or name.startswith("__")
                or defined[name] != 1
                or f'"{name}"' in text
                or f"'{name}'" in text
            ):
                continue
            if owner is None:
                yield from _python_top(checkout, path, text, node)
            elif not isinstance(node, ast.ClassDef):
                yield from _python_member(checkout, path, text, owner, node)


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _python_top(
    checkout: Checkout, path: str, text: str, node: ast.FunctionDef | ast.ClassDef
) -> Iterator[Break]:
    name = node.name
    uses = checkout.users(
        rf"(?m)^\s*from\s+[\w.]+\s+import\s+(?:\([^)]*|[^\n(]*)\b{name}\b", (".py",), path, name
    )
    if not uses:
        return
    kind = "class" if isinstance(node, ast.ClassDef) else "function"
    renamed = replaced(text, node.lineno, name, f"{name}_v2" if kind == "function" else f"{name}V2")
    if renamed is not None and len(re.findall(rf"\b{name}\b", text)) == 1:
        yield Break(f"rename {kind}", "python", name, {path: renamed}, uses)
        yield Break(
            f"delete {kind}",
            "python",
            name,
            {path: without_lines(text, _first_line(node), node.end_lineno or 0)},
            uses,
        )
    if isinstance(node, ast.FunctionDef):
        yield from narrowed(checkout, path, text, node, rf"(?<![\w.]){name}\(", uses)


def _python_member(
    checkout: Checkout, path: str, text: str, owner: ast.ClassDef, node: ast.FunctionDef
) -> Iterator[Break]:
    name = node.name
    uses = checkout.users(rf"\.{name}\b", (".py",), path, name)
    if not uses:
        return
    is_property = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    if not [decorator for decorator in node.decorator_list if not is_property]:
        renamed = replaced(text, node.lineno, name, f"{name}_v2")
        if renamed is not None:
            yield Break("rename method", "python", name, {path: renamed}, uses)
            yield Break(
                "delete method",
                "python",
                name,
                {path: without_lines(text, _first_line(node), node.end_lineno or 0)},
                uses,
            )
    if not node.decorator_list:
        yield from narrowed(checkout, path, text, node, rf"\.{name}\(", uses)


def enum_members(checkout: Checkout) -> Iterator[Break]:
    """Rename members of classes."""
    defined = definitions_by_name(checkout)
    for path, tree in trees(checkout).items():
        text = checkout.texts[path]
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            for statement in node.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    name = statement.targets[0].id
                    if len(name) < 5 or defined[name] != 1 or text.count(name) != 1:
                        continue
                    uses = checkout.users(rf"\b{node.name}\.{name}\b", (".py",), path, name)
                    changed = replaced(text, statement.lineno, name, f"{name}_V2")
                    if uses and changed is not None:
                        yield Break("rename attribute", "python", name, {path: changed}, uses)


def script_exports(checkout: Checkout) -> Iterator[Break]:
    """Rename or delete exports, narrow signatures and change props."""
    everything = "\n".join(checkout.sources(".ts", ".tsx", ".js", ".jsx").values())
    counts = Counter(name for _, name in _EXPORT.findall(everything))
    for path, text in checkout.sources(".ts", ".tsx", ".js", ".jsx").items():
        for match in _EXPORT.finditer(text):
            kind, name = match[1], match[2]
            if counts[name] != 1 or len(name) < 5 or "default" in match[0]:
                continue
            uses = checkout.users(
                rf"import\s+(?:type\s+)?\{{[^}}]*\b{name}\b[^}}]*\}}\s*from",
                (".ts", ".tsx", ".js", ".jsx"),
                path,
                name,
            )
            if not uses:
                continue
            if text.count(name) == 1:
                changed = text[: match.start(2)] + f"{name}V2" + text[match.end(2) :]
                yield Break(f"rename {kind}", "typescript", name, {path: changed}, uses)
            yield from script_narrowed(checkout, path, text, match, uses)


def script_members(checkout: Checkout) -> Iterator[Break]:
    """Rename methods of classes and members of enums."""
    texts = checkout.sources(".ts", ".tsx")
    for path, text in texts.items():
        for match in re.finditer(r"(?m)^  (?:async )?([a-z]\w{5,})\([^)]*\)(?::[^{\n]+)? \{$", text):
            name = match[1]
            if (
                sum(
                    len(
                        re.findall(
                            rf"(?m)^\s*(?:async |public |private |get |set )*{name}[(:?<]|\b(?:function|const) {name}\b|['\"]{name}['\"]",
                            texts[path],
                        )
                    )
                    for path in checkout.by_word[name]
                    if path in texts
                )
                != 1
            ):
                continue
            uses = checkout.users(rf"\.{name}\(", (".ts", ".tsx"), path, name)
            if uses and "class " in text:
                changed = text[: match.start(1)] + f"{name}V2" + text[match.end(1) :]
                yield Break("rename method", "typescript", name, {path: changed}, uses)
        for match in re.finditer(r"(?m)^export (?:const )?enum (\w+) \{\n((?:[^}]*\n))\}", text):
            for member in re.finditer(r"(?m)^  (\w{3,}) = ", match[2]):
                uses = checkout.users(rf"\b{match[1]}\.{member[1]}\b", (".ts", ".tsx"), path, match[1])
                if uses:
                    at = match.start(2) + member.start(1)
                    changed = text[:at] + f"{member[1]}V2" + text[at + len(member[1]) :]
                    yield Break("rename attribute", "typescript", member[1], {path: changed}, uses)
