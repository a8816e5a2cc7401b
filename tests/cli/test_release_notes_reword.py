"""``wardround release-notes --reword``: other words, only within the facts, and never a silent failure."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from wardround.cli.commands import invoke


def _commit(folder: Path, message: str, content: str) -> None:
    (folder / "cart.py").write_text(content)
    subprocess.run(["git", "add", "-A"], cwd=folder, check=True)
    argv = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]
    subprocess.run(argv, cwd=folder, check=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    _commit(folder, "Begin", "def total(items):\n    return None\n")
    subprocess.run(["git", "tag", "v1.0.0"], cwd=folder, check=True)
    _commit(
        folder, "fix: total of an empty cart is zero", "def total(items):\n    return sum(items, start=0)\n"
    )
    return folder


def _run(shop: Path, *options: str) -> int:
    return invoke(["release-notes", "v1.0.0..HEAD", "--repo", str(shop), *options])


def _answer(exchange: Path, text: str) -> None:
    (request,) = exchange.glob("*/request.json")
    (shown,) = json.loads(request.read_text())["input"]["statements"]
    answer = {"statements": [{"number": shown["number"], "text": text}]}
    (request.parent / "answer.json").write_text(json.dumps(answer))


def test_an_answered_exchange_words_the_statements_and_a_rejected_wording_is_reported(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exchange = tmp_path / "exchange"
    assert _run(shop, "--reword", "--exchange", str(exchange)) == 4
    unworded = capsys.readouterr()
    assert "otal of an empty cart is zero" in unworded.out
    assert "no wording was returned: editor: not answered yet" in unworded.err

    _answer(exchange, "An empty cart has the total zero")
    assert _run(shop, "--reword", "--exchange", str(exchange)) == 0
    worded = capsys.readouterr()
    assert "An empty cart has the total zero" in worded.out
    assert "statements reworded: 1, wordings rejected: 0" in worded.err


def test_an_invention_keeps_the_own_words(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exchange = tmp_path / "exchange"
    _run(shop, "--reword", "--exchange", str(exchange))
    _answer(exchange, "An empty cart has the total zero, and payments are twice as fast")
    capsys.readouterr()
    assert _run(shop, "--reword", "--exchange", str(exchange)) == 0
    found = capsys.readouterr()
    assert "otal of an empty cart is zero" in found.out
    assert "payments" not in found.out
    assert "rejected: An empty cart has the total zero, and payments are twice as fast (" in found.err


def test_the_request_is_printed_and_not_sent(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(shop, "--show-prompt") == 0
    request = json.loads(capsys.readouterr().out)
    assert request["messages"][0]["content"].startswith("# editor, version 1")


def test_without_an_endpoint_it_says_what_to_configure(
    shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(shop, "--reword") == 2
    assert "configure roles.editor, or give --exchange" in capsys.readouterr().err
