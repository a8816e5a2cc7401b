from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.workflows.test.tiny_project import tree
from tests.workflows.test.tiny_scripts import FILES, TESTS, TinyScripts, recorded_scripts, run_recorded
from wardround.context import run_evidence
from wardround.errors import UsageError
from wardround.workflows.test.plans.script_selection import plan_script_tests
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.recordings.run_store import RunStore
from wardround.workflows.test.scripts.tree import ScriptTree

EVERY = {"all", "basket", "launch", "prices", "rounded", "words"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> TinyScripts:
    return recorded_scripts(tmp_path_factory.mktemp("shop"))


def test_a_changed_function_selects_the_files_of_tests_that_ran_it(project: TinyScripts) -> None:
    assert project.selected_after("src/prices.js", "net * (1", "net / (1") == {"basket", "prices"}
    assert project.selected_after("src/prices.js", "=> floor(value)", "=> floor(value + 1)") == {"rounded"}
    assert project.selected_after("src/prices.js", "return 1;", "return 2;") == set()


def test_the_reason_names_the_function(project: TinyScripts) -> None:
    plan = project.plan(project.edited("src/prices.js", "net * (1", "net / (1"))

    item = next(item for item in plan.selected if item.id == "test/prices.test.js")
    assert item.reason == "it ran src/prices.js::gross, which changed"
    assert item.evidence == ("src/prices.js::gross",)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/prices.js", "/** The price with tax. */", "// tax"),
        ("src/prices.js", "  return net * (1 + RATE);", "  return (\n    net * (1 + RATE)\n  )"),
        ("src/prices.js", "'./numbers.js';", '"./numbers.js"'),
        ("src/prices.js", "import { floor } from", "import { floor, } from"),
        ("src/basket.js", "class Base {", "function added() { return 2; }\n\nclass Base {"),
    ],
)
def test_layout_comments_quotes_and_new_functions_select_nothing(
    project: TinyScripts, path: str, old: str, new: str
) -> None:
    assert project.selected_after(path, old, new) == set()


def test_a_new_export_selects_the_tests_that_list_a_module(project: TinyScripts) -> None:
    assert project.selected_after(
        "src/prices.js", "export function unused", "export function added() {}\n\nexport function unused"
    ) == {"all"}


def test_a_statement_outside_of_functions_selects_all_that_loaded_the_file(project: TinyScripts) -> None:
    assert project.selected_after("src/prices.js", "RATE = 0.2", "RATE = 0.3") == {
        "all",
        "basket",
        "prices",
        "rounded",
    }


def test_a_new_method_of_a_class_with_a_base_selects_all_that_loaded_the_file(project: TinyScripts) -> None:
    assert project.selected_after(
        "src/basket.js", "  items = [];", "  items = [];\n  size() { return 1; }"
    ) == {"basket"}


def test_an_import_of_a_module_that_a_test_has_not_loaded_selects_it(project: TinyScripts) -> None:
    edited = project.edited(
        "src/numbers.js",
        "export function",
        "import { words } from './words.js';\nexport const later = () => words();\nexport function",
    )

    assert project.selected(edited) == {"all", "basket", "prices", "rounded"}


def test_a_function_whose_import_has_another_source_is_changed(project: TinyScripts) -> None:
    files = {**FILES, "src/other.js": FILES["src/numbers.js"]}
    files["src/prices.js"] = files["src/prices.js"].replace("./numbers.js", "./other.js")

    reasons = {item.id: item.reason for item in project.plan(files).selected}
    assert reasons["test/rounded.test.js"] == "it ran src/prices.js::rounded, which changed"


def test_a_changed_file_of_tests_is_run(project: TinyScripts) -> None:
    assert project.selected_after("test/words.test.js", "the words are there", "words") == {"words"}


def test_a_new_file_of_tests_is_run(project: TinyScripts) -> None:
    files = {**FILES, "test/new.test.js": FILES["test/words.test.js"]}

    assert project.selected(files) == {"new"}


def test_a_removed_file_selects_the_tests_that_loaded_it(project: TinyScripts) -> None:
    files = {path: text for path, text in FILES.items() if path != "src/basket.js"}

    assert project.selected(files) == {"basket"}


def test_a_file_of_another_kind_selects_the_tests_whose_code_names_it(project: TinyScripts) -> None:
    assert project.selected_after("src/words.txt", "one", "two") == {"words"}


def test_a_document_selects_nothing(project: TinyScripts) -> None:
    assert project.selected_after("README.md", "A shop", "The shop") == set()


@pytest.mark.parametrize("path", ["package-lock.json", "vitest.config.ts", ".env", "data.bin"])
def test_configuration_locks_and_unknown_files_select_every_test(project: TinyScripts, path: str) -> None:
    assert project.selected({**FILES, path: FILES.get(path, "") + " "}) == EVERY


def test_the_version_of_a_package_selects_nothing_and_its_dependencies_every_test(
    project: TinyScripts,
) -> None:
    assert project.selected_after("package.json", '{"type"', '{"version": "2.0.0", "type"') == set()
    assert project.selected_after("package.json", '{"type"', '{"dependencies": {"a": "1"}, "type"') == EVERY


def test_a_script_that_the_configuration_starts_selects_every_test(project: TinyScripts) -> None:
    files = {**FILES, "vitest.config.ts": "export default { test: { globalSetup: './server.ts' } }\n"}
    files["server.ts"] = "import './database';\n"
    before = {**files, "database.ts": "open(1)\n"}
    recording = plan_script_tests(
        [project.recording],
        ScriptTree(tree({**before, "database.ts": "open(2)\n"})),
        Target(),
        base=ScriptTree(tree(before)),
    )

    assert {item.cause for item in recording.selected} == {"settings"}


def test_a_test_that_can_start_a_process_is_always_run(project: TinyScripts) -> None:
    (item,) = project.plan(FILES).selected

    assert (item.id, item.cause) == ("test/launch.test.js", "starts-process")


def test_without_recordings_every_file_is_run_and_the_nearest_to_the_change_first() -> None:
    before = ScriptTree(tree(FILES))
    after = ScriptTree(tree({**FILES, "src/words.js": FILES["src/words.js"] + "words();\n"}))

    plan = plan_script_tests([], after, Target(), base=before)

    assert plan.selected[0].id == "test/words.test.js"
    assert {item.id for item in plan.selected} == set(TESTS)
    assert plan.notes


def test_the_tests_of_a_folder_can_be_requested(project: TinyScripts) -> None:
    plan = project.plan(FILES, "test/words.test.js")

    assert [item.id for item in plan.selected] == ["test/words.test.js"]
    with pytest.raises(UsageError, match=r"no file or folder of tests has this name"):
        project.plan(FILES, "src")


def test_a_change_selects_tests_that_were_recorded_after_it(project: TinyScripts) -> None:
    before = {**FILES, "src/words.js": FILES["src/words.js"].replace("utf8", "latin1")}
    plan = plan_script_tests(
        [project.recording], ScriptTree(tree(FILES)), Target(), base=ScriptTree(tree(before))
    )

    assert "test/words.test.js" in {item.id for item in plan.selected}


def test_a_stored_recording_is_read_back_as_it_was(project: TinyScripts, tmp_path: Path) -> None:
    RunStore.open(tmp_path / "repository", tmp_path / "runs").add(project.recording)

    assert RunStore.open(tmp_path / "repository", tmp_path / "runs").load() == (project.recording,)


def test_the_results_have_titles_and_the_reason_of_a_failure(tmp_path: Path) -> None:
    files = {**FILES, "test/words.test.js": FILES["test/words.test.js"].replace("words().length", "false")}

    recording, results = run_recorded(tmp_path, files)

    found = {result.id: result for result in results}
    assert found["test/basket.test.js > a basket > adds up"].outcome is run_evidence.TestOutcome.PASSED
    assert found["test/basket.test.js > a basket > is empty"].outcome is run_evidence.TestOutcome.SKIPPED
    failed = found["test/words.test.js > the words are there"]
    assert failed.outcome is run_evidence.TestOutcome.FAILED
    assert "AssertionError" in failed.excerpt
    assert len(recording.runs) == len(TESTS)


def test_a_file_that_a_run_of_all_tests_did_not_run_is_excluded(project: TinyScripts) -> None:
    files = {**FILES, "e2e/page.spec.js": "open();\n"}
    others = {**project.recording.others, "e2e/page.spec.js": tree(files).blobs["e2e/page.spec.js"]}
    recording = replace(project.recording, others=others)

    def selected(files: dict[str, str]) -> set[str]:
        plan = plan_script_tests([recording], ScriptTree(tree(files)), Target())
        return {item.id for item in plan.selected}

    assert "e2e/page.spec.js" not in selected(files)
    assert "e2e/page.spec.js" in selected({**files, "e2e/page.spec.js": "close();\n"})
    assert "e2e/page.spec.js" in selected({**files, "vitest.config.ts": ""})
