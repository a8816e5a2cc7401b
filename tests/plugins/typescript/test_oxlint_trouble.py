"""An oxlint that failed never counts as a clean result."""

from __future__ import annotations

from pathlib import Path

import pytest
from wardround_typescript import node_modules
from wardround_typescript.tools import oxlint
from wardround_typescript.tools.oxlint import OXLINT

from tests.conftest import GitRepository
from tests.plugins.typescript.conftest import Reviewed
from tests.stand_ins import stand_in
from tests.variants import variant
from wardround.policy.gate import GateOutcome

_NO_FILES = "{'diagnostics': [], 'number_of_files': 0}"
_TSCONFIG = (
    "{'number_of_files': 1, 'diagnostics': [{'message': 'Invalid tsconfig', 'code':"
    " 'typescript(tsconfig-error)', 'severity': 'error', 'filename': 'tsconfig.json', 'labels': []}]}"
)
_OTHER = _TSCONFIG.replace("typescript(tsconfig-error)", "eslint(no-debugger)").replace("tsconfig", "other")
TROUBLE = {
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
    "rubbish": ("print('all good here')", "its output could not be read"),
    "nothing": ("pass", "its output could not be read"),
    "half": ("print('{\"diagnostics\": [')", "its output could not be read"),
    "configuration": ("print('Failed to parse oxlint config'); sys.exit(1)", "its output could not be read"),
    "bad status": ("print('no such option', file=sys.stderr); sys.exit(2)", "exited with status 2"),
    "no files": (f"print(json.dumps({_NO_FILES}))", "oxlint linted 0 of 1 files"),
    "project": (
        f"print(json.dumps({_TSCONFIG}))",
        "could not read the project: Invalid tsconfig",
    ),
    "other file": (f"print(json.dumps({_OTHER}))", "which is not one of its files"),
}


@pytest.mark.parametrize("kind", TROUBLE)
def test_failing_oxlint_makes_the_review_inconclusive(
    reviewed: Reviewed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    code, reported = TROUBLE[kind]
    fake = stand_in(tmp_path / "fake" / "oxlint", "oxlint", code)
    monkeypatch.setattr(oxlint, "find_program", lambda name: fake)

    done = reviewed({"a.ts": "export const a = 1\n"}, OXLINT)

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (unreviewed,) = done.unreviewed
    assert reported in unreviewed.reason


def test_missing_oxlint_makes_the_review_inconclusive_with_an_install_hint(
    reviewed: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oxlint, "find_program", lambda name: None)

    done = reviewed({"a.ts": "export const a = 1\n"}, OXLINT)

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    (missing,) = done.unreviewed
    assert missing.reason == "oxlint is not installed; pip install 'wardround[web]'"


@pytest.mark.parametrize("config", ["{bad", '{"plugins": ["nosuch"]}', '{"rules": 1}'])
def test_rejected_configuration_makes_the_review_inconclusive(reviewed: Reviewed, config: str) -> None:
    done = reviewed({".oxlintrc.json": config, "a.ts": "debugger\n"}, OXLINT)

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    assert done.findings == ()


def test_installed_oxlint_runs_unless_it_is_under_version_control(
    reviewed: Reviewed, repo: GitRepository, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    folder = repo.root / "node_modules"
    native = folder / "@oxlint" / f"{node_modules.platform_name()}-gnu" / "oxlint"
    stand_in(
        native,
        "oxlint",
        f"open({str(started)!r}, 'w').close(); print({_NO_FILES!r}.replace(chr(39), chr(34)))",
    )
    repo.write("node_modules/oxlint/package.json", "{}")

    done = reviewed({".gitignore": "", "a.ts": "export const a = 1\n"}, OXLINT)
    assert not started.exists()
    assert done.unreviewed == ()  # the one that is shipped has run instead
    assert "oxlint" in {run.tool for run in done.runs}

    repo.git("rm", "-r", "-q", "--cached", "node_modules")
    done = reviewed({".gitignore": "node_modules\n"}, OXLINT)
    assert started.exists()
    assert [u.reason for u in done.unreviewed] == ["oxlint linted 0 of 1 files"]


def test_link_to_a_program_under_version_control_is_not_followed(
    reviewed: Reviewed, repo: GitRepository, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    native = f"@oxlint/{node_modules.platform_name()}-gnu/oxlint"
    stand_in(repo.root / "tools" / native, "oxlint", f"open({str(started)!r}, 'w').close()")
    repo.write("tools/oxlint/package.json", "{}")
    (repo.root / "node_modules").symlink_to("tools")

    reviewed({".gitignore": "", "a.ts": "export const a = 1\n"}, OXLINT)

    assert not started.exists()


def test_configuration_under_review_does_not_replace_the_trusted_one(
    reviewed: Reviewed, repo: GitRepository
) -> None:
    """Another tool reviews the configuration file itself, in its version under review."""
    other = variant(
        OXLINT,
        accepts=lambda path, text: path.endswith(".cjs"),
        config_names=(),
        config_overlay=lambda folder, configs: {},
    )
    repo.commit(
        {
            "base.cjs": '{"rules": {"no-debugger": "error"}}',
            ".oxlintrc.json": '{"extends": ["./base.cjs"]}',
        }
    )
    files = {"base.cjs": '({"rules": {"no-debugger": "off"}})', "a.ts": "debugger\n"}

    done = reviewed(files, other, OXLINT, config="base")

    assert ("a.ts", "oxlint/no-debugger") in {(f.file, f.rule) for f in done.findings}
