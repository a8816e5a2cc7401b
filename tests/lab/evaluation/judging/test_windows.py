"""Windows of commits, the attribution of their findings, and the reviews of single commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround_lab.evaluation.judging.history import Window, newest_commits, reviewable_parent, windows
from wardround_lab.evaluation.judging.hits import Hit, HitFile, Source, review_request
from wardround_lab.evaluation.judging.sample import Limits
from wardround_lab.evaluation.judging.verify import Confirmation, Verification, candidates, confirmation
from wardround_lab.evaluation.judging.windows import ReviewedWindow, attribute_hits, reviewed_window

MUTABLE = "def {name}(item, seen=[]):\n    seen.append(item)\n    return seen\n"


def hit(commit: str, path: str, line: int, rule: str = "ruff/B006", end_line: int = 0) -> Hit:
    return Hit("team/shop", commit, path, line, rule, 1, end_line or line, "text", "python", "warn", "new")


def commits(repo: GitRepository, count: int) -> list[str]:
    """The oldest first."""
    return [repo.commit({f"f{n}.py": f"x = {n}\n" * 30}) for n in range(count)]


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A base, and three commits: the first two add a mutable default, and the third removes the first."""
    repo.commit({"shop.py": "x = 1\n"})
    repo.commit({"first.py": MUTABLE.format(name="first")})
    repo.commit({"shop.py": "x = 1\n\n\n" + MUTABLE.format(name="second")})
    repo.commit({"first.py": "y = 1\n"})
    return repo


def window_of(shop: GitRepository) -> Window:
    base, head = shop.git("rev-parse", "HEAD~3", "HEAD").split()
    return Window(base, head, 3)


def reviewed(shop: GitRepository) -> ReviewedWindow:
    with review_request() as request:
        return reviewed_window(Source("team/shop", shop.root), window_of(shop), "", host.load(), request)


def test_windows_are_adjacent_and_the_first_commit_of_a_history_is_in_none(repo: GitRepository) -> None:
    oldest, *chain = commits(repo, 6)
    found = list(windows(repo.root, length=2, count=9))
    assert found == [
        Window(chain[2], chain[4], 2),
        Window(chain[0], chain[2], 2),
        Window(oldest, chain[0], 1),
    ]
    assert list(windows(repo.root, length=2, count=1)) == found[:1]


def test_a_window_that_adds_too_much_is_halved(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    oldest, *chain = commits(repo, 5)
    monkeypatch.setattr("wardround_lab.evaluation.judging.history._MOST_WINDOW_LINES", 70)
    found = list(windows(repo.root, length=4, count=1))
    assert found == [Window(chain[1], chain[3], 2), Window(oldest, chain[1], 2)]


def test_with_pathspecs_only_commits_of_such_files_count(repo: GitRepository) -> None:
    commits(repo, 1)
    first = repo.commit({"a.sql": "select 1"})
    commits(repo, 2)
    second = repo.commit({"b.sql": "select 2"})
    commits(repo, 1)
    (found,) = windows(repo.root, length=2, count=5, paths=["*.sql"])
    assert found == Window(repo.git("rev-parse", f"{first}^").strip(), second, 2)


def test_a_merge_and_a_commit_that_adds_too_much_are_not_reviewed_alone(repo: GitRepository) -> None:
    start = repo.commit({"a.py": "x = 1\n"})
    large = repo.commit({"b.py": "x = 1\n" * 2001})
    repo.git("checkout", "-q", "-b", "side", start)
    side = repo.commit({"c.py": "x = 1\n"})
    repo.git("merge", "-q", "--no-edit", large)
    assert reviewable_parent(repo.root, side) == start
    assert [reviewable_parent(repo.root, name) for name in ("HEAD", large, start)] == ["", "", ""]
    assert newest_commits(repo.root, 5) == [(start, side)]


def test_a_finding_belongs_to_the_commit_that_added_its_line_at_its_path_and_line_there(
    repo: GitRepository,
) -> None:
    base = repo.commit({"old.py": "import os\n" + "x = 1\n" * 20})
    second = repo.commit({"old.py": "import os\n" + "x = 1\n" * 20 + "bad()\n"})
    repo.git("mv", "old.py", "new.py")
    text = repo.read("new.py").decode()
    head = repo.commit({"new.py": text.replace("import os\n", "import os\nimport re\nimport ast\n")})
    found = attribute_hits(
        repo.root, Window(base, head, 2), [hit(head, "new.py", 24), hit(head, "new.py", 2)]
    )
    assert found == [hit(second, "old.py", 22), hit(head, "new.py", 2)]


def test_a_finding_on_older_lines_belongs_to_the_newest_line_of_it_or_to_no_commit(
    repo: GitRepository,
) -> None:
    base = repo.commit({"a.py": "def f():\n    x()\n    y()\n"})
    middle = repo.commit({"a.py": "def f():\n    x(1)\n    y()\n"})
    head = repo.commit({"b.py": "z = 1\n"})
    some = [hit(head, "a.py", 1, end_line=3), hit(head, "a.py", 3)]
    assert attribute_hits(repo.root, Window(base, head, 2), some) == [hit(middle, "a.py", 2, end_line=4)]


def test_a_window_has_the_findings_that_are_left_at_its_end(shop: GitRepository) -> None:
    found = reviewed(shop)
    second = shop.git("rev-parse", "HEAD~1").strip()
    assert not found.trouble
    assert [
        (item.commit, item.path, item.line, item.rule) for item in found.hits if item.rule == "ruff/B006"
    ] == [(second, "shop.py", 4, "ruff/B006")]


def test_the_commit_of_a_finding_is_reviewed_alone_and_the_share_of_confirmed_ones_is_counted(
    shop: GitRepository, tmp_path: Path
) -> None:
    window, file = reviewed(shop), HitFile(tmp_path / "verified.jsonl")
    second = shop.git("rev-parse", "HEAD~1").strip()
    invented = ReviewedWindow(
        "team/shop", str(shop.root), "", "", hits=(hit(second, "shop.py", 1, "ruff/F401"),)
    )
    with review_request() as request:
        verification = Verification(file, (), Limits())
        assert verification.review([window, invented], 5, host.load(), request) == 1
        assert verification.review([window, invented], 5, host.load(), request) == 0
    assert [item.commit for item in file.commits] == [second]
    assert "ruff/B006" in {item.rule for item in file.hits()}
    count = len(window.hits)
    assert confirmation([window, invented], file) == Confirmation(count + 1, count)


def test_rules_and_repositories_with_enough_findings_are_not_reviewed_again(
    shop: GitRepository, tmp_path: Path
) -> None:
    window = reviewed(shop)
    for limits in (Limits(per_rule=0), Limits(per_repository=0)):
        verification = Verification(HitFile(tmp_path / "verified.jsonl"), (), limits)
        with review_request() as request:
            assert verification.review([window], 5, host.load(), request) == 0


def test_the_commit_of_the_rarest_rule_is_reviewed_first(shop: GitRepository, tmp_path: Path) -> None:
    second = shop.git("rev-parse", "HEAD~1").strip()
    first = shop.git("rev-parse", "HEAD~2").strip()
    file = HitFile(tmp_path / "verified.jsonl")
    with review_request() as request:
        Verification(file, (), Limits()).review([reviewed(shop)], 5, host.load(), request)
        rare = hit(first, "first.py", 1, "python/PY999")
        windows_ = [
            ReviewedWindow("team/shop", str(shop.root), "", "", hits=(hit("b" * 40, "a.py", 1), rare)),
        ]
        assert Verification(file, (), Limits()).review(windows_, 1, host.load(), request) == 1
    assert [item.commit for item in file.commits] == [second, first]


def test_a_commit_that_was_reviewed_alone_is_not_a_candidate(shop: GitRepository) -> None:
    window = reviewed(shop)
    second = shop.git("rev-parse", "HEAD~1").strip()
    assert [candidate.commit for candidate in candidates([window], set())] == [second]
    assert candidates([window], {("team/shop", second)}) == []
