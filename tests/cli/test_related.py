"""``wardround related`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

SHOP = {
    "shop/cart.py": '''\
class Basket:
    """What a customer is about to buy."""

    def total(self):
        return sum(line.price for line in self.lines)

    def clear(self):
        self.lines = []
''',
    "shop/auth.py": "def sign_in(user, password):\n    return check(user, password)\n",
    "shop/mailer.py": "def send_receipt(basket, address):\n    smtp.send(address, 'thanks')\n",
    "web/login.tsx": "export function LoginForm() {\n  return <form />;\n}\n",
    "tests/test_cart.py": "def test_total():\n    assert Basket().total() == 0\n",
    "README.md": "The total of a basket.\n",
}
FILES_AS_TEXT = """\
  1  shop/cart.py
       4-5  Basket.total
       1-8  Basket
       7-8  Basket.clear
  2  shop/mailer.py
       1-2  send_receipt

most likely evidence among 4 source files, not a verdict
ordered by words and by 1 past commit, without a model: --no-models was given
"""
HUNKS_AS_TEXT = """\
  1  shop/cart.py:5-5  def total(self):
       return sum(line.price * line.count for line in self.lines)

most likely evidence among 2 hunks, not a verdict
ordered by words alone: --no-models was given
"""
FILES_AS_JSON = {
    "schema": "wardround.related/1",
    "scope": "files",
    "candidates": 4,
    "commits": 1,
    "model": {"name": None, "reason": "--no-models was given"},
    "results": [
        {
            "file": "shop/cart.py",
            "functions": [
                {"name": "Basket.total", "line": 4, "end_line": 5},
                {"name": "Basket", "line": 1, "end_line": 8},
                {"name": "Basket.clear", "line": 7, "end_line": 8},
            ],
        },
        {"file": "shop/mailer.py", "functions": [{"name": "send_receipt", "line": 1, "end_line": 2}]},
    ],
}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit(SHOP)
    return repo


def _changed(shop: GitRepository) -> None:
    cart = SHOP["shop/cart.py"].replace("line.price for", "line.price * line.count for")
    shop.stage({"shop/cart.py": cart, "shop/auth.py": SHOP["shop/auth.py"].replace("check", "verify")})


def _out(repo: GitRepository, *arguments: str | Path, stdin: str = "", cwd: Path | None = None) -> str:
    before = repo.fingerprint()
    done = repo.wardround("related", *arguments, stdin=stdin, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    assert repo.fingerprint() == before
    return done.stdout


def test_files_and_functions_as_text(shop: GitRepository) -> None:
    assert _out(shop, "--no-models", "The total of my basket is wrong") == FILES_AS_TEXT


def test_a_second_run_reports_the_same(shop: GitRepository, isolated_folders: Path) -> None:
    assert _out(shop, "--no-models", "basket total wrong") == _out(shop, "--no-models", "basket total wrong")
    assert len(list((isolated_folders / "cache" / "wardround" / "retrieval").glob("*.sqlite"))) == 1


def test_files_as_json(shop: GitRepository) -> None:
    found = json.loads(_out(shop, "--no-models", "--format", "json", "The total of my basket is wrong"))
    assert found.pop("tool")["name"] == "wardround"
    for result in found["results"]:
        assert result.pop("score") == result.pop("lexical") > 0  # four candidates: the words' own scores
        assert result.pop("model") is None
    assert found == FILES_AS_JSON


def test_hunks_of_what_is_staged(shop: GitRepository) -> None:
    _changed(shop)
    assert _out(shop, "--no-models", "--staged", "totals must count how many") == HUNKS_AS_TEXT


def test_hunks_of_commits(shop: GitRepository) -> None:
    _changed(shop)
    shop.git("commit", "--quiet", "--no-verify", "--message", "count")
    found = json.loads(
        _out(shop, "--no-models", "--base", "HEAD~1", "--format", "json", "verify the password")
    )
    assert (found["scope"], found["candidates"]) == ("hunks", 2)
    (hunk,) = found["results"]
    assert (hunk["file"], hunk["line"], hunk["end_line"]) == ("shop/auth.py", 2, 2)
    assert hunk["function"] == "def sign_in(user, password):"


def test_a_change_without_hunks_holds_nothing(shop: GitRepository) -> None:
    assert _out(shop, "--no-models", "--staged", "anything").splitlines() == [
        "nothing among 0 hunks shares a word with the text",
        "ordered by words alone: --no-models was given",
    ]


def test_what_is_staged_is_searched_and_not_what_lies_next_to_it(shop: GitRepository) -> None:
    shop.write("shop/refund.py", "def refund(): ...\n")
    assert "nothing among 4 source files" in _out(shop, "--no-models", "refund")
    shop.stage()
    assert "shop/refund.py" in _out(shop, "--no-models", "refund")
    assert "nothing among 4 source files" in _out(shop, "--no-models", "--at", "HEAD", "refund")


def test_what_is_next_to_the_source_is_searched_if_asked(shop: GitRepository) -> None:
    assert "tests/test_cart.py" not in _out(shop, "--no-models", "basket total")
    assert "tests/test_cart.py" in _out(shop, "--no-models", "--all", "basket total")


def test_the_text_may_stand_in_a_file_or_come_from_a_pipe(shop: GitRepository, tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text("The total of my basket is wrong", encoding="utf-8")
    assert _out(shop, "--no-models", report) == FILES_AS_TEXT
    assert _out(shop, "--no-models", "-", stdin=report.read_text("utf-8")) == FILES_AS_TEXT
    assert _out(shop, "--no-models", "--repo", shop.root, report, cwd=tmp_path) == FILES_AS_TEXT


PAINTED = {"shop/paint.py": "def stroke(): ...\n"}


def test_what_commits_reported_leads_to_what_they_touched(shop: GitRepository) -> None:
    shop.commit(PAINTED, "Stripes on zebras")
    reported = _out(shop, "--no-models", "a zebra without stripes")
    assert reported.startswith("  1  shop/paint.py\n")
    assert reported.endswith("by 2 past commits, without a model: --no-models was given\n")
    assert _out(shop, "--no-models", "a zebra without stripes") == reported


def test_a_commit_after_the_tree_that_is_searched_is_not_asked(shop: GitRepository) -> None:
    shop.commit(PAINTED)
    before = shop.git("rev-parse", "HEAD").strip()
    shop.commit({"shop/paint.py": "def stroke(): pass\n"}, "Stripes on zebras")
    assert "shop/paint.py" in _out(shop, "--no-models", "a zebra without stripes")
    assert "nothing among" in _out(shop, "--no-models", "--at", before, "a zebra without stripes")


def test_before_the_first_commit_words_alone_decide(repo: GitRepository) -> None:
    repo.stage(SHOP)
    reported = _out(repo, "--no-models", "basket total")
    assert reported.endswith("ordered by words alone: --no-models was given\n")


def test_a_file_of_the_repository_is_not_related_to_itself(shop: GitRepository) -> None:
    reported = _out(shop, "--no-models", "shop/mailer.py")
    assert "shop/mailer.py" not in reported
    assert "  1  shop/cart.py\n" in reported


def test_the_limit_is_retained(shop: GitRepository) -> None:
    found = json.loads(_out(shop, "--no-models", "--limit", "1", "--format", "json", "basket total"))
    assert [item["file"] for item in found["results"]] == ["shop/cart.py"]


def test_a_bare_repository_is_searched_at_its_head(shop: GitRepository, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shop.git("clone", "--quiet", "--bare", shop.root, bare)
    reported = shop.wardround("related", "--no-models", "--repo", bare, "basket total", cwd=tmp_path)
    assert reported.returncode == 0
    assert reported.stdout.startswith("  1  shop/cart.py\n")


def test_a_name_that_is_not_utf_8_is_written_down(shop: GitRepository) -> None:
    name = b"shop/tax\xff.py".decode("utf-8", "surrogateescape")
    shop.stage({name: "def tax(): ...\n"})
    assert _out(shop, "--no-models", "tax").startswith("  1  shop/tax\\xff.py\n")
    found = json.loads(_out(shop, "--no-models", "--format", "json", "tax"))
    assert found["results"][0]["file"] == "shop/tax\\xff.py"


def test_binary_and_huge_files_are_found_by_their_name_alone(shop: GitRepository) -> None:
    shop.stage({"shop/blob.py": b"\0\xff" * 100, "shop/huge.py": "x = 1  # zebra\n" * 100_000})
    assert "shop/huge.py" not in _out(shop, "--no-models", "zebra")
    assert "shop/huge.py" in _out(shop, "--no-models", "huge")
    assert "shop/blob.py" in _out(shop, "--no-models", "blob")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["  "], "wardround: the text is empty; say what the code you look for is about\n"),
        (["x", "--at", "nowhere"], "'nowhere' names no commit"),
        (["x", "--base", "nowhere"], "'nowhere' names no commit"),
        (["x", "--staged", "--at", "HEAD"], "--staged and --at cannot go together"),
        (["x", "--head", "HEAD"], "--head needs --base"),
        (["x", "--limit", "0"], "0 is not in the range"),
        ([], "Missing argument 'TEXT'"),
        (["binary.bin"], "binary.bin: it is binary; give a text"),
    ],
)
def test_wrong_input_is_rejected_with_one_sentence(
    shop: GitRepository, arguments: list[str], told: str
) -> None:
    shop.write("binary.bin", b"a\0b")
    done = shop.wardround("related", "--no-models", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_repository_there_is_nothing_to_search(shop: GitRepository, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    done = shop.wardround("related", "x", "--repo", tmp_path / "plain")
    assert done.returncode == 2
    assert "is not in a git repository" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_damaged_index_is_made_again(shop: GitRepository, isolated_folders: Path) -> None:
    before = _out(shop, "--no-models", "basket total")
    (index,) = (isolated_folders / "cache" / "wardround" / "retrieval").glob("*.sqlite")
    index.write_bytes(b"damaged" * 1000)
    assert _out(shop, "--no-models", "basket total") == before


def test_without_a_cache_folder_the_answer_is_the_same(shop: GitRepository, isolated_folders: Path) -> None:
    before = _out(shop, "--no-models", "basket total")
    (isolated_folders / "file").write_text("in the way")
    done = shop.wardround(
        "related", "--no-models", "basket total", env={"XDG_CACHE_HOME": str(isolated_folders / "file")}
    )
    assert (done.returncode, done.stdout) == (0, before)
