"""The definitions of the Python files of a work tree, by syntax trees."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from evals.planting.checkout import Checkout


def trees(checkout: Checkout) -> dict[str, ast.Module]:
    found = {}
    for path, text in checkout.sources(".py").items():
        try:
            found[path] = ast.parse(text)
        except SyntaxError:
            continue
    return found


def definitions_by_name(checkout: Checkout) -> Counter[str]:
    """Count the definitions, assignments and attributes of each name in all Python files."""
    found: Counter[str] = Counter()
    for path, text in checkout.texts.items():
        if path.endswith(".py"):
            found.update(
                re.findall(r"(?m)\b(?:def|class)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=\n]+)?=(?!=)", text)
                and [
                    a or b
                    for a, b in re.findall(
                        r"(?m)\b(?:def|class)\s+(\w+)|^\s*(?:self\.)?(\w+)\s*(?::[^=\n]+)?=(?!=)", text
                    )
                ]
            )
    return found


def nodes(tree: ast.Module) -> Iterator[tuple[ast.ClassDef | None, ast.FunctionDef | ast.ClassDef]]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield None, statement
        if isinstance(statement, ast.ClassDef):
            for inner in statement.body:
                if isinstance(inner, ast.FunctionDef):
                    yield statement, inner
