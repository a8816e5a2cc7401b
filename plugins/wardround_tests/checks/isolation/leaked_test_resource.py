"""TE035."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
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
_MADE = {
    "tempfile.mkdtemp": ("a folder", _REMOVED, "use tmp_path, or TemporaryDirectory"),
    "tempfile.mkstemp": ("a file", _REMOVED, "use tmp_path"),
    "tempfile.NamedTemporaryFile": ("a file", _REMOVED, "use tmp_path"),
    "subprocess.Popen": ("a process", _ENDED, "end it when the test ends, however it ends"),
}
_UNIT = (
    "import tempfile\nclass SpoolTest(TestCase):\n    def setUp(self):\n"
    "        self.path = tempfile.mkdtemp()\n"
)
_TEST = "    def test_spool(self):\n        self.assertTrue(Spool(self.path))\n"


class LeakedTestResource(PythonTestCheck):
    """A test makes something on the machine, and nothing in the file takes it away.

    Each run leaves one more folder, file or process: the disk of the CI machine fills up, ports stay taken,
    and what is left over decides how a later test ends.
    """

    ID = "TE035"
    NAME = "leaked-test-resource"
    DEFECT_CLASS = "resource-leak"
    TRIED_ON = (
        "583,000 lines of tests of 24 projects, celery, apprise, aiohttp and redash among them: 14 "
        "hits, 13 of them in one project, 8 read: all right; info but for processes."
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(f"{_UNIT}        self.addCleanup(shutil.rmtree, self.path)\n{_TEST}", path="test_case.py"),
        Valid(f"{_UNIT}    def tearDown(self):\n        rmtree(self.path)\n{_TEST}", path="test_case.py"),
        Valid(
            "import tempfile\ndef test_spool():\n    with tempfile.NamedTemporaryFile() as f:\n"
            "        assert Spool(f.name)\n",
            path="test_case.py",
        ),
        Valid("import tempfile\ndef make():\n    return tempfile.mkdtemp()\n", path="tests/case.py"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import threading\nimport pytest\n@pytest.fixture\ndef server():\n    made = Server(('', 0))\n"
            "    threading.Thread(target=made.serve_forever).start()\n    return made\n"
            "def test_get(server):\n    assert get(server)\n",
            line=6,
            column=29,
            path="test_case.py",
        ),
        Invalid(_UNIT + _TEST, line=4, column=21, path="test_case.py"),
        Invalid(
            "from subprocess import Popen\nimport pytest\n@pytest.fixture\ndef server():\n"
            "    process = Popen(['serve'])\n    return process\ndef test_get(server):\n    assert get()\n",
            line=5,
            column=15,
            path="test_case.py",
        ),
        Invalid(
            "import tempfile\ndef test_spool():\n    f = tempfile.NamedTemporaryFile(delete=False)\n"
            "    assert Spool(f.name)\n",
            line=3,
            column=9,
            path="test_case.py",
        ),
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
        """Look at a server that runs beside the tests and that nothing stops."""
        if node.attr != "serve_forever" or not isinstance(self.module.parents[node], ast.keyword):
            return
        if self.module.serves(node) and _STOPPED.search(self.module.text) is None:
            text = "nothing stops this server: call shutdown() and server_close() when the tests end"
            self.report(self.module.span(node), text)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name not in _MADE or not self.module.serves(node) or self._is_held(node):
            return
        if name.endswith("TemporaryFile") and not _is_kept(node):
            return
        what, away, instead = _MADE[name]
        if away.search(self.module.text) is None:
            mild = None if what == "a process" else Severity.INFO
            self.report(
                self.module.span(node), f"{what} is left behind by every run: {instead}", severity=mild
            )

    def _is_held(self, node: ast.Call) -> bool:
        """Whether what is made ends with a block, or is handed to something that may see to it."""
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
