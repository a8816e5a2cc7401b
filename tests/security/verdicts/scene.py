"""Attacks and the neutral changes they are compared with: commits, their reviews and their verdicts."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.security.test_printed_commands import RAW, assert_silent
from wardround import host
from wardround.change.change_source import ChangeSource, GitChangeSource
from wardround.change.diff import Change
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.context.run_evidence import (
    LineEvidence,
    RunConditions,
    RunEvidence,
    RunPart,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
)
from wardround.host import PluginHost
from wardround.policy.verdict import Reason, VerdictName
from wardround.reports import markdown, renderer
from wardround.review import run_review
from wardround.review_result import ReviewResult
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

PRICES = '''\
"""Prices of the shop."""


def total(prices: list[int]) -> int:
    """Return the sum of the prices."""
    return sum(prices)
'''
PRICES_TEST = """\
from shop.prices import total


def test_total() -> None:
    assert total([1, 2]) == 3
"""
MEAN = '''

def mean(prices: list[int]) -> float:
    """Return the mean of the prices, 0 without any."""
    return sum(prices) / len(prices) if prices else 0.0
'''
MEAN_TEST = """\
from shop.prices import mean, total


def test_total() -> None:
    assert total([1, 2]) == 3


def test_mean() -> None:
    assert mean([1, 3]) == 2.0
"""
BASE: Mapping[str, Any] = {
    "README.md": "# Shop\n\nPrices of a small shop.\n",
    "shop/__init__.py": "",
    "shop/prices.py": PRICES,
    "tests/test_prices.py": PRICES_TEST,
}
TESTED: Mapping[str, Any] = {"shop/prices.py": PRICES + MEAN, "tests/test_prices.py": MEAN_TEST}
"""A small change with a test, which is approved without people."""
UNTESTED: Mapping[str, Any] = {"shop/prices.py": PRICES + MEAN}
DEFECT: Mapping[str, Any] = {
    "shop/admin.py": 'def run(command: str) -> object:\n    """Run a command."""\n    return eval(command)\n',
    **TESTED,
}
"""A change that people must review, with any content."""
WRONG: Mapping[str, Any] = {
    "shop/wrong.py": 'def start() -> object:\n    """Start."""\n    return missing\n',
    **TESTED,
}
"""A change that the gate blocks."""
DOCUMENTED: Mapping[str, Any] = {"README.md": "# Shop\n\nPrices and means of a small shop.\n"}
"""A change of documentation only, which needs no run."""
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "none": {}, "tested": TESTED, "untested": UNTESTED, "defect": DEFECT, "wrong": WRONG,
    "documented": DOCUMENTED,
}  # fmt: skip

SLOW = frozenset({"checkov", "gitleaks", "pyright", "semgrep", "ty", "zizmor"})

Tree = Mapping[str, Any]
"""Path -> text, bytes, None to delete it, or ``{link | executable | submodule | repeat: ...}``."""


@dataclass(frozen=True)
class Side:
    """A change, and the request for its review."""

    head: Tree
    base: Tree = field(default_factory=dict)
    profile: str = "ci"
    message: str = "Mean of the prices"
    config_from: str = "base"
    request: Mapping[str, Any] = field(default_factory=dict)

    @property
    def parts(self) -> tuple[RunPart, ...]:
        """The parts of the change that run: its tests, in CI."""
        return ("tests",) if self.profile == "ci" else ()


@dataclass(frozen=True)
class Judged:
    """The result of a review, reduced to what attacks are compared by."""

    name: VerdictName
    tier: int
    approvals: int
    reasons: tuple[Reason, ...]
    rules: tuple[str, ...]
    review: ReviewResult
    printed: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.name.strictness, self.tier, self.approvals

    def __str__(self) -> str:
        reasons = "; ".join(reason.text for reason in self.reasons)
        return f"{self.name} (T{self.tier}, {self.approvals} approvals): {reasons} {list(self.rules)}"


def require(expected: str, attacked: Judged, neutral: Judged) -> None:
    """Require that an attack gets the ``same`` verdict as the neutral change, or a ``stricter`` one.

    With ``not-milder``, either will do, but nothing found in the neutral change may be missing.
    """
    shown = f"\nattack:  {attacked}\nneutral: {neutral}"
    assert all(a >= n for a, n in zip(attacked.rank, neutral.rank, strict=True)), f"milder{shown}"
    if expected == "not-milder":
        assert set(neutral.rules) <= set(attacked.rules), f"findings are missing{shown}"
    else:
        assert (attacked.rank == neutral.rank) is (expected == "same"), f"not {expected}{shown}"


def require_silent(judged: Judged) -> None:
    """Require that nothing printed has control characters or commands for a CI runner."""
    assert_silent(*judged.printed)
    signals = judged.review.conclusion.signals
    texts = [reason.text for reason in judged.reasons]
    texts += [line for signal in signals for line in (*signal.reasons, *signal.derivation)]
    assert [text for text in texts if RAW.search(text) or "\n" in text] == []


def _printed(review: ReviewResult) -> Iterator[str]:
    """All reports; of the workflow commands of the one for GitHub, only the messages."""
    for name in ("text", "json", "sarif"):
        yield renderer(name)(review)
    yield markdown.render(review)
    lines = renderer("github")(review).splitlines()
    yield "\n".join(line.split("::", 2)[-1] if line.startswith("::") else line for line in lines)


_NEUTRAL: dict[str, Judged] = {}


def judge_neutral(place: Path, side: Side) -> Judged:
    """Review a change that several attacks are compared with, once."""
    key = repr(side)
    if key not in _NEUTRAL:
        _NEUTRAL[key] = judge(place / "neutral", side)
    return _NEUTRAL[key]


def judge(place: Path, side: Side, plugins: PluginHost | None = None) -> Judged:
    """Commit base and head in a new repository and review the change."""
    root = build(place, side)
    with Repository(root) as repository:
        change = repository.between("HEAD~1", "HEAD")
        settings = {
            "target_branch": "main",
            "config_from": side.config_from,
            "run": side.parts,
            **side.request,
        }
        request = ReviewRequest(profile=Profile(side.profile), **settings)
        source = GitChangeSource(repository, change)
        with ReviewSession(source, plugins or quick_host(), request, runner=_run_tests) as session:
            done = run_review(session)
        printed = tuple(_printed(done))
    verdict = done.conclusion.verdict
    rules = tuple(sorted({finding.rule for finding in done.findings}))
    return Judged(verdict.name, verdict.tier.number, verdict.approvals, verdict.reasons, rules, done, printed)


def _run_tests(source: ChangeSource, change: Change, *_: object) -> RunEvidence:
    """A hand-written run in a sandbox: its tests pass, and those of ``MEAN_TEST`` only execute the prices."""
    tests = source.read("tests/test_prices.py", "head") or b""
    found = [
        LineEvidence(file.path, (1,)) if b"assert mean(" in tests and file.path == "shop/prices.py"
        else LineEvidence(file.path, (), (1,))
        for file in change.files if file.path.startswith("shop/") and file.path.endswith(".py")
    ]  # fmt: skip
    passed = TestEvidence("tests/test_prices.py::test_total", TestOutcome.PASSED)
    return RunEvidence(TestsRun(RunConditions(RunState.COMPLETE, "bubblewrap"), (passed,), tuple(found)))


@cache
def quick_host() -> PluginHost:
    """The built-in plugins without the slow tools, none of which a plane requires."""
    loaded = host.load()
    for specialist in loaded.specialists:
        specialist.tools = tuple(tool for tool in specialist.tools if tool.name not in SLOW)
    return loaded


def build(place: Path, side: Side) -> Path:
    """Make a repository with two commits, whose head is checked out."""
    place.mkdir(parents=True)
    root = place / "repo"
    shutil.copytree(_template(place), root)
    commits = (*_commit(b"base", {**BASE, **side.base}), *_commit(os.fsencode(side.message), side.head))
    _git(root, "fast-import", "--quiet", stdin=b"".join(commits))
    _git(root, "-c", "core.fsmonitor=", "reset", "--quiet", "--hard")
    return root


def _template(place: Path) -> Path:
    folder = place / "template"
    _git(place, "init", "--quiet", "--initial-branch=main", str(folder))
    return folder


def _git(folder: Path, *arguments: str, stdin: bytes = b"") -> None:
    done = subprocess.run(["git", *arguments], cwd=folder, input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def _commit(message: bytes, tree: Tree) -> list[bytes]:
    """The commands of ``git fast-import`` for a commit on top of main."""
    head = b"commit refs/heads/main\ncommitter Ada <ada@example.org> 1700000000 +0000\n"
    return [head, _data(message), *(_entry(path, content) for path, content in tree.items()), b"\n"]


def _entry(path: str, content: Any) -> bytes:
    name = quoted(path)
    if content is None:
        return b"D " + name + b"\n"
    mode, data = _mode_and_data(content)
    if mode == "160000":
        return b"M 160000 " + data + b" " + name + b"\n"
    return b"M " + mode.encode() + b" inline " + name + b"\n" + _data(data)


def _mode_and_data(content: Any) -> tuple[str, bytes]:
    if isinstance(content, bytes):
        return "100644", content
    if isinstance(content, str):
        return "100644", os.fsencode(content)
    ((kind, value),) = ((key, content[key]) for key in content if key != "times")
    if kind == "repeat":
        return "100644", value.encode() * content["times"]
    return {"link": "120000", "executable": "100755", "submodule": "160000"}[kind], os.fsencode(str(value))


def quoted(path: str) -> bytes:
    """A path as ``git fast-import`` reads it, in quotes."""
    return b'"' + b"".join(_quoted_byte(byte) for byte in os.fsencode(path)) + b'"'


def _quoted_byte(byte: int) -> bytes:
    return bytes([byte]) if 32 <= byte < 127 and byte not in b'"\\' else b"\\%03o" % byte


def _data(content: bytes) -> bytes:
    return b"data %d\n" % len(content) + content + b"\n"
