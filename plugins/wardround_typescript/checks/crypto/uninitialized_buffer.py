from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import call_with, child

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
_SHARING = frozenset({"buffer", "subarray", "slice"})


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
        holder = call.parent
        if holder is None:
            return False
        match holder.type:
            case "arguments":
                return self._escapes_function(call)
            case "member_expression":
                return _READ.search(self.code.field(holder, "property")) is not None
            case "variable_declarator":
                return self._may_be_unwritten(holder, call)
        return holder.type == "return_statement"

    def _escapes_function(self, value: Node) -> bool:
        call = call_with(value)
        return call is not None and _GIVING_AWAY.search(self.code.callee(call)) is not None

    def _may_be_unwritten(self, declarator: Node, call: Node) -> bool:
        """Return True if the buffer leaves the function and may not be completely written before that."""
        from wardround.languages.script.code import argument

        size = self.code.text(argument(call, 0))
        uses = self._uses(self.code.field(declarator, "name"), call)
        written = 0
        for use in uses:
            width = self._bytes_written(use, size)
            if width is None:
                return False
            written += width
        is_full = size.isdigit() and written >= int(size)
        return not is_full and any(map(self._leaves_function, uses))

    def _uses(self, name: str, call: Node) -> list[Node]:
        """Return the uses of a buffer in its function, behind the call that creates it."""
        from wardround.languages.script.code import function_around

        scope = function_around(call) or self.code.module.root
        behind = (node for node in self.code.occurrences(name) if node.start_byte > call.end_byte)
        return [node for node in behind if node.end_byte <= scope.end_byte]

    def _bytes_written(self, use: Node, size: str) -> int | None:
        """Return the number of bytes that a use writes; None if it may fill the buffer."""
        holder = use.parent
        if holder is None:
            return None
        match holder.type:
            case "subscript_expression":
                return 1 if self.code.field(holder, "index").isdigit() else None
            case "member_expression" if child(holder, "object") == use:
                return _written_by(self.code.field(holder, "property"))
            case "arguments":
                return 0 if self._only_reads(use, size) else None
        return 0

    def _only_reads(self, use: Node, size: str) -> bool:
        """Return True for an argument of a call that does not fill it."""
        call = call_with(use)
        called = self.code.callee(call) if call is not None else ""
        owner, _, last = called.rpartition(".")
        if last == "copy" and owner and owner not in size:
            return True
        return _GIVING_AWAY.search(called) is not None

    def _leaves_function(self, use: Node) -> bool:
        holder = use.parent
        if holder is None:
            return False
        match holder.type:
            case "arguments":
                return self._escapes_function(use)
            case "assignment_expression":
                return "body" in self.code.field(holder, "left")
        return holder.type == "return_statement"


def _written_by(method: str) -> int | None:
    """Return the number of bytes that a method of a buffer writes; None if it may fill the buffer."""
    if method in _FILLING or method in _SHARING:
        return None
    width = _WIDTH.search(method)
    if width is None:
        return 0
    if width[1]:
        return int(width[1]) // 8
    return next((size for name, size in _LONE_SIZES.items() if name in method), 0)
