"""The message from the back end to its start program."""

from __future__ import annotations

from typing import TypedDict


class Plan(TypedDict):
    """Everything that the caller decides.

    Attributes:
        parent: the process id of the caller.
        user: the id of user and group inside.
        steps: steps that build the file system.
        writable: folders that the run may change.
        landlock: the version of its interface; 0 to run without it.
        filter: the program of the filter of system calls.
        limits: kinds and values.
        folder: in which the command starts.
    """

    parent: int
    user: str
    steps: list[tuple[str, ...]]
    writable: list[str]
    landlock: int
    filter: bytes
    limits: list[tuple[int, int]]
    folder: str
    environment: dict[str, str]
    command: list[str]
