from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.workflows.test.tiny_project import FILES, TinyProject, blob, recorded_project, tree
from wardround.errors import UsageError
from wardround.workflows.test.plans.plan import Cause
from wardround.workflows.test.plans.selection import Target, plan_tests
from wardround.workflows.test.python_code.outline import outline
from wardround.workflows.test.python_code.outline_changes import difference
from wardround.workflows.test.recordings.recorded_runs import OutlinedFile, Ran, RecordedRun, Recording

ALL_TESTS = 16
ALL_FUNCTIONS = 15
"""Without parameters, which a change can replace."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> TinyProject:
    return recorded_project(tmp_path_factory.mktemp("shop"))


def test_an_unchanged_tree_runs_only_tests_whose_processes_no_recording_covers(project: TinyProject) -> None:
    plan = project.plan(FILES)

    assert [(item.id, item.cause) for item in plan.selected] == [
        ("tests/test_launch.py::test_the_version_is_printed", Cause.STARTS_PROCESS)
    ]
    assert len(plan.omitted) == ALL_TESTS - 1
    assert "nothing changed" in plan.omitted[0].reason


def test_a_changed_function_selects_the_tests_that_ran_it(project: TinyProject) -> None:
    files = project.edited("shop/prices.py", "net * (1 + RATE)", "net * (2 + RATE)")

    plan = project.plan(files)

    reasons = {item.id: item.reason for item in plan.selected}
    assert project.selected(files) == {
        "test_tax_is_added[1]", "test_tax_is_added[2]", "TestBasket::test_a_basket_adds_up"
    }  # fmt: skip
    assert reasons["tests/test_basket.py::TestBasket::test_a_basket_adds_up"] == (
        "it ran shop/prices.py::gross, which changed"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import math\n", "import math\nimport os\n"),
        ('"""Return the price with tax."""', '"""The price."""'),
        ("def gross(net: float) -> float:", "def gross(net):"),
        ("def unused():", "def fresh():\n    return 2\n\n\ndef unused():"),
        ("    return net * (1 + RATE)", "    # taxed\n    return (\n        net * (1 + RATE)\n    )"),
        ("LIMIT: int = 10", "LIMIT = 10"),
        ("def unused():\n    return 1", "def unused():\n    return 2"),
        ("def unused():", "FRESH = 3\n\n\ndef unused():"),
    ],
    ids=["import", "documentation", "annotations", "function", "layout", "annotation", "unused", "constant"],
)
def test_changes_without_an_effect_select_nothing(project: TinyProject, old: str, new: str) -> None:
    assert project.selected_after("shop/prices.py", old, new) == set()


def test_a_changed_constant_selects_the_tests_of_its_file_and_of_code_that_uses_it(
    project: TinyProject,
) -> None:
    found = project.selected_after("shop/basket.py", "size = 3", "size = 4")

    assert "test_a_small_basket_has_a_size" in found
    assert "TestBasket::test_an_empty_basket_costs_nothing" in found
    assert "test_something_is_left" not in found


def test_a_changed_import_selects_the_tests_of_functions_that_use_its_name(project: TinyProject) -> None:
    found = project.selected_after("shop/basket.py", "import gross, table", "import rounded as gross, table")

    assert found == {"TestBasket::test_a_basket_adds_up"}


def test_a_function_whose_result_is_cached_selects_every_test_of_its_users(project: TinyProject) -> None:
    found = project.selected_after("shop/prices.py", '{"a": rounded(1.5)}', '{"a": 1}')

    assert found == {"test_a_name_is_found", "test_a_name_is_found_again"}


def test_a_decorator_that_ran_on_import_selects_the_tests_of_what_it_decorates(project: TinyProject) -> None:
    found = project.selected_after("shop/prices.py", "    return inner\n", "    return print\n")

    assert "test_a_price_is_doubled" in found


def test_a_function_that_ran_on_import_selects_what_its_result_decides(project: TinyProject) -> None:
    found = project.selected_after("shop/cases.py", "return [1]", "return [2]")

    assert found == {"test_each_case_is_positive", "test_there_is_one_line", "test_lines_can_be_counted"}


def test_a_function_that_only_tests_call_selects_no_other_user_of_its_name(project: TinyProject) -> None:
    found = project.selected_after("shop/basket.py", "return sum(self.items)", "return sum(self.items) + 0")

    assert found == {"TestBasket::test_a_basket_adds_up", "TestBasket::test_an_empty_basket_costs_nothing"}


def test_a_setup_that_tests_share_selects_each_of_them(project: TinyProject) -> None:
    found = project.selected_after("shop/stock.py", "return LEFT[name]", "return LEFT[name] + 0")

    assert {"test_something_is_left", "test_the_same_is_left_later"} <= found
    assert "test_the_words_are_there" in found, "the setup serves the file"


def test_a_changed_fixture_selects_the_tests_that_use_it(project: TinyProject) -> None:
    found = project.selected_after(
        "tests/test_basket.py", "    return Basket()", "    return Basket() or None"
    )

    assert found == {"TestBasket::test_a_basket_adds_up", "TestBasket::test_an_empty_basket_costs_nothing"}


def test_a_changed_test_is_run_with_all_its_parameters(project: TinyProject) -> None:
    files = project.edited("tests/test_prices.py", "gross(value) > value", "gross(value) >= value")

    first = project.plan(files).selected[0]

    assert (first.id, first.cause) == ("tests/test_prices.py::test_tax_is_added", Cause.CHANGED_TEST)


def test_a_new_test_is_run_and_a_removed_one_is_not_listed(project: TinyProject) -> None:
    files = project.edited("tests/test_prices.py", "def test_a_price_is_doubled", "def test_a_price_is_new")

    plan = project.plan(files)

    assert [item.id for item in plan.selected if item.cause is Cause.NEW_TEST] == [
        "tests/test_prices.py::test_a_price_is_new"
    ]
    assert not any("doubled" in item.id for item in (*plan.selected, *plan.omitted))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("pyproject.toml", "configures the tests or the build"),
        ("tests/conftest.py", "holds fixtures and hooks of pytest"),
        ("uv.lock", "decides which packages are installed"),
        ("shop/fast.c", "is compiled"),
    ],
)
def test_a_file_that_every_test_uses_selects_all_tests(project: TinyProject, path: str, words: str) -> None:
    plan = project.plan({**FILES, path: "[[package]]\nname = 'six'\n" if path == "uv.lock" else "a = 1\n"})

    assert (len(plan.selected), plan.omitted) == (ALL_FUNCTIONS, ())
    assert words in plan.selected[0].reason


def test_a_statement_that_no_name_bounds_selects_all_tests(project: TinyProject) -> None:
    files = project.edited("shop/stock.py", 'LEFT = {"a": 1}\n', 'LEFT = {"a": 1}\nLEFT.update(b=2)\n')

    plan = project.plan(files)

    assert len(plan.selected) == ALL_FUNCTIONS
    assert "shop/stock.py (line 2) has effects that no name bounds" in plan.selected[0].reason


def test_a_data_file_selects_the_tests_whose_code_names_it(project: TinyProject) -> None:
    assert project.selected({**FILES, "shop/words.txt": "two\n"}) == {"test_the_words_are_there"}


def test_a_data_file_that_no_code_names_selects_all_tests(project: TinyProject) -> None:
    assert len(project.plan({**FILES, "queries/zero.sql": "select 0"}).selected) == ALL_FUNCTIONS


def test_a_document_that_no_code_names_selects_nothing(project: TinyProject) -> None:
    assert project.selected({**FILES, "README.md": "Another shop.\n"}) == set()


@pytest.mark.parametrize("indent", ["", "if True:\n    "])
def test_a_test_that_a_file_of_tests_begins_to_import_is_selected(project: TinyProject, indent: str) -> None:
    text = project.files["tests/test_prices.py"]
    files = {
        **project.files,
        "tests/more_cases.py": "def test_more():\n    pass\n",
        "tests/test_prices.py": f"{text}\n\n{indent}from tests.more_cases import test_more\n",
    }

    assert "test_more" in project.selected(files)


def test_a_file_that_does_not_parse_selects_all_tests(project: TinyProject) -> None:
    assert len(project.plan({**FILES, "shop/stock.py": "def (:\n"}).selected) == ALL_FUNCTIONS


def test_a_removed_file_selects_the_tests_that_ran_it(project: TinyProject) -> None:
    files = {path: text for path, text in FILES.items() if path != "shop/stock.py"}

    assert {"test_something_is_left", "test_the_same_is_left_later"} <= project.selected(files)


def test_tests_run_already_at_the_head_are_selected_again_for_the_change_since_the_base(
    project: TinyProject,
) -> None:
    before = project.edited("shop/prices.py", "return math.floor(value)", "return value")

    plan = plan_tests([project.recording], tree(FILES), Target(), base=tree(before))

    assert {item.id for item in plan.selected if item.cause is Cause.RAN_CHANGED_FUNCTION} >= {
        "tests/test_prices.py::test_a_price_is_rounded_down"
    }


@pytest.mark.parametrize("added", ["class Note:\n    def __init__(self):\n        self.text = ''\n"])
def test_a_new_class_selects_nothing(project: TinyProject, added: str) -> None:
    assert project.selected_after("shop/stock.py", "LEFT = {", f"{added}\n\nLEFT = {{") == set()


def test_a_new_special_method_of_a_known_class_selects_the_tests_of_its_file(project: TinyProject) -> None:
    added = "    def __len__(self):\n        return 1\n\n    def total(self):"
    found = project.selected_after("shop/basket.py", "    def total(self):", added)
    assert "TestBasket::test_a_basket_adds_up" in found


def test_a_new_test_in_a_class_selects_no_other_test_of_its_file(project: TinyProject) -> None:
    text = project.files["tests/test_basket.py"].replace("class TestBasket:", "class TestBasket(Base):")
    text = f"class Base:\n    def test_base(self):\n        pass\n\n\n{text}"
    before = {**project.files, "tests/test_basket.py": text}
    added = text.replace("(Base):\n", "(Base):\n    def test_new(self):\n        pass\n\n")
    after = {**before, "tests/test_basket.py": added}

    item = difference(
        "tests/test_basket.py", tree(before).outline("tests/test_basket.py"),
        tree(after).outline("tests/test_basket.py"), frozenset(),
    )  # fmt: skip

    assert (item.is_complete, item.functions) == (False, frozenset({"TestBasket.test_new"}))


def test_a_test_that_replaces_an_inherited_one_is_selected() -> None:
    text = "class Base:\n    def test_a(self):\n        pass\n\n\nclass TestA(Base):\n    b = 1\n"
    test = "tests/test_basket.py::TestA::test_a"
    recording = recorded_runs_of({"tests/test_basket.py": text}, test)
    text += "\n    def test_a(self):\n        assert 0\n"

    plan = plan_tests([recording], tree({"tests/test_basket.py": text}), Target())

    assert (test, Cause.CHANGED_TEST) in {(item.id, item.cause) for item in plan.selected}


def recorded_runs_of(files: dict[str, str], test: str) -> Recording:
    """The recording of a test that ran the first function of its file."""
    path = test.partition("::")[0]
    found = tree(files)
    key = (path, found.blobs[path])
    return Recording(
        (RecordedRun(test, {key: frozenset({0})}),), {key: OutlinedFile(*key, found.outline(path))}
    )


def test_tests_after_a_text_without_indentation_are_known_by_their_class() -> None:
    text = """class A:
    def test_a(self):
        assert '''
b
'''

    def test_b(self):
        pass
"""
    assert tree({"test_a.py": text}).tests_in("test_a.py") == ("test_a.py::A::test_a", "test_a.py::A::test_b")


def test_a_version_selects_the_tests_of_code_that_uses_it(project: TinyProject) -> None:
    files = {**project.files, "shop/stock.py": f"__version__ = '1'\n{project.files['shop/stock.py']}"}
    newer = {**files, "shop/stock.py": files["shop/stock.py"].replace("'1'", "'2'")}
    item = difference(
        "shop/stock.py",
        tree(files).outline("shop/stock.py"),
        tree(newer).outline("shop/stock.py"),
        frozenset(),
    )
    assert (item.is_complete, item.names) == (False, frozenset({"__version__"}))


EXAMPLE = '"""\n>>> 1 + 1\n2\n"""\n'


def test_examples_that_no_doctest_runs_select_nothing(project: TinyProject) -> None:
    files = {**project.files, "shop/stock.py": f"{EXAMPLE}{project.files['shop/stock.py']}"}
    assert project.selected(files) == set()


def test_examples_select_the_tests_of_their_file_where_doctest_is_used(project: TinyProject) -> None:
    files = {**project.files, "shop/stock.py": f"{EXAMPLE}{project.files['shop/stock.py']}",
             "shop/examples.py": "import doctest\n"}  # fmt: skip
    assert "test_something_is_left" in project.selected(files)


@pytest.mark.parametrize("path", [".travis.yml", ".flake8", "appveyor.yml", ".git-blame-ignore-revs"])
def test_a_file_for_a_service_or_a_linter_selects_nothing(project: TinyProject, path: str) -> None:
    assert project.selected({**project.files, path: "new"}) == set()


def test_without_a_recording_every_test_is_run_ranked_ones_first() -> None:
    ranked = ["tests/test_stock.py::test_something_is_left"]

    plan = plan_tests([], tree(FILES), Target(), ranked=ranked)

    assert plan.selected[0].id == ranked[0]
    assert {item.cause for item in plan.selected} == {Cause.NOT_RECORDED}
    assert len(plan.selected) == ALL_FUNCTIONS
    assert plan.notes == (
        "No run is recorded, so every test is run; a recorded run bounds the tests of later changes.",
    )


def test_without_a_recording_a_change_of_documents_runs_nothing() -> None:
    plan = plan_tests([], tree({**FILES, "README.md": "new"}), Target(), base=tree(FILES))

    assert plan.selected == ()
    assert {item.reason for item in plan.omitted} == {"the change has documents alone"}


def test_all_tests_are_run_on_request(project: TinyProject) -> None:
    assert {item.cause for item in project.plan(FILES, "all").selected} == {Cause.ALL}
    assert len(project.plan(FILES, "all").selected) == ALL_TESTS


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("tests/test_prices.py::test_tax_is_added", 2),
        ("tests/test_prices.py::test_tax_is_added[1]", 1),
        ("tests/test_basket.py::TestBasket", 2),
        ("tests/test_stock.py", 3),
        ("tests/", ALL_TESTS),
    ],
)
def test_tests_are_requested_by_id_class_file_or_folder(project: TinyProject, name: str, count: int) -> None:
    plan = project.plan(FILES, name)

    assert [item.cause for item in plan.selected] == [Cause.REQUESTED] * count
    assert len(plan.omitted) == ALL_TESTS - count


def test_an_unknown_test_is_an_error_with_the_nearest_id(project: TinyProject) -> None:
    with pytest.raises(UsageError, match=r"did you mean tests/test_stock.py::test_something_is_left"):
        project.plan(FILES, "tests/test_stock.py::test_something_left")


def test_a_run_that_lacks_the_file_of_its_test_bounds_nothing(project: TinyProject) -> None:
    runs = tuple(
        replace(item, ran={key: ran for key, ran in item.ran.items() if key[0] != item.file})
        for item in project.recording.runs
    )

    plan = plan_tests([replace(project.recording, runs=runs)], tree(FILES), Target())

    assert len(plan.selected) == ALL_FUNCTIONS


def test_a_constant_selects_the_tests_of_code_that_mentions_it(project: TinyProject) -> None:
    plan = project.plan(project.edited("shop/stock.py", 'LEFT = {"a": 1}', 'LEFT = {"a": 2}'))

    assert {item.id.partition("::")[0] for item in plan.selected} == {
        "tests/test_stock.py",
        "tests/test_launch.py",
    }
    assert "shop/stock.py::left, which uses LEFT" in plan.selected[0].reason


def test_a_constant_that_no_code_mentions_selects_the_tests_of_its_file(project: TinyProject) -> None:
    files = project.edited("shop/stock.py", 'LEFT = {"a": 1}\n', 'LEFT = {"a": 1}\nSPARE = 1\n')
    recorded = TinyProject(files, _recorded_with(project, files, "shop/stock.py"))

    found = recorded.selected_after("shop/stock.py", "SPARE = 1", "SPARE = 2")

    assert {"test_something_is_left", "test_the_same_is_left_later"} <= found


def test_a_constant_of_a_file_that_no_test_ran_selects_one_test_of_each_file(project: TinyProject) -> None:
    base = {**FILES, "shop/limits.py": "MOST = 1\n"}
    head = {**FILES, "shop/limits.py": "MOST = 2\n"}

    plan = plan_tests([project.recording], tree(head), Target(), base=tree(base))

    chosen = [item for item in plan.selected if item.cause is Cause.RAN_CHANGED_FILE]
    assert len(chosen) == len({item.id.partition("::")[0] for item in chosen}) > 1
    assert "may fail on import" in chosen[0].reason


def _recorded_with(project: TinyProject, files: Mapping[str, str], path: str) -> Recording:
    """Return the recording with another version of a file whose functions are the same."""
    known = {key: item for key, item in project.recording.files.items() if key[0] != path}
    new = OutlinedFile(path, blob(files[path]), outline(files[path]))

    def moved(ran: Mapping[tuple[str, str], Ran]) -> dict[tuple[str, str], Ran]:
        return {(path, new.blob) if key[0] == path else key: numbers for key, numbers in ran.items()}

    runs = tuple(replace(run, ran=moved(run.ran), shared=moved(run.shared)) for run in project.recording.runs)
    files_now = {**known, (path, new.blob): new}
    return replace(project.recording, runs=runs, files=files_now, outside=moved(project.recording.outside))
