"""A program that only resembles a tool does not count as a tool without results.

Each attack puts a stub at a path where a tool is searched. Not covered: a program written for wardround can
report the known defect and nothing else. Such a program is indistinguishable from a tool; its digest is in
the report.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wardround_python.tools.ruff import RUFF
from wardround_typescript import node_modules
from wardround_typescript.tools.eslint import ESLINT
from wardround_typescript.tools.tsc import TSC

from tests.conftest import GitRepository
from tests.stand_ins import stand_in
from tests.variants import variant
from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.config_files import tools_for
from wardround.config.request import ReviewRequest
from wardround.errors import ToolFailed
from wardround.host import PluginHost
from wardround.policy.gate import GateOutcome
from wardround.reports.json import as_dict
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.storage.paths import cache_dir
from wardround.tools import identity as identities
from wardround.tools.identity import identity
from wardround.tools.process import Processes, find_program
from wardround.tools.proof import Proofs
from wardround.tools.tool import Profile, Tool

BAD = {"app.py": "print(missing)\n"}
VERSION = 'case "$*" in *--version*) echo "ruff 0.17.6"; exit 0;; esac\n'
REPLAYED = (
    '[{"filename": "probe.py", "code": "F821", "message": "Undefined name `undefined`", "location":'
    ' {"row": 42, "column": 7}, "end_location": {"row": 42, "column": 16}}]'
)
Prove = Callable[[Tool, Path], None]


def _stub(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def _review(repo: GitRepository, program: Path) -> ReviewResult:
    """Review the staged change with one tool, whose program is elsewhere."""
    (python,) = host.load(only=["python"]).specialists
    alone = PluginHost([variant(python, tools=(variant(RUFF, find=lambda root: program),), checks=())])
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        origin = GitChangeSource(repository, change)
        return review_once(origin, alone, ReviewRequest(profile=Profile.CI, config_from="head"))


@pytest.fixture
def prove(tmp_path: Path) -> Prove:
    """Let a program prove that it works as a tool."""
    return Proofs(Processes(), lambda: tmp_path / "probes").require


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        pytest.param("echo '[]'", "it did not report F821", id="prints-an-empty-list"),
        pytest.param(f"{VERSION}echo '[]'", "it did not report F821", id="has-the-right-version"),
        pytest.param("exit 0", "its output could not be read", id="prints-nothing"),
        pytest.param(f"{VERSION}exit 0", "its output could not be read", id="answers-version-only"),
        pytest.param(VERSION + "exit 1", "its output could not be read", id="fails-as-with-findings"),
        pytest.param(f"{VERSION}exit 3", "exited with status 3", id="fails"),
        pytest.param(
            f"{VERSION}echo '{REPLAYED.replace('F821', 'F401')}'", "it did not report F821", id="another-rule"
        ),
    ],
)
def test_a_stub_is_not_a_tool(repo: GitRepository, tmp_path: Path, script: str, reason: str) -> None:
    repo.stage(BAD)
    done = _review(repo, _stub(tmp_path / "stubs", "ruff", script))
    (unreviewed,) = done.unreviewed
    assert (done.gate.outcome, unreviewed.file) == (GateOutcome.INCONCLUSIVE, "app.py")
    assert unreviewed.reason.startswith(f"ruff failed its self-test: {reason}")
    assert "reinstall it: pip install" in unreviewed.reason


def test_a_recorded_answer_does_not_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prove: Prove) -> None:
    stub = _stub(tmp_path, "ruff", f"{VERSION}echo '{REPLAYED}'")
    monkeypatch.setattr(os, "urandom", lambda count: b"\7" * count)
    with pytest.raises(ToolFailed, match="did not report F821"):
        prove(RUFF, stub)


def test_a_program_made_to_deceive_is_named_by_its_digest(repo: GitRepository, tmp_path: Path) -> None:
    repo.stage(BAD)
    liar = stand_in(tmp_path / "ruff", "ruff", "print('[]')")
    done = _review(repo, liar)
    assert (done.gate.outcome, done.findings) == (GateOutcome.PASS, ())  # the limit of any self-test
    (run,) = [run for run in as_dict(done)["runs"] if run["tool"] == "ruff"]
    assert run["digest"] == f"sha256:{hashlib.sha256(liar.read_bytes()).hexdigest()}"
    assert run["version"] == "1.0.0"  # what it says, whatever is installed beside it


def test_what_a_stub_reported_is_not_kept(repo: GitRepository, tmp_path: Path) -> None:
    repo.stage(BAD)
    program = _stub(tmp_path, "ruff", f"{VERSION}echo '[]'")
    assert _review(repo, program).gate.outcome is GateOutcome.INCONCLUSIVE
    program.unlink()
    program.symlink_to(str(find_program("ruff")))
    assert [f.rule for f in _review(repo, program).visible] == ["ruff/F821"]


def test_a_proof_does_not_hold_for_another_program(repo: GitRepository, tmp_path: Path) -> None:
    repo.stage(BAD)
    program = tmp_path / "ruff"
    program.symlink_to(str(find_program("ruff")))
    assert [f.rule for f in _review(repo, program).visible] == ["ruff/F821"]
    program.unlink()
    _stub(tmp_path, "ruff", f"{VERSION}echo '[]'")
    identities._identity.cache_clear()  # as in another process
    repo.stage({"app.py": "print(other)\n"})
    assert _review(repo, program).gate.outcome is GateOutcome.INCONCLUSIVE


def test_a_stub_with_the_size_and_the_time_of_the_tool_is_another_program(tmp_path: Path) -> None:
    program = _stub(tmp_path, "tool", "echo 1.0.0")
    before, state = identity(variant(RUFF, name="before"), program), program.stat()
    program.write_text(program.read_text().replace("1.0.0", "1.0.1"))
    os.utime(program, ns=(state.st_atime_ns, state.st_mtime_ns))
    identities._identity.cache_clear()
    after = identity(variant(RUFF, name="after"), program)
    assert (before.version, after.version, before.digest != after.digest) == ("1.0.0", "1.0.1", True)


def test_a_stub_under_version_control_is_never_started(repo: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    repo.stage(BAD)
    stub = _stub(repo.root / "bin", "ruff", f"touch {trace}; echo '[]'")
    repo.stage()
    done = _review(repo, stub)
    assert not trace.exists()
    assert [f.rule for f in done.visible] == ["ruff/F821"]  # the one of our own environment ran
    for folder in ("bin", ".venv/bin", "node_modules/.bin"):
        _stub(repo.root / folder, "actionlint", f"touch {trace}")
    repo.stage({".github/workflows/a.yml": "on: push\n", "Dockerfile": "FROM scratch\n"})
    path = os.pathsep.join(str(repo.root / f) for f in ("bin", ".venv/bin", "node_modules/.bin"))
    repo.wardround("review", env={"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"})
    repo.wardround("doctor", env={"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"})
    assert not trace.exists()


def test_doctor_starts_no_program_under_version_control(repo: GitRepository, tmp_path: Path) -> None:
    trace = tmp_path / "started"
    repo.write("node_modules/@biomejs/biome/package.json", "{}")
    folder = repo.root / f"node_modules/@biomejs/cli-{node_modules.platform_name()}"
    _stub(folder, "biome", f"touch {trace}")
    repo.stage({"biome.json": "{}", "a.js": "debugger;\n"})
    done = repo.wardround("doctor")
    assert "biome      not started, because it is under version control" in done.stdout
    assert not trace.exists()


def test_doctor_names_a_tool_that_does_not_work(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from wardround.cli import doctor

    repo.stage(BAD)
    stub = _stub(tmp_path / "stubs", "ruff", f"{VERSION}echo '[]'")
    (python,) = host.load(only=["python"]).specialists
    broken = variant(python, tools=(variant(RUFF, find=lambda root: stub),))
    monkeypatch.setattr(host, "load", lambda: PluginHost([broken]))
    assert doctor.command.callback(repo=repo.root) == 4  # type: ignore[misc]
    (line,) = [line for line in capfd.readouterr().out.splitlines() if str(stub) in line]
    assert "broken" in line
    assert "ruff failed its self-test: it did not report F821" in line


@pytest.mark.parametrize(
    ("tool", "place", "config"),
    [
        pytest.param(ESLINT, "eslint/bin/eslint.js", ".eslintrc.json", id="eslint"),
        pytest.param(
            TSC, f"@typescript/typescript-{node_modules.platform_name()}/lib/tsc", "tsconfig.json", id="tsc"
        ),
    ],
)
def test_a_stub_in_node_modules_is_not_a_tool(
    repo: GitRepository, prove: Prove, tool: Tool, place: str, config: str
) -> None:
    repo.write("node_modules/eslint/package.json", "{}")
    repo.write("node_modules/typescript/package.json", "{}")
    answer = '[{"filePath": "$PWD/probe.js", "messages": []}]' if tool is ESLINT else "/lib/lib.d.ts"
    file = repo.root / "node_modules" / place
    _stub(file.parent, file.name, f"cat <<END\n{answer}\nEND")
    repo.write(config, "{}")
    with pytest.raises(ToolFailed, match="failed its self-test: it did not report"):
        prove(tool, file)


def test_every_tool_has_a_self_test() -> None:
    tools = tools_for(host.load().specialists)
    assert [tool.name for tool in tools if tool.probe is None] == []
    assert len({tool.name for tool in tools}) > 15


@pytest.mark.parametrize("name", sorted({tool.name for tool in tools_for(host.load().specialists)}))
def test_tools_that_are_installed_pass(name: str, prove: Prove) -> None:
    tools = [tool for tool in dict.fromkeys(tools_for(host.load().specialists)) if tool.name == name]
    found = [(tool, program) for tool in tools if (program := tool.find(Path("/nowhere")))]
    if not found:
        pytest.skip(f"{name} is not installed here")
    for tool, program in found:
        prove(tool, program)


def test_what_is_proven_is_not_proven_again(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.stage(BAD)
    counter = tmp_path / "started"
    program = _stub(tmp_path / "stubs", "ruff", f'echo "$PWD" >> {counter}\nexec {find_program("ruff")} "$@"')
    _review(repo, program)
    assert [splitline.count("/probe-") for splitline in counter.read_text().splitlines()].count(1) == 1
    counter.unlink()
    identities._identity.cache_clear()
    repo.stage({"app.py": "print(other)\n"})
    _review(repo, program)
    (only,) = counter.read_text().splitlines()  # the review itself: no self-test, no --version
    assert "/probe-" not in only
    assert sorted(os.listdir(cache_dir() / "proofs"))
    started = time.perf_counter()
    identity(RUFF, program)
    assert time.perf_counter() - started < 0.1


def test_reports_name_the_digest(repo: GitRepository) -> None:
    repo.stage(BAD)
    real = find_program("ruff")
    assert real is not None
    expected = f"sha256:{hashlib.sha256(real.read_bytes()).hexdigest()}"
    runs = {run["tool"]: run for run in repo.report("--only", "python")["runs"]}
    assert runs["ruff"]["digest"] == expected
    assert "digest" not in runs["python"]  # checks of our own are no program
    sarif = json.loads(repo.wardround("review", "--only", "python", "--format", "sarif").stdout)
    tools = {tool["name"]: tool for tool in sarif["runs"][0]["properties"]["tools"]}
    assert tools["ruff"] == {"name": "ruff", "version": runs["ruff"]["version"], "digest": expected}
