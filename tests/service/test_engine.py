"""A review by the server has the bytes of the command line, but for the times."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.conftest import GitRepository
from tests.service.conftest import Server, new_file
from wardround.config.request import ReviewRequest
from wardround.service.engine import divide_cores

_TIMED = re.compile(r'"(?:seconds|total_s|cached)": [0-9.]+')


def _timeless(report: bytes) -> str:
    return _TIMED.sub('"time": 0', report.decode())


def _report(server: Server, submission: dict[str, str]) -> bytes:
    review_id = server.submit(submission)
    review = server.wait_for(review_id, "done", "failed")
    assert review["status"] == "done", review["reason"]
    with server.client() as client:
        return client.get(f"/v1/reviews/{review_id}/report").content


def test_the_report_has_the_bytes_of_the_command_line(
    new_server: Callable[..., Server], repo: GitRepository, tmp_path: Path
) -> None:
    repo.commit({"app.py": "def total(prices):\n    return sum(prices)\n", "q.sql": "SELECT 1;\n"})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit(
        {"app.py": "def total(prices, seen=[]):\n    return eval(prices)\n", "q.sql": "DELETE FROM orders;\n"}
    )
    server = new_server(repositories={"shop": repo.root})
    empty = tmp_path / "empty"
    empty.mkdir()
    diff = new_file("café.py", "def f(x=[]):\n    return x, 'é'")
    (tmp_path / "change.diff").write_text(diff, encoding="utf-8")

    by_revisions = _report(server, {"repository": "shop", "base": "main", "head": "feature"})
    by_diff = _report(server, {"diff": diff})

    options = ("--config-from", "base", "--format", "json")
    printed = repo.run("wardround", "review", "--base", "main", "--head", "feature", *options).stdout
    assert _timeless(by_revisions) == _timeless(printed.encode())
    assert '"fingerprint"' in printed
    command = (
        "wardround",
        "review",
        "--diff-file",
        tmp_path / "change.diff",
        "--repo",
        empty,
        *options,
    )
    assert _timeless(by_diff) == _timeless(repo.run(*command).stdout.encode())


def test_first_reviews_at_the_same_time_report_the_same(new_server: Callable[..., Server]) -> None:
    server = new_server(limits={"workers": 4})
    diff = (
        new_file("app.py", "def f(x=[]):\n    return eval(x)")
        + new_file(
            "app.tsx", "export const A = ({ html }) => <p dangerouslySetInnerHTML={{ __html: html }} />;"
        )
        + new_file("q.sql", "DELETE FROM orders;\nSELECT * FROM orders WHERE id = NULL;")
        + new_file("Dockerfile", "FROM alpine\nRUN curl http://example.org | sh")
    )
    with ThreadPoolExecutor(4) as pool:
        reports = list(pool.map(lambda _: _timeless(_report(server, {"diff": diff})), range(4)))
    assert len(set(reports)) == 1
    assert '"unreviewed": []' in reports[0]


def test_the_cores_are_divided_among_the_workers() -> None:
    assert divide_cores(ReviewRequest(), workers=2, cores=8).jobs == 4
    assert divide_cores(ReviewRequest(), workers=4, cores=2).jobs == 1
    assert divide_cores(ReviewRequest(jobs=3), workers=4, cores=2).jobs == 3


def test_a_failure_names_no_path_of_the_server_and_quotes_no_source(
    new_server: Callable[..., Server], repo: GitRepository
) -> None:
    repo.commit({"app.py": "print(1)\n"})
    server = new_server(repositories={"shop": repo.root})
    unknown = server.submit({"repository": "shop", "base": "main", "head": "no-such-branch"})
    damaged = server.submit({"diff": "diff --git a/a.py b/a.py\n@@ secret-line @@\n"})

    by_revision, by_diff = server.wait_for(unknown, "failed"), server.wait_for(damaged, "failed")

    assert by_revision["reason"] == "'no-such-branch' names no commit in shop; check the name, or fetch it"
    assert by_diff["reason"] == "the diff cannot be read; give a unified diff, as git diff prints it"
    assert "secret-line" not in server.log_file.read_text("utf-8")


def test_a_change_does_not_decide_by_which_rules_it_is_reviewed(
    new_server: Callable[..., Server], repo: GitRepository
) -> None:
    lax = '[rules]\n"ruff/B006" = "off"\n'
    repo.commit({"a.py": "print(1)\n"})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"a.py": "def f(x=[]):\n    return x\n", ".wardround.toml": lax})
    repo.git("checkout", "--quiet", "main")
    server = new_server(repositories={"shop": repo.root})

    by_diff = server.submit(
        {"diff": new_file(".wardround.toml", lax) + new_file("a.py", "def f(x=[]):\n  x")}
    )
    by_revision = server.submit({"repository": "shop", "base": "main", "head": "feature"})
    own_base = server.submit({"repository": "shop", "base": "feature", "head": "feature"})

    for review_id in (by_diff, by_revision):
        findings = server.wait_for(review_id, "done")["report"]["findings"]
        assert "ruff/B006" in {finding["rule"] for finding in findings}
    refused = server.wait_for(own_base, "failed")["reason"]
    assert refused == "base 'feature' is not in the history of HEAD; give a base that is"


def test_a_diff_cannot_probe_the_paths_of_the_server(
    new_server: Callable[..., Server], tmp_path: Path
) -> None:
    server = new_server()
    config = "".join(f'model-folders = ["{folder}"]\n' for folder in [tmp_path])
    outside = new_file("../outside.py", "print(1)")
    reviews = [server.submit({"diff": text}) for text in (new_file(".wardround.toml", config), outside)]
    done, failed = (server.wait_for(item, "done", "failed") for item in reviews)
    assert done["status"] == "done"
    assert str(tmp_path) not in str(done["report"])
    assert failed["reason"] == "the diff cannot be read; give a unified diff, as git diff prints it"
