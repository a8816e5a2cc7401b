"""Secrets that a commit of a range adds and a later one removes."""

from __future__ import annotations

import datetime

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.change import withdrawn_lines
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.findings import Finding, Plane, Status
from wardround.host import PluginHost
from wardround.planes.signal import PlaneStatus
from wardround.processors.dismissals_file import Dismissal, Dismissals, dump, path_for
from wardround.reports import text
from wardround.review import review_once
from wardround.review_result import ReviewResult

KEY = "AKIA" + "Q3EGRIZ7LWNTAYXB"
OTHER_KEY = "AKIA" + "Z7WQ5LJ2MVNTRYXC"
CODE = "limit = 1\n"
LEAKED = f'limit = 1\naccess = "{KEY}"\n'
SETTINGS = "models = 'off'\nrecords = 'off'\n"


@pytest.fixture(scope="module")
def plugins() -> PluginHost:
    return host.load()


def _reviewed(repo: GitRepository, plugins: PluginHost, base: str) -> ReviewResult:
    with Repository(repo.root) as repository:
        change = repository.between(base, "HEAD")
        source = GitChangeSource(repository, change)
        return review_once(source, plugins, ReviewRequest(only=("secrets",)))


def _secrets(review: ReviewResult) -> list[tuple[str, int, str]]:
    return [(item.file, item.span.line, _commit_in(item)) for item in review.open_findings if item.masked]


def _commit_in(finding: Finding) -> str:
    return finding.message.partition("added in ")[2].partition(",")[0]


def _base(repo: GitRepository) -> str:
    return repo.commit({"app.py": CODE, ".wardround.toml": SETTINGS})


def test_a_withdrawn_secret_is_reported_once_at_the_commit_that_adds_it(
    repo: GitRepository, plugins: PluginHost
) -> None:
    base = _base(repo)
    leak = repo.commit({"app.py": LEAKED})
    repo.commit({"app.py": CODE, "moved.py": LEAKED})
    repo.git("rm", "--quiet", "moved.py")
    repo.commit()
    review = _reviewed(repo, plugins, base)
    assert _secrets(review) == [("app.py", 2, leak[:7])]
    assert review.exit_status == 1
    assert KEY not in text.render(review)
    assert "     2 | " not in text.render(review)


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([LEAKED, LEAKED + "more = 2\n"], id="still there"),
        pytest.param([LEAKED, f'limit = 1\nrenamed = ["{KEY}"]\n'], id="line edited"),
        pytest.param([CODE + "more = 2\n", CODE], id="no secret"),
    ],
)
def test_only_what_the_range_does_not_have_is_of_a_commit(
    repo: GitRepository, plugins: PluginHost, contents: list[str]
) -> None:
    base = _base(repo)
    for content in contents:
        repo.commit({"app.py": content})
    assert [commit for _, _, commit in _secrets(_reviewed(repo, plugins, base)) if commit] == []


def test_a_secret_of_the_base_that_is_moved_and_removed_is_not_of_the_range(
    repo: GitRepository, plugins: PluginHost
) -> None:
    base = repo.commit({"app.py": LEAKED, ".wardround.toml": SETTINGS})
    repo.commit({"app.py": CODE, "other.py": f'access = "{KEY}"\n'})
    repo.commit({"other.py": "x = 1\n"})
    assert _secrets(_reviewed(repo, plugins, base)) == []


def test_merges_count_for_what_none_of_their_parents_has(repo: GitRepository, plugins: PluginHost) -> None:
    base = _base(repo)
    main = repo.git("branch", "--show-current").strip()
    repo.git("switch", "--quiet", "--create", "side")
    side = repo.commit({"side.py": LEAKED})
    repo.git("switch", "--quiet", main)
    repo.commit({"app.py": CODE + "main = 1\n"})
    repo.git("merge", "--quiet", "--no-commit", "side")
    merge = repo.commit({"app.py": CODE + f'main = "{OTHER_KEY}"\n'})
    repo.commit({"app.py": CODE, "side.py": CODE})
    assert _secrets(_reviewed(repo, plugins, base)) == [("app.py", 2, merge[:7]), ("side.py", 2, side[:7])]


def test_comments_and_dismissals_apply_to_withdrawn_secrets(repo: GitRepository, plugins: PluginHost) -> None:
    base = _base(repo)
    ignored = f'# wardround: ignore[SE001] a public example\naccess = "{OTHER_KEY}"\n'
    repo.commit({"app.py": LEAKED, "example.py": ignored})
    repo.commit({"app.py": CODE, "example.py": CODE})
    review = _reviewed(repo, plugins, base)
    assert [(item.file, item.status) for item in review.findings if item.masked] == [
        ("app.py", Status.NEW),
        ("example.py", Status.SUPPRESSED),
    ]
    leak = review.findings[0]
    content = review.contents[leak.fingerprint]
    day = datetime.date(2026, 1, 1)
    entry = Dismissal("app.py", leak.rule, leak.fingerprint, day, "revoked", content)
    repo.commit({path_for(review.config.root.baseline): dump(Dismissals((entry,)))})
    assert _secrets(_reviewed(repo, plugins, base)) == []


def test_what_exceeds_the_bound_is_not_reviewed_in_part(
    repo: GitRepository, plugins: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(withdrawn_lines, "MAX_COMMITS", 2)
    base = _base(repo)
    for content in (LEAKED, CODE, CODE + "more = 2\n", CODE + "more = 3\n"):
        repo.commit({"app.py": content})
    review = _reviewed(repo, plugins, base)
    assert _secrets(review) == []
    assert any("the commits before the last 2 were not searched" in note for note in review.notes)
    security = next(signal for signal in review.conclusion.signals if signal.plane is Plane.SECURITY)
    assert security.status is PlaneStatus.INCONCLUSIVE


def test_a_range_of_one_commit_starts_no_search(
    repo: GitRepository, plugins: PluginHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Repository, "withdrawn_lines")
    base = _base(repo)
    repo.commit({"app.py": LEAKED})
    assert _secrets(_reviewed(repo, plugins, base)) == [("app.py", 2, "")]
