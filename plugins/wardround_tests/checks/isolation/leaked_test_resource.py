from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_tests.check import PythonTestCheck
from wardround_tests.models.syntax import last_name

_REMOVED = LazyPattern(
    r"rmtree|removedirs|rmdir|\bunlink|os\.remove|\.remove\(|clean_?up|TemporaryDirectory|remove_(dir|temp)|atexit|"
    r"delete_(dir|temp)|addCleanup|addfinalizer|ignore_cleanup"
)
_ENDED = LazyPattern(r"\.(terminate|kill|wait|communicate|send_signal|stop)\(|killpg|\bkill_")
_STOPPED = LazyPattern(r"shutdown|server_close|\.close\(|\.stop\(")
_CREATORS = {
    "tempfile.mkdtemp": ("a folder", _REMOVED, "use tmp_path, or TemporaryDirectory"),
    "tempfile.mkstemp": ("a file", _REMOVED, "use tmp_path"),
    "tempfile.NamedTemporaryFile": ("a file", _REMOVED, "use tmp_path"),
    "subprocess.Popen": ("a process", _ENDED, "terminate it when the test ends, also on failure"),
}
_ENDS_AT_ONCE = LazyPattern(r"^[\[(]?b?f?['\"](echo|printf|true|false)\b")
_INSPECTING = frozenset({"isinstance", "print", "repr", "str", "type"})
"""Functions that do not wait for a process."""


class LeakedTestResource(PythonTestCheck):
    """A test creates a file, folder, process or server and never removes it.

    Each run leaves another one: the disk of the CI machine fills up, ports stay in use, and leftovers affect
    later tests. Remove it when the test ends. A process that the test passes to other code, or whose output
    it reads to the end, is not reported.
    """

    ID = "TE035"
    NAME = "leaked-test-resource"
    DEFECT_CLASS = "resource-leak"
    VALID = [
        code("""
            import tempfile
            class SpoolTest(TestCase):
                def setUp(self):
                    self.path = tempfile.mkdtemp()
                    self.addCleanup(shutil.rmtree, self.path)
                def test_spool(self):
                    self.assertTrue(Spool(self.path))
        """),
        code("""
            import tempfile
            class SpoolTest(TestCase):
                def setUp(self):
                    self.path = tempfile.mkdtemp()
                def tearDown(self):
                    rmtree(self.path)
                def test_spool(self):
                    self.assertTrue(Spool(self.path))
        """),
    ]
    INVALID = [
        code("""
            import threading
            import pytest
            @pytest.fixture
            def server():
                made = Server(('', 0))
                threading.Thread(target=«made.serve_forever»).start()
                return made
            def test_get(server):
                assert get(server)
        """),
        code("""
            import tempfile
            class SpoolTest(TestCase):
                def setUp(self):
                    self.path = «tempfile.mkdtemp()»
                def test_spool(self):
                    self.assertTrue(Spool(self.path))
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return (
            "mkdtemp" in text
            or "mkstemp" in text
            or "NamedTemporaryFile" in text
            or "Popen" in text
            or "forever" in text
        )

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Report a server in a background thread that nothing stops."""
        if node.attr != "serve_forever" or not isinstance(self.module.parents[node], ast.keyword):
            return
        if self.module.runs_in_tests(node) and not self.module.contains(_STOPPED):
            text = "server is never stopped; call shutdown() and server_close() when the tests end"
            self.report(self.module.span(node), text)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name not in _CREATORS or not self.module.runs_in_tests(node) or self._is_managed(node):
            return
        if self._ends_itself(name, node):
            return
        resource, removal, advice = _CREATORS[name]
        if not self.module.contains(removal):
            severity = None if resource == "a process" else Severity.INFO
            text = f"every run leaves {resource} behind; {advice}"
            self.report(self.module.span(node), text, severity=severity)

    def _ends_itself(self, name: str, node: ast.Call) -> bool:
        """Return True if a file is removed when it is closed, or a process does not outlive the test."""
        if name.endswith("TemporaryFile"):
            return not _is_stored(node)
        return name == "subprocess.Popen" and (_ends_at_once(node) or self._is_awaited(node))

    def _is_managed(self, node: ast.Call) -> bool:
        """Return True if the object is managed by a block or passed to a cleanup."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call):
                return "stack" in unparse(parent.func) or "cleanup" in unparse(parent.func).lower()
            if isinstance(parent, ast.withitem):
                return True
            if isinstance(parent, ast.stmt):
                return False
        return False

    def _is_awaited(self, node: ast.Call) -> bool:
        """Return True if a process is passed to other code, which may wait for it, or its output is read."""
        parent = self.module.parents[node]
        if isinstance(parent, ast.Call):
            return node in parent.args
        function = self.module.function_of(node)
        if function is None or not isinstance(parent, ast.Assign):
            return False
        name = unparse(parent.targets[0])
        return any(_passes_on(inner, name) or _reads_output(inner, name) for inner in walk(function))


def _ends_at_once(call: ast.Call) -> bool:
    """Return True if the started program only prints or returns."""
    return bool(call.args) and _ENDS_AT_ONCE.search(unparse(call.args[0])) is not None


def _passes_on(node: ast.AST, name: str) -> bool:
    """Return True if a call has an object or its output among its arguments."""
    if not isinstance(node, ast.Call) or last_name(node.func) in _INSPECTING:
        return False
    arguments = (*node.args, *(k.value for k in node.keywords))
    parts = (element for argument in arguments for element in _elements(argument))
    return any(unparse(part) in (name, f"{name}.stdout", f"{name}.stderr") for part in parts)


def _elements(argument: ast.expr) -> list[ast.expr]:
    return argument.elts if isinstance(argument, (ast.Tuple, ast.List)) else [argument]


def _reads_output(node: ast.AST, name: str) -> bool:
    """Return True if a node reads the output of a process to its end."""
    if isinstance(node, ast.For):
        return unparse(node.iter) == f"{name}.stdout"
    if not isinstance(node, ast.Call) or node.args:
        return False
    return unparse(node.func) in (f"{name}.stdout.read", f"{name}.stdout.readlines")


def _is_stored(call: ast.Call) -> bool:
    return any(
        k.arg == "delete" and isinstance(k.value, ast.Constant) and k.value.value is False
        for k in call.keywords
    )
