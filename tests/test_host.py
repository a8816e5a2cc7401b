"""Plugins: loaded by entry point, in an order of their own, and a broken one stops the run."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.plugin_distributions import install
from tests.rule_cases import RULE_CASES
from wardround import __version__, host, plugin_discovery
from wardround.errors import PluginLoadError
from wardround.testing import invalid_cases

pytestmark = pytest.mark.usefixtures("without_slow_tools")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the import path where distributions can be installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
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
OURS = sorted([*OUR_PLUGINS, "project-rules", "templates"])


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
    repo.wardround("review")  # caches the declarations of all tools
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
        install(site, name, _GOOD.format(name=name))
    assert [s.name for s in host.load().specialists] == ["aa_first", *OURS, "zz_last"]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("x = 1\n", "it has no function marked with hookimpl, which would be one of wardround_specialists, "),
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
    install(site, "broken_plugin", source)
    with pytest.raises(PluginLoadError) as stopped:
        host.load()
    assert said in str(stopped.value)
    assert "'broken_plugin' from broken_plugin 1.0 (broken_plugin)" in str(stopped.value)


def test_the_command_reports_so_in_one_sentence_with_status_2(site: Path, repo: GitRepository) -> None:
    install(site, "broken_plugin", "import no_such_module\n")
    done = repo.wardround("review", env={"PYTHONPATH": str(site)})
    assert done.returncode == 2
    assert done.stderr == (
        "wardround: plugin 'broken_plugin' from broken_plugin 1.0 (broken_plugin) cannot be loaded: "
        "ModuleNotFoundError: No module named 'no_such_module'; repair or uninstall broken_plugin 1.0 "
        "(broken_plugin)\n"
    )


def test_two_plugins_of_one_name_stop_the_run_and_ours_is_not_to_blame(site: Path) -> None:
    install(site, "second_python", _GOOD.format(name="second"), entry="python = second_python")
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
    install(site, "later", _OBJECT, entry="later = later:plugin")
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
    install(site, "rude", _RUDE.format(deed=deed))
    repo.stage({"a.rude": "text\n", "app.py": "print(missing)\n"})
    done = repo.wardround(
        "review", "--format", "json", "--jobs", jobs, "--profile", "ci", env={"PYTHONPATH": str(site)}
    )
    report = json.loads(done.stdout)
    assert done.returncode == 1
    (reported_items,) = [u for u in report["unreviewed"] if u["file"] == "a.rude"]
    assert said in reported_items["reason"]
    assert "ruff/F821" in [f["rule"] for f in report["findings"]]
    assert "hello from a plugin" in done.stderr


def test_a_newly_installed_plugin_is_seen_though_discovery_is_cached(site: Path) -> None:
    assert [s.name for s in host.load().specialists] == OURS
    install(site, "later", _GOOD.format(name="later"))
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
def test_files_are_claimed_by_name_or_by_their_interpreter(path: str, start: bytes, claimed: bool) -> None:
    assert bool(host.load(only=["python"]).specialists_for(path, start)) is claimed


def test_what_a_check_finds_is_in_a_file_that_its_specialist_claims() -> None:
    loaded = host.load()
    for specialist, check, case in invalid_cases(loaded.specialists, RULE_CASES):
        claiming = loaded.specialists_for(case.path, case.source.encode("utf-8", "surrogateescape"))
        assert specialist in claiming, (check.ID, case.path, case.source)


def test_importing_the_package_loads_nothing_heavy(repo: GitRepository) -> None:
    heavy = ("pluggy", "yaml", "unidiff", "msgspec", "wardround_python", "sqlite3", "click")
    code = f"import sys, wardround; print([m for m in {heavy!r} if m in sys.modules])"
    assert repo.run(sys.executable, "-c", code).stdout == "[]\n"
    for_reviews = ("yaml", "unidiff", "sqlite3", "wardround_python.specialist")
    code = (
        "import sys, wardround.cli.commands as c; c.invoke(['--help']); "
        f"print([m for m in {for_reviews!r} if m in sys.modules])"
    )
    assert repo.run(sys.executable, "-c", code).stdout.endswith("[]\n")


_NEEDLESS = (
    "asyncio", "difflib", "email", "importlib.metadata", "importlib.resources", "json", "numpy",
    "random", "shutil", "sysconfig", "tempfile", "tomllib", "unicodedata", "unidiff", "yaml", "zipfile",
    "hashlib", "wardround.analyses", "wardround.conclusion", "wardround.inference.onnx_session",
    "wardround.planes", "wardround.policy.schema", "wardround_python.tools.false_positives",
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
        loaded.same_defect(loaded.catalogue.rule(name)) for name in ("docker-ci/DC060", "python/PY042")
    )
    assert "docker-ci/DC033" in docker
    assert "ruff/PLR0124" in python
    assert not [item for item in docker if item.startswith(("ruff/", "oxlint/", "python/"))]
    assert not [item for item in python if item.startswith(("docker-ci/", "eslint/", "shellcheck/"))]


_CONTRIBUTIONS = """
import click

from wardround.hookspecs import hookimpl


@click.command("count-rules")
def count():
    \"\"\"Count the rules.\"\"\"
    click.echo("two rules")


def render(review):
    return "".join(f"{finding.file};{finding.rule}\\n" for finding in review.visible)


class Chat:
    def post(self, posted):
        print(f"chat: {posted.review.gate.outcome.value}")
        DEED


@hookimpl
def wardround_commands():
    return {"count-rules": "acme_more:count"}


@hookimpl
def wardround_formats():
    return {"lines": "acme_more:render"}


@hookimpl
def wardround_posters():
    return {"chat": "acme_more:Chat"}
"""


def _changed(repo: GitRepository) -> None:
    repo.commit({"app.py": "x = 1\n"})
    repo.commit({"app.py": "def f(seen=[]):\n    return seen\n"})


def test_a_plugin_adds_a_command(site: Path, repo: GitRepository) -> None:
    install(site, "acme_more", _CONTRIBUTIONS.replace("DEED", ""))
    done = repo.wardround("count-rules", env={"PYTHONPATH": str(site)})
    assert (done.returncode, done.stdout) == (0, "two rules\n")
    help_text = repo.wardround("--help", env={"PYTHONPATH": str(site)}).stdout
    assert re.search("^  count-rules +Count the rules.$", help_text, re.MULTILINE)


def test_a_plugin_adds_a_report_format(site: Path, repo: GitRepository) -> None:
    install(site, "acme_more", _CONTRIBUTIONS.replace("DEED", ""))
    _changed(repo)
    done = repo.wardround("review", "--base", "HEAD~1", "--format", "lines", env={"PYTHONPATH": str(site)})
    assert done.stdout == "app.py;ruff/B006\n"
    unknown = repo.wardround("review", "--format", "rows", env={"PYTHONPATH": str(site)})
    assert unknown.returncode == 2
    assert "--format rows: unknown format; choose from text, json, sarif, github, " in unknown.stderr
    assert unknown.stderr.endswith(", lines\n")


@pytest.mark.parametrize(
    ("deed", "said"),
    [("", ""), ("raise ValueError('no chat')", "wardround: the poster chat crashed: ValueError: no chat\n")],
    ids=["posts", "crashes"],
)
def test_a_plugin_adds_a_poster_that_cannot_change_the_outcome(
    site: Path, repo: GitRepository, tmp_path: Path, deed: str, said: str
) -> None:
    install(site, "acme_more", _CONTRIBUTIONS.replace("DEED", deed))
    _changed(repo)
    repo.git("remote", "add", "origin", str(repo.root))
    arguments = ("ci", "--provider", "jenkins", "--base-ref", "HEAD~1", "--no-fetch", "--reports-dir")
    alone = repo.wardround(*arguments, str(tmp_path / "alone"))
    done = repo.wardround(*arguments, str(tmp_path / "posted"), env={"PYTHONPATH": str(site)})
    assert (done.returncode, done.stderr) == (alone.returncode, alone.stderr + said)
    assert done.stdout.endswith(" folded\nchat: pass\n")


def test_a_name_that_wardround_has_already_stops_the_run(site: Path) -> None:
    source = "from wardround.hookspecs import hookimpl\n@hookimpl\ndef wardround_formats():\n"
    install(site, "acme_json", source + "    return {'json': 'acme_json:render'}\n")
    with pytest.raises(PluginLoadError, match="has a wardround_formats entry named 'json' already"):
        host.load_entries("wardround_formats")


def test_help_is_printed_although_a_plugin_is_broken(site: Path, repo: GitRepository) -> None:
    install(site, "broken_plugin", "import no_such_module\n")
    done = repo.wardround("--help", env={"PYTHONPATH": str(site)})
    assert done.returncode == 0
    assert "  review  " in done.stdout
    assert "plugin 'broken_plugin' from broken_plugin 1.0" in done.stderr


_DEBTS = '''
import msgspec

from wardround.analyses.analysis import Analysis, ReportLine, note_values
from wardround.findings import Plane
from wardround.hookspecs import hookimpl


class Debt(msgspec.Struct, frozen=True):
    file: str
    line: int
    text: str


class Debts(Analysis[tuple[Debt, ...]]):
    """The added lines that promise work for later."""

    name = "debts"
    plane = Plane.SEMANTIC
    notes_type = tuple[Debt, ...]

    def analyse(self, view):
        notes = []
        for file in view.change.files:
            lines = (view.read(file, False) or "").split("\\n")
            for number in file.added_line_numbers(len(lines)):
                if "TODO" in lines[number - 1]:
                    notes.append(Debt(file.path, number, lines[number - 1]))
        return tuple(notes)

    def sample(self):
        return (Debt("app.py", 1, "# TODO"),)

    def variables(self, notes, context):
        return {"debts": [note_values(note) for note in notes]}

    def lines(self, notes, context):
        for note in notes:
            yield ReportLine(f"{note.file}:{note.line} {note.text}", "debt: ")

    def derivation(self, notes):
        yield f"debts: {len(notes)}"


@hookimpl
def wardround_analyses():
    return {"debts": "acme_debts:Debts"}
'''
_POLICY = """
schema: wardround.policy/1
name: acme
version: 1
tiers: {T1: human-review, T2: human-review, T3: human-review, T4: human-review, T5: human-review}
rules:
  - id: debts
    when: debts.exists(debt, debt.file.endsWith(".py") && debt.line > 1)
    at-least: escalate
    because: the change promises work for later
"""


def _promising(repo: GitRepository, policy: str = _POLICY) -> None:
    """Commit a change whose second line has a note, under a policy of the repository."""
    settings = {"policy.yml": policy, ".wardround.toml": 'policy = "policy.yml"\n'} if policy else {}
    repo.commit({"app.py": "x = 1\n", **settings})
    repo.commit({"app.py": "x = 1\ny = 2 # TODO: three\n"})


def _reviewed_in_ci(repo: GitRepository, site: Path, *more: str) -> subprocess.CompletedProcess[str]:
    arguments = ("review", "--base", "HEAD~1", "--profile", "ci", *more)
    return repo.wardround(*arguments, env={"PYTHONPATH": str(site)})


def test_a_plugin_adds_an_analysis_in_one_file(site: Path, repo: GitRepository, tmp_path: Path) -> None:
    install(site, "acme_debts", _DEBTS)
    _promising(repo)
    report, record = tmp_path / "report.json", tmp_path / "review.intoto.jsonl"
    formats = ("--format", "text", "--format", f"json={report}")
    done = _reviewed_in_ci(repo, site, *formats, "--record", str(record))
    assert "debt: app.py:2 y = 2 # TODO: three\n" in done.stdout
    assert "verdict: escalate (T2): the change promises work for later;" in done.stdout
    notes = {"debts": [{"file": "app.py", "line": 2, "text": "y = 2 # TODO: three"}]}
    reported = json.loads(report.read_text())
    assert reported["analyses"] == notes
    derivations = [line for signal in reported["signals"] for line in signal["derivation"]["lines"]]
    assert "debts: 1" in derivations
    payload = json.loads(base64.b64decode(json.loads(record.read_text().splitlines()[0])["payload"]))
    assert payload["predicate"]["evidence"]["notes"] == notes


def test_a_record_with_notes_of_a_plugin_is_derived_again(
    site: Path, repo: GitRepository, tmp_path: Path
) -> None:
    install(site, "acme_debts", _DEBTS)
    _promising(repo)
    record = tmp_path / "review.intoto.jsonl"
    _reviewed_in_ci(repo, site, "--record", str(record))
    installed = {"PYTHONPATH": str(site)}
    for arguments in (("replay", record), ("replay", record, "--rerun")):
        done = repo.wardround(*arguments, env=installed)
        assert done.returncode == 0, done.stdout + done.stderr
    without = repo.wardround("replay", record)
    assert without.returncode == 2
    assert "unknown variable 'debts'" in without.stderr


def test_a_record_replays_without_the_plugin_if_its_policy_does_not_use_it(
    site: Path, repo: GitRepository, tmp_path: Path
) -> None:
    install(site, "acme_debts", _DEBTS.replace('        yield f"debts: {len(notes)}"', "        return ()"))
    _promising(repo, policy="")
    record = tmp_path / "review.intoto.jsonl"
    _reviewed_in_ci(repo, site, "--record", str(record))
    assert repo.wardround("replay", record).returncode == 0


def test_the_crash_of_an_analysis_leaves_its_plane_inconclusive(
    site: Path, repo: GitRepository, tmp_path: Path
) -> None:
    install(site, "acme_debts", _DEBTS.replace("        notes = []\n", "        notes = 1 / 0\n"))
    _promising(repo)
    record = tmp_path / "review.intoto.jsonl"
    done = _reviewed_in_ci(repo, site, "--record", str(record))
    reported = " ".join(done.stdout.split())
    reason = "the analysis debts crashed: ZeroDivisionError: division by zero"
    assert f"human-review (T5): semantic: required and not reviewed: {reason}" in reported
    assert repo.wardround("replay", record, env={"PYTHONPATH": str(site)}).returncode == 0


def test_notes_that_a_record_cannot_hold_are_a_crash(site: Path, repo: GitRepository) -> None:
    install(site, "acme_debts", _DEBTS.replace("        return tuple(notes)", "        return {1: object()}"))
    _promising(repo, policy="")
    reported = " ".join(_reviewed_in_ci(repo, site).stdout.split())
    assert "semantic: required and not reviewed: the analysis debts crashed: TypeError" in reported


@pytest.mark.parametrize("method", ["lines(self, notes, context)", "derivation(self, notes)"])
def test_an_analysis_that_cannot_be_shown_costs_nothing_else(
    site: Path, repo: GitRepository, tmp_path: Path, method: str
) -> None:
    crash = f"    def {method}:\n        raise ValueError\n"
    install(site, "acme_debts", _DEBTS.replace(f"    def {method}:\n", crash))
    _promising(repo)
    record = tmp_path / "review.intoto.jsonl"
    done = _reviewed_in_ci(repo, site, "--record", str(record))
    assert "verdict: escalate (T2)" in done.stdout
    shown = "note: the analysis debts crashed: ValueError\n"
    assert (shown in done.stdout) == method.startswith("lines")
    assert repo.wardround("replay", record, env={"PYTHONPATH": str(site)}).returncode == 0


def test_a_condition_counts_as_true_where_its_analysis_crashes(site: Path, repo: GitRepository) -> None:
    crash = "        if notes and notes[0].line > 1:\n            raise ValueError\n"
    variables = '        return {"debts": [note'
    install(site, "acme_debts", _DEBTS.replace(variables, crash + variables))
    _promising(repo, policy=_POLICY.replace("debt.line > 1", "debt.line > 5"))
    reported = " ".join(_reviewed_in_ci(repo, site).stdout.split())
    assert "escalate (T2): the change promises work for later (assumed, since the condition" in reported


def test_a_commit_imports_no_analysis(site: Path, repo: GitRepository) -> None:
    hook = "from wardround.hookspecs import hookimpl\n@hookimpl\ndef wardround_analyses():\n"
    install(site, "acme_none", hook + "    return {'none': 'no_such_module:Nothing'}\n")
    _changed(repo)
    repo.stage({"app.py": "x = 1\n"})
    assert repo.wardround("review", env={"PYTHONPATH": str(site)}).returncode == 0
    in_ci = _reviewed_in_ci(repo, site)
    assert in_ci.returncode == 2
    assert "plugin 'none' from no_such_module:Nothing cannot be loaded" in in_ci.stderr


@pytest.mark.parametrize(
    ("name", "variable", "reason"),
    [
        ("cost", "debts", "has a wardround_analyses entry named 'cost' already"),
        ("debts", "tier", "there is a variable of policies named 'tier' already"),
    ],
)
def test_an_analysis_replaces_nothing(
    site: Path, repo: GitRepository, name: str, variable: str, reason: str
) -> None:
    source = _DEBTS.replace('name = "debts"', f'name = "{name}"').replace('{"debts": "', f'{{"{name}": "')
    install(site, "acme_debts", source.replace('{"debts": [', f'{{"{variable}": ['))
    _promising(repo, policy="")
    done = _reviewed_in_ci(repo, site)
    assert done.returncode == 2
    assert reason in done.stderr
