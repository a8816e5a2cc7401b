"""TS403: removed copy before mutation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.before_after import base_code, functions_of, is_new, is_touched
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_CHANGING = frozenset({"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"})
_COPIED = LazyPattern(
    r"\[\s*\.\.\.\s*(?P<list>[\w$.?!]+)|\{\s*\.\.\.\s*(?P<object>[\w$.?!]+)|(?P<sliced>[\w$.?!]+)\.(?:slice\(\)|concat\(\))"
    r"|(?:structuredClone|cloneDeep|_\.clone\w*|clone|Array\.from|List|Object\.assign\(\s*\{\s*\},)\(?\s*(?P<cloned>[\w$.?!]+)"
    r"|(?P<made>[\w$.?!]+)\.(?:toSorted|toReversed|toSpliced)\("
)
_NEW = frozenset({"object", "array", "new_expression", "await_expression", "string", "number"})
_FRESH = LazyPattern(
    r"\.(?:map|filter|flatMap|slice|concat|split|flat|toSorted|json|parse|toObject)\(|^(?:Array|Object)\.|^structuredClone|[cC]lone"
    r"|^create|^make|^new[A-Z]|^build|^document\."
)


class RemovedCopyBeforeMutation(TreeCheck):
    """The copy before a mutation is removed, so the original is mutated now.

    The caller, and all other holders of the value, see the mutation: lists change their order, and a
    comparison of old and new finds no difference. Restore the copy.
    """

    ID = "TS403"
    NAME = "removed-copy-before-mutation"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "shared-object"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    WORDS = ("function", "=>", ") {")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            export const ranked = (rows: Row[], by: Order) => [...rows].sort(by);
        """),
        code(
            """
            export const ranked = (rows: Row[], by: Order) => rows.slice().sort(by);
            """,
            base="""
            export const ranked = (rows: Row[], by: Order) => [...rows].sort(by);
            """,
        ),
    ]
    INVALID = [
        code(
            """
            export const ranked = (rows: Row[], by: Order) => «rows.sort(by)»;
            """,
            base="""
            export const ranked = (rows: Row[], by: Order) => [...rows].sort(by);
            """,
        ),
        code(
            """
            export const ranked = (rows: Row[], by: Order) => «rows.sort(by)»;
            """,
            base="""
            export const ranked = (rows: Row[], by: Order) => rows.toSorted(by);
            """,
        ),
    ]

    def check(self) -> None:
        base = base_code(self.source, _COPIED)
        if base is not None:
            self._compare(base)

    def _compare(self, base: Code) -> None:
        before = functions_of(base)
        for name, function in functions_of(self.code).items():
            old = before.get(name)
            if old is None or not is_new(self.source, self.code, function, base):
                continue
            was_text, text = base.text(old), self.code.text(function)
            lost = _copied(was_text) - _copied(text)
            lost -= {path for path, _ in _changes(base, old)} if lost else set()
            for path, node in _changes(self.code, function) if lost else ():
                if path in lost and self._counts(node, path):
                    self.report_node(
                        node,
                        f'"{path}" was copied before its mutation and is now mutated itself; '
                        "restore the copy",
                    )
                    break

    def _counts(self, node: Node, path: str) -> bool:
        return is_touched(self.source, node) and not self._is_own(path, node)

    def _is_own(self, path: str, at: Node) -> bool:
        """Return True if a value was created on the spot, so that nothing else refers to it."""
        root = path.partition(".")[0].rstrip("?!")
        value = self.code.value_of(root, at)
        if value is None:
            declared = self.code.declaration(root, at)  # destructured: const [row] = await Promise.all(reads)
            return declared is not None and self.code.field(declared, "value").startswith("await ")
        return value.type in _NEW or (
            value.type == "call_expression" and _FRESH.search(self.code.text(value)) is not None
        )


def _copied(text: str) -> set[str]:
    """Return the paths that a text copies."""
    return {next(one for one in match.groups() if one) for match in _COPIED.finditer(text)}


def _changes(code: Code, function: Node) -> Iterator[tuple[str, Node]]:
    """Yield the values that a function mutates in place, by path, with the node."""
    from wardround.languages.script.code import argument
    from wardround.languages.script.syntax import inside

    for node in inside(function):
        if node.type == "call_expression":
            owner, _, method = code.called(node).rpartition(".")
            if method in _CHANGING and owner:
                yield owner, node
            elif code.called(node) in ("Object.assign", "_.merge", "merge", "_.set"):
                yield code.text(argument(node, 0)), node
        elif node.type in ("assignment_expression", "augmented_assignment_expression"):
            left = node.child_by_field_name("left")
            if left is not None and left.type in ("member_expression", "subscript_expression"):
                yield code.field(left, "object"), node
