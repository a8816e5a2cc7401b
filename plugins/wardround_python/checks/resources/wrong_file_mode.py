"""PY068: wrong file mode."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_WRITES = frozenset({"write", "writelines", "truncate"})
_READS = frozenset({"read", "readline", "readlines", "readinto"})
# Function that takes a file as an argument: (its position, whether it writes, text or bytes).
_USERS = {
    "json.load": (0, False, ""), "json.dump": (1, True, "t"), "pickle.load": (0, False, "b"),
    "pickle.dump": (1, True, "b"), "tomllib.load": (0, False, "b"), "csv.reader": (0, False, "t"),
    "csv.DictReader": (0, False, "t"), "csv.writer": (0, True, "t"), "csv.DictWriter": (0, True, "t"),
    "yaml.safe_load": (0, False, ""), "yaml.safe_dump": (1, True, "t"), "yaml.dump": (1, True, "t"),
    "marshal.load": (0, False, "b"), "marshal.dump": (1, True, "b"), "plistlib.load": (0, False, "b"),
    "plistlib.dump": (1, True, "b"), "tomli_w.dump": (1, True, "b"),
}  # fmt: skip
_TEXTS = frozenset({"json.dumps", "str", "repr", "yaml.dump", "yaml.safe_dump"})
_BYTES = frozenset({"pickle.dumps", "bytes", "marshal.dumps", "base64.b64decode", "os.urandom"})


class WrongFileMode(PythonCheck):
    """A file is used in a way that its mode forbids.

    A file opened for reading cannot be written, one opened for writing cannot be read, and bytes and text do
    not mix: the line raises every time it runs. Open the file in the mode it is used in.
    """

    ID = "PY068"
    NAME = "wrong-file-mode"
    MATURITY = Maturity.PREVIEW
    WORDS = ("open(",)
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "file-mode"
    VALID = [
        code("""
            with open(p) as f:
                x = f.read()
        """),
        code("""
            with open(p, 'r+') as f:
                x = f.read()
                f.write(x)
        """),
    ]
    INVALID = [
        code("""
            def g(p):
                with open(p, 'r', encoding='utf-8') as f:
                    «f.write('x')»
        """),
        code("""
            def g(p):
                f = open(p, 'w')
                x = «f.read()»
                f.close()
                return x
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        mode = self._mode(node)
        if mode is None:
            return
        if "b" in mode and any(k.arg == "encoding" for k in node.keywords):
            self.report(
                self.module.span(node),
                "open() raises ValueError for an encoding in binary mode; remove it or open for text",
            )
            return
        parent = self.module.parents[node]
        if isinstance(parent, (ast.Call, ast.Attribute)):
            self._check(node, parent, mode)
            return
        target = parent.optional_vars if isinstance(parent, ast.withitem) else None
        if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
            target = parent.targets[0]
        if isinstance(target, ast.Name):
            for use in self._uses(node, parent, target.id):
                if self._check(use, self.module.parents[use], mode):
                    return

    def _mode(self, node: ast.Call) -> str | None:
        """Return the mode of a call that opens a file; None if it is another call or the mode is unknown."""
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            place = 1
            if "open" in self.module.imported or "open" in self.module.assigned:
                return None
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "open":
            place = 0
            held = node.func.value
            if not isinstance(held, ast.Call) or self.module.imported_name(held.func) != "pathlib.Path":
                return None
        else:
            return None
        arguments = node.args[place] if len(node.args) > place else None
        arguments = next((k.value for k in node.keywords if k.arg == "mode"), arguments)
        if any(k.arg is None for k in node.keywords) or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        if arguments is None:
            return "r"
        return (
            arguments.value
            if isinstance(arguments, ast.Constant) and isinstance(arguments.value, str)
            else None
        )

    def _uses(self, node: ast.Call, parent: ast.AST, name: str) -> Iterator[ast.Name]:
        """Yield the uses of the opened file in its ``with``, or in a function that binds it once."""
        if isinstance(parent, ast.withitem):
            scope: ast.AST = self.module.parents[parent]
        else:
            function = self.module.function_of(node)
            if not isinstance(function, FunctionNode):
                return
            scope = function
        names = [inner for inner in walk(scope) if isinstance(inner, ast.Name) and inner.id == name]
        if sum(not isinstance(item.ctx, ast.Load) for item in names) == 1:
            yield from (element for element in names if isinstance(element.ctx, ast.Load))

    def _check(self, use: ast.expr, parent: ast.AST, mode: str) -> bool:
        """Report a use of a file that its mode forbids."""
        message, place = "", use
        if isinstance(parent, ast.Attribute):
            call = self.module.parents[parent]
            if isinstance(call, ast.Call) and call.func is parent:
                place = call
                message = _message(
                    mode, parent.attr in _WRITES, parent.attr in _READS, self._kind(parent, call)
                )
        elif isinstance(parent, ast.Call) and use in parent.args:
            known = _USERS.get(self.module.imported_name(parent.func) or "")
            if known is not None and parent.args.index(use) == known[0]:
                place = parent
                message = _message(mode, known[1], not known[1], known[2])
        elif isinstance(parent, (ast.For, ast.comprehension)) and parent.iter is use:
            message = _message(mode, False, True, "")
        if message:
            self.report(self.module.span(place), message)
        return bool(message)

    def _kind(self, method: ast.Attribute, call: ast.Call) -> str:
        """Return the type of the written value, text or bytes, as far as the argument itself shows."""
        if method.attr != "write" or len(call.args) != 1:
            return ""
        arguments = call.args[0]
        if isinstance(arguments, ast.JoinedStr):
            return "t"
        if isinstance(arguments, ast.Constant):
            return (
                "t" if isinstance(arguments.value, str) else "b" if isinstance(arguments.value, bytes) else ""
            )
        if not isinstance(arguments, ast.Call):
            return ""
        name = self.module.dotted(arguments.func) or ""
        is_encoded = isinstance(arguments.func, ast.Attribute) and arguments.func.attr == "encode"
        return "t" if name in _TEXTS else "b" if name in _BYTES or is_encoded else ""


def _message(mode: str, writes: bool, reads: bool, kind: str) -> str:
    if writes and not set(mode) & set("wax+"):
        return f'the file is open for reading (mode "{mode}"), and this writes'
    if reads and not set(mode) & set("r+"):
        return f'the file is open for writing (mode "{mode}"), and this reads'
    if (writes or reads) and kind == "t" and "b" in mode:
        return f'this is text and the file is open for bytes (mode "{mode}"); encode it or open for text'
    if (writes or reads) and kind == "b" and "b" not in mode:
        return f'this is bytes and the file is open for text (mode "{mode}"); decode it or open for bytes'
    return ""
