"""A tool that failed never counts as a clean file."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import SCRIPTS, GitRepository
from tests.stand_ins import stand_in
from tests.variants import specialist, variant
from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.execution.resources import Resources
from wardround.execution.tool_runner import batch_paths, timeout_for
from wardround.findings import RawFinding
from wardround.policy.gate import GateOutcome
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.tools import process
from wardround.tools.process import Processes, find_program
from wardround.tools.tool import Invocation, Profile, Tool, ToolScope

HOST = host.load(only=["python"])
(PYTHON_SPECIALIST,) = HOST.specialists
TOOLS = sorted(tool.program for tool in PYTHON_SPECIALIST.tools)
PROFILES = {tool.program: min(tool.profiles, key=list(Profile).index) for tool in PYTHON_SPECIALIST.tools}

TROUBLE = {
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
    "rubbish": ("print('all good here')", "its output could not be read"),
    "nothing": ("pass", "its output could not be read"),
    "half": ("print('[{\"file\": ')", "its output could not be read"),
    "bad status": ("print('no such option', file=sys.stderr); sys.exit(2)",
                   "exited with status 2: no such option"),
    "too slow": ("import time; time.sleep(5)", "timed out after 1 s"),
    "other file": (
        "p = {'line': 1, 'column': 1}; print(json.dumps([{'check_name': 'x', 'description': 'x',"
        "'severity': 'x', 'location': {'path': 'other.py', 'positions': {'begin': p, 'end': p}}}]))", "",
    ),
}  # fmt: skip


def _review(repo: GitRepository, profile: Profile = Profile.COMMIT) -> ReviewResult:
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        request = ReviewRequest(profile=profile, config_from="head")
        return review_once(GitChangeSource(repository, change), HOST, request)


def _pretend(monkeypatch: pytest.MonkeyPatch, program: str, found: Callable[[str], Path | None]) -> None:
    """Replace one program by another; all other tools are the real ones."""
    monkeypatch.setattr(
        process, "find_program", lambda name: found(name) if name == program else find_program(name)
    )


@pytest.mark.parametrize("program", TOOLS)
@pytest.mark.parametrize("kind", TROUBLE)
def test_a_tool_in_trouble_makes_the_review_inconclusive(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, kind: str
) -> None:
    code, reported = TROUBLE[kind]
    fake = stand_in(tmp_path / program, program, code)
    if kind == "too slow":
        repo.write(".wardround.toml", "tool-timeout = 1.0\n")
        monkeypatch.setattr(
            process, "find_program", lambda name: fake if name == program else None
        )  # the real ones may need longer than a second
    else:
        _pretend(monkeypatch, program, lambda name: fake)
    repo.write("app.py", "x = 1  # hashlib\n")
    repo.git("add", "-A")

    done = _review(repo, PROFILES[program])

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    reasons = [u.reason for u in done.unreviewed if u.tool == program]
    assert len(reasons) == 1
    assert reported in reasons[0]


@pytest.mark.parametrize("bad", [("a",), ("a", "i"), ("d", "e"), ("a", "c", "h")])
def test_the_files_a_tool_stumbles_over_are_unreviewed_and_no_others(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: tuple[str, ...]
) -> None:
    real = find_program("ruff")
    fake = stand_in(
        tmp_path / "ruff",
        "ruff",
        "for file in (one for one in sys.argv if one.endswith('.py')):\n"
        "    if 'stumble' in open(file).read():\n"
        "        print(f'no idea of {file}', file=sys.stderr)\n"
        "        sys.exit(2)\n"
        f"os.execv({str(real)!r}, sys.argv)\n",
    )
    _pretend(monkeypatch, "ruff", lambda name: fake)
    for name in "abcdefghi":
        repo.write(f"{name}.py", "print(missing)\n" + "# stumble\n" * (name in bad))
    repo.git("add", "-A")

    done = _review(repo)

    reported = {u.file: u.reason for u in done.unreviewed if u.tool == "ruff"}
    assert set(reported) == {f"{name}.py" for name in bad}
    assert all(reason.endswith(f"no idea of {file}") for file, reason in reported.items())
    seen = {f.file for f in done.visible if "ruff/F821" in f.sources}
    assert seen == {f"{name}.py" for name in "abcdefghi" if name not in bad}


@pytest.mark.parametrize("program", TOOLS)
def test_a_missing_tool_makes_the_review_inconclusive_and_reports_how_to_get_it(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    _pretend(monkeypatch, program, lambda name: None)
    repo.write("app.py", "x = 1  # hashlib\n")
    repo.git("add", "-A")

    done = _review(repo, PROFILES[program])

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (missing,) = [u for u in done.unreviewed if u.tool == program]
    assert missing.reason.startswith(f"{program} is not installed; pip install ")


def test_inconclusive_passes_at_commit_and_blocks_in_ci(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, "ruff", lambda name: None)
    repo.write("app.py", "x = 1  # hashlib\n")
    repo.git("add", "-A")

    assert _review(repo, Profile.COMMIT).exit_status == 0
    assert _review(repo, Profile.CI).exit_status == 4


def test_a_tool_in_trouble_does_not_hide_what_the_others_found(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, "ty", lambda name: None)
    repo.write("app.py", "print(missing)\n")
    repo.git("add", "-A")

    done = _review(repo)

    assert done.gate.outcome is GateOutcome.BLOCKED
    assert [f.rule for f in done.visible] == ["ruff/F821"]


def test_tools_get_none_of_the_callers_environment(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    fake = stand_in(
        tmp_path / "ruff", "ruff", f"open({str(seen)!r}, 'w').write(repr(dict(os.environ)))\nprint('[]')"
    )
    _pretend(monkeypatch, "ruff", lambda name: fake)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "canary-1")
    monkeypatch.setenv("GITHUB_TOKEN", "canary-2")
    repo.write("app.py", "x = 1  # hashlib\n")
    repo.git("add", "-A")

    _review(repo)

    environment = seen.read_text()
    assert "canary" not in environment
    assert str(Path.home()) not in environment.replace(str(tmp_path), "")


def test_a_check_that_crashes_makes_the_file_unreviewed(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wardround_python.checks.errors.swallowed_exception import SwallowedException

    def crash(self: object, node: object) -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(SwallowedException, "visit_Try", crash)
    repo.write("app.py", "try:\n    f = 1\nexcept Exception:\n    pass\n")
    repo.git("add", "-A")

    done = _review(repo)

    (unreviewed,) = done.unreviewed
    assert unreviewed.reason == "check PY003 crashed: KeyError: 'surprise'"


def test_a_slow_tool_is_named_while_it_is_waited_for(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = stand_in(tmp_path / "ruff", "ruff", "import time\ntime.sleep(2)\nprint('[]')")
    _pretend(monkeypatch, "ruff", lambda name: fake)
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")
    reported: list[str] = []

    with Repository(repo.root) as repository:
        change = repository.staged_change()
        origin = GitChangeSource(repository, change)
        done = review_once(origin, HOST, ReviewRequest(), Resources(progress=reported.append))

    assert done.gate.outcome is GateOutcome.PASS
    assert "waiting for ruff" in reported


def test_what_a_tool_leaves_running_ends_with_it(tmp_path: Path) -> None:
    leaving = "sleep 60 >/dev/null 2>&1 & echo $!"
    printed = Processes().run(
        ["sh", "-c", leaving], cwd=tmp_path, timeout_s=60, clean=frozenset({0}), env=dict(os.environ)
    )
    left = int(printed)
    for _ in range(500):  # the system takes a moment to clear away what was killed
        if not _is_running(left):
            break
        time.sleep(0.01)
    assert not _is_running(left)


def _is_running(pid: int) -> bool:
    reported = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(reported.strip()) and not reported.startswith("Z")


def test_an_interrupted_review_ends_its_tools_before_their_folder_goes(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = tmp_path / "started"
    fake = stand_in(
        tmp_path / "ruff",
        "ruff",
        f"import time\nopen({str(started)!r}, 'w').write(str(os.getpid()))\ntime.sleep(5)",
    )
    _pretend(monkeypatch, "ruff", lambda name: fake)
    repo.write("app.py", "x = 1\n")
    repo.git("add", "-A")

    def interrupt(text: str) -> None:
        raise KeyboardInterrupt

    with Repository(repo.root) as repository:
        change = repository.staged_change()
        origin = GitChangeSource(repository, change)
        with pytest.raises(KeyboardInterrupt):
            review_once(origin, HOST, ReviewRequest(), Resources(progress=interrupt))

    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def _slow_tool(tmp_path: Path, **settings: object) -> Tool:
    """A tool that takes a second for each file, and refuses to run over more than three."""
    program = tmp_path / "slow"
    program.write_text(
        f"#!{sys.executable}\nimport sys, time\nif '--version' in sys.argv: print('1.0'); sys.exit()\n"
        "files = sys.argv[1:]\nassert len(files) <= 3\n"
        "time.sleep(len(files))\nprint('done')\n"
    )
    program.chmod(0o755)
    return variant(_Slow(), find=lambda root: program, **settings)


class _Slow(Tool):
    """Takes a second for each file."""

    name = "slow"
    program = "slow"
    success_codes = frozenset({0})
    install = "pip install slow"
    timeout_s = 2.0
    files_in_time = 1

    def command(self, run: Invocation) -> list[str]:
        return [str(run.program), *run.files]

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        return []


@pytest.mark.parametrize("scope", ToolScope)
@pytest.mark.parametrize(
    ("seconds", "expected"),
    [("", set()), ("tool-timeout = 0.5\n", {"timed out after 0.5 s"})],
    ids=["", "as set"],
)
def test_a_tool_has_time_in_proportion_to_its_files_which_are_split_over_runs(
    repo: GitRepository, tmp_path: Path, scope: ToolScope, seconds: str, expected: set[str]
) -> None:
    tool = _slow_tool(tmp_path, scope=scope, files_per_run=3)
    acme = specialist(name="acme", patterns=("*.acme",), tools=(tool,))
    repo.write(".wardround.toml", seconds)
    for number in range(4):
        repo.write(f"{number}.acme", "x\n")
    repo.git("add", "-A")
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        done = review_once(
            GitChangeSource(repository, change), host.PluginHost([acme]), ReviewRequest(config_from="head")
        )
    assert {missed.reason for missed in done.unreviewed} == expected


def test_the_time_for_a_run_follows_the_number_of_files_and_their_size() -> None:
    ty = next(tool for tool in PYTHON_SPECIALIST.tools if tool.name == "ty")
    assert timeout_for(ty, [100] * 20) == ty.timeout_s
    assert timeout_for(ty, [100] * 5000) == 50 * ty.timeout_s
    assert timeout_for(ty, [3_000_000]) == 3 * ty.timeout_s
    assert [len(chunk) for chunk in batch_paths([f"{n}.py" for n in range(2500)], ty)] == [1000, 1000, 500]


@pytest.mark.parametrize("name", ["ruff.toml", "pyproject.toml", "ty.toml", "mypy.ini", ".flake8"])
def test_a_configuration_that_is_not_utf8_ends_in_a_sentence_and_not_in_a_crash(
    repo: GitRepository, name: str
) -> None:
    (repo.root / name).write_bytes(b"# caf\xe9\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "Configuration")
    repo.write("app.py", "x = 1\n")
    repo.stage()
    done = repo.run(SCRIPTS / "wardround", "review", "--no-models")
    assert done.returncode in (0, 2), done.stderr
    assert "internal error" not in done.stderr
