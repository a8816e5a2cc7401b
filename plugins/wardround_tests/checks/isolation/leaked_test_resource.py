"""TE035: temporary files, processes and servers that tests leave behind."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_tests.check import PythonTestCheck

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


class LeakedTestResource(PythonTestCheck):
    """A test creates a file, folder, process or server and never removes it.

    Each run leaves another one: the disk of the CI machine fills up, ports stay in use, and leftovers affect
    later tests. Remove it when the test ends.
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
        if self.module.runs_in_tests(node) and _STOPPED.search(self.module.text) is None:
            text = "server is never stopped; call shutdown() and server_close() when the tests end"
            self.report(self.module.span(node), text)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name not in _CREATORS or not self.module.runs_in_tests(node) or self._is_managed(node):
            return
        if name.endswith("TemporaryFile") and not _is_kept(node):
            return
        what, away, instead = _CREATORS[name]
        if away.search(self.module.text) is None:
            severity = None if what == "a process" else Severity.INFO
            self.report(
                self.module.span(node), f"every run leaves {what} behind; {instead}", severity=severity
            )

    def _is_managed(self, node: ast.Call) -> bool:
        """Return True if the object is managed by a block or passed to a cleanup."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Call):
                return "stack" in ast.unparse(parent.func) or "cleanup" in ast.unparse(parent.func).lower()
            if isinstance(parent, ast.withitem):
                return True
            if isinstance(parent, ast.stmt):
                return False
        return False


def _is_kept(call: ast.Call) -> bool:
    return any(
        k.arg == "delete" and isinstance(k.value, ast.Constant) and k.value.value is False
        for k in call.keywords
    )
