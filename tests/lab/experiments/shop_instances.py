"""Instances of a small project, made from its own history."""

from __future__ import annotations

from pathlib import Path

from tests.authoring.shop_project import CODE, FILES, TESTS
from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround_lab.experiments.instances.instance_file import encode_instances
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.instances.tested_base import commit_with_tests

NAME = "acme/shop"
GOOD_LINE = '    return item.get("name", "").lower()'
FIXED = CODE.replace('    return item["name"].lower()', GOOD_LINE)
OLD_TESTS = TESTS.rpartition("\n\ndef ")[0]
TEST_FILE = "tests/test_shop.py"
TASKS = ("An item without a name has an empty label", "Labels of items that have no name fail")


def mined_instances(repo: GitRepository, texts: tuple[str, ...] = TASKS) -> list[MinedInstance]:
    """Commit the project with a fault and then its fix, and return one instance for each text."""
    repo.commit({**FILES, TEST_FILE: OLD_TESTS})
    parent = repo.git("rev-parse", "HEAD").strip()
    repo.commit({"shop.py": FIXED, TEST_FILE: TESTS})
    commit = repo.git("rev-parse", "HEAD").strip()
    with Repository(repo.root) as repository:
        base = commit_with_tests(repository, parent, commit, [TEST_FILE])
    return [
        MinedInstance(
            id=f"{number:016x}",
            repository=NAME,
            commit=commit,
            parent=parent,
            base=base,
            date="2026-01-02T03:04:05Z",
            text=text,
            gold=repo.git("diff", parent, commit, "--", "shop.py"),
            tests=(TEST_FILE,),
            fail_to_pass=(f"{TEST_FILE}::test_label_without_a_name",),
            pass_to_pass=(f"{TEST_FILE}::test_label", f"{TEST_FILE}::test_total"),
        )
        for number, text in enumerate(texts)
    ]


def instance_file(repo: GitRepository, path: Path, texts: tuple[str, ...] = TASKS) -> Path:
    """Write the instances to a file."""
    path.write_bytes(encode_instances(mined_instances(repo, texts)))
    return path
