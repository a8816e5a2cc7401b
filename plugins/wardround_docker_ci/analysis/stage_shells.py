"""The shell that runs the commands of a line in a Dockerfile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile, Instruction, Stage

_DEFAULT = "sh"
_DECLARED = LazyPattern(r"hadolint[ \t]+shell=(\S+)")


class StageShell(Struct, frozen=True):
    """A program without its folder, and its options."""

    program: str
    options: tuple[str, ...] = ()


def shell_at(file: Dockerfile, line: int) -> StageShell:
    """Return the program that runs the instruction on a line (1-based).

    A here-document names its own shell; otherwise the last SHELL counts, of the stage or of its base stages,
    or the comment that states the shell of an image.
    """
    instruction = _instruction_at(file, line)
    if instruction is None:
        return StageShell(_DEFAULT)
    if instruction.program_of_document:
        return StageShell(instruction.program_of_document)
    stage = next((candidate for candidate in file.stages if instruction in candidate.instructions), None)
    return next(_shells(file, stage, instruction.start), StageShell(_DEFAULT))


def _instruction_at(file: Dockerfile, line: int) -> Instruction | None:
    return next(
        (
            instruction
            for instruction in reversed(file.instructions)
            if file.text.count("\n", 0, instruction.start) < line
        ),
        None,
    )


def _shells(file: Dockerfile, stage: Stage | None, before: int) -> Iterator[StageShell]:
    """Yield the shells in effect at an offset, the one with the highest precedence first."""
    for ancestor in stage.lineage() if stage is not None else ():
        for instruction in reversed(ancestor.instructions):
            if instruction.start < before and instruction.keyword == "SHELL" and instruction.words:
                program, *options = (word.text for word in instruction.words)
                yield StageShell(_name(program), tuple(options))
    declared = _DECLARED.findall(file.text[:before])
    if declared:
        yield StageShell(_name(declared[-1]))


def _name(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe").lower()
