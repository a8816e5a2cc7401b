"""Errors for which BuildKit rejects a Dockerfile before it builds anything.

Its rules are those of the parser and of the arguments of instructions; shell scripts in RUN are not parsed.
"""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.dockerfile import INSTRUCTIONS, Dockerfile, Instruction, read

_WITHOUT_SHELL = frozenset({"CMD", "ENTRYPOINT", "SHELL"})
"""Instructions whose argument in brackets is a JSON list; one that is malformed starts the wrong program."""
_PAIRED = frozenset({"ENV", "LABEL"})


def syntax_error(text: str) -> str | None:
    """Return why a Dockerfile does not parse, with the line; None if it does."""
    file = read(text)
    for instruction in file.instructions:
        for problem in _problems(file, instruction):
            return f"line {text.count(chr(10), 0, instruction.start) + 1}: {problem}"
    return None if file.stages else "it has no FROM"


def _problems(file: Dockerfile, instruction: Instruction) -> Iterator[str]:
    keyword = instruction.keyword
    if keyword not in INSTRUCTIONS:
        yield "unknown instruction"
    elif not instruction.text:
        yield f"{keyword} has no arguments"
    elif instruction in file.preamble and keyword != "ARG":
        yield f"{keyword} is before the first FROM"
    yield from _argument_problems(instruction)
    if not _documents_end(file.text, instruction):
        yield "a here-document has no end"


def _argument_problems(instruction: Instruction) -> Iterator[str]:
    words = [word.text for word in instruction.words]
    match instruction.keyword:
        case "FROM" if not (len(words) == 1 or (len(words) == 3 and words[1].lower() == "as")):
            yield "FROM has other arguments than an image and AS with a name"
        case keyword if keyword in _PAIRED and not _are_pairs(words):
            yield f"{keyword} has an argument without an equals sign"
        case keyword if keyword in _WITHOUT_SHELL and _is_malformed_list(instruction):
            yield f"{keyword} has brackets and is not a JSON list of strings"


def _are_pairs(words: list[str]) -> bool:
    """Return True for NAME=VALUE, repeated, and for the old form of one name and its value."""
    is_old = "=" not in words[0] if words else True
    return len(words) > 1 if is_old else all("=" in word for word in words)


def _is_malformed_list(instruction: Instruction) -> bool:
    return instruction.text.startswith("[") and instruction.exec_form is None


def _documents_end(text: str, instruction: Instruction) -> bool:
    """Return True if each here-document has a line with its delimiter."""
    for marker, document in zip(instruction.markers, instruction.heredocs, strict=True):
        line = text[document.start + len(document.text) :].partition("\n")[0].removesuffix("\r")
        if (line.lstrip("\t") if marker.strips else line) != marker.delimiter:
            return False
    return True
