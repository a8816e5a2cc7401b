"""Draw `docs/terminal.svg`: what `wardround review` prints in a terminal for a small real change.

    python docs/terminal.py

The change is committed to a temporary repository and reviewed for real; rich turns the output into a picture.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

_COLUMNS = 96
_TARGET = Path(__file__).parent / "terminal.svg"
_BEFORE = {
    "orders.py": """\
from flask import Flask, jsonify, request

from shop.database import connect

app = Flask(__name__)


@app.get("/orders")
def list_orders():
    with connect() as db:
        rows = db.execute("SELECT id, status FROM orders").fetchall()
    return jsonify([dict(row) for row in rows])
"""
}
_AFTER = {
    "orders.py": """\
from flask import Flask, jsonify, request

from shop.database import connect

app = Flask(__name__)


@app.get("/orders")
def list_orders():
    status = request.args.get("status", "open")
    with connect() as db:
        rows = db.execute(f"SELECT id, total FROM orders WHERE status = '{status}'").fetchall()
    return jsonify(status=state, orders=[dict(row) for row in rows])
""",
    "migrations/0007_order_total.sql": "ALTER TABLE orders ADD COLUMN total numeric NOT NULL;\n",
}
# Without the web fonts of rich's own template: a page that shows the picture fetches nothing.
_SVG = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg"
  xml:space="preserve">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="terminal-") as folder:
        output = _review_output(Path(folder))
    console = Console(record=True, width=_COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    console.print(Text.from_ansi("$ git commit\n" + output), soft_wrap=True)
    svg = console.export_svg(title="wardround", theme=MONOKAI, code_format=_SVG, unique_id="wardround")
    _TARGET.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")
    return 0


def _review_output(root: Path) -> str:
    """Return what a staged review prints to a terminal."""
    _git(root, "init", "--quiet")
    _write(root, _BEFORE)
    _git(root, "add", "--all")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    _git(root, *author, "commit", "--quiet", "--message", "before")
    _write(root, _AFTER)
    _git(root, "add", "--all")
    return _run_in_terminal([str(Path(sys.executable).parent / "wardround"), "review"], root)


def _run_in_terminal(command: list[str], cwd: Path) -> str:
    """Run a command with a pseudo-terminal as its standard output."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color"}
    process = subprocess.Popen(command, cwd=cwd, stdout=follower, stderr=subprocess.DEVNULL, env=environment)
    os.close(follower)
    chunks = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    process.wait()
    os.close(leader)
    return b"".join(chunks).decode("utf-8").replace("\r\n", "\n")


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
