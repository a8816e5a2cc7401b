"""Plugins: loaded by entry point, in an order of their own, and a broken one stops the run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.rule_cases import RULE_CASES
from wardround import __version__, host, plugin_discovery
from wardround.errors import PluginLoadError
from wardround.testing import invalid_cases


def _install(folder: Path, name: str, source: str, entry: str = "{0} = {0}") -> None:
    """Make a distribution with one plugin module, as an installer would leave it."""
    (folder / f"{name}.py").write_text(source)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[wardround]\n{entry.format(name)}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path where distributions can be installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plugin_discovery.discover.cache_clear()
    yield folder
    plugin_discovery.discover.cache_clear()
    for module in folder.glob("*.py"):
        sys.modules.pop(module.stem, None)


_GOOD = """
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

class Good(Specialist):
    name = "{name}"
    patterns = ("*.{name}",)

@hookimpl
def wardround_specialists():
    return [Good()]
"""


OUR_PLUGINS = [
    "contract", "docker-ci", "python", "secrets", "sql", "supply-chain", "tests", "text", "typescript",
]  # fmt: skip
OURS = sorted([*OUR_PLUGINS, "templates"])


def test_our_specialists_come_by_entry_point() -> None:
    loaded = host.load()
    assert [plugin.module for plugin in loaded.plugins] == [
        f"wardround_{n.replace('-', '_')}" for n in OUR_PLUGINS
    ]
    assert [s.name for s in loaded.specialists] == OURS


def test_loading_imports_neither_the_tools_nor_the_checks() -> None:
    code = (
        "import sys; from wardround import host; loaded = host.load(); loaded.specialists;"
        "print([m for m in sys.modules if m.startswith('wardround_') and ('.tools' in m or '.checks.' in m)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_review_imports_the_tools_of_the_specialists_it_needs_alone(repo: GitRepository) -> None:
    repo.stage({"app.py": "print(1)\n"})
    code = (
        "import sys; from wardround.cli.commands import invoke; invoke(['review', '--format', 'json']);"
        "print(sorted({m for m in sys.modules if m.startswith('wardround_') and m.endswith('.tools')}))"
    )
    done = repo.run(sys.executable, "-c", code)
    assert done.stdout.splitlines()[-1] == "['wardround_python.tools', 'wardround_secrets.tools']"


def test_a_finding_imports_the_check_of_its_rule_alone(repo: GitRepository) -> None:
    repo.commit({"shop/__init__.py": "", "shop/orders.py": "def total():\n    return 1\n"})
    repo.stage({"app.py": "from shop import order\n"})
    code = (
        "import sys; from wardround.cli.commands import invoke; invoke(['review']);"
        "print([m for m in sys.modules if m.startswith('wardround_python.checks.numeric.')])"
    )
    done = repo.run(sys.executable, "-c", code)
    assert "python/PY084" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_specialists_stand_in_name_order_whatever_was_installed_first(site: Path) -> None:
    for name in ("zz_last", "aa_first"):
        _install(site, name, _GOOD.format(name=name))
    assert [s.name for s in host.load().specialists] == ["aa_first", *OURS, "zz_last"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("x = 1\n", "it has no function wardround_specialists marked with hookimpl"),
        (
            "from wardround.hookspecs import hookimpl\n"
            "@hookimpl\ndef wardround_specialists():\n    return 3\n",
            "TypeError",
        ),
        (
            "from wardround.hookspecs import hookimpl\n"
            "@hookimpl\ndef wardround_specialists():\n    return ['python']\n",
            "'python' is not a wardround.specialists.Specialist",
        ),
        (
            "from wardround.hookspecs import hookimpl\n@hookimpl\ndef wardround_linters():\n    return []\n",
            "wardround_linters",
        ),
        (
            _GOOD.format(name="python"),
            f"wardround {__version__} (wardround_python) has a specialist named 'python' already",
        ),
    ],
    ids=["import", "exit", "no hook", "no list", "no specialist", "unknown hook", "same name"],
)
def test_a_broken_plugin_stops_the_run_with_its_name_and_origin(site: Path, source: str, said: str) -> None:
    _install(site, "broken_plugin", source)
    with pytest.raises(PluginLoadError) as stopped:
        host.load()
    assert said in str(stopped.value)
    assert "'broken_plugin' from broken_plugin 1.0 (broken_plugin)" in str(stopped.value)


def test_the_command_says_so_in_one_sentence_with_status_2(site: Path, repo: GitRepository) -> None:
    _install(site, "broken_plugin", "import no_such_module\n")
    done = repo.wardround("review", env={"PYTHONPATH": str(site)})
    assert done.returncode == 2
    assert done.stderr == (
        "wardround: plugin 'broken_plugin' from broken_plugin 1.0 (broken_plugin) cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'; repair or uninstall broken_plugin 1.0 "
        "(broken_plugin)\n"
    )


def test_two_plugins_of_one_name_stop_the_run_and_ours_is_not_to_blame(site: Path) -> None:
    _install(site, "second_python", _GOOD.format(name="second"), entry="python = second_python")
    with pytest.raises(PluginLoadError) as stopped:
        host.load()
    assert "plugin 'python' from second_python 1.0 (second_python)" in str(stopped.value)
    assert f"wardround {__version__} (wardround_python) has a plugin named 'python' already" in str(
        stopped.value
    )


_OBJECT = """
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

class Later(Specialist):
    name = "later"
    patterns = ("*.later",)

class Plugin:
    @hookimpl
    def wardround_specialists(self):
        return [Later()]

plugin = Plugin()
"""


def test_an_entry_point_may_name_an_object_in_a_module(site: Path) -> None:
    _install(site, "later", _OBJECT, entry="later = later:plugin")
    assert "later" in [s.name for s in host.load().specialists]


_RUDE = """
from wardround.checks.base import Check
from wardround.hookspecs import hookimpl
from wardround.specialists import Specialist

class Rude(Check):
    ID = "RUDE001"
    NAME = "rude"

    def run(self):
        print("hello from a plugin")
        {deed}

class Rudeness(Specialist):
    name = "rude"
    patterns = ("*.rude",)
    checks = (Rude,)

@hookimpl
def wardround_specialists():
    return [Rudeness()]
"""


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        ("raise SystemExit(0)", "check RUDE001 crashed: SystemExit: 0"),
        ("raise SystemExit", "check RUDE001 crashed: SystemExit: "),
        ("raise GeneratorExit", "check RUDE001 crashed: GeneratorExit: "),
        ("self.report((1, 1), 'x')", "report() takes a wardround.findings.Span, not tuple"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "4"])
def test_a_check_of_a_stranger_cannot_end_the_run_or_make_a_file_clean(
    site: Path, repo: GitRepository, deed: str, said: str, jobs: str
) -> None:
    _install(site, "rude", _RUDE.format(deed=deed))
    repo.stage({"a.rude": "text\n", "app.py": "print(missing)\n"})
    done = repo.wardround(
        "review", "--format", "json", "--jobs", jobs, "--profile", "ci", env={"PYTHONPATH": str(site)}
    )
    report = json.loads(done.stdout)
    assert done.returncode == 1
    (told,) = [u for u in report["unreviewed"] if u["file"] == "a.rude"]
    assert said in told["reason"]
    assert "ruff/F821" in [f["rule"] for f in report["findings"]]
    assert "hello from a plugin" in done.stderr


def test_a_newly_installed_plugin_is_seen_though_discovery_is_cached(site: Path) -> None:
    assert [s.name for s in host.load().specialists] == OURS
    _install(site, "later", _GOOD.format(name="later"))
    plugin_discovery.discover.cache_clear()  # as a new process would begin
    assert [s.name for s in host.load().specialists] == sorted([*OURS, "later"])


@pytest.mark.parametrize(
    ("path", "start", "claimed"),
    [
        ("src/app.py", b"", True),
        ("stubs/app.pyi", b"", True),
        ("bin/tool", b"#!/usr/bin/env python3\n", True),
        ("bin/tool", b"#!/usr/bin/env -S uv run --script\n", True),
        ("bin/tool", b"#!/opt/python3.12 -u\n", True),
        ("bin/tool", b"#!/bin/sh\n", False),
        ("bin/tool", b"import os\n", False),
        ("app.js", b"#!/usr/bin/env python3\n", False),
    ],
)
def test_files_are_claimed_by_name_or_by_what_starts_them(path: str, start: bytes, claimed: bool) -> None:
    assert bool(host.load(only=["python"]).specialists_for(path, start)) is claimed


def test_what_a_check_finds_stands_in_a_file_that_its_specialist_claims() -> None:
    loaded = host.load()
    for specialist, check, case in invalid_cases(loaded.specialists, RULE_CASES):
        claiming = loaded.specialists_for(case.path, case.source.encode("utf-8", "surrogateescape"))
        assert specialist in claiming, (check.ID, case.path, case.source)


def test_importing_the_package_loads_nothing_heavy(repo: GitRepository) -> None:
    heavy = ("pluggy", "yaml", "unidiff", "msgspec", "wardround_python", "sqlite3", "click")
    code = f"import sys, wardround; print([m for m in {heavy!r} if m in sys.modules])"
    assert repo.run(sys.executable, "-c", code).stdout == "[]\n"
    code = (
        "import sys, wardround.cli.commands as c; c.invoke(['--help']); "
        f"print([m for m in {heavy[:-1]!r} if m in sys.modules])"
    )
    assert repo.run(sys.executable, "-c", code).stdout.endswith("[]\n")


_NEEDLESS = (
    "asyncio", "difflib", "email", "importlib.metadata", "importlib.resources", "json", "numpy",
    "random", "shutil", "sysconfig", "tempfile", "tomllib", "unicodedata", "unidiff", "yaml", "zipfile",
    "hashlib", "wardround.conclusion", "wardround.inference.onnx_session", "wardround.planes",
    "wardround.policy.schema", "wardround_python.tools.false_positives",
)  # fmt: skip
_LOADED = f"""
import sys
from wardround.cli.commands import invoke
invoke(["review", "--only", "python", "--only", "docker-ci", "--only", "sql"])
late = ("wardround.semantics.docdrift", "wardround.inference", "wardround.retrieval")
ours = [m for n, m in sys.modules.items() if n.startswith("wardround.") and not n.startswith(late)]
values = {{v for m in ours for v in vars(m).values() if isinstance(v, type) and v.__module__ in sys.modules}}
print([m for m in {_NEEDLESS!r} if m in sys.modules])
print(sorted(v.__qualname__ for v in values if hasattr(v, "__dataclass_fields__")))
"""


def test_a_review_from_the_cache_loads_and_builds_nothing_it_does_not_need(repo: GitRepository) -> None:
    repo.commit({"src/shop.py": "PRICE = 1\n", "pyproject.toml": '[project]\nrequires-python = ">=3.11"\n'})
    repo.stage({"src/shop.py": "PRICE = 2\n", "Dockerfile": "FROM shop:1\n", "a.sql": "select 1;\n"})
    repo.run(sys.executable, "-c", _LOADED)
    assert repo.run(sys.executable, "-c", _LOADED).stdout.endswith("\n[]\n[]\n")


def test_the_same_defect_is_named_where_one_file_can_have_both() -> None:
    loaded = host.load()
    docker, python = (
        loaded.same_defect(loaded.catalogue.rule(name)) for name in ("docker-ci/DC068", "python/PY042")
    )
    assert "docker-ci/DC128" in docker
    assert "ruff/PLR0124" in python
    assert not [one for one in docker if one.startswith(("ruff/", "oxlint/", "python/"))]
    assert not [one for one in python if one.startswith(("docker-ci/", "eslint/", "shellcheck/"))]
