"""Attacks on tools that start in a copy of the repository: modules that Python would import from there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from wardround.tools.process import Processes, minimal_env

MODULES = ["json.py", "encodings/__init__.py", "sitecustomize.py", "usercustomize.py", "site.py", "re.py"]
STARTS = {
    "code": ("-c", "import json, re; print(json.dumps(re.escape('a')))"),
    "module": ("-m", "json.tool", "--help"),
    "script": ("script.py",),
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("module", MODULES)
def test_a_tool_imports_no_module_of_the_repository(tmp_path: Path, module: str, start: str) -> None:
    tree, home, canary = tmp_path / "tree", tmp_path / "home", tmp_path / "canary"
    home.mkdir()
    (tree / module).parent.mkdir(parents=True)
    (tree / module).write_text(f"open({str(canary)!r}, 'w').close()\n")
    (tree / "script.py").write_text("import json, re\n")
    env = minimal_env(Path(sys.executable), home, {})
    argv = [sys.executable, *STARTS[start]]
    Processes().run(argv, cwd=tree, timeout_s=60, clean=frozenset({0}), env=env)
    assert not canary.exists()
