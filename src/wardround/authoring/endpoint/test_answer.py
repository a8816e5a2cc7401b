"""The tests in an answer: new ones in files from which pytest collects them, and nothing else."""

from __future__ import annotations

import json

import msgspec

from wardround.authoring.endpoint.author import Read
from wardround.authoring.endpoint.patch_answer import (
    Edit,
    PatchAnswer,
    UnusableAnswer,
    decode_document,
    patch_of,
)
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.proposed_tests import WrittenTests, new_tests, present_tests
from wardround.authoring.stages import PatchedFile
from wardround.retrieval.test_discovery import contains_tests

_SUFFIX = ".py"
_MOST_TESTS = 20


class TestsAnswer(msgspec.Struct, frozen=True):
    """The answer of a proposer.

    Attributes:
        tests: edits of test files; empty if it proposes none.
    """

    __test__ = False

    tests: tuple[Edit, ...]
    reason: str = ""


class TestReader:
    """Reads tests in answers.

    Args:
        read: see ``Read``.
        judging_files: the paths that no patch can change.
    """

    __test__ = False

    def __init__(self, read: Read, judging_files: JudgingFiles) -> None:
        self._read = read
        self._judging_files = judging_files

    def decode(self, text: str, author: str) -> WrittenTests:
        """Return the tests in the answer of a proposer; see ``written_tests``."""
        return self.written_tests(decode_document(text, TestsAnswer, "tests"), author)

    def written_tests(self, answer: TestsAnswer, author: str) -> WrittenTests:
        """Return the tests that an answer describes.

        Raises:
            UnusableAnswer: an edit cannot be applied, is not of a test file, or changes a present test.
        """
        patch = patch_of(PatchAnswer(answer.tests, answer.reason), self._read, author)
        ids = [test for file in patch.files for test in self._new_ids(file)]
        if answer.tests and not ids:
            raise UnusableAnswer("its files have no new test that pytest collects")
        if len(ids) > _MOST_TESTS:
            raise UnusableAnswer(f"it has more than {_MOST_TESTS} tests")
        return WrittenTests(patch.files, tuple(ids), author, answer.reason)

    def _new_ids(self, file: PatchedFile) -> list[str]:
        name = json.dumps(file.path)
        if not self._is_test_file(file.path):
            raise UnusableAnswer(
                f"pytest collects no tests from {name}; write a file such as tests/test_a.py"
            )
        before, after = self._read(file.path), file.text or ""
        present, remaining = present_tests(file.path, before), present_tests(file.path, after)
        changed = [test for test, source in present.items() if remaining.get(test) != source]
        if changed:
            raise UnusableAnswer(f"it changes or removes the present test {changed[0]}; only add tests")
        return [test.id for test in new_tests(file.path, before, after)]

    def _is_test_file(self, path: str) -> bool:
        """Return True if pytest collects tests from a file, and no patch can change it."""
        return path.endswith(_SUFFIX) and contains_tests(path) and path in self._judging_files
