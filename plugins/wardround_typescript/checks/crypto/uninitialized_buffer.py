"""TS359: uninitialized buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_UNFILLED = LazyPattern(r"^(Buffer\.allocUnsafe(Slow)?|SlowBuffer)$")
_FILLING = frozenset({"fill", "set"})
_WIDTH = LazyPattern(r"^write(?:Big)?(?:U?[iI]nt|Float|Double)?(\d*)(?:LE|BE)?$")
_GIVING_AWAY = LazyPattern(
    r"(^|\.)(send|end|write|json|push|emit|publish|postMessage|concat|resolve|from|log|callback|cb|next)$|^Response$"
)
_READ = LazyPattern(r"^(toString|toJSON|read\w+|readBig\w+)$")
_LONE_SIZES = {"Float": 4, "Double": 8}


class UninitializedBuffer(TreeCheck):
    """Uninitialized memory is passed on with its old content.

    ``Buffer.allocUnsafe`` keeps old bytes where nothing is written: parts of other requests, keys, passwords.
    Use ``Buffer.alloc``, or fill the buffer, unless every byte is written.
    """

    ID = "TS359"
    NAME = "uninitialized-buffer"
    DEFECT_CLASS = "uninitialized-memory"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    WORDS = ("allocUnsafe", "SlowBuffer")
    CASE_PATH = "a.js"
    VALID = [
        code("""
            const b = Buffer.allocUnsafe(4);
            b.writeUInt32BE(n, 0);
            socket.write(b);
        """),
        code("""
            const b = Buffer.allocUnsafe(size).fill(0);
            socket.write(b);
        """),
    ]
    INVALID = [
        code("""
            exports.token = () => «Buffer.allocUnsafe(32)».toString('hex');
        """),
        code("""
            const SIZE = 512;
            function frame(data) {
              const b = «Buffer.allocUnsafe(SIZE)»;
              b.writeUInt16BE(data.length, 0);
              data.copy(b, 2);
              return b;
            }
        """),
    ]

    def check(self) -> None:
        for called, call in self.code.calls:
            if _UNFILLED.search(called) and self._is_passed_on(call):
                self.report_node(
                    call, "buffer is passed on with uninitialized bytes; use Buffer.alloc or fill it"
                )

    def _is_passed_on(self, call: Node) -> bool:
        above = call.parent
        if above is None:
            return False
        if above.type == "arguments" and above.parent is not None:
            return _GIVING_AWAY.search(self.code.called(above.parent)) is not None
        if above.type == "member_expression":
            return _READ.search(self.code.field(above, "property")) is not None
        if above.type != "variable_declarator":
            return above.type == "return_statement"
        return self._is_part_written(above, call)

    def _is_part_written(self, declarator: Node, call: Node) -> bool:
        """Return True if the buffer leaves the function and the writes to it do not certainly fill it."""
        from wardround.languages.script.code import argument, function_around

        code = self.code
        name = code.field(declarator, "name")
        size, function = code.text(argument(call, 0)), function_around(call)
        uses = [
            node
            for node in code.named(name)
            if node.start_byte > call.end_byte and (function is None or node.end_byte <= function.end_byte)
        ]
        written, leaves = 0, False
        for use in uses:
            width = self._written(use, size)
            if width is None:
                return False
            written += width
            leaves = leaves or self._leaves(use)
        return leaves and not (size.isdigit() and written >= int(size))

    def _written(self, use: Node, size: str) -> int | None:
        """Return the number of bytes that a use writes; None if it may fill the buffer."""
        code, above = self.code, use.parent
        if above is None:
            return None
        if above.type == "subscript_expression":
            return 1 if code.field(above, "index").isdigit() else None
        if above.type == "member_expression" and above.child_by_field_name("object") == use:
            return _written_by(code.field(above, "property"))
        if above.type == "arguments" and above.parent is not None:
            called = code.called(above.parent)
            owner, _, last = called.rpartition(".")
            if last == "copy" and owner and owner not in size:
                return 0
            return 0 if _GIVING_AWAY.search(called) else None
        return 0

    def _leaves(self, use: Node) -> bool:
        above = use.parent
        if above is None:
            return False
        if above.type == "arguments" and above.parent is not None:
            return _GIVING_AWAY.search(self.code.called(above.parent)) is not None
        return above.type == "return_statement" or (
            above.type == "assignment_expression" and "body" in self.code.field(above, "left")
        )


def _written_by(method: str) -> int | None:
    """Return the number of bytes that a method of a buffer writes; None if it may fill the buffer."""
    if method in _FILLING or method in ("buffer", "subarray", "slice"):
        return None
    width = _WIDTH.search(method)
    if width is None:
        return 0
    if width[1]:
        return int(width[1]) // 8
    return next((size for name, size in _LONE_SIZES.items() if name in method), 0)
