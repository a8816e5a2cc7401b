"""Damaged or malicious models are rejected with one sentence, before anything runs them."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tests.inference.making import altered, file_of, flip, make_base, point_to, renew
from wardround.errors import ModelError
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import File, SharedTensor, read_metadata, write_metadata
from wardround.inference.onnx_external_data import outside
from wardround.inference.registry import ModelRegistry
from wardround.inference.runtime import CPU, Runtime

RUNTIME = Runtime("onnxruntime", "0", CPU)


def load(shelf: ModelRegistry, name: str) -> None:
    shelf.load(shelf.get(name), RUNTIME)


def refusal(folder: Path, name: str = "base") -> str:
    """The error of loading a model; one sentence on one line."""
    shelf = ModelRegistry.of([folder])
    with pytest.raises(ModelError) as refused:
        load(shelf, name)
    reported = str(refused.value)
    assert "\n" not in reported
    assert len(reported) < 400
    return reported


class TestDamage:
    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "shared.bin"])
    @pytest.mark.parametrize("place", [0, 100, -1])
    def test_one_flipped_bit_is_noticed(self, shelf_folder: Path, name: str, place: int) -> None:
        flip(shelf_folder / "base" / name, place)
        assert f"{name} is not the file its metadata describes" in refusal(shelf_folder)

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "shared.bin"])
    def test_a_file_cut_short_is_noticed(self, shelf_folder: Path, name: str) -> None:
        file = shelf_folder / "base" / name
        file.write_bytes(file.read_bytes()[:-1])
        assert "its metadata says" in refusal(shelf_folder)

    @pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "shared.bin"])
    def test_a_missing_file_is_named(self, shelf_folder: Path, name: str) -> None:
        (shelf_folder / "base" / name).unlink()
        reported = refusal(shelf_folder)
        assert name in reported
        assert "No such file" in reported

    def test_a_damaged_base_takes_its_adapters_with_it(self, shelf_folder: Path) -> None:
        flip(shelf_folder / "base" / "shared.bin")
        assert "shared.bin" in refusal(shelf_folder, "adapter")

    def test_an_adapter_without_its_base_is_reported(self, shelf_folder: Path) -> None:
        (shelf_folder / "base" / METADATA_FILE).unlink()
        assert "its base, with shared tensors" in refusal(shelf_folder, "adapter")

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"schema": "wardround.adapter/2"}', b"\xff" * 9])
    def test_metadata_that_is_none_is_rejected(self, shelf_folder: Path, content: bytes) -> None:
        (shelf_folder / "base" / METADATA_FILE).write_bytes(content)
        assert METADATA_FILE in refusal(shelf_folder)

    def test_a_tokenizer_that_is_none_is_rejected(self, shelf_folder: Path) -> None:
        folder = shelf_folder / "base"
        (folder / "tokenizer.json").write_bytes(b'{"model": 3}')
        renew(folder, tokenizer=file_of(folder, "tokenizer.json"))
        assert "the tokenizer cannot be read" in refusal(shelf_folder)

    def test_a_graph_that_onnxruntime_cannot_load_is_rejected(self, shelf_folder: Path) -> None:
        altered(shelf_folder / "base", lambda model: model.graph.node.pop())
        assert "onnxruntime cannot load it" in refusal(shelf_folder)


class TestPlainFiles:
    def test_a_symbolic_link_is_rejected(self, shelf_folder: Path) -> None:
        file = shelf_folder / "base" / "model.onnx"
        file.rename(shelf_folder / "elsewhere")
        file.symlink_to(shelf_folder / "elsewhere")
        assert "is a symbolic link" in refusal(shelf_folder)

    def test_linked_metadata_is_rejected(self, shelf_folder: Path) -> None:
        file = shelf_folder / "base" / METADATA_FILE
        file.rename(shelf_folder / "elsewhere")
        file.symlink_to(shelf_folder / "elsewhere")
        assert "is a symbolic link" in refusal(shelf_folder)

    def test_a_pipe_is_rejected_and_not_waited_for(self, shelf_folder: Path) -> None:
        file = shelf_folder / "base" / "model.onnx"
        file.unlink()
        os.mkfifo(file)
        assert "is not a plain file" in refusal(shelf_folder)

    @pytest.mark.parametrize("name", ["../model.onnx", "/etc/passwd", "a/b.onnx", "..", "", "a\\b.onnx"])
    def test_no_file_is_outside_its_folder(self, name: str) -> None:
        with pytest.raises(ValueError, match="not a plain file name"):
            File(name=name, sha256="0" * 64, bytes=1)

    def test_a_size_beyond_all_bounds_is_rejected_before_it_is_read(self, shelf_folder: Path) -> None:
        folder = shelf_folder / "base"
        known = read_metadata(folder)
        huge = msgspec.structs.replace(known.model, bytes=10**15)
        write_metadata(folder, msgspec.structs.replace(known, model=huge))
        assert "exceed the limit for models" in refusal(shelf_folder)


class TestWhatIsNoModel:
    def test_a_pickle_is_rejected_by_its_name(self, shelf_folder: Path) -> None:
        folder = shelf_folder / "base"
        (folder / "model.pkl").write_bytes(pickle.dumps({"weights": [1.0]}))
        known = read_metadata(folder)
        write_metadata(folder, msgspec.structs.replace(known, model=file_of(folder, "model.pkl")))
        assert "model.pkl is no .onnx file" in refusal(shelf_folder)

    def test_and_by_its_content(self, shelf_folder: Path) -> None:
        class Harm:
            def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
                return os.mkdir, (str(shelf_folder / "harmed"),)

        (shelf_folder / "base" / "model.onnx").write_bytes(pickle.dumps(Harm()))
        renew(shelf_folder / "base")
        assert "it is not an ONNX model" in refusal(shelf_folder)
        assert not (shelf_folder / "harmed").exists()

    def test_an_archive_is_not_opened(self, shelf_folder: Path) -> None:
        with zipfile.ZipFile(shelf_folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("model.onnx", bytes(50_000_000))
        reported = refusal(shelf_folder, "bomb.zip")
        assert "is an archive, and archives are not opened; unpack it" in reported

    def test_nor_is_one_that_calls_itself_a_model(self, shelf_folder: Path) -> None:
        with zipfile.ZipFile(shelf_folder / "base" / "model.onnx", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("graph", bytes(50_000_000))
        renew(shelf_folder / "base")
        assert "it is not an ONNX model" in refusal(shelf_folder)

    def test_metadata_larger_than_any_is_not_read(self, shelf_folder: Path) -> None:
        with (shelf_folder / "base" / METADATA_FILE).open("r+b") as file:
            file.truncate(200 * 1024 * 1024)
        assert "is larger than 16 MiB" in refusal(shelf_folder)


def _field(number: int, content: bytes) -> bytes:
    """A field of a protobuf message."""
    size, length = len(content), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


def _move_weights_to(location: str) -> Callable[[onnx.ModelProto], None]:
    """Store the second layer's weights at another location."""

    def change(model: onnx.ModelProto) -> None:
        tensor = next(t for t in model.graph.initializer if t.name == "down_quantized")
        length = len(tensor.raw_data)
        tensor.ClearField("raw_data")
        point_to(tensor, location, 0, length)

    return change


def _hide_in_attribute(model: onnx.ModelProto) -> None:
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    point_to(value, "/etc/passwd", 0, 4)
    model.graph.node.append(helper.make_node("Constant", [], ["unused"], value=value))


def _hide_in_subgraph(model: onnx.ModelProto) -> None:
    value = helper.make_tensor("hidden", TensorProto.FLOAT, [1], [1.0])
    point_to(value, "../../secret", 0, 4)
    inner = helper.make_graph(
        [helper.make_node("Identity", ["hidden"], ["out"])], "inner", [],
        [helper.make_tensor_value_info("out", TensorProto.FLOAT, [1])], [value],
    )  # fmt: skip
    model.graph.node.append(helper.make_node("If", ["yes"], ["unused"], then_branch=inner, else_branch=inner))


def _hide_in_function(model: onnx.ModelProto) -> None:
    value = helper.make_tensor("value", TensorProto.FLOAT, [1], [1.0])
    point_to(value, "outside.bin", 0, 4)
    node = helper.make_node("Constant", [], ["out"], value=value)
    model.functions.append(
        helper.make_function("", "Own", [], ["out"], [node], [helper.make_opsetid("", 18)])
    )


def _sparse(model: onnx.ModelProto) -> None:
    sparse = model.graph.sparse_initializer.add()
    sparse.dims.append(4)
    sparse.values.CopyFrom(helper.make_tensor("values", TensorProto.FLOAT, [1], [1.0]))
    sparse.indices.CopyFrom(helper.make_tensor("indices", TensorProto.INT64, [1], [0]))
    point_to(sparse.values, "values.bin", 0, 4)


def _memory(model: onnx.ModelProto) -> None:
    _move_weights_to("*/_ORT_MEM_ADDR_/*")(model)


class TestReachingOutside:
    @pytest.mark.parametrize(
        "location", ["/etc/passwd", "../other/shared.bin", "weights.bin", "./shared.bin", "", "shared.bin"]
    )
    def test_weights_elsewhere_are_rejected(self, shelf_folder: Path, location: str) -> None:
        altered(shelf_folder / "base", _move_weights_to(location))
        assert f"its tensor 'down_quantized' is stored in {location!r}" in refusal(shelf_folder)

    @pytest.mark.parametrize(
        "change",
        [_hide_in_attribute, _hide_in_subgraph, _hide_in_function, _sparse, _memory],
        ids=lambda c: c.__name__,
    )
    def test_wherever_in_the_graph_they_are_named(
        self, shelf_folder: Path, change: Callable[[onnx.ModelProto], None]
    ) -> None:
        altered(shelf_folder / "base", change)
        assert "which is not declared" in refusal(shelf_folder)

    def test_another_place_in_the_shared_file_is_rejected(self, shelf_folder: Path) -> None:
        def change(model: onnx.ModelProto) -> None:
            tensor = next(t for t in model.graph.initializer if t.name == "words")
            point_to(tensor, "shared.bin", 64, int(tensor.external_data[2].value))

        altered(shelf_folder / "base", change)
        assert "is not at the location in its metadata" in refusal(shelf_folder)

    @pytest.mark.parametrize(
        ("tensor", "said"),
        [
            (SharedTensor(name="words", offset=10**9, dtype="float32", shape=(15, 16)), "beyond the end"),
            (
                SharedTensor(name="words", offset=-4, dtype="float32", shape=(15, 16)),
                "an invalid shape or offset",
            ),
            (
                SharedTensor(name="words", offset=0, dtype="object", shape=(15, 16)),
                "an invalid shape or offset",
            ),
            (
                SharedTensor(name="words", offset=0, dtype="float32", shape=(-15, -16)),
                "an invalid shape or offset",
            ),
            (SharedTensor(name="words", offset=0, dtype="float32", shape=(10**9, 10**9)), "beyond the end"),
        ],
    )
    def test_declared_nonsense_is_rejected(self, shelf_folder: Path, tensor: SharedTensor, said: str) -> None:
        folder = shelf_folder / "base"
        rest = read_metadata(folder).shared[1:]
        renew(folder, shared=(tensor, *rest))
        assert said in refusal(shelf_folder)

    def test_what_is_declared_must_be_there(self, shelf_folder: Path) -> None:
        folder = shelf_folder / "base"
        more = SharedTensor(name="more", offset=0, dtype="int8", shape=(4,))
        renew(folder, shared=(*read_metadata(folder).shared, more))
        assert "declares tensor 'more'" in refusal(shelf_folder)

    def test_operators_of_other_libraries_are_rejected(self, shelf_folder: Path) -> None:
        def change(model: onnx.ModelProto) -> None:
            model.graph.node.append(helper.make_node("Run", ["mean"], ["unused"], domain="evil.ops"))

        altered(shelf_folder / "base", change)
        assert "operators of 'evil.ops'" in refusal(shelf_folder)

    def test_operators_that_open_files_are_rejected(self, shelf_folder: Path) -> None:
        def change(model: onnx.ModelProto) -> None:
            node = helper.make_node(
                "EPContext", ["mean"], ["unused"], domain="com.microsoft", embed_mode=0, ep_cache_context="/x"
            )
            model.graph.node.append(node)

        altered(shelf_folder / "base", change)
        assert "its operator EPContext opens files" in refusal(shelf_folder)

    def test_graphs_nested_without_end_are_rejected(self) -> None:
        graph = b""
        for _ in range(200):
            attribute = _field(6, graph)
            graph = _field(1, _field(5, attribute))
        content = _field(7, graph)
        with pytest.raises(ModelError, match="nested too deep"):
            outside(content)

    def test_the_shared_file_is_passed_in_and_not_opened_again(
        self, shelf_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The file that onnxruntime would read from the folder is not used for the computation."""
        from wardround.inference import verified_files

        held = verified_files.mmap_verified

        def swapped(folder: Path, file: File) -> object:
            content = held(folder, file)
            target = folder / file.name
            target.unlink()
            target.write_bytes(bytes(file.bytes))
            return content

        expected = ModelRegistry.of([shelf_folder]).embedder("base", RUNTIME).embed(["read the file"])
        other = make_base(shelf_folder / "other", "other")
        monkeypatch.setattr(verified_files, "mmap_verified", swapped)
        found = ModelRegistry.of([other]).embedder("other", RUNTIME).embed(["read the file"])
        assert not any((other / "shared.bin").read_bytes())
        assert (found == expected).all()


def test_numbers_are_read_from_bytes_alone() -> None:
    """A tensor without external data is no reference."""
    graph = helper.make_graph([], "g", [], [], [numpy_helper.from_array(np.ones(3), "ones")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    assert outside(model.SerializeToString()).references == ()
