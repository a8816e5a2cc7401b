"""The door of the ``wardround`` command: what must hold before the first import that takes time."""

from __future__ import annotations

import gc
import signal
from typing import NoReturn


def main() -> NoReturn:
    """Set the process up, then run the command line."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until there is a handler, an interrupt just ends it
    gc.disable()  # a review is over before a collection would pay, and loading modules triggers dozens
    from wardround.cli import main as run

    run()


if __name__ == "__main__":
    main()
