"""One commit that touches every kind of code gets one coherent set of findings, each from its specialist."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.execution.model import Results
from wardround.execution.program_finder import FoundProgram, ProgramFinder
from wardround.execution.review_side import ReviewSide
from wardround.findings import Finding
from wardround.policy.gate import GateOutcome
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.tools.tool import Profile, Tool

FILES: Mapping[str, str] = {
    "shop/orders.py": "def total(prices, seen=[]):\n    seen.append(prices)\n    return sum(prises)\n",
    "web/Orders.tsx": (
        "export function Orders({ orders, html }) {\n"
        "  const rows = orders.map((o) => <li>{o.name}</li>);\n"
        "  return <div><ul>{rows}</ul><p dangerouslySetInnerHTML={{ __html: html }} /></div>;\n"
        "}\n"
    ),
    "supabase/migrations/20260101000000_orders.sql": (
        "create table public.orders (id bigint primary key, total float not null);\n"
        "delete from public.carts;\n"
    ),
    "Dockerfile": "FROM python:latest\nARG API_TOKEN=abc\nCOPY . /app\nCMD python -m shop\n",
    ".github/workflows/triage.yml": (
        "on: issues\njobs:\n  triage:\n    runs-on: ubuntu-latest\n    permissions: {}\n    steps:\n"
        '      - run: echo "${{ github.event.issue.title }}"\n'
    ),
    "tests/test_orders.py": "from shop.orders import total\n\n\ndef test_total():\n    total([1, 2])\n",
}

EXPECTED = {
    ("python", "shop/orders.py", 1, "mutable-default"),
    ("python", "shop/orders.py", 3, "undefined-name"),
    ("typescript", "web/Orders.tsx", 3, "html-injection"),
    ("typescript", "web/Orders.tsx", 2, "missing-key"),
    ("sql", "supabase/migrations/20260101000000_orders.sql", 1, "table-without-rls"),
    ("sql", "supabase/migrations/20260101000000_orders.sql", 2, "write-without-where"),
    ("docker-ci", "Dockerfile", 1, "image-latest-tag"),
    ("docker-ci", ".github/workflows/triage.yml", 7, "template-injection"),
}


@pytest.fixture
def mixed(repo: GitRepository) -> GitRepository:
    repo.write("README.md", "shop\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "start")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.git("add", "-A")
    return repo


HOST = host.load()


def _review(repo: GitRepository) -> ReviewResult:
    with Repository(repo.root) as repository:
        change = repository.staged_change()
        return review_once(GitChangeSource(repository, change), HOST, ReviewRequest())


def _key(finding: Finding) -> tuple[str, str, int, str]:
    return (finding.specialist, finding.file, finding.span.line, finding.defect_class)


def test_every_kind_of_code_is_judged_by_its_specialist(mixed: GitRepository) -> None:
    done = _review(mixed)

    assert done.unreviewed == ()
    assert done.gate.outcome is GateOutcome.BLOCKED
    assert {_key(finding) for finding in done.visible} >= EXPECTED
    locations = [(f.file, f.span, f.defect_class) for f in done.visible]
    assert len(locations) == len(set(locations))


def test_a_defect_three_tools_know_is_one_finding_with_three_sources(mixed: GitRepository) -> None:
    (injection,) = [f for f in _review(mixed).visible if f.defect_class == "template-injection"]
    assert injection.sources == (
        "actionlint/untrusted-input", "docker-ci/DC050", "zizmor/template-injection",
    )  # fmt: skip


REQUIRED = sorted(
    {
        (specialist.name, tool.name)
        for specialist in HOST.specialists
        for tool in specialist.tools
        if Profile.COMMIT in tool.profiles and not tool.optional and not tool.opt_in
    }
    - {("tests", "ast-grep")}  # the test of this change is not written in JavaScript
)


@pytest.mark.parametrize(("specialist", "tool"), REQUIRED)
def test_a_missing_tool_is_reported_and_the_rest_still_report(
    mixed: GitRepository, monkeypatch: pytest.MonkeyPatch, specialist: str, tool: str
) -> None:
    complete = _review(mixed)
    assert tool in {run.tool for run in complete.runs}
    (bringing,) = [s for s in HOST.specialists if s.name == specialist]
    find = ProgramFinder.program

    def without(
        finder: ProgramFinder, side: ReviewSide, asked: Tool, results: Results, folder: str
    ) -> FoundProgram:
        if asked.name == tool and asked in bringing.tools:
            return FoundProgram(None)
        return find(finder, side, asked, results, folder)

    monkeypatch.setattr(ProgramFinder, "program", without)
    partial = _review(mixed)

    missing = [u for u in partial.unreviewed if u.tool == tool]
    assert missing
    assert all("pip install" in u.reason for u in missing)
    assert partial.gate.reasons != complete.gate.reasons
    others = {_key(f) for f in complete.visible if not any(s.startswith(f"{tool}/") for s in f.sources)}
    assert others <= {_key(f) for f in partial.visible}


@pytest.mark.parametrize(
    ("path", "text", "tool", "other"),
    [
        ("tests/test_orders.py", "def test_one():\n    assert one() == 1\n", "ruff", "oxlint"),
        ("web/orders.test.ts", "test('one', () => expect(one()).toBe(1));\n", "oxlint", "ruff"),
    ],
)
def test_a_test_is_judged_by_the_tools_of_its_own_language(
    repo: GitRepository, path: str, text: str, tool: str, other: str
) -> None:
    repo.write(path, text)
    repo.git("add", "-A")
    ran = {run.tool for run in _review(repo).runs}
    assert tool in ran
    assert other not in ran


def test_a_missing_tool_alone_makes_the_gate_inconclusive(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProgramFinder, "program", lambda *arguments: FoundProgram(None))
    repo.write("web/total.ts", "export const total = 1;\n")
    repo.git("add", "-A")

    done = _review(repo)

    assert done.gate.outcome is GateOutcome.INCONCLUSIVE
    assert any("pip install 'wardround[web]'" in u.reason for u in done.unreviewed)


@pytest.mark.parametrize(("answer", "told"), [("'localhost'", set()), ("value", {"shell-injection"})])
def test_what_a_tool_states_of_a_value_from_another_module_is_refuted(
    repo: GitRepository, answer: str, told: set[str]
) -> None:
    repo.write("shop/hosts.py", f"def chosen(value: str) -> str:\n    return {answer}\n")
    repo.write(
        "shop/ping.py",
        "import subprocess\n\nfrom flask import Flask, request\n\nfrom shop.hosts import chosen\n\n"
        'app = Flask(__name__)\n\n\n@app.get("/ping")\ndef ping() -> str:\n'
        '    host = chosen(request.args["host"])\n'
        '    done = subprocess.run(f"ping {host}", shell=True, check=True, capture_output=True, text=True)\n'
        "    return str(len(done.stdout))\n",
    )
    repo.git("add", "-A")
    assert {f.defect_class for f in _review(repo).visible if f.defect_class == "shell-injection"} == told


@pytest.mark.parametrize(("count", "told"), [(7 * 6, set()), ("int(request.args['n'])", {"sql-injection"})])
def test_whoever_knows_the_values_refutes_what_another_states_of_them(
    repo: GitRepository, count: object, told: set[str]
) -> None:
    repo.write(
        "shop/search.py",
        "import sqlite3\n\nfrom flask import Flask, request\n\napp = Flask(__name__)\n\n\n"
        '@app.get("/orders")\ndef orders() -> list[str]:\n'
        f'    number = {count}\n    word = "open" if number > 40 else request.args["word"]\n'
        '    with sqlite3.connect("shop.db") as connection:\n'
        "        found = connection.execute(f\"SELECT a FROM orders WHERE state = '{word}'\")\n"
        "        return [row[0] for row in found]\n",
    )
    repo.git("add", "-A")
    assert {f.defect_class for f in _review(repo).visible if f.defect_class == "sql-injection"} == told
