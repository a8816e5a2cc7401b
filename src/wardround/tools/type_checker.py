"""The type checker: a static tool that also reports the types which it infers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import msgspec

from wardround.tools.tool import Invocation, Tool


class Diagnostic(msgspec.Struct, frozen=True):
    """One complaint of a type checker; the line is 1-based."""

    path: str
    line: int
    rule: str
    message: str


class Signature(msgspec.Struct, frozen=True):
    """The types of a function as text, as the checker infers them or as they are annotated."""

    parameters: Mapping[str, str]
    returns: str


class CheckedFiles(msgspec.Struct, frozen=True):
    """The result of a run.

    Attributes:
        signatures: path and line of a revealing line -> the signature of the function that it names.
    """

    diagnostics: tuple[Diagnostic, ...]
    signatures: Mapping[tuple[str, int], Signature]


class TypeChecker(ABC):
    """A checker of types that infers those of functions without annotations.

    Attributes:
        tool: the program, its settings and the files that it needs.
        suffixes: those of the files that it reads.
        strictness: a line of source by which a file is checked whatever the settings of the project exclude.
    """

    tool: Tool
    suffixes: tuple[str, ...]
    strictness: str

    @abstractmethod
    def revealing_line(self, function: str, *, is_property: bool) -> str:
        """Return a line of source at which the checker reports the signature of a function."""

    @abstractmethod
    def command(self, run: Invocation) -> Sequence[str]:
        """Return the argument list of an invocation."""

    @abstractmethod
    def parse(self, output: bytes, run: Invocation) -> CheckedFiles:
        """Parse standard output.

        Raises:
            ToolOutputError, msgspec.MsgspecError: it is not the output of a run over these files.
        """
