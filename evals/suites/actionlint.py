"""Turn the test data of actionlint into cases for ``wardround eval cases``.

    python evals/suites/actionlint.py CLONE > cases.jsonl

CLONE is a checkout of github.com/rhysd/actionlint. Converted are the single workflows with their expected
errors (``err``, ``examples``), those without any (``ok``), and the small projects. If actionlint reports the
first line of a block for an error inside it, the line of the error is expected. ``meta`` holds the kinds of
the errors. Errors of pyflakes in Python steps are included: ruff reports them, within the step. Nothing of
the suite may be committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from new_file import case
from new_tree import case_of_files
from wardround_docker_ci.tools.block_scalars import position_in_block

_ERROR = re.compile(
    r"^/?(?P<file>[\w./\\-]+?\\?\.ya?ml):(?P<line>\d+):(?P<column>\d+): .*?(?:\[(?P<kind>[a-z-]+)\\?\])?/?$"
)


def main(clone: Path) -> None:
    """Print one case a line."""
    data = clone / "testdata"
    for entry in (
        *_single(data, "err"),
        *_single(data, "examples"),
        *_clean(data),
        *_projects(data / "projects"),
    ):
        print(json.dumps(entry))


def _single(data: Path, folder: str) -> Iterator[dict[str, Any]]:
    for source in sorted((data / folder).glob("*.y*ml")):
        text = source.read_text("utf-8")
        locations = list(_expected_errors(source.with_suffix(".out"), {source.name: text, "test.yaml": text}))
        kinds = sorted({kind for _, _, kind in locations})
        meta = {"set": "actionlint", "rule": " ".join(kinds), "kind": "invalid"}
        path = f".github/workflows/{source.stem}.yaml"
        name = f"{folder}/{source.stem}"
        if "uses: ./" in text:
            expected = [(path, line, kind) for _, line, kind in locations]
            yield case_of_files(name, "docker-ci", {path: text, **_actions(data / folder)}, expected, meta)
        else:
            yield case(name, "docker-ci", path, text, [line for _, line, _ in locations], meta)


def _actions(root: Path) -> dict[str, str]:
    """The local actions next to the single workflows."""
    found = sorted(file for file in (root / ".github").rglob("*") if file.is_file())
    return {str(file.relative_to(root)): file.read_text("utf-8") for file in found}


def _clean(data: Path) -> Iterator[dict[str, Any]]:
    for source in sorted((data / "ok").glob("*.y*ml")):
        meta = {"set": "actionlint", "rule": "ok", "kind": "valid"}
        path = f".github/workflows/{source.stem}.yaml"
        yield case(f"ok/{source.stem}", "docker-ci", path, source.read_text("utf-8"), [], meta)


def _projects(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield each small project as one new tree; its actionlint configuration is moved to its usual path."""
    for out in sorted(folder.glob("*.out")):
        root = out.with_suffix("")
        texts = {
            str(file.relative_to(root)): file.read_text("utf-8").replace(
                "./workflows/", "./.github/workflows/"
            )
            for file in sorted(root.rglob("*"))
            if file.is_file()
        }
        locations = list(_expected_errors(out, texts))
        files = {_repository_path(name): text for name, text in texts.items()}
        expected = [(_repository_path(name), line, kind) for name, line, kind in locations]
        meta = {"set": "actionlint-projects", "kind": "invalid" if locations else "valid"}
        yield case_of_files(f"projects/{out.stem}", "docker-ci", files, expected, meta)


def _repository_path(name: str) -> str:
    return f".github/{name}" if name.startswith("workflows/") or name == "actionlint.yaml" else name


def _expected_errors(out: Path, texts: dict[str, str]) -> Iterator[tuple[str, int, str]]:
    """Return (file, line, kind) of each expected error."""
    for reported in out.read_text("utf-8").splitlines():
        found = _ERROR.match(reported)
        if found is None or found["line"] == "0":
            print(f"{out.name}: names no place: {reported}", file=sys.stderr)
            continue
        name = found["file"].replace("\\", "")
        line = int(found["line"])
        inside = None
        if found["kind"] == "expression" and name in texts:
            inside = position_in_block(texts[name].split("\n"), line, int(found["column"]))
        yield name, inside[0] if inside else line, found["kind"] or "unknown"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
