"""Added functions that repeat an existing one are found; copies that have a reason are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from tests.context.code_graph.conftest import two_commits
from wardround.change.change_source import GitChangeSource, decode_any_encoding
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.context.code_graph.base_repetitions import repetitions_of
from wardround.context.code_graph.symbol_moves import find_moves
from wardround.context.code_graph.update_limit import UpdateLimit
from wardround.context.repetition import Repetition

pytestmark = pytest.mark.usefixtures("without_slow_tools")

if TYPE_CHECKING:
    from tests.conftest import GitRepository

SLUG = (
    "def make_slug(title, separator):\n"
    "    lowered = title.strip().lower()\n"
    "    words = [word for word in lowered.split() if word.isalnum()]\n"
    "    return separator.join(words)[:80]\n"
)
RENAMED = (
    "def slugify(text, glue):\n"
    "    low = text.strip().lower()\n"
    "    parts = [one for one in low.split() if one.isalnum()]\n"
    "    return glue.join(parts)[:80]\n"
)
RATES = (
    "def fresh_rates(client, cache):\n"
    "    cache.evict(limit=20)\n"
    "    client.refresh(timeout=3)\n"
    "    rates = client.rates(currency='EUR')\n"
    "    return dict(rates, source=client.name)\n"
)
REORDERED = (
    "def current_rates(api, store):\n"
    "    api.refresh(timeout=3)\n"
    "    store.evict(limit=20)\n"
    "    found = api.rates(currency='EUR')\n"
    "    return dict(found, source=api.name)\n"
)
BADGE = (
    "export function Badge({ value, unit }: Props) {\n"
    "  const text = value.toFixed(2) + unit.label;\n"
    "  return <span className='badge' title={text}>Total {text}</span>;\n"
    "}\n"
)
UNLIMITED = UpdateLimit(60.0)
PACKAGE = {
    "shop/__init__.py": "",
    "shop/text/__init__.py": "",
    "shop/text/slugs.py": f"import re\n\n\n{SLUG}",
}


def repetitions(
    repo: GitRepository,
    before: Mapping[str, str],
    after: Mapping[str, str | None],
    *,
    limit: UpdateLimit = UNLIMITED,
) -> tuple[Repetition, ...]:
    """Commit files, then a change of them (None deletes one), and return its repetitions."""
    with Repository(repo.root) as repository:
        change = repository.range(*two_commits(repo, before, after))
        source = GitChangeSource(repository, change)

        def read(file: ChangedFile, is_base: bool) -> str | None:
            content = source.content(file, base=is_base)
            return None if content is None else decode_any_encoding(content)

        return repetitions_of(source, change, read, find_moves(change, read), limit)


def named(found: tuple[Repetition, ...]) -> list[tuple[str, str, str]]:
    return [
        (item.name, f"{item.existing_path}:{item.existing_line} {item.existing_name}", item.kind)
        for item in found
    ]


def test_a_copy_with_renamed_locals_is_identical(repo: GitRepository) -> None:
    (found,) = repetitions(repo, PACKAGE, {"shop/pages.py": f"\n{RENAMED}"})
    assert (found.path, found.line, found.end_line, found.name) == ("shop/pages.py", 2, 5, "slugify")
    assert named((found,)) == [("slugify", "shop/text/slugs.py:4 make_slug", "identical")]
    assert (found.similarity, found.is_shown) == (1.0, True)


def test_a_copy_with_exchanged_statements_is_reordered_and_not_shown_to_people(repo: GitRepository) -> None:
    found = repetitions(repo, {**PACKAGE, "shop/rates.py": RATES}, {"shop/prices.py": REORDERED})
    assert named(found) == [("current_rates", "shop/rates.py:1 fresh_rates", "reordered")]
    assert not found[0].is_shown


def test_a_copy_with_other_literals_is_not_shown_to_people(repo: GitRepository) -> None:
    (found,) = repetitions(repo, PACKAGE, {"shop/pages.py": RENAMED.replace("80", "40")})
    assert (found.kind, found.is_shown) == ("literals", False)


def test_an_edited_copy_is_similar_and_not_shown_to_people(repo: GitRepository) -> None:
    long = "".join(f"    words.append(separator.upper({n}))\n" for n in range(6))
    helper = SLUG.replace("    return", f"{long}    return")
    (found,) = repetitions(
        repo,
        {**PACKAGE, "shop/text/slugs.py": helper},
        {"shop/pages.py": helper.replace("make_slug", "slugify").replace("[:80]", "[:80].strip()")},
    )
    assert (found.kind, found.is_shown) == ("similar", False)
    assert 0.8 <= found.similarity < 1


def test_a_component_with_another_text_is_not_identical(repo: GitRepository) -> None:
    before = {"package.json": "{}", "src/Badge.tsx": BADGE}
    (found,) = repetitions(
        repo, before, {"src/Price.tsx": BADGE.replace("Badge", "Price").replace("Total", "Net")}
    )
    assert found.kind == "literals"


def test_a_copy_of_a_component_is_identical(repo: GitRepository) -> None:
    before = {"package.json": "{}", "src/Badge.tsx": BADGE}
    found = repetitions(
        repo, before, {"src/Price.tsx": BADGE.replace("Badge", "Price").replace("text", "shown")}
    )
    assert named(found) == [("Price", "src/Badge.tsx:1 Badge", "identical")]


def test_a_copy_in_the_same_file_is_found(repo: GitRepository) -> None:
    found = repetitions(repo, PACKAGE, {"shop/text/slugs.py": f"import re\n\n\n{SLUG}\n\n{RENAMED}"})
    assert named(found) == [("slugify", "shop/text/slugs.py:4 make_slug", "identical")]


def test_tests_next_to_their_code_are_not_compared(repo: GitRepository) -> None:
    tested = RENAMED.replace("slugify", "test_slugs")
    assert repetitions(repo, PACKAGE, {"shop/pages.py": tested}) == ()


def test_a_moved_function_is_not_a_repetition(repo: GitRepository) -> None:
    assert repetitions(repo, PACKAGE, {"shop/text/slugs.py": "import re\n", "shop/pages.py": RENAMED}) == ()


def test_a_function_that_the_change_turns_into_a_call_is_not_repeated(repo: GitRepository) -> None:
    calls = (
        "from shop.pages import slugify\n\n\ndef make_slug(title, glue):\n    return slugify(title, glue)\n"
    )
    assert repetitions(repo, PACKAGE, {"shop/text/slugs.py": calls, "shop/pages.py": RENAMED}) == ()


def test_a_name_of_another_definition_makes_a_copy_similar_alone(repo: GitRepository) -> None:
    body = "".join(f"    row.add(LIMIT, rows[{n}])\n" for n in range(4))
    before = {"shop/__init__.py": "", "shop/rows.py": f"LIMIT = 'rows'\n\n\ndef fill(row, rows):\n{body}"}
    copy = f"LIMIT = 'pages'\n\n\ndef extend(row, rows):\n{body}"
    (found,) = repetitions(repo, before, {"shop/pages.py": copy})
    assert (found.kind, found.is_shown) == ("similar", False)


def test_an_import_of_a_definition_is_the_definition(repo: GitRepository) -> None:
    body = "".join(f"    row.add(LIMIT, rows[{n}])\n" for n in range(4))
    before = {"shop/__init__.py": "", "shop/rows.py": f"LIMIT = 'rows'\n\n\ndef fill(row, rows):\n{body}"}
    copy = f"from shop.rows import LIMIT\n\n\ndef extend(row, rows):\n{body}"
    (found,) = repetitions(repo, before, {"shop/pages.py": copy})
    assert found.kind == "identical"


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_pages.py",
        "tests/slugs.py",
        "shop/migrations/slugs.py",
        "shop/vendor/slugs.py",
        "docs/slugs.py",
    ],
)
def test_tests_and_generated_files_may_repeat_code(repo: GitRepository, path: str) -> None:
    assert repetitions(repo, PACKAGE, {path: RENAMED}) == ()


def test_a_generated_file_may_repeat_code(repo: GitRepository) -> None:
    assert (
        repetitions(repo, PACKAGE, {"shop/pages.py": f"# Generated by tool. DO NOT EDIT.\n{RENAMED}"}) == ()
    )


def test_code_under_another_licence_is_not_to_be_imported(repo: GitRepository) -> None:
    before = {"shop/__init__.py": "", "shop/ee/__init__.py": "", "shop/ee/slugs.py": SLUG}
    assert repetitions(repo, before, {"shop/pages.py": RENAMED}) == ()


def test_code_of_tests_is_not_to_be_imported_by_source(repo: GitRepository) -> None:
    before = {"shop/__init__.py": "", "shop/tests/__init__.py": "", "shop/tests/slugs.py": SLUG}
    assert repetitions(repo, before, {"shop/pages.py": RENAMED}) == ()


def test_another_package_may_repeat_code(repo: GitRepository) -> None:
    script = BADGE.replace("Badge", "Price")
    before = {"a/package.json": "{}", "b/package.json": "{}", "a/src/Badge.tsx": BADGE}
    assert (
        repetitions(repo, {**PACKAGE, **before}, {"worker/pages.py": RENAMED, "b/src/Price.tsx": script})
        == ()
    )


def test_siblings_of_one_name_in_parallel_folders_may_repeat_code(repo: GitRepository) -> None:
    before = {
        "shop/__init__.py": "",
        "shop/v1/slugs.py": SLUG,
        "shop/v1/__init__.py": "",
        "shop/v2/__init__.py": "",
    }
    assert repetitions(repo, before, {"shop/v2/slugs.py": SLUG}) == ()


def test_a_new_version_of_a_file_may_repeat_code(repo: GitRepository) -> None:
    before = {"package.json": "{}", "src/badge-card.tsx": BADGE}
    assert repetitions(repo, before, {"src/badge-card-v2.tsx": BADGE}) == ()


def test_code_that_the_repository_has_several_times_is_a_convention(repo: GitRepository) -> None:
    copies = {f"shop/page{n}.py": SLUG.replace("make_slug", f"slug_{n}") for n in range(3)}
    assert repetitions(repo, {"shop/__init__.py": "", **copies}, {"shop/pages.py": RENAMED}) == ()


def test_a_method_that_another_class_defines_too_may_repeat_code(repo: GitRepository) -> None:
    indented = "".join(f"    {line}\n" for line in RENAMED.replace("(text", "(self, text").splitlines())
    before = {
        **PACKAGE,
        "shop/base.py": "class Base:\n    def slugify(self, text, glue):\n        return text\n",
    }
    assert repetitions(repo, before, {"shop/pages.py": f"class Page:\n{indented}"}) == ()


def test_a_wrapper_of_the_existing_function_is_not_a_copy(repo: GitRepository) -> None:
    wrapper = RENAMED.replace("glue.join(parts)[:80]", "make_slug(glue.join(parts)[:80], glue)")
    assert (
        repetitions(repo, PACKAGE, {"shop/pages.py": f"from shop.text.slugs import make_slug\n\n{wrapper}"})
        == ()
    )


def test_a_graph_that_is_not_built_is_not_built_within_a_small_budget(repo: GitRepository) -> None:
    assert repetitions(repo, PACKAGE, {"shop/pages.py": RENAMED}, limit=UpdateLimit(60.0, 2)) == ()


def test_a_file_that_is_not_utf8_is_compared(repo: GitRepository) -> None:
    base = repo.commit(PACKAGE)
    head = repo.commit({"shop/pages.py": b"# caf\xe9\n" + RENAMED.encode()})
    report = repo.report("--base", base, "--head", head, "--profile", "ci")
    assert [repetition["symbol"] for repetition in report["related"]["repetitions"]] == ["slugify"]


class TestReports:
    def test_json_has_repetitions_under_related(self, repo: GitRepository) -> None:
        base = repo.commit(PACKAGE)
        head = repo.commit({"shop/pages.py": RENAMED})
        report = repo.report("--base", base, "--head", head, "--profile", "ci")
        assert report["related"]["repetitions"] == [
            {
                "file": "shop/pages.py", "line": 1, "end_line": 4, "symbol": "slugify",
                "existing": {"file": "shop/text/slugs.py", "line": 4, "end_line": 7, "symbol": "make_slug",
                             "exported": True},
                "kind": "identical", "similarity": 1.0,
            }
        ]  # fmt: skip

    def test_json_has_repetitions_and_usual_companions(self, repo: GitRepository) -> None:
        repo.commit(PACKAGE)
        for number in range(7):
            repo.commit({"shop/pages.py": f"PAGES = {number}\n", "shop/menu.py": f"ENTRIES = {number}\n"})
        base = repo.git("rev-parse", "HEAD").strip()
        head = repo.commit({"shop/pages.py": RENAMED})
        related = repo.report("--base", base, "--head", head, "--profile", "ci")["related"]
        assert [item["file"] for item in related["companions"]] == ["shop/menu.py"]
        assert [item["symbol"] for item in related["repetitions"]] == ["slugify"]

    def test_text_names_the_existing_function(self, repo: GitRepository) -> None:
        base = repo.commit(PACKAGE)
        head = repo.commit(
            {"shop/pages.py": RENAMED, "shop/text/slugs.py": f"import re\n\n\n{SLUG}\n\n{RENAMED}"}
        )
        done = repo.wardround("review", "--base", base, "--head", head, "--profile", "ci")
        text = " ".join(done.stdout.split())
        assert "note: shop/pages.py:1 `slugify` repeats shop/text/slugs.py:4 `make_slug`: import it" in text
        assert (
            "note: shop/text/slugs.py:10 `slugify` repeats shop/text/slugs.py:4 `make_slug`: call it" in text
        )

    def test_a_private_function_is_to_be_made_public(self, repo: GitRepository) -> None:
        base = repo.commit({**PACKAGE, "shop/text/slugs.py": SLUG.replace("make_slug", "_slug")})
        head = repo.commit({"shop/pages.py": RENAMED})
        done = repo.wardround("review", "--base", base, "--head", head, "--profile", "ci")
        assert "repeats shop/text/slugs.py:1 `_slug`: make it public and import it" in " ".join(
            done.stdout.split()
        )

    def test_a_staged_change_has_repetitions_too(self, repo: GitRepository) -> None:
        repo.commit(PACKAGE)
        repo.write("shop/pages.py", RENAMED)
        repo.git("add", ".")
        report = repo.report("--staged", "--profile", "ci")
        assert [repetition["symbol"] for repetition in report["related"]["repetitions"]] == ["slugify"]
        assert "repetitions" not in repo.report("--staged").get("related", {})

    def test_other_literals_are_in_json_alone(self, repo: GitRepository) -> None:
        base = repo.commit(PACKAGE)
        head = repo.commit({"shop/pages.py": RENAMED.replace("80", "40")})
        done = repo.wardround("review", "--base", base, "--head", head, "--profile", "ci")
        report = repo.report("--base", base, "--head", head, "--profile", "ci")
        assert "repeats" not in done.stdout
        assert [repetition["kind"] for repetition in report["related"]["repetitions"]] == ["literals"]
