"""The report of a run without a token, as a run with one receives it: nothing in it is believed."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.delivery.api_server import ApiServer, Call, Reply, Route
from wardround.cli.commands import invoke
from wardround.delivery.feedback.plan import FeedbackPlan
from wardround.delivery.feedback.summary_comment import summary_comment
from wardround.delivery.reported_review import parse_report

TOKEN = "token-of-the-test"
HEAD, OTHER = "a" * 40, "b" * 40
REPORT: Mapping[str, Any] = {
    "schema": "wardround.report/1",
    "context": {"id": "sha256:0", "base": OTHER, "head": HEAD},
    "gate": {"outcome": "pass"},
    "verdict": {"name": "human-review", "tier": "T3", "policy": "default"},
}


def archive_of(files: Mapping[str, str | bytes]) -> bytes:
    """A zip file with entries of any name."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    return content.getvalue()


@dataclass
class Fork:
    """A fork's run of a review as GitHub has it: the event, the artifact and the pull requests."""

    folder: Path
    archive: bytes = b""
    listed: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    queries: list[Mapping[str, str]] = field(default_factory=list)

    def upload(self, files: Mapping[str, str | bytes]) -> None:
        """Let the fork's job upload an artifact."""
        self.upload_archive(archive_of(files))

    def upload_archive(self, archive: bytes) -> None:
        """Let the fork's job upload the archive itself."""
        self.archive = archive
        digest = f"sha256:{hashlib.sha256(self.archive).hexdigest()}"
        self.listed = {"name": "wardround-reports", "size_in_bytes": len(self.archive), "digest": digest}

    def open_pull_request(self, number: int, head: str = HEAD, repository: str = "guest/shop") -> None:
        head_of = {"sha": head, "repo": {"full_name": repository}}
        self.pulls.append({"number": number, "head": head_of})

    def routes(self, server: ApiServer) -> list[Route]:
        def pulls(call: Call) -> Reply:
            self.queries.append(call.query)
            return server.page(call, self.pulls)

        artifacts = "/repos/acme/shop/actions/runs/5/artifacts"
        return [
            Route("GET", artifacts, lambda call: Reply(200, {"total_count": 1, "artifacts": [self.listed]})),
            Route("GET", "/repos/acme/shop/pulls", pulls),
        ]

    def receive(self, url: str, monkeypatch: pytest.MonkeyPatch) -> int:
        """Run the command in the step of the second job."""
        event = {"workflow_run": self.run, "repository": {"full_name": "acme/shop"}}
        (self.folder / "event.json").write_text(json.dumps(event))
        (self.folder / "archive").mkdir()
        (self.folder / "archive/reports.zip").write_bytes(self.archive)
        for name, value in {
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": url,
            "GITHUB_EVENT_PATH": str(self.folder / "event.json"),
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
        }.items():
            monkeypatch.setenv(name, value)
        return invoke(["receive", str(self.folder / "archive"), "--report", str(self.folder / "out.json")])

    @property
    def outputs(self) -> dict[str, str]:
        file = self.folder / "outputs"
        lines = file.read_text().splitlines() if file.exists() else []
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    made = Fork(tmp_path)
    made.run = {
        "id": 5,
        "event": "pull_request",
        "head_sha": HEAD,
        "head_branch": "topic",
        "head_repository": {"full_name": "guest/shop"},
        "pull_requests": [],
    }
    made.upload({"report.json": json.dumps(REPORT), "report.txt": "text"})
    made.open_pull_request(7)
    return made


@pytest.fixture
def url(fork: Fork) -> Iterator[str]:
    server = ApiServer([], TOKEN)
    server.routes = tuple(fork.routes(server))
    with server.serve() as address:
        yield address


def test_the_report_of_a_fork_belongs_to_the_pull_request_that_github_names(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fork.open_pull_request(8, OTHER)
    fork.open_pull_request(9, repository="guest/other")
    assert fork.receive(url, monkeypatch) == 0
    assert fork.outputs == {"change-request": "7", "report": str(fork.folder / "out.json")}
    assert fork.queries[0] == {"per_page": "100", "state": "open", "head": "guest:topic"}
    assert capfd.readouterr().out == "the report about aaaaaaaaaaaa belongs to acme/shop#7\n"
    assert parse_report((fork.folder / "out.json").read_bytes(), "").commit == HEAD


def test_a_number_and_unknown_fields_in_the_artifact_have_no_effect(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    forged = {**REPORT, "change_request": 1, "number": 1, "html": "<script>"}
    fork.upload({"report.json": json.dumps(forged), "number.txt": "1"})
    assert fork.receive(url, monkeypatch) == 0
    assert fork.outputs["change-request"] == "7"
    assert not {"change_request", "number", "html"} & set(json.loads((fork.folder / "out.json").read_bytes()))


def test_mentions_links_and_fixes_of_a_stranger_are_not_in_the_comment(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = "@everyone #1 https://x.example " * 1000
    place = {"file": "a.py", "line": 1, "column": 1, "end_line": 1, "end_column": 2}
    finding = {"fingerprint": "0" * 16, "rule": "a/@b", "plane": "semantic", "severity": "error", **place,
               "message": bomb, "status": "new", "url": "https://x.example/",
               "suggested_fix": {"description": "x", "safe": True, "edits": []}}  # fmt: skip
    verdict = {**REPORT["verdict"], "reasons": [bomb] * 100}
    fork.upload({"report.json": _with(findings=[finding] * 100, verdict=verdict)})
    assert fork.receive(url, monkeypatch) == 0

    report = parse_report((fork.folder / "out.json").read_bytes(), "")
    assert {(finding.url, finding.suggested_fix) for finding in report.findings} == {(None, None)}
    text = summary_comment(report, FeedbackPlan(elsewhere=report.findings), "")
    assert len(text) < 65_536
    assert not re.search(r"@|(?<!&)#|://", text)


def test_nothing_is_posted_for_a_commit_that_is_no_longer_the_head(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fork.pulls = []
    fork.open_pull_request(7, OTHER)
    assert fork.receive(url, monkeypatch) == 0
    assert fork.outputs["change-request"] == ""
    assert "no open pull request has the commit aaaaaaaaaaaa now" in capfd.readouterr().err


def _with(**changes: Any) -> str:
    return json.dumps({**REPORT, **changes})


_EXTRA = {f"{number}.txt": "" for number in range(20)}
REJECTED: dict[str, tuple[Mapping[str, str | bytes], str]] = {
    "the report of another commit": (
        {"report.json": _with(context={**REPORT["context"], "head": OTHER})},
        f"the report of the artifact is about {OTHER}, the run about {HEAD}",
    ),
    "the report of a work tree": (
        {"report.json": _with(context={**REPORT["context"], "head": "index"})},
        "is about index",
    ),
    "another type": ({"report.json": _with(findings=[{"file": 1}])}, "is not a JSON report of a review"),
    "no report": ({"report.txt": ""}, "the artifact has no report.json"),
    "a path out of the folder": ({"report.json": _with(), "../../x": ""}, r"entries, such as '../../x'"),
    "a path of Windows": ({"report.json": _with(), "..\\x": ""}, "lie next to each other without folders"),
    "an absolute path": ({"/report.json": _with()}, "entries, such as '/report.json'"),
    "many entries": ({"report.json": _with(), **_EXTRA}, "the artifact has 21 entries"),
    "deep nesting": ({"report.json": "[" * 100_000}, "is not a JSON report of a review"),
    "a zip bomb": ({"report.json": b" " * (64 * 2**20 + 1)}, "has more than 67,108,864 bytes"),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_an_artifact_that_is_no_report_of_the_run_is_rejected(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    files, message = REJECTED[name]
    fork.upload(files)
    assert fork.receive(url, monkeypatch) == 2
    shown = capfd.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    assert {path.name for path in fork.folder.iterdir()} <= {"archive", "event.json", "places"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_a_method_whose_size_after_decompression_is_not_bounded_is_rejected(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], method: int
) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as opened:
        opened.writestr("report.json", _with())
    fork.upload_archive(content.getvalue())
    assert fork.receive(url, monkeypatch) == 2
    assert "is compressed by another method than deflate" in capfd.readouterr().err


def test_an_archive_whose_content_is_damaged_is_rejected(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    archive = bytearray(archive_of({"report.json": _with()}))
    start = archive.index(b"report.json") + len("report.json")
    archive[start : start + 20] = b"\xff" * 20
    fork.upload_archive(bytes(archive))
    assert fork.receive(url, monkeypatch) == 2
    shown = capfd.readouterr().err
    assert "the artifact is not an archive of reports" in shown


def test_an_archive_that_is_none_is_rejected(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fork.archive = b"not an archive"
    fork.listed["digest"] = f"sha256:{hashlib.sha256(fork.archive).hexdigest()}"
    assert fork.receive(url, monkeypatch) == 2
    assert "the artifact is not an archive of reports" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"digest": "sha256:" + "0" * 64}, "the artifact has"),
        ({"digest": None}, "GitHub has no digest of the artifact"),
        ({"expired": True}, "run 5 has 0 artifacts 'wardround-reports'"),
        ({"name": "other"}, "run 5 has 0 artifacts 'wardround-reports'"),
    ],
)
def test_an_archive_that_is_not_the_artifact_of_the_run_is_rejected(
    fork: Fork,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    change: Mapping[str, Any],
    message: str,
) -> None:
    fork.listed |= change
    assert fork.receive(url, monkeypatch) == 2
    assert message in capfd.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"event": "push"}, "the finished run was started by 'push'"),
        ({"head_sha": "main"}, "workflow_run.head_sha is not a commit"),
        ({"head_repository": None}, "is not the event of a workflow_run"),
    ],
)
def test_an_event_that_is_not_that_of_a_pull_requests_run_is_rejected(
    fork: Fork,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    change: Mapping[str, Any],
    message: str,
) -> None:
    fork.run |= change
    assert fork.receive(url, monkeypatch) == 2
    assert message in capfd.readouterr().err


def test_a_commit_that_heads_two_pull_requests_is_posted_to_none(
    fork: Fork, url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    fork.open_pull_request(9)
    assert fork.receive(url, monkeypatch) == 2
    assert "is the head of #7, #9; its report is posted to none" in capfd.readouterr().err
    assert fork.outputs == {}
