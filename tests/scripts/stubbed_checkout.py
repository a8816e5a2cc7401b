"""A checkout with the scripts, and a folder of commands that stand in for those of a machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
_PLAIN = ("bash", "awk", "dirname", "env", "mkdir", "cat", "chmod", "touch")
"""Commands that are the machine's own."""

_PYTHON = """
case "$*" in
  *sys.version_info*) echo 3.12 ;;
  *"-m venv"*) mkdir -p "$3/bin"; touch "$3/pyvenv.cfg"; cp "$0" "$3/bin/python" ;;
  *"pip install"*)
    uv=$(dirname "$0")/uv
    printf '#!/bin/sh\\necho "uv $*" >>"$LOG"\\n%s\\n' "$UV" >"$uv"
    chmod +x "$uv" ;;
  *importlib.metadata*) echo 2.13.0 ;;
esac
echo "python $*" >>"$LOG"
"""
_GOOD = {
    "python3": _PYTHON,
    "uname": 'case "$1" in -m) echo aarch64 ;; *) echo Linux ;; esac',
    "df": "echo Filesystem; echo /dev/x 900000000 1 100000000 1% /",
    "nvidia-smi": 'echo "580.95.05, NVIDIA GB10"',
}


@dataclass(frozen=True)
class StubbedCheckout:
    """Scripts in a folder whose name has a space."""

    root: Path
    commands: Path

    @property
    def log(self) -> list[str]:
        """The commands of the environment that were run."""
        file = self.root / "log"
        return file.read_text().splitlines() if file.exists() else []

    def run(self, script: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a script with the stand-ins only on PATH."""
        defaults = {"PATH": str(self.commands), "LOG": str(self.root / "log"), "UV": "", "LC_ALL": "C"}
        return subprocess.run(
            [str(self.root / "scripts" / script), *arguments],
            env=defaults | environ,
            cwd="/",
            capture_output=True,
            text=True,
        )

    def write(self, name: str, body: str) -> None:
        """Write a stand-in: the body of a shell script."""
        write_command(self.commands / name, body)


def write_command(file: Path, body: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


def make_checkout(folder: Path, changes: Mapping[str, str | None] = {}) -> StubbedCheckout:
    """Make a checkout for a machine on which everything works, but for changed or missing commands."""
    checkout = StubbedCheckout(folder / "my checkout", folder / "commands")
    shutil.copytree(ROOT / "scripts", checkout.root / "scripts")
    checkout.commands.mkdir()
    for name in (*_PLAIN, "cp", "sh"):
        os.symlink(shutil.which(name) or name, checkout.commands / name)
    for name, body in (_GOOD | dict(changes)).items():
        if body is not None:
            checkout.write(name, body)
    return checkout
