"""The parts of a class that determine the state of its objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import msgspec

from wardround.languages.python.module import FunctionNode, last_name
from wardround.workflows.test.python_code.normal_syntax import statement_digest

_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_MAKERS = (
    "__init__",
    "__new__",
    "__post_init__",
    "__setstate__",
    "__getstate__",
    "__reduce__",
    "__attrs_post_init__",
)
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol", "Exception"})


class ClassState(msgspec.Struct, frozen=True):
    """The state of the objects of a class, as its source initializes it.

    Attributes:
        digest: digest of its bases, declared fields, and the statements of constructors.
        attributes: those that a constructor assigns as ``self.name = value``, each with the digest of the
            values.
    """

    digest: str
    attributes: dict[str, str]

    def is_remade_from(self, base: ClassState) -> bool:
        """Return True if an object created by the base may have another state than one of this class.

        A removed attribute, and a new private one, do not count: code that reads a missing one raises an
        ``AttributeError``.
        """
        before, after = base.attributes, self.attributes
        is_other = any(after[name] != before[name] for name in before if name in after)
        has_more = any(not name.startswith("_") for name in after if name not in before)
        return self.digest != base.digest or is_other or has_more


def class_states(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ClassState]]:
    """Yield the classes of a file, by qualified name."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            name = f"{prefix}{statement.name}"
            yield name, _state(statement, name)
            yield from class_states(statement.body, f"{name}.")


def _state(node: ast.ClassDef, name: str) -> ClassState:
    attributes: dict[str, str] = {}
    parts = [statement_digest(base, name, is_field=True) for base in node.bases]
    for statement in _state_making(node):
        digest = statement_digest(statement, name, is_field=True)
        if attribute := _own_attribute(statement):
            attributes[attribute] = f"{attributes.get(attribute, '')} {digest}"
        else:
            parts.append(digest)
    return ClassState(" ".join(parts), attributes)


def _own_attribute(node: ast.AST) -> str:
    """Return the name in ``self.name = value``; empty for another statement."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    target = targets[0] if isinstance(node, ast.Assign | ast.AnnAssign) and len(targets) == 1 else None
    return target.attr if isinstance(target, ast.Attribute) and last_name(target.value) == "self" else ""


def _state_making(node: ast.ClassDef) -> Iterator[ast.AST]:
    """Yield the declared fields of a class, and assignments and calls of methods that make its objects."""
    for member in node.body:
        if isinstance(member, FunctionNode) and member.name in _MAKERS:
            yield from (
                inner for inner in ast.walk(member)
                if isinstance(inner, _ASSIGNMENTS)
                or (isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Call))
            )  # fmt: skip
        elif _is_field(member, node):
            yield member


def _is_field(item: ast.stmt, node: ast.ClassDef) -> bool:
    """Return True for a declaration that a decorator, a metaclass or a base perhaps makes a field."""
    targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
    if any(last_name(target) == "__slots__" for target in targets):
        return True
    is_plain = not (node.decorator_list or node.keywords) and all(map(_is_plain, node.bases))
    is_declared = isinstance(item, ast.AnnAssign) or (
        isinstance(item, ast.Assign) and isinstance(item.value, ast.Call)
    )
    return is_declared and not is_plain


def _is_plain(base: ast.expr) -> bool:
    return last_name(base.value if isinstance(base, ast.Subscript) else base) in _PLAIN_BASES
