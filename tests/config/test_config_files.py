"""Two versions of a configuration file differ if they configure wardround or its tools differently."""

from __future__ import annotations

import pytest
from wardround_python.tools import RUFF

from tests.context.factory import PYTHON
from wardround.config.config_files import config_file_names, settings_differ, tools_for


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        ("pyproject.toml", b"[project]\n", b"[project]\nname = 'a'\n", False),
        ("pyproject.toml", b"[tool.ruff]\n", b"[tool.ruff]\nfix = true\n", True),
        ("pyproject.toml", None, b"[tool.wardround]\nskip = ['sql']\n", True),
        ("pyproject.toml", b"[tool.black]\n", b"", False),
        ("pkg/pyproject.toml", b"[tool.ruff", b"[tool.ruf", True),
        ("package.json", b'{"name": "a"}', b'{"name": "b"}', False),
        ("package.json", b"{}", b'{"ruffConfig": {}}', True),
        ("package.json", b"{}", b"[]", True),
        (".wardround.toml", b"# a\n", b"# b\n", True),
        ("ruff.toml", b"a", b"a", False),
    ],
)
def test_only_settings_count(path: str, before: bytes | None, after: bytes | None, *, expected: bool) -> None:
    assert settings_differ(path, before, after, {"ruff"}) is expected


def test_the_files_of_tools_are_watched_from_any_folder() -> None:
    assert {".wardround.toml", "pyproject.toml", "package.json"} <= config_file_names(())
    assert "ruff.toml" in config_file_names([RUFF])
    assert tools_for([PYTHON]) == []
