"""Records of the service: the ones that the command line writes, signed with the configured key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.records.places import Place
from tests.service.conftest import Server
from wardround.records.location import VARIABLE


def test_a_review_has_a_signed_record_that_is_valid(
    new_server: Callable[..., Server],
    repo: GitRepository,
    tmp_path: Path,
    store_place: Place,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, store_place.text)
    repo.commit({"a.py": "print(1)\n"})
    repo.git("checkout", "--quiet", "-b", "feature")
    repo.commit({"a.py": "def f(x=[]):\n    return eval(x)\n"})
    key = tmp_path / "key.pem"
    created = repo.wardround("keys", "new", "--out", key)
    assert created.returncode == 0, created.stderr
    server = new_server(repositories={"shop": repo.root}, records={"sign-with": f"file:{key}", "store": True})

    review_id = server.submit({"repository": "shop", "base": "main", "head": "feature"})
    review = server.wait_for(review_id, "done", "failed")
    assert review["status"] == "done", review["reason"]
    with server.client() as client:
        record = client.get(f"/v1/reviews/{review_id}/record")

    assert record.headers["content-type"] == "application/jsonl"
    (tmp_path / "record.intoto.jsonl").write_bytes(record.content)
    repo.wardround("keys", "trust", f"{key}.pub")
    verified = repo.wardround("verify", tmp_path / "record.intoto.jsonl")
    assert verified.returncode == 0, verified.stdout
    assert "from:      shop\n" in verified.stdout
    listed = repo.wardround("records", "list")
    assert review["report"]["verdict"]["name"] in listed.stdout


def test_a_key_that_cannot_be_used_stops_the_start(repo: GitRepository, tmp_path: Path) -> None:
    config = tmp_path / "server.toml"
    token = f'[[tokens]]\nname = "ci"\nsha256 = "{"a" * 64}"\nscopes = []\n'
    config.write_text(f'{token}[records]\nsign-with = "file:{tmp_path}/none.pem"\n', encoding="utf-8")
    done = repo.wardround("serve", "--config", config)
    assert done.returncode == 2
    assert "none.pem" in done.stderr
    assert "Traceback" not in done.stderr
