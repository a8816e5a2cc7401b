from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.languages.positions import Passage
from wardround.languages.shell import commands, pipelines, unwrap_command


def _texts(script: str) -> list[list[str]]:
    return [command.texts for command in commands(Passage(script, 0))]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("a b 'c d' \"e f\"", [["a", "b", "c d", "e f"]]),
        ("a && b || c; d | e", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("a \\\n  b # comment\nc", [["a", "b"], ["c"]]),
        ("if a; then b; fi", [["a"], ["b"], ["fi"]]),
        ("cat <<EOF > x\nrm -rf /\nEOF\nb", [["cat"], ["b"]]),
        ("A=1 B='2 3' c", [["c"]]),
        ("a ${{ secrets.X || 'y' }} b", [["a", "${{ secrets.X || 'y' }}", "b"]]),
        ("a 2>&1 >/dev/null b", [["a", "b"]]),
    ],
)
def test_a_script_is_taken_apart_into_commands(script: str, words: list[list[str]]) -> None:
    assert _texts(script) == words


def test_commands_of_a_substitution_come_before_the_command_around_them() -> None:
    found = commands(Passage('echo "$(curl x | sh)" `ls`', 0))
    assert [(command.texts[0], command.depth) for command in found] == [
        ("curl", 1),
        ("sh", 1),
        ("ls", 1),
        ("echo", 0),
    ]


def test_a_pipeline_is_one_group() -> None:
    groups = pipelines(commands(Passage("a | b | c && d", 0)))
    assert [[command.name for command in group] for group in groups] == [["a", "b", "c"], ["d"]]


def test_places_are_offsets_of_the_file() -> None:
    (command,) = commands(Passage("x=1 /usr/bin/a bé c", 100))
    assert (command.start, command.end, command.name) == (100, 119, "a")
    assert [(word.start, word.end) for word in command.words] == [(104, 114), (115, 117), (118, 119)]


@pytest.mark.parametrize(
    "script", ["sudo -E -u me a b", "env X=1 a b", "timeout 10s a b", "exec nice -n 5 a b"]
)
def test_what_only_starts_another_program_is_looked_through(script: str) -> None:
    (command,) = commands(Passage(script, 0))
    assert [word.text for word in unwrap_command(command)] == ["a", "b"]


@given(st.text(alphabet="a '\"\\$`(){}<>|&;#\nE=é", max_size=60))
def test_any_text_is_read_to_its_end_with_places_inside_it(script: str) -> None:
    for command in commands(Passage(script, 7)):
        assert 7 <= command.start <= command.end <= 7 + len(script)
