"""Settings of tools that load code or name files: nothing of the change runs, and nothing outside is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.verdicts.scene import TESTED, Judged, Side, judge, require_silent
from wardround import host

SECRET = "CANARY-8d1f4c77"
_CASES = Path(__file__).parent / "cases"
CODE: dict[str, dict[str, Any]] = yaml.safe_load((_CASES / "code.yml").read_text())
OUTSIDE: dict[str, dict[str, Any]] = yaml.safe_load((_CASES / "outside.yml").read_text())


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _filled(item, names) for key, item in value.items()}
    return value.format_map(names)


class _Run:
    """One review of a change with many canaries, and the canaries that were touched."""

    def __init__(self, place: Path, attacks: Mapping[str, Mapping[str, Any]], profile: str) -> None:
        self._files = {name: place / f"outside/{name}/secret" for name in attacks}
        marked = place / "marked"
        marked.mkdir(parents=True)
        for file in self._files.values():
            file.parent.mkdir(parents=True)
            file.write_text(f'"{SECRET}" = [\n', encoding="utf-8")
            os.utime(file, (1, file.stat().st_mtime))
        tree: dict[str, Any] = {}
        for name, files in attacks.items():
            names = {"outside": str(self._files[name]), "folder": str(self._files[name].parent)}
            own = _filled(files, {**names, "marker": str(marked / name)})
            tree |= {path: content for path, content in own.items() if path not in tree}
        self.judged: Judged = judge(place / "attack", Side({**TESTED, **tree}, profile=profile), host.load())
        self.executed = sorted(path.name for path in marked.iterdir())
        self.read = sorted(name for name, file in self._files.items() if file.stat().st_atime != 1)


@pytest.fixture(scope="module")
def runs() -> dict[str, _Run]:
    """Runs by kind and profile; each test that needs one adds it."""
    return {}


def _run(runs: dict[str, _Run], place: Path, attacks: Mapping[str, Any], kind: str, profile: str) -> _Run:
    key = f"{kind} {profile}"
    if key not in runs:
        runs[key] = _Run(place / "run", attacks, profile)
    return runs[key]


def _cases(attacks: Mapping[str, Any]) -> list[Any]:
    pairs = [(name, profile) for profile in ("commit", "ci") for name in attacks]
    return [pytest.param(*pair, id="-".join(pair)) for pair in pairs]


@pytest.mark.parametrize(("name", "profile"), _cases(CODE))
def test_nothing_of_the_change_runs(runs: dict[str, _Run], tmp_path: Path, name: str, profile: str) -> None:
    done = _run(runs, tmp_path, CODE, "code", profile)

    assert name not in done.executed
    assert done.judged.name != "auto-approve"
    require_silent(done.judged)


@pytest.mark.parametrize(("name", "profile"), _cases(OUTSIDE))
def test_nothing_outside_is_read(runs: dict[str, _Run], tmp_path: Path, name: str, profile: str) -> None:
    done = _run(runs, tmp_path, OUTSIDE, "outside", profile)

    assert name not in done.read
    assert done.judged.name != "auto-approve"
    assert not any(SECRET in printed for printed in done.judged.printed)
    require_silent(done.judged)


def test_the_canaries_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(SECRET, encoding="utf-8")
    os.utime(file, (1, file.stat().st_mtime))

    assert file.read_text(encoding="utf-8") == SECRET

    assert file.stat().st_atime != 1
