"""A pytest file that pins the old or the new behaviour, for a person to complete and keep."""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Iterator, Sequence

from wardround.context.run_evidence import BehaviourDifference, Observed
from wardround.languages.python.tree import unparse
from wardround.text.escaping import one_line

_SOURCE_FOLDERS = ("src/", "lib/")


class PinnedSide(enum.StrEnum):
    """The version whose results a test expects."""

    OLD = "old"
    NEW = "new"


def pinning_tests(differences: Sequence[BehaviourDifference], side: PinnedSide) -> str:
    """Return a file with one test for each difference.

    A call or result that is not Python source, as an object shows itself, becomes a skipped test with a
    comment: a person knows how to make the object.
    """
    names: dict[str, int] = {}
    blocks = [_test(difference, side, names) for difference in differences]
    imports = sorted({_import(difference) for difference in differences if _is_source(difference.call)})
    lines = ["import pytest", *([""] if imports else []), *imports]
    return "\n".join([*lines, *(f"\n\n{block}" for block in blocks)]) + "\n"


def _test(difference: BehaviourDifference, side: PinnedSide, names: dict[str, int]) -> str:
    observed = difference.before if side is PinnedSide.OLD else difference.after
    name = "_".join(part.strip("_").lower() for part in difference.function.split("."))
    names[name] = names.get(name, 0) + 1
    number = f"_{names[name]}" if names[name] > 1 else ""
    body = list(_body(difference.call, observed))
    header = f"def test_{name}_keeps_its_result{number}() -> None:"
    return "\n".join([header, *(f"    {line}" for line in body)])


def _body(call: str, observed: Observed) -> Iterator[str]:
    if not _is_source(call) or not _is_pinned(observed):
        yield f"# {one_line(call)}"
        yield f"# -> {one_line(observed.returned or observed.raised or '')}"
        yield 'pytest.skip("write the objects of this call as code")'
    elif observed.raised is not None:
        yield f"with pytest.raises({observed.raised.partition('(')[0]}):"
        yield f"    {call}"
    else:
        yield f"assert {call} {'is' if observed.returned == 'None' else '=='} {observed.returned}"


def _is_pinned(observed: Observed) -> bool:
    """Return True if a literal or the class of a built-in exception states the result."""
    if observed.raised is not None:
        found = getattr(builtins, observed.raised.partition("(")[0], None)
        return isinstance(found, type) and issubclass(found, BaseException)
    return observed.returned is not None and _is_literal(observed.returned)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _is_source(call: str) -> bool:
    """Return True if a call is a name with literal arguments."""
    try:
        tree = ast.parse(call, mode="eval").body
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    if not isinstance(tree, ast.Call):
        return False
    values = [*tree.args, *(keyword.value for keyword in tree.keywords)]
    return _is_dotted(tree.func) and all(_is_literal(unparse(value)) for value in values)


def _is_dotted(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    )


def _import(difference: BehaviourDifference) -> str:
    *elsewhere, called = (difference.through or difference.function).split("::")
    path = elsewhere[0] if elsewhere else difference.path
    for folder in _SOURCE_FOLDERS:
        path = path.removeprefix(folder)
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"from {module} import {called.partition('.')[0]}"
