"""Count reported imports of missing first-party names in repositories where all of them exist.

    python evals/missing_imports.py [--misspell N] CLONE ...

Each line of each Python file and script of a clone's work tree counts as added, and the findings of
`python/PY084` and `typescript/TS098` are printed. These files run, so a finding is wrong or in dead code.

``--misspell N`` samples N files of each language instead, misspells a name that one of their imports takes
from a module of the repository, and the name of a module, and counts how many of each are reported. The
sample is selected by the first directory of a module alone, so some are of installed packages.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from wardround_python.analysis import added_imports as python
from wardround_typescript.analysis import added_imports as typescript
from wardround_typescript.analysis.modules import Modules

from wardround.change.repository_view import InMemoryRepository
from wardround.semantics.semdiff.removed_uses import RemovedUse

_SCRIPTS = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".vue", ".svelte")
_LONGEST_TEXT = 200_000
_SEED = 1
_SCRIPT_IMPORT = re.compile(
    r"^import (?:type )?\{(?P<names>[^}]*)\} from [\"'](?P<module>(?:\.|~/|@/)[^\"']*)[\"']", re.M
)
Edit = tuple[str, range]
"""A source text with a misspelling, and the lines of its import."""


def project_of(clone: Path) -> InMemoryRepository:
    """Return the files of a work tree that git tracks and that are UTF-8 text."""
    listed = subprocess.run(
        ["git", "-C", clone, "ls-files", "-z"], capture_output=True, text=True, check=True
    )
    files = {}
    for name in listed.stdout.split("\0"):
        path = clone / name
        try:
            files[name] = path.read_text("utf-8") if name and path.is_file() and not path.is_symlink() else ""
        except UnicodeDecodeError:
            continue
    return InMemoryRepository(files)


def missing(
    path: str, text: str, project: InMemoryRepository, is_added: Callable[[int], bool]
) -> Iterator[tuple[str, RemovedUse]]:
    if path.endswith(".py"):
        yield from python.missing_uses(path, text, project, is_added)
    else:
        yield from typescript.missing_uses(path, text, Modules(project, []), is_added)


def report_all(clone: Path, project: InMemoryRepository) -> None:
    files = {path: text for path, text in project.files.items() if _is_source(path, text)}
    count = 0
    for path, text in files.items():
        for module, use in missing(path, text, project, lambda line: True):
            count += 1
            print(f"{clone.name}/{path}:{use.line}: {use.name or 'the module'} of {module}")
    print(f"{clone.name}: {count} in {len(files)} files")


def _is_source(path: str, text: str) -> bool:
    return path.endswith((".py", *_SCRIPTS)) and ".d." not in path and len(text) <= _LONGEST_TEXT


def misspell(clone: Path, project: InMemoryRepository, draws: int) -> None:
    tops = {part for path in project.files if path.endswith(".py") for part in path.split("/")[:-1]}
    rng = random.Random(_SEED)
    paths = sorted(path for path, text in project.files.items() if _is_source(path, text))
    rng.shuffle(paths)
    for language, ending in (("Python", (".py",)), ("TypeScript", (".ts", ".tsx", ".vue"))):
        for what in ("name", "module"):
            found = [
                any(missing(path, edit[0], project, edit[1].__contains__))
                for path in [path for path in paths if path.endswith(ending)][:draws]
                if (edit := _edit(path, project.files[path], what, tops, rng)) is not None
            ]
            print(f"{clone.name}: {language}, {what} misspelt: {sum(found)} of {len(found)} reported")


def _edit(path: str, text: str, what: str, tops: set[str], rng: random.Random) -> Edit | None:
    if path.endswith(".py"):
        return _python_edit(text, what, tops, rng)
    imports = list(_SCRIPT_IMPORT.finditer(text))
    if not imports:
        return None
    match = rng.choice(imports)
    name = re.search(r"\w+(?=\s*(?:,|$|as))", match["names"])
    end = match.end("module") if what == "module" else match.start("names") + name.end() if name else None
    lines = range(text.count("\n", 0, match.start()) + 1, text.count("\n", 0, match.end()) + 2)
    return None if end is None else (f"{text[:end]}Zq{text[end:]}", lines)


def _python_edit(text: str, what: str, tops: set[str], rng: random.Random) -> Edit | None:
    ours = list(_own_imports(text, tops))
    if not ours:
        return None
    node = rng.choice(ours)
    statement = ast.get_source_segment(text, node) or ""
    if what == "name":
        word = node.names[-1].name
        head, _, tail = statement.rpartition(word)
    else:
        word = (node.module or "").split(".")[-1]
        head, _, tail = statement.partition(f"{word} import")
        tail = f" import{tail}"
    lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return None if word == "*" else (text.replace(statement, f"{head}{word}zq{tail}", 1), lines)


def _own_imports(text: str, tops: set[str]) -> Iterator[ast.ImportFrom]:
    """Yield the imports from modules of the repository."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not node.module:
            continue
        if node.level or node.module.split(".")[0] in tops:
            yield node


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--misspell", type=int, metavar="N")
    arguments = parser.parse_args()
    for clone in arguments.clones:
        project = project_of(clone)
        if arguments.misspell:
            misspell(clone, project, arguments.misspell)
        else:
            report_all(clone, project)


if __name__ == "__main__":
    main()
