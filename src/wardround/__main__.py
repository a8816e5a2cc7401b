"""The ``wardround`` command: set the process up, then load and run the command line."""

from __future__ import annotations

from typing import NoReturn

from wardround.cli.process import run_and_exit, set_up


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    set_up()
    run_and_exit(_invoke)


def _invoke() -> int:
    from wardround.cli.commands import invoke  # after the process is set up: this takes time

    return invoke()


if __name__ == "__main__":
    main()
