"""A JavaScript project whose files, and whose package, try to leave the sandbox while they are installed."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.security.sandbox.host import WORKING
from tests.workflows.environments.conftest import archive_of, program, repository_with
from wardround.change.repository import INDEX
from wardround.sandbox.model import Limits
from wardround.workflows.environments.built import build_environment
from wardround.workflows.environments.store import store_folder
from wardround.workflows.test.project.projects import DetectedProject

ATTACK = """
const fs = require('fs'), {{execSync}} = require('child_process')
const attempts = [
    () => fs.writeFileSync({outside} + '/file', ''),
    () => fs.writeFileSync('vitest.config.js', 'process.exit(0)'),
    () => fs.writeFileSync('conftest.py', ''),
    () => fs.mkdirSync('dist'),
    () => fs.writeFileSync('dist/main.js', ''),
    () => fs.writeFileSync('dist/main.test.js', ''),
    () => fs.chmodSync('dist/main.js', 0o6755),
    () => fs.writeFileSync('dist/token', process.env.API_TOKEN || 'none'),
    () => execSync('cp -r ' + {secrets} + ' dist/secrets', {{stdio: 'ignore'}}),
]
for (const attempt of attempts) try {{ attempt() }} catch {{}}
"""
SETTINGS = "prefix={0}\ngit={0}/git\nglobalconfig={0}/config\nlogs-dir={0}\n"


@pytest.mark.parametrize("isolation", WORKING)
def test_scripts_and_settings_of_a_javascript_project_stay_in_the_sandbox(
    isolation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, home = tmp_path / "outside", tmp_path / "home"
    for folder in (outside, home):
        folder.mkdir()
    (home / "secret").write_text("secret")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    script = ATTACK.format(outside=json.dumps(str(outside)), secrets=json.dumps(str(home)))
    leaf = {"name": "leaf", "version": "1.0.0", "scripts": {"install": "node attack.js"}}
    package = {"package.json": json.dumps(leaf), "attack.js": script, ".npmrc": SETTINGS.format(outside)}
    manifest = {
        "name": "root", "version": "1.0.0", "main": "dist/main.js",
        "dependencies": {"leaf": "file:leaf.tgz"}, "scripts": {"prepare": "node attack.js"},
    }  # fmt: skip
    locked = {"version": "1.0.0", "resolved": "file:leaf.tgz", "hasInstallScript": True}
    lock = {
        "name": "root", "version": "1.0.0", "lockfileVersion": 3,
        "packages": {"": manifest, "node_modules/leaf": locked},
    }  # fmt: skip
    files: dict[str, str | bytes] = {
        "package.json": json.dumps(manifest),
        "package-lock.json": json.dumps(lock),
        "leaf.tgz": archive_of("package", package),
        "attack.js": script,
        ".npmrc": SETTINGS.format(outside),
    }
    environ = {
        "PATH": os.pathsep.join((program("npm"), program("node"), os.environ["PATH"])),
        "HOME": str(home),
        "API_TOKEN": "secret",
    }
    with repository_with(tmp_path / "repo", files) as repository:
        found = build_environment(
            DetectedProject("", "javascript"), repository, INDEX, limits=Limits(wall_s=60), environ=environ,
            isolation=isolation,
        )  # fmt: skip

    assert list(outside.iterdir()) == []
    assert found.failed == ()
    assert [path for path, _ in found.environment.copies] == ["dist"]
    dist = Path(found.environment.copies[0][1])
    assert sorted(os.listdir(dist)) == ["main.js", "token"]
    assert (dist / "token").read_text() == "none"
    retained = [Path(top, name) for top, _, names in os.walk(store_folder()) for name in names]
    assert not [path for path in retained if path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)]
