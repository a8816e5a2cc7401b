"""Files that are documentation, and files that describe earlier versions."""

from __future__ import annotations

import pytest

from wardround.change.repository_view import InMemoryRepository
from wardround.semantics.docdrift.doc_files import WordFile, is_documentation, kind_of_words, word_files


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README", WordFile.PROSE),
        ("docs/cli.rst", WordFile.PROSE),
        ("docs/deep/use.txt", WordFile.PROSE),
        ("man/post.1", WordFile.PROSE),
        ("completions/_post", WordFile.PROSE),
        (".env.example", WordFile.EXAMPLE),
        ("deploy/.env.dev.sample", WordFile.EXAMPLE),
        ("example.env", WordFile.EXAMPLE),
        (".github/workflows/ci.yml", WordFile.COMMANDS),
        ("docker-compose.dev.yaml", WordFile.COMMANDS),
        ("Dockerfile", WordFile.COMMANDS),
        ("src/post.py", None),
        ("requirements.txt", None),
        (".env", None),
    ],
)
def test_a_file_is_what_its_name_reports(path: str, kind: WordFile | None) -> None:
    assert kind_of_words(path) is kind


@pytest.mark.parametrize(
    "path",
    [
        "CHANGELOG.md",
        "docs/changes/2.0.rst",
        "docs/release-notes.md",
        "docs/upgrading.md",
        "docs/v1.2/use.md",
        "changelog.d/12.md",
        "node_modules/x/README.md",
        "tests/data/README.md",
    ],
)
def test_what_mentions_other_versions_or_is_others_is_excluded(path: str) -> None:
    assert kind_of_words(path) is None
    assert is_documentation(path)


def test_git_is_queried_where_there_are_many_files() -> None:
    project = InMemoryRepository({f"docs/{number}.md": "" for number in range(600)})
    assert [path for path, _ in word_files(project, frozenset({"docs/7.md"}))] == ["docs/7.md"]
    few = InMemoryRepository({"docs/1.md": "", "a.py": ""})
    assert word_files(few, frozenset()) == [("docs/1.md", WordFile.PROSE)]
