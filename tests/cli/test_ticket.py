"""``wardround review --ticket``: the change next to the acceptance criteria, recorded and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository

TICKET = """# Limit uploads

## Acceptance criteria

- [ ] An upload of more than 25 files is rejected with status 413
- [ ] The setting `MAX_UPLOADS` has the default 25
- [ ] The page is easy to read
"""
CODE = """MAX_UPLOADS = 25


def upload(files):
    if len(files) > MAX_UPLOADS:
        return 413
    return 200
"""
TESTS = """from app import upload


def test_an_upload_of_more_than_25_files_is_rejected_with_status_413():
    assert upload(["x"] * 26) == 413
"""
STUFFED = (
    "# An upload of more than 25 files is rejected with status 413. MAX_UPLOADS has the default 25.\nx = 1\n"
)


@pytest.fixture
def ticketed(repo: GitRepository, tmp_path: Path) -> GitRepository:
    """A repository before the change, and the file of a ticket next to it."""
    (tmp_path / "T-1.md").write_text(TICKET)
    repo.commit({"app.py": "x = 1\n", "README.md": "# App\n"})
    return repo


def states(repo: GitRepository, ticket: Path) -> dict[str, str]:
    """The state of each criterion by its text."""
    report = repo.report("--base", "HEAD~1", "--ticket", ticket)
    return {criterion["text"]: criterion["state"] for criterion in report["ticket"]["criteria"]}


def test_criteria_are_met_with_the_lines_that_show_it(ticketed: GitRepository, tmp_path: Path) -> None:
    ticketed.commit({"app.py": CODE, "test_app.py": TESTS}, "Limit uploads")
    report = ticketed.report("--base", "HEAD~1", "--ticket", tmp_path / "T-1.md")
    first, _, third = report["ticket"]["criteria"]
    assert (first["state"], third["state"]) == ("met", "not-checkable")
    assert [(span["file"], span["line"]) for span in first["spans"]] == [("app.py", 4), ("test_app.py", 4)]


def test_words_without_effect_meet_nothing(ticketed: GitRepository, tmp_path: Path) -> None:
    ticketed.commit({"app.py": STUFFED, "README.md": TICKET}, "An upload of more than 25 files is rejected")
    found = states(ticketed, tmp_path / "T-1.md")
    assert "met" not in found.values()


def test_a_criterion_that_is_not_met_keeps_the_change_from_the_first_tier(
    ticketed: GitRepository, tmp_path: Path
) -> None:
    test = "from app import double\n\n\ndef test_double():\n    assert double(2) == 4\n"
    ticketed.commit({"app.py": "def double(x):\n    return 2 * x\n", "test_app.py": test})
    alone = ticketed.report("--base", "HEAD~1")
    with_ticket = ticketed.report("--base", "HEAD~1", "--ticket", tmp_path / "T-1.md")
    assert (alone["verdict"]["tier"], with_ticket["verdict"]["tier"]) == ("T1", "T2")
    assert "acceptance criteria that are not met: c1, c2" in with_ticket["verdict"]["reasons"]
    assert alone["context"]["id"] != with_ticket["context"]["id"]


def test_the_ticket_is_replayed_from_the_record(ticketed: GitRepository, tmp_path: Path) -> None:
    ticketed.commit({"app.py": CODE, "test_app.py": TESTS})
    record = tmp_path / "r.intoto.jsonl"
    ticketed.wardround("review", "--base", "HEAD~1", "--ticket", tmp_path / "T-1.md", "--record", record)
    (tmp_path / "T-1.md").unlink()
    done = ticketed.wardround("replay", record)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_text_report_shows_each_criterion(ticketed: GitRepository, tmp_path: Path) -> None:
    ticketed.commit({"app.py": "x = 2\n"})
    done = ticketed.wardround("review", "--base", "HEAD~1", "--ticket", tmp_path / "T-1.md")
    lines = done.stdout.splitlines()
    assert "ticket T-1.md: Limit uploads" in lines
    assert any(line.startswith("  not met        c1: An upload of more than 25 files") for line in lines)
    assert "  not checkable  c3: The page is easy to read" in lines


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("none.md", "cannot be read: No such file or directory; give the path of a text file"),
        ("FOO-1", "the service of FOO-1 is not configured; set JIRA_URL, or LINEAR_API_KEY"),
        ("what is this", "is not a ticket; give a key such as PROJ-12"),
    ],
)
def test_a_ticket_that_cannot_be_read_is_a_usage_error(
    ticketed: GitRepository, reference: str, message: str
) -> None:
    done = ticketed.wardround("review", "--worktree", "--ticket", reference)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_no_service_is_contacted_offline(ticketed: GitRepository) -> None:
    ticketed.commit({"app.py": "x = 1\n", ".wardround.toml": "tickets = {projects = ['octo/app']}\n"})
    ticketed.commit({"app.py": "x = 2\n"}, "Limit uploads\n\nCloses: octo/app#12")
    done = ticketed.wardround("review", "--base", "HEAD~1", "--ticket", "auto", "--offline")
    assert (done.returncode, done.stderr) == (
        2,
        "wardround: --offline: the ticket octo/app#12 is on the network; give a file\n",
    )


def test_auto_without_a_reference_goes_on_without_a_ticket(ticketed: GitRepository) -> None:
    ticketed.commit({"app.py": "x = 2\n"})
    done = ticketed.wardround("review", "--base", "HEAD~1", "--ticket", "auto")
    assert (done.returncode, done.stderr) == (0, "wardround: --ticket auto: the change names no ticket\n")


def test_the_ticket_of_another_project_is_not_a_ticket_of_this_one(ticketed: GitRepository) -> None:
    ticketed.commit({".wardround.toml": "tickets = {projects = ['acme/shop']}\n"})
    files = {"app.py": "x = 2\n", ".wardround.toml": "tickets = {projects = ['evil/repo']}\n"}
    ticketed.commit(files, "Limit uploads\n\nCloses: evil/repo#1")
    done = ticketed.wardround("review", "--profile", "ci", "--base", "HEAD~1", "--ticket", "auto")
    assert done.stderr.splitlines() == [
        "wardround: --ticket auto: evil/repo#1 is not of this project; list its repository or key in "
        "tickets.projects, or give --ticket",
        "wardround: --ticket auto: the change names no ticket of this project",
    ]
    report = ticketed.report("--profile", "ci", "--base", "HEAD~1", "--ticket", "auto")
    assert "ticket" not in report


def test_a_project_of_another_form_is_a_configuration_error(ticketed: GitRepository) -> None:
    ticketed.commit({".wardround.toml": "tickets = {projects = ['https://github.com/acme/shop']}\n"})
    ticketed.stage({"app.py": "x = 2\n"})
    done = ticketed.wardround("review")
    assert (done.returncode, "tickets: projects" in done.stderr) == (2, True)
