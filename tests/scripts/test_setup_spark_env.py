"""The script that sets up a machine with a GPU: each failure is one sentence, and a dry run runs nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.scripts.stubbed_checkout import ROOT, make_checkout, write_command

SCRIPT = "setup_spark_env.sh"
_UNAME = 'case "$1" in -m) echo {} ;; *) echo {} ;; esac'
_WARDROUND = 'echo "wardround $*" >>"$LOG"'


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"uname": _UNAME.format("riscv64", "Linux")}, "no builds of PyTorch with CUDA for riscv64"),
        ({"uname": _UNAME.format("x86_64", "Darwin")}, "and this is Darwin"),
        ({"python3": None}, "python3 does not run; install Python 3.11 to 3.13, or name one in PYTHON"),
        ({"python3": "echo 3.9"}, "python3 is Python 3.9; name one of 3.11 to 3.13 in PYTHON"),
        (
            {"python3": 'case "$*" in *ensurepip*) exit 1 ;; esac; echo 3.12'},
            "python3 has no venv; install it (Debian and Ubuntu: python3.12-venv)",
        ),
        ({"df": "echo x; echo /dev/x 9 9 3000000 99% /"}, "3 GB of disk are free, and"),
        ({"nvidia-smi": None}, "nvidia-smi is not on PATH; install the NVIDIA driver 580 or newer"),
        ({"nvidia-smi": "echo no devices; exit 9"}, "nvidia-smi finds no GPU (no devices);"),
        ({"nvidia-smi": "echo 550.54, H200"}, "driver 550.54 is older than 580, which CUDA 13 needs"),
        ({"nvidia-smi": "echo N/A"}, "nvidia-smi reports no driver version (N/A); install the driver again"),
    ],
)  # fmt: skip
def test_what_the_machine_lacks_is_one_sentence_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, str | None], sentence: str
) -> None:
    checkout = make_checkout(tmp_path, changes)
    done = checkout.run(SCRIPT)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("setup_spark_env: ")
    assert sentence in lines[0]
    assert not (checkout.root / ".venv-spark").exists()


def test_everything_that_is_missing_is_reported_together(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path, {"nvidia-smi": None, "python3": "echo 3.9"})
    assert len(checkout.run(SCRIPT).stderr.splitlines()) == 2


def test_a_dry_run_prints_every_command_and_runs_none(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    done = checkout.run(SCRIPT, "--dry-run", TORCH_INDEX_URL="file:///wheels", VENV="my venv")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "+ python3 -m venv 'my venv'",
        "+ 'my venv/bin/python' -m pip install --quiet --disable-pip-version-check --upgrade uv",
        "+ 'my venv/bin/uv' pip install --python 'my venv/bin/python' --index-url file:///wheels"
        " 'torch>=2.11,<2.14'",
        "+ write 'my venv/constraints.txt': torch==VERSION",
        "onnxruntime-genai has no build for aarch64: local chat models and the export of kind: chat are not"
        " available",
        "+ write 'my venv/overrides.txt': 'onnxruntime; sys_platform == \"never\"'"
        " 'onnxruntime-genai; sys_platform == \"never\"'",
        "+ 'my venv/bin/uv' pip install --python 'my venv/bin/python' --constraint 'my venv/constraints.txt'"
        " --overrides 'my venv/overrides.txt' --editable '.[train,qlora,gpu,dashboard,dev]'",
        "+ 'my venv/bin/wardround' adapters environment --trial --require-gpu",
    ]
    assert not (checkout.root / "my venv").exists()
    assert all(line.startswith("python -c ") for line in checkout.log), "only the checks have run"


def test_the_environment_is_made_verified_and_made_again(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    write_command(checkout.root / ".venv-spark/bin/wardround", _WARDROUND)
    (checkout.root / ".venv-spark/pyvenv.cfg").touch()  # the last run was interrupted before uv
    for _ in range(2):
        done = checkout.run(SCRIPT)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == (
            "ready: . .venv-spark/bin/activate, then scripts/start_dashboard.sh"
        )
    assert (checkout.root / ".venv-spark/constraints.txt").read_text() == "torch==2.13.0\n"
    assert 'onnxruntime; sys_platform == "never"' in (checkout.root / ".venv-spark/overrides.txt").read_text()
    assert checkout.log.count("wardround adapters environment --trial --require-gpu") == 2
    assert sum("-m venv" in line for line in checkout.log) == 1


def test_without_a_gpu_the_packages_of_the_cpu_are_installed(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path, {"nvidia-smi": None, "uname": _UNAME.format("x86_64", "Linux")})
    write_command(checkout.root / ".venv-spark/bin/wardround", _WARDROUND)
    (checkout.root / ".venv-spark/pyvenv.cfg").touch()
    assert checkout.run(SCRIPT, "--cpu").returncode == 0
    assert "wardround adapters environment --trial" in checkout.log
    assert any(line.endswith("--editable .[train,qlora,dashboard,dev]") for line in checkout.log)
    assert (checkout.root / ".venv-spark/overrides.txt").read_text().strip() == ""


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"UV": 'case "$*" in *torch*) exit 1 ;; esac'}, "PyTorch cannot be installed; check the network"),
        ({"UV": 'case "$*" in *editable*) exit 1 ;; esac'}, "extras train,qlora,gpu,dashboard,dev cannot"),
        ({}, "the environment is installed, and a check failed; the lines above name what is missing"),
    ],
)  # fmt: skip
def test_a_failed_step_ends_with_one_sentence(tmp_path: Path, broken: dict[str, str], sentence: str) -> None:
    checkout = make_checkout(tmp_path)
    write_command(checkout.root / ".venv-spark/bin/wardround", "exit 4")
    (checkout.root / ".venv-spark/pyvenv.cfg").touch()
    done = checkout.run(SCRIPT, **broken)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    checkout = make_checkout(tmp_path)
    (checkout.root / ".venv-spark").mkdir()
    (checkout.root / ".venv-spark/notes.txt").write_text("mine")
    done = checkout.run(SCRIPT)
    assert done.returncode == 1
    assert "exists and is not an environment of Python; remove it" in done.stderr
    assert [path.name for path in (checkout.root / ".venv-spark").iterdir()] == ["notes.txt"]


def test_an_unknown_argument_shows_the_usage(tmp_path: Path) -> None:
    done = make_checkout(tmp_path).run(SCRIPT, "--gpu")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "setup_spark_env: unknown argument --gpu"
    assert "Usage: scripts/setup_spark_env.sh [--dry-run] [--cpu]" in done.stderr


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_scripts_pass_shellcheck() -> None:
    done = subprocess.run(
        ["shellcheck", *map(str, (ROOT / "scripts").glob("*.sh"))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
