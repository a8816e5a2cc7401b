"""The stored facts of a repository, and the behaviour when the store fails."""

from __future__ import annotations

import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.context.code_graph.shown import ends, symbol_of
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.context.code_graph import graph as graph_module
from wardround.context.code_graph.graph import CodeGraph
from wardround.context.code_graph.tree_files import reviewed_tree, tree_at

FILES = {
    "a.py": "def one():\n    return 1\n",
    "b.py": "from a import one\n\ndef two():\n    return one()\n",
}


def _database(places: Path) -> Path:
    (file,) = (places / "cache" / "wardround" / "code-graph").glob("*.sqlite")
    return file


def _callers(repo: GitRepository, revision: str = "HEAD") -> list[tuple[str, str, int, str]]:
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        graph.update(tree_at(repository, repository.commit(revision)))
        return ends(graph.callers(symbol_of(graph, "a.py", "one")))


def test_only_changed_files_are_read_again(repo: GitRepository) -> None:
    first = repo.commit(FILES)
    second = repo.commit({"b.py": FILES["b.py"] + "\n\nthree = one()\n"})
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        assert graph.update(tree_at(repository, first)).read == 2
        assert graph.update(tree_at(repository, second)).read == 1
        assert graph.update(tree_at(repository, first)).read == 0
        assert ends(graph.callers(symbol_of(graph, "a.py", "one"))) == [("b.py", "two", 4, "resolved")]


def test_an_update_without_time_left_reads_nothing_and_reports_it(repo: GitRepository) -> None:
    commit = repo.commit(FILES)
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        done = graph.update(tree_at(repository, commit), seconds=0.0)
        assert (done.files, done.read, done.left) == (2, 0, 2)
        assert graph.facts("a.py").symbols == ()
        done = graph.update(tree_at(repository, commit))
        assert (done.files, done.read, done.left) == (2, 2, 0)


def test_files_of_another_tree_have_no_effect(repo: GitRepository) -> None:
    first = repo.commit(FILES)
    expected = _callers(repo)
    repo.commit({"c.py": "from a import one\n\none()\n"})
    assert len(_callers(repo)) == 2
    assert _callers(repo, first) == expected


def test_the_store_is_private_and_the_repository_is_not_touched(
    repo: GitRepository, isolated_folders: Path
) -> None:
    repo.commit(FILES)
    before = repo.fingerprint()
    _callers(repo)
    assert repo.fingerprint() == before
    assert stat.S_IMODE(_database(isolated_folders).stat().st_mode) == 0o600


@pytest.mark.parametrize("damage", ["not a database", "cut off", "overwritten"])
def test_a_damaged_store_is_built_again(repo: GitRepository, isolated_folders: Path, damage: str) -> None:
    repo.commit(FILES)
    expected = _callers(repo)
    file = _database(isolated_folders)
    content = file.read_bytes()
    file.write_bytes({
        "not a database": b"x" * 5000,
        "cut off": content[: len(content) // 2],
        "overwritten": content[:4096] + os.urandom(len(content) - 4096),
    }[damage])  # fmt: skip
    assert _callers(repo) == expected
    assert _callers(repo) == expected


def test_facts_that_cannot_be_decoded_are_read_again(repo: GitRepository, isolated_folders: Path) -> None:
    import sqlite3

    repo.commit(FILES)
    expected = _callers(repo)
    database = sqlite3.connect(_database(isolated_folders))
    database.execute("UPDATE files SET facts = x'c1'")
    database.commit()
    database.close()
    assert _callers(repo) == expected


def test_a_folder_that_cannot_be_written_costs_time_alone(repo: GitRepository, tmp_path: Path) -> None:
    commit = repo.commit(FILES)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir, blocked / "x") as graph:
        graph.update(tree_at(repository, commit))
        assert ends(graph.callers(symbol_of(graph, "a.py", "one"))) == [("b.py", "two", 4, "resolved")]


def _update(root: Path) -> None:
    with Repository(root) as repository, CodeGraph.open(repository.git_dir) as graph:
        graph.update(tree_at(repository, repository.commit("HEAD")))


def test_several_processes_may_build_one_store(repo: GitRepository) -> None:
    repo.commit({f"m{at}.py": f"from a import one\n\ndef f{at}():\n    one()\n" for at in range(150)} | FILES)
    context = multiprocessing.get_context("spawn")
    running = [context.Process(target=_update, args=(repo.root,)) for _ in range(3)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    assert [process.exitcode for process in running] == [0, 0, 0]
    assert len(_callers(repo)) == 151


def test_files_no_longer_used_are_dropped(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_module, "_LEAST_SPARED", 0)
    repo.commit(FILES)
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        for at in range(9):
            commit = repo.commit({"b.py": f"from a import one\n\ndef two():\n    return one() + {at}\n"})
            graph.update(tree_at(repository, commit))
        assert len(graph._store.stored_files()) <= 8
        assert ends(graph.callers(symbol_of(graph, "a.py", "one"))) == [("b.py", "two", 4, "resolved")]


def test_the_index_is_the_base_with_the_staged_files(repo: GitRepository) -> None:
    repo.commit(
        {**FILES, "gone.py": "from a import one\n\none()\n", "moved.py": "from a import one\n\nq = one()\n"}
    )
    repo.stage({"b.py": FILES["b.py"].replace("two", "staged")})
    repo.git("rm", "--quiet", "gone.py")
    repo.git("mv", "moved.py", "target.py")
    repo.write("b.py", "unstaged = (")
    repo.write("untracked.py", "from a import one\n\none()\n")
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        change = repository.staged_change()
        graph.update(reviewed_tree(repository, change, GitChangeSource(repository, change)))
        assert ends(graph.callers(symbol_of(graph, "a.py", "one"))) == [
            ("b.py", "staged", 4, "resolved"), ("target.py", "q", 3, "resolved"),
        ]  # fmt: skip


def test_the_work_tree_has_its_untracked_files_and_committing_them_reads_nothing(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.write("untracked.py", "from a import one\n\none()\n")
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        change = repository.worktree()
        graph.update(reviewed_tree(repository, change, GitChangeSource(repository, change)))
        assert len(graph.callers(symbol_of(graph, "a.py", "one"))) == 2
        assert graph.update(tree_at(repository, repo.commit())).read == 0


HOSTILE = {
    "deep.py": "x = " + "(" * 20_000 + ")" * 20_000,
    "deep.ts": "const x = " + "[" * 20_000 + "]" * 20_000,
    "deep.sql": "select " + "(" * 5_000 + "1" + ")" * 5_000,
    "chain.py": "x = a" + ".b" * 50_000,
    "sum.js": "x = 1" + " + 1" * 50_000,
    "arrows.ts": "const f = " + "a =>\n" * 30_000 + "1",
    "nested.tsx": "function A() {\n" * 10_000 + "x" + "}" * 10_000,
    "classes.ts": "namespace N {\n" * 10_000 + "x" + "\n" * 100_000,
    "wide.py": "def a(): 1\n" * 60_000,
    "columns.sql": "create table t (" + "a int,\n" * 60_000 + "b int);",
    "templates.sql": "{{ {% {# " * 40_000,
    "statements.sql": "with a as (\n" * 5_000,
    "names.py": "class " + "n" * 300_000 + ":\n    pass\n",
    "binary.py": b"\x00\x01\x02",
    "latin.py": b"def \xe9t\xe9():\n    return '\xff'\n",
    "large.py": b"x = 1\n" * 200_000,
    "line.js": b"a(1);" * 20_000,
    "broken.ts": "export class { ( [ <",
    "package.json": "[1, {",
    "tsconfig.json": '{"compilerOptions": [], "extends": {"a": 1}}',
    "x/package.json": '{"name": 3, "exports": {".": {"import": {"default": [null, 4]}}}}',
    "empty.py": "",
}


def test_hostile_source_never_fails_the_build(repo: GitRepository) -> None:
    commit = repo.commit({**FILES, **HOSTILE})
    with Repository(repo.root) as repository, CodeGraph.open(repository.git_dir) as graph:
        done = graph.update(tree_at(repository, commit))
        assert done.read == len(FILES) + len(HOSTILE)
        unparsed = dict(done.unparsed)
        assert unparsed["binary.py"] == "it is binary"
        assert unparsed["large.py"] == "it has more than 1048576 bytes"
        assert unparsed["line.js"] == "its lines are too long for source that people write"
        assert unparsed["broken.ts"] == "parts of it do not parse"
        assert graph.callers(symbol_of(graph, "a.py", "one"))
        for path in HOSTILE:
            for symbol in graph.symbols_in(path)[:3]:
                graph.callees(symbol)
