"""The questions of a review: which files and hunks a plane may see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.language_model.questions_factory import settings
from wardround import host
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview
from wardround.planes.coverage import FindingsPlane
from wardround.planes.language_model import questions
from wardround.planes.language_model.questions import Material, QuestionWriter
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.perf import PERF
from wardround.planes.semantic import SEMANTIC
from wardround.planes.tests import TESTS

SPECIALISTS = {specialist.name: specialist for specialist in host.load().specialists}


def material(files: dict[str, tuple[str, ...]], **values: Any) -> Material:
    """Added files of one line each: path -> the specialists that claim them."""
    changed = [ChangedFile(path, None, FileStatus.ADDED, "100644") for path in files]
    claimed = {path: [SPECIALISTS[name] for name in names] for path, names in files.items() if names}
    results = RawReview(Change("a", "b", tuple(changed)), Results(), Results(), claimed)
    return Material(results, lambda path: f"line of {path}\n", lambda path: None, **values)


def sent(found: Material, plane: FindingsPlane) -> dict[str, Any]:
    """The input of a plane; empty if it has no question."""
    paths = [file.path for file in found.sent_files]
    redactor = Redactor(paths, SPECIALISTS.values(), (), found.head, found.base, "")
    question = QuestionWriter(found, redactor, settings()).question(plane)
    if question is None:
        return {}
    body = json.loads(question.body(settings()))
    content: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return content


def names(hunks: list[dict[str, Any]]) -> list[str]:
    return [hunk["file"] for hunk in hunks]


FILES = {
    "test_b.py": ("python", "secrets", "tests"),
    "b.py": ("python", "secrets"),
    "a.sql": ("sql", "secrets"),
    "notes.txt": ("secrets",),
    "unclaimed.bin": (),
}


def test_a_plane_sees_the_files_that_it_judges() -> None:
    assert names(sent(material(FILES), SEMANTIC)["hunks"]) == ["a.sql", "b.py", "test_b.py"]
    found = sent(material(FILES), TESTS)
    assert (names(found["source"]), names(found["tests"])) == (["a.sql", "b.py"], ["test_b.py"])


def test_a_plane_without_files_of_its_kinds_has_no_question() -> None:
    assert sent(material({"notes.txt": ("secrets",)}), PERF) == {}


def test_the_order_of_the_files_does_not_matter() -> None:
    turned = dict(reversed(FILES.items()))
    assert sent(material(FILES), SEMANTIC) == sent(material(turned), SEMANTIC)


def test_files_beyond_the_limit_are_not_read_and_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_FILES", 2)
    files = {f"m{number}.py": ("python",) for number in range(5)}
    read: list[str] = []
    found = replace(material(files), head=lambda path: read.append(path) or f"line of {path}\n")
    content = sent(found, SEMANTIC)
    assert (names(content["hunks"]), content["omitted_hunks"]) == (["m0.py", "m1.py"], 3)
    assert set(read) == {"m0.py", "m1.py"}


def test_fragments_links_and_deleted_files_are_not_sent() -> None:
    found = material(dict.fromkeys(("fragment.py", "link.py", "module.py"), ("python",)))
    fragment, link, whole = found.results.change.files
    files = (replace(fragment, fragment=True), replace(link, mode="120000"), whole)
    results = replace_results(found, files)
    assert names(sent(replace(found, results=results), SEMANTIC)["hunks"]) == ["module.py"]


def replace_results(found: Material, files: tuple[ChangedFile, ...]) -> RawReview:
    return RawReview(Change("a", "b", files), Results(), Results(), found.results.claimed)


def test_a_long_path_is_sent_as_it_is() -> None:
    path = "vue3/src/components/dialogs/PantryBookingDialog.py"
    assert names(sent(material({path: ("python",)}), SEMANTIC)["hunks"]) == [path]


def test_two_names_that_redaction_makes_equal_stay_apart() -> None:
    token = "ghp_" + "a1B2" * 9
    other = "ghp_" + "c3D4" * 9
    content = sent(material({f"{token}.py": ("python",), f"{other}.py": ("python",)}), SEMANTIC)
    first, second = names(content["hunks"])
    assert first != second
    assert token not in str(content)
    assert other not in str(content)
