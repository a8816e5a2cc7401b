"""Chat models from examples to a measured folder of onnxruntime-genai, with tiny real decoders."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft", "accelerate", "onnxruntime_genai", "onnx_ir", "matplotlib")

from tests.lab.training import conversations  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.errors import TrainingError, UsageError  # noqa: E402
from wardround.inference.metadata import PromotionState, read_metadata, write_metadata  # noqa: E402
from wardround.inference.promotion_policy import allowed_state  # noqa: E402
from wardround_lab.training import resource_checks  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.chat import decoder, export, train  # noqa: E402
from wardround_lab.training.chat.batches import collate  # noqa: E402
from wardround_lab.training.chat.examples import Example  # noqa: E402
from wardround_lab.training.chat.template import ChatTokenizer  # noqa: E402
from wardround_lab.training.chat.train import read_chat_run, train_chat  # noqa: E402
from wardround_lab.training.run_directory import read_steps  # noqa: E402

_KILLED = """
import os, signal, sys, time
from pathlib import Path
from wardround_lab.training.chat.train import train_chat
import peft, transformers
transformers.Trainer, transformers.Qwen2ForCausalLM, transformers.AutoTokenizer  # once, before any fork
recipe, folder = Path(sys.argv[1]), Path(sys.argv[2])
record = folder / "run.jsonl"
for step in map(int, sys.argv[3:]):
    child = os.fork()
    if not child:
        train_chat(recipe, folder)
        os._exit(0)
    while not record.exists() or len(record.read_bytes().splitlines()) < step:
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
train_chat(recipe, folder)
"""


@pytest.mark.parametrize("architecture", conversations.ARCHITECTURES)
def test_from_examples_to_a_measured_model(
    tmp_path: Path, architecture: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = conversations.recipe(tmp_path, conversations.base(tmp_path, architecture))
    out = tmp_path / "out"
    assert invoke(["adapters", "train", str(recipe), "--out", str(out)]) == 0, capsys.readouterr().err
    run = read_chat_run(out)
    assert run.best is not None
    assert run.best < run.base_loss
    metadata = read_metadata(out / "model")
    parity = {step.step: step for step in metadata.parity}
    assert metadata.precision in ("int4", "fp32")
    assert parity["merged"].largest < 1e-4
    assert parity[f"onnx-{metadata.precision}"].agreement >= 0.9
    assert (metadata.kind, metadata.state) == ("chat", PromotionState.SHADOW)
    names = {metadata.model.name, *(file.name for file in metadata.files)}
    assert {"model.onnx", "model.onnx.data", "genai_config.json", "adapter_model.safetensors"} <= names
    settings = json.loads((out / "model" / "genai_config.json").read_bytes())
    assert settings["model"]["eos_token_id"] == [7, 3], "an answer ends where the template ends it"
    assert invoke(["adapters", "verify", str(out / "model")]) == 0, capsys.readouterr().out

    assert invoke(["adapters", "evaluate", str(out), "--recipe", str(recipe)]) == 0
    assert invoke(["adapters", "promote", str(out), "--to", "report"]) == 1
    decided = read_metadata(out / "model")
    assert decided.state is PromotionState.SHADOW
    assert "There is no baseline 'rules' to compare with." in decided.reasons
    card = (out / "model" / "card.md").read_text()
    assert "First greedy tokens that are the same: " in card
    assert "The recipe names no answers of the rules" in card


def test_a_model_that_is_better_than_rules_and_base_is_promoted(tmp_path: Path) -> None:
    described = conversations.base(tmp_path)
    conversations.built(tmp_path, conversations.examples(tmp_path))
    lines = (tmp_path / "sft" / "eval.jsonl").read_text().splitlines()
    rules = [json.dumps({"answer": "bug"}) + "\n" for _ in lines]
    (tmp_path / "rules.jsonl").write_text("".join(rules))
    recipe = conversations.recipe(
        tmp_path, described, data={"folder": "sft", "rules": "rules.jsonl"},
        training={"steps": 4, "rate": 1e-6}, export={"prompts": 2, "tokens": 2, "agreement": 0.1},
    )  # fmt: skip
    for seed in ("0", "1"):
        out = str(tmp_path / f"out{seed}")
        assert invoke(["adapters", "train", str(recipe), "--seed", seed, "--out", out]) == 0
    folders = [str(tmp_path / name) for name in ("out0", "out1")]
    assert invoke(["adapters", "evaluate", *folders, "--recipe", str(recipe)]) == 0
    measured = read_metadata(tmp_path / "out0" / "model")
    assert measured.evaluation is not None
    assert measured.evaluation.metrics["rules"]["right answers"].value == pytest.approx(1 / 3, abs=0.1)
    assert len(set(measured.evaluation.models.values())) == 2
    reasons = allowed_state(measured).reasons
    assert any(reason.startswith("The gain of 'model' over 'rules'") for reason in reasons)
    assert any(reason.startswith("Its valid answers is ") for reason in reasons)


def test_a_training_that_is_killed_reaches_the_same_loss(tmp_path: Path) -> None:
    recipe = conversations.recipe(tmp_path, conversations.base(tmp_path), training={"checkpoint": 2})
    whole = train_chat(recipe, tmp_path / "whole")
    killed = tmp_path / "killed"
    moments = ["1", "5", "6", "10"]
    script = [sys.executable, "-W", "ignore", "-c", _KILLED, str(recipe), str(killed), *moments]
    subprocess.run(script, check=True, capture_output=True)
    again = read_chat_run(killed)
    assert (again.weights, again.best) == (whole.weights, whole.best)
    losses = [
        [(step.step, step.loss) for step in read_steps(folder)] for folder in (tmp_path / "whole", killed)
    ]
    assert losses[0] == losses[1]
    with pytest.raises(TrainingError, match="another recipe, seed or records"):
        train_chat(recipe, killed, seed=5)


def test_a_checkpoint_that_was_being_written_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = conversations.recipe(tmp_path, conversations.base(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(train.ChatTraining, "_write_result", lambda *arguments: None)
        train_chat(recipe, tmp_path / "out")
    checkpoints = tmp_path / "out" / "checkpoints"
    (checkpoints / "checkpoint-12" / "trainer_state.json").write_text('{"global_step": 1')
    assert train_chat(recipe, tmp_path / "out").steps == 12
    steps = [step.step for step in read_steps(tmp_path / "out")]
    assert steps == list(range(1, 13))


def test_a_loss_is_on_the_answers_alone_and_examples_do_not_see_each_other(tmp_path: Path) -> None:
    located = locate(read_base(str(conversations.base(tmp_path))))
    model = decoder.load_plain(located)
    from wardround_lab.corpora.audit_items import ItemOrigin

    examples = [
        Example([5, 20, 21, 6], [30, 31, 7], "", ItemOrigin(), 0),
        Example([5, 22, 6], [32, 7], "", ItemOrigin(), 1),
    ]
    together = model(**collate(examples)).loss.item()
    apart = [model(**collate([example])).loss.item() for example in examples]
    assert together == pytest.approx((3 * apart[0] + 2 * apart[1]) / 5, abs=1e-5)
    other = msgspec.structs.replace(examples[1], answer=[33, 7])
    assert collate([examples[0], other])["labels"][0].tolist() == [-100, 30, 31, 7]


def test_the_memory_is_computed_from_the_configuration_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    described = conversations.base(tmp_path)
    recipe = conversations.recipe(tmp_path, described)
    located = locate(read_base(str(described)))
    size = decoder.DecoderSize.of(located)
    assert size.numbers == sum(weight.numel() for weight in decoder.load_plain(located).parameters())
    monkeypatch.setattr(resource_checks, "free_memory", lambda: 10**8)
    (tmp_path / "qwen2-decoder" / "tokenizer.json").unlink()
    assert invoke(["adapters", "train", str(recipe), "--out", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert "tiny/qwen2: training it takes about 1.02 GB of memory, and 0.1 GB are free; decrease" in message
    assert not (tmp_path / "out").exists()


def test_a_base_that_exceeds_the_memory_is_not_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = conversations.base(tmp_path)
    recipe = conversations.recipe(tmp_path, described)
    monkeypatch.setattr(train, "configuration_on_hub", lambda base: tmp_path / "qwen2-decoder")
    monkeypatch.setattr(resource_checks, "free_memory", lambda: 10**8)
    content = yaml.safe_load(described.read_text())
    del content["folder"]
    described.write_text(yaml.safe_dump(content | {"id": "absent/model"}))
    with pytest.raises(TrainingError, match="absent/model: training it takes about"):
        train_chat(recipe, tmp_path / "out", hub=True)


def test_the_full_size_of_documented_bases_is_known_before_they_are_loaded() -> None:
    def gigabytes(size: decoder.DecoderSize, *, four_bit: bool = False, **training: object) -> int:
        content = {"kind": "chat", "name": "n", "data": {"folder": "f"}, "base": "b", "training": training}
        recipe = msgspec.convert(content, train.ChatRecipe)
        return round(size.training_bytes(recipe, four_bit=four_bit) / 1e9)

    small = decoder.DecoderSize(494 * 10**6, 358 * 10**6, 24, 896, 151_936)
    large = decoder.DecoderSize(31 * 10**9, 29_500 * 10**6, 60, 5376, 262_144)
    assert [gigabytes(small, batch=4, precision=name) for name in ("bfloat16", "float32")] == [8, 14]
    assert gigabytes(large, four_bit=True, batch=4, precision="bfloat16") == 24
    assert gigabytes(large, four_bit=True, batch=1, precision="bfloat16") == 22


_ALWAYS_OTHER = "{% if add_generation_prompt %}x{% endif %}{{ messages[0].content }}"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "has no chat template; name the file of one as `template` in the recipe"),
        (_ALWAYS_OTHER, "renders a request differently when the answer follows"),
        ("{{ raise_exception('no roles') }}", "its chat template fails: no roles; correct it"),
        ("{% for %}", "its chat template fails: "),
    ],
)
def test_a_template_that_cannot_be_used_is_one_sentence(tmp_path: Path, template: str, message: str) -> None:
    located = locate(read_base(str(conversations.base(tmp_path, template=template))))
    with pytest.raises(TrainingError) as caught:
        ChatTokenizer.load(located, None)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_template_of_a_recipe_replaces_that_of_the_base(tmp_path: Path) -> None:
    located = locate(read_base(str(conversations.base(tmp_path, template=""))))
    (tmp_path / "own.jinja").write_text(conversations.TEMPLATE)
    tokenizer = ChatTokenizer.load(located, tmp_path / "own.jinja")
    assert tokenizer.stop == 7


def test_missing_and_damaged_inputs_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = conversations.base(tmp_path)
    recipe = conversations.recipe(tmp_path, described)
    sft = tmp_path / "sft"

    def message() -> str:
        with pytest.raises((TrainingError, UsageError)) as caught:
            train_chat(recipe, tmp_path / "out")
        assert "\n" not in str(caught.value)
        return str(caught.value)

    audit = sft / "train.jsonl.audit.json"
    content = audit.read_bytes()
    audit.unlink()
    assert "has not been audited; run `wardround data audit" in message()
    audit.write_bytes(content)
    lines = (sft / "train.jsonl").read_bytes()
    (sft / "train.jsonl").write_bytes(lines + lines[:10])
    assert "train.jsonl: it changed after it was written" in message()
    shutil.rmtree(sft)
    assert "write the examples with `wardround data build-sft" in message()
    conversations.built(tmp_path, tmp_path / "records.jsonl", "--template", "plain")
    assert "it was written with --template plain" in message()
    shutil.rmtree(sft)
    conversations.built(tmp_path, tmp_path / "records.jsonl")
    (tmp_path / "qwen2-decoder" / "config.json").write_text('{"model_type": "another"}')
    assert "its config.json is not of a decoder that transformers" in message()
    monkeypatch.setattr(decoder.torch.cuda, "is_available", lambda: False)
    described.write_text(described.read_text() + "four-bit: true\n")
    assert "a base in four bits is trained on a GPU with CUDA, and there is none" in message()


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import transformers

    def save(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    recipe = conversations.recipe(tmp_path, conversations.base(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(transformers.Trainer, "_save_checkpoint", save)
        with pytest.raises(
            TrainingError, match=r"checkpoints: No space left on device; free space, or choose"
        ):
            train_chat(recipe, tmp_path / "out")
    assert train_chat(recipe, tmp_path / "out").steps == 12


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(
        UsageError, match=r"this needs onnxruntime_genai, onnx_ir; pip install 'wardround\[chat\]'"
    ):
        export.require_runtime()


def test_the_first_precision_that_keeps_the_answers_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = conversations.recipe(tmp_path, conversations.base(tmp_path))
    train_chat(recipe, tmp_path / "out")
    compare = export.compare_greedy

    def coarse(step: str, *arguments: object) -> object:
        found = compare(step, *arguments)  # type: ignore[arg-type]
        return found if step == "onnx-fp32" else msgspec.structs.replace(found, agreement=0.5)

    monkeypatch.setattr(export, "compare_greedy", coarse)
    shipped = export.finish_chat(tmp_path / "out", progress=lambda text: None)
    assert shipped.metadata.precision == "fp32"
    assert [step.step for step in shipped.metadata.parity] == ["merged", "onnx-int4", "onnx-fp32"]
    (shipped.folder / "model.onnx.data").write_bytes(b"damaged")
    assert invoke(["adapters", "verify", str(shipped.folder)]) == 1
    monkeypatch.setattr(export, "compare_greedy", lambda step, *_: msgspec.structs.replace(
        shipped.metadata.parity[1], step=step))  # fmt: skip
    with pytest.raises(TrainingError, match=r"same are int4 0\.50, fp32 0\.50, and 0\.90 are needed"):
        export.finish_chat(tmp_path / "out", progress=lambda text: None)


def test_the_example_of_metadata_is_that_of_a_chat_model(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "adapters" / "adapter.metadata.example.json"
    (tmp_path / "adapter.metadata.json").write_bytes(example.read_bytes())
    metadata = read_metadata(tmp_path)
    assert metadata.kind == "chat"
    assert write_metadata(tmp_path, metadata) == metadata
