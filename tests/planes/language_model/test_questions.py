"""The questions of a review: which files and hunks a plane may see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.planes.language_model.questions_factory import settings
from wardround import host
from wardround.change.diff import Change, ChangedFile, FileStatus, Hunk
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.execution.model import Results
from wardround.execution.review_run import RawReview
from wardround.findings import Plane
from wardround.planes.language_model import questions
from wardround.planes.language_model.budget import CHARACTERS_PER_TOKEN
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.question import input_characters
from wardround.planes.language_model.questions import Material, QuestionWriter
from wardround.planes.language_model.redaction import Redactor

SPECIALISTS = {specialist.name: specialist for specialist in host.load().specialists}


def material(files: dict[str, tuple[str, ...]], **values: Any) -> Material:
    """Added files of one line each: path -> the specialists that claim them."""
    changed = [ChangedFile(path, None, FileStatus.ADDED, "100644") for path in files]
    claimed = {path: [SPECIALISTS[name] for name in names] for path, names in files.items() if names}
    results = RawReview(Change("a", "b", tuple(changed)), Results(), Results(), claimed)
    return Material(results, lambda path: f"line of {path}\n", lambda path: None, **values)


def sent(found: Material, plane: Plane, **configured: Any) -> dict[str, Any]:
    """The input of a plane; empty if it has no question."""
    paths = [file.path for file in found.sent_files]
    redactor = Redactor(paths, SPECIALISTS.values(), (), found.head, found.base, "")
    question = QuestionWriter(found, redactor, settings(**configured)).question(plane)
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
    assert names(sent(material(FILES), Plane.SEMANTIC)["hunks"]) == ["a.sql", "b.py", "test_b.py"]
    found = sent(material(FILES), Plane.TESTS)
    assert (names(found["source"]), names(found["tests"])) == (["a.sql", "b.py"], ["test_b.py"])


def test_a_plane_without_files_of_its_kinds_has_no_question() -> None:
    assert sent(material({"notes.txt": ("secrets",)}), Plane.PERF) == {}


def test_the_order_of_the_files_does_not_matter() -> None:
    turned = dict(reversed(FILES.items()))
    assert sent(material(FILES), Plane.SEMANTIC) == sent(material(turned), Plane.SEMANTIC)


def test_files_beyond_the_limit_are_not_read_and_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(questions, "MOST_FILES", 2)
    files = {f"m{number}.py": ("python",) for number in range(5)}
    read: list[str] = []
    found = replace(material(files), head=lambda path: read.append(path) or f"line of {path}\n")
    content = sent(found, Plane.SEMANTIC)
    assert (names(content["hunks"]), content["omitted_hunks"]) == (["m0.py", "m1.py"], 3)
    assert set(read) == {"m0.py", "m1.py"}


def _function(name: str, lines: int) -> str:
    """A function whose last line is changed."""
    body = [f"    {name}.append({number:06d})" for number in range(lines - 2)]
    return "\n".join([f"def f({name}):", *body, f"    return {name}", ""])


def changed_at_their_ends(texts: dict[str, str]) -> Material:
    """Files whose last line is added."""
    changed = tuple(
        ChangedFile(
            path, path, FileStatus.MODIFIED, "100644", hunks=(Hunk(last := text.count("\n"), 0, last, 1),)
        )
        for path, text in texts.items()
    )
    found = replace(material(dict.fromkeys(texts, ("python",))), head=texts.get, base=texts.get)
    return replace(found, results=replace_results(found, changed))


def test_of_a_change_that_does_not_fit_as_many_files_as_possible_are_sent_with_complete_functions() -> None:
    texts = {
        "a_long.py": _function("a", 150),
        "b_short.py": _function("b", 20),
        "c_long.py": _function("c", 150),
    }
    found = changed_at_their_ends(texts)
    content = sent(found, Plane.SEMANTIC, input_tokens=3000)
    assert [(hunk["file"], len(hunk["lines"])) for hunk in content["hunks"]] == [
        ("a_long.py", 150), ("b_short.py", 20), ("c_long.py", 4),
    ]  # fmt: skip
    assert content["omitted_hunks"] == 0


def test_in_the_largest_size_as_many_files_as_possible_are_sent_with_what_surrounds_a_function() -> None:
    imports = "import os\n" * 60
    texts = {name: imports + _function(name[0], 20) for name in ("a.py", "b.py", "c.py", "d.py")}
    found = changed_at_their_ends(texts)
    for tokens, complete in ((9000, 4), (2600, 2)):
        content = sent(found, Plane.SEMANTIC, context="neighbours", input_tokens=tokens)
        lengths = [len(hunk["lines"]) for hunk in content["hunks"]]
        assert lengths == [80] * complete + [20] * (4 - complete)
    content = sent(found, Plane.SEMANTIC, context="functions", input_tokens=9000)
    assert [len(hunk["lines"]) for hunk in content["hunks"]] == [20] * 4


def test_fragments_links_and_deleted_files_are_not_sent() -> None:
    found = material(dict.fromkeys(("fragment.py", "link.py", "module.py"), ("python",)))
    fragment, link, complete = found.results.change.files
    files = (replace(fragment, fragment=True), replace(link, mode="120000"), complete)
    results = replace_results(found, files)
    assert names(sent(replace(found, results=results), Plane.SEMANTIC)["hunks"]) == ["module.py"]


def replace_results(found: Material, files: tuple[ChangedFile, ...]) -> RawReview:
    return RawReview(Change("a", "b", files), Results(), Results(), found.results.claimed)


def test_a_long_path_is_sent_as_it_is() -> None:
    path = "vue3/src/components/dialogs/PantryBookingDialog.py"
    assert names(sent(material({path: ("python",)}), Plane.SEMANTIC)["hunks"]) == [path]


def test_two_names_that_redaction_makes_equal_stay_apart() -> None:
    token = "ghp_" + "a1B2" * 9
    other = "ghp_" + "c3D4" * 9
    content = sent(material({f"{token}.py": ("python",), f"{other}.py": ("python",)}), Plane.SEMANTIC)
    first, second = names(content["hunks"])
    assert first != second
    assert token not in str(content)
    assert other not in str(content)


HELPER = "def helper(value):\n    return value or 1\n"


def with_callee(lines: int) -> Material:
    """A change of one line in a function of some lines, which calls a function of another file."""
    head = "def changed(value):\n" + "    value = helper(value)  # one of many lines\n" * lines
    texts = {"a.py": head, "b.py": HELPER}
    callee = SymbolNeighbours("a.py", 1, lines + 1, "changed", (), callees=(Place("b.py", 1, "helper"),))
    file = ChangedFile("a.py", "a.py", FileStatus.MODIFIED, "100644", hunks=(Hunk(50, 1, 50, 1),))
    found = material({"a.py": ("python", "secrets")}, neighbours=(callee,))
    return replace(found, head=texts.get, base=texts.get, results=replace_results(found, (file,)))


def tokens(characters: int) -> int:
    """The setting with which an input of the semantic plane has some characters."""
    prompt = load_prompt(Plane.SEMANTIC)
    fixed = settings().input_tokens * CHARACTERS_PER_TOKEN - input_characters(settings(), prompt)
    return (fixed + characters) // CHARACTERS_PER_TOKEN


@pytest.mark.parametrize(
    ("lines", "shown"),
    [(60, 62), (120, 8)],
    ids=["the function and the callee fit", "only the hunk and the callee fit"],
)
def test_code_around_does_not_displace_the_change(lines: int, shown: int) -> None:
    content = sent(with_callee(lines), Plane.SEMANTIC, context="neighbours", input_tokens=tokens(6000))
    (hunk,) = content["hunks"]
    assert (len(hunk["lines"]), content["omitted_hunks"]) == (shown, 0)
    (callee,) = content["neighbours"]
    assert callee["lines"] == ["1   def helper(value):", "2       return value or 1"]


def test_a_change_that_leaves_no_room_for_other_code_is_sent_without() -> None:
    content = sent(with_callee(60), Plane.SEMANTIC, context="neighbours", input_tokens=tokens(3450))
    assert [len(hunk["lines"]) for hunk in content["hunks"]] == [62]
    assert content["neighbours"] == []
