"""The checks of docstrings within a review of a real repository."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from wardround_python.check import run_python_checks
from wardround_python.checks.documentation.removed_parameter_in_docs import RemovedParameterInDocs

from tests.conftest import GitRepository
from wardround.checks.source import SourceFile

BEFORE = '''\
"""Mail."""

from post import carry


def send(to, text, tries=3):
    """Send a text.

    Args:
        to: who gets it
        text: what is sent
        tries: how often it is tried
    """
    return carry(to, text, tries)
'''


def found_in(repo: GitRepository, after: str, rules: Sequence[str]) -> list[dict[str, Any]]:
    repo.commit({"mail.py": BEFORE})
    repo.stage({"mail.py": after})
    report = repo.report("--staged", "--skip", "tests", "--exit-zero")
    return [found for found in report["findings"] if found["rule"] in rules]


def test_a_removed_parameter_is_reported_at_its_unchanged_documentation(
    repo: GitRepository,
) -> None:
    after = BEFORE.replace(", tries=3", "").replace(", tries)", ")")
    (found,) = found_in(repo, after, ["python/PY010"])
    assert (found["line"], found["column"], found["status"]) == (12, 9, "caused")
    assert found["severity"] == "warn"
    assert found["message"] == (
        '"tries" is documented here, but this change removes it from the signature; update the docstring'
    )


def test_a_renamed_parameter_is_reported_once_with_its_new_name(repo: GitRepository) -> None:
    after = BEFORE.replace("tries=3", "attempts=3").replace(", tries)", ", attempts)")
    (found,) = found_in(repo, after, ["python/PY010", "python/PY011", "python/PY012"])
    assert found["message"] == (
        '"tries" is documented here, but this change renames it to "attempts"; update the docstring'
    )


def test_a_new_parameter_is_reported_at_its_declaration(repo: GitRepository) -> None:
    after = BEFORE.replace("tries=3", "tries=3, wait=1").replace(", tries)", ", tries, wait)")
    (found,) = found_in(repo, after, ["python/PY011"])
    assert (found["line"], found["column"], found["status"], found["severity"]) == (6, 29, "new", "info")


def test_a_docstring_that_changed_with_the_code_is_not_reported(repo: GitRepository) -> None:
    after = (
        BEFORE.replace(", tries=3", "").replace(", tries)", ")").replace("Send a text.", "Send a text once.")
    )
    assert found_in(repo, after, ["python/PY010"]) == []


def functions(count: int, signature: str, result: str) -> str:
    words = "Send.\n\n    Args:\n        to: who\n        tries: how often\n    "
    return "".join(
        f'def send{n}({signature}):\n    """{words}"""\n    return {result}\n' for n in range(count)
    )


@pytest.mark.parametrize(("count", "said"), [(15, 15), (16, 0)])
def test_a_sweep_over_many_functions_is_not_reported(count: int, said: int) -> None:
    old = functions(count, "to, tries", "to, tries")
    source = SourceFile("mail.py", functions(count, "to", "to"), lambda: old)
    assert len(list(run_python_checks([RemovedParameterInDocs], source))) == said


OLD = 'def load(row):\n    """Load by fetch_id."""\n    return find(row.fetch_id)\n'
