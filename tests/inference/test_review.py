"""Models in a review: lent to checks that name them, never a crash, never a silent difference."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import pytest
from msgspec.structs import replace

from tests.inference.making import flip, make_table, renew, unbuild
from tests.variants import variant
from wardround.change.change_source import GitChangeSource
from wardround.change.repository import Repository
from wardround.checks.base import ChangeCheck, Check
from wardround.config.request import ReviewRequest
from wardround.errors import ConfigError, ModelError
from wardround.execution import broker
from wardround.findings import Span
from wardround.host import PluginHost
from wardround.inference import registry, runtime
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import PromotionState
from wardround.inference.shadow_log import ShadowScore
from wardround.plugin_discovery import InstalledPlugins
from wardround.policy.gate import GateOutcome
from wardround.reports import json, text
from wardround.review import review_once
from wardround.review_result import ReviewResult
from wardround.specialists import Specialist
from wardround.storage.paths import cache_dir, state_dir
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from tests.conftest import GitRepository


class NearestLine(Check):
    """The first line is nearest to another one.

    Reports the nearest line, by the model if there is one.
    """

    ID = "W1"
    NAME = "nearest-line"

    def run(self) -> None:
        query, *others = self.source.text.splitlines()
        model = self.source.models.ranker("adapter")
        if model is None:
            self.report(Span(1, 1, 1, 2), "no model")
            return
        scores = model.scores(query, others)
        evidence = [{"bm25": 0.5}] * len(others)
        fused = model.fuse(query, others, evidence)
        best = max(range(len(others)), key=lambda at: scores[at])
        self.report(Span(1, 1, 1, 2), f"nearest is {others[best]} {scores[best]:.4f} {fused[best]:.4f}")


class LikelyWrong(Check):
    """A file that a table takes for wrong."""

    ID = "W2"
    NAME = "likely-wrong"
    ROW: ClassVar[Callable[[str], Sequence[float]]] = lambda text: [len(text) / 4, 0.0, 0.0]

    def run(self) -> None:
        model = self.source.models.table("table")
        if model is not None and model.score(type(self).ROW(self.source.text)) >= model.threshold:
            self.report(Span(1, 1, 1, 2), "likely wrong")


class Undeclared(Check):
    """Asks for a model that its specialist does not name."""

    ID = "W3"
    NAME = "undeclared"

    def run(self) -> None:
        self.source.models.table("other")


class WholeChangeNearest(ChangeCheck):
    """Ranks the files of a change."""

    ID = "W4"
    NAME = "nearest-file"

    def run(self) -> None:
        model = self.change.models.ranker("adapter")
        texts = [file.text or "" for file in self.change.files]
        reported = "no model" if model is None else f"{len(model.scores('read', texts))} files ranked"
        self.report(self.change.files[0].path, Span(1, 1, 1, 2), reported)


def specialist(*checks: type[Check], change: Sequence[type[ChangeCheck]] = ()) -> Specialist:
    return variant(
        Specialist(), name="words", patterns=("*.txt",), checks=checks, change_checks=change,
        models=("adapter", "table"),
    )  # fmt: skip


@dataclass
class Reviewing:
    """A repository of texts with models next to it, and the number of model loads."""

    repo: GitRepository
    models: Path
    settings: dict[str, Any] = field(default_factory=dict)
    loads: list[str] = field(default_factory=list)
    rendered: str = ""

    def review(self, *checks: type[Check], request: ReviewRequest | None = None, **more: Any) -> ReviewResult:
        """Review what is staged."""
        lines = [f"{name} = {value}" for name, value in self.settings.items()]
        self.repo.write(".wardround.toml", "\n".join([f'model-folders = ["{self.models}"]', *lines]))
        host = PluginHost([specialist(*checks, **more)])
        with Repository(self.repo.root) as repository:
            change = repository.staged_change()
            origin = GitChangeSource(repository, change)
            expected = request or ReviewRequest(filter_mode="nofilter", config_from="head")
            expected = replace(expected, config_file=self.repo.root / ".wardround.toml")
            done = review_once(origin, host, expected)
            self.rendered = text.render(done)
            return done

    def stage(self, files: Mapping[str, str]) -> None:
        for path, content in files.items():
            self.repo.write(path, content)
            self.repo.git("add", path)


@pytest.fixture
def reviewing(repo: GitRepository, shelf_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Reviewing:
    created = Reviewing(repo, shelf_folder)
    plain = registry.ModelRegistry._load

    def counted(
        self: registry.ModelRegistry, one: registry.ModelEntry, how: runtime.Runtime
    ) -> registry.LoadedModel:
        created.loads.append(one.name)
        return plain(self, one, how)

    monkeypatch.setattr(registry.ModelRegistry, "_load", counted)
    monkeypatch.setattr(registry, "_LOADED", {})
    monkeypatch.setattr(registry, "_SHARED", {})
    created.stage({"a.txt": "read the file\nwrite a value\nopen the file\n"})
    return created


def told(done: ReviewResult) -> list[str]:
    return [finding.message for finding in done.findings]


def same(done: ReviewResult) -> dict[str, Any]:
    """Return the parts of a report that must not differ between runs."""
    report = json.as_dict(done)
    del report["timings"]
    for run in report["runs"]:
        del run["seconds"], run["cached"]
    return report


class TestUse:
    def test_a_check_is_lent_what_its_specialist_names(self, reviewing: Reviewing) -> None:
        done = reviewing.review(NearestLine, LikelyWrong)
        assert len(told(done)) == 2
        assert told(done)[0].startswith("nearest is ")
        assert reviewing.loads == ["adapter", "table"]
        assert done.notes == ()

    def test_the_report_reports_which_models_took_part(self, reviewing: Reviewing) -> None:
        done = reviewing.review(NearestLine)
        runs = {run.tool: run.version for run in done.runs}
        known = registry.read_metadata(reviewing.models / "adapter")
        assert runs["model adapter"].startswith(known.model.sha256[:12])
        assert runs["model adapter"].endswith("CPUExecutionProvider")
        assert list(runs) == sorted(runs)

    def test_a_second_review_loads_nothing_and_reports_the_same(self, reviewing: Reviewing) -> None:
        first = reviewing.review(NearestLine, LikelyWrong, change=[WholeChangeNearest])
        reviewing.loads.clear()
        second = reviewing.review(NearestLine, LikelyWrong, change=[WholeChangeNearest])
        assert reviewing.loads == []
        assert same(first) == same(second)

    def test_nor_does_one_that_knows_only_the_scores(self, reviewing: Reviewing) -> None:
        first = reviewing.review(NearestLine, LikelyWrong)
        for file in cache_dir().glob("results.sqlite*"):
            file.unlink()
        reviewing.loads.clear()
        assert same(reviewing.review(NearestLine, LikelyWrong)) == same(first)
        assert reviewing.loads == []

    def test_another_threshold_is_another_answer(self, reviewing: Reviewing) -> None:
        assert told(reviewing.review(LikelyWrong)) == ["likely wrong"]
        renew(reviewing.models / "table", thresholds={"report": 1.5})
        assert told(reviewing.review(LikelyWrong)) == []

    def test_a_table_that_may_only_rank_never_speaks(self, reviewing: Reviewing) -> None:
        renew(reviewing.models / "table", state=PromotionState.RANK)
        assert told(reviewing.review(LikelyWrong)) == []

    def test_checks_of_the_complete_change_have_models_too(self, reviewing: Reviewing) -> None:
        assert told(reviewing.review(change=[WholeChangeNearest])) == ["1 files ranked"]

    def test_asking_for_what_is_not_named_is_a_mistake_that_is_reported(self, reviewing: Reviewing) -> None:
        done = reviewing.review(Undeclared)
        assert "'other' is not among the specialist's `models`" in done.unreviewed[0].reason

    def test_nothing_is_loaded_where_no_check_asks(self, repo: GitRepository) -> None:
        repo.stage({"a.py": "def f(a=[]):\n    return a\n"})
        script = (
            "import sys; from wardround.cli import commands; commands.invoke(['review', '--staged']);"
            "print([n for n in ('numpy', 'onnxruntime', 'tokenizers') if n in sys.modules])"
        )
        done = repo.run(sys.executable, "-c", script)
        assert done.stdout.splitlines()[-1] == "[]", done.stderr


class TestWithout:
    def test_no_models_means_none(self, reviewing: Reviewing) -> None:
        request = ReviewRequest(filter_mode="nofilter", use_models=False)
        done = reviewing.review(NearestLine, request=request)
        assert (told(done), reviewing.loads, done.notes) == (["no model"], [], ())
        assert all("model" not in run.tool for run in done.runs)

    def test_nor_where_they_are_off(self, reviewing: Reviewing) -> None:
        reviewing.settings["models"] = '"off"'
        done = reviewing.review(NearestLine)
        assert (told(done), reviewing.loads, done.notes) == (["no model"], [], ())

    def test_required_and_not_expected_is_unreviewed(self, reviewing: Reviewing) -> None:
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine, request=ReviewRequest(filter_mode="nofilter", use_models=False))
        assert {(item.tool, item.reason) for item in done.unreviewed} == {
            ("model adapter", "--no-models was given"), ("model table", "--no-models was given")
        }  # fmt: skip

    def test_what_may_state_nothing_is_not_a_loss_there(self, reviewing: Reviewing) -> None:
        reviewing.settings["models"] = '"required"'
        renew(reviewing.models / "adapter", state=PromotionState.SHADOW)
        request = ReviewRequest(filter_mode="nofilter", use_models=False)
        done = reviewing.review(NearestLine, request=request)
        assert [(item.tool, item.reason) for item in done.unreviewed] == [
            ("model table", "--no-models was given")
        ]
        renew(reviewing.models / "table", state=PromotionState.SHADOW)
        assert reviewing.review(NearestLine, request=request).unreviewed == ()

    def test_one_that_is_nowhere_is_a_note_and_unreviewed_where_required(self, reviewing: Reviewing) -> None:
        shutil.rmtree(reviewing.models / "adapter")
        assert reviewing.review(NearestLine).notes == (
            "model adapter not used: it is not installed; name its folder in model-folders",
        )
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine)
        assert [(item.file, item.tool, item.reason) for item in done.unreviewed] == [
            ("a.txt", "model adapter", "model adapter is not installed; name its folder in model-folders")
        ]
        assert "  a.txt: model adapter is not installed; name its folder" in reviewing.rendered
        assert done.gate.outcome is GateOutcome.INCONCLUSIVE

    @pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"name": "adapter"}', b'{"name": 1}', None])
    @pytest.mark.parametrize("folder", ["adapter", "of-another-name"])
    def test_one_that_cannot_be_read_is_reported_and_not_replaced(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, junk: bytes, folder: str
    ) -> None:
        package = tmp_path / "package"
        shutil.copytree(reviewing.models, package)
        monkeypatch.setattr(registry, "package_folder", lambda: package)
        broken = (reviewing.models / "adapter").rename(reviewing.models / folder) / METADATA_FILE
        if junk is None:
            broken.unlink()
        else:
            broken.write_bytes(junk)
        done = reviewing.review(NearestLine)
        assert (told(done), reviewing.loads) == (["no model"], [])
        assert len(done.notes) == 1
        assert done.notes[0].startswith(f"model adapter not used: {broken}: ")
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine)
        assert [(item.file, item.tool) for item in done.unreviewed] == [("a.txt", "model adapter")]
        assert done.gate.outcome is GateOutcome.INCONCLUSIVE

    def test_one_of_another_name_that_cannot_be_read_is_a_note(self, reviewing: Reviewing) -> None:
        (reviewing.models / "more").mkdir()
        (reviewing.models / "more" / METADATA_FILE).write_text('{"name": "third"}')
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine)
        assert told(done)[0].startswith("nearest is ")
        assert done.notes[0].startswith(
            f"model third cannot be used: {reviewing.models}/more/{METADATA_FILE}: "
        )
        assert done.unreviewed == ()

    @pytest.mark.parametrize("use_models", [True, False])
    @pytest.mark.parametrize(
        ("folder", "wrong"), [("nowhere", r"cannot be read \(No such file"), ("empty", "holds no model")]
    )
    def test_a_folder_without_models_is_a_wrong_configuration(
        self, reviewing: Reviewing, tmp_path: Path, folder: str, wrong: str, use_models: bool
    ) -> None:
        (tmp_path / "empty" / "notes").mkdir(parents=True)
        reviewing.models = tmp_path / folder
        request = ReviewRequest(filter_mode="nofilter", use_models=use_models)
        with pytest.raises(ConfigError, match=rf"\.wardround\.toml: model-folders: '.*{folder}' {wrong}"):
            reviewing.review(NearestLine, request=request)
        reviewing.settings["models"] = '"off"'
        assert told(reviewing.review(NearestLine, request=request)) == ["no model"]

    def test_an_installation_without_onnxruntime_is_not_nagged(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runtime, "discover", lambda group: InstalledPlugins((), {"numpy": "2"}))
        done = reviewing.review(NearestLine)
        assert (told(done), done.notes) == (["no model"], ())

    def test_without_onnxruntime_nothing_is_reported_of_hunks_that_models_did_not_see(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(runtime, "discover", lambda group: InstalledPlugins((), {"numpy": "2"}))
        monkeypatch.setitem(broker.LIMITS, Profile.COMMIT, broker.Limits(2, 64, 256))  # type: ignore[arg-type]
        reviewing.stage({f"{name}.txt": "read the file\nwrite a value\n" for name in "bcd"})
        done = reviewing.review(NearestLine)
        assert (set(told(done)), done.notes) == ({"no model"}, ())

    def test_one_that_lacks_a_part_is_reported(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        versions = {"numpy": "2", "onnxruntime": "1.20"}
        monkeypatch.setattr(runtime, "discover", lambda group: InstalledPlugins((), versions))
        done = reviewing.review(NearestLine)
        assert told(done) == ["no model"]
        assert done.notes == (
            "models adapter, table not used: tokenizers is not installed; pip install 'wardround[models]'",
        )
        assert "note: models adapter, table not used" in reviewing.rendered
        assert json.as_dict(done)["notes"] == list(done.notes)

    @pytest.mark.parametrize(("profile", "status"), [(Profile.COMMIT, 0), (Profile.CI, 4)])
    def test_and_unreviewed_where_models_are_required(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch, profile: Profile, status: int
    ) -> None:
        reviewing.settings["models"] = '"required"'
        monkeypatch.setattr(runtime, "discover", lambda group: InstalledPlugins((), {}))
        request = ReviewRequest(filter_mode="nofilter", profile=profile, config_from="head")
        done = reviewing.review(NearestLine, request=request)
        assert {item.tool for item in done.unreviewed} == {"model adapter", "model table"}
        assert (done.notes, done.exit_status) == ((), status)

    @pytest.mark.parametrize("library", ["numpy", "onnxruntime"])
    def test_a_library_that_cannot_be_imported_is_a_note_too(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch, library: str
    ) -> None:
        monkeypatch.setitem(sys.modules, library, None)
        done = reviewing.review(NearestLine)
        assert told(done) == ["no model"]
        assert len(done.notes) == 1
        assert f"model adapter not used: {library} cannot be imported: " in done.notes[0]
        assert done.unreviewed == ()

    def test_a_damaged_model_is_a_note_and_the_check_does_without(self, reviewing: Reviewing) -> None:
        flip(reviewing.models / "adapter" / "model.onnx")
        first, second = reviewing.review(NearestLine), reviewing.review(NearestLine)
        assert told(first) == ["no model"]
        assert "model adapter not used" in first.notes[0]
        assert "is not the file its metadata describes" in first.notes[0]
        assert same(first) == same(second)

    def test_and_back_it_is_used_again(self, reviewing: Reviewing) -> None:
        file = reviewing.models / "adapter" / "model.onnx"
        flip(file)
        reviewing.review(NearestLine)
        flip(file)
        assert told(reviewing.review(NearestLine))[0].startswith("nearest is ")

    def test_a_missing_one_is_a_note_too(self, reviewing: Reviewing) -> None:
        (reviewing.models / "base" / "shared.bin").unlink()
        done = reviewing.review(NearestLine, LikelyWrong)
        assert told(done) == ["likely wrong", "no model"] or told(done) == ["no model", "likely wrong"]
        assert [run.tool for run in done.runs] == ["model table", "words"]

    def test_a_row_of_the_wrong_width_is_reported(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(LikelyWrong, "ROW", lambda text: [1.0])
        done = reviewing.review(LikelyWrong)
        assert done.notes == ("model table not used: it was trained on 3 numbers and got 1",)
        assert done.unreviewed == ()

    @pytest.mark.parametrize("written", ["models", "shop/../models"])
    def test_a_change_does_not_bring_the_models_that_judge_it(
        self, reviewing: Reviewing, written: str
    ) -> None:
        reviewing.settings["models"] = '"on"'
        reviewing.models.rename(reviewing.repo.root / "models")
        (reviewing.repo.root / "shop").mkdir()
        reviewing.models = reviewing.repo.root / written
        reviewing.repo.git("add", "models/base/model.onnx")
        done = reviewing.review(NearestLine)
        assert told(done) == ["no model"]
        assert "the change itself alters models/base/model.onnx" in done.notes[0]


class TestShadow:
    def test_a_model_in_shadow_is_none_and_no_trouble(self, reviewing: Reviewing) -> None:
        renew(reviewing.models / "adapter", state=PromotionState.SHADOW)
        done = reviewing.review(NearestLine)
        assert (told(done), done.notes, reviewing.loads) == (["no model"], (), [])
        assert not (state_dir() / "shadow.jsonl").exists()

    def test_its_scores_are_logged_where_that_is_requested(self, reviewing: Reviewing) -> None:
        renew(reviewing.models / "adapter", state=PromotionState.SHADOW)
        reviewing.settings["log-shadow"] = "true"
        done = reviewing.review(NearestLine, change=[WholeChangeNearest])
        assert set(told(done)) == {"no model"}
        lines = (state_dir() / "shadow.jsonl").read_bytes().splitlines()
        logged = [msgspec.json.decode(line, type=ShadowScore) for line in lines]
        assert {item.model for item in logged} == {"adapter"}
        assert sorted(len(item.scores) for item in logged) == [1, 2, 2]
        assert b"file" not in b"".join(lines)

    @pytest.mark.parametrize("models", ['"on"', '"required"'])
    def test_one_that_is_not_built_is_ignored(self, reviewing: Reviewing, models: str) -> None:
        renew(reviewing.models / "adapter", state=PromotionState.SHADOW)
        unbuild(reviewing.models / "adapter")
        reviewing.settings |= {"log-shadow": "true", "models": models}
        done = reviewing.review(NearestLine)
        assert (told(done), done.notes, done.unreviewed) == (["no model"], (), ())
        assert not (state_dir() / "shadow.jsonl").exists()


class TestNotBuilt:
    def test_a_model_that_a_specialist_uses_is_a_note(self, reviewing: Reviewing) -> None:
        recipe = unbuild(reviewing.models / "adapter")
        done = reviewing.review(NearestLine)
        command = f"wardround adapters train {recipe} --from-clones DIR"
        assert done.notes == (f"model adapter not used: it is not built; run `{command}`",)
        assert done.unreviewed == ()

    def test_it_is_unreviewed_where_models_are_required(self, reviewing: Reviewing) -> None:
        unbuild(reviewing.models / "adapter")
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine)
        assert [(item.file, item.tool) for item in done.unreviewed] == [("a.txt", "model adapter")]
        assert done.gate.outcome is GateOutcome.INCONCLUSIVE

    def test_a_model_that_nothing_uses_is_not_mentioned(self, reviewing: Reviewing) -> None:
        unbuild(make_table(reviewing.models / "third", "third"))
        reviewing.settings["models"] = '"required"'
        done = reviewing.review(NearestLine)
        assert told(done)[0].startswith("nearest is ")
        assert (done.notes, done.unreviewed) == ((), ())


class TestLimits:
    def test_hunks_beyond_what_there_is_time_for_are_unscored_and_counted(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(broker.LIMITS, Profile.COMMIT, broker.Limits(2, 64, 256))  # type: ignore[arg-type]
        reviewing.stage({f"{name}.txt": "read the file\nwrite a value\n" for name in "bcd"})
        first, second = reviewing.review(NearestLine), reviewing.review(NearestLine)
        assert [item.startswith("nearest") for item in told(first)] == [True, True, False, False]
        assert first.notes == ("models scored the first 2 hunks; 2 hunks in 2 files are unscored",)
        assert same(first) == same(second)

    def test_too_many_texts_in_a_file_are_unscored_too(
        self, reviewing: Reviewing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(broker.LIMITS, Profile.COMMIT, broker.Limits(60, 2, 256))  # type: ignore[arg-type]
        first, second = reviewing.review(NearestLine), reviewing.review(NearestLine)
        assert told(first) == ["no model"]
        assert first.notes == ("models had too many texts to score in a.txt, which is unscored",)
        assert same(first) == same(second)
        assert first.unreviewed == ()


class TestSettings:
    @pytest.mark.parametrize(
        ("key", "value"), [("models", '"maybe"'), ("model-threads", "0"), ("model-provider", '"tpu"')]
    )
    def test_nonsense_is_rejected(self, reviewing: Reviewing, key: str, value: str) -> None:
        reviewing.settings[key] = value
        with pytest.raises(ConfigError, match=key):
            reviewing.review(NearestLine)

    def test_cuda_that_is_not_there_is_reported(self, reviewing: Reviewing) -> None:
        reviewing.settings["model-provider"] = '"cuda"'
        assert "CUDA cannot be used" in reviewing.review(NearestLine).notes[0]


class TestRuntime:
    @pytest.fixture(autouse=True)
    def offered(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
        versions = {"numpy": "2", "tokenizers": "0.22", "onnxruntime-gpu": "1.22", "onnxruntime": "1.31"}
        monkeypatch.setattr(runtime, "discover", lambda group: InstalledPlugins((), versions))
        return versions

    def test_a_gpu_that_does_not_start_is_left_for_the_cpu(self) -> None:
        assert runtime.detect_runtime() == runtime.Runtime("onnxruntime-gpu", "1.22", runtime.CPU)

    def test_one_that_does_comes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(runtime, "_try_cuda", lambda: "")
        found = runtime.detect_runtime(threads=2)
        assert found.providers == ((runtime.CUDA, {"use_tf32": "0"}), runtime.CPU)
        assert found.identity == "onnxruntime-gpu 1.22 CUDAExecutionProvider use_tf32=0"
        assert runtime.detect_runtime("cpu").providers == (runtime.CPU,)

    def test_nothing_at_all(self, offered: dict[str, str]) -> None:
        offered.clear()
        with pytest.raises(ModelError, match="numpy and onnxruntime and tokenizers are not installed"):
            runtime.detect_runtime()

    def test_the_smallest_model_is_one(self) -> None:
        import numpy as np
        import onnxruntime

        session = onnxruntime.InferenceSession(runtime._NEGATION, providers=[runtime.CPU])
        assert session.run(None, {"x": np.ones(1, np.float32)})[0] == [-1]
