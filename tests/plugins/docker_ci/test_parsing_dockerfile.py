from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.languages.dockerfile import Dockerfile, read, substitute, variables
from wardround.languages.dockerfile import DockerfileToken as DockerToken


def _slices(file: Dockerfile) -> list[str]:
    return [file.text[item.start : item.end] for item in file.instructions]


def test_continuation_comments_and_blank_lines_keep_every_offset() -> None:
    text = "FROM a:1\nRUN b && \\\n  # why\n\n  c é\nCMD d\n"
    file = read(text)
    run = file.instructions[1]
    assert [item.keyword for item in file.instructions] == ["FROM", "RUN", "CMD"]
    assert run.body.text.split() == ["b", "&&", "c", "é"]
    assert text[run.body.start + run.body.text.index("é")] == "é"
    assert [text.count("\n", 0, at) + 1 for at in run.blank_lines] == [4]


def test_the_escape_directive_changes_what_continues_a_line() -> None:
    file = read("# escape=`\nFROM a:1\nRUN dir C:\\ `\n  /s\n")
    assert _slices(file)[1] == "RUN dir C:\\ `\n  /s"


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("# syntax=a/b:1\nFROM c\n", "a/b:1"),
        ("#!/usr/bin/env docker\n#SYNTAX = a/b:1 --flag\r\n", "a/b:1"),
        ("\ufeff# escape=`\n# syntax=a\n", "a"),
        ("// syntax=a/b\n{}", "a/b"),
        ("# text\n# syntax=a/b:1\nFROM c\n", None),
        ("\n# syntax=a/b:1\nFROM c\n", None),
        ("FROM c\n# syntax=a/b:1\n", None),
        ("#!", None),
    ],
)
def test_the_image_that_reads_the_file_is_that_of_the_directive(text: str, image: str | None) -> None:
    found = read(text).frontend
    assert (found and found.text) == image
    assert found is None or text[found.start : found.end] == image


def test_an_escaped_escape_character_continues_no_line() -> None:
    file = read("FROM a:1\nCOPY b \\\n  C:\\\\c\\\\\nRUN d\\\\\\\n\\\n  e\n")
    assert _slices(file)[1:] == ["COPY b \\\n  C:\\\\c\\\\", "RUN d\\\\\\", "e"]
    file = read("# escape=`\nFROM a``\nRUN b `\n  c\n")
    assert _slices(file) == ["FROM a``", "RUN b `\n  c"]


def test_here_documents_are_not_instructions() -> None:
    text = "FROM a:1\nRUN <<EOF\nFROM x\nEOF\nCOPY <<-A <<B /x/\none\n\tA\ntwo\nB\nUSER u\n"
    file = read(text)
    assert [item.keyword for item in file.instructions] == ["FROM", "RUN", "COPY", "USER"]
    assert [[document.text for document in item.heredocs] for item in file.instructions] == [
        [],
        ["FROM x\n"],
        ["one\n", "two\n"],
        [],
    ]


@pytest.mark.parametrize(
    ("run", "program"),
    [
        ("<<E", ""), ("<<E bash -e", "bash"), ("<<E /usr/bin/python3", "python3"), ("echo <<E", ""),
        ("echo", ""), ("<<-\"E\"", ""), ("<<\\E", ""),
    ],
)  # fmt: skip
def test_the_program_of_a_here_document_follows_its_marker(run: str, program: str) -> None:
    (_, instruction) = read(f"FROM a\nRUN {run}\nx\nE\n").instructions[:2]
    assert instruction.program_of_document == program


def test_the_program_of_a_here_document_is_in_its_first_line() -> None:
    for line, program in (("#!/bin/bash -e", "bash"), ("#!/usr/bin/env python3", "python3"), ("# x", "")):
        assert read(f"FROM a\nRUN <<E\n{line}\nE\n").instructions[1].program_of_document == program


def test_flags_pairs_and_the_json_form_have_places() -> None:
    text = 'ARG V=1\nFROM --platform=$P a:$V AS b\nENV A=b C="d e"\nENV old style value\nCMD ["x", "y z"]\n'
    file = read(text)
    (stage,) = file.stages
    flag = stage.start.flag("platform")
    assert flag is not None
    assert text[flag.start : flag.end] == "$P"
    pairs = [pair for item in stage.all("ENV") for pair in item.pairs]
    assert [(pair.name.text, pair.value and pair.value.text) for pair in pairs] == [
        ("A", "b"),
        ("C", "d e"),
        ("old", "style value"),
    ]
    (command,) = stage.all("CMD")
    assert [text[token.start : token.end] for token in command.words] == ['"x"', '"y z"']
    assert file.expand(stage.base.text) == "a:1"


def test_default_of_an_argument_contains_those_declared_before_it() -> None:
    file = read("ARG N=a\nARG B=${N}:1\nARG O=x:$V\nARG V=2\nFROM $B AS first\nFROM $O\n")
    assert [file.expand(stage.base.text) for stage in file.stages] == ["a:1", "x:$V"]


def test_a_stage_knows_the_stages_it_is_built_on() -> None:
    file = read("FROM a:1 AS base\nFROM BASE AS mid\nFROM mid\nFROM c:1\nCOPY --from=1 /x /y\n")
    assert [stage.index for stage in file.stages[2].lineage()] == [2, 1, 0]
    assert file.stage_named("mid", 3) is file.stages[1]
    assert file.stage_named("1", 3) is file.stages[1]
    assert file.stage_named("3", 3) is None


def test_variables_are_filled_in_as_docker_does() -> None:
    assert substitute("${A:-x}${B:+y}\\$C", {"B": "1"}) == "xy$C"
    assert substitute("$A", {}) is None
    found = variables(DockerToken("/$A/${B:-c}", 10, 21))
    assert [(name, sign, token.start) for name, sign, token in found] == [("A", "", 11), ("B", ":-", 14)]


@given(st.text(alphabet="FROMRUNENVCOPY a=:$[]\"'\\\n#<-{}é", max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    file = read(text)
    for item in file.instructions:
        assert 0 <= item.start <= item.end <= len(text)
        assert item.body.end <= len(text) + 1
        assert [token for token in item.words if token.end < token.start] == []
        assert len(item.pairs) <= len(text)
