"""Of a process started without ``check=`` only one whose status nobody looks at is reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from wardround_python.tools.ruff import RUFF

from wardround.tools.process import Processes, find_program, minimal_env
from wardround.tools.tool import Invocation

START = 'import subprocess\n\n\ndef build():\n    done = subprocess.run(["make"], capture_output=True)\n'


def _codes(text: str, folder: Path) -> list[str]:
    """What ruff says about one file, with its rule for statuses alone switched on."""
    root = folder / "root"
    root.mkdir()
    (root / "build.py").write_text(text, encoding="utf-8")
    (folder / "ruff.toml").write_text('[lint]\nselect = ["PLW1510"]\n', encoding="utf-8")  # no project's
    program = find_program("ruff")
    assert program is not None
    run = Invocation(program, root, ("build.py",), None, folder)
    output = Processes().run(
        RUFF.command(run),
        cwd=root,
        timeout_s=60,
        clean=RUFF.success_codes,
        env=minimal_env(program, folder, RUFF.variables),
    )
    return [result.code for result in RUFF.parse(output, run)]


@pytest.mark.parametrize(
    "rest",
    [
        "    if done.returncode != 0:\n        raise RuntimeError(done.stderr)\n",
        "    done.check_returncode()\n",
    ],
)
def test_a_status_that_is_looked_at_is_not_forgotten(rest: str, tmp_path: Path) -> None:
    assert _codes(START + rest, tmp_path) == []


@pytest.mark.parametrize(
    "rest",
    [
        "    print(done.stdout)\n",
        "\n\ndef status(done):\n    return done.returncode\n",
    ],
)
def test_a_status_that_nobody_reads_is_reported(rest: str, tmp_path: Path) -> None:
    assert _codes(START + rest, tmp_path) == ["PLW1510"]


def test_the_status_taken_at_once_counts(tmp_path: Path) -> None:
    text = 'import subprocess\n\nFOUND = subprocess.run(["which", "make"]).returncode == 0\n'
    assert _codes(text, tmp_path) == []
