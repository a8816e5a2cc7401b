"""New parameters that a docstring omits: the rule by itself, and with a model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from wardround_python.check import run_python_checks
from wardround_python.checks.documentation.parameter_undocumented import ParameterUndocumented
from wardround_python.docdrift import undocumented_parameters

from tests.conftest import GitRepository
from tests.plugins.judges import Judge, Lender
from wardround.change.repository_view import InMemoryRepository
from wardround.checks.source import SourceFile
from wardround.inference.api import Models, NoModels
from wardround.inference.metadata import PromotionState
from wardround.inference.registry import ModelRegistry, default_registry
from wardround.inference.runtime import detect_runtime
from wardround.inference.tabular import raw_score
from wardround.semantics.docdrift.new_parameters import NAMES

BEFORE = '''\
def send(to, text):
    """Send a text.

    :param to: who gets it
    """
    return post(to, text)
'''
AFTER = BEFORE.replace("to, text)", "to, text, wait)")
SURE = BEFORE.replace("it\n", "it\n    :param text: what is sent\n")


def told(before: str, after: str, models: Models) -> list[str]:
    source = SourceFile("mail.py", after, lambda: before, models=models)
    return [
        f"{check.span.line}: {check.message}" for check in run_python_checks([ParameterUndocumented], source)
    ]


def test_the_model_scores_sparsely_documented_functions() -> None:
    assert told(BEFORE, AFTER, NoModels()) == []
    judge = Judge()
    assert told(BEFORE, AFTER, Lender(judge)) == [
        '1: parameter "wait" is new; docstrings like this one usually document it'
    ]
    assert {len(row) for row in judge.asked} == {len(NAMES)}


def test_an_improbable_parameter_is_not_reported() -> None:
    assert told(BEFORE, AFTER, Lender(Judge(answer=0.69, threshold=0.7))) == []
    assert told(BEFORE, AFTER, Lender(Judge(answer=0.99, threshold=float("inf")))) == []
    assert told(BEFORE, AFTER, Lender(None)) == []


def test_a_certain_parameter_is_reported_without_the_model() -> None:
    lender = Lender(Judge())
    after = SURE.replace("to, text)", "to, text, wait)")
    assert told(SURE, after, lender) == told(SURE, after, NoModels())
    assert len(told(SURE, after, lender)) == 1
    assert lender.wanted == []


@pytest.mark.parametrize(
    "after",
    [
        BEFORE.replace("post(to, text)", "post(to, text, 1)"),
        AFTER.replace("who gets it", "who gets it, after a wait"),  # the docstring was edited
        AFTER.replace("wait", "_wait"),
        AFTER.replace('    """Send a text.\n\n    :param to: who gets it\n    """\n', ""),
    ],
)
def test_the_model_is_not_run_if_no_parameter_is_omitted(after: str) -> None:
    lender = Lender(Judge())
    assert told(BEFORE, after, lender) == []
    assert lender.wanted == []


def test_the_number_of_scored_parameters_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undocumented_parameters, "MOST_ASKED", 2)
    after = BEFORE.replace("to, text)", "to, text, wait, tries, order)")
    assert [item[:25] for item in told(BEFORE, after, Lender(Judge()))] == [
        '1: parameter "wait" is ne', '1: parameter "tries" is n'
    ]  # fmt: skip


@pytest.mark.parametrize(("files", "count"), [(5, 1), (6, 0)])
def test_a_name_added_to_many_files_is_a_sweep_and_ignored(files: int, count: int) -> None:
    paths = {f"part{number}.py": "def f(wait): ...\n" for number in range(files)}
    project = InMemoryRepository(paths)
    source = SourceFile(
        "mail.py",
        AFTER,
        lambda: BEFORE,
        project,
        models=Lender(Judge()),
        is_changed=lambda path: path in paths,
    )
    assert len(list(run_python_checks([ParameterUndocumented], source))) == count


class TestTheShippedModel:
    @pytest.fixture
    def models(self) -> ModelRegistry:
        return default_registry(())

    def test_its_inputs_are_the_computed_features(self, models: ModelRegistry) -> None:
        assert models.get(undocumented_parameters.MODEL).metadata.inputs == NAMES

    def test_it_stores_and_sends_nothing_about_its_user(self, tmp_path: Path) -> None:
        program = (
            "from wardround.inference.registry import default_registry; "
            "from wardround.inference.runtime import detect_runtime; "
            "models = default_registry(); "
            f"models.load(models.get({undocumented_parameters.MODEL!r}), detect_runtime('cpu'))"
        )
        home = tmp_path / "home"
        home.mkdir()
        env = {"PATH": os.environ["PATH"], "HOME": str(home)}
        subprocess.run([sys.executable, "-c", program], check=True, env=env, cwd=home)
        assert [path.name for path in (home / ".cache").iterdir()] == ["wardround"]

    def test_it_is_deterministic(self, models: ModelRegistry) -> None:
        session = models.load(models.get(undocumented_parameters.MODEL), detect_runtime("cpu")).session
        row = [0.0] * len(NAMES)
        assert raw_score(session, row) == raw_score(session, row)

    def test_it_reports_in_a_review_only_if_models_are_enabled(
        self, models: ModelRegistry, repo: GitRepository
    ) -> None:
        assert models.get(undocumented_parameters.MODEL).metadata.state is PromotionState.REPORT
        function = (
            'def {}(to):\n    """{} a text.\n\n    Args:\n        to: who gets it\n    """\n    post(to)\n'
        )
        before = "\n\n".join(function.format(name, name.title()) for name in ("send", "hold"))
        after = before.replace("(to)", "(to, wait)")
        start, twin = after.split("Hold a text.")
        reported = twin.replace("who gets it\n", "who gets it\n        wait: in seconds\n")
        repo.commit({"mail.py": before})
        repo.stage({"mail.py": f"{start}Hold a text.{reported}"})
        rule = "python/PY011"
        with_models, without = (
            [
                item
                for item in repo.report("--staged", "--exit-zero", *more)["findings"]
                if item["rule"] == rule
            ]
            for more in ((), ("--no-models",))
        )
        assert [(item["line"], item["severity"]) for item in with_models] == [(1, "info")]
        assert '"wait" is new; docstrings like this one usually document it' in with_models[0]["message"]
        assert 0.7 < with_models[0]["confidence"] < 1
        assert without == []
