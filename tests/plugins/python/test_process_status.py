"""A process started without ``check=`` is reported only if its exit status is not tested."""

from __future__ import annotations

from pathlib import Path

import pytest
from wardround_python.tools.ruff import RUFF

from wardround.tools.process import Processes, find_program, minimal_env
from wardround.tools.tool import Invocation

START = 'import subprocess\n\n\ndef build():\n    done = subprocess.run(["make"], capture_output=True)\n'


def _codes(text: str, folder: Path) -> list[str]:
    """Return the codes of ruff for one file, with only its rule for exit statuses enabled."""
    root = folder / "root"
    root.mkdir()
    (root / "build.py").write_text(text, encoding="utf-8")
    (folder / "ruff.toml").write_text(
        '[lint]\nselect = ["PLW1510"]\n', encoding="utf-8"
    )  # the project has none
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
def test_a_tested_status_is_not_reported(rest: str, tmp_path: Path) -> None:
    assert _codes(START + rest, tmp_path) == []


@pytest.mark.parametrize(
    "rest",
    [
        "    print(done.stdout)\n",
        "\n\ndef status(done):\n    return done.returncode\n",
    ],
)
def test_an_untested_status_is_reported(rest: str, tmp_path: Path) -> None:
    assert _codes(START + rest, tmp_path) == ["PLW1510"]


def test_a_status_read_directly_counts_as_tested(tmp_path: Path) -> None:
    text = 'import subprocess\n\nFOUND = subprocess.run(["which", "make"]).returncode == 0\n'
    assert _codes(text, tmp_path) == []
