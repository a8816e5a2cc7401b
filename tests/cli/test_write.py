"""``wardround write`` as a user meets it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from wardround.authoring.context.model import read_context, schema

if TYPE_CHECKING:
    from tests.conftest import GitRepository

PUBLISHED = Path(__file__).parents[2] / "docs" / "write-context.schema.json"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SHOP = {
    "pyproject.toml": '[project]\nname = "shop"\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
    "shop/__init__.py": "",
    "shop/cart.py": '''\
"""The basket of a customer."""

from shop.money import Money, round_up


class Basket:
    """What a customer is about to buy."""

    def __init__(self, lines):
        self.lines = lines

    def total(self):
        """Return the price of all lines."""
        return round_up(sum(line.price for line in self.lines))

    def clear(self):
        self.lines = []
''',
    "shop/money.py": '''\
"""Amounts of money."""


class Money:
    def __init__(self, cents):
        self.cents = cents


def round_up(amount):
    """Round an amount to full cents."""
    return -(-amount // 1)
''',
    "shop/mailer.py": "def send_receipt(basket, address):\n    smtp.send(address, 'thanks')\n",
    "web/login.tsx": "export function LoginForm() {\n  return <form />;\n}\n",
    "tests/test_cart.py": """\
from shop.cart import Basket


def test_total_of_an_empty_basket():
    assert Basket([]).total() == 0


def test_clear():
    basket = Basket([1])
    basket.clear()
    assert basket.lines == []
""",
    "docs/basket.md": "# Basket\n\nThe total of a basket is rounded up.\n\n# Mail\n\nReceipts are sent.\n",
    "CHANGELOG.md": "# Changes\n\n- baskets have a total\n",
}
TASK = "Basket.total is wrong for a discount\n\n`Basket.total` should subtract the discount of each line.\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    repo.commit(SHOP, "baskets")
    repo.commit(
        {"shop/cart.py": SHOP["shop/cart.py"] + "\n", "CHANGELOG.md": "# Changes\n\n- total rounds\n"}
    )
    return repo


def _written(
    repo: GitRepository, *arguments: str | Path, env: dict[str, str] | None = None
) -> tuple[dict[str, Any], str]:
    """Run the command with a task, and return the context and the plan."""
    done = repo.wardround("write", *arguments, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    folder = repo.root / "artifacts" / "wardround"
    return (
        json.loads((folder / "write-context.json").read_bytes()),
        (folder / "patch-plan.md").read_text("utf-8"),
    )


def _complaint(repo: GitRepository, *arguments: str | Path) -> str:
    """Return the one sentence of a command that fails with status 2 and writes nothing."""
    before = repo.fingerprint()
    done = repo.wardround("write", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert repo.fingerprint() == before
    assert done.stderr.count("\n") == 1
    return done.stderr.strip().removeprefix("wardround: ")


def test_the_first_function_is_the_one_that_the_task_names(shop: GitRepository) -> None:
    context, _ = _written(shop, "--task", TASK)
    first = context["functions"][0]
    assert (first["pointer"]["path"], first["pointer"]["symbol"]) == ("shop/cart.py", "Basket")
    assert first["shown"] == "whole"
    assert first["reasons"][0] == 'the task names "Basket"'
    assert context["files"][0]["pointer"]["path"] == "shop/cart.py"
    assert "round_up(sum(line.price for line in self.lines))" in context["text"]


def test_the_context_matches_its_published_schema(shop: GitRepository) -> None:
    context, _ = _written(shop, "--task", TASK)
    assert PUBLISHED.read_text(encoding="utf-8") == schema()
    jsonschema.validate(context, json.loads(schema()))


def test_blobs_and_lines_of_pointers_are_those_of_the_base(shop: GitRepository) -> None:
    context, _ = _written(shop, "--task", TASK)
    for part in ("files", "functions", "tests", "conventions", "documentation"):
        for item in context[part]:
            at = item["pointer"]
            content = shop.git("cat-file", "blob", at["blob"])
            assert shop.git("rev-parse", f"{context['base']}:{at['path']}").strip() == at["blob"]
            assert 1 <= at["first_line"] <= at["last_line"] <= max(content.count("\n"), 1)
            assert item["reasons"]


def test_tests_and_documentation_and_the_changelog_are_found(shop: GitRepository) -> None:
    context, plan = _written(shop, "--task", TASK)
    assert context["tests"][0]["pointer"]["symbol"] == "test_total_of_an_empty_basket"
    assert context["documentation"][0]["pointer"]["symbol"] == "Basket"
    assert [item["pointer"]["path"] for item in context["conventions"]][-1] == "CHANGELOG.md"
    assert "- change `tests/test_cart.py`" in plan


def test_the_plan_has_every_part_in_order(shop: GitRepository) -> None:
    _, plan = _written(shop, "--task", TASK)
    titles = [line.removeprefix("## ") for line in plan.split("\n") if line.startswith("## ")]
    assert titles == [
        "Files to change, in order",
        "Tests to add or change",
        "Checks to run",
        "Constraints",
        "Conventions",
        "Risks",
        "Open questions",
    ]
    assert plan.startswith("# Basket.total is wrong for a discount\n\nKind: bug (")
    assert "pytest tests/test_cart.py" in plan


def test_imported_files_precede_in_the_plan(shop: GitRepository) -> None:
    _, plan = _written(shop, "--task", "Let `round_up` and `Basket` take a currency")
    assert plan.index("`shop/money.py`") < plan.index("`shop/cart.py`")
    assert "- after `shop/money.py`, which it imports" in plan


def test_constraints_are_quoted_with_the_place_where_they_bind(shop: GitRepository) -> None:
    file = shop.root.parent / "constraints.md"
    file.write_text(
        "# Demands\n\n- No new dependencies.\n- `round_up` stays as it is\n\nBe\nbrief.\n", "utf-8"
    )
    context, plan = _written(shop, "--task", TASK, "--constraints", file)
    assert context["constraints"] == [
        {"text": "No new dependencies.", "line": 3},
        {"text": "`round_up` stays as it is", "line": 4},
        {"text": "Be brief.", "line": 6},
    ]
    assert "> No new dependencies.\n\n- line 3, binds pyproject.toml\n" in plan
    assert "> `round_up` stays as it is\n\n- line 4, binds shop/money.py lines 9-11 `round_up`\n" in plan
    assert "> Be brief.\n\n- line 6, binds everywhere\n" in plan


def test_constraints_can_be_a_yaml_list(shop: GitRepository) -> None:
    file = shop.root.parent / "constraints.yml"
    file.write_text("- No new dependencies.\n-   Keep   it short\n", "utf-8")
    context, _ = _written(shop, "--task", TASK, "--constraints", file)
    assert [row["line"] for row in context["constraints"]] == [1, 2]
    assert context["constraints"][1]["text"] == "Keep it short"


def test_another_base_and_folder_can_be_requested(shop: GitRepository) -> None:
    base = shop.git("rev-parse", "HEAD~1").strip()
    out = shop.root.parent / "out"
    done = shop.wardround("write", "--task", TASK, "--base", "HEAD~1", "--out", out)
    assert done.returncode == 0
    assert f"plan: {out}/patch-plan.md" in done.stdout
    assert read_context((out / "write-context.json").read_bytes()).base == base
    assert not (shop.root / "artifacts").exists()


def test_the_work_tree_and_the_index_are_not_read(shop: GitRepository) -> None:
    before, _ = _written(shop, "--task", TASK)
    shop.write("shop/cart.py", "def total(): ...\n")
    shop.stage({"shop/discount.py": "def discount(): ...\n"})
    assert _written(shop, "--task", TASK)[0] == before


def test_git_ignores_the_default_folder(shop: GitRepository) -> None:
    _written(shop, "--task", TASK)
    assert shop.git("status", "--porcelain") == ""


def test_a_file_of_markdown_and_a_saved_ticket_are_tasks(shop: GitRepository) -> None:
    task = shop.root.parent / "task.md"
    task.write_text("# Discount of `Basket.total`\n\n## Acceptance criteria\n\n- it is subtracted\n", "utf-8")
    context, plan = _written(shop, "--task", task)
    assert (context["task"]["source"], context["task"]["name"]) == ("file", "task.md")
    assert (context["task"]["title"], context["task"]["criteria"]) == (
        "Discount of `Basket.total`",
        ["it is subtracted"],
    )
    assert "- [ ] it is subtracted\n" in plan
    ticket = shop.root.parent / "ticket.json"
    ticket.write_text(json.dumps({"title": "Discount of the basket", "key": "SHOP-3"}), "utf-8")
    context, _ = _written(shop, "--task", ticket)
    assert (context["task"]["source"], context["task"]["name"]) == ("ticket", "SHOP-3")


def test_settings_and_the_place_of_the_clone_change_no_byte(shop: GitRepository, tmp_path: Path) -> None:
    _written(shop, "--task", TASK)
    elsewhere = tmp_path / "a much longer folder" / "Ünïcode"
    shutil.copytree(shop.root, elsewhere / "clone", ignore=shutil.ignore_patterns("artifacts"))
    home = tmp_path / "other home"
    home.mkdir()
    env = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "TZ": "Pacific/Kiritimati",
        "LANG": "tr_TR.UTF-8",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "77",
    }
    done = shop.run("wardround", "write", "--task", TASK, env={**os.environ, **env}, cwd=elsewhere / "clone")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("write-context.json", "patch-plan.md"):
        first = shop.root / "artifacts" / "wardround" / name
        second = elsewhere / "clone" / "artifacts" / "wardround" / name
        assert first.read_bytes() == second.read_bytes()


def test_the_text_stays_within_its_tokens_and_whole_lines(shop: GitRepository) -> None:
    body = "".join(f"    value_{n} = basket_total({n}) + discount\n" for n in range(2000))
    shop.commit({"shop/huge.py": f"def basket_total_discount():\n{body}"})
    context, _ = _written(shop, "--task", TASK, "--tokens", "1000")
    assert len(context["text"]) <= 4000
    assert context["tokens"]["used"] <= context["tokens"]["limit"] == 1000
    part = next(item for item in context["functions"] if item["shown"] == "part")
    at = part["pointer"]
    lines = shop.git("cat-file", "blob", at["blob"]).split("\n")[at["first_line"] - 1 : at["last_line"]]
    assert "\n".join(lines) in context["text"]


def test_secrets_are_masked_in_code_and_task(shop: GitRepository) -> None:
    shop.commit({"shop/discount.py": f'def discount_total():\n    return fetch("{TOKEN}")\n'})
    context, plan = _written(shop, "--task", f"discount_total fails with the token {TOKEN} of a basket")
    content = json.dumps(context) + plan
    assert TOKEN not in content
    assert 'return fetch("***")' in context["text"]
    assert any("masked in 1 lines" in note for note in context["notes"])


def test_files_that_are_no_text_are_noted_and_not_read(shop: GitRepository) -> None:
    shop.commit(
        {
            "shop/basket_total.py": b"total = 1\xff\xfe\n",
            "shop/discount.ts": b"\x00\x01\x02",
            "shop/lines.py": "basket_total = 1\n" * 1_000_000,
            "shop/total.png": b"\x89PNG\x00",
        }
    )
    context, _ = _written(shop, "--task", TASK)
    assert any(
        note.startswith("3 source files were not read, such as shop/basket_total.py")
        for note in context["notes"]
    )
    assert "\ufffd" not in context["text"]


def test_names_that_are_not_utf8_are_escaped(shop: GitRepository) -> None:
    path = os.fsdecode(b"shop/basket_total_\xff.py")
    shop.commit({path: "def basket_discount():\n    return 1\n"})
    context, plan = _written(shop, "--task", TASK)
    assert any(item["pointer"]["path"] == "shop/basket_total_\\xff.py" for item in context["files"])
    assert plan


def test_a_task_without_a_shared_word_has_a_question_instead_of_files(shop: GitRepository) -> None:
    context, plan = _written(shop, "--task", "Zebras gallop quickly")
    assert (context["files"], context["functions"], context["text"]) == ([], [], "")
    assert "no file shares a word with the task" in plan


@pytest.mark.parametrize(
    ("task", "complaint"),
    [
        ("fix", "the task: it has fewer than 2 words; describe what is to change"),
        ("  \n ", "the task: it has fewer than 2 words; describe what is to change"),
        ("no/such/file.md", "the task file 'no/such/file.md' does not exist; give a file, a ticket"),
        ("word " * 30_000, "the task: it has 149,999 characters, more than 100,000; shorten the task"),
        ("shop", "the task file shop cannot be read: Is a directory"),
        ("https://example.org/x", "'example.org' with the path '/x' is not an issue of GitHub, Jira"),
    ],
)  # fmt: skip
def test_a_task_that_states_nothing_is_refused(shop: GitRepository, task: str, complaint: str) -> None:
    assert _complaint(shop, "--task", task).startswith(complaint)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"x" * (2 * 1024 * 1024), "has more than 1,048,576 bytes; shorten it"),
        (b"basket\x00total", "is binary; give a text"),
        (b"basket \xff total", "is not UTF-8; save it as UTF-8"),
        (b"", "it has fewer than 2 words; describe what is to change"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_task_is_refused(shop: GitRepository, content: bytes, complaint: str) -> None:
    file = shop.root.parent / "task.md"
    file.write_bytes(content)
    assert _complaint(shop, "--task", file).endswith(complaint)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("c.md", "# Only a heading\n", "has no constraints; write one list item or paragraph for each"),
        ("c.yml", "a: b\n", "is not a list; write a list of strings"),
        ("c.yml", "- [1, 2]\n", ":1: the item is not a text; write a list of strings"),
        ("c.yml", "- 'x\n", "write a list of strings"),
        ("c.md", "- a\n" * 101, "has 101 constraints, more than 100; merge or remove some"),
        ("c.md", f"- {'a' * 2001}\n", ":1: the constraint has more than 2000 characters; shorten it"),
    ],
)  # fmt: skip
def test_a_file_that_has_no_constraints_is_refused(
    shop: GitRepository, name: str, content: str, complaint: str
) -> None:
    file = shop.root.parent / name
    file.write_text(content, "utf-8")
    assert _complaint(shop, "--task", TASK, "--constraints", file).endswith(complaint)


def test_missing_files_and_revisions_are_refused(shop: GitRepository) -> None:
    missing = _complaint(shop, "--task", TASK, "--constraints", "none.md")
    reason = "cannot be read: No such file or directory; give the path of a text file"
    assert missing == f"the constraints file none.md {reason}"
    assert "no-such-branch" in _complaint(shop, "--task", TASK, "--base", "no-such-branch")


def test_a_repository_without_a_commit_is_refused(repo: GitRepository) -> None:
    assert _complaint(repo, "--task", TASK) == (
        "the repository has no commit yet; commit the code that the task starts from"
    )


def test_a_folder_without_git_is_refused(tmp_path: Path, repo: GitRepository) -> None:
    folder = tmp_path / "no-git"
    folder.mkdir()
    done = repo.wardround("write", "--task", TASK, "--repo", folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_nothing_is_written_through_a_link(shop: GitRepository, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop.root / "artifacts").symlink_to(outside)
    done = shop.wardround("write", "--task", TASK)
    assert done.returncode == 2
    assert "artifacts is a symbolic link inside the repository under review" in done.stderr
    assert list(outside.iterdir()) == []
