"""Private functions: their public callers, and what is shown where none could be compared."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared
from wardround.change.repository import Repository
from wardround.workflows.behaviour.public_callers import files_of
from wardround.workflows.behaviour.report import as_text
from wardround.workflows.behaviour.targets import find_targets
from wardround.workflows.test.plans.planning import tree_of

ROW = "def _row(cells):\n    return '|'.join(cells)\n"
CHANGED_ROW = ROW.replace("'|'", "'||'")
TABLE = (
    "from functools import partial\n\n\n"
    f"{ROW}\n\nFORMATS = {{'plain': partial(_row)}}\n\n\n"
    "def table(rows, kind):\n    return [FORMATS[kind](row) for row in rows]\n"
)


def reached(
    repo: GitRepository, base: Mapping[str, str], head: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    first = repo.commit(base)
    repo.commit(head)
    with Repository(repo.root) as repository:
        change = repository.between(first, "HEAD")
        found = find_targets(
            change,
            lambda blob: (repository.blobs.get(blob) or b"").decode() if blob else None,
            "",
            40,
            files_of(tree_of(repository, change.base)),
        )
    return {target.key: target.reaches for target in found.targets}


def test_a_table_of_functions_leads_to_its_user(repo: GitRepository) -> None:
    found = reached(repo, {"core.py": TABLE}, {"core.py": TABLE.replace(ROW, CHANGED_ROW)})

    assert found == {"core.py::_row": (), "core.py::table": ("core.py::_row",)}


def test_a_public_caller_in_another_file_is_found(repo: GitRepository) -> None:
    api = "from core import _row\n\n\ndef table(rows):\n    return [_row(row) for row in rows]\n"
    tests = "from core import _row\n\n\ndef test_it():\n    _row([])\n"
    base = {"core.py": ROW, "api.py": api, "test_core.py": tests, "other.py": "def other():\n    return 1\n"}

    found = reached(repo, base, {**base, "core.py": CHANGED_ROW})

    assert found == {"core.py::_row": (), "api.py::table": ("core.py::_row",)}


@pytest.fixture
def project() -> dict[str, str]:
    api = "import lib.core\n\n\ndef table(rows):\n    return [lib.core._row(row) for row in rows]\n"
    tests = "from lib.api import table\n\n\ndef test_a_table():\n    assert table([['a', 'b']]) == ['a|b']\n"
    return {"lib/__init__.py": "", "lib/core.py": ROW, "lib/api.py": api, "tests/test_api.py": tests}


def test_a_private_function_is_shown_through_another_file(
    repo: GitRepository, project: dict[str, str]
) -> None:
    found = Results(compared(repo, project, {**project, "lib/core.py": CHANGED_ROW}))

    item = found.difference("_row")
    assert item is not None
    assert (item.path, item.through) == ("lib/core.py", "lib/api.py::table")
    assert found.texts("_row") == ("table([['a', 'b']])", "['a|b']", "['a||b']")


def test_a_recorded_call_of_a_private_function_is_shown_where_no_public_caller_is_found(
    repo: GitRepository, project: dict[str, str]
) -> None:
    hidden = (
        "import lib.core\n\n\ndef table(rows):\n    return list(map(getattr(lib.core, '_' + 'row'), rows))\n"
    )
    files = {**project, "lib/api.py": hidden}

    found = Results(compared(repo, files, {**files, "lib/core.py": CHANGED_ROW}))

    assert found.texts("_row") == ("_row(['a', 'b'])", "'a|b'", "'a||b'")
    item = found.difference("_row")
    assert item is not None
    assert (item.is_private_only, item.recorded_through) == (True, "table")
    assert "  called by a test through table\n" in as_text(found.run)


def test_a_private_function_that_changed_with_its_caller_is_not_shown_by_itself(
    repo: GitRepository, project: dict[str, str]
) -> None:
    core = f"{ROW}\n\ndef _rows(rows):\n    return [_row(row).replace('|', '||') for row in rows]\n"
    head = core.replace(ROW, CHANGED_ROW).replace(".replace('|', '||')", "")
    api = "import lib.core\n\n\ndef table(rows):\n    return getattr(lib.core, '_' + 'rows')(rows)\n"
    tests = project["tests/test_api.py"].replace("'a|b'", "'a||b'")
    files = {**project, "lib/core.py": core, "lib/api.py": api, "tests/test_api.py": tests}

    found = Results(compared(repo, files, {**files, "lib/core.py": head}))

    assert found.inputs("_row") is not None
    assert found.run.differences == ()


def test_a_caller_decides_about_the_tests_in_which_it_was_compared(
    repo: GitRepository, project: dict[str, str]
) -> None:
    core = f"{ROW}\n\ndef table(rows):\n    return [_row(row).replace('|', '') for row in rows]\n"
    other = "import lib.core\n\n\ndef line(row):\n    return getattr(lib.core, '_' + 'row')(row)\n"
    tests = (
        "from lib.core import _row, table\n\n\n"
        "def test_a_table():\n    table([['a', 'b']])\n\n\ndef test_a_row():\n    _row(['e', 'f'])\n"
    )
    files = {**project, "lib/core.py": core, "lib/other.py": other, "tests/test_api.py": tests}
    use = "from lib.other import line\n\n\ndef test_a_line():\n    line(['c', 'd'])\n"
    head = {"lib/core.py": core.replace("'|'.join", "'||'.join")}

    decided = Results(compared(repo, files, {**files, **head}))
    files["tests/test_other.py"] = use
    shown = Results(compared(repo, files, {**files, **head}))

    assert decided.difference("_row") is None
    assert shown.texts("_row") == ("_row(['c', 'd'])", "'c|d'", "'c||d'")


def test_a_method_of_a_private_class_is_public_through_a_class_below_it(repo: GitRepository) -> None:
    base = (
        "class _Pattern:\n"
        "    @staticmethod\n    def escape(text):\n        return text.replace('*', '\\\\*')\n\n"
        "    def _inner(self):\n        return 1\n"
    )
    api = "from lib.core import _Pattern\n\n\nclass Pattern(_Pattern):\n    pass\n"
    tests = (
        "from lib.api import Pattern\n\n\n"
        "def test_it():\n    assert Pattern.escape('a') == 'a'\n    assert Pattern()._inner() == 1\n"
    )
    files = {"lib/__init__.py": "", "lib/core.py": base, "lib/api.py": api, "tests/test_api.py": tests}

    found = Results(
        compared(repo, files, {**files, "lib/core.py": base.replace("text.replace('*'", "text.replace('a'")})
    )

    assert found.difference("_Pattern.escape") is not None
    assert found.texts("_Pattern.escape")[0].startswith("Pattern.escape(")
