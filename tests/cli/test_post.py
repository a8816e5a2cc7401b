"""``wardround post`` as a user meets it: what cannot be posted is one sentence with a remedy."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from tests.delivery.feedback.reviews_to_post import report_content
from wardround.cli import commands

NAMED = ("--host", "github", "--repository", "acme/shop", "--change-request", "7")


@pytest.fixture
def folder(repo: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_TOKEN", "token-of-the-test")
    monkeypatch.chdir(repo.root)
    repo.write("report.json", report_content().decode())
    repo.write("staged.json", report_content(head="").decode())
    return repo


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no change request is named here; give --host, --repository, --change-request"),
        (("--host", "github"), "no change request is named here; give --repository, --change-request"),
        (("--host", "hub"), "--host hub: unknown code host; choose from github, gitlab"),
        (
            (*NAMED, "--api", "hub"),
            "--api hub: not the address of an interface; give one as https://HOST/PATH",
        ),
        *(
            (
                (*NAMED, "--api", address),
                f"--api {address.rpartition('@')[2]}: not the address of an interface; "
                "give one as https://HOST/PATH",
            )
            for address in (
                "http://host:port",
                "http://[host",
                "https://me:secret@host/api",
                "https://host/?x",
                "ftp://host",
            )
        ),
        (("staged.json", *NAMED), "staged.json is not about a commit; post the report of wardround ci"),
        ((*NAMED, "--repository", "a/.."), "--repository a/..: not a repository of GitHub; give OWNER/NAME"),
    ],
)
def test_what_cannot_be_posted_is_one_sentence(
    folder: GitRepository, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    assert commands.invoke(["post", *arguments]) == 2
    assert capsys.readouterr().err == f"wardround: {message}\n"


@pytest.mark.parametrize("token", ["tökén", "two words", "two\nlines"])
def test_a_variable_that_holds_no_token_is_named_without_its_value(
    folder: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", token)
    assert commands.invoke(["post", *NAMED]) == 2
    expected = "wardround: GITHUB_TOKEN has characters that no token has; set it to the token alone\n"
    assert capsys.readouterr().err == expected


def test_without_httpx_the_message_names_the_extra(
    folder: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wardround.delivery.code_hosts.opening.find_spec", lambda name: None)
    assert commands.invoke(["post", *NAMED]) == 2
    assert capsys.readouterr().err.endswith("is not installed; pip install 'wardround[tickets]'\n")
