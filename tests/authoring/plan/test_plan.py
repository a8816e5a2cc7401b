"""The parts of a plan, on a real repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.authoring.context.assembly import ContextRequest, build_context
from wardround.authoring.context.base_code import BaseCode, with_base_code
from wardround.authoring.instance import Constraint, Instance
from wardround.authoring.plan.markdown import as_markdown
from wardround.authoring.plan.model import PatchPlan
from wardround.authoring.plan.planning import plan_of
from wardround.authoring.task import task_of_text
from wardround.change.repository import Repository

if TYPE_CHECKING:
    from tests.conftest import GitRepository

ROWS = (
    "from table.cells import parse_cell\n\n\ndef parse_row(text):\n    return [parse_cell(c) for c in text]\n"
)
CELLS = "def parse_cell(text):\n    return text.strip()\n"
USES = "from table.cells import parse_cell\n\n\ndef load_{0}(text):\n    return parse_cell(text)\n"
FILES = {
    "table/__init__.py": "",
    "table/rows.py": ROWS,
    "table/cells.py": CELLS,
    "table/a.py": USES.format("a"),
    "table/b.py": USES.format("b"),
    "tests/test_rows.py": "from table.rows import parse_row\n\n\ndef test_parse_row():\n    parse_row('a')\n",
}


def _plan(repo: GitRepository, text: str, *constraints: str) -> PatchPlan:
    commit = repo.git("rev-parse", "HEAD").strip()
    demands = tuple(Constraint(constraint, line) for line, constraint in enumerate(constraints, 1))
    request = ContextRequest(Instance(commit, text, constraints=demands), task_of_text(text))

    def write(code: BaseCode) -> PatchPlan:
        return plan_of(build_context(code, request), code)

    with Repository(repo.root) as repository:
        return with_base_code(repository, commit, write)


def test_the_callers_of_public_functions_are_a_risk(repo: GitRepository) -> None:
    repo.commit(FILES)
    plan = _plan(repo, "`parse_cell` should keep spaces")
    assert plan.first_file == "table/cells.py"
    calls = "3 calls in table/a.py, table/b.py, table/rows.py"
    assert plan.risks[0].startswith(
        f"public, so that other repositories can depend on them: `parse_cell` ({calls})"
    )


def test_a_function_without_a_test_needs_one_first(repo: GitRepository) -> None:
    repo.commit({**FILES, "table/merge.py": "def merge_cells(cells):\n    return cells\n"})
    plan = _plan(repo, "`merge_cells` should skip empty cells")
    (risk,) = [
        risk for risk in plan.risks if risk.startswith("linked with no test; write one that fails first")
    ]
    assert "`merge_cells` (table/merge.py:1)" in risk


def test_a_new_test_file_has_the_form_of_the_others(repo: GitRepository) -> None:
    files = {path: text for path, text in FILES.items() if path.startswith("tests/")}
    repo.commit({**files, "table/merge.py": "def merge_columns(columns):\n    return columns\n"})
    tests = _plan(repo, "`merge_columns` should skip empty columns").tests
    assert [(test.path, test.is_new) for test in tests] == [("tests/test_merge.py", True)]


def test_files_that_changed_together_before_are_a_risk(repo: GitRepository) -> None:
    repo.commit(FILES)
    for number in range(4):
        repo.commit({"table/cells.py": f"{CELLS}# {number}\n", "table/schema.json": f"[{number}]\n"})
    plan = _plan(repo, "`parse_cell` should keep spaces")
    assert "of 5 commits that changed table/cells.py, many changed table/schema.json (4), too" in plan.risks


def test_ambiguous_and_unknown_names_are_questions(repo: GitRepository) -> None:
    repo.commit({**FILES, "other/cells.py": CELLS})
    plan = _plan(repo, "`parse_cell` should call `strip_all_spaces`")
    assert plan.questions[:2] == (
        "`parse_cell` is defined in 2 files (other/cells.py:1, table/cells.py:1): which one is meant?",
        "the code has no `strip_all_spaces`: is it new, or named otherwise?",
    )


def test_constraints_bind_by_path_name_and_subject(repo: GitRepository) -> None:
    repo.commit(FILES)
    constraints = ("keep table/a.py", "`parse_row` is stable", "add a test", "be brief")
    plan = _plan(repo, "`parse_cell` should keep spaces in rows", *constraints)
    places = {bound.constraint.text: bound.places for bound in plan.constraints}
    assert places["keep table/a.py"] == ("table/a.py",)
    assert places["`parse_row` is stable"] == ("table/rows.py lines 4-5 `parse_row`",)
    assert places["add a test"] == ("tests/test_rows.py",)
    assert places["be brief"] == ()


def test_text_of_a_task_cannot_break_the_form_of_the_plan(repo: GitRepository) -> None:
    repo.commit(FILES)
    plan = _plan(repo, "parse_row\x1b[31m fails\r\n# Files to change\n\n- `x`", "one\x07 rule")
    text = as_markdown(plan)
    assert not {"\x1b", "\x07", "\r"} & set(text)
    assert text.count("\n# ") == 0
