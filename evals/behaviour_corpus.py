"""Find commits for the measurement of behaviour differences, and build the pairs of commits that it compares.

    python evals/behaviour_corpus.py CLONE ... [--since 2020-01-01] [--each 12] > candidates.yml

prints, for each clone, candidates in the form of ``behaviour_commits.yml``, for a person to choose from.
Nothing is written into a clone by this command.

| kind | base | head |
|---|---|---|
| reversed | the parent of a fix with the fix's source, and the tests of the parent | the parent of the fix |
| unchanged | the parent of a commit that states that no behaviour changes | the commit |
| ordinary | the parent of any other commit with changed functions | the commit |
| repaired | the parent of a commit to which the lines that a later fix removed belong | the commit |
| identical | the parent of an ordinary commit | the same with ``pass`` in forty functions |
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

KINDS = ("reversed", "unchanged", "ordinary", "repaired", "identical")
_NO_SOURCE = re.compile(
    r"tests?|testing|testsuite|docs?|examples?|benchmarks|bench|tasks|scripts|ci|dev|tools"
)
_PADDED = 40
"""The number of functions of a pair without a difference."""
_FIX = re.compile(r"\b(fix(e[sd])?|bug|issue|regression|crash|wrong|incorrect(ly)?)\b", re.IGNORECASE)
_NO_FIX = re.compile(
    r"\b(typos?|docs?|documentation|docstrings?|lint\w*|ruff|flake8|mypy|pyright|typing|types?|annotations?|tests?|ci"
    r"|style|spelling|grammar|readme|changelog|pre-commit|warnings?|release|merge|setup|build|coverage)\b",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(
    r"\b(refactor\w*|perf|performance|faster|speed\w*|optimi[sz]\w*|simplif\w*|typing|type[- ]?hints?"
    r"|annotations?|annotate|mypy|pyright|style|lint\w*|ruff|flake8|black|isort|reformat\w*|format code"
    r"|renam\w*|clean ?-?ups?|tidy|moderni[sz]\w*|pyupgrade|f-strings?|dead code|unused|dedup\w*"
    r"|extract(ed)? method|cosmetic\w*|readab\w*|inline|no-op|restructur\w*|pep ?8|walrus|cach(e|ing))\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(fix(e[sd])?|bugs?|add(s|ed)?|support\w*|feat\w*|new|allow\w*|remov\w*|drop\w*|chang\w*|options?|release|tests?|improve"
    r"|error|revert|merge)\b",
    re.IGNORECASE,
)
_WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "eval"), ("EMAIL", "eval@example.org"), ("DATE", "1700000000 +0000"))
}


@dataclass(frozen=True)
class Clone:
    """A clone, with generated files that commits lack, and test files that cannot be collected."""

    folder: Path
    add: Mapping[str, str] = field(default_factory=dict)
    omit: Sequence[str] = ()

    def git(
        self, *arguments: str, text: str | None = None, environment: Mapping[str, str] | None = None
    ) -> str:
        done = subprocess.run(
            ["git", "-C", str(self.folder), *arguments], input=text, capture_output=True, check=True,
            encoding="utf-8", errors="surrogateescape", env={**os.environ, **(environment or {})},
        )  # fmt: skip
        return done.stdout

    def text(self, commit: str, path: str) -> str | None:
        try:
            return self.git("show", f"{commit}:{path}")
        except subprocess.CalledProcessError:
            return None

    def changed(self, base: str, head: str) -> list[tuple[str, str]]:
        """Return status and path of the files that differ, without renames."""
        rows = self.git("diff-tree", "-r", "-z", "--no-renames", "--name-status", base, head).split("\0")
        return list(zip(rows[::2], rows[1::2], strict=False))

    def commit(self, tree_of: str, others: Mapping[str, str | None], parent: str | None) -> str:
        """Commit the tree of a commit with some files replaced, and return the id, the same each time.

        Args:
            others: path -> text, or None to leave the file out.
        """
        others = {**dict.fromkeys(self.omit), **self.add, **others}
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            self.git("read-tree", tree_of, environment=index)
            for path, text in others.items():
                if text is None:
                    self.git("update-index", "--force-remove", path, environment=index)
                else:
                    blob = self.git("hash-object", "-w", "--stdin", text=text).strip()
                    self.git(
                        "update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", environment=index
                    )
            tree = self.git("write-tree", environment=index).strip()
        above = ["-p", parent] if parent else []
        return self.git("commit-tree", tree, *above, "-m", "measured", environment=_WHO).strip()


def pair(clone: Clone, kind: str, commit: str) -> tuple[str, str]:
    """Return the base and the head that the kind of measurement compares for a commit."""
    parent = clone.git("rev-parse", f"{commit}^").strip()
    if kind == "reversed":
        tests = [(status, path) for status, path in clone.changed(parent, commit) if not is_source(path)]
        old = {path: None if status == "A" else clone.text(parent, path) for status, path in tests}
        base = clone.commit(commit, old, None)
        return base, clone.commit(parent, {}, base)
    if kind == "identical":
        base = clone.commit(parent, {}, None)
        return base, clone.commit(parent, _padded_files(clone, parent), base)
    if not clone.add and not clone.omit:
        return parent, commit
    base = clone.commit(parent, {}, None)
    return base, clone.commit(commit, {}, base)


def is_source(path: str) -> bool:
    """Return True for Python code of the project other than tests, documentation and build scripts."""
    parts = PurePosixPath(path).parts
    name = parts[-1]
    if name in ("setup.py", "conftest.py", "noxfile.py") or re.match(r"test_|.*_test\.py$|tests?\.py$", name):
        return False
    return name.endswith(".py") and not any(map(_NO_SOURCE.fullmatch, parts[:-1]))


def functions(text: str | None) -> dict[str, str]:
    """Return qualified name -> body of the functions, without docstrings and annotations."""
    try:
        tree = ast.parse(text or "")
    except SyntaxError:
        return {}
    return {name: _normal(node) for name, node in _named_functions(tree, "")}


def _named_functions(
    node: ast.AST, above: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{above}{child.name}", child
        elif isinstance(child, ast.ClassDef):
            yield from _named_functions(child, f"{above}{child.name}.")
        elif isinstance(child, ast.If | ast.Try | ast.With):
            yield from _named_functions(child, above)


def _normal(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            inner.annotation = None
        elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if ast.get_docstring(inner, clean=False) is not None:
                inner.body = inner.body[1:]
            if not isinstance(inner, ast.ClassDef):
                inner.returns = None
    return ast.dump(node)


def changed_functions(clone: Clone, base: str, head: str) -> list[tuple[str, str]]:
    """Return path and name of the functions of the source that exist at base and head and differ."""
    found = []
    for status, path in clone.changed(base, head):
        if status == "M" and is_source(path):
            before, after = functions(clone.text(base, path)), functions(clone.text(head, path))
            found += [(path, name) for name in before if name in after and before[name] != after[name]]
    return found


def _padded_files(clone: Clone, commit: str) -> dict[str, str | None]:
    """Return the files of a commit with a no-op statement added to some functions."""
    paths = [path for path in clone.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0") if path]
    texts = {path: clone.text(commit, path) or "" for path in paths if is_source(path)}
    everything = [(path, name) for path, text in texts.items() for name in functions(text)]
    chosen: dict[str, set[str]] = {}
    for path, name in random.Random(0).sample(everything, min(_PADDED, len(everything))):
        chosen.setdefault(path, set()).add(name)
    return {path: padded(texts[path], names) for path, names in chosen.items()}


def padded(text: str, names: set[str]) -> str:
    """Return the text with ``pass`` as the first statement of each named function."""
    lines = text.split("\n")
    locations = []
    for name, node in _named_functions(ast.parse(text), ""):
        first = node.body[0]
        starts_line = not lines[first.lineno - 1][: first.col_offset].strip()
        if name in names and first.lineno > node.lineno and starts_line:
            decorators = [decorator.lineno for decorator in getattr(first, "decorator_list", [])]
            locations.append(
                (
                    min([first.lineno, *decorators]),
                    first.col_offset,
                    ast.get_docstring(node) is not None,
                    first,
                )
            )
    for line, column, documented, first in sorted(locations, key=lambda place: -place[0]):
        at = (first.end_lineno or line) if documented else line - 1
        lines.insert(at, f"{' ' * column}pass")
    return "\n".join(lines)


def candidates(clone: Clone, since: str, each: int) -> dict[str, list[str]]:
    """Return commits by kind, the newest first; at most ``each`` of a kind, twice as many ordinary ones."""
    found: dict[str, list[str]] = {kind: [] for kind in KINDS}
    log = clone.git("log", "-z", "--no-merges", f"--since={since}", "--format=%H%n%s%n%b")
    for row in filter(None, log.split("\0")):
        commit, subject, body = row.split("\n", 2)
        kind = _kind(subject, body)
        if len(found[kind]) >= each * (2 if kind in ("ordinary", "reversed") else 1):
            continue
        try:
            parent = clone.git("rev-parse", f"{commit}^").strip()
        except subprocess.CalledProcessError:
            continue
        touched = changed_functions(clone, parent, commit)
        if not 1 <= len(touched) <= (3 if kind == "reversed" else 12):
            continue
        found[kind].append(commit)
        if kind == "reversed" and (cause := _cause(clone, commit, parent)):
            found["repaired"].append(cause)
    found["identical"] = found["ordinary"]
    return {kind: list(dict.fromkeys(commits)) for kind, commits in found.items()}


def _kind(subject: str, body: str) -> str:
    if _FIX.search(subject) or re.search(r"\b(fixes|closes) #\d+", body, re.IGNORECASE):
        return "ordinary" if _NO_FIX.search(subject) else "reversed"
    return "unchanged" if _UNCHANGED.search(subject) and not _CHANGED.search(subject) else "ordinary"


def _cause(clone: Clone, fix: str, parent: str) -> str | None:
    """Return the commit of all source lines that a fix removed, and the fix; None if there are several."""
    blamed: Counter[str] = Counter()
    for status, path in clone.changed(parent, fix):
        if status == "M" and is_source(path):
            for start, count in _removed_ranges(clone, parent, fix, path):
                span = f"{start},+{count}"
                rows = clone.git("blame", "-s", "-l", "-w", "-L", span, parent, "--", path).splitlines()
                blamed.update(row.split()[0].lstrip("^") for row in rows)
    if len(blamed) != 1:
        return None
    (cause,) = blamed
    try:
        touched = changed_functions(clone, f"{cause}^", cause)
    except subprocess.CalledProcessError:
        return None  # the first commit, or the border of a shallow clone
    return f"{cause} {fix}" if 1 <= len(touched) <= 12 else None


def _removed_ranges(clone: Clone, base: str, head: str, path: str) -> Iterator[tuple[int, int]]:
    for line in clone.git("diff", "-U0", "-w", base, head, "--", path).splitlines():
        if (match := re.match(r"@@ -(\d+)(?:,(\d+))? ", line)) and match[2] != "0":
            yield int(match[1]), int(match[2] or 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clone", type=Path, nargs="+")
    parser.add_argument("--since", default="2020-01-01")
    parser.add_argument("--each", type=int, default=12)
    arguments = parser.parse_args()
    for folder in arguments.clone:
        yaml.safe_dump({folder.name: candidates(Clone(folder), arguments.since, arguments.each)}, sys.stdout)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
