"""Reports of crashes: the traceback in the state folder, without source text."""

from __future__ import annotations


def redact(crash: BaseException) -> str:
    """Return the message of a crash without quotations: they may be text under review, with a secret."""
    import re

    unquoted = re.sub(r"""(["'`])(?:(?!\1).)*\1""", "'***'", " ".join(str(crash).split()))
    words = (
        word if re.fullmatch(r"[A-Za-z_.'(*):,;-]{1,40}|\d{1,6}[:,.]?", word) else "***"
        for word in unquoted.split()
    )
    return " ".join(words)


def write_crash_report(crash: BaseException) -> str:
    """Write the traceback to the state folder, where the user finds it and the terminal is spared."""
    from wardround.storage.paths import state_dir

    try:
        folder = state_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = folder / "crash.txt"
        file.write_text("\n".join(_frame_lines(crash)) + "\n", encoding="utf-8", errors="backslashreplace")
    except OSError:
        return "; please report it"
    return f"; please report it with {file}"


def _frame_lines(crash: BaseException | None) -> list[str]:
    """Return the frames of an exception and of its causes, with redacted messages."""
    import traceback

    if crash is None:
        return []
    causes = _frame_lines(crash.__cause__ or (None if crash.__suppress_context__ else crash.__context__))
    frames = [line.rstrip("\n") for line in traceback.format_tb(crash.__traceback__)]
    return [
        *causes,
        "Traceback (most recent call last):",
        *frames,
        f"{type(crash).__name__}: {redact(crash)}",
    ]
