"""Files that once kept a review busy for minutes, or are made to: each review ends, with a result."""

from __future__ import annotations

import base64
import random

import pytest

from tests.conftest import SCRIPTS, GitRepository

_HUNG_S = 100
"""Seconds after which a review counts as hung; each of these takes a few on a machine that is not busy."""
_BLOB = base64.b64encode(random.Random(1).randbytes(1_100_000)).decode()
_WORKFLOW = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"

FILES = {
    "60,000 hashes in a comment": ("a.py", "x = 1\n" + "#" * 60_000 + "\n"),
    "60,000 slashes in a script": ("a.ts", "const x = 1;\n" + "/" * 60_000 + "\n"),
    "60,000 dashes in SQL": ("a.sql", "SELECT 1;\n" + "-" * 60_000 + "\n"),
    "60,000 blanks in front of a comment": ("a.py", "x = 1" + " " * 60_000 + "# end\n"),
    "60,000 empty lines": ("a.py", "x = 1\n" + "\n" * 60_000 + "y = 2\n"),
    "1.5 MB of base64 on a line": ("a.py", f'DATA = "{_BLOB}"\n'),
    "1.5 MB of base64 in a comment": ("a.ts", f"// {_BLOB}\nexport const x = 1;\n"),
    "5,000 minus signs": ("a.py", "x = " + "-" * 5_000 + "1\n"),
    "5,000 unknown names on a line": ("a.py", "x = " + " and ".join(f"a{n}" for n in range(5_000)) + "\n"),
    "5,000 open brackets": ("a.py", "x = " + "(" * 5_000 + "\n"),
    "5,000 unclosed substitutions": ("a.sh", "#!/bin/sh\nx=" + "$(" * 5_000 + "\n"),
    "8,000 assignments of one name": ("a.py", "def f(a):\n" + "    a = g(a)\n" * 8_000 + "    return a\n"),
    "2,000 commands in a step": (
        ".github/workflows/a.yml",
        _WORKFLOW + "          echo $X | tee a\n" * 2_000,
    ),
    "a chain of 26 methods on data of a request": (
        "a.py",
        "from app.store import rows\n\n\n@app.get('/')\ndef show():\n"
        f"    return rows(request.args['q']){'.filter(a=1)' * 26}\n",
    ),
    "4,000 built queries": (
        "a.py",
        "".join(f's{n} = "select {n} from t where x = \'" + y\n' for n in range(4_000)),
    ),
}


@pytest.mark.parametrize(("path", "text"), [pytest.param(*file, id=name) for name, file in FILES.items()])
def test_a_review_ends(repo: GitRepository, path: str, text: str) -> None:
    repo.write(path, text)
    repo.stage()
    done = repo.run(
        "timeout", "--signal=KILL", str(_HUNG_S), SCRIPTS / "wardround", "review", "--staged", "--no-models"
    )
    assert done.returncode in (0, 1), done.stderr
    assert "wardround: " in done.stdout
