"""The command: its address, its refusals and its end."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.installed import require_installed
from tests.lab.dashboard.running import Dashboard

require_installed("gradio")


def test_an_address_of_another_machine_needs_a_password(repo: GitRepository) -> None:
    done = repo.wardround("dashboard", "--host", "0.0.0.0")
    sentence = "the dashboard listens on 0.0.0.0 only with a password; set WARDROUND_DASHBOARD_PASSWORD"
    assert (done.returncode, done.stderr) == (2, f"wardround: {sentence}\n")


def test_a_port_in_use_and_an_unknown_address_are_one_sentence(repo: GitRepository) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = repo.wardround("dashboard", "--port", str(port))
    assert (done.returncode, done.stderr) == (
        2,
        f"wardround: the dashboard cannot listen on 127.0.0.1:{port}: Address already in use; "
        "give another --port (0 takes a free one) or --host\n",
    )
    done = repo.wardround(
        "dashboard", "--host", "256.0.0.1", "--port", "0", env={"WARDROUND_DASHBOARD_PASSWORD": "s3cret"}
    )
    assert (done.returncode, "cannot listen on 256.0.0.1:0" in done.stderr) == (2, True), done.stderr


def test_a_folder_without_a_repository_is_one_sentence(tmp_path: Path) -> None:
    done = GitRepository(tmp_path).wardround("dashboard")
    assert (done.returncode, "is not in a git repository" in done.stderr) == (2, True), done.stderr


def test_no_file_of_the_disk_is_served(full_dashboard: Dashboard) -> None:
    secret = full_dashboard.folder / "secret.txt"
    secret.write_text("s3cret")
    for path in (
        "gradio_api/file=/etc/passwd",
        f"gradio_api/file={secret}",
        f"gradio_api/file={full_dashboard.folder.parent}/xdg_state_home/wardround/records.sqlite",
        "wardround/records/..%2F..%2Fetc%2Fpasswd",
        "wardround/records/%2Fetc%2Fpasswd",
        "static/..%2F..%2F..%2Fetc/passwd",
        "assets/..%2f..%2f..%2f..%2fetc%2fpasswd",
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(full_dashboard.url + path)
        assert refused.value.code in (403, 404)
        refused.value.close()
    secret.unlink()


def test_a_record_that_does_not_exist_is_not_found(full_dashboard: Dashboard) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{full_dashboard.url}wardround/records/{'f' * 64}.intoto.jsonl")
    assert refused.value.code == 404
    assert refused.value.read().decode().startswith("wardround: no record begins with")
    refused.value.close()
